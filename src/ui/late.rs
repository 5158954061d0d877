//! What nobody watches closely comes a little later than the picture.

use std::rc::Rc;

use gloo_timers::callback::Timeout;
use yew::prelude::*;

use crate::app::frame::Frame;

/// How much later at most, in real milliseconds.
const LATE_MS: u32 = 300;

/// The newest frame of at most so long ago; None before the first one is due.
#[hook]
pub fn use_late(frame: &Rc<Frame>) -> Option<Rc<Frame>> {
    let newest = use_mut_ref(|| frame.clone());
    let shown = use_state_eq(|| None::<Rc<Frame>>);
    let pending = use_mut_ref(|| None::<Timeout>);
    *newest.borrow_mut() = frame.clone();
    if shown.as_ref() != Some(frame) && pending.borrow().is_none() {
        let (late, shown, again) = (newest, shown.clone(), pending.clone());
        let timeout = Timeout::new(LATE_MS, move || {
            *again.borrow_mut() = None;
            shown.set(Some(late.borrow().clone()));
        });
        *pending.borrow_mut() = Some(timeout);
    }
    (*shown).clone()
}
