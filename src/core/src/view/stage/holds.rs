//! What gRPC consumers hold: messages that they received and have not finished. Nobody owns a queue
//! here, so these consumers have no rows on the lanes' lines but entries of their own.

use super::project::{Scene, Tokens};
use super::{ConsumerState, ConsumerView, Named, Place, TokenState};
use crate::grpc::{Act, Delivery, GrpcClient, Handle, Lane, LaneState, PopRequest};
use crate::ids::{ClientId, MessageQueue, Ms, Party};
use crate::pop::{ActKind, GrpcKind, SimpleMode};
use crate::proxy::TrackKey;
use crate::world::World;

/// Which client a consumer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConsumerKind {
    /// The 4.x push consumer.
    #[default]
    Classic,
    /// The 5.x `PushConsumer`.
    Push,
    /// The 5.x `SimpleConsumer`.
    Simple,
}

/// What a gRPC consumer handles one after the other: a batch, or the part of it with one message
/// group. For a `SimpleConsumer` that is called by hand: everything that it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldView {
    /// The messages, the one that is handled first; at most `SHOWN_OF_HOLD`.
    pub messages: Vec<HeldView>,
    /// Messages that follow.
    pub more: u32,
    /// Attempt of the first one, from 1.
    pub attempt: u32,
    /// What the first one is doing.
    pub state: HoldState,
}

/// A message with a gRPC consumer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldView {
    /// The message.
    pub name: Named,
    /// Where it is stored.
    pub queue: MessageQueue,
    /// Its offset there.
    pub offset: i64,
    /// The lane of the queue, by its place in [`super::StageView::lanes`].
    pub lane: Option<usize>,
    /// When it was delivered.
    pub from_ms: Ms,
    /// When it is visible again; its receipt handle is worth nothing from then on.
    pub until_ms: Ms,
}

/// What the first message of a hold is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldState {
    /// It waits for a thread.
    NoThread,
    /// A listener call runs.
    Handling {
        /// When the call began.
        from_ms: Ms,
        /// When it ends, as the simulation knows.
        until_ms: Ms,
    },
    /// It failed and waits for its next attempt.
    BackOff {
        /// When the attempt before ended.
        from_ms: Ms,
        /// When the next one starts.
        until_ms: Ms,
    },
    /// The proxy is asked for something.
    Acting(ActKind),
    /// That failed and is asked for again.
    ActAgain {
        /// What.
        act: ActKind,
        /// When.
        at_ms: Ms,
    },
    /// The application has it and has not said anything about it.
    InHand,
}

/// Messages of one hold that are looked at.
pub const SHOWN_OF_HOLD: usize = 32;
/// Messages of one hold that have a token.
const TOKENS: usize = 16;
/// Holds of one consumer that are looked at.
const SHOWN_HOLDS: usize = 24;

/// Entries that a card has room for at least when any number of messages are handled at once.
const USUAL_ROWS: u32 = 3;

/// The view of a gRPC consumer; None when it has ended.
pub(super) fn consumer(scene: &Scene<'_>, client: &GrpcClient) -> Option<ConsumerView> {
    use crate::client::Status;
    let state = match client.status {
        Status::Running | Status::Stopping { .. } => ConsumerState::Running,
        Status::Hanging => ConsumerState::Hanging,
        Status::Ended(_) => return None,
    };
    let holds = holds(scene, client);
    let cached = client.lanes.iter().map(|lane| lane.messages.len()).sum::<usize>();
    let queues = scene.queues.iter().filter(|queue| queue.topic == scene.topic).count();
    let (kind, rows) = match client.kind {
        GrpcKind::Push if client.fifo == Some(false) => (ConsumerKind::Push, USUAL_ROWS),
        GrpcKind::Push => (ConsumerKind::Push, queues as u32),
        GrpcKind::Simple(SimpleMode::Scripted) => (ConsumerKind::Simple, 1),
        GrpcKind::Simple(SimpleMode::Loops { loops, .. }) => {
            (ConsumerKind::Simple, u32::from(loops))
        }
    };
    Some(ConsumerView {
        id: client.id,
        name: scene.world.shared.names.clients[client.id.index()].as_str().into(),
        state,
        renews_ms: None,
        lanes: Vec::new(),
        kind,
        holds,
        rows: rows.max(1),
        cached: (cached + client.held.len()) as u32,
        polls: polls(scene, client),
    })
}

/// Receives of all gRPC consumers that wait at brokers, with the end of their time.
pub(super) fn all_polls(world: &World) -> Vec<(ClientId, Ms)> {
    let waiting = world.brokers.iter().flat_map(|broker| broker.pop.polls.iter());
    let asker = |request: &PopRequest| {
        let Party::Proxy(proxy) = request.from else { return None };
        let Party::Client(client) = world.proxies.get(proxy.index())?.asker(request.rpc.token)?
        else {
            return None;
        };
        Some((client, request.born_ms + request.poll_ms))
    };
    waiting.filter_map(asker).collect()
}

/// Receives of a consumer that wait, and the end of the first one's time.
fn polls(scene: &Scene<'_>, client: &GrpcClient) -> (u32, Ms) {
    let own = scene.polls.iter().filter(|(of, _)| *of == client.id).map(|(_, until_ms)| *until_ms);
    own.fold((0, Ms::MAX), |(count, first), until_ms| (count + 1, first.min(until_ms)))
}

/// What a consumer holds, in the order of the lanes that it came from.
pub(super) fn holds(scene: &Scene<'_>, client: &GrpcClient) -> Vec<HoldView> {
    let held = |delivery: &Delivery| held_view(scene, client, delivery);
    let more = |all: usize| all.saturating_sub(SHOWN_OF_HOLD) as u32;
    let hold = |lane: &Lane| HoldView {
        messages: lane.messages.iter().take(SHOWN_OF_HOLD).map(held).collect(),
        more: more(lane.messages.len()),
        attempt: lane.attempt,
        state: state(client, lane),
    };
    let mut holds: Vec<HoldView> = client.lanes.iter().take(SHOWN_HOLDS).map(hold).collect();
    holds
        .sort_by_key(|hold| hold.messages.first().map(|m| (m.lane.unwrap_or(usize::MAX), m.queue)));
    if !client.held.is_empty() {
        holds.push(HoldView {
            attempt: client.held.first().map_or(1, Delivery::attempt),
            messages: client.held.iter().take(SHOWN_OF_HOLD).map(held).collect(),
            more: more(client.held.len()),
            state: HoldState::InHand,
        });
    }
    holds
}

fn held_view(scene: &Scene<'_>, client: &GrpcClient, delivery: &Delivery) -> HeldView {
    let handle = current(scene, client, delivery.handle);
    HeldView {
        name: scene.name(handle.msg),
        queue: handle.queue,
        offset: handle.offset,
        lane: scene.lane(handle.queue),
        from_ms: handle.pop_ms,
        until_ms: handle.visible_ms(),
    }
}

/// The handle as its proxy has renewed it.
fn current(scene: &Scene<'_>, client: &GrpcClient, handle: Handle) -> Handle {
    let key = TrackKey::of(&scene.world.shared.model, client.id, client.group, &handle);
    let tracked = scene.world.proxies.iter().find_map(|proxy| proxy.tracked.get(&key));
    tracked.map_or(handle, |tracked| tracked.handle)
}

/// The wait before the attempt that a lane waits for.
pub(super) fn wait_ms(client: &GrpcClient, lane: &Lane) -> Ms {
    let settings = client.settings.as_ref();
    let before = lane.attempt.saturating_sub(1).max(1);
    settings.map_or(0, |settings| settings.backoff.policy().next_attempt_delay_ms(before))
}

fn state(client: &GrpcClient, lane: &Lane) -> HoldState {
    let kind = |act: Act| match act {
        Act::Ack => ActKind::Ack,
        Act::Change(_) => ActKind::Change,
        Act::Dead => ActKind::DeadLetter,
    };
    match lane.state {
        LaneState::Ready => HoldState::NoThread,
        LaneState::Calling => {
            let call = client.calls.iter().find(|call| call.lane == lane.number && call.running);
            call.map_or(HoldState::NoThread, |call| HoldState::Handling {
                from_ms: call.since_ms,
                until_ms: call.until_ms,
            })
        }
        LaneState::BackOff { until_ms } => {
            HoldState::BackOff { from_ms: until_ms - wait_ms(client, lane), until_ms }
        }
        LaneState::Acting { act } => HoldState::Acting(kind(act)),
        LaneState::ActAgain { act, at_ms } => HoldState::ActAgain { act: kind(act), at_ms },
    }
}

/// Tokens of what the group's consumers hold, the message that is handled last, so that it lies on
/// top.
pub(super) fn add_tokens(scene: &Scene<'_>, consumers: &[ConsumerView], tokens: &mut Tokens) {
    if (scene.options.columns)(scene.queues.len()) == 0 {
        // Beside strips no consumer is drawn.
        return;
    }
    for consumer in consumers {
        for (index, hold) in consumer.holds.iter().enumerate() {
            for (nth, held) in hold.messages.iter().enumerate().take(TOKENS).rev() {
                let place = Place::Hold { client: consumer.id, hold: index, nth: nth as u32 };
                tokens.add(scene, held.name.clone(), place, token_state(hold, nth));
            }
        }
    }
}

fn token_state(hold: &HoldView, nth: usize) -> TokenState {
    match hold.state {
        HoldState::InHand => TokenState::Held,
        // Received, and not begun.
        _ if nth > 0 => TokenState::Ready,
        HoldState::Handling { from_ms, until_ms } => {
            TokenState::InFlight { from_ms, until_ms, again: false }
        }
        HoldState::BackOff { .. } => TokenState::Retry(hold.attempt.saturating_sub(1)),
        HoldState::NoThread if hold.attempt > 1 => TokenState::Retry(hold.attempt - 1),
        HoldState::NoThread => TokenState::Ready,
        HoldState::Acting(_) | HoldState::ActAgain { .. } => TokenState::Held,
    }
}
