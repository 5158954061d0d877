//! What the process sends, and over which connection: requests that wait for an answer, what is told
//! one-way, and what becomes of both when a connection closes.

use std::collections::VecDeque;

use super::{AfterBeat, Client, OpenRequest, Pending, Status};
use crate::connection::Reached;
use crate::event::{Event, Packet, Rpc};
use crate::fact::{CloseCause, Fact, RequestKind};
use crate::ids::{BrokerId, Ms, Party};
use crate::model::Version;
use crate::shared::Shared;

impl Client {
    /// Sends a request and keeps what it is for. Where nobody answers, the attempt to connect ends
    /// after its own limit, whatever that of the request is (`NettyRemotingClient.createChannel`).
    pub(super) fn ask(
        &mut self,
        shared: &mut Shared,
        broker: BrokerId,
        limit_ms: Ms,
        what: Pending,
        packet: impl FnOnce(Rpc) -> Packet,
    ) {
        self.tokens += 1;
        let token = self.tokens;
        let reached = self.connections.reach(&shared.net, self.party(), broker);
        let limit_ms = match reached {
            Reached::Silence => shared.model.connect_timeout_ms,
            _ => limit_ms,
        };
        let (connection, deadline_ms) = (reached.number(), shared.now_ms + limit_ms);
        let packet = packet(Rpc { token, deadline_ms, connection });
        let request = packet.request().map_or(RequestKind::Send, |(_, request)| request);
        self.open.push(OpenRequest { token, deadline_ms, request, what, broker, connection });
        if reached == Reached::Silence {
            let (from, to) = (self.party(), Party::Broker(broker));
            shared.fact(Fact::PacketLost { from, to });
            return shared.at(deadline_ms, Event::TimedOut { party: from, token, request });
        }
        if let Reached::Reset(connection) = reached {
            return self.fail_fast(shared, broker, connection);
        }
        shared.send(self.party(), Party::Broker(broker), packet);
        self.on_reached(shared, broker, reached);
    }

    /// Sends something that has no answer.
    pub(super) fn tell(&mut self, shared: &mut Shared, broker: BrokerId, packet: Packet) {
        let reached = self.connections.reach(&shared.net, self.party(), broker);
        let (from, to) = (self.party(), Party::Broker(broker));
        if reached == Reached::Silence {
            return shared.fact(Fact::PacketLost { from, to });
        }
        if let Reached::Reset(connection) = reached {
            shared.fact(Fact::PacketLost { from, to });
            return self.fail_fast(shared, broker, connection);
        }
        shared.send(from, to, packet);
        self.on_reached(shared, broker, reached);
    }

    /// On a new connection clients since 5.2.0 send a heartbeat, unless one is being sent: the broker
    /// knows the member again, and tells the group. Source: `MQClientInstance.onChannelActive`.
    fn on_reached(&mut self, shared: &mut Shared, broker: BrokerId, reached: Reached) {
        let anew = matches!(reached, Reached::Anew(_)) && self.status == Status::Running;
        let busy = || self.open.iter().any(|open| matches!(open.what, Pending::Beat { .. }));
        if anew && shared.model.version >= Version(5, 2, 0) && !busy() {
            self.beat_next(shared, VecDeque::from([broker]), AfterBeat::Nothing);
        }
    }

    /// Why a request failed: no answer came in time, or its connection closed before.
    pub(super) fn note_failure(
        &self,
        shared: &mut Shared,
        open: &OpenRequest,
        request: RequestKind,
    ) {
        let party = self.party();
        let closed = open.connection != 0
            && self.connections.open(open.broker) != Some(open.connection)
            && shared.now_ms < open.deadline_ms;
        shared.fact(match closed {
            true => Fact::RequestFailed { party, request },
            false => Fact::RequestTimedOut { party, request },
        });
    }

    /// A request failed. One whose thread waited until its time-out closes its connection; pulls are
    /// asynchronous and leave it as it is.
    /// Source: `NettyRemotingClient.invokeSync`; the connection itself takes no time here, so that the
    /// time left for the answer (5.1.4+) always is all of it.
    pub(super) fn close_after(&mut self, shared: &mut Shared, failed: &OpenRequest) {
        if self.connections.open(failed.broker) != Some(failed.connection) {
            return;
        }
        let closes = shared.model.close_socket_if_timeout == 1;
        let waited = shared.now_ms >= failed.deadline_ms && failed.request != RequestKind::Pull;
        if !closes || !waited {
            return;
        }
        self.close_connection(shared, failed.broker, CloseCause::TimedOut(failed.request));
        let connection = failed.connection;
        shared.send(self.party(), Party::Broker(failed.broker), Packet::Closed { connection });
    }

    /// The broker closed a connection.
    pub(super) fn on_hung_up(&mut self, shared: &mut Shared, connection: u32) {
        if let Some(broker) = self.connections.leads_to(connection) {
            self.close_connection(shared, broker, CloseCause::Silent);
        }
    }

    /// A connection is closed; whatever waits for an answer on it fails now.
    fn close_connection(&mut self, shared: &mut Shared, broker: BrokerId, cause: CloseCause) {
        let party = self.party();
        let Some(connection) = self.connections.open(broker) else { return };
        shared.fact(Fact::ConnectionClosed { party, broker, cause });
        self.fail_fast(shared, broker, connection);
    }

    /// Whatever waits for an answer on a connection fails now, and the connection is no more.
    /// Source: `NettyRemotingAbstract.failFast`.
    fn fail_fast(&mut self, shared: &mut Shared, broker: BrokerId, connection: u32) {
        let party = self.party();
        self.connections.close(broker);
        for open in self.open.iter().filter(|open| open.connection == connection) {
            let (token, request) = (open.token, open.request);
            shared.at(shared.now_ms, Event::TimedOut { party, token, request });
        }
    }

    /// The process ends: its connections close, and brokers see that.
    pub(super) fn hang_up(&mut self, shared: &mut Shared) {
        for broker in self.brokers() {
            if let Some(connection) = self.connections.close(broker) {
                shared.send(self.party(), Party::Broker(broker), Packet::Closed { connection });
            }
        }
    }
}
