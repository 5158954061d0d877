//! The table at the end, the list of what is pending, and the line that counts.

use super::case::Case;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What became of a case.
pub enum Verdict {
    Passed,
    Failed(Vec<String>),
    Unsupported(String),
    Pending(&'static str),
}

#[derive(Default)]
struct Count {
    passed: usize,
    failed: usize,
    unsupported: usize,
    pending: usize,
}

/// All verdicts so far.
#[derive(Default)]
pub struct Report {
    areas: BTreeMap<String, Count>,
    pending: BTreeMap<(String, &'static str), Vec<String>>,
    complaints: Vec<String>,
}

impl Report {
    /// A file that could not be read counts as a failure.
    pub fn broken(&mut self, error: String) {
        self.areas.entry("(files)".to_owned()).or_default().failed += 1;
        self.complaints.push(error);
    }

    /// Judges the wanted cases of a file.
    pub fn add_file(&mut self, cases: Result<Vec<Case>, String>, wanted: &impl Fn(&Case) -> bool) {
        match cases {
            Err(error) => self.broken(error),
            Ok(cases) => cases
                .iter()
                .filter(|case| wanted(case))
                .for_each(|case| self.add(case, super::judge(case))),
        }
    }

    /// Counts a verdict.
    pub fn add(&mut self, case: &Case, verdict: Verdict) {
        let count = self.areas.entry(case.area.clone()).or_default();
        match verdict {
            Verdict::Passed => count.passed += 1,
            Verdict::Failed(wrong) => {
                count.failed += 1;
                self.complaints.push(format!("{} failed: {}", case.id, wrong.join("; ")));
            }
            Verdict::Unsupported(what) => {
                count.unsupported += 1;
                self.complaints.push(format!("{} unsupported: {what}", case.id));
            }
            Verdict::Pending(reason) => {
                count.pending += 1;
                self.pending.entry((case.area.clone(), reason)).or_default().push(case.id.clone());
            }
        }
    }

    fn total(&self, of: fn(&Count) -> usize) -> usize {
        self.areas.values().map(of).sum()
    }

    /// Whether nothing failed and something was run.
    pub fn is_good(&self) -> bool {
        self.total(|count| count.failed + count.unsupported) == 0 && !self.areas.is_empty()
    }

    /// One line for each area: how many of its cases passed.
    pub fn passed(&self) -> String {
        let line = |(area, count): (&String, &Count)| format!("{area} {}\n", count.passed);
        self.areas.iter().map(line).collect()
    }

    /// The counts of each area in a line, and what is wrong: without a line that counts tests.
    #[allow(dead_code, reason = "the program for wasm tells this")]
    pub fn brief(&self) -> String {
        let line = |(area, count): (&String, &Count)| {
            let Count { passed, failed, unsupported, pending } = count;
            format!(
                "conformance {area}: {passed} passed, {failed} failed, {unsupported} unsupported, \
                 {pending} pending"
            )
        };
        let counts = self.areas.iter().map(line);
        counts.chain(self.complaints.iter().cloned()).collect::<Vec<_>>().join("\n")
    }

    /// The whole report.
    #[allow(dead_code, reason = "the native program tells this")]
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a text does not fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, out: &mut impl Write) -> std::fmt::Result {
        writeln!(out, "\nconformance with RocketMQ's ordered messages\n")?;
        writeln!(
            out,
            "{:<16} {:>7} {:>7} {:>12} {:>8}",
            "area", "passed", "failed", "unsupported", "pending"
        )?;
        for (area, count) in &self.areas {
            let Count { passed, failed, unsupported, pending } = count;
            writeln!(out, "{area:<16} {passed:>7} {failed:>7} {unsupported:>12} {pending:>8}")?;
        }
        if !self.pending.is_empty() {
            writeln!(out, "\npending:")?;
            for ((area, reason), ids) in &self.pending {
                writeln!(out, "  {area} ({reason}), {}: {}", ids.len(), ids.join(" "))?;
            }
        }
        if !self.complaints.is_empty() {
            writeln!(out)?;
            for complaint in &self.complaints {
                writeln!(out, "{complaint}")?;
            }
        }
        let passed = self.total(|count| count.passed);
        let failed = self.total(|count| count.failed + count.unsupported);
        let pending = self.total(|count| count.pending);
        let word = if self.is_good() { "ok" } else { "FAILED" };
        writeln!(
            out,
            "\ntest result: {word}. {passed} passed; {failed} failed; {pending} ignored; 0 measured; 0 filtered out\n"
        )
    }
}
