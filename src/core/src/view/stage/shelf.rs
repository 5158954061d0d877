//! The delay shelf, the tray of dead letters, and topics that are folded.

use std::rc::Rc;

use super::project::{Scene, Tokens};
use super::{FoldedView, LevelView, Place, ShelfView, TokenState, TrayView};
use crate::ids::{MessageQueue, Ms, TopicId};
use crate::shared::TopicUse;

/// Tokens of a level that are drawn, from its head.
pub const SHOWN_OF_LEVEL: usize = 2;
/// Dead letters that are drawn.
pub const SHOWN_DEAD: i64 = 8;

/// All levels of the table that the broker runs with; the heads become tokens.
pub(super) fn shelf(scene: &Scene<'_>, tokens: &mut Tokens) -> ShelfView {
    let Some(broker) = scene.world.brokers.first() else { return ShelfView::default() };
    let mut view = ShelfView::default();
    for (index, delay_ms) in broker.delay.table.delays_ms().iter().enumerate() {
        let level = (index + 1) as u8;
        let due_ms = broker.head_due_ms(level);
        let mut count = 0;
        for (nth, (record, due)) in broker.waiting_under(level).enumerate() {
            count += 1;
            if nth >= SHOWN_OF_LEVEL {
                continue;
            }
            let name = scene.name(record.msg);
            if nth == 0 && view.next.as_ref().is_none_or(|(_, at)| due < *at) {
                view.next = Some((name.clone(), due));
            }
            let place = Place::Shelf { level, nth: nth as u32 };
            tokens.add(scene, name, place, TokenState::Scheduled);
        }
        view.levels.push(LevelView {
            level,
            text: duration(*delay_ms),
            delay_ms: *delay_ms,
            due_ms,
            count,
        });
    }
    view
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
    let limit = group.effective_max_reconsume_times(&scene.world.shared.model);
    TrayView {
        topic: scene.world.shared.names.topics[topic.index()].name.as_str().into(),
        count: count as u32,
        limit: (limit != i32::MAX).then_some(limit.max(0) as u32),
    }
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
                name: topic.name.as_str().into(),
                kind: topic.kind,
                queues: u32::from(topic.read_queues),
                stored: stored as u32,
                waiting: reads.then_some(waiting as u32),
            }
        })
        .collect()
}
