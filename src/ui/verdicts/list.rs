//! All guarantees of the run: what became of each, what it would need, and the way to the instant that
//! shows it.

use std::rc::Rc;

use lockstep_core::guarantee::{Promise, Verdict};
use lockstep_core::ids::{GroupId, Ms};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::{is_checked, LIST};
use crate::app::core::CoreHandle;
use crate::app::msg::{Msg, Tab};
use crate::i18n::sentence::Speaker;
use crate::i18n::shell::Shell;
use crate::i18n::{clock, Locale};
use crate::ui::icon::{icon, Icon};

/// Properties of [`List`].
#[derive(PartialEq, Properties)]
pub struct Props {
    /// What became of the guarantees.
    pub verdicts: Rc<Vec<Verdict>>,
    /// The run.
    pub core: CoreHandle,
    /// Language.
    pub locale: Locale,
    /// Where requests go.
    pub on: Callback<Msg>,
}

/// The list; the browser opens and closes it.
#[component]
pub fn List(props: &Props) -> Html {
    let Props { verdicts, core, locale, on } = props;
    let text = Shell(*locale);
    let core = core.read();
    let speaker = Speaker { world: core.session.world(), locale: *locale };
    let mut groups: Vec<Option<GroupId>> = verdicts.iter().map(|v| v.group).collect();
    groups.dedup();
    html! {
        <div id={LIST} class="verdict-menu" popover="auto" role="dialog" aria-label={text.guarantees()}>
            <h2>{ text.guarantees() }</h2>
            <p class="small muted">{ text.until_now() }</p>
            { for groups.into_iter().map(|group| html! {
                <section key={format!("{group:?}")}>
                    <h3 class="section-label">{ group.map_or(text.to_the_broker(), |group| speaker.group(group)).to_owned() }</h3>
                    <ul>{ for verdicts.iter().filter(|v| v.group == group).map(|v| row(&speaker, v, on)) }</ul>
                </section>
            }) }
        </div>
    }
}

/// A guarantee.
fn row(speaker: &Speaker<'_>, verdict: &Verdict, on: &Callback<Msg>) -> Html {
    let (class, mark) = match (verdict.promise, verdict.breaches) {
        (Promise::Given, 0) => ("holds", Icon::Check),
        // As in the header: what the checks found is red whether it was promised or not.
        (Promise::Given, _) => ("broken", Icon::Broken),
        (_, 1..) if is_checked(verdict.guarantee) => ("broken", Icon::Broken),
        _ => ("open", Icon::Minus),
    };
    html! {
        <li key={format!("{:?}", verdict.guarantee)} class={classes!("guarantee", class)} data-guarantee={format!("{:?}", verdict.guarantee)}>
            { icon(mark) }
            <div>
                <p class="guarantee-name">{ speaker.guarantee(verdict.guarantee) }</p>
                <p class="small muted">{ speaker.verdict(verdict) }</p>
            </div>
            { link(speaker, verdict, on) }
        </li>
    }
}

/// Where a guarantee leads: to its first breach, to the first repeat, into the longest standstill.
fn link(speaker: &Speaker<'_>, verdict: &Verdict, on: &Callback<Msg>) -> Html {
    let name = speaker.guarantee(verdict.guarantee);
    let (at_ms, messages): (Ms, Vec<Msg>) = if let Some(first) = verdict.first {
        (first.at_ms, vec![Msg::Tell(first)])
    } else if let Some(first) = verdict.first_again {
        let again = Some(Subject::Message(first.msg));
        (first.at_ms, vec![Msg::SeekEvent(first.event), Msg::Select(again), Msg::OpenTab(Tab::Why)])
    } else if let Some(block) = verdict.longest {
        // While it lasts the present shows it, later its last moment.
        let at_ms = if block.lasts { block.until_ms } else { (block.until_ms - 1).max(0) };
        let msg = block.by.map_or(Subject::Queue(block.queue), Subject::Message);
        (block.from_ms, vec![Msg::SeekTime(at_ms), Msg::Select(Some(msg)), Msg::OpenTab(Tab::Why)])
    } else {
        return Html::default();
    };
    let on = on.clone();
    let onclick =
        Callback::from(move |_: MouseEvent| messages.iter().for_each(|m| on.emit(m.clone())));
    html! {
        <button class="link tick-link" aria-label={format!("{name} {}", clock(at_ms))} popovertarget={LIST} popovertargetaction="hide" {onclick}>{ clock(at_ms) }</button>
    }
}
