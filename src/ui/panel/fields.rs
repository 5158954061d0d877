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

/// Properties of [`Fields`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The fields.
    pub lines: Vec<Line>,
}

/// A table of fields.
#[component]
pub fn Fields(props: &Props) -> Html {
    html! {
        <dl class="fields">
            { for props.lines.iter().enumerate().map(|(index, line)| html! {
                <div key={index}><dt>{ line.name.clone() }</dt><dd>{ line.value.clone() }</dd></div>
            }) }
        </dl>
    }
}
