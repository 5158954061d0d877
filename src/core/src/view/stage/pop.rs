//! Lanes of a group whose messages are taken by POP: what each record is to it, what holds the queue
//! back, why it stands still. The broker's own records say it, not the consumers'.

use std::collections::BTreeMap;

use super::lanes::over;
use super::project::Scene;
use super::{LaneView, LockView, SlotState, Stands};
use crate::broker::pop::{Block, Flight, OrderInfo, OrderRules};
use crate::broker::Broker;
use crate::client::Status;
use crate::grpc::{GrpcClient, LaneState};
use crate::ids::{GroupId, MessageQueue, Ms};
use crate::model::Blocking;

/// What is needed to say what a record of a queue is to the group.
pub(super) struct PopStates<'a> {
    scene: &'a Scene<'a>,
    queue: MessageQueue,
    next: i64,
    group: GroupId,
    broker: &'a Broker,
    order: Option<&'a OrderInfo>,
    flights: Option<&'a BTreeMap<i64, Flight>>,
    /// Offsets that consumers hold, sorted.
    held: Vec<i64>,
    /// Offsets in flight without order: the offset, its delivery, when it is visible again. Sorted.
    open: Vec<(i64, Ms, Ms)>,
    /// The offset that holds others back without being handled for the first time.
    standing: Option<i64>,
}

impl<'a> PopStates<'a> {
    /// For a lane of a group. None without a group.
    pub fn new(scene: &'a Scene<'a>, view: &LaneView) -> Option<Self> {
        let (group, queue) = (scene.group?, view.queue);
        let broker: &Broker = scene.world.brokers.get(queue.broker.index())?;
        let key = (group, queue);
        let forgotten = forgets(scene, broker, group, queue);
        let mut held: Vec<i64> = clients(scene).flat_map(|client| offsets(client, queue)).collect();
        held.sort_unstable();
        let mut states = Self {
            scene,
            queue,
            next: view.next,
            group,
            broker,
            order: broker.pop.order.get(key).filter(|_| !forgotten),
            flights: broker.pop.flights.get(key).filter(|_| !forgotten),
            held,
            open: open(broker, group, queue),
            standing: None,
        };
        states.standing = view.stands.as_ref().and_then(|_| states.block()).map(|b| b.offset);
        Some(states)
    }

    /// The first offset that is not finished; without order that may be below the consumer offset.
    pub fn first_open(&self) -> i64 {
        self.open.first().map_or(self.next, |open| open.0.min(self.next))
    }

    fn flight(&self, offset: i64) -> Option<&Flight> {
        self.flights?.get(&offset)
    }

    fn by_group(&self) -> bool {
        self.scene.world.shared.model.blocking == Blocking::MessageGroup
    }

    /// What holds the queue back.
    fn block(&self) -> Option<Block> {
        block(self.scene, self.broker, self.group, self.queue)
    }

    /// What the record at an offset is.
    pub fn of(&self, offset: i64) -> SlotState {
        let now_ms = self.scene.world.now_ms();
        let hidden = |from_ms: Ms, until_ms: Ms, count: u32| {
            if self.held.binary_search(&offset).is_ok() {
                SlotState::Away
            } else if now_ms < until_ms {
                SlotState::Invisible { from_ms, until_ms }
            } else {
                SlotState::Retry(count + 1)
            }
        };
        if let Ok(place) = self.open.binary_search_by_key(&offset, |open| open.0) {
            let (_, from_ms, until_ms) = self.open[place];
            return hidden(from_ms, until_ms.max(now_ms + 1), 0);
        }
        if offset < self.next {
            return match self.held.binary_search(&offset) {
                // Acknowledged by somebody else, or skipped by a reset: its handle may be old.
                Ok(_) => SlotState::Away,
                Err(_) => over(self.scene, self.queue, offset),
            };
        }
        if let Some(flight) = self.flight(offset) {
            return match flight.acked {
                true => over(self.scene, self.queue, offset),
                false => hidden(flight.pop_ms, flight.visible_ms, flight.count),
            };
        }
        if let Some((order, place)) = self.in_order(offset) {
            return match order.is_acked(place) {
                true => over(self.scene, self.queue, offset),
                false => hidden(order.pop_ms, order.visible_ms(offset), order.count(offset)),
            };
        }
        match self.held.binary_search(&offset) {
            Ok(_) => SlotState::Away,
            Err(_) if self.is_held_back(offset) => SlotState::Blocked,
            Err(_) => SlotState::Ready,
        }
    }

    fn in_order(&self, offset: i64) -> Option<(&OrderInfo, usize)> {
        let order = self.order?;
        Some((order, order.offsets().iter().position(|o| *o == offset)?))
    }

    fn is_held_back(&self, offset: i64) -> bool {
        let Some(head) = self.standing.filter(|head| *head < offset) else { return false };
        let series = |offset| {
            let record = self.broker.store.at(self.queue, offset)?;
            self.scene.world.shared.message_group(record.msg)
        };
        !self.by_group() || series(head).is_some() && series(head) == series(offset)
    }
}

/// gRPC consumers of the group.
fn clients<'a>(scene: &'a Scene<'_>) -> impl Iterator<Item = &'a GrpcClient> + 'a {
    let grpc = scene.world.clients.iter().filter_map(|process| process.grpc());
    grpc.filter(|client| Some(client.group) == scene.group)
}

/// Offsets of a queue that a consumer holds.
fn offsets(client: &GrpcClient, queue: MessageQueue) -> impl Iterator<Item = i64> + '_ {
    let all = client.lanes.iter().flat_map(|lane| &lane.messages).chain(&client.held);
    all.map(|d| d.handle).filter(move |handle| handle.queue == queue).map(|handle| handle.offset)
}

/// Offsets of a queue that were delivered without order and are not acknowledged.
fn open(broker: &Broker, group: GroupId, queue: MessageQueue) -> Vec<(i64, Ms, Ms)> {
    let of = broker.pop.checkpoints.iter();
    let of = of.filter(|(key, _)| (key.group, key.queue) == (group, queue));
    let mut open: Vec<(i64, Ms, Ms)> = of
        .flat_map(|(key, point)| {
            let span = (key.pop_ms, point.revive_ms(*key));
            point.open.iter().map(move |offset| (*offset, span.0, span.1))
        })
        .collect();
    open.sort_unstable();
    open
}

/// Whether the next POP forgets what is in flight in order: it takes a pending reset up first.
fn forgets(scene: &Scene<'_>, broker: &Broker, group: GroupId, queue: MessageQueue) -> bool {
    scene.world.shared.group(group).pop.orderly && broker.has_reset(group, queue)
}

/// What holds an ordered queue back: the lowest offset that is neither acknowledged nor visible.
fn block(scene: &Scene<'_>, broker: &Broker, group: GroupId, queue: MessageQueue) -> Option<Block> {
    if forgets(scene, broker, group, queue) {
        return None;
    }
    let (key, now_ms) = ((group, queue), scene.world.now_ms());
    let model = &scene.world.shared.model;
    if model.blocking == Blocking::MessageGroup {
        let flights = broker.pop.flights.get(key)?;
        let hidden = |flight: &Flight| !flight.acked && now_ms < flight.visible_ms;
        let (offset, flight) = flights.iter().find(|(_, flight)| hidden(flight))?;
        return Some(Block { offset: *offset, until_ms: flight.visible_ms });
    }
    broker.pop.order.get(key)?.block(OrderRules::of(model.version), now_ms)
}

/// The order block of a queue, where POP gives messages in order.
pub(super) fn order_block(scene: &Scene<'_>, queue: MessageQueue) -> LockView {
    let Some(group) = scene.group.filter(|g| scene.world.shared.group(*g).pop.orderly) else {
        return LockView::None;
    };
    let broker = &scene.world.brokers[queue.broker.index()];
    let found = block(scene, broker, group, queue).and_then(|block| {
        let record = broker.store.at(queue, block.offset)?;
        let (order, key) = (&broker.pop.order, (group, queue));
        let flight = broker.pop.flights.get(key).and_then(|f| f.get(&block.offset));
        let from_ms = flight.map(|f| f.pop_ms).or_else(|| order.get(key).map(|o| o.pop_ms));
        Some(LockView::Block {
            name: scene.name(record.msg),
            from_ms: from_ms.unwrap_or(scene.world.now_ms()),
            until_ms: block.until_ms,
        })
    });
    found.unwrap_or(LockView::Open)
}

/// Why a queue stands still: its block is not being handled for the first time.
pub(super) fn stands(scene: &Scene<'_>, view: &LaneView) -> Option<Stands> {
    let LockView::Block { name, from_ms, until_ms } = &view.lock else { return None };
    let unacknowledged =
        || Stands::Unacknowledged { name: name.clone(), from_ms: *from_ms, until_ms: *until_ms };
    let holder = clients(scene).find_map(|client| {
        let of =
            |d: &crate::grpc::Delivery| d.handle.msg == name.msg && d.handle.queue == view.queue;
        let lane = client.lanes.iter().find(|lane| lane.messages.iter().any(of));
        (lane.is_some() || client.held.iter().any(of)).then_some((client, lane))
    });
    let Some((client, Some(lane))) = holder else { return Some(unacknowledged()) };
    if client.status == Status::Hanging {
        return Some(unacknowledged());
    }
    let head = lane.messages.front().map(|d| d.handle.msg);
    match lane.state {
        // The block is a message behind the one that is handled.
        _ if head != Some(name.msg) => None,
        LaneState::BackOff { until_ms } => {
            let from_ms = until_ms - super::holds::wait_ms(client, lane);
            Some(Stands::BackOff { name: name.clone(), from_ms, until_ms })
        }
        _ if lane.attempt > 1 => Some(Stands::Retrying { name: name.clone() }),
        _ => None,
    }
}
