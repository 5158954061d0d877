//! The transport: everything that moves the clock.

use std::rc::Rc;

use lockstep_core::ids::Ms;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::frame::Frame;
use crate::app::msg::{Msg, StepSize, StopAt};
use crate::app::paint::use_painter;
use crate::i18n::number;
use crate::i18n::timeline::TransportText;
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

/// The transport.
#[component]
pub fn Transport(props: &Props) -> Html {
    let Props { frame, on } = props;
    let texts = TransportText(frame.locale);
    html! {
        <div class="transport" role="group" aria-label={texts.label()}>
            <Slider key="slider" until_ms={frame.scenario.program.until_ms} {texts} on={on.clone()} />
            <Controls key="controls" playing={frame.playing} step={frame.step} speed={frame.speed} stop={frame.stop} {texts} on={on.clone()} />
            <div key="clock" class="transport-clock">
                <span class="visually-hidden">{ texts.clock() }</span>
                <span class="clock" data-clock=""></span>
                <span class="clock-event">{ texts.event(&number(i64::from(frame.event))) }</span>
            </div>
            <Stop key="stop" playing={frame.playing} step={frame.step} speed={frame.speed} stop={frame.stop} {texts} on={on.clone()} />
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct SliderProps {
    until_ms: Ms,
    texts: TransportText,
    on: Callback<Msg>,
}

/// The whole run as a slider, where there is no room for a timeline. The animation frame moves it.
#[component]
fn Slider(props: &SliderProps) -> Html {
    let SliderProps { until_ms, texts, on } = props.clone();
    let node = use_node_ref();
    let painter = use_painter();
    {
        let node = node.clone();
        use_effect_with(until_ms, move |until_ms| {
            let until_ms = (*until_ms).max(1) as f64;
            let mut written = -1;
            let handle = painter.add(move |at| {
                let thousandths =
                    (at.now_ms / until_ms * 1_000.0).round().clamp(0.0, 1_000.0) as i32;
                if let Some(slider) =
                    node.cast::<HtmlInputElement>().filter(|_| written != thousandths)
                {
                    written = thousandths;
                    slider.set_value(&at.now_ms.round().to_string());
                    let done = format!("{:.1}%", f64::from(thousandths) / 10.0);
                    // A failure could only mean that the property is not a property.
                    let _ = slider.style().set_property("--done", &done);
                }
                false
            });
            move || drop(handle)
        });
    }
    let oninput = Callback::from(move |event: InputEvent| {
        if let Ok(at_ms) = event.target_unchecked_into::<HtmlInputElement>().value().parse() {
            on.emit(Msg::Scrub(at_ms));
        }
    });
    html! {
        <input ref={node} class="transport-slider" type="range" min="0" max={until_ms.to_string()} step="1"
            aria-label={texts.clock()} {oninput} />
    }
}

/// The buttons left of the clock.
#[component]
fn Controls(props: &ControlProps) -> Html {
    let ControlProps { playing, step, speed, texts, on, .. } = props.clone();
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
        if playing { (Icon::Pause, texts.pause()) } else { (Icon::Play, texts.play()) };
    html! {<>
        <button key="first" class="icon-button framed transport-first" aria-label={texts.first()} title={texts.first()} onclick={send(Msg::SeekEvent(0))}>
            { icon(Icon::First) }
        </button>
        <button key="back" class="icon-button framed" aria-label={back} title={back} onclick={send(Msg::StepBack(step))}>
            { icon(Icon::Back) }
        </button>
        <button key="play" class="button primary transport-play" onclick={send(Msg::Toggle)} aria-label={play_text} data-testid="play">
            { icon(play_icon) }<span>{ play_text }</span>
        </button>
        <button key="forward" class="icon-button framed" aria-label={forward} title={forward} onclick={send(Msg::StepForward(step))}>
            { icon(Icon::Forward) }
        </button>
        <button key="due" class="button transport-due" aria-label={texts.next_due()} title={texts.next_due()} onclick={send(Msg::NextDue)}>
            { icon(Icon::NextDue) }<span>{ texts.next_due() }</span>
        </button>
        <div key="step" class="transport-step">
            <span class="transport-label" id="step-by">{ texts.step_by() }</span>
            <StepSegment {step} {texts} on={on.clone()} />
        </div>
        <SpeedMenu key="speed" {speed} {texts} {on} />
    </>}
}

#[derive(Clone, PartialEq, Properties)]
struct StepProps {
    step: StepSize,
    texts: TransportText,
    on: Callback<Msg>,
}

/// Event, decision, beat; a list of choices where the width does not suffice.
#[component]
fn StepSegment(props: &StepProps) -> Html {
    let StepProps { step, texts, on } = props.clone();
    let sizes = [
        (StepSize::Event, texts.by_event()),
        (StepSize::Decision, texts.by_decision()),
        (StepSize::Beat, texts.by_beat()),
    ];
    let choices = sizes
        .iter()
        .map(|(size, text)| Choice { text: (*text).into(), chosen: *size == step })
        .collect::<Vec<_>>();
    let onchoose = {
        let on = on.clone();
        Callback::from(move |index: usize| {
            if let Some((size, _)) = sizes.get(index) {
                on.emit(Msg::SetStep(*size));
            }
        })
    };
    html! {<>
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
        <Select key="list" class="step-select framed" label={texts.step_by()} {choices} {onchoose} />
    </>}
}

#[derive(Clone, PartialEq, Properties)]
struct SpeedProps {
    speed: f64,
    texts: TransportText,
    on: Callback<Msg>,
}

/// The speed menu.
#[component]
fn SpeedMenu(props: &SpeedProps) -> Html {
    use crate::app::clock::SPEEDS;
    let SpeedProps { speed, texts, on } = props.clone();
    let choices = SPEEDS
        .iter()
        .map(|factor| Choice {
            text: texts.times(&factor_text(*factor)).into(),
            chosen: (factor - speed).abs() < 1e-9,
        })
        .collect::<Vec<_>>();
    let onchoose = Callback::from(move |index: usize| {
        if let Some(factor) = SPEEDS.get(index) {
            on.emit(Msg::SetSpeed(*factor));
        }
    });
    html! { <Select class="speed-select" label={texts.speed()} {choices} {onchoose} /> }
}

/// `1/10`, `1/4`, `1`, `1 000`.
fn factor_text(factor: f64) -> String {
    if factor < 1.0 {
        format!("1/{}", number((1.0 / factor).round() as i64))
    } else {
        number(factor.round() as i64)
    }
}

/// What ends a run by itself.
#[component]
fn Stop(props: &ControlProps) -> Html {
    let ControlProps { stop, texts, on, .. } = props.clone();
    let stops = [
        (StopAt::FirstViolation, texts.stop_violation()),
        (StopAt::Beat, texts.stop_beat()),
        (StopAt::Selected, texts.stop_selected()),
        (StopAt::Never, texts.stop_never()),
    ];
    let choices = stops
        .iter()
        .map(|(at, text)| Choice { text: (*text).into(), chosen: *at == stop })
        .collect::<Vec<_>>();
    let onchoose = Callback::from(move |index: usize| {
        if let Some((at, _)) = stops.get(index) {
            on.emit(Msg::SetStop(*at));
        }
    });
    html! {
        <div class="transport-stop">
            <span class="transport-label" aria-hidden="true">{ texts.stop_at() }</span>
            <Select class="stop-select" label={texts.stop_at()} {choices} {onchoose} />
        </div>
    }
}
