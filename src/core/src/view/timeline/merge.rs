//! How listener calls become bars that a screen can hold: those that are wide enough for a label
//! stay themselves, narrower ones are drawn together, so that the cost depends on the width of
//! the screen and never on the length of the run.

use super::spans::{Span, OPEN_MS};
use super::Bar;
use crate::fact::Outcome;
use crate::ids::{ClientId, Ms, MsgId};

/// How a listener call looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shade {
    /// It succeeded.
    Handled,
    /// It failed.
    Failed,
    /// It runs.
    Running,
    /// It never returned: its process ended.
    Cut,
}

impl Shade {
    fn of(bar: &Bar, end_ms: Ms) -> Self {
        match bar.outcome {
            _ if end_ms == OPEN_MS => Self::Running,
            None => Self::Cut,
            Some(Outcome::Success | Outcome::Commit) => Self::Handled,
            Some(Outcome::Later | Outcome::Rollback | Outcome::Null | Outcome::Exception) => {
                Self::Failed
            }
        }
    }
}

/// A call that is wide enough to carry its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarView {
    /// Begin.
    pub from_ms: Ms,
    /// End, or [`OPEN_MS`] while it runs.
    pub to_ms: Ms,
    /// Message.
    pub msg: MsgId,
    /// Where.
    pub client: ClientId,
    /// Attempt, from 1.
    pub attempt: u32,
    /// Look.
    pub shade: Shade,
    /// Place among the calls of the same time.
    pub lane: u8,
}

/// One or more narrow calls, drawn as one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bit {
    /// Begin.
    pub from_ms: Ms,
    /// End.
    pub to_ms: Ms,
    /// A message of the piece; all of one message group unless `mixed`.
    pub msg: MsgId,
    /// Whether it holds several message groups.
    pub mixed: bool,
    /// The worst look in it.
    pub shade: Shade,
    /// Place among the calls of the same time.
    pub lane: u8,
    /// How many calls.
    pub count: u32,
}

/// Sorts calls into bars and bits.
pub(super) struct Merger<'a> {
    /// Calls shorter than this become bits.
    pub wide_ms: Ms,
    /// Bits closer than this are drawn as one.
    pub near_ms: Ms,
    /// The series number of a message, to keep one colour per piece.
    pub series: &'a dyn Fn(MsgId) -> u16,
    pub bars: Vec<BarView>,
    pub bits: Vec<Bit>,
    open: [Option<usize>; super::MAX_LANES as usize],
}

impl<'a> Merger<'a> {
    pub fn new(wide_ms: Ms, near_ms: Ms, series: &'a dyn Fn(MsgId) -> u16) -> Self {
        let open = [None; super::MAX_LANES as usize];
        Self { wide_ms, near_ms, series, bars: Vec::new(), bits: Vec::new(), open }
    }

    pub fn add(&mut self, span: &Span<Bar>, facts: u32) {
        let (from_ms, to_ms) = (span.life.from_ms, span.life.end_ms(facts));
        let Bar { msg, client, attempt, lane, .. } = span.what;
        let shade = Shade::of(&span.what, to_ms);
        if to_ms == OPEN_MS || to_ms - from_ms >= self.wide_ms {
            self.bars.push(BarView { from_ms, to_ms, msg, client, attempt, shade, lane });
            self.open[lane as usize] = None;
            return;
        }
        if let Some(bit) = self.open[lane as usize].map(|index| &mut self.bits[index]) {
            // A piece never grows so wide that it could be taken for one call.
            let joins = from_ms - bit.to_ms < self.near_ms;
            let same = (self.series)(bit.msg) == (self.series)(msg) && bit.shade == shade;
            let tiny = to_ms - from_ms < self.near_ms;
            if joins && (same || tiny) && to_ms - bit.from_ms < self.wide_ms.max(4 * self.near_ms) {
                bit.to_ms = bit.to_ms.max(to_ms);
                bit.mixed |= (self.series)(bit.msg) != (self.series)(msg);
                bit.shade = bit.shade.max(shade);
                bit.count += 1;
                return;
            }
        }
        self.open[lane as usize] = Some(self.bits.len());
        self.bits.push(Bit { from_ms, to_ms, msg, mixed: false, shade, lane, count: 1 });
    }
}
