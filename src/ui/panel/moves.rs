//! What would move the selected thing: changes that are tried in a branch when somebody asks, each
//! with what came of it beside what comes otherwise. The run itself stays as it is until somebody
//! carries a change out.

use std::rc::Rc;

use lockstep_core::explain::{offers_at, why, About, Attempt, Change, Counterfactual, Run};
use lockstep_core::ids::Ms;
use lockstep_core::view::compare::Side;
use lockstep_core::world::World;
use web_sys::Element;
use yew::prelude::*;

use super::framing::prose;
use crate::app::core::{Core, CoreHandle};
use crate::app::msg::{Against, Msg};
use crate::app::scenario::Scenario;
use crate::app::told::Told;
use crate::i18n::compare::CompareText;
use crate::i18n::explain::{BrokenText, ChangeText, RuleText};
use crate::i18n::sentence::Speaker;
use crate::i18n::Locale;
use crate::ui::focus;

/// What would be moved, or would have been kept.
#[derive(Clone, Debug)]
pub enum Of {
    /// A thing at the present.
    About(About),
    /// A broken guarantee, at its own instant.
    Told(Rc<Told>),
}

impl PartialEq for Of {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::About(a), Self::About(b)) => a == b,
            (Self::Told(a), Self::Told(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Of {
    /// The world at the instant of the clock, or at that of the broken guarantee.
    fn world(&self, core: &Core, now_ms: Ms) -> World {
        match self {
            Self::About(_) => core.world_at(now_ms),
            Self::Told(told) => told.world.clone(),
        }
    }

    /// The changes that do what they say; what is given now is given at the instant `now_ms`.
    fn offers(&self, core: &Core, now_ms: Ms) -> Vec<(Counterfactual, Attempt)> {
        let world = self.world(core, now_ms);
        match self {
            Self::About(about) => {
                let ledger = core.ledger();
                let run = Run { world: &world, ..Run::of(&core.session, &ledger) };
                let changes = why(&run, *about).map(|e| e.counterfactuals).unwrap_or_default();
                offers_at(&core.session, &world, &changes)
            }
            Self::Told(told) => offers_at(&core.session, &world, &told.story.would_keep),
        }
    }
}

/// Where branches leave the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// Generation of the run.
    pub generation: u32,
    /// Its event.
    pub event: u32,
    /// The instant, in ms, at that event or behind it: what is offered for now is given then.
    pub now_ms: Ms,
}

/// What the section is about.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The run.
    pub core: CoreHandle,
    /// What its text says.
    pub scenario: Rc<Scenario>,
    /// Language.
    pub locale: Locale,
    /// What would be moved.
    pub of: Of,
    /// Where branches leave the run. What was tried is true there only.
    pub at: At,
    /// Which of two runs this is: what changes the second one cannot be put beside it.
    pub side: Option<Side>,
    /// Where messages go.
    pub on: Callback<Msg>,
}

/// What was tried, and where.
struct Tried {
    of: Of,
    at: At,
    offers: Vec<(Counterfactual, Attempt)>,
}

/// The section of the Why tab.
#[function_component]
pub fn Moves(props: &Props) -> Html {
    let Props { core, scenario, locale, of, at, side, on } = props;
    let section = use_node_ref();
    let texts = ChangeText(*locale);
    let tried = use_state(|| None::<Rc<Tried>>);
    let onclick = {
        let (core, of, at) = (core.clone(), of.clone(), *at);
        let (on, tried, section) = (on.clone(), tried.clone(), section.clone());
        Callback::from(move |_: MouseEvent| {
            // What comes of it takes the place of the button.
            if let Some(section) = section.cast::<Element>() {
                focus::focus(&section);
            }
            on.emit(Msg::Pause);
            let core = core.read();
            // The clock may have run on since this was drawn.
            let at = match of {
                Of::About(_) => At {
                    generation: core.generation,
                    event: core.session.event(),
                    now_ms: core.now_ms.get(),
                },
                Of::Told(_) => at,
            };
            let offers = of.offers(&core, at.now_ms);
            tried.set(Some(Rc::new(Tried { of: of.clone(), at, offers })));
        })
    };
    let known = tried.as_ref().filter(|t| t.of == *of && t.at == *at);
    let (heading, nothing) = match of {
        Of::About(_) => (RuleText(*locale).heading_moves(), texts.none()),
        Of::Told(_) => (BrokenText(*locale).would_keep(), BrokenText(*locale).nothing_keeps()),
    };
    let core = core.read();
    let body = match known {
        None => html! {
            <button class="button small" {onclick} data-testid="try">{ texts.attempt() }</button>
        },
        Some(tried) if tried.offers.is_empty() => html! { <p class="small">{ nothing }</p> },
        Some(tried) => {
            let world = of.world(&core, at.now_ms);
            let speaker = Speaker { world: &world, locale: *locale };
            let journal = core.session.journal();
            let quoted = |index| scenario.quote(journal, index);
            let items = tried.offers.iter().enumerate().map(|(place, (one, attempt))| {
                html! {
                    <li key={place}>
                        <p class="move-change">{ prose(&speaker.change_of(&one.change, journal, &quoted)) }</p>
                        <p class="small muted">{ speaker.effect(one, attempt) }</p>
                        <p class="move-deeds">{ carry_out(&one.change, texts, on) }{ (*side != Some(Side::Second)).then(|| beside(&one.change, *locale, on)) }</p>
                    </li>
                }
            });
            let beside = side.map(|side| match side {
                Side::First => CompareText(*locale).takes_place(),
                Side::Second => CompareText(*locale).of_second(),
            });
            html! {<>
                <ol key="moves" class="moves" data-testid="moves">{ for items }</ol>
                <p key="beside" class="small muted" hidden={beside.is_none()} data-testid="beside">{ beside }</p>
            </>}
        }
    };
    html! {
        <section ref={section} class="moves-section" tabindex="-1">
            <h3 class="section-label">{ heading }</h3>
            { body }
        </section>
    }
}

/// A button that puts the run with the change beside the run as it is.
fn beside(change: &Change, locale: Locale, on: &Callback<Msg>) -> Html {
    let (change, on) = (change.clone(), on.clone());
    let onclick = Callback::from(move |_: MouseEvent| {
        on.emit(Msg::Compare(Against::Tried(Box::new(change.clone()))));
    });
    html! { <button class="button small" {onclick}>{ CompareText(locale).tried() }</button> }
}

/// A button that gives the commands in the run itself, where they can be given now.
fn carry_out(change: &Change, texts: ChangeText, on: &Callback<Msg>) -> Html {
    let Change::Now(commands) = change else { return Html::default() };
    let (commands, on) = (commands.clone(), on.clone());
    let onclick = Callback::from(move |_: MouseEvent| {
        // What was tried is not true any more, and its buttons go.
        focus::panel();
        on.emit(Msg::Do(commands.as_slice().into()));
    });
    html! { <button class="button small" {onclick}>{ texts.carry_out() }</button> }
}
