//! The page as one component that owns the session: it alone changes anything. Views send it
//! `msg::Msg`s and read `frame::Frame`s.

pub mod clock;
pub mod follow;
pub mod pace;
pub mod scenario;

#[cfg(target_arch = "wasm32")]
mod act;
#[cfg(target_arch = "wasm32")]
pub mod beside;
#[cfg(target_arch = "wasm32")]
mod bookmarks;
#[cfg(target_arch = "wasm32")]
mod component;
#[cfg(target_arch = "wasm32")]
pub mod core;
#[cfg(target_arch = "wasm32")]
mod fetch;
#[cfg(target_arch = "wasm32")]
pub mod frame;
#[cfg(target_arch = "wasm32")]
pub mod hands;
#[cfg(target_arch = "wasm32")]
pub mod link;
#[cfg(target_arch = "wasm32")]
pub mod msg;
#[cfg(target_arch = "wasm32")]
pub mod paint;
#[cfg(target_arch = "wasm32")]
mod panic;
#[cfg(target_arch = "wasm32")]
mod play;
#[cfg(target_arch = "wasm32")]
pub mod progress;
#[cfg(target_arch = "wasm32")]
mod project;
#[cfg(target_arch = "wasm32")]
mod publish;
#[cfg(target_arch = "wasm32")]
mod raf;
#[cfg(target_arch = "wasm32")]
mod second;
#[cfg(target_arch = "wasm32")]
pub mod settings;
#[cfg(target_arch = "wasm32")]
mod state;
#[cfg(target_arch = "wasm32")]
pub mod told;

#[cfg(target_arch = "wasm32")]
pub use act::copy;
#[cfg(target_arch = "wasm32")]
pub use component::{mount, App};
#[cfg(target_arch = "wasm32")]
pub use raf::Frames;
