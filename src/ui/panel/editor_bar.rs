//! What can be done with the scenario's text: run, format, open, save.

use std::rc::Rc;

use lockstep_core::scenario;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::files;
use crate::app::msg::{Msg, Notice};
use crate::i18n::panel::{one_problem, EditorText};
use crate::ui::icon::{icon, sized, Icon};

/// What the bar shows of the text.
pub struct Edited<'a> {
    /// Name of its file without the ending; empty for a text of one's own.
    pub id: &'a str,
    /// The text.
    pub text: &'a Rc<str>,
    /// The text that runs.
    pub running: &'a Rc<str>,
    /// How many problems it has.
    pub problems: usize,
    /// Whether it may run, as far as is known.
    pub readable: bool,
    /// Whether it is another than the one that runs.
    pub changed: bool,
    /// Whether another text ran before.
    pub before: bool,
}

/// What can be done with the text.
pub fn bar(
    edited: &Edited<'_>,
    texts: EditorText,
    picker: &NodeRef,
    set: &Callback<String>,
    run: &Callback<()>,
    on: &Callback<Msg>,
) -> Html {
    let Edited { id, text, running, problems, readable, changed, before } = *edited;
    let file = format!("{}.scn", if id.is_empty() { "scenario" } else { id });
    let (run, on) = (run.clone(), on.clone());
    let onrun = Callback::from(move |_: MouseEvent| run.emit(()));
    let onopen = {
        let picker = picker.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(input) = picker.cast::<HtmlInputElement>() {
                input.click();
            }
        })
    };
    let onfile = {
        let set = set.clone();
        let too_large = on.reform(|()| Msg::Notice(Notice::FileTooLarge(files::MAX_BYTES)));
        Callback::from(move |event: Event| {
            // A file that cannot be read changes nothing; the browser says why.
            let _ = files::read(&event.target_unchecked_into(), set.clone(), &too_large);
        })
    };
    let onsave = {
        let (file, text) = (file.clone(), text.clone());
        Callback::from(move |_: MouseEvent| {
            // A browser that refuses downloads says so itself.
            let _ = files::save(&file, &text);
        })
    };
    let onreset = {
        let (set, running) = (set.clone(), running.clone());
        Callback::from(move |_: MouseEvent| set.emit(running.to_string()))
    };
    let onformat = {
        let (set, text) = (set.clone(), text.clone());
        Callback::from(move |_: MouseEvent| set.emit(scenario::format(&text)))
    };
    let onnew = on.reform(|_: MouseEvent| Msg::New);
    let onbefore = Callback::from(move |_: MouseEvent| on.emit(Msg::RestorePrevious));
    let problem_text =
        if problems == 1 { one_problem(texts.0).to_owned() } else { texts.problems(problems) };
    let status = match (problems, changed) {
        (1.., _) => texts.last_good(),
        (_, true) => texts.changed(),
        (_, false) => texts.same(),
    };
    html! {<>
            <div key="name" class="editor-name">
                <b>{ file }</b>
                <span class="chip waiting" hidden={problems == 0}>{ sized(Icon::Warn, 14) }{ problem_text }</span>
            </div>
            <div key="actions" class="editor-actions">
                <button class="button primary small" onclick={onrun} disabled={!readable} title={texts.run_hint()} data-testid="run">{ icon(Icon::Play) }{ texts.run() }</button>
                <button class="button small" onclick={onbefore} hidden={!before} title={texts.before_hint()} data-testid="before">{ texts.before() }</button>
                <button class="button small" onclick={onreset} hidden={!changed} title={texts.reset_hint()}>{ texts.reset() }</button>
                <button class="button small" onclick={onformat}>{ texts.format() }</button>
                <button class="button small" onclick={onnew} title={texts.new_hint()} data-testid="new">{ texts.make_new() }</button>
                <button class="button small" onclick={onopen} title={texts.open_hint()}>{ texts.open() }</button>
                <button class="button small" onclick={onsave} title={texts.save_hint()}>{ texts.save() }</button>
                <input ref={picker} type="file" accept=".scn,text/plain" hidden=true onchange={onfile} aria-hidden="true" tabindex="-1" />
            </div>
            <p key="status" class="small muted" role="status">{ status }</p>
    </>}
}
