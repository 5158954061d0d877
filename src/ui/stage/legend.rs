//! The legend: every state of a message once.

use yew::prelude::*;

use crate::i18n::stage::StageText;
use crate::ui::token::{size, Hue, Look, Token, TokenState};

/// Properties of [`Legend`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The language.
    pub text: StageText,
    /// With what only POP knows.
    pub pop: bool,
}

/// The legend below the stage's drawing.
#[component]
pub fn Legend(props: &Props) -> Html {
    let Props { text, pop } = *props;
    let items = [
        (TokenState::Ready, text.ready()),
        (TokenState::InFlight(None), text.in_flight()),
        (TokenState::Invisible(None), text.invisible()),
        (TokenState::Retry(0), text.waiting_for_retry()),
        (TokenState::Blocked, text.blocked()),
        (TokenState::Scheduled, text.scheduled()),
        (TokenState::Acknowledged, text.acknowledged()),
        (TokenState::Dead, text.dead_letter()),
    ];
    html! {
        <ul class="legend" key="legend" aria-label={text.legend()}>
            { for items.into_iter().filter(|(state, _)| pop || *state != TokenState::Invisible(None)).map(|(state, name)| {
                let look = Look { label: "A".into(), hue: Hue(0), state, size: size::LEGEND, again: false };
                html! { <li key={name}><Token {look} />{ name }</li> }
            }) }
            <li key="read">
                <svg width="11" height="18" viewBox="0 0 11 18" aria-hidden="true">
                    <path class="offset-line" d="M5.5 0v10" /><path class="offset-mark" d="M5.5 9l4.5 8h-9z" />
                </svg>
                { text.next_to_read() }
            </li>
            <li key="write">
                <svg width="10" height="18" viewBox="0 0 10 18" aria-hidden="true"><path class="rail-arrow" d="M1 6h8l-4 6z" /></svg>
                { text.next_to_write() }
            </li>
        </ul>
    }
}
