//! Explanations in words: one catalogue for the page and the command line.

mod change;
mod page;
mod reason;
mod rule;
mod state;

pub use page::{unnamed, PageText};
pub use rule::RuleText;
