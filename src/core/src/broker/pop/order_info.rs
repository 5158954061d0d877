//! The record of what is in flight in one queue of one consumer group
//! (`ConsumerOrderInfoManager`): it blocks the whole queue until its messages are acknowledged or
//! visible again. Pure; the instants come from outside.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::ids::{GroupId, MessageQueue, Ms};
use crate::model::Version;

/// One attempt of a receive; a repeat of a failed receive keeps its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttemptId(pub u64);

/// Where a record belongs: a consumer group and a queue.
pub type RecordKey = (GroupId, MessageQueue);

/// Longest life of a record that nothing is popped under, in ms. Source:
/// `ConsumerOrderInfoManager.CLEAN_SPAN_FROM_LAST`.
pub const CLEAN_SPAN_FROM_LAST_MS: Ms = 24 * 3_600_000;

/// How the record works in a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OrderRules {
    /// 5.0.0: one count for a batch, the requester's invisible time, no pop times.
    WholeBatch,
    /// 5.1.0: times and counts for each offset.
    EachOffset,
    /// 5.1.1 and later: attempt ids as well.
    Attempts,
}

impl OrderRules {
    /// The rules of a release.
    pub fn of(version: Version) -> Self {
        match version {
            v if v < Version(5, 1, 0) => Self::WholeBatch,
            v if v < Version(5, 1, 1) => Self::EachOffset,
            _ => Self::Attempts,
        }
    }
}

/// What a POP took out of one queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The receive's attempt.
    pub attempt: Option<AttemptId>,
    /// When.
    pub pop_ms: Ms,
    /// For how long it is invisible; None: an old record from a file, which had none.
    pub invisible_ms: Option<Ms>,
    /// Offsets, ascending, at most 64.
    pub offsets: Vec<i64>,
}

/// Earlier deliveries of what was just taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// By offset; an offset that is new has none.
    pub by_offset: BTreeMap<i64, u32>,
    /// Of the queue: the least of all, 0 when any offset is new.
    pub queue: u32,
}

/// Answer to an acknowledgement (`commitAndNext`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AckNext {
    /// -1: the offset is not in the record.
    Illegal,
    /// -2: nothing to commit (another pop time, or, in 5.0.0, a batch that is not complete).
    Nothing,
    /// The consumer offset to commit.
    Commit(i64),
}

impl AckNext {
    /// The number that RocketMQ returns.
    pub fn code(self) -> i64 {
        match self {
            Self::Illegal => -1,
            Self::Nothing => -2,
            Self::Commit(offset) => offset,
        }
    }
}

/// Why a queue yields nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// The lowest offset that is neither acknowledged nor visible.
    pub offset: i64,
    /// When it becomes visible.
    pub until_ms: Ms,
}

/// A record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OrderInfo {
    /// Pop time.
    pub pop_ms: Ms,
    /// Invisible time of the pop; None in a record from an old file until it is first checked.
    pub invisible_ms: Option<Ms>,
    /// Attempt.
    pub attempt: Option<AttemptId>,
    /// When it was last popped under.
    pub last_consume_ms: Ms,
    offsets: Vec<i64>,
    next_visible_ms: BTreeMap<i64, Ms>,
    counts: BTreeMap<i64, u32>,
    batch_count: u32,
    acked: u64,
}

impl OrderInfo {
    fn new(taken: &Taken, now_ms: Ms) -> Self {
        Self {
            pop_ms: taken.pop_ms,
            invisible_ms: taken.invisible_ms,
            attempt: taken.attempt,
            last_consume_ms: now_ms,
            offsets: taken.offsets.clone(),
            next_visible_ms: BTreeMap::new(),
            counts: BTreeMap::new(),
            batch_count: 0,
            acked: 0,
        }
    }

    /// Offsets in flight or acknowledged, ascending.
    pub fn offsets(&self) -> &[i64] {
        &self.offsets
    }

    /// True when the message at a place of [`OrderInfo::offsets`] is acknowledged.
    pub fn is_acked(&self, place: usize) -> bool {
        self.acked & (1 << (place % 64)) != 0
    }

    /// True when all are acknowledged.
    pub fn is_done(&self) -> bool {
        (0..self.offsets.len()).all(|place| self.is_acked(place))
    }

    /// When the message at an offset is visible again.
    pub fn visible_ms(&self, offset: i64) -> Ms {
        let usual_ms = self.pop_ms + self.invisible_ms.unwrap_or(0);
        self.next_visible_ms.get(&offset).copied().unwrap_or(usual_ms)
    }

    /// Earlier deliveries of an offset.
    pub fn count(&self, offset: i64) -> u32 {
        self.counts.get(&offset).copied().unwrap_or(0)
    }

    fn unacked(&self) -> impl Iterator<Item = i64> + '_ {
        self.offsets.iter().enumerate().filter(|(i, _)| !self.is_acked(*i)).map(|(_, o)| *o)
    }

    /// What holds the queue back now, for somebody who asks with another attempt and, in 5.0.0,
    /// with the invisible time of the record.
    pub fn block(&self, rules: OrderRules, now_ms: Ms) -> Option<Block> {
        if rules == OrderRules::WholeBatch {
            return self.batch_block(self.invisible_ms.unwrap_or(0), now_ms);
        }
        let hidden = |offset: &i64| now_ms < self.visible_ms(*offset);
        let offset = self.unacked().find(hidden)?;
        Some(Block { offset, until_ms: self.visible_ms(offset) })
    }

    /// The same for somebody who asks with an invisible time of its own, which 5.0.0 counts with.
    pub fn block_for(&self, rules: OrderRules, invisible_ms: Ms, now_ms: Ms) -> Option<Block> {
        match rules {
            OrderRules::WholeBatch => self.batch_block(invisible_ms, now_ms),
            _ => self.block(rules, now_ms),
        }
    }

    /// The block of 5.0.0: until the requester's invisible time after the last POP is over.
    fn batch_block(&self, invisible_ms: Ms, now_ms: Ms) -> Option<Block> {
        let until_ms = self.last_consume_ms + invisible_ms;
        let offset = self.unacked().next()?;
        (now_ms < until_ms).then_some(Block { offset, until_ms })
    }

    /// First un-acknowledged offset, or the one behind the last.
    fn next(&self) -> i64 {
        let behind = self.offsets.last().map_or(-2, |last| last + 1);
        self.unacked().next().unwrap_or(behind)
    }
}

/// All records of a broker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct OrderInfoTable(BTreeMap<RecordKey, Rc<OrderInfo>>);

impl OrderInfoTable {
    /// A record.
    pub fn get(&self, key: RecordKey) -> Option<&OrderInfo> {
        self.0.get(&key).map(|info| &**info)
    }

    /// All records, in order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&RecordKey, &OrderInfo)> {
        self.0.iter().map(|(key, info)| (key, &**info))
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Makes all that is invisible visible earlier (negative) or later: the broker's clock was set.
    /// Pop times stay what they are; handles name them.
    pub fn shift(&mut self, by_ms: Ms) {
        for info in self.0.values_mut().map(Rc::make_mut) {
            let visible = |offset: &i64| (*offset, info.visible_ms(*offset) + by_ms);
            info.next_visible_ms = info.offsets.iter().map(visible).collect();
            info.last_consume_ms += by_ms;
        }
    }

    /// What blocks a queue for a requester (`checkBlock`). `invisible_ms` is the requester's: 5.0.0
    /// counts with it, and a record from an old file takes it over.
    pub fn check_block(
        &mut self,
        rules: OrderRules,
        key: RecordKey,
        attempt: Option<AttemptId>,
        invisible_ms: Ms,
        now_ms: Ms,
    ) -> Option<Block> {
        let info = self.0.get_mut(&key)?;
        if rules == OrderRules::WholeBatch {
            return info.batch_block(invisible_ms, now_ms);
        }
        let same = rules == OrderRules::Attempts && info.attempt.is_some();
        if same && info.attempt == attempt {
            return None;
        }
        if info.invisible_ms.is_none_or(|ms| ms <= 0) {
            Rc::make_mut(info).invisible_ms = Some(invisible_ms);
        }
        info.block(rules, now_ms)
    }

    /// Registers what was taken, in place of the record before, and returns how often each message
    /// was delivered earlier (`update`).
    pub fn update(
        &mut self,
        rules: OrderRules,
        key: RecordKey,
        taken: &Taken,
        now_ms: Ms,
    ) -> Counts {
        let mut info = OrderInfo::new(taken, now_ms);
        if let Some(before) = self.0.get(&key) {
            match rules {
                OrderRules::WholeBatch if before.offsets == info.offsets => {
                    info.batch_count = before.batch_count + 1;
                }
                OrderRules::WholeBatch => {}
                OrderRules::Attempts
                    if before.attempt.is_some() && before.attempt == info.attempt =>
                {
                    info.counts.clone_from(&before.counts);
                }
                OrderRules::EachOffset | OrderRules::Attempts => {
                    let again = |offset: &&i64| before.offsets.contains(offset);
                    let count = |offset: &i64| (*offset, before.count(*offset) + 1);
                    info.counts = info.offsets.iter().filter(again).map(count).collect();
                }
            }
        }
        let counts = match rules {
            OrderRules::WholeBatch => {
                Counts { by_offset: BTreeMap::new(), queue: info.batch_count }
            }
            _ if info.counts.len() == info.offsets.len() => {
                let queue = info.counts.values().min().copied().unwrap_or(0);
                Counts { by_offset: info.counts.clone(), queue }
            }
            _ => Counts { by_offset: info.counts.clone(), queue: 0 },
        };
        self.0.insert(key, Rc::new(info));
        counts
    }

    /// An acknowledgement (`commitAndNext`).
    pub fn commit_and_next(
        &mut self,
        rules: OrderRules,
        key: RecordKey,
        offset: i64,
        pop_ms: Ms,
    ) -> AckNext {
        let Some(info) = self.0.get_mut(&key) else { return AckNext::Commit(offset + 1) };
        if rules != OrderRules::WholeBatch && pop_ms != info.pop_ms {
            return AckNext::Nothing;
        }
        let Some(place) = info.offsets.iter().position(|o| *o == offset) else {
            return AckNext::Illegal;
        };
        let info = Rc::make_mut(info);
        info.acked |= 1 << (place % 64);
        match rules {
            OrderRules::WholeBatch if !info.is_done() => AckNext::Nothing,
            _ => AckNext::Commit(info.next()),
        }
    }

    /// Sets when a message is visible again; false when the record is of another pop
    /// (`updateNextVisibleTime`).
    pub fn update_next_visible(
        &mut self,
        key: RecordKey,
        offset: i64,
        pop_ms: Ms,
        visible_ms: Ms,
    ) -> bool {
        match self.0.get_mut(&key) {
            Some(info) if info.pop_ms == pop_ms => {
                Rc::make_mut(info).next_visible_ms.insert(offset, visible_ms);
                true
            }
            _ => false,
        }
    }

    /// When the queue may be free (`getLockFreeTimestamp`): now when nothing un-acknowledged is
    /// invisible, else the visible time of the first such offset.
    pub fn lock_free_ms(&self, key: RecordKey, now_ms: Ms) -> Option<Ms> {
        let info = self.get(key)?;
        if info.unacked().next().is_some() && info.invisible_ms.is_none_or(|ms| ms <= 0) {
            return None;
        }
        Some(info.block(OrderRules::Attempts, now_ms).map_or(now_ms, |block| block.until_ms))
    }

    /// Forgets a record (`clearBlock`).
    pub fn clear(&mut self, key: RecordKey) -> bool {
        self.0.remove(&key).is_some()
    }

    /// Forgets records of queues that `exists` does not know, and of queues that nothing was popped
    /// from for a day (`autoClean`).
    pub fn auto_clean(&mut self, now_ms: Ms, exists: impl Fn(RecordKey) -> bool) {
        self.0.retain(|key, info| {
            exists(*key) && now_ms - info.last_consume_ms <= CLEAN_SPAN_FROM_LAST_MS
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{BrokerId, TopicId};

    const RULES: OrderRules = OrderRules::Attempts;

    fn key() -> RecordKey {
        (GroupId(0), MessageQueue { topic: TopicId(2), broker: BrokerId(0), id: 0 })
    }

    fn taken(attempt: Option<u64>, pop_ms: Ms, invisible_ms: Ms, offsets: &[i64]) -> Taken {
        let attempt = attempt.map(AttemptId);
        Taken { attempt, pop_ms, invisible_ms: Some(invisible_ms), offsets: offsets.to_vec() }
    }

    fn pop(table: &mut OrderInfoTable, pop_ms: Ms, invisible_ms: Ms, offsets: &[i64]) -> Counts {
        table.update(RULES, key(), &taken(None, pop_ms, invisible_ms, offsets), pop_ms)
    }

    fn ack(table: &mut OrderInfoTable, pop_ms: Ms, offset: i64) -> i64 {
        table.commit_and_next(RULES, key(), offset, pop_ms).code()
    }

    fn blocked(table: &mut OrderInfoTable, now_ms: Ms) -> bool {
        table.check_block(RULES, key(), None, 1, now_ms).is_some()
    }

    #[test]
    fn the_first_table_of_the_reference() {
        let mut table = OrderInfoTable::default();
        assert_eq!(pop(&mut table, 1_000, 30_000, &[100, 101, 102]), Counts::default());
        assert!(blocked(&mut table, 1_000));
        assert_eq!(ack(&mut table, 1_000, 101), 100);
        assert_eq!(ack(&mut table, 1_000, 100), 102);
        assert!(blocked(&mut table, 30_999) && !blocked(&mut table, 31_000));
        let counts = pop(&mut table, 31_000, 30_000, &[102, 103]);
        assert_eq!((counts.by_offset, counts.queue), (BTreeMap::from([(102, 1)]), 0));
        assert_eq!(ack(&mut table, 1_000, 102), -2);
        assert_eq!((ack(&mut table, 31_000, 103), ack(&mut table, 31_000, 102)), (102, 104));
        assert!(!blocked(&mut table, 31_000));
    }

    #[test]
    fn an_acknowledged_message_behind_an_open_one_counts_as_delivered_again() {
        let mut table = OrderInfoTable::default();
        pop(&mut table, 0, 10_000, &[0, 1, 2]);
        assert_eq!((ack(&mut table, 0, 0), ack(&mut table, 0, 2)), (1, 1));
        assert!(blocked(&mut table, 9_999) && !blocked(&mut table, 10_000));
        let counts = pop(&mut table, 10_000, 10_000, &[1, 2, 3]);
        assert_eq!(counts.by_offset, BTreeMap::from([(1, 1), (2, 1)]));
    }

    #[test]
    fn counts_rise_with_each_pop_of_the_same_offset() {
        let mut table = OrderInfoTable::default();
        let queue: Vec<u32> = [&[1, 2, 3][..], &[1, 2, 3], &[2, 3], &[3, 4], &[5, 6]]
            .into_iter()
            .map(|offsets| pop(&mut table, 0, 1, offsets).queue)
            .collect();
        assert_eq!(queue, [0, 1, 2, 0, 0]);
    }

    #[test]
    fn the_same_attempt_is_not_blocked_and_not_counted() {
        let mut table = OrderInfoTable::default();
        let counts: Vec<u32> = [Some(1), Some(1), Some(2), Some(2), None]
            .into_iter()
            .map(|attempt| table.update(RULES, key(), &taken(attempt, 0, 1, &[5]), 0).queue)
            .collect();
        assert_eq!(counts, [0, 0, 1, 1, 2]);
        table.update(RULES, key(), &taken(Some(7), 0, 3_000, &[5]), 0);
        assert!(blocked(&mut table, 1));
        assert_eq!(table.check_block(RULES, key(), Some(AttemptId(7)), 1, 1), None);
    }

    #[test]
    fn a_changed_message_blocks_until_its_own_time() {
        let mut table = OrderInfoTable::default();
        pop(&mut table, 0, 10_000, &[5, 6]);
        assert!(table.update_next_visible(key(), 5, 0, 3_000));
        assert!(!table.update_next_visible(key(), 5, 9, 1));
        assert_eq!(table.lock_free_ms(key(), 0), Some(3_000));
        assert!(blocked(&mut table, 3_000));
        assert_eq!(table.lock_free_ms(key(), 3_000), Some(10_000));
        assert_eq!(ack(&mut table, 0, 6), 5);
        assert!(!blocked(&mut table, 3_000));
    }

    #[test]
    fn gaps_of_a_filter_are_no_offsets() {
        let mut table = OrderInfoTable::default();
        pop(&mut table, 0, 1, &[3, 7, 9]);
        assert_eq!([3, 4, 7, 9].map(|offset| ack(&mut table, 0, offset)), [7, -1, 9, 10]);
    }

    #[test]
    fn the_first_release_wants_whole_batches() {
        let rules = OrderRules::WholeBatch;
        let mut table = OrderInfoTable::default();
        let pop = |table: &mut OrderInfoTable, now_ms, offsets: &[i64]| {
            table.update(rules, key(), &taken(None, now_ms, 1, offsets), now_ms).queue
        };
        assert_eq!(pop(&mut table, 0, &[1, 2, 3]), 0);
        assert_eq!(
            table.check_block(rules, key(), None, 3_000, 2_999).map(|b| b.until_ms),
            Some(3_000)
        );
        assert_eq!(table.check_block(rules, key(), None, 3_000, 3_000), None);
        let acks = [1, 3, 2].map(|o| table.commit_and_next(rules, key(), o, 77).code());
        assert_eq!(acks, [-2, -2, 4]);
        assert_eq!(table.check_block(rules, key(), None, 3_000, 1), None);
        assert_eq!((pop(&mut table, 4, &[1, 2, 3]), pop(&mut table, 5, &[2, 3])), (1, 0));
    }

    #[test]
    fn an_old_record_takes_the_requesters_time() {
        let mut table = OrderInfoTable::default();
        let old = Taken { attempt: None, pop_ms: 0, invisible_ms: None, offsets: vec![2, 3, 4] };
        table.update(RULES, key(), &old, 0);
        assert_eq!(table.lock_free_ms(key(), 1), None);
        assert!(table.check_block(RULES, key(), None, 3_000, 1).is_some());
        assert!(table.check_block(RULES, key(), None, 9_000, 3_000).is_none());
    }

    #[test]
    fn cleaning_keeps_what_exists_and_is_young() {
        let mut table = OrderInfoTable::default();
        pop(&mut table, 0, 1, &[1]);
        table.auto_clean(CLEAN_SPAN_FROM_LAST_MS, |_| true);
        assert!(!table.is_empty());
        table.auto_clean(CLEAN_SPAN_FROM_LAST_MS + 1, |_| true);
        assert!(table.is_empty());
    }
}
