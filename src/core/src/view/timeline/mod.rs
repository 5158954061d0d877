//! The timeline: what each queue went through, built once from the facts as they come and read
//! through a window. Stepping back costs nothing: every span knows the fact that began it and the
//! one that ended it, so the present is a number of facts and the same spans show any present.

use std::collections::BTreeMap;

use crate::fact::{FactRecord, Outcome, StopKind};
use crate::ids::{ClientId, MessageGroupId, MessageQueue, Ms, MsgId};

mod activity;
mod merge;
mod read;
mod regroup;
mod spans;
mod window;

pub use merge::{BarView, Bit, Shade};
pub use spans::{Life, Span, Spans, OPEN_MS};
pub use window::{BandView, GapView, PauseView, RowView, Window};

/// Bars of one row that may stand one above the other; more share the last place.
pub const MAX_LANES: u8 = 4;

/// Whose row it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowKey {
    /// A queue's: owners, pauses, calls.
    Queue(MessageQueue),
    /// A message group's: its messages' calls and the pauses after their failures, in any queue.
    MessageGroup(MessageGroupId),
    /// A consumer's: its calls and pauses in all its queues.
    Consumer(ClientId),
}

/// One listener call for one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// The message.
    pub msg: MsgId,
    /// Where the call ran.
    pub client: ClientId,
    /// Offset of the record.
    pub offset: u32,
    /// Attempt, from 1.
    pub attempt: u32,
    /// What the listener returned; None while it runs or when it never returned.
    pub outcome: Option<Outcome>,
    /// Place among the calls that run at the same time, from 0.
    pub lane: u8,
}

/// A pause of a queue after a failed ordered message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// The message that failed.
    pub msg: MsgId,
    /// Where.
    pub client: ClientId,
    /// Failures of the message so far.
    pub failures: u32,
    /// When it is handled again.
    pub until_ms: Ms,
}

/// Something that a timer will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timer {
    /// When.
    pub due_ms: Ms,
    /// What.
    pub what: TimerKind,
}

/// What a timer will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerKind {
    /// A suspended queue is handled again, its failed message first.
    Again {
        /// Queue.
        queue: MessageQueue,
        /// Message.
        msg: MsgId,
        /// Where.
        client: ClientId,
    },
    /// A client asks for a lock again.
    Relock {
        /// Queue.
        queue: MessageQueue,
        /// Who asks.
        client: ClientId,
    },
    /// A delayed message is due (`level` from 1; 0 = the timer wheel).
    Due {
        /// Message.
        msg: MsgId,
        /// Level.
        level: u8,
    },
}

/// Something worth a mark below the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When.
    pub at_ms: Ms,
    /// Index of the fact.
    pub fact: u32,
    /// What.
    pub what: MarkKind,
}

/// What a mark stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// A consumer process started during the run.
    Started(ClientId),
    /// A consumer process ended or stands still.
    Stopped(ClientId, StopKind),
    /// A consumer process goes on.
    Resumed(ClientId),
    /// A broker went down.
    BrokerDown,
    /// A broker came up.
    BrokerUp,
    /// A command of the journal took effect during the run.
    Command(u32),
    /// A message became a dead letter.
    DeadLetter(MsgId),
}

#[derive(Clone, Debug, Default)]
struct Row {
    bars: Spans<Bar>,
    owners: Spans<ClientId>,
    pauses: Spans<Pause>,
    /// Lock renewals: instant, fact, client.
    renewals: Vec<(Ms, u32, ClientId)>,
    open_bars: Vec<usize>,
    open_owners: Vec<usize>,
    open_pauses: Vec<usize>,
}

/// Everything the timeline knows about a run.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    generation: u32,
    seen: usize,
    last_ms: Ms,
    rows: BTreeMap<MessageQueue, Row>,
    /// When each consumer's process was there.
    processes: Spans<ClientId>,
    open_processes: BTreeMap<ClientId, usize>,
    /// Listener calls begun in each `activity::BUCKET_MS`.
    begun: Vec<u32>,
    timers: Spans<Timer>,
    open_again: BTreeMap<(MessageQueue, ClientId), usize>,
    open_relocks: BTreeMap<(MessageQueue, ClientId), usize>,
    open_due: BTreeMap<MsgId, usize>,
    marks: Vec<Mark>,
}

impl Timeline {
    /// An empty timeline.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the facts that it has not read yet. `generation` is raised by the caller whenever
    /// facts that were recorded have been replaced; everything is read anew then.
    pub fn update(&mut self, facts: &[FactRecord], generation: u32) {
        if generation != self.generation {
            *self = Self { generation, ..Self::default() };
        }
        for (index, record) in facts.iter().enumerate().skip(self.seen) {
            self.read(index as u32, record);
        }
        self.seen = self.seen.max(facts.len());
    }

    /// The queues that anything happened in, in RocketMQ's order.
    pub fn queues(&self) -> impl Iterator<Item = MessageQueue> + '_ {
        self.rows.keys().copied()
    }

    /// Whether a message of the queue was ever handled.
    pub fn has_bars(&self, queue: MessageQueue) -> bool {
        self.rows.get(&queue).is_some_and(|row| !row.bars.is_empty())
    }

    /// Latest instant that was read.
    pub fn last_ms(&self) -> Ms {
        self.last_ms
    }

    /// The marks of the closed window that were there when `facts` facts had happened.
    pub fn marks(&self, from_ms: Ms, to_ms: Ms, facts: u32) -> &[Mark] {
        let start = self.marks.partition_point(|m| m.at_ms < from_ms);
        let end = self.marks.partition_point(|m| m.at_ms <= to_ms && m.fact < facts);
        &self.marks[start.min(end)..end]
    }

    /// The timers that are set at the present and due after it, soonest first, at most `limit`.
    pub fn timers(&self, now_ms: Ms, facts: u32, limit: usize) -> Vec<Timer> {
        let mut soonest: Vec<Timer> = Vec::new();
        for span in self.timers.touching(now_ms, now_ms) {
            let timer = span.what;
            let is_set = span.life.begun(facts) && span.life.end_ms(facts) == OPEN_MS;
            if !is_set || timer.due_ms <= now_ms {
                continue;
            }
            // Timers are mostly set in the order in which they run out, so this rarely moves any.
            let place = soonest.partition_point(|other| other.due_ms <= timer.due_ms);
            if place < limit {
                soonest.truncate(limit - 1);
                soonest.insert(place, timer);
            }
        }
        soonest
    }

    /// The listener call of `queue` that ran at an instant, the latest one when there are several.
    pub fn bar_at(&self, queue: MessageQueue, at_ms: Ms, facts: u32) -> Option<Bar> {
        let bars = &self.rows.get(&queue)?.bars;
        bars.touching(at_ms, at_ms).filter(|s| s.life.begun(facts)).last().map(|s| s.what)
    }
}

#[cfg(test)]
mod tests;
