//! The stage's projection on small runs.
