//! A plain table of fields under RocketMQ's names.

use lockstep_core::view::Subject;
use yew::prelude::*;

use super::breakable;

/// A field.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Name, as RocketMQ spells it where it has one.
    pub name: AttrValue,
    /// Value with its unit.
    pub value: AttrValue,
}

impl Line {
    /// A field.
    pub fn new(name: &'static str, value: impl Into<AttrValue>) -> Self {
        Self { name: AttrValue::Static(name), value: value.into() }
    }
}

/// What was shown of the selected thing before the last step, so that what the step changed can be
/// marked.
#[derive(Default)]
pub struct Seen {
    of: Option<(Subject, u32)>,
    event: u32,
    now: Vec<Line>,
    before: Vec<Line>,
}

impl Seen {
    /// Takes the fields of a thing in a run as they are at an event.
    pub fn update(&mut self, of: (Subject, u32), event: u32, lines: &[Line]) {
        if self.of != Some(of) {
            *self = Self { of: Some(of), event, now: lines.to_vec(), before: Vec::new() };
        } else if self.event != event {
            self.event = event;
            self.before = std::mem::replace(&mut self.now, lines.to_vec());
        }
    }

    /// Whether a field was not there with this value before the last step.
    pub fn is_new(&self, line: &Line) -> bool {
        !self.before.is_empty() && !self.before.contains(line)
    }
}

/// A table of fields.
pub fn table(lines: Vec<Line>) -> Html {
    marked(lines, &|_| false)
}

/// A table of fields, some of which are marked as changed.
pub fn marked(lines: Vec<Line>, changed: &dyn Fn(&Line) -> bool) -> Html {
    html! {
        <dl class="fields">
            { for lines.into_iter().enumerate().map(|(index, line)| {
                let class = changed(&line).then_some("is-changed");
                html! { <div key={index} {class}><dt>{ breakable(&line.name) }</dt><dd>{ line.value }</dd></div> }
            }) }
        </dl>
    }
}
