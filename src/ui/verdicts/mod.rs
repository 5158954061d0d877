//! The guarantees in the header: broken ones first, then those that people ask for most, then what
//! waits. The list behind them has all of them.

use std::rc::Rc;

use lockstep_core::check::Broken;
use lockstep_core::guarantee::{of_check, Breach, Guarantee, Promise, Verdict};
use lockstep_core::ids::Ms;
use yew::prelude::*;

use crate::app::frame::Frame;
use crate::app::msg::Msg;
use crate::app::paint::Timed;
use crate::i18n::sentence::Speaker;
use crate::i18n::shell::Shell;
use crate::i18n::Locale;
use crate::ui::icon::{icon, Icon};

mod fit;
mod fresh;
mod list;

/// The id of the list, which the buttons open.
const LIST: &str = "guarantees";

/// Properties of [`Verdicts`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// Where requests go.
    pub on: Callback<Msg>,
}

/// The chips of the header.
#[component]
pub fn Verdicts(props: &Props) -> Html {
    let Props { frame, on } = props;
    let text = Shell(frame.locale);
    let verdicts = fresh::use_verdicts(frame);
    let holding = verdicts.iter().filter(|v| is_kept(v)).count();
    let broken = broken(frame, &verdicts);
    let of = |guarantee: Guarantee| {
        let own = verdicts.iter().filter(move |v| v.guarantee == guarantee);
        let is_broken = broken.iter().any(|(_, breach)| breach.guarantee == guarantee);
        (own, is_broken)
    };
    // What was not promised and did not hold either is worth a word, since it is what people look for.
    let stored = |v: &&Verdict| v.guarantee == Guarantee::OrderStored && v.breaches > 0;
    let mixed = verdicts.iter().filter(stored).any(|v| v.promise != Promise::Given);
    let kept = [
        Guarantee::OrderHandled,
        Guarantee::OneOwner,
        Guarantee::NothingLost,
        Guarantee::AtLeastOnce,
    ]
    .into_iter()
    .filter_map(|guarantee| {
        let (own, is_broken) = of(guarantee);
        (!is_broken).then(|| chip(guarantee, own, text))
    });
    let row = use_node_ref();
    fit::use_fit(&row, line(frame.locale, &broken, &verdicts));
    html! {
        <div class={classes!("verdicts", (!broken.is_empty()).then_some("has-broken"))} key="verdicts" role="group" aria-label={text.guarantees()}>
            <div class="verdict-chips" key="chips" ref={row}>
                { for broken.iter().map(|(words, breach)| {
                    let (on, breach) = (on.clone(), *breach);
                    let onclick = Callback::from(move |_: MouseEvent| on.emit(Msg::Tell(breach)));
                    html! { <button class="chip broken" key={format!("{:?}", breach.guarantee)} {onclick}>{ icon(Icon::Broken) }{ words }</button> }
                }) }
                if mixed {
                    <button class="chip open" key="stored" popovertarget={LIST} title={text.open_told()}>{ icon(Icon::Minus) }{ text.stored_open() }</button>
                }
                { for kept }
            </div>
            <button class="chip verdicts-all" key="all" popovertarget={LIST} aria-label={text.all_guarantees()} title={text.all_guarantees()}>{ icon(Icon::More) }</button>
            <button class="chip verdicts-short" key="short" popovertarget={LIST}>{ icon(Icon::Check) }<span>{ text.hold(holding) }</span>{ icon(Icon::Chevron) }</button>
            <span class="verdict-waits" key="waits">{ waits(frame, text) }</span>
            <span class="verdict-beat" key="beat">{ frame.beat.map(|beat| text.beat_of(beat + 1, frame.scenario.program.beats.len())) }</span>
            <list::List key="list" {verdicts} core={frame.core.clone()} locale={frame.locale} on={on.clone()} />
        </div>
    }
}

/// All that decides the words of the chips.
fn line(locale: Locale, broken: &[(String, Breach)], verdicts: &[Verdict]) -> String {
    let mut line = format!("{locale:?}");
    for (words, _) in broken {
        line.push_str(words);
    }
    for verdict in verdicts {
        let promised = verdict.promise == Promise::Given;
        line.push_str(&format!(" {promised}{}", verdict.breaches > 0));
        line.push_str(&verdict.duplicates.all().to_string());
    }
    line
}

/// What the checks found in one of two runs, for its own head: both stand side by side, so there
/// is room for no more.
pub fn checked(frame: &Rc<Frame>, on: &Callback<Msg>) -> Html {
    let text = Shell(frame.locale);
    let broken = broken(frame, &[]);
    let kept =
        [(Guarantee::OrderHandled, text.order_kept()), (Guarantee::OneOwner, text.one_owner())];
    let is_broken = |of: Guarantee| broken.iter().any(|(_, breach)| breach.guarantee == of);
    html! {
        <div class="pair-verdicts" key="verdicts" role="group" aria-label={text.guarantees()}>
            { for broken.iter().map(|(words, breach)| {
                let (on, breach) = (on.clone(), *breach);
                let onclick = Callback::from(move |_: MouseEvent| on.emit(Msg::Tell(breach)));
                html! { <button class="chip broken" key={format!("{:?}", breach.guarantee)} {onclick}>{ icon(Icon::Broken) }{ words }</button> }
            }) }
            { for kept.into_iter().filter(|(of, _)| !is_broken(*of)).map(|(of, words)| html! {
                <span class="chip holds" key={format!("{of:?}")}>{ icon(Icon::Check) }{ words }</span>
            }) }
        </div>
    }
}

/// Promised and so.
fn is_kept(verdict: &Verdict) -> bool {
    verdict.promise == Promise::Given && verdict.breaches == 0
}

/// Whether the checks that end a run look at it.
fn is_checked(guarantee: Guarantee) -> bool {
    matches!(guarantee, Guarantee::OrderHandled | Guarantee::OneOwner)
}

/// What is red: what the checks found, promised or not, and every promise that was broken.
fn broken(frame: &Frame, verdicts: &[Verdict]) -> Vec<(String, Breach)> {
    let text = Shell(frame.locale);
    let core = frame.core.read();
    let speaker = Speaker { world: core.session.world(), locale: frame.locale };
    let mut found: Vec<(String, Breach)> = Vec::new();
    let mut add = |words: String, breach: Breach| {
        if !found.iter().any(|(_, known)| known.guarantee == breach.guarantee) {
            found.push((words, breach));
        }
    };
    for violation in frame.violations.iter() {
        let Some(breach) = of_check(&core.session, violation) else { continue };
        add(
            match violation.broken {
                Broken::Order { series, .. } => {
                    text.order_broken(&speaker.world.shared.names.series[series.index()].name)
                }
                Broken::TwoOwners { queue, .. } => text.owner_broken(&speaker.queue(queue)),
            },
            breach,
        );
    }
    for verdict in verdicts.iter().filter(|v| v.is_violated()) {
        let Some(first) = verdict.first else { continue };
        add(
            match verdict.guarantee {
                Guarantee::NothingLost => text.lost(verdict.breaches),
                of => speaker.breach(of).to_owned(),
            },
            first,
        );
    }
    found
}

/// A guarantee that is not broken, for all consumer groups.
fn chip<'a>(guarantee: Guarantee, own: impl Iterator<Item = &'a Verdict>, text: Shell) -> Html {
    let (mut promised, mut again) = (true, 0);
    for verdict in own {
        promised &= verdict.promise == Promise::Given;
        again += verdict.duplicates.all();
    }
    let words = match (guarantee, promised) {
        (Guarantee::OrderHandled, true) => text.order_kept().to_owned(),
        (Guarantee::OrderHandled, false) => text.order_open().to_owned(),
        (Guarantee::OneOwner, true) => text.one_owner().to_owned(),
        (Guarantee::OneOwner, false) => text.owner_open().to_owned(),
        (Guarantee::NothingLost, true) => text.nothing_lost().to_owned(),
        (Guarantee::NothingLost, false) => text.loss_open().to_owned(),
        _ if again > 0 => text.once_again(again),
        _ => text.at_least_once().to_owned(),
    };
    let (class, mark) = if promised { ("holds", Icon::Check) } else { ("open", Icon::Minus) };
    // What it is comes first, then what it means that nothing promises it.
    let told = match guarantee {
        Guarantee::OrderHandled => text.order_told(),
        Guarantee::OneOwner => text.owner_told(),
        Guarantee::NothingLost => text.loss_told(),
        _ => "",
    };
    let title = (!promised).then(|| format!("{told} {}", text.open_told()));
    html! {
        <button class={classes!("chip", class)} key={format!("{guarantee:?}")} popovertarget={LIST} {title}>{ icon(mark) }{ words }</button>
    }
}

/// The queue that stands still longest, or how many do.
fn waits(frame: &Frame, text: Shell) -> Html {
    let standing: Vec<(&str, Option<Ms>)> = frame
        .stage
        .lanes
        .iter()
        .filter(|l| l.stands.is_some())
        .map(|l| (&*l.name, l.since_ms))
        .collect();
    match standing.as_slice() {
        [] => Html::default(),
        [(name, since)] => html! {
            <span class="chip waiting">{ icon(Icon::Hourglass) }
                <span key="words">{ text.waits(name) }</span>
                if let Some(since) = since { <span key="time" data-timed={Timed::Since { from_ms: *since }.value()}></span> }
            </span>
        },
        many => {
            html! { <span class="chip waiting">{ icon(Icon::Hourglass) }{ text.stand_still(many.len()) }</span> }
        }
    }
}
