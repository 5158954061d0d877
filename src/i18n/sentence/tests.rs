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
