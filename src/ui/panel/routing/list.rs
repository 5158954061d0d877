//! Tables: the listed groups with their values, and every function for one of them.

use lockstep_core::view::routing::{Bits, Function, Landing, Number, Row};
use yew::prelude::*;

use super::super::views::card;
use super::{function_name, landing, View};
use crate::i18n::number;
use crate::ui::token::{Hue, Look, Token, TokenState};

/// A hash as people compare it.
fn value(value: Option<Number>) -> String {
    match value {
        Some(Number::Int(value)) => number(value),
        Some(Number::Bits(bits)) => format!("{bits:016x}"),
        Some(Number::Digest(digest)) => {
            let first: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
            format!("{first}…")
        }
        None => "–".to_owned(),
    }
}

/// A group's token; empty where there are more groups than letters.
pub fn token((letter, hue): &(String, u8)) -> Html {
    let look = Look {
        label: AttrValue::from(letter.clone()),
        hue: Hue(*hue),
        state: TokenState::Ready,
        size: (28.0, 23.0),
        again: false,
    };
    html! { <Token {look} /> }
}

/// The bits that decide; those that only the larger number reads are framed.
fn bits(bits: &Bits) -> Html {
    html! {
        <span class="bits">
            { "…" }
            { for bits.bits.iter().enumerate().map(|(place, bit)| {
                let fresh = (place as u32) < bits.fresh;
                let class = classes!(fresh.then_some("bit"), (fresh && *bit).then_some("is-one"));
                html! { <span key={place} {class}>{ if *bit { "1" } else { "0" } }</span> }
            }) }
        </span>
    }
}

/// The listed groups.
pub fn card_body(view: &View<'_>) -> Html {
    let (looked, texts) = (view.looked, view.texts);
    let with_bits = looked.rows.iter().any(|row| row.bits.is_some());
    let row = |(row, look): (&Row, &(String, u8))| {
        let place = row.place;
        let choose = view.change(move |bench, _: MouseEvent| bench.chosen = place);
        let class = classes!(
            row.moves().then_some("moves"),
            (place == looked.chosen).then_some("is-chosen")
        );
        html! {
            <tr key={place} {class}>
                <td class="token-cell">{ token(look) }</td>
                <th scope="row"><button class="link" aria-pressed={(place == looked.chosen).to_string()} onclick={choose}>{ row.group.clone() }</button></th>
                <td class="mono">{ value(row.number) }</td>
                <td hidden={!with_bits}>{ row.bits.as_ref().map(bits).unwrap_or_default() }</td>
                <td>{ landing(row.from, texts) }</td>
                <td class="to">{ landing(row.to, texts) }</td>
            </tr>
        }
    };
    html! {
        <div class="table-box" role="group" tabindex="0" aria-label={texts.groups()}>
            <table class="routing-table is-list">
                <thead><tr>
                    <td></td><th scope="col">{ texts.group() }</th><th scope="col">{ texts.value() }</th>
                    <th scope="col" hidden={!with_bits}>{ texts.bits() }</th>
                    <th scope="col">{ texts.of(looked.from) }</th><th scope="col">{ texts.of(looked.to) }</th>
                </tr></thead>
                <tbody>{ for looked.rows.iter().zip(&looked.looks).map(row) }</tbody>
            </table>
        </div>
    }
}

/// The card of the listed groups.
pub fn list_card(view: &View<'_>) -> Html {
    let (looked, texts) = (view.looked, view.texts);
    let more = looked.list.len() - looked.rows.len();
    let note = match looked.rows.first().and_then(|row| row.bits.as_ref()) {
        Some(Bits { bits, fresh }) => {
            let (large, small) = (bits.len() as u32, bits.len() as u32 - fresh);
            let (fewer, many) = (looked.from.min(looked.to), looked.from.max(looked.to));
            texts.who_moves(small, large, fewer, many)
        }
        None if looked.function == Function::RoundRobin => texts.turn_note().to_owned(),
        None if matches!(looked.function, Function::Sdk(_)) => texts.endpoint().to_owned(),
        None => String::new(),
    };
    let body = html! {<>
        <div key="table">{ card_body(view) }</div>
        <p key="more" class="small muted" hidden={more == 0}>{ texts.listed(&number(more as i64)) }</p>
        <p key="note" class="small routing-note">{ note }</p>
    </>};
    card("list", function_name(looked.function, texts), "", Html::default(), body)
}

/// Every function for the chosen group.
pub fn every(view: &View<'_>) -> Html {
    let (looked, texts) = (view.looked, view.texts);
    let Some(group) = looked.list.get(looked.chosen as usize) else {
        return card("every", texts.every(), texts.none(), Html::default(), Html::default());
    };
    let of = |function: Function, n: u32| function.landing(group, looked.chosen, n);
    let row = |function: Function| {
        let (from, to) = (of(function, looked.from), of(function, looked.to));
        let platform = from == Landing::Platform;
        let shown =
            if platform { texts.platform().to_owned() } else { value(function.number(group)) };
        let class = classes!(
            (function == Function::Proxy).then_some("is-chosen"),
            (from != to).then_some("moves")
        );
        html! {
            <tr key={function_name(function, texts)} {class}>
                <th scope="row">{ function_name(function, texts) }</th>
                <td class={if platform { "platform" } else { "mono" }}>{ shown }</td>
                <td>{ landing(from, texts) }</td>
                <td class="to">{ landing(to, texts) }</td>
            </tr>
        }
    };
    let sdks = Function::ALL.into_iter().filter(|function| matches!(function, Function::Sdk(_)));
    let mut queues: Vec<u32> = sdks.filter_map(|sdk| of(sdk, looked.from).queue()).collect();
    queues.sort_unstable();
    queues.dedup();
    let list = queues.iter().map(|queue| format!("q{queue}")).collect::<Vec<_>>();
    let note = match queues.len() {
        0 | 1 => texts.agree().to_owned(),
        _ => texts.disagree(&list.join(", ")),
    };
    let body = html! {<>
        <div key="table" class="table-box" role="group" tabindex="0" aria-label={texts.every_of(group)}>
            <table class="routing-table">
                <thead><tr>
                    <th scope="col">{ texts.function() }</th><th scope="col">{ texts.value() }</th>
                    <th scope="col">{ texts.of(looked.from) }</th><th scope="col">{ texts.of(looked.to) }</th>
                </tr></thead>
                <tbody>{ for Function::ALL.into_iter().map(row) }</tbody>
            </table>
        </div>
        <p key="note" class="small routing-note">{ note }{ " " }{ texts.endpoint() }</p>
    </>};
    card("every", &texts.every_of(group), "", Html::default(), body)
}
