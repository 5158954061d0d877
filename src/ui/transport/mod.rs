//! The transport: everything that moves the clock.

use std::rc::Rc;

use lockstep_core::ids::Ms;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::clock::SPEEDS;
use crate::app::frame::Frame;
use crate::app::hands::{Choice as What, Hands};
use crate::app::msg::{Msg, StepSize, StopAt};
use crate::app::paint::{use_painter, Timed};
use crate::i18n::deed::DeedText;
use crate::i18n::timeline::TransportText;
use crate::i18n::{clock, number};
use crate::ui::icon::{icon, Icon};
use crate::ui::menu::{Choice, Select};

/// Properties of [`Transport`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// Where requests go.
    pub on: Callback<Msg>,
}

/// The transport.
#[component]
pub fn Transport(props: &Props) -> Html {
    let Props { frame, on } = props;
    let texts = TransportText(frame.locale);
    let until_ms = frame.until_ms;
    let slider = use_slider(until_ms);
    let oninput = use_callback(on.clone(), |event: InputEvent, on| {
        if let Ok(at_ms) = event.target_unchecked_into::<HtmlInputElement>().value().parse() {
            on.emit(Msg::Scrub(at_ms));
        }
    });
    html! {
        <div class="transport" role="group" aria-label={texts.label()}>
            <input key="slider" ref={slider} class="transport-slider" type="range" min="0" max={until_ms.to_string()} step="1"
                aria-label={texts.clock()} {oninput} />
            <Controls key="controls" playing={frame.playing} step={frame.step} speed={frame.speed} stop={frame.stop} {texts} on={on.clone()} />
            <div key="clock" class="transport-clock">
                <span class="visually-hidden">{ texts.clock() }</span>
                // As wide as the clock, whose own text is laid out apart from the page.
                <span class="clock-box">
                    <span class="clock-room" aria-hidden="true">{ room(frame.now_ms) }</span>
                    <span class="clock" data-timed={Timed::Clock.value()}></span>
                </span>
                <span class="clock-event">{ texts.event(&number(i64::from(frame.event))) }</span>
            </div>
        </div>
    }
}

/// The clock's text with all digits alike: the room that it takes.
fn room(now_ms: Ms) -> String {
    clock(now_ms).replace(|c: char| c.is_ascii_digit(), "0")
}

/// The whole run as a slider, where there is no room for a timeline. The animation frame moves it.
#[hook]
fn use_slider(until_ms: Ms) -> NodeRef {
    let node = use_node_ref();
    let painter = use_painter();
    let slider = node.clone();
    use_effect_with(until_ms, move |until_ms| {
        let until_ms = (*until_ms).max(1) as f64;
        let mut written = -1;
        let handle = painter.add(move |at| {
            let thousandths = (at.now_ms / until_ms * 1_000.0).round().clamp(0.0, 1_000.0) as i32;
            if let Some(slider) =
                slider.cast::<HtmlInputElement>().filter(|_| written != thousandths)
            {
                written = thousandths;
                slider.set_value(&at.now_ms.round().to_string());
                let done = format!("{}.{}%", thousandths / 10, thousandths % 10);
                // A failure could only mean that the property is not a property.
                let _ = slider.style().set_property("--done", &done);
            }
            false
        });
        move || drop(handle)
    });
    node
}

/// What the buttons need to know; everything else of a frame leaves them alone.
#[derive(Clone, PartialEq, Properties)]
struct ControlProps {
    playing: bool,
    step: StepSize,
    speed: f64,
    stop: StopAt,
    texts: TransportText,
    on: Callback<Msg>,
}

/// Everything but the clock, which the style sheet puts in the middle.
#[component]
fn Controls(props: &ControlProps) -> Html {
    let ControlProps { playing, step, speed, stop, texts, on } = props;
    let step = *step;
    let send = |msg: Msg| {
        let on = on.clone();
        Callback::from(move |_: MouseEvent| on.emit(msg.clone()))
    };
    let (back, forward) = match step {
        StepSize::Event => (texts.back_event(), texts.forward_event()),
        StepSize::Decision => (texts.back_decision(), texts.forward_decision()),
        StepSize::Beat => (texts.back_beat(), texts.forward_beat()),
    };
    let (play_icon, play_text) =
        if *playing { (Icon::Pause, texts.pause()) } else { (Icon::Play, texts.play()) };
    let deeds = DeedText(texts.0);
    let open = |what: What| Msg::Hands(Some(Hands::of(what)));
    let framed = |class: &'static str, name: &'static str, sign: Icon, msg: Msg| {
        let class = classes!("icon-button", "framed", class);
        html! { <button key={name} {class} aria-label={name} title={name} onclick={send(msg)}>{ icon(sign) }</button> }
    };
    html! {<>
        { framed("transport-first", texts.first(), Icon::First, Msg::SeekEvent(0)) }
        { framed("transport-back", back, Icon::Back, Msg::StepBack(step)) }
        <button key="play" class="button primary transport-play" onclick={send(Msg::Toggle)} aria-label={play_text} data-testid="play">
            { icon(play_icon) }<span>{ play_text }</span>
        </button>
        { framed("transport-forward", forward, Icon::Forward, Msg::StepForward(step)) }
        <button key="due" class="button transport-due" onclick={send(Msg::NextDue)} aria-label={texts.next_due()} title={texts.next_due()}>
            { icon(Icon::NextDue) }<span>{ texts.next_due() }</span>
        </button>
        { steps(step, *texts, on) }
        { choice("speed-select", texts.speed(), &SPEEDS.map(|s| (Msg::SetSpeed(s), texts.times(&factor_text(s)))), &Msg::SetSpeed(*speed), on) }
        <div key="stop" class="transport-stop">
            <span class="transport-label" aria-hidden="true">{ texts.stop_at() }</span>
            { choice("stop-select", texts.stop_at(), &stops(*texts), &Msg::SetStop(*stop), on) }
        </div>
        { hand("hands-send", (deeds.send(), deeds.send_short()), Icon::Send, send(open(What::Send(None)))) }
        { hand("hands-fault", (deeds.fault(), deeds.fault_short()), Icon::Bolt, send(open(What::Faults(None)))) }
    </>}
}

/// A button for what is done by hand: with a word where there is room.
fn hand(
    class: &'static str,
    (name, word): (&'static str, &'static str),
    sign: Icon,
    onclick: Callback<MouseEvent>,
) -> Html {
    html! {
        <button key={class} class={classes!("button", "transport-hand", class)} aria-label={name} title={name} aria-haspopup="dialog" {onclick}>
            { icon(sign) }<span>{ word }</span>
        </button>
    }
}

/// Event, decision, beat: a segment, or a list where the width does not suffice.
fn steps(step: StepSize, texts: TransportText, on: &Callback<Msg>) -> Html {
    let sizes = [
        (StepSize::Event, texts.by_event()),
        (StepSize::Decision, texts.by_decision()),
        (StepSize::Beat, texts.by_beat()),
    ];
    html! {
        <div key="step" class="transport-step">
            <span key="label" class="transport-label" id="step-by">{ texts.step_by() }</span>
            <div key="segment" class="segment" role="group" aria-labelledby="step-by">
                { for sizes.into_iter().map(|(size, text)| {
                    let on = on.clone();
                    html! {
                        <button key={text} aria-pressed={(size == step).to_string()} onclick={Callback::from(move |_: MouseEvent| on.emit(Msg::SetStep(size)))}>
                            { text }
                        </button>
                    }
                }) }
            </div>
            { choice("step-select framed", texts.step_by(), &sizes.map(|(size, text)| (Msg::SetStep(size), text.to_owned())), &Msg::SetStep(step), on) }
        </div>
    }
}

fn stops(texts: TransportText) -> [(Msg, String); 5] {
    [
        (Msg::SetStop(StopAt::FirstViolation), texts.stop_violation().to_owned()),
        (Msg::SetStop(StopAt::Beat), texts.stop_beat().to_owned()),
        (Msg::SetStop(StopAt::Bookmark), texts.stop_bookmark().to_owned()),
        (Msg::SetStop(StopAt::Selected), texts.stop_selected().to_owned()),
        (Msg::SetStop(StopAt::Never), texts.stop_never().to_owned()),
    ]
}

/// A list of requests of which one is in force.
fn choice(
    class: &'static str,
    label: &'static str,
    all: &[(Msg, String)],
    now: &Msg,
    on: &Callback<Msg>,
) -> Html {
    let choices: Vec<Choice> = all
        .iter()
        .map(|(msg, text)| Choice { text: text.clone().into(), chosen: msg == now })
        .collect();
    let (all, on) = (all.iter().map(|(msg, _)| msg.clone()).collect::<Vec<_>>(), on.clone());
    let onchoose = Callback::from(move |index: usize| {
        if let Some(msg) = all.get(index) {
            on.emit(msg.clone());
        }
    });
    html! { <Select key={class} {class} {label} {choices} {onchoose} /> }
}

/// `1/10`, `1/4`, `1`, `1 000`.
fn factor_text(factor: f64) -> String {
    if factor < 1.0 {
        format!("1/{}", number((1.0 / factor).round() as i64))
    } else {
        number(factor.round() as i64)
    }
}
