//! What frames a lesson: the question that people ask, what to watch, and where to go from it.

use yew::prelude::*;

use crate::app::frame::Frame;
use crate::app::msg::{Against, Msg};
use crate::app::scenario::lang;
use crate::i18n::compare::CompareText;
use crate::i18n::panel::PanelText;
use crate::ui::focus;
use crate::ui::glossary::Reader;
use crate::ui::icon::{sized, Icon};
use crate::ui::pair::{counterpart, has_before};
use crate::ui::picker::lessons::{next_of, Place};

/// The question, where it was asked, and what to watch.
pub fn opening(frame: &Frame, texts: PanelText, reader: &Reader) -> Html {
    let framing = &frame.scenario.program.framing;
    let language = lang(frame.locale);
    let (question, watch) = (framing.question.get(language), framing.watch.get(language));
    html! {<>
        <p key="question" class="lesson-question" hidden={question.is_empty()}>{ reader.told("question", question) }</p>
        <p key="sources" class="small muted" hidden={framing.sources.is_empty()}>
            { texts.asked_in() }{ " " }
            { for framing.sources.iter().enumerate().map(|(index, source)| html! {
                <span key={index}>{ if index > 0 { ", " } else { "" } }{ reference(source) }</span>
            }) }
        </p>
        <p key="watch" class="lesson-watch" hidden={watch.is_empty()}>
            { sized(Icon::Eye, 14) }
            <span><b>{ texts.watch() }</b>{ " " }{ reader.told("watch", watch) }</span>
        </p>
    </>}
}

/// The twist, the repaired version or the way back from it, what to read, and the next lesson.
pub fn closing(frame: &Frame, texts: PanelText, on: &Callback<Msg>) -> Html {
    let framing = &frame.scenario.program.framing;
    let language = lang(frame.locale);
    let id = frame.scenario.lesson_id().unwrap_or_default();
    let repaired = framing.repaired.as_deref().filter(|id| Place::of(id).is_some());
    let broken = id.strip_suffix("-repaired").filter(|id| Place::of(id).is_some());
    let next = next_of(id).map(|place| (place.lesson.id, place.lesson.title(frame.locale)));
    html! {<>
        { for framing.twists.iter().enumerate().map(|(index, twist)| html! {
            // Another lesson's answer is not open because this one's was.
            <section key={format!("twist-{id}-{index}")} class="lesson-part">
                <h3 class="section-label">{ texts.twist() }</h3>
                { answered(twist.answered(language), texts) }
            </section>
        }) }
        <section key="read" class="lesson-part" hidden={framing.see.is_empty()}>
            <h3 class="section-label">{ texts.read_on() }</h3>
            <ul class="small">
                { for framing.see.iter().enumerate().map(|(index, see)| html! { <li key={index}>{ reference(see) }</li> }) }
            </ul>
        </section>
        <p key="ways" class="lesson-ways">
            { repaired.map(|id| way(id, texts.repaired(), Icon::Check, on)) }
            { broken.map(|id| way(id, texts.back_to_broken(), Icon::Left, on)) }
            { compared(frame, broken.is_some(), on) }
            { next.map(|(id, title)| way(id, &format!("{}: {title}", texts.next_lesson()), Icon::Right, on)) }
        </p>
    </>}
}

/// What a twist asks, and what comes of it for those who want to know.
fn answered((question, answer): (&str, &str), texts: PanelText) -> Html {
    html! {<>
        <p class="read">{ prose(question) }</p>
        if !answer.is_empty() {
            <details class="twist-answer">
                <summary class="small">{ texts.twist_answer() }</summary>
                <p class="read">{ prose(answer) }</p>
            </details>
        }
    </>}
}

/// Buttons that put another run beside this one.
fn compared(frame: &Frame, repaired: bool, on: &Callback<Msg>) -> Html {
    let texts = CompareText(frame.locale);
    if frame.side.is_some() {
        return Html::default();
    }
    let against = counterpart(frame).map(|id| Against::Lesson(id.into()));
    let text = if repaired { texts.both_back() } else { texts.both() };
    let with = against.map(|against| (against, text));
    let before = has_before(frame) && frame.scenario.id.is_empty();
    let before = before.then(|| (Against::Before, texts.with_before()));
    let direct = with.into_iter().chain(before).map(|(against, text)| {
        let on = on.clone();
        let onclick = Callback::from(move |_: MouseEvent| on.emit(Msg::Compare(against.clone())));
        html! { <button key={text} class="button" {onclick} data-testid="compare">{ sized(Icon::Pair, 14) }{ text }</button> }
    });
    let on = on.clone();
    let onclick = Callback::from(move |_: MouseEvent| on.emit(Msg::ToggleCompare));
    html! {<>
        { for direct }
        <button key="compare-with" class="button" {onclick} aria-haspopup="dialog">{ sized(Icon::Pair, 14) }{ texts.open_menu() }</button>
    </>}
}

/// A button that opens a lesson.
fn way(id: &str, text: &str, mark: Icon, on: &Callback<Msg>) -> Html {
    let (on, to) = (on.clone(), id.to_owned());
    let onclick = Callback::from(move |_: MouseEvent| {
        focus::panel();
        on.emit(Msg::OpenScenario(to.as_str().into()));
    });
    // The repaired version may be the next lesson too.
    html! { <button key={text.to_owned()} class="button" {onclick} data-opens={id.to_owned()}>{ sized(mark, 14) }{ text.to_owned() }</button> }
}

/// An address as a link with a short name, anything else as code.
fn reference(text: &str) -> Html {
    match text.strip_prefix("https://") {
        Some(rest) => html! {
            <a class="link" href={text.to_owned()} target="_blank" rel="noopener noreferrer">{ breakable(&short(rest)) }</a>
        },
        None => html! { <code>{ breakable(text) }</code> },
    }
}

/// `apache/rocketmq #7999` of a thread, host and path of any other address.
fn short(address: &str) -> String {
    let thread = address.strip_prefix("github.com/").and_then(|path| {
        let (repository, number) =
            path.split_once("/issues/").or_else(|| path.split_once("/pull/"))?;
        Some(format!("{repository} #{number}"))
    });
    thread.unwrap_or_else(|| address.trim_end_matches('/').to_owned())
}

/// A text with what stands between backticks as code.
pub fn prose(text: &str) -> Html {
    let pieces = text.split('`').enumerate().map(|(index, piece)| match index % 2 {
        1 => html! { <code key={index}>{ breakable(piece) }</code> },
        _ => html! { <span key={index}>{ piece.to_owned() }</span> },
    });
    pieces.collect()
}

/// A path or a long name, whose lines may end behind its points and slashes rather than in a word.
pub fn breakable(name: &str) -> Html {
    let pieces = name.split_inclusive(['.', '/']).enumerate();
    pieces
        .map(|(index, piece)| html! { <span key={index}>{ piece.to_owned() }<wbr /></span> })
        .collect()
}
