//! Scenario files: opened from and saved to the reader's own machine, nothing else.

use gloo_events::EventListener;
use js_sys::Array;
use wasm_bindgen::JsCast;
use web_sys::{Blob, BlobPropertyBag, FileReader, HtmlAnchorElement, HtmlInputElement, Url};
use yew::prelude::*;

/// Largest file that is read: far more than any lesson has. The editor lays out every line of it.
pub const MAX_BYTES: u32 = 250_000;

/// Reads the file that was chosen in an `input`; calls back with its text, or says that it is
/// too large.
pub fn read(
    input: &HtmlInputElement,
    done: Callback<String>,
    too_large: &Callback<()>,
) -> Option<()> {
    let file = input.files()?.item(0)?;
    if file.size() > f64::from(MAX_BYTES) {
        input.set_value("");
        too_large.emit(());
        return None;
    }
    let reader = FileReader::new().ok()?;
    let source = reader.clone();
    EventListener::once(&reader, "load", move |_| {
        if let Some(text) = source.result().ok().and_then(|value| value.as_string()) {
            done.emit(text);
        }
    })
    .forget();
    reader.read_as_text(&file).ok()?;
    // The same file can be opened again.
    input.set_value("");
    Some(())
}

/// Hands a text to the browser as a file.
pub fn save(name: &str, text: &str) -> Option<()> {
    let parts = Array::of1(&text.into());
    let options = BlobPropertyBag::new();
    options.set_type("text/plain;charset=utf-8");
    let blob = Blob::new_with_str_sequence_and_options(&parts, &options).ok()?;
    let url = Url::create_object_url_with_blob(&blob).ok()?;
    let document = web_sys::window()?.document()?;
    let link: HtmlAnchorElement = document.create_element("a").ok()?.dyn_into().ok()?;
    link.set_href(&url);
    link.set_download(name);
    link.click();
    Url::revoke_object_url(&url).ok()
}
