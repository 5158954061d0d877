//! What an event may have changed, so that what it cannot have changed is not asked again.
//!
//! Parties and their queues are shared with the copy of the world before the event; whoever was
//! changed is another one now. Most events of a long standstill are turns of pull loops: they write
//! the time into one entry of one consumer's table, and nothing else in the world is another.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use lockstep_core::client::Client;
use lockstep_core::fact::FactRecord;
use lockstep_core::ids::MessageQueue;
use lockstep_core::process::Process;
use lockstep_core::world::World;

/// What an event may have changed.
pub enum Touched {
    /// Anything.
    All,
    /// These queues of one or more consumers.
    Queues(Vec<MessageQueue>),
}

impl Touched {
    /// Whether anything may have changed.
    pub fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }

    /// Whether a queue may have changed for somebody.
    pub fn holds(&self, queue: MessageQueue) -> bool {
        match self {
            Self::All => true,
            Self::Queues(queues) => queues.contains(&queue),
        }
    }
}

/// Watches a run event by event.
#[derive(Default)]
pub struct Watcher {
    before: Option<World>,
}

impl Watcher {
    /// Looks at the world after an event with these facts.
    pub fn look(&mut self, world: &World, facts: &[FactRecord]) -> Touched {
        let before = self.before.replace(world.clone());
        let queues = before.filter(|_| facts.is_empty()).and_then(|b| entries_alone(&b, world));
        queues.map_or(Touched::All, Touched::Queues)
    }
}

/// The queues whose entries at classic consumers were changed; None when anything else was.
fn entries_alone(before: &World, now: &World) -> Option<Vec<MessageQueue>> {
    let (a, b) = (&before.shared, &now.shared);
    let same = Rc::ptr_eq(&a.names, &b.names)
        && Rc::ptr_eq(&a.model, &b.model)
        && Rc::ptr_eq(&a.rules, &b.rules)
        && a.messages.len() == b.messages.len()
        && a.net == b.net
        && a.name_server == b.name_server
        && all_same(&before.brokers, &now.brokers)
        && all_same(&before.proxies, &now.proxies)
        && all_same(&before.producers, &now.producers)
        && before.clients.len() == now.clients.len();
    if !same {
        return None;
    }
    let mut queues = Vec::new();
    for pair in before.clients.iter().zip(&now.clients) {
        match pair {
            (Process::Classic(a), Process::Classic(b)) if Rc::ptr_eq(a, b) => {}
            (Process::Grpc(a), Process::Grpc(b)) if Rc::ptr_eq(a, b) => {}
            (Process::Classic(a), Process::Classic(b)) => queues.extend(of_client(a, b)?),
            _ => return None,
        }
    }
    Some(queues)
}

fn all_same<T>(a: &[Rc<T>], b: &[Rc<T>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| Rc::ptr_eq(a, b))
}

/// The entries that differ between two states of a consumer that are equal but for them.
fn of_client(a: &Client, b: &Client) -> Option<Vec<MessageQueue>> {
    let rest = |client: &Client| {
        let mut rest = client.clone();
        rest.queues.clear();
        hash(&rest)
    };
    if a.queues.len() != b.queues.len() || rest(a) != rest(b) {
        return None;
    }
    let mut queues = Vec::new();
    for ((queue, old), (other, new)) in a.queues.iter().zip(&b.queues) {
        if queue != other {
            return None;
        }
        if !Rc::ptr_eq(old, new) {
            queues.push(*queue);
        }
    }
    Some(queues)
}

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
