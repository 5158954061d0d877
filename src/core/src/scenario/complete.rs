//! What the editor needs beside mistakes: what may stand at a place, and what to mark.

use std::collections::BTreeSet;

use super::ast::{Scenario, Statement};
use super::grammar::{Grammar, GRAMMAR};
use super::lex::{is_blank, lex};
use super::names::Declared;
use super::problem::Expected;
use super::prose::{first_word, lex_statement, PROSE};
use super::read::parse;
use super::sentence::expected_at;
use super::span::{split, Place, Span};
use super::value::label_range;

/// Something that may stand at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What to write.
    pub text: String,
    /// What it means, if the tables say so.
    pub meaning: Option<&'static str>,
    /// What it replaces: the part of a word before the place.
    pub replaces: Span,
}

/// What may stand at a place (line and column from 1, in characters), given what stands before it
/// in its line. Values that are not words, such as times and labels, are not offered.
pub fn completions(text: &str, line: u32, column: u32) -> Vec<Completion> {
    let lines = split(text);
    let declared = Declared::collect(lines.iter().map(|(place, _)| *place));
    let Some((place, _)) = lines.iter().find(|(place, _)| place.line == line) else {
        return heads(line, text.len());
    };
    let chars = column.saturating_sub(1) as usize;
    let end = place.text.char_indices().nth(chars).map_or(place.text.len(), |(at, _)| at);
    let before = &place.text[..end];
    let start = before
        .rfind(|c| is_blank(c) || c == ',')
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let started = &before[start..];
    let replaces = place.span(start, end);
    let short = Place { text: &before[..start], ..*place };
    let mut words: Vec<(String, Option<&'static str>)> = Vec::new();
    for expected in expected_at(short, &declared) {
        match expected {
            Expected::Word(word) => words.push((word.to_owned(), meaning(word))),
            Expected::Value(row) => {
                words.extend(row.words().into_iter().map(|word| (word.to_owned(), None)));
                if let Some(kind) = row.names() {
                    words.extend(declared.of(kind).map(|name| (super::lex::quote(name), None)));
                }
            }
            Expected::Comma | Expected::End => {}
        }
    }
    let mut seen = BTreeSet::new();
    words.retain(|(word, _)| word.starts_with(started) && seen.insert(word.clone()));
    words.into_iter().map(|(text, meaning)| Completion { text, meaning, replaces }).collect()
}

/// The words that may begin a line.
fn heads(line: u32, end: usize) -> Vec<Completion> {
    let replaces = Span { line, column: 1, width: 0, start: end, end };
    let mut seen = BTreeSet::new();
    let words = Grammar::get().heads.iter().filter_map(|form| form.first_word());
    words
        .filter(|word| seen.insert(*word))
        .map(|word| Completion { text: word.to_owned(), meaning: meaning(word), replaces })
        .collect()
}

/// The meaning of the form that a word begins.
fn meaning(word: &str) -> Option<&'static str> {
    let begins =
        |form: &str| form.split([' ', '(', '|', ')']).find(|w| !w.is_empty()) == Some(word);
    GRAMMAR
        .iter()
        .flat_map(|section| section.forms)
        .find(|form| begins(form.form))
        .map(|form| form.meaning)
}

/// What a mark marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// The word that begins a statement.
    Keyword,
    /// The time that belongs to it.
    Time,
    /// A message's label, or a range of them; holds the series.
    Label(String),
    /// A comment.
    Comment,
}

/// A piece of the text that is shown in its own way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Where.
    pub span: Span,
    /// What it is.
    pub kind: MarkKind,
}

/// Keywords, times, labels (in prose too) and comments, in the order of the text.
pub fn marks(text: &str) -> Vec<Mark> {
    let scenario = parse(text).scenario;
    let known = series(&scenario);
    let keywords: BTreeSet<&str> =
        Grammar::get().heads.iter().filter_map(|f| f.first_word()).collect();
    let mut marks = Vec::new();
    let mut in_prose = false;
    for ((place, _), line) in split(text).into_iter().zip(&scenario.lines) {
        let continues = line.kind == super::ast::LineKind::Continuation;
        in_prose = if continues { in_prose } else { PROSE.contains(&first_word(place.text)) };
        let lexed = if continues { lex(place.text, true) } else { lex_statement(place.text) };
        let mut content = 0;
        let head = lexed.tokens.first().filter(|t| !continues && keywords.contains(t.raw));
        if let Some(token) = head {
            marks.push(Mark { span: place.span(token.start, token.end), kind: MarkKind::Keyword });
            content = token.end;
            let timed = matches!(token.raw, "at" | "beat" | "ask");
            if let Some(time) = lexed.tokens.get(1).filter(|_| timed) {
                marks.push(Mark { span: place.span(time.start, time.end), kind: MarkKind::Time });
                content = time.end;
            }
        }
        labels(place, content..lexed.content_end, &known, &mut marks);
        if let Some(at) = lexed.comment {
            let end = place.text.trim_end_matches(is_blank).len();
            marks.push(Mark { span: place.span(at, end), kind: MarkKind::Comment });
        }
    }
    marks
}

/// The series that the scenario sends messages of.
fn series(scenario: &Scenario) -> BTreeSet<String> {
    let sent = scenario.statements().filter_map(|(_, statement)| match statement {
        Statement::Do(_, action) => Some(action.sent()),
        _ => None,
    });
    sent.flatten().map(|label| label.value.series.clone()).collect()
}

/// Labels of known series among the words of a line; punctuation around a word does not count.
fn labels(
    place: Place<'_>,
    range: std::ops::Range<usize>,
    known: &BTreeSet<String>,
    marks: &mut Vec<Mark>,
) {
    let Some(content) = place.text.get(range.clone()) else { return };
    let inside = |c: char| c.is_alphanumeric() || c == '.' || c == '-';
    let mut at = 0;
    for word in content.split(|c: char| !inside(c)) {
        let start = at;
        at += word.len();
        at += content[at..].chars().next().map_or(0, char::len_utf8);
        // A Chinese sentence has no blanks: its labels stand between ideographs.
        let mut piece = 0;
        for latin in word.split(|c: char| !c.is_ascii()) {
            let from = start + piece;
            piece += latin.len();
            piece += word[piece..].chars().next().map_or(0, char::len_utf8);
            let bare = latin.trim_matches(['.', '-']);
            let Some((label, _)) =
                label_range(bare).filter(|(label, _)| known.contains(&label.series))
            else {
                continue;
            };
            let lead = latin.len() - latin.trim_start_matches(['.', '-']).len();
            let begin = range.start + from + lead;
            let span = place.span(begin, begin + bare.len());
            marks.push(Mark { span, kind: MarkKind::Label(label.series) });
        }
    }
}
