//! A panic ends the program: the page says so, instead of standing still without a word.

use std::panic::PanicHookInfo;

use crate::i18n::shell::Shell;
use crate::i18n::Locale;

/// Makes panics a screen. Also writes them to the console, for whoever looks there.
pub fn watch() {
    yew::set_custom_panic_hook(Box::new(show));
}

fn show(info: &PanicHookInfo<'_>) {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    let message = info.to_string();
    web_sys::console::error_1(&message.as_str().into());
    let tag = document.document_element().and_then(|root| root.get_attribute("lang"));
    let text = Shell(Locale::of_tag(&tag.unwrap_or_default()));
    let Some(app) = document.get_element_by_id("app") else { return };
    app.set_inner_html(
        "<div class=\"panic\" role=\"alert\"><h1></h1><p></p><pre></pre>\
         <a class=\"button primary\" href=\"\"></a></div>",
    );
    let parts = [
        ("h1", text.failed()),
        ("p", text.failed_hint()),
        ("pre", message.as_str()),
        ("a", text.reload()),
    ];
    for (name, content) in parts {
        if let Ok(Some(part)) = app.query_selector(name) {
            part.set_text_content(Some(content));
        }
    }
}
