//! A small list of choices. It is the browser's own `select`, which every keyboard, reader and
//! telephone knows; only its closed look is ours.

use yew::prelude::*;

use super::icon::{icon, Icon};

/// One choice.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Its text.
    pub text: AttrValue,
    /// Whether it is chosen.
    pub chosen: bool,
}

/// Properties of [`Select`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// CSS class of the whole.
    pub class: &'static str,
    /// Its name for readers.
    pub label: &'static str,
    /// The choices.
    pub choices: Vec<Choice>,
    /// Told the index of the one that was chosen.
    pub onchoose: Callback<usize>,
}

/// A list of choices.
#[component]
pub fn Select(props: &Props) -> Html {
    let Props { class, label, choices, onchoose } = props;
    let chosen = choices.iter().position(|c| c.chosen).unwrap_or(0);
    let node = use_node_ref();
    {
        // The browser changes the selection by itself; the page's state has the last word.
        let node = node.clone();
        use_effect_with((chosen, choices.len()), move |(chosen, _)| {
            if let Some(select) = node.cast::<web_sys::HtmlSelectElement>() {
                select.set_selected_index(*chosen as i32);
            }
        });
    }
    let onchange = {
        let onchoose = onchoose.clone();
        Callback::from(move |event: Event| {
            if let Some(select) = event.target_dyn_into::<web_sys::HtmlSelectElement>() {
                onchoose.emit(select.selected_index().max(0) as usize);
            }
        })
    };
    let text = choices.get(chosen).map(|c| c.text.clone()).unwrap_or_default();
    html! {
        <span class={format!("select {class}")}>
            <span class="select-text" aria-hidden="true">{ text }</span>
            { icon(Icon::Chevron) }
            <select ref={node} aria-label={*label} {onchange}>
                { for choices.iter().enumerate().map(|(index, choice)| html! {
                    <option key={index} selected={choice.chosen}>{ choice.text.clone() }</option>
                }) }
            </select>
        </span>
    }
}
