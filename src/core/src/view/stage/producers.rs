//! Producers, and the ports of message groups with their routes.

use std::rc::Rc;

use super::project::{Scene, Tokens};
use super::{
    hue, LaneView, LoadView, NextSend, Place, PortView, ProducerView, Rule, ThreadView, TokenState,
};
use crate::command::{Command, Label, MessageSpec, Selector};
use crate::event::{Event, ProducerTimer};
use crate::ids::{MessageQueue, Ms, MsgId};
use crate::pop::PopCommand;
use crate::producer::{selected_index, Producer, Sending};
use crate::routing::{java_hash, selected};
use crate::shared::MessageGroup;
use crate::view::known::known_queues;

/// Most ports that are drawn; with more message groups no port is.
pub const MAX_PORTS: usize = 16;
/// How many planned commands are searched for the next send.
const LOOK_AHEAD: usize = 400;

/// A port with the producers that send through it.
pub(super) struct Port {
    pub view: PortView,
    pub producers: Vec<usize>,
    /// Whether the proxy places its requests in turn, whatever their message group.
    pub in_turn: bool,
}

/// Ports of all message groups of the run, in the order of their lanes: one for each way that the
/// messages of a group are sent. They come from the planned commands, so that the picture does not move
/// when a group sends its first message.
pub(super) fn ports(scene: &Scene<'_>) -> Vec<Port> {
    let mut ports: Vec<Port> = Vec::new();
    for (letter, producer, in_turn) in senders(scene) {
        let mut port = port(scene, letter, producer, in_turn);
        let same = |other: &&mut Port| {
            let (a, b) = (&other.view, &port.view);
            (&a.letter, a.rule, a.index, a.proxied) == (&b.letter, b.rule, b.index, b.proxied)
        };
        if let Some(known) = ports.iter_mut().find(same) {
            known.producers.push(producer);
            known.view.senders.append(&mut port.view.senders);
            known.view.lit |= port.view.lit;
            continue;
        }
        let lane = |port: &Port| port.view.lane.unwrap_or(usize::MAX);
        let place = ports.partition_point(|other| lane(other) <= lane(&port));
        ports.insert(place, port);
    }
    if ports.len() > MAX_PORTS {
        ports.clear();
    }
    ports
}

/// The message groups that are sent to the topic, by letter, each with every producer that sends it, and
/// whether in requests that the proxy places in turn; no more than it takes to see that they are too many.
fn senders<'a>(scene: &Scene<'a>) -> Vec<(&'a str, usize, bool)> {
    let names = &scene.world.shared.names;
    let mut found: Vec<(&str, usize, bool)> = Vec::new();
    for (_, command) in scene.options.journal {
        let (producer, topic, messages, in_turn) = match command {
            Command::Send { producer, topic, messages, .. } => (producer, topic, messages, false),
            Command::Pop(PopCommand::SendTogether { producer, topic, messages, .. }) => {
                (producer, topic, messages, is_in_turn(scene, messages))
            }
            _ => continue,
        };
        let Some(id) = names.producer(producer) else { continue };
        let own = scene.world.producers.get(id.index()).and_then(|p| p.topic);
        if topic.as_ref().map_or(own, |t| names.topic(t)) != Some(scene.topic) {
            continue;
        }
        for message in messages {
            let way = (message.label.series.as_str(), id.index(), in_turn);
            if let Err(place) = found.binary_search(&way) {
                found.insert(place, way);
            }
        }
        if found.chunk_by(|a, b| a.0 == b.0).count() > MAX_PORTS {
            break;
        }
    }
    found
}

/// Whether the proxy places a request of these messages in turn: it looks at the message group of one
/// message alone, and where that is mended of several with the same one.
fn is_in_turn(scene: &Scene<'_>, messages: &[MessageSpec]) -> bool {
    let series = |message: &MessageSpec| message.label.series.clone();
    let same = messages.windows(2).all(|two| series(&two[0]) == series(&two[1]));
    let keeps = scene.world.shared.model.multi_message_keeps_group == 1;
    messages.len() > 1 && !(keeps && same)
}

/// Whether a message under way is the first of a request that the proxy places in turn.
fn goes_in_turn(scene: &Scene<'_>, producer: &Producer, msg: MsgId) -> bool {
    producer.is_together(msg) && scene.world.shared.model.multi_message_keeps_group == 0
}

fn port(scene: &Scene<'_>, letter: &str, producer: usize, in_turn: bool) -> Port {
    let shared = &scene.world.shared;
    let group = shared.names.series(letter);
    let unknown = || MessageGroup {
        name: letter.to_owned(),
        key: Some(letter.to_owned()),
        hash: java_hash(letter),
    };
    let series = group.map_or_else(unknown, |id| shared.names.series[id.index()].clone());
    let sender = scene.world.producers.get(producer);
    let selector = sender.map(|p| p.selector);
    // What is sent now goes where the sender's own list says, however many queues there are.
    let queues = sender.map(|p| known_queues(scene.world, p, scene.topic)).unwrap_or_default();
    let n = queues.len() as u32;
    let (rule, index) = match in_turn {
        true => (Rule::RoundRobin, None),
        false => route(selector.unwrap_or(Selector::RoundRobin), &series, n),
    };
    let queue = index.and_then(|index| match rule {
        Rule::Fixed => queues.first().map(|first| MessageQueue { id: index as u16, ..*first }),
        _ => queues.get(index as usize).copied(),
    });
    let sent_here = |s: &&Sending| {
        let turns = sender.is_some_and(|p| goes_in_turn(scene, p, s.msg));
        let own = Some(shared.message(s.msg).series) == group && turns == in_turn;
        s.queue.topic == scene.topic && own
    };
    let mut under_way = sender.into_iter().flat_map(|p| p.sending.iter().filter(sent_here));
    let sending = under_way.find(|s| !is_stored(scene, s.msg));
    // What is on its way goes where it was sent, whatever its sender has learned since. By gRPC the
    // proxy decides when it is there.
    let is_grpc = sender.is_some_and(|p| p.is_grpc(shared));
    let queue = match (rule, sending) {
        (Rule::RoundRobin, _) | (_, None) => queue,
        _ if is_grpc => queue,
        (_, Some(sending)) => Some(sending.queue),
    };
    let view = PortView {
        group,
        letter: letter.into(),
        key: series.key.as_deref().unwrap_or_default().into(),
        hue: group.map_or_else(|| letter_hue(letter), |id| hue(&shared.names, id)),
        rule,
        index,
        lane: queue.and_then(|q| scene.lane(q)),
        former: None,
        senders: shared
            .names
            .producers
            .get(producer)
            .map(|name| name.as_str().into())
            .into_iter()
            .collect(),
        proxied: sender.is_some_and(|p| p.speaks_to(shared).is_some()),
        lit: sending.is_some(),
    };
    Port { view, producers: vec![producer], in_turn }
}

/// The colour that a group of this name will have; see [`hue`].
fn letter_hue(letter: &str) -> u8 {
    match letter.as_bytes() {
        [byte @ b'A'..=b'Z'] => (byte - b'A') % 8,
        _ => super::NO_HUE,
    }
}

/// The rule by which a selector picks the queue of a group, and the index that it picks.
fn route(selector: Selector, series: &MessageGroup, n: u32) -> (Rule, Option<u32>) {
    let hash = i64::from(series.hash);
    let rule = match (selector, series.key.as_deref()) {
        (Selector::Queue(_), _) => Rule::Fixed,
        (Selector::RoundRobin, _) | (_, None) => Rule::RoundRobin,
        (Selector::MessageGroup, _) => Rule::Consistent { of: hash, n },
        (Selector::Hash | Selector::AbsHash, _) => Rule::Remainder { of: hash, n },
        (Selector::Modulo, Some(key)) => Rule::Remainder { of: key.parse().unwrap_or(hash), n },
    };
    let index = selected_index(selector, series, n as usize);
    (rule, index.and_then(|index| selected(index, n)))
}

/// Takes the views out of the ports, and notes where a group has messages left in another lane.
pub(super) fn former(ports: Vec<Port>, lanes: &[LaneView], scene: &Scene<'_>) -> Vec<PortView> {
    let series = |msg: MsgId| Some(scene.world.shared.message(msg).series);
    // By another way its messages go elsewhere, now as before.
    let ways: Vec<_> = ports.iter().map(|port| (port.view.group, port.view.lane)).collect();
    let goes_there =
        |group, lane: usize| ways.contains(&(group, Some(lane))) || ways.contains(&(group, None));
    ports
        .into_iter()
        .map(|Port { mut view, .. }| {
            let mut all = lanes.iter().enumerate();
            let former = all.find(|(index, lane)| {
                !goes_there(view.group, *index)
                    && view
                        .lane
                        .and_then(|l| lanes.get(l))
                        .is_some_and(|own| own.queue != lane.queue && !lane.retry)
                    && view.group.is_some()
                    && lane
                        .slots
                        .iter()
                        .any(|slot| !slot.state.is_over() && series(slot.name.msg) == view.group)
            });
            view.former = former.map(|(index, _)| index);
            view
        })
        .collect()
}

/// True when a message is in the store already; its send is only waiting for the answer. Looks at
/// the newest records, which is where it would be.
pub(super) fn is_stored(scene: &Scene<'_>, msg: MsgId) -> bool {
    scene.world.brokers.iter().any(|broker| {
        let count = broker.store.record_count() as u32;
        (count.saturating_sub(64)..count)
            .rev()
            .filter_map(|id| broker.store.record(crate::ids::RecordId(id)))
            .any(|record| record.msg == msg)
    })
}

/// All producers; what is on its way becomes a token on a wire.
pub(super) fn producers(
    scene: &Scene<'_>,
    ports: &[Port],
    tokens: &mut Tokens,
) -> Vec<ProducerView> {
    let mut under_way: Vec<Option<usize>> = Vec::new();
    let mut views = Vec::with_capacity(scene.world.producers.len());
    for (index, producer) in scene.world.producers.iter().enumerate() {
        let mut lit = Vec::new();
        for sending in producer.sending.iter().filter(|s| !is_stored(scene, s.msg)) {
            let series = scene.world.shared.message(sending.msg).series;
            let in_turn = goes_in_turn(scene, producer, sending.msg);
            let own = |p: &Port| {
                let way = p.in_turn == in_turn || p.view.rule == Rule::RoundRobin;
                p.view.group == Some(series) && p.producers.contains(&index) && way
            };
            let port = ports.iter().position(own);
            // What a gRPC client has chosen is an endpoint; the proxy chooses the queue.
            let placed =
                ports.iter().find(|p| own(p)).filter(|_| producer.is_grpc(&scene.world.shared));
            let lane = match placed {
                Some(port) => port.view.lane,
                None => scene.lane(sending.queue),
            };
            let nth = under_way.iter().filter(|other| **other == lane).count() as u32;
            let place = Place::Wire { port, lane, nth };
            under_way.push(lane);
            lit.extend(port);
            tokens.add(scene, scene.name(sending.msg), place, TokenState::Initialised);
        }
        let wires = ports.iter().enumerate().filter(|(_, port)| port.producers.contains(&index));
        views.push(ProducerView {
            id: producer.id,
            name: scene.world.shared.names.producers[index].as_str().into(),
            sent: producer.sent,
            failed: scene.options.history.failed(producer.id, scene.world.now_ms()),
            refused: scene.options.history.refused(producer.id, scene.world.now_ms()),
            grpc: producer.is_grpc(&scene.world.shared),
            mode: producer.mode,
            threads: (0..producer.threads.len()).map(|t| thread(scene, producer, t)).collect(),
            load: load(scene, producer),
            wires: wires.map(|(port, _)| (port, lit.contains(&port))).collect(),
        });
    }
    views
}

fn thread(scene: &Scene<'_>, producer: &Producer, thread: usize) -> ThreadView {
    let shared = &scene.world.shared;
    let named = |label: &Label, at_ms| {
        let series = shared.names.series(&label.series);
        let hue = series.map_or_else(|| letter_hue(&label.series), |id| hue(&shared.names, id));
        Some(NextSend { label: Rc::from(label.to_string()), hue, at_ms })
    };
    if let Some(&msg) = producer.threads[thread].waiting.front() {
        return ThreadView { next: named(&shared.label(msg), None) };
    }
    if let Some(spec) = producer.planned(thread as u8) {
        let hand = shared.agenda.unsorted().filter_map(|(at_ms, event)| match event {
            Event::Producer(id, ProducerTimer::Hand { .. }) if *id == producer.id => Some(at_ms),
            _ => None,
        });
        return ThreadView { next: named(&spec.label, hand.min()) };
    }
    let name = &shared.names.producers[producer.id.index()];
    let next = planned(scene).find_map(|(at_ms, command)| match command {
        Command::Send { producer, thread: t, messages, .. }
        | Command::Pop(PopCommand::SendTogether { producer, thread: t, messages, .. })
            if producer == name && usize::from(*t) == thread =>
        {
            messages.first().map(|m| (m.label.clone(), *at_ms))
        }
        _ => None,
    });
    let next: Option<(Label, Ms)> = next;
    ThreadView { next: next.and_then(|(label, at_ms)| named(&label, Some(at_ms))) }
}

/// The commands that are still to come, as far as is looked ahead.
fn planned<'a>(scene: &Scene<'a>) -> impl Iterator<Item = &'a (Ms, Command)> {
    let now_ms = scene.world.now_ms();
    let journal = scene.options.journal;
    journal.iter().skip_while(move |(at_ms, _)| *at_ms <= now_ms).take(LOOK_AHEAD)
}

fn load(scene: &Scene<'_>, producer: &Producer) -> Option<LoadView> {
    if producer.to_come() > 0 {
        return Some(LoadView { left: producer.to_come(), at_ms: None });
    }
    let name = &scene.world.shared.names.producers[producer.id.index()];
    planned(scene).find_map(|(at_ms, command)| match command {
        Command::SendLoad { producer, load, .. } if producer == name => {
            Some(LoadView { left: load.count, at_ms: Some(*at_ms) })
        }
        _ => None,
    })
}
