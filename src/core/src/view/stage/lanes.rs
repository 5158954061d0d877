//! Lanes: the window of records that can be seen, what each record is to the group, the lock.

use super::consumers::rows;
use super::pop::{self, PopStates};
use super::producers::is_stored;
use super::project::{Scene, Tokens};
use super::{
    LaneView, LockView, Place, RowState, SlotState, SlotView, Stands, TokenState, STRIP_MS,
};
use crate::client::{Client, ProcessQueue, Status};
use crate::command::ListenerKind;
use crate::ids::{GroupId, MessageQueue, Ms};
use crate::model::Blocking;

/// Records before the consumer offset that stay in sight.
const BEHIND: i64 = 2;

/// All lanes; what lies in them or with consumers becomes tokens.
pub(super) fn lanes(scene: &Scene<'_>, tokens: &mut Tokens) -> Vec<LaneView> {
    let columns = (scene.options.columns)(scene.queues.len());
    scene
        .queues
        .iter()
        .enumerate()
        .map(|(index, queue)| lane(scene, index, *queue, columns, tokens))
        .collect()
}

fn lane(
    scene: &Scene<'_>,
    index: usize,
    queue: MessageQueue,
    columns: usize,
    tokens: &mut Tokens,
) -> LaneView {
    let broker = &scene.world.brokers[queue.broker.index()];
    let (min, max) = broker.store.range(queue);
    let holder = scene.group.and_then(|group| holder(scene, group, queue));
    let recorded = recorded(scene, scene.group, queue);
    let next = counted(holder, queue).or(recorded).unwrap_or(min).clamp(0, max);
    let topic = &scene.world.shared.names.topics[queue.topic.index()];
    let mut view = LaneView {
        queue,
        name: format!("q{}", queue.id).into(),
        retry: queue.topic != scene.topic,
        readable: queue.id < topic.read_queues,
        writable: queue.id < topic.write_queues,
        up: broker.up,
        min,
        deleted: 0,
        next,
        recorded: recorded.unwrap_or(min),
        reset: scene.group.and_then(|g| broker.pending_resets.get(&(g, queue))).copied(),
        max,
        others: others(scene, queue, max),
        first: min,
        slots: Vec::new(),
        hidden: 0,
        arriving: arriving(scene, queue),
        lock: if scene.pop { pop::order_block(scene, queue) } else { lock(scene, queue) },
        stands: None,
        since_ms: None,
        history: Vec::new(),
        rows: rows(scene, queue),
    };
    if scene.pop {
        // What the slots are depends on it.
        view.stands = pop::stands(scene, &view);
    }
    let opened = scene.options.opened.filter(|(opened, _)| columns == 0 && *opened == queue);
    let columns = opened.map_or(columns, |(_, columns)| columns);
    if columns > 0 {
        fill(scene, &mut view, holder, columns as i64);
    }
    if columns == 0 || opened.is_some() {
        let now_ms = scene.world.now_ms();
        let runs = |group| scene.options.history.runs(group, queue, now_ms - STRIP_MS, now_ms);
        view.history = scene.group.map(runs).unwrap_or_default();
    }
    if !scene.pop {
        view.stands = stands(&view);
    }
    view.since_ms = view.stands.as_ref().and_then(|stands| since_ms(scene, &view, stands));
    add_tokens(scene, index, &view, tokens);
    view
}

/// Number of messages on their way to a queue.
fn arriving(scene: &Scene<'_>, queue: MessageQueue) -> u32 {
    let sendings = scene.world.producers.iter().flat_map(|producer| &producer.sending);
    sendings.filter(|s| s.queue == queue && !is_stored(scene, s.msg)).count() as u32
}

/// The running consumer of a group that has the queue, the one that still counts first.
fn holder<'a>(
    scene: &Scene<'a>,
    group: GroupId,
    queue: MessageQueue,
) -> Option<(&'a Client, &'a ProcessQueue)> {
    let entries =
        scene.clients_of(group).filter_map(|client| Some((client, &**client.queues.get(&queue)?)));
    entries
        .filter(|(client, _)| !matches!(client.status, Status::Ended(_)))
        .min_by_key(|(client, pq)| (pq.dropped, client.id))
}

/// The next offset as the consumer that has the queue counts it (`RemoteBrokerOffsetStore`).
fn counted(holder: Option<(&Client, &ProcessQueue)>, queue: MessageQueue) -> Option<i64> {
    holder.and_then(|(client, _)| client.offsets.get(&queue).copied())
}

fn recorded(scene: &Scene<'_>, group: Option<GroupId>, queue: MessageQueue) -> Option<i64> {
    scene.world.brokers[queue.broker.index()].offsets.get(&(group?, queue)).copied()
}

/// The next offsets of other groups that read the topic, with the groups' marks.
fn others(scene: &Scene<'_>, queue: MessageQueue, max: i64) -> Vec<(char, i64)> {
    let groups = &scene.world.shared.names.groups;
    (0..groups.len() as u16)
        .map(GroupId)
        .filter(|group| Some(*group) != scene.group)
        .filter(|group| groups[group.index()].subscriptions.iter().any(|s| s.topic == queue.topic))
        .filter_map(|group| {
            let counted = counted(holder(scene, group, queue), queue);
            let next = counted.or_else(|| recorded(scene, Some(group), queue))?;
            Some((scene.mark(group), next.clamp(0, max)))
        })
        .collect()
}

/// Chooses the window: two records before the consumer offset, then as many as fit; if more wait,
/// a gap and the last one.
fn fill(
    scene: &Scene<'_>,
    view: &mut LaneView,
    holder: Option<(&Client, &ProcessQueue)>,
    columns: i64,
) {
    let pop = scene.pop.then(|| PopStates::new(scene, view)).flatten();
    let next = pop.as_ref().map_or(view.next, PopStates::first_open);
    // One column is for the place of the next record and what is on its way there.
    let places = (columns - 1 - i64::from(view.arriving)).max(3);
    // Deleted records are a gap before the minimum.
    let lowest = view.min - BEHIND.min(view.min);
    view.first = if view.max - lowest <= places {
        lowest
    } else {
        (next - BEHIND).clamp(lowest, view.max - places)
    };
    view.deleted = (view.min - view.first).max(0);
    let mut offsets: Vec<i64> = (view.first..view.max).collect();
    if view.max - view.first > places {
        // The gap takes two columns and the last record one.
        let shown = (columns - 3).max(1);
        view.hidden = view.max - view.first - shown - 1;
        offsets = (view.first..view.first + shown).chain([view.max - 1]).collect();
    }
    let store = &scene.world.brokers[view.queue.broker.index()].store;
    let states = States::new(scene, view, holder);
    let state = |offset| pop.as_ref().map_or_else(|| states.of(offset), |pop| pop.of(offset));
    view.slots = offsets
        .into_iter()
        .filter_map(|offset| {
            let record = store.at(view.queue, offset)?;
            Some(SlotView { offset, name: scene.name(record.msg), state: state(offset) })
        })
        .collect();
}

/// What is needed to say what a record is to the group.
struct States<'a> {
    scene: &'a Scene<'a>,
    queue: MessageQueue,
    next: i64,
    holder: Option<(&'a Client, &'a ProcessQueue)>,
    concurrent: bool,
    /// The first record that is not consumed, when it has failed and holds others back.
    failing: Option<i64>,
}

impl<'a> States<'a> {
    fn new(
        scene: &'a Scene<'a>,
        view: &LaneView,
        holder: Option<(&'a Client, &'a ProcessQueue)>,
    ) -> Self {
        let concurrent = scene
            .group
            .is_some_and(|g| scene.world.shared.group(g).listener == ListenerKind::Concurrent);
        let head = holder.filter(|_| !concurrent).and_then(|(client, pq)| {
            let called =
                client.calls.iter().filter(|c| c.queue == view.queue).flat_map(|c| &c.batch);
            let cached = pq.waiting().chain(pq.taken()).chain(called);
            cached.min_by_key(|m| (m.offset, std::cmp::Reverse(m.reconsume_times)))
        });
        let failing = head.filter(|m| m.reconsume_times > 0).map(|m| m.offset);
        Self { scene, queue: view.queue, next: view.next, holder, concurrent, failing }
    }

    fn of(&self, offset: i64) -> SlotState {
        let running = self.scene.clients().any(|client| {
            client.calls.iter().any(|c| {
                c.running && c.queue == self.queue && c.batch.iter().any(|m| m.offset == offset)
            })
        });
        if running {
            return SlotState::Away;
        }
        if offset < self.next {
            return over(self.scene, self.queue, offset);
        }
        let Some((_, pq)) = self.holder else { return SlotState::Ready };
        if let Some(cached) = pq.waiting().find(|m| m.offset == offset) {
            if cached.reconsume_times > 0 {
                return SlotState::Retry(cached.reconsume_times);
            }
        } else if pq.taken().iter().any(|m| m.offset == offset) {
            return if self.concurrent { SlotState::Ready } else { SlotState::Away };
        } else if self.goes_past() && offset < pq.next_offset {
            return SlotState::Done;
        }
        if self.is_held_back(offset) {
            SlotState::Blocked
        } else {
            SlotState::Ready
        }
    }

    /// Whether messages may be finished behind one that is not: the offset says nothing of them then.
    fn goes_past(&self) -> bool {
        self.concurrent || self.scene.world.shared.model.blocking == Blocking::MessageGroup
    }

    /// True when the failing head holds a record back: all of its queue, or its own message group.
    fn is_held_back(&self, offset: i64) -> bool {
        let Some(head) = self.failing.filter(|head| *head < offset) else { return false };
        let world = self.scene.world;
        if world.shared.model.blocking == Blocking::Queue {
            return true;
        }
        let store = &world.brokers[self.queue.broker.index()].store;
        let group = |o| world.shared.message_group(store.at(self.queue, o)?.msg);
        group(head).is_some() && group(head) == group(offset)
    }
}

/// What a record is that the group's offset has passed.
pub(super) fn over(scene: &Scene<'_>, queue: MessageQueue, offset: i64) -> SlotState {
    let Some(group) = scene.group else { return SlotState::Done };
    let (history, now_ms) = (scene.options.history, scene.world.now_ms());
    let record = scene.world.brokers[queue.broker.index()].store.at(queue, offset);
    if record.is_some_and(|record| history.is_dead(group, record.msg, now_ms)) {
        SlotState::Dead
    } else if history.was_delivered(group, (queue, offset), now_ms) {
        SlotState::Done
    } else {
        SlotState::Passed
    }
}

fn lock(scene: &Scene<'_>, queue: MessageQueue) -> LockView {
    let Some(group) = scene.group else { return LockView::None };
    let shared = &scene.world.shared;
    if shared.group(group).listener == ListenerKind::Concurrent {
        return LockView::None;
    }
    let broker = &scene.world.brokers[queue.broker.index()];
    let Some(lock) = broker.locks.get(group, queue) else { return LockView::Free };
    let gone = scene
        .world
        .clients
        .get(lock.owner.index())
        .is_none_or(|client| matches!(client.status(), Status::Ended(_)));
    LockView::Held {
        owner: lock.owner,
        name: shared.names.clients[lock.owner.index()].as_str().into(),
        gone,
        from_ms: lock.last_update_ms,
        until_ms: lock.last_update_ms + shared.model.rebalance_lock_max_live_time_ms,
    }
}

fn stands(view: &LaneView) -> Option<Stands> {
    let suspended = view.rows.iter().find_map(|row| match &row.state {
        RowState::Suspended { name, from_ms, until_ms } => {
            Some(Stands::Suspended { name: name.clone(), from_ms: *from_ms, until_ms: *until_ms })
        }
        _ => None,
    });
    let held_back = || view.slots.iter().any(|slot| slot.state == SlotState::Blocked);
    let head = || view.slots.iter().find(|slot| slot.offset == view.next);
    let waits = view.lag() > 0;
    match &view.lock {
        _ if suspended.is_some() => suspended,
        LockView::Held { gone: true, .. } if waits => Some(Stands::OwnerGone),
        LockView::Free if waits && view.rows.is_empty() => Some(Stands::NoOwner),
        _ if held_back() => head().map(|slot| Stands::Retrying { name: slot.name.clone() }),
        _ => None,
    }
}

/// Since when a lane stands still: the first failure of its head, the end of its owner.
fn since_ms(scene: &Scene<'_>, view: &LaneView, stands: &Stands) -> Option<Ms> {
    let history = scene.options.history;
    match (stands, &view.lock) {
        (
            Stands::Suspended { name, .. }
            | Stands::Retrying { name }
            | Stands::BackOff { name, .. },
            _,
        ) => history.failing_since(view.queue, name.msg),
        (Stands::Unacknowledged { from_ms, .. }, _) => Some(*from_ms),
        (Stands::OwnerGone, LockView::Held { owner, .. }) => history.ended_at(*owner),
        _ => None,
    }
}

/// Tokens of a lane, higher offsets first, so that a badge is never covered.
fn add_tokens(scene: &Scene<'_>, lane: usize, view: &LaneView, tokens: &mut Tokens) {
    for slot in view.slots.iter().rev() {
        let state = match slot.state {
            SlotState::Ready => TokenState::Ready,
            SlotState::Retry(failures) => TokenState::Retry(failures),
            SlotState::Blocked => TokenState::Blocked,
            SlotState::Invisible { from_ms, until_ms } => {
                TokenState::Invisible { from_ms, until_ms }
            }
            SlotState::Away | SlotState::Done | SlotState::Dead | SlotState::Passed => continue,
        };
        tokens.add(scene, slot.name.clone(), Place::Slot { lane, offset: slot.offset }, state);
    }
    for client in scene.clients() {
        let calls = client.calls.iter().filter(|call| call.running && call.queue == view.queue);
        let messages = calls.flat_map(|call| call.batch.iter().map(move |m| (m, call)));
        for (nth, (message, call)) in messages.enumerate() {
            let span: (Ms, Ms) = (call.since_ms, call.until_ms);
            let state = TokenState::InFlight { from_ms: span.0, until_ms: span.1, again: false };
            let place = Place::Row { lane, client: client.id, nth: nth as u32 };
            tokens.add(scene, scene.name(message.msg), place, state);
        }
    }
}
