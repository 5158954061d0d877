use super::*;
use crate::command::{Attempts, Command, GroupSetting, ListenerKind, Selector};
use crate::fact::Outcome;
use crate::model::{Blocking, Version};

#[test]
fn the_sketch_means_what_it_says() {
    let program = load(SKETCH).expect("fine");
    assert_eq!((program.seed, program.model.version), (7, Version(5, 3, 3)));
    assert_eq!(program.until_ms, 40_000);
    assert_eq!(program.title.get(Lang::Zh), "毒消息");
    assert_eq!(program.about.get(Lang::Zh), program.about.en);
    assert_eq!(program.beats[0].heading(Lang::En), "A2 fails");
    assert_eq!(
        program.beats[0].rest(Lang::En),
        "q1 is suspended for one second, and with it everything behind A2."
    );
    assert_eq!(program.asks[0].choices.iter().position(|c| c.right), Some(0));
    assert_eq!(program.goals[0].text.en, "Get B2 handled without losing A2.");
    assert_eq!(program.expectations[1].text, "A2 dead-lettered before 25s");
    let kinds: Vec<_> = program.commands.iter().map(|p| (p.at_ms, p.line)).collect();
    assert_eq!(kinds[..6], [(0, 7), (0, 8), (0, 8), (0, 9), (0, 10), (0, 11)]);
    let Command::CreateProducer { topic, selector, .. } = &program.commands[3].command else {
        panic!()
    };
    assert_eq!((topic.as_deref(), *selector), (Some("orders"), Selector::MessageGroup));
}

#[test]
fn a_lesson_is_framed() {
    let text = format!(
        "{SKETCH}note     Wait.\nzh       等。\nhint     Look.\nzh       看。\nhint     Look\n  again.\n\
         question Why?\nzh       为什么？\nsource   https://a/1#2 # the thread\nsource   A book\nwatch    q0.\nzh       看 q0。\n\
         twist    Write suspend 5s.\nzh       写 suspend 5s。\nrepaired other-one\nsee      Rules.java\n"
    );
    let program = load(&text).expect("fine");
    let goal = &program.goals[0];
    assert_eq!((goal.notes[0].get(Lang::Zh), goal.notes.len()), ("等。", 1));
    assert_eq!((goal.hints[0].get(Lang::Zh), goal.hints[1].en.as_str()), ("看。", "Look again."));
    let framing = &program.framing;
    assert_eq!(framing.question.get(Lang::Zh), "为什么？");
    assert_eq!(framing.sources, ["https://a/1#2", "A book"]);
    assert_eq!(framing.watch.get(Lang::Zh), "看 q0。");
    assert_eq!(framing.twists[0].get(Lang::Zh), "写 suspend 5s。");
    assert_eq!(framing.twists[0].answered(Lang::Zh), ("写 suspend 5s。", ""));
    assert_eq!(framing.repaired.as_deref(), Some("other-one"));
    assert_eq!(framing.see, ["Rules.java"]);
    let missing = missing_translations(&parse(&text).scenario);
    let hint = |p: &Problem| matches!(p.kind, ProblemKind::MissingTranslation { word: "hint", .. });
    assert!(missing.iter().any(hint) && missing.len() == 5, "{missing:?}");
}

#[test]
fn declarations_find_what_they_need_in_any_order() {
    let text = "consumer c1 in billing\ngroup billing reads orders concurrent, batch 4, from first\ntopic orders\n";
    let program = load(text).expect("fine");
    let names: Vec<_> = program.commands.iter().map(|p| p.line).collect();
    assert_eq!(names, [3, 2, 2, 2, 1]);
    let Command::CreateGroup { listener, .. } = &program.commands[1].command else { panic!() };
    assert_eq!(*listener, ListenerKind::Concurrent);
    assert!(matches!(
        program.commands[2].command,
        Command::SetGroup { setting: GroupSetting::BatchMax(4), .. }
    ));
}

#[test]
fn settings_of_the_run_hold_wherever_they_stand() {
    let program = load("set pullBatchSize 1\nblocking message-group\nmodel 5.0.0\nrun until 1m\n")
        .expect("fine");
    assert_eq!(program.model.version, Version(5, 0, 0));
    assert_eq!(program.model.pull_batch_size, 1);
    assert_eq!(program.model.blocking, Blocking::MessageGroup);
    assert_eq!(program.until_ms, 60_000);
    let program = load("set rocketmq.client.unlockDelayTimeMills never\n").expect("fine");
    assert_eq!(program.model.delayed_unlock_ms, crate::model::NEVER);
}

#[test]
fn a_rule_for_several_messages_is_one_command_each() {
    let text = "topic t\nproducer p\nat 0 p sends A1..A3\nat 0 A1..A2 A3 throws twice, takes 2s\n";
    let program = load(text).expect("fine");
    let rules: Vec<_> = program
        .commands
        .iter()
        .filter_map(|p| match &p.command {
            Command::Handle(rule) => Some(rule.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(rules.len(), 3);
    assert_eq!(rules[2].attempts, Attempts::First(2));
    assert_eq!((rules[2].outcome, rules[2].handle_ms), (Some(Outcome::Exception), Some(2_000)));
}

#[test]
fn queue_counts_that_are_not_named_stay() {
    let text = "topic t FIFO 4 queues\nat 1s t 8 write queues\nat 2s t 8 read queues\n";
    let program = load(text).expect("fine");
    let counts: Vec<_> = program
        .commands
        .iter()
        .filter_map(|p| match p.command {
            Command::UpdateTopic { read_queues, write_queues, .. } => {
                Some((read_queues, write_queues))
            }
            _ => None,
        })
        .collect();
    assert_eq!(counts, [(4, 8), (8, 8)]);
}

#[test]
fn keys_may_count() {
    let program = load("topic t\nproducer p\nat 0 p sends A8..A9 key order-{n}\n").expect("fine");
    let Some(Command::Send { messages, .. }) = program.commands.last().map(|p| &p.command) else {
        panic!()
    };
    assert_eq!(messages[1].key.as_deref(), Some("order-9"));
}

#[test]
fn conditions_bind_as_they_read() {
    let text = "topic t\nproducer p\nat 0 p sends A1 A2\nexpect A1 handled and not A2 handled or A2 stored between 1s and 2s\n";
    let program = load(text).expect("fine");
    let Condition::Any(parts) = &program.expectations[0].condition else { panic!() };
    assert!(matches!(&parts[0], Condition::All(inner) if matches!(inner[1], Condition::Not(_))));
    assert_eq!(parts.len(), 2);
}

#[test]
fn a_group_after_order_kept_is_no_series() {
    let text = "topic t\ngroup g reads t orderly\nproducer p\nat 0 p sends A1\nexpect order kept in g\nexpect order kept in A in g\n";
    let program = load(text).expect("fine");
    for expectation in &program.expectations {
        let terms = expectation.condition.terms();
        let Term::Order { group, .. } = &terms[0].value else { panic!() };
        assert_eq!(group.as_ref().map(|g| g.value.as_str()), Some("g"));
    }
}

#[test]
fn every_example_of_the_tables_is_read() {
    let ground = "topic orders FIFO 4 queues\ntopic t2\ngroup billing reads orders orderly\nproducer p9 to orders\n\
        producer p1 to orders\nconsumer c9 in billing\nat 1s p9 sends A1..A4 B1 B2\n";
    for section in GRAMMAR {
        for form in section.forms {
            let example = form.example;
            let line = match section.name {
                "queue-counts" => format!("at 1s orders {example}"),
                "group" => format!("at 1s billing {example}"),
                "producer" => format!("producer p2 {example}"),
                "sdk" => format!("producer p2 {example}"),
                "consumer" => format!("consumer c2 in billing simple in a loop {example}"),
                "receive" => format!("at 1s c1 receives {example}"),
                "message" => format!("at 1s p9 sends C1 {example} in one request"),
                "transaction" => {
                    format!("at 1s p9 sends C1 in a transaction that stays open {example}")
                }
                "pace" | "send" => format!("at 1s p9 sends C1 {example}"),
                "load" => format!("at 1s p9 sends 5 messages {example}"),
                "rule" | "where-rule" => format!("at 1s A1 fails always, {example}"),
                "times" | "when" | "place" => format!("expect {} {example}", subject(example)),
                "conditions" => format!("expect {example}"),
                _ => example.to_owned(),
            };
            let problems = parse(&format!("{ground}{line}\n")).problems;
            // `zh`, `note` and `hint` need a text above them, which a single line does not have.
            let problems: Vec<_> =
                problems.iter().filter(|p| p.code() != "nothing-above").collect();
            assert!(problems.is_empty(), "{line}\n{problems:#?}");
        }
    }
}

/// A subject to which the example applies.
fn subject(example: &str) -> &'static str {
    match example {
        "with selector-threw" => "A1 refused",
        "under level 3" => "A1 scheduled",
        "until 31s" => "A1 popped",
        _ => "A1 delivered",
    }
}

#[test]
fn what_follows_a_last_question_mark_is_the_answer() {
    let text = Text {
        en: "Write threads 1. Who waits? Why? B, for A.".to_owned(),
        zh: Some("改成 threads 1。谁等？B，等 A。".to_owned()),
    };
    assert_eq!(text.answered(Lang::En), ("Write threads 1. Who waits? Why?", "B, for A."));
    assert_eq!(text.answered(Lang::Zh), ("改成 threads 1。谁等？", "B，等 A。"));
    let open = Text { en: "Who waits?".to_owned(), zh: None };
    assert_eq!(open.answered(Lang::Zh), ("Who waits?", ""));
}
