//! Reasons that last for longer, or end earlier, than what was told.

use lockstep_core::explain::{Doing, Reason, Refusing};
use lockstep_core::fact::Fact;
use lockstep_core::ids::{Ms, Party};
use lockstep_core::pop::PopFact;

use super::{at, commands, played, reason_at};
use lockstep_core::command::Command;

#[test]
fn of_a_lease_and_a_membership_the_one_that_lasts_longer_is_told() {
    let text = "\
series A message-group order-1
group billing reads orders orderly, handles in 1s, from first
consumer c1 in billing
consumer c2 in billing
at 1s p1 sends A1..A3 every 5s
at 10s c1 vanishes
at 50s p1 sends A4
run until 200s
";
    let until_ms = match reason_at(text, 55_000, "A4") {
        Reason::OfAbsentMember { until_ms, .. } => until_ms,
        other => panic!("{other:?}"),
    };
    let mut taken = played(text).facts().to_vec();
    taken.retain(|r| matches!(r.fact, Fact::QueueAdded { queue, .. } if queue.topic.index() > 0));
    assert!(taken.last().unwrap().at_ms >= until_ms, "nobody takes it before");
    // A member that is given up before the lease is over leaves the lease.
    let short = text.replace("series A", "set CHANNEL_EXPIRED_TIMEOUT 35s\nseries A");
    let held = reason_at(&short, 60_000, "A4");
    assert!(matches!(held, Reason::LockHeld { gone: true, .. }), "{held:?}");
}

#[test]
fn a_thread_that_waits_in_a_cut_is_told_by_the_cut() {
    let text = "\
topic T FIFO 1 queue
add broker b2
series A message-group k
group G reads T orderly
producer p0 selects queue 0
consumer c1 in G
at 0 A1 fails always
at 0 p0 sends A1 A2
at 20.9s cut c1 from broker
run until 24s
";
    // The renewal at 21 s is not answered; the pause of the queue in b2 is over at 21.5 s.
    for (thing, doing) in [("A1", false), ("A2", true)] {
        let told = at(text, 21_700, thing);
        let cut = told.1.also.iter().find_map(|also| match also.reason {
            Reason::CutOff { from: Party::Broker(from), .. } => Some(from),
            _ => None,
        });
        let from = cut.unwrap_or_else(|| panic!("{:?}", told.1));
        assert_eq!(told.0.world().shared.names.brokers[from.index()], "broker", "{thing}");
        assert!(commands(&told).iter().any(|c| matches!(c, Command::Cut { .. })), "{thing}");
        let behind = matches!(
            told.1.headline.reason(),
            Some(Reason::Behind { doing: Doing::ThreadWaits { .. }, .. })
        );
        assert_eq!(behind, doing, "{thing}");
    }
    // A cut from the queue's own broker is the first reason.
    let own = text.replace("cut c1 from broker", "cut c1 from b2").replace("20.9s", "20.99s");
    for (text, is_cut) in [(own.as_str(), true), (text, false)] {
        let waits = (21_000..24_000).step_by(50).map(|at_ms| reason_at(text, at_ms, "A1"));
        let cut = waits.clone().any(|reason| matches!(reason, Reason::CutOff { .. }));
        let thread = waits.clone().any(|reason| matches!(reason, Reason::ThreadWaits { .. }));
        assert_eq!((cut, thread), (is_cut, !is_cut), "{text}");
    }
    // Without a cut it is the thread alone.
    let lost = text.replace("cut c1 from broker", "lose next 1 lock to broker");
    let told = at(&lost, 21_700, "A1");
    let reason = told.1.headline.reason();
    assert!(matches!(reason, Some(Reason::ThreadWaits { .. })), "{reason:?}");
    assert_eq!(told.1.also, []);
}

#[test]
fn a_sleeping_receive_looks_again_at_the_instant_that_is_told() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/www/lessons/06-8-pause-after-batch.scn");
    let text = std::fs::read_to_string(path).unwrap();
    let Reason::PollSleeps { until_ms, .. } = reason_at(&text, 10_000, "A2") else {
        panic!("it sleeps");
    };
    let session = played(&text);
    let woken = session
        .facts()
        .iter()
        .find(|r| r.at_ms > 10_000 && matches!(r.fact, Fact::Pop(PopFact::PollWoken { .. })));
    assert_eq!(woken.map(|r| r.at_ms), Some(until_ms));
}

#[test]
fn a_subscription_that_is_replaced_again_is_told_with_both_heartbeats() {
    let text = "\
topic orders FIFO 1 queue
topic other FIFO 1 queue
series A message-group order-1
group billing reads orders orderly, handles in 1s, from first
producer p1 to orders
consumer c1 in billing
at 5s c2 joins billing, reads other
at 1s p1 sends A1..A40 every 3s
run until 120s
";
    let Reason::Refused { by: Refusing::Unregistered { again, at_ms, .. }, .. } =
        reason_at(text, 20_000, "A6")
    else {
        panic!("it is refused");
    };
    let replaced: Vec<(String, Ms)> = replacements(text);
    let (other, again_ms) = again.unwrap();
    let session = played(text);
    let name = session.world().shared.names.clients[other.index()].clone();
    assert!(replaced.contains(&("c1".to_owned(), at_ms.unwrap())), "{replaced:?}");
    assert!(replaced.contains(&(name, again_ms)), "{replaced:?} {again_ms}");
}

/// Whose heartbeats replaced the subscription, and when.
fn replacements(text: &str) -> Vec<(String, Ms)> {
    let session = played(text);
    let names = &session.world().shared.names;
    let all = session.facts().iter().filter_map(|r| match r.fact {
        Fact::SubscriptionReplaced { client, .. } => {
            Some((names.clients[client.index()].clone(), r.at_ms))
        }
        _ => None,
    });
    all.collect()
}
