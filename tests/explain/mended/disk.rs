//! What a full disk keeps where it is: failed messages, delayed ones, sends.

use lockstep_core::command::Command;
use lockstep_core::explain::diagnose::{Finding, Problem};
use lockstep_core::explain::{Headline, LevelState, Reason, Rule};
use lockstep_core::fact::Fact;

use super::{at, commands, find, findings, has_cause, left_out, now, offered, played, reason_at};

/// A1 reaches its limit, and the broker takes nothing back: it looks at its disk at 60 s.
const ORDERLY: &str = "\
series A message-group order-1
group billing reads orders orderly, handles in 100ms, max-reconsume-times 1
consumer c1 in billing
at 2s A1 fails always
at 59.95s p1 sends A1 A2
at 59.97s disk 92% full
run until 110s
";

fn concurrent() -> String {
    ORDERLY
        .replace("orderly, handles in 100ms, max-reconsume-times 1", "concurrent, handles in 100ms")
}

fn grpc() -> String {
    let policy = "fifo, handles in 100ms, retry-max-times 1, retry-policy customized 1s";
    let text = ORDERLY.replace("orderly, handles in 100ms, max-reconsume-times 1", policy);
    text.replace("c1 in billing", "c1 in billing grpc push")
}

fn fills(command: &Command) -> bool {
    matches!(command, Command::SetDisk { used_percent: 92, .. })
}

fn empties(command: &Command) -> bool {
    matches!(command, Command::SetDisk { used_percent: 50, .. })
}

#[test]
fn what_a_full_broker_does_not_take_back_is_told_with_its_disk() {
    for text in [ORDERLY, &concurrent(), &grpc()] {
        let one = at(text, 65_010, "A1");
        let reason = one.1.headline.reason().unwrap();
        assert!(matches!(reason, Reason::NotTaken { .. }), "{text}{reason:?}");
        assert_eq!(one.1.rule, Rule::DiskFull);
        assert!(commands(&one).iter().any(fills), "{text}");
        assert!(has_cause(&one, |f| matches!(f, Fact::HandlingEnded { .. })), "{text}");
        let offers = offered(&one);
        assert!(now(&offers, empties), "{text}{offers:?}");
    }
    // Behind it the same.
    for text in [ORDERLY, &grpc()] {
        let one = at(text, 65_010, "A2");
        assert!(commands(&one).iter().any(fills), "{text}");
        assert!(now(&offered(&one), empties), "{text}");
    }
}

#[test]
fn a_failure_that_the_limit_does_not_send_away_has_nothing_to_do_with_the_disk() {
    let text = ORDERLY.replace(", max-reconsume-times 1", "");
    let one = at(&text, 65_010, "A1");
    assert!(matches!(one.1.headline.reason(), Some(Reason::Suspended { .. })));
    assert!(!commands(&one).iter().any(fills));
    // Nor has one whose disk has room again.
    let room = ORDERLY.replace("run until", "at 63.5s disk 20% full\nrun until");
    assert_eq!(reason_at(&room, 99_000, "A1"), Reason::Dead);
    let told = |f: &Finding| matches!(f.problem, Problem::NotTakenBack { .. });
    assert!(!findings(&text).iter().any(told));
}

#[test]
fn a_full_disk_that_takes_nothing_back_is_found_with_the_line_that_fills_it() {
    for text in [ORDERLY, &concurrent(), &grpc()] {
        let one = find(text, |f| matches!(f.problem, Problem::NotTakenBack { .. }));
        let Problem::NotTakenBack { times, .. } = one.problem else { panic!("{one:?}") };
        assert!(times > 5, "{text}{times}");
        let [change] = &one.repair[..] else { panic!("{:?}", one.repair) };
        assert!(matches!(&left_out(&played(text), change)[..], [only] if fills(only)), "{text}");
        let facts = one.evidence.iter().map(|i| played(text).facts()[*i as usize].fact);
        let facts: Vec<Fact> = facts.collect();
        assert!(matches!(facts[0], Fact::CommandApplied { .. }), "{facts:?}");
    }
}

/// Two delayed messages become due while their broker may not write.
const DELAYED: &str = "\
topic orders DELAY 1 queue
series A without message-group
group billing reads orders concurrent, handles in 100ms
producer p1
consumer c1 in billing
at 52s p1 sends A1 A2, delay level 3
at 52.5s disk 92% full
run until 109s
";

#[test]
fn what_is_due_on_a_full_disk_is_told_with_it_and_not_as_about_to_be_put_back() {
    // Later releases drop what the wheel cannot put.
    let timer = format!("model 5.3.1\n{}", DELAYED.replace("delay level 3", "delay 10s"));
    for text in [DELAYED, &timer] {
        assert!(!matches!(reason_at(text, 61_000, "A1"), Reason::NoRoom { .. }), "not due yet");
        for label in ["A1", "A2"] {
            let one = at(text, 79_000, label);
            let reason = one.1.headline.reason().unwrap();
            assert!(matches!(reason, Reason::NoRoom { due_ms: 62_000, .. }), "{text}{reason:?}");
            assert!(commands(&one).iter().any(fills), "{text}");
            assert!(now(&offered(&one), empties), "{text}");
        }
        let one = find(text, |f| matches!(f.problem, Problem::NotPutBack { .. }));
        let Problem::NotPutBack { waited_ms, .. } = one.problem else { panic!("{one:?}") };
        assert_eq!(waited_ms, 47_000);
    }
    let level = at(DELAYED, 79_000, "level 3").1;
    let Headline::Level { state: LevelState::Full { waiting: 2, .. }, .. } = level.headline else {
        panic!("{:?}", level.headline)
    };
    let room = DELAYED.replace("run until", "at 64s disk 20% full\nrun until");
    let room = room.replace("at 52s p1", "at 58s p1");
    assert_eq!(reason_at(&room, 89_000, "A1"), Reason::Done);
    let told = |f: &Finding| matches!(f.problem, Problem::NotPutBack { .. });
    assert!(!findings(&room).iter().any(told), "two seconds are nothing to speak of");
}

#[test]
fn what_is_due_on_a_broker_that_is_down_waits_for_the_broker() {
    let down = DELAYED.replace("disk 92% full", "broker crashes");
    let reason = reason_at(&down, 79_000, "A1");
    assert!(matches!(reason, Reason::BrokerDown { .. }), "{reason:?}");
}

#[test]
fn a_send_by_grpc_that_a_full_disk_refuses_is_told_with_the_disk() {
    let text = "\
series A message-group order-1
group billing reads orders fifo
consumer c1 in billing grpc push
at 1s cut c1 from proxy
at 2s disk 92% full
at 62s p1 sends A1
run until 80s
";
    let one = at(text, 69_000, "A1");
    let reason = one.1.headline.reason().unwrap();
    assert!(matches!(reason, Reason::SendFailed { full: Some(_), .. }), "{reason:?}");
    assert_eq!(one.1.rule, Rule::DiskFull);
    assert!(commands(&one).iter().any(fills));
    assert!(
        !commands(&one).iter().any(|c| matches!(c, Command::Cut { .. })),
        "{:?}",
        commands(&one)
    );
    assert!(!offered(&one).is_empty());
    let one = find(text, |f| matches!(f.problem, Problem::SendsFailed { full: Some(_), .. }));
    let [change] = &one.repair[..] else { panic!("{:?}", one.repair) };
    assert!(matches!(&left_out(&played(text), change)[..], [only] if fills(only)));
    // What a proxy refuses by itself is not the disk's.
    let refused = text.replace("disk 92% full", "proxy answers send with INTERNAL_SERVER_ERROR");
    let reason = reason_at(&refused, 69_000, "A1");
    assert!(matches!(reason, Reason::SendFailed { full: None, .. }), "{reason:?}");
}

#[test]
fn what_dies_on_receipt_or_is_to_be_revived_on_a_full_disk_is_told_with_it() {
    let text = "\
series A message-group order-1
group billing reads orders fifo, retry-max-times 1
consumer c1 in billing simple by hand
at 51s c1 receives invisible-duration 10s, await-duration 5s
at 52s p1 sends A1
at 53s disk 92% full
at 69s c1 receives invisible-duration 10s
at 89s c1 receives invisible-duration 10s
at 109s c1 receives invisible-duration 10s
run until 149s
";
    let one = at(text, 111_000, "A1");
    let reason = one.1.headline.reason().unwrap();
    assert!(
        matches!(reason, Reason::NotTaken { client: None, until_ms: Some(_), .. }),
        "{reason:?}"
    );
    assert!(commands(&one).iter().any(fills), "{:?}", commands(&one));
    assert!(now(&super::possible(&one), empties));
    find(text, |f| matches!(f.problem, Problem::NotTakenBack { times: 2, .. }));
    let free = text.replace("fifo, retry-max-times 1", "concurrent");
    let one = at(&free, 79_000, "A1");
    let reason = one.1.headline.reason().unwrap();
    assert!(matches!(reason, Reason::NotTaken { client: None, until_ms: None, .. }), "{reason:?}");
    assert!(commands(&one).iter().any(fills));
}

#[test]
fn what_waits_behind_a_message_that_cannot_become_a_dead_letter_does_not_wait_for_an_acknowledgement(
) {
    use lockstep_core::explain::Doing;
    let text = grpc().replace("at 59.95s p1 sends A1 A2", "at 50s p1 sends A1 A2");
    let text = text.replace("at 2s A1", "at 0 A1").replace("at 59.97s disk", "at 52s disk");
    let text = text.replace("consumer c1", "at 60.5s consumer c1");
    let one = at(&text, 80_510, "A2");
    let reason = one.1.headline.reason().unwrap();
    assert!(matches!(reason, Reason::Behind { doing: Doing::SendingBack, .. }), "{reason:?}");
    assert!(commands(&one).iter().any(fills), "{:?}", commands(&one));
    assert!(now(&offered(&one), empties));
}
