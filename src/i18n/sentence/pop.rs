//! What each kind of fact about proxies, POP and gRPC clients says.

use lockstep_core::ids::{Party, ProxyId};
use lockstep_core::pop::{AckResult, ActKind, Cache, GrpcCode, PopFact, RenewalEnd, Wake};

use super::Speaker;
use crate::clock;
use crate::log_pop::PopLog;

impl Speaker<'_> {
    /// A proxy.
    pub fn proxy(&self, proxy: ProxyId) -> &str {
        self.party(Party::Proxy(proxy))
    }

    /// A code of the protocol: number and name.
    pub fn code(&self, code: Option<GrpcCode>) -> String {
        code.map_or_else(
            || PopLog(self.locale).no_answer().to_owned(),
            |code| {
                let (number, name) = code.named();
                format!("{name} {number}")
            },
        )
    }

    /// Facts of the second stack.
    pub(super) fn pop_fact(&self, fact: &PopFact) -> String {
        self.pop_broker_fact(fact)
            .or_else(|| self.pop_ack_fact(fact))
            .or_else(|| self.pop_client_fact(fact))
            .unwrap_or_else(|| self.pop_proxy_fact(fact))
    }

    /// What the broker does with deliveries.
    fn pop_broker_fact(&self, fact: &PopFact) -> Option<String> {
        let log = PopLog(self.locale);
        Some(match *fact {
            PopFact::Popped { group, queue, msg, attempt: 0 | 1, until_ms, .. } => {
                log.popped(&self.msg(msg), &self.queue(queue), self.group(group), &clock(until_ms))
            }
            PopFact::Popped { group, queue, msg, attempt, until_ms, .. } => {
                let (msg, queue) = (self.msg(msg), self.queue(queue));
                log.popped_again(&msg, &queue, self.group(group), attempt, &clock(until_ms))
            }
            PopFact::PopBlocked { group, queue, offset, until_ms } => {
                log.blocked(self.group(group), &self.queue(queue), offset, &clock(until_ms))
            }
            PopFact::PollParked { group, queue: Some(id), until_ms, .. } => {
                log.parked(self.group(group), &format!("q{id}"), &clock(until_ms))
            }
            PopFact::PollParked { group, queue: None, until_ms, .. } => {
                log.parked_all(self.group(group), &clock(until_ms))
            }
            PopFact::PollWoken { group, queue, why, .. } => {
                let why = match why {
                    Wake::Arrival => log.arrival(),
                    Wake::Acked => log.acked(),
                    Wake::LockFree => log.lock_free(),
                    Wake::Chain => log.chain(),
                    Wake::Expiry => log.expiry(),
                };
                match queue {
                    Some(id) => log.woken(self.group(group), &format!("q{id}"), why),
                    None => log.woken_all(self.group(group), why),
                }
            }
            PopFact::InvisibleChanged { queue, msg, until_ms, .. } => {
                log.invisible(&self.msg(msg), &self.queue(queue), &clock(until_ms))
            }
            PopFact::PopOffsetChosen { group, queue, offset } => {
                log.offset_chosen(self.group(group), &self.queue(queue), offset)
            }
            PopFact::Revived { group, queue, msg, .. } => {
                log.revived(&self.msg(msg), &self.queue(queue), self.group(group))
            }
            PopFact::OrderInfoSaved => log.order_saved(self.locale.pick("The broker", "Broker")),
            _ => return None,
        })
    }

    /// Acknowledgements at the broker.
    fn pop_ack_fact(&self, fact: &PopFact) -> Option<String> {
        let PopFact::Acked { group, queue, msg, result, .. } = *fact else { return None };
        let log = PopLog(self.locale);
        let (group, msg, queue) = (self.group(group), self.msg(msg), self.queue(queue));
        Some(match result {
            AckResult::Next(next) => log.ack_next(group, &msg, &queue, next),
            AckResult::Nothing => log.ack_nothing(group, &msg, &queue),
            AckResult::Below => log.ack_below(group, &msg, &queue),
            AckResult::Noted => log.ack_noted(group, &msg, &queue),
            AckResult::Illegal => log.ack_illegal(group, &msg, &queue),
            AckResult::Unwritten => log.ack_unwritten(&msg, &queue),
            AckResult::Unreadable => log.ack_unreadable(&msg, &queue),
            AckResult::NoMessage => log.ack_no_message(&msg, &queue),
        })
    }

    /// What gRPC consumers do.
    fn pop_client_fact(&self, fact: &PopFact) -> Option<String> {
        let log = PopLog(self.locale);
        Some(match *fact {
            PopFact::Received { client, queue, msg, attempt: 0 | 1, .. } => {
                log.received(self.client(client), &self.msg(msg), &self.queue(queue))
            }
            PopFact::Received { client, queue, msg, attempt, .. } => {
                let queue = self.queue(queue);
                log.received_again(self.client(client), &self.msg(msg), &queue, attempt)
            }
            PopFact::ReceivedNothing { client, code: GrpcCode::Ok | GrpcCode::MessageNotFound } => {
                log.received_nothing(self.client(client))
            }
            PopFact::ReceivedNothing { client, code } => {
                log.receive_failed(self.client(client), &self.code(Some(code)))
            }
            PopFact::HandleExpired { client, queue, msg, .. } => {
                log.handle_expired(self.client(client), &self.msg(msg), &self.queue(queue))
            }
            PopFact::ActFailed { client, msg, act, code, next_ms } => {
                let act = match act {
                    ActKind::Ack => log.act_ack(&self.msg(msg)),
                    ActKind::Change => log.act_change(&self.msg(msg)),
                    ActKind::DeadLetter => log.act_dead(&self.msg(msg)),
                };
                let (client, code) = (self.client(client), self.code(code));
                match next_ms {
                    None => log.act_failed(client, &act, &code),
                    Some(ms) => log.act_again(client, &act, &code, &clock(ms)),
                }
            }
            // Only what an ordered push consumer keeps is tried again by itself.
            PopFact::AttemptFailed { client, msg, attempt, next_ms, .. }
                if !self.keeps_failed(client) =>
            {
                let (msg, over) = (self.msg(msg), clock(next_ms));
                log.attempt_failed_hidden(&msg, self.client(client), attempt, &over)
            }
            PopFact::AttemptFailed { client, msg, attempt, next_ms, .. } => {
                log.attempt_failed(&self.msg(msg), self.client(client), attempt, &clock(next_ms))
            }
            PopFact::ForwardedToDeadLetter { client, msg, attempt } => {
                log.forwarded(self.client(client), &self.msg(msg), attempt)
            }
            _ => return None,
        })
    }

    /// What proxies do, and producers that send through them.
    fn pop_proxy_fact(&self, fact: &PopFact) -> String {
        let log = PopLog(self.locale);
        match *fact {
            PopFact::EndpointChosen { producer, msg, queue, attempt } => {
                let (producer, msg) = (self.producer(producer), self.msg(msg));
                let broker = self.broker(queue.broker);
                if attempt > 1 {
                    log.endpoint_again(producer, &msg, broker, attempt)
                } else {
                    log.endpoint(producer, &msg, broker)
                }
            }
            PopFact::SendAttemptFailed { producer, msg, attempt, code, next_ms } => {
                let (producer, msg, code) =
                    (self.producer(producer), self.msg(msg), self.code(code));
                log.send_attempt_failed(producer, &msg, attempt, &code, &clock(next_ms))
            }
            PopFact::ClientRegistered { proxy, client } => {
                log.registered(self.proxy(proxy), self.client(client))
            }
            PopFact::ClientDropped { proxy, client, silent: true } => {
                log.dropped_silent(self.proxy(proxy), self.client(client))
            }
            PopFact::ClientDropped { proxy, client, silent: false } => {
                log.dropped(self.proxy(proxy), self.client(client))
            }
            PopFact::CacheStale { proxy, what } => match what {
                Cache::Route(topic) => log.stale_route(self.proxy(proxy), self.topic(topic)),
                Cache::Type(topic) => log.stale_type(self.proxy(proxy), self.topic(topic)),
                Cache::Group(group) => log.stale_group(self.proxy(proxy), self.group(group)),
                Cache::Broker(broker) => log.stale_broker(self.proxy(proxy), self.broker(broker)),
            },
            PopFact::BrokerUnknown { proxy, broker, client, msg } => {
                let (proxy, broker) = (self.proxy(proxy), self.broker(broker));
                log.broker_unknown(proxy, broker, self.client(client), &self.msg(msg))
            }
            PopFact::TransactionUnknown { proxy, msg } => {
                log.transaction_unknown(self.proxy(proxy), &self.msg(msg))
            }
            PopFact::Renewed { proxy, client, msg, times, until_ms } => {
                let until = clock(until_ms);
                log.renewed(self.proxy(proxy), &self.msg(msg), self.client(client), times, &until)
            }
            PopFact::RenewalEnded { proxy, msg, why, until_ms, .. } => {
                let why = match why {
                    RenewalEnd::TooLong => log.too_long(),
                    RenewalEnd::ClientGone => log.client_gone(),
                    RenewalEnd::Failed => log.renew_failed(),
                };
                log.renewal_ended(self.proxy(proxy), &self.msg(msg), why, &clock(until_ms))
            }
            PopFact::DeadOnReceive { proxy, group, msg, attempt } => {
                log.dead_on_receive(self.proxy(proxy), &self.msg(msg), self.group(group), attempt)
            }
            PopFact::FilteredOnReceive { proxy, group, msg } => {
                log.filtered(self.proxy(proxy), &self.msg(msg), self.group(group))
            }
            _ => String::new(),
        }
    }
}
