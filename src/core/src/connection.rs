//! Connections of a classic process to brokers. One is made by the first request that needs it, and
//! serves whatever its process asks until one side closes it: then everything that waits for an answer
//! on it fails at once. Source: `NettyRemotingClient`, `NettyRemotingAbstract.failFast`.

use std::collections::BTreeMap;

use crate::ids::{BrokerId, Ms, Party};
use crate::net::{Gone, Net};

/// A connection to one broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Connection {
    /// Its number among those of its process.
    number: u32,
    open: bool,
    peer: Peer,
}

/// The machine at the other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Peer {
    /// It knows the connection.
    Knows,
    /// It died. Nobody here sees that.
    Died,
    /// It died and is back since an instant, in ms: it knows nothing of this connection, and answers the
    /// next packet by closing it.
    Back(Ms),
}

/// How a request finds its broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    /// Over the connection of this number.
    Over(u32),
    /// Over one that was made for it (`channelActive`).
    Anew(u32),
    /// Over one whose other end has forgotten it: it closes with this.
    Reset(u32),
    /// The machine is up, and nobody listens.
    Refused,
    /// Nobody answers: the attempt ends after `connectTimeoutMillis`.
    Silence,
}

impl Reached {
    /// Number of the connection; 0 when there is none.
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::Over(number) | Self::Anew(number) | Self::Reset(number) => number,
            Self::Refused | Self::Silence => 0,
        }
    }
}

/// The connections of a process, by broker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Connections {
    of: BTreeMap<BrokerId, Connection>,
    made: u32,
}

impl Connections {
    /// The open connection to a broker, or a new one (`getAndCreateChannel`).
    pub(crate) fn reach(&mut self, net: &Net, me: Party, broker: BrokerId) -> Reached {
        let party = Party::Broker(broker);
        if let Some(connection) = self.of.get(&broker).filter(|c| c.open) {
            let heard = !net.is_cut(me, party) && net.gone(party).is_none();
            return match connection.peer != Peer::Knows && heard {
                true => Reached::Reset(connection.number),
                false => Reached::Over(connection.number),
            };
        }
        match net.gone(party) {
            _ if net.is_cut(me, party) => return Reached::Silence,
            Some(Gone::Silent) => return Reached::Silence,
            Some(Gone::Refusing) => return Reached::Refused,
            None => {}
        }
        self.made += 1;
        self.of.insert(broker, Connection { number: self.made, open: true, peer: Peer::Knows });
        Reached::Anew(self.made)
    }

    /// Number of the open connection to a broker.
    pub fn open(&self, broker: BrokerId) -> Option<u32> {
        self.of.get(&broker).filter(|c| c.open).map(|c| c.number)
    }

    /// The broker that an open connection leads to.
    pub(crate) fn leads_to(&self, number: u32) -> Option<BrokerId> {
        let is_it = |(_, c): &(&BrokerId, &Connection)| c.open && c.number == number;
        self.of.iter().find(is_it).map(|(broker, _)| *broker)
    }

    /// The machine of a broker lost its power: an open connection leads to nobody any more.
    pub(crate) fn strand(&mut self, broker: BrokerId) {
        if let Some(connection) = self.of.get_mut(&broker) {
            connection.peer = Peer::Died;
        }
    }

    /// Whether an open connection leads to nobody.
    pub(crate) fn is_stranded(&self, broker: BrokerId) -> bool {
        self.of.get(&broker).is_some_and(|c| c.open && c.peer != Peer::Knows)
    }

    /// The machine of a broker that lost its power is back.
    pub(crate) fn back(&mut self, broker: BrokerId, now_ms: Ms) {
        if let Some(connection) = self.of.get_mut(&broker).filter(|c| c.peer != Peer::Knows) {
            connection.peer = Peer::Back(now_ms);
        }
    }

    /// Since when the machine is back to which an open connection led, in ms.
    pub(crate) fn back_ms(&self, broker: BrokerId) -> Option<Ms> {
        match self.of.get(&broker).filter(|c| c.open)?.peer {
            Peer::Back(since_ms) => Some(since_ms),
            Peer::Knows | Peer::Died => None,
        }
    }

    /// Closes the connection to a broker; its number, when one was open.
    pub(crate) fn close(&mut self, broker: BrokerId) -> Option<u32> {
        let connection = self.of.get_mut(&broker).filter(|c| c.open)?;
        connection.open = false;
        Some(connection.number)
    }
}
