//! Words, quoted words and commas of one line, and where its comment starts.

use winnow::combinator::{alt, delimited, repeat};
use winnow::error::EmptyError;
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location};
use winnow::token::{any, one_of, take_while};

/// White space, the byte order mark included that some editors put before a text.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// Characters without white space, comma or quote.
    Word,
    /// `"..."`, with `\"` and `\\`; holds what is meant.
    Quoted(String),
    /// `,`
    Comma,
    /// A quote that is never closed.
    Unclosed,
}

/// A token of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    /// As it stands in the text.
    pub raw: &'a str,
    /// What it is.
    pub kind: TokenKind,
    /// First byte in the line.
    pub start: usize,
    /// Byte after the last one in the line.
    pub end: usize,
}

impl Token<'_> {
    /// What the token means as a name: its word, or what stands between its quotes.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            TokenKind::Word => Some(self.raw),
            TokenKind::Quoted(inner) => Some(inner),
            TokenKind::Comma | TokenKind::Unclosed => None,
        }
    }
}

/// A line taken apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lexed<'a> {
    /// The tokens before the comment.
    pub tokens: Vec<Token<'a>>,
    /// Byte at which the comment starts (`#`).
    pub comment: Option<usize>,
    /// Byte after the last character that is neither white space nor comment.
    pub content_end: usize,
}

/// Takes a line apart. In prose a `#` starts a comment only when white space follows it, so that
/// a text may say `#7`.
pub(crate) fn lex(line: &str, prose: bool) -> Lexed<'_> {
    let comment = comment_start(line, prose);
    let content = &line[..comment.unwrap_or(line.len())];
    let mut input = LocatingSlice::new(content);
    let tokens = repeat(0.., token)
        .fold(
            Vec::new,
            |mut tokens: Vec<Token<'_>>, (kind, range): (TokenKind, std::ops::Range<usize>)| {
                tokens.push(Token {
                    raw: &content[range.clone()],
                    kind,
                    start: range.start,
                    end: range.end,
                });
                tokens
            },
        )
        .parse_next(&mut input)
        .unwrap_or_default();
    Lexed { tokens, comment, content_end: content.trim_end_matches(is_blank).len() }
}

/// Byte of the `#` that starts a comment: at the start of the line or after white space, outside
/// quotes.
pub(super) fn comment_start(line: &str, prose: bool) -> Option<usize> {
    let mut free = true;
    let mut quoted = false;
    let mut first = true;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let follows = chars.peek().is_none_or(|(_, next)| is_blank(*next));
        match c {
            '\\' if quoted => {
                chars.next();
            }
            '"' if !prose => quoted = !quoted,
            '#' if !quoted && free && (first || !prose || follows) => return Some(at),
            _ => {}
        }
        free = is_blank(c);
        first &= free;
    }
    None
}

type Input<'a> = LocatingSlice<&'a str>;

/// White space, then a token; its range is that of the token alone.
fn token(input: &mut Input<'_>) -> Result<(TokenKind, std::ops::Range<usize>), EmptyError> {
    take_while(0.., is_blank).parse_next(input)?;
    let start = input.current_token_start();
    let kind = alt((','.value(TokenKind::Comma), quoted, unclosed, word)).parse_next(input)?;
    Ok((kind, start..input.previous_token_end()))
}

fn word(input: &mut Input<'_>) -> Result<TokenKind, EmptyError> {
    take_while(1.., |c: char| !is_blank(c) && c != ',' && c != '"')
        .value(TokenKind::Word)
        .parse_next(input)
}

fn quoted(input: &mut Input<'_>) -> Result<TokenKind, EmptyError> {
    let escaped = ('\\', one_of(['"', '\\'])).map(|(_, c)| c);
    let plain = any.verify(|c: &char| *c != '"' && *c != '\\');
    delimited('"', repeat(0.., alt((escaped, plain))), '"').map(TokenKind::Quoted).parse_next(input)
}

fn unclosed(input: &mut Input<'_>) -> Result<TokenKind, EmptyError> {
    ('"', winnow::token::rest).value(TokenKind::Unclosed).parse_next(input)
}

/// A name as it has to be written: quoted when it would not be read back as one word.
pub fn quote(name: &str) -> String {
    let plain = !name.is_empty()
        && !name.starts_with('#')
        && !name.contains(|c: char| is_blank(c) || c.is_control() || c == ',' || c == '"');
    if plain {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}
