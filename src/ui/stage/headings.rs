//! Names over the columns, and over the lanes of each broker.

use lockstep_core::view::stage::{LockView, StageView};

use super::layout::{Layout, GUTTER};
use super::shelf;
use crate::i18n::stage::StageText;
use crate::ui::draw::Draw;

/// What the name of the consumers' column takes, in px.
const ROOM_OF_NAME: f64 = 72.0;

/// About how wide a note is, in px.
fn wide(text: &str) -> f64 {
    text.chars().map(|c| if c.is_ascii() { 6.1 } else { 12.0 }).sum()
}

/// Names of the columns.
pub fn headings(draw: &mut Draw, view: &StageView, layout: &Layout, text: StageText) {
    let mut heading = |key: &'static str, x: f64, name: &'static str, note: String| {
        draw.text_with_note(key, "heading", (x, 28.0), name, ("heading-note", note));
    };
    let lane_x = layout.lanes.first().map_or(layout.port_exit + 50.0, |r| r.x);
    let topic = topic(view, layout, lane_x, text);
    // With several groups a list to choose from stands there.
    let alone = view.group.as_ref().filter(|_| view.other_groups.is_empty());
    let room = layout.cards.w - ROOM_OF_NAME;
    let group = alone.map(|group| {
        let whole = text.group(group);
        // How it reads its messages is told where there is room for it; Inspect has it always.
        if wide(&whole) <= room {
            whole
        } else {
            group.name.to_string()
        }
    });
    if !view.producers.is_empty() {
        heading("producers", GUTTER, text.producers(), String::new());
    }
    if let Some(&(x, _)) = layout.ports.first().filter(|_| layout.port_texts) {
        // How many queues the rule knows stands in every port as well.
        let room = lane_x - x - wide(text.routing()) - 36.0;
        let rule = text.rule(view);
        let rule = if wide(&rule) <= room { rule } else { text.short_rule(view) };
        heading("routing", x, text.routing(), rule);
    }
    heading("consumers", layout.cards.x, text.consumers(), group.unwrap_or_default());
    let mut inner = Draw::new();
    let note = ("heading-note", topic.unwrap_or_default());
    inner.text_with_note("name", "heading", (lane_x, 28.0), text.broker(), note);
    draw.machine("broker", "broker-heading", ('b', 0), inner);
    let pop = view.group.as_ref().is_some_and(|group| group.pop);
    let gates = if pop { text.block() } else { text.lock() };
    if view.lanes.iter().any(|lane| lane.lock != LockView::None) {
        draw.text("lock", "heading middle", (layout.gate_x, 28.0), gates);
    }
}

/// The topic whose queues are lanes; with several consumer groups also whose states they show.
fn topic(view: &StageView, layout: &Layout, lane_x: f64, text: StageText) -> Option<String> {
    let topic = view.topic.as_ref()?;
    let kind = shelf::kind_name(topic.kind);
    let said = format!("{} · {kind} · {}", topic.name, text.queues(topic.write_queues));
    let group = view.group.as_ref().filter(|_| !view.other_groups.is_empty());
    let with_group = group.map(|group| text.joined(&said, &text.of_group(&group.name)));
    let room = layout.gate_x - 30.0 - lane_x - wide(text.broker());
    Some(with_group.filter(|said| wide(said) <= room).unwrap_or(said))
}

/// Names of the brokers above their lanes.
pub fn brokers(draw: &mut Draw, view: &StageView, layout: &Layout, text: StageText) {
    for (id, (broker, at)) in view.brokers.iter().zip(&layout.broker_names).enumerate() {
        let note = if broker.up { "" } else { text.down() };
        let mut inner = Draw::new();
        let note = ("heading-note", note.to_owned());
        inner.text_with_note("name", "heading", *at, &broker.name, note);
        draw.machine(broker.first_lane, "broker-name", ('b', id), inner);
    }
}
