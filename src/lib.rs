//! The page of Lockstep: it translates between people and the core. Texts, clock and geometry
//! know no browser and are tested natively; everything else is built for wasm32 alone.

pub mod app;
pub mod i18n;
#[cfg(target_arch = "wasm32")]
pub mod measure;
pub mod ui;
