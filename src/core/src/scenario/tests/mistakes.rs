use super::*;
use crate::command::Command;

const GROUND: &str = "\
topic orders FIFO 2 queues
group billing reads orders orderly
producer p1 to orders
consumer c1 in billing
at 1s p1 sends A1 A2
";

fn after_ground(line: &str) -> Problem {
    let problem = problem(&format!("{GROUND}{line}\n"));
    assert_eq!(problem.span.line, 6);
    problem
}

/// Whether a value of a kind may stand at the place of a problem.
fn expects(p: &Problem, kind: &str) -> bool {
    let ProblemKind::Expected { expected, .. } = &p.kind else { return false };
    expected.iter().any(|one| matches!(one, Expected::Value(row) if row.kind == kind))
}

#[test]
fn a_wrong_setting_names_the_nearest_one() {
    let p = after_ground("at 3s billing max-reconsume-tries 3");
    assert_eq!((p.span.column, p.span.width), (15, 19));
    assert_eq!(p.code(), "expected");
    assert_eq!(p.fix.as_ref().map(|f| f.replacement.as_str()), Some("max-reconsume-times"));
    let ProblemKind::Expected { subject, .. } = &p.kind else { panic!("{p:?}") };
    assert_eq!(subject, &Some((NameKind::Group, "billing".to_owned())));
}

/// `ExponentialRetryPolicy.multiplier` is a `long`.
#[test]
fn a_multiplier_is_a_whole_number() {
    for wrong in ["1.2", "0", "101"] {
        let p = after_ground(&format!("at 3s billing retry-policy exponential multiplier {wrong}"));
        assert_eq!((p.code(), p.span.column), ("expected", 51), "{wrong}");
        assert!(expects(&p, "factor"), "{p:?}");
    }
    load(&format!("{GROUND}at 3s billing retry-policy exponential multiplier 3\n")).expect("right");
}

#[test]
fn a_reset_to_an_offset_needs_a_queue_that_there_is() {
    let p = after_ground("at 3s reset billing to offset 0");
    assert_eq!((p.code(), p.span.column, p.span.width), ("offset-of-no-queue", 13, 7));
    assert_eq!(p.fix.as_ref().map(|f| f.replacement.as_str()), Some("billing in q0"));
    load(&format!("{GROUND}at 3s reset billing in q1 to offset 0\n")).expect("right");
}

#[test]
fn a_reset_of_a_queue_that_there_is_not_is_pointed_at() {
    for line in [
        "at 3s reset billing in q9 to latest",
        "at 3s reset billing in orders q2 to time 1s",
        "at 3s reset billing in q2 to offset 0, without force",
    ] {
        let p = after_ground(line);
        let at = line.find(" q").expect("it names a queue") as u32 + 2;
        assert_eq!((p.code(), p.span.column, p.span.width), ("queue-never-was", at, 2), "{line}");
        assert!(matches!(p.kind, ProblemKind::QueueNeverWas { queues: 2, .. }), "{:?}", p.kind);
    }
}

#[test]
fn the_queues_of_a_reset_are_those_that_there_were_by_its_instant() {
    let resets = |lines: &str| load(&format!("{GROUND}{lines}\n")).err().map_or(0, |p| p.len());
    let grown = "at 5s orders 8 queues\nat 9s orders 2 read queues\n";
    let at = |time: &str| resets(&format!("{grown}at {time} reset billing in q7 to latest"));
    assert_eq!(["4s", "5s", "6s", "9s"].map(at), [1, 0, 0, 0]);
    // Lines in another order than the instants. A queue that was cut off, or that can only be written
    // to, has offsets all the same.
    assert_eq!(resets("at 6s reset billing in q3 to latest\nat 5s orders 4 queues"), 0);
    assert_eq!(resets("at 5s orders 4 write queues\nat 6s reset billing in q3 to latest"), 0);
    // What the text does not say is found out at run time.
    assert_eq!(resets("at 6s reset billing in %RETRY%billing q3 to latest"), 0);
}

#[test]
fn a_count_that_is_not_said_is_the_one_of_its_instant() {
    let text = format!("{GROUND}at 9s orders 8 queues\nat 5s orders 3 read queues\n");
    let program = load(&text).expect("right");
    let counts = program.commands.iter().filter_map(|planned| match &planned.command {
        Command::UpdateTopic { read_queues, write_queues, .. } => {
            Some((*read_queues, *write_queues))
        }
        _ => None,
    });
    assert_eq!(counts.collect::<Vec<_>>(), [(3, 2), (8, 8)]);
    // A topic of which one count is said has the usual number of the others.
    let text = GROUND.replace("2 queues", "2 read queues");
    load(&format!("{text}expect q3 locked\n")).expect("it has four write queues");
    assert_eq!(problem(&format!("{text}expect q4 locked\n")).code(), "no-such-queue");
}

#[test]
fn a_value_out_of_range_is_pointed_at_itself() {
    let p = after_ground("set pullBatchSize 0");
    assert_eq!((p.code(), p.span.column, p.span.width), ("out-of-range", 19, 1));
    let p = after_ground("at 3s set pullBatchSize 0");
    assert_eq!((p.code(), p.span.column, p.span.width), ("out-of-range", 25, 1));
}

#[test]
fn whoever_asks_which_one_says_how_to_name_it() {
    let p = problem(&format!("{GROUND}topic more\nexpect q0 locked\n"));
    assert!(matches!(p.kind, ProblemKind::WhichOne { form: "TOPIC q0", count: 2, .. }), "{p}");
    let p = problem("topic a\ntopic b\nproducer p1\nat 1s p1 sends A1\n");
    assert!(matches!(p.kind, ProblemKind::WhichOne { form: "to TOPIC", count: 2, .. }), "{p}");
}

#[test]
fn only_what_a_group_can_do_is_offered_for_a_group() {
    let p = after_ground("at 3s billing elephants");
    let ProblemKind::Expected { expected, .. } = &p.kind else { panic!("{p:?}") };
    assert!(expected.contains(&Expected::Word("suspend")));
    assert!(!expected.contains(&Expected::Word("crashes")), "{expected:?}");
}

#[test]
fn all_mistakes_are_reported() {
    let problems =
        load("sed 7\nmodel 5.4\n\nat 5 p1 sends A1\nexpect A2 handeld\n").expect_err("four");
    let lines: Vec<_> = problems.iter().map(|p| (p.span.line, p.span.column)).collect();
    assert_eq!(lines, [(1, 1), (2, 7), (4, 4), (5, 11)]);
    let fixes: Vec<_> =
        problems.iter().map(|p| p.fix.as_ref().map(|f| f.replacement.as_str())).collect();
    assert_eq!(fixes, [Some("seed"), Some("5.3"), Some("5s"), Some("handled")]);
}

#[test]
fn a_line_that_ends_too_early_says_what_is_missing() {
    let p = after_ground("at 3s p1 sends");
    assert_eq!((p.code(), p.span.column, p.span.width), ("unfinished", 15, 0));
    assert!(expects(&p, "labels"), "{p}");
}

#[test]
fn unknown_names_are_found_with_the_nearest_one() {
    let p = after_ground("at 3s c11 crashes");
    assert_eq!(p.code(), "unknown-name");
    assert_eq!((p.span.column, p.span.width), (7, 3));
    let unknown = |name: &str, instead| {
        let name = name.to_owned();
        ProblemKind::UnknownName { kind: NameKind::Consumer, name, instead }
    };
    assert_eq!(p.kind, unknown("c11", None));
    assert_eq!(p.fix.map(|f| f.replacement).as_deref(), Some("c1"));
    let p = after_ground("at 3s billing crashes");
    assert_eq!(p.kind, unknown("billing", Some(NameKind::Group)));
}

#[test]
fn names_are_given_once() {
    let p = after_ground("consumer p1 in billing");
    assert_eq!(p.kind, ProblemKind::NameTaken { name: "p1".to_owned(), line: 3 });
    assert_eq!(after_ground("producer broker").code(), "name-taken");
}

#[test]
fn messages_have_to_be_sent_except_those_of_a_goal() {
    let never = ProblemKind::NeverSent { label: "A3".to_owned() };
    assert_eq!(after_ground("expect A3 handled").kind, never);
    assert_eq!(after_ground("at 1s B1 fails").code(), "never-sent");
    assert!(load(&format!("{GROUND}goal Send A3.  when A3 handled\n")).is_ok());
}

#[test]
fn queues_have_to_exist() {
    let none = ProblemKind::NoSuchQueue { topic: "orders".to_owned(), id: 2, queues: 2 };
    assert_eq!(after_ground("expect A1 stored in q2").kind, none);
    assert_eq!(after_ground("expect lag of orders q7 is 0").code(), "no-such-queue");
}

#[test]
fn what_is_meant_has_to_be_clear() {
    let problems =
        load(&format!("{GROUND}topic more\nexpect q0 locked\nproducer p2\nat 1s p2 sends B1\n"))
            .expect_err("two");
    let codes: Vec<_> = problems.iter().map(|p| (p.span.line, p.code())).collect();
    assert_eq!(codes, [(7, "which-one"), (9, "which-one")]);
}

#[test]
fn nothing_is_said_that_an_event_does_not_have() {
    let p = after_ground("expect A1 stored by c1");
    assert_eq!(p.kind, ProblemKind::DoesNotApply { word: "by CONSUMER", event: "stored" });
    assert_eq!((p.span.column, p.span.width), (21, 2));
}

#[test]
fn use_before_the_time_of_declaration_is_found() {
    let p = problem("topic orders\nat 5s producer p1\nat 2s p1 sends A1\n");
    assert_eq!(p.kind, ProblemKind::TooEarly { name: "p1".to_owned(), from_ms: 5_000 });
}

#[test]
fn lessons_are_checked() {
    assert_eq!(problem("ask 1s What next  A | B\n").code(), "bad-question");
    assert_eq!(problem("ask 1s What next?  A | B\n").code(), "bad-question");
    assert_eq!(
        problem("ask 1s What next?  A * | B\nzh 然后？  甲 | 乙 | 丙\n").code(),
        "answer-count"
    );
    assert_eq!(problem("seed 1\nzh 一\n").code(), "nothing-above");
    assert_eq!(problem("note x\n").code(), "nothing-above");
    let beat = "beat 1s Look.\nhint Further down.\n";
    assert_eq!(problem(beat).kind, ProblemKind::NothingAbove { word: "hint" });
    assert_eq!(problem("source x\nzh 甲\n").code(), "nothing-above");
    assert_eq!(problem("repaired a b\n").code(), "expected");
    assert_eq!(problem("goal Do it.\n").code(), "goal-without-when");
    assert_eq!(problem("seed 1\nseed 2\n").kind, ProblemKind::Twice { word: "seed", line: 1 });
    assert_eq!(problem("series \"A\n").code(), "unclosed-quote");
}

#[test]
fn missing_translations_are_found() {
    let scenario = parse("title A\nzh 甲\nabout B\n").scenario;
    let missing = missing_translations(&scenario);
    assert_eq!(missing.len(), 1);
    assert_eq!((missing[0].span.line, missing[0].code()), (3, "missing-translation"));
}

#[test]
fn two_mistakes_of_meaning_in_one_line_are_both_found() {
    let problems = load(&format!("{GROUND}expect A7 handled by c9\n")).expect_err("two");
    let codes: Vec<_> = problems.iter().map(Problem::code).collect();
    assert_eq!(codes, ["never-sent", "unknown-name"]);
}

#[test]
fn a_constant_is_found_by_its_last_word() {
    let p = problem("set lockMaxLiveTime 30s\n");
    assert!(p.fix.is_some_and(|f| f.replacement.ends_with("rebalance.lockMaxLiveTime")));
}

#[test]
fn a_declaration_with_a_mistake_is_the_only_one_that_is_told_of() {
    let text = |line: &str| GROUND.replace("group billing reads orders orderly", line);
    let p = problem(&text("group billing reads orders orderly, handles in 5"));
    assert_eq!((p.span.line, p.code()), (2, "expected"));
    let p = problem(&GROUND.replace("FIFO 2 queues", "FIFO 0 queues"));
    assert_eq!((p.span.line, p.code()), (1, "expected"));
    let p = problem(&format!("{GROUND}at 2s p1 sends B1 B2 evry 2s\nexpect B1 B2 handled\n"));
    assert_eq!((p.span.line, p.code()), (6, "expected"));
    // What no line declares is told of all the same.
    let problems = load(&format!("{GROUND}sed 7\nat 2s c9 stops\n")).expect_err("two");
    assert_eq!(
        problems.iter().map(Problem::code).collect::<Vec<_>>(),
        ["expected", "unknown-name"]
    );
}

#[test]
fn nothing_is_said_of_the_time_after_the_run() {
    assert_eq!(problem(&format!("{GROUND}run until 900ms\n")).span.line, 5);
    let p = problem(&format!("run until 1s\n{GROUND}at 1.001s p1 sends A3\n"));
    assert_eq!((p.span.line, p.span.column, p.span.width), (7, 1, 2));
    assert_eq!(p.kind, ProblemKind::AfterTheRun { until_ms: 1_000 });
}

#[test]
fn control_characters_are_named_at_their_place() {
    for (line, column) in [("title a\0b", 8), ("topic t\u{1b}[1m", 8), ("about x\n  y\u{7}", 4)] {
        let p = problem(&format!("{line}\n"));
        assert_eq!((p.code(), p.span.column), ("control-character", column), "{line:?}");
    }
    // A file with line ends of old would be one line that says nothing it means.
    assert_eq!(problem("title x\rtopic t\rproducer p").code(), "control-character");
    assert!(load("topic\tt\nproducer\u{a0}p\n\u{3000}at 1s p sends A1\r\n# \0").is_ok());
}

#[test]
fn a_text_that_is_too_large_is_refused_at_once_and_left_as_it_is() {
    let lines = "rubbish here\n".repeat(20_001);
    let p = problem(&lines);
    assert_eq!((p.code(), p.span.line), ("too-many-lines", 20_001));
    assert_eq!(p.kind, ProblemKind::TooManyLines { lines: 20_001, most: 20_000 });
    assert_eq!(format(&lines), lines);
    let line = format!("topic t\nexpect {}A1 stored\n", "not ".repeat(5_000));
    let p = problem(&line);
    assert_eq!((p.code(), p.span.line), ("line-too-long", 2));
    assert!(load(&"\n".repeat(20_000)).is_ok());
}

#[test]
fn limits_are_named_where_they_are_passed() {
    for (line, kind, bound) in [
        ("at 2s p1 sends B1..B10001", "labels", "ranges of up to 10000"),
        ("at 1001d p1 sends B1", "time", "up to 1000 days"),
        ("at 2s A1 takes 1001d", "duration", "up to 1000 days"),
    ] {
        assert!(expects(&after_ground(line), kind), "{line}");
        let row = SLOTS.iter().find(|row| row.kind == kind);
        assert!(row.is_some_and(|row| row.meaning.contains(bound)), "{kind}");
    }
}

#[test]
fn a_misspelt_word_is_found_where_a_name_could_stand_too() {
    for (line, column, meant) in [
        ("expect ordre kept", 8, "order"),
        ("expect not eveyr message stored", 12, "every"),
        ("expect A1 handled and offste of q0 is 2", 23, "offset"),
        ("expect edlivered exactly A1 A2", 8, "delivered"),
        ("at 5s reste billing to latest", 7, "reset"),
        ("expect A1 delivered on atetmpt 2", 24, "attempt"),
        ("expect not one woner per queue", 16, "owner"),
        // A message that nobody sends is a message still.
        ("expect Z9 handeld", 11, "handled"),
        ("expect not Z9 handeld", 15, "handled"),
    ] {
        let p = after_ground(line);
        let fix = p.fix.as_ref().map(|f| f.replacement.as_str());
        assert_eq!((p.span.column, fix), (column, Some(meant)), "{line}: {p}");
    }
    // A name that is declared is no slip, however near to a word it is.
    let text = GROUND.replace("billing", "ever") + "at 5s ever elephants\n";
    assert_eq!(problem(&text).span.column, 12);
}

#[test]
fn constants_have_bounds() {
    let p = problem("set pullBatchSize 0\n");
    assert_eq!((p.code(), p.span.column), ("out-of-range", 19));
    assert_eq!(p.kind, ProblemKind::OutOfRange { name: "pullBatchSize", least: 1, most: 1_024 });
    let p = after_ground("at 2s set rebalanceLater 9223372036854775807");
    let most = 86_400_000_000;
    assert_eq!(p.kind, ProblemKind::OutOfRange { name: "rebalanceLater", least: -1, most });
    assert_eq!(
        problem("set rocketmq.client.rebalance.lockInterval never\n").code(),
        "out-of-range"
    );
    assert!(load("set rebalanceLater never\n").is_ok());
}
