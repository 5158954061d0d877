//! What stands below the rows: beats of the lesson, faults, and delayed messages that will be due.

use std::ops::Range;

use lockstep_core::command::Command;
use lockstep_core::fact::StopKind;
use lockstep_core::ids::{Ms, MsgId};
use lockstep_core::view::timeline::{Mark, MarkKind};
use yew::prelude::*;

use super::geometry::{clusters, label_px, Px, View};
use super::row::Sheet;
use super::rows::TimerView;
use crate::app::core::Core;
use crate::app::frame::Frame;
use crate::app::msg::Msg;
use crate::app::scenario::lang;
use crate::i18n::clock;
use crate::i18n::panel::PanelText;
use crate::i18n::sentence::Speaker;
use crate::i18n::timeline::TimelineText;
use crate::ui::icon::{icon, Icon};

/// Most marks of one screen; the rest are ticks without words.
const MAX_WORDS: usize = 40;

/// Beats nearer to each other than this share a mark: a disc and a little room, in pixels.
const BEAT_PX: f64 = 19.0;

/// What of the line of marks stands left of the tracks, in pixels.
pub const MARGIN_PX: f64 = 12.0;

/// Half the width of a disc, of two discs in one mark, and of a bookmark.
const HALF_PX: [f64; 3] = [8.5, 15.5, 9.0];

/// One mark.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkView {
    /// When.
    pub at_ms: Ms,
    /// What kind, and what it says.
    pub look: MarkLook,
}

/// How a mark looks.
#[derive(Clone, Debug, PartialEq)]
pub enum MarkLook {
    /// Beats of the lesson.
    Beats(Beats),
    /// A tick with a word; the word is empty when there is no room.
    Tick(AttrValue),
    /// An instant that people marked.
    Bookmark,
    /// A timer that will run out: a tick with a word.
    Due(AttrValue),
}

/// A beat of the lesson, or several that stand too close together for a disc each.
#[derive(Clone, Debug, PartialEq)]
pub struct Beats {
    /// The first of them, from 0.
    pub first: usize,
    /// The last of them, from 0.
    pub last: usize,
    /// How many of them are over.
    pub seen: usize,
    /// What they say, one line each.
    pub text: AttrValue,
}

impl Beats {
    /// Where a press leads: to the next of them, or to the first again.
    fn next(&self) -> usize {
        self.first + if self.seen > self.last - self.first { 0 } else { self.seen }
    }
}

/// The words of a mark; None when it is not worth one.
pub fn word(kind: &MarkKind, core: &Core, frame: &Frame, speaker: &Speaker<'_>) -> Option<String> {
    let texts = TimelineText(frame.locale);
    Some(match *kind {
        MarkKind::Started(client) => texts.starts(speaker.client(client)),
        MarkKind::Stopped(client, StopKind::Clean) => texts.stops(speaker.client(client)),
        MarkKind::Stopped(client, StopKind::Crash) => texts.crashes(speaker.client(client)),
        MarkKind::Stopped(client, StopKind::Silent) => texts.vanishes(speaker.client(client)),
        MarkKind::Stopped(client, StopKind::Hang) => texts.hangs(speaker.client(client)),
        MarkKind::Resumed(client) => texts.resumes(speaker.client(client)),
        MarkKind::BrokerDown => texts.broker_down().to_owned(),
        MarkKind::BrokerUp => texts.broker_up().to_owned(),
        MarkKind::DeadLetter(msg) => texts.dead_letter(&speaker.msg(msg)),
        MarkKind::Command(index) => match command_of(core, index)? {
            Command::UpdateTopic { name, write_queues, .. } => {
                texts.queue_count(name, *write_queues)
            }
            Command::Cut { a, b } => texts.cut(a, b),
            Command::Heal { a, b } => texts.heal(a, b),
            command @ (Command::SetGroup { .. } | Command::SetConstant { .. }) => {
                speaker.command(command)
            }
            _ => return None,
        },
    })
}

/// The command of a place in the journal.
pub fn command_of(core: &Core, index: u32) -> Option<&Command> {
    core.session.journal().get(index as usize).map(|(_, command)| command)
}

/// Puts all marks in order and drops words that would lie over each other.
pub fn layout(
    frame: &Frame,
    view: &View,
    marks: &[Mark],
    word: &dyn Fn(&MarkKind) -> Option<String>,
    due: &[(Ms, MsgId)],
    speaker: &Speaker<'_>,
) -> Vec<MarkView> {
    let texts = TimelineText(frame.locale);
    let (from_ms, to_ms) = view.sheet_ms();
    let mut all = beats(frame, view, texts);
    let bookmarks = frame.bookmarks.iter().filter(|at_ms| (from_ms..=to_ms).contains(at_ms));
    all.extend(bookmarks.map(|at_ms| MarkView { at_ms: *at_ms, look: MarkLook::Bookmark }));
    let mut taken: Vec<(f64, f64)> =
        all.iter().map(|mark| around(view.sheet_x(mark.at_ms), 22.0)).collect();
    let mut words = 0;
    let mut add = |at_ms: Ms, text: String, due: bool| {
        let (x, px) = (view.sheet_x(at_ms), word_px(&text));
        let room = around(x + nudge(view.base_ms, x, px), px + 8.0);
        let free = words < MAX_WORDS && taken.iter().all(|t| room.1 <= t.0 || room.0 >= t.1);
        let text = if free {
            taken.push(room);
            words += 1;
            AttrValue::from(text)
        } else {
            AttrValue::default()
        };
        let look = if due { MarkLook::Due(text) } else { MarkLook::Tick(text) };
        all.push(MarkView { at_ms, look });
    };
    let mut last_x = f64::MIN;
    for mark in marks {
        if let Some(text) = word(&mark.what) {
            let x = view.sheet_x(mark.at_ms);
            if x - last_x >= 2.0 {
                add(mark.at_ms, text, false);
                last_x = x;
            }
        }
    }
    last_x = f64::MIN;
    let near = 2.0 / view.px_per_ms();
    for (index, (due_ms, msg)) in due.iter().enumerate() {
        let x = view.sheet_x(*due_ms);
        if *due_ms > to_ms || x - last_x < 2.0 {
            continue;
        }
        last_x = x;
        let more =
            due[index + 1..].iter().take_while(|(ms, _)| ((ms - due_ms) as f64) < near).count();
        let msg = speaker.msg(*msg);
        add(*due_ms, if more > 0 { texts.due_more(&msg, more) } else { texts.due(&msg) }, true);
    }
    all
}

/// The beats on the sheet, with those that would lie on each other in one mark.
fn beats(frame: &Frame, view: &View, texts: TimelineText) -> Vec<MarkView> {
    let (from_ms, to_ms) = view.sheet_ms();
    let beats = &frame.scenario.program.beats;
    let places: Vec<f64> = beats.iter().map(|beat| view.sheet_x(beat.at_ms)).collect();
    // As in the panel, what an open question asks for is not told by what comes after it.
    let hidden = |at_ms: Ms| at_ms > frame.now_ms && frame.open_ms.is_some_and(|ms| at_ms >= ms);
    let heading = |number: usize| -> String {
        let heading = match hidden(beats[number].at_ms) {
            true => PanelText(frame.locale).after_question(),
            false => beats[number].heading(lang(frame.locale)),
        };
        texts.beat(number + 1, heading)
    };
    let mark = |range: Range<usize>| {
        let (first, last) = (range.start, range.end - 1);
        let seen = range.clone().filter(|number| beats[*number].at_ms <= frame.now_ms).count();
        let text = range.map(heading).collect::<Vec<_>>().join("\n").into();
        let at_ms = (beats[first].at_ms + beats[last].at_ms) / 2;
        MarkView { at_ms, look: MarkLook::Beats(Beats { first, last, seen, text }) }
    };
    let marks = clusters(&places, BEAT_PX).into_iter().map(mark);
    marks.filter(|mark| (from_ms..=to_ms).contains(&mark.at_ms)).collect()
}

/// Width of a mark's word.
fn word_px(word: &str) -> f64 {
    label_px(word) * 0.94
}

/// How far a word at the very beginning of a run is moved from its instant, so that it is not cut.
fn nudge(base_ms: f64, x: f64, px: f64) -> f64 {
    if base_ms > 0.0 {
        return 0.0;
    }
    (px / 2.0 - MARGIN_PX - x).max(0.0)
}

fn around(x: f64, width: f64) -> (f64, f64) {
    (x - width / 2.0, x + width / 2.0)
}

/// Timers that belong to a row: a dotted line with a word, in the future only.
pub fn row_timers(timers: &[(&TimerView, f64)], view: &Sheet) -> Html {
    html! {<>
        { for timers.iter().enumerate().map(|(index, (timer, top))| html! {
            <div key={format!("{index}-{}", timer.due_ms)} class="tl-timer"
                style={format!("left:{}px;top:{}px", Px(view.x(timer.due_ms)), Px(*top))}>
                <i></i><span>{ timer.text.clone() }</span>
            </div>
        }) }
    </>}
}

/// The line of marks.
pub fn marks(
    view: &Sheet,
    marks: &[MarkView],
    marked: bool,
    texts: TimelineText,
    (on, onfocusin): (&Callback<Msg>, &Callback<FocusEvent>),
) -> Html {
    html! {
        <div class="tl-marks">
            <span key="name" class="tl-marks-name">{ texts.beats() }</span>
            <button key="mark" class="tl-mark-now" aria-label={texts.bookmark_now()} title={texts.bookmark_now()}
                aria-pressed={marked.to_string()} onclick={on.reform(|_: MouseEvent| Msg::Bookmark)}>{ icon(Icon::Flag) }</button>
            <div key="window" class="tl-marks-window" onfocusin={onfocusin.clone()}>
                <div class="tl-sheet">
                    { for marks.iter().enumerate().map(|(index, mark)| one(view, texts, on, index, mark)) }
                </div>
            </div>
        </div>
    }
}

fn one(
    view: &Sheet,
    texts: TimelineText,
    on: &Callback<Msg>,
    index: usize,
    mark: &MarkView,
) -> Html {
    let x = view.x(mark.at_ms);
    let style = AttrValue::from(format!("left:{}px", Px(x)));
    // What the frame loop has to know to take out of the line what its ends would cut.
    let place = |half: f64| format!("{} {}", Px(x), Px(half));
    let tick = |text: &AttrValue, key: String, class: &'static str| {
        let px = word_px(text);
        let aside = nudge(view.base_ms, x, px);
        let word = (aside > 0.0).then(|| format!("margin-left:{}px", Px(aside)));
        let half = (px / 2.0 - aside).max(1.0);
        html! {
            <span {key} {class} style={style.clone()} data-mark={place(half)}><i></i><span style={word}>{ text.clone() }</span></span>
        }
    };
    match &mark.look {
        MarkLook::Beats(beats) => {
            let (on, next) = (on.clone(), beats.next());
            let all = beats.seen > beats.last - beats.first;
            let name = match beats.first == beats.last {
                true => (beats.first + 1).to_string(),
                false => format!("{}–{}", beats.first + 1, beats.last + 1),
            };
            let class = classes!(
                "tl-beat",
                all.then_some("is-seen"),
                (beats.first < beats.last).then_some("is-several")
            );
            let half = HALF_PX[usize::from(beats.first < beats.last)];
            let x = if view.base_ms > 0.0 { x } else { x.max(half - MARGIN_PX) };
            let (style, place) = (format!("left:{}px", Px(x)), format!("{} {}", Px(x), Px(half)));
            html! {
                <button key={format!("b{}", beats.first)} {class} {style} data-mark={place} data-at={mark.at_ms.to_string()}
                    aria-label={beats.text.clone()} title={beats.text.clone()} onclick={Callback::from(move |_: MouseEvent| on.emit(Msg::SeekBeat(next)))}>
                    { name }
                </button>
            }
        }
        MarkLook::Bookmark => {
            let (on, at_ms) = (on.clone(), mark.at_ms);
            let title = texts.bookmark(&clock(at_ms));
            html! {
                <button key={format!("m{at_ms}")} class="tl-bookmark" {style} data-mark={place(HALF_PX[2])} data-at={at_ms.to_string()} aria-label={title.clone()} {title}
                    onclick={Callback::from(move |_: MouseEvent| on.emit(Msg::SeekTime(at_ms)))}>{ icon(Icon::Flag) }</button>
            }
        }
        MarkLook::Tick(text) => tick(text, format!("t{index}-{}", mark.at_ms), "tl-mark"),
        MarkLook::Due(text) => tick(text, format!("d{index}-{}", mark.at_ms), "tl-mark is-due"),
    }
}
