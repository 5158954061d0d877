//! The page of Lockstep: it translates between people and the core. Texts, clock and geometry
//! know no browser and are tested natively; everything else is built for wasm32 alone.

pub mod app;
#[cfg(target_arch = "wasm32")]
pub mod measure;
pub mod ui;

pub use lockstep_i18n as i18n;
