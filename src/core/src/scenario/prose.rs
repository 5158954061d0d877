//! Texts: which lines hold them, how they go on in further lines, what questions and goals are
//! made of.

use super::ast::{Question, Statement};
use super::lex::{is_blank, lex, Lexed};
use super::problem::{Problem, ProblemKind};
use super::span::Span;
use crate::ids::Ms;

/// Statements whose sentence is prose.
pub(crate) const PROSE: &[&str] = &[
    "title", "about", "zh", "note", "question", "source", "watch", "beat", "ask", "goal", "hint",
    "twist", "see",
];

/// The first word of a line.
pub(crate) fn first_word(line: &str) -> &str {
    let trimmed = line.trim_start_matches(is_blank);
    trimmed.split(|c: char| is_blank(c) || c == ',' || c == '"').next().unwrap_or_default()
}

/// Takes a line apart, by the rules of prose when its first word asks for it.
pub(crate) fn lex_statement(line: &str) -> Lexed<'_> {
    lex(line, PROSE.contains(&first_word(line)))
}

/// The text of a continuation line.
pub(crate) fn content(line: &str) -> &str {
    line[..lex(line, true).content_end].trim_matches(is_blank)
}

/// Joins two pieces of prose: with a blank, except between Chinese characters.
pub(crate) fn join(mut text: String, more: &str) -> String {
    let wide = |c: Option<char>| {
        c.is_some_and(|c| {
            ('\u{2e80}'..='\u{9fff}').contains(&c) || ('\u{ff00}'..='\u{ffef}').contains(&c)
        })
    };
    if !(text.is_empty() || wide(text.chars().next_back()) && wide(more.chars().next())) {
        text.push(' ');
    }
    text.push_str(more);
    text
}

/// A question with its answers.
pub(crate) fn ask(at_ms: Ms, text: &str, span: Span) -> Result<Box<Statement>, Box<Problem>> {
    match question(text) {
        Some(question) if question.answers.iter().any(|(_, right)| *right) => {
            Ok(Box::new(Statement::Ask(at_ms, question)))
        }
        _ => Err(Problem::boxed(span, ProblemKind::BadQuestion)),
    }
}

/// Takes a question apart: the text up to the last question mark before the first `|`, then the
/// answers.
pub(crate) fn question(text: &str) -> Option<Question> {
    let bar = text.find('|')?;
    let mark = text[..bar].rfind(['?', '？'])?;
    let after = mark + text[mark..].chars().next()?.len_utf8();
    let answers: Vec<(String, bool)> = text[after..]
        .split('|')
        .map(|answer| {
            let answer = answer.trim();
            match answer.strip_suffix('*') {
                Some(right) => (right.trim_end().to_owned(), true),
                None => (answer.to_owned(), false),
            }
        })
        .collect();
    let question = text[..after].trim().to_owned();
    let complete = answers.iter().all(|(answer, _)| !answer.is_empty()) && answers.len() >= 2;
    (complete && question.chars().count() > 1).then_some(Question { question, answers })
}

/// Byte of the word `when` that begins a goal's condition: the last one between white space.
pub(crate) fn when_start(text: &str) -> Option<usize> {
    let mut end = text.len();
    while let Some(at) = text[..end].rfind("when") {
        let before = text[..at].ends_with(is_blank);
        let after = text[at + 4..].starts_with(is_blank);
        if before && after {
            return Some(at);
        }
        end = at;
    }
    None
}
