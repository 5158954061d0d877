//! Requests to brokers that have no answer yet, and what becomes of their askers.

use std::rc::Rc;

use super::renew::TrackKey;
use super::Proxy;
use crate::event::{Packet, Rpc};
use crate::fact::{Fact, RequestKind};
use crate::grpc::{GrpcCode, Handle, PopPacket};
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId, Party};
use crate::shared::Shared;

/// What an open request of the proxy to a broker is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum RelayKind {
    /// A send of one message or more, by the first; the asker is told where to.
    Send { first: Option<MsgId>, queue: MessageQueue, remoting: bool },
    /// A receive.
    Receive {
        group: GroupId,
        client: ClientId,
        tags: Rc<[u16]>,
        auto_renew: bool,
        max_attempts: u32,
    },
    /// An act of a consumer on a delivery.
    Act { handle: Handle },
    /// The forward of a dead letter; the acknowledgement follows. No asker when it happens on receive.
    Dead { group: GroupId, handle: Handle },
    /// A renewal.
    Renew { key: TrackKey },
    /// Nobody waits for the answer.
    Quiet,
}

/// An open request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Relay {
    pub token: u32,
    pub deadline_ms: Ms,
    pub asker: Option<(Party, Rpc)>,
    pub what: RelayKind,
}

impl Proxy {
    /// Deadline of an open request, for the network when it loses the answer.
    pub(crate) fn deadline_ms(&self, token: u32) -> Option<Ms> {
        self.relays.iter().find(|r| r.token == token).map(|r| r.deadline_ms)
    }

    /// Who waits for the answer to an open request.
    pub fn asker(&self, token: u32) -> Option<Party> {
        self.relays.iter().find(|r| r.token == token)?.asker.map(|(party, _)| party)
    }

    /// The open request to a broker by which it serves a request of somebody.
    pub fn relay_for(&self, asker: Party, token: u32) -> Option<u32> {
        let serves =
            |r: &&Relay| r.asker.is_some_and(|(of, rpc)| (of, rpc.token) == (asker, token));
        self.relays.iter().find(serves).map(|r| r.token)
    }

    /// Opens a request to a broker.
    pub(super) fn open(
        &mut self,
        deadline_ms: Ms,
        asker: Option<(Party, Rpc)>,
        what: RelayKind,
    ) -> Rpc {
        self.tokens += 1;
        let token = self.tokens;
        self.relays.push(Relay { token, deadline_ms, asker, what });
        Rpc { token, deadline_ms, connection: 0 }
    }

    pub(super) fn close(&mut self, token: u32) -> Option<Relay> {
        let place = self.relays.iter().position(|r| r.token == token)?;
        Some(self.relays.swap_remove(place))
    }

    pub(super) fn reply(
        &self,
        shared: &mut Shared,
        asker: (Party, Rpc),
        kind: RequestKind,
        packet: PopPacket,
    ) {
        shared.answer(self.party(), asker.0, (asker.1, kind), Packet::Pop(packet));
    }

    pub(super) fn on_answer(&mut self, shared: &mut Shared, packet: Packet) {
        let Some((token, _)) = packet.answered() else { return };
        let Some(relay) = self.close(token) else { return };
        match (&relay.what, packet) {
            (RelayKind::Send { first, queue, .. }, Packet::Sent { result, .. }) => {
                let sent = (*first, *queue);
                self.on_sent(shared, relay, sent, result);
            }
            (
                RelayKind::Receive { .. },
                Packet::Pop(PopPacket::Popped { status, deliveries, .. }),
            ) => {
                self.on_popped(shared, relay, status, &deliveries);
            }
            (RelayKind::Act { .. }, Packet::Pop(PopPacket::Settled { code, handle, .. })) => {
                self.on_settled(shared, relay, code, *handle);
            }
            (RelayKind::Renew { key }, Packet::Pop(PopPacket::Settled { code, handle, .. })) => {
                self.on_renewed(shared, *key, code, *handle);
            }
            (RelayKind::Dead { group, handle }, Packet::BackTaken { taken, .. }) => {
                let dead = (*group, *handle);
                self.on_dead_answered(shared, relay, (dead.0, &dead.1), taken.is_some());
            }
            _ => {}
        }
    }

    /// A broker did not answer in time, or could not be reached.
    pub(crate) fn on_timed_out(&mut self, shared: &mut Shared, token: u32, request: RequestKind) {
        let Some(relay) = self.close(token) else { return };
        shared.fact(Fact::RequestTimedOut { party: self.party(), request });
        let code = match shared.now_ms < relay.deadline_ms {
            true => GrpcCode::InternalServerError,
            false => GrpcCode::ProxyTimeout,
        };
        if let RelayKind::Renew { key } = relay.what {
            return self.on_renewal_unanswered(shared, key);
        }
        let Some(asker) = relay.asker else { return };
        let token = asker.1.token;
        let (kind, answer) = match relay.what {
            RelayKind::Send { .. } => {
                let refusal = crate::grpc::SendRefusal { code, types: None };
                (RequestKind::Send, PopPacket::Submitted { token, result: Err(refusal) })
            }
            RelayKind::Receive { .. } => {
                (RequestKind::Receive, PopPacket::Received { token, result: Err(code) })
            }
            _ => (RequestKind::Ack, PopPacket::Acted { token, result: Err(code) }),
        };
        self.reply(shared, asker, kind, answer);
    }
}
