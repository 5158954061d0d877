//! The consumers' column where nobody owns queues: cards of gRPC consumers from the top, and below
//! them the members of the other consumer groups.

use lockstep_core::view::stage::{ConsumerKind, StageView};

use super::plan::Plan;
use super::Rect;

/// Height of a card's head.
const HEAD_H: f64 = 28.0;
/// Distance from one row of a card to the next: a caption and the row.
const ROW_PITCH: f64 = 56.0;
/// Height of a row.
const ROW_H: f64 = 38.0;
/// Height of a card with one row, whose caption stands in the head.
const SINGLE_H: f64 = 74.0;
/// Height of a card in one line.
const LINE_H: f64 = 32.0;
/// Between two cards.
const GAP: f64 = 8.0;
/// So many consumers get cards with a row even if the lanes are fewer.
const MOST_CARDS: usize = 4;
/// Height of the name of a group.
const NAME_H: f64 = 20.0;

/// The card of a gRPC consumer.
#[derive(Clone, Debug, PartialEq)]
pub struct GrpcCard {
    /// Its frame.
    pub rect: Rect,
    /// Its rows; one that is as high as the card stands for a card in one line.
    pub rows: Vec<Rect>,
}

impl GrpcCard {
    /// True for a card in one line.
    pub fn is_line(&self) -> bool {
        self.rect.h <= LINE_H
    }

    fn new(x: f64, y: f64, w: f64, form: Form) -> Self {
        let row = |y: f64, h: f64| Rect { x: x + 10.0, y, w: w - 20.0, h };
        let (h, rows) = match form {
            Form::Line => (LINE_H, vec![row(y, LINE_H)]),
            Form::Rows(0 | 1) => (SINGLE_H, vec![row(y + 31.0, ROW_H)]),
            Form::Rows(n) => {
                let first = y + HEAD_H + ROW_PITCH - ROW_H - 6.0;
                let rows = (0..n).map(|i| row(first + ROW_PITCH * f64::from(i), ROW_H));
                (HEAD_H + ROW_PITCH * f64::from(n) + 2.0, rows.collect())
            }
        };
        Self { rect: Rect { x, y, w, h }, rows }
    }
}

#[derive(Clone, Copy)]
enum Form {
    Line,
    Rows(u32),
}

/// Another consumer group: its name's baseline and its members.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherGroup {
    /// Baseline of its name.
    pub name_y: f64,
    /// Its members.
    pub members: Vec<Rect>,
}

/// The column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Side {
    /// Cards of gRPC consumers, one for each consumer of the view; None for classic ones.
    pub cards: Vec<Option<GrpcCard>>,
    /// The other groups.
    pub others: Vec<OtherGroup>,
    /// Lower end of what stands in the column.
    pub end: f64,
}

impl Side {
    /// The column beside lanes that end at `lanes_end`.
    pub(super) fn of(view: &StageView, plan: &Plan, lanes_end: f64) -> Self {
        let (x, w) = (plan.card_x, plan.card_w);
        let is_grpc = |kind: ConsumerKind| kind != ConsumerKind::Classic;
        let count = view.consumers.iter().filter(|c| is_grpc(c.kind)).count();
        // Classic consumers stand beside their lanes.
        let free = count == view.consumers.len() && view.group.as_ref().is_some_and(|g| g.pop);
        let mut y = if free { plan.top } else { lanes_end + GAP };
        let room =
            (lanes_end - plan.top).max((SINGLE_H + GAP) * count.min(MOST_CARDS) as f64 - GAP);
        let share = (room - GAP * (count.max(1) - 1) as f64) / count.max(1) as f64;
        let form = |wanted: u32| {
            let fit = ((share - HEAD_H - 2.0) / ROW_PITCH).max(0.0) as u32;
            if share < SINGLE_H {
                Form::Line
            } else {
                Form::Rows(fit.min(wanted))
            }
        };
        let cards: Vec<Option<GrpcCard>> = view
            .consumers
            .iter()
            .map(|consumer| {
                is_grpc(consumer.kind).then(|| {
                    let card = GrpcCard::new(x, y, w, form(consumer.rows));
                    y = card.rect.bottom() + GAP;
                    card
                })
            })
            .collect();
        let mut y = if free && count > 0 { y } else { y.max(lanes_end + GAP) };
        let mut others = Vec::with_capacity(view.other_groups.len());
        for group in view.other_groups.iter().filter(|_| !plan.narrow) {
            let name_y = y + 14.0;
            y += NAME_H;
            let member = |i: usize| Rect { x, y: y + (LINE_H + 4.0) * i as f64, w, h: LINE_H };
            let members: Vec<Rect> = (0..group.members.len()).map(member).collect();
            y = members.last().map_or(y, Rect::bottom) + GAP;
            others.push(OtherGroup { name_y, members });
        }
        Self { cards, others, end: y - GAP }
    }

    /// True when a gRPC consumer stands in the column.
    pub fn has_cards(&self) -> bool {
        self.cards.iter().any(Option::is_some)
    }
}
