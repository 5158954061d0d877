//! Which stretch of the run the charts show.

use lockstep_core::ids::Ms;

use crate::i18n::views::ChartsText;

/// A stretch that ends with the present.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Range {
    /// From the beginning.
    #[default]
    Whole,
    /// The last so many ms.
    Last(Ms),
}

impl Range {
    /// The choices, in their order.
    pub const ALL: [Self; 5] = [
        Self::Whole,
        Self::Last(600_000),
        Self::Last(60_000),
        Self::Last(10_000),
        Self::Last(2_000),
    ];

    /// What it is called.
    pub fn text(self, texts: ChartsText) -> String {
        match self {
            Self::Whole => texts.whole_run().to_owned(),
            Self::Last(ms) if ms % 60_000 == 0 => texts.last_minutes(ms / 60_000),
            Self::Last(ms) => texts.last_seconds(ms / 1_000),
        }
    }

    /// First and last instant of the axis, at a present, in a run that is known up to `end_ms`. A range
    /// goes on in steps of a tenth, so that the charts are not read anew for every instant.
    pub fn span(self, now_ms: Ms, end_ms: Ms) -> (Ms, Ms) {
        match self {
            Self::Last(ms) if now_ms > ms => {
                let step = ms / 10;
                let from_ms = (now_ms - ms + step - 1) / step * step;
                (from_ms, from_ms + ms)
            }
            Self::Last(ms) => (0, ms),
            Self::Whole => (0, end_ms.max(now_ms).max(10_000)),
        }
    }
}
