//! Explanations in words: one catalogue for the page and the command line.

pub(crate) mod broken;
pub(crate) mod change;
pub(crate) mod diagnosis;
pub(crate) mod guarantee;
pub(crate) mod lines;
pub(crate) mod page;
pub(crate) mod reason;
pub(crate) mod reason_text;
pub(crate) mod rule;
pub(crate) mod state;
mod working;

pub use broken::BrokenText;
pub use change::ChangeText;
pub use diagnosis::SymptomText;
pub use guarantee::GuaranteeText;
pub use lines::Quoted;
pub use page::{unnamed, PageText};
pub use rule::RuleText;
