//! Reads a whole text: every line is kept, every mistake is reported.

use super::ast::{Line, LineKind, Scenario, Statement};
use super::lex::is_blank;
use super::names::Declared;
use super::problem::{Problem, ProblemKind};
use super::prose::{first_word, lex_statement, question, PROSE};
use super::sentence::statement;
use super::span::{split, Eol, Place, Span, Spanned};

/// A text that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// All lines; those with mistakes are marked as unreadable.
    pub scenario: Scenario,
    /// The mistakes, in the order of the lines.
    pub problems: Vec<Problem>,
}

/// Most lines of a scenario. Loads need one line for any number of messages, so a longer text is
/// a file of something else.
pub(crate) const LINES_MAX: usize = 20_000;

/// Longest line of a scenario, in bytes.
pub(crate) const LINE_MAX: usize = 16_384;

/// Reads a text. Reading goes on behind a mistake, so all mistakes are found at once.
pub fn parse(text: &str) -> Parsed {
    let lines = split(text);
    if let Some(problem) = too_large(&lines) {
        let unread = |(place, eol): &(Place<'_>, Eol)| line(*place, *eol, LineKind::Unreadable);
        let scenario = Scenario { lines: lines.iter().map(unread).collect() };
        return Parsed { scenario, problems: vec![problem] };
    }
    let declared = Declared::collect(lines.iter().map(|(place, _)| *place));
    let mut reader = Reader { declared, lines: Vec::new(), problems: Vec::new(), text_above: None };
    let mut index = 0;
    while index < lines.len() {
        let block = block(&lines, index);
        reader.block(&lines[index..index + block]);
        index += block;
    }
    Parsed { scenario: Scenario { lines: reader.lines }, problems: reader.problems }
}

/// What makes a text too large to be read while a person waits.
fn too_large(lines: &[(Place<'_>, Eol)]) -> Option<Problem> {
    if let Some((first, _)) = lines.get(LINES_MAX) {
        let kind = ProblemKind::TooManyLines { lines: lines.len(), most: LINES_MAX };
        return Some(Problem::new(first.span(0, 0), kind));
    }
    let (long, _) = lines.iter().find(|(place, _)| place.text.len() > LINE_MAX)?;
    let kind = ProblemKind::LineTooLong { bytes: long.text.len(), most: LINE_MAX };
    Some(Problem::new(long.span(0, 0), kind))
}

fn line(place: Place<'_>, eol: Eol, kind: LineKind) -> Line {
    Line { number: place.line, text: place.text.to_owned(), eol, kind }
}

/// The first control character outside the comment; tabs are white space.
fn control_character(place: Place<'_>) -> Option<Box<Problem>> {
    let content = &place.text[..lex_statement(place.text).content_end];
    // White space around the content is not a part of it, old line ends included.
    let begin = content.len() - content.trim_start_matches(is_blank).len();
    let mut chars = content.char_indices().skip_while(|(at, _)| *at < begin);
    let (at, c) = chars.find(|(_, c)| c.is_control() && *c != '\t')?;
    let span = place.span(at, at + c.len_utf8());
    Some(Problem::boxed(span, ProblemKind::ControlCharacter { code: u32::from(c) }))
}

/// How many lines belong together: a text and the lines that are indented further than it.
fn block(lines: &[(Place<'_>, Eol)], index: usize) -> usize {
    let text = lines[index].0.text;
    if !PROSE.contains(&first_word(text)) {
        return 1;
    }
    let own = indent(text);
    let continues = |line: &str| {
        !is_empty(line) && !line.trim_start_matches(is_blank).starts_with('#') && indent(line) > own
    };
    1 + lines[index + 1..].iter().take_while(|(place, _)| continues(place.text)).count()
}

fn indent(line: &str) -> usize {
    line.chars().take_while(|c| is_blank(*c)).count()
}

fn is_empty(line: &str) -> bool {
    line.trim_matches(is_blank).is_empty()
}

/// What a translation can belong to: a text, or a question with so many answers.
#[derive(Clone, Copy)]
enum TextAbove {
    Plain,
    Question(usize),
}

struct Reader {
    declared: Declared,
    lines: Vec<Line>,
    problems: Vec<Problem>,
    /// The text that a `zh` line would belong to.
    text_above: Option<TextAbove>,
}

impl Reader {
    fn block(&mut self, block: &[(Place<'_>, Eol)]) {
        let Some(((place, _), rest)) = block.split_first() else { return };
        let kind = if is_empty(place.text) {
            LineKind::Blank
        } else if lex_statement(place.text).tokens.is_empty() {
            LineKind::Comment
        } else {
            self.statement(*place, rest)
        };
        for (index, (place, eol)) in block.iter().enumerate() {
            let kind = if index == 0 { kind.clone() } else { LineKind::Continuation };
            self.lines.push(line(*place, *eol, kind));
        }
    }

    fn statement(&mut self, place: Place<'_>, rest: &[(Place<'_>, Eol)]) -> LineKind {
        let rest: Vec<Place<'_>> = rest.iter().map(|(place, _)| *place).collect();
        let read = match std::iter::once(&place).chain(&rest).find_map(|p| control_character(*p)) {
            Some(problem) => Err(problem),
            None => statement(place, &rest, &self.declared),
        };
        match read.and_then(|s| self.complete(s, place)) {
            Ok(statement) => {
                self.text_above = match &*statement {
                    Statement::Title(_)
                    | Statement::About(_)
                    | Statement::Note(_)
                    | Statement::Question(_)
                    | Statement::Watch(_)
                    | Statement::Beat(..)
                    | Statement::Goal(..)
                    | Statement::Hint(_)
                    | Statement::Twist(_) => Some(TextAbove::Plain),
                    Statement::Ask(_, question) => {
                        Some(TextAbove::Question(question.answers.len()))
                    }
                    _ => None,
                };
                LineKind::Statement(statement)
            }
            Err(problem) => {
                self.text_above =
                    PROSE.contains(&first_word(place.text)).then_some(TextAbove::Plain);
                self.problems.push(*problem);
                LineKind::Unreadable
            }
        }
    }

    /// Checks what a translation belongs to.
    fn complete(
        &self,
        statement: Box<Statement>,
        place: Place<'_>,
    ) -> Result<Box<Statement>, Box<Problem>> {
        if let Statement::Chinese(text) = &*statement {
            self.translation(text, place.span(0, place.text.len()))?;
        }
        Ok(statement)
    }

    fn translation(&self, text: &Spanned<String>, line: Span) -> Result<(), Box<Problem>> {
        match self.text_above {
            None => Err(Problem::boxed(
                Span { width: 2, ..line },
                ProblemKind::NothingAbove { word: "zh" },
            )),
            Some(TextAbove::Plain) => Ok(()),
            Some(TextAbove::Question(expected)) => {
                let question = question(&text.value)
                    .ok_or_else(|| Problem::boxed(text.span, ProblemKind::BadQuestion))?;
                let found = question.answers.len();
                if found == expected {
                    return Ok(());
                }
                Err(Problem::boxed(text.span, ProblemKind::AnswerCount { expected, found }))
            }
        }
    }
}
