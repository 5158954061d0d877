//! Facts about brokers, routes, clocks, subscriptions, resets, retention and transactions, as lines
//! of English.

use super::tell::{time, Teller};
use crate::fact::{
    BrokerStop, Decision, DeleteReason, Fact, FilterSide, PullRefusal, ResetHow, RouteLoss,
    SendFailure, TypeCheck,
};
use crate::ids::BrokerId;

/// Why a send failed, in words.
pub(super) fn failure(reason: SendFailure) -> String {
    let words = match reason {
        SendFailure::SelectorThrew => "the selector threw an exception",
        SendFailure::TimedOut => "no answer in time",
        SendFailure::IllegalQueueId => "illegal queue id",
        SendFailure::NoWritableQueue => "no writable queue",
        SendFailure::TimerIllegal => "delivery time too far ahead",
        SendFailure::BrokerUnknown => "no route has the broker's address",
        SendFailure::ConnectionFailed => "the broker or proxy cannot be reached",
        SendFailure::DiskFull => "the broker's disk is full, 14",
        SendFailure::GroupWithDelay => "a message group excludes a delivery time and a transaction",
        SendFailure::TypeConflict { expected, actual, by } => {
            let expected = expected.map_or("UNSPECIFIED", crate::scenario::say::topic_type);
            let actual = crate::scenario::say::topic_type(actual);
            let by = match by {
                TypeCheck::Sdk => "the SDK itself",
                TypeCheck::Proxy => "the proxy, 40014",
                TypeCheck::RemotingProxy => "the proxy, 13",
            };
            return format!("topic type {expected}, message type {actual}, says {by}");
        }
        SendFailure::Grpc(code) => {
            let (number, name) = code.named();
            return format!("{number} {name}");
        }
    };
    words.to_owned()
}

impl Teller<'_> {
    pub(super) fn broker(&self, broker: BrokerId) -> &str {
        &self.world.shared.names.brokers[broker.index()]
    }

    /// Brokers, routes, clocks, subscriptions.
    pub(super) fn cluster(&self, fact: &Fact) -> Option<String> {
        let party = |party| self.world.shared.names.party_name(party);
        Some(match *fact {
            Fact::BrokerStopped { broker, how } => {
                let how = match how {
                    BrokerStop::Clean => "stopped",
                    BrokerStop::Crash => "crashed",
                    BrokerStop::PowerLoss => "lost power",
                };
                format!("{} {how}", self.broker(broker))
            }
            Fact::BrokerStarted { broker } => format!("{} started", self.broker(broker)),
            Fact::BrokerRegistered { broker } => {
                format!("{} entered the routes", self.broker(broker))
            }
            Fact::BrokerUnregistered { broker, reason } => {
                let why = match reason {
                    RouteLoss::Unregistered => "it said so",
                    RouteLoss::ConnectionClosed => "its connection closed",
                    RouteLoss::Silent => "it was silent for too long",
                };
                format!("{} left the routes ({why})", self.broker(broker))
            }
            Fact::RouteChanged { party: who, topic, queues } => {
                let topic = &self.world.shared.names.topics[topic.index()].name;
                format!("{} reads a new route of {topic}: {queues} queues", party(who))
            }
            Fact::ClockJumped { party: who, ahead_ms } => match ahead_ms {
                0 => format!("clock of {} set right", party(who)),
                ms if ms > 0 => format!("clock of {} set {} ahead", party(who), time(ms)),
                ms => format!("clock of {} set {} behind", party(who), time(-ms)),
            },
            Fact::SubscriptionReplaced { broker, group, client, added, removed } => format!(
                "{} replaced the subscription of {} at {} ({added} added or changed, {removed} removed)",
                self.client(client),
                self.group(group),
                self.broker(broker)
            ),
            Fact::PullRefused { client, queue, reason } => {
                let why = match reason {
                    PullRefusal::SubscriptionMissing => "24, its group does not subscribe to it",
                    PullRefusal::SubscriptionNotLatest => "25, its group's table is older",
                    PullRefusal::QueueId => "the queue cannot be read",
                };
                format!("pull of {} from {} refused ({why})", self.client(client), self.queue(queue))
            }
            Fact::MessagesFiltered { client, queue, offset, count, by } => {
                let by = match by {
                    FilterSide::Broker => "the broker",
                    FilterSide::Client => "the client",
                };
                format!(
                    "{by} left out {count} of {} from offset {offset} for {}",
                    self.queue(queue),
                    self.client(client)
                )
            }
            _ => return None,
        })
    }

    /// Resets, retention, transactions.
    pub(super) fn store(&self, fact: &Fact) -> Option<String> {
        Some(match *fact {
            Fact::OffsetReset { group, queue, offset, how } => {
                let how = match how {
                    ResetHow::Pending => "kept until the next read",
                    ResetHow::Clients => "sent to the consumers",
                    ResetHow::Direct => "written at once",
                };
                let (group, queue) = (self.group(group), self.queue(queue));
                format!("offset of {group} in {queue} reset to {offset} ({how})")
            }
            Fact::ResetConsumed { group, queue, offset } => {
                format!("{} goes on in {} at {offset}", self.group(group), self.queue(queue))
            }
            Fact::OffsetUpdateIgnored { group, queue, offset } => format!(
                "offset {offset} of {} in {} ignored: a reset is pending",
                self.group(group),
                self.queue(queue)
            ),
            Fact::ResetReceived { client, topic, until_ms } => {
                let topic = &self.world.shared.names.topics[topic.index()].name;
                format!(
                    "{} clears {topic} for a reset, until {}",
                    self.client(client),
                    time(until_ms)
                )
            }
            Fact::MessageDeleted { msg, queue, offset } => {
                format!("{} deleted from {} at offset {offset}", self.label(msg), self.queue(queue))
            }
            Fact::MessageLost { msg, queue, offset } => format!(
                "{} lost from {} at offset {offset}: it was not on disk",
                self.label(msg),
                self.queue(queue)
            ),
            Fact::SegmentDeleted { broker, messages, reason } => {
                let why = match reason {
                    DeleteReason::Expired => "old enough",
                    DeleteReason::DiskFilling => "old enough, and the disk is filling",
                    DeleteReason::DiskFull => "the disk is nearly full",
                };
                format!(
                    "{} deleted a segment with {messages} messages ({why})",
                    self.broker(broker)
                )
            }
            Fact::MinOffsetRaised { queue, min } => {
                format!("min offset of {} is {min}", self.queue(queue))
            }
            Fact::TransactionPrepared { msg, queue } => {
                format!("{} prepared for {}", self.label(msg), self.queue(queue))
            }
            Fact::TransactionEnded { msg, decision } => {
                let how = match decision {
                    Decision::Commit => "committed",
                    Decision::Rollback => "rolled back",
                    Decision::Unknown => "left open by its transaction",
                };
                format!("{} {how}", self.label(msg))
            }
            Fact::TransactionChecked { msg, count } => {
                format!("transaction of {} checked (check {count})", self.label(msg))
            }
            Fact::WheelGaveUp { msg, queue } => format!(
                "{} lost: the timer wheel could not put it into {}",
                self.label(msg),
                self.queue(queue)
            ),
            Fact::TransactionGivenUp { msg } => {
                format!("transaction of {} given up", self.label(msg))
            }
            Fact::ConsumeTimedOut { client, queue, msg, .. } => format!(
                "{} held {} from {} longer than the consume time-out",
                self.client(client),
                self.label(msg),
                self.queue(queue)
            ),
            _ => return None,
        })
    }
}
