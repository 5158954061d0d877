//! The order strips: one card for each message group, broken ones first.

use std::rc::Rc;

use lockstep_core::ids::{GroupId, MessageGroupId, TopicId};
use lockstep_core::view::order::{Cell, GroupStrips, Options, Order, OrderView, Overtaken, Strip};
use lockstep_core::view::Subject;
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

use super::calm::{use_calm, use_width};
use super::views::{is_two, table, TableCell};
use crate::app::frame::Frame;
use crate::app::msg::{Msg, Tab};
use crate::i18n::views::{OrderText, ViewsText};
use crate::i18n::{clock, number};
use crate::ui::icon::{broken_mark, sized, Icon};
use crate::ui::stage::svg::subject_of;
use crate::ui::token::{Hue, Look, Token, TokenState};

mod draw;

/// Most groups in the page.
const MAX_GROUPS: usize = 12;

/// Properties of [`OrderTab`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// Where requests go.
    pub on: Callback<Msg>,
}

/// What was projected, and for what.
struct Shown {
    of: (u64, usize),
    view: Rc<OrderView>,
}

/// What the cards need.
struct Desk<'a> {
    frame: &'a Frame,
    on: &'a Callback<Msg>,
    texts: OrderText,
    width: u32,
    tables: &'a UseStateHandle<Vec<(TopicId, MessageGroupId)>>,
}

/// The order strips.
#[component]
pub fn OrderTab(props: &Props) -> Html {
    let frame = use_calm(&props.frame);
    let node = use_node_ref();
    let width = use_width(&node);
    let data = use_mut_ref(Order::default);
    let shown = use_mut_ref(|| None::<Shown>);
    let tables = use_state(Vec::new);
    let texts = OrderText(frame.locale);
    let of = (frame.revision, draw::messages(card_width(width, false)));
    let mut shown = shown.borrow_mut();
    let shown = match shown.take() {
        Some(last) if last.of == of => shown.insert(last),
        _ => {
            shown.insert(Shown { of, view: Rc::new(project(&frame, of.1, &mut data.borrow_mut())) })
        }
    };
    let view = shown.view.clone();
    let desk = Desk { frame: &frame, on: &props.on, texts, width, tables: &tables };
    html! {<>
        <p key="hint" class="small muted view-hint">{ texts.hint() }</p>
        <p key="nothing" class="muted" hidden={!view.groups.is_empty() || width == 0}>{ texts.nothing() }</p>
        <div key="grid" class={classes!("view-grid", "is-order", is_two(width).then_some("is-two"))} ref={node}>
            { for view.groups.iter().map(|group| card(&desk, group)) }
        </div>
        <p key="hidden" class="small muted" hidden={view.hidden == 0}>{ texts.hidden(&number(view.hidden as i64)) }</p>
    </>}
}

/// Width of a card, in pixels. Broken groups take the whole width.
fn card_width(width: u32, broken: bool) -> u32 {
    if is_two(width) && !broken {
        (width - 14) / 2
    } else {
        width
    }
}

fn project(frame: &Frame, messages: usize, data: &mut Order) -> OrderView {
    if messages == 0 {
        return OrderView::default();
    }
    let core = frame.core.read();
    let world = core.session.world();
    let Some(group) = frame.stage.group.as_ref().map(|group| GroupId(group.index as u16)) else {
        return OrderView::default();
    };
    data.update(core.session.facts(), frame.generation, world, group);
    let (selected, first) = match frame.selection {
        Some(Subject::Message(msg)) => (Some(msg), None),
        Some(Subject::MessageGroup(series)) => (None, Some(series)),
        _ => (None, None),
    };
    let violations = &frame.violations;
    data.view(world, group, &Options { groups: MAX_GROUPS, messages, selected, first, violations })
}

fn card(desk: &Desk<'_>, group: &GroupStrips) -> Html {
    let Desk { frame, texts, tables, .. } = desk;
    let words = ViewsText(frame.locale);
    let of = (group.topic, group.series);
    let as_table = tables.contains(&of);
    let toggle = {
        let tables = (*tables).clone();
        Callback::from(move |_: MouseEvent| {
            let mut next = (*tables).clone();
            match next.iter().position(|other| *other == of) {
                Some(place) => drop(next.remove(place)),
                None => next.push(of),
            }
            tables.set(next);
        })
    };
    let heading = match &group.topic_name {
        Some(topic) => format!("{} · {topic}", group.key),
        None => group.key.to_string(),
    };
    let title = format!("{} {heading}", group.letter);
    let name = if as_table { words.chart_of(&title) } else { words.table_of(&title) };
    let look = Look {
        label: AttrValue::from(&*group.letter),
        hue: Hue(group.hue),
        state: TokenState::Ready,
        size: (30.0, 25.0),
        again: false,
    };
    html! {
        <section key={format!("{}-{}", of.0.0, of.1.0)} class={classes!("view-card", "order-card", group.broken.then_some("is-broken"))} aria-label={title.clone()}>
            <header>
                <Token {look} />
                <h3>{ heading }</h3>
                { verdict(group.broken, *texts) }
                <button class="link small" aria-label={name} aria-pressed={as_table.to_string()} onclick={toggle}>
                    { if as_table { words.as_chart() } else { words.as_table() } }
                </button>
            </header>
            <p class="small muted">{ facts(group, *texts) }</p>
            { if as_table { as_rows(desk, group) } else { strips(desk, group) } }
            <ul class="order-rows" hidden={group.overtaken.is_empty()}>
                { for group.overtaken.iter().enumerate().map(|(place, row)| overtaken(desk, place, row)) }
            </ul>
        </section>
    }
}

fn verdict(broken: bool, texts: OrderText) -> Html {
    match broken {
        true => {
            html! { <span class="chip broken">{ sized(Icon::Broken, 14) }{ texts.broken() }</span> }
        }
        false => html! { <span class="chip">{ sized(Icon::Check, 14) }{ texts.kept() }</span> },
    }
}

/// How many messages, which failed most, how many came again, what lies outside the window.
fn facts(group: &GroupStrips, texts: OrderText) -> String {
    let count = |n: usize| number(n as i64);
    let mut parts = vec![texts.messages(&count(group.messages))];
    if let Some((name, failures)) = &group.failed {
        parts.push(texts.attempts(&name.label, *failures));
    }
    if group.twice > 0 {
        parts.push(texts.repeated(group.twice));
    }
    if group.before > 0 {
        parts.push(texts.earlier(&count(group.before)));
    }
    if group.after > 0 {
        parts.push(texts.later(&count(group.after)));
    }
    parts.join(" · ")
}

/// The drawing. A click on a message selects it and goes to its instant.
fn strips(desk: &Desk<'_>, group: &GroupStrips) -> Html {
    let drawn = draw::strips(desk.frame, group, card_width(desk.width, group.broken));
    let hit = |event: &Event| -> Option<Element> {
        let target = event.target()?.dyn_into::<Element>().ok()?;
        target.closest(".order-cell").ok().flatten()
    };
    let onclick = {
        let on = desk.on.clone();
        Callback::from(move |event: MouseEvent| {
            let Some(cell) = hit(&event) else { return };
            let subject = cell.get_attribute("data-subject").and_then(|id| subject_of(&id));
            if let Some(event) = cell.get_attribute("data-event").and_then(|e| e.parse().ok()) {
                on.emit(Msg::SeekEvent(event));
            }
            on.emit(Msg::Select(subject));
        })
    };
    let hover = {
        let on = desk.on.clone();
        Callback::from(move |event: PointerEvent| {
            let id = hit(&event).and_then(|cell| cell.get_attribute("data-subject"));
            on.emit(Msg::Hover(id.and_then(|id| subject_of(&id))));
        })
    };
    let leave = {
        let on = desk.on.clone();
        Callback::from(move |_: PointerEvent| on.emit(Msg::Hover(None)))
    };
    let alt = desk.texts.alt(&group.letter, &number(group.messages as i64));
    let (width, height) = drawn.size;
    html! {
        <div class="order-box" role="group" tabindex="0" aria-label={alt.clone()}>
            <svg class="order-svg" role="img" aria-label={alt} width={width.to_string()} height={height.to_string()}
                viewBox={format!("0 0 {width} {height}")} {onclick} onpointerover={hover} onpointerleave={leave}>
                { drawn.shapes }
            </svg>
        </div>
    }
}

/// The same as a table: a row for each message, a column for each strip.
fn as_rows(desk: &Desk<'_>, group: &GroupStrips) -> Html {
    let texts = desk.texts;
    let names = Strip::ALL.map(|strip| strip_name(strip, texts).to_owned());
    let head = std::iter::once(texts.message().to_owned()).chain(names).collect();
    let mut messages: Vec<&Cell> = Vec::new();
    for cell in group.strips.iter().flatten() {
        if !messages.iter().any(|known| known.name.msg == cell.name.msg) {
            messages.push(cell);
        }
    }
    let rows = messages.into_iter().map(|message| {
        let cells = group.strips.iter().map(|strip| {
            let found: Vec<&Cell> =
                strip.iter().filter(|cell| cell.name.msg == message.name.msg).collect();
            // With several, the last one is gone to; all are listed.
            let Some(last) = found.last() else { return texts.not_yet().to_owned().into() };
            let label = found.iter().map(|cell| said(cell, texts)).collect::<Vec<_>>().join(", ");
            let (on, event, msg) = (desk.on.clone(), last.event, last.name.msg);
            let go = Callback::from(move |_| {
                on.emit(Msg::SeekEvent(event));
                on.emit(Msg::Select(Some(Subject::Message(msg))));
            });
            TableCell::Press(label, go)
        });
        std::iter::once(message.name.label.to_string().into()).chain(cells).collect()
    });
    table(&ViewsText(desk.frame.locale).table_of(&group.key), head, rows.collect())
}

fn said(cell: &Cell, texts: OrderText) -> String {
    let again = if cell.nth > 0 { format!(" ({})", texts.again()) } else { String::new() };
    let dead = if cell.dead { format!(" ({})", texts.dead()) } else { String::new() };
    format!("{} {}{again}{dead}", cell.place, clock(cell.at_ms))
}

fn strip_name(strip: Strip, texts: OrderText) -> &'static str {
    match strip {
        Strip::Sent => texts.sent(),
        Strip::Stored => texts.stored(),
        Strip::Delivered => texts.delivered(),
        Strip::Handled => texts.handled(),
        Strip::Acknowledged => texts.acknowledged(),
    }
}

fn strip_note(strip: Strip, texts: OrderText) -> &'static str {
    match strip {
        Strip::Sent => texts.sent_note(),
        Strip::Stored => texts.stored_note(),
        Strip::Delivered => texts.delivered_note(),
        Strip::Handled => texts.handled_note(),
        Strip::Acknowledged => texts.acknowledged_note(),
    }
}

/// Who overtook whom, when, and a way to the reason.
fn overtaken(desk: &Desk<'_>, place: usize, row: &Overtaken) -> Html {
    let Desk { texts, on, frame, .. } = desk;
    let (later, earlier) = (&*row.later.name.label, &*row.earlier.name.label);
    let sentence = match (row.broken, row.crosses, row.strip) {
        (true, true, _) => texts.overtook(later, earlier),
        (true, false, _) => texts.too_early(later, earlier),
        (false, _, Strip::Sent | Strip::Stored) => texts.stored_first(later, earlier),
        (false, _, Strip::Acknowledged) => texts.counted_first(later, earlier),
        (false, ..) => texts.handled_first(later, earlier),
    };
    let go = |cell: &Cell| {
        let (on, event) = (Callback::clone(on), cell.event);
        let onclick = Callback::from(move |_: MouseEvent| on.emit(Msg::SeekEvent(event)));
        let text = texts.on(&cell.name.label, &cell.place, &clock(cell.at_ms));
        html! { <button class="link small" {onclick}>{ text }</button> }
    };
    let why = {
        let (on, msg) = ((*on).clone(), row.earlier.name.msg);
        Callback::from(move |_: MouseEvent| {
            on.emit(Msg::Select(Some(Subject::Message(msg))));
            on.emit(Msg::OpenTab(Tab::Why));
        })
    };
    let mark = if row.broken { broken_mark(18) } else { sized(Icon::Branch, 16) };
    html! {
        <li key={place}>
            <span class="order-mark">{ mark }</span>
            <span class="order-sentence">{ sentence }</span>
            <span class="order-places">{ go(&row.later) }{ go(&row.earlier) }</span>
            <button class="button small" onclick={why}>{ ViewsText(frame.locale).why() }</button>
        </li>
    }
}
