//! The conformance cases in a browser: the same cases and forms as natively (`conformance/main.rs`),
//! one test for each area, and the same counts.
#![cfg(target_arch = "wasm32")]

#[path = "conformance/suite.rs"]
mod suite;

use wasm_bindgen_test::{console_log, wasm_bindgen_test};

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

fn check(area: &str) {
    let report = suite::run(|case| case.area == area);
    console_log!("{}", report.brief());
    assert!(report.is_good(), "{}", report.brief());
    let counts = report.passed();
    assert!(suite::PASSED.lines().any(|line| line == counts.trim()), "{counts} is not in the list");
}

macro_rules! areas {
    ($($test:ident $area:literal)*) => {
        const AREAS: &[&str] = &[$($area),*];
        $(#[wasm_bindgen_test] fn $test() { check($area) })*
    };
}

areas! {
    delay "delay"
    lifecycle "lifecycle"
    lock "lock"
    message_type "message-type"
    offset "offset"
    offset_reset "offset-reset"
    offset_search "offset-search"
    ordered_pop "ordered-pop"
    orderly_client "orderly-client"
    pop_retry "pop-retry"
    rebalance "rebalance"
    retry "retry"
    routing "routing"
}

#[wasm_bindgen_test]
fn every_area_has_its_test() {
    let listed = suite::PASSED.lines().filter_map(|line| line.split(' ').next());
    assert!(listed.eq(AREAS.iter().copied()), "{}", suite::PASSED);
}
