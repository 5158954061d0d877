//! The narration: the current beat in words, and the way to the other beats. It is the page's
//! live region.

use std::rc::Rc;

use lockstep_core::check::{Broken, Violation};
use lockstep_core::fact::{Fact, FactRecord};
use lockstep_core::ids::MessageQueue;
use lockstep_core::session::Session;
use lockstep_core::shared::TopicUse;
use lockstep_core::view::log::{is_routine, named};
use web_sys::Element;
use yew::prelude::*;

use crate::app::frame::Frame;
use crate::app::msg::{Msg, Tab};
use crate::app::scenario::lang;
use crate::app::settings::is_narrow;
use crate::i18n::panel::PanelText;
use crate::i18n::sentence::Speaker;
use crate::i18n::shell::Shell;
use crate::ui::focus;
use crate::ui::icon::{broken_mark, icon, Icon};
use crate::ui::panel::prose;

/// Properties of [`Narration`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// Where requests go.
    pub on: Callback<Msg>,
}

/// The narration above the timeline.
#[component]
pub fn Narration(props: &Props) -> Html {
    let Props { frame, on } = props;
    let text = Shell(frame.locale);
    let beats = &frame.scenario.program.beats;
    let current = frame.beat;
    let back = use_callback((on.clone(), current), |_: MouseEvent, (on, current)| {
        on.emit(Msg::SeekBeat(current.map_or(0, |beat| beat.saturating_sub(1))));
    });
    let next = use_callback((on.clone(), current), |_: MouseEvent, (on, current)| {
        on.emit(Msg::SeekBeat(current.map_or(0, |beat| beat + 1)));
    });
    let jump = use_callback(on.clone(), |event: MouseEvent, on| {
        let target = event.target_dyn_into::<web_sys::Element>();
        let beat = target.and_then(|t| t.get_attribute("data-beat")?.parse().ok());
        if let Some(beat) = beat {
            on.emit(Msg::SeekBeat(beat));
        }
    });
    // A question that nobody sees, since its tab or the panel is closed, has to be heard of.
    let closed = || frame.tab != Tab::Lesson || (!frame.panel_open && is_narrow());
    let question = frame.asked.filter(|_| closed());
    let waits = question.and_then(|index| frame.scenario.program.asks.get(index));
    let answer = use_callback(on.clone(), |_: MouseEvent, on| on.emit(Msg::OpenTab(Tab::Lesson)));
    let words = current.and_then(|beat| beats.get(beat)).map(|beat| {
        let words = beat.text.get(lang(frame.locale));
        match frame.told_before(beat.at_ms) {
            true => PanelText(frame.locale).was(words),
            false => words.to_owned(),
        }
    });
    let at_end = current.is_some_and(|beat| beat + 1 >= beats.len()) || beats.is_empty();
    // An open question is left unanswered by nobody who does not say so.
    let onward =
        if frame.asked.is_some() && !at_end { text.skip_question() } else { text.next_beat() };
    let (back_button, next_button) = (use_node_ref(), use_node_ref());
    use_focus_at_end(at_end, &back_button, &next_button);
    let broken = frame
        .violation_now()
        .map(|violation| broken_text(&frame.core.read().session, violation, text));
    let step = last_sentence(frame);
    // What a lesson answers is not told before its question.
    let about = || {
        let program = &frame.scenario.program;
        let (question, about) = (&program.framing.question, &program.about);
        let language = lang(frame.locale);
        match question.get(language) {
            "" => about.get(language).to_owned(),
            question => question.to_owned(),
        }
    };
    let waiting = waits.map(|ask| text.question_waits(ask.question.get(lang(frame.locale))));
    let words = broken.clone().or(waiting).or(words).or_else(|| step.clone()).unwrap_or_else(about);
    // While the clock stands, each step is told; while it runs, each beat. Of two runs whoever shows
    // both tells the steps.
    // Another consumer group's numbers on the stage are not to be taken for those of the last one.
    let is_told = broken.is_none() && waits.is_none();
    let group = frame.stage.group.as_ref().filter(|_| frame.turned && is_told);
    let turned = group.map(|group| text.group_turns(&group.name));
    let told = step.filter(|_| !frame.playing && broken.is_none() && frame.side.is_none());
    html! {
        <div class={classes!("narration", broken.is_some().then_some("is-broken"), waits.is_some().then_some("is-waiting"))}>
            <span class="narration-mark" key="mark">{ if broken.is_some() { broken_mark(22) } else { Html::default() } }</span>
            <ol class="narration-beats" key="beats" onclick={jump} aria-label={text.beats()}>
                { for beats.iter().enumerate().map(|(i, _)| {
                    let state = match current {
                        Some(beat) if i == beat => "is-current",
                        Some(beat) if i < beat => "is-seen",
                        _ => "",
                    };
                    let label = text.beat_of(i + 1, beats.len());
                    html! { <li key={i}><button class={classes!("narration-beat", state)} data-beat={i.to_string()} tabindex="-1" aria-label={label}></button></li> }
                }) }
            </ol>
            <p class="narration-text" key="text" aria-live="polite" aria-atomic="true">
                { turned.map(|turned| html! { <b key="turned" class="narration-turned">{ turned }{ " " }</b> }) }
                { prose(&words) }
            </p>
            <p class="visually-hidden" key="step" role="status">{ told }</p>
            <button class="button primary" key="answer" onclick={answer} hidden={waits.is_none()} data-testid="to-question">{ text.answer_it() }</button>
            <button class="icon-button" key="back" ref={back_button} onclick={back} aria-label={text.previous_beat()} title={text.previous_beat()}
                disabled={current.is_none_or(|beat| beat == 0)}>{ icon(Icon::Left) }</button>
            <button class="button" key="next" ref={next_button} onclick={next} disabled={at_end}>{ onward }{ icon(Icon::Right) }</button>
        </div>
    }
}

/// Next takes no focus at the last beat; then the way back has it, and where that is not shown the
/// stage.
#[hook]
fn use_focus_at_end(at_end: bool, back: &NodeRef, next: &NodeRef) {
    let (back, next) = (back.clone(), next.clone());
    use_effect_with(at_end, move |at_end| {
        let document = web_sys::window().and_then(|window| window.document());
        let active = document.and_then(|document| document.active_element());
        let has = |node: &NodeRef| active.is_some() && node.cast::<Element>() == active;
        if *at_end && has(&next) && !back.cast::<Element>().is_some_and(|back| focus::focus(&back))
        {
            focus::first_seen(&["#stage"]);
        }
    });
}

/// How many facts are searched for one that is worth a sentence.
const LOOK_BACK: usize = 400;

/// The last thing that happened, in one sentence.
pub fn last_sentence(frame: &Frame) -> Option<String> {
    let core = frame.core.read();
    let speaker = Speaker { world: core.session.world(), locale: frame.locale };
    let recent = core.session.facts().iter().rev().take(LOOK_BACK);
    let worth = |fact: &&FactRecord| {
        !is_routine(&fact.fact)
            && !matches!(fact.fact, Fact::CommandApplied { .. })
            && !named(&fact.fact).queue.is_some_and(|queue| is_idle_retry(&core.session, queue))
    };
    recent.into_iter().find(worth).map(|record| speaker.fact(&record.fact, None))
}

/// Whether a queue belongs to a retry topic that was never used. Each consumer group has such a topic, and
/// takes its queues as it takes all others; before a message fails nobody needs to know of it.
fn is_idle_retry(session: &Session, queue: MessageQueue) -> bool {
    let world = session.world();
    let topic = world.shared.names.topics.get(queue.topic.index());
    let retry = topic
        .is_some_and(|topic| matches!(topic.usage, TopicUse::Retry(_) | TopicUse::PopRetry(..)));
    let broker = world.brokers.get(queue.broker.index());
    retry && broker.is_some_and(|broker| broker.store.range(queue).1 == 0)
}

/// A broken guarantee in one sentence.
fn broken_text(session: &Session, violation: Violation, text: Shell) -> String {
    let shared = &session.world().shared;
    match violation.broken {
        Broken::Order { earlier, later, .. } => text
            .handled_before(&shared.label(later).to_string(), &shared.label(earlier).to_string()),
        Broken::TwoOwners { queue, first, second } => text.two_at_once(
            &shared.names.clients[first.index()],
            &shared.names.clients[second.index()],
            &format!("q{}", queue.id),
        ),
    }
}
