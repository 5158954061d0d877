//! Facts as steps of a chain: each is said in a sentence, leads to its instant and lights up what it is
//! about on stage and timeline, by pointer and by keyboard.

use std::rc::Rc;

use lockstep_core::fact::Fact;
use lockstep_core::view::Subject;
use yew::prelude::*;

use crate::app::core::Core;
use crate::app::msg::Msg;
use crate::i18n::clock;
use crate::i18n::sentence::Speaker;
use crate::ui::light::subjects;

/// A step.
pub struct Step {
    /// What happened.
    pub sentence: String,
    /// The way to its instant.
    pub link: Html,
    /// The pointer or the focus comes to it.
    pub enter: Callback<PointerEvent>,
    /// The pointer leaves it.
    pub leave: Callback<PointerEvent>,
    /// The focus comes to it.
    pub focus: Callback<FocusEvent>,
    /// The focus leaves it.
    pub blur: Callback<FocusEvent>,
}

/// The step of a recorded fact; it may lie after the present.
pub fn step(core: &Core, speaker: &Speaker<'_>, fact: u32, on: &Callback<Msg>) -> Option<Step> {
    let record = core.session.recorded_facts().get(fact as usize)?;
    let command = match record.fact {
        Fact::CommandApplied { index } | Fact::CommandRefused { index } => {
            core.session.journal().get(index as usize).map(|(_, command)| command)
        }
        _ => None,
    };
    let about: Rc<[Subject]> = subjects(&record.fact).into();
    let light = {
        let on = on.clone();
        move |over: bool| on.emit(Msg::Light(if over { Rc::clone(&about) } else { Rc::default() }))
    };
    let (enter, leave, focus, blur) = (light.clone(), light.clone(), light.clone(), light);
    let (seek, event) = (on.clone(), record.event);
    let onclick = Callback::from(move |_: MouseEvent| seek.emit(Msg::SeekEvent(event)));
    Some(Step {
        sentence: speaker.fact(&record.fact, command),
        link: html! { <button class="link tick-link" {onclick}>{ clock(record.at_ms) }</button> },
        enter: Callback::from(move |_| enter(true)),
        leave: Callback::from(move |_| leave(false)),
        focus: Callback::from(move |_| focus(true)),
        blur: Callback::from(move |_| blur(false)),
    })
}
