//! What could not be done, over the stage, until it is closed or something else runs.

use yew::prelude::*;

use crate::app::frame::Frame;
use crate::app::msg::{Msg, Notice};
use crate::i18n::compare::CompareText;
use crate::i18n::number;
use crate::i18n::shell::Shell;
use crate::ui::icon::{icon, Icon};

/// The notice, if there is one. The region stays, so that screen readers announce what comes.
pub fn notice(frame: &Frame, on: &Callback<Msg>) -> Html {
    let text = Shell(frame.locale);
    let said = frame.notice.as_ref().map(|notice| match notice {
        Notice::DamagedLink => text.damaged_link().to_owned(),
        Notice::TextElsewhere => text.text_elsewhere().to_owned(),
        Notice::NoLesson(id) => text.no_lesson(id),
        Notice::LinkWithMistakes => text.link_with_mistakes().to_owned(),
        Notice::DamagedComparison => CompareText(frame.locale).damaged().to_owned(),
        Notice::NoComparison => CompareText(frame.locale).not_now().to_owned(),
        Notice::NothingToCompare => CompareText(frame.locale).nothing_to_vary().to_owned(),
        Notice::CutShort(events) => text.cut_short(&number(i64::from(*events))),
        Notice::FileTooLarge(bytes) => text.file_too_large(bytes / 1_000),
    });
    let on = on.clone();
    let close = Callback::from(move |_: MouseEvent| on.emit(Msg::Dismiss));
    html! {
        <div key="notice" class="notice-region" role="status">
            { for said.map(|said| html! {
                <div class="notice">
                    <p>{ said }</p>
                    <button class="icon-button" onclick={close} aria-label={text.dismiss()} title={text.dismiss()}>{ icon(Icon::Cross) }</button>
                </div>
            }) }
        </div>
    }
}
