//! What the charts, the order strips and the routing microscope share: the row that chooses between
//! them, cards, tables.

use yew::prelude::*;

use super::charts::Range;
use crate::app::msg::{Msg, Tab};
use crate::i18n::views::{ChartsText, ViewsText};
use crate::i18n::Locale;
use crate::ui::menu::{Choice, Select};

/// From this width on two cards stand side by side, in pixels.
const TWO_COLUMNS_PX: u32 = 680;

/// Whether two cards stand side by side.
pub fn is_two(width: u32) -> bool {
    width >= TWO_COLUMNS_PX
}

/// The row above the views.
pub fn bar(
    tab: Tab,
    locale: Locale,
    wide: &UseStateHandle<bool>,
    range: &UseStateHandle<Range>,
    on: &Callback<Msg>,
) -> Html {
    let texts = ViewsText(locale);
    let views = [
        (Tab::Charts, texts.charts()),
        (Tab::Order, texts.order()),
        (Tab::Routing, texts.routing()),
    ];
    let toggle = {
        let wide = wide.clone();
        Callback::from(move |_: MouseEvent| wide.set(!*wide))
    };
    html! {<>
        <div key="views" class="segment" role="group" aria-label={texts.views()}>
            { for views.into_iter().map(|(view, name)| {
                let on = on.clone();
                let onclick = Callback::from(move |_: MouseEvent| on.emit(Msg::OpenTab(view)));
                html! { <button key={name} aria-pressed={(view == tab).to_string()} {onclick}>{ name }</button> }
            }) }
        </div>
        { if tab == Tab::Charts { range_choice(locale, range) } else { Html::default() } }
        <button key="wide" class="button small wide-button" aria-pressed={wide.to_string()} onclick={toggle}>
            { if **wide { texts.narrow() } else { texts.wide() } }
        </button>
    </>}
}

/// Chooses the stretch that the charts show.
fn range_choice(locale: Locale, range: &UseStateHandle<Range>) -> Html {
    let texts = ChartsText(locale);
    let choice = |one: &Range| Choice { text: one.text(texts).into(), chosen: *one == **range };
    let onchoose = {
        let range = range.clone();
        Callback::from(move |place: usize| range.set(Range::ALL[place.min(Range::ALL.len() - 1)]))
    };
    let choices = Range::ALL.iter().map(choice).collect::<Vec<_>>();
    html! {
        <span key="range" class="views-range">
            <Select class="framed" label={texts.range()} {choices} {onchoose} />
        </span>
    }
}

/// A card with a heading, a note below it and something at the heading's right.
pub fn card(key: &'static str, title: &str, note: &str, side: Html, body: Html) -> Html {
    html! {
        <section {key} class={classes!("view-card", key)} aria-label={title.to_owned()}>
            <header><h3>{ title.to_owned() }</h3>{ side }</header>
            <p class="small muted" hidden={note.is_empty()}>{ note.to_owned() }</p>
            { body }
        </section>
    }
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum TableCell {
    /// A text.
    Text(String),
    /// A button that does something.
    Press(String, Callback<MouseEvent>),
}

impl From<String> for TableCell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// A table that scrolls in its own box.
pub fn table(name: &str, head: Vec<String>, rows: Vec<Vec<TableCell>>) -> Html {
    let cell = |(place, cell): (usize, TableCell)| {
        let content = match cell {
            TableCell::Text(text) => Html::from(text),
            TableCell::Press(text, onclick) => {
                html! { <button class="link" {onclick}>{ text }</button> }
            }
        };
        match place {
            0 => html! { <th key={place} scope="row">{ content }</th> },
            _ => html! { <td key={place}>{ content }</td> },
        }
    };
    html! {
        <div class="table-box" role="group" tabindex="0" aria-label={name.to_owned()}>
            <table>
                <thead><tr>{ for head.into_iter().enumerate().map(|(place, name)| html! { <th key={place} scope="col">{ name }</th> }) }</tr></thead>
                <tbody>
                    { for rows.into_iter().enumerate().map(|(place, row)| html! {
                        <tr key={place}>{ for row.into_iter().enumerate().map(cell) }</tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}
