//! The timeline: what happened in every queue, under one ruler. Yew draws sheets that are wider
//! than the screen and only when something on them changes; the playhead, the place of the sheets
//! and the cover over the future are written by the animation frame.

#[cfg(target_arch = "wasm32")]
mod component;
pub mod geometry;
#[cfg(target_arch = "wasm32")]
mod map;
#[cfg(target_arch = "wasm32")]
pub mod marks;
#[cfg(target_arch = "wasm32")]
mod paint;
#[cfg(target_arch = "wasm32")]
mod pair;
#[cfg(target_arch = "wasm32")]
mod pointer;
#[cfg(target_arch = "wasm32")]
mod row;
#[cfg(target_arch = "wasm32")]
mod rows;
#[cfg(target_arch = "wasm32")]
mod size;

#[cfg(target_arch = "wasm32")]
pub use component::Timeline;

/// The window, shared by the renderer, the pointer and the animation frame.
#[cfg(target_arch = "wasm32")]
pub(crate) type SharedView = std::rc::Rc<std::cell::RefCell<geometry::View>>;
