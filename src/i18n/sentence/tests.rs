use std::fs;

use lockstep_core::fact::Fact;
use lockstep_core::scenario::{self, Program};

use super::*;

/// Every lesson that can be read, played to its end.
fn played() -> Vec<(Program, lockstep_core::session::Session)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/lessons");
    let mut played = Vec::new();
    for entry in fs::read_dir(folder).expect("the lessons are there") {
        let path = entry.expect("a folder lists its entries").path();
        let text = fs::read_to_string(&path).expect("a lesson is a text");
        if let Ok(program) = scenario::load(&text) {
            let session = scenario::play(&program);
            played.push((program, session));
        }
    }
    assert!(!played.is_empty());
    played
}

#[test]
fn every_fact_of_every_lesson_is_a_sentence_in_both_languages() {
    for (program, session) in played() {
        for record in session.facts() {
            let command = match record.fact {
                Fact::CommandApplied { index } => {
                    program.commands.get(index as usize).map(|planned| &planned.command)
                }
                _ => None,
            };
            let say =
                |locale| Speaker { world: session.world(), locale }.fact(&record.fact, command);
            let (en, zh) = (say(Locale::En), say(Locale::Zh));
            assert!(en.ends_with('.') && en.len() > 4, "{:?}: {en}", record.fact);
            assert!(zh.ends_with('。'), "{:?}: {zh}", record.fact);
            assert!(!en.contains(['{', '}']) && !zh.contains(['{', '}']), "{en} {zh}");
            assert_ne!(en, zh);
        }
    }
}

#[test]
fn a_queue_is_named_as_shortly_as_the_run_allows() {
    for (_, session) in played() {
        let shared = &session.world().shared;
        let users: Vec<_> =
            shared.names.topics.iter().filter(|t| t.usage == TopicUse::User).collect();
        for record in session.facts() {
            if let Fact::HandlingStarted { queue, .. } = record.fact {
                let name = queue_name(shared, queue);
                let is_user = shared.names.topics[queue.topic.index()].usage == TopicUse::User;
                let brokers = shared.names.brokers.len();
                let is_short = users.len() == 1 && is_user && brokers == 1;
                assert_eq!(name.starts_with('q'), is_short, "{name}");
                assert_eq!(
                    name.matches(' ').count(),
                    usize::from(users.len() > 1 || !is_user) + usize::from(brokers > 1),
                    "{name}"
                );
            }
        }
    }
}

/// A world and its speaker in a language.
fn said(text: &str, locale: Locale) -> Vec<String> {
    let program = lockstep_core::scenario::load(text).expect("the scenario can be read");
    let session = lockstep_core::scenario::play(&program);
    let speaker = Speaker { world: session.world(), locale };
    let commands = session.journal().iter().map(|(_, command)| speaker.command(command));
    let facts = session.facts().iter().map(|record| {
        let command = match record.fact {
            lockstep_core::fact::Fact::CommandApplied { index } => {
                session.journal().get(index as usize)
            }
            _ => None,
        };
        speaker.fact(&record.fact, command.map(|(_, command)| command))
    });
    commands.chain(facts).collect()
}

/// Everything that is named by a word of the program's own in one language or another.
const SETTINGS: &str = "\
topic    orders FIFO 1 queue
group    billing reads orders orderly, from first, handles in 300ms..500ms
group    audit reads orders orderly, from timestamp 2s
producer p1
producer p2 selects by hash
consumer c1 in billing
at 2s    billing pauses
at 2s    lose next 1 send from p2 to broker
at 2s    reset billing to latest
at 3s    A1 takes 0
at 3s    billing resumes
at 3s    p1 sends A1
at 4s    c1 acks A1
at 4s    c1 starts
at 4s    c1 resumes
at 4s    p1 sends A2, delay 5s
at 5s    disk 99% full
run      until 20s
";

#[test]
fn no_word_of_the_program_stands_in_a_sentence() {
    let inner = [
        "First",
        "Last",
        "Timestamp(",
        "paused",
        "handling",
        "latest",
        "(Send)",
        "（Send）",
        "0.0 s",
        "is not in a state",
        "level 0",
        "当前状态",
        "自身 拒绝",
        "级别 0",
    ];
    for locale in Locale::ALL {
        for line in said(SETTINGS, locale) {
            for word in inner {
                assert!(!line.contains(word), "{word}: {line}");
            }
        }
    }
    let chinese = said(SETTINGS, Locale::Zh).join("\n");
    for word in [
        "billing 暂停消费",
        "重置到最新消息之后",
        "CONSUME_FROM_FIRST_OFFSET",
        "（发送）",
        "不耗时",
        "simple by hand",
    ] {
        assert!(chinese.contains(word), "{word}: {chinese}");
    }
}

#[test]
fn what_cannot_be_done_is_told_with_what_would_let_it() {
    let english = said(SETTINGS, Locale::En).join("\n");
    for words in [
        "c1 is no running SimpleConsumer that is called by hand",
        "c1 runs already",
        "c1 does not stand still",
    ] {
        assert!(english.contains(words), "{words}: {english}");
    }
}
