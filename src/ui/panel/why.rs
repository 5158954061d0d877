//! Why the selected message is where it is: one sentence, the rule behind it, what happened to it.

use lockstep_core::ids::{MessageQueue, MsgId};
use lockstep_core::view::stage::{SlotState, SlotView, StageView};
use lockstep_core::view::why::{why, Reason};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::fields::{table, Line};
use super::inspect::{fields_of, lately, nothing, values};
use crate::app::core::Core;
use crate::app::frame::Frame;
use crate::app::msg::Msg;
use crate::i18n::number;
use crate::i18n::panel::PanelText;
use crate::i18n::why::{heading, rule, sentence, WhyText};
use crate::ui::stage::token_state;
use crate::ui::token::{size, Hue, Look, Token, TokenState};

/// Why the selected thing is as it is.
pub fn why_tab(frame: &Frame, on: &Callback<Msg>) -> Html {
    let texts = PanelText(frame.locale);
    let Some(subject) = frame.selection else {
        return nothing(texts, texts.why_hint());
    };
    let core = frame.core.read();
    let reason = match subject {
        Subject::Message(msg) => why(&frame.stage, msg),
        // A queue stands or moves with its first message.
        Subject::Queue(queue) => {
            first_of(&frame.stage, queue).and_then(|msg| why(&frame.stage, msg))
        }
        _ => None,
    };
    let Some(why) = reason else {
        let table = table(fields_of(frame, &core, subject));
        return values(frame, &core, subject, table, texts, on);
    };
    let words = WhyText(frame.locale);
    let look = Look {
        label: AttrValue::from(&*why.name.label),
        hue: Hue(why.name.hue),
        state: why.state.map_or(TokenState::Acknowledged, token_state),
        size: size::HEAD,
        again: false,
    };
    let place = match (&why.queue, why.offset) {
        (Some((_, queue)), Some(offset)) => words.place(queue, offset),
        (Some((_, queue)), None) => queue.to_string(),
        _ => String::new(),
    };
    html! {
        <div key="why">
            <header key="head" class="subject with-token">
                <Token {look} />
                <div><h2>{ heading(frame.locale, &why) }</h2><p class="small muted">{ place }</p></div>
            </header>
            <p key="sentence" class="read" data-testid="why">{ sentence(frame.locale, &why) }</p>
            <div key="rule">{ rule_card(frame, &core, &why.reason) }</div>
            <h3 key="values" class="section-label">{ words.values_now() }</h3>
            <div key="fields">{ table(fields_of(frame, &core, subject)) }</div>
            <div key="lately">{ lately(frame, &core, subject, texts, on) }</div>
        </div>
    }
}

/// The first message of a queue that the group has not finished, if the stage shows it.
fn first_of(stage: &StageView, queue: MessageQueue) -> Option<MsgId> {
    let lane = stage.lanes.iter().find(|lane| lane.queue == queue)?;
    let waits = |slot: &&SlotView| slot.offset >= lane.next && slot.state != SlotState::Done;
    lane.slots.iter().find(waits).map(|slot| slot.name.msg)
}

/// The rule behind a reason, with the constants that apply.
fn rule_card(frame: &Frame, core: &Core, reason: &Reason) -> Html {
    let Some(rule) = rule(frame.locale, reason) else { return Html::default() };
    let model = &core.session.world().shared.model;
    let lines = rule.constants.iter().filter_map(|name| {
        let value = format!("{} ms", number(model.constant(name)?));
        Some(Line { name: (*name).into(), value: value.into() })
    });
    html! {
        <div class="rule">
            <p class="rule-head"><span class="section-label">{ WhyText(frame.locale).rule() }</span><code>{ rule.source }</code></p>
            <p class="rule-name">{ rule.name }</p>
            { table(lines.collect()) }
        </div>
    }
}
