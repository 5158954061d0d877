//! Load per queue before and after, what moves by which function, and the trap of the absolute value.

use lockstep_core::view::routing::{trap, Load, TrapCell, MIN_VALUE_TEXT};
use lockstep_core::view::stage::NO_HUE;
use yew::prelude::*;

use super::super::views::card;
use super::{function_name, value_of, View};
use crate::i18n::number;
use crate::ui::plot::{columns, Column, Columns, Margins};

/// Height of a row of columns in pixels.
const HEIGHT_PX: u32 = 96;
/// More columns than this would be thinner than can be seen; the sum of neighbours is drawn.
const MAX_COLUMNS: usize = 64;
/// Parts that the chosen group may send.
const SHARES: [u32; 4] = [10, 20, 50, 80];
/// Queues of the trap's table.
const TRAP_QUEUES: u32 = 16;

/// Columns of a load. A hot group's part is in its colour.
fn plot(view: &View<'_>, load: &Load, alt: String) -> Html {
    let (looked, width) = (view.looked, view.inner());
    let together = load.queues.len().div_ceil(MAX_COLUMNS);
    let look = looked.looks.get(looked.chosen as usize);
    let column = |(place, queues): (usize, &[u32])| {
        let first = (place * together) as u32;
        let hot = load.hot.filter(|(queue, _)| (first..first + together as u32).contains(queue));
        let part = hot.map(|(_, count)| {
            let (letter, hue) = look.cloned().unwrap_or((String::new(), NO_HUE));
            (i64::from(count), hue, letter)
        });
        let value = queues.iter().map(|count| i64::from(*count)).sum();
        Column { name: format!("q{first}"), value, part }
    };
    let svg = columns(&Columns {
        size: (width, HEIGHT_PX),
        margins: Margins { left: 0, top: 18, right: 0, bottom: 22 },
        columns: load.queues.chunks(together.max(1)).enumerate().map(column).collect(),
        mean: None,
        axis: false,
    });
    let svg = format!(
        "<svg class=\"plot\" width=\"{width}\" height=\"{HEIGHT_PX}\" viewBox=\"0 0 {width} {HEIGHT_PX}\" aria-hidden=\"true\" focusable=\"false\">{svg}</svg>"
    );
    html! { <div class="plot-box" role="img" aria-label={alt}>{ Html::from_html_unchecked(AttrValue::from(svg)) }</div> }
}

/// The load of each queue as words.
fn words(load: &Load) -> String {
    let queue = |(place, count): (usize, &u32)| format!("q{place} {}", number((*count).into()));
    load.queues.iter().enumerate().take(MAX_COLUMNS).map(queue).collect::<Vec<_>>().join(", ")
}

/// Load per queue.
pub fn load_card(view: &View<'_>) -> Html {
    let (looked, texts) = (view.looked, view.texts);
    let share = view.change(|bench, event: Event| bench.share = value_of(&event).parse().ok());
    let pair = |title: String, loads: &[Option<Load>; 2], key: &'static str| {
        let drawn = [looked.from, looked.to].into_iter().zip(loads).enumerate();
        html! {
            <div {key}>
                <h4>{ title }</h4>
                { for drawn.filter_map(|(place, (n, load))| load.as_ref().map(|load| html! {
                    <div key={place}>
                        <p class="small muted">{ texts.n_only(n) }{ thrown(view, load) }</p>
                        { plot(view, load, format!("{}: {}", texts.n_only(n), words(load))) }
                    </div>
                })) }
            </div>
        }
    };
    let group = looked.list.get(looked.chosen as usize);
    let hot = group.filter(|_| looked.hot.iter().all(Option::is_some));
    let none = looked.loads.iter().all(Option::is_none);
    let body = html! {<>
        { pair(texts.even().to_owned(), &looked.loads, "even") }
        { match hot {
            Some(group) => html! {
                <div key="hot">
                    <label class="routing-field">
                        <span class="small muted">{ texts.share() }</span>
                        <select class="select" onchange={share}>
                            { for SHARES.into_iter().map(|part| html! {
                                <option key={part} value={part.to_string()} selected={part == looked.share}>{ texts.per_cent(&part.to_string()) }</option>
                            }) }
                        </select>
                    </label>
                    { pair(texts.hot_of(group, looked.share), &looked.hot, "pair") }
                </div>
            },
            None => html! { <span key="hot"></span> },
        } }
        { moving(view) }
    </>};
    card("load", texts.load(), if none { texts.platform() } else { "" }, Html::default(), body)
}

fn thrown(view: &View<'_>, load: &Load) -> String {
    match load.thrown {
        0 => String::new(),
        count => format!(" · {}", view.texts.thrown(&number(count.into()))),
    }
}

/// What part of the groups moves, by function and change.
fn moving(view: &View<'_>) -> Html {
    let (looked, texts) = (view.looked, view.texts);
    let part = |part: &Option<u32>| match part {
        Some(part) => {
            let tenths = (part + 5) / 10;
            texts.per_cent(&format!("{}.{}", tenths / 10, tenths % 10))
        }
        None => "–".to_owned(),
    };
    html! {
        <div key="moving" class="table-box" role="group" tabindex="0" aria-label={texts.moving()}>
            <table class="routing-table">
                <thead><tr>
                    <th scope="col">{ texts.moving() }</th>
                    { for looked.changes.iter().map(|to| html! { <th key={*to} scope="col">{ texts.change(looked.from, *to) }</th> }) }
                </tr></thead>
                <tbody>
                    { for looked.moving.iter().map(|(function, parts)| html! {
                        <tr key={function_name(*function, texts)} class={classes!((*function == looked.function).then_some("is-chosen"))}>
                            <th scope="row">{ function_name(*function, texts) }</th>
                            { for parts.iter().enumerate().map(|(place, p)| html! { <td key={place}>{ part(p) }</td> }) }
                        </tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}

/// The trap: `Math.abs` of the smallest int is negative.
pub fn trap_card(view: &View<'_>) -> Html {
    let texts = view.texts;
    let is_min = |group: &&String| lockstep_core::routing::java_hash(group) == i32::MIN;
    let text = view.looked.list.iter().find(is_min).map_or(MIN_VALUE_TEXT, String::as_str);
    let cells = trap(text, TRAP_QUEUES);
    let row = |name: &'static str, pick: fn(&TrapCell) -> i32| {
        html! {
            <tr key={name}>
                <th scope="row"><code>{ name }</code></th>
                { for cells.iter().map(|cell| {
                    let index = pick(cell);
                    let class = if index < 0 { "trap-cell is-negative" } else { "trap-cell" };
                    html! { <td key={cell.n}><span {class}>{ number(index.into()) }</span></td> }
                }) }
            </tr>
        }
    };
    let body = html! {<>
        <p key="text" class="small">{ texts.trap_text(text) }</p>
        <div key="table" class="table-box" role="group" tabindex="0" aria-label={texts.trap()}>
            <table class="trap-table">
                <thead><tr><th scope="col">{ texts.n_queues() }</th>
                    { for cells.iter().map(|cell| html! { <th key={cell.n} scope="col">{ cell.n }</th> }) }
                </tr></thead>
                <tbody>
                    { row("Math.abs(hash) % n", |cell| cell.abs_first) }
                    { row("Math.abs(hash % n)", |cell| cell.abs_last) }
                </tbody>
            </table>
        </div>
        <p key="legend" class="small muted trap-legend"><span class="trap-cell is-negative" aria-hidden="true"></span>{ texts.trap_legend() }</p>
        <p key="note" class="small muted">{ texts.trap_note() }</p>
    </>};
    card("trap", texts.trap(), "", Html::default(), body)
}
