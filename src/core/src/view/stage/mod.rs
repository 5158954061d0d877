//! What the stage shows: producers, routing, lanes, locks, consumers, the delay shelf and the
//! tray of dead letters, for one consumer group, at one instant.

mod consumers;
mod groups;
mod holds;
mod lane;
mod lanes;
mod pop;
mod producers;
mod project;
mod row;
mod shelf;
#[cfg(test)]
mod tests;
mod token;

use std::rc::Rc;

use crate::command::{ListenerKind, SendMode, TopicType};
use crate::ids::{MessageGroupId, Ms, MsgId, ProducerId, TopicId};
use crate::shared::Names;

pub use groups::{MemberView, OtherGroupView};
pub use holds::{ConsumerKind, HeldView, HoldState, HoldView};
pub use lane::{LaneView, LockView, SlotState, SlotView, Stands};
pub use project::{project, Options};
pub use row::{ConsumerState, ConsumerView, Idle, RowState, RowView};
pub use token::{Place, TokenState, TokenView};

/// Colours that the palette has.
pub const HUES: u16 = 8;

/// With more message groups than this colours would repeat too often to mean anything: none is
/// coloured.
pub const MAX_COLOURED: usize = 24;

/// The colour number of a message without a message group.
pub const NO_HUE: u8 = u8::MAX;

/// The colour number of a series: [`NO_HUE`] without a message group and where there are too many
/// of them; the letter's place for
/// message groups named by one letter, so that A is always the first colour; else the place in
/// the order in which groups came.
pub fn hue(names: &Names, series: MessageGroupId) -> u8 {
    let Some(group) = names.series.get(series.index()) else { return NO_HUE };
    if group.key.is_none() || names.series.len() > MAX_COLOURED {
        return NO_HUE;
    }
    let place = match group.name.as_bytes() {
        [letter @ b'A'..=b'Z'] => u16::from(letter - b'A'),
        _ => series.0,
    };
    // The remainder is below 8.
    (place % HUES) as u8
}

/// The time that a strip shows.
pub const STRIP_MS: Ms = 60_000;

/// A message as people see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The message.
    pub msg: MsgId,
    /// Its label, such as `A2`.
    pub label: Rc<str>,
    /// Its colour, 0 to 7, or [`NO_HUE`].
    pub hue: u8,
}

/// The stage at one instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StageView {
    /// The instant.
    pub now_ms: Ms,
    /// The topic whose queues are lanes.
    pub topic: Option<TopicView>,
    /// The consumer group that is shown.
    pub group: Option<GroupView>,
    /// Names of all consumer groups, for choosing one.
    pub groups: Vec<Rc<str>>,
    /// Producers, in the order of their ids.
    pub producers: Vec<ProducerView>,
    /// Message groups, in the order of their queues.
    pub ports: Vec<PortView>,
    /// Brokers that have lanes, in the order of the lanes.
    pub brokers: Vec<BrokerView>,
    /// Proxies that producers of the topic or consumers of the group speak to.
    pub proxies: Vec<ProxyView>,
    /// Queues, in their order; those of one broker stand together.
    pub lanes: Vec<LaneView>,
    /// Consumers of the group, in the order in which they started.
    pub consumers: Vec<ConsumerView>,
    /// The other consumer groups, in the order of [`Self::groups`].
    pub other_groups: Vec<OtherGroupView>,
    /// Everything that moves: at most one token for each message.
    pub tokens: Vec<TokenView>,
    /// Topics whose queues are not drawn.
    pub folded: Vec<FoldedView>,
    /// The delay levels.
    pub shelf: ShelfView,
    /// Dead letters of the group.
    pub tray: TrayView,
    /// Half messages whose transaction is not decided.
    pub halves: u32,
    /// True while a question is open: what is still to come is told without the message that it is
    /// about. [`project`] leaves it to whoever asks.
    pub withheld: bool,
}

/// A broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokerView {
    /// Name.
    pub name: Rc<str>,
    /// Whether it runs.
    pub up: bool,
    /// Its first lane, by its place in [`StageView::lanes`].
    pub first_lane: usize,
}

/// A proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxyView {
    /// Name.
    pub name: Rc<str>,
    /// Whether it runs.
    pub up: bool,
    /// True when a producer of the topic sends through it.
    pub sends: bool,
    /// True when a consumer of the group speaks to it.
    pub receives: bool,
    /// Receives of the group that wait at a broker on its behalf.
    pub polls: u32,
    /// Sends that it refused, of the producers that speak to it.
    pub refused: u32,
}

/// A topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicView {
    /// Name.
    pub name: Rc<str>,
    /// Type.
    pub kind: TopicType,
    /// Queues that can be written.
    pub write_queues: u32,
}

/// A consumer group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupView {
    /// Name.
    pub name: Rc<str>,
    /// Listener kind of its classic consumers.
    pub listener: ListenerKind,
    /// True when its messages are taken by POP: its consumers speak gRPC.
    pub pop: bool,
    /// `consumeMessageOrderly`: POP gives its messages in order.
    pub pop_orderly: bool,
    /// Its place in [`StageView::groups`].
    pub index: usize,
    /// Its mark on the lanes, a letter that no other group has.
    pub mark: char,
}

/// A producer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProducerView {
    /// Id.
    pub id: ProducerId,
    /// Name.
    pub name: Rc<str>,
    /// Messages that the broker has stored.
    pub sent: u32,
    /// Messages that it could not send: the application was told so.
    pub failed: u32,
    /// How many of these a proxy refused.
    pub refused: u32,
    /// Whether it is a gRPC client; else a 4.x client.
    pub grpc: bool,
    /// How it waits for answers.
    pub mode: SendMode,
    /// What each thread sends next.
    pub threads: Vec<ThreadView>,
    /// The load that is under way, or else the next one.
    pub load: Option<LoadView>,
    /// Ports that it sends to, by their place in [`StageView::ports`], and whether something is on
    /// its way there.
    pub wires: Vec<(usize, bool)>,
}

/// A thread of a producer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadView {
    /// What it sends next; None when nothing is planned.
    pub next: Option<NextSend>,
}

/// Messages that a load sends; which and by which thread is drawn when each is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadView {
    /// How many are still to come.
    pub left: u32,
    /// When it begins; None = it is under way.
    pub at_ms: Option<Ms>,
}

/// What a thread sends next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextSend {
    /// Label of the message.
    pub label: Rc<str>,
    /// Its colour.
    pub hue: u8,
    /// When; None = as soon as the answer to the last one has come.
    pub at_ms: Option<Ms>,
}

/// How a port chooses the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Remainder of the hash (or of the id): `SelectMessageQueueByHash` and the hand-written kinds.
    Remainder {
        /// The hash or the id.
        of: i64,
        /// Queue count.
        n: u32,
    },
    /// The proxy's consistent hash over so many queues.
    Consistent {
        /// The hash of the key.
        of: i64,
        /// Queue count.
        n: u32,
    },
    /// One queue after the other.
    RoundRobin,
    /// Always the same queue.
    Fixed,
}

/// A message group with its route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortView {
    /// The message group; None before its first message.
    pub group: Option<MessageGroupId>,
    /// Its short name.
    pub letter: Rc<str>,
    /// Its key.
    pub key: Rc<str>,
    /// Its colour.
    pub hue: u8,
    /// How the queue is chosen.
    pub rule: Rule,
    /// The place among the write queues of all brokers that the rule gives; None for round robin.
    pub index: Option<u32>,
    /// The lane that its messages go to, by its place in [`StageView::lanes`]; None for round robin.
    pub lane: Option<usize>,
    /// Another lane that still holds messages of the group, from before the queue count changed.
    pub former: Option<usize>,
    /// Names of the producers that send through it.
    pub senders: Vec<Rc<str>>,
    /// Whether its messages go through a proxy; a 4.x client writes to the broker.
    pub proxied: bool,
    /// True while a message is on its way from the port to the lane.
    pub lit: bool,
}

/// A topic whose queues are not drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldedView {
    /// The topic.
    pub id: TopicId,
    /// Name.
    pub name: Rc<str>,
    /// Type.
    pub kind: TopicType,
    /// Number of queues.
    pub queues: u32,
    /// Messages in it.
    pub stored: u32,
    /// Messages that the group has not consumed; None when it does not read the topic.
    pub waiting: Option<u32>,
    /// Messages that wait for their time: nobody can read them yet.
    pub scheduled: u32,
    /// Half messages whose transaction is not decided.
    pub halves: u32,
}

/// The delay levels of the broker's table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShelfView {
    /// All levels in order.
    pub levels: Vec<LevelView>,
    /// The message that is due next and when.
    pub next: Option<(Named, Ms)>,
    /// The lane that this message is put back into; None where its queue is no lane.
    pub lane: Option<usize>,
}

/// A delay level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelView {
    /// Number, from 1; 0 = the timer wheel, whose messages have any delay.
    pub level: u8,
    /// Duration as the table writes it, such as `10s`; empty for the timer wheel.
    pub text: Rc<str>,
    /// Duration; for the timer wheel that of its head.
    pub delay_ms: Ms,
    /// When its head is due.
    pub due_ms: Option<Ms>,
    /// Messages in it.
    pub count: u32,
}

/// Dead letters of the group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrayView {
    /// Name of the dead-letter topic.
    pub topic: Rc<str>,
    /// Number of dead letters.
    pub count: u32,
    /// Other groups that have dead letters, and how many.
    pub elsewhere: Vec<(Rc<str>, u32)>,
    /// Deliveries after the first that a message gets at most; None = without limit.
    pub limit: Option<u32>,
}
