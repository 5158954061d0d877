//! The rows of one run, or of two: the same queue of both stands together, and a queue that is the
//! same in both has one row.

use std::rc::Rc;

use lockstep_core::ids::MsgId;
use lockstep_core::view::compare::Side;
use lockstep_core::view::timeline::RowKey;
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::geometry::{Px, PITCH};
use super::row::{Named, Sheet};
use super::rows::{Label, Projection, TimerView};
use crate::app::beside::Pair;
use crate::app::frame::Frame;
use crate::ui::icon::{sized, Icon};
use crate::ui::pair::sign;

/// One row.
pub struct PairRow {
    /// Which of two runs it belongs to; None while there is one.
    pub side: Option<Side>,
    /// What it shows.
    pub named: Rc<Named>,
    /// Its name.
    pub label: Label,
    /// Whether its queue is selected.
    pub selected: bool,
    /// The selected and the hovered message.
    pub marked: (Option<MsgId>, Option<MsgId>),
    /// Whether it stands for both runs.
    pub both: bool,
}

/// The rows from the top to the bottom.
pub fn rows(frame: &Frame, first: &Projection, second: &Projection) -> Vec<PairRow> {
    let Some(pair) = &frame.pair else {
        let all = 0..first.rows.len();
        return all.filter_map(|index| row(frame, None, first, index, false)).collect();
    };
    let mut rows = Vec::new();
    let mut taken = vec![false; second.rows.len()];
    for (index, (named, label)) in first.rows.iter().zip(&first.labels).enumerate() {
        let place = counterpart(pair, label.subject, second);
        let other = place.and_then(|place| second.rows.get(place));
        let both = other.is_some_and(|other| is_same(pair, named, other));
        rows.extend(row(frame, Some(Side::First), first, index, both));
        if let Some(place) = place {
            taken[place] = true;
            if !both {
                rows.extend(row(&pair.second, Some(Side::Second), second, place, false));
            }
        }
    }
    let left = taken.iter().enumerate().filter(|(_, taken)| !**taken);
    rows.extend(
        left.filter_map(|(place, _)| row(&pair.second, Some(Side::Second), second, place, false)),
    );
    rows
}

/// The row of the same thing in the second run.
fn counterpart(pair: &Pair, subject: Subject, second: &Projection) -> Option<usize> {
    let there = pair.compared.read().counterpart(Side::First, subject)?;
    second.labels.iter().position(|label| label.subject == there)
}

/// Nothing parts in this queue in the whole runs, and both rows show the same.
fn is_same(pair: &Pair, first: &Named, second: &Named) -> bool {
    let parts = match first.row.key {
        RowKey::Queue(queue) => pair.queues[0].contains(&queue),
        RowKey::MessageGroup(_) | RowKey::Consumer(_) => true,
    };
    pair.done && !parts && first.bars == second.bars && first.owners == second.owners
}

fn row(
    frame: &Frame,
    side: Option<Side>,
    of: &Projection,
    index: usize,
    both: bool,
) -> Option<PairRow> {
    let message = |subject: Option<Subject>| match subject {
        Some(Subject::Message(msg)) => Some(msg),
        _ => None,
    };
    let named = of.rows.get(index)?;
    let label = of.labels.get(index)?;
    Some(PairRow {
        side,
        named: Rc::clone(named),
        label: label.clone(),
        selected: frame.selection == Some(label.subject),
        marked: (message(frame.selection), message(frame.hover)),
        both,
    })
}

/// The timers of the rows, with the upper edges of their rows.
pub fn timers<'a>(
    rows: &[PairRow],
    first: &'a Projection,
    second: &'a Projection,
) -> Vec<(&'a TimerView, f64)> {
    let mut timers = Vec::new();
    for (of, is_second) in [(first, false), (second, true)] {
        for timer in &of.timers {
            let named = timer.row.checked_sub(of.first).and_then(|row| of.rows.get(row));
            let place = named.and_then(|named| {
                let own = |row: &PairRow| (row.side == Some(Side::Second)) == is_second;
                rows.iter().position(|row| own(row) && Rc::ptr_eq(&row.named, named))
            });
            timers.extend(place.map(|place| (timer, (of.first + place) as f64 * PITCH)));
        }
    }
    timers
}

/// The signs of the runs that a row stands for.
pub fn signs(row: &PairRow) -> Html {
    match row.side {
        None => Html::default(),
        Some(_) if row.both => html! { <>{ sign(Side::First) }{ sign(Side::Second) }</> },
        Some(side) => sign(side),
    }
}

/// The place at which the two runs part.
pub fn parting_x(frame: &Frame, sheet: &Sheet) -> Option<f64> {
    frame.pair.as_ref()?.first.map(|first| sheet.x(first.at_ms))
}

/// Where the two runs part.
pub fn parting(frame: &Frame, sheet: &Sheet) -> Html {
    parting_x(frame, sheet).map_or_else(Html::default, |x| {
        html! {
            <div key="parting" class="tl-parting" style={format!("left:{}px", Px(x))}>{ sized(Icon::Branch, 14) }</div>
        }
    })
}
