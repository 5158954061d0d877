//! The header: the scenario, the guarantees, language and theme.

use std::rc::Rc;

use lockstep_core::check::Broken;
use lockstep_core::ids::Ms;
use yew::prelude::*;

use crate::app::frame::Frame;
use crate::app::msg::{Msg, Theme};
use crate::app::paint::Timed;
use crate::i18n::compare::CompareText;
use crate::i18n::shell::Shell;
use crate::i18n::Locale;
use crate::ui::icon::{icon, logo, Icon};
use crate::ui::picker::lessons::Place;
use crate::ui::picker::Picker;

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
    let Props { frame, on } = props;
    let text = Shell(frame.locale);
    let pick = use_callback(on.clone(), |_: MouseEvent, on| on.emit(Msg::TogglePicker));
    let share = use_callback(on.clone(), |_: MouseEvent, on| on.emit(Msg::Share));
    let help = use_callback(on.clone(), |_: MouseEvent, on| on.emit(Msg::ToggleHelp));
    let panel = use_callback((on.clone(), frame.panel_open), |_: MouseEvent, (on, open)| {
        on.emit(Msg::SetPanel(!open))
    });
    let speak = use_callback((on.clone(), frame.locale), |_: MouseEvent, (on, locale)| {
        on.emit(Msg::SetLocale(locale.pick(Locale::Zh, Locale::En)));
    });
    let shade = use_callback((on.clone(), frame.dark), |_: MouseEvent, (on, dark)| {
        on.emit(Msg::SetTheme(if *dark { Theme::Light } else { Theme::Dark }));
    });
    let jump = use_callback(on.clone(), jump);
    let pair = frame.pair.is_some();
    let compare = use_callback((on.clone(), pair), |_: MouseEvent, (on, pair)| {
        on.emit(if *pair { Msg::EndCompare } else { Msg::ToggleCompare });
    });
    let compare_text = CompareText(frame.locale);
    let number = Place::of(&frame.scenario.id).map(|place| format!("{} ", place.number_text()));
    let (theme_icon, theme_name) =
        if frame.dark { (Icon::Sun, text.to_light()) } else { (Icon::Moon, text.to_dark()) };
    html! {
        <header class="header">
            <a class="button skip-link" key="skip" href="#stage">{ text.skip() }</a>
            <span class="brand" key="brand">{ logo() }<span class="brand-name">{ "Lockstep" }</span></span>
            <span class="header-rule" key="rule"></span>
            <div class="scenario-picker" key="picker">
                <button class="scenario-button" onclick={pick} aria-expanded={frame.picker_open.to_string()} aria-haspopup="dialog">
                    <span class="scenario-title">{ number }{ frame.scenario.title(frame.locale) }</span>{ icon(Icon::Chevron) }
                </button>
                <Picker frame={frame.clone()} on={on.clone()} />
            </div>
            if pair {
                <div class="verdicts" key="pair"><span class="chip waiting">{ compare_text.title() }</span></div>
            } else {
                { verdicts(frame, jump) }
            }
            <div class="header-actions" key="actions">
                <button class={classes!("button", "compare-button", (!pair).then_some("quiet"))} onclick={compare} aria-haspopup={(!pair).then_some("dialog")}
                    aria-label={if pair { compare_text.close() } else { compare_text.open() }}>
                    { icon(if pair { Icon::Cross } else { Icon::Pair }) }
                    <span class="share-words">{ if pair { compare_text.close() } else { compare_text.open() } }</span>
                </button>
                <button class="button quiet share-button" onclick={share} aria-label={text.share()}>
                    { icon(if frame.shared { Icon::Check } else { Icon::Share }) }
                    <span class="share-words" aria-live="polite">{ if frame.shared { text.link_copied() } else { text.share() } }</span>
                </button>
                <button class="icon-button locale-button" onclick={speak} lang={frame.locale.pick("zh-CN", "en")}
                    aria-label={frame.locale.pick("切换到中文", "Switch to English")} title={text.language()}>{ frame.locale.pick("中文", "EN") }</button>
                <button class="icon-button" onclick={shade} aria-label={theme_name} title={theme_name}>{ icon(theme_icon) }</button>
                <button class="icon-button help-button" onclick={help} aria-label={text.help()} title={text.help()}>{ icon(Icon::Help) }</button>
                <button class="icon-button panel-button" onclick={panel} aria-expanded={frame.panel_open.to_string()} aria-label={text.open_panel()}>
                    { icon(Icon::Menu) }
                </button>
            </div>
        </header>
    }
}

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

/// The guarantees, broken ones first, then what waits.
fn verdicts(frame: &Rc<Frame>, jump: Callback<MouseEvent>) -> Html {
    let text = Shell(frame.locale);
    let (broken, kept): (Vec<Chip>, Vec<Chip>) =
        chips(frame, text).into_iter().partition(|chip| chip.broken.is_some());
    let holding = kept.len();
    html! {
        <div class="verdicts" key="verdicts" role="group" aria-label={text.guarantees()} onclick={jump}>
            { for broken.into_iter().chain(kept).map(chip) }
            <span class="chip verdicts-short" key="short">{ icon(Icon::Check) }{ text.hold(holding) }</span>
            <span class="verdict-waits" key="waits">{ waits(frame, text) }</span>
            <span class="verdict-beat" key="beat">{ frame.beat.map(|beat| text.beat_of(beat + 1, frame.scenario.program.beats.len())) }</span>
        </div>
    }
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

/// The queue that stands still longest, or how many do.
fn waits(frame: &Frame, text: Shell) -> Html {
    let standing: Vec<(&str, Option<Ms>)> = frame
        .stage
        .lanes
        .iter()
        .filter(|l| l.stands.is_some())
        .map(|l| (&*l.name, l.since_ms))
        .collect();
    match standing.as_slice() {
        [] => Html::default(),
        [(name, since)] => html! {
            <span class="chip waiting">{ icon(Icon::Hourglass) }
                <span key="words">{ text.waits(name) }</span>
                if let Some(since) = since { <span key="time" data-timed={Timed::Since { from_ms: *since }.value()}></span> }
            </span>
        },
        many => {
            html! { <span class="chip waiting">{ icon(Icon::Hourglass) }{ text.stand_still(many.len()) }</span> }
        }
    }
}
