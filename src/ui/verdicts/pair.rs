//! The guarantees of one of two runs on one clock: what the checks found, in its own head.

use std::rc::Rc;

use lockstep_core::check::Broken;
use yew::prelude::*;

use crate::app::frame::Frame;
use crate::app::msg::Msg;
use crate::i18n::shell::Shell;
use crate::ui::icon::{icon, Icon};

/// Goes to the event of the chip that was pressed.
fn jump(event: MouseEvent, on: &Callback<Msg>) {
    let target = event.target_dyn_into::<web_sys::Element>();
    let event = target
        .and_then(|t| t.closest("[data-event]").ok()??.get_attribute("data-event")?.parse().ok());
    if let Some(event) = event {
        on.emit(Msg::SeekEvent(event));
    }
}

/// The guarantees of one of two runs, for its own head.
pub fn verdict_chips(frame: &Rc<Frame>, on: &Callback<Msg>) -> Html {
    let on = on.clone();
    let onclick = Callback::from(move |event: MouseEvent| jump(event, &on));
    let text = Shell(frame.locale);
    html! {
        <div class="pair-verdicts" key="verdicts" role="group" aria-label={text.guarantees()} {onclick}>
            { for chips(frame, text).into_iter().map(chip) }
        </div>
    }
}

/// What a chip says about a guarantee.
struct Chip {
    key: &'static str,
    broken: Option<(String, u32)>,
    holds: &'static str,
}

fn chip(chip: Chip) -> Html {
    match chip.broken {
        Some((words, event)) => html! {
            <button class="chip broken" key={chip.key} data-event={event.to_string()}>{ icon(Icon::Broken) }{ words }</button>
        },
        None => {
            html! { <span class="chip holds" key={chip.key}>{ icon(Icon::Check) }{ chip.holds }</span> }
        }
    }
}

fn chips(frame: &Frame, text: Shell) -> Vec<Chip> {
    let core = frame.core.read();
    let names = &core.session.world().shared.names;
    let first = |wanted: &dyn Fn(&Broken) -> Option<String>| {
        frame.violations.iter().find_map(|v| Some((wanted(&v.broken)?, v.event)))
    };
    vec![
        Chip {
            key: "order",
            broken: first(&|broken| match broken {
                Broken::Order { series, .. } => {
                    Some(text.order_broken(&names.series[series.index()].name))
                }
                Broken::TwoOwners { .. } => None,
            }),
            holds: text.order_kept(),
        },
        Chip {
            key: "owner",
            broken: first(&|broken| match broken {
                Broken::TwoOwners { queue, .. } => {
                    Some(text.owner_broken(&format!("q{}", queue.id)))
                }
                Broken::Order { .. } => None,
            }),
            holds: text.one_owner(),
        },
    ]
}
