//! Why the selected message is where it is: one sentence, the rule behind it, what happened to it.

use std::rc::Rc;

use lockstep_core::view::stage::TokenState as Stage;
use lockstep_core::view::why::why;
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::fields::{Fields, Line};
use super::inspect::{fields_of, lately, title_of, Nothing};
use crate::app::frame::Frame;
use crate::app::msg::Msg;
use crate::i18n::number;
use crate::i18n::panel::PanelText;
use crate::i18n::why::{heading, rule, sentence, WhyText};
use crate::ui::token::{size, Hue, Look, Token, TokenState};

/// Properties of [`Why`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// Where requests go.
    pub on: Callback<Msg>,
}

/// Why the selected thing is as it is.
#[component]
pub fn Why(props: &Props) -> Html {
    let Props { frame, on } = props;
    let texts = PanelText(frame.locale);
    let Some(subject) = frame.selection else {
        return html! { <Nothing {texts} hint={texts.why_hint()} /> };
    };
    let reason = match subject {
        Subject::Message(msg) => why(&frame.stage, msg),
        _ => None,
    };
    let core = frame.core.read();
    let model = &core.session.world().shared.model;
    let Some(why) = reason else {
        let (title, place) = title_of(frame, &core, subject);
        return html! {<>
            <header key="head" class="subject"><h2>{ title }</h2><p class="small muted">{ place }</p></header>
            <Fields key="fields" lines={fields_of(frame, &core, subject)} />
            <div key="lately">{ lately(frame, &core, subject, texts, on) }</div>
        </>};
    };
    let look = Look {
        label: AttrValue::from(&*why.name.label),
        hue: Hue(why.name.hue),
        state: why.state.map_or(TokenState::Acknowledged, token_state),
        size: size::HEAD,
        again: false,
    };
    let place = match (&why.queue, why.offset) {
        (Some((_, queue)), Some(offset)) => WhyText(frame.locale).place(queue, offset),
        (Some((_, queue)), None) => queue.to_string(),
        _ => String::new(),
    };
    let rule = rule(frame.locale, &why.reason).map(|rule| {
        let lines = rule.constants.iter().filter_map(|name| {
            let value = format!("{} ms", number(model.constant(name)?));
            Some(Line { name: (*name).into(), value: value.into() })
        });
        html! {
            <div class="rule">
                <p class="rule-head"><span class="section-label">{ WhyText(frame.locale).rule() }</span><code>{ rule.source }</code></p>
                <p class="rule-name">{ rule.name }</p>
                <Fields lines={lines.collect::<Vec<_>>()} />
            </div>
        }
    });
    html! {<>
        <header key="head" class="subject with-token">
            <Token {look} />
            <div><h2>{ heading(frame.locale, &why) }</h2><p class="small muted">{ place }</p></div>
        </header>
        <p key="sentence" class="read" data-testid="why">{ sentence(frame.locale, &why) }</p>
        <div key="rule">{ rule }</div>
        <h3 key="values" class="section-label">{ WhyText(frame.locale).values_now() }</h3>
        <Fields key="fields" lines={fields_of(frame, &core, subject)} />
        <div key="lately">{ lately(frame, &core, subject, texts, on) }</div>
    </>}
}

fn token_state(state: Stage) -> TokenState {
    match state {
        Stage::Ready => TokenState::Ready,
        Stage::InFlight { from_ms, until_ms, .. } => {
            TokenState::InFlight(Some((from_ms, until_ms)))
        }
        Stage::Retry(failures) => TokenState::Retry(failures),
        Stage::Blocked => TokenState::Blocked,
        Stage::Scheduled => TokenState::Scheduled,
        Stage::Dead => TokenState::Dead,
    }
}
