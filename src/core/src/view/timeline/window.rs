//! The part of the timeline that a screen shows.

use super::merge::{BarView, Bit, Merger};
use super::spans::{Span, Spans, OPEN_MS};
use super::{Pause, RowKey, Timeline, MAX_LANES};
use crate::ids::{ClientId, MessageQueue, Ms, MsgId};

/// What to show.
pub struct Window<'a> {
    /// First instant.
    pub from_ms: Ms,
    /// Last instant.
    pub to_ms: Ms,
    /// The present.
    pub now_ms: Ms,
    /// How many facts have happened at the present.
    pub facts: u32,
    /// Virtual time that one pixel stands for.
    pub ms_per_px: f64,
    /// Whether a client belongs to the consumer group that is shown.
    pub shows: &'a dyn Fn(ClientId) -> bool,
    /// Number of a message's series, which decides its colour.
    pub series: &'a dyn Fn(MsgId) -> u16,
}

/// Narrowest bar that carries a label, in pixels.
const LABEL_PX: f64 = 14.0;
/// Narrowest pause with its own hatch, in pixels.
const PAUSE_PX: f64 = 5.0;
/// Least distance of two renewal ticks, in pixels.
const RENEWAL_PX: f64 = 4.0;
/// What is closer than this is drawn as one, in pixels.
const NEAR_PX: f64 = 1.5;

/// A stretch of time in which one client owned the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BandView {
    /// Begin.
    pub from_ms: Ms,
    /// End, or [`OPEN_MS`].
    pub to_ms: Ms,
    /// Owner.
    pub client: ClientId,
}

/// A stretch of time in which nobody owned the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GapView {
    /// Begin.
    pub from_ms: Ms,
    /// End, or [`OPEN_MS`].
    pub to_ms: Ms,
}

/// A pause of the queue, or several short ones drawn as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseView {
    /// Begin.
    pub from_ms: Ms,
    /// End, or [`OPEN_MS`].
    pub to_ms: Ms,
    /// The message that failed.
    pub msg: MsgId,
    /// Failures of the message at the end of the pause.
    pub failures: u32,
    /// When it was set to end.
    pub until_ms: Ms,
}

/// One row: a queue, a message group or a consumer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowView {
    /// Whose row it is.
    pub key: RowKey,
    /// Who owned the queue when; in a consumer's row, when its process was there.
    pub bands: Vec<BandView>,
    /// When nobody owned the queue, from the first owner on.
    pub gaps: Vec<GapView>,
    /// Lock renewals.
    pub renewals: Vec<Ms>,
    /// Pauses.
    pub pauses: Vec<PauseView>,
    /// Labelled bars.
    pub bars: Vec<BarView>,
    /// Bars without a label.
    pub bits: Vec<Bit>,
    /// How many calls stand one above the other, at least 1.
    pub lanes: u8,
}

impl RowView {
    /// A row in which nothing has happened.
    pub fn empty(key: RowKey) -> Self {
        Self {
            key,
            bands: Vec::new(),
            gaps: Vec::new(),
            renewals: Vec::new(),
            pauses: Vec::new(),
            bars: Vec::new(),
            bits: Vec::new(),
            lanes: 1,
        }
    }
}

impl Timeline {
    /// What one queue shows. None when nothing is known of the queue.
    pub fn row_view(&self, queue: MessageQueue, window: &Window<'_>) -> Option<RowView> {
        let row = self.rows.get(&queue)?;
        let mut merger = window.merger();
        let mut lanes = 1;
        for span in window.of(&row.bars, |bar| bar.client) {
            lanes = lanes.max(span.what.lane + 1);
            merger.add(span, window.facts);
        }
        let (bands, gaps) = self.bands(queue, window);
        Some(RowView {
            key: RowKey::Queue(queue),
            bands,
            gaps,
            renewals: renewals(&row.renewals, window.ms(RENEWAL_PX), window),
            pauses: self.pauses(queue, window.narrow_pause_ms(), window),
            bars: merger.bars,
            bits: merger.bits,
            lanes: lanes.min(MAX_LANES),
        })
    }

    /// Owners, and the gaps between them. What lies before the first owner is no gap: the group
    /// had not asked for the queue yet. An owner before the window counts.
    fn bands(&self, queue: MessageQueue, window: &Window<'_>) -> (Vec<BandView>, Vec<GapView>) {
        let (mut bands, mut gaps): (Vec<BandView>, Vec<GapView>) = (Vec::new(), Vec::new());
        let Some(row) = self.rows.get(&queue) else { return (bands, gaps) };
        let mut covered_ms = None;
        let known = row.owners.touching(Ms::MIN, window.to_ms.min(window.now_ms));
        for Span { life, what: client } in known {
            if !life.begun(window.facts) || !(window.shows)(*client) {
                continue;
            }
            let (from_ms, to_ms) = (life.from_ms, life.end_ms(window.facts));
            if let Some(before_ms) = covered_ms.filter(|ms| *ms < from_ms) {
                gaps.push(GapView { from_ms: before_ms, to_ms: from_ms });
            }
            covered_ms = covered_ms.max(Some(to_ms));
            // A drop and a return in the same instant is one stretch.
            match bands.last_mut() {
                Some(band) if band.client == *client && band.to_ms >= from_ms => {
                    band.to_ms = band.to_ms.max(to_ms);
                }
                _ => bands.push(BandView { from_ms, to_ms, client: *client }),
            }
        }
        if let Some(before_ms) = covered_ms.filter(|ms| *ms != OPEN_MS) {
            gaps.push(GapView { from_ms: before_ms, to_ms: OPEN_MS });
        }
        bands.retain(|band| band.to_ms >= window.from_ms);
        gaps.retain(|gap| gap.to_ms >= window.from_ms);
        (bands, gaps)
    }

    /// Pauses; those too narrow for a hatch of their own are joined while they follow closely.
    fn pauses(&self, queue: MessageQueue, wide_ms: Ms, window: &Window<'_>) -> Vec<PauseView> {
        let mut pauses = Vec::new();
        let Some(row) = self.rows.get(&queue) else { return pauses };
        for span in window.of(&row.pauses, |pause| pause.client) {
            add_pause(&mut pauses, span, wide_ms, window.facts);
        }
        pauses
    }
}

impl Window<'_> {
    /// A number of pixels as virtual time, rounded up.
    pub(super) fn ms(&self, pixels: f64) -> Ms {
        (pixels * self.ms_per_px).ceil() as Ms
    }

    /// The spans of the window that had begun at the present, of the clients that are shown.
    pub(super) fn of<'s, T>(
        &'s self,
        spans: &'s Spans<T>,
        client: impl Fn(&T) -> ClientId + 's,
    ) -> impl Iterator<Item = &'s Span<T>> + 's {
        let touching = spans.touching(self.from_ms, self.to_ms.min(self.now_ms));
        touching.filter(move |s| s.life.begun(self.facts) && (self.shows)(client(&s.what)))
    }

    /// Sorts the calls of one row into bars and bits.
    pub(super) fn merger(&self) -> Merger<'_> {
        Merger::new(self.ms(LABEL_PX), self.ms(NEAR_PX), self.series)
    }

    /// Pauses shorter than this are joined.
    pub(super) fn narrow_pause_ms(&self) -> Ms {
        self.ms(PAUSE_PX)
    }
}

/// Adds a pause to those of a row, joined with the last one if both are narrow and close.
pub(super) fn add_pause(
    pauses: &mut Vec<PauseView>,
    Span { life, what }: &Span<Pause>,
    wide_ms: Ms,
    facts: u32,
) {
    let (from_ms, to_ms) = (life.from_ms, life.end_ms(facts));
    match pauses.last_mut() {
        Some(last)
            if last.to_ms != OPEN_MS
                && to_ms != OPEN_MS
                && to_ms - from_ms < wide_ms
                && from_ms - last.to_ms < wide_ms =>
        {
            last.to_ms = to_ms;
            last.msg = what.msg;
            last.failures = what.failures;
            last.until_ms = what.until_ms;
        }
        _ => pauses.push(PauseView {
            from_ms,
            to_ms,
            msg: what.msg,
            failures: what.failures,
            until_ms: what.until_ms,
        }),
    }
}

/// Renewal ticks of the window, no two closer than `near_ms`.
fn renewals(all: &[(Ms, u32, ClientId)], near_ms: Ms, window: &Window<'_>) -> Vec<Ms> {
    let start = all.partition_point(|(at_ms, ..)| *at_ms < window.from_ms);
    let mut ticks: Vec<Ms> = Vec::new();
    for (at_ms, fact, client) in &all[start..] {
        if *at_ms > window.to_ms || *fact >= window.facts {
            break;
        }
        let apart = ticks.last().is_none_or(|last| at_ms - last >= near_ms);
        if apart && (window.shows)(*client) {
            ticks.push(*at_ms);
        }
    }
    ticks
}
