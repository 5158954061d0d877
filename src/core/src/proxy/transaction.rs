//! Transactions at the proxy. The producer ends them here, and the broker's checks of them pass here;
//! a request to end one carries no place of the half message, so the proxy remembers it for a while.
//! Source: proxy `TransactionProcessor`, `TransactionDataManager`, `AbstractProxyRelayService`.

use super::Proxy;
use crate::event::Packet;
use crate::fact::{Decision, Fact};
use crate::ids::{BrokerId, Ms, MsgId, Party};
use crate::pop::PopFact;
use crate::shared::Shared;

/// Most copies of one half message that a proxy remembers (`transactionDataMaxNum`).
const MAX_COPIES: usize = 15;

/// Where a copy of a half message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct HalfPlace {
    /// When it was remembered.
    since_ms: Ms,
    broker: BrokerId,
    /// Offset in the half topic.
    offset: i64,
}

impl Proxy {
    /// A half message was stored, or is asked about.
    pub(super) fn remember_half(
        &mut self,
        shared: &Shared,
        msg: MsgId,
        (broker, offset): (BrokerId, i64),
    ) {
        let copies = self.halves.entry(msg).or_default();
        copies.push(HalfPlace { offset, broker, since_ms: shared.now_ms });
        copies.sort_unstable();
        if copies.len() > MAX_COPIES {
            copies.remove(0);
        }
    }

    /// A broker asks what became of a transaction: the question goes on to its producer.
    pub(super) fn on_check(
        &mut self,
        shared: &mut Shared,
        broker: BrokerId,
        (msg, half): (MsgId, i64),
        count: u8,
    ) {
        self.remember_half(shared, msg, (broker, half));
        let producer = Party::Producer(shared.message(msg).producer);
        shared.send(self.party(), producer, Packet::CheckTransaction { msg, half, count });
    }

    /// A producer ends a transaction: the copy that was remembered last is decided about. Without any
    /// the request fails, and nobody tries again before the broker asks.
    pub(super) fn on_end_transaction(
        &mut self,
        shared: &mut Shared,
        msg: MsgId,
        decision: Decision,
    ) {
        let limit_ms = shared.model.proxy_transaction_data_expire_ms;
        let mut copies = self.halves.remove(&msg).unwrap_or_default();
        copies.retain(|copy| shared.now_ms - copy.since_ms <= limit_ms);
        let Some(HalfPlace { offset, broker, .. }) = copies.pop() else {
            let proxy = self.id;
            return shared.fact(Fact::Pop(PopFact::TransactionUnknown { proxy, msg }));
        };
        if !copies.is_empty() {
            self.halves.insert(msg, copies);
        }
        let packet = Packet::EndTransaction { msg, half: offset, decision };
        shared.send(self.party(), Party::Broker(broker), packet);
    }
}
