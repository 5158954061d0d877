//! The run and what is built from it, shared with every component for reading.

use std::cell::{Cell, Ref, RefCell, RefMut};
use std::rc::Rc;

use lockstep_core::explain::Ledger;
use lockstep_core::ids::{ClientId, Ms};
use lockstep_core::session::Session;
use lockstep_core::view::history::History;
use lockstep_core::view::timeline::Timeline;
use lockstep_core::world::World;

/// The run and what is built from it.
pub struct Core {
    /// The run.
    pub session: Session,
    /// What the timeline shows.
    pub timeline: Timeline,
    /// The past of the run, as the stage needs it.
    pub history: History,
    /// Grows whenever recorded facts were replaced: a new run, a command after stepping back.
    pub generation: u32,
    /// The instant of the page's clock, in ms: at the present event or behind it. A picture of the page
    /// may be older.
    pub now_ms: Cell<Ms>,
    ledger: RefCell<Ledger>,
}

impl Core {
    /// The facts by what they are about, for explanations. Facts that are new are read when somebody
    /// asks, so that a run of which nobody asks pays nothing.
    pub fn ledger(&self) -> Ref<'_, Ledger> {
        self.ledger.borrow_mut().update(self.session.recorded_facts(), self.generation);
        self.ledger.borrow()
    }

    /// The world at the instant of a clock that stands at the present event or behind it: whoever asks stands
    /// there, and not at the last event.
    pub fn world_at(&self, now_ms: Ms) -> World {
        let mut world = self.session.world().clone();
        world.wait_until(now_ms);
        world
    }

    /// Lets the timeline and the stage's history read the facts that are new to them.
    pub(super) fn renew(&mut self) {
        let facts = self.session.recorded_facts();
        self.timeline.update(facts, self.generation);
        let clients = &self.session.world().clients;
        let group_of = |client: ClientId| clients.get(client.index()).map(|c| c.group());
        self.history.update(facts, self.generation, &group_of);
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
        Self(Rc::new(RefCell::new(Core {
            session,
            timeline: Timeline::new(),
            history: History::default(),
            generation: 0,
            now_ms: Cell::default(),
            ledger: RefCell::default(),
        })))
    }

    /// Reads the present state.
    pub fn read(&self) -> Ref<'_, Core> {
        self.0.borrow()
    }

    pub(super) fn write(&self) -> RefMut<'_, Core> {
        self.0.borrow_mut()
    }
}
