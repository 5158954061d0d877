//! The list of scenarios, a popover below the header's button.

pub mod lessons;
#[cfg(target_arch = "wasm32")]
mod popover;

#[cfg(target_arch = "wasm32")]
pub use popover::Picker;
