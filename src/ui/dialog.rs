//! Dialogs that the page's state opens and closes.

use web_sys::HtmlDialogElement;
use yew::prelude::*;

use crate::app::msg::Msg;

/// Opens and closes the dialog of the returned reference as the page's state has it.
#[hook]
pub fn use_dialog(open: bool) -> NodeRef {
    let dialog = use_node_ref();
    let of = dialog.clone();
    use_effect_with(open, move |open| {
        let Some(dialog) = of.cast::<HtmlDialogElement>() else { return };
        match (*open, dialog.open()) {
            (true, false) => {
                // Refused only when it is open already.
                let _ = dialog.show_modal();
            }
            (false, true) => dialog.close(),
            _ => {}
        }
    });
    dialog
}

/// What Escape asks of a dialog: the page's state closes it, so that both always agree. `toggle` is
/// what opens and closes it.
#[hook]
pub fn use_cancel(on: &Callback<Msg>, toggle: Msg) -> Callback<Event> {
    use_callback((on.clone(), toggle), |event: Event, (on, toggle)| {
        event.prevent_default();
        on.emit(toggle.clone());
    })
}
