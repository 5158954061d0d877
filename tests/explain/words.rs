//! Every explanation, diagnosis and verdict of every scenario is said in both languages, with nothing
//! left open.

use std::collections::BTreeSet;

use lockstep::i18n::sentence::Speaker;
use lockstep::i18n::Locale;
use lockstep_core::explain::{waiting, why, About, Explanation, Ledger, Part, Rule, Run};
use lockstep_core::guarantee::{verdicts, Guarantee};
use lockstep_core::ids::{BrokerId, ClientId, GroupId, MessageGroupId, MessageQueue, TopicId};
use lockstep_core::session::Session;
use lockstep_core::shared::TopicUse;
use lockstep_core::view::log::is_decision;

use super::{all, scenarios, whole};

/// Looks at a run in the short run: only so many, spread over it.
const LOOKS: u32 = 12;

/// A sentence has words, ends where sentences end, and no argument is missing.
pub(super) fn fault(locale: Locale, text: &str) -> Option<String> {
    let ends = match locale {
        Locale::En => text.ends_with('.'),
        Locale::Zh => text.ends_with('。'),
    };
    let chinese = text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    // What somebody wrote is quoted as it is.
    let text = text.split('`').step_by(2).collect::<Vec<_>>().join("_");
    let open = text.contains(['{', '}']) || text.contains("  ") || text.contains("None");
    let right = chinese == (locale == Locale::Zh);
    (!ends || open || !right || text.chars().count() < 4).then(|| format!("{locale:?}: {text:?}"))
}

/// Everything in a run that can be explained.
fn things(session: &Session, run: &Run<'_>) -> Vec<About> {
    let shared = &session.world().shared;
    let names = &shared.names;
    let mut things: Vec<About> =
        waiting(run).map(|(msg, group)| About::Message { msg, group }).take(60).collect();
    let groups: Vec<GroupId> = (0..names.groups.len() as u16).map(GroupId).collect();
    for group in &groups {
        things.push(About::ConsumerGroup(*group));
        for (index, topic) in names.topics.iter().enumerate() {
            if topic.usage != TopicUse::User {
                continue;
            }
            for id in 0..topic.read_queues.min(4) {
                let queue = MessageQueue { topic: TopicId(index as u16), broker: BrokerId(0), id };
                let group = *group;
                things.push(About::Queue { queue, group });
                things.push(About::Lock { queue, group });
                for part in [
                    Part::Lease { queue, group },
                    Part::ClientLock { queue, group },
                    Part::Suspend { queue, group },
                ] {
                    things.push(About::Timer(part));
                }
            }
        }
        for series in (0..names.series.len().min(4) as u16).map(MessageGroupId) {
            things.push(About::MessageGroup { series, group: *group });
        }
    }
    for client in (0..session.world().clients.len() as u16).map(ClientId) {
        things.push(About::Consumer(client));
        things.push(About::Thread { client, number: 0 });
        things.push(About::Timer(Part::Round(client)));
    }
    for (msg, group) in waiting(run).take(8) {
        things.push(About::Timer(Part::Due(msg)));
        if let Some(group) = group {
            things.push(About::Timer(Part::Invisible { msg, group }));
            things.push(About::Timer(Part::Handler { msg, group }));
        }
    }
    things.extend((1..=18).map(About::Level));
    things.extend((0..session.journal().len().min(40) as u32).map(About::Command));
    things
}

fn said(session: &Session, explanation: &Explanation) -> Vec<String> {
    let mut faults = Vec::new();
    let world = session.world();
    for locale in Locale::ALL {
        let speaker = Speaker { world, locale };
        let command = match explanation.about {
            About::Command(index) => session.journal().get(index as usize).map(|(_, c)| c),
            _ => None,
        };
        faults.extend(fault(locale, &speaker.headline(&explanation.headline, command)));
        let title = speaker.headline_title(&explanation.headline);
        if title.is_empty() || title.contains(['{', '}']) || title.ends_with(['.', '。']) {
            faults.push(title);
        }
        for constant in &explanation.constants {
            assert!(!speaker.amount(constant.amount).is_empty());
        }
        for value in &explanation.values {
            assert!(!speaker.value_name(value).is_empty());
            assert!(!speaker.amount(value.amount).is_empty());
        }
        faults.extend(speaker.collateral(&explanation.collateral).and_then(|t| fault(locale, &t)));
        for one in &explanation.counterfactuals {
            let change = speaker.change(&one.change, session.journal());
            if change.is_empty() {
                faults.push(format!("{one:?}"));
            }
        }
    }
    faults
}

#[test]
fn every_explanation_is_said_in_both_languages() {
    let mut faults: BTreeSet<String> = BTreeSet::new();
    let mut rules: BTreeSet<Rule> = BTreeSet::new();
    for (name, program) in all() {
        let mut session = Session::new(program.seed, program.model.clone(), program.journal());
        let mut ledger = Ledger::default();
        let mut looks = 0;
        let mut decisions = 0_u32;
        while session.next_event_at().is_some_and(|at| at <= program.until_ms) && session.step() {
            let decides = session.facts_of(session.event()).iter().any(|r| is_decision(&r.fact));
            decisions += u32::from(decides);
            // More looks at the beginning, where the most is new.
            let due = decisions.is_power_of_two() || decisions.is_multiple_of(50);
            if !decides || !whole() && (!due || looks >= LOOKS) {
                continue;
            }
            looks += 1;
            ledger.update(session.facts(), session.generation());
            let run = Run::of(&session, &ledger);
            for about in things(&session, &run) {
                let Some(explanation) = why(&run, about) else { continue };
                rules.insert(explanation.rule);
                faults.extend(said(&session, &explanation).iter().map(|f| format!("{name}: {f}")));
                for cause in &explanation.causes {
                    assert!((cause.fact as usize) < session.facts().len(), "{name}: {about:?}");
                }
            }
        }
    }
    let faults: Vec<String> = faults.into_iter().take(20).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    assert!(rules.len() > 30, "only {} rules are ever named", rules.len());
    for locale in Locale::ALL {
        let session =
            Session::new(1, lockstep_core::model::Model::named("5.3").unwrap(), Vec::new());
        let speaker = Speaker { world: session.world(), locale };
        for rule in Rule::ALL {
            assert!(!speaker.rule(*rule).is_empty());
        }
        for guarantee in Guarantee::ALL {
            assert!(!speaker.guarantee(guarantee).is_empty());
        }
    }
}

#[test]
fn every_diagnosis_and_verdict_is_said_in_both_languages() {
    let mut runs = all();
    runs.extend(scenarios("tests/symptoms"));
    for (name, program) in runs {
        let session = lockstep_core::scenario::play(&program);
        let ledger = Ledger::of(session.facts());
        for locale in Locale::ALL {
            let speaker = Speaker { world: session.world(), locale };
            for finding in
                lockstep_core::explain::diagnose::diagnose(&session, &ledger, program.until_ms)
            {
                let text = speaker.problem(&finding.problem);
                assert_eq!(fault(locale, &text), None, "{name}");
                if let Some(missing) = &finding.needs {
                    assert_eq!(fault(locale, &speaker.missing(missing)), None, "{name}");
                }
                assert!(speaker.finding(&session, &finding).len() >= 2);
            }
            for verdict in verdicts(&session) {
                let text = speaker.verdict(&verdict);
                assert!(!text.is_empty() && !text.contains(['{', '}']), "{name}: {text}");
            }
        }
    }
}
