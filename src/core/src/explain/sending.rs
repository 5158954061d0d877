//! Why a message is in no store: it is not sent, on its way, lost on its way, refused, or not decided.

use super::{faults, transactions, Reason, Run};
use crate::event::{Event, Packet};
use crate::fact::{Decision, Fact, RequestKind, SendFailure};
use crate::grpc::PopPacket;
use crate::ids::{GroupId, Ms, MsgId, Party};
use crate::producer::{Producer, Sending};
use crate::world::World;

/// It is in no store.
pub(super) fn nowhere(run: &Run<'_>, msg: MsgId, group: Option<GroupId>) -> Reason {
    let producer = run.world.shared.message(msg).producer;
    let halves = run.world.brokers.iter().find_map(|b| Some((b, b.half_of(msg)?)));
    if let Some((broker, half)) = halves {
        return match broker.up {
            true => Reason::HalfOpen {
                checks: half.checks.min(255) as u8,
                undone: transactions::in_the_way(run, msg, broker),
            },
            false => Reason::BrokerDown { broker: broker.id, due_ms: None },
        };
    }
    for index in run.ledger.newest_of(msg, run.facts.len()) {
        match run.facts[index as usize].fact {
            Fact::TransactionGivenUp { .. } => {
                let undone = transactions::fruitless(run, msg).map(|fruitless| fruitless.why);
                return Reason::NeverVisible { given_up: true, undone };
            }
            Fact::TransactionEnded { decision: Decision::Rollback, .. } => {
                return Reason::NeverVisible { given_up: false, undone: None };
            }
            Fact::SentNowhere { group: of, .. } if Some(of) == group => return Reason::SentNowhere,
            Fact::MessageLost { .. } => return Reason::Lost,
            Fact::WheelGaveUp { .. } => return Reason::WheelGaveUp,
            Fact::SendFailed { reason: failure, .. } => {
                return match under_way(run.world, msg) {
                    Some(at_ms) => Reason::Late { producer, failure, at_ms },
                    None => {
                        let full = refused_by(run, msg, failure, index);
                        Reason::SendFailed { producer, failure, full }
                    }
                };
            }
            _ => {}
        }
    }
    not_stored(run.world, msg)
}

/// The broker whose full disk a refused send failed by: a proxy tells nothing but INTERNAL_SERVER_ERROR.
pub(super) fn refused_by(
    run: &Run<'_>,
    msg: MsgId,
    failure: SendFailure,
    fact: u32,
) -> Option<crate::ids::BrokerId> {
    let refused = matches!(failure, SendFailure::DiskFull | SendFailure::Grpc(_));
    refused.then(|| faults::full_for(run, msg, fact)).flatten()
}

/// Nobody was told anything about it yet.
fn not_stored(world: &World, msg: MsgId) -> Reason {
    let producer = world.shared.message(msg).producer;
    let Some(sender) = world.producers.get(producer.index()) else {
        return Reason::Travels { producer, attempt: 1 };
    };
    if let Some(sending) = sender.sending.iter().find(|s| sender.is_in(s, msg)) {
        let attempt = sending.attempt;
        return match lost_until(world, sender, sending, msg) {
            Some(until_ms) => Reason::SendLost { producer, attempt, until_ms },
            None => Reason::Travels { producer, attempt },
        };
    }
    let thread = sender.threads.iter().position(|t| t.waiting.contains(&msg));
    let Some(thread) = thread else { return Reason::Travels { producer, attempt: 1 } };
    let front = sender.sending.iter().find(|s| usize::from(s.thread) == thread).map(|s| s.msg);
    let waiting = &sender.threads[thread].waiting;
    let ahead = waiting.iter().take_while(|m| **m != msg).last().copied();
    Reason::AtProducer { producer, before: ahead.or(front) }
}

/// Until when a producer waits for the answer to a send whose packet was lost; None while the packet, or
/// an answer, is under way.
fn lost_until(world: &World, sender: &Producer, sending: &Sending, msg: MsgId) -> Option<Ms> {
    if under_way(world, msg).is_some() {
        return None;
    }
    let asker = Party::Producer(sender.id);
    times_out(world, asker, sending.token, RequestKind::Send).or_else(|| {
        let relay = |p: &std::rc::Rc<crate::proxy::Proxy>| {
            let token = p.relay_for(asker, sending.token)?;
            times_out(world, Party::Proxy(p.id), token, RequestKind::Send)
        };
        world.proxies.iter().find_map(relay)
    })
}

/// When somebody gives up an open request because no answer will come; None while one may.
pub(super) fn times_out(world: &World, asker: Party, number: u32, kind: RequestKind) -> Option<Ms> {
    let ends = world.shared.agenda.unsorted().filter_map(|(at_ms, event)| match event {
        Event::TimedOut { party, token, request } => {
            ((*party, *token, *request) == (asker, number, kind)).then_some(at_ms)
        }
        _ => None,
    });
    ends.min()
}

/// When a packet that carries a message on its way to be stored arrives, the first of them.
fn under_way(world: &World, msg: MsgId) -> Option<Ms> {
    let carries = |packet: &Packet| match packet {
        Packet::Send { msg: of, .. }
        | Packet::Pop(PopPacket::Submit { msg: of, .. } | PopPacket::SubmitTo { msg: of, .. }) => {
            *of == msg
        }
        Packet::Pop(PopPacket::SendBatch { msgs, .. } | PopPacket::SubmitMany { msgs, .. }) => {
            msgs.contains(&msg)
        }
        _ => false,
    };
    let arrivals = world.shared.agenda.unsorted().filter_map(|(at_ms, event)| match event {
        Event::Arrival { packet, .. } if carries(packet) => Some(at_ms),
        _ => None,
    });
    arrivals.min()
}
