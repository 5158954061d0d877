//! What the stage shows: producers, routing, lanes, locks, consumers, the delay shelf and the
//! tray of dead letters, for one consumer group, at one instant.

mod consumers;
mod lanes;
mod producers;
mod project;
mod shelf;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use crate::command::{ListenerKind, SendMode, TopicType};
use crate::ids::{ClientId, MessageGroupId, MessageQueue, Ms, MsgId, ProducerId};
use crate::shared::Names;
use crate::view::history::Run;

pub use project::{project, Options};

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
    /// Queues, in their order.
    pub lanes: Vec<LaneView>,
    /// Consumers of the group, in the order in which they started.
    pub consumers: Vec<ConsumerView>,
    /// Everything that moves: at most one token for each message.
    pub tokens: Vec<TokenView>,
    /// Topics whose queues are not drawn.
    pub folded: Vec<FoldedView>,
    /// The delay levels.
    pub shelf: ShelfView,
    /// Dead letters of the group.
    pub tray: TrayView,
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
    /// Listener kind.
    pub listener: ListenerKind,
    /// Its place in [`StageView::groups`].
    pub index: usize,
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
    /// How it waits for answers.
    pub mode: SendMode,
    /// What each thread sends next.
    pub threads: Vec<ThreadView>,
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
    /// The lane that its messages go to, by its place in [`StageView::lanes`]; None for round robin.
    pub lane: Option<usize>,
    /// Another lane that still holds messages of the group, from before the queue count changed.
    pub former: Option<usize>,
    /// True while a message is on its way from the port to the lane.
    pub lit: bool,
}

/// A queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneView {
    /// The queue.
    pub queue: MessageQueue,
    /// Its short name, such as `q1`.
    pub name: Rc<str>,
    /// True for the queue of a retry topic.
    pub retry: bool,
    /// Minimum offset.
    pub min: i64,
    /// Next offset that the group consumes.
    pub next: i64,
    /// Offset that the broker has recorded for the group.
    pub recorded: i64,
    /// Maximum offset: the next to be written.
    pub max: i64,
    /// Offsets of other consumer groups with the first letter of their name.
    pub others: Vec<(char, i64)>,
    /// Offset of the first record that can be seen.
    pub first: i64,
    /// Records that can be seen: from the first on, and the last one if others are hidden between.
    pub slots: Vec<SlotView>,
    /// Number of records between the last two of [`Self::slots`] that cannot be seen.
    pub hidden: i64,
    /// Messages on their way to it.
    pub arriving: u32,
    /// The lock, for orderly groups.
    pub lock: LockView,
    /// Why the lane stands still.
    pub stands: Option<Stands>,
    /// Since when it does.
    pub since_ms: Option<Ms>,
    /// How many messages waited in the last [`STRIP_MS`]; empty where lanes are drawn.
    pub history: Vec<Run>,
    /// Rows of the consumers that have the queue.
    pub rows: Vec<RowView>,
}

impl LaneView {
    /// Maximum minus next: what waits, messages in flight included.
    pub fn lag(&self) -> i64 {
        (self.max - self.next).max(0)
    }

    /// How many records from the first on can be seen without a gap.
    pub fn shown(&self) -> i64 {
        self.slots.len() as i64 - i64::from(self.hidden > 0)
    }
}

/// A record's place in its lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotView {
    /// Offset.
    pub offset: i64,
    /// The message.
    pub name: Named,
    /// What the record is to the group.
    pub state: SlotState,
}

/// What a record is to the consumer group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotState {
    /// Can be delivered; its token lies in the slot.
    Ready,
    /// With a consumer; its token is away.
    Away,
    /// Waiting for retry after so many failures.
    Retry(u32),
    /// Held back by another message.
    Blocked,
    /// Consumed, skipped or given up.
    Done,
}

/// Why a lane stands still.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stands {
    /// A failed message suspended it until an instant.
    Suspended {
        /// The message.
        name: Named,
        /// When it began.
        from_ms: Ms,
        /// When the message is handled again.
        until_ms: Ms,
    },
    /// A failed message that holds others back is being handled again.
    Retrying {
        /// The message.
        name: Named,
    },
    /// Its owner is gone; its lock lives on.
    OwnerGone,
    /// Nobody holds its lock though somebody should.
    NoOwner,
}

/// A queue lock at the broker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LockView {
    /// The group takes no locks.
    #[default]
    None,
    /// Nobody holds it.
    Free,
    /// Somebody holds it.
    Held {
        /// Who.
        owner: ClientId,
        /// Its name.
        name: Rc<str>,
        /// True when that process is gone.
        gone: bool,
        /// Last grant or renewal.
        from_ms: Ms,
        /// The first instant at which the lease is not over yet is before this one.
        until_ms: Ms,
    },
}

/// A consumer process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsumerView {
    /// Id.
    pub id: ClientId,
    /// Name.
    pub name: Rc<str>,
    /// What it is doing.
    pub state: ConsumerState,
    /// The next renewal of its locks.
    pub renews_ms: Option<Ms>,
    /// Lanes that it has a row in, by their place in [`StageView::lanes`].
    pub lanes: Vec<usize>,
}

/// What a consumer process is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsumerState {
    /// It runs.
    Running,
    /// It stands still.
    Hanging,
    /// It is gone.
    Gone,
}

/// What a consumer does with a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowView {
    /// The consumer.
    pub client: ClientId,
    /// Messages in its cache.
    pub cached: u32,
    /// What it does.
    pub state: RowState,
}

/// What a consumer does with a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowState {
    /// A listener call runs; the messages are tokens at this row.
    Handling {
        /// The messages.
        names: Vec<Named>,
        /// When the call began.
        from_ms: Ms,
        /// When it ends, as the simulation knows.
        until_ms: Ms,
    },
    /// Suspended until the message is handled again.
    Suspended {
        /// The message.
        name: Named,
        /// When it began.
        from_ms: Ms,
        /// When it ends.
        until_ms: Ms,
    },
    /// The lock is asked for again at an instant.
    Relock {
        /// When.
        at_ms: Ms,
    },
    /// Nothing to do, for a reason.
    Idle(Idle),
}

/// Why a consumer has nothing to do with a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// Everything is consumed.
    NothingToPull,
    /// The first pull or the next pull has not come yet.
    NotPulledYet,
    /// It does not hold the lock.
    NoLock,
    /// Every thread is busy.
    NoThread,
    /// The queue was given away and the listener is waited for.
    Leaving,
    /// Consumption is paused.
    Paused,
    /// The process stands still or is gone.
    Still,
}

/// A token: the delivery of one message to the group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenView {
    /// The message.
    pub name: Named,
    /// Where it is.
    pub place: Place,
    /// Its state.
    pub state: TokenState,
    /// 0, or the number of the copy where a message is in several places at once.
    pub copy: u32,
    /// Which producer it came from, by its place in [`StageView::producers`].
    pub producer: usize,
}

/// Where a token is. Numbers are places in the lists of [`StageView`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// On the wire to a lane, as the n-th of those that are under way to it.
    Wire {
        /// Port; None without a message group.
        port: Option<usize>,
        /// Lane; None when the topic is folded.
        lane: Option<usize>,
        /// N-th.
        nth: u32,
    },
    /// In its slot.
    Slot {
        /// Lane.
        lane: usize,
        /// Offset.
        offset: i64,
    },
    /// With a consumer, as the n-th message of its call.
    Row {
        /// Lane.
        lane: usize,
        /// Consumer.
        client: ClientId,
        /// N-th.
        nth: u32,
    },
    /// Under a delay level.
    Shelf {
        /// Level from 1; 0 = the timer wheel.
        level: u8,
        /// N-th from the head.
        nth: u32,
    },
    /// A dead letter.
    Tray {
        /// N-th.
        nth: u32,
    },
}

/// State of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenState {
    /// On its way to the broker, or deliverable.
    Ready,
    /// With a consumer, between two instants.
    InFlight {
        /// Beginning of the listener call.
        from_ms: Ms,
        /// Its end.
        until_ms: Ms,
        /// True when it was handled before.
        again: bool,
    },
    /// Waiting for retry after so many failures.
    Retry(u32),
    /// Held back by another message.
    Blocked,
    /// Under a delay level.
    Scheduled,
    /// A dead letter.
    Dead,
}

/// A topic whose queues are not drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldedView {
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
}

/// The delay levels of the broker's table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShelfView {
    /// All levels in order.
    pub levels: Vec<LevelView>,
    /// The message that is due next and when.
    pub next: Option<(Named, Ms)>,
}

/// A delay level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelView {
    /// Number, from 1.
    pub level: u8,
    /// Duration as the table writes it, such as `10s`.
    pub text: Rc<str>,
    /// Duration.
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
    /// Deliveries after the first that a message gets at most; None = without limit.
    pub limit: Option<u32>,
}
