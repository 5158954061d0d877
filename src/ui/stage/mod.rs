//! The stage.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::frame::Frame;
use crate::app::msg::Msg;

/// Properties of [`Stage`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// Where requests go.
    pub on: Callback<Msg>,
}

/// The stage.
#[component]
pub fn Stage(props: &Props) -> Html {
    html! { <div class="stage">{ props.frame.scenario.title(props.frame.locale) }</div> }
}
