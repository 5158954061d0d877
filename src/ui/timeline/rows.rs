//! What the timeline shows of a frame: which queues, their names, their spans, marks and timers.

use std::rc::Rc;

use lockstep_core::ids::{ClientId, GroupId, MessageGroupId, Ms, MsgId};
use lockstep_core::shared::Shared;
use lockstep_core::view::stage::{self, LaneView};
use lockstep_core::view::timeline::{MarkKind, RowKey, RowView, Timer, TimerKind, Window};
use lockstep_core::view::Subject;
use yew::AttrValue;

use super::geometry::View;
use super::map;
use super::marks::{self, MarkView};
use super::row::Named;
use crate::app::core::Core;
use crate::app::frame::Frame;
use crate::i18n::number;
use crate::i18n::sentence::{queue_name, Speaker};
use crate::i18n::timeline::TimelineText;
use crate::ui::token::Hue;

/// Timers that are looked at; the rest of a long shelf would not fit on the screen.
const MAX_TIMERS: usize = 400;
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
    /// The broker of a queue; empty where there is one broker.
    pub broker: AttrValue,
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
    /// How much was handled when, as the path of the whole run's strip.
    pub activity: AttrValue,
}

impl Projection {
    /// Projects a frame through a window. Of two runs every row is drawn, because which of them can be
    /// seen depends on both.
    pub fn update(&mut self, frame: &Frame, view: &View, arrangement: Arrangement) {
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
        let keys = keys(frame, shared, arrangement, window.shows);
        let drawn = match frame.side {
            None => view.rows(keys.len()),
            Some(_) => 0..keys.len(),
        };
        (self.count, self.first) = (keys.len(), drawn.start);
        let keys = keys.get(drawn).unwrap_or_default();
        let rows = match arrangement {
            Arrangement::Queues => keys.iter().map(|key| queue_row(&core, *key, &window)).collect(),
            Arrangement::MessageGroups | Arrangement::Consumers => {
                core.timeline.rows_by(keys, &window)
            }
        };
        let old = std::mem::take(&mut self.rows);
        let keep = |row: RowView| {
            let named = named(shared, row);
            // The same content keeps its Rc, so that the row is not even compared again.
            let kept = old.iter().find(|old| ***old == named).cloned();
            kept.unwrap_or_else(|| Rc::new(named))
        };
        self.rows = rows.into_iter().map(keep).collect();
        self.labels = keys.iter().map(|key| label(frame, shared, *key)).collect();
        // A timer that is set may be what an open question asks for.
        let most = if frame.asked.is_some() { 0 } else { MAX_TIMERS };
        let timers = core.timeline.timers(frame.now_ms, facts, most);
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
        let end_ms = frame.until_ms;
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
        let row = self.first + self.rows.iter().position(|r| is_its(r.row.key))?;
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

/// Whose rows there are, from top to bottom.
fn keys(
    frame: &Frame,
    shared: &Shared,
    arrangement: Arrangement,
    shows: &dyn Fn(ClientId) -> bool,
) -> Vec<RowKey> {
    let names = &shared.names;
    match arrangement {
        Arrangement::Queues => {
            frame.stage.lanes.iter().map(|lane| RowKey::Queue(lane.queue)).collect()
        }
        Arrangement::MessageGroups => {
            let groups = (0..names.series.len()).map(|index| MessageGroupId(index as u16));
            groups.map(RowKey::MessageGroup).collect()
        }
        Arrangement::Consumers => {
            let clients = (0..names.clients.len()).map(|index| ClientId(index as u16));
            clients.filter(|client| shows(*client)).map(RowKey::Consumer).collect()
        }
    }
}

/// A queue's row; an empty one where nothing has happened yet.
fn queue_row(core: &Core, key: RowKey, window: &Window<'_>) -> RowView {
    let known = match key {
        RowKey::Queue(queue) => core.timeline.row_view(queue, window),
        RowKey::MessageGroup(_) | RowKey::Consumer(_) => None,
    };
    known.unwrap_or_else(|| RowView::empty(key))
}

/// The name of a row.
fn label(frame: &Frame, shared: &Shared, key: RowKey) -> Label {
    let texts = TimelineText(frame.locale);
    let (subject, name, full, lag) = match key {
        RowKey::Queue(queue) => {
            let lane = frame.stage.lanes.iter().find(|lane| lane.queue == queue);
            let name = lane.map(|lane| AttrValue::from(&*lane.name)).unwrap_or_default();
            let lag = lane.map(LaneView::lag);
            (Subject::Queue(queue), name, queue_name(shared, queue), lag)
        }
        RowKey::MessageGroup(group) => {
            let series = &shared.names.series[group.index()];
            let full = match series.key.as_deref().filter(|key| *key != series.name) {
                Some(key) => texts.group_of_key(&series.name, key),
                None => series.name.clone(),
            };
            (Subject::MessageGroup(group), series.name.clone().into(), full, None)
        }
        RowKey::Consumer(client) => {
            let name = shared.names.clients[client.index()].clone();
            (Subject::Client(client), name.clone().into(), name, None)
        }
    };
    let several = frame.stage.brokers.len() > 1;
    let broker = match key {
        RowKey::Queue(queue) if several => shared.names.brokers.get(queue.broker.index()),
        _ => None,
    };
    Label {
        subject,
        name,
        broker: broker.cloned().unwrap_or_default().into(),
        lag: lag.map(|lag| texts.lag(&number(lag))).unwrap_or_default().into(),
        lags: lag.is_some_and(|lag| lag > 0),
        full: full.into(),
    }
}

/// The colour of a message's group.
pub fn hue(shared: &Shared, msg: MsgId) -> Hue {
    Hue(stage::hue(&shared.names, shared.message(msg).series))
}
