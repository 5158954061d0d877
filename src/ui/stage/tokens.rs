//! The tokens that move.

use lockstep_core::ids::MsgId;
use lockstep_core::view::stage::{TokenState as State, TokenView};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::lane::ring;
use super::rests::Rest;
use super::route::Point;
use super::svg::{subject_id, Path};
use crate::ui::draw::{classes, Draw};
use crate::ui::token::{shape_at, Hue, Look, TokenState};

/// What is special about a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Marks {
    /// It is selected.
    pub selected: bool,
    /// The pointer is over it, here or elsewhere.
    pub hovered: bool,
    /// It belongs to a pair that broke the order.
    pub broken: bool,
    /// It is under way to the broker.
    pub under_way: bool,
    /// It stands differently in the other run.
    pub differs: bool,
}

/// A token as it is drawn.
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The message.
    pub msg: MsgId,
    /// The number of its copy.
    pub copy: u32,
    /// Its look.
    pub look: Look,
    /// Left upper corner, where it rests.
    pub at: Point,
    /// What is special about it.
    pub marks: Marks,
    /// Its element, for the hand that moves it.
    pub node: NodeRef,
}

/// One token. It renders only when its look or its rest changes; how far it is from there is
/// painted.
#[component]
pub fn Node(props: &Props) -> Html {
    let Props { msg, look, at, marks, node, .. } = props;
    let (x, y) = *at;
    let (w, h) = look.size;
    let class = classes(
        "tok",
        &[
            (marks.selected, "is-selected"),
            (marks.hovered, "is-hovered"),
            (marks.broken, "is-broken"),
            (marks.under_way, "is-under-way"),
            (marks.differs, "is-different"),
        ],
    );
    let mut draw = Draw::new();
    if marks.selected || marks.hovered || marks.broken {
        ring(&mut draw, *at, look.size);
    }
    shape_at(&mut draw, look, *at);
    if marks.under_way {
        let (x, y) = (x + w + 9.0, y + h / 2.0 - 20.0);
        let chevrons =
            Path::at(x, y).l(4.0, 4.0).l(-4.0, 4.0).m(x + 5.0, y).l(4.0, 4.0).l(-4.0, 4.0);
        draw.path("chevrons", "chevrons", chevrons.done());
    }
    if marks.differs {
        draw.path("differs", "differs", Path::at(x + 2.0, y + h + 3.5).l(w - 4.0, 0.0).done());
    }
    html! {
        <g ref={node} {class} data-subject={subject_id(Subject::Message(*msg))}>{ draw.finish() }</g>
    }
}

/// Properties of [`Carried`].
#[derive(Clone, PartialEq, Properties)]
pub struct CarriedProps {
    /// The tokens.
    pub tokens: Vec<Props>,
    /// What the drawing shows.
    pub view_box: AttrValue,
    /// The carrier's element.
    pub node: NodeRef,
}

/// The tokens of a lane on their carrier.
#[component]
pub fn Carried(props: &CarriedProps) -> Html {
    let mut draw = Draw::new();
    for token in &props.tokens {
        draw.node(node(token.clone()));
    }
    html! {
        <svg class="stage-svg is-moving" viewBox={props.view_box.clone()} aria-hidden="true">
            <g ref={props.node.clone()}>{ draw.finish() }</g>
        </svg>
    }
}

/// The node of a token, with its key.
pub fn node(props: Props) -> Html {
    let key = format!("{}-{}", props.msg.0, props.copy);
    html! { <Node {key} ..props /> }
}

/// A token of a view as it is drawn.
pub fn props(token: &TokenView, rest: &Rest, marks: Marks) -> Props {
    let look = Look {
        label: AttrValue::from(token.name.label.clone()),
        hue: Hue(token.name.hue),
        state: state(token.state),
        size: rest.size,
        again: matches!(token.state, State::InFlight { again: true, .. }),
    };
    let (msg, copy) = rest.key;
    Props { msg, copy, look, at: rest.corner(), marks, node: rest.node.clone() }
}

/// The look of a state.
pub fn state(state: State) -> TokenState {
    match state {
        State::Initialised => TokenState::Initialised,
        State::Ready => TokenState::Ready,
        State::InFlight { from_ms, until_ms, .. } => {
            TokenState::InFlight(Some((from_ms, until_ms)))
        }
        State::Held => TokenState::InFlight(None),
        State::Invisible { from_ms, until_ms } => TokenState::Invisible(Some((from_ms, until_ms))),
        State::Retry(failures) => TokenState::Retry(failures),
        State::Blocked => TokenState::Blocked,
        State::Scheduled => TokenState::Scheduled,
        State::Dead => TokenState::Dead,
    }
}
