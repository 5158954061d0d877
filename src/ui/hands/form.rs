//! The form for a message.

use std::rc::Rc;

use lockstep_core::command::TopicType;
use lockstep_core::deeds::{Draft, Field, Wrong};
use lockstep_core::explain::Run;
use lockstep_core::fact::Decision;
use lockstep_core::shared::TopicUse;
use lockstep_core::view::Subject;
use web_sys::{Element, HtmlInputElement};
use yew::prelude::*;

use super::menu::line;
use super::with_run;
use crate::app::frame::Frame;
use crate::app::msg::Msg;
use crate::i18n::deed::DeedText;
use crate::i18n::sentence::queue_name;
use crate::ui::focus;
use crate::ui::menu::{Choice, Select};

/// Most message groups that are offered in the list of the field.
const MOST_OFFERED: usize = 40;

/// Properties of [`SendForm`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// The run's frame.
    pub frame: Rc<Frame>,
    /// What is selected.
    pub about: Option<Subject>,
    /// Where requests go.
    pub on: Callback<Msg>,
}

/// The names of the run that the form offers.
struct Offered {
    producers: Vec<String>,
    topics: Vec<String>,
    series: Vec<String>,
}

/// The form.
#[component]
pub fn SendForm(props: &Props) -> Html {
    let Props { frame, about, on } = props;
    let text = DeedText(frame.locale);
    let form = use_node_ref();
    let draft = use_state(|| with_run(frame, |run, _, _| Draft::new(run, *about)));
    let Some(now) = (*draft).clone() else {
        return html! { <p class="small">{ text.nobody() }</p> };
    };
    let (made, lines, waits, kind, offered, to) = with_run(frame, |run, _, at_ms| {
        let made = now.commands(run);
        let all = made.iter().flatten().map(|command| line(run, at_ms, command));
        let lines: Vec<String> = all.collect();
        let to = made.is_ok().then(|| {
            let queue = now.queue(run);
            queue.map(|queue| queue_name(&run.world.shared, queue))
        });
        (made, lines, now.may_wait(run), now.kind(run), offered(run), to)
    });
    let wrong = made.as_ref().err().copied();
    let submit = {
        let (on, form) = (on.clone(), form.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            match &made {
                Ok(commands) => {
                    on.emit(Msg::Hands(None));
                    on.emit(Msg::Do(commands.as_slice().into()));
                }
                Err(_) => {
                    let form = form.cast::<Element>();
                    let field = form.and_then(|f| f.query_selector("[aria-invalid=true]").ok()?);
                    if let Some(field) = field {
                        focus::focus(&field);
                    }
                }
            }
        })
    };
    let set = {
        let (draft, now) = (draft.clone(), now.clone());
        Callback::from(move |(field, value): (Field, String)| {
            let mut now = now.clone();
            set(&mut now, field, value);
            draft.set(Some(now));
        })
    };
    let input = |field: Field, value: &str, hint: &'static str| {
        input(text, field, value, hint, wrong.filter(|wrong| wrong.field() == field), &set)
    };
    let list = |field: Field, names: &[String], value: &str| list(text, field, names, value, &set);
    let decide = {
        let (draft, now) = (draft.clone(), now.clone());
        Callback::from(move |index: usize| {
            let decision = DECISIONS.get(index).copied();
            draft.set(Some(Draft { decision, ..now.clone() }));
        })
    };
    let decisions: Vec<Choice> = DECISIONS
        .iter()
        .zip([text.commits(), text.rolls_back(), text.stays_open()])
        .map(|(decision, words)| Choice {
            text: words.into(),
            chosen: now.decision.unwrap_or(Decision::Commit) == *decision,
        })
        .collect();
    html! {
        <form ref={form} class="hands-form" onsubmit={submit} novalidate=true>
            { list(Field::Producer, &offered.producers, &now.producer) }
            { list(Field::Topic, &offered.topics, &now.topic) }
            { input(Field::Series, &now.series, "") }
            <div key="to" class="hands-field" hidden={to.is_none()}>
                <span>{ text.goes_to() }</span>
                <output for="hands-group" data-testid="goes-to">{ to.flatten().unwrap_or_else(|| text.in_turn().to_owned()) }</output>
            </div>
            { input(Field::Count, &now.count, "") }
            { input(Field::Tag, &now.tag, text.optional()) }
            { input(Field::Key, &now.key, text.optional()) }
            { waits.then(|| input(Field::Delay, &now.delay, text.delay_hint())) }
            { (kind == Some(TopicType::Transaction)).then(|| html! {
                <div key="decision" class="hands-field"><span aria-hidden="true">{ text.decision() }</span><Select class="hands-select" label={text.decision()} choices={decisions} onchoose={decide} /></div>
            }) }
            <datalist key="series" id="hands-series">{ for offered.series.iter().map(|name| html! { <option key={name.clone()} value={name.clone()}></option> }) }</datalist>
            <p key="line" class="hands-line" aria-label={text.line()}><code>{ lines.join("\n") }</code></p>
            <div key="foot" class="hands-foot"><button class="button primary" data-testid="send-now">{ text.send_short() }</button></div>
        </form>
    }
}

const DECISIONS: [Decision; 3] = [Decision::Commit, Decision::Rollback, Decision::Unknown];

fn offered(run: &Run<'_>) -> Offered {
    let names = &run.world.shared.names;
    let of_people = names.topics.iter().filter(|topic| topic.usage == TopicUse::User);
    let own = names.series.iter().map(|series| series.name.clone());
    let keys = names.series.iter().filter_map(|series| series.key.clone());
    let keys = keys.filter(|key| names.series(key).is_none());
    let series = own.chain(keys);
    Offered {
        producers: names.producers.clone(),
        topics: of_people.map(|topic| topic.name.clone()).collect(),
        series: series.take(MOST_OFFERED).collect(),
    }
}

fn set(draft: &mut Draft, field: Field, value: String) {
    match field {
        Field::Producer => draft.producer = value,
        Field::Topic => draft.topic = value,
        Field::Series => draft.series = value,
        Field::Count => draft.count = value,
        Field::Tag => draft.tag = value,
        Field::Key => draft.key = value,
        Field::Delay => draft.delay = value,
    }
}

/// A list of names. What is not in it any more stands first, so that it can be seen.
fn list(
    text: DeedText,
    field: Field,
    names: &[String],
    value: &str,
    set: &Callback<(Field, String)>,
) -> Html {
    let label = text.field(field);
    let choices: Vec<Choice> = names
        .iter()
        .map(|name| Choice { text: name.clone().into(), chosen: name == value })
        .collect();
    let (set, names) = (set.clone(), names.to_vec());
    let onchoose = Callback::from(move |index: usize| {
        if let Some(name) = names.get(index) {
            set.emit((field, name.clone()));
        }
    });
    html! {
        <div key={label} class="hands-field"><span aria-hidden="true">{ label }</span><Select class="hands-select" {label} {choices} {onchoose} /></div>
    }
}

/// A field, with what is wrong in it.
fn input(
    text: DeedText,
    field: Field,
    value: &str,
    hint: &'static str,
    wrong: Option<Wrong>,
    set: &Callback<(Field, String)>,
) -> Html {
    let label = text.field(field);
    let id = match field {
        Field::Series => "hands-group",
        Field::Count => "hands-count",
        Field::Tag => "hands-tag",
        Field::Key => "hands-key",
        _ => "hands-delay",
    };
    let set = set.clone();
    let oninput = Callback::from(move |event: InputEvent| {
        set.emit((field, event.target_unchecked_into::<HtmlInputElement>().value()));
    });
    let said = wrong.map(|wrong| text.wrong(wrong, value));
    let told = said.is_some().then(|| format!("{id}-wrong"));
    html! {
        <div key={label} class="hands-field">
            <label for={id}>{ label }</label>
            <input {id} value={value.to_owned()} {oninput} placeholder={hint} autocomplete="off" spellcheck="false" autocapitalize="off"
                inputmode={(field == Field::Count).then_some("numeric")} list={(field == Field::Series).then_some("hands-series")}
                autofocus={field == Field::Series} aria-invalid={said.is_some().to_string()} aria-describedby={told.clone()} />
            <p class="hands-wrong" id={told} role="status">{ said }</p>
        </div>
    }
}
