//! A problem of the text: its place, what is wrong, the nearest word, and the button that mends it.

use std::rc::Rc;

use lockstep_core::scenario::Problem;
use yew::prelude::*;

use crate::i18n::panel::EditorText;
use crate::i18n::{problem, Locale};
use crate::ui::icon::{sized, Icon};

/// Properties of [`ProblemCard`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// All problems.
    pub problems: Rc<Vec<Problem>>,
    /// Which one is shown.
    pub index: usize,
    /// Text of its line.
    pub line: AttrValue,
    /// Language.
    pub locale: Locale,
    /// Goes to its place.
    pub onplace: Callback<usize>,
    /// Mends it.
    pub onfix: Callback<usize>,
    /// Goes to the next one.
    pub onnext: Callback<()>,
}

/// A problem.
#[component]
pub fn ProblemCard(props: &Props) -> Html {
    let Props { problems, index, line, locale, onplace, onfix, onnext } = props.clone();
    let texts = EditorText(locale);
    let Some(problem) = problems.get(index) else {
        return html! { <div class="problem" hidden=true></div> };
    };
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
