//! Transactions at the producer (`TransactionMQProducer`): half message, local transaction, its
//! decision, answers to the broker's checks.

use std::rc::Rc;

use super::Producer;
use crate::command::{MessageSpec, TransactionScript};
use crate::event::{Packet, ProducerTimer};
use crate::fact::Decision;
use crate::ids::{BrokerId, Ms, MsgId, Party, TopicId};
use crate::shared::Shared;

/// A transaction of this producer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transaction {
    /// The message.
    pub msg: MsgId,
    /// What the application will decide.
    pub script: Rc<TransactionScript>,
    /// The broker that has the half message.
    pub broker: Option<BrokerId>,
    /// When the local transaction ends.
    pub ends_ms: Option<Ms>,
}

impl Producer {
    /// The application sends a message in a transaction.
    pub(crate) fn send_transaction(
        &mut self,
        shared: &mut Shared,
        topic: TopicId,
        thread: u8,
        spec: &MessageSpec,
        script: &TransactionScript,
    ) {
        let msg = self.build(shared, topic, spec, true);
        let script = Rc::new(script.clone());
        self.transactions.push(Transaction { msg, script, broker: None, ends_ms: None });
        self.enqueue(shared, thread, msg);
    }

    /// The half message is stored: the local transaction runs.
    pub(super) fn on_prepared(&mut self, shared: &mut Shared, msg: MsgId, broker: BrokerId) {
        let Some(own) = self.transactions.iter_mut().find(|t| t.msg == msg) else { return };
        let ends_ms = shared.now_ms + own.script.after_ms;
        (own.broker, own.ends_ms) = (Some(broker), Some(ends_ms));
        shared.at(ends_ms, self.timer(ProducerTimer::Decide { msg }));
    }

    pub(super) fn on_decide(&mut self, shared: &mut Shared, msg: MsgId) {
        let Some(own) = self.transactions.iter_mut().find(|t| t.msg == msg) else { return };
        own.ends_ms = None;
        let decision = own.script.decision;
        self.end_transaction(shared, msg, decision);
    }

    /// The broker asks: the application looks its transaction up.
    pub(super) fn on_check(&mut self, shared: &mut Shared, msg: MsgId, count: u8) {
        let Some(own) = self.transactions.iter().find(|t| t.msg == msg) else { return };
        let answers = &own.script.checks;
        let answer = answers.get(usize::from(count.max(1)) - 1).or(answers.last());
        self.end_transaction(shared, msg, answer.copied().unwrap_or(Decision::Unknown));
    }

    fn end_transaction(&mut self, shared: &mut Shared, msg: MsgId, decision: Decision) {
        let Some(place) = self.transactions.iter().position(|t| t.msg == msg) else { return };
        let Some(broker) = self.transactions[place].broker else { return };
        let packet = Packet::EndTransaction { msg, decision };
        shared.send(Party::Producer(self.id), Party::Broker(broker), packet);
    }
}
