//! What each kind of fact about brokers, routes, resets, retention and transactions says.

use lockstep_core::fact::{
    BrokerStop, Decision, DeleteReason, Fact, FilterSide, PullRefusal, ResetHow, RouteLoss,
};
use lockstep_core::ids::{BrokerId, Party, TopicId};

use super::Speaker;
use crate::left;
use crate::log_broker::BrokerLog;

impl Speaker<'_> {
    /// A broker.
    pub fn broker(&self, broker: BrokerId) -> &str {
        self.party(Party::Broker(broker))
    }

    /// A topic.
    pub fn topic(&self, topic: TopicId) -> &str {
        &self.world.shared.names.topics[topic.index()].name
    }

    /// Brokers, routes and clocks.
    pub(super) fn broker_fact(&self, fact: &Fact) -> Option<String> {
        let log = BrokerLog(self.locale);
        Some(match *fact {
            Fact::BrokerStarted { broker } => log.started(self.broker(broker)),
            Fact::BrokerStopped { broker, how } => match how {
                BrokerStop::Clean => log.stopped_clean(self.broker(broker)),
                BrokerStop::Crash => log.stopped_crash(self.broker(broker)),
                BrokerStop::PowerLoss => log.stopped_power(self.broker(broker)),
            },
            Fact::BrokerRegistered { broker } => log.registered(self.broker(broker)),
            Fact::BrokerUnregistered { broker, reason } => {
                let why = match reason {
                    RouteLoss::Unregistered => log.offline(),
                    RouteLoss::ConnectionClosed => log.connection(),
                    RouteLoss::Silent => log.silent(),
                };
                log.unregistered(self.broker(broker), why)
            }
            Fact::RouteChanged { party, topic, queues } => {
                log.route_changed(self.party(party), self.topic(topic), queues)
            }
            Fact::ClockJumped { party, ahead_ms: 0 } => log.clock_right(self.party(party)),
            Fact::ClockJumped { party, ahead_ms } if ahead_ms < 0 => {
                log.clock_behind(self.party(party), &left(-ahead_ms))
            }
            Fact::ClockJumped { party, ahead_ms } => {
                log.clock_ahead(self.party(party), &left(ahead_ms))
            }
            Fact::SegmentDeleted { broker, messages, reason } => {
                let why = match reason {
                    DeleteReason::Expired => log.expired(),
                    DeleteReason::DiskFilling => log.disk_filling(),
                    DeleteReason::DiskFull => log.disk_full(),
                };
                log.segment(self.broker(broker), messages, why)
            }
            Fact::MinOffsetRaised { queue, min } => log.min_raised(&self.queue(queue), min),
            Fact::MessageDeleted { msg, queue, offset } => {
                log.deleted(&self.msg(msg), &self.queue(queue), offset)
            }
            Fact::MessageLost { msg, queue, offset } => {
                log.lost(&self.msg(msg), &self.queue(queue), offset)
            }
            _ => return None,
        })
    }

    /// Subscriptions, filters and resets.
    pub(super) fn reading_fact(&self, fact: &Fact) -> Option<String> {
        let log = BrokerLog(self.locale);
        Some(match *fact {
            Fact::SubscriptionReplaced { broker, group, client, added, removed } => {
                let (client, group) = (self.client(client), self.group(group));
                log.subscriptions(client, group, self.broker(broker), added, removed)
            }
            Fact::PullRefused { client, queue, reason } => {
                let why = match reason {
                    PullRefusal::SubscriptionMissing => log.subscription_missing(),
                    PullRefusal::SubscriptionNotLatest => log.subscription_not_latest(),
                    PullRefusal::QueueId => log.queue_id(),
                };
                log.pull_refused(self.client(client), &self.queue(queue), why)
            }
            Fact::MessagesFiltered { client, queue, offset, count, by } => {
                let (client, queue) = (self.client(client), self.queue(queue));
                match by {
                    FilterSide::Broker => log.filtered_broker(client, &queue, offset, count),
                    FilterSide::Client => log.filtered_client(client, &queue, offset, count),
                }
            }
            Fact::OffsetReset { group, queue, offset, how } => {
                let (group, queue) = (self.group(group), self.queue(queue));
                match how {
                    ResetHow::Pending => log.reset_pending(group, &queue, offset),
                    ResetHow::Clients => log.reset_sent(group, &queue, offset),
                    ResetHow::Direct => log.reset_written(group, &queue, offset),
                }
            }
            Fact::ResetConsumed { group, queue, offset } => {
                log.reset_taken(self.group(group), &self.queue(queue), offset)
            }
            Fact::OffsetUpdateIgnored { group, queue, offset } => {
                log.update_ignored(self.group(group), &self.queue(queue), offset)
            }
            Fact::ResetReceived { client, topic, until_ms } => {
                let until = crate::clock(until_ms);
                log.reset_received(self.client(client), self.topic(topic), &until)
            }
            _ => return None,
        })
    }

    /// Transactions, and messages that are lost on the way back.
    pub(super) fn transaction_fact(&self, fact: &Fact) -> Option<String> {
        let log = BrokerLog(self.locale);
        Some(match *fact {
            Fact::TransactionPrepared { msg, queue } => {
                log.prepared(&self.msg(msg), &self.queue(queue))
            }
            Fact::TransactionEnded { msg, decision } => match decision {
                Decision::Commit => log.transaction_commit(&self.msg(msg)),
                Decision::Rollback => log.transaction_rollback(&self.msg(msg)),
                Decision::Unknown => log.transaction_unknown(&self.msg(msg)),
            },
            Fact::TransactionChecked { msg, count } => {
                log.transaction_checked(&self.msg(msg), count)
            }
            Fact::WheelGaveUp { msg, queue } => {
                log.wheel_gave_up(&self.msg(msg), &self.queue(queue))
            }
            Fact::TransactionGivenUp { msg } => log.transaction_given_up(&self.msg(msg)),
            Fact::SentNowhere { group, msg } => log.sent_nowhere(self.group(group), &self.msg(msg)),
            Fact::ConsumeTimedOut { client, queue, msg, .. } => {
                log.consume_timed_out(self.client(client), &self.msg(msg), &self.queue(queue))
            }
            _ => return None,
        })
    }
}
