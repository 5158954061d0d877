//! The component [`Stage`].

use std::cell::RefCell;
use std::rc::Rc;

use lockstep_core::view::stage::{LaneView, LockView, Place, StageView, TokenView};
use lockstep_core::view::Subject;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::JsCast;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

use super::consumer::{cards, row_rect};
use super::gate::gate;
use super::lane::{is_compact, Columns, Lane};
use super::layout::{Density, Layout, Rect};
use super::legend::Legend;
use super::motion::{Motion, Target};
use super::narration::Narration;
use super::phone::PhoneLane;
use super::route::{Point, Routes};
use super::svg::{num, subject_id, subject_of};
use super::tokens::{tokens, Marks};
use super::twin::Twin;
use super::{producer, shelf, strips};
use crate::app::frame::Frame;
use crate::app::msg::{Msg, Tab};
use crate::app::paint::use_painter;
use crate::app::settings::prefers;
use crate::i18n::stage::StageText;

/// Properties of [`Stage`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// Where requests go.
    pub on: Callback<Msg>,
}

/// A jump in time by more than this many ms puts tokens in place instead of moving them.
const JUMP_MS: i64 = 5_000;

/// The stage.
#[component]
pub fn Stage(props: &Props) -> Html {
    let Props { frame, on } = props;
    let host = use_node_ref();
    use_size(&host, on);
    let (width, height) = (f64::from(frame.size.0), f64::from(frame.size.1));
    let layout = Rc::new(Layout::new(&frame.stage, width, height));
    use_motion(frame, &layout);
    let text = StageText(frame.locale);
    let select = use_callback(on.clone(), |event: MouseEvent, on| {
        let subject = subject_at(&event);
        on.emit(Msg::Select(subject));
        if subject.is_some() {
            on.emit(Msg::OpenTab(Tab::Why));
        }
    });
    let hover =
        use_callback(on.clone(), |event: PointerEvent, on| on.emit(Msg::Hover(subject_at(&event))));
    let leave = use_callback(on.clone(), |_: PointerEvent, on| on.emit(Msg::Hover(None)));
    let class = classes!(
        "stage",
        (layout.density == Density::Phone).then_some("is-phone"),
        (layout.density == Density::Strips).then_some("is-strips"),
        (!frame.playing).then_some("is-paused"),
    );
    html! {
        <div {class}>
            <div class="stage-scroll" key="drawing" ref={host}>
                <svg class="stage-svg" width={num(layout.width)} height={num(layout.height)}
                    viewBox={format!("0 0 {} {}", num(layout.width), num(layout.height))}
                    role="img" aria-label={text.picture()} onclick={select} onpointerover={hover} onpointerleave={leave}>
                    { drawing(frame, &layout, text) }
                </svg>
            </div>
            <Twin key="twin" view={frame.stage.clone()} locale={frame.locale} on={on.clone()} />
            <Legend key="legend" locale={frame.locale} />
            <Narration key="narration" frame={frame.clone()} on={on.clone()} />
        </div>
    }
}

fn drawing(frame: &Rc<Frame>, layout: &Rc<Layout>, text: StageText) -> Html {
    let view = &frame.stage;
    if layout.density == Density::Strips {
        return html! {<>
            <g key="strips">{ strips::strips(view, layout, text) }</g>
            <g key="ghosts" id="ghosts"></g>
            <g key="tokens">{ all_tokens(frame, layout) }</g>
        </>};
    }
    let phone = layout.density == Density::Phone;
    html! {<>
        <g key="headings">{ if layout.narrow { Html::default() } else { headings(view, layout, text) } }</g>
        <g key="wires">{ producer::wires(view, layout) }</g>
        <g key="lanes">{ lanes(frame, layout) }</g>
        <g key="gates">{ if phone { Html::default() } else { gates(view, layout, text) } }</g>
        <g key="consumers">{ if phone { Html::default() } else { cards(view, layout, text) } }</g>
        <g key="producers">{ producer::producers(view, layout, text) }</g>
        <g key="ports">{ producer::ports(view, layout, text) }</g>
        <g key="folded">{ shelf::folded(view, layout, text) }</g>
        <g key="shelf">{ shelf::shelf(view, layout, text) }</g>
        <g key="tray">{ shelf::tray(view, layout, text) }</g>
        <g key="ghosts" id="ghosts"></g>
        <g key="tokens">{ all_tokens(frame, layout) }</g>
    </>}
}

fn headings(view: &StageView, layout: &Layout, text: StageText) -> Html {
    let heading = |key: &'static str, x: f64, name: &'static str, note: String| {
        html! {
            <text class="heading" {key} x={num(x)} y="28">
                <tspan key="name">{ name }</tspan>
                <tspan key="note" class="heading-note" dx="8">{ note }</tspan>
            </text>
        }
    };
    let lane_x = layout.lanes.first().map_or(layout.port_exit + 50.0, |r| r.x);
    let topic = view.topic.as_ref().map(|topic| {
        format!(
            "{} · {} · {}",
            topic.name,
            shelf::kind_name(topic.kind),
            text.queues(topic.write_queues)
        )
    });
    let group = view.group.as_ref().map(|group| text.group(&group.name, group.listener));
    let port_x = layout.ports.first().map(|p| p.0);
    html! {<>
        if !view.producers.is_empty() { { heading("producers", super::layout::GUTTER, text.producers(), String::new()) } }
        if let Some(x) = port_x.filter(|_| layout.port_texts) { { heading("routing", x, text.routing(), text.rule(view)) } }
        { heading("broker", lane_x, text.broker(), topic.unwrap_or_default()) }
        <text class="heading middle" key="lock" x={num(layout.gate_x)} y="28">{ text.lock() }</text>
        { heading("consumers", layout.cards.x, text.consumers(), group.unwrap_or_default()) }
    </>}
}

fn lanes(frame: &Rc<Frame>, layout: &Layout) -> Html {
    let compact = is_compact(layout.density);
    let lane = |(lane, rect): (&LaneView, &Rect)| {
        let selected = frame.selection == Some(Subject::Queue(lane.queue));
        let key = subject_id(Subject::Queue(lane.queue));
        let columns = Columns::of(lane, &layout.style);
        let (lane, rect, style, locale) = (lane.clone(), *rect, layout.style, frame.locale);
        if layout.density == Density::Phone {
            return html! { <PhoneLane {key} {lane} {rect} {style} {columns} {selected} {locale} consumers={frame.stage.consumers.clone()} /> };
        }
        html! { <Lane {key} {lane} {rect} {style} {columns} {compact} {selected} {locale} /> }
    };
    frame.stage.lanes.iter().zip(&layout.lanes).map(lane).collect()
}

fn gates(view: &StageView, layout: &Layout, text: StageText) -> Html {
    let owner = |lane: &LaneView| match &lane.lock {
        LockView::Held { owner, .. } => Some(*owner),
        _ => None,
    };
    let gate = |(i, (lane, rect)): (usize, (&LaneView, &Rect))| {
        let before = i.checked_sub(1).and_then(|i| view.lanes.get(i)).and_then(owner);
        let id = subject_id(Subject::Queue(lane.queue));
        let named = before != owner(lane);
        html! { <g key={i} data-subject={id}>{ gate(lane, rect, layout, named, text) }</g> }
    };
    view.lanes.iter().zip(&layout.lanes).enumerate().map(gate).collect()
}

fn all_tokens(frame: &Rc<Frame>, layout: &Layout) -> Html {
    let view = &frame.stage;
    let levels = layout.shelf.map(|rect| shelf::columns(&view.shelf, &rect)).unwrap_or_default();
    let row = |lane, client| row_rect(layout, view, lane, client);
    let routes = Routes { view, layout, row: &row, levels: &levels };
    let size = |token: &TokenView| routes.size(&token.place);
    let broken = frame.broken_pair();
    let marks = |token: &TokenView| {
        let subject = Some(Subject::Message(token.name.msg));
        Marks {
            selected: frame.selection == subject,
            hovered: frame.hover == subject,
            broken: broken.contains(&Some(token.name.msg)),
            under_way: matches!(token.place, Place::Wire { .. }),
        }
    };
    tokens(view, &|token| routes.rest(&token.place).is_some(), &size, &marks)
}

/// The subject under the pointer: the nearest element that names one.
fn subject_at(event: &Event) -> Option<Subject> {
    let target: Element = event.target()?.dyn_into().ok()?;
    let element = target.closest("[data-subject]").ok()??;
    subject_of(&element.get_attribute("data-subject")?)
}

/// Tells the app the size of the stage's drawing, now and whenever it changes.
#[hook]
fn use_size(host: &NodeRef, on: &Callback<Msg>) {
    let on = on.clone();
    use_effect_with(host.clone(), move |host| {
        let element = host.cast::<Element>();
        let report = move |element: &Element| {
            let (width, height) = (element.client_width(), element.client_height());
            on.emit(Msg::Resized(width.max(0) as u32, height.max(0) as u32));
        };
        let watched = element.clone();
        let changed = Closure::<dyn FnMut()>::new(move || {
            if let Some(element) = &watched {
                report(element);
            }
        });
        let observer = ResizeObserver::new(changed.as_ref().unchecked_ref()).ok();
        if let (Some(observer), Some(element)) = (&observer, &element) {
            observer.observe(element);
        }
        move || {
            if let Some(observer) = observer {
                observer.disconnect();
            }
            drop(changed);
        }
    });
}

/// Aims tokens after each rendering and moves them in each animation frame.
#[hook]
fn use_motion(frame: &Rc<Frame>, layout: &Rc<Layout>) {
    let painter = use_painter();
    let waker = painter.clone();
    let motion = use_memo((), |()| RefCell::new(Motion::default()));
    let last = use_mut_ref(|| (0_i64, 0_u32, (0_u32, 0_u32)));
    {
        let motion = motion.clone();
        use_effect_with((), move |()| {
            let handle = painter.add(move |at| motion.borrow_mut().paint(at));
            move || drop(handle)
        });
    }
    let (frame, layout) = (frame.clone(), layout.clone());
    use_effect_with(frame.revision, move |_| {
        let Some(document) = web_sys::window().and_then(|w| w.document()) else { return };
        let (time, run, size) = *last.borrow();
        let still = run != frame.generation
            || size != frame.size
            || (frame.now_ms - time).abs() > JUMP_MS
            || prefers("(prefers-reduced-motion: reduce)");
        *last.borrow_mut() = (frame.now_ms, frame.generation, frame.size);
        let targets = targets(&frame, &layout, &motion.borrow());
        motion.borrow_mut().retarget(&document, targets, still, frame.speed);
        waker.renew();
        waker.wake();
    });
}

fn targets(frame: &Frame, layout: &Layout, motion: &Motion) -> Vec<Target> {
    let view = &*frame.stage;
    let levels = layout.shelf.map(|rect| shelf::columns(&view.shelf, &rect)).unwrap_or_default();
    let row = |lane, client| row_rect(layout, view, lane, client);
    let routes = Routes { view, layout, row: &row, levels: &levels };
    let target = |token: &TokenView| {
        let key = (token.name.msg, token.copy);
        let way = match motion.place(key) {
            Some(from) => routes.between(&from, &token.place),
            None => entry(&routes, token),
        };
        Some(Target {
            key,
            place: token.place,
            rest: routes.rest(&token.place)?,
            size: routes.size(&token.place),
            way,
        })
    };
    view.tokens.iter().filter_map(target).collect()
}

/// The way of a token that is new: from its producer, as far as it has come.
fn entry(routes: &Routes<'_>, token: &TokenView) -> Vec<Point> {
    match token.place {
        Place::Wire { port, .. } => routes.entry(token.producer, port),
        Place::Slot { lane, .. } => {
            let series = routes.view.ports.iter().position(|port| {
                port.hue == token.name.hue && token.name.label.starts_with(&*port.letter)
            });
            let mut way = routes.entry(token.producer, series);
            way.extend(
                routes
                    .between(&Place::Wire { port: series, lane: Some(lane), nth: 0 }, &token.place),
            );
            way
        }
        Place::Shelf { .. } => {
            let mut way = routes.entry(token.producer, None);
            way.truncate(1);
            way
        }
        _ => Vec::new(),
    }
}
