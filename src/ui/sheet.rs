//! The handle of the panel where it is a sheet over the stage.

use yew::prelude::*;

use crate::app::msg::Msg;
use crate::i18n::shell::Shell;
use crate::i18n::Locale;

/// Properties of [`SheetHandle`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// True while the sheet shows more than a glimpse.
    pub open: bool,
    /// The language.
    pub locale: Locale,
    /// Where requests go.
    pub on: Callback<Msg>,
}

/// How far a finger has to move, in CSS pixels, to open or close the sheet.
const SWIPE_PX: i32 = 24;

/// Pressing it goes to the sheet's next stop; dragging it up opens the sheet, down closes it.
#[component]
pub fn SheetHandle(props: &Props) -> Html {
    let Props { open, locale, on } = props;
    let text = Shell(*locale);
    let from = use_mut_ref(|| None::<i32>);
    let begin = {
        let from = from.clone();
        use_callback((), move |event: PointerEvent, ()| *from.borrow_mut() = Some(event.client_y()))
    };
    let end = use_callback(on.clone(), move |event: PointerEvent, on| {
        let Some(start) = from.borrow_mut().take() else { return };
        let moved = event.client_y() - start;
        if moved > SWIPE_PX {
            on.emit(Msg::SetPanel(false));
        } else {
            on.emit(Msg::NextStop);
        }
    });
    let press = use_callback(on.clone(), |event: MouseEvent, on| {
        // A press of a key is a click without a pointer.
        if event.detail() == 0 {
            on.emit(Msg::NextStop);
        }
    });
    let name = if *open { text.close_panel() } else { text.open_panel() };
    html! {
        <button class="sheet-handle" aria-label={name} aria-expanded={open.to_string()}
            onpointerdown={begin} onpointerup={end} onclick={press}></button>
    }
}
