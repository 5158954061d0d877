//! What became of the decision about a transaction on its way to the broker.

use super::{faults, Run};
use crate::fact::{Decision, Fact};
use crate::ids::{Ms, MsgId, Party};
use crate::pop::PopFact;

/// Why a decision that was taken does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Undone {
    /// Its packet was lost.
    Lost {
        /// From whom.
        from: Party,
        /// To whom.
        to: Party,
    },
    /// It came when the producer's proxy no longer knew where the half message is.
    Forgotten {
        /// Which.
        proxy: crate::ids::ProxyId,
    },
    /// The broker could not write it down: its disk was too full.
    NotWritten {
        /// Which.
        broker: crate::ids::BrokerId,
    },
}

/// A decision that does not count, with the fact that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fruitless {
    /// Why.
    pub(super) why: Undone,
    /// The fact.
    pub(super) fact: u32,
}

/// The last decision about a half message that was taken and came to nothing.
pub(super) fn fruitless(run: &Run<'_>, msg: MsgId) -> Option<Fruitless> {
    let of_message = run.ledger.newest_of(msg, run.facts.len()).find_map(|fact| {
        let why = match run.facts.get(fact as usize)?.fact {
            Fact::Pop(PopFact::TransactionUnknown { proxy, .. }) => Undone::Forgotten { proxy },
            Fact::TransactionEnded { decision: Decision::Commit | Decision::Rollback, .. } => {
                Undone::NotWritten { broker: half_at(run, msg)? }
            }
            _ => return None,
        };
        Some(Fruitless { why, fact })
    });
    of_message.into_iter().chain(lost_decision(run, msg)).max_by_key(|one| one.fact)
}

/// The broker that has a half message.
fn half_at(run: &Run<'_>, msg: MsgId) -> Option<crate::ids::BrokerId> {
    run.ledger.newest_of(msg, run.facts.len()).find_map(|fact| {
        match run.facts.get(fact as usize)?.fact {
            Fact::TransactionPrepared { queue, .. } => Some(queue.broker),
            _ => None,
        }
    })
}

/// The loss of the packet by which a producer decided at the end of its local transaction.
pub(super) fn lost_decision(run: &Run<'_>, msg: MsgId) -> Option<Fruitless> {
    let shared = &run.world.shared;
    let producer = run.world.producers.get(shared.message(msg).producer.index())?;
    let own = producer.transactions.iter().find(|own| own.msg == msg)?;
    if own.script.decision == Decision::Unknown {
        return None;
    }
    let answered = run.ledger.newest_of(msg, run.facts.len()).find(|fact| {
        run.facts.get(*fact as usize).is_some_and(|r| matches!(r.fact, Fact::SendCompleted { .. }))
    })?;
    let at_ms: Ms = run.facts[answered as usize].at_ms + own.script.after_ms;
    let way = faults::way_of(run, msg);
    let from = run.facts.partition_point(|r| r.at_ms < at_ms);
    let mut later = (from..run.facts.len()).take_while(|i| {
        // The packet may have travelled for a while before it was lost.
        run.facts[*i].at_ms <= at_ms + run.world.shared.net.latency_ms
    });
    let lost = later.find_map(|index| match run.facts[index].fact {
        Fact::PacketLost { from, to } if way.contains(&from) && way.contains(&to) => {
            Some(Fruitless { why: Undone::Lost { from, to }, fact: index as u32 })
        }
        _ => None,
    })?;
    // What reached the broker all the same was another one.
    let reached = run.ledger.newest_of(msg, run.facts.len()).any(|fact| {
        fact > lost.fact
            && run.facts.get(fact as usize).is_some_and(|r| {
                matches!(r.fact, Fact::TransactionEnded { decision, .. } if decision != Decision::Unknown)
            })
    });
    (!reached).then_some(lost)
}
