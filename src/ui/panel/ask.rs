//! A question: predict first, then see.

use lockstep_core::scenario::{Ask, Lang};
use lockstep_core::shared::Names;
use lockstep_core::view::Subject;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

use super::framing::prose;
use crate::app::frame::Frame;
use crate::app::msg::Msg;
use crate::app::scenario::lang;
use crate::i18n::clock;
use crate::i18n::panel::PanelText;
use crate::i18n::timeline::TransportText;
use crate::ui::focus;
use crate::ui::icon::{icon, sized, Icon};
use crate::ui::labels;

/// The answers that were given: question and option.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers(Vec<(usize, usize)>);

impl Answers {
    /// The option that was chosen for a question.
    pub fn of(&self, ask: usize) -> Option<usize> {
        self.0.iter().find(|(each, _)| *each == ask).map(|(_, option)| *option)
    }

    /// How many questions are answered.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// With one more answer; the first one counts.
    fn with(&self, ask: usize, option: usize) -> Self {
        let mut answers = self.clone();
        if answers.of(ask).is_none() {
            answers.0.push((ask, option));
        }
        answers
    }

    /// Without the answer to a question, which is asked again.
    fn without(&self, ask: usize) -> Self {
        Self(self.0.iter().copied().filter(|(each, _)| *each != ask).collect())
    }
}

/// The question at which the clock stands, unless it is answered.
fn standing(frame: &Frame, answers: &Answers) -> Option<usize> {
    frame.asked.filter(|index| answers.of(*index).is_none())
}

/// What a question asks for, when every answer is a thing that can be pointed at and nothing else.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Message,
    Queue,
    Consumer,
}

/// The thing that an answer is: its first word, when no other thing follows it.
fn thing<'a>(names: &Names, answer: &'a str) -> Option<(Kind, &'a str)> {
    let kind = |(word, is_label): (&str, bool)| {
        let queue = || word.strip_prefix('q').is_some_and(|id| id.parse::<u16>().is_ok());
        match () {
            () if is_label && labels::hue(names, word).is_some() => Some(Kind::Message),
            () if queue() => Some(Kind::Queue),
            () if names.client(word).is_some() => Some(Kind::Consumer),
            () => None,
        }
    };
    let mut pieces = labels::pieces(answer);
    let first = pieces.next()?;
    let alone = pieces.all(|piece| kind(piece).is_none());
    kind(first).filter(|_| alone).map(|kind| (kind, first.0))
}

/// The kind of thing that a question asks to point at; None when an answer is anything else: an
/// order of messages, `nothing`, what somebody does. The English texts decide for both languages.
fn asked_kind(frame: &Frame, ask: &Ask) -> Option<Kind> {
    let core = frame.core.read();
    let names = &core.session.world().shared.names;
    let mut kinds = ask.choices.iter().map(|c| thing(names, c.text.get(Lang::En)).map(|t| t.0));
    let first = kinds.next()??;
    kinds.all(|kind| kind == Some(first)).then_some(first)
}

/// Answers the question at which the clock stands with the thing that was selected on the stage, when
/// the question asks for such a thing and exactly one answer is it. All else is only selected.
pub fn answer_by_selection(
    frame: &Frame,
    selection: Option<Subject>,
    answers: &UseStateHandle<Answers>,
    on: &Callback<Msg>,
) {
    let (Some(subject), Some(index)) = (selection, standing(frame, answers)) else { return };
    let Some(ask) = frame.scenario.program.asks.get(index) else { return };
    if asked_kind(frame, ask).is_none() {
        return;
    }
    let names = |text: &str| labels::subject(frame, text) == Some(subject);
    let mut fitting = ask.choices.iter().enumerate().filter(|(_, c)| names(c.text.get(Lang::En)));
    if let (Some((option, _)), None) = (fitting.next(), fitting.next()) {
        answers.set(answers.with(index, option));
        on.emit(Msg::Answered(index));
    }
}

/// What stands in an answer's disc, and the keys that give the answer, with blanks between them. Keys
/// go by place. Where an answer begins with a figure, letters stand in the discs, so that no number
/// stands beside another one; a figure that is an answer is the key of that answer.
fn marks(ask: &Ask) -> Vec<(char, String)> {
    const LETTERS: [char; 6] = ['a', 'b', 'c', 'd', 'e', 'f'];
    let answers = || ask.choices.iter().map(|choice| choice.text.get(Lang::En));
    let counts = answers().any(|answer| answer.starts_with(|c: char| c.is_ascii_digit()));
    let figure = |text: &str| text.parse::<u32>().ok().and_then(|n| char::from_digit(n, 10));
    let figures: Vec<Option<char>> = answers().map(figure).collect();
    let mark = |(place, own): (usize, &Option<char>)| {
        let number = char::from_digit(place as u32 + 1, 10);
        let letter = LETTERS.get(place).copied().filter(|_| counts);
        // The place of one answer may be the figure of another.
        let by_place = number.filter(|number| !figures.contains(&Some(*number)));
        let mut keys: Vec<char> = [letter, *own, by_place].into_iter().flatten().collect();
        keys.dedup();
        let shown = letter.or(number).unwrap_or('\u{b7}');
        (shown, keys.iter().map(char::to_string).collect::<Vec<_>>().join(" "))
    };
    figures.iter().enumerate().map(mark).collect()
}

/// Gives the answer of a key, while a question is open and its answers are in view; true when the key
/// is one of theirs.
pub fn answer_by_key(key: &str) -> bool {
    let is_key = key.len() == 1 && key.bytes().all(|b| b.is_ascii_alphanumeric());
    let document = web_sys::window().and_then(|window| window.document()).filter(|_| is_key);
    let selector = format!(".option:enabled[data-keys~=\"{}\"]", key.to_ascii_lowercase());
    let option = document.and_then(|document| document.query_selector(&selector).ok()?);
    let option = option.and_then(|option| option.dyn_into::<HtmlElement>().ok());
    let seen = option.filter(|option| focus::is_in_view(option));
    if let Some(option) = &seen {
        option.click();
    }
    seen.is_some()
}

/// A question; `index` counts the questions of the scenario.
pub fn ask_card(
    frame: &Frame,
    index: usize,
    answers: &UseStateHandle<Answers>,
    on: &Callback<Msg>,
) -> Html {
    let texts = PanelText(frame.locale);
    let language = lang(frame.locale);
    let Some(ask) = frame.scenario.program.asks.get(index) else { return Html::default() };
    let chosen = answers.of(index);
    let right = ask.choices.iter().position(|o| o.right);
    let choose = {
        let (answers, on) = (answers.clone(), on.clone());
        move |option: usize| {
            let (answers, on) = (answers.clone(), on.clone());
            Callback::from(move |_: MouseEvent| {
                answers.set(answers.with(index, option));
                on.emit(Msg::Answered(index));
                // An answer that is given takes no focus any more; what follows is the run.
                focus::first_seen(&[".question-foot button", "#panel-body"]);
            })
        }
    };
    let verdict = match chosen {
        None => None,
        Some(option) if Some(option) == right => Some(texts.right()),
        Some(_) => Some(texts.wrong()),
    };
    // A question for a thing on the stage may be answered there.
    let points = chosen.is_none() && asked_kind(frame, ask).is_some();
    let over = frame.now_ms >= frame.until_ms;
    let (run_icon, run_text, run_msg) = match (frame.playing, over) {
        (true, _) => (Icon::Pause, TransportText(frame.locale).pause(), Msg::Pause),
        (false, true) => (Icon::Play, texts.from_the_beginning(), Msg::Play),
        (false, false) => (Icon::Play, texts.let_it_run(), Msg::Play),
    };
    let run = {
        let on = on.clone();
        Callback::from(move |_: MouseEvent| on.emit(run_msg.clone()))
    };
    let marks = marks(ask);
    let go = {
        let (on, at_ms) = (on.clone(), ask.at_ms);
        Callback::from(move |_: MouseEvent| on.emit(Msg::SeekTime(at_ms)))
    };
    let tokens: Vec<Option<Html>> =
        ask.choices.iter().map(|c| labels::token(frame, c.text.get(language))).collect();
    let has_tokens = tokens.iter().any(Option::is_some).then_some("has-tokens");
    html! {
        <section key={index} class={classes!("question", has_tokens)} aria-labelledby="question-text">
            <p key="kind" class="question-kind">
                <span class="section-label">{ texts.predict() }</span>
                <button class="link tick-link" onclick={go} aria-label={texts.asked_at(&clock(ask.at_ms))}>{ clock(ask.at_ms) }</button>
            </p>
            <h3 key="text" id="question-text">{ ask.question.get(language).to_owned() }</h3>
            <ol key="options">
                { for ask.choices.iter().zip(tokens).enumerate().map(|(option, (choice, token))| {
                    let mark = match chosen {
                        Some(_) if Some(option) == right => Some(Icon::Check),
                        Some(c) if c == option => Some(Icon::Cross),
                        _ => None,
                    };
                    let text = choice.text.get(language).to_owned();
                    html! {
                        <li key={option}>
                            <button class={classes!("option", (chosen == Some(option)).then_some("is-chosen"))}
                                aria-pressed={(chosen == Some(option)).to_string()} disabled={chosen.is_some()} onclick={choose(option)} data-option={(option + 1).to_string()} data-keys={marks[option].1.clone()}>
                                <span key="disc" class="disc">{ marks[option].0 }</span>
                                <span key="token" class="option-token">{ token }</span>
                                <span key="text" class="option-text">{ text }</span>
                                <span key="mark" class="option-mark">{ mark.map(|mark| sized(mark, 16)) }</span>
                            </button>
                        </li>
                    }
                }) }
            </ol>
            <div key="foot" class="question-foot">
                <button class="button primary" onclick={run}>{ icon(run_icon) }{ run_text }</button>
                <p class="small" role="status">{ verdict.or_else(|| points.then_some(texts.choose_hint())) }</p>
            </div>
            <div key="behind">{ (chosen.is_some() && chosen != right).then(|| html! {<>
                { explained(frame, index) }
                { ways_on(frame, index, answers, on) }
            </>}) }</div>
        </section>
    }
}

/// What comes of a question: the first beat behind it tells it.
fn told_by(frame: &Frame, index: usize) -> Option<usize> {
    let program = &frame.scenario.program;
    let asked_ms = program.asks.get(index).map_or(0, |ask| ask.at_ms);
    program.beats.iter().position(|beat| beat.at_ms >= asked_ms)
}

/// Behind a wrong answer: at once what happens instead, and why, in the words of the beat that comes.
fn explained(frame: &Frame, index: usize) -> Html {
    let language = lang(frame.locale);
    let beat = told_by(frame, index).and_then(|beat| frame.scenario.program.beats.get(beat));
    let told = beat.map(|beat| {
        // The beat marks its terms when it comes.
        html! { <p key="why" class="question-why" data-testid="explained">{ prose(beat.text.get(language)) }</p> }
    });
    told.unwrap_or_default()
}

/// Behind a wrong answer: the way to what the lesson says of it, and another try.
fn ways_on(
    frame: &Frame,
    index: usize,
    answers: &UseStateHandle<Answers>,
    on: &Callback<Msg>,
) -> Html {
    let texts = PanelText(frame.locale);
    let why = told_by(frame, index).map(|beat| {
        let on = on.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            on.emit(Msg::SeekBeat(beat));
            focus::when_drawn(".beat.is-now > button");
        });
        html! { <button key="why" class="button" {onclick} data-testid="see-why">{ texts.see_why() }</button> }
    });
    let (on, answers) = (on.clone(), answers.clone());
    let again = Callback::from(move |_: MouseEvent| {
        answers.set(answers.without(index));
        on.emit(Msg::AskAgain(index));
        focus::when_drawn(".option");
    });
    html! {
        <p key="ways" class="question-ways">
            { why }
            <button key="again" class="button" onclick={again} data-testid="answer-again">{ texts.answer_again() }</button>
        </p>
    }
}
