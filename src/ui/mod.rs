//! The views: function components that read a `crate::app::frame::Frame` and send
//! `crate::app::msg::Msg`s. Geometry knows no browser and is tested natively.

#[cfg(target_arch = "wasm32")]
pub mod concern;
#[cfg(target_arch = "wasm32")]
mod dialog;
#[cfg(target_arch = "wasm32")]
pub mod draw;
#[cfg(target_arch = "wasm32")]
pub mod focus;
#[cfg(target_arch = "wasm32")]
pub mod glossary;
#[cfg(target_arch = "wasm32")]
pub mod hands;
#[cfg(target_arch = "wasm32")]
pub mod header;
#[cfg(target_arch = "wasm32")]
pub mod icon;
#[cfg(target_arch = "wasm32")]
pub mod keys;
#[cfg(target_arch = "wasm32")]
pub mod labels;
#[cfg(target_arch = "wasm32")]
mod late;
pub mod light;
#[cfg(target_arch = "wasm32")]
pub mod menu;
#[cfg(target_arch = "wasm32")]
pub mod notice;
#[cfg(target_arch = "wasm32")]
pub mod pair;
#[cfg(target_arch = "wasm32")]
pub mod panel;
pub mod picker;
pub mod plot;
#[cfg(target_arch = "wasm32")]
pub mod sheet;
#[cfg(target_arch = "wasm32")]
pub mod splitter;
pub mod stage;
pub mod timeline;
#[cfg(target_arch = "wasm32")]
pub mod token;
#[cfg(target_arch = "wasm32")]
pub mod transport;
#[cfg(target_arch = "wasm32")]
pub mod verdicts;
