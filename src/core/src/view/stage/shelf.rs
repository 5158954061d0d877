//! The delay shelf, the tray of dead letters, and topics that are folded.

use std::rc::Rc;

use super::project::{Scene, Tokens};
use super::{FoldedView, LevelView, Place, ShelfView, TokenState, TrayView};
use crate::broker::{Broker, Half};
use crate::command::{Command, ListenerKind, MessageSpec};
use crate::ids::{MessageQueue, Ms, MsgId, TopicId};
use crate::message::Record;
use crate::pop::PopCommand;
use crate::shared::TopicUse;

/// Tokens of a level that are drawn, from its head.
pub const SHOWN_OF_LEVEL: usize = 2;
/// Half messages that are drawn.
const SHOWN_HALVES: u32 = 5;
/// Dead letters that are drawn.
pub const SHOWN_DEAD: i64 = 8;

/// Whether anything of the run is ever delayed: a message, a table of levels that is set, or a retry of a
/// concurrent listener. Known before it happens, so that the picture does not move then.
fn is_ever_used(scene: &Scene<'_>) -> bool {
    let delayed = |message: &MessageSpec| message.delay_level > 0 || message.timer_delay_ms > 0;
    let delays = |command: &Command| match command {
        Command::Send { messages, .. }
        | Command::Pop(PopCommand::SendTogether { messages, .. }) => messages.iter().any(delayed),
        Command::SendTransaction { message, .. } => delayed(message),
        Command::SetDelayLevels { .. } => true,
        _ => false,
    };
    let names = &scene.world.shared.names;
    names.groups.iter().any(|group| group.listener == ListenerKind::Concurrent)
        || scene.options.journal.iter().any(|(_, command)| delays(command))
}

/// All levels of the table that the brokers run with, and the timer wheel while it holds something;
/// the heads become tokens. Messages of all brokers stand together. A run without delays has none.
pub(super) fn shelf(scene: &Scene<'_>, tokens: &mut Tokens) -> ShelfView {
    let brokers = &scene.world.brokers;
    let Some(broker) = brokers.first() else { return ShelfView::default() };
    let mut view = ShelfView::default();
    let wheel: Vec<Waiting> = brokers.iter().flat_map(|broker| on_wheel(broker)).collect();
    if let Some(first) = wheel.iter().min_by_key(|waiting| waiting.due_ms) {
        let built_ms = scene.world.shared.message(first.msg).built_ms;
        add_level(scene, &mut view, tokens, (0, first.due_ms - built_ms, "".into()), wheel);
    }
    for (index, delay_ms) in broker.delay.table.delays_ms().iter().enumerate() {
        let level = (index + 1) as u8;
        let of = |broker: &'_ Rc<Broker>| -> Vec<Waiting> {
            let waiting = broker.waiting_under(level);
            waiting.map(|(record, due_ms)| Waiting::of(broker, record, due_ms)).collect()
        };
        let waiting = brokers.iter().flat_map(of).collect();
        add_level(scene, &mut view, tokens, (level, *delay_ms, duration(*delay_ms)), waiting);
    }
    // What nobody delays may wait all the same: old releases put aside what has used up its attempts.
    match view.levels.iter().any(|level| level.count > 0) || is_ever_used(scene) {
        true => view,
        false => ShelfView::default(),
    }
}

/// A message that waits for its time.
struct Waiting {
    msg: MsgId,
    due_ms: Ms,
    /// Where it is put back.
    queue: MessageQueue,
}

impl Waiting {
    fn of(broker: &Broker, record: &Record, due_ms: Ms) -> Self {
        let (topic, id) = record.real;
        Self { msg: record.msg, due_ms, queue: MessageQueue { topic, broker: broker.id, id } }
    }
}

/// Messages on a broker's timer wheel with their instants.
fn on_wheel(broker: &Broker) -> impl Iterator<Item = Waiting> + '_ {
    let slots = broker.delay.wheel.iter();
    let ids = slots.flat_map(|(due_ms, ids)| ids.iter().map(move |id| (*id, *due_ms)));
    ids.filter_map(|(id, due_ms)| Some(Waiting::of(broker, broker.store.record(id)?, due_ms)))
}

/// A level with what waits under it; its first messages become tokens.
fn add_level(
    scene: &Scene<'_>,
    view: &mut ShelfView,
    tokens: &mut Tokens,
    (level, delay_ms, text): (u8, Ms, Rc<str>),
    mut waiting: Vec<Waiting>,
) {
    // Each broker's messages are in order already.
    waiting.sort_by_key(|waiting| waiting.due_ms);
    let due_ms = waiting.first().map(|waiting| waiting.due_ms);
    for (nth, Waiting { msg, due_ms: due, queue }) in
        waiting.iter().take(SHOWN_OF_LEVEL).enumerate()
    {
        let name = scene.name(*msg);
        if nth == 0 && view.next.as_ref().is_none_or(|(_, at)| due < at) {
            view.next = Some((name.clone(), *due));
            view.lane = scene.lane(*queue);
        }
        let place = Place::Shelf { level, nth: nth as u32 };
        tokens.add(scene, name, place, TokenState::Scheduled);
    }
    let count = waiting.len() as u32;
    view.levels.push(LevelView { level, text, delay_ms, due_ms, count });
}

/// A duration as a level table writes it.
fn duration(ms: Ms) -> Rc<str> {
    const UNITS: [(Ms, &str); 4] =
        [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")];
    let unit = UNITS.into_iter().find(|(unit, _)| ms >= *unit && ms % unit == 0);
    match unit {
        Some((unit, name)) => format!("{}{name}", ms / unit).into(),
        None => format!("{ms}ms").into(),
    }
}

/// Dead letters of the group; the newest become tokens.
pub(super) fn tray(scene: &Scene<'_>, tokens: &mut Tokens) -> TrayView {
    let Some(group) = scene.group.map(|g| scene.world.shared.group(g)) else {
        return TrayView::default();
    };
    let topic = group.dead_letter_topic;
    let mut count = 0;
    for broker in &scene.world.brokers {
        let queue = MessageQueue { topic, broker: broker.id, id: 0 };
        let (min, max) = broker.store.range(queue);
        for offset in (max - SHOWN_DEAD).max(min)..max {
            let Some(record) = broker.store.at(queue, offset) else { continue };
            let place = Place::Tray { nth: (offset - (max - SHOWN_DEAD).max(min)) as u32 };
            tokens.add(scene, scene.name(record.msg), place, TokenState::Dead);
        }
        count += max - min;
    }
    let model = &scene.world.shared.model;
    let limit = match (scene.pop, group.pop.retry_max_times) {
        (true, -1) => model.retry_max_times as i32,
        (true, own) => own,
        (false, _) => group.effective_max_reconsume_times(model),
    };
    TrayView {
        topic: scene.world.shared.names.topics[topic.index()].name.as_str().into(),
        count: count as u32,
        elsewhere: elsewhere(scene),
        limit: (limit != i32::MAX).then_some(limit.max(0) as u32),
    }
}

/// Dead letters of the groups that are not shown.
fn elsewhere(scene: &Scene<'_>) -> Vec<(Rc<str>, u32)> {
    let groups = scene.world.shared.names.groups.iter().enumerate();
    let others = groups.filter(|(index, _)| scene.group.is_none_or(|g| g.index() != *index));
    let count = |topic: TopicId| -> i64 {
        let range = |broker: &Rc<Broker>| {
            let (min, max) = broker.store.range(MessageQueue { topic, broker: broker.id, id: 0 });
            max - min
        };
        scene.world.brokers.iter().map(range).sum()
    };
    let counted = others.map(|(_, g)| (g.name.as_str().into(), count(g.dead_letter_topic) as u32));
    counted.filter(|(_, count)| *count > 0).collect()
}

/// Messages of a topic that wait for their time, under a level or on the timer wheel.
fn scheduled(scene: &Scene<'_>, topic: TopicId) -> u32 {
    let of = |broker: &Rc<Broker>| {
        let levels = 1..=broker.delay.table.delays_ms().len() as u8;
        let under = levels.flat_map(|level| broker.waiting_under(level));
        let under = under.filter(|(record, _)| record.real.0 == topic).count();
        under + on_wheel(broker).filter(|waiting| waiting.queue.topic == topic).count()
    };
    scene.world.brokers.iter().map(of).sum::<usize>() as u32
}

/// Half messages of a topic.
fn halves_of<'a>(scene: &Scene<'a>, topic: TopicId) -> impl Iterator<Item = &'a Half> {
    let of = scene.world.brokers.iter().flat_map(|broker| broker.halves.values());
    of.filter(move |half| half.queue.topic == topic)
}

/// Half messages of the topic: nobody can read them. The first of them become tokens.
pub(super) fn halves(scene: &Scene<'_>, tokens: &mut Tokens) -> u32 {
    let mut count = 0;
    for half in halves_of(scene, scene.topic) {
        if count < SHOWN_HALVES {
            let place = Place::Half { nth: count };
            tokens.add(scene, scene.name(half.msg), place, TokenState::Scheduled);
        }
        count += 1;
    }
    count
}

/// Topics of people whose queues are not lanes.
pub(super) fn folded(scene: &Scene<'_>) -> Vec<FoldedView> {
    let names = &scene.world.shared.names;
    let group = scene.group;
    (0..names.topics.len() as u16)
        .map(TopicId)
        .filter(|id| *id != scene.topic && names.topics[id.index()].usage == TopicUse::User)
        .map(|id| {
            let topic = &names.topics[id.index()];
            let reads = group.is_some_and(|g| {
                names.groups[g.index()].subscriptions.iter().any(|s| s.topic == id)
            });
            let (mut stored, mut waiting) = (0, 0);
            for broker in &scene.world.brokers {
                for queue in (0..topic.write_queues).map(|q| MessageQueue {
                    topic: id,
                    broker: broker.id,
                    id: q,
                }) {
                    let (min, max) = broker.store.range(queue);
                    stored += max - min;
                    let offset = group.and_then(|g| broker.offsets.get(&(g, queue))).copied();
                    waiting += max - offset.unwrap_or(min);
                }
            }
            FoldedView {
                id,
                name: topic.name.as_str().into(),
                kind: topic.kind,
                queues: u32::from(topic.read_queues),
                stored: stored as u32,
                scheduled: scheduled(scene, id),
                halves: halves_of(scene, id).count() as u32,
                waiting: reads.then_some(waiting as u32),
            }
        })
        .collect()
}
