//! SendMessage at the proxy: checks, the choice of the stored queue, the way to the broker
//! (`SendMessageActivity`, `ProducerProcessor`).

use super::cache::next_turn;
use super::{validate, Proxy, Relay, RelayKind};
use crate::command::TopicType;
use crate::event::{Packet, Refused, Rpc};
use crate::fact::{Fact, RequestKind};
use crate::grpc::{GrpcCode, PopPacket, SendRefusal};
use crate::ids::{BrokerId, MessageQueue, MsgId, Party, TopicId};
use crate::message::Message;
use crate::routing::consistent_hash;
use crate::shared::{Shared, TopicUse};

/// The type of a message as its properties give it.
pub fn type_of(shared: &Shared, message: &Message) -> TopicType {
    let series = &shared.names.series[message.series.index()];
    validate::message_type(validate::Properties {
        transaction: message.transaction,
        delay: message.delay_level > 0 || message.timer_delay_ms > 0,
        sharding_key: series.key.as_deref().is_some_and(|key| !key.is_empty()),
    })
}

impl Proxy {
    pub(super) fn on_submit(&mut self, shared: &mut Shared, from: Party, packet: PopPacket) {
        match packet {
            PopPacket::Submit { rpc, msg, endpoint, attempt } => {
                let queue = self.queue_of(shared, &[msg], endpoint);
                if let Some(queue) = self.unless_refused(shared, from, rpc, queue) {
                    let own = RelayKind::Send { first: Some(msg), queue, remoting: false };
                    let own = self.open(rpc.deadline_ms, Some((from, rpc)), own);
                    self.started(shared, &[msg], queue, attempt);
                    let packet = Packet::Send { rpc: own, msg, queue };
                    shared.send(self.party(), Party::Broker(queue.broker), packet);
                }
            }
            PopPacket::SubmitMany { rpc, msgs, endpoint, attempt } => {
                let queue = self.queue_of(shared, &msgs, endpoint);
                if let Some(queue) = self.unless_refused(shared, from, rpc, queue) {
                    let own =
                        RelayKind::Send { first: msgs.first().copied(), queue, remoting: false };
                    let own = self.open(rpc.deadline_ms, Some((from, rpc)), own);
                    self.started(shared, &msgs, queue, attempt);
                    let packet = Packet::Pop(PopPacket::SendBatch { rpc: own, msgs, queue });
                    shared.send(self.party(), Party::Broker(queue.broker), packet);
                }
            }
            PopPacket::SubmitTo { rpc, msg, queue, attempt } => {
                let queue = self.check_type(shared, queue.topic, msg).map(|()| queue);
                if let Some(queue) = self.unless_refused(shared, from, rpc, queue) {
                    let own = RelayKind::Send { first: Some(msg), queue, remoting: true };
                    let own = self.open(rpc.deadline_ms, Some((from, rpc)), own);
                    self.started(shared, &[msg], queue, attempt);
                    let packet = Packet::Send { rpc: own, msg, queue };
                    shared.send(self.party(), Party::Broker(queue.broker), packet);
                }
            }
            _ => {}
        }
    }

    /// The queue of a request that passes all checks.
    fn queue_of(
        &mut self,
        shared: &mut Shared,
        msgs: &[MsgId],
        endpoint: BrokerId,
    ) -> Result<MessageQueue, SendRefusal> {
        self.admit(shared, msgs)?;
        self.place(shared, msgs, endpoint)
    }

    fn started(&self, shared: &mut Shared, msgs: &[MsgId], queue: MessageQueue, attempt: u8) {
        for msg in msgs {
            let producer = shared.message(*msg).producer;
            shared.fact(Fact::SendStarted { producer, msg: *msg, queue, attempt });
        }
    }

    fn unless_refused(
        &self,
        shared: &mut Shared,
        from: Party,
        rpc: Rpc,
        queue: Result<MessageQueue, SendRefusal>,
    ) -> Option<MessageQueue> {
        match queue {
            Ok(queue) => Some(queue),
            Err(refusal) => {
                let answer = PopPacket::Submitted { token: rpc.token, result: Err(refusal) };
                self.reply(shared, (from, rpc), RequestKind::Send, answer);
                None
            }
        }
    }

    /// All checks of a gRPC send; the type check looks at the first message only.
    fn admit(&mut self, shared: &mut Shared, msgs: &[MsgId]) -> Result<(), SendRefusal> {
        let refuse = |code| Err(SendRefusal { code, types: None });
        if let Some(code) = self.failing(RequestKind::Send) {
            return refuse(code);
        }
        let Some(first) = msgs.first().copied() else {
            return refuse(GrpcCode::MessageCorrupted);
        };
        for msg in msgs {
            let message = shared.message(*msg);
            if let Some(key) = &shared.names.series[message.series.index()].key {
                validate::check_message_group(&shared.model, key)?;
            }
            validate::check_delivery_time(&shared.model, message.timer_delay_ms)?;
        }
        let topic = shared.message(first).topic;
        self.check_type(shared, topic, first)
    }

    fn check_type(
        &mut self,
        shared: &mut Shared,
        topic: TopicId,
        msg: MsgId,
    ) -> Result<(), SendRefusal> {
        if shared.model.enable_topic_message_type_check == 0 {
            return Ok(());
        }
        let usage = shared.names.topics[topic.index()].usage;
        if usage != TopicUse::User {
            return Ok(());
        }
        let expected = self.topic_type(shared, topic);
        validate::check_type(Some(expected), type_of(shared, shared.message(msg)))
    }

    /// The stored queue: one message with a message group goes where the group's hash says, anything
    /// else round robin. A local proxy makes its list anew for each send, with a new random start.
    fn place(
        &mut self,
        shared: &mut Shared,
        msgs: &[MsgId],
        endpoint: BrokerId,
    ) -> Result<MessageQueue, SendRefusal> {
        let refusal = |code| SendRefusal { code, types: None };
        let no_queue = refusal(GrpcCode::Forbidden);
        let first = msgs.first().copied().ok_or(no_queue)?;
        let message = shared.message(first);
        let (topic, series) = (message.topic, message.series);
        let group = shared.names.message_group(series);
        let same = msgs.len() == 1
            || shared.model.multi_message_keeps_group == 1
                && msgs.iter().all(|msg| shared.message_group(*msg) == group);
        let hash = group.filter(|_| same).map(|_| shared.names.series[series.index()].hash);
        let write = self.write_queues(shared, topic, endpoint).map_err(refusal)?;
        let index = match hash {
            _ if write.is_empty() => return Err(no_queue),
            Some(hash) => consistent_hash(i64::from(hash), write.len() as u32) as usize,
            None => {
                if shared.model.proxy_local == 1 {
                    self.round_robin.remove(&topic);
                }
                next_turn(shared, &mut self.round_robin, topic) as usize % write.len()
            }
        };
        write.get(index).copied().ok_or(no_queue)
    }

    /// The broker answered a send.
    pub(super) fn on_sent(
        &mut self,
        shared: &mut Shared,
        relay: Relay,
        (first, queue): (Option<MsgId>, MessageQueue),
        result: Result<i64, Refused>,
    ) {
        let Some(asker) = relay.asker else { return };
        let half = first.filter(|msg| shared.message(*msg).transaction);
        if let (Some(msg), Ok(offset)) = (half, result) {
            self.remember_half(shared, msg, (queue.broker, offset));
        }
        if matches!(relay.what, RelayKind::Send { remoting: true, .. }) {
            let answer = Packet::Sent { token: asker.1.token, result };
            return shared.answer(self.party(), asker.0, (asker.1, RequestKind::Send), answer);
        }
        let result = match result {
            Ok(offset) => Ok((queue, offset)),
            Err(Refused::TimerIllegal) => {
                Err(SendRefusal { code: GrpcCode::IllegalDeliveryTime, types: None })
            }
            Err(_) => Err(SendRefusal { code: GrpcCode::InternalServerError, types: None }),
        };
        let answer = PopPacket::Submitted { token: asker.1.token, result };
        self.reply(shared, asker, RequestKind::Send, answer);
    }
}
