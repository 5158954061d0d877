//! Why a guarantee was broken: the two messages and the instant on top, below it the steps that led to
//! each of them, then what made it possible, the rule, and what would have kept it.

use std::rc::Rc;

use lockstep_core::explain::Cause;
use lockstep_core::ids::MsgId;
use yew::prelude::*;

use super::moves::{At, Moves, Of};
use super::steps::step;
use crate::app::core::Core;
use crate::app::frame::Frame;
use crate::app::msg::Msg;
use crate::app::told::Told;
use crate::i18n::clock;
use crate::i18n::explain::{BrokenText, RuleText};
use crate::i18n::sentence::Speaker;
use crate::ui::icon::broken_mark;

/// The story of a broken guarantee.
pub fn broken(frame: &Frame, told: &Rc<Told>, on: &Callback<Msg>) -> Html {
    let text = BrokenText(frame.locale);
    let core = frame.core.read();
    let speaker = Speaker { world: &told.world, locale: frame.locale };
    let story = &told.story;
    let two = !story.earlier.is_empty();
    let at = At { generation: core.generation, event: told.event(), now_ms: told.world.now_ms() };
    let back = {
        let (on, event) = (on.clone(), told.event());
        Callback::from(move |_: MouseEvent| on.emit(Msg::SeekEvent(event)))
    };
    // The guilty step stands where it happened, not in both chains.
    let is_new = |cause: &&Cause| !(cause.fact == story.step && story.later.contains(cause));
    let earlier: Vec<Cause> = story.earlier.iter().filter(is_new).copied().collect();
    let chains = [(Some(story.breach.msg), &story.later), (story.breach.earlier, &earlier)];
    html! {
        <div key="broken" data-testid="broken">
            <header key="head" class="subject"><h2>{ speaker.story_title(story) }</h2></header>
            <p key="hint" class="small muted">{ text.upwards() }{ two.then(|| frame.locale.pick(" ", "")) }{ two.then(|| text.two_met()) }</p>
            <div key="effect" class="effect">
                { broken_mark(26) }
                <p>{ speaker.story(story) }</p>
                <button class="link tick-link" onclick={back}>{ clock(story.breach.at_ms) }</button>
            </div>
            <div key="chains" class="chains">
                { for chains.into_iter().filter(|(_, facts)| !facts.is_empty()).filter_map(|(msg, facts)| {
                    Some(chain(&core, &speaker, told, (msg?, facts), on))
                }) }
            </div>
            if let Some(problem) = &story.problem {
                <p key="problem" class="read" data-testid="problem">{ speaker.problem(problem) }</p>
            }
            <div key="rule" class="rule">
                <p class="rule-head"><span class="section-label">{ RuleText(frame.locale).heading_rule() }</span><code>{ story.rule.source() }</code></p>
                <p class="rule-name">{ speaker.rule(story.rule) }</p>
            </div>
            if !story.would_keep.is_empty() {
                <Moves key="moves" core={frame.core.clone()} scenario={Rc::clone(&frame.scenario)} locale={frame.locale} of={Of::Told(told.clone())} {at} side={frame.side} on={on.clone()} />
            }
        </div>
    }
}

/// The steps that led to one of the messages, the newest on top.
fn chain(
    core: &Core,
    speaker: &Speaker<'_>,
    told: &Told,
    (msg, facts): (MsgId, &[Cause]),
    on: &Callback<Msg>,
) -> Html {
    let guilty = BrokenText(speaker.locale).guilty();
    let cards = facts.iter().filter_map(|cause| {
        let step = step(core, speaker, cause.fact, on)?;
        let is_guilty = cause.fact == told.story.step;
        Some(html! {
            <li key={cause.fact} class={classes!("step", is_guilty.then_some("is-guilty"))}
                onpointerenter={step.enter} onpointerleave={step.leave} onfocusin={step.focus} onfocusout={step.blur}>
                { step.link }
                <p>{ step.sentence }</p>
                if is_guilty { <p class="tick">{ guilty }</p> }
            </li>
        })
    });
    let name = speaker.msg(msg);
    html! { <ol key={name.clone()} class="chain" aria-label={name}>{ for cards }</ol> }
}
