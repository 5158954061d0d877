//! Every lesson and every report on the stage: at many instants, for each consumer group, in lanes
//! and in strips, what the stage shows is consistent, and nothing lies over anything else.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod folder;

use std::path::Path;

use lockstep::ui::stage::layout::{Density, Layout, Rect, MAX_LANES};
use lockstep_core::scenario;
use lockstep_core::session::Session;
use lockstep_core::view::history::History;
use lockstep_core::view::stage::{project, Options, Place, SlotState, StageView};

/// Instants of each run that are looked at.
const LOOKS: i64 = 24;
/// Sizes of the stage: a phone, a narrow window, the reference, a large screen.
const SIZES: [(f64, f64); 4] = [(390.0, 560.0), (760.0, 520.0), (1_064.0, 528.0), (1_740.0, 870.0)];

/// What is wrong with a view.
fn faults(view: &StageView) -> Vec<String> {
    let mut faults = Vec::new();
    for lane in &view.lanes {
        let name = &lane.name;
        if !lane.slots.windows(2).all(|pair| pair[0].offset < pair[1].offset) {
            faults.push(format!("{name}: offsets do not rise"));
        }
        let range = lane.min..lane.max;
        if !lane.slots.iter().all(|slot| range.contains(&slot.offset)) {
            faults.push(format!("{name}: a slot outside of what is stored"));
        }
        let gap = i64::from(lane.hidden > 0);
        if !lane.slots.is_empty() && lane.shown() + lane.hidden + gap != lane.max - lane.first {
            faults.push(format!("{name}: some offsets are neither seen nor counted"));
        }
        // A record whose token lies in its slot has one there.
        for slot in &lane.slots {
            let of = |place: &Place| matches!(place, Place::Slot { offset, .. } if *offset == slot.offset);
            let mut tokens = view.tokens.iter().filter(|t| t.name.msg == slot.name.msg);
            let there = tokens.any(|token| of(&token.place));
            let wanted = slot.state != SlotState::Away && !slot.state.is_over();
            if wanted && !there {
                faults.push(format!("{name}: {} has no token in its slot", slot.name.label));
            }
        }
    }
    for consumer in &view.consumers {
        if consumer.holds.iter().any(|hold| hold.messages.is_empty()) {
            faults.push(format!("{}: it holds nothing", consumer.name));
        }
    }
    faults
}

/// Things that are drawn over each other or beyond the drawing, at a size.
fn collisions(view: &StageView, (width, height): (f64, f64)) -> Vec<String> {
    let layout = Layout::new(view, width, height);
    if layout.density == Density::Strips {
        return Vec::new();
    }
    let mut column: Vec<Rect> = layout.side.cards.iter().flatten().map(|card| card.rect).collect();
    column.extend(layout.side.others.iter().flat_map(|other| other.members.clone()));
    column.extend(layout.tray);
    let mut topics = layout.lanes.clone();
    topics.extend(layout.routing);
    topics.extend(&layout.folded);
    topics.extend(layout.halves);
    topics.extend(layout.shelf);
    let apart = |rects: &[Rect]| rects.windows(2).all(|pair| pair[1].y >= pair[0].bottom());
    let inside = |rects: &[Rect]| {
        rects.iter().all(|r| r.x >= 0.0 && r.right() <= width && r.bottom() <= layout.height)
    };
    let all = [("consumers", column), ("topics", topics), ("producers", layout.producers.clone())];
    let wrong = all.into_iter().filter(|(_, rects)| !(apart(rects) && inside(rects)));
    wrong.map(|(what, rects)| format!("{what} at {width} x {height}: {rects:?}")).collect()
}

fn look(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let Ok(program) = scenario::load(&text) else { return vec!["it cannot be read".to_owned()] };
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    let mut history = History::default();
    let mut found = Vec::new();
    for step in 0..=LOOKS {
        let at_ms = program.until_ms * step / LOOKS;
        session.run_until(at_ms);
        let clients = &session.world().clients;
        let group_of =
            |client: lockstep_core::ids::ClientId| clients.get(client.index()).map(|c| c.group());
        history.update(session.recorded_facts(), 1, &group_of);
        let groups = session.world().shared.names.groups.len().max(1);
        for (group, columns) in (0..groups).flat_map(|group| [(group, 8), (group, 0)]) {
            let fit = |lanes| if lanes > MAX_LANES { 0 } else { columns };
            let journal = session.journal();
            let options = Options {
                group,
                topic: None,
                journal,
                columns: &fit,
                opened: None,
                history: &history,
            };
            let view = project(session.world(), &options);
            let mut wrong = if columns > 0 { faults(&view) } else { Vec::new() };
            wrong.extend(SIZES.iter().flat_map(|size| collisions(&view, *size)));
            let place = format!("{} at {at_ms} ms, group {group}", path.display());
            found.extend(wrong.into_iter().map(|what| format!("{place}: {what}")));
        }
    }
    found
}

#[test]
fn every_lesson_and_report_stands_on_the_stage() {
    let mut all = folder::files("www/lessons");
    all.extend(folder::files("tests/reports"));
    assert!(all.len() > 50, "the scenarios are missing");
    let found: Vec<String> = all.iter().flat_map(|path| look(path)).collect();
    let first: Vec<&str> = found.iter().take(20).map(String::as_str).collect();
    assert!(found.is_empty(), "{} faults, the first of them:\n{}", found.len(), first.join("\n"));
}
