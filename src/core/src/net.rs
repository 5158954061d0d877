//! The network: latencies, and cuts between two parties. A packet that is lost leaves nothing
//! behind but the asker's time-out.

use std::collections::{BTreeMap, BTreeSet};

use crate::agenda::Agenda;
use crate::event::{Event, Packet, Rpc};
use crate::fact::{Fact, RequestKind};
use crate::ids::{Ms, Party};

/// State of the network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Net {
    /// One-way latency where nothing else is set.
    pub latency_ms: Ms,
    directed: BTreeMap<(Option<Party>, Option<Party>), Ms>,
    cuts: BTreeSet<(Party, Party)>,
}

impl Net {
    /// One-way latency between two parties.
    pub fn latency_ms(&self, from: Party, to: Party) -> Ms {
        if self.directed.is_empty() {
            return self.latency_ms;
        }
        [(Some(from), Some(to)), (Some(from), None), (None, Some(to))]
            .iter()
            .find_map(|pair| self.directed.get(pair).copied())
            .unwrap_or(self.latency_ms)
    }

    /// Sets a latency; None stands for any party.
    pub fn set_latency_ms(&mut self, from: Option<Party>, to: Option<Party>, ms: Ms) {
        match (from, to) {
            (None, None) => {
                self.latency_ms = ms;
                self.directed.clear();
            }
            pair => {
                self.directed.insert(pair, ms);
            }
        }
    }

    /// Cuts two parties off from each other, or ends that.
    pub fn set_cut(&mut self, a: Party, b: Party, cut: bool) {
        let pair = (a.min(b), a.max(b));
        match cut {
            true => self.cuts.insert(pair),
            false => self.cuts.remove(&pair),
        };
    }

    /// True when nothing passes between the two.
    pub fn is_cut(&self, a: Party, b: Party) -> bool {
        !self.cuts.is_empty() && self.cuts.contains(&(a.min(b), a.max(b)))
    }

    /// All cuts, in order.
    pub fn cuts(&self) -> impl Iterator<Item = (Party, Party)> + '_ {
        self.cuts.iter().copied()
    }

    /// Sends a packet; `extra_ms` is added to the latency.
    pub fn send(
        &self,
        agenda: &mut Agenda,
        facts: &mut Vec<Fact>,
        now_ms: Ms,
        route: (Party, Party),
        extra_ms: Ms,
        packet: Packet,
    ) {
        let (from, to) = route;
        let arrival_ms = now_ms + self.latency_ms(from, to) + extra_ms;
        let cut = self.is_cut(from, to);
        if let Some((rpc, request)) = packet.request() {
            if cut || arrival_ms > rpc.deadline_ms {
                let event = Event::TimedOut { party: from, token: rpc.token, request };
                agenda.schedule(rpc.deadline_ms, event);
            }
        }
        if cut {
            facts.push(Fact::PacketLost { from, to });
            return;
        }
        agenda.schedule(arrival_ms, Event::Arrival { from, to, packet });
    }

    /// Sends the answer to a request; when it cannot be there in time the asker times out.
    pub fn answer(
        &self,
        agenda: &mut Agenda,
        facts: &mut Vec<Fact>,
        now_ms: Ms,
        route: (Party, Party),
        rpc: (Rpc, RequestKind),
        packet: Packet,
    ) {
        let (from, to) = route;
        let arrival_ms = now_ms + self.latency_ms(from, to);
        let cut = self.is_cut(from, to);
        if cut || arrival_ms > rpc.0.deadline_ms {
            let event = Event::TimedOut { party: to, token: rpc.0.token, request: rpc.1 };
            agenda.schedule(rpc.0.deadline_ms, event);
        }
        if cut {
            facts.push(Fact::PacketLost { from, to });
            return;
        }
        agenda.schedule(arrival_ms, Event::Arrival { from, to, packet });
    }
}
