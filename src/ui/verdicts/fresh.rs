//! What became of the guarantees, judged a few times a second at most however often the page is drawn.

use std::rc::Rc;

use gloo_timers::callback::Timeout;
use lockstep_core::guarantee::{verdicts_at, Verdict};
use lockstep_core::ids::Ms;
use yew::prelude::*;

use crate::app::frame::Frame;

/// Least time between two judgements of a run that goes on, in real milliseconds.
const REST_MS: u32 = 400;

/// The last judgement, of which instant of which run it is, and when it was made.
struct Last {
    verdicts: Rc<Vec<Verdict>>,
    of: (u32, u32, usize),
    second: Ms,
    at_ms: f64,
}

fn real_ms() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |p| p.now())
}

/// The verdicts at the present, or at one not much older. Another run and the first broken order
/// are judged at once.
#[hook]
pub fn use_verdicts(frame: &Rc<Frame>) -> Rc<Vec<Verdict>> {
    let last = use_mut_ref(|| None::<Last>);
    let pending = use_mut_ref(|| None::<Timeout>);
    let redraw = use_force_update();
    let mut last = last.borrow_mut();
    let of = (frame.generation, frame.event, frame.violations.len());
    let second = frame.now_ms / 1_000;
    if let Some(known) = &*last {
        let rested_ms = real_ms() - known.at_ms;
        let at_once = (known.of.0, known.of.2 > 0) != (of.0, of.2 > 0);
        // What stands still stands longer with every second, without any event.
        let lasts = || known.verdicts.iter().any(|v| v.longest.is_some_and(|block| block.lasts));
        if known.of == of && (known.second == second || !lasts()) {
            *pending.borrow_mut() = None;
            return known.verdicts.clone();
        }
        if !at_once && rested_ms < f64::from(REST_MS) {
            pending
                .borrow_mut()
                .get_or_insert_with(|| Timeout::new(REST_MS, move || redraw.force_update()));
            return known.verdicts.clone();
        }
    }
    *pending.borrow_mut() = None;
    let judged = Rc::new(verdicts_at(&frame.core.read().session, frame.now_ms));
    *last = Some(Last { verdicts: judged.clone(), of, second, at_ms: real_ms() });
    judged
}
