//! A log that lost its end and grew again below an offset, and what retention took from before a group.

use lockstep_core::command::Command;
use lockstep_core::explain::diagnose::{Finding, Problem};
use lockstep_core::explain::{PassedBy, Reason, Rule};
use lockstep_core::fact::Fact;
use lockstep_core::guarantee::{Guarantee, Missing};

use super::{
    at, commands, find, findings, handled_at, has_cause, left_out, offered, played, reason_at, with,
};

/// The offset of A2 and A3 is on the disk when the power goes, and they are not: A4 and A5 come to their
/// places.
const POWER: &str = "\
series A message-group order-1
group billing reads orders orderly, handles in 100ms
consumer c1 in billing
producer p2 selects by hash
at 3s p1 sends A1
at 11s p1 sends A2 A3
at 18s broker loses power
at 20s broker starts
at 20500ms p2 sends A4 A5 A6 A7
run until 120s
";

#[test]
fn what_comes_to_the_places_of_lost_messages_is_passed_over_by_the_loss() {
    let anew = POWER.replace("at 18s", "at 17s c1 stops\nat 18s");
    let anew = anew.replace("at 20500ms", "at 60s c2 joins billing\nat 40s");
    for text in [POWER, &anew] {
        for label in ["A4", "A5"] {
            let one = at(text, 100_000, label);
            let by_loss = Reason::Passed { by: PassedBy::PowerLoss };
            assert_eq!(one.1.headline.reason(), Some(by_loss), "{text}{label}");
            assert_eq!(one.1.rule, Rule::Flush);
            assert!(has_cause(&one, |f| matches!(f, Fact::MessageLost { .. })), "{text}");
            let stops = |c: &Command| matches!(c, Command::StopBroker { .. });
            assert!(commands(&one).iter().any(stops), "{text}");
        }
        for label in ["A6", "A7"] {
            assert_eq!(reason_at(text, 100_000, label), Reason::Done, "{text}{label}");
        }
    }
}

#[test]
fn what_is_passed_over_by_a_loss_is_found_with_the_loss_and_not_as_a_late_start() {
    let one = find(POWER, |f| matches!(f.problem, Problem::PassedAfterLoss { messages: 2, .. }));
    assert_eq!(one.needs, Some(Missing::SyncFlush));
    let late = |f: &Finding| matches!(f.problem, Problem::BeginsBehind { .. });
    assert!(!findings(POWER).iter().any(late));
    let [change] = &one.repair[..] else { panic!("{:?}", one.repair) };
    let gone = left_out(&played(POWER), change);
    let both = matches!(gone[..], [Command::StopBroker { .. }, Command::StartBroker { .. }]);
    assert!(both, "{gone:?}");
    assert!(handled_at(&with(POWER, change), "A4").is_some());
    assert!(handled_at(&played(POWER), "A4").is_none());
}

#[test]
fn what_is_passed_over_by_a_loss_is_read_after_a_reset() {
    let one = at(POWER, 100_000, "A4");
    let offers = offered(&one);
    assert!(super::now(&offers, |c| matches!(c, Command::ResetOffset { .. })), "{offers:?}");
}

/// `late` begins at the end, and retention then deletes what it never waited for.
const LATE: &str = "\
topic orders FIFO 1 queue
series A message-group order-1
set mappedFileSizeCommitLog 2048
set checkInMemByConsumeOffset 0
group billing reads orders orderly, handles in 10ms
group late reads orders fifo, handles in 10ms
producer p1
consumer c1 in billing
at 3s p1 sends A1..A20
at 60s c2 joins late grpc push
at 70s p1 sends A21
at 80s disk 88% full
run until 120s
";

#[test]
fn what_retention_takes_from_before_a_groups_first_offset_is_no_loss_to_it() {
    let session = played(LATE);
    let deleted = session.facts().iter().any(|r| matches!(r.fact, Fact::MessageDeleted { .. }));
    assert!(deleted, "nothing is deleted");
    let late = session.world().shared.names.group("late");
    let breaches = session.watch().breaches(Guarantee::NothingLost, late);
    assert_eq!(breaches.count(), 0);
    let lost = |f: &Finding| matches!(f.problem, Problem::Lost { .. });
    assert!(!findings(LATE).iter().any(lost));
    let text = LATE.replace("group billing reads orders orderly, handles in 10ms\n", "");
    let text = text.replace("consumer c1 in billing\n", "");
    assert_eq!(reason_at(&text, 120_000, "A1"), Reason::Passed { by: PassedBy::Start });
    // From the first message on they are its own, and it has not come to them.
    let slow = LATE.replace(
        "late reads orders fifo, handles in 10ms",
        "late reads orders orderly, from first, handles in 30s",
    );
    let slow = slow.replace("at 60s c2 joins late grpc push", "at 10s c2 joins late");
    // What c2 has in its cache it handles all the same.
    assert!(!findings(&slow).iter().any(lost));
    let slow = format!("set pullThresholdForQueue 2\nset pullBatchSize 1\n{slow}");
    let lost = find(&slow, lost);
    let Problem::Lost { messages, .. } = lost.problem else { panic!("{lost:?}") };
    assert!(messages > 0);
}
