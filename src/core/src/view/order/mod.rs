//! Order strips: for each message group of a topic the order in which its messages were sent, stored,
//! delivered, handled and acknowledged, and the links between neighbouring strips. Parallel links
//! are order kept, crossing links are messages that were overtaken.

mod links;
mod read;

pub use read::Order;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::check::{Broken, Violation};
use crate::ids::{GroupId, MessageGroupId, Ms, MsgId, TopicId};
use crate::shared::Shared;
use crate::view::stage::{hue, Named};
use crate::world::World;
use links::{begun_too_early, cross, linked};
use read::{place, Place, Track, Where};

/// The strips from the top to the bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strip {
    /// The producer sent the message for the first time.
    Sent,
    /// The broker stored it in its topic.
    Stored,
    /// A consumer began with it: its listener was called, or its application received it.
    Delivered,
    /// A listener call for it ended well.
    Handled,
    /// A consumer counted it as consumed, or it became a dead letter.
    Acknowledged,
}

impl Strip {
    /// All of them, from the top.
    pub const ALL: [Self; 5] =
        [Self::Sent, Self::Stored, Self::Delivered, Self::Handled, Self::Acknowledged];
}

/// A message in a strip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The message.
    pub name: Named,
    /// When.
    pub at_ms: Ms,
    /// In which event.
    pub event: u32,
    /// Who, or where: a producer, `q1 · 4`, a consumer.
    pub place: Rc<str>,
    /// How often it was there before.
    pub nth: u32,
    /// It was overtaken against a guarantee, here or in a strip above.
    pub late: bool,
    /// It ended as a dead letter.
    pub dead: bool,
    /// Failed attempts before its result that counted; in the delivered strip, so far.
    pub failures: u32,
}

/// Between two neighbouring strips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Place in the upper strip.
    pub from: usize,
    /// Place in the lower strip.
    pub to: usize,
    /// Whether the message comes here for a further time.
    pub again: bool,
    /// Whether it was overtaken against a guarantee on this way.
    pub broken: bool,
    /// Failures on this way.
    pub failures: u32,
}

/// A message that another one overtook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overtaken {
    /// It was first.
    pub earlier: Cell,
    /// It overtook.
    pub later: Cell,
    /// In which strip they stand the other way round; for a broken guarantee without crossing links,
    /// the strip in which the later one began too early.
    pub strip: Strip,
    /// Whether a guarantee was broken. It is not where producers send in another order than their
    /// messages are stored in: the stored order is the one that consumers keep.
    pub broken: bool,
    /// Whether links cross. They do not where the later message only began too early.
    pub crosses: bool,
}

/// The strips of a message group in one topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupStrips {
    /// The message group.
    pub series: MessageGroupId,
    /// The topic.
    pub topic: TopicId,
    /// The topic's name, where messages of the group are in several topics.
    pub topic_name: Option<Rc<str>>,
    /// Its short name.
    pub letter: Rc<str>,
    /// Its key.
    pub key: Rc<str>,
    /// Its colour; see [`hue`].
    pub hue: u8,
    /// Messages of the group so far.
    pub messages: usize,
    /// Messages before the first that is shown.
    pub before: usize,
    /// Messages after the last that is shown.
    pub after: usize,
    /// The strips.
    pub strips: [Vec<Cell>; 5],
    /// The links below each strip but the last.
    pub links: [Vec<Link>; 4],
    /// Messages that were overtaken, broken guarantees first, at most [`MAX_OVERTAKEN`].
    pub overtaken: Vec<Overtaken>,
    /// Whether the order of this group was broken.
    pub broken: bool,
    /// Messages that came to a strip more than once, anywhere in the group.
    pub twice: u32,
    /// The message with the most failed attempts, and how many failed.
    pub failed: Option<(Named, u32)>,
}

/// Most rows below a group's strips.
pub const MAX_OVERTAKEN: usize = 8;

/// A message group in a topic.
type Of = (TopicId, MessageGroupId);

/// All strips that are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderView {
    /// The groups: broken first, then those with repetitions, then as they came.
    pub groups: Vec<GroupStrips>,
    /// Message groups that are not shown.
    pub hidden: usize,
}

/// What to show.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Most groups.
    pub groups: usize,
    /// Most messages of a group.
    pub messages: usize,
    /// This message is among those that are shown, and its group comes first.
    pub selected: Option<MsgId>,
    /// This group comes first.
    pub first: Option<MessageGroupId>,
    /// Broken guarantees up to the present.
    pub violations: &'a [Violation],
}

impl Order {
    /// The strips of one consumer group. See [`Order::update`].
    pub fn view(&self, world: &World, group: GroupId, options: &Options<'_>) -> OrderView {
        let mut pairs: BTreeMap<Of, BTreeSet<(MsgId, MsgId)>> = BTreeMap::new();
        for violation in options.violations.iter().filter(|v| v.group == group) {
            if let Broken::Order { earlier, later, .. } = violation.broken {
                pairs.entry(place(world, earlier)).or_default().insert((earlier, later));
            }
        }
        let shared = &world.shared;
        let selected = options.selected.map(|msg| place(world, msg));
        let keyed = |series: MessageGroupId| {
            shared.names.series.get(series.index()).is_some_and(|s| s.key.is_some())
        };
        let mut all: Vec<(&Of, &Track)> =
            self.tracks().filter(|((_, series), _)| keyed(*series)).collect();
        all.sort_by_key(|(of, track)| {
            let (topic, series) = **of;
            let chosen = match selected {
                Some(selected) => selected == **of,
                None => options.first == Some(series),
            };
            let rank = match () {
                () if chosen => 0,
                () if pairs.contains_key(of) => 1,
                () if track.twice > 0 => 2,
                () if track.failed.is_some() => 3,
                () => 4,
            };
            (rank, series, topic)
        });
        let none = BTreeSet::new();
        let several = |series| all.iter().filter(|((_, other), _)| *other == series).count() > 1;
        let shown = all.iter().take(options.groups);
        let groups = shown.map(|(of, track)| {
            let pairs = pairs.get(of).unwrap_or(&none);
            let mut strips = strips(world, **of, track, pairs, options);
            let name = || shared.names.topics[of.0.index()].name.as_str().into();
            strips.topic_name = several(of.1).then(name);
            strips
        });
        OrderView { groups: groups.collect(), hidden: all.len().saturating_sub(options.groups) }
    }
}

fn named(shared: &Shared, msg: MsgId) -> Named {
    let series = shared.message(msg).series;
    Named { msg, label: shared.label(msg).to_string().into(), hue: hue(&shared.names, series) }
}

fn strips(
    world: &World,
    (topic, series): Of,
    track: &Track,
    pairs: &BTreeSet<(MsgId, MsgId)>,
    options: &Options<'_>,
) -> GroupStrips {
    let shared = &world.shared;
    let names = &shared.names.series[series.index()];
    // What is shown: the selected message, the first broken pair, else the newest messages.
    let place_of = |msg: MsgId| track.order.iter().position(|m| *m == msg);
    let focus = options.selected.or_else(|| pairs.first().map(|(earlier, _)| *earlier));
    let last = track.order.len().saturating_sub(options.messages);
    let first = focus
        .and_then(place_of)
        .map_or(last, |place| place.saturating_sub(options.messages / 3).min(last));
    let shown = &track.order[first..(first + options.messages).min(track.order.len())];
    let members: BTreeSet<MsgId> = shown.iter().copied().collect();
    let mut strips = Strip::ALL.map(|strip| {
        let places = track.strips[strip as usize].iter();
        let cells = places.filter(|place| members.contains(&place.msg));
        cells.map(|place| cell(shared, place)).collect::<Vec<Cell>>()
    });
    for cell in &mut strips[Strip::Delivered as usize] {
        cell.failures = track.failures(cell.name.msg);
    }
    let late: BTreeSet<MsgId> = pairs.iter().map(|(earlier, _)| *earlier).collect();
    let mut links: [Vec<Link>; 4] = Default::default();
    let mut overtaken = Vec::new();
    for upper in 0..4 {
        links[upper] = linked(&strips[upper], &strips[upper + 1]);
        if Strip::ALL[upper] != Strip::Delivered {
            links[upper].iter_mut().for_each(|link| link.failures = 0);
        }
        cross(&mut strips, &mut links[upper], Strip::ALL[upper + 1], &late, &mut overtaken);
    }
    begun_too_early(&strips, pairs, &mut overtaken);
    overtaken.sort_by_key(|row| !row.broken);
    overtaken.truncate(MAX_OVERTAKEN);
    GroupStrips {
        series,
        topic,
        topic_name: None,
        letter: names.name.as_str().into(),
        key: names.key.as_deref().unwrap_or_default().into(),
        hue: hue(&shared.names, series),
        messages: track.order.len(),
        before: first,
        after: track.order.len() - first - shown.len(),
        strips,
        links,
        overtaken,
        broken: !pairs.is_empty(),
        twice: track.twice,
        failed: track.failed.map(|(msg, failures)| (named(shared, msg), failures)),
    }
}

fn cell(shared: &Shared, place: &Place) -> Cell {
    let names = &shared.names;
    let text: Rc<str> = match place.at {
        Where::Producer(producer) => names.producers[producer.index()].as_str().into(),
        Where::Slot(queue, offset) => match &names.brokers[..] {
            [_] => format!("q{} · {offset}", queue.id).into(),
            brokers => format!("{} q{} · {offset}", brokers[queue.broker.index()], queue.id).into(),
        },
        Where::Client(client) => names.clients[client.index()].as_str().into(),
        Where::Nobody => "".into(),
    };
    Cell {
        name: named(shared, place.msg),
        at_ms: place.at_ms,
        event: place.event,
        place: text,
        nth: place.nth,
        late: false,
        dead: place.dead,
        failures: place.failures,
    }
}

#[cfg(test)]
mod tests;
