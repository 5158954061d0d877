//! Acts on deliveries: acknowledgements, changes of the invisible time, dead letters.

use std::rc::Rc;

use super::{validate, Proxy, Relay, RelayKind};
use crate::event::{Packet, Rpc};
use crate::fact::{Fact, RequestKind};
use crate::grpc::{AckCode, Act, GrpcCode, Handle, PopPacket};
use crate::ids::{ClientId, GroupId, Ms, Party};
use crate::pop::PopFact;
use crate::shared::Shared;

impl Proxy {
    /// Whether a handle is worth nothing any more by the proxy's clock: INVALID_RECEIPT_HANDLE.
    /// Source: common `ReceiptHandle.isExpired`.
    pub(super) fn is_expired(&self, shared: &Shared, handle: &Handle) -> bool {
        handle.over_ms(self.clock_ahead_ms) <= shared.now_ms
    }

    /// Sends a request to a broker that nobody waits for, unless the proxy does not find the broker.
    pub(super) fn settle_quietly(
        &mut self,
        shared: &mut Shared,
        group: GroupId,
        handle: Handle,
        change_ms: Option<Ms>,
    ) {
        if !self.finds(shared, handle.queue.broker) {
            return;
        }
        let deadline_ms = shared.now_ms + shared.model.grpc_request_timeout_ms;
        let rpc = self.open(deadline_ms, None, RelayKind::Quiet);
        self.settle(shared, rpc, group, handle, change_ms);
    }

    pub(super) fn settle(
        &self,
        shared: &mut Shared,
        rpc: Rpc,
        group: GroupId,
        handle: Handle,
        change_ms: Option<Ms>,
    ) {
        let to = Party::Broker(handle.queue.broker);
        let handle = Rc::new(handle);
        let packet = Packet::Pop(PopPacket::Settle { rpc, group, handle, change_ms });
        shared.send(self.party(), to, packet);
    }

    pub(super) fn on_act(
        &mut self,
        shared: &mut Shared,
        (client, group): (ClientId, GroupId),
        rpc: Rpc,
        handle: Option<&Handle>,
        act: Act,
    ) {
        let asker = (Party::Client(client), rpc);
        let refuse = |this: &Self, shared: &mut Shared, code| {
            let answer = PopPacket::Acted { token: rpc.token, result: Err(code) };
            this.reply(shared, asker, RequestKind::Ack, answer);
        };
        let kind = match act {
            Act::Dead => RequestKind::SendBack,
            Act::Ack | Act::Change(_) => RequestKind::Ack,
        };
        if let Some(code) = self.failing(kind) {
            return refuse(self, shared, code);
        }
        if let Act::Change(ms) = act {
            if let Err(code) = validate::check_change_invisible(&shared.model, ms) {
                return refuse(self, shared, code);
            }
        }
        // An empty handle cannot be read (`ReceiptHandle.decode`).
        let Some(handle) = handle else {
            return refuse(self, shared, GrpcCode::InternalServerError);
        };
        let handle = self.untrack(shared, client, group, handle).unwrap_or(*handle);
        if act == Act::Dead && self.finds(shared, handle.queue.broker) {
            return self.send_dead(shared, Some(asker), rpc.deadline_ms, group, handle);
        }
        if act != Act::Dead && self.is_expired(shared, &handle) {
            let (queue, offset, msg) = (handle.queue, handle.offset as u32, handle.msg);
            shared.fact(Fact::Pop(PopFact::HandleExpired { client, queue, offset, msg }));
            return refuse(self, shared, GrpcCode::InvalidReceiptHandle);
        }
        let broker = handle.queue.broker;
        if act == Act::Dead || !self.finds(shared, broker) {
            let (proxy, msg) = (self.id, handle.msg);
            shared.fact(Fact::Pop(PopFact::BrokerUnknown { proxy, broker, client, msg }));
            return refuse(self, shared, GrpcCode::InvalidReceiptHandle);
        }
        let change_ms = match act {
            Act::Change(ms) => Some(ms),
            _ => None,
        };
        let rpc = self.open(rpc.deadline_ms, Some(asker), RelayKind::Act { handle });
        self.settle(shared, rpc, group, handle, change_ms);
    }

    /// ConsumerSendMsgBack with level -1 and limit 0, for the message at the handle's place; a broker
    /// that has it no more refuses. Source: `ProducerProcessor.forwardMessageToDeadLetterQueue`.
    pub(super) fn send_dead(
        &mut self,
        shared: &mut Shared,
        asker: Option<(Party, Rpc)>,
        deadline_ms: Ms,
        group: GroupId,
        handle: Handle,
    ) {
        let rpc = self.open(deadline_ms, asker, RelayKind::Dead { group, handle });
        let (msg, at) = (handle.msg, (handle.queue, handle.offset));
        let packet = Packet::SendBack { rpc, group, msg, at, delay_level: -1, max: 0 };
        shared.send(self.party(), Party::Broker(handle.queue.broker), packet);
    }

    /// The dead letter is stored (or the group stores none): the original is acknowledged.
    pub(super) fn on_dead_answered(
        &mut self,
        shared: &mut Shared,
        relay: Relay,
        (group, handle): (GroupId, &Handle),
        taken: bool,
    ) {
        if taken && !self.is_expired(shared, handle) {
            self.settle_quietly(shared, group, *handle, None);
        }
        if let Some(asker) = relay.asker {
            let stored = taken.then(|| Rc::new(*handle));
            let result = stored.ok_or(GrpcCode::InternalServerError);
            let answer = PopPacket::Acted { token: asker.1.token, result };
            self.reply(shared, asker, RequestKind::Ack, answer);
        }
    }

    pub(super) fn on_settled(
        &self,
        shared: &mut Shared,
        relay: Relay,
        code: AckCode,
        handle: Handle,
    ) {
        let Some(asker) = relay.asker else { return };
        let result = match code {
            AckCode::Success => Ok(Rc::new(handle)),
            _ => Err(GrpcCode::InternalServerError),
        };
        let answer = PopPacket::Acted { token: asker.1.token, result };
        self.reply(shared, asker, RequestKind::Ack, answer);
    }
}
