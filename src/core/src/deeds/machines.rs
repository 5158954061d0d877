//! What can be done to brokers, proxies and producers.

use super::{Making, Sort};
use crate::command::Command;
use crate::event::PacketKind;
use crate::fact::{BrokerStop, RequestKind};
use crate::grpc::GrpcCode;
use crate::ids::{BrokerId, Party, ProducerId, ProxyId};
use crate::pop::PopCommand;

/// A disk that is this full, in percent, takes no more messages.
const FULL_PERCENT: u8 = 92;
/// A disk with room.
const ROOM_PERCENT: u8 = 50;

impl Making<'_, '_> {
    pub(super) fn broker(&mut self, id: BrokerId) {
        let world = self.run.world;
        let Some(broker) = world.brokers.get(id.index()) else { return };
        let name = world.shared.names.brokers[id.index()].clone();
        // The first broker is meant where none is named.
        let named = Some(name.clone()).filter(|_| id != BrokerId(0));
        if !broker.up {
            return self.add(Sort::Mend, Command::StartBroker { broker: named });
        }
        for how in [BrokerStop::Crash, BrokerStop::PowerLoss, BrokerStop::Clean] {
            let sort = if how == BrokerStop::Clean { Sort::Change } else { Sort::Fault };
            self.add(sort, Command::StopBroker { broker: named.clone(), how });
        }
        let of = Some(name.clone()).filter(|_| world.brokers.len() > 1);
        let (sort, used_percent) = match broker.disk_used_percent >= FULL_PERCENT {
            true => (Sort::Mend, ROOM_PERCENT),
            false => (Sort::Fault, FULL_PERCENT),
        };
        self.add(sort, Command::SetDisk { broker: of, used_percent });
        self.clock(name, broker.clock_ahead_ms);
    }

    pub(super) fn proxy(&mut self, id: ProxyId) {
        let world = self.run.world;
        let Some(proxy) = world.proxies.get(id.index()) else { return };
        let name = world.shared.names.proxies[id.index()].clone();
        let run = PopCommand::RunProxy { proxy: name.clone(), up: !proxy.up };
        if !proxy.up {
            return self.add(Sort::Mend, Command::Pop(run));
        }
        self.add(Sort::Fault, Command::Pop(run));
        for broker in &world.brokers {
            self.cut(Party::Proxy(id), Party::Broker(broker.id));
        }
        let consumes = world.clients.iter().any(|p| p.grpc().is_some_and(|c| c.proxy == id));
        let produces = world.producers.iter().any(|p| p.speaks_to(&world.shared) == Some(id));
        let requests = [
            (RequestKind::Receive, consumes),
            (RequestKind::Ack, consumes),
            (RequestKind::Send, produces),
        ];
        for (request, _) in requests.into_iter().filter(|(_, asked)| *asked) {
            let refuses = proxy.refuses(request);
            let code = (!refuses).then_some(GrpcCode::TooManyRequests);
            let sort = if refuses { Sort::Mend } else { Sort::Fault };
            let command = PopCommand::FailRequests { proxy: name.clone(), request, code };
            self.add(sort, Command::Pop(command));
        }
    }

    /// Its way to the brokers, or to its proxy, and the answers to its sends; the next message of what it
    /// sent last.
    pub(super) fn producer(&mut self, id: ProducerId) {
        let world = self.run.world;
        let Some(producer) = world.producers.get(id.index()) else { return };
        let sent =
            (0..world.shared.messages.len()).rev().filter_map(|i| world.shared.messages.get(i));
        if let Some(last) = sent.take(super::send::LOOK_BACK).find(|m| m.producer == id) {
            self.send_next(last.series);
        }
        let own = Party::Producer(id);
        match producer.speaks_to(&world.shared) {
            Some(proxy) => {
                self.cut(own, Party::Proxy(proxy));
                self.lose(PacketKind::SendAnswer, Party::Proxy(proxy), own);
            }
            None => {
                for broker in &world.brokers {
                    self.cut(own, Party::Broker(broker.id));
                    self.lose(PacketKind::SendAnswer, Party::Broker(broker.id), own);
                }
            }
        }
    }
}
