//! Why the selected thing is as it is: one sentence, the facts that led there, the rule behind it,
//! the values now, who else waits.

use lockstep_core::deeds::On;
use std::rc::Rc;

use lockstep_core::explain::{why, About, Amount, Explanation, Headline, Run, ValueName};
use lockstep_core::ids::{GroupId, MsgId};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::breakable;
use super::fields::{table, Line};
use super::inspect::{fields_of, nothing, values};
use super::moves::{At, Moves, Of};
use super::steps::step;
use crate::app::core::Core;
use crate::app::frame::Frame;
use crate::app::hands::{Choice, Hands};
use crate::app::msg::Msg;
use crate::i18n::clock;
use crate::i18n::deed::DeedText;
use crate::i18n::explain::RuleText;
use crate::i18n::panel::PanelText;
use crate::i18n::sentence::Speaker;
use crate::ui::stage::{resting, token_state};
use crate::ui::token::{size, Hue, Look, Token, TokenState};

/// Why the selected thing is as it is.
pub fn why_tab(frame: &Frame, on: &Callback<Msg>) -> Html {
    let texts = PanelText(frame.locale);
    if let Some(told) = &frame.told {
        return super::broken::broken(frame, told, on);
    }
    let Some(subject) = frame.selection else {
        return nothing(texts, texts.why_hint());
    };
    let core = frame.core.read();
    let world = core.world_at(frame.now_ms);
    let explanation = about(frame, subject).and_then(|about| {
        let ledger = core.ledger();
        why(&Run { world: &world, ..Run::of(&core.session, &ledger) }, about)
    });
    let Some(explanation) = explanation else {
        let table = table(fields_of(frame, &core, subject));
        return values(frame, &core, subject, table, texts, on);
    };
    let words = RuleText(frame.locale);
    let speaker = Speaker { world: &world, locale: frame.locale };
    let shown = |value: &&lockstep_core::explain::Value| value.name != ValueName::Stored;
    let now = explanation.values.iter().filter(shown).map(|value| Line {
        name: speaker.value_name(value).into(),
        value: speaker.amount(value.amount).into(),
    });
    let with = speaker.collateral(&explanation.collateral);
    html! {
        <div key="why">
            { head(frame, &speaker, &explanation) }
            <p key="sentence" class="read" data-testid="why">{ speaker.said(&explanation, None) }</p>
            <div key="because">{ because(&core, &speaker, &explanation, words, on) }</div>
            <div key="rule">{ rule_card(&speaker, &explanation, words) }</div>
            <h3 key="values" class="section-label">{ words.heading_values() }</h3>
            <div key="fields">{ table(now.collect()) }</div>
            <section key="with" hidden={with.is_none()}>
                <h3 class="section-label">{ words.heading_collateral() }</h3>
                <p class="small">{ with }</p>
            </section>
            <div key="moves">{ moves(frame, &core, &explanation, on) }</div>
            <p key="act" class="why-act">{ act(frame, subject, on) }</p>
        </div>
    }
}

/// Opens the list of what can be done to the selected thing.
fn act(frame: &Frame, subject: Subject, on: &Callback<Msg>) -> Html {
    let hands = Hands::of(Choice::To(On::Subject(subject)));
    let onclick = on.reform(move |_: MouseEvent| Msg::Hands(Some(hands)));
    html! { <button class="button small" {onclick} aria-haspopup="dialog" data-testid="act">{ DeedText(frame.locale).what_to() }</button> }
}

/// What would move it, where something might.
fn moves(frame: &Frame, core: &Core, explanation: &Explanation, on: &Callback<Msg>) -> Html {
    if explanation.counterfactuals.is_empty() {
        return Html::default();
    }
    let (generation, event) = (core.generation, core.session.event());
    let at = At { generation, event, now_ms: frame.now_ms };
    html! {
        <Moves core={frame.core.clone()} scenario={Rc::clone(&frame.scenario)} locale={frame.locale} of={Of::About(explanation.about)} {at} side={frame.side} on={on.clone()} />
    }
}

/// What is explained when a thing is selected, for the group that the stage shows.
fn about(frame: &Frame, subject: Subject) -> Option<About> {
    let group = frame.stage.group.as_ref().map(|g| GroupId(g.index as u16));
    Some(match subject {
        Subject::Message(msg) => About::Message { msg, group },
        Subject::Queue(queue) => About::Queue { queue, group: group? },
        Subject::Lock(queue) => About::Lock { queue, group: group? },
        Subject::Client(client) => About::Consumer(client),
        Subject::MessageGroup(series) => About::MessageGroup { series, group: group? },
        Subject::Level(level) => About::Level(level),
        Subject::Producer(_) => return None,
    })
}

/// The title, with the message's token where it is about one.
fn head(frame: &Frame, speaker: &Speaker<'_>, explanation: &Explanation) -> Html {
    let title = speaker.headline_title(&explanation.headline);
    let stored = explanation.values.iter().find_map(|v| match (v.name, v.amount) {
        (ValueName::Stored, Amount::Instant(at_ms)) => {
            Some(format!("{} {}", speaker.value_name(v), clock(at_ms)))
        }
        _ => None,
    });
    let Headline::Message { msg, .. } = explanation.headline else {
        return html! { <header key="head" class="subject"><h2>{ title }</h2></header> };
    };
    html! {
        <header key="head" class="subject with-token">
            <Token look={look(frame, speaker, msg)} />
            <div><h2>{ title }</h2><p class="small muted">{ stored }</p></div>
        </header>
    }
}

/// How a message's token looks now: as the stage draws it, or its slot; else as acknowledged.
fn look(frame: &Frame, speaker: &Speaker<'_>, msg: MsgId) -> Look {
    let token = frame.stage.tokens.iter().find(|token| token.name.msg == msg);
    let slot = || {
        let slots = frame.stage.lanes.iter().flat_map(|lane| &lane.slots);
        slots.into_iter().find(|slot| slot.name.msg == msg)
    };
    let slot = slot();
    Look {
        label: AttrValue::from(speaker.msg(msg)),
        hue: Hue(token.map(|t| t.name.hue).or(slot.map(|s| s.name.hue)).unwrap_or_default()),
        state: token.map(|token| token_state(token.state)).unwrap_or_else(|| {
            slot.and_then(|slot| resting(slot.state)).unwrap_or(TokenState::Acknowledged)
        }),
        size: size::HEAD,
        again: false,
    }
}

/// The facts that led here, the newest on top; each leads to its instant and lights up what it is
/// about.
fn because(
    core: &Core,
    speaker: &Speaker<'_>,
    explanation: &Explanation,
    words: RuleText,
    on: &Callback<Msg>,
) -> Html {
    let causes = explanation.causes.iter().filter_map(|cause| {
        let step = step(core, speaker, cause.fact, on)?;
        Some(html! {
            <li key={cause.fact} onpointerenter={step.enter} onpointerleave={step.leave} onfocusin={step.focus} onfocusout={step.blur}>
                <span>{ step.sentence }</span>
                { step.link }
            </li>
        })
    });
    let causes: Vec<Html> = causes.collect();
    html! {
        <section class="lately" hidden={causes.is_empty()}>
            <h3 class="section-label">{ words.heading_because() }</h3>
            <ol>{ for causes }</ol>
        </section>
    }
}

/// The rules, their places in RocketMQ's source, and the constants that apply.
fn rule_card(speaker: &Speaker<'_>, explanation: &Explanation, words: RuleText) -> Html {
    let first = (explanation.rule, &explanation.constants);
    let others = explanation.other_rules().map(|also| (also.rule, &also.constants));
    let cards = [first].into_iter().chain(others).map(|(rule, constants)| {
        let lines = constants.iter().map(|constant| Line {
            name: constant.name.into(),
            value: speaker.amount(constant.amount).into(),
        });
        html! {
            <div class="rule">
                <p class="rule-head"><span class="section-label">{ words.heading_rule() }</span><code>{ breakable(rule.source()) }</code></p>
                <p class="rule-name">{ speaker.rule(rule) }</p>
                { table(lines.collect()) }
            </div>
        }
    });
    html! { <>{ for cards }</> }
}
