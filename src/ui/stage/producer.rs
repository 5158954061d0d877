//! Producers, ports and the wires between them and the lanes.

use lockstep_core::command::SendMode;
use lockstep_core::ids::Ms;
use lockstep_core::view::stage::{LoadView, NextSend, PortView, ProducerView, Rule, StageView};
use lockstep_core::view::Subject;
use yew::AttrValue;

use super::layout::{Layout, Rect};
use super::room;
use super::svg::{wire, Path};
use crate::i18n;
use crate::i18n::stage::StageText;
use crate::ui::draw::{classes, Draw, Timed};
use crate::ui::token::{shape, size, Hue, Look, TokenState};

/// Size of a port's token.
pub const PORT: (f64, f64) = (30.0, 26.0);

/// About how wide a letter of a producer's name is, and of a port's key and figures.
const NAME_W: f64 = 9.4;
const KEY_W: f64 = 7.6;
const RULE_W: f64 = 6.4;
/// Left edge of a port's texts, seen from the port.
const TEXT_X: f64 = 38.0;
/// What a wire needs between a port's texts and its lane.
const WIRE_W: f64 = 32.0;

/// Where the wires of a port to the lanes begin: behind its texts.
fn exit(port: &PortView, is_twice: bool, layout: &Layout, text: StageText) -> f64 {
    if !layout.port_texts {
        return layout.port_exit;
    }
    let (key, rule) = (port_key(port, is_twice, layout, text), rule_text(port.rule, port, text));
    let words = room::width_at(&key, KEY_W).max(room::width_at(&rule, RULE_W));
    let end = layout.ports.first().map_or(0.0, |(x, _)| x + TEXT_X + words + 4.0);
    end.clamp(layout.port_exit, last_exit(layout))
}

/// The last place at which a wire to the lanes may begin.
fn last_exit(layout: &Layout) -> f64 {
    let lane_x = layout.lanes.first().map_or(f64::MAX, |lane| lane.x);
    (lane_x - WIRE_W).max(layout.port_exit)
}

/// Wires from producers to ports and from ports to lanes; the lit ones last, so that they lie on
/// top.
pub fn wires(draw: &mut Draw, view: &StageView, layout: &Layout, text: StageText) {
    for lit in [false, true] {
        for (p, producer) in view.producers.iter().enumerate() {
            let Some(rect) = layout.producers.get(p) else { continue };
            for &(port, _) in producer.wires.iter().filter(|(_, on)| *on == lit) {
                let Some(&(x, y)) = layout.ports.get(port) else { continue };
                let end = (x - 6.0, y + PORT.1 / 2.0);
                let mut inner = Draw::new();
                inner.path("line", "", wire((rect.right(), rect.middle()), end));
                inner.circle("end", "", end, 2.5);
                draw.group(format!("p{p}.{port}"), wire_class(lit), (0.0, 0.0), inner);
            }
        }
        for (i, port) in view.ports.iter().enumerate().filter(|(_, port)| port.lit == lit) {
            to_lanes(draw, (i, port), (view, layout), text);
        }
    }
}

fn wire_class(lit: bool) -> &'static str {
    if lit {
        "wire is-lit"
    } else {
        "wire"
    }
}

/// The wire of a port to its lane, and to the lane where its messages went before.
fn to_lanes(
    draw: &mut Draw,
    (index, port): (usize, &PortView),
    (view, layout): (&StageView, &Layout),
    text: StageText,
) {
    let Some(&(_, y)) = layout.ports.get(index) else { return };
    let start = (exit(port, is_twice(view, port), layout, text), y + PORT.1 / 2.0);
    let bar = layout.proxies[0].filter(|_| port.proxied);
    let to = |lane: usize| {
        let rect = layout.lanes.get(lane)?;
        let y = rect.y + layout.style.write_y;
        // Beside a line that passes by the proxy, one into the proxy ends there.
        let into = bar.filter(|_| passes_by(view, layout, lane).is_some());
        Some(into.map_or((rect.x, y), |bar| (bar.x, y + BESIDE_PX)))
    };
    let ends = [
        (port.lane.and_then(to), "l", wire_class(port.lit)),
        (port.former.and_then(to), "f", "wire is-former"),
    ];
    for (end, kind, class) in ends {
        let Some(end) = end else { continue };
        let mut inner = Draw::new();
        inner.path("line", "", wire(start, end));
        draw.group(format!("{kind}{index}"), class, (0.0, 0.0), inner);
    }
}

/// How far below a line that passes by the proxy one ends that goes into it.
const BESIDE_PX: f64 = 10.0;

/// Where the line of a 4.x producer to a lane passes by the bar of the proxies, and whether something is on
/// it.
pub fn passes_by(view: &StageView, layout: &Layout, lane: usize) -> Option<(Rect, bool)> {
    let bar = layout.proxies[0]?;
    let own = |port: &&PortView| !port.proxied && port.lane == Some(lane);
    let mut direct = view.ports.iter().filter(own).peekable();
    direct.peek()?;
    let y = layout.lanes.get(lane)?.y + layout.style.write_y;
    let lit = direct.any(|port| port.lit);
    Some((Rect { x: bar.x - 1.0, y: y - 4.0, w: bar.w + 2.0, h: 8.0 }, lit))
}

/// What the kind of a client takes over its card.
const KIND_H: f64 = 12.0;

/// All producers.
pub fn producers(draw: &mut Draw, view: &StageView, layout: &Layout, text: StageText) {
    let is_mixed = view.producers.iter().any(|p| p.grpc) && view.producers.iter().any(|p| !p.grpc);
    for (index, (producer, rect)) in view.producers.iter().zip(&layout.producers).enumerate() {
        let mut inner = Draw::new();
        // Which kind of client each is stands over its card, where there are both.
        let above = index.checked_sub(1).and_then(|last| layout.producers.get(last));
        if is_mixed && above.is_none_or(|above| rect.y - above.bottom() >= KIND_H) {
            let kind = if producer.grpc { "gRPC" } else { "4.x" };
            inner.text("kind", "tick-left end", (rect.w - 10.0, -3.0), kind);
        }
        card(&mut inner, producer, rect, (layout.wide_producers, view.now_ms), text);
        let subject = Some(Subject::Producer(producer.id));
        draw.thing(format!("p{}", producer.id.0), "producer", (rect.x, rect.y), subject, inner);
    }
}

fn card(
    draw: &mut Draw,
    producer: &ProducerView,
    rect: &Rect,
    (wide, now_ms): (bool, Ms),
    text: StageText,
) {
    let sent = text.sent(&i18n::number(i64::from(producer.sent)));
    draw.rect("frame", "producer-frame", Rect { x: 0.0, y: 0.0, ..*rect }, 10.0);
    let room = rect.w - 24.0;
    // A name that does not fit is written smaller before it is cut.
    let fits = room::width_at(&producer.name, NAME_W) <= room;
    let (class, room_of_name, letter_w) = match fits {
        true => ("card-name", room, NAME_W),
        false => ("port-key", rect.w - 14.0, KEY_W),
    };
    let name = room::cut(&producer.name, room_of_name, letter_w);
    // Beside a long name there is no room; then the count stands below it, as in narrow cards.
    let beside = wide && room::width_at(&name, letter_w) + 8.0 + room::width(&sent) <= room;
    draw.text("name", class, (if fits { 12.0 } else { 10.0 }, 24.0), name);
    let failed =
        (producer.failed > 0).then(|| text.failed(&i18n::number(i64::from(producer.failed))));
    // What a proxy refused is marked there.
    let here = producer.failed > producer.refused;
    match (beside, wide) {
        (true, _) => {
            draw.text("sent", "small end", (rect.w - 12.0, 24.0), sent);
            match failed {
                // What was not sent counts more than how.
                Some(failed) => refused(draw, (12.0, 43.0), failed, here),
                None => draw.text("mode", "small", (12.0, 43.0), mode(producer, text)),
            }
        }
        (_, _) if failed.is_some() => {
            let y = if wide { 43.0 } else { 42.0 };
            refused(draw, (12.0, y), failed.unwrap_or_default(), here);
        }
        (false, true) => draw.text("sent", "small", (12.0, 43.0), sent),
        (false, false) => draw.text("sent", "tick-left", (12.0, 42.0), sent),
    }
    let free = producer.threads.iter().position(|thread| thread.next.is_none());
    for (i, thread) in producer.threads.iter().enumerate() {
        let at = if wide { (12.0, 56.0) } else { (8.0, 54.0) };
        let mut inner = Draw::new();
        match (&thread.next, &producer.load) {
            (Some(send), _) => next(&mut inner, send, now_ms, wide, text),
            (None, Some(load)) if free == Some(i) => to_come(&mut inner, *load, wide, text),
            (None, None) if wide => {
                inner.text("none", "small", (0.0, 16.0), text.nothing_planned())
            }
            (None, _) => inner.text("none", "small", (4.0, 16.0), "–"),
        }
        draw.group(i, "", (at.0, at.1 + 28.0 * i as f64), inner);
    }
    if producer.wires.is_empty() {
        return;
    }
    let lit = producer.wires.iter().any(|(_, lit)| *lit);
    draw.circle("exit", classes("exit", &[(lit, "is-lit")]), (rect.w, rect.h / 2.0), 3.0);
}

/// How many sends failed, behind a cross where one of them failed here or at the broker.
fn refused(draw: &mut Draw, (x, y): (f64, f64), failed: String, here: bool) {
    if here {
        draw.path("cross", "refused-mark", cross(x, y));
    }
    draw.text("failed", "small refused", (if here { x + 12.0 } else { x }, y), failed);
}

/// A cross, over the line of a text.
pub fn cross(x: f64, y: f64) -> String {
    Path::at(x, y - 8.0).l(7.0, 7.0).m(x + 7.0, y - 8.0).l(-7.0, 7.0).done()
}

fn mode(producer: &ProducerView, text: StageText) -> String {
    match (producer.threads.len(), producer.mode) {
        (0 | 1, SendMode::Sync) => text.one_thread_serial().to_owned(),
        (0 | 1, SendMode::Async) => text.one_thread_async().to_owned(),
        (n, SendMode::Sync) => text.threads_serial(n),
        (n, SendMode::Async) => text.threads_async(n),
    }
}

/// What a load still sends, or when the next one begins.
fn to_come(draw: &mut Draw, load: LoadView, wide: bool, text: StageText) {
    let left = i18n::number(i64::from(load.left));
    match load.at_ms {
        Some(until_ms) if wide => {
            let (before, after) = (text.load_before(&left).into(), text.in_after().into());
            let timed = Timed { before, until_ms, after, ..Timed::default() };
            draw.timed("load", "small", (0.0, 16.0), timed);
        }
        None if wide => draw.text("load", "small", (0.0, 16.0), text.to_come(&left)),
        _ => draw.text("load", "small", (4.0, 16.0), format!("+{left}")),
    }
}

fn next(draw: &mut Draw, next: &NextSend, now_ms: Ms, wide: bool, text: StageText) {
    let look = Look {
        label: AttrValue::from(next.label.clone()),
        hue: Hue(next.hue),
        state: TokenState::Initialised,
        size: size::SMALL,
        again: false,
    };
    shape(draw, &look);
    match next.at_ms {
        Some(until_ms) if wide => {
            // Minutes leave no room for words.
            let timed = match until_ms - now_ms < 60_000 {
                true => Timed {
                    before: text.in_before().into(),
                    until_ms,
                    after: text.in_after().into(),
                    ..Timed::default()
                },
                false => Timed { until_ms, ..Timed::default() },
            };
            draw.timed("in", "small", (36.0, 16.0), timed);
        }
        Some(until_ms) => {
            draw.timed("in", "tick-left", (32.0, 15.0), Timed { until_ms, ..Timed::default() });
        }
        None if wide => draw.text("waits", "small", (36.0, 16.0), text.after_answer()),
        None => {}
    }
}

/// All ports.
pub fn ports(draw: &mut Draw, view: &StageView, layout: &Layout, text: StageText) {
    // Several producers may send a message group by different rules.
    for (index, (port, &at)) in view.ports.iter().zip(&layout.ports).enumerate() {
        let look = Look {
            label: AttrValue::from(port.letter.clone()),
            hue: Hue(port.hue),
            state: TokenState::Ready,
            size: PORT,
            again: false,
        };
        let mut inner = Draw::new();
        shape(&mut inner, &look);
        if layout.port_texts {
            let key = port_key(port, is_twice(view, port), layout, text);
            inner.text("key", "port-key", (TEXT_X, 11.0), key);
            inner.text("rule", "tick-left", (TEXT_X, 25.0), rule_text(port.rule, port, text));
        } else if !layout.narrow && has_room_below(layout, index) {
            // The key is pressed as the port is.
            let hit = Rect { x: 0.0, y: 0.0, w: PORT_KEY_W, h: PORT.1 + 14.0 };
            inner.rect("hit", "level-hit", hit, 0.0);
            let key = match is_twice(view, port) {
                true => port.senders.join(", "),
                false => key_of(port, text).to_owned(),
            };
            inner.text("key", "tick-left", (0.0, 37.0), room::cut(&key, PORT_KEY_W, RULE_W));
        }
        let subject = port.group.map(Subject::MessageGroup);
        draw.thing(format!("{}{index}", port.letter), "port", at, subject, inner);
    }
}

/// Whether the key of a port fits between it and the next one.
fn has_room_below(layout: &Layout, index: usize) -> bool {
    let y = |index: usize| layout.ports.get(index).map(|(_, y)| *y);
    y(index).zip(y(index + 1)).is_none_or(|(own, next)| next - own >= PORT.1 + 14.0)
}

/// What the key of a port has of the width below it.
const PORT_KEY_W: f64 = 74.0;

/// The key of a port, as much of it as there is room for.
fn port_key(port: &PortView, is_twice: bool, layout: &Layout, text: StageText) -> String {
    let port_x = layout.ports.first().map_or(0.0, |(x, _)| *x);
    let room = last_exit(layout) - 4.0 - port_x - TEXT_X;
    room::cut(&whole_key(port, is_twice, text), room, KEY_W)
}

/// The key of a port; of two ways of one message group each says whose it is.
pub fn whole_key(port: &PortView, is_twice: bool, text: StageText) -> String {
    let key = key_of(port, text);
    match is_twice {
        true => format!("{}: {key}", port.senders.join(", ")),
        false => key.to_owned(),
    }
}

/// Whether a message group is sent by others in another way.
pub fn is_twice(view: &StageView, port: &PortView) -> bool {
    view.ports.iter().any(|other| other.letter == port.letter && other.senders != port.senders)
}

/// What the messages of a port have in common.
fn key_of(port: &PortView, text: StageText) -> &str {
    if port.key.is_empty() {
        text.no_group()
    } else {
        &port.key
    }
}

/// How the queue is chosen, in figures: `…869 mod 4 = 1`.
pub fn rule_text(rule: Rule, port: &PortView, text: StageText) -> String {
    let queue = port.index.map_or_else(|| "–".to_owned(), |index| index.to_string());
    match rule {
        Rule::Remainder { of, n } => format!("{} mod {n} = {queue}", tail(of)),
        Rule::Consistent { of, n } => text.consistent(&tail(of), n, &queue),
        Rule::RoundRobin => text.round_robin().to_owned(),
        Rule::Fixed => text.fixed(&queue),
    }
}

/// The last three digits of a number.
fn tail(value: i64) -> String {
    let digits = value.unsigned_abs();
    let sign = if value < 0 { "\u{2212}" } else { "" };
    if digits < 1_000 {
        format!("{sign}{digits}")
    } else {
        format!("{sign}…{:03}", digits % 1_000)
    }
}
