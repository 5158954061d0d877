//! What the timeline shows of a frame: which queues, their names, their spans, marks and timers.

use std::rc::Rc;

use lockstep_core::ids::{ClientId, GroupId, MessageGroupId, MessageQueue, Ms, MsgId};
use lockstep_core::shared::{MessageGroup, Shared};
use lockstep_core::view::stage::{self, LaneView};
use lockstep_core::view::timeline::{MarkKind, RowKey, RowView, Timer, TimerKind, Window};
use lockstep_core::view::Subject;
use yew::AttrValue;

use super::geometry::View;
use super::map;
use super::marks::{self, MarkView};
use super::paint::{real_now_ms, REDRAW_MS};
use super::row::{Named, Sheet};
use crate::app::core::Core;
use crate::app::frame::Frame;
use crate::i18n::sentence::{queue_name, Speaker};
use crate::i18n::timeline::TimelineText;
use crate::i18n::{number, Locale};
use crate::ui::token::Hue;

/// Timers that are looked at; the rest of a long shelf would not fit on the screen.
const MAX_TIMERS: usize = 400;
/// Most rows of message groups or consumers; more would only be scrolled past.
const MAX_ROWS: usize = 100;
/// Width of the mark of a broken guarantee.
const BROKEN_PX: f64 = 18.0;

/// By what the rows are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrangement {
    /// One row for each queue.
    #[default]
    Queues,
    /// One for each message group.
    MessageGroups,
    /// One for each consumer of the chosen consumer group.
    Consumers,
}

/// The name of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// What choosing it selects.
    pub subject: Subject,
    /// Short name.
    pub name: AttrValue,
    /// Messages waiting; empty where rows are no queues.
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
    /// Queues.
    pub rows: Vec<Rc<Named>>,
    /// Their names.
    pub labels: Vec<Label>,
    /// Timers of the rows.
    pub timers: Vec<TimerView>,
    /// What stands below the rows.
    pub marks: Rc<Vec<MarkView>>,
    /// Instants of broken guarantees.
    pub broken: Rc<Vec<Ms>>,
    /// How much was handled when, as the path of the whole run's strip.
    pub activity: AttrValue,
    /// What it was made for.
    key: Option<(u32, Locale, Option<GroupId>, Sheet, Arrangement)>,
}

impl Projection {
    /// Projects a frame through a window.
    ///
    /// While the run plays, new facts alone do not draw the rows more often than
    /// [`REDRAW_MS`]; the animation frame asks again when that time is over.
    pub fn update(&mut self, frame: &Frame, view: &mut View, arrangement: Arrangement) {
        let group = frame.stage.group.as_ref().map(|g| GroupId(g.index as u16));
        let key = (frame.generation, frame.locale, group, Sheet::from(*view), arrangement);
        let real_ms = real_now_ms();
        if frame.playing && self.key == Some(key) && real_ms - view.drawn_ms < REDRAW_MS {
            view.late = true;
            return;
        }
        (view.late, view.drawn_ms, self.key) = (false, real_ms, Some(key));
        self.project(frame, view, group, arrangement);
    }

    fn project(
        &mut self,
        frame: &Frame,
        view: &View,
        group: Option<GroupId>,
        arrangement: Arrangement,
    ) {
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
        let (labels, rows) = match arrangement {
            Arrangement::Queues => queues(frame, &core, &window),
            Arrangement::MessageGroups => message_groups(frame, &core, &window),
            Arrangement::Consumers => consumers(&core, &window),
        };
        self.labels = labels;
        let keep = |(index, row): (usize, RowView)| {
            let named = named(shared, row);
            // The same content keeps its Rc, so that the row is not even compared again.
            let kept = self.rows.get(index).filter(|old| ***old == named).cloned();
            kept.unwrap_or_else(|| Rc::new(named))
        };
        self.rows = rows.into_iter().enumerate().map(keep).collect();
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
        let end_ms = frame.scenario.program.until_ms;
        if map::is_longer(end_ms, view) {
            let pieces = map::columns(view.width_px);
            let counts = core.timeline.activity(pieces, end_ms, frame.now_ms);
            self.activity = map::activity_path(&counts).into();
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
        let (queue, client, msg, text) = match timer.what {
            TimerKind::Again { queue, msg, client } if shows(client) => {
                (queue, client, Some(msg), texts.again(&speaker.msg(msg)))
            }
            TimerKind::Relock { queue, client } if shows(client) => {
                (queue, client, None, texts.relock(speaker.client(client)))
            }
            _ => return None,
        };
        let series = msg.map(|msg| speaker.world.shared.message(msg).series);
        let is_its = |key: RowKey| match key {
            RowKey::Queue(other) => other == queue,
            RowKey::Consumer(other) => other == client,
            RowKey::MessageGroup(other) => series == Some(other),
        };
        let row = self.rows.iter().position(|r| is_its(r.row.key))?;
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

/// The queues of the stage.
fn queues(frame: &Frame, core: &Core, window: &Window<'_>) -> (Vec<Label>, Vec<RowView>) {
    let shared = &core.session.world().shared;
    let row = |queue: MessageQueue| {
        let known = core.timeline.row_view(queue, window);
        known.unwrap_or_else(|| RowView::empty(RowKey::Queue(queue)))
    };
    let lanes = &frame.stage.lanes;
    lanes.iter().map(|lane| (queue_label(frame, shared, lane), row(lane.queue))).unzip()
}

/// The message groups and series of the run, in the order in which they were declared.
fn message_groups(frame: &Frame, core: &Core, window: &Window<'_>) -> (Vec<Label>, Vec<RowView>) {
    let texts = TimelineText(frame.locale);
    let series = &core.session.world().shared.names.series;
    let label = |(index, series): (usize, &MessageGroup)| {
        let key = series.key.as_deref();
        let full = match key.filter(|key| *key != series.name) {
            Some(key) => texts.group_of_key(&series.name, key),
            None => series.name.clone(),
        };
        named_row(Subject::MessageGroup(MessageGroupId(index as u16)), &series.name, full)
    };
    let labels: Vec<Label> = series.iter().enumerate().take(MAX_ROWS).map(label).collect();
    let key = |index: usize| RowKey::MessageGroup(MessageGroupId(index as u16));
    let keys: Vec<RowKey> = (0..labels.len()).map(key).collect();
    (labels, core.timeline.rows_by(&keys, window))
}

/// The consumers of the chosen group.
fn consumers(core: &Core, window: &Window<'_>) -> (Vec<Label>, Vec<RowView>) {
    let names = &core.session.world().shared.names.clients;
    let all = (0..names.len()).map(|index| ClientId(index as u16));
    let shown: Vec<ClientId> =
        all.filter(|client| (window.shows)(*client)).take(MAX_ROWS).collect();
    let label = |client: &ClientId| {
        let name = &names[client.index()];
        named_row(Subject::Client(*client), name, name.clone())
    };
    let keys: Vec<RowKey> = shown.iter().map(|client| RowKey::Consumer(*client)).collect();
    (shown.iter().map(label).collect(), core.timeline.rows_by(&keys, window))
}

fn named_row(subject: Subject, name: &str, full: String) -> Label {
    let name = AttrValue::from(name.to_owned());
    Label { subject, name, lag: AttrValue::default(), lags: false, full: full.into() }
}

fn queue_label(frame: &Frame, shared: &Shared, lane: &LaneView) -> Label {
    let lag = lane.lag();
    Label {
        subject: Subject::Queue(lane.queue),
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
