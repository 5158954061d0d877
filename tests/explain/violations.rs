//! Every violation of every scenario: the right pair, the first guilty step, and what keeps it.

use std::collections::BTreeMap;

use lockstep::i18n::sentence::Speaker;
use lockstep::i18n::Locale;
use lockstep_core::explain::violation::{explain, story};
use lockstep_core::explain::{attempt, Ledger, Run};
use lockstep_core::guarantee::{verdicts, Guarantee};
use lockstep_core::scenario::play;

use super::{all, on_all};

/// First violation of each scenario that has one: the earlier message (none for two owners), the
/// later one, the first word of the guilt, the kind of the guilty fact. Each row was held against what
/// its report tells.
const EXPECTED: &[(&str, &str, &str, &str, &str)] = &[
    ("02-3-round-robin", "A0", "A1", "RoundRobin", "MessageStored"),
    ("02-4-two-in-one-request", "A1", "A3", "ManyInRequest", "MessageStored"),
    ("02-6-broker-lost", "A1", "A2", "BrokersChanged", "MessageStored"),
    ("03-1-demo-concurrent", "A0", "A1", "ConcurrentListener", "HandlingStarted"),
    ("03-3-unordered-group", "A0", "A1", "UnorderedGroup", "Popped"),
    ("03-4-four-combinations", "A1", "A2", "ConcurrentListener", "HandlingStarted"),
    ("04-4-two-readers", "", "X1", "TakenOver", "QueueAdded"),
    ("04-6-long-handler", "", "X1", "TakenOver", "QueueAdded"),
    ("05-4-three-ways-out", "A2", "A3", "Reset", "OffsetReset"),
    ("R01-not-orderly", "A0", "A1", "UnorderedGroup", "Popped"),
    ("R02-not-orderly", "X1", "X2", "UnorderedGroup", "Popped"),
    ("R03-not-orderly", "A1", "A2", "UnorderedGroup", "Popped"),
    ("R07", "A1", "A2", "ConcurrentListener", "HandlingStarted"),
    ("R08-round-robin", "A0", "A1", "RoundRobin", "MessageStored"),
    ("R09-affected", "A1", "A3", "ManyInRequest", "MessageStored"),
    ("R13-unpinned", "A1", "A2", "BrokersChanged", "MessageStored"),
    ("R17-hash", "A3", "A6", "QueuesChanged", "MessageStored"),
    ("R17-jump-hash", "B3", "B6", "QueuesChanged", "MessageStored"),
    ("R22-skip", "A2", "A3", "Reset", "OffsetReset"),
    ("R25-5.0", "A1", "A2", "ToRetryTopic", "MessageScheduled"),
    ("R25-5.0-max-2", "A1", "A2", "ToRetryTopic", "MessageScheduled"),
    ("R32-not-orderly", "A1", "A5", "Application", "HandlingStarted"),
    ("R32-orderly", "A1", "A5", "Application", "HandlingStarted"),
    ("R47-concurrent", "", "X1", "TakenOver", "QueueAdded"),
    ("R48-45s", "", "X1", "TakenOver", "QueueAdded"),
    ("R49-concurrent", "U1", "U2", "ConcurrentListener", "HandlingStarted"),
    ("R53-grpc", "A3", "A2", "DifferentChoice", "MessageStored"),
    ("R58-force", "A11", "A51", "Reset", "OffsetReset"),
    ("R58-offline", "A11", "A51", "Reset", "OffsetReset"),
    ("R58-server", "A11", "A51", "Reset", "OffsetReset"),
    ("R60-now-4.9", "A4", "A10", "Reset", "OffsetReset"),
    ("R71-concurrent", "", "A4", "TakenOver", "QueueAdded"),
    ("R72-retry-topic", "A1", "A2", "SentBack", "SentBack"),
    ("R75-retry-topic", "A0", "A1", "SentBack", "SentBack"),
    ("R79-no-wait", "", "A1", "TakenOver", "QueueAdded"),
];

/// The first word of a `Debug` form, the inner one of a fact of the second stack.
fn word(debug: &str) -> String {
    let inner = debug.strip_prefix("Pop(").unwrap_or(debug);
    inner.split([' ', '{', '(']).next().unwrap().to_owned()
}

#[test]
fn the_check_names_the_pair_and_the_first_guilty_step() {
    let expected: BTreeMap<&str, _> = EXPECTED.iter().map(|e| (e.0, e)).collect();
    let mut faults = Vec::new();
    let mut found = 0;
    for (name, program) in all() {
        let session = play(&program);
        let ledger = Ledger::of(session.facts());
        let run = Run::of(&session, &ledger);
        let first = session.violations().first();
        let broke = first.and_then(|violation| explain(&run, violation));
        let expected = expected.get(&*name);
        assert_eq!(first.is_some(), broke.is_some(), "{name}: {first:?} is not explained");
        let Some(broke) = broke else {
            faults.extend(expected.map(|_| format!("{name}: nothing is broken")));
            continue;
        };
        found += u32::from(expected.is_some());
        let label = |msg| session.world().shared.label(msg).to_string();
        let got = (
            broke.earlier.map(label).unwrap_or_default(),
            label(broke.later),
            word(&format!("{:?}", broke.guilt)),
            word(&format!("{:?}", session.facts()[broke.step as usize].fact)),
        );
        match expected {
            Some((_, a, b, c, d)) if (*a, *b, *c, *d) == (&*got.0, &*got.1, &*got.2, &*got.3) => {}
            // A lesson that is not in the table is explained all the same.
            None if !name.starts_with('R') => continue,
            _ => faults.push(format!("{name}: {got:?}, expected {expected:?}")),
        }
        // The chains go back to commands, in the order of time.
        for chain in [&broke.earlier_causes, &broke.later_causes] {
            let ordered = chain.windows(2).all(|pair| pair[0].fact > pair[1].fact);
            assert!(ordered, "{name}: {chain:?}");
        }
        let rooted = broke.later_causes.iter().any(|c| c.command.is_some());
        assert!(rooted, "{name}: no command at the end of {:?}", broke.later_causes);
        let works = broke.would_keep.iter().filter(|one| attempt(&session, one).works).count();
        if broke.earlier.is_some() && got.2 != "Application" {
            assert!(works > 0, "{name}: nothing keeps the order: {:?}", broke.would_keep);
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    assert_eq!(found as usize, EXPECTED.len());
}

#[test]
fn every_broken_guarantee_has_its_story() {
    let told = on_all(|name, program| {
        let mut session = play(program);
        let mut kinds = Vec::new();
        for breach in verdicts(&session).into_iter().filter_map(|verdict| verdict.first) {
            session.seek_event(breach.event);
            let ledger = Ledger::of(session.facts());
            let story = story(&session, &ledger, &breach);
            let story = story.unwrap_or_else(|| panic!("{name}: {breach:?} has no story"));
            let place = format!("{name}: {story:?}");
            assert!((story.step as usize) < session.facts().len(), "{place}");
            assert_eq!(story.earlier.is_empty(), breach.earlier.is_none(), "{place}");
            for chain in [&story.later, &story.earlier] {
                assert!(chain.windows(2).all(|pair| pair[0].fact > pair[1].fact), "{place}");
                let rooted = chain.iter().any(|cause| cause.command.is_some());
                assert!(chain.is_empty() || rooted, "no command in {place}");
            }
            // It happened in its event, and that is a part of the chains.
            let all = story.later.iter().chain(&story.earlier);
            let mut events = all.map(|cause| session.facts()[cause.fact as usize].event);
            assert!(events.any(|event| event == breach.event), "{place}");
            for locale in Locale::ALL {
                let speaker = Speaker { world: session.world(), locale };
                let said = speaker.story(&story);
                let msg = session.world().shared.label(breach.msg).to_string();
                assert!(said.contains(&msg) && said.ends_with(['.', '。']), "{said}");
                assert!(!speaker.story_title(&story).is_empty());
            }
            kinds.push(breach.guarantee);
        }
        kinds
    });
    let kinds: Vec<Guarantee> = told.into_iter().flatten().collect();
    for guarantee in [
        Guarantee::OrderStored,
        Guarantee::OrderDelivered,
        Guarantee::OrderHandled,
        Guarantee::OrderAcknowledged,
        Guarantee::OneOwner,
        Guarantee::NothingLost,
    ] {
        assert!(kinds.contains(&guarantee), "{guarantee:?} is never broken");
    }
}
