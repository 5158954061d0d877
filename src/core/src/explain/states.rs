//! The states that things can be in which are not messages.

use super::Reason;
use crate::fact::StopKind;
use crate::ids::{BrokerId, ClientId, GroupId, MessageQueue, Ms, MsgId};

/// A thing with a state of its own that something waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The lease of a queue lock at the broker.
    Lease {
        /// Queue.
        queue: MessageQueue,
        /// Consumer group.
        group: GroupId,
    },
    /// The time for which the owner trusts its lock.
    ClientLock {
        /// Queue.
        queue: MessageQueue,
        /// Consumer group.
        group: GroupId,
    },
    /// The pause of a queue after a failure.
    Suspend {
        /// Queue.
        queue: MessageQueue,
        /// Consumer group.
        group: GroupId,
    },
    /// The invisible time of a delivered message.
    Invisible {
        /// Message.
        msg: MsgId,
        /// Consumer group.
        group: GroupId,
    },
    /// The time until a scheduled message is due.
    Due(MsgId),
    /// A listener call.
    Handler {
        /// Message.
        msg: MsgId,
        /// Consumer group.
        group: GroupId,
    },
    /// The next rebalance round of a consumer.
    Round(ClientId),
}

/// A timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimerState {
    /// It runs until an instant.
    Runs {
        /// When it is over.
        until_ms: Ms,
    },
    /// It was over at an instant, and nothing has come of that yet.
    Over {
        /// When.
        at_ms: Ms,
    },
    /// It does not run.
    Off,
}

/// A queue, for a consumer group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueState {
    /// Nothing in it waits for the group.
    Empty,
    /// Its first unfinished message is worked on.
    Moves {
        /// The message.
        msg: MsgId,
        /// What is done.
        reason: Reason,
    },
    /// Its first unfinished message waits.
    Waits {
        /// The message.
        msg: MsgId,
        /// Why.
        reason: Reason,
    },
}

/// The lock of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LockState {
    /// The group does not lock queues: its listener is concurrent, or it consumes by POP.
    Unused {
        /// By POP.
        pop: bool,
    },
    /// Nobody holds it.
    Free,
    /// Its broker is down. Locks lie in its memory: there are none, and nobody is given one.
    Down {
        /// Which.
        broker: BrokerId,
    },
    /// Somebody holds it.
    Held {
        /// Who.
        owner: ClientId,
        /// The process has ended.
        gone: bool,
        /// End of the lease unless it is renewed.
        until_ms: Ms,
        /// It has parted with the queue and gives the lock back then.
        gives_ms: Option<Ms>,
    },
    /// Its lease is over; the next who asks gets it.
    Expired {
        /// Who held it.
        owner: ClientId,
        /// Since when.
        since_ms: Ms,
    },
    /// Ordered POP: something in flight blocks the queue.
    Blocked {
        /// What.
        head: MsgId,
        /// Until when, unless it is acknowledged.
        until_ms: Ms,
    },
}

/// A consumer or one of its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WorkState {
    /// It handles a message, and what it does will count for nothing.
    InVain {
        /// Which.
        msg: MsgId,
        /// Why.
        reason: Reason,
    },
    /// It handles a message.
    Handles {
        /// Which.
        msg: MsgId,
        /// Until when.
        until_ms: Ms,
    },
    /// It has something to do and does not do it.
    Waits {
        /// The first message that waits.
        msg: MsgId,
        /// Why.
        reason: Reason,
    },
    /// It has queues, and nothing waits in them.
    Idle,
    /// It has no queue: the allocation gives it none of its topics' queues.
    NoQueue {
        /// Queues of its topics.
        others: u16,
    },
    /// It has no queue yet: its next rebalance round takes those that the allocation gives it.
    TakesQueues,
    /// It has no queue: a broker of its topics does not count it as a member of its group.
    NotMember {
        /// Which.
        broker: BrokerId,
        /// It is down.
        down: bool,
    },
    /// It stands still.
    Hangs,
    /// It is stopping. `call`: what it still handles, and until when.
    Stopping {
        /// The first of its calls.
        call: Option<(MsgId, Ms)>,
    },
    /// It has ended.
    Ended {
        /// How.
        how: StopKind,
    },
}

/// A message group or a consumer group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupState {
    /// Nothing waits.
    Quiet,
    /// The first unfinished message is worked on.
    Moves {
        /// The message.
        msg: MsgId,
        /// What is done.
        reason: Reason,
        /// Messages that are not finished.
        waiting: u32,
    },
    /// The first unfinished message waits.
    Waits {
        /// The message.
        msg: MsgId,
        /// Why.
        reason: Reason,
        /// Messages that are not finished.
        waiting: u32,
    },
}

/// A delay level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LevelState {
    /// Nothing waits under it.
    Empty,
    /// Its head is not due.
    NotDue {
        /// The head.
        head: MsgId,
        /// When it is due.
        due_ms: Ms,
        /// Messages under the level.
        waiting: u32,
    },
    /// Its head is due, and its broker puts nothing back: its disk is too full for writes.
    Full {
        /// The head.
        head: MsgId,
        /// When it was due.
        due_ms: Ms,
        /// Messages under the level.
        waiting: u32,
        /// The broker.
        broker: BrokerId,
    },
    /// Its broker is down and puts nothing back.
    Down {
        /// The head.
        head: MsgId,
        /// When it is or was due.
        due_ms: Ms,
        /// Messages under the level.
        waiting: u32,
        /// The broker.
        broker: BrokerId,
    },
    /// The running table does not have it any more, and messages wait under it for good.
    Gone {
        /// The first of them.
        head: MsgId,
        /// Messages under the level.
        waiting: u32,
        /// Levels of the table.
        levels: u8,
    },
}
