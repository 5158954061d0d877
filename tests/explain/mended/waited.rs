//! How long somebody waited for something, and whether that was what the wait was for.

use lockstep_core::explain::diagnose::{Finding, Problem};
use lockstep_core::ids::Ms;

use super::{find, findings, handled_at, left_out, played, with};

/// c1 dies with its lock, and nobody else runs.
const DEAD: &str = "\
series A message-group order-1
group billing reads orders orderly, handles in 100ms
consumer c1 in billing
at 10s c1 crashes
at 12s p1 sends A1
run until 300s
";

fn dead_owner(finding: &Finding) -> Option<Ms> {
    match finding.problem {
        Problem::DeadOwner { waited_ms, .. } => Some(waited_ms),
        _ => None,
    }
}

#[test]
fn nobody_waits_for_a_lease_while_nobody_runs() {
    let again = DEAD.replace("run until", "at 200s c1 starts\nrun until");
    let silent = again.replace("c1 crashes", "c1 vanishes");
    let stood = "at 11s c2 hangs\nat 200s c2 resumes\nrun until";
    let stood =
        DEAD.replace("run until", stood).replace("at 10s", "consumer c2 in billing\nat 10s");
    let stood = stood.replace("topic orders FIFO 1 queue", "topic orders FIFO 2 queues");
    for text in [&again, &silent, &stood] {
        let told = findings(text).iter().find_map(dead_owner);
        assert_eq!(told, None, "{text}");
    }
}

#[test]
fn the_wait_for_a_lease_begins_when_somebody_else_runs() {
    for (how, from_ms) in [("crashes", 40_000), ("vanishes", 50_000)] {
        let joins = format!("at {from_ms}ms c2 joins billing\nrun until");
        let text = DEAD.replace("c1 crashes", &format!("c1 {how}")).replace("run until", &joins);
        let one = find(&text, |f| dead_owner(f).is_some());
        let session = played(&text);
        let granted = session.facts()[*one.evidence.last().unwrap() as usize].at_ms;
        assert_eq!(dead_owner(&one), Some(granted - from_ms), "{text}");
        let [change] = &one.repair[..] else { panic!("{:?}", one.repair) };
        assert!(handled_at(&with(&text, change), "A1") < handled_at(&session, "A1"), "{text}");
    }
}

fn hung(finding: &Finding) -> Option<Ms> {
    match finding.problem {
        Problem::Hung { waited_ms, .. } => Some(waited_ms),
        _ => None,
    }
}

#[test]
fn a_standstill_that_delays_nothing_is_no_finding() {
    // Each call takes longer than the standstill.
    let calls = "\
series A message-group order-1
group billing reads orders orderly, handles in 20s
consumer c1 in billing
at 3s p1 sends A1 A2 A3
at 5s c1 hangs
at 6s c1 resumes
run until 200s
";
    // The queue is suspended meanwhile.
    let suspended = "\
series A message-group order-1
group billing reads orders orderly, handles in 100ms, suspend 30s
consumer c1 in billing
at 2s A1 fails twice
at 3s p1 sends A1 A2
at 5s c1 hangs
at 20s c1 resumes
run until 200s
";
    // Nobody could read it anyway.
    let cut = "\
series A message-group order-1
group billing reads orders orderly, handles in 100ms
consumer c1 in billing
at 2s cut c1 from broker
at 3s p1 sends A1
at 5s c1 hangs
at 25s c1 resumes
at 90s heal c1 and broker
run until 300s
";
    for text in [calls, suspended, cut] {
        assert_eq!(findings(text).iter().find_map(hung), None, "{text}");
    }
}

#[test]
fn the_figure_of_a_standstill_is_what_it_delayed() {
    let text = "\
series A message-group order-1
group billing reads orders orderly, handles in 20s
consumer c1 in billing
at 3s p1 sends A1 A2 A3
at 5s c1 hangs
at 100s c1 resumes
run until 300s
";
    let one = find(text, |f| hung(f).is_some());
    let [change] = &one.repair[..] else { panic!("{:?}", one.repair) };
    assert_eq!(left_out(&played(text), change).len(), 2);
    let free = with(text, change);
    let label = |f: &Finding| match f.problem {
        Problem::Hung { msg, .. } => played(text).world().shared.label(msg).to_string(),
        _ => String::new(),
    };
    // A1 was in its call: until 23 s it would have been there anyway.
    let delayed = match &*label(&one) {
        "A1" => 100_000 - 23_000,
        label => handled_at(&played(text), label).unwrap() - handled_at(&free, label).unwrap(),
    };
    assert_eq!(hung(&one), Some(delayed));
}
