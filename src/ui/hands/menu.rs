//! Menus: what can be done to a thing, and faults of anything.

use std::rc::Rc;

use lockstep_core::command::Command;
use lockstep_core::deeds::{behind, deeds, machinery, Deed, On, Sort};
use lockstep_core::explain::Run;
use lockstep_core::ids::Ms;
use lockstep_core::scenario::say_behind;
use lockstep_core::view::Subject;
use web_sys::Element;
use yew::prelude::*;

use super::{group, name, with_run};
use crate::app::frame::Frame;
use crate::app::hands::{Choice, Hands};
use crate::app::msg::Msg;
use crate::i18n::deed::DeedText;
use crate::i18n::sentence::Speaker;
use crate::i18n::Locale;
use crate::ui::menu::{Choice as Option_, Select};

/// Properties of [`Menu`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// The run's frame.
    pub frame: Rc<Frame>,
    /// What was asked for.
    pub hands: Hands,
    /// Where requests go.
    pub on: Callback<Msg>,
}

/// A line of a menu.
#[derive(Clone, Debug, PartialEq)]
struct Item {
    label: String,
    /// The line of the scenario that does it.
    line: String,
    msg: Msg,
}

/// Lines that belong together, with what they are done to where that has to be said.
#[derive(Clone, Debug, PartialEq)]
struct Section {
    name: Option<String>,
    items: Vec<Item>,
}

/// What a menu needs to know of the run.
struct Making<'r, 'a> {
    run: &'r Run<'a>,
    at_ms: Ms,
    locale: Locale,
    frame: &'r Frame,
}

/// A menu.
#[component]
pub fn Menu(props: &Props) -> Html {
    let Props { frame, hands, on } = props;
    let text = DeedText(frame.locale);
    let general = !matches!(hands.what, Choice::To(_));
    let chosen = use_state(|| None::<usize>);
    let hinted = use_state(|| 0_usize);
    let things = use_memo((*hands, frame.generation, frame.event), |_| things(frame, hands));
    let first = things.iter().position(|(on, _)| Some(*on) == wished(frame, hands)).unwrap_or(0);
    let place = chosen.unwrap_or(first);
    let sections = {
        let on = things.get(place).map(|(on, _)| *on).filter(|_| general);
        let on = on.or(match hands.what {
            Choice::To(on) => Some(on),
            _ => None,
        });
        let key = (*hands, on, frame.generation, frame.event, frame.locale);
        use_memo(key, |_| sections(frame, hands, on))
    };
    let items: Vec<&Item> = sections.iter().flat_map(|section| &section.items).collect();
    let press =
        use_callback((on.clone(), sections.clone()), |event: MouseEvent, (on, sections)| {
            let Some(index) = index_at(&event) else { return };
            let mut items = sections.iter().flat_map(|section| &section.items);
            if let Some(item) = items.nth(index) {
                if !matches!(item.msg, Msg::Hands(_)) {
                    on.emit(Msg::Hands(None));
                }
                on.emit(item.msg.clone());
            }
        });
    let hint = {
        let hinted = hinted.clone();
        move |event: &Event| {
            if let Some(index) = index_at(event) {
                hinted.set(index);
            }
        }
    };
    let (over, focus) = (hint.clone(), hint);
    let choices: Vec<Option_> = things
        .iter()
        .enumerate()
        .map(|(i, (_, name))| Option_ { text: name.clone().into(), chosen: i == place })
        .collect();
    let onchoose = use_callback(chosen.setter(), |index: usize, chosen| chosen.set(Some(index)));
    let mut index = 0;
    let line = items.get(*hinted).or(items.first()).map(|item| item.line.clone());
    html! {
        <div class="hands-list">
            <div key="to">{ general.then(|| html! {
                <div class="hands-to"><span aria-hidden="true">{ text.to_what() }</span><Select class="hands-select" label={text.to_what()} {choices} {onchoose} /></div>
            }) }</div>
            <p key="none" class="small muted" hidden={!items.is_empty()}>{ text.nothing() }</p>
            <div key="menu" class="hands-menu" role="menu" aria-label={text.what_to()} hidden={items.is_empty()} onclick={press}
                onpointerover={move |event: PointerEvent| over(&event)} onfocusin={move |event: FocusEvent| focus(&event)}>
                { for sections.iter().enumerate().map(|(place, section)| html! {
                    <div key={place} role="group" aria-label={section.name.clone()}>
                        <p key="name" class="section-label" aria-hidden="true" hidden={section.name.is_none()}>{ section.name.clone() }</p>
                        { for section.items.iter().map(|item| {
                            index += 1;
                            html! { <button key={item.label.clone()} type="button" role="menuitem" class="menu-item" autofocus={index == 1} data-index={(index - 1).to_string()}>{ item.label.clone() }</button> }
                        }) }
                    </div>
                }) }
            </div>
            <p key="line" class="hands-line" aria-hidden="true" hidden={line.as_ref().is_none_or(String::is_empty)}><code>{ line }</code></p>
        </div>
    }
}

/// The number of the line of a menu that an event is about.
fn index_at(event: &Event) -> Option<usize> {
    let target = event.target_dyn_into::<Element>()?;
    target.closest("[data-index]").ok()??.get_attribute("data-index")?.parse().ok()
}

/// What a fault can be caused to, with its name.
fn things(frame: &Frame, hands: &Hands) -> Vec<(On, String)> {
    if let Choice::To(_) = hands.what {
        return Vec::new();
    }
    with_run(frame, |run, _, _| {
        let speaker = Speaker { world: run.world, locale: frame.locale };
        machinery(run).into_iter().map(|on| (on, name(&speaker, on))).collect()
    })
}

/// What is probably meant: what is selected, or what stands behind it; else the first consumer of the group
/// that is looked at.
fn wished(frame: &Frame, hands: &Hands) -> Option<On> {
    let selected = match hands.what {
        Choice::Faults(selected) => selected,
        _ => frame.selection,
    };
    let consumer = || frame.stage.consumers.first().map(|c| On::Subject(Subject::Client(c.id)));
    match selected {
        Some(Subject::Queue(queue)) => Some(On::Broker(queue.broker)),
        Some(subject @ (Subject::Client(_) | Subject::Producer(_))) => Some(On::Subject(subject)),
        _ => consumer(),
    }
}

fn sections(frame: &Frame, hands: &Hands, on: Option<On>) -> Vec<Section> {
    with_run(frame, |run, core, at_ms| {
        let making = Making { run, at_ms, locale: frame.locale, frame };
        let mut sections = Vec::new();
        let back = (!core.session.injected().is_empty()).then(|| making.back());
        match (hands.what, on) {
            (Choice::To(on), _) => sections.extend(making.to(on)),
            (what, on) => {
                let send = (what == Choice::All).then(|| making.send(frame.selection));
                sections
                    .push(Section { name: None, items: send.into_iter().chain(back).collect() });
                let all = on.map(|on| deeds(run, on, group(frame))).unwrap_or_default();
                let faults = |sort: Sort| matches!(sort, Sort::Fault | Sort::Mend);
                let items =
                    all.iter().filter(|deed| faults(deed.sort)).map(|deed| making.item(deed));
                sections.push(Section { name: None, items: items.collect() });
            }
        }
        sections.retain(|section| !section.items.is_empty());
        sections
    })
}

impl Making<'_, '_> {
    fn speaker(&self) -> Speaker<'_> {
        Speaker { world: self.run.world, locale: self.locale }
    }

    fn item(&self, deed: &Deed) -> Item {
        Item {
            label: self.speaker().deed(&deed.command),
            line: line(self.run, self.at_ms, &deed.command),
            msg: Msg::Do(Rc::new([deed.command.clone()])),
        }
    }

    /// Opens the form for a message.
    fn send(&self, about: Option<Subject>) -> Item {
        let what = Choice::Send(about);
        let msg = Msg::Hands(Some(Hands::of(what)));
        Item { label: DeedText(self.locale).send_form().to_owned(), line: String::new(), msg }
    }

    /// Takes the last deed back.
    fn back(&self) -> Item {
        let last = self.run.journal.last();
        let what = last.map(|(_, command)| self.speaker().command(command)).unwrap_or_default();
        let label = DeedText(self.locale).take_back_what(&what);
        Item { label, line: String::new(), msg: Msg::TakeBack }
    }

    /// A thing, with the machinery behind it.
    fn to(&self, on: On) -> Vec<Section> {
        let group = group(self.frame);
        let own = deeds(self.run, on, group);
        let sends = |deed: &&Deed| deed.sort == Sort::Send;
        let mut first: Vec<Item> = own.iter().filter(sends).map(|deed| self.item(deed)).collect();
        if let On::Subject(subject) = on {
            let to_queue = !matches!(subject, Subject::Client(_) | Subject::Level(_));
            first.extend(to_queue.then(|| self.send(Some(subject))));
        }
        let mut sections = vec![Section { name: None, items: first }];
        for sort in [Sort::Mend, Sort::Fault, Sort::Change] {
            let items = own.iter().filter(|deed| deed.sort == sort).map(|deed| self.item(deed));
            sections.push(Section { name: None, items: items.collect() });
        }
        for on in behind(self.run, on, group) {
            let items = deeds(self.run, on, group).iter().map(|deed| self.item(deed)).collect();
            sections.push(Section { name: Some(name(&self.speaker(), on)), items });
        }
        sections
    }
}

/// The line of a scenario that does a command.
pub fn line(run: &Run<'_>, at_ms: Ms, command: &Command) -> String {
    say_behind(run.journal, at_ms, command)
}
