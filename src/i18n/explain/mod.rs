//! Explanations in words: one catalogue for the page and the command line.

mod broken;
mod change;
mod diagnosis;
mod guarantee;
mod page;
mod reason;
mod rule;
mod state;

pub use broken::BrokenText;
pub use change::ChangeText;
pub use diagnosis::SymptomText;
pub use guarantee::GuaranteeText;
pub use page::{unnamed, PageText};
pub use rule::RuleText;
