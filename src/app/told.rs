//! A broken guarantee that somebody asked about: its story, and the world at its instant. It stays
//! while people walk along its steps.

use lockstep_core::explain::violation::{story, Story};
use lockstep_core::guarantee::Breach;
use lockstep_core::world::World;

use super::core::Core;

/// A broken guarantee as the panel tells it.
#[derive(Debug)]
pub struct Told {
    /// Its story.
    pub story: Story,
    /// The world at its instant: where names come from, and branches begin.
    pub world: World,
}

impl Told {
    /// Tells of a breach at which the run stands.
    pub(super) fn of(core: &Core, breach: &Breach) -> Option<Self> {
        let story = story(&core.session, &core.ledger(), breach)?;
        Some(Self { story, world: core.session.world().clone() })
    }

    /// The event of the breach.
    pub fn event(&self) -> u32 {
        self.story.breach.event
    }
}
