//! The network: latencies, and cuts between two parties. A packet that is lost leaves nothing
//! behind but the asker's time-out.

use std::collections::{BTreeMap, BTreeSet};

use crate::agenda::Agenda;
use crate::event::{Event, Packet, PacketKind, Rpc};
use crate::fact::{Fact, RequestKind};
use crate::ids::{Ms, Party};

/// State of the network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Net {
    /// One-way latency where nothing else is set.
    pub latency_ms: Ms,
    directed: BTreeMap<(Option<Party>, Option<Party>), Ms>,
    cuts: BTreeSet<(Party, Party)>,
    drops: Vec<DropRule>,
    gone: BTreeMap<Party, Gone>,
}

/// How the machine of a party that is down meets whoever connects to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gone {
    /// It refuses at once.
    Refusing,
    /// It does not answer.
    Silent,
}

/// The next packets of a kind between two parties are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DropRule {
    /// Sender; None = any.
    pub from: Option<Party>,
    /// Receiver; None = any.
    pub to: Option<Party>,
    /// Which packets.
    pub kind: PacketKind,
    /// How many more.
    pub left: u32,
    /// The connection breaks with it, so that the asker notices at once.
    pub noticed: bool,
}

/// How a packet fares.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Arrives,
    /// Lost; nobody is told.
    Lost,
    /// Lost with its connection.
    Broken,
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

    /// How a party that is down meets whoever connects to it; None when it is up.
    pub fn gone(&self, party: Party) -> Option<Gone> {
        self.gone.get(&party).copied()
    }

    /// A party goes down, or comes up.
    pub fn set_gone(&mut self, party: Party, how: Option<Gone>) {
        match how {
            Some(how) => drop(self.gone.insert(party, how)),
            None => drop(self.gone.remove(&party)),
        }
    }

    /// Loses packets to come.
    pub fn drop_next(&mut self, rule: DropRule) {
        self.drops.push(rule);
    }

    /// Rules for packets to be lost that are not used up.
    pub fn drops(&self) -> &[DropRule] {
        &self.drops
    }

    fn fate(&mut self, from: Party, to: Party, packet: &Packet) -> Fate {
        if self.is_cut(from, to) {
            return Fate::Lost;
        }
        let ends = matches!(packet, Packet::Closed { .. } | Packet::Hung { .. });
        if self.drops.is_empty() || ends {
            return Fate::Arrives;
        }
        let kind = packet.kind();
        let fits = |rule: &DropRule| {
            rule.from.is_none_or(|party| party == from)
                && rule.to.is_none_or(|party| party == to)
                && (rule.kind == PacketKind::Any || rule.kind == kind)
        };
        let Some(place) = self.drops.iter().position(fits) else { return Fate::Arrives };
        let rule = &mut self.drops[place];
        rule.left = rule.left.saturating_sub(1);
        let fate = if rule.noticed { Fate::Broken } else { Fate::Lost };
        if rule.left == 0 {
            self.drops.remove(place);
        }
        fate
    }

    /// Sends a packet; `extra_ms` is added to the latency.
    pub fn send(
        &mut self,
        agenda: &mut Agenda,
        facts: &mut Vec<Fact>,
        now_ms: Ms,
        route: (Party, Party),
        extra_ms: Ms,
        packet: Packet,
    ) {
        let (from, to) = route;
        let arrival_ms = now_ms + self.latency_ms(from, to) + extra_ms;
        let fate = self.fate(from, to, &packet);
        if let Some((rpc, request)) = packet.request() {
            if fate != Fate::Arrives || arrival_ms > rpc.deadline_ms {
                let event = Event::TimedOut { party: from, token: rpc.token, request };
                agenda.schedule(noticed_ms(fate, now_ms, rpc), event);
            }
        }
        if fate != Fate::Arrives {
            facts.push(Fact::PacketLost { from, to });
            return;
        }
        agenda.schedule(arrival_ms, Event::Arrival { from, to, packet });
    }

    /// Sends the answer to a request; when it cannot be there in time the asker times out.
    pub fn answer(
        &mut self,
        agenda: &mut Agenda,
        facts: &mut Vec<Fact>,
        now_ms: Ms,
        route: (Party, Party),
        rpc: (Rpc, RequestKind),
        packet: Packet,
    ) {
        let (from, to) = route;
        let arrival_ms = now_ms + self.latency_ms(from, to);
        let fate = self.fate(from, to, &packet);
        if fate != Fate::Arrives || arrival_ms > rpc.0.deadline_ms {
            let event = Event::TimedOut { party: to, token: rpc.0.token, request: rpc.1 };
            agenda.schedule(noticed_ms(fate, now_ms, rpc.0), event);
        }
        if fate != Fate::Arrives {
            facts.push(Fact::PacketLost { from, to });
            return;
        }
        agenda.schedule(arrival_ms, Event::Arrival { from, to, packet });
    }
}

/// When the asker notices that a packet of its request was lost.
fn noticed_ms(fate: Fate, now_ms: Ms, rpc: Rpc) -> Ms {
    match fate {
        Fate::Broken => now_ms,
        Fate::Arrives | Fate::Lost => rpc.deadline_ms,
    }
}
