//! Starts the page.

#[cfg(target_arch = "wasm32")]
fn main() {
    match lockstep::measure::asked() {
        Some(asked) => lockstep::measure::run(asked),
        None => lockstep::app::mount(),
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {}
