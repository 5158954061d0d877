//! The run and what is built from it, shared with every component for reading.

use std::cell::{Ref, RefCell, RefMut};
use std::rc::Rc;

use lockstep_core::session::Session;
use lockstep_core::view::timeline::Timeline;

/// The run and what is built from it.
pub struct Core {
    /// The run.
    pub session: Session,
    /// What the timeline shows.
    pub timeline: Timeline,
    /// Grows whenever recorded facts were replaced: a new run, a command after stepping back.
    pub generation: u32,
}

impl Core {
    /// Lets the timeline read the facts that are new to it.
    pub(super) fn renew(&mut self) {
        self.timeline.update(self.session.recorded_facts(), self.generation);
    }
}

/// Access to the [`Core`]. Components read; only the app writes, and never across a rendering.
#[derive(Clone)]
pub struct CoreHandle(Rc<RefCell<Core>>);

impl PartialEq for CoreHandle {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl std::fmt::Debug for CoreHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CoreHandle")
    }
}

impl CoreHandle {
    pub(super) fn new(session: Session) -> Self {
        Self(Rc::new(RefCell::new(Core { session, timeline: Timeline::new(), generation: 0 })))
    }

    /// Reads the present state.
    pub fn read(&self) -> Ref<'_, Core> {
        self.0.borrow()
    }

    pub(super) fn write(&self) -> RefMut<'_, Core> {
        self.0.borrow_mut()
    }
}
