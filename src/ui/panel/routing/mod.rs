//! The routing microscope: where message groups go, by every function, and what a changed number of
//! queues does to them.

use std::rc::Rc;

use lockstep_core::routing::Sdk;
use lockstep_core::view::routing::{
    hot_load, load, moving, names, rows, Function, Landing, Load, Names, NamesProblem, Row,
    MAX_QUEUES,
};
use lockstep_core::view::stage::{hue, Rule, NO_HUE};
use web_sys::{HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};
use yew::prelude::*;

use super::calm::use_width;
use super::views::is_two;
use crate::app::frame::Frame;
use crate::app::msg::Msg;
use crate::i18n::views::RoutingText;

mod bench;
mod charts;
mod links;
mod list;

/// Most groups in the list and in the drawing; all others count in the load.
const MAX_LISTED: usize = 24;

/// What people put under the microscope. What is None follows the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bench {
    text: Option<String>,
    from: Option<u32>,
    to: Option<u32>,
    function: Option<Function>,
    /// The group that is looked at closely, by its place in the list.
    chosen: u32,
    /// What it sends of all messages, in hundredths.
    share: Option<u32>,
}

/// Properties of [`RoutingTab`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// Where requests go.
    pub on: Callback<Msg>,
    /// What is under the microscope.
    pub bench: UseStateHandle<Bench>,
}

/// What a bench comes to.
#[derive(Clone, Debug, PartialEq)]
struct Looked {
    text: String,
    list: Vec<String>,
    problem: Option<NamesProblem>,
    function: Function,
    from: u32,
    to: u32,
    chosen: u32,
    share: u32,
    rows: Vec<Row>,
    /// Letter and colour of each row.
    looks: Vec<(String, u8)>,
    loads: [Option<Load>; 2],
    hot: [Option<Load>; 2],
    /// For some functions: what part moves, in ten-thousandths, from `from` to each of `changes`.
    changes: Vec<u32>,
    moving: Vec<(Function, Vec<Option<u32>>)>,
}

/// What the run says when people said nothing: its groups, its number of queues, how its first
/// producer selects.
#[derive(Clone, PartialEq)]
struct OfRun {
    keys: Vec<(String, String, u8)>,
    queues: u32,
    function: Function,
}

fn of_run(frame: &Frame) -> OfRun {
    let core = frame.core.read();
    let names = &core.session.world().shared.names;
    let keyed = (0..).zip(&names.series).filter_map(|(id, series)| {
        let hue = hue(names, lockstep_core::ids::MessageGroupId(id));
        Some((series.key.clone()?, series.name.clone(), hue))
    });
    let mut keys: Vec<(String, String, u8)> = keyed.collect();
    if keys.is_empty() {
        // A run that has not begun knows no group yet: its ports say them.
        let port = |port: &lockstep_core::view::stage::PortView| {
            (port.key.to_string(), port.letter.to_string(), port.hue)
        };
        keys = frame.stage.ports.iter().map(port).filter(|(key, ..)| !key.is_empty()).collect();
    }
    let consistent =
        |port: &lockstep_core::view::stage::PortView| matches!(port.rule, Rule::Consistent { .. });
    OfRun {
        keys,
        queues: frame.stage.topic.as_ref().map_or(4, |topic| topic.write_queues.max(1)),
        function: match frame.stage.ports.first() {
            Some(port) if consistent(port) => Function::Proxy,
            _ => Function::ByHash,
        },
    }
}

/// Looks at a bench.
fn look(bench: &Bench, run: &OfRun) -> Looked {
    let text = bench.text.clone().unwrap_or_else(|| {
        run.keys.iter().map(|(key, ..)| key.as_str()).collect::<Vec<_>>().join("\n")
    });
    let Names { list, problem } = names(&text);
    let function = bench.function.unwrap_or(run.function);
    let from = bench.from.unwrap_or(run.queues).clamp(1, MAX_QUEUES);
    let to = bench.to.unwrap_or(run.queues * 2).clamp(1, MAX_QUEUES);
    let chosen = bench.chosen.min((list.len() as u32).saturating_sub(1));
    let share = bench.share.unwrap_or(20);
    let mut compared = vec![Function::ByHash, Function::Proxy, Function::Sdk(Sdk::Java)];
    if !compared.contains(&function) {
        compared.insert(0, function);
    }
    let mut changes = vec![from + 1, to];
    changes.extend((from > 1).then(|| from - 1));
    changes.dedup();
    let part = |function, to| moving(&list, function, from, to).map(|m| m.per_ten_thousand());
    let moving = compared
        .into_iter()
        .map(|function| (function, changes.iter().map(|to| part(function, *to)).collect()))
        .collect();
    let rows = rows(&list, MAX_LISTED, function, from, to);
    let both = |f: &dyn Fn(u32) -> Option<Load>| [f(from), f(to)];
    Looked {
        looks: looks(&rows, run),
        loads: both(&|n| load(&list, function, n)),
        hot: both(&|n| hot_load(&list, function, n, (chosen, share))),
        text,
        list,
        problem,
        function,
        from,
        to,
        chosen,
        share,
        rows,
        changes,
        moving,
    }
}

/// Groups of the run keep letter and colour; the others get the letters that are left.
fn looks(rows: &[Row], run: &OfRun) -> Vec<(String, u8)> {
    let of_run = |group: &str| run.keys.iter().find(|(key, ..)| key == group);
    let taken = |letter: &String| {
        rows.iter().filter_map(|row| of_run(&row.group)).any(|(_, name, _)| name == letter)
    };
    let mut free = (b'A'..=b'Z').map(|c| (char::from(c).to_string(), (c - b'A') % 8));
    let mut next = || free.find(|(letter, _)| !taken(letter)).unwrap_or((String::new(), NO_HUE));
    rows.iter()
        .map(|row| match of_run(&row.group) {
            Some((_, letter, hue)) => (letter.clone(), *hue),
            None => next(),
        })
        .collect()
}

/// The name of a function.
fn function_name(function: Function, texts: RoutingText) -> &'static str {
    match function {
        Function::ByHash => texts.by_hash(),
        Function::AbsHash => texts.abs_hash(),
        Function::Modulo => texts.modulo(),
        Function::RoundRobin => texts.round_robin(),
        Function::Proxy => texts.proxy(),
        Function::Sdk(Sdk::Java | Sdk::Go) => texts.java(),
        Function::Sdk(Sdk::Node) => texts.node(),
        Function::Sdk(Sdk::Rust) => texts.rust(),
        Function::Sdk(Sdk::Python) => texts.python(),
        Function::Sdk(Sdk::Cpp) => texts.cpp(),
        Function::Sdk(Sdk::CSharp) => texts.csharp(),
    }
}

/// Where a group comes to lie, in words.
fn landing(landing: Landing, texts: RoutingText) -> String {
    match landing {
        Landing::Queue(queue) => format!("q{queue}"),
        Landing::Throws(index) => format!("{} ({})", crate::i18n::number(index), texts.nowhere()),
        Landing::Platform => "–".to_owned(),
    }
}

/// The routing microscope.
#[component]
pub fn RoutingTab(props: &Props) -> Html {
    let Props { frame, on, bench } = props;
    let node = use_node_ref();
    let width = use_width(&node);
    let run = of_run(frame);
    let looked = use_memo(((**bench).clone(), run), |(bench, run)| look(bench, run));
    let texts = RoutingText(frame.locale);
    let copied = use_state(|| false);
    let view = View { looked: &looked, texts, width, bench };
    html! {<>
        <div key="head" class="routing-head">{ bench::head(&view, on) }</div>
        <div key="grid" class={classes!("view-grid", "is-routing", is_two(width).then_some("is-two"))} ref={node}>
            { if width > 0 { cards(&view, &copied) } else { Html::default() } }
        </div>
    </>}
}

/// What the cards need.
struct View<'a> {
    looked: &'a Looked,
    texts: RoutingText,
    width: u32,
    bench: &'a UseStateHandle<Bench>,
}

impl View<'_> {
    /// Width inside a card, in pixels.
    fn inner(&self) -> u32 {
        let columns = if is_two(self.width) { 2 } else { 1 };
        ((self.width - 14 * (columns - 1)) / columns).saturating_sub(34)
    }

    /// Something that changes the bench.
    fn change<T: 'static>(&self, f: impl Fn(&mut Bench, T) + 'static) -> Callback<T> {
        let bench = (*self.bench).clone();
        Callback::from(move |value: T| {
            let mut next = (*bench).clone();
            f(&mut next, value);
            bench.set(next);
        })
    }
}

fn cards(view: &View<'_>, copied: &UseStateHandle<bool>) -> Html {
    html! {<>
        <div key="left" class="view-column">
            { bench::groups(view, copied) }
            { list::list_card(view) }
            { list::every(view) }
        </div>
        <div key="right" class="view-column">
            { links::card(view) }
            { charts::load_card(view) }
        </div>
        { charts::trap_card(view) }
    </>}
}

/// The value of the element that an event came from.
fn value_of(event: &Event) -> String {
    event.target_unchecked_into::<HtmlSelectElement>().value()
}

fn text_of(event: &InputEvent) -> String {
    event.target_unchecked_into::<HtmlTextAreaElement>().value()
}

fn number_of(event: &Event) -> Option<u32> {
    event.target_unchecked_into::<HtmlInputElement>().value().trim().parse().ok()
}
