//! A problem of the text: its place, what is wrong, the nearest word, and the button that mends it.

use lockstep_core::scenario::Problem;
use yew::prelude::*;

use crate::i18n::panel::EditorText;
use crate::i18n::{problem, Locale};
use crate::ui::icon::{sized, Icon};

/// What a problem's buttons do; each is told which problem.
pub struct Deeds {
    /// Goes to its place.
    pub place: Callback<usize>,
    /// Mends it.
    pub fix: Callback<usize>,
    /// Goes to the next one.
    pub next: Callback<()>,
}

/// A problem of several; `line` is the text of its line.
pub fn problem_card(
    problems: &[Problem],
    index: usize,
    line: &str,
    locale: Locale,
    deeds: &Deeds,
) -> Html {
    let Deeds { place: onplace, fix: onfix, next: onnext } = deeds;
    let (onplace, onfix, onnext) = (onplace.clone(), onfix.clone(), onnext.clone());
    let texts = EditorText(locale);
    let Some(problem) = problems.get(index) else { return Html::default() };
    let span = problem.span;
    let fix = problem.fix.clone().map(|fix| {
        let text = fix.replacement.trim().to_owned();
        let text = if fix.span.width == 0 { texts.add_fix(&text) } else { texts.use_fix(&text) };
        let onclick = Callback::from(move |_: MouseEvent| onfix.emit(index));
        html! { <button class="button primary small" data-testid="fix" {onclick}>{ text }</button> }
    });
    let go = Callback::from(move |_: MouseEvent| onplace.emit(index));
    let next = Callback::from(move |_: MouseEvent| onnext.emit(()));
    let caret = format!(
        "{}{}",
        " ".repeat(span.column.saturating_sub(1) as usize),
        "^".repeat(span.width.max(1) as usize),
    );
    html! {
        <section class="problem" role="alert" data-testid="problem">
            <p key="place" class="problem-place">
                { sized(Icon::Warn, 14) }
                <button class="link" onclick={go} data-testid="problem-place">{ texts.place(span.line, span.column) }</button>
                <span class="small muted" hidden={problems.len() < 2}>{ texts.of(index + 1, problems.len()) }</span>
            </p>
            <pre key="excerpt" class="problem-excerpt" aria-hidden="true">{ format!("{line}\n{caret}") }</pre>
            <p key="text" class="problem-text">{ with_code(&problem::sentence(locale, problem)) }</p>
            <div key="foot" class="problem-foot">
                { fix }
                <button class="button quiet small" hidden={problems.len() < 2} onclick={next}>
                    <kbd class="keycap">{ "F8" }</kbd>{ texts.next_problem() }
                </button>
            </div>
        </section>
    }
}

/// Pieces between backticks are text of the file.
fn with_code(text: &str) -> Html {
    html! {<>
        { for text.split('`').enumerate().map(|(index, piece)| {
            if index % 2 == 1 {
                html! { <code key={index}>{ piece.to_owned() }</code> }
            } else {
                html! { <span key={index}>{ piece.to_owned() }</span> }
            }
        }) }
    </>}
}
