//! Facts of the second stack in the words of the expectations.

use super::evidence::{Circumstances, Evidence};
use crate::fact::Fact;
use crate::ids::{ClientId, GroupId, Ms, MsgId};
use crate::pop::{AckResult, ActKind, GrpcCode, PopFact};
use crate::scenario::events::MessageEvent;

type Happened = (MessageEvent, MsgId, Circumstances);

/// The code of an answer.
fn number(code: Option<GrpcCode>) -> Option<i64> {
    code.map(|code| i64::from(code.number()))
}

impl Evidence<'_> {
    /// A fact as something that happened to a message.
    pub(super) fn pop_event(&self, fact: &PopFact) -> Option<Happened> {
        use MessageEvent as E;
        let none = Circumstances::default();
        let of = |group: GroupId| Circumstances { group: Some(group), ..none };
        let by = |client: ClientId| Circumstances {
            client: Some(client),
            group: self.group_of(client),
            ..none
        };
        Some(match *fact {
            PopFact::SendAttemptFailed { msg, attempt, code, .. } => {
                let attempt = Some(u32::from(attempt));
                (E::SendRepeated, msg, Circumstances { attempt, code: number(code), ..none })
            }
            PopFact::Received { client, queue, offset, msg, attempt } => {
                let (queue, offset) = (Some(queue), Some(offset));
                let attempt = Some(u32::from(attempt));
                (E::Received, msg, Circumstances { queue, offset, attempt, ..by(client) })
            }
            PopFact::Renewed { client, msg, until_ms, .. } => {
                (E::Renewed, msg, Circumstances { until_ms: Some(until_ms), ..by(client) })
            }
            PopFact::RenewalEnded { client, msg, until_ms, .. } => {
                (E::RenewalEnded, msg, Circumstances { until_ms: Some(until_ms), ..by(client) })
            }
            PopFact::HandleExpired { client, queue, offset, msg } => {
                let (queue, offset) = (Some(queue), Some(offset));
                (E::HandleExpired, msg, Circumstances { queue, offset, ..by(client) })
            }
            PopFact::ActFailed { client, msg, act, code, .. } => {
                let event = match act {
                    ActKind::Ack => E::AckFailed,
                    ActKind::Change => E::ChangeFailed,
                    ActKind::DeadLetter => E::ForwardFailed,
                };
                (event, msg, Circumstances { code: number(code), ..by(client) })
            }
            PopFact::AttemptFailed { client, queue, msg, attempt, .. } => {
                let (queue, attempt) = (Some(queue), Some(u32::from(attempt)));
                (E::AttemptFailed, msg, Circumstances { queue, attempt, ..by(client) })
            }
            PopFact::ForwardedToDeadLetter { client, msg, attempt } => {
                let attempt = Some(u32::from(attempt));
                (E::Forwarded, msg, Circumstances { attempt, ..by(client) })
            }
            PopFact::DeadOnReceive { group, msg, attempt, .. } => {
                let attempt = Some(u32::from(attempt));
                (E::DeadOnReceive, msg, Circumstances { attempt, ..of(group) })
            }
            PopFact::FilteredOnReceive { group, msg, .. } => (E::FilteredOnReceive, msg, of(group)),
            _ => return self.broker_event(fact),
        })
    }

    /// What POP did with a message at the broker.
    fn broker_event(&self, fact: &PopFact) -> Option<Happened> {
        use MessageEvent as E;
        let of = |group, queue, offset| Circumstances {
            group: Some(group),
            queue: Some(queue),
            offset: Some(offset),
            ..Circumstances::default()
        };
        Some(match *fact {
            PopFact::Popped { group, queue, offset, msg, attempt, until_ms } => {
                let (attempt, until_ms) = (Some(u32::from(attempt)), Some(until_ms));
                (E::Popped, msg, Circumstances { attempt, until_ms, ..of(group, queue, offset) })
            }
            PopFact::Acked { group, queue, offset, msg, result } => {
                let event = match result {
                    AckResult::Next(_) | AckResult::Noted => E::Acked,
                    AckResult::Nothing | AckResult::Below | AckResult::Unwritten => E::AckIgnored,
                    AckResult::Illegal | AckResult::Unreadable | AckResult::NoMessage => {
                        E::AckRejected
                    }
                };
                (event, msg, of(group, queue, offset))
            }
            PopFact::InvisibleChanged { group, queue, offset, msg, until_ms } => {
                let until_ms = Some(until_ms);
                let of = Circumstances { until_ms, ..of(group, queue, offset) };
                (E::InvisibleChanged, msg, of)
            }
            PopFact::Revived { group, queue, offset, msg } => {
                (E::Revived, msg, of(group, queue, offset))
            }
            _ => return None,
        })
    }

    /// Until when a message is invisible for a group at the end of an instant, and the fact that
    /// says so; None when it is not, or not any more.
    pub(super) fn invisible(
        &self,
        msg: MsgId,
        group: Option<GroupId>,
        at_ms: Ms,
    ) -> Option<(Ms, usize)> {
        let mut until: std::collections::BTreeMap<GroupId, (Ms, usize)> = Default::default();
        let last = self.facts.partition_point(|record| record.at_ms <= at_ms);
        for (index, record) in self.facts[..last].iter().enumerate() {
            match record.fact {
                Fact::Pop(
                    PopFact::Popped { group, msg: m, until_ms, .. }
                    | PopFact::InvisibleChanged { group, msg: m, until_ms, .. },
                ) if m == msg => {
                    until.insert(group, (until_ms, index));
                }
                Fact::Pop(PopFact::Acked {
                    group,
                    msg: m,
                    result: AckResult::Next(_) | AckResult::Noted,
                    ..
                }) if m == msg => {
                    until.remove(&group);
                }
                _ => {}
            }
        }
        let fits = |(of, (until_ms, _)): &(GroupId, (Ms, usize))| {
            group.is_none_or(|group| group == *of) && *until_ms > at_ms
        };
        until.into_iter().find(fits).map(|(_, found)| found)
    }
}
