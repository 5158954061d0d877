//! A consumer's cache of one queue (`ProcessQueue`): messages that wait, messages that are taken,
//! the lock flag and what the consume task is doing.

use std::collections::VecDeque;

use super::by_group::Held;
use crate::event::Cached;
use crate::fact::PullPause;
use crate::ids::Ms;

/// What the orderly consume task of a queue is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Task {
    /// No task; the next pulled batch starts one.
    Idle,
    /// Submitted; waits for a thread, or for the listener of an older entry of this queue.
    Queued,
    /// Has a thread.
    Running {
        /// When this run began.
        begin_ms: Ms,
    },
    /// The exhausted messages of a failed batch are being sent to the retry topic.
    SendingBack,
    /// Suspended after a failure until this instant.
    Suspended {
        /// When the task is submitted again.
        until_ms: Ms,
    },
    /// Waits to ask for the lock again, or to be submitted after that.
    Relock {
        /// When it happens.
        at_ms: Ms,
    },
}

/// The cache of one queue.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProcessQueue {
    /// Number of this entry at its client; timers of an older entry carry an older number.
    pub serial: u32,
    /// Dropped: results are no longer recorded.
    pub dropped: bool,
    /// Lock flag.
    pub locked: bool,
    /// Last granted lock or renewal as the client saw it (`lastLockTimestamp`).
    pub last_lock_ms: Ms,
    /// Last turn of the pull request (`lastPullTimestamp`).
    pub last_pull_ms: Ms,
    /// Where the next pull begins.
    pub next_offset: i64,
    /// The pull request has computed its start offset under the lock (`previouslyLocked`).
    pub offset_confirmed: bool,
    /// A pull is on its way or held by the broker.
    pub pulling: bool,
    /// Why the last turn of the pull request did not pull.
    pub pause: Option<PullPause>,
    /// What the consume task does (orderly).
    pub task: Task,
    waiting: VecDeque<Cached>,
    /// Suspended message groups with their ends (articles' model only).
    pub held: Vec<(Held, Ms)>,
    taken: Vec<Cached>,
    bytes: u64,
    highest: i64,
    consuming: bool,
}

impl ProcessQueue {
    /// A new entry that will read from `next_offset`.
    pub fn new(serial: u32, next_offset: i64, now_ms: Ms) -> Self {
        Self {
            serial,
            dropped: false,
            locked: false,
            last_lock_ms: now_ms,
            last_pull_ms: now_ms,
            next_offset,
            offset_confirmed: false,
            pulling: false,
            pause: None,
            task: Task::Idle,
            waiting: VecDeque::new(),
            held: Vec::new(),
            taken: Vec::new(),
            bytes: 0,
            highest: -1,
            consuming: false,
        }
    }

    /// Puts pulled messages in; true when a consume task has to be started (`dispatchToConsume`).
    pub fn put(&mut self, messages: &[Cached]) -> bool {
        for message in messages {
            if self.insert(*message) {
                self.bytes += u64::from(message.bytes);
                self.highest = message.offset;
            }
        }
        if self.waiting.is_empty() || self.consuming {
            return false;
        }
        self.consuming = true;
        true
    }

    fn insert(&mut self, message: Cached) -> bool {
        if self.waiting.back().is_none_or(|last| last.offset < message.offset) {
            self.waiting.push_back(message);
            return true;
        }
        match self.waiting.binary_search_by_key(&message.offset, |m| m.offset) {
            Ok(place) => {
                self.waiting[place] = message;
                false
            }
            Err(place) => {
                self.waiting.insert(place, message);
                true
            }
        }
    }

    /// Takes up to `max` messages with the lowest offsets (`takeMessages`). Nothing taken ends the
    /// consume task.
    pub fn take(&mut self, max: usize) -> Vec<Cached> {
        let count = max.min(self.waiting.len());
        let taken: Vec<Cached> = self.waiting.drain(..count).collect();
        for message in &taken {
            let place = self.taken.partition_point(|m| m.offset < message.offset);
            self.taken.insert(place, *message);
        }
        if taken.is_empty() {
            self.consuming = false;
        }
        taken
    }

    /// As [`ProcessQueue::take`], but only messages that `free` lets through.
    pub fn take_where(&mut self, max: usize, free: impl Fn(&Cached) -> bool) -> Vec<Cached> {
        let taken: Vec<Cached> =
            self.waiting.iter().filter(|m| free(m)).take(max).copied().collect();
        for message in &taken {
            if let Ok(place) = self.waiting.binary_search_by_key(&message.offset, |m| m.offset) {
                self.waiting.remove(place);
            }
            let place = self.taken.partition_point(|m| m.offset < message.offset);
            self.taken.insert(place, *message);
        }
        if taken.is_empty() {
            self.consuming = false;
        }
        taken
    }

    /// Counts everything taken as consumed; the lowest offset that is not finished, or None when
    /// nothing was taken (articles' model).
    pub fn commit_lowest(&mut self) -> Option<i64> {
        self.commit()?;
        Some(self.waiting.front().map_or(self.highest + 1, |m| m.offset))
    }

    /// Marks the consume task as active.
    pub fn dispatch(&mut self) {
        self.consuming = true;
    }

    /// Counts everything taken as consumed; the offset behind it, or None when nothing was taken.
    pub fn commit(&mut self) -> Option<i64> {
        let last = self.taken.last()?.offset;
        for message in self.taken.drain(..) {
            self.bytes -= u64::from(message.bytes);
        }
        Some(last + 1)
    }

    /// Puts everything taken back (`rollback`).
    pub fn rollback(&mut self) {
        for message in std::mem::take(&mut self.taken) {
            self.insert(message);
        }
    }

    /// Puts some of the taken messages back (`makeMessageToConsumeAgain`), with their retry counts.
    pub fn make_again(&mut self, messages: &[Cached]) {
        for message in messages {
            self.taken.retain(|m| m.offset != message.offset);
            self.insert(*message);
        }
    }

    /// Concurrent mode: forgets finished messages and returns the lowest unfinished offset, or the
    /// one behind the highest seen (`removeMessage`). None when nothing was cached.
    pub fn remove(&mut self, messages: &[Cached]) -> Option<i64> {
        if self.waiting.is_empty() {
            return None;
        }
        for message in messages {
            if let Ok(place) = self.waiting.binary_search_by_key(&message.offset, |m| m.offset) {
                if let Some(gone) = self.waiting.remove(place) {
                    self.bytes -= u64::from(gone.bytes);
                }
            }
        }
        Some(self.waiting.front().map_or(self.highest + 1, |m| m.offset))
    }

    /// Number of cached messages, taken ones included (`msgCount`).
    pub fn count(&self) -> usize {
        self.waiting.len() + self.taken.len()
    }

    /// Bytes of the cached messages, taken ones included (`msgSize`).
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Highest minus lowest waiting offset (`getMaxSpan`).
    pub fn span(&self) -> i64 {
        match (self.waiting.front(), self.waiting.back()) {
            (Some(first), Some(last)) => last.offset - first.offset,
            _ => 0,
        }
    }

    /// True when an offset waits in the cache (`containsMessage`).
    pub fn contains(&self, offset: i64) -> bool {
        self.waiting.binary_search_by_key(&offset, |m| m.offset).is_ok()
    }

    /// True when messages wait that were not taken yet (`hasTempMessage`).
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Messages that wait, lowest offset first.
    pub fn waiting(&self) -> impl Iterator<Item = &Cached> {
        self.waiting.iter()
    }

    /// The message that waits at an offset.
    pub fn at(&self, offset: i64) -> Option<&Cached> {
        let place = self.waiting.binary_search_by_key(&offset, |m| m.offset).ok()?;
        self.waiting.get(place)
    }

    /// Messages that are taken, lowest offset first.
    pub fn taken(&self) -> &[Cached] {
        &self.taken
    }

    /// Makes everything that is remembered by the client's clock older (negative) or younger.
    pub fn shift(&mut self, by_ms: Ms) {
        self.last_lock_ms += by_ms;
        self.last_pull_ms += by_ms;
        if let Task::Running { begin_ms } = &mut self.task {
            *begin_ms += by_ms;
        }
    }

    /// Forgets all messages (`clear`).
    pub fn clear(&mut self) {
        self.waiting.clear();
        self.taken.clear();
        self.bytes = 0;
        self.highest = -1;
        self.consuming = false;
    }

    /// True when the client's own clock of the lock has run out (strictly).
    pub fn is_lock_expired(&self, now_ms: Ms, max_live_time_ms: Ms) -> bool {
        now_ms - self.last_lock_ms > max_live_time_ms
    }

    /// True when the queue was not pulled for longer than the limit (strictly).
    pub fn is_pull_expired(&self, now_ms: Ms, max_idle_ms: Ms) -> bool {
        now_ms - self.last_pull_ms > max_idle_ms
    }

    /// True when a consume task is active (the dispatch flag).
    pub fn is_consuming(&self) -> bool {
        self.consuming
    }
}
