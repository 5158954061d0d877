//! Charts of a run for one consumer group: lag, latency, throughput, where the time went, load.
//! Everything is bounded: however long a run is, a line has at most [`MAX_POINTS`] points.

mod buckets;
mod figures;
mod read;
mod spent;

pub use buckets::{Bucket, Quantiles, MAX_POINTS};
pub use read::Charts;
pub use spent::Spent;

use std::rc::Rc;

use crate::ids::{GroupId, MessageGroupId, MessageQueue, Ms};
use crate::view::stage::hue;
use crate::world::World;

/// Most message groups in [`ChartsView::waiting`].
pub const MAX_WAITING: usize = 12;

/// A line: instants and values, from left to right.
pub type Points = Vec<(Ms, i64)>;

/// How the lag of a queue went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueLag {
    /// The queue.
    pub queue: MessageQueue,
    /// Its name, with its broker's where there are several.
    pub name: Rc<str>,
    /// Stored, not yet consumed.
    pub points: Points,
    /// Now.
    pub now: i64,
    /// The highest of the points.
    pub peak: i64,
    /// When it stood still after a failure.
    pub stood: Vec<(Ms, Ms)>,
}

/// How the lag of a consumer group went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupLag {
    /// The consumer group.
    pub name: Rc<str>,
    /// Sum over its queues.
    pub points: Points,
    /// Now.
    pub now: i64,
}

/// What waits of a message group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The message group.
    pub series: MessageGroupId,
    /// Its short name.
    pub letter: Rc<str>,
    /// Its colour; see [`hue`].
    pub hue: u8,
    /// Messages that are stored and not consumed.
    pub messages: u32,
    /// How long the oldest of them waits, in ms.
    pub oldest_ms: Ms,
}

/// What a queue was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueLoad {
    /// The queue.
    pub queue: MessageQueue,
    /// Its name.
    pub name: Rc<str>,
    /// Messages stored in it.
    pub messages: u32,
    /// The message group with the most of them: which, its short name, its colour, how many.
    pub hottest: Option<(MessageGroupId, Rc<str>, u8, u32)>,
}

/// Where the time of a queue went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueTime {
    /// The queue.
    pub queue: MessageQueue,
    /// Its name.
    pub name: Rc<str>,
    /// The parts, which add up to the time so far.
    pub spent: Spent,
}

/// Everything that the charts show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChartsView {
    /// Where the range begins, and the lines with it.
    pub from_ms: Ms,
    /// The present: the lines end here.
    pub now_ms: Ms,
    /// Width of a bucket in ms.
    pub bucket_ms: Ms,
    /// The queues, in their order.
    pub lag: Vec<QueueLag>,
    /// The consumer groups, in their order.
    pub groups: Vec<GroupLag>,
    /// Buckets of stored and handled messages and of latencies; the last one ends now.
    pub buckets: Vec<Bucket>,
    /// Where the time went, by queue.
    pub time: Vec<QueueTime>,
    /// What each queue was given.
    pub load: Vec<QueueLoad>,
    /// What waits, by message group, most first.
    pub waiting: Vec<Waiting>,
    /// Message groups of which something waits and that are not listed.
    pub waiting_hidden: usize,
}

impl ChartsView {
    /// The queues by how much they are worth looking at: the selected one, then the highest peaks.
    pub fn ranked(&self, selected: Option<MessageQueue>) -> Vec<usize> {
        let mut ranked: Vec<usize> = (0..self.lag.len()).collect();
        ranked.sort_by_key(|place| {
            let lag = &self.lag[*place];
            (Some(lag.queue) != selected, -lag.peak, *place)
        });
        ranked
    }
}

impl Charts {
    /// The charts of these queues at `now_ms`, the present of `world`. See [`Charts::update`].
    pub fn view(&self, world: &World, queues: &[MessageQueue], now_ms: Ms) -> ChartsView {
        let names = &world.shared.names;
        let brokers = world.brokers.len();
        let name = |queue: MessageQueue| -> Rc<str> {
            match brokers {
                1 => format!("q{}", queue.id).into(),
                _ => format!("{} q{}", names.brokers[queue.broker.index()], queue.id).into(),
            }
        };
        let series = |id: MessageGroupId| -> (Rc<str>, u8) {
            (names.series[id.index()].name.as_str().into(), hue(names, id))
        };
        let lag = |queue: &MessageQueue| {
            let points = self.points(|group, q| group == self.group() && q == *queue, now_ms);
            let now = points.last().map_or(0, |(_, value)| *value);
            let peak = points.iter().map(|(_, value)| *value).max().unwrap_or(0);
            QueueLag {
                queue: *queue,
                name: name(*queue),
                points,
                now,
                peak,
                stood: self.stood(*queue, now_ms),
            }
        };
        let group = |(place, group): (usize, &crate::shared::Group)| {
            let points = self.points(|g, _| g == GroupId(place as u16), now_ms);
            let now = points.last().map_or(0, |(_, value)| *value);
            GroupLag { name: group.name.as_str().into(), points, now }
        };
        let (waiting, waiting_hidden) = self.waiting(world, now_ms, &series);
        ChartsView {
            from_ms: self.begins_ms(),
            now_ms,
            bucket_ms: self.bucket_ms(),
            lag: queues.iter().map(lag).collect(),
            groups: names.groups.iter().enumerate().map(group).collect(),
            buckets: self.buckets(now_ms),
            time: queues
                .iter()
                .map(|q| QueueTime { queue: *q, name: name(*q), spent: self.spent(*q, now_ms) })
                .collect(),
            load: queues
                .iter()
                .map(|queue| {
                    let (messages, hottest) = self.load(*queue);
                    let hottest = hottest.map(|(id, count)| {
                        let (letter, hue) = series(id);
                        (id, letter, hue, count)
                    });
                    QueueLoad { queue: *queue, name: name(*queue), messages, hottest }
                })
                .collect(),
            waiting,
            waiting_hidden,
        }
    }
}

#[cfg(test)]
mod tests;
