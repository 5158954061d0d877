//! What the charts answer from what they read.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::read::Charts;
use super::spent::{Spent, Watch};
use super::{Points, Waiting, MAX_WAITING};
use crate::ids::{GroupId, MessageGroupId, MessageQueue, Ms};
use crate::world::World;

impl Charts {
    /// The sum of the lags of some tracks: at the end of each bucket, and now.
    pub(super) fn points(
        &self,
        counts: impl Fn(GroupId, MessageQueue) -> bool,
        now_ms: Ms,
    ) -> Points {
        let width_ms = self.buckets.width_ms;
        let closed = self.buckets.closed();
        let mut sums = vec![0_i64; closed];
        let (mut before, mut now) = (0, 0);
        for ((_, queue), track) in self.tracks.iter().filter(|((g, q), _)| counts(*g, *q)) {
            for (sum, sample) in sums.iter_mut().zip(&track.samples) {
                *sum += sample;
            }
            let max = self.given.get(queue).map_or(0, |given| given.max);
            let lag = (max - track.next).max(0);
            before += if self.begun { track.before } else { lag };
            now += lag;
        }
        let from_ms = self.begins_ms();
        let samples = (1..).zip(sums).map(|(end, sum)| (from_ms + end * width_ms, sum));
        let mut points: Points = std::iter::once((from_ms, before)).chain(samples).collect();
        points.push((now_ms.max(points.last().map_or(0, |(at, _)| *at)), now));
        points
    }

    pub(super) fn spent(&self, queue: MessageQueue, now_ms: Ms) -> Spent {
        self.watch_of(queue).until(now_ms, self.by_pop).0
    }

    pub(super) fn stood(&self, queue: MessageQueue, now_ms: Ms) -> Vec<(Ms, Ms)> {
        self.watch_of(queue).until(now_ms, self.by_pop).1
    }

    /// What a queue did in the range.
    fn watch_of(&self, queue: MessageQueue) -> Watch {
        let mut watch = self.watches.get(&queue).cloned().unwrap_or_default();
        // Since then nothing has happened, or nothing ever did in this queue.
        if !self.begun || !self.watches.contains_key(&queue) {
            watch.begin_at(self.begins_ms());
        }
        watch
    }

    pub(super) fn load(&self, queue: MessageQueue) -> (u32, Option<(MessageGroupId, u32)>) {
        let Some(given) = self.given.get(&queue) else { return (0, None) };
        let hottest = given
            .by_series
            .iter()
            .max_by_key(|(series, count)| (**count, std::cmp::Reverse(**series)));
        (given.messages, hottest.map(|(series, count)| (*series, *count)))
    }

    pub(super) fn waiting(
        &self,
        world: &World,
        now_ms: Ms,
        name: &dyn Fn(MessageGroupId) -> (Rc<str>, u8),
    ) -> (Vec<Waiting>, usize) {
        let mut by_series: BTreeMap<MessageGroupId, (u32, Ms)> = BTreeMap::new();
        for (msg, since_ms) in &self.waiting {
            let entry = by_series.entry(world.shared.message(*msg).series);
            let (count, oldest) = entry.or_insert((0, *since_ms));
            *count += 1;
            *oldest = (*oldest).min(*since_ms);
        }
        let mut list: Vec<_> = by_series.into_iter().collect();
        list.sort_by_key(|(series, (count, _))| (std::cmp::Reverse(*count), *series));
        let hidden = list.len().saturating_sub(MAX_WAITING);
        let waiting = list.into_iter().take(MAX_WAITING).map(|(series, (messages, since_ms))| {
            let (letter, hue) = name(series);
            Waiting { series, letter, hue, messages, oldest_ms: now_ms - since_ms }
        });
        (waiting.collect(), hidden)
    }
}
