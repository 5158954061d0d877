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
    /// The broker that has the half message, and its offset in the half topic there.
    pub half: Option<(BrokerId, i64)>,
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
        self.transactions.push(Transaction { msg, script, half: None, ends_ms: None });
        self.enqueue(shared, thread, msg);
    }

    /// The half message is stored: the local transaction runs.
    pub(super) fn on_prepared(&mut self, shared: &mut Shared, msg: MsgId, half: (BrokerId, i64)) {
        let Some(own) = self.transactions.iter_mut().find(|t| t.msg == msg) else { return };
        let ends_ms = shared.now_ms + own.script.after_ms;
        (own.half, own.ends_ms) = (Some(half), Some(ends_ms));
        shared.at(ends_ms, self.timer(ProducerTimer::Decide { msg }));
    }

    pub(super) fn on_decide(&mut self, shared: &mut Shared, msg: MsgId) {
        let Some(own) = self.transactions.iter_mut().find(|t| t.msg == msg) else { return };
        own.ends_ms = None;
        let (decision, half) = (own.script.decision, own.half);
        if let Some((_, offset)) = half {
            self.end_transaction(shared, (msg, offset), decision);
        }
    }

    /// The broker asks: the application looks its transaction up. The answer is about the copy that the
    /// broker asks about, not about the first one.
    pub(super) fn on_check(&mut self, shared: &mut Shared, (msg, half): (MsgId, i64), count: u8) {
        let Some(own) = self.transactions.iter().find(|t| t.msg == msg) else { return };
        let answers = &own.script.checks;
        let answer = answers.get(usize::from(count.max(1)) - 1).or(answers.last());
        self.end_transaction(shared, (msg, half), answer.copied().unwrap_or(Decision::Unknown));
    }

    fn end_transaction(
        &mut self,
        shared: &mut Shared,
        (msg, half): (MsgId, i64),
        decision: Decision,
    ) {
        let Some(own) = self.transactions.iter().find(|t| t.msg == msg) else { return };
        let Some((broker, _)) = own.half else { return };
        let packet = Packet::EndTransaction { msg, half, decision };
        // Behind a proxy the brokers are not reached directly (`EndTransaction`).
        let to = self.speaks_to(shared).map_or(Party::Broker(broker), Party::Proxy);
        shared.send(Party::Producer(self.id), to, packet);
    }
}
