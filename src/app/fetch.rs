//! The texts of lessons, which lie beside the page and come when they are asked for.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use yew::html;

use super::msg::{Against, Msg, Notice, Start, With};
use super::scenario::{FIRST, FIRST_TEXT};
use super::App;

/// What was asked for last. Texts come in any order; one that comes after something else was asked
/// for, or opened, is not wanted any more.
#[derive(Default)]
pub(super) struct Wanted(Rc<Cell<u32>>);

impl Wanted {
    /// Forgets what is on its way.
    pub fn forget(&self) {
        self.0.set(self.0.get().wrapping_add(1));
    }

    /// Asks for something new: true as long as it is the last that was asked for.
    fn ask(&self) -> impl Fn() -> bool + 'static {
        self.forget();
        let (last, own) = (Rc::clone(&self.0), self.0.get());
        move || last.get() == own
    }
}

/// Fetches the text of a lesson and opens it. A lesson that does not come leaves the run in place.
pub(super) fn fetch_lesson(
    wanted: &Wanted,
    link: html::Scope<App>,
    id: Rc<str>,
    at: Option<Start>,
    with: Option<With>,
) {
    fetch(wanted, link, id, move |id, text| match text {
        Some(text) => Msg::Opened { id, text, at, with },
        None => Msg::Notice(Notice::NoLesson(id)),
    });
}

/// Fetches the text of the lesson that a text is a changed version of, and opens the changed one.
pub(super) fn fetch_changed(
    wanted: &Wanted,
    link: html::Scope<App>,
    id: Rc<str>,
    text: Rc<str>,
    (at, with): (Option<Start>, Option<With>),
) {
    fetch(wanted, link, id, move |id, lesson| {
        let lesson = lesson.map(|lesson| (id, lesson));
        Msg::Changed { lesson, text, at, with }
    });
}

/// Fetches the text of a lesson and puts its run beside the one that is there.
pub(super) fn fetch_beside(wanted: &Wanted, link: html::Scope<App>, id: Rc<str>) {
    fetch(wanted, link, id, |id, text| match text {
        Some(text) => Msg::Beside(Against::Lesson(id), text),
        None => Msg::Notice(Notice::NoLesson(id)),
    });
}

/// Fetches the text of a lesson and says what is to be done with it, unless something else was asked
/// for meanwhile.
fn fetch(
    wanted: &Wanted,
    link: html::Scope<App>,
    id: Rc<str>,
    message: impl FnOnce(Rc<str>, Option<Rc<str>>) -> Msg + 'static,
) {
    let still = wanted.ask();
    yew::platform::spawn_local(async move {
        let text = lesson_text(&id).await;
        if still() {
            link.send_message(message(id, text.map(Rc::from)));
        }
    });
}

async fn lesson_text(id: &str) -> Option<String> {
    if id == FIRST {
        return Some(FIRST_TEXT.to_owned());
    }
    let window = web_sys::window()?;
    let response =
        JsFuture::from(window.fetch_with_str(&format!("lessons/{id}.scn"))).await.ok()?;
    let response: web_sys::Response = response.dyn_into().ok()?;
    if !response.ok() {
        return None;
    }
    JsFuture::from(response.text().ok()?).await.ok()?.as_string()
}
