//! One animation-frame request at a time, and none while nothing moves.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::closure::Closure;
use wasm_bindgen::JsCast;

/// Asks the browser for animation frames. Clones ask for the same one.
#[derive(Clone)]
pub struct Frames {
    closure: Rc<Closure<dyn FnMut(f64)>>,
    waiting: Rc<Cell<bool>>,
}

impl Frames {
    /// Frames that call `tick` with their real time in ms.
    pub fn new(mut tick: impl FnMut(f64) + 'static) -> Self {
        let waiting = Rc::new(Cell::new(false));
        let over = Rc::clone(&waiting);
        let closure = Closure::new(move |real_ms: f64| {
            over.set(false);
            tick(real_ms);
        });
        Self { closure: Rc::new(closure), waiting }
    }

    /// Asks for one more frame; nothing when one is asked for already.
    pub fn request(&self) {
        if self.waiting.replace(true) {
            return;
        }
        let asked = web_sys::window().and_then(|window| {
            window.request_animation_frame((*self.closure).as_ref().unchecked_ref()).ok()
        });
        self.waiting.set(asked.is_some());
    }
}
