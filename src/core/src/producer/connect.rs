//! The connections of a classic producer: what a send that gets no answer does to the others.

use super::{Producer, Sending};
use crate::command::SendMode;
use crate::event::Event;
use crate::fact::{CloseCause, Fact, RequestKind};
use crate::ids::{BrokerId, Party};
use crate::shared::Shared;

impl Producer {
    /// Nobody answers at the broker's address: the attempt ends with the attempt to connect.
    pub(super) fn on_silence(&self, shared: &mut Shared, sending: &Sending) {
        let (from, to) = (Party::Producer(self.id), Party::Broker(sending.queue.broker));
        shared.fact(Fact::PacketLost { from, to });
        let (token, request) = (sending.token, RequestKind::Send);
        let connected_ms = shared.now_ms + shared.model.connect_timeout_ms;
        // A synchronous send comes back only then, an asynchronous one is given up at its own end.
        let at_ms = match self.mode {
            SendMode::Sync => connected_ms,
            SendMode::Async => connected_ms.min(sending.deadline_ms),
        };
        shared.at(at_ms, Event::TimedOut { party: from, token, request });
    }

    /// Whether a send failed because its connection closed before its time was over.
    pub(super) fn lost_its_connection(&self, shared: &Shared, failed: &Sending) -> bool {
        failed.connection != 0
            && self.connections.open(failed.queue.broker) != Some(failed.connection)
            && shared.now_ms < failed.deadline_ms
    }

    /// A send failed. A synchronous one that got no answer in time closes its connection: whatever else
    /// waits on it fails now. Source: `NettyRemotingClient.invokeSync`.
    pub(super) fn close_after(&mut self, shared: &mut Shared, failed: &Sending) {
        let (broker, connection) = (failed.queue.broker, failed.connection);
        if self.connections.open(broker) != Some(connection) {
            return;
        }
        let late = shared.now_ms >= failed.deadline_ms;
        let closes = shared.model.close_socket_if_timeout == 1 && self.mode == SendMode::Sync;
        if !late || !closes {
            return;
        }
        let cause = CloseCause::TimedOut(RequestKind::Send);
        shared.fact(Fact::ConnectionClosed { party: Party::Producer(self.id), broker, cause });
        self.fail_fast(shared, broker, connection);
    }

    /// A heartbeat, each 30 s, finds before a send does that a connection leads to nobody, and what
    /// comes next makes a new one. Source: `MQClientInstance.startScheduledTask`.
    pub(super) fn find_dead_connection(&mut self, shared: &Shared, broker: BrokerId) {
        let Some(back_ms) = self.connections.back_ms(broker) else { return };
        let period_ms = shared.model.heartbeat_broker_interval_ms.max(1);
        let first_ms = shared.model.heartbeat_initial_delay_ms;
        let passed_ms = shared.now_ms - first_ms;
        let last_ms = first_ms + passed_ms.div_euclid(period_ms) * period_ms;
        if back_ms <= last_ms {
            self.connections.close(broker);
        }
    }

    /// Whatever waits for an answer on a connection fails now, and the connection is no more.
    /// Source: `NettyRemotingAbstract.failFast`.
    pub(super) fn fail_fast(&mut self, shared: &mut Shared, broker: BrokerId, connection: u32) {
        self.connections.close(broker);
        let (party, request) = (Party::Producer(self.id), RequestKind::Send);
        for other in self.sending.iter().filter(|other| other.connection == connection) {
            shared.at(shared.now_ms, Event::TimedOut { party, token: other.token, request });
        }
    }
}
