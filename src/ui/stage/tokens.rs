//! The tokens that move.

use std::rc::Rc;

use lockstep_core::ids::MsgId;
use lockstep_core::view::compare::Side;
use lockstep_core::view::stage::{StageView, TokenState as State, TokenView};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::lane::ring;
use super::motion::element_id;
use super::svg::{subject_id, Path};
use crate::ui::draw::{classes, Draw};
use crate::ui::token::{shape, Hue, Look, TokenState};

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

/// Properties of [`Node`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Which of two runs it belongs to.
    pub run: Option<Side>,
    /// The message and the number of its copy.
    pub id: (u32, u32),
    /// Its look.
    pub look: Look,
    /// What is special about it.
    pub marks: Marks,
}

/// One token. It renders only when its look changes; where it stands is painted.
#[component]
pub fn Node(props: &Props) -> Html {
    let Props { run, id, look, marks } = props;
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
    ring(&mut draw, look.size);
    shape(&mut draw, look);
    let (x, y) = (w + 9.0, h / 2.0 - 20.0);
    let chevrons = Path::at(x, y).l(4.0, 4.0).l(-4.0, 4.0).m(x + 5.0, y).l(4.0, 4.0).l(-4.0, 4.0);
    draw.path("chevrons", "chevrons", chevrons.done());
    draw.path("differs", "differs", Path::at(2.0, h + 3.5).l(w - 4.0, 0.0).done());
    html! {
        <g id={element_id(*run, (MsgId(id.0), id.1))} {class} data-subject={subject_id(Subject::Message(MsgId(id.0)))}>
            { draw.finish() }
        </g>
    }
}

/// All tokens of a view that have a place on the stage, sized by their places.
pub fn tokens(
    draw: &mut Draw,
    run: Option<Side>,
    view: &Rc<StageView>,
    shown: &dyn Fn(&TokenView) -> bool,
    size: &dyn Fn(&TokenView) -> (f64, f64),
    marks: &dyn Fn(&TokenView) -> Marks,
) {
    for token in view.tokens.iter().filter(|token| shown(token)) {
        let look = Look {
            label: AttrValue::from(token.name.label.clone()),
            hue: Hue(token.name.hue),
            state: state(token.state),
            size: size(token),
            again: matches!(token.state, State::InFlight { again: true, .. }),
        };
        let id = (token.name.msg.0, token.copy);
        draw.node(html! { <Node key={element_id(run, (MsgId(id.0), id.1))} {run} {id} {look} marks={marks(token)} /> });
    }
}

/// The look of a state.
pub fn state(state: State) -> TokenState {
    match state {
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
