//! Facts about the proxy, POP and gRPC consumers as JSON.

use lockstep_core::ids::ProxyId;
use lockstep_core::pop::{GrpcCode, PopFact};

use crate::facts::Fields;

impl Fields<'_> {
    fn proxy(&mut self, proxy: ProxyId) -> &mut Self {
        let name = self.world.shared.names.proxies[proxy.index()].clone();
        self.set("proxy", name)
    }

    fn code(&mut self, code: Option<GrpcCode>) -> &mut Self {
        self.set("code", code.map(GrpcCode::number))
    }
}

/// The fields of a fact of the second stack.
pub(crate) fn pop(f: &mut Fields<'_>, fact: &PopFact) {
    if !at_broker(f, fact) {
        grpc(f, fact);
    }
}

fn at_broker(f: &mut Fields<'_>, fact: &PopFact) -> bool {
    match *fact {
        PopFact::Popped { group, queue, offset, msg, attempt, until_ms } => f
            .group(group)
            .queue(queue)
            .set("offset", offset)
            .message(msg)
            .set("attempt", attempt)
            .set("until_ms", until_ms),
        PopFact::PopBlocked { group, queue, offset, until_ms } => {
            f.group(group).queue(queue).set("offset", offset).set("until_ms", until_ms)
        }
        PopFact::PollParked { group, from, queue, until_ms } => {
            f.group(group).party("from", from).set("queue", queue).set("until_ms", until_ms)
        }
        PopFact::PollWoken { group, from, queue, why } => {
            f.group(group).party("from", from).set("queue", queue).named("why", why)
        }
        PopFact::Acked { group, queue, offset, msg, result } => {
            f.group(group).queue(queue).set("offset", offset).message(msg).named("result", result)
        }
        PopFact::InvisibleChanged { group, queue, offset, msg, until_ms } => {
            f.group(group).queue(queue).set("offset", offset).message(msg).set("until_ms", until_ms)
        }
        PopFact::PopOffsetChosen { group, queue, offset } => {
            f.group(group).queue(queue).set("offset", offset)
        }
        PopFact::Revived { group, queue, offset, msg } => {
            f.group(group).queue(queue).set("offset", offset).message(msg)
        }
        PopFact::DeadOnReceive { proxy, group, msg, attempt } => {
            f.proxy(proxy).group(group).message(msg).set("attempt", attempt)
        }
        PopFact::FilteredOnReceive { proxy, group, msg } => {
            f.proxy(proxy).group(group).message(msg)
        }
        _ => return false,
    };
    true
}

fn grpc(f: &mut Fields<'_>, fact: &PopFact) {
    match *fact {
        PopFact::EndpointChosen { producer, msg, queue, attempt } => {
            f.producer(producer).message(msg).queue(queue).set("attempt", attempt)
        }
        PopFact::SendAttemptFailed { producer, msg, attempt, code, next_ms } => f
            .producer(producer)
            .message(msg)
            .set("attempt", attempt)
            .code(code)
            .set("next_ms", next_ms),
        PopFact::ClientRegistered { proxy, client } => f.proxy(proxy).client(client),
        PopFact::ClientDropped { proxy, client, silent } => {
            f.proxy(proxy).client(client).set("silent", silent)
        }
        PopFact::CacheStale { proxy, what } => f.proxy(proxy).named("what", what),
        PopFact::Received { client, queue, offset, msg, attempt } => {
            f.client(client).queue(queue).set("offset", offset).message(msg).set("attempt", attempt)
        }
        PopFact::ReceivedNothing { client, code } => f.client(client).code(Some(code)),
        PopFact::Renewed { proxy, client, msg, times, until_ms } => {
            f.proxy(proxy).client(client).message(msg).set("times", times).set("until_ms", until_ms)
        }
        PopFact::RenewalEnded { proxy, client, msg, why, until_ms } => {
            f.proxy(proxy).client(client).message(msg).named("why", why).set("until_ms", until_ms)
        }
        PopFact::BrokerUnknown { proxy, broker, client, msg } => {
            f.proxy(proxy).broker(broker).client(client).message(msg)
        }
        PopFact::TransactionUnknown { proxy, msg } => f.proxy(proxy).message(msg),
        PopFact::HandleExpired { client, queue, offset, msg } => {
            f.client(client).queue(queue).set("offset", offset).message(msg)
        }
        PopFact::ActFailed { client, msg, act, code, next_ms } => {
            f.client(client).message(msg).named("act", act).code(code).set("next_ms", next_ms)
        }
        PopFact::AttemptFailed { client, queue, msg, attempt, next_ms } => f
            .client(client)
            .queue(queue)
            .message(msg)
            .set("attempt", attempt)
            .set("next_ms", next_ms),
        PopFact::ForwardedToDeadLetter { client, msg, attempt } => {
            f.client(client).message(msg).set("attempt", attempt)
        }
        _ => f,
    };
}
