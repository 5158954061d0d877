//! The stage: one drawing with fixed geometry. Structure comes from Yew; positions of tokens,
//! rings and figures are painted.

pub mod arrows;
pub mod layout;
pub mod route;
pub mod shows;
pub mod svg;

#[cfg(target_arch = "wasm32")]
mod component;
#[cfg(target_arch = "wasm32")]
mod consumer;
#[cfg(target_arch = "wasm32")]
mod gate;
#[cfg(target_arch = "wasm32")]
mod groups;
#[cfg(target_arch = "wasm32")]
mod grpc;
#[cfg(target_arch = "wasm32")]
mod headings;
#[cfg(target_arch = "wasm32")]
mod lane;
#[cfg(target_arch = "wasm32")]
mod legend;
#[cfg(target_arch = "wasm32")]
mod motion;
#[cfg(target_arch = "wasm32")]
mod narration;
#[cfg(target_arch = "wasm32")]
mod parting;
#[cfg(target_arch = "wasm32")]
mod phone;
#[cfg(target_arch = "wasm32")]
mod producer;
#[cfg(target_arch = "wasm32")]
mod rests;
#[cfg_attr(
    not(target_arch = "wasm32"),
    allow(dead_code, reason = "drawn in the page, tested here")
)]
mod room;
#[cfg(target_arch = "wasm32")]
mod shelf;
#[cfg(target_arch = "wasm32")]
mod slide;
#[cfg(target_arch = "wasm32")]
pub mod strips;
#[cfg(target_arch = "wasm32")]
mod tokens;
#[cfg(target_arch = "wasm32")]
mod twin;

#[cfg(target_arch = "wasm32")]
pub use component::Stage;
#[cfg(target_arch = "wasm32")]
pub use lane::resting;
#[cfg(target_arch = "wasm32")]
pub use narration::{last_sentence, Narration};
#[cfg(target_arch = "wasm32")]
pub use tokens::state as token_state;

/// Left upper corner of the n-th dead letter, relative to the tray.
pub fn tray_place(nth: u32) -> (f64, f64) {
    let (column, row) = (f64::from(nth % 4), f64::from(nth / 4));
    (12.0 + 40.0 * column, 52.0 + 26.0 * row)
}
