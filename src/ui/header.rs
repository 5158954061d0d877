//! The header.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::frame::Frame;
use crate::app::msg::Msg;

/// Properties of [`Header`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// Where requests go.
    pub on: Callback<Msg>,
}

/// The header.
#[component]
pub fn Header(props: &Props) -> Html {
    html! { <header class="header">{ props.frame.scenario.title(props.frame.locale) }</header> }
}
