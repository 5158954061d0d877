//! The reference of the language, from the tables that the parser follows.

use super::events::{
    EventRow, CLIENT_EVENTS, MESSAGE_EVENTS, PARTY_EVENTS, QUEUE_EVENTS, REASONS, REFUSALS,
};
use super::form::shown;
use super::grammar::GRAMMAR;
use super::slot::{SlotRow, SLOTS};

/// The reference as Markdown.
pub fn reference() -> String {
    let mut text = String::from(INTRO);
    for section in GRAMMAR {
        text += &format!("\n## {}\n\n", section.title);
        let options = section.forms.iter().all(|f| matches!(f.make, super::grammar::Make::Part));
        if options {
            text += &format!("Forms call these options `{}`. ", section.name);
        }
        if !section.intro.is_empty() {
            text += section.intro;
        }
        if options || !section.intro.is_empty() {
            text = format!("{}\n\n", text.trim_end());
        }
        text += "| form | meaning | default | example |\n|---|---|---|---|\n";
        for form in section.forms {
            let row = [
                code(&shown(form.form)),
                cell(form.meaning),
                cell(form.default),
                code(form.example),
            ];
            text += &format!("| {} |\n", row.join(" | "));
        }
    }
    text += "\n## Values\n\n| value | meaning | example |\n|---|---|---|\n";
    for row in
        SLOTS.iter().filter(|row| row.words().is_empty() || matches!(row.kind, "model" | "code"))
    {
        text += &format!(
            "| {} | {} | {} |\n",
            code(&format!("<{}>", row.kind)),
            cell(row.meaning),
            code(row.example)
        );
    }
    text += &events("<event>: what happens to messages", MESSAGE_EVENTS);
    text += &events("<queue-event>: what happens to queues", QUEUE_EVENTS);
    text += &events("<consumer-event>: what happens to consumers", CLIENT_EVENTS);
    text += &events("<party-event>: what happens to any party", PARTY_EVENTS);
    text += &events("<reason>: why sends are refused", REASONS);
    text += &events("<refusal>: why statements are refused", REFUSALS);
    text += &keywords();
    text
}

const INTRO: &str = "# The scenario language

A scenario is a text file (`*.scn`): what the page plays, what a link carries, what the command line checks, what a lesson is and what a test is. One line is one fact; blank lines and comments (`#`) may stand anywhere. This page is made from the tables that the parser follows (`lockstep reference`), so it is always current.

How to read a form: words stand for themselves, `<...>` is a value, `[...]` may be left out, `[...]*` may be repeated, `(a | b)` is a choice, `{...}` is any selection of the options listed under that name, in any order, with or without commas, `{...}+` at least one of them. Names of options are those of RocketMQ; every default is RocketMQ's.
";

/// A table cell: `|` would end it.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn code(text: &str) -> String {
    format!("`{}`", cell(text))
}

fn events<T>(title: &str, rows: &[EventRow<T>]) -> String {
    let mut text =
        format!("\n## {}\n\n| word | meaning |\n|---|---|\n", cell(title).replace('<', "\\<"));
    for row in rows {
        text += &format!("| {} | {} |\n", code(row.word), cell(row.meaning));
    }
    text
}

/// The lists of words that have no meaning of their own to explain.
fn keywords() -> String {
    let listed = |row: &&SlotRow| {
        matches!(row.kind, "type" | "packet" | "request" | "sdk" | "grpc-code" | "constant")
    };
    let mut text = String::new();
    for row in SLOTS.iter().filter(listed) {
        let words: Vec<String> = row.words().iter().map(|word| code(word)).collect();
        text += &format!("\n## \\<{}>: {}\n\n{}\n", row.kind, cell(row.meaning), words.join(", "));
    }
    text
}
