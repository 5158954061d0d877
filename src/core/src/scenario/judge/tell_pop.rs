//! Facts about the proxy, POP and gRPC consumers, as lines of English.

use super::tell::{time, Teller};
use crate::ids::ProxyId;
use crate::pop::{AckResult, ActKind, Cache, GrpcCode, PopFact, RenewalEnd, Wake};

/// Number and name of a code; the end of the time-out without one.
fn code_words(code: Option<GrpcCode>) -> String {
    match code.map(GrpcCode::named) {
        Some((number, name)) => format!("{number} {name}"),
        None => "no answer".to_owned(),
    }
}

impl Teller<'_> {
    fn proxy(&self, proxy: ProxyId) -> &str {
        &self.world.shared.names.proxies[proxy.index()]
    }

    /// POP at the broker.
    pub(super) fn pop(&self, fact: &PopFact) -> Option<String> {
        let party = |party| self.world.shared.names.party_name(party);
        let which =
            |queue: Option<u16>| queue.map_or("any queue".to_owned(), |id| format!("q{id}"));
        Some(match *fact {
            PopFact::Popped { group, queue, offset, msg, attempt, until_ms } => format!(
                "{} popped for {} from {} at offset {offset} (attempt {attempt}), invisible until {}",
                self.label(msg),
                self.group(group),
                self.queue(queue),
                time(until_ms)
            ),
            PopFact::PopBlocked { group, queue, offset, until_ms } => format!(
                "{} blocked for {} until {}: offset {offset} is unfinished",
                self.queue(queue),
                self.group(group),
                time(until_ms)
            ),
            PopFact::PollParked { group, from, queue, until_ms } => format!(
                "receive of {} through {} waits for {} until {}",
                self.group(group),
                party(from),
                which(queue),
                time(until_ms)
            ),
            PopFact::PollWoken { group, from, queue, why } => {
                let why = match why {
                    Wake::Arrival => "a message came",
                    Wake::Acked => "an acknowledgement freed the queue",
                    Wake::LockFree => "the queue is free again",
                    Wake::Chain => "another receive left messages",
                    Wake::Expiry => "its time is nearly over",
                };
                let (group, from, queue) = (self.group(group), party(from), which(queue));
                format!("receive of {group} through {from} for {queue} runs again ({why})")
            }
            PopFact::Acked { group, queue, offset, msg, result } => {
                let result = match result {
                    AckResult::Next(next) => format!("the consumer offset is {next}"),
                    AckResult::Nothing => {
                        "nothing changed, it was delivered again since or its batch is not complete".to_owned()
                    },
                    AckResult::Below => "nothing changed, the offset is behind it".to_owned(),
                    AckResult::Noted => "noted".to_owned(),
                    AckResult::Illegal => "refused, 13: it was not popped".to_owned(),
                    AckResult::Unwritten => {
                        "nothing noted, the disk is too full".to_owned()
                    }
                    AckResult::Unreadable => "refused, 13: the queue is not readable".to_owned(),
                    AckResult::NoMessage => "refused, 208: there is no such offset".to_owned(),
                };
                let (msg, group, queue) = (self.label(msg), self.group(group), self.queue(queue));
                format!("{msg} acked for {group} in {queue} at offset {offset}: {result}")
            }
            PopFact::InvisibleChanged { group, queue, msg, until_ms, .. } => format!(
                "{} invisible for {} in {} until {}",
                self.label(msg),
                self.group(group),
                self.queue(queue),
                time(until_ms)
            ),
            PopFact::PopOffsetChosen { group, queue, offset } => {
                format!("{} begins to read {} at {offset}", self.group(group), self.queue(queue))
            }
            PopFact::Revived { group, queue, msg, .. } => format!(
                "{} from {} copied to the retry topic of {}",
                self.label(msg),
                self.queue(queue),
                self.group(group)
            ),
            PopFact::OrderInfoSaved => "records of ordered POP written to disk".to_owned(),
            PopFact::DeadOnReceive { group, msg, attempt, .. } => format!(
                "{} has used up its attempts ({attempt}): a dead letter of {}",
                self.label(msg),
                self.group(group)
            ),
            PopFact::FilteredOnReceive { group, msg, .. } => {
                format!("{} acked by the proxy: {} does not want it", self.label(msg), self.group(group))
            }
            _ => return None,
        })
    }

    /// Proxies, gRPC consumers and producers.
    pub(super) fn grpc(&self, fact: &PopFact) -> Option<String> {
        let topic = |id: crate::ids::TopicId| &self.world.shared.names.topics[id.index()].name;
        Some(match *fact {
            PopFact::EndpointChosen { producer, msg, queue, attempt } => format!(
                "{} chose the endpoint of {} for {} (attempt {attempt})",
                self.producer(producer),
                self.queue(queue),
                self.label(msg)
            ),
            PopFact::SendAttemptFailed { msg, attempt, code, next_ms, .. } => format!(
                "attempt {attempt} to send {} failed ({}), next at {}",
                self.label(msg),
                code_words(code),
                time(next_ms)
            ),
            PopFact::ClientRegistered { proxy, client } => {
                format!("{} registered with {}", self.client(client), self.proxy(proxy))
            }
            PopFact::ClientDropped { proxy, client, silent } => {
                let why = if silent { "it was silent for too long" } else { "it left" };
                format!("{} dropped by {} ({why})", self.client(client), self.proxy(proxy))
            }
            PopFact::CacheStale { proxy, what } => {
                let what = match what {
                    Cache::Route(id) => format!("route of {}", topic(id)),
                    Cache::Type(id) => format!("type of {}", topic(id)),
                    Cache::Group(id) => format!("settings of {}", self.group(id)),
                    Cache::Broker(id) => format!("address of {}", self.broker(id)),
                };
                format!("{} used an old {what}", self.proxy(proxy))
            }
            PopFact::Received { client, queue, msg, attempt, .. } => format!(
                "{} received by {} from {} (attempt {attempt})",
                self.label(msg),
                self.client(client),
                self.queue(queue)
            ),
            PopFact::ReceivedNothing { client, code } => {
                format!("{} received nothing ({})", self.client(client), code_words(Some(code)))
            }
            _ => return None,
        })
    }

    /// What becomes of a message that a gRPC consumer has.
    pub(super) fn held(&self, fact: &PopFact) -> Option<String> {
        Some(match *fact {
            PopFact::Renewed { proxy, client, msg, times, until_ms } => format!(
                "{} of {} renewed by {} until {} (time {times})",
                self.label(msg),
                self.client(client),
                self.proxy(proxy),
                time(until_ms)
            ),
            PopFact::RenewalEnded { proxy, msg, why, until_ms, .. } => {
                let why = match why {
                    RenewalEnd::TooLong => "renewed for too long",
                    RenewalEnd::ClientGone => "its consumer is gone",
                    RenewalEnd::Failed => "the broker did not renew it",
                };
                let (msg, proxy) = (self.label(msg), self.proxy(proxy));
                format!(
                    "{msg} no longer renewed by {proxy} ({why}), invisible until {}",
                    time(until_ms)
                )
            }
            PopFact::BrokerUnknown { proxy, broker, client, msg } => format!(
                "{} does not find {} for the handle of {} for {}",
                self.proxy(proxy),
                self.broker(broker),
                self.client(client),
                self.label(msg)
            ),
            PopFact::TransactionUnknown { proxy, msg } => format!(
                "{} does not know (any more) where the half message of {} is",
                self.proxy(proxy),
                self.label(msg)
            ),
            PopFact::HandleExpired { client, msg, .. } => format!(
                "receipt handle of {} for {} is worth nothing any more",
                self.client(client),
                self.label(msg)
            ),
            PopFact::ActFailed { client, msg, act, code, next_ms } => {
                let act = match act {
                    ActKind::Ack => "acknowledgement",
                    ActKind::Change => "change of the invisible duration",
                    ActKind::DeadLetter => "forward to the dead letters",
                };
                let next = next_ms.map_or(String::new(), |ms| format!(", next at {}", time(ms)));
                let (msg, client) = (self.label(msg), self.client(client));
                format!("{act} of {msg} by {client} failed ({}){next}", code_words(code))
            }
            PopFact::AttemptFailed { client, msg, attempt, next_ms, .. } => format!(
                "attempt {attempt} of {} at {} failed, next at {}",
                self.client(client),
                self.label(msg),
                time(next_ms)
            ),
            PopFact::ForwardedToDeadLetter { client, msg, attempt } => format!(
                "{} given up by {} after attempt {attempt}: to the dead letters",
                self.label(msg),
                self.client(client)
            ),
            _ => return None,
        })
    }
}
