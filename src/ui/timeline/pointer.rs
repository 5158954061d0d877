//! Hands on the timeline: dragging and clicking move the present, the wheel zooms and pans.

use std::cell::Cell;
use std::rc::Rc;

use gloo_events::{EventListener, EventListenerOptions};
use lockstep_core::ids::MsgId;
use lockstep_core::view::compare::Side;
use lockstep_core::view::Subject;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::SharedView;
use crate::app::msg::{Msg, Tab};
use crate::ui::hands;
use crate::ui::stage::svg::subject_of;

/// A pointer that moved less than this clicked.
const CLICK_PX: i32 = 4;

/// A bar: its message, and whether it belongs to the second of two runs.
type Bar = (MsgId, bool);

/// A drag: whether the button is down, and the bar it went down on if it has not moved since.
#[derive(Clone, Copy, Default)]
struct Drag {
    active: bool,
    on_bar: Option<Bar>,
    from_x: i32,
}

/// What the handlers work on.
#[derive(Clone)]
struct Hands {
    root: NodeRef,
    tracks: NodeRef,
    view: SharedView,
    again: Callback<()>,
    on: Callback<Msg>,
    on_second: Callback<Msg>,
    drag: Rc<Cell<Drag>>,
    /// The bar that was pressed last.
    pressed: Rc<Cell<Option<Bar>>>,
    hovered: Rc<Cell<Option<Bar>>>,
    /// Whether the window is dragged on the strip of the whole run.
    on_map: Rc<Cell<bool>>,
}

/// The event handlers of the timeline. Made once.
#[derive(Clone)]
pub struct Handlers {
    /// Begins a drag.
    pub down: Callback<PointerEvent>,
    /// Goes on with it.
    pub go: Callback<PointerEvent>,
    /// Ends it; a click on a bar selects its message.
    pub up: Callback<PointerEvent>,
    /// The pointer is over something.
    pub over: Callback<PointerEvent>,
    /// The pointer is gone.
    pub leave: Callback<PointerEvent>,
    /// Shows the time of the thing that was pressed twice.
    pub twice: Callback<MouseEvent>,
    /// Lists what can be done to a thing.
    pub menu: Callback<MouseEvent>,
    /// Zooms with plus and minus, pans by screens.
    pub key: Callback<KeyboardEvent>,
    /// Shows less (true) or more time.
    pub zoom: Callback<bool>,
    /// The focus came.
    pub focus: Callback<FocusEvent>,
    /// The focus went.
    pub blur: Callback<FocusEvent>,
    /// The focus came to a mark: it is brought into the window.
    pub reveal: Callback<FocusEvent>,
    /// Those of the strip of the whole run.
    pub map: MapHands,
}

/// The event handlers of the strip of the whole run: pressing or dragging moves the window.
#[derive(Clone)]
pub struct MapHands {
    /// Begins a drag.
    pub down: Callback<PointerEvent>,
    /// Goes on with it.
    pub go: Callback<PointerEvent>,
    /// Ends it.
    pub up: Callback<PointerEvent>,
}

/// The handlers of a timeline. The wheel is listened to here: the page must be able to keep the
/// browser from zooming, which a listener of Yew's may not.
#[hook]
pub fn use_handlers(
    root: &NodeRef,
    tracks: &NodeRef,
    view: &SharedView,
    again: &Callback<()>,
    ons: (&Callback<Msg>, &Callback<Msg>),
) -> Rc<Handlers> {
    let hands = Hands {
        root: root.clone(),
        tracks: tracks.clone(),
        view: view.clone(),
        again: again.clone(),
        on: ons.0.clone(),
        on_second: ons.1.clone(),
        drag: Rc::default(),
        pressed: Rc::default(),
        hovered: Rc::default(),
        on_map: Rc::default(),
    };
    {
        let (root, hands) = (root.clone(), hands.clone());
        use_effect_with((), move |()| {
            let listener = root.cast::<Element>().map(|root| {
                let options = EventListenerOptions::enable_prevent_default();
                EventListener::new_with_options(&root, "wheel", options, move |event| {
                    hands.wheel(event.unchecked_ref());
                })
            });
            move || drop(listener)
        });
    }
    use_memo((), move |()| Handlers::of(&hands))
}

impl Handlers {
    fn of(hands: &Hands) -> Self {
        /// A callback that works on `hands`.
        fn bound<E: 'static>(hands: &Hands, f: impl Fn(&Hands, E) + 'static) -> Callback<E> {
            let hands = hands.clone();
            Callback::from(move |event: E| f(&hands, event))
        }
        Self {
            down: bound(hands, Hands::down),
            go: bound(hands, Hands::go),
            up: bound(hands, Hands::up),
            over: bound(hands, Hands::over),
            leave: bound(hands, |hands, _: PointerEvent| hands.hover(None)),
            twice: bound(hands, Hands::twice),
            menu: bound(hands, Hands::menu),
            key: bound(hands, Hands::key),
            zoom: bound(hands, |hands, closer: bool| hands.zoom(closer, None)),
            map: MapHands {
                down: bound(hands, Hands::map_down),
                go: bound(hands, Hands::map_go),
                up: bound(hands, |hands, _: PointerEvent| hands.on_map.set(false)),
            },
            reveal: bound(hands, Hands::reveal),
            focus: bound(hands, |hands, _: FocusEvent| hands.show_focus(true)),
            blur: bound(hands, |hands, _: FocusEvent| hands.show_focus(false)),
        }
    }
}

/// The message of the bar that an event is about.
fn bar_of(event: &PointerEvent) -> Option<Bar> {
    let target: Element = event.target()?.dyn_into().ok()?;
    let bar = target.closest("[data-msg]").ok()??;
    let second = bar.closest(".tl-row[data-run]").ok()?.is_some();
    Some((MsgId(bar.get_attribute("data-msg")?.parse().ok()?), second))
}

/// The thing whose name an event is about, and whether it belongs to the second of two runs.
fn name_of(event: &MouseEvent) -> Option<(Subject, bool)> {
    let name = event.target_dyn_into::<Element>()?.closest(".tl-name").ok()??;
    let subject = subject_of(&name.get_attribute("data-subject")?)?;
    Some((subject, name.has_attribute("data-run")))
}

/// The strip of the whole run that an event is about.
fn strip_of(event: &PointerEvent) -> Option<Element> {
    event.target()?.dyn_into::<Element>().ok()?.closest(".tl-map").ok()?
}

impl Hands {
    /// The share of the tracks' width at a place of the screen.
    fn share(&self, client_x: i32) -> Option<f64> {
        let rect = self.tracks.cast::<HtmlElement>()?.get_bounding_client_rect();
        Some(((f64::from(client_x) - rect.left()) / rect.width().max(1.0)).clamp(0.0, 1.0))
    }

    fn seek(&self, client_x: i32) {
        if let Some(share) = self.share(client_x) {
            let at_ms = self.view.borrow().at_share(share);
            self.on.emit(Msg::Scrub(at_ms));
        }
    }

    /// Tells the style sheet that the keyboard is on the tracks: the ring around them stands outside
    /// of what scrolls.
    fn show_focus(&self, has_focus: bool) {
        let (Some(root), Some(tracks)) =
            (self.root.cast::<Element>(), self.tracks.cast::<Element>())
        else {
            return;
        };
        // Failures could only mean that a name is not a name.
        let _ = match has_focus && tracks.matches(":focus-visible").unwrap_or(false) {
            true => root.set_attribute("data-focused", ""),
            false => root.remove_attribute("data-focused"),
        };
    }

    fn down(&self, event: PointerEvent) {
        if event.button() != 0 {
            return;
        }
        let on_bar = bar_of(&event);
        self.pressed.set(on_bar);
        self.drag.set(Drag { active: true, on_bar, from_x: event.client_x() });
        if let Some(tracks) = self.tracks.cast::<HtmlElement>() {
            // A pointer that is gone already cannot be captured; nothing is lost then.
            let _ = tracks.set_pointer_capture(event.pointer_id());
        }
        if on_bar.is_none() {
            self.seek(event.client_x());
        }
    }

    fn go(&self, event: PointerEvent) {
        let mut drag = self.drag.get();
        if !drag.active {
            return;
        }
        if drag.on_bar.is_some() {
            if (event.client_x() - drag.from_x).abs() < CLICK_PX {
                return;
            }
            drag.on_bar = None;
            self.drag.set(drag);
        }
        self.seek(event.client_x());
    }

    fn up(&self, event: PointerEvent) {
        let drag = self.drag.replace(Drag::default());
        if let (true, Some((msg, second))) =
            (drag.active && event.type_() == "pointerup", drag.on_bar)
        {
            self.on_run(second).emit(Msg::Select(Some(Subject::Message(msg))));
            self.on.emit(Msg::OpenTab(Tab::Why));
        }
    }

    /// The tracks have captured the pointer, so that the event itself does not name a bar.
    fn twice(&self, event: MouseEvent) {
        let bar = || self.pressed.get().map(|(msg, second)| (Subject::Message(msg), second));
        if let Some((subject, second)) = name_of(&event).or_else(bar) {
            self.on_run(second).emit(Msg::Zoom(subject));
        }
    }

    fn menu(&self, event: MouseEvent) {
        let target = event.target_dyn_into::<Element>();
        let second = target.is_some_and(|target| hands::run_of(&target) == Side::Second);
        hands::asked(&event, self.on_run(second));
    }

    fn over(&self, event: PointerEvent) {
        if !self.drag.get().active {
            self.hover(bar_of(&event));
        }
    }

    /// Where requests about a run go.
    fn on_run(&self, second: bool) -> &Callback<Msg> {
        if second {
            &self.on_second
        } else {
            &self.on
        }
    }

    fn hover(&self, bar: Option<Bar>) {
        let before = self.hovered.replace(bar);
        if before == bar {
            return;
        }
        if let Some((_, second)) = before {
            self.on_run(second).emit(Msg::Hover(None));
        }
        if let Some((msg, second)) = bar {
            self.on_run(second).emit(Msg::Hover(Some(Subject::Message(msg))));
        }
    }

    fn wheel(&self, event: &web_sys::WheelEvent) {
        let (dx, dy) = (event.delta_x(), event.delta_y());
        if event.ctrl_key() || event.meta_key() {
            event.prevent_default();
            self.zoom(dy < 0.0, self.share(event.client_x()));
        } else if event.shift_key() || dx.abs() > dy.abs() {
            event.prevent_default();
            let by = if dx == 0.0 { dy } else { dx };
            self.pan(by / self.view.borrow().width_px.max(1.0));
        }
    }

    fn key(&self, event: KeyboardEvent) {
        match event.key().as_str() {
            "+" | "=" => self.zoom(true, None),
            "-" | "_" => self.zoom(false, None),
            "PageDown" => self.pan(0.8),
            "PageUp" => self.pan(-0.8),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }

    fn map_down(&self, event: PointerEvent) {
        let Some(strip) = strip_of(&event) else { return };
        if event.button() == 0 {
            self.on_map.set(true);
            // A pointer that is gone already cannot be captured; nothing is lost then.
            let _ = strip.set_pointer_capture(event.pointer_id());
            self.map_go(event);
        }
    }

    /// Shows the instant under the pointer.
    fn map_go(&self, event: PointerEvent) {
        let Some(strip) = strip_of(&event).filter(|_| self.on_map.get()) else { return };
        let Some(end_ms) = strip.get_attribute("data-end").and_then(|end| end.parse::<f64>().ok())
        else {
            return;
        };
        let rect = strip.get_bounding_client_rect();
        let share = (f64::from(event.client_x()) - rect.left()) / rect.width().max(1.0);
        self.view.borrow_mut().centre(share.clamp(0.0, 1.0) * end_ms);
        self.again.emit(());
    }

    /// Shows the instant of the mark that has the focus, if it is out of the window.
    fn reveal(&self, event: FocusEvent) {
        let mark = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let at_ms = mark.and_then(|mark| mark.get_attribute("data-at")?.parse::<f64>().ok());
        let Some(at_ms) = at_ms else { return };
        let mut view = self.view.borrow_mut();
        if (0.0..=view.width_px).contains(&view.screen_x(at_ms)) {
            return;
        }
        view.centre(at_ms);
        drop(view);
        self.again.emit(());
    }

    fn pan(&self, share: f64) {
        self.view.borrow_mut().pan(share);
        self.again.emit(());
    }

    /// Zooms around a share of the width, or around the playhead.
    fn zoom(&self, closer: bool, share: Option<f64>) {
        let mut view = self.view.borrow_mut();
        let keep_ms = match share {
            Some(share) => view.from_ms + share * view.span_ms,
            None => view.playhead_ms,
        };
        let span_ms = view.next_span(closer);
        view.zoom(span_ms, keep_ms);
        drop(view);
        self.again.emit(());
    }
}
