//! Small copyable names for everything in a run. The tables that translate them to and from
//! people's names live in [`crate::shared::Shared`].

/// An instant or a span of virtual time, in milliseconds since the run began.
pub type Ms = i64;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $inner);
        impl $name {
            /// The place in the table that this id names.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(/** A topic, system topics included. */ TopicId(u16));
id!(/** A consumer group. */ GroupId(u16));
id!(/** A producer. */ ProducerId(u16));
id!(/** One consumer process: one client instance in one consumer group. */ ClientId(u16));
id!(/** A broker. */ BrokerId(u8));
id!(/** A proxy. */ ProxyId(u8));
id!(/** A message as the application built it; copies of it in the store share this id. */ MsgId(u32));
id!(/** A message group (or the series of the messages that have none). */ MessageGroupId(u16));
id!(/** A record's place in one broker's commit log. */ RecordId(u32));

/// One queue of a topic on one broker. Sorts by topic, broker, id, as RocketMQ's
/// `MessageQueue.compareTo` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageQueue {
    /// The topic.
    pub topic: TopicId,
    /// The broker that stores it.
    pub broker: BrokerId,
    /// The queue id, from 0.
    pub id: u16,
}

/// Whoever takes part in a run and exchanges messages over the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Party {
    /// A broker.
    Broker(BrokerId),
    /// A consumer process.
    Client(ClientId),
    /// A producer process.
    Producer(ProducerId),
    /// A proxy.
    Proxy(ProxyId),
}
