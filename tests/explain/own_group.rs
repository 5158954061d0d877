//! What is named as a cause for a consumer group happened in that group.

use lockstep_core::explain::{why, About, Ledger, Run};
use lockstep_core::fact::{Fact, FactRecord};
use lockstep_core::ids::{ClientId, GroupId, MsgId};
use lockstep_core::scenario::{load, play};
use lockstep_core::session::Session;

use super::{all, fifo};

/// The consumer group of a fact about a listener, a lock or a reset; None for any other fact.
fn group_of(session: &Session, fact: &Fact) -> Option<GroupId> {
    let of = |client: ClientId| session.world().clients.get(client.index()).map(|c| c.group());
    match *fact {
        Fact::HandlingStarted { client, .. }
        | Fact::HandlingEnded { client, .. }
        | Fact::MessageAcknowledged { client, .. }
        | Fact::SentBack { client, .. }
        | Fact::ResetReceived { client, .. } => of(client),
        Fact::LockRefused { group, .. } | Fact::OffsetReset { group, .. } => Some(group),
        _ => None,
    }
}

/// The causes of one message's state in one group that happened in another one.
fn strangers(session: &Session, msg: MsgId, group: GroupId) -> Vec<FactRecord> {
    let ledger = Ledger::of(session.facts());
    let run = Run::of(session, &ledger);
    let causes = why(&run, About::Message { msg, group: Some(group) }).map(|e| e.causes);
    let facts = causes.unwrap_or_default().into_iter().map(|c| session.facts()[c.fact as usize]);
    facts.filter(|r| group_of(session, &r.fact).is_some_and(|of| of != group)).collect()
}

#[test]
fn no_cause_is_of_another_group() {
    let (mut wrong, mut asked) = (Vec::new(), 0);
    for (name, program) in all() {
        let mut session = play(&program);
        let groups = session.world().shared.names.groups.len() as u16;
        if groups < 2 {
            continue;
        }
        for part in 1..=6 {
            session.seek_time(program.until_ms * part / 6);
            for msg in (0..session.world().shared.messages.len().min(12) as u32).map(MsgId) {
                for group in (0..groups).map(GroupId) {
                    asked += 1;
                    for record in strangers(&session, msg, group) {
                        let at_ms = session.world().now_ms();
                        let told = record.fact;
                        wrong.push(format!("{name} at {at_ms} ms, {msg:?} in {group:?}: {told:?}"));
                    }
                }
            }
        }
    }
    assert!(asked > 1_000, "{asked}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Both groups fail at A1: the one sends it back, the other one handles it again at once and is done.
const SENT_BACK_BY_THE_OTHER: &str = "\
group    audit reads orders orderly, handles in 10ms
group    billing reads orders concurrent, handles in 10ms
consumer a1 in audit
consumer b1 in billing
at 3s    A1 fails once, in billing
at 3s    p1 sends A1
at 3.1s  a1 hangs
run      until 60s
";

#[test]
fn what_another_group_sent_back_is_no_cause() {
    let program = load(&fifo(SENT_BACK_BY_THE_OTHER)).unwrap();
    let mut session = play(&program);
    let sent_back = |r: &FactRecord| matches!(r.fact, Fact::SentBack { .. });
    assert!(session.facts().iter().any(sent_back), "nobody sent it back");
    for at_ms in [4_000, 20_000, 60_000] {
        session.seek_time(at_ms);
        for group in [GroupId(0), GroupId(1)] {
            let wrong = strangers(&session, MsgId(0), group);
            assert!(wrong.is_empty(), "{at_ms} {group:?}: {wrong:?}");
        }
    }
}
