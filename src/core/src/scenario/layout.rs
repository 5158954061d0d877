//! The canonical form of a text: columns that line up, nothing else changed.

use super::ast::{Line, LineKind, Scenario, Statement};
use super::lex::{is_blank, lex, Lexed, TokenKind};
use super::prose::{first_word, lex_statement, question, when_start, PROSE};
use super::read::parse;

/// Narrowest first column; the longest keywords have this many characters.
const HEAD_MIN: usize = 8;
/// A longer head does not widen the first column.
const HEAD_MAX: usize = 14;
/// A longer line does not push the comments to the right.
const COMMENT_MAX: usize = 60;
/// Blanks before a comment behind a statement.
const COMMENT_GAP: usize = 2;

/// The canonical form of a text. Words, comments, line ends and lines that cannot be read stay as
/// they are; the form of a canonical text is that text.
pub fn format(text: &str) -> String {
    parse(text).scenario.format()
}

/// A line in its canonical form.
#[derive(Default)]
struct Laid {
    /// Keyword, and the time that belongs to it; None for lines without columns.
    head: Option<String>,
    /// Blanks behind the head at least: two behind a time.
    gap: usize,
    content: String,
    comment: String,
}

impl Scenario {
    /// The canonical form, see [`format()`].
    pub fn format(&self) -> String {
        let mut above = None;
        let mut laid = Vec::new();
        for line in &self.lines {
            laid.push(lay(line, above));
            if let LineKind::Statement(statement) = &line.kind {
                above = Some(&**statement);
            }
        }
        let heads = laid.iter().filter_map(|l| Some(width(l.head.as_deref()?) + l.gap - 1));
        let head_width = heads.filter(|w| *w <= HEAD_MAX).fold(HEAD_MIN, usize::max);
        let bodies: Vec<String> = laid.iter().map(|l| l.body(head_width)).collect();
        let commented =
            laid.iter().zip(&bodies).filter(|(l, body)| !l.comment.is_empty() && !body.is_empty());
        let column = commented
            .map(|(_, body)| width(body) + COMMENT_GAP)
            .filter(|column| *column <= COMMENT_MAX)
            .fold(0, usize::max);
        let mut text = String::new();
        for ((line, laid), body) in self.lines.iter().zip(&laid).zip(&bodies) {
            text.push_str(body);
            if !laid.comment.is_empty() {
                if !body.is_empty() {
                    let gap = column.saturating_sub(width(body)).max(COMMENT_GAP);
                    text.extend(std::iter::repeat_n(' ', gap));
                }
                text.push_str(&laid.comment);
            }
            text.push_str(line.eol.text());
        }
        text
    }
}

impl Laid {
    fn body(&self, head_width: usize) -> String {
        let Some(head) = &self.head else { return self.content.clone() };
        if self.content.is_empty() {
            return head.clone();
        }
        let gap = (head_width + 1).saturating_sub(width(head)).max(self.gap);
        let mut body = head.clone();
        body.extend(std::iter::repeat_n(' ', gap));
        body.push_str(&self.content);
        body
    }
}

/// Columns that a text takes: two for each wide character.
fn width(text: &str) -> usize {
    let wide = |c: char| {
        matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}'
            | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}' | '\u{1f300}'..='\u{1faff}')
    };
    text.chars().map(|c| if wide(c) { 2 } else { 1 }).sum()
}

fn lay(line: &Line, above: Option<&Statement>) -> Laid {
    let text = line.text.trim_matches(is_blank);
    match &line.kind {
        LineKind::Blank => Laid::default(),
        LineKind::Comment => Laid { comment: text.to_owned(), ..Laid::default() },
        LineKind::Unreadable => Laid { content: text.to_owned(), ..Laid::default() },
        LineKind::Continuation => {
            let lexed = lex(&line.text, true);
            let content = line.text[..lexed.content_end].trim_matches(is_blank).to_owned();
            Laid { head: Some(String::new()), gap: 1, content, comment: comment(line, &lexed) }
        }
        LineKind::Statement(statement) => lay_statement(line, statement, above),
    }
}

fn comment(line: &Line, lexed: &Lexed<'_>) -> String {
    lexed.comment.map_or(String::new(), |at| line.text[at..].trim_end_matches(is_blank).to_owned())
}

fn lay_statement(line: &Line, statement: &Statement, above: Option<&Statement>) -> Laid {
    let lexed = lex_statement(&line.text);
    let keyword = first_word(&line.text);
    let timed = matches!(keyword, "at" | "beat" | "ask");
    let in_head = if timed { 2 } else { 1 };
    let head = match (keyword, lexed.tokens.get(1)) {
        ("ask", Some(time)) => format!("ask  {}", time.raw),
        (_, Some(time)) if timed => format!("{keyword} {}", time.raw),
        _ => keyword.to_owned(),
    };
    let start = lexed.tokens.get(in_head).map_or(lexed.content_end, |t| t.start);
    let prose = line.text.get(start..lexed.content_end).unwrap_or_default().trim_matches(is_blank);
    let content = match statement {
        _ if !PROSE.contains(&keyword) => sentence(&lexed, in_head),
        Statement::Ask(..) => lay_question(prose),
        Statement::Chinese(_) if matches!(above, Some(Statement::Ask(..))) => lay_question(prose),
        Statement::Goal(..) => lay_goal(prose),
        _ => prose.to_owned(),
    };
    let gap = if timed { 2 } else { 1 };
    Laid { head: Some(head), gap, content, comment: comment(line, &lexed) }
}

/// The words of a sentence with one blank between them and none before a comma.
fn sentence(lexed: &Lexed<'_>, from: usize) -> String {
    let mut text = String::new();
    for token in lexed.tokens.iter().skip(from) {
        if !text.is_empty() && token.kind != TokenKind::Comma {
            text.push(' ');
        }
        text.push_str(token.raw);
    }
    text
}

fn lay_question(prose: &str) -> String {
    let Some(asked) = question(prose) else { return prose.to_owned() };
    let answers: Vec<String> = asked
        .answers
        .iter()
        .map(|(answer, right)| if *right { format!("{answer} *") } else { answer.clone() })
        .collect();
    let laid = format!("{}  {}", asked.question, answers.join(" | "));
    // Blanks before a `#` would turn the rest into a comment.
    match lex(&laid, true).comment {
        Some(_) => prose.to_owned(),
        None => laid,
    }
}

/// The goal's text, two blanks, its condition. A goal of several lines has none in the first.
fn lay_goal(prose: &str) -> String {
    let Some(when) = when_start(prose) else { return prose.to_owned() };
    let condition = sentence(&lex(&prose[when..], false), 0);
    format!("{}  {condition}", prose[..when].trim_end_matches(is_blank))
}
