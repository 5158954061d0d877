//! The scenario's text: a text field over its coloured image, read 150 ms after the last key.
//! A mistake never stops the run; the last text that could be read keeps running.

use std::rc::Rc;

use gloo_timers::callback::Timeout;
use lockstep_core::ids::Ms;
use lockstep_core::scenario;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use super::changed::reached_card;
use super::drafts;
use super::editor_bar::{bar, Edited};
use super::framing::prose;
use super::highlight::{code_line, hues, wrong};
use super::problems::{problem_card, Deeds};
use super::verdicts::{check, verdict_list, Checked};
use crate::app::core::CoreHandle;
use crate::app::msg::Msg;
use crate::app::scenario::Scenario;
use crate::i18n::panel::EditorText;
use crate::i18n::Locale;
use crate::ui::icon::{sized, Icon};

/// Wait after the last key before the text is read.
const READ_AFTER_MS: u32 = 150;

/// A text that was changed and not run yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The text.
    pub text: Rc<str>,
}

/// Properties of [`Editor`]: of a frame only what the editor depends on, so that a run that plays
/// does not draw it again.
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The scenario that runs.
    pub scenario: Rc<Scenario>,
    /// Its text, with what was done by hand.
    pub running: Rc<str>,
    /// A text with mistakes that came by a link in place of one that runs.
    pub offered: Option<Rc<str>>,
    /// The hint that was read last.
    pub hint: Option<AttrValue>,
    /// Whether another text ran before.
    pub before: bool,
    /// The language.
    pub locale: Locale,
    /// For the colours of message groups.
    pub core: CoreHandle,
    /// Where requests go.
    pub on: Callback<Msg>,
    /// The changed text; None while it is the one that runs.
    pub draft: UseStateHandle<Option<Draft>>,
    /// Whether it was opened for changing the text: then the text has the focus.
    pub edit: UseStateHandle<bool>,
}

/// The editor.
#[component]
pub fn Editor(props: &Props) -> Html {
    let Props { scenario, running, offered, hint, before, locale, core, on, draft, edit } = props;
    let locale = *locale;
    let texts = EditorText(locale);
    let text = (**draft).as_ref().map_or_else(|| running.clone(), |d| d.text.clone());
    let picker = use_node_ref();
    let checked = use_state(|| None::<Checked>);
    let index = use_state(|| 0_usize);
    let field = use_node_ref();
    let timeout = use_mut_ref(|| None::<Timeout>);
    {
        let (checked, index, timeout) = (checked.clone(), index.clone(), timeout.clone());
        let scenario = Rc::clone(scenario);
        let wait_ms = if checked.is_none() { 0 } else { READ_AFTER_MS };
        use_effect_with((text.clone(), locale), move |(text, locale)| {
            let (text, locale) = (text.clone(), *locale);
            *timeout.borrow_mut() = Some(Timeout::new(wait_ms, move || {
                index.set(0);
                checked.set(Some(check(text, &scenario, locale)));
            }));
        });
    }
    let set = {
        let (draft, running) = (draft.clone(), running.clone());
        let of = offered.clone().unwrap_or_else(|| running.clone());
        Callback::from(move |text: String| {
            let text: Rc<str> = text.into();
            drafts::keep(&of, Some(&*text).filter(|text| **text != *of));
            draft.set((text != running).then_some(Draft { text }));
        })
    };
    // What was found belongs to the text only while the text is still the same.
    let known = (*checked).clone().filter(|c| c.text == text);
    let shown = (*checked).clone();
    let problems = shown.as_ref().map(|c| c.problems.clone()).unwrap_or_default();
    // A text that was typed a moment ago is read when it is to run.
    let readable = known.as_ref().is_none_or(|c| c.problems.is_empty());
    let run = {
        let (on, text, field) = (on.clone(), text.clone(), field.clone());
        let (checked, scenario) = (checked.clone(), Rc::clone(scenario));
        let of = offered.clone().unwrap_or_else(|| running.clone());
        Callback::from(move |()| {
            // What stands in the field may be newer than what was drawn of it.
            let written = field.cast::<HtmlTextAreaElement>().map(|field| field.value());
            let text = written.map_or_else(|| text.clone(), Rc::from);
            if scenario::load(&text).is_ok() {
                drafts::keep(&of, None);
                on.emit(Msg::RunText(text));
            } else {
                checked.set(Some(check(text, &scenario, locale)));
            }
        })
    };
    let goto = goto(&field, &text);
    {
        let (goto, edit) = (goto.clone(), edit.clone());
        let named = hint.as_ref().and_then(|hint| named_line(&text, hint));
        let start = named.or_else(|| first_command(&text)).unwrap_or(0);
        let (field, text) = (field.clone(), text.clone());
        use_effect_with((), move |()| {
            if *edit {
                edit.set(false);
                goto.emit((start, start));
            } else if let Some(field) = field.cast::<HtmlTextAreaElement>() {
                // A lesson's text begins with its prose; what can be changed stands below.
                show_below(&field, &text, start);
            }
        });
    }
    let onplace = {
        let (goto, problems) = (goto.clone(), problems.clone());
        Callback::from(move |index: usize| {
            if let Some(problem) = problems.get(index) {
                goto.emit((problem.span.start, problem.span.end));
            }
        })
    };
    let onnext = {
        let (index, onplace, count) = (index.clone(), onplace.clone(), problems.len());
        Callback::from(move |()| {
            let next = (*index + 1) % count.max(1);
            index.set(next);
            onplace.emit(next);
        })
    };
    let onfix = {
        let (problems, set, text) = (problems.clone(), set.clone(), text.clone());
        Callback::from(move |index: usize| {
            if let Some(mended) =
                problems.get(index).and_then(|p| p.fix.as_ref()).and_then(|fix| mend(&text, fix))
            {
                set.emit(mended);
            }
        })
    };
    let online = {
        let (goto, text) = (goto.clone(), text.clone());
        Callback::from(move |line: u32| {
            let start = line_start(&text, line);
            goto.emit((start, start));
        })
    };
    let onseek = draft.is_none().then(|| {
        let on = on.clone();
        Callback::from(move |at_ms: Ms| on.emit(Msg::SeekTime(at_ms)))
    });
    let line =
        problems.get(*index).and_then(|p| text.lines().nth(p.span.line.saturating_sub(1) as usize));
    let deeds = Deeds { place: onplace, fix: onfix, next: onnext.clone() };
    let edited = Edited {
        id: scenario.lesson_id().unwrap_or_default(),
        text: &text,
        running,
        problems: problems.len(),
        readable,
        changed: draft.is_some(),
        before: *before,
    };
    // The lesson's own text may reach its goal only in the run, and says so there.
    let own = scenario.changed.is_some() || draft.is_some() || *running != scenario.text;
    let reached = own && known.as_ref().is_some_and(|checked| checked.reached);
    let judged = shown.as_ref().filter(|c| c.problems.is_empty());
    html! {<>
        <div key="bar" class="editor-bar">{ bar(&edited, texts, &picker, &set, &run, on) }</div>
        <div key="hint" class="editor-hint small" hidden={hint.is_none()} data-testid="editor-hint">{ hint.as_ref().map(|hint| prose(hint)) }</div>
        <div key="field" class="editor-scroll">{ field_sheet(core, texts, &text, shown.as_ref(), &field, &set, &run, &onnext) }</div>
        <div key="problem">{ problem_card(&problems, *index, line.unwrap_or_default(), locale, &deeds) }</div>
        <div key="verdicts" class="verdict-holder">
            <div role="status">{ reached.then(|| reached_card(scenario, draft.is_none(), locale, on)) }</div>
            { verdict_list(judged, locale, &online, onseek.as_ref()) }
        </div>
    </>}
}

/// The text with a fix applied; None when the text has changed under it.
fn mend(text: &str, fix: &scenario::Fix) -> Option<String> {
    let before = text.get(..fix.span.start)?;
    let after = text.get(fix.span.end..)?;
    Some(format!("{before}{}{after}", fix.replacement))
}

/// First byte of the first line that a hint names: pieces of it between backticks are lines of the
/// text, or parts of one.
fn named_line(text: &str, hint: &str) -> Option<usize> {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let codes: Vec<String> = hint.split('`').skip(1).step_by(2).map(words).collect();
    let line_of = |code: &String| {
        let holds = |line: &str| words(line).contains(code.as_str());
        text.lines().position(|line| !code.is_empty() && holds(line))
    };
    let named = codes.iter().find_map(line_of)?;
    Some(line_start(text, named as u32 + 1))
}

/// First byte of the first line that lets something happen; None where nothing does.
fn first_command(text: &str) -> Option<usize> {
    let line = text.lines().position(|line| line.split_whitespace().next() == Some("at"))?;
    Some(line_start(text, line as u32 + 1))
}

/// First byte of a line, counted from 1.
fn line_start(text: &str, line: u32) -> usize {
    let lines = text.split_inclusive('\n').take(line.saturating_sub(1) as usize);
    lines.map(str::len).sum()
}

/// Selects a piece of the text, given in bytes, and shows it.
fn goto(field: &NodeRef, text: &Rc<str>) -> Callback<(usize, usize)> {
    let (field, text) = (field.clone(), text.clone());
    Callback::from(move |(start, end): (usize, usize)| {
        // The browser counts UTF-16 units.
        let units = |byte: usize| text.get(..byte).map_or(0, |t| t.encode_utf16().count() as u32);
        if let Some(field) = field.cast::<HtmlTextAreaElement>() {
            // Focus and selection can only be refused by an element that is gone.
            let _ = field.focus();
            let _ = field.set_selection_range(units(start), units(end));
            show_line(&field, &text, start);
        }
    })
}

/// Scrolls the line of a byte into the middle, and back to the line's beginning: selecting alone
/// scrolls nothing, since not the field scrolls but the sheet around it.
fn show_line(field: &HtmlTextAreaElement, text: &str, byte: usize) {
    let Ok(Some(sheet)) = field.closest(".editor-scroll") else { return };
    let breaks = |t: &str| t.matches('\n').count() as i32;
    let row = field.client_height() / (breaks(text) + 1);
    let line = text.get(..byte).map_or(0, breaks);
    sheet.set_scroll_top(row * line - sheet.client_height() / 2);
    sheet.set_scroll_left(0);
}

/// Scrolls to a line that is no place of a mistake: near the upper edge, since what stands below the field
/// takes its room when the text has been checked.
fn show_below(field: &HtmlTextAreaElement, text: &str, byte: usize) {
    let Ok(Some(sheet)) = field.closest(".editor-scroll") else { return };
    let breaks = |t: &str| t.matches('\n').count() as i32;
    let row = field.client_height() / (breaks(text) + 1);
    let line = text.get(..byte).map_or(0, breaks);
    sheet.set_scroll_top(row * (line - LINES_ABOVE).max(0));
}

/// Lines that are seen above the one that is scrolled to.
const LINES_ABOVE: i32 = 3;

/// Line numbers with what is wrong and what holds, the coloured text, and the field over it.
#[allow(clippy::too_many_arguments, reason = "the editor's parts; a struct would be made once")]
fn field_sheet(
    core: &CoreHandle,
    texts: EditorText,
    text: &Rc<str>,
    checked: Option<&Checked>,
    field: &NodeRef,
    set: &Callback<String>,
    run: &Callback<()>,
    onnext: &Callback<()>,
) -> Html {
    let oninput = {
        let set = set.clone();
        Callback::from(move |event: InputEvent| {
            set.emit(event.target_unchecked_into::<HtmlTextAreaElement>().value());
        })
    };
    let onkeydown = {
        let (run, onnext) = (run.clone(), onnext.clone());
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" if event.ctrl_key() || event.meta_key() => {
                event.prevent_default();
                run.emit(());
            }
            "F8" => {
                event.prevent_default();
                onnext.emit(());
            }
            _ => {}
        })
    };
    let core = core.read();
    let names = &core.session.world().shared.names;
    let spans: Vec<_> = checked.iter().flat_map(|c| c.problems.iter().map(|p| p.span)).collect();
    let verdicts = checked.and_then(|c| c.verdicts.clone()).unwrap_or_default();
    let count = text.split('\n').count();
    html! {
            <div class="editor-sheet">
                <ol class="editor-gutter" aria-hidden="true">
                    { for (1..=count as u32).map(|line| {
                        let is_wrong = spans.iter().any(|span| span.line == line);
                        let verdict = verdicts.iter().find(|v| v.line == line);
                        let mark = match (is_wrong, verdict.and_then(|v| v.holds)) {
                            (true, _) => Some(Icon::Warn),
                            (_, Some(true)) => Some(Icon::Check),
                            (_, Some(false)) if verdict.is_some_and(|v| v.was) => Some(Icon::Clock),
                            (_, Some(false)) => Some(Icon::Cross),
                            _ => None,
                        };
                        html! {
                            <li key={line} class={is_wrong.then_some("is-wrong")}><span>{ line }</span>{ mark.map(|m| sized(m, 12)) }</li>
                        }
                    }) }
                </ol>
                <div class="editor-text">
                    <pre aria-hidden="true">
                        { for text.split('\n').enumerate().map(|(index, line)| {
                            let number = index as u32 + 1;
                            code_line(number, line.trim_end_matches('\r'), &hues(names, line), &wrong(spans.iter(), number))
                        }) }
                    </pre>
                    <textarea ref={field.clone()} value={text.to_string()} {oninput} {onkeydown} aria-label={texts.text()} wrap="off" rows="1"
                        spellcheck="false" autocapitalize="off" autocomplete="off" data-testid="editor" />
                </div>
            </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_names_the_first_line_that_it_quotes() {
        let text = "topic    orders\nat 2s    A1 fails once\n";
        assert_eq!(
            named_line(text, "Below `at 2s A1 fails once`, add `at 2s B1 fails`."),
            Some(16)
        );
        assert_eq!(named_line(text, "Add `at 9s p1 sends A9` above `at 2s`."), Some(16));
        assert_eq!(named_line(text, "There is a status that commits."), None);
        assert_eq!(named_line(text, "An empty `` piece is no line."), None);
    }

    #[test]
    fn the_first_command_is_the_first_line_that_lets_something_happen() {
        assert_eq!(first_command("title   at last\n\ntopic t\nat 3s p1 sends A1\n"), Some(25));
        assert_eq!(first_command("topic t\n"), None);
    }
}
