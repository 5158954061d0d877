//! Two runs on one clock: where they part, and what became of the messages in each.
//!
//! **What a divergence is.** Of each run people see what happens to its messages, and which
//! processes start and stop. Facts about one thing form a strand: a message on its way into a queue;
//! a message in a consumer group; the order in which a group begins with the messages of a message
//! group; a process. Runs agree in a strand as long as the same things happen in it in the same
//! order, each less than [`TOLERANCE_MS`] apart; ids do not count, names do. In the order of a
//! message group instants do not count at all, so that an overtaking of a few milliseconds is seen.
//! The first divergence is the earliest instant at which one run does something that the other
//! does not do then: something else happens there, or the same later, or nothing any more.
//!
//! Locks, pulls, offsets and rounds are not looked at: they differ all the time and matter where a
//! message notices.

mod becomes;
mod first;
mod hands;
mod names;
mod pair;
mod read;
mod standing;
mod strand;

use std::collections::{BTreeMap, BTreeSet};

pub use first::{Did, Divergence, How};
pub use pair::Runs;
pub use standing::{Difference, Differences, OrderRow, Standing, State, MAX_ORDER, MAX_ROWS};

use crate::command::Command;
use crate::fact::{Fact, FactRecord};
use crate::ids::{ClientId, MessageQueue, Ms, MsgId, ProducerId};
use crate::session::Session;
use crate::view::Subject;
use crate::world::World;
use names::Names;
use strand::{Key, Strand};

/// Instants closer than this are the same to people: the page's clocks show tenths of a second.
pub const TOLERANCE_MS: Ms = 100;

/// One of the two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Side {
    /// The run that was there.
    #[default]
    First,
    /// The run that it is compared with.
    Second,
}

impl Side {
    /// Both, in their order.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// The place among the two.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The other run.
    pub fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// Two runs that are played ahead to their end and compared. It has sessions of its own, so the runs
/// on the screen stay where they are.
pub struct Comparison {
    runs: [Session; 2],
    until_ms: Ms,
    seen: [usize; 2],
    names: Names,
    strands: BTreeMap<Key, Strand>,
    first: Option<Divergence>,
    /// Strands that part, by the instant, once both runs are over.
    parted: Vec<(Ms, Key)>,
    done: bool,
}

impl Comparison {
    /// A comparison of two runs up to an instant. What the sessions have already played does not
    /// matter: their journals are played anew.
    pub fn new(runs: [&Session; 2], until_ms: Ms) -> Self {
        let anew = |run: &Session| {
            let (journal, injected) = (run.journal().to_vec(), run.injected().to_vec());
            Session::replay(run.seed(), run.model().clone(), journal, injected).unwatched()
        };
        Self {
            runs: runs.map(anew),
            until_ms,
            seen: [0, 0],
            names: Names::default(),
            strands: BTreeMap::new(),
            first: None,
            parted: Vec::new(),
            done: false,
        }
    }

    /// Plays and compares, at most `budget` events of both runs together; true when it is done.
    pub fn advance(&mut self, budget: usize) -> bool {
        if self.done {
            return true;
        }
        let mut left = budget;
        let [first, second] = &mut self.runs;
        let mut runs = Runs { first, second: Some(second) };
        while left > 0 && runs.step(self.until_ms).is_some() {
            left -= 1;
        }
        self.done = left > 0;
        self.read();
        if self.done {
            self.settle();
        }
        self.done
    }

    /// True when both runs were played to their end.
    pub fn done(&self) -> bool {
        self.done
    }

    /// The first divergence, once both runs were played; None where they do not part.
    pub fn first(&self) -> Option<&Divergence> {
        self.first.as_ref()
    }

    /// A run, as far as it was played ahead.
    pub fn session(&self, side: Side) -> &Session {
        &self.runs[side.index()]
    }

    /// The world of a run at its end; the names of its facts are looked up in it.
    pub fn world(&self, side: Side) -> &World {
        self.runs[side.index()].world()
    }

    /// The queues in which messages of a run part from their counterparts, once both runs were played.
    pub fn queues(&self, side: Side) -> BTreeSet<MessageQueue> {
        let parted = self.parted.iter().flat_map(|(_, key)| match *key {
            Key::Message(msg) | Key::Work { msg, .. } => self.stored_in(side, msg),
            Key::Party(_) | Key::Order { .. } => Vec::new(),
        });
        parted.collect()
    }

    /// The command that a fact of a run applied or refused; None for any other fact.
    pub fn command(&self, side: Side, fact: &Fact) -> Option<&Command> {
        match *fact {
            Fact::CommandApplied { index } | Fact::CommandRefused { index } => {
                let entry = self.runs[side.index()].journal().get(index as usize);
                entry.map(|(_, command)| command)
            }
            _ => None,
        }
    }

    fn record(&self, side: Side, fact: u32) -> Option<FactRecord> {
        self.runs[side.index()].recorded_facts().get(fact as usize).copied()
    }

    /// The same thing in the other run, by its name.
    pub fn counterpart(&self, side: Side, subject: Subject) -> Option<Subject> {
        let (mine, other) = (self.world(side), self.world(side.other()));
        let (names, others) = (&mine.shared.names, &other.shared.names);
        let queue = |MessageQueue { topic, broker, id }: MessageQueue| {
            let topic = others.topic(&names.topics.get(topic.index())?.name)?;
            let broker = others.broker(names.brokers.get(broker.index())?)?;
            Some(MessageQueue { topic, broker, id })
        };
        Some(match subject {
            Subject::Message(msg) => Subject::Message(self.names.counterpart(side, msg)?),
            Subject::Queue(of) => Subject::Queue(queue(of)?),
            Subject::Lock(of) => Subject::Lock(queue(of)?),
            Subject::Client(ClientId(id)) => {
                Subject::Client(others.client(names.clients.get(usize::from(id))?)?)
            }
            Subject::Producer(ProducerId(id)) => {
                Subject::Producer(others.producer(names.producers.get(usize::from(id))?)?)
            }
            Subject::MessageGroup(series) => {
                Subject::MessageGroup(others.series(&names.series.get(series.index())?.name)?)
            }
            Subject::Level(level) => Subject::Level(level),
        })
    }

    fn msg_of(&self, side: Side, msg: u32) -> Option<MsgId> {
        self.names.msg(side, msg)
    }
}

#[cfg(test)]
mod tests;
