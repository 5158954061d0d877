//! Places in a scenario's text.

/// Where something stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Width in characters; 0 for a place between two characters.
    pub width: u32,
    /// First byte, counted from the start of the text.
    pub start: usize,
    /// Byte after the last one.
    pub end: usize,
}

impl Span {
    /// The smallest span that covers both; both must be on one line.
    pub fn to(self, other: Span) -> Span {
        Span {
            width: (other.column + other.width).saturating_sub(self.column),
            end: other.end,
            ..self
        }
    }
}

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub span: Span,
}

/// A name as the text has it.
pub type Name = Spanned<String>;

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Eol {
    /// The text ends here.
    None,
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
}

impl Eol {
    /// The characters themselves.
    pub fn text(self) -> &'static str {
        match self {
            Eol::None => "",
            Eol::Lf => "\n",
            Eol::CrLf => "\r\n",
        }
    }
}

/// One line of a text with its place, so that spans inside it can be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// The line without its end.
    pub text: &'a str,
    /// Line number, from 1.
    pub line: u32,
    /// Byte in the whole text at which the line starts.
    pub base: usize,
}

impl Place<'_> {
    /// The span of the bytes `start..end` of this line. Both must lie on character borders.
    pub fn span(&self, start: usize, end: usize) -> Span {
        let chars = |range: &str| u32::try_from(range.chars().count()).unwrap_or(u32::MAX);
        Span {
            line: self.line,
            column: chars(&self.text[..start]).saturating_add(1),
            width: chars(&self.text[start..end]),
            start: self.base + start,
            end: self.base + end,
        }
    }
}

/// Splits a text into lines. A text that ends with a line end has no further, empty line.
pub(crate) fn split(text: &str) -> Vec<(Place<'_>, Eol)> {
    let mut lines = Vec::new();
    let mut base = 0;
    let mut number = 1;
    while base < text.len() {
        let rest = &text[base..];
        let (body, eol, used) = match rest.find('\n') {
            None => (rest, Eol::None, rest.len()),
            Some(at) => match rest[..at].strip_suffix('\r') {
                Some(body) => (body, Eol::CrLf, at + 1),
                None => (&rest[..at], Eol::Lf, at + 1),
            },
        };
        lines.push((Place { text: body, line: number, base }, eol));
        base += used;
        number += 1;
    }
    lines
}
