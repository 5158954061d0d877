//! What would move the selected thing: changes that are tried in a branch when somebody asks, each
//! with what came of it beside what comes otherwise. The run itself stays as it is until somebody
//! carries a change out.

use std::rc::Rc;

use lockstep_core::explain::{offers, why, About, Attempt, Change, Counterfactual, Run};
use yew::prelude::*;

use crate::app::core::CoreHandle;
use crate::app::msg::{Against, Msg};
use crate::i18n::compare::CompareText;
use crate::i18n::explain::{ChangeText, RuleText};
use crate::i18n::sentence::Speaker;
use crate::i18n::Locale;

/// What the section is about.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The run.
    pub core: CoreHandle,
    /// Language.
    pub locale: Locale,
    /// What would be moved.
    pub about: About,
    /// Where the run stands: its generation and event. What was tried is true there only.
    pub at: (u32, u32),
    /// Where messages go.
    pub on: Callback<Msg>,
}

/// What was tried, and where.
struct Tried {
    about: About,
    at: (u32, u32),
    offers: Vec<(Counterfactual, Attempt)>,
}

/// The section of the Why tab.
#[function_component]
pub fn Moves(props: &Props) -> Html {
    let Props { core, locale, about, at, on } = props;
    let texts = ChangeText(*locale);
    let tried = use_state(|| None::<Rc<Tried>>);
    let onclick = {
        let (core, about, on, tried) = (core.clone(), *about, on.clone(), tried.clone());
        Callback::from(move |_: MouseEvent| {
            on.emit(Msg::Pause);
            let core = core.read();
            let at = (core.generation, core.session.event());
            let ledger = core.ledger();
            let explanation = why(&Run::of(&core.session, &ledger), about);
            let offers = explanation.map(|e| offers(&core.session, &e)).unwrap_or_default();
            tried.set(Some(Rc::new(Tried { about, at, offers })));
        })
    };
    let known = tried.as_ref().filter(|t| t.about == *about && t.at == *at);
    let core = core.read();
    let body = match known {
        None => html! {
            <button class="button small" {onclick} data-testid="try">{ texts.attempt() }</button>
        },
        Some(tried) if tried.offers.is_empty() => html! { <p class="small">{ texts.none() }</p> },
        Some(tried) => {
            let speaker = Speaker { world: core.session.world(), locale: *locale };
            let journal = core.session.journal();
            let items = tried.offers.iter().enumerate().map(|(place, (one, attempt))| {
                html! {
                    <li key={place}>
                        <p class="move-change">{ speaker.change(&one.change, journal) }</p>
                        <p class="small muted">{ speaker.effect(one, attempt) }</p>
                        <p class="move-deeds">{ carry_out(&one.change, texts, on) }{ beside(&one.change, *locale, on) }</p>
                    </li>
                }
            });
            html! { <ol class="moves" data-testid="moves">{ for items }</ol> }
        }
    };
    html! {
        <section>
            <h3 class="section-label">{ RuleText(*locale).heading_moves() }</h3>
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
        for command in &commands {
            on.emit(Msg::Inject(Box::new(command.clone())));
        }
    });
    html! { <button class="button small" {onclick}>{ texts.carry_out() }</button> }
}
