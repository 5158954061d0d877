//! Terms in running text: a dotted word that opens its definition, and the list of all terms.

use std::cell::Cell;
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::focus;
use super::panel::breakable;
use super::picker::lessons::{all, Place};
use super::token::{size, Hue, Look, Token, TokenState};
use crate::app::msg::Msg;
use crate::i18n::glossary::{pieces, GlossaryText, Piece, Shape, Term, TERMS};
use crate::i18n::Locale;

/// How long a pointer rests on a word before it is told, and how long it may be on its way from the
/// word to what is told.
const RESTS_MS: u32 = 250;
/// Width of what is told, and its distance from the edges of the window.
const WIDTH_PX: f64 = 300.0;
const EDGE_PX: f64 = 8.0;

/// What texts with terms need: the language, the lesson that is open, and where requests go.
#[derive(Clone, PartialEq)]
pub struct Reader {
    /// The language.
    pub locale: Locale,
    /// Chapter and number of the lesson that is open.
    pub lesson: Option<(usize, usize)>,
    /// Where requests go.
    pub on: Callback<Msg>,
}

impl Reader {
    /// A text with its terms; `of` tells texts of one lesson apart.
    pub fn told(&self, of: &str, text: &str) -> Html {
        let pieces = pieces(self.locale, text).into_iter().enumerate();
        let drawn = pieces.map(|(key, piece)| match piece {
            Piece::Plain(words) => html! { <span {key}>{ words.to_owned() }</span> },
            Piece::Code(code) => html! { <code {key}>{ breakable(code) }</code> },
            Piece::Term(word, term) => html! {
                <Word {key} id={format!("term-{of}-{key}")} word={word.to_owned()} {term} reader={self.clone()} />
            },
        });
        drawn.collect()
    }
}

#[derive(PartialEq, Properties)]
struct WordProps {
    id: AttrValue,
    word: AttrValue,
    term: &'static Term,
    reader: Reader,
}

/// A term in a text. The browser opens and closes what is told, by click and keyboard; a mouse that
/// rests on the word opens it too.
#[component]
fn Word(props: &WordProps) -> Html {
    let WordProps { id, word, term, reader } = props;
    let term: &'static Term = term;
    let card = use_node_ref();
    let button = use_node_ref();
    let timer = use_mut_ref(|| None::<Timeout>);
    // Nothing is made of what nobody has asked for.
    let asked = use_state_eq(|| false);
    // Opened by a click it stays until it is closed.
    let stays = use_memo((), |()| Cell::new(false));
    let shown = |card: &NodeRef| {
        // A selector of our own can always be read.
        card.cast::<Element>().is_some_and(|card| card.matches(":popover-open").unwrap_or(false))
    };
    let over = {
        let (card, button, timer) = (card.clone(), button.clone(), timer.clone());
        let (stays, asked) = (Rc::clone(&stays), asked.clone());
        Callback::from(move |event: PointerEvent| {
            *timer.borrow_mut() = None;
            light(Some(term));
            if event.pointer_type() != "mouse" || shown(&card) {
                return;
            }
            stays.set(false);
            let (card, button, asked) = (card.clone(), button.clone(), asked.clone());
            *timer.borrow_mut() = Some(Timeout::new(RESTS_MS, move || {
                asked.set(true);
                place(&button, &card);
                // Refused only when it is open already.
                let _ = card.cast::<HtmlElement>().map(|card| card.show_popover());
            }));
        })
    };
    let out = {
        let (card, timer, stays) = (card.clone(), timer.clone(), Rc::clone(&stays));
        Callback::from(move |_: PointerEvent| {
            light(None);
            let card = card.clone();
            // A word that the pointer only passes is not told.
            *timer.borrow_mut() = (!stays.get()).then(|| {
                Timeout::new(RESTS_MS, move || {
                    // Refused only when it is closed already.
                    let _ = card.cast::<HtmlElement>().map(|card| card.hide_popover());
                })
            });
        })
    };
    let onclick = {
        let (card, button, asked) = (card.clone(), button.clone(), asked.clone());
        Callback::from(move |_: MouseEvent| {
            *timer.borrow_mut() = None;
            asked.set(true);
            stays.set(true);
            place(&button, &card);
        })
    };
    let name = term.name(reader.locale);
    html! {
        <span class="term-holder" onpointerenter={over} onpointerleave={out}>
            <button ref={button} class="term" popovertarget={id.clone()} popovertargetaction="show" aria-haspopup="dialog" {onclick}
                onfocus={|_: FocusEvent| light(Some(term))} onblur={|_: FocusEvent| light(None)}>{ word.clone() }</button>
            <span ref={card} {id} class="term-card" popover="auto" role="dialog" aria-label={name}>
                { asked.then(|| html! {<>
                    <b>{ shape(term) }{ name }</b>
                    <span>{ term.told(reader.locale) }</span>
                    { taught(term, reader, Some(id)) }
                </>}) }
            </span>
        </span>
    }
}

/// Lights up on the stage what a term is the name of, by a rule of the style sheet for each such term.
fn light(term: Option<&Term>) {
    let root = web_sys::window().and_then(|window| window.document()?.document_element());
    let Some(root) = root else { return };
    // An attribute of a name of our own can always be set and taken away.
    let _ = match term {
        Some(term) => root.set_attribute("data-term", &term.id()),
        None => root.remove_attribute("data-term"),
    };
}

/// Puts what is told below its word, or above one that stands low in the window.
fn place(word: &NodeRef, card: &NodeRef) {
    let (Some(word), Some(card)) = (word.cast::<Element>(), card.cast::<HtmlElement>()) else {
        return;
    };
    let px = |value: Result<wasm_bindgen::JsValue, _>| value.ok()?.as_f64();
    let size = web_sys::window().and_then(|w| Some((px(w.inner_width())?, px(w.inner_height())?)));
    let Some((width, height)) = size else { return };
    // Wide screens are zoomed as a whole; the card's own pixels are the page's.
    let body = web_sys::window().and_then(|window| window.document()?.body());
    let own = body.map_or(width, |body| f64::from(body.client_width()));
    let scale = (width / own.max(1.0)).max(1.0);
    let (width, height) = (width / scale, height / scale);
    let rect = word.get_bounding_client_rect();
    let (x, upper, lower) = (rect.left() / scale, rect.top() / scale, rect.bottom() / scale);
    let left = x.min(width - WIDTH_PX - EDGE_PX).max(EDGE_PX);
    let (top, bottom) = match lower > height * 0.6 {
        true => ("auto".to_owned(), format!("{}px", height - upper + 4.0)),
        false => (format!("{}px", lower + 4.0), "auto".to_owned()),
    };
    // A value that the browser does not take leaves the card where it was.
    let _ = card.style().set_property("inset", &format!("{top} auto {bottom} {left}px"));
}

/// A token in the state that a term is the name of.
fn shape(term: &Term) -> Option<Html> {
    let state = match term.shape? {
        Shape::Initialised => TokenState::Initialised,
        Shape::Ready => TokenState::Ready,
        Shape::InFlight => TokenState::InFlight(None),
        Shape::Invisible => TokenState::Invisible(None),
        Shape::Retry => TokenState::Retry(0),
        Shape::Blocked => TokenState::Blocked,
        Shape::Scheduled => TokenState::Scheduled,
        Shape::Acknowledged => TokenState::Acknowledged,
        Shape::Dead => TokenState::Dead,
    };
    let look = Look { label: "A".into(), hue: Hue(0), state, size: size::LEGEND, again: false };
    Some(html! { <Token {look} /> })
}

/// The way to the lesson that teaches a term; `card` is what it closes.
fn taught(term: &Term, reader: &Reader, card: Option<&AttrValue>) -> Html {
    let Reader { locale, lesson, on } = reader;
    let texts = GlossaryText(*locale);
    let is_place = |place: &Place| (place.chapter_number, place.number) == term.lesson;
    let Some(place) = all().find(is_place) else { return Html::default() };
    if *lesson == Some(term.lesson) {
        return html! { <span key="taught" class="small muted">{ texts.here() }</span> };
    }
    let (on, id, in_dialog) = (on.clone(), place.lesson.id, card.is_none());
    let onclick = Callback::from(move |_: MouseEvent| {
        if in_dialog {
            on.emit(Msg::ToggleHelp);
        }
        focus::panel();
        on.emit(Msg::OpenScenario(id.into()));
    });
    html! {
        <button key="taught" class="link small" popovertarget={card.cloned()} popovertargetaction={card.map(|_| "hide")} {onclick}>
            { texts.taught(&place.number_text(), place.lesson.title(*locale)) }
        </button>
    }
}

/// All terms, for the legend of keys.
pub fn list(reader: &Reader) -> Html {
    html! {
        <details class="terms">
            <summary>{ GlossaryText(reader.locale).all() }</summary>
            <dl>
                { for TERMS.iter().map(|term| html! {
                    <div key={term.name(reader.locale)}>
                        // The name first: its line is the one that the text stands on.
                        <dt><span>{ term.name(reader.locale) }</span>{ shape(term) }</dt>
                        <dd>{ term.told(reader.locale) }{ " " }{ taught(term, reader, None) }</dd>
                    </div>
                }) }
            </dl>
        </details>
    }
}
