//! Starts the page.

#[cfg(target_arch = "wasm32")]
fn main() {
    if lockstep::measure::is_asked_for() {
        lockstep::measure::run();
    } else {
        lockstep::app::mount();
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {}
