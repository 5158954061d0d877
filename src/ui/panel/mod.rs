//! The panel at the right: lesson, why, inspect, log, charts, scenario. Only the open tab is mounted;
//! what has to outlive it (answers, hints, the edited text, the log's filter, the microscope's list) is kept
//! here. The order strips and the routing microscope stand under the button of the charts.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

use crate::app::frame::Frame;
use crate::app::msg::{Msg, Tab};
use crate::app::progress::{Mark, Progress};
use crate::i18n::panel::PanelText;
use crate::ui::picker::lessons::Place;

pub mod ask;
mod broken;
mod calm;
mod changed;
mod charts;
mod drafts;
mod editor;
mod editor_bar;
mod fields;
mod files;
mod framing;
mod highlight;
mod inspect;
mod inspect_pop;
mod lesson;
mod log;
mod moves;
mod order;
mod problems;
mod routing;
mod steps;
mod verdicts;
mod views;
mod why;

pub use ask::Answers;
pub use editor::Draft;
pub use framing::{breakable, prose};
pub use log::Filter;
pub use routing::Bench;

/// Properties of [`Panel`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// Where requests go.
    pub on: Callback<Msg>,
}

/// The tabs in their order.
const TABS: [Tab; 6] = [Tab::Lesson, Tab::Why, Tab::Inspect, Tab::Log, Tab::Charts, Tab::Scenario];

/// The tab whose button a tab stands under.
fn button(tab: Tab) -> Tab {
    match tab {
        Tab::Order | Tab::Routing => Tab::Charts,
        tab => tab,
    }
}

fn name(tab: Tab, texts: PanelText) -> &'static str {
    match tab {
        Tab::Lesson => texts.lesson(),
        Tab::Why => texts.why(),
        Tab::Inspect => texts.inspect(),
        Tab::Log => texts.log(),
        Tab::Charts | Tab::Order | Tab::Routing => texts.charts(),
        Tab::Scenario => texts.scenario(),
    }
}

/// The word of a tab in ids and in the style sheet.
fn word(tab: Tab) -> &'static str {
    match tab {
        Tab::Lesson => "lesson",
        Tab::Why => "why",
        Tab::Inspect => "inspect",
        Tab::Log => "log",
        Tab::Charts => "charts",
        Tab::Order => "order",
        Tab::Routing => "routing",
        Tab::Scenario => "scenario",
    }
}

/// The panel.
#[component]
pub fn Panel(props: &Props) -> Html {
    let Props { frame, on } = props;
    let texts = PanelText(frame.locale);
    let answers = use_state(Answers::default);
    let hints = use_state(lesson::Hints::default);
    let draft = use_state(|| None::<Draft>);
    let edit = use_state(|| false);
    let filter = use_state(Filter::default);
    let bench = use_state(Bench::default);
    let wide = use_state(|| true);
    let range = use_state(charts::Range::default);
    let (list, body) = (use_node_ref(), use_node_ref());
    let seen = use_mut_ref(fields::Seen::default);
    {
        // A new run begins without answers, and its text is the one to edit. A lesson that people run
        // from the editor goes on with what was answered and hinted in it.
        let (answers, bench) = (answers.clone(), bench.clone());
        let hints = hints.clone();
        let goes_on = frame.scenario.goes_on();
        use_effect_with(Rc::as_ptr(&frame.scenario) as usize, move |_| {
            if !goes_on {
                answers.set(Answers::default());
                hints.set(lesson::Hints::default());
            }
            bench.set(Bench::default());
        });
    }
    use_draft(frame, on, &draft);
    {
        let (answers, on, frame) = (answers.clone(), on.clone(), frame.clone());
        // Coming back to where it is selects nothing anew.
        use_effect_with(frame.chosen, move |chosen| {
            ask::answer_by_selection(&frame, *chosen, &answers, &on);
        });
    }
    {
        let reached = (Rc::as_ptr(&frame.scenario) as usize, frame.beat, answers.count());
        let frame = frame.clone();
        use_effect_with(reached, move |(_, beat, answered)| remember(&frame, *beat, *answered));
    }
    {
        // What is newly told begins with its title, however far the tab before was scrolled. The
        // lesson keeps its place: it shows its open question by itself.
        let body = body.clone();
        let told = frame.selection.filter(|_| matches!(frame.tab, Tab::Why | Tab::Inspect));
        let broken = frame.told.as_ref().map(|told| Rc::as_ptr(told) as usize);
        use_effect_with((frame.tab, told, broken), move |(tab, _, _)| {
            if let Some(body) = body.cast::<HtmlElement>().filter(|_| *tab != Tab::Lesson) {
                body.set_scroll_top(0);
            }
        });
    }
    let tab = frame.tab;
    use_room(tab, *wide && button(tab) == Tab::Charts);
    html! {
        <div class="panel" data-tab={word(tab)}>
            { tabs(tab, texts, &list, on) }
            <div key="body" ref={body} class="panel-body" id="panel-body" role="tabpanel" aria-labelledby={format!("tab-{}", word(button(tab)))} tabindex="-1">
                <div key="views" class="views-bar" hidden={button(tab) != Tab::Charts}>{ views::bar(tab, frame.locale, &wide, &range, on) }</div>
                <div key={word(tab)} class={classes!("panel-tab", word(tab))}>
                    { match tab {
                        Tab::Lesson => html! { <lesson::Lesson frame={frame.clone()} on={on.clone()} {answers} {hints} {edit} /> },
                        Tab::Why => why::why_tab(frame, on),
                        Tab::Inspect => inspect::inspect(frame, on, &mut seen.borrow_mut()),
                        Tab::Log => html! { <log::LogTab frame={frame.clone()} on={on.clone()} {filter} /> },
                        Tab::Charts => html! { <charts::ChartsTab frame={frame.clone()} on={on.clone()} range={*range} /> },
                        Tab::Order => html! { <order::OrderTab frame={frame.clone()} on={on.clone()} /> },
                        Tab::Routing => html! { <routing::RoutingTab frame={frame.clone()} on={on.clone()} {bench} /> },
                        Tab::Scenario => html! { <editor::Editor scenario={frame.scenario.clone()} running={frame.text().clone()} offered={frame.offered.clone()} hint={hints.last(&frame.scenario, frame.locale).map(|hint| AttrValue::from(hint.to_owned()))} before={frame.previous_text.is_some()} locale={frame.locale} core={frame.core.clone()} on={on.clone()} {draft} {edit} /> },
                    } }
                </div>
            </div>
        </div>
    }
}

/// Takes up the changed text of the scenario that opens, as far as this tab of the browser has kept it.
#[hook]
fn use_draft(frame: &Rc<Frame>, on: &Callback<Msg>, draft: &UseStateHandle<Option<Draft>>) {
    let opened = use_mut_ref(|| None::<usize>);
    {
        let (draft, on) = (draft.clone(), on.clone());
        let run = (Rc::as_ptr(&frame.scenario) as usize, frame.text().clone());
        use_effect_with(run, move |(scenario, running)| {
            let last = opened.borrow_mut().replace(*scenario);
            if last == Some(*scenario) {
                // What was done by hand has made another text of it; what is written is kept for that too.
                if let Some(draft) = &*draft {
                    drafts::keep(running, Some(&draft.text));
                }
                return;
            }
            draft.set(drafts::kept(running).map(|text| Draft { text: text.into() }));
            if drafts::was_open(running) {
                on.emit(Msg::OpenTab(Tab::Scenario));
            } else if last.is_some() {
                drafts::close();
            }
        });
    }
    // A text that came by a link and cannot run is for editing.
    let draft = draft.clone();
    use_effect_with(frame.offered.clone(), move |offered| {
        if let Some(text) = offered.clone() {
            let text = drafts::kept(&text).map_or(text, Rc::from);
            draft.set(Some(Draft { text }));
        }
    });
}

/// Tells the style sheet which tab wants more room than the others. It stands on the root, because
/// a rule that looks for it inside the page (`:has`) is tried with every change of the page.
#[hook]
fn use_room(tab: Tab, wide: bool) {
    let room = match tab {
        Tab::Scenario => "scenario",
        _ if wide => "wide",
        _ => "",
    };
    use_effect_with(room, |room| {
        if let Some(root) = web_sys::window().and_then(|w| w.document()?.document_element()) {
            // A failure could only mean that the name is not a name.
            let _ = root.set_attribute("data-panel", room);
        }
    });
}

/// Remembers how far somebody came with the lesson that plays.
fn remember(frame: &Frame, beat: Option<usize>, answered: usize) {
    let (program, id) = (&frame.scenario.program, &frame.scenario.id);
    if Place::of(id).is_none_or(|place| place.lesson.is_repaired()) {
        return;
    }
    let Some(beat) = beat else { return };
    let done = beat + 1 == program.beats.len() && answered == program.asks.len();
    Progress::remember(id, if done { Mark::Done } else { Mark::Begun });
}

/// The row of tabs: one stop of the tab order, arrows move inside.
fn tabs(tab: Tab, texts: PanelText, list: &NodeRef, on: &Callback<Msg>) -> Html {
    let onkeydown = {
        let (on, list) = (on.clone(), list.clone());
        Callback::from(move |event: KeyboardEvent| {
            let at = TABS.iter().position(|t| *t == button(tab)).unwrap_or(0);
            let to = match event.key().as_str() {
                "ArrowRight" => (at + 1) % TABS.len(),
                "ArrowLeft" => (at + TABS.len() - 1) % TABS.len(),
                "Home" => 0,
                "End" => TABS.len() - 1,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            on.emit(Msg::OpenTab(TABS[to]));
            let button = list
                .cast::<HtmlElement>()
                .and_then(|list| list.children().item(to as u32))
                .and_then(|button| button.dyn_into::<HtmlElement>().ok());
            if let Some(button) = button {
                // Focus can only be refused by an element that is gone.
                let _ = button.focus();
            }
        })
    };
    html! {
        <div key="tabs" class="tabs" role="tablist" aria-label={texts.tabs()} ref={list} {onkeydown}>
            { for TABS.into_iter().map(|each| {
                let on = on.clone();
                html! {
                    <button key={word(each)} id={format!("tab-{}", word(each))} role="tab" aria-selected={(each == button(tab)).to_string()}
                        aria-controls="panel-body" tabindex={if each == button(tab) { "0" } else { "-1" }}
                        onclick={Callback::from(move |_: MouseEvent| on.emit(Msg::OpenTab(each)))}>
                        { name(each, texts) }
                    </button>
                }
            }) }
        </div>
    }
}
