//! The texts of lessons, which lie beside the page and come when they are asked for.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use yew::html;

use super::msg::{Against, Msg, Notice, Start, With};
use super::scenario::{FIRST, FIRST_TEXT};
use super::App;

/// Fetches the text of a lesson and opens it. A lesson that does not come leaves the run in place.
pub(super) fn fetch_lesson(
    link: html::Scope<App>,
    id: Rc<str>,
    at: Option<Start>,
    with: Option<With>,
) {
    yew::platform::spawn_local(async move {
        link.send_message(match lesson_text(&id).await {
            Some(text) => Msg::Opened { id, text: text.into(), at, with },
            None => Msg::Notice(Notice::NoLesson(id)),
        });
    });
}

/// Fetches the text of a lesson and puts its run beside the one that is there.
pub(super) fn fetch_beside(link: html::Scope<App>, id: Rc<str>) {
    yew::platform::spawn_local(async move {
        link.send_message(match lesson_text(&id).await {
            Some(text) => Msg::Beside(Against::Lesson(id), text.into()),
            None => Msg::Notice(Notice::NoLesson(id)),
        });
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
