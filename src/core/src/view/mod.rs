//! Projections: pure functions from the world and its facts to what a screen shows. They know
//! no screen; positions in pixels are the page's business.

use crate::ids::{ClientId, MessageGroupId, MessageQueue, MsgId, ProducerId};
use crate::world::World;

pub mod charts;
pub mod client_log;
pub mod compare;
pub mod history;
pub mod known;
pub mod log;
mod log_pop;
pub mod order;
pub mod routing;
pub mod stage;
pub mod timeline;

/// Anything that can be selected, hovered or explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// A message.
    Message(MsgId),
    /// A queue, with its lock.
    Queue(MessageQueue),
    /// The lock of a queue alone.
    Lock(MessageQueue),
    /// A consumer process.
    Client(ClientId),
    /// A producer.
    Producer(ProducerId),
    /// A message group.
    MessageGroup(MessageGroupId),
    /// A delay level, from 1; 0 = the timer wheel.
    Level(u8),
}

impl Subject {
    /// Whether a world has it. What is chosen at one instant may not be there at an earlier one: a
    /// message that is not built yet, a consumer that has not joined.
    pub fn is_in(self, world: &World) -> bool {
        let names = &world.shared.names;
        match self {
            Self::Message(msg) => msg.index() < world.shared.messages.len(),
            Self::Queue(MessageQueue { topic, broker, .. })
            | Self::Lock(MessageQueue { topic, broker, .. }) => {
                topic.index() < names.topics.len() && broker.index() < world.brokers.len()
            }
            Self::Client(client) => client.index() < world.clients.len(),
            Self::Producer(ProducerId(id)) => usize::from(id) < names.producers.len(),
            Self::MessageGroup(series) => series.index() < names.series.len(),
            Self::Level(_) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario;
    use crate::session::Session;

    #[test]
    fn a_thing_is_in_the_world_from_its_beginning_on() {
        let text = "topic orders FIFO 1 queue\ngroup billing reads orders orderly\nproducer p1\n\
                    at 2s c1 joins billing\nat 3s p1 sends A1\nrun until 8s\n";
        let program = scenario::load(text).unwrap_or_else(|p| panic!("{p:?}"));
        let mut run = Session::new(program.seed, program.model.clone(), program.journal());
        run.run_until(8_000);
        let names = &run.world().shared.names;
        let topic = names.topic("orders").expect("it is declared");
        let broker = names.broker("broker").expect("it is the only one");
        let things = [
            Subject::Client(names.client("c1").expect("it joined")),
            Subject::Message(MsgId(0)),
            Subject::Queue(MessageQueue { topic, broker, id: 0 }),
            Subject::Lock(MessageQueue { topic, broker, id: 0 }),
            Subject::Producer(names.producer("p1").expect("it is declared")),
            Subject::MessageGroup(names.series("A").expect("it was sent")),
            Subject::Level(3),
        ];
        let there = |run: &Session| things.map(|thing| thing.is_in(run.world()));
        assert_eq!(there(&run), [true; 7]);
        run.seek_time(2_500);
        assert_eq!(there(&run)[..2], [true, false]);
        run.seek_event(0);
        assert_eq!(there(&run), [false, false, false, false, false, false, true]);
    }
}
