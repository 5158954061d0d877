//! Facts in the words of the expectations.

use super::evidence::{Circumstances, Evidence};
use crate::fact::{Decision, Fact, GrantKind, Outcome, StoredKind};
use crate::ids::{ClientId, MessageQueue, MsgId, Party};
use crate::pop::PopFact;
use crate::scenario::events::{ClientEvent, MessageEvent, PartyEvent, QueueEvent, Reason};

impl Evidence<'_> {
    /// A fact as something that happened to a message.
    pub(super) fn message_event(
        &self,
        fact: &Fact,
    ) -> Option<(MessageEvent, MsgId, Circumstances)> {
        use MessageEvent as E;
        let none = Circumstances::default();
        let at = |client, queue, offset| Circumstances {
            client: Some(client),
            group: self.group_of(client),
            queue: Some(queue),
            offset: Some(offset),
            ..none
        };
        Some(match *fact {
            Fact::MessageBuilt { msg, .. } => (E::Built, msg, none),
            Fact::SendCompleted { msg, queue, .. } => {
                (E::Sent, msg, Circumstances { queue: Some(queue), ..none })
            }
            Fact::SendStarted { msg, queue, attempt, .. } => {
                let attempt = Some(u32::from(attempt));
                (E::Requested, msg, Circumstances { queue: Some(queue), attempt, ..none })
            }
            Fact::SendFailed { msg, reason, .. } => {
                let illegal_queue = self.world.shared.model.illegal_queue_code;
                let (reason, code) = Reason::of(reason, illegal_queue);
                (E::Refused, msg, Circumstances { reason: Some(reason), code, ..none })
            }
            Fact::MessageStored { msg, queue, offset, kind } if kind != StoredKind::DeadLetter => {
                (E::Stored, msg, Circumstances { queue: Some(queue), offset: Some(offset), ..none })
            }
            Fact::MessageScheduled { msg, level, .. } => {
                (E::Scheduled, msg, Circumstances { level: Some(level), ..none })
            }
            Fact::MessagePutBack { msg, level } => {
                (E::PutBack, msg, Circumstances { level: Some(level), ..none })
            }
            Fact::HandlingStarted { client, queue, offset, msg, attempt } => (
                E::Delivered,
                msg,
                Circumstances { attempt: Some(attempt), ..at(client, queue, offset) },
            ),
            Fact::HandlingEnded { client, queue, offset, msg, outcome } => {
                let good = matches!(outcome, Outcome::Success | Outcome::Commit);
                (if good { E::Handled } else { E::Failed }, msg, at(client, queue, offset))
            }
            Fact::MessageAcknowledged { client, queue, offset, msg } => {
                (E::Acknowledged, msg, at(client, queue, offset))
            }
            Fact::ResultDiscarded { client, queue, offset, msg } => {
                (E::Discarded, msg, at(client, queue, offset))
            }
            Fact::SentBack { client, msg, level, .. } => {
                let group = self.group_of(client);
                (
                    E::SentBack,
                    msg,
                    Circumstances { client: Some(client), group, level: Some(level), ..none },
                )
            }
            Fact::SendBackFailed { client, msg } => {
                let group = self.group_of(client);
                (E::SendBackFailed, msg, Circumstances { client: Some(client), group, ..none })
            }
            Fact::ConsumeTimedOut { client, queue, offset, msg } => {
                (E::ConsumeTimedOut, msg, at(client, queue, offset))
            }
            Fact::DeadLettered { group, msg, queue, offset } => {
                let of = Circumstances {
                    group: Some(group),
                    queue: Some(queue),
                    offset: Some(offset),
                    ..none
                };
                (E::DeadLettered, msg, of)
            }
            Fact::Pop(ref fact) => return self.pop_event(fact),
            _ => return self.store_event(fact),
        })
    }

    /// A fact as something that the store or a transaction did with a message.
    fn store_event(&self, fact: &Fact) -> Option<(MessageEvent, MsgId, Circumstances)> {
        use MessageEvent as E;
        let none = Circumstances::default();
        let placed = |queue, offset| Circumstances {
            queue: Some(queue),
            offset: Some(offset),
            ..Circumstances::default()
        };
        Some(match *fact {
            Fact::MessageDeleted { msg, queue, offset } => (E::Deleted, msg, placed(queue, offset)),
            Fact::MessageLost { msg, queue, offset } => (E::Lost, msg, placed(queue, offset)),
            Fact::WheelGaveUp { msg, queue } => {
                (E::Lost, msg, Circumstances { queue: Some(queue), ..none })
            }
            Fact::TransactionPrepared { msg, queue } => {
                (E::Prepared, msg, Circumstances { queue: Some(queue), ..none })
            }
            Fact::TransactionEnded { msg, decision: Decision::Commit } => {
                (E::TransactionCommitted, msg, none)
            }
            Fact::TransactionEnded { msg, decision: Decision::Rollback } => {
                (E::RolledBack, msg, none)
            }
            Fact::TransactionChecked { msg, .. } => (E::Checked, msg, none),
            Fact::SentNowhere { group, msg } => {
                (E::SentNowhere, msg, Circumstances { group: Some(group), ..none })
            }
            Fact::TransactionGivenUp { msg } => (E::GivenUp, msg, none),
            _ => return None,
        })
    }

    /// A fact as something that happened to a queue.
    pub(super) fn queue_event(
        &self,
        fact: &Fact,
    ) -> Option<(QueueEvent, MessageQueue, Circumstances)> {
        use QueueEvent as E;
        let by = |client| Circumstances {
            client: Some(client),
            group: self.group_of(client),
            ..Circumstances::default()
        };
        let from = |client, offset| Circumstances { offset: Some(offset), ..by(client) };
        Some(match *fact {
            Fact::LockGranted { client, queue, how: GrantKind::Renewed, .. } => {
                (E::Renewed, queue, by(client))
            }
            Fact::LockGranted { client, queue, .. } => (E::Locked, queue, by(client)),
            Fact::LockRefused { client, queue, .. } => (E::LockRefused, queue, by(client)),
            Fact::LockReleased { client, queue, .. } => (E::Released, queue, by(client)),
            Fact::LockMissing { client, queue, .. } => (E::LockMissing, queue, by(client)),
            Fact::QueueAdded { client, queue, offset } => (E::Added, queue, from(client, offset)),
            Fact::QueueDropped { client, queue, .. } => (E::Dropped, queue, by(client)),
            Fact::ReleasePostponed { client, queue } => (E::ReleasePostponed, queue, by(client)),
            Fact::QueueRemoved { client, queue, .. } => (E::Removed, queue, by(client)),
            Fact::MessagesPulled { client, queue, offset, .. } => {
                (E::Pulled, queue, from(client, offset))
            }
            Fact::OffsetCorrected { client, queue, offset, .. } => {
                (E::Corrected, queue, from(client, offset))
            }
            Fact::QueueSuspended { client, queue, .. } => (E::Suspended, queue, by(client)),
            Fact::OffsetCommitted { group, queue, offset } => (
                E::Committed,
                queue,
                Circumstances {
                    group: Some(group),
                    offset: Some(offset),
                    ..Circumstances::default()
                },
            ),
            _ => return self.more_queue_event(fact),
        })
    }

    /// The rest of what can happen to a queue.
    fn more_queue_event(&self, fact: &Fact) -> Option<(QueueEvent, MessageQueue, Circumstances)> {
        use QueueEvent as E;
        let by = |client| Circumstances {
            client: Some(client),
            group: self.group_of(client),
            ..Circumstances::default()
        };
        let from = |client, offset| Circumstances { offset: Some(offset), ..by(client) };
        let of = |group, offset| Circumstances {
            group: Some(group),
            offset: Some(offset),
            ..Circumstances::default()
        };
        Some(match *fact {
            Fact::RelockScheduled { client, queue, .. } => (E::RelockScheduled, queue, by(client)),
            Fact::PullHeld { client, queue, offset } => (E::PullHeld, queue, from(client, offset)),
            Fact::PullPostponed { client, queue, .. } => (E::PullPostponed, queue, by(client)),
            Fact::PullRefused { client, queue, .. } => (E::PullRefused, queue, by(client)),
            Fact::MessagesFiltered { client, queue, offset, .. } => {
                (E::Filtered, queue, from(client, offset))
            }
            Fact::TaskYielded { client, queue } => (E::Yielded, queue, by(client)),
            Fact::OffsetReset { group, queue, offset, .. } => (E::Reset, queue, of(group, offset)),
            Fact::ResetConsumed { group, queue, offset } => {
                (E::ResetConsumed, queue, of(group, offset))
            }
            Fact::OffsetUpdateIgnored { group, queue, offset } => {
                (E::UpdateIgnored, queue, of(group, offset))
            }
            Fact::MinOffsetRaised { queue, min } => {
                (E::MinRaised, queue, Circumstances { offset: Some(min), ..Default::default() })
            }
            Fact::Pop(PopFact::PopBlocked { group, queue, offset, until_ms }) => {
                let until_ms = Some(until_ms);
                (E::Blocked, queue, Circumstances { until_ms, ..of(group, offset) })
            }
            Fact::Pop(PopFact::PopOffsetChosen { group, queue, offset }) => {
                (E::OffsetChosen, queue, of(group, offset))
            }
            _ => return None,
        })
    }

    /// A fact as something that happened to a consumer, with the code of a receive.
    pub(super) fn client_event(fact: &Fact) -> Option<(ClientEvent, ClientId, Option<i64>)> {
        use ClientEvent as E;
        Some(match *fact {
            Fact::ConsumerStarted { client } => (E::Started, client, None),
            Fact::ConsumerStopped { client, .. } => (E::Stopped, client, None),
            Fact::ConsumerResumed { client } => (E::Resumed, client, None),
            Fact::MemberJoined { client, .. } => (E::Joined, client, None),
            Fact::MemberLeft { client, .. } => (E::Left, client, None),
            Fact::MemberNotified { client } => (E::Notified, client, None),
            Fact::RebalanceStarted { client, .. } => (E::Rebalanced, client, None),
            Fact::RebalanceFinished { client, balanced: true } => (E::Balanced, client, None),
            Fact::SubscriptionReplaced { client, .. } => (E::SubscriptionReplaced, client, None),
            Fact::ResetReceived { client, .. } => (E::ResetReceived, client, None),
            Fact::Pop(PopFact::ClientRegistered { client, .. }) => (E::Registered, client, None),
            Fact::Pop(PopFact::ClientDropped { client, .. }) => (E::Unregistered, client, None),
            Fact::Pop(PopFact::ReceivedNothing { client, code }) => {
                (E::ReceivedNothing, client, Some(i64::from(code.number())))
            }
            _ => return None,
        })
    }

    /// A fact as something that happened to a party.
    pub(super) fn party_event(fact: &Fact) -> Option<(PartyEvent, Party)> {
        use PartyEvent as E;
        Some(match *fact {
            Fact::BrokerStarted { broker } => (E::Started, Party::Broker(broker)),
            Fact::BrokerStopped { broker, .. } => (E::Stopped, Party::Broker(broker)),
            Fact::BrokerRegistered { broker } => (E::Registered, Party::Broker(broker)),
            Fact::BrokerUnregistered { broker, .. } => (E::Unregistered, Party::Broker(broker)),
            Fact::RequestTimedOut { party, .. } => (E::TimedOut, party),
            Fact::ConnectionClosed { party, .. } => (E::Disconnected, party),
            Fact::PacketLost { from, .. } => (E::PacketLost, from),
            Fact::RouteChanged { party, .. } => (E::RouteChanged, party),
            Fact::ClockJumped { party, .. } => (E::ClockJumped, party),
            Fact::SegmentDeleted { broker, .. } => (E::SegmentDeleted, Party::Broker(broker)),
            Fact::Pop(PopFact::CacheStale { proxy, .. }) => (E::CacheStale, Party::Proxy(proxy)),
            _ => return None,
        })
    }
}
