//! Who holds which delivery by POP (§6.4): what is delivered again overtakes what was delivered
//! before.

use std::collections::BTreeMap;

use lockstep_core::fact::Fact;
use lockstep_core::ids::{ClientId, GroupId, MessageQueue, Ms};
use lockstep_core::pop::PopFact;

/// A delivery.
struct Pop {
    offset: u32,
    at_ms: Ms,
    event: u32,
}

/// Of one queue in one consumer group.
#[derive(Default)]
struct Queue {
    pops: Vec<Pop>,
    /// The event of the POP that a consumer has an offset from.
    held: BTreeMap<(ClientId, u32), u32>,
    /// A reset was taken up: whatever was delivered before does not count.
    reset_event: u32,
}

#[derive(Default)]
pub struct Deliveries(BTreeMap<(GroupId, MessageQueue), Queue>);

impl Deliveries {
    /// A fact of an event at an instant. `popped_ms` tells when a consumer's newest delivery of an
    /// offset was popped.
    pub fn observe(
        &mut self,
        (event, at_ms): (u32, Ms),
        fact: &Fact,
        group: impl Fn(ClientId) -> GroupId,
        popped_ms: impl Fn(ClientId, MessageQueue, u32) -> Ms,
    ) {
        match *fact {
            Fact::ResetConsumed { group, queue, .. } => {
                self.0.entry((group, queue)).or_default().reset_event = event;
            }
            Fact::Pop(PopFact::Popped { group, queue, offset, .. }) => {
                let pops = &mut self.0.entry((group, queue)).or_default().pops;
                pops.push(Pop { offset, at_ms, event });
            }
            Fact::Pop(PopFact::Received { client, queue, offset, .. }) => {
                let of = self.0.entry((group(client), queue)).or_default();
                let of_ms = popped_ms(client, queue, offset);
                let own = |pop: &&Pop| (pop.offset, pop.at_ms) == (offset, of_ms);
                let event = of.pops.iter().rev().find(own).map_or(0, |pop| pop.event);
                of.held.insert((client, offset), event);
            }
            _ => {}
        }
    }

    /// Whether what a consumer has was overtaken by a later delivery of an offset that it blocks.
    pub fn is_overtaken(
        &self,
        place: (GroupId, MessageQueue),
        held: (ClientId, u32),
        blocks: impl Fn(u32) -> bool,
    ) -> bool {
        let Some(of) = self.0.get(&place) else { return false };
        let held = of.held.get(&held).copied().unwrap_or(0);
        let mut later = of.pops.iter().rev().take_while(|pop| pop.event > held);
        held < of.reset_event || later.any(|pop| blocks(pop.offset))
    }
}
