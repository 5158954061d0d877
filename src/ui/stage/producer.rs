//! Producers, ports and the wires between them and the lanes.

use lockstep_core::command::SendMode;
use lockstep_core::view::stage::{LoadView, NextSend, PortView, ProducerView, Rule, StageView};
use lockstep_core::view::Subject;
use yew::AttrValue;

use super::layout::{Layout, Rect};
use super::svg::wire;
use crate::i18n;
use crate::i18n::stage::StageText;
use crate::ui::draw::{classes, Draw, Timed};
use crate::ui::token::{shape, size, Hue, Look, TokenState};

/// Size of a port's token.
pub const PORT: (f64, f64) = (30.0, 26.0);

/// Wires from producers to ports and from ports to lanes; the lit ones last, so that they lie on
/// top.
pub fn wires(draw: &mut Draw, view: &StageView, layout: &Layout) {
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
            to_lanes(draw, i, port, layout);
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
fn to_lanes(draw: &mut Draw, index: usize, port: &PortView, layout: &Layout) {
    let Some(&(_, y)) = layout.ports.get(index) else { return };
    let start = (layout.port_exit, y + PORT.1 / 2.0);
    let to = |lane: usize| layout.lanes.get(lane).map(|r| (r.x, r.y + layout.style.write_y));
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

/// All producers.
pub fn producers(draw: &mut Draw, view: &StageView, layout: &Layout, text: StageText) {
    for (producer, rect) in view.producers.iter().zip(&layout.producers) {
        let mut inner = Draw::new();
        card(&mut inner, producer, rect, layout.wide_producers, text);
        let subject = Some(Subject::Producer(producer.id));
        draw.thing(format!("p{}", producer.id.0), "producer", (rect.x, rect.y), subject, inner);
    }
}

fn card(draw: &mut Draw, producer: &ProducerView, rect: &Rect, wide: bool, text: StageText) {
    let sent = text.sent(&i18n::number(i64::from(producer.sent)));
    draw.rect("frame", "producer-frame", Rect { x: 0.0, y: 0.0, ..*rect }, 10.0);
    draw.text("name", "card-name", (12.0, 24.0), producer.name.to_string());
    if wide {
        draw.text("sent", "small end", (rect.w - 12.0, 24.0), sent);
        draw.text("mode", "small", (12.0, 43.0), mode(producer, text));
    } else {
        draw.text("sent", "tick-left", (12.0, 42.0), sent);
    }
    let free = producer.threads.iter().position(|thread| thread.next.is_none());
    for (i, thread) in producer.threads.iter().enumerate() {
        let at = if wide { (12.0, 56.0) } else { (8.0, 54.0) };
        let mut inner = Draw::new();
        match (&thread.next, &producer.load) {
            (Some(send), _) => next(&mut inner, send, wide, text),
            (None, Some(load)) if free == Some(i) => to_come(&mut inner, *load, wide, text),
            (None, None) if wide => {
                inner.text("none", "small", (0.0, 16.0), text.nothing_planned())
            }
            (None, _) => inner.text("none", "small", (4.0, 16.0), "–"),
        }
        draw.group(i, "", (at.0, at.1 + 28.0 * i as f64), inner);
    }
    let lit = producer.wires.iter().any(|(_, lit)| *lit);
    draw.circle("exit", classes("exit", &[(lit, "is-lit")]), (rect.w, rect.h / 2.0), 3.0);
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

fn next(draw: &mut Draw, next: &NextSend, wide: bool, text: StageText) {
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
            let (before, after) = (text.in_before().into(), text.in_after().into());
            draw.timed(
                "in",
                "small",
                (36.0, 16.0),
                Timed { before, until_ms, after, ..Timed::default() },
            );
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
    for (port, &at) in view.ports.iter().zip(&layout.ports) {
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
            inner.text("key", "port-key", (38.0, 11.0), port_key(port, text));
            inner.text("rule", "tick-left", (38.0, 25.0), rule_text(port.rule, port, text));
        }
        let subject = port.group.map(Subject::MessageGroup);
        draw.thing(&*port.letter, "port", at, subject, inner);
    }
}

fn port_key(port: &PortView, text: StageText) -> String {
    if port.key.is_empty() {
        text.no_group().to_owned()
    } else {
        port.key.to_string()
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
