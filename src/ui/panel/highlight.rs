//! The scenario text as it is shown under the transparent text field: keywords, labels in the
//! colour of their message group, comments, and what is wrong.

use lockstep_core::scenario::Span;
use lockstep_core::shared::Names;
use yew::prelude::*;

use crate::ui::labels::{hue, pieces};
use crate::ui::token::Hue;

/// How a piece of a line looks.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Look {
    Plain,
    /// The first word of a statement.
    Keyword,
    /// From # on.
    Comment,
    /// A message's label.
    Label(Hue),
}

/// The colours of a line's labels.
pub fn hues(names: &Names, line: &str) -> Vec<Hue> {
    let code = line.split('#').next().unwrap_or_default();
    pieces(code)
        .filter(|(_, is_label)| *is_label)
        .filter_map(|(piece, _)| hue(names, piece))
        .collect()
}

/// The places that are wrong in a line.
pub fn wrong<'a>(spans: impl Iterator<Item = &'a Span>, line: u32) -> Vec<(u32, u32)> {
    spans.filter(|span| span.line == line).map(|span| (span.column, span.width.max(1))).collect()
}

/// One line: its text, the colours of its labels in their order, and what is wrong as columns
/// and widths.
pub fn code_line(number: u32, text: &str, hues: &[Hue], wrong: &[(u32, u32)]) -> Html {
    let looks = looks(text, hues);
    let mut runs: Vec<(Look, bool, String)> = Vec::new();
    for (index, (c, look)) in looks.into_iter().enumerate() {
        let column = index as u32 + 1;
        let is_wrong = wrong.iter().any(|(from, width)| (*from..from + width).contains(&column));
        match runs.last_mut() {
            Some((last, marked, run)) if *last == look && *marked == is_wrong => run.push(c),
            _ => runs.push((look, is_wrong, c.to_string())),
        }
    }
    // What is missing at the end of a line is marked behind its last character.
    let length = text.chars().count() as u32;
    let behind = wrong.iter().any(|(from, _)| *from > length);
    html! {
        <div key={number} class={classes!("code-line", (!wrong.is_empty()).then_some("is-wrong"))}>
            { for runs.into_iter().enumerate().map(|(index, (look, is_wrong, text))| {
                let wrong = is_wrong.then_some("wrong");
                let class = match look {
                    Look::Plain => classes!(wrong),
                    Look::Keyword => classes!("keyword", wrong),
                    Look::Comment => classes!("comment", wrong),
                    Look::Label(hue) => classes!("label", hue.class(), wrong),
                };
                html! { <span key={index} {class}>{ text }</span> }
            }) }
            <span key="behind" class="wrong" hidden={!behind}>{ "\u{a0}\u{a0}" }</span>
            { "\n" }
        </div>
    }
}

/// The look of each character.
fn looks(text: &str, hues: &[Hue]) -> Vec<(char, Look)> {
    let comment = text.find('#').unwrap_or(text.len());
    let (code, rest) = text.split_at(comment);
    let mut hues = hues.iter();
    let mut looks = Vec::with_capacity(text.len());
    let is_sentence = code.starts_with(char::is_alphabetic);
    let mut first = true;
    for (piece, is_label) in pieces(code) {
        let look = match (is_label, first && is_sentence) {
            (_, true) => Look::Keyword,
            (true, _) => hues.next().map_or(Look::Plain, |hue| Look::Label(*hue)),
            _ => Look::Plain,
        };
        first = false;
        looks.extend(piece.chars().map(|c| (c, look)));
    }
    looks.extend(rest.chars().map(|c| (c, Look::Comment)));
    looks
}
