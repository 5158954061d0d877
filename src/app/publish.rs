//! Where the run is, for tests and embedding pages: data attributes of the body.

/// Their names.
const NAMES: [&str; 6] =
    ["data-event", "data-time", "data-playing", "data-run", "data-scenario", "data-hash"];

/// The attributes as they were written last.
#[derive(Default)]
pub struct Published([Option<String>; 6]);

impl Published {
    /// Writes those that changed: event, virtual time in ms, whether the clock runs, number of the
    /// run, scenario, hash of the run.
    pub fn write(&mut self, values: [String; 6]) {
        let document = web_sys::window().and_then(|window| window.document());
        let Some(body) = document.and_then(|document| document.body()) else { return };
        for ((name, value), last) in NAMES.into_iter().zip(values).zip(&mut self.0) {
            if last.as_ref() != Some(&value) {
                // A failure could only mean that the name is not a name.
                let _ = body.set_attribute(name, &value);
                *last = Some(value);
            }
        }
    }
}
