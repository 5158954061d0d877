//! Projections: pure functions from the world and its facts to what a screen shows. They know
//! no screen; positions in pixels are the page's business.

use crate::ids::{ClientId, MessageGroupId, MessageQueue, MsgId, ProducerId};

pub mod charts;
pub mod client_log;
pub mod compare;
pub mod history;
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
