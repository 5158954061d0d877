//! What the page remembers in the browser, and what the system prefers.

use web_sys::{Storage, Window};

use super::msg::Theme;
use crate::i18n::Locale;

const THEME: &str = "lockstep.theme";
const LOCALE: &str = "lockstep.locale";
const LEGEND: &str = "lockstep.legend";

/// Remembered and preferred settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Chosen theme.
    pub theme: Theme,
    /// Chosen language, or the browser's.
    pub locale: Locale,
    /// Whether the legend of the stage is shown.
    pub legend: bool,
}

impl Settings {
    /// Reads them. A browser that stores nothing gets the defaults.
    pub fn load() -> Self {
        let theme = read(THEME).map_or(Theme::System, |name| Theme::of_name(&name));
        let tag = read(LOCALE).or_else(|| window()?.navigator().language()).unwrap_or_default();
        let legend = read(LEGEND).as_deref() != Some("off");
        Self { theme, locale: Locale::of_tag(&tag), legend }
    }

    /// Writes them to the browser's storage and to the page's root element; true when the page is dark now.
    pub fn apply(self, remember: bool) -> bool {
        if remember {
            write(THEME, self.theme.name());
            write(LOCALE, self.locale.tag());
            write(LEGEND, if self.legend { "on" } else { "off" });
        }
        if let Some(root) = window().and_then(|window| window.document()?.document_element()) {
            // A failure could only mean that the name is not a name.
            let _ = root.set_attribute("lang", self.locale.tag());
            let _ = root.toggle_attribute_with_force("data-no-legend", !self.legend);
            let _ = match self.theme {
                Theme::System => root.remove_attribute("data-theme"),
                theme => root.set_attribute("data-theme", theme.name()),
            };
        }
        match self.theme {
            Theme::Light => false,
            Theme::Dark => true,
            Theme::System => prefers("(prefers-color-scheme: dark)"),
        }
    }
}

/// True where the panel is a drawer or a sheet: the style sheet's own condition.
pub fn is_narrow() -> bool {
    prefers("(max-width: 1199px)")
}

/// True when the browser says yes to a media query.
pub fn prefers(query: &str) -> bool {
    window().and_then(|window| window.match_media(query).ok()?).is_some_and(|list| list.matches())
}

fn window() -> Option<Window> {
    web_sys::window()
}

fn storage() -> Option<Storage> {
    window()?.local_storage().ok()?
}

/// A remembered value.
pub fn read(key: &str) -> Option<String> {
    storage()?.get_item(key).ok()?
}

/// Remembers a value.
pub fn write(key: &str, value: &str) {
    // A full or forbidden storage costs only the memory of a choice.
    if let Some(storage) = storage() {
        let _ = storage.set_item(key, value);
    }
}
