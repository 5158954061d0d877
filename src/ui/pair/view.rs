//! The component [`PairView`]: a stage for each run, and below them what differs.

use std::rc::Rc;

use lockstep_core::view::compare::Side;
use yew::prelude::*;

use super::told::Told;
use super::{sign, titles};
use crate::app::beside::Pair;
use crate::app::frame::Frame;
use crate::app::msg::Msg;
use crate::i18n::compare::CompareText;
use crate::ui::panel::prose;
use crate::ui::stage::{last_sentence, Narration, Stage};
use crate::ui::verdicts::checked;

/// Properties of [`PairView`].
#[derive(Clone, Debug, Properties)]
pub struct Props {
    /// The first run as the stages show it, with the second one.
    pub frame: Rc<Frame>,
    /// The same for what is read; it may be older while the runs play.
    pub calm: Rc<Frame>,
    /// The second one, and what is known of both.
    pub pair: Rc<Pair>,
    /// Where requests go.
    pub on: Callback<Msg>,
    /// The same, for what is meant for the second run.
    pub on_second: Callback<Msg>,
}

impl PartialEq for Props {
    fn eq(&self, other: &Self) -> bool {
        // The pair is a part of the frame.
        self.frame == other.frame && self.calm == other.calm
    }
}

/// Two runs.
#[component]
pub fn PairView(props: &Props) -> Html {
    let Props { frame, calm, pair, on, on_second } = props;
    let moving = frame.pair.as_ref().unwrap_or(pair);
    let texts = CompareText(frame.locale);
    let titles = titles(frame, pair);
    let run = |side: Side, title: &str| {
        let (frame, calm, on) = match side {
            Side::First => (frame, calm, on),
            Side::Second => (&moving.second, &pair.second, on_second),
        };
        let label = texts.run(side.index() + 1, &title.replace('`', ""));
        html! {
            <section key={side.index()} class="pair-run" data-run={(side.index() + 1).to_string()} aria-label={label}>
                <header key="head" class="pair-head">
                    { sign(side) }
                    <h2 title={title.replace('`', "")}>{ prose(title) }</h2>
                    { checked(calm, on) }
                </header>
                <Stage key="stage" frame={frame.clone()} calm={calm.clone()} on={on.clone()} />
            </section>
        }
    };
    let has_beats = !frame.scenario.program.beats.is_empty();
    html! {
        <div class="pair" data-shown={(pair.shown.index() + 1).to_string()}>
            <h1 key="title" class="visually-hidden">{ texts.title() }</h1>
            <div key="switch" class="segment pair-switch" role="group" aria-label={texts.one_of()}>
                { for Side::BOTH.into_iter().zip(&titles).map(|(side, title)| {
                    let on = on.clone();
                    let onclick = Callback::from(move |_: MouseEvent| on.emit(Msg::ShowRun(side)));
                    html! {
                        <button key={side.index()} aria-pressed={(pair.shown == side).to_string()} {onclick}>
                            { sign(side) }<span>{ prose(title) }</span>
                        </button>
                    }
                }) }
            </div>
            { for Side::BOTH.into_iter().zip(&titles).map(|(side, title)| run(side, title)) }
            // The lesson goes on: its captions are of the first run, and Next moves both.
            { has_beats.then(|| html! { <Narration key="narration" frame={calm.clone()} on={on.clone()} /> }) }
            <Told key="told" frame={calm.clone()} calm={calm.clone()} pair={pair.clone()} on={on.clone()} on_second={on_second.clone()} />
            <p key="step" class="visually-hidden" role="status">{ step(calm, pair) }</p>
        </div>
    }
}

/// The last thing that happened in the run that moved last, while the clock stands.
fn step(frame: &Rc<Frame>, pair: &Pair) -> Option<String> {
    if frame.playing {
        return None;
    }
    let now = |frame: &Frame| frame.core.read().session.world().now_ms();
    let (side, moved) = match now(frame) > now(&pair.second) {
        true => (Side::First, frame),
        false => (Side::Second, &pair.second),
    };
    Some(CompareText(frame.locale).side(side.index() + 1, &last_sentence(moved)?))
}
