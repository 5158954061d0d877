//! The consumers' column where nobody owns queues: cards of gRPC consumers from the top, and below
//! them the members of the other consumer groups.

use lockstep_core::view::stage::{ConsumerKind, ConsumerView, StageView};

use super::plan::Plan;
use super::Rect;

/// Height of a card's head.
const HEAD_H: f64 = 30.0;
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
/// So many consumers get cards with a row even if there is no room beside the lanes.
const MOST_CARDS: usize = 4;
/// Height of the name of a group.
const NAME_H: f64 = 18.0;
/// Height of a member of another group, and the distance to the next one.
const MEMBER: (f64, f64) = (28.0, 31.0);
/// From one classic consumer without a queue to the next.
pub const WAITING_PITCH: f64 = 36.0;
/// What the tray of dead letters wants below the column.
const TRAY_H: f64 = 128.0;

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

fn is_grpc(consumer: &ConsumerView) -> bool {
    consumer.kind != ConsumerKind::Classic
}

/// What another group takes of the height.
fn group_h(members: usize) -> f64 {
    NAME_H + MEMBER.1 * members as f64 + GAP - (MEMBER.1 - MEMBER.0)
}

/// How the cards of consumers are drawn in a room: with as many rows as they want, as long as there
/// are enough. A consumer that holds more than its share gets rows that others do not need.
fn forms(consumers: &[&ConsumerView], room: f64) -> Vec<Form> {
    let count = consumers.len();
    let gaps = GAP * (count.max(1) - 1) as f64;
    if count > MOST_CARDS && (room - gaps) / (count as f64) < SINGLE_H {
        return vec![Form::Line; count];
    }
    let all = ((room - gaps - (HEAD_H + 2.0) * count as f64) / ROW_PITCH).max(count as f64) as u32;
    let share = all / (count.max(1) as u32);
    let needs = |consumer: &ConsumerView| (consumer.holds.len() as u32).max(1);
    let mut rows: Vec<u32> = consumers.iter().map(|c| share.min(c.rows).max(1)).collect();
    for (i, consumer) in consumers.iter().enumerate() {
        while rows[i] < needs(consumer) {
            let spare = rows.iter().sum::<u32>() < all;
            let idle = (0..count).find(|j| *j != i && rows[*j] > needs(consumers[*j]));
            match idle {
                _ if spare => {}
                Some(other) => rows[other] -= 1,
                None => break,
            }
            rows[i] += 1;
        }
    }
    rows.into_iter().map(Form::Rows).collect()
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
    /// Lower end of the cards.
    pub cards_end: f64,
    /// Lower end of what stands in the column.
    pub end: f64,
}

impl Side {
    /// The column of a stage of a height, beside lanes that end at `lanes_end`.
    pub(super) fn of(view: &StageView, plan: &Plan, height: f64, lanes_end: f64) -> Self {
        let (x, w) = (plan.card_x, plan.card_w);
        let grpc: Vec<&ConsumerView> = view.consumers.iter().filter(|c| is_grpc(c)).collect();
        // Classic consumers stand beside their lanes.
        let free = grpc.len() == view.consumers.len() && view.group.as_ref().is_some_and(|g| g.pop);
        let mut y = if free { plan.top } else { lanes_end + GAP };
        // Those who have no queue stand in lanes that nobody has, else below the lanes.
        let idle = |c: &&ConsumerView| !is_grpc(c) && c.lanes.is_empty();
        let lanes_free = view.lanes.iter().filter(|lane| lane.rows.is_empty()).count();
        let idle = view.consumers.iter().filter(idle).count().saturating_sub(lanes_free);
        y += WAITING_PITCH * idle as f64;
        let below: f64 = view.other_groups.iter().map(|g| group_h(g.members.len())).sum();
        let room = (lanes_end - y).max(height - TRAY_H - below - y);
        let mut forms = forms(&grpc, room).into_iter();
        let card = |consumer: &ConsumerView| {
            if !is_grpc(consumer) {
                return None;
            }
            let card = GrpcCard::new(x, y, w, forms.next()?);
            y = card.rect.bottom() + GAP;
            Some(card)
        };
        let cards: Vec<Option<GrpcCard>> = view.consumers.iter().map(card).collect();
        let cards_end = y - GAP;
        if !free || grpc.is_empty() {
            y = y.max(lanes_end + GAP);
        }
        let mut others = Vec::with_capacity(view.other_groups.len());
        for group in view.other_groups.iter().filter(|_| !plan.narrow) {
            let top = y + NAME_H;
            let member = |i: usize| Rect { x, y: top + MEMBER.1 * i as f64, w, h: MEMBER.0 };
            let members = (0..group.members.len()).map(member).collect();
            others.push(OtherGroup { name_y: y + 12.0, members });
            y += group_h(group.members.len());
        }
        Self { cards, others, cards_end, end: y - GAP }
    }
}
