//! ReceiveMessage at the proxy: limits, the POP of the whole broker, what is filtered, made a dead
//! letter or renewed (`ReceiveMessageActivity`, `ConsumerProcessor.popMessage`).

use std::rc::Rc;

use super::{validate, Proxy, Relay, RelayKind};
use crate::event::Packet;
use crate::fact::{Fact, RequestKind};
use crate::grpc::{Delivery, GrpcCode, InitMode, PopPacket, PopRequest, PopStatus, ReceiveRequest};
use crate::ids::{ClientId, Party};
use crate::model::Version;
use crate::pop::PopFact;
use crate::shared::Shared;

/// What a proxy does with a delivered message (`PopMessageResultFilterImpl`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filtered {
    /// It goes to the client.
    Match,
    /// It does not match the filter and is acknowledged.
    NoMatch,
    /// Its attempts are used up.
    ToDeadLetter,
}

/// What a proxy does with a delivered message: the tag first, then the attempts.
pub fn filter(matches: bool, reconsume_times: u32, max_attempts: u32) -> Filtered {
    match (matches, reconsume_times >= max_attempts) {
        (false, _) => Filtered::NoMatch,
        (true, true) => Filtered::ToDeadLetter,
        (true, false) => Filtered::Match,
    }
}

impl Proxy {
    pub(super) fn on_receive(
        &mut self,
        shared: &mut Shared,
        client: ClientId,
        request: &ReceiveRequest,
    ) {
        let ReceiveRequest { rpc, group, from, max, invisible_ms, poll_ms, attempt, .. } = *request;
        let asker = (Party::Client(client), rpc);
        let limits = match self.failing(RequestKind::Receive) {
            Some(code) => Err(code),
            // Without the settings of the client it cannot be served (`getClientSettings`).
            None if !self.is_connected(client, group) => Err(GrpcCode::InternalServerError),
            None => self.limits(shared, rpc.deadline_ms, poll_ms, invisible_ms),
        };
        let admitted = limits.and_then(|limits| {
            Ok((limits, self.readable_broker(shared, from.topic, from.broker)?))
        });
        let ((poll_ms, invisible), broker) = match admitted {
            Ok(admitted) => admitted,
            Err(code) => {
                let answer = PopPacket::Received { token: rpc.token, result: Err(code) };
                return self.reply(shared, asker, RequestKind::Receive, answer);
            }
        };
        let config = self.group_config(shared, group);
        let relay = RelayKind::Receive {
            group,
            client,
            tags: Rc::clone(&request.tags),
            auto_renew: invisible_ms.is_none(),
            max_attempts: config.max_attempts,
        };
        let own = self.open(rpc.deadline_ms, Some(asker), relay);
        let most = shared.model.max_msg_nums_for_pop as u32;
        let request = PopRequest {
            from: self.party(),
            rpc: own,
            group,
            topic: from.topic,
            // The proxy uses only the broker of the queue that was asked for.
            queue: None,
            max: max.min(most),
            invisible_ms: invisible,
            born_ms: shared.now_ms,
            poll_ms,
            ordered: config.orderly,
            attempt: attempt.filter(|_| shared.model.proxy_passes_attempt_id == 1),
            init: InitMode::Max,
            tags: Rc::clone(&request.tags),
        };
        let packet = Packet::Pop(PopPacket::Pop(Rc::new(request)));
        shared.send(self.party(), Party::Broker(broker), packet);
    }

    /// Long poll and invisible time of a receive, clamped and checked.
    fn limits(
        &self,
        shared: &Shared,
        deadline_ms: crate::ids::Ms,
        poll_ms: crate::ids::Ms,
        invisible_ms: Option<crate::ids::Ms>,
    ) -> Result<(crate::ids::Ms, crate::ids::Ms), GrpcCode> {
        let model = &shared.model;
        let left_ms = deadline_ms - shared.now_ms;
        let shortest_ms = model.grpc_min_long_polling_ms;
        // 5.0.0 takes the time of the whole request instead, without half a request time-out.
        let poll_ms = match model.version < Version(5, 1, 0) {
            true => (left_ms - model.grpc_request_timeout_ms / 2).max(0),
            false => poll_ms,
        };
        let mut poll_ms = poll_ms.max(shortest_ms).min(model.grpc_max_long_polling_ms);
        if poll_ms > left_ms {
            if left_ms < shortest_ms {
                return Err(GrpcCode::IllegalPollingTime);
            }
            poll_ms = left_ms;
        }
        match invisible_ms {
            None => Ok((poll_ms, model.default_invisible_time_ms)),
            Some(ms) => validate::check_receive_invisible(model, ms).map(|()| (poll_ms, ms)),
        }
    }

    pub(super) fn on_popped(
        &mut self,
        shared: &mut Shared,
        relay: Relay,
        status: PopStatus,
        deliveries: &[Delivery],
    ) {
        let RelayKind::Receive { group, client, tags, auto_renew, max_attempts } = relay.what
        else {
            return;
        };
        let Some(asker) = relay.asker else { return };
        let mut kept = Vec::with_capacity(deliveries.len());
        for delivery in deliveries {
            let mut delivery = *delivery;
            if shared.model.proxy_local == 1 && delivery.handle.ordered {
                delivery.reconsume_times = delivery.queue_count;
            }
            let msg = delivery.handle.msg;
            let matches = tags.is_empty() || tags.contains(&shared.message(msg).tag);
            match filter(matches, delivery.reconsume_times, max_attempts) {
                Filtered::NoMatch => {
                    let proxy = self.id;
                    shared.fact(Fact::Pop(PopFact::FilteredOnReceive { proxy, group, msg }));
                    self.settle_quietly(shared, group, delivery.handle, None);
                }
                Filtered::ToDeadLetter => {
                    let (proxy, attempt) = (self.id, delivery.reconsume_times as u16);
                    shared.fact(Fact::Pop(PopFact::DeadOnReceive { proxy, group, msg, attempt }));
                    let deadline_ms = shared.now_ms + shared.model.grpc_request_timeout_ms;
                    self.send_dead(shared, None, deadline_ms, group, delivery.handle);
                }
                Filtered::Match => kept.push(delivery),
            }
        }
        if auto_renew {
            for delivery in &kept {
                self.track(shared, client, group, delivery);
            }
        }
        let result = match status {
            PopStatus::Found if !kept.is_empty() => Ok(kept.into()),
            PopStatus::Found | PopStatus::PollingTimeout => Err(GrpcCode::MessageNotFound),
            PopStatus::PollingFull => Err(GrpcCode::TooManyRequests),
            PopStatus::Illegal => Err(GrpcCode::InternalServerError),
        };
        let answer = PopPacket::Received { token: asker.1.token, result };
        self.reply(shared, asker, RequestKind::Receive, answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_comes_before_the_attempts() {
        assert_eq!(filter(false, 99, 17), Filtered::NoMatch);
        assert_eq!(filter(true, 16, 17), Filtered::Match);
        assert_eq!(filter(true, 17, 17), Filtered::ToDeadLetter);
    }
}
