//! Repairs: what they leave out, how often something was refused, and lines that are pasted.

use lockstep::i18n::sentence::Speaker;
use lockstep::i18n::Locale;
use lockstep_core::command::{Command, Refusal};
use lockstep_core::explain::diagnose::Problem;
use lockstep_core::explain::Change;
use lockstep_core::fact::Fact;
use lockstep_core::scenario::{load, play, Evidence, State};

use super::super::offered::POISON;
use super::{at, fifo, find, findings, left_out, offered, on_all, played};

/// A send is lost in one cut; others have nothing to do with it.
const CUTS: &str = "\
series A message-group order-1
group billing reads orders fifo, handles in 100ms
consumer c1 in billing grpc push
at 2s cut p1 from proxy
at 3s p1 sends A1
at 20s heal p1 and proxy
at 30s cut c1 from proxy
at 31s heal c1 and proxy
at 40s cut p1 from proxy
at 41s heal p1 and proxy
run until 60s
";

#[test]
fn only_the_cut_that_a_send_failed_in_is_left_out() {
    let one = find(CUTS, |f| matches!(f.problem, Problem::SendsFailed { .. }));
    let session = played(CUTS);
    let [change @ Change::Without(gone)] = &one.repair[..] else { panic!("{:?}", one.repair) };
    assert_eq!(left_out(&session, change).len(), 2);
    let instants: Vec<_> = gone.iter().map(|i| session.journal()[*i as usize].0).collect();
    assert_eq!(instants, [2_000, 20_000]);
    let offers = offered(&at(CUTS, 50_000, "A1"));
    assert_eq!(offers.len(), 1, "{offers:?}");
}

/// Whoever is not stopped cannot be started: no repair leaves a line that is refused.
#[test]
fn no_repair_leaves_a_start_without_its_stop() {
    let all = on_all(|name, program| {
        let session = play(program);
        let ledger = lockstep_core::explain::Ledger::of(session.facts());
        let refused = |facts: &[lockstep_core::fact::FactRecord],
                       world: &lockstep_core::world::World| {
            let all = facts.iter().filter(|r| match r.fact {
                Fact::CommandRefused { index } => {
                    matches!(world.refusal(index), Some(Refusal::WrongState { .. }))
                }
                _ => false,
            });
            all.count()
        };
        let before = refused(session.facts(), session.world());
        let found = lockstep_core::explain::diagnose::diagnose(&session, &ledger, program.until_ms);
        let (mut seen, mut faults) = (0, Vec::new());
        for change in found.iter().flat_map(|f| &f.repair) {
            if let Change::Without(_) = change {
                let after = super::changed(program, change);
                seen += 1;
                if refused(after.facts(), after.world()) > before {
                    faults.push(format!("{name}: {change:?}"));
                }
            }
        }
        (seen, faults)
    });
    let seen: usize = all.iter().map(|(seen, _)| seen).sum();
    let faults: Vec<String> = all.into_iter().flat_map(|(_, faults)| faults).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    assert!(seen > 10, "only {seen} repairs leave something out");
}

#[test]
fn a_power_loss_is_left_out_with_the_start_behind_it() {
    let text = "\
series A message-group order-1
group billing reads orders orderly, handles in 100ms
at 3s p1 sends A1 A2
at 3.1s broker loses power
at 5s broker starts
at 9s c1 joins billing
run until 60s
";
    let one = find(text, |f| matches!(f.problem, Problem::Lost { .. }));
    let session = played(text);
    let gone = left_out(&session, &one.repair[0]);
    assert!(
        matches!(gone[..], [Command::StopBroker { .. }, Command::StartBroker { .. }]),
        "{gone:?}"
    );
}

#[test]
fn refusals_for_different_reasons_are_counted_apart() {
    let text = "\
series A message-group order-1
group billing reads orders orderly, handles in 100ms
consumer c1 in billing
at 2s c1 resumes
at 3s c1 resumes
at 4s broker starts
at 5s c1 starts
run until 20s
";
    let counted = findings(text).into_iter().filter_map(|f| match f.problem {
        Problem::CommandsRefused { commands, .. } => Some(commands),
        _ => None,
    });
    assert_eq!(counted.collect::<Vec<_>>(), [2, 1, 1]);
}

/// The offer is made at the end of a suspension as well.
#[test]
fn a_line_that_is_pasted_does_at_a_full_instant_what_was_offered() {
    for at_ms in [6_000, 6_500] {
        let (session, one) = at(POISON, at_ms, "A3");
        let mut world = session.world().clone();
        world.wait_until(at_ms);
        let offers = lockstep_core::explain::offers_at(&session, &world, &one.counterfactuals);
        let mut seen = 0;
        let soon = |ms: Option<i64>| ms.is_some_and(|ms| ms < 19_000);
        let given = offers.iter().filter(|(one, at)| one.change.is_now() && soon(at.with_ms));
        for (offer, attempt) in given {
            let speaker = Speaker { world: &world, locale: Locale::ALL[0] };
            let said = speaker.change(&offer.change, session.journal());
            let pasted: Vec<&str> = said.split('`').skip(1).step_by(2).collect();
            let run = play(&load(&format!("{POISON}{}\n", pasted.join("\n"))).unwrap());
            let told = attempt.with_ms.unwrap();
            let got = super::handled_at(&run, "A3").unwrap();
            assert_eq!(got, told, "{at_ms}: {said}");
            seen += 1;
        }
        assert!(seen >= 1, "{at_ms}: {offers:?}");
    }
}

#[test]
fn what_a_repair_replaces_keeps_the_settings_of_its_line() {
    let text = "\
topic    orders FIFO 2 queues
group    billing reads orders concurrent, handles in 100ms, max-reconsume-times 3
producer p1 selects by round-robin, sdk go
consumer c1 in billing
at 3s    p1 sends A1 A2 A3
at 2s    A2 fails once
run      until 60s
";
    let program = load(text).unwrap();
    let session = play(&program);
    let mut lines = Vec::new();
    for finding in findings(text) {
        for change in finding.repair {
            let speaker = Speaker { world: session.world(), locale: Locale::ALL[0] };
            let said = speaker.change(&change, session.journal());
            lines.extend(said.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    let groups: Vec<&String> = lines.iter().filter(|l| l.starts_with("group ")).collect();
    assert!(!groups.is_empty(), "{lines:?}");
    for line in groups {
        assert!(line.ends_with("handles in 100ms, max-reconsume-times 3"), "{line}");
    }
    let producers: Vec<&String> = lines.iter().filter(|l| l.starts_with("producer ")).collect();
    assert!(producers.iter().all(|line| line.ends_with("sdk go")), "{producers:?}");
    // The run with the replaced line in place of the old one is the run that was offered.
    let healed = text.lines().map(|line| match line.starts_with("group ") {
        true => lines.iter().find(|l| l.contains(" orderly")).cloned().unwrap_or_default(),
        false => line.to_owned(),
    });
    let healed = healed.collect::<Vec<_>>().join("\n") + "\nexpect A2 handled before 20s\n";
    let program = load(&healed).unwrap_or_else(|found| panic!("{healed}{}", found[0]));
    let run = play(&program);
    let evidence = Evidence::of(&run, program.until_ms, true);
    let verdicts = lockstep_core::scenario::check(&program, &evidence);
    assert!(verdicts.iter().all(|v| v.finding.state == State::Holds));
    assert!(!fifo(text).is_empty());
}
