//! What is chosen: the function, the numbers of queues, the list of groups.

use lockstep_core::view::routing::{grow_scenario, Function, NamesProblem, MAX_QUEUES};
use yew::prelude::*;

use super::super::views::card;
use super::{function_name, number_of, text_of, value_of, Bench, View};
use crate::app::msg::Msg;
use crate::i18n::number;
use crate::ui::icon::{sized, Icon};

/// Most series of a scenario's text that have a letter.
const MAX_SERIES: usize = 26;

/// The row of choices.
pub fn head(view: &View<'_>, on: &Callback<Msg>) -> Html {
    let (looked, texts) = (view.looked, view.texts);
    let choose = view.change(|bench, event: Event| {
        let place: usize = value_of(&event).parse().unwrap_or(0);
        bench.function = Function::ALL.get(place).copied();
    });
    let grow = {
        let (on, looked) = (on.clone(), looked.clone());
        Callback::from(move |_: MouseEvent| {
            let text = grow_scenario(&looked.list, looked.function, looked.from, looked.to);
            on.emit(Msg::RunText(text.into()));
        })
    };
    let empty = looked.list.is_empty();
    html! {<>
        <h2 key="title">{ texts.title() }</h2>
        <label key="function" class="routing-field">
            <span class="small muted">{ texts.function() }</span>
            <select class="select" onchange={choose} data-testid="function">
                { for Function::ALL.into_iter().enumerate().map(|(place, function)| html! {
                    <option key={place} value={place.to_string()} selected={function == looked.function}>{ function_name(function, texts) }</option>
                }) }
            </select>
        </label>
        <div key="counts" class="routing-counts">
            <span class="small muted">{ texts.queues() }</span>
            { stepper(view, texts.queues_before(), looked.from, |bench, n| bench.from = Some(n)) }
            <span class="small muted">{ texts.then() }</span>
            { stepper(view, texts.queues_after(), looked.to, |bench, n| bench.to = Some(n)) }
        </div>
        <button key="grow" class="button primary" title={texts.grow_hint()} disabled={empty} onclick={grow}>
            { sized(Icon::Play, 14) }{ texts.grow() }
        </button>
    </>}
}

/// A number of queues with a button at either side.
fn stepper(view: &View<'_>, name: &'static str, n: u32, set: fn(&mut Bench, u32)) -> Html {
    let texts = view.texts;
    let set = move |bench: &mut Bench, n: u32| set(bench, n.clamp(1, MAX_QUEUES));
    let less = view.change(move |bench, _: MouseEvent| set(bench, n.saturating_sub(1)));
    let more = view.change(move |bench, _: MouseEvent| set(bench, n + 1));
    let typed = view.change(move |bench, event: Event| {
        if let Some(n) = number_of(&event) {
            set(bench, n);
        }
    });
    html! {
        <span class="stepper" role="group" aria-label={name}>
            <button aria-label={texts.fewer()} disabled={n <= 1} onclick={less}>{ sized(Icon::Minus, 14) }</button>
            <input type="number" min="1" max={MAX_QUEUES.to_string()} aria-label={name} value={n.to_string()} onchange={typed} />
            <button aria-label={texts.more()} disabled={n >= MAX_QUEUES} onclick={more}>{ sized(Icon::Plus, 14) }</button>
        </span>
    }
}

/// The list of groups.
pub fn groups(view: &View<'_>, copied: &UseStateHandle<bool>) -> Html {
    let (looked, texts) = (view.looked, view.texts);
    let oninput = {
        let copied = copied.clone();
        let change = view.change(|bench, text: String| {
            bench.text = Some(text);
            bench.chosen = 0;
        });
        Callback::from(move |event: InputEvent| {
            copied.set(false);
            change.emit(text_of(&event));
        })
    };
    let of_run = view.change(|bench, _: MouseEvent| (bench.text, bench.chosen) = (None, 0));
    let copy = {
        let (copied, lines) = (copied.clone(), series_lines(&looked.list));
        Callback::from(move |_: MouseEvent| {
            copied.set(crate::app::copy(&lines));
        })
    };
    let problem = looked.problem.as_ref().map(|problem| match problem {
        NamesProblem::TooMany { line } => texts.too_many(*line),
        NamesProblem::Range { line, word } => texts.bad_range(*line, word),
    });
    let side = html! { <span class="small muted">{ texts.count(&number(looked.list.len() as i64)) }</span> };
    let body = html! {<>
        <textarea key="text" class="routing-list" rows="5" spellcheck="false" autocomplete="off" aria-label={texts.groups()}
            aria-describedby="routing-hint" data-testid="groups" value={looked.text.clone()} {oninput} />
        <p key="hint" class="small muted" id="routing-hint">{ texts.groups_hint() }</p>
        <p key="problem" class="small routing-problem" role="status">{ problem.unwrap_or_default() }</p>
        <div key="actions" class="editor-actions">
            <button class="button small" onclick={of_run}>{ texts.of_run() }</button>
            <button class="button small" title={texts.copy_hint()} disabled={looked.list.is_empty()} onclick={copy}>
                { if **copied { texts.copied() } else { texts.copy() } }
            </button>
        </div>
    </>};
    card("groups", texts.groups(), "", side, body)
}

/// Lines of a scenario's text that declare the groups.
fn series_lines(list: &[String]) -> String {
    let letters = (b'A'..=b'Z').map(char::from).take(MAX_SERIES);
    let line = |(letter, group): (char, &String)| {
        format!("series   {letter} message-group {}\n", lockstep_core::scenario::quote(group))
    };
    letters.zip(list).map(line).collect()
}
