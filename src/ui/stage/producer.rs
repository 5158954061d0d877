//! Producers, ports and the wires between them and the lanes.

use lockstep_core::command::SendMode;
use lockstep_core::view::stage::{PortView, ProducerView, Rule, StageView, ThreadView};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::layout::{Layout, Rect};
use super::svg::{num, subject_id, translate, wire};
use crate::i18n;
use crate::i18n::stage::StageText;
use crate::ui::token::{shape, size, Hue, Look, TokenState};

/// Size of a port's token.
pub const PORT: (f64, f64) = (30.0, 26.0);

/// Wires from producers to ports and from ports to lanes; the lit ones last, so that they lie on
/// top.
pub fn wires(view: &StageView, layout: &Layout) -> Html {
    let mut quiet = Vec::new();
    let mut lit = Vec::new();
    for (p, producer) in view.producers.iter().enumerate() {
        let Some(rect) = layout.producers.get(p) else { continue };
        for &(port, on) in &producer.wires {
            let Some(&(x, y)) = layout.ports.get(port) else { continue };
            let end = (x - 6.0, y + PORT.1 / 2.0);
            let d = wire((rect.right(), rect.middle()), end);
            let list = if on { &mut lit } else { &mut quiet };
            list.push((format!("p{p}.{port}"), d, Some(end), None));
        }
    }
    for (index, port) in view.ports.iter().enumerate() {
        let Some(&(_, y)) = layout.ports.get(index) else { continue };
        let start = (layout.port_exit, y + PORT.1 / 2.0);
        let to = |lane: usize| layout.lanes.get(lane).map(|r| (r.x, r.y + layout.style.write_y));
        if let Some(end) = port.lane.and_then(to) {
            let list = if port.lit { &mut lit } else { &mut quiet };
            list.push((format!("l{index}"), wire(start, end), None, None));
        }
        if let Some(end) = port.former.and_then(to) {
            quiet.push((format!("f{index}"), wire(start, end), None, Some("is-former")));
        }
    }
    let draw = |on: bool| {
        move |(key, d, end, class): (String, String, Option<(f64, f64)>, Option<&'static str>)| {
            html! {
                <g {key} class={classes!("wire", on.then_some("is-lit"), class)}>
                    <path {d} />
                    if let Some((x, y)) = end { <circle cx={num(x)} cy={num(y)} r="2.5" /> }
                </g>
            }
        }
    };
    quiet.into_iter().map(draw(false)).chain(lit.into_iter().map(draw(true))).collect()
}

/// All producers.
pub fn producers(view: &StageView, layout: &Layout, text: StageText) -> Html {
    view.producers
        .iter()
        .zip(&layout.producers)
        .map(|(producer, rect)| card(producer, rect, layout.wide_producers, text))
        .collect()
}

fn card(producer: &ProducerView, rect: &Rect, wide: bool, text: StageText) -> Html {
    let lit = producer.wires.iter().any(|(_, lit)| *lit);
    let sent = text.sent(&i18n::number(i64::from(producer.sent)));
    let threads = producer.threads.iter().enumerate().map(|(i, thread)| {
        let y = if wide { 56.0 } else { 54.0 } + 28.0 * i as f64;
        html! { <g key={i} transform={translate(if wide { 12.0 } else { 8.0 }, y)}>{ next(thread, wide, text) }</g> }
    });
    html! {
        <g key={format!("p{}", producer.id.0)} class="producer" transform={translate(rect.x, rect.y)}
            data-subject={subject_id(Subject::Producer(producer.id))}>
            <rect class="producer-frame" key="frame" width={num(rect.w)} height={num(rect.h)} rx="10" />
            <text class="card-name" key="name" x="12" y="24">{ producer.name.to_string() }</text>
            if wide {
                <text class="small end" key="sent" x={num(rect.w - 12.0)} y="24">{ sent }</text>
                <text class="small" key="mode" x="12" y="43">{ mode(producer, text) }</text>
            } else {
                <text class="tick-left" key="sent" x="12" y="42">{ sent }</text>
            }
            <g key="threads">{ for threads }</g>
            <circle key="exit" class={classes!("exit", lit.then_some("is-lit"))} cx={num(rect.w)} cy={num(rect.h / 2.0)} r="3" />
        </g>
    }
}

fn mode(producer: &ProducerView, text: StageText) -> String {
    match (producer.threads.len(), producer.mode) {
        (0 | 1, SendMode::Sync) => text.one_thread_serial().to_owned(),
        (0 | 1, SendMode::Async) => text.one_thread_async().to_owned(),
        (n, SendMode::Sync) => text.threads_serial(n),
        (n, SendMode::Async) => text.threads_async(n),
    }
}

fn next(thread: &ThreadView, wide: bool, text: StageText) -> Html {
    let Some(next) = &thread.next else {
        let words = if wide { text.nothing_planned() } else { "–" };
        return html! { <text class="small" x={if wide { "0" } else { "4" }} y="16">{ words }</text> };
    };
    let look = Look {
        label: AttrValue::from(next.label.clone()),
        hue: Hue(next.hue),
        state: TokenState::Initialised,
        size: size::SMALL,
        again: false,
    };
    html! {<>
        { shape(&look) }
        if wide {
            <text class="small" x="36" y="16">
                {
                    match next.at_ms {
                        Some(at) => super::consumer::timed(text.in_before(), at, text.in_after()),
                        None => html! { <tspan key="waits">{ text.after_answer() }</tspan> },
                    }
                }
            </text>
        } else if let Some(at) = next.at_ms {
            <text class="tick-left" x="32" y="15" data-left={at.to_string()}></text>
        }
    </>}
}

/// All ports.
pub fn ports(view: &StageView, layout: &Layout, text: StageText) -> Html {
    view.ports
        .iter()
        .zip(&layout.ports)
        .map(|(port, &(x, y))| {
            let subject = port.group.map(|g| subject_id(Subject::MessageGroup(g)));
            let look = Look {
                label: AttrValue::from(port.letter.clone()),
                hue: Hue(port.hue),
                state: TokenState::Ready,
                size: PORT,
                again: false,
            };
            html! {
                <g key={port.letter.to_string()} class="port" transform={translate(x, y)} data-subject={subject}>
                    { shape(&look) }
                    if layout.port_texts {
                        <text class="port-key" x="38" y="11">{ port_key(port, text) }</text>
                        <text class="tick-left" x="38" y="25">{ rule_text(port.rule, port, text) }</text>
                    }
                </g>
            }
        })
        .collect()
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
    let queue = port.lane.map_or_else(|| "–".to_owned(), |lane| lane.to_string());
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
