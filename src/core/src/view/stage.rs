//! What the stage shows.

/// The stage at one instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StageView {}
