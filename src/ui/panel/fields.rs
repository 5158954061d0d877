//! A plain table of fields under RocketMQ's names.

use yew::prelude::*;

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

/// A table of fields.
pub fn table(lines: Vec<Line>) -> Html {
    html! {
        <dl class="fields">
            { for lines.into_iter().enumerate().map(|(index, line)| html! {
                <div key={index}><dt>{ line.name }</dt><dd>{ line.value }</dd></div>
            }) }
        </dl>
    }
}
