//! Moving through the stage with the arrow keys: up and down through queues, left and right
//! through the records of a queue.

use lockstep_core::view::stage::{LaneView, StageView};
use lockstep_core::view::Subject;

/// A step with an arrow key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrow {
    /// To the queue above.
    Up,
    /// To the queue below.
    Down,
    /// To the record before.
    Left,
    /// To the record behind.
    Right,
}

impl Arrow {
    /// The arrow of a key.
    pub fn of_key(key: &str) -> Option<Self> {
        Some(match key {
            "ArrowUp" => Self::Up,
            "ArrowDown" => Self::Down,
            "ArrowLeft" => Self::Left,
            "ArrowRight" => Self::Right,
            _ => return None,
        })
    }
}

/// What an arrow key selects. Without a selection on the stage it is the first queue.
pub fn moved(view: &StageView, selection: Option<Subject>, arrow: Arrow) -> Option<Subject> {
    let lanes = &view.lanes;
    let queue = |lane: Option<&LaneView>| lane.map(|lane| Subject::Queue(lane.queue));
    let Some((lane, slot)) = place(view, selection) else { return queue(lanes.first()) };
    match arrow {
        Arrow::Up => queue(lanes.get(lane.checked_sub(1)?)),
        Arrow::Down => queue(lanes.get(lane + 1)),
        Arrow::Left if slot == Some(0) => queue(lanes.get(lane)),
        Arrow::Left | Arrow::Right => {
            let slots = &lanes.get(lane)?.slots;
            let next = match (slot, arrow) {
                (Some(slot), Arrow::Left) => slot.checked_sub(1)?,
                (Some(slot), _) => slot + 1,
                // From the queue itself, the first record that is not consumed.
                (None, _) => slots.iter().position(|s| s.offset >= lanes[lane].next).unwrap_or(0),
            };
            slots.get(next).map(|slot| Subject::Message(slot.name.msg))
        }
    }
}

/// The lane of a selection, and the place of its record in the lane.
fn place(view: &StageView, selection: Option<Subject>) -> Option<(usize, Option<usize>)> {
    view.lanes.iter().enumerate().find_map(|(i, lane)| match selection? {
        Subject::Queue(queue) | Subject::Lock(queue) => (lane.queue == queue).then_some((i, None)),
        Subject::Message(msg) => {
            let slot = lane.slots.iter().position(|slot| slot.name.msg == msg)?;
            Some((i, Some(slot)))
        }
        _ => None,
    })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use lockstep_core::scenario;
    use lockstep_core::session::Session;
    use lockstep_core::view::history::History;
    use lockstep_core::view::stage::{project, Options};

    fn view() -> StageView {
        let text = "\
topic orders FIFO 2 queues
group billing reads orders orderly, handles in 10s
producer p1 selects by hash
consumer c1 in billing
at 3s p1 sends A1 A2 B1
run until 9s
";
        let program = scenario::load(text).expect("the text is right");
        let mut session = Session::new(program.seed, program.model.clone(), program.journal());
        session.run_until(4_000);
        let history = History::default();
        let journal = session.journal();
        let options = Options {
            group: 0,
            topic: None,
            journal,
            columns: &|_| 10,
            opened: None,
            history: &history,
        };
        project(session.world(), &options)
    }

    #[test]
    fn arrows_walk_through_queues_and_records_and_back() {
        let view = view();
        let q = |i: usize| Some(Subject::Queue(view.lanes[i].queue));
        let full = view
            .lanes
            .iter()
            .position(|lane| lane.slots.len() > 1)
            .expect("A1 and A2 are in one queue");
        assert_eq!(moved(&view, None, Arrow::Down), q(0));
        assert_eq!(moved(&view, q(0), Arrow::Down), q(1));
        assert_eq!(moved(&view, q(1), Arrow::Down), None);
        assert_eq!(moved(&view, q(1), Arrow::Up), q(0));
        let first = moved(&view, q(full), Arrow::Right);
        assert!(matches!(first, Some(Subject::Message(_))));
        let second = moved(&view, first, Arrow::Right);
        assert_ne!(first, second);
        assert_eq!(moved(&view, second, Arrow::Left), first);
        assert_eq!(moved(&view, first, Arrow::Left), q(full));
    }
}
