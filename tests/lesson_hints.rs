//! The last hint of every goal is followed to the letter, in both languages: whoever does with the
//! text what it says, and nothing else, reaches the goal.
//!
//! What a hint may ask for: ``in the line `Z`, replace `a` by `b` `` (`Z` is how the line begins),
//! ``replace the line `Z` by `b` ``, ``replace every `a` by `b` ``, ``add the line `b` ``,
//! ``delete the line `Z` ``, and ``in the line `Z`, delete `a` ``.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::path::PathBuf;

use lockstep_core::scenario::{achieved, load, play, Evidence, Lang};

/// What a piece of code in a hint is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    /// The line that the next deed is done in.
    In,
    /// A line below which something is added.
    Below,
    /// What is replaced: a piece of the line, every such piece, a whole line.
    Old(Extent),
    /// What it is replaced by.
    New,
    /// A line to add.
    Add,
    /// A line, or a piece of one, to delete.
    Delete,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Extent {
    Piece,
    Every,
    Line,
}

/// What the words around a piece of code make of it; `last` is what the piece before was.
fn part(before: &str, after: &str, last: Option<Part>) -> Option<Part> {
    let (before, after) = (before.trim_end().to_lowercase(), after.trim_start());
    let ends = |word: &str| before.ends_with(word);
    Some(match () {
        () if ends("in the line") || (ends("在") && after.starts_with("这一行")) => Part::In,
        () if ends("below") || (ends("在") && after.starts_with("下面")) => Part::Below,
        () if ends("replace every") || ends("把每个") => Part::Old(Extent::Every),
        () if ends("replace the line") || (ends("把") && after.starts_with("这一行")) => {
            Part::Old(Extent::Line)
        }
        () if ends("replace") || ends("把") => Part::Old(Extent::Piece),
        () if ends("by") || ends("改成") => Part::New,
        () if ["add the line", "add the lines", "加上一行", "加上两行"]
            .map(ends)
            .contains(&true) =>
        {
            Part::Add
        }
        () if ["delete", "delete the line", "delete the lines", "删掉"]
            .map(ends)
            .contains(&true) =>
        {
            Part::Delete
        }
        () if ["and", "and the line", ",", "和", "、"].contains(&before.trim()) => last?,
        () => return None,
    })
}

/// A text that a hint is followed in.
struct Sheet {
    lines: Vec<String>,
    scope: Option<usize>,
    /// The line that was spoken of last; what is added comes below it.
    place: Option<usize>,
    old: Option<(Extent, String)>,
}

impl Sheet {
    /// The only line of the run that begins with some words.
    fn line(&self, words: &str) -> Result<usize, String> {
        let begins = |line: &String| {
            let line = if runs(line) { line } else { "" };
            let rest = bare(line).strip_prefix(words).map(str::to_owned);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',']))
        };
        let found: Vec<usize> = (0..self.lines.len()).filter(|i| begins(&self.lines[*i])).collect();
        match found[..] {
            [only] => Ok(only),
            _ => Err(format!("{} lines begin with `{words}`", found.len())),
        }
    }

    /// Replaces a piece of a line that is in it once.
    fn replace(&mut self, line: usize, old: &str, new: &str) -> Result<(), String> {
        let text = bare(&self.lines[line]);
        if text.matches(old).count() != 1 {
            return Err(format!("`{old}` is not there once: {text}"));
        }
        self.lines[line] = text.replacen(old, new, 1);
        Ok(())
    }

    /// Does what one piece of code asks for.
    fn follow(&mut self, part: Part, code: &str) -> Result<(), String> {
        match part {
            Part::In => {
                self.place = Some(self.line(code)?);
                self.scope = self.place;
            }
            Part::Below => self.place = Some(self.line(code)?),
            Part::Old(extent) => self.old = Some((extent, code.to_owned())),
            Part::Add => {
                let place = self.place.ok_or(format!("where is `{code}` added?"))?;
                self.lines.insert(place + 1, code.to_owned());
            }
            Part::New => {
                let (extent, old) = self.old.take().ok_or("nothing to be replaced")?;
                match (extent, self.scope.take()) {
                    (Extent::Piece, Some(line)) => self.replace(line, &old, code)?,
                    (Extent::Piece, None) => return Err(format!("in which line is `{old}`?")),
                    (Extent::Line, _) => {
                        let line = self.line(&old)?;
                        self.lines[line] = code.to_owned();
                        self.place = Some(line);
                    }
                    (Extent::Every, _) => {
                        let lines = self.lines.iter_mut().filter(|line| runs(line));
                        let lines: Vec<_> = lines.filter(|line| line.contains(&old)).collect();
                        if lines.len() < 2 {
                            return Err(format!("`{old}` is in {} lines", lines.len()));
                        }
                        lines.into_iter().for_each(|line| *line = line.replace(&old, code));
                    }
                }
            }
            Part::Delete => match self.scope.take() {
                Some(line) => self.replace(line, code, "")?,
                None => drop(self.lines.remove(self.line(code)?)),
            },
        }
        Ok(())
    }
}

/// A line without comment and without alignment.
fn bare(line: &str) -> String {
    let code = line.split(" #").next().unwrap_or_default();
    code.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a line is a part of the run, and not a text that people read.
fn runs(line: &str) -> bool {
    !TOLD.iter().any(|word| line.starts_with(word))
}

/// Words that begin a line that people read and that does not run.
const TOLD: [&str; 9] = ["zh", "beat", "ask", "goal", "hint", "twist", "about", "watch", "note"];

/// The lesson's text with its last hint followed.
fn followed(text: &str, hint: &str) -> Result<String, String> {
    let lines = text.lines().map(str::to_owned).collect();
    let mut sheet = Sheet { lines, scope: None, place: None, old: None };
    let pieces: Vec<&str> = hint.split('`').collect();
    let mut last = None;
    for index in (1..pieces.len()).step_by(2) {
        let (before, code) = (pieces[index - 1], pieces[index]);
        let after = pieces.get(index + 1).copied().unwrap_or_default();
        let part = part(before, after, last).ok_or(format!("what to do with `{code}`?"))?;
        sheet.follow(part, code)?;
        last = Some(part);
    }
    if last.is_none() {
        return Err("it names no line".to_owned());
    }
    Ok(sheet.lines.into_iter().map(|line| format!("{line}\n")).collect())
}

/// What is wrong with the last hints of a lesson.
fn faults(name: &str, text: &str) -> Vec<String> {
    let program = load(text).unwrap_or_else(|_| panic!("{name} cannot be read"));
    let hints = program.goals.iter().filter_map(|goal| goal.hints.last());
    let languages = hints.flat_map(|hint| [Lang::En, Lang::Zh].map(|lang| hint.get(lang)));
    languages
        .filter_map(|hint| {
            let told = |fault: String| format!("{name}: {fault}\n  {hint}");
            let text = match followed(text, hint) {
                Ok(text) => text,
                Err(fault) => return Some(told(fault)),
            };
            let Ok(program) = load(&text) else { return Some(told("a mistake".to_owned())) };
            let session = play(&program);
            let evidence = Evidence::of(&session, program.until_ms, true);
            let reached = program.goals.iter().all(|goal| achieved(goal, &evidence));
            (!reached).then(|| told("the goal is not reached".to_owned()))
        })
        .collect()
}

#[test]
fn the_last_hint_can_be_followed_to_the_letter() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("www/lessons");
    let (mut all, mut seen) = (Vec::new(), 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "scn") {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            seen += text.lines().filter(|line| line.starts_with("goal")).count();
            all.extend(faults(&name, &text));
        }
    }
    all.sort();
    assert!(all.is_empty(), "\n{}", all.join("\n"));
    assert!(seen > 60, "{seen} goals");
}

#[test]
fn a_hint_that_leaves_the_place_open_is_found() {
    let text = "topic orders FIFO 4 queues\nmodel 5.3\n";
    let follow = |hint: &str| followed(text, hint);
    assert!(follow("Write `model 4.9`.").unwrap_err().contains("what to do"));
    assert!(follow("Replace `5.3` by `4.9`.").unwrap_err().contains("in which line"));
    assert!(follow("In the line `group`, replace `a` by `b`.").unwrap_err().contains("0 lines"));
    assert!(follow("In the line `model`, replace `5.1` by `4.9`.").is_err());
    let done = "topic orders FIFO 4 queues\nmodel 4.9\n";
    assert_eq!(follow("In the line `model`, replace `5.3` by `4.9`.").as_deref(), Ok(done));
    assert_eq!(follow("在 `model` 这一行，把 `5.3` 改成 `4.9`。").as_deref(), Ok(done));
}
