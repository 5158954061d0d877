//! What the timeline shows of a frame: which queues, their names, their spans, marks and timers.

use std::rc::Rc;

use lockstep_core::ids::{ClientId, GroupId, Ms, MsgId};
use lockstep_core::shared::Shared;
use lockstep_core::view::stage::{self, LaneView};
use lockstep_core::view::timeline::{MarkKind, RowView, Timer, TimerKind, Window};
use yew::AttrValue;

use super::geometry::View;
use super::marks::{self, MarkView};
use super::row::Named;
use crate::app::core::Core;
use crate::app::frame::Frame;
use crate::i18n::sentence::{queue_name, Speaker};
use crate::i18n::timeline::TimelineText;
use crate::i18n::number;
use crate::ui::token::Hue;

/// Timers that are looked at; the rest of a long shelf would not fit on the screen.
const MAX_TIMERS: usize = 400;
/// Width of the mark of a broken guarantee.
const BROKEN_PX: f64 = 18.0;

/// The name of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Short name.
    pub name: AttrValue,
    /// Messages waiting.
    pub lag: AttrValue,
    /// Whether any do.
    pub lags: bool,
    /// Name with everything.
    pub full: AttrValue,
}

/// A timer that is set at the present, with the row it belongs to, if it belongs to one.
#[derive(Clone, Debug, PartialEq)]
pub struct TimerView {
    /// When.
    pub due_ms: Ms,
    /// Row.
    pub row: usize,
    /// Words.
    pub text: AttrValue,
}

/// What the timeline shows. Parts that stay the same stay the same `Rc`.
#[derive(Clone, Default)]
pub struct Projection {
    /// How many queues there are.
    pub count: usize,
    /// Place of the first one that is drawn.
    pub first: usize,
    /// Queues that are drawn: those that can be seen.
    pub rows: Vec<Rc<Named>>,
    /// Their names.
    pub labels: Vec<Label>,
    /// Timers of the rows.
    pub timers: Vec<TimerView>,
    /// What stands below the rows.
    pub marks: Rc<Vec<MarkView>>,
    /// Instants of broken guarantees.
    pub broken: Rc<Vec<Ms>>,
}

impl Projection {
    /// Projects a frame through a window.
    pub fn update(&mut self, frame: &Frame, view: &View) {
        let group = frame.stage.group.as_ref().map(|g| GroupId(g.index as u16));
        let core = frame.core.read();
        let shared = &core.session.world().shared;
        let facts = core.session.facts().len() as u32;
        let (from_ms, to_ms) = view.sheet_ms();
        let window = Window {
            from_ms,
            to_ms,
            now_ms: frame.now_ms,
            facts,
            ms_per_px: 1.0 / view.px_per_ms(),
            shows: &|client| group.is_none_or(|g| group_of(&core, client) == Some(g)),
            series: &|msg| shared.message(msg).series.0,
        };
        let lanes = &frame.stage.lanes;
        let drawn = view.rows(lanes.len());
        (self.count, self.first) = (lanes.len(), drawn.start);
        let old = std::mem::take(&mut self.rows);
        self.labels.clear();
        for lane in lanes.get(drawn).unwrap_or_default() {
            let row = core.timeline.row_view(lane.queue, &window);
            let named = named(shared, row.unwrap_or_else(|| RowView::empty(lane.queue)));
            // The same content keeps its Rc, so that the row is not even compared again.
            let kept = old.iter().find(|old| ***old == named).cloned();
            self.rows.push(kept.unwrap_or_else(|| Rc::new(named)));
            self.labels.push(row_label(frame, shared, lane));
        }
        let timers = core.timeline.timers(frame.now_ms, facts, MAX_TIMERS);
        let speaker = Speaker { world: core.session.world(), locale: frame.locale };
        self.timers = timers.iter().filter_map(|t| self.timer(t, &speaker, window.shows)).collect();
        let due: Vec<(Ms, MsgId)> = timers
            .iter()
            .filter_map(|timer| match timer.what {
                TimerKind::Due { msg, .. } => Some((timer.due_ms, msg)),
                _ => None,
            })
            .collect();
        let shown = core.timeline.marks(from_ms, to_ms.min(frame.now_ms), facts);
        let word = |kind: &MarkKind| marks::word(kind, &core, frame, &speaker);
        let marks = marks::layout(frame, view, shown, &word, &due, &speaker);
        if *self.marks != marks {
            self.marks = Rc::new(marks);
        }
        let broken = broken(&core, view);
        if *self.broken != broken {
            self.broken = Rc::new(broken);
        }
    }

    /// A timer that belongs to a row.
    fn timer(
        &self,
        timer: &Timer,
        speaker: &Speaker<'_>,
        shows: &dyn Fn(ClientId) -> bool,
    ) -> Option<TimerView> {
        let texts = TimelineText(speaker.locale);
        let (queue, text) = match timer.what {
            TimerKind::Again { queue, msg, client } if shows(client) => {
                (queue, texts.again(&speaker.msg(msg)))
            }
            TimerKind::Relock { queue, client } if shows(client) => {
                (queue, texts.relock(speaker.client(client)))
            }
            _ => return None,
        };
        let row = self.first + self.rows.iter().position(|r| r.row.queue == queue)?;
        Some(TimerView { due_ms: timer.due_ms, row, text: text.into() })
    }
}

/// Instants of the broken guarantees on the sheet, no two so close that their marks would touch.
fn broken(core: &Core, view: &View) -> Vec<Ms> {
    let (from_ms, to_ms) = view.sheet_ms();
    let mut instants: Vec<Ms> = Vec::new();
    for violation in core.session.violations() {
        let near = instants
            .last()
            .is_some_and(|last| (violation.at_ms - last) as f64 * view.px_per_ms() < BROKEN_PX);
        if (from_ms..=to_ms).contains(&violation.at_ms) && !near {
            instants.push(violation.at_ms);
        }
    }
    instants
}

/// The consumer group of a client.
fn group_of(core: &Core, client: ClientId) -> Option<GroupId> {
    core.session.world().clients.get(client.index()).map(|c| c.group())
}

fn named(shared: &Shared, row: RowView) -> Named {
    let hue = |msg: MsgId| hue(shared, msg);
    Named {
        bars: row
            .bars
            .iter()
            .map(|b| (shared.label(b.msg).to_string().into(), hue(b.msg)))
            .collect(),
        bits: row.bits.iter().map(|b| hue(b.msg)).collect(),
        owners: row
            .bands
            .iter()
            .map(|b| shared.names.clients[b.client.index()].clone().into())
            .collect(),
        row,
    }
}

fn row_label(frame: &Frame, shared: &Shared, lane: &LaneView) -> Label {
    let lag = lane.lag();
    Label {
        name: AttrValue::from(&*lane.name),
        lag: TimelineText(frame.locale).lag(&number(lag)).into(),
        lags: lag > 0,
        full: queue_name(shared, lane.queue).into(),
    }
}

/// The colour of a message's group.
pub fn hue(shared: &Shared, msg: MsgId) -> Hue {
    Hue(stage::hue(&shared.names, shared.message(msg).series))
}
