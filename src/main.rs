//! Starts the page.

#[cfg(target_arch = "wasm32")]
fn main() {
    lockstep::app::mount();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {}
