//! A text with what was done by hand written into it.

use super::ast::{Line, LineKind, Statement};
use super::compile::MARGIN_MS;
use super::read::parse;
use super::say::say_behind;
use super::value::write_time;
use crate::ids::Ms;
use crate::session::Session;

/// The text of a session's scenario with the commands that were given during the run as lines behind the
/// last line that does anything, in their order. A command that was given behind an event of its own
/// instant is written for the next millisecond: at the instant itself it would come before that event.
pub fn written(text: &str, session: &Session) -> String {
    let journal = session.journal();
    let given = session.injected().iter().filter_map(|i| Some((i, journal.get(i.index as usize)?)));
    let (mut lines, mut last_ms) = (Vec::new(), 0);
    for (injected, (at_ms, command)) in given {
        let behind = session.event_at(injected.after_event).is_some_and(|ms| ms >= *at_ms);
        let at_ms = at_ms + Ms::from(behind);
        last_ms = at_ms.max(last_ms);
        lines.push(say_behind(&journal[..injected.index as usize], at_ms, command));
    }
    match lines.is_empty() {
        true => text.to_owned(),
        false => put(text, &lines, last_ms),
    }
}

/// Puts lines behind the last statement that declares or does something. A run that would end before them
/// goes on for as long as others do behind their last line.
fn put(text: &str, lines: &[String], last_ms: Ms) -> String {
    let parsed = parse(text).scenario;
    let statement = |kind: &LineKind, is_it: fn(&Statement, Ms) -> bool| match kind {
        LineKind::Statement(statement) => is_it(statement, last_ms),
        _ => false,
    };
    let does = |line: &Line| statement(&line.kind, |s, _| matches!(s, Statement::Do(..)));
    let ends = |line: &Line| {
        statement(&line.kind, |s, last_ms| matches!(s, Statement::RunUntil(ms) if *ms <= last_ms))
    };
    let place = parsed.lines.iter().rposition(does).map_or(0, |index| index + 1);
    let mut out = String::new();
    let add = |out: &mut String| {
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        out.extend(lines.iter().flat_map(|line| [line.as_str(), "\n"]));
    };
    for (index, line) in parsed.lines.iter().enumerate() {
        if index == place {
            add(&mut out);
        }
        match ends(line) {
            true => out.push_str(&format!("run until {}", write_time(last_ms + MARGIN_MS))),
            false => out.push_str(&line.text),
        }
        out.push_str(line.eol.text());
    }
    if place >= parsed.lines.len() {
        add(&mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Command;
    use crate::fact::StopKind;
    use crate::scenario::load;

    /// The text with a crash of c1 at an instant.
    fn crashed(text: &str, at_ms: Ms) -> String {
        let program = load(text).unwrap_or_else(|problems| panic!("{problems:?}"));
        let mut run = Session::new(program.seed, program.model.clone(), program.journal());
        run.run_until(at_ms);
        assert_eq!(written(text, &run), text, "nothing was done");
        run.do_at(at_ms, Command::StopConsumer { name: "c1".into(), how: StopKind::Crash });
        written(text, &run)
    }

    const HEAD: &str =
        "topic orders FIFO 1 queue\ngroup billing reads orders orderly\nproducer p1\n\
                        consumer c1 in billing\n";

    #[test]
    fn a_deed_stands_behind_the_last_line_that_does_something() {
        let text = format!("{HEAD}at 2s p1 sends A1\n\nexpect every message stored\n");
        let said = format!(
            "{HEAD}at 2s p1 sends A1\nat 1.337s c1 crashes\n\nexpect every message stored\n"
        );
        assert_eq!(crashed(&text, 1_337), said);
        // A last line without an end gets one.
        let text = format!("{HEAD}at 2s p1 sends A1");
        assert_eq!(crashed(&text, 1_337), format!("{text}\nat 1.337s c1 crashes\n"));
    }

    #[test]
    fn at_an_instant_of_the_text_it_comes_a_millisecond_later() {
        let text = format!("{HEAD}at 2s p1 sends A1\n");
        assert_eq!(crashed(&text, 2_000), format!("{text}at 2.001s c1 crashes\n"));
    }

    #[test]
    fn a_run_that_is_over_goes_on() {
        let text = format!("run until 3s\n{HEAD}at 2s p1 sends A1\n");
        let said = crashed(&text, 3_000);
        assert!(
            said.starts_with("run until 13s\n") && said.ends_with("at 3s c1 crashes\n"),
            "{said}"
        );
        assert!(load(&said).is_ok());
    }
}
