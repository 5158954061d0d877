//! What was done by hand, in a sentence over the stage, with the way back.

use gloo_timers::callback::Timeout;
use lockstep_core::view::compare::Side;
use std::rc::Rc;
use yew::prelude::*;

use super::Props;
use crate::app::frame::Frame;
use crate::app::hands::Done;
use crate::app::msg::Msg;
use crate::i18n::clock;
use crate::i18n::deed::DeedText;
use crate::i18n::sentence::Speaker;
use crate::ui::icon::{icon, Icon};

/// How long it stays, in ms of real time. Afterwards the menus still take it back.
const STAYS_MS: u32 = 8_000;

/// The sentence. Its region stays, so that screen readers announce what comes.
#[component]
pub fn DoneNote(props: &Props) -> Html {
    let Props { frame, on, on_second } = props;
    let text = DeedText(frame.locale);
    {
        let on = on.clone();
        let done = frame.done.as_ref().map(|done| Rc::as_ptr(done) as usize);
        use_effect_with(done, move |done| {
            let timeout = done.map(|_| Timeout::new(STAYS_MS, move || on.emit(Msg::Forget)));
            move || drop(timeout)
        });
    }
    let note = frame.done.as_ref().map(|done| {
        let to = if done.side == Side::Second { on_second } else { on }.clone();
        let back = Callback::from(move |_: MouseEvent| to.emit(Msg::TakeBack));
        let close = on.reform(|_: MouseEvent| Msg::Forget);
        let play = on.reform(|_: MouseEvent| Msg::Play);
        // Nothing moves before the clock runs again, and the end of the run cannot be played on.
        let stands = !frame.playing && frame.now_ms < frame.until_ms;
        html! {
            <div class="done-note">
                <p>{ said(frame, done, text) }</p>
                { (stands && done.refusal.is_none() && done.command.is_some()).then(|| html! { <button key="play" class="button small primary" onclick={play} data-testid="play-on">{ icon(Icon::Play) }{ text.play_on() }</button> }) }
                { done.command.is_some().then(|| html! { <button key="back" class="button small" onclick={back} data-testid="take-back">{ text.take_back() }</button> }) }
                <button class="icon-button" onclick={close} aria-label={text.dismiss()} title={text.dismiss()}>{ icon(Icon::Cross) }</button>
            </div>
        }
    });
    html! { <div class="done-region" role="status" data-testid="done">{ note }</div> }
}

fn said(frame: &Frame, done: &Done, text: DeedText) -> String {
    let of = match (done.side, &frame.pair) {
        (Side::Second, Some(pair)) => &pair.second.core,
        _ => &frame.core,
    };
    let core = of.read();
    let speaker = Speaker { world: core.session.world(), locale: frame.locale };
    let at = clock(done.at_ms);
    match (&done.command, &done.refusal) {
        (None, _) => text.taken_back().to_owned(),
        (Some(_), Some(refusal)) => text.refused(&at, &speaker.refusal(refusal)),
        (Some(command), None) => text.done(&at, &speaker.command(command)),
    }
}
