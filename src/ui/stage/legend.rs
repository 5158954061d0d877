//! The legend: every state of a message once, and the marks on the lanes.

use std::rc::Rc;

use lockstep_core::view::stage::{SlotState, StageView};
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
    /// With records that the group's offset went past.
    pub passed: bool,
    /// The consumer groups whose offsets are marks on the lanes, with those marks.
    pub others: Vec<(char, Rc<str>)>,
}

impl Props {
    /// What has to be told of a view.
    pub fn of(view: &StageView, text: StageText) -> Self {
        let mut slots = view.lanes.iter().flat_map(|lane| &lane.slots);
        let marked = |mark: char| {
            let mut others = view.lanes.iter().flat_map(|lane| &lane.others);
            others.any(|(other, _)| *other == mark)
        };
        let groups = view.other_groups.iter().map(|other| &other.group);
        let others = groups.filter(|group| marked(group.mark));
        Self {
            text,
            pop: view.group.as_ref().is_some_and(|group| group.pop),
            passed: slots.any(|slot| slot.state == SlotState::Passed),
            others: others.map(|group| (group.mark, group.name.clone())).collect(),
        }
    }
}

/// Groups that have a line of their own; more would fill the legend.
const MOST_GROUPS: usize = 4;

/// The legend below the stage's drawing.
#[component]
pub fn Legend(props: &Props) -> Html {
    let Props { text, pop, passed, others } = props;
    let items = [
        (TokenState::Initialised, text.initialised(), true),
        (TokenState::Ready, text.ready(), true),
        (TokenState::InFlight(None), text.in_flight(), true),
        (TokenState::Away, text.its_slot(), true),
        (TokenState::Invisible(None), text.invisible(), *pop),
        (TokenState::Retry(0), text.waiting_for_retry(), true),
        (TokenState::Blocked, text.blocked(), true),
        (TokenState::Scheduled, text.scheduled(), true),
        (TokenState::Acknowledged, text.acknowledged(), true),
        (TokenState::Dead, text.dead_letter(), true),
        (TokenState::Passed, text.passed_over(), *passed),
    ];
    html! {
        <ul class="legend" key="legend" aria-label={text.legend()}>
            { for items.into_iter().filter(|(_, _, shown)| *shown).map(|(state, name, _)| {
                let look = Look { label: "A".into(), hue: Hue(0), state, size: size::LEGEND, again: false };
                html! { <li key={name}><Token {look} />{ name }</li> }
            }) }
            // The states, and below them the marks.
            <li key="marks" class="legend-break" aria-hidden="true"></li>
            <li key="read">
                <svg width="11" height="18" viewBox="0 0 11 18" aria-hidden="true">
                    <path class="offset-line" d="M5.5 0v10" /><path class="offset-mark" d="M5.5 9l4.5 8h-9z" />
                </svg>
                { text.next_to_read() }
            </li>
            { for others.iter().take(MOST_GROUPS).map(|(mark, name)| html! {
                <li key={format!("other-{mark}")}>
                    <svg width="11" height="18" viewBox="0 0 11 18" aria-hidden="true"><path class="offset-other" d="M5.5 8l4 7h-8z" /></svg>
                    { text.other_reads(*mark, name) }
                </li>
            }) }
            <li key="write">
                <svg width="10" height="18" viewBox="0 0 10 18" aria-hidden="true"><path class="rail-arrow" d="M1 6h8l-4 6z" /></svg>
                { text.next_to_write() }
            </li>
        </ul>
    }
}
