//! The component [`Stage`].

use std::cell::RefCell;
use std::rc::Rc;

use lockstep_core::ids::MsgId;
use lockstep_core::view::stage::{LaneView, LockView, Place, TokenView};
use lockstep_core::view::Subject;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::JsCast;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

use super::arrows::{moved, Arrow};
use super::consumer::{cards, row_rect};
use super::gate::gate;
use super::groups::{choice, others};
use super::headings::{brokers, headings};
use super::lane::{is_compact, Columns, Lane};
use super::layout::{Density, Layout};
use super::legend::{self, Legend};
use super::motion::Motion;
use super::narration::Narration;
use super::parting::{use_concern_in_view, use_parting_in_view};
use super::rests::{Carrier, Nodes, Rest, Rests};
use super::route::{Point, Routes};
use super::shows::Shows;
use super::svg::{num, subject_id, subject_of};
use super::tokens::{Carried, Marks};
use super::twin::Twin;
use super::{grpc, phone, producer, shelf, strips, tokens};
use crate::app::frame::Frame;
use crate::app::msg::{Msg, Tab};
use crate::app::paint::use_painter;
use crate::app::settings::prefers;
use crate::i18n::stage::StageText;
use crate::ui::draw::{classes, Draw};
use crate::ui::hands;
use crate::ui::light::rules;

/// Properties of [`Stage`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// What to tell in words; it may be older while the run plays.
    pub calm: Rc<Frame>,
    /// Where requests go.
    pub on: Callback<Msg>,
}

/// Properties of [`Drawing`].
#[derive(Clone, Debug, PartialEq, Properties)]
struct DrawingProps {
    frame: Rc<Frame>,
    layout: Rc<Layout>,
    on: Callback<Msg>,
}

/// A jump in time by more than this many ms puts tokens in place instead of moving them.
const JUMP_MS: i64 = 5_000;

/// The stage: the drawing, and what it shows in words.
#[component]
pub fn Stage(props: &Props) -> Html {
    let Props { frame, calm, on } = props;
    let layout = use_memo(frame.clone(), |frame| {
        Layout::new(&frame.stage, f64::from(frame.size.0), f64::from(frame.size.1))
    });
    let pop = frame.stage.group.as_ref().is_some_and(|group| group.pop);
    let is_phone = layout.density == Density::Phone;
    let class = classes!(
        "stage",
        is_phone.then_some("is-phone"),
        (layout.density == Density::Strips).then_some("is-strips"),
        (!frame.playing).then_some("is-paused"),
        pop.then_some("is-pop"),
    );
    html! {
        <div {class}>
            <Drawing key="drawing" frame={frame.clone()} {layout} on={on.clone()} />
            <Twin key="twin" frame={calm.clone()} on={on.clone()} />
            // On a phone it stands in what scrolls.
            { (!is_phone).then(|| told_of(frame)) }
            // Of two runs, one narration stands below both.
            { frame.side.is_none().then(|| html! { <Narration key="narration" frame={calm.clone()} on={on.clone()} /> }) }
            <style key="light">{ rules(&frame.lit, frame.side) }</style>
        </div>
    }
}

/// The drawing.
#[component]
fn Drawing(props: &DrawingProps) -> Html {
    let DrawingProps { frame, layout, on } = props;
    let host = use_node_ref();
    use_size(&host, on);
    let nodes = use_mut_ref(Nodes::default);
    let rests = {
        let row = |lane, client| row_rect(layout, &frame.stage, lane, client);
        let levels = levels(frame, layout);
        let routes = Routes { view: &frame.stage, layout, row: &row, levels: &levels };
        Rc::new(nodes.borrow_mut().rests(&routes))
    };
    let ghosts = use_node_ref();
    use_motion(frame, layout, &rests, &ghosts);
    use_parting_in_view(frame, layout, &host);
    use_concern_in_view(frame, layout, &host);
    let text = StageText(frame.locale);
    let select = use_callback(on.clone(), |event: MouseEvent, on| {
        if let Some(shows) = attribute_at(&event, "data-shows").and_then(|id| Shows::of_id(&id)) {
            on.emit(shows.msg());
            if subject_at(&event).is_none() {
                return;
            }
        }
        let subject = subject_at(&event);
        on.emit(Msg::Select(subject));
        if subject.is_some() {
            on.emit(Msg::OpenTab(Tab::Why));
        }
    });
    let hover =
        use_callback(on.clone(), |event: PointerEvent, on| on.emit(Msg::Hover(subject_at(&event))));
    let leave = use_callback(on.clone(), |_: PointerEvent, on| on.emit(Msg::Hover(None)));
    let arrow = use_callback((on.clone(), frame.clone()), |event: KeyboardEvent, (on, frame)| {
        if event.alt_key() || event.ctrl_key() || event.meta_key() || event.shift_key() {
            return;
        }
        if let Some(arrow) = Arrow::of_key(&event.key()) {
            // Else the page's own arrow keys would step through the run.
            event.prevent_default();
            if let Some(subject) = moved(&frame.stage, frame.selection, arrow) {
                on.emit(Msg::Select(Some(subject)));
            }
        } else if event.key() == "Enter" && frame.selection.is_some() {
            event.prevent_default();
            on.emit(Msg::OpenTab(Tab::Why));
        }
    });
    let menu = use_callback(on.clone(), |event: MouseEvent, on| hands::asked(&event, on));
    let scroll = use_callback((), |event: Event, ()| scroll_both(&event));
    let zoom = use_callback(on.clone(), |event: MouseEvent, on| {
        if let Some(subject) = subject_at(&event) {
            on.emit(Msg::Zoom(subject));
        }
    });
    let view_box = AttrValue::from(format!("0 0 {} {}", num(layout.width), num(layout.height)));
    let style = format!("width:{}px;height:{}px", num(layout.width), num(layout.height));
    html! {
        <div class="stage-scroll" ref={host} tabindex="0" role="group" aria-label={text.arrows()}
            onkeydown={arrow} onclick={select} ondblclick={zoom} oncontextmenu={menu} onpointerover={hover} onpointerleave={leave} onscroll={scroll}>
            <div class="stage-canvas" {style}>
                // The list's keys and clicks are its own: an arrow in it chooses a group, not a queue.
                <div key="choice" onkeydown={|event: KeyboardEvent| event.stop_propagation()} onclick={|event: MouseEvent| event.stop_propagation()}>
                    { choice(&frame.stage, layout, text, on) }
                </div>
                <svg class="stage-svg" key="ground" viewBox={view_box.clone()} role="img" aria-label={text.picture()}>
                    { ground(frame, layout, text) }
                </svg>
                <svg class="stage-svg is-timed" key="timed" viewBox={view_box.clone()} aria-hidden="true">
                    { timed(frame, layout, text) }
                </svg>
                // Each on its own, so that the browser prepares anew only what changed: the tokens of
                // a lane, and those that travel or show how long they take.
                <div key="carried">{ carried(frame, &rests, &view_box) }</div>
                <svg class="stage-svg is-moving" key="free" viewBox={view_box} aria-hidden="true">
                    <g key="ghosts" ref={ghosts}></g>
                    <g key="tokens">{ free(frame, &rests) }</g>
                </svg>
            </div>
            { (layout.density == Density::Phone).then(|| told_of(frame)) }
        </div>
    }
}

/// The legend of what a frame shows.
fn told_of(frame: &Frame) -> Html {
    let props = legend::Props::of(&frame.stage, StageText(frame.locale));
    html! { <Legend key="legend" ..props /> }
}

/// Layers from the lowest to the highest.
#[derive(Default)]
struct Layers(Draw);

impl Layers {
    /// Adds a layer, empty where it is not shown, so that the others keep their elements.
    fn add(&mut self, key: &'static str, shown: bool, draw: impl FnOnce(&mut Draw)) {
        let mut inner = Draw::new();
        if shown {
            draw(&mut inner);
        }
        self.0.group(key, "", (0.0, 0.0), inner);
    }
}

/// What stands.
fn ground(frame: &Rc<Frame>, layout: &Rc<Layout>, text: StageText) -> Html {
    let view = &*frame.stage;
    let mut layers = Layers::default();
    if layout.density == Density::Strips {
        layers.add("strips", true, |draw| strips::strips(draw, view, &frame.parting, layout, text));
        layers.add("brokers", true, |draw| brokers(draw, view, layout, text));
    } else {
        layers.add("headings", !layout.narrow, |draw| headings(draw, view, layout, text));
        layers.add("wires", true, |draw| producer::wires(draw, view, layout, text));
        layers.add("brokers", true, |draw| brokers(draw, view, layout, text));
        layers.add("lanes", true, |draw| lanes(draw, frame, layout, text));
        layers.add("producers", true, |draw| producer::producers(draw, view, layout, text));
        layers.add("ports", true, |draw| producer::ports(draw, view, layout, text));
        layers.add("routing", true, |draw| phone::routing(draw, view, layout, text));
        layers.add("folded", true, |draw| shelf::folded(draw, view, layout, text));
        layers.add("shelf", true, |draw| shelf::shelf(draw, view, layout, text));
        layers.add("tray", true, |draw| shelf::tray(draw, view, layout, text));
    }
    layers.0.finish()
}

/// What stands and shows what is left of a time: locks and consumers.
fn timed(frame: &Frame, layout: &Layout, text: StageText) -> Html {
    let view = &*frame.stage;
    let shown = !matches!(layout.density, Density::Phone | Density::Strips);
    let mut layers = Layers::default();
    layers.add("gates", shown, |draw| gates(draw, frame, layout, text));
    layers.add("consumers", shown, |draw| cards(draw, view, layout, text));
    layers.add("proxies", shown, |draw| grpc::proxies(draw, view, layout, text));
    layers.add("grpc", shown, |draw| grpc::cards(draw, view, layout, text));
    layers.add("others", shown, |draw| others(draw, view, layout, text));
    layers.0.finish()
}

/// Tokens on the carriers of their lanes.
fn carried(frame: &Frame, rests: &Rests, view_box: &AttrValue) -> Html {
    let carrier = |Carrier { queue, node, .. }: &Carrier| {
        let own = |rest: &&(usize, Rest)| rest.1.carrier == Some(*queue);
        let tokens: Vec<tokens::Props> =
            rests.tokens.iter().filter(own).filter_map(|rest| token(frame, rest)).collect();
        let key = subject_id(Subject::Queue(*queue));
        html! { <Carried {key} {tokens} {view_box} node={node.clone()} /> }
    };
    rests.carriers.iter().map(carrier).collect()
}

/// All other tokens.
fn free(frame: &Frame, rests: &Rests) -> Html {
    let own = rests.tokens.iter().filter(|(_, rest)| rest.carrier.is_none());
    own.filter_map(|rest| token(frame, rest)).map(tokens::node).collect()
}

/// A token as it is drawn.
fn token(frame: &Frame, (index, rest): &(usize, Rest)) -> Option<tokens::Props> {
    let token = frame.stage.tokens.get(*index)?;
    let subject = Some(Subject::Message(token.name.msg));
    let marks = Marks {
        selected: frame.selection == subject,
        hovered: frame.hover == subject,
        broken: frame.broken_pair().contains(&Some(token.name.msg)),
        under_way: matches!(token.place, Place::Wire { .. }),
        differs: frame.differs(token.name.msg),
    };
    Some(tokens::props(token, rest, marks))
}

/// Left edges and widths of the shelf's levels.
fn levels(frame: &Frame, layout: &Layout) -> Vec<(f64, f64)> {
    layout.shelf.map(|rect| shelf::columns(&frame.stage.shelf, &rect)).unwrap_or_default()
}

fn lanes(draw: &mut Draw, frame: &Rc<Frame>, layout: &Layout, text: StageText) {
    let compact = is_compact(layout.density);
    for (lane, rect) in frame.stage.lanes.iter().zip(&layout.lanes) {
        let selected = frame.selection == Some(Subject::Queue(lane.queue));
        if layout.density == Density::Phone {
            let consumers = &frame.stage.consumers;
            let told = (selected, marked_in(frame, lane), frame.stage.withheld);
            phone::lane(draw, lane, rect, &layout.style, told, consumers, text);
            continue;
        }
        let key = subject_id(Subject::Queue(lane.queue));
        let columns = Columns::of(lane, &layout.style);
        let marked = marked_in(frame, lane);
        let (lane, rect, style, locale) = (lane.clone(), *rect, layout.style, frame.locale);
        draw.node(
            html! { <Lane {key} {lane} {rect} {style} {columns} {compact} {selected} {marked} {locale} /> },
        );
    }
}

/// The selected message, where a lane has it.
fn marked_in(frame: &Frame, lane: &LaneView) -> Option<MsgId> {
    let Some(Subject::Message(msg)) = frame.selection else { return None };
    lane.slots.iter().any(|slot| slot.name.msg == msg).then_some(msg)
}

fn gates(draw: &mut Draw, frame: &Frame, layout: &Layout, text: StageText) {
    let view = &*frame.stage;
    let owner = |lane: &LaneView| match &lane.lock {
        LockView::Held { owner, .. } => Some(*owner),
        _ => None,
    };
    for (i, (lane, rect)) in view.lanes.iter().zip(&layout.lanes).enumerate() {
        let before = i.checked_sub(1).and_then(|i| view.lanes.get(i)).and_then(owner);
        let mut inner = Draw::new();
        gate(&mut inner, lane, rect, layout, before != owner(lane), text);
        let subject = match lane.lock {
            LockView::Held { .. } | LockView::Free => Subject::Lock(lane.queue),
            _ => Subject::Queue(lane.queue),
        };
        let class = classes("gate", &[(frame.selection == Some(subject), "is-selected")]);
        draw.thing(i, class, (0.0, 0.0), Some(subject), inner);
    }
}

/// Two runs are compared queue by queue: where one of them is scrolled, the other one follows.
fn scroll_both(event: &Event) {
    let Some(host) = event.target_dyn_into::<Element>() else { return };
    let Ok(Some(pair)) = host.closest(".pair") else { return };
    let Ok(hosts) = pair.query_selector_all(".stage-scroll") else { return };
    let hosts =
        (0..hosts.length()).filter_map(|index| hosts.item(index)?.dyn_into::<Element>().ok());
    // One that cannot be scrolled further does not hold the other one back.
    let top = host.scroll_top();
    let at_end = top + host.client_height() >= host.scroll_height();
    let follows = |other: &Element| match other.scroll_top() {
        is if is > top => !at_end,
        is => is < top,
    };
    for other in hosts.filter(|other| *other != host && follows(other)) {
        other.set_scroll_top(top);
    }
}

/// The subject under the pointer: the nearest element that names one.
fn subject_at(event: &Event) -> Option<Subject> {
    subject_of(&attribute_at(event, "data-subject")?)
}

/// An attribute of the nearest element under the pointer that has it.
fn attribute_at(event: &Event, name: &str) -> Option<String> {
    let target: Element = event.target()?.dyn_into().ok()?;
    target.closest(&format!("[{name}]")).ok()??.get_attribute(name)
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
fn use_motion(frame: &Rc<Frame>, layout: &Rc<Layout>, rests: &Rc<Rests>, ghosts: &NodeRef) {
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
    let (rests, ghosts) = (rests.clone(), ghosts.clone());
    use_effect_with(frame.revision, move |_| {
        let (time, run, size) = *last.borrow();
        let still = run != frame.generation
            || size != frame.size
            || (frame.now_ms - time).abs() > JUMP_MS
            || prefers("(prefers-reduced-motion: reduce)");
        *last.borrow_mut() = (frame.now_ms, frame.generation, frame.size);
        let view = &*frame.stage;
        let row = |lane, client| row_rect(&layout, view, lane, client);
        let levels = levels(&frame, &layout);
        let routes = Routes { view, layout: &layout, row: &row, levels: &levels };
        let way = |index: usize, from: Option<Place>| match (view.tokens.get(index), from) {
            (Some(token), Some(from)) => routes.between(&from, &token.place),
            (Some(token), None) => entry(&routes, token),
            (None, _) => Vec::new(),
        };
        motion.borrow_mut().retarget(&rests, still, frame.speed, &way, &ghosts);
        waker.renew();
        waker.wake();
    });
}

/// The way of a token that is new: from its producer, as far as it has come.
fn entry(routes: &Routes<'_>, token: &TokenView) -> Vec<Point> {
    match token.place {
        Place::Wire { port, .. } => routes.entry(token.producer, port),
        Place::Slot { lane, .. } => {
            let own = |port: usize| {
                let port = routes.view.ports.get(port);
                port.is_some_and(|port| {
                    port.hue == token.name.hue && token.name.label.starts_with(&*port.letter)
                })
            };
            let producer = routes.view.producers.get(token.producer);
            let mut wires = producer.into_iter().flat_map(|producer| &producer.wires);
            let series = wires.find(|(port, _)| own(*port)).map(|(port, _)| *port);
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
