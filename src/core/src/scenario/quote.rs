//! Lines of a text as they stand there, each with all commands that it makes: what is offered in place of one
//! has to stand for the whole line.

use super::lex::comment_start;
use super::Program;

/// A line of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// It, from 1.
    pub line: u32,
    /// Its words, without a comment.
    pub text: String,
    /// The numbers of its commands in the journal, in their order.
    pub commands: Vec<u32>,
}

impl Program {
    /// The line of a command in the text that the program was read from; None for a command of other origin,
    /// by hand for example.
    pub fn quote(&self, text: &str, index: u32) -> Option<Quote> {
        let line = self.line_of(index)?;
        let own = text.lines().nth(line as usize - 1)?;
        let words = own[..comment_start(own, false).unwrap_or(own.len())].trim();
        let words = match words.contains('"') {
            // Inside quotes each space counts.
            true => words.to_owned(),
            false => words.split_whitespace().collect::<Vec<_>>().join(" "),
        };
        let all = (0..).zip(&self.commands).filter(|(_, planned)| planned.line == line);
        Some(Quote { line, text: words, commands: all.map(|(index, _)| index).collect() })
    }
}
