//! What became of the messages in each run, up to the present of both.

use std::collections::BTreeSet;

use super::hands::Hands;
use super::strand::{Item, Key, What};
use super::{Comparison, Side, TOLERANCE_MS};
use crate::fact::Fact;
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId};

/// Most messages that are looked at, those that part first; the others that part anywhere in the runs
/// are counted as different.
const MAX_LOOKED_AT: usize = 2_000;
/// Most rows that are listed.
pub const MAX_ROWS: usize = 12;
/// Most messages of an order.
pub const MAX_ORDER: usize = 8;

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is not in any queue yet.
    NotStored,
    /// It waits under a delay level.
    Scheduled,
    /// Its send failed.
    NotSent,
    /// It is in its queue, and nobody has begun with it.
    Waiting,
    /// A consumer has it.
    InHand(ClientId),
    /// It failed and is to be tried again.
    Retrying,
    /// It is acknowledged.
    Done,
    /// It is a dead letter.
    Dead,
    /// It is deleted or lost.
    Gone,
    /// It is in its queue, and this run has no such consumer group.
    NoGroup,
}

impl State {
    /// The same to people; who has it is compared by name.
    fn kind(self) -> u8 {
        match self {
            Self::NotStored => 0,
            Self::Scheduled => 1,
            Self::NotSent => 2,
            Self::Waiting => 3,
            Self::InHand(_) => 4,
            Self::Retrying => 5,
            Self::Done => 6,
            Self::Dead => 7,
            Self::Gone => 8,
            Self::NoGroup => 9,
        }
    }
}

/// How a message stands in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The message; None when this run has not built it.
    pub msg: Option<MsgId>,
    /// What became of it.
    pub state: State,
    /// Since when, in ms.
    pub at_ms: Ms,
    /// Where it was stored first.
    pub queue: Option<MessageQueue>,
    /// Which attempt the last one is that was begun; 0 before the first.
    pub attempts: u32,
    /// Another consumer that has it at the same time.
    pub also: Option<ClientId>,
    /// Whether the last consumer that had it gave it back to the broker, to come again.
    pub(super) sent_back: bool,
    /// The event of its last failure; None when it was begun with since.
    pub(super) failed: Option<u32>,
}

/// A message that stands differently in the two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its common number.
    key: (u32, Option<u32>),
    /// The consumer group, in each run; None for a message that no group has begun with.
    pub group: [Option<GroupId>; 2],
    /// How it stands in each run.
    pub sides: [Standing; 2],
    /// Whether it is in another queue.
    pub elsewhere: bool,
}

/// A message group whose messages were begun in different orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderRow {
    /// The messages in the order of each run, from the last one before they part.
    pub sides: [Vec<MsgId>; 2],
}

/// What differs at the present.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// Messages that stand differently, those that ended worst first, at most [`MAX_ROWS`].
    pub rows: Vec<Difference>,
    /// How many more.
    pub more: usize,
    /// Message groups that were begun in different orders.
    pub orders: Vec<OrderRow>,
    /// Messages of each run that stand differently, for marking them.
    pub marked: [BTreeSet<MsgId>; 2],
    /// Messages of either run that are the same in both.
    pub same: usize,
}

impl Comparison {
    /// What differs when each run stands behind its event of `events`. Empty until both runs were
    /// played to their ends.
    pub fn differences(&self, events: [u32; 2]) -> Differences {
        let mut found = Differences::default();
        let mut known: BTreeSet<(u32, Option<u32>)> = BTreeSet::new();
        let mut rows: Vec<Difference> = Vec::new();
        let keys = self.parted.iter().take(MAX_LOOKED_AT);
        // A message that a consumer group has begun with has its row there.
        let at_work: BTreeSet<u32> = keys
            .clone()
            .filter_map(|(_, key)| match key {
                Key::Work { msg, .. } => Some(*msg),
                _ => None,
            })
            .collect();
        for (_, key) in keys {
            let of = match *key {
                Key::Work { msg, group } => (msg, Some(group)),
                Key::Message(msg) if !at_work.contains(&msg) => {
                    // The groups do the same with it, wherever it lies.
                    let groups = self.groups_of(msg);
                    let of = groups.into_iter().map(|group| (msg, Some(group)));
                    let of: Vec<_> = of.filter(|of| known.insert(*of)).collect();
                    if of.is_empty() && known.insert((msg, None)) {
                        rows.extend(self.difference((msg, None), events));
                    }
                    rows.extend(of.into_iter().filter_map(|of| self.difference(of, events)));
                    continue;
                }
                Key::Order { .. } => {
                    found.orders.extend(self.order(key, events));
                    continue;
                }
                _ => continue,
            };
            if known.insert(of) {
                rows.extend(self.difference(of, events));
            }
        }
        for side in Side::BOTH {
            let marked = rows.iter().filter_map(|row| row.sides[side.index()].msg);
            found.marked[side.index()] = marked.collect();
        }
        let mut differing: BTreeSet<u32> = rows.iter().map(|row| row.key.0).collect();
        let rest = self.parted.iter().skip(MAX_LOOKED_AT).filter_map(|(_, key)| match key {
            Key::Work { msg, .. } | Key::Message(msg) => Some(*msg),
            Key::Party(_) | Key::Order { .. } => None,
        });
        let looked_at: BTreeSet<u32> = known.iter().map(|(msg, _)| *msg).collect();
        let rest: BTreeSet<u32> = rest.filter(|msg| !looked_at.contains(msg)).collect();
        found.more = (rows.len() + rest.len()).saturating_sub(MAX_ROWS);
        differing.extend(rest);
        found.same = self.names.messages().saturating_sub(differing.len());
        rows.sort_by_key(weight);
        rows.truncate(MAX_ROWS);
        found.rows = rows;
        found
    }

    /// The consumer groups that have begun with a message in either run.
    fn groups_of(&self, msg: u32) -> Vec<u32> {
        let all = Key::Work { msg, group: 0 }..=Key::Work { msg, group: u32::MAX };
        let group = |(key, _): (&Key, &super::strand::Strand)| match key {
            Key::Work { group, .. } => Some(*group),
            _ => None,
        };
        self.strands.range(all).filter_map(group).collect()
    }

    fn difference(&self, key: (u32, Option<u32>), events: [u32; 2]) -> Option<Difference> {
        let (mut places, mut sides) = ([None, None], Vec::with_capacity(2));
        let mut names = [Vec::new(), Vec::new()];
        let in_run = |side: Side| self.names.group_in(self.world(side), key.1?);
        let groups = Side::BOTH.map(in_run);
        for side in Side::BOTH {
            let event = events[side.index()];
            let mut standing = self.standing(side, key, event);
            if let State::InHand(client) = standing.0.state {
                let hands = self.hands(side, self.work_of(side, key, event), event);
                (standing.0.also, names[side.index()]) = (hands.besides(client), hands.names());
            }
            let lacks_group = key.1.is_some() && groups[side.index()].is_none();
            if lacks_group && standing.0.state == State::Waiting {
                standing.0.state = State::NoGroup;
            }
            places[side.index()] = standing.1;
            sides.push(standing.0);
        }
        let [a, b] = [sides[0], sides[1]];
        let over = |s: &Standing| matches!(s.state, State::Done | State::Dead | State::Gone);
        let late = over(&a) && over(&b) && (a.at_ms - b.at_ms).abs() >= TOLERANCE_MS;
        let elsewhere = a.queue.is_some() && b.queue.is_some() && places[0] != places[1];
        let differs =
            a.state.kind() != b.state.kind() || a.attempts != b.attempts || late || elsewhere;
        let differs = differs || names[0] != names[1];
        differs.then_some(Difference { key, group: groups, sides: [a, b], elsewhere })
    }

    /// How a message stands in a run, and where it was stored.
    fn standing(
        &self,
        side: Side,
        (msg, group): (u32, Option<u32>),
        event: u32,
    ) -> (Standing, Option<What>) {
        let mut place = None;
        let mut standing = Standing {
            msg: self.msg_of(side, msg),
            state: State::NotStored,
            at_ms: 0,
            queue: None,
            attempts: 0,
            also: None,
            sent_back: false,
            failed: None,
        };
        let stored = self.items(side, Key::Message(msg), event);
        for item in stored {
            if let (What::Stored { queue, kind, .. }, None) = (item.what, standing.queue) {
                // Where it is counts, and not which offset it has there.
                place = Some(What::Stored { queue, kind, offset: 0 });
                standing.queue = self.queue_of(side, item);
            }
            standing.store(item);
        }
        let (mut hands, work) = (Hands::default(), self.work_of(side, (msg, group), event));
        for item in work {
            hands.follow(item, self.actor(side, item));
            // An orderly consumer of 5.0 has its exhausted message scheduled without another word.
            standing.sent_back |= standing.failed.is_some_and(|failed| {
                stored.iter().any(|s| {
                    matches!(s.what, What::Scheduled { .. })
                        && (failed..=item.event).contains(&s.event)
                })
            });
            standing.work(item, &hands);
        }
        if let State::InHand(client) = standing.state {
            let name = &self.world(side).shared.names.clients[client.index()];
            let name = self.names.known(name);
            let stopped = name.and_then(|n| self.stopped(side, n, standing.at_ms, event));
            if let Some(at_ms) = stopped {
                standing.held(&self.hands(side, work, event), State::Waiting, at_ms);
            }
        }
        (standing, place)
    }

    /// What happened to a thing in a run, up to an event.
    fn items(&self, side: Side, key: Key, event: u32) -> &[Item] {
        self.strands.get(&key).map_or(&[][..], |strand| strand.until(side, event))
    }

    /// What a consumer group did with a message, up to an event.
    fn work_of(&self, side: Side, (msg, group): (u32, Option<u32>), event: u32) -> &[Item] {
        group.map_or(&[][..], |group| self.items(side, Key::Work { msg, group }, event))
    }

    /// The queues in which a message was stored in a run.
    pub(super) fn stored_in(&self, side: Side, msg: u32) -> Vec<MessageQueue> {
        let strand = self.strands.get(&Key::Message(msg));
        let items = strand.map_or(&[][..], |strand| strand.until(side, u32::MAX));
        items.iter().filter_map(|item| self.queue_of(side, item)).collect()
    }

    fn queue_of(&self, side: Side, item: &Item) -> Option<MessageQueue> {
        match self.record(side, item.fact)?.fact {
            Fact::MessageStored { queue, .. } => Some(queue),
            _ => None,
        }
    }

    /// A message group whose messages were first begun in different orders.
    fn order(&self, key: &Key, events: [u32; 2]) -> Option<OrderRow> {
        let strand = self.strands.get(key)?;
        let begun = |side: Side| {
            let mut seen = BTreeSet::new();
            let items = strand.until(side, events[side.index()]).iter();
            let msgs = items.filter_map(|item| match item.what {
                What::Next { msg } => Some(msg),
                _ => None,
            });
            msgs.filter(|msg| seen.insert(*msg)).collect::<Vec<u32>>()
        };
        let sides = Side::BOTH.map(begun);
        let parts = sides[0].iter().zip(&sides[1]).position(|(a, b)| a != b)?;
        let from = parts.saturating_sub(1);
        let shown = |side: Side| {
            let msgs = sides[side.index()].iter().skip(from).take(MAX_ORDER);
            msgs.filter_map(|msg| self.msg_of(side, *msg)).collect()
        };
        Some(OrderRow { sides: Side::BOTH.map(shown) })
    }
}

/// Where a difference stands in the list: lost and dead first, then other states, places, delays; at last
/// what one run has no consumer group for.
fn weight(row: &Difference) -> u8 {
    let [a, b] = row.sides;
    let worst = |s: Standing| matches!(s.state, State::Dead | State::Gone | State::NotSent);
    let lacks_group = row.sides.iter().any(|side| side.state == State::NoGroup);
    match () {
        () if lacks_group => 4,
        () if worst(a) != worst(b) => 0,
        () if a.state.kind() != b.state.kind() => 1,
        () if row.elsewhere || a.attempts != b.attempts => 2,
        () => 3,
    }
}
