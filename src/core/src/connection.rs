//! Connections of a classic process to brokers. One is made by the first request that needs it, and
//! serves whatever its process asks until one side closes it: then everything that waits for an answer
//! on it fails at once. Source: `NettyRemotingClient`, `NettyRemotingAbstract.failFast`.

use std::collections::BTreeMap;

use crate::ids::{BrokerId, Party};
use crate::net::{Gone, Net};

/// A connection to one broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Connection {
    /// Its number among those of its process.
    number: u32,
    open: bool,
}

/// How a request finds its broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    /// Over the connection of this number.
    Over(u32),
    /// Over one that was made for it (`channelActive`).
    Anew(u32),
    /// The machine is up, and nobody listens.
    Refused,
    /// Nobody answers: the attempt ends after `connectTimeoutMillis`.
    Silence,
}

impl Reached {
    /// Number of the connection; 0 when there is none.
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::Over(number) | Self::Anew(number) => number,
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
        if let Some(number) = self.open(broker) {
            return Reached::Over(number);
        }
        let party = Party::Broker(broker);
        match net.gone(party) {
            _ if net.is_cut(me, party) => return Reached::Silence,
            Some(Gone::Silent) => return Reached::Silence,
            Some(Gone::Refusing) => return Reached::Refused,
            None => {}
        }
        self.made += 1;
        self.of.insert(broker, Connection { number: self.made, open: true });
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

    /// Closes the connection to a broker; its number, when one was open.
    pub(crate) fn close(&mut self, broker: BrokerId) -> Option<u32> {
        let connection = self.of.get_mut(&broker).filter(|c| c.open)?;
        connection.open = false;
        Some(connection.number)
    }
}
