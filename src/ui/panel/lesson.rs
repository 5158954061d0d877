//! The lesson: what it is about, its beats, its question, its goals.

use std::rc::Rc;

use lockstep_core::ids::Ms;
use lockstep_core::scenario::Goal;
use lockstep_core::view::Subject;
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

use super::ask::{ask_card, Answers};
use super::changed::{changed_card, reached_card};
use super::framing::{closing, opening, prose};
use super::verdicts::{goal_states, GoalState};
use crate::app::frame::Frame;
use crate::app::msg::{Msg, Tab};
use crate::app::progress::Progress;
use crate::app::scenario::{lang, Scenario, FIRST};
use crate::app::settings::is_narrow;
use crate::i18n::panel::PanelText;
use crate::i18n::Locale;
use crate::ui::focus;
use crate::ui::glossary::Reader;
use crate::ui::icon::{sized, Icon};
use crate::ui::labels;
use crate::ui::picker::lessons::Place;

/// Properties of [`Lesson`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// Where requests go.
    pub on: Callback<Msg>,
    /// What was answered.
    pub answers: UseStateHandle<Answers>,
    /// Which hints are open.
    pub hints: UseStateHandle<Hints>,
    /// Whether the editor opens with the focus in its text.
    pub edit: UseStateHandle<bool>,
}

/// The lesson.
#[component]
pub fn Lesson(props: &Props) -> Html {
    let Props { frame, on, answers, hints, edit } = props;
    let texts = PanelText(frame.locale);
    let language = lang(frame.locale);
    let program = &frame.scenario.program;
    let about = program.about.get(language).to_owned();
    let changed = frame.changed().is_some();
    let place = Place::of_scenario(&frame.scenario);
    let lesson = place.map(|place| (place.chapter_number, place.number));
    let reader = Reader { locale: frame.locale, lesson, on: on.clone() };
    let place = place.map_or(texts.own_text().to_owned(), |place| place.text(frame.locale));
    let title = frame.scenario.title(frame.locale);
    let title = if changed { texts.changed(title) } else { title.to_owned() };
    let ask = current_ask(frame).filter(|_| !changed);
    let states = use_goals(frame);
    let asks = program.asks.iter().enumerate();
    // Nothing is asked of a run that people have made themselves.
    let open_ms = asks
        .filter(|(index, _)| !changed && answers.of(*index).is_none())
        .map(|(_, ask)| ask.at_ms)
        .min();
    // What a lesson answers is told when its questions are answered and its beats are over.
    let asks_first = !program.framing.question.en.is_empty();
    let over = open_ms.is_none() && frame.beat.is_some_and(|beat| beat + 1 >= program.beats.len());
    let is_new = use_memo((), |()| Progress::load().is_new());
    use_top(frame);
    use_told_in_view(frame, over);
    use_question_in_view(frame, ask);
    use_reason_in_view(ask.and_then(|index| Some((index, answers.of(index)?))));
    html! {<>
        <header key="head" class="lesson-head">
            <p class="small muted">{ place }{ begin(frame, *is_new, texts, on) }</p>
            <h2>{ title }</h2>
            { changed_card(frame, texts, on) }
            { opening(frame, texts, &reader) }
            <p key="about" class="read" hidden={about.is_empty() || asks_first}>{ reader.told("about", &about) }</p>
        </header>
        <ol key="beats" class="beats" aria-label={texts.beats()} hidden={program.beats.is_empty()}>
            { for program.beats.iter().enumerate().map(|(index, beat)| {
                let state = match frame.beat {
                    Some(now) if index < now => BeatState::Done,
                    Some(now) if index == now => BeatState::Now,
                    _ => BeatState::ToCome,
                };
                // What is still to be predicted is not told by the headings of what comes after it.
                let told = state != BeatState::ToCome || open_ms.is_none_or(|ms| beat.at_ms < ms);
                if told {
                    let (heading, rest) = (beat.heading(language), beat.rest(language));
                    let about = labels::subject(frame, heading);
                    let before = frame.told_before(beat.at_ms);
                    let before = before.then(|| texts.before_change());
                    beat_item(index, state, (heading.to_owned(), rest, before), about, &reader)
                } else {
                    beat_item(index, state, (texts.after_question().to_owned(), "", None), None, &reader)
                }
            }) }
        </ol>
        <div key="ask">
            { ask.map(|index| ask_card(frame, index, answers, on)) }
        </div>
        <section key="short" class="lesson-part" data-part="short" hidden={about.is_empty() || !asks_first || !over}>
            <h3 class="section-label">{ texts.in_short() }</h3>
            <p class="read">{ reader.told("short", &about) }</p>
        </section>
        { goals(frame, texts, &states, (hints, edit), on) }
        { closing(frame, texts, on) }
    </>}
}

/// How many hints of each goal are open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hints(Vec<usize>);

impl Hints {
    fn open(&self, goal: usize) -> usize {
        self.0.get(goal).copied().unwrap_or(0)
    }

    /// With one more hint of a goal.
    fn more(&self, goal: usize) -> Self {
        let goals = 0..self.0.len().max(goal + 1);
        Self(goals.map(|each| self.open(each) + usize::from(each == goal)).collect())
    }

    /// The last hint that is open, of the last goal with one.
    pub fn last<'a>(&self, scenario: &'a Scenario, locale: Locale) -> Option<&'a str> {
        let goals = scenario.program.goals.iter().enumerate();
        let mut hints = goals.filter_map(|(index, goal)| {
            goal.hints.get(self.open(index).min(goal.hints.len()).checked_sub(1)?)
        });
        hints.next_back().map(|hint| hint.get(lang(locale)))
    }
}

/// The lesson for who knows nothing yet.
const BASICS: &str = "01-1-orders-on-four-queues";

/// The way to the basics, for who has never read a lesson here and stands at the one that the page
/// opens with.
fn begin(frame: &Frame, is_new: bool, texts: PanelText, on: &Callback<Msg>) -> Html {
    if !is_new || *frame.scenario.id != *FIRST {
        return Html::default();
    }
    let on = on.clone();
    let onclick = Callback::from(move |_: MouseEvent| on.emit(Msg::OpenScenario(BASICS.into())));
    html! {<>{ " · " }<button class="link" {onclick} data-testid="begin">{ texts.begin() }</button></>}
}

/// Another lesson is read from its top.
#[hook]
fn use_top(frame: &Frame) {
    let lesson = frame.scenario.lesson_id().map(str::to_owned);
    use_effect_with(lesson, |_| {
        let document = web_sys::window().and_then(|window| window.document());
        let head = document.and_then(|document| document.query_selector(".lesson-head").ok()?);
        if let Some(body) = head.and_then(|head| head.closest(".panel-body").ok()?) {
            body.set_scroll_top(0);
        }
    });
}

/// Keeps what is told in view: the beat when it becomes another one, and behind the last beat what the
/// lesson comes to and what is left to do.
#[hook]
fn use_told_in_view(frame: &Frame, over: bool) {
    let of = (Rc::as_ptr(&frame.scenario) as usize, frame.beat, over, frame.panel_open);
    // A question at which the clock stands is shown before all else.
    let asked = frame.asked.is_some();
    use_effect_with(of, move |(_, beat, over, _)| {
        let document = beat.filter(|_| !asked).and_then(|_| web_sys::window()?.document());
        let found = |selector| document.as_ref()?.query_selector(selector).ok()?;
        let Some(told) = found(".beat.is-now") else { return };
        let Ok(Some(body)) = told.closest(".panel-body") else { return };
        bring_into(&body, &told);
        if *over {
            for part in ["[data-part=short]", "[data-part=goals]"] {
                found(part).iter().for_each(|part| bring_into(&body, part));
            }
            // The beat is read first, however much stands below it.
            bring_into(&body, &told);
        }
    });
}

/// Brings what is told behind a wrong answer into view when it is given.
#[hook]
fn use_reason_in_view(answered: Option<(usize, usize)>) {
    use_effect_with(answered, |answered| {
        let document = answered.and_then(|_| web_sys::window()?.document());
        let found = |selector| document.as_ref()?.query_selector(selector).ok()?;
        let (Some(reason), Some(ways)) = (found(".question-why"), found(".question-ways")) else {
            return;
        };
        if let Ok(Some(body)) = reason.closest(".panel-body") {
            bring_into(&body, &ways);
            bring_into(&body, &reason);
        }
    });
}

/// Scrolls a part of the panel into view, as far as it has to be; of one that is higher than the panel
/// the beginning is shown.
fn bring_into(body: &Element, part: &Element) {
    let (view, rect) = (body.get_bounding_client_rect(), part.get_bounding_client_rect());
    if rect.height() == 0.0 {
        return;
    }
    let above_px = (view.top() + EDGE_PX - rect.top()).max(0.0);
    let below_px = (rect.bottom() - view.bottom() + EDGE_PX).min(rect.top() - view.top() - EDGE_PX);
    let by_px = if above_px > 0.0 { -above_px } else { below_px.max(0.0) };
    body.set_scroll_top(body.scroll_top() + by_px.round() as i32);
}

/// What stays free between a part that is brought into view and the panel's edge, in CSS px.
const EDGE_PX: f64 = 12.0;

/// Brings the question into view when the run stops at it, and when the panel is opened for it.
#[hook]
fn use_question_in_view(frame: &Frame, ask: Option<usize>) {
    let asks = &frame.scenario.program.asks;
    let stands = ask.filter(|index| {
        !frame.playing && asks.get(*index).is_some_and(|ask| ask.at_ms == frame.now_ms)
    });
    let of = (Rc::as_ptr(&frame.scenario) as usize, stands, frame.panel_open);
    use_effect_with(of, |(_, stands, _)| {
        let document = stands.and_then(|_| web_sys::window()?.document());
        let card = document.and_then(|document| document.query_selector(".question").ok()?);
        if let Some(card) = card {
            // A sheet has less height than a question, which begins with what is asked.
            card.scroll_into_view_with_bool(is_narrow());
            show_no_half_line(&card);
        }
    });
}

/// Scrolls a line out of sight that the upper edge of the panel cuts, as far as the question allows.
fn show_no_half_line(card: &Element) {
    let Ok(Some(body)) = card.closest(".panel-body") else { return };
    let (edge, question) = (body.get_bounding_client_rect().top(), card.get_bounding_client_rect());
    let Ok(lines) = body.query_selector_all("p, h2, h3, .beat > button") else { return };
    let rects = (0..lines.length()).filter_map(|index| {
        let line: Element = lines.item(index)?.dyn_into().ok()?;
        Some(line.get_bounding_client_rect())
    });
    let cut = rects.filter(|rect| rect.height() > 0.0 && rect.top() < edge && rect.bottom() > edge);
    let hidden_px = cut.map(|rect| rect.bottom() - edge).fold(0.0, f64::max).ceil();
    if hidden_px > 0.0 && hidden_px <= question.top() - edge {
        body.set_scroll_top(body.scroll_top() + hidden_px as i32);
    }
}

/// The question that stands now: the latest whose instant has come.
fn current_ask(frame: &Frame) -> Option<usize> {
    let asks = &frame.scenario.program.asks;
    asks.iter().rposition(|ask| ask.at_ms <= frame.now_ms)
}

#[derive(Clone, Copy, PartialEq)]
enum BeatState {
    Done,
    Now,
    ToCome,
}

/// One beat; clicking goes to it, pointing at it points at what it is about on the stage.
fn beat_item(
    number: usize,
    state: BeatState,
    (heading, rest, before): (String, &str, Option<&'static str>),
    about: Option<Subject>,
    reader: &Reader,
) -> Html {
    let on = &reader.on;
    let point = |subject: Option<Subject>| {
        let on = on.clone();
        move || on.emit(Msg::Hover(subject))
    };
    let (over, out, focus, blur) = (point(about), point(None), point(about), point(None));
    let on = on.clone();
    let (class, disc) = match state {
        BeatState::Done => ("is-done", sized(Icon::Check, 12)),
        BeatState::Now => ("is-now", html! { {number + 1} }),
        BeatState::ToCome => ("is-to-come", html! { {number + 1} }),
    };
    let current = (state == BeatState::Now).then_some("step");
    html! {
        <li key={number} class={classes!("beat", class, before.map(|_| "is-before"))}>
            <button onclick={Callback::from(move |_: MouseEvent| on.emit(Msg::SeekBeat(number)))} aria-current={current}
                onpointerenter={Callback::from(move |_: PointerEvent| over())} onpointerleave={Callback::from(move |_: PointerEvent| out())}
                onfocus={Callback::from(move |_: FocusEvent| focus())} onblur={Callback::from(move |_: FocusEvent| blur())}>
                <span key="disc" class="disc" aria-hidden="true">{ disc }</span>
                <span key="text">{ heading }{ before.map(|before| html! { <span class="beat-before">{ before }</span> }) }</span>
            </button>
            <p key="rest" class="beat-rest" hidden={state != BeatState::Now || rest.is_empty()}>
                // Nothing is made of a text that nobody sees.
                { if state == BeatState::Now { reader.told(&format!("beat{number}"), rest) } else { Html::default() } }
            </p>
        </li>
    }
}

/// The hints of a goal: one after the other, on request.
fn hint_list(
    frame: &Rc<Frame>,
    texts: PanelText,
    (index, goal): (usize, &Goal),
    hints: &UseStateHandle<Hints>,
) -> Html {
    let language = lang(frame.locale);
    let open = hints.open(index).min(goal.hints.len());
    let more = {
        let hints = hints.clone();
        let last = open + 1 == goal.hints.len();
        Callback::from(move |_: MouseEvent| {
            hints.set(hints.more(index));
            if last {
                // The button goes with the last hint, and that is what is done next.
                focus::first_seen(&["[data-testid=change-text]", "#panel-body"]);
            }
        })
    };
    html! {<>
        <ol key="hints" class="hints" aria-live="polite" hidden={open == 0}>
            { for goal.hints.iter().take(open).enumerate().map(|(i, hint)| html! { <li key={i}>{ prose(hint.get(language)) }</li> }) }
        </ol>
        <button key="more" class="button hint-button" onclick={more} hidden={open == goal.hints.len()}>
            { texts.hint((open + 1).min(goal.hints.len()), goal.hints.len()) }
        </button>
    </>}
}

/// The states of the goals, judged ten times in a second of virtual time at most.
#[hook]
fn use_goals(frame: &Frame) -> Rc<Vec<GoalState>> {
    let cache = use_mut_ref(|| None::<((usize, Ms), Rc<Vec<GoalState>>)>);
    let key = (Rc::as_ptr(&frame.scenario) as usize, frame.now_ms / 100);
    let mut cache = cache.borrow_mut();
    match &*cache {
        Some((known, states)) if *known == key => states.clone(),
        _ => {
            let states = Rc::new(goal_states(frame));
            *cache = Some((key, states.clone()));
            states
        }
    }
}

/// The goals, ticked off as the run reaches them.
fn goals(
    frame: &Rc<Frame>,
    texts: PanelText,
    states: &[GoalState],
    (hints, edit): (&UseStateHandle<Hints>, &UseStateHandle<bool>),
    on: &Callback<Msg>,
) -> Html {
    let language = lang(frame.locale);
    let goals = &frame.scenario.program.goals;
    let reached = !goals.is_empty() && states.iter().all(|state| *state == GoalState::Reached);
    let onedit = {
        let (on, edit) = (on.clone(), edit.clone());
        Callback::from(move |_: MouseEvent| {
            edit.set(true);
            on.emit(Msg::OpenTab(Tab::Scenario));
        })
    };
    html! {
        <section key="goals" class="goals" data-part="goals" hidden={goals.is_empty()}>
            <h3 class="section-label">{ texts.goals() }</h3>
            <ul>
                { for goals.iter().zip(states.iter()).enumerate().map(|(index, (goal, state))| {
                    let reached = *state == GoalState::Reached;
                    html! {
                        <li key={index} class={classes!("goal", reached.then_some("is-reached"))}>
                            <span class="box" role="img" aria-label={if reached { texts.goal_done() } else { texts.goal_open() }}>
                                { sized(Icon::Check, 12) }
                            </span>
                            <span class="goal-text">
                                <span key="text">{ prose(goal.text.get(language)) }</span>
                                { hint_list(frame, texts, (index, goal), hints) }
                            </span>
                        </li>
                    }
                }) }
            </ul>
            <div key="reached" role="status">{ reached.then(|| reached_card(&frame.scenario, true, frame.locale, on)) }</div>
            <button key="edit" class="button" onclick={onedit} data-testid="change-text">{ sized(Icon::Pencil, 14) }{ texts.change_text() }</button>
        </section>
    }
}
