//! Whatever an explanation or a diagnosis offers is written as the scenario language writes it: what
//! stands between backticks can be put into a scenario as it is.

use std::collections::BTreeSet;

use lockstep::i18n::sentence::Speaker;
use lockstep::i18n::Locale;
use lockstep_core::explain::diagnose::{diagnose, Problem};
use lockstep_core::explain::{why, About, Change, Ledger, Run};
use lockstep_core::guarantee::verdicts;
use lockstep_core::ids::Ms;
use lockstep_core::scenario::{load, parse, play};
use lockstep_core::session::Session;
use lockstep_core::world::World;

use super::changes::changed;
use super::{on_all, scenarios};

/// The lines of a change, the same in both languages; a fault where one cannot be read.
fn lines(
    world: &World,
    change: &Change,
    session: &Session,
    faults: &mut Vec<String>,
) -> Vec<String> {
    let said =
        Locale::ALL.map(|locale| Speaker { world, locale }.change(change, session.journal()));
    let pieces = |said: &str| -> Vec<String> {
        said.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let all = pieces(&said[0]);
    // `X instead of Y`, in Chinese the same order.
    if all != pieces(&said[1]) || all.is_empty() {
        faults.push(format!("{said:?}"));
    }
    for line in &all {
        let found = parse(&format!("{line}\n")).problems;
        if !found.is_empty() {
            faults.push(format!("`{line}` cannot be read: {} ({change:?})", found[0]));
        }
    }
    all
}

/// What is wrong with the lines of a change.
pub fn misread(world: &World, change: &Change, session: &Session) -> Vec<String> {
    let mut faults = Vec::new();
    lines(world, change, session, &mut faults);
    faults
}

/// The repairs of all scenarios; what explanations offer is looked at where it is tried, in `counter.rs`.
#[test]
fn every_repair_can_be_put_into_a_scenario() {
    let all = on_all(|name, program| {
        let session = play(program);
        let ledger = Ledger::of(session.facts());
        let (mut count, mut faults) = (0, Vec::new());
        for finding in diagnose(&session, &ledger, program.until_ms) {
            for change in finding.repair {
                count += 1;
                let wrong = misread(session.world(), &change, &session);
                faults.extend(wrong.into_iter().map(|fault| format!("{name}: {fault}")));
            }
        }
        (count, faults)
    });
    let count: usize = all.iter().map(|(count, _)| count).sum();
    let faults: Vec<String> = all.into_iter().flat_map(|(_, faults)| faults).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    assert!(count > 100, "only {count} repairs");
}

/// The queue is suspended for a period of a second, over and over.
pub const POISON: &str = "\
topic    orders FIFO 1 queue
series   A message-group order-1
group    billing reads orders orderly
producer p1
consumer c1 in billing
at 2s    A2 fails always
at 3s    p1 sends A1 A2 A3
run      until 20s
";

/// A line that is pasted below a scenario does what the offer says.
#[test]
fn a_line_that_is_pasted_does_what_was_offered() {
    let program = load(POISON).unwrap();
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    session.run_until(6_500);
    let ledger = Ledger::of(session.facts());
    let mut world = session.world().clone();
    world.wait_until(6_500);
    let run = Run { world: &world, ..Run::of(&session, &ledger) };
    let group = world.shared.names.group("billing");
    let msg = lockstep_core::ids::MsgId(2);
    let explanation = why(&run, About::Message { msg, group }).unwrap();
    let mut faults = Vec::new();
    let mut moved = 0;
    for one in explanation.counterfactuals.iter().filter(|one| one.change.is_now()) {
        let pasted = lines(&world, &one.change, &session, &mut faults).join("\n");
        let program = load(&format!("{POISON}{pasted}\nexpect A3 handled before 15s\n"))
            .unwrap_or_else(|found| panic!("{pasted}: {}", found[0]));
        let run = play(&program);
        let evidence = lockstep_core::scenario::Evidence::of(&run, program.until_ms, true);
        let verdicts = lockstep_core::scenario::check(&program, &evidence);
        let holds = |v: &lockstep_core::scenario::Verdict| {
            v.finding.state == lockstep_core::scenario::State::Holds
        };
        moved += usize::from(verdicts.iter().all(holds));
    }
    assert!(faults.is_empty(), "{faults:?}");
    assert!(moved >= 2, "{moved} of {:?}", explanation.counterfactuals);
}

/// What is spread badly, hot or sent late has a repair that takes it away.
#[test]
fn too_few_queues_hot_groups_and_late_sends_are_repaired() {
    let mut repaired = BTreeSet::new();
    for folder in ["www/lessons", "tests/reports"] {
        for (name, program) in scenarios(folder) {
            let session = play(&program);
            let ledger = Ledger::of(session.facts());
            for finding in diagnose(&session, &ledger, program.until_ms) {
                let kind = match finding.problem {
                    Problem::FewQueues { .. } => "FewQueues",
                    Problem::HotGroup { .. } => "HotGroup",
                    Problem::SentLate { .. } => "SentLate",
                    _ => continue,
                };
                for change in &finding.repair {
                    let again = changed(&program, change);
                    let ledger = Ledger::of(again.facts());
                    let again = diagnose(&again, &ledger, program.until_ms);
                    let same = |f: &lockstep_core::explain::diagnose::Finding| {
                        std::mem::discriminant(&f.problem)
                            == std::mem::discriminant(&finding.problem)
                    };
                    assert!(!again.iter().any(same), "{name}: {finding:?}: {again:?}");
                    repaired.insert((kind, name.clone()));
                }
                assert!(!finding.repair.is_empty(), "{name}: {finding:?}");
            }
        }
    }
    for kind in ["FewQueues", "HotGroup", "SentLate"] {
        assert!(repaired.iter().any(|(of, _)| *of == kind), "{kind}: {repaired:?}");
    }
}

/// In 5.0.0 an orderly message whose limit is used up goes to the retry topic and comes back.
#[test]
fn a_message_that_stays_behind_in_5_0_0_is_offered_a_way_out() {
    let text = POISON
        .replace("topic ", "model    5.0.0\ntopic ")
        .replace("orderly\n", "orderly, max-reconsume-times 2\n");
    let program =
        load(&text.replace("A2 fails", "A1 fails").replace("until 20s", "until 60s")).unwrap();
    let session = play(&program);
    let ledger = Ledger::of(session.facts());
    let group = session.world().shared.names.group("billing");
    let about = About::Message { msg: lockstep_core::ids::MsgId(0), group };
    let explanation = why(&Run::of(&session, &ledger), about).unwrap();
    let offers = lockstep_core::explain::offers(&session, &explanation);
    let told: Option<Ms> = offers.iter().find_map(|(_, attempt)| attempt.with_ms);
    assert!(told.is_some(), "{explanation:?}");
    assert!(!verdicts(&session).is_empty());
}
