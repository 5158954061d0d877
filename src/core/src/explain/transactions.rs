//! What became of the decision about a transaction on its way to the broker.

use super::violation::instead;
use super::{faults, Change, Run};
use crate::broker::Broker;
use crate::command::{Command, TransactionScript};
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
    /// Nothing counts now: the disk of the broker is too full for commits, and for checks.
    Full {
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

/// Why the decision about an open half message does not count: its broker can keep none now, or one was
/// taken and came to nothing.
pub(super) fn in_the_way(run: &Run<'_>, msg: MsgId, broker: &Broker) -> Option<Undone> {
    match broker.refuses_writes() {
        true => Some(Undone::Full { broker: broker.id }),
        false => fruitless(run, msg).map(|fruitless| fruitless.why),
    }
}

/// The transaction of a message with another script.
pub(super) fn scripted(
    run: &Run<'_>,
    msg: MsgId,
    change: impl Fn(&mut TransactionScript),
) -> Option<Change> {
    let shared = &run.world.shared;
    let label = shared.label(msg);
    let by = &shared.names.producers[shared.message(msg).producer.index()];
    instead(run, |c| match c {
        Command::SendTransaction { producer, message, script, .. }
            if producer == by && message.label == label =>
        {
            let before = script.clone();
            change(script);
            *script != before
        }
        _ => false,
    })
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

/// The loss of a packet by which a producer decided, or would have: at the end of its local transaction, or
/// when it was asked. The newest of them.
pub(super) fn lost_decision(run: &Run<'_>, msg: MsgId) -> Option<Fruitless> {
    let way = faults::way_of(run, msg);
    let latency_ms = run.world.shared.net.latency_ms;
    let lost = decided(run, msg).into_iter().rev().find_map(|(at_ms, hops)| {
        let from = run.facts.partition_point(|r| r.at_ms < at_ms);
        let mut later = (from..run.facts.len()).take_while(|i| {
            // The packet may have travelled for a while before it was lost.
            run.facts[*i].at_ms <= at_ms + hops * latency_ms
        });
        later.find_map(|index| match run.facts[index].fact {
            Fact::PacketLost { from, to } if way.contains(&from) && way.contains(&to) => {
                Some(Fruitless { why: Undone::Lost { from, to }, fact: index as u32 })
            }
            _ => None,
        })
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

/// When packets began their way that decide about a transaction, and over how many hops they go: the end of
/// the local transaction, and the checks that its application answers with a decision. Oldest first.
fn decided(run: &Run<'_>, msg: MsgId) -> Vec<(Ms, Ms)> {
    let producer = run.world.producers.get(run.world.shared.message(msg).producer.index());
    let own = producer.and_then(|p| p.transactions.iter().find(|own| own.msg == msg));
    let Some(script) = own.map(|own| &own.script) else { return Vec::new() };
    let answer = |count: u8| {
        let answers = &script.checks;
        let answer = answers.get(usize::from(count.max(1)) - 1).or(answers.last());
        answer.copied().unwrap_or(Decision::Unknown)
    };
    let list = run.ledger.message(msg, run.facts.len());
    let records = list.iter().filter_map(|index| run.facts.get(*index as usize));
    let all = records.filter_map(|record| match record.fact {
        Fact::SendCompleted { .. } => Some((script.decision, record.at_ms + script.after_ms, 1)),
        // The question goes there before the answer comes back.
        Fact::TransactionChecked { count, .. } => Some((answer(count), record.at_ms, 4)),
        _ => None,
    });
    let mut all: Vec<(Ms, Ms)> = all
        .filter(|(decision, ..)| *decision != Decision::Unknown)
        .map(|(_, at_ms, hops)| (at_ms, hops))
        .collect();
    all.sort_unstable();
    all
}
