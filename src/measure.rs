//! Measures the core in the browser: `cargo xtask bench` opens the page with `?bench=1`.

use wasm_bindgen::JsValue;

/// Name of the window's property that takes the report.
const REPORT: &str = "__lockstepBench";

/// True when the address asks for a measurement instead of the page.
pub fn is_asked_for() -> bool {
    let search = web_sys::window().and_then(|window| window.location().search().ok());
    search.is_some_and(|search| search.trim_start_matches('?').split('&').any(|p| p == "bench=1"))
}

/// Runs the measurements and leaves the report on the window.
pub fn run() {
    let Some(window) = web_sys::window() else { return };
    let Some(performance) = window.performance() else { return };
    let report = lockstep_core::bench::run(&|| performance.now());
    let text = JsValue::from_str(&report.to_string());
    // The property is the only way out of here; a window that refuses it shows no report.
    let _set = js_sys::Reflect::set(&window, &JsValue::from_str(REPORT), &text);
}
