//! The header: the scenario, the guarantees, language and theme.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::frame::Frame;
use crate::app::hands::{Choice, Hands};
use crate::app::msg::{Msg, Theme};
use crate::i18n::compare::CompareText;
use crate::i18n::deed::DeedText;
use crate::i18n::panel::PanelText;
use crate::i18n::shell::Shell;
use crate::i18n::Locale;
use crate::ui::icon::{icon, logo, Icon};
use crate::ui::picker::lessons::Place;
use crate::ui::picker::Picker;
use crate::ui::verdicts::Verdicts;

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
    let deeds = DeedText(frame.locale);
    let act = use_callback(on.clone(), |_: MouseEvent, on| {
        on.emit(Msg::Hands(Some(Hands::of(Choice::All))));
    });
    let pair = frame.pair.is_some();
    let compare = use_callback((on.clone(), pair), |_: MouseEvent, (on, pair)| {
        on.emit(if *pair { Msg::EndCompare } else { Msg::ToggleCompare });
    });
    let compare_text = CompareText(frame.locale);
    let number =
        Place::of_scenario(&frame.scenario).map(|place| format!("{} ", place.number_text()));
    let title = frame.scenario.title(frame.locale);
    let title = match frame.changed() {
        Some(_) => PanelText(frame.locale).changed(title),
        None if title.is_empty() => PanelText(frame.locale).own_text().to_owned(),
        None => title.to_owned(),
    };
    let (theme_icon, theme_name) =
        if frame.dark { (Icon::Sun, text.to_light()) } else { (Icon::Moon, text.to_dark()) };
    html! {
        <header class="header">
            <a class="button skip-link" key="skip" href="#stage">{ text.skip() }</a>
            <span class="brand" key="brand">{ logo() }<span class="brand-name">{ "Lockstep" }</span></span>
            <span class="header-rule" key="rule"></span>
            <div class="scenario-picker" key="picker">
                <button class="scenario-button" onclick={pick} aria-expanded={frame.picker_open.to_string()} aria-haspopup="dialog">
                    <span class="scenario-title">{ number }{ title }</span>{ icon(Icon::Chevron) }
                </button>
                <Picker frame={frame.clone()} on={on.clone()} />
            </div>
            if pair {
                <div class="verdicts" key="pair"><span class="chip waiting">{ compare_text.title() }</span></div>
            } else {
                <Verdicts key="verdicts" frame={frame.clone()} on={on.clone()} />
            }
            <div class="header-actions" key="actions">
                <button class={classes!("button", "compare-button", (!pair).then_some("quiet"))} onclick={compare} aria-haspopup={(!pair).then_some("dialog")}
                    aria-label={if pair { compare_text.close() } else { compare_text.open() }}>
                    { icon(if pair { Icon::Cross } else { Icon::Pair }) }
                    <span class="share-words">{ if pair { compare_text.close() } else { compare_text.open() } }</span>
                </button>
                <button class="icon-button act-button" onclick={act} aria-label={deeds.act()} title={deeds.act()} aria-haspopup="dialog">{ icon(Icon::Bolt) }</button>
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
