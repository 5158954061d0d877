//! Two runs side by side on one clock.

mod menu;
mod told;
mod view;

pub use menu::{counterpart, has_before, CompareMenu};
pub use view::PairView;

use lockstep_core::view::compare::Side;
use yew::prelude::*;

use crate::app::beside::Pair;
use crate::app::frame::Frame;
use crate::app::msg::Against;
use crate::app::scenario::Scenario;
use crate::i18n::compare::CompareText;
use crate::i18n::panel::PanelText;
use crate::i18n::sentence::Speaker;
use crate::i18n::Locale;

/// The sign of a run: a black square, a white square. Never a colour.
pub fn sign(side: Side) -> Html {
    let number = side.index() + 1;
    html! { <span class="run-sign" data-run={number.to_string()} aria-hidden="true">{ number }</span> }
}

/// What the two runs are called.
fn titles(frame: &Frame, pair: &Pair) -> [String; 2] {
    let texts = CompareText(frame.locale);
    if pair.is_newer {
        let title = |scenario: &Scenario| titled(scenario, false, frame.locale);
        return [
            texts.text_before(&title(&frame.scenario)),
            texts.text_now(&title(&pair.second.scenario)),
        ];
    }
    [
        titled(&frame.scenario, frame.changed().is_some(), frame.locale),
        second_title(frame, &pair.against, &pair.second.scenario),
    ]
}

/// What the second run is called.
fn second_title(frame: &Frame, against: &Against, second: &Scenario) -> String {
    let texts = CompareText(frame.locale);
    match against {
        Against::Variant(variant) => texts.variant(*variant),
        Against::Lesson(_) => second.title(frame.locale).to_owned(),
        Against::Text(_) | Against::Before => {
            titled(second, second.changed.is_some(), frame.locale)
        }
        Against::Tried(change) => {
            let core = frame.core.read();
            let speaker = Speaker { world: core.session.world(), locale: frame.locale };
            let journal = core.session.journal();
            speaker.change_of(change, journal, &|index| frame.scenario.quote(journal, index))
        }
    }
}

/// A scenario's title, or a word for one that has none; one that people changed says so.
fn titled(scenario: &Scenario, changed: bool, locale: Locale) -> String {
    match scenario.title(locale) {
        "" => CompareText(locale).own_text().to_owned(),
        title if changed => PanelText(locale).changed(title),
        title => title.to_owned(),
    }
}
