//! The log: one sentence per fact, as many rows in the document as fit on the screen.

use std::rc::Rc;

use gloo_timers::callback::Timeout;
use lockstep_core::fact::FactRecord;
use lockstep_core::view::client_log;
use lockstep_core::view::log::{is_routine, named, Hits, LogKind};
use lockstep_core::view::Subject;
use lockstep_core::world::World;
use web_sys::{HtmlElement, HtmlInputElement};
use yew::prelude::*;

use crate::app::core::Core;
use crate::app::frame::Frame;
use crate::app::msg::Msg;
use crate::i18n::log::Log as LogText;
use crate::i18n::sentence::Speaker;
use crate::i18n::{clock, number, Locale};
use crate::ui::icon::{sized, Icon};
use crate::ui::timeline::marks::command_of;

/// Height of a row in pixels; two lines of text fit.
const ROW_PX: f64 = 38.0;
/// Rows drawn beyond either edge of the screen.
const SPARE_ROWS: usize = 6;
/// Facts that one rendering looks at; a long run is searched in slices.
const SEARCH_BUDGET: usize = 8_000;

/// What the log shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// Words that a sentence has to hold.
    pub words: String,
    /// Kinds, as bits.
    pub kinds: u16,
    /// Routine facts too.
    pub routine: bool,
    /// Only what is about the selected thing.
    pub selected: bool,
}

impl Default for Filter {
    fn default() -> Self {
        // What clients write to their own files is for those who look for a fault in such files.
        let kinds = LogKind::ALL.iter().fold(0, |bits, kind| bits | kind.bit());
        let kinds = kinds & !LogKind::Client.bit();
        Self { words: String::new(), kinds, routine: false, selected: false }
    }
}

impl Filter {
    fn lets(
        &self,
        record: &FactRecord,
        subject: Option<Subject>,
        sentence: &dyn Fn() -> String,
    ) -> bool {
        let fact = &record.fact;
        self.kinds & LogKind::of(fact).bit() != 0
            && (self.routine || !is_routine(fact))
            && (!self.selected || subject.is_none_or(|s| named(fact).holds(s)))
            && (self.words.is_empty() || holds_words(&sentence(), &self.words))
    }
}

impl Filter {
    /// Whether the line that a client writes at a fact is shown.
    fn lets_client(&self, world: &World, record: &FactRecord, subject: Option<Subject>) -> bool {
        self.kinds & LogKind::Client.bit() != 0
            && (!self.selected || subject.is_none_or(|s| named(&record.fact).holds(s)))
            && client_line(world, record)
                .is_some_and(|line| self.words.is_empty() || holds_words(&line, &self.words))
    }
}

/// What a client writes to its own log file at a fact, with whose file it is.
fn client_line(world: &World, record: &FactRecord) -> Option<String> {
    let line = client_log::line(world, record)?;
    let client = &world.shared.names.clients[line.client.index()];
    Some(format!("{client}: {} {} - {}", line.level.name(), line.class, line.text))
}

/// Whether a text holds all words, in any order and case.
fn holds_words(text: &str, words: &str) -> bool {
    let text = text.to_lowercase();
    words.split_whitespace().all(|word| text.contains(&word.to_lowercase()))
}

/// Properties of [`LogTab`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// Where requests go.
    pub on: Callback<Msg>,
    /// The filter.
    pub filter: UseStateHandle<Filter>,
}

/// What the hits were found with.
#[derive(Clone, PartialEq)]
struct Key {
    filter: Filter,
    subject: Option<Subject>,
    generation: u32,
    locale: Locale,
}

/// The log.
#[component]
pub fn LogTab(props: &Props) -> Html {
    let Props { frame, on, filter } = props;
    let texts = LogText(frame.locale);
    let hits = use_mut_ref(|| (None::<Key>, [Hits::default(), Hits::default()]));
    let redraw = use_force_update();
    let pending = use_mut_ref(|| None::<Timeout>);
    let scroller = use_node_ref();
    let top = use_state(|| 0.0_f64);
    let follows = use_mut_ref(|| true);
    let core = frame.core.read();
    let facts = core.session.facts();
    let shown: Vec<(u32, bool)> = {
        let subject = frame.selection.filter(|_| filter.selected);
        let key = Key {
            filter: (**filter).clone(),
            subject,
            generation: frame.generation,
            locale: frame.locale,
        };
        let mut hits = hits.borrow_mut();
        if hits.0.as_ref() != Some(&key) {
            *hits = (Some(key), [Hits::default(), Hits::default()]);
        }
        let done = search(&core, frame.locale, filter, subject, &mut hits.1);
        *pending.borrow_mut() = (!done).then(|| {
            let redraw = redraw.clone();
            Timeout::new(0, move || redraw.force_update())
        });
        merged(hits.1[0].until(facts.len()), hits.1[1].until(facts.len()))
    };
    let rows = shown.len();
    {
        // While the list stands at its end it goes with the run.
        let (scroller, follows) = (scroller.clone(), follows.clone());
        use_effect_with(rows, move |_| {
            if let (true, Some(element)) = (*follows.borrow(), scroller.cast::<HtmlElement>()) {
                element.set_scroll_top(element.scroll_height());
            }
        });
    }
    let onscroll = {
        let (scroller, top, follows) = (scroller.clone(), top.clone(), follows.clone());
        Callback::from(move |_: Event| {
            if let Some(element) = scroller.cast::<HtmlElement>() {
                let at = f64::from(element.scroll_top());
                let rest = element.scroll_height() - element.client_height() - element.scroll_top();
                *follows.borrow_mut() = f64::from(rest) < ROW_PX;
                // A new row at the edge is what needs drawing, not every pixel.
                let at = (at / ROW_PX).floor() * ROW_PX;
                if (at - *top).abs() >= ROW_PX {
                    top.set(at);
                }
            }
        })
    };
    let height = scroller.cast::<HtmlElement>().map_or(700.0, |e| f64::from(e.client_height()));
    let first = if *follows.borrow() {
        rows.saturating_sub((height / ROW_PX) as usize + SPARE_ROWS)
    } else {
        ((*top / ROW_PX) as usize).saturating_sub(SPARE_ROWS).min(rows)
    };
    let last = (first + (height / ROW_PX) as usize + 2 * SPARE_ROWS).min(rows);
    let speaker = Speaker { world: core.session.world(), locale: frame.locale };
    let empty = if facts.is_empty() { texts.nothing_yet() } else { texts.nothing() };
    html! {<>
        { filter_bar(filter, texts, (rows, facts.len()), frame.selection.is_some()) }
        <div key="list" class="log-list" ref={scroller} {onscroll} tabindex="0" role="log" aria-live="off" aria-label={texts.title()}>
            <p key="empty" class="muted log-empty" hidden={rows > 0}>{ empty }</p>
            <ol key="rows" style={format!("height:{}px", rows as f64 * ROW_PX)}>
                { for shown[first..last].iter().enumerate().map(|(offset, (index, client))| {
                    let record = &facts[*index as usize];
                    let written = client.then(|| client_line(core.session.world(), record)).flatten();
                    let present = first + offset + 1 == rows;
                    let shown = Line {
                        key: index * 2 + u32::from(*client),
                        top: (first + offset) as f64 * ROW_PX,
                        at: clock(record.at_ms),
                        event: record.event,
                        kind: if *client { LogKind::Client } else { LogKind::of(&record.fact) },
                        subject: named(&record.fact).subject(),
                        text: written.unwrap_or_else(|| sentence(&core, &speaker, record)),
                        present,
                    };
                    line(shown, on)
                }) }
            </ol>
        </div>
    </>}
}

fn sentence(core: &Core, speaker: &Speaker<'_>, record: &FactRecord) -> String {
    use lockstep_core::fact::Fact;
    let command = match record.fact {
        Fact::CommandApplied { index } => command_of(core, index),
        _ => None,
    };
    speaker.fact(&record.fact, command)
}

fn search(
    core: &Core,
    locale: Locale,
    filter: &Filter,
    subject: Option<Subject>,
    [facts, lines]: &mut [Hits; 2],
) -> bool {
    let world = core.session.world();
    let speaker = Speaker { world, locale };
    let all = core.session.facts();
    let done = facts.update(all, SEARCH_BUDGET, &|record| {
        filter.lets(record, subject, &|| sentence(core, &speaker, record))
    });
    lines.update(all, SEARCH_BUDGET, &|record| filter.lets_client(world, record, subject)) && done
}

/// Facts and the lines that clients write at facts, in one order: a line stands behind its fact.
fn merged(facts: &[u32], lines: &[u32]) -> Vec<(u32, bool)> {
    let mut all: Vec<(u32, bool)> = facts.iter().map(|index| (*index, false)).collect();
    if !lines.is_empty() {
        all.extend(lines.iter().map(|index| (*index, true)));
        all.sort_unstable();
    }
    all
}

/// What a line shows.
struct Line {
    key: u32,
    top: f64,
    at: String,
    event: u32,
    kind: LogKind,
    subject: Option<Subject>,
    text: String,
    present: bool,
}

/// One line; clicking goes to its event and selects what it is about.
fn line(line: Line, on: &Callback<Msg>) -> Html {
    let Line { key, top, at, event, kind, subject, text, present } = line;
    let hover = |over: bool| {
        let on = on.clone();
        Callback::from(move |_: PointerEvent| on.emit(Msg::Hover(subject.filter(|_| over))))
    };
    let (enter, leave) = (hover(true), hover(false));
    let on = on.clone();
    let onclick = Callback::from(move |_: MouseEvent| {
        on.emit(Msg::SeekEvent(event));
        if subject.is_some() {
            on.emit(Msg::Select(subject));
        }
    });
    html! {
        <li key={key} class={classes!("log-line", present.then_some("is-present"))} style={format!("top:{top}px")}>
            <button {onclick} onpointerenter={enter} onpointerleave={leave} title={text.clone()} aria-current={present.then_some("true")}>
                <span class="log-time">{ at }</span>
                <span class={classes!("log-mark", kind_class(kind))} aria-hidden="true"></span>
                <span class="log-text">{ text }</span>
            </button>
        </li>
    }
}

fn kind_class(kind: LogKind) -> &'static str {
    match kind {
        LogKind::Send => "k-send",
        LogKind::Delay => "k-delay",
        LogKind::Handle => "k-handle",
        LogKind::Retry => "k-retry",
        LogKind::Lock => "k-lock",
        LogKind::Rebalance => "k-rebalance",
        LogKind::Pull => "k-pull",
        LogKind::Fault => "k-fault",
        LogKind::Client => "k-client",
    }
}

fn kind_name(kind: LogKind, texts: LogText) -> &'static str {
    match kind {
        LogKind::Send => texts.kind_send(),
        LogKind::Delay => texts.kind_delay(),
        LogKind::Handle => texts.kind_handle(),
        LogKind::Retry => texts.kind_retry(),
        LogKind::Lock => texts.kind_lock(),
        LogKind::Rebalance => texts.kind_rebalance(),
        LogKind::Pull => texts.kind_pull(),
        LogKind::Fault => texts.kind_fault(),
        LogKind::Client => texts.kind_client(),
    }
}

/// Words, kinds, and what else narrows the log; how many lines of how many are left.
fn filter_bar(
    filter: &UseStateHandle<Filter>,
    texts: LogText,
    (count, all): (usize, usize),
    selected: bool,
) -> Html {
    let oninput = {
        let filter = filter.clone();
        Callback::from(move |event: InputEvent| {
            let words = event.target_unchecked_into::<HtmlInputElement>().value();
            filter.set(Filter { words, ..(*filter).clone() });
        })
    };
    let toggle = |name: &'static str, on: bool, f: fn(&mut Filter)| {
        let filter = filter.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            let mut next = (*filter).clone();
            f(&mut next);
            filter.set(next);
        });
        html! { <button key={name} class="toggle" aria-pressed={on.to_string()} {onclick}>{ name }</button> }
    };
    html! {
        <div key="filter" class="log-filter">
            <label key="words" class="search-field">
                { sized(Icon::Search, 14) }
                <span class="visually-hidden">{ texts.filter() }</span>
                <input type="search" value={filter.words.clone()} placeholder={texts.filter_hint()} {oninput} />
            </label>
            <div key="kinds" class="toggles" role="group" aria-label={texts.kinds()}>
                { for LogKind::ALL.into_iter().map(|kind| {
                    let filter = filter.clone();
                    let on = filter.kinds & kind.bit() != 0;
                    let name = kind_name(kind, texts);
                    let onclick = Callback::from(move |_: MouseEvent| {
                        filter.set(Filter { kinds: filter.kinds ^ kind.bit(), ..(*filter).clone() });
                    });
                    html! {
                        <button key={name} class="toggle" aria-pressed={on.to_string()} {onclick}>
                            <span class={classes!("log-mark", kind_class(kind))} aria-hidden="true"></span>{ name }
                        </button>
                    }
                }) }
            </div>
            <div key="more" class="toggles">
                { toggle(texts.routine(), filter.routine, |f| f.routine = !f.routine) }
                <span key="selected" hidden={!selected}>{ toggle(texts.about_selected(), filter.selected, |f| f.selected = !f.selected) }</span>
                <span key="count" class="log-count small muted">{ texts.lines(&number(count as i64), &number(all as i64)) }</span>
            </div>
        </div>
    }
}
