//! Follows the forms of the grammar tables over the tokens of a line, and remembers how far the
//! best of them came and what it would have taken to go on.

use winnow::error::EmptyError;
use winnow::stream::{Stream, TokenSlice};

use super::caps::{Cap, Caps, Value};
use super::form::Elem;
use super::grammar::{Compiled, Grammar};
use super::lex::{Token, TokenKind};
use super::names::Declared;
use super::problem::Expected;
use super::span::{Place, Span};

/// The tokens that are left of a line.
pub(crate) type Tokens<'t> = TokenSlice<'t, Token<'t>>;

/// Whether a step succeeded; what was missing is in [`Reading::misses`].
pub(crate) type Step<T = ()> = Result<T, EmptyError>;

/// The furthest place that any form reached, and what could have stood there.
#[derive(Debug, Default)]
pub(crate) struct Misses {
    /// Token index.
    pub position: usize,
    clean: bool,
    /// What could have stood there.
    pub expected: Vec<Expected>,
}

/// A line that is being read.
pub(crate) struct Reading<'a> {
    pub grammar: &'static Grammar,
    pub declared: &'a Declared,
    pub place: Place<'a>,
    /// Byte of the line after its content.
    pub content_end: usize,
    /// How many tokens the line has.
    pub count: usize,
    pub misses: Misses,
}

impl Reading<'_> {
    /// Index of the next token.
    pub fn position(&self, input: &Tokens<'_>) -> usize {
        self.count - input.eof_offset()
    }

    /// The span of the next token, or the place after the last one.
    pub fn next_span(&self, input: &Tokens<'_>) -> Span {
        match input.peek_token() {
            Some(token) => self.place.span(token.start, token.end),
            None => self.place.span(self.content_end, self.content_end),
        }
    }

    /// Notes that something else was needed here.
    pub fn miss<T>(&mut self, input: &Tokens<'_>, caps: &Caps, expected: Expected) -> Step<T> {
        let here = (self.position(input), caps.mismatches == 0);
        let best = (self.misses.position, self.misses.clean);
        if self.misses.expected.is_empty() || here > best {
            self.misses = Misses { position: here.0, clean: here.1, expected: vec![expected] };
        } else if here == best && !self.misses.expected.contains(&expected) {
            self.misses.expected.push(expected);
        }
        Err(EmptyError)
    }

    /// The form that fits best and what it took: the first one with the fewest names that are
    /// declared as something else. `ends` says whether a sentence may end before a token.
    pub fn best<'f>(
        &mut self,
        forms: impl Iterator<Item = &'f Compiled>,
        input: &mut Tokens<'_>,
        ends: fn(&Token<'_>) -> bool,
    ) -> Step<(&'f Compiled, Caps)> {
        let start = input.checkpoint();
        let mut found = None;
        let mut fewest = usize::MAX;
        for form in forms {
            input.reset(&start);
            let mut caps = Caps::default();
            if self.follow(&form.elems, input, &mut caps).is_err() {
                continue;
            }
            if input.peek_token().is_some_and(|t| !ends(t)) {
                let _: Step = self.miss(input, &caps, Expected::End);
                continue;
            }
            if caps.mismatches < fewest {
                fewest = caps.mismatches;
                found = Some((form, caps, input.checkpoint()));
            }
        }
        match found {
            Some((form, caps, end)) => {
                input.reset(&end);
                Ok((form, caps))
            }
            None => {
                input.reset(&start);
                Err(EmptyError)
            }
        }
    }

    fn follow(&mut self, elems: &[Elem], input: &mut Tokens<'_>, caps: &mut Caps) -> Step {
        elems.iter().try_for_each(|elem| self.one(elem, input, caps))
    }

    /// Follows `elems`, or leaves everything as it was.
    fn attempt(&mut self, elems: &[Elem], input: &mut Tokens<'_>, caps: &mut Caps) -> Step {
        let start = input.checkpoint();
        let (taken, mismatches) = (caps.list.len(), caps.mismatches);
        self.follow(elems, input, caps).inspect_err(|_| {
            input.reset(&start);
            caps.list.truncate(taken);
            caps.mismatches = mismatches;
        })
    }

    fn one(&mut self, elem: &Elem, input: &mut Tokens<'_>, caps: &mut Caps) -> Step {
        match elem {
            Elem::Word(word) => self.word(word, input, caps),
            Elem::Comma => match input.peek_token() {
                Some(token) if token.kind == TokenKind::Comma => {
                    input.next_token();
                    Ok(())
                }
                _ => self.miss(input, caps, Expected::Comma),
            },
            Elem::Slot(row, name) => {
                let start = self.next_span(input);
                let value = self.value(row, input, caps)?;
                let end = input
                    .previous_tokens()
                    .next()
                    .map_or(start, |t| self.place.span(t.start, t.end));
                let span = start.to(end);
                caps.list.push(Cap { name, literal: false, value, span });
                Ok(())
            }
            Elem::Optional(inner) => {
                let _ = self.attempt(inner, input, caps);
                Ok(())
            }
            Elem::Many(inner) => {
                while self.attempt(inner, input, caps).is_ok() {}
                Ok(())
            }
            Elem::Choice(ways) => {
                let fits = ways.iter().any(|way| self.attempt(way, input, caps).is_ok());
                if fits {
                    Ok(())
                } else {
                    Err(EmptyError)
                }
            }
            Elem::Options { sets, needed } => self.options(sets, *needed, input, caps),
        }
    }

    fn word(&mut self, word: &'static str, input: &mut Tokens<'_>, caps: &mut Caps) -> Step {
        let span = self.next_span(input);
        match input.peek_token() {
            Some(token) if token.kind == TokenKind::Word && token.raw == word => {
                input.next_token();
                caps.list.push(Cap {
                    name: word,
                    literal: true,
                    value: Value::Text(word.to_owned()),
                    span,
                });
                Ok(())
            }
            _ => self.miss(input, caps, Expected::Word(word)),
        }
    }

    /// Each option at most once, in any order, commas before them as one likes.
    fn options(
        &mut self,
        sets: &[&str],
        needed: bool,
        input: &mut Tokens<'_>,
        caps: &mut Caps,
    ) -> Step {
        let grammar = self.grammar;
        let forms: Vec<&Compiled> = sets.iter().flat_map(|set| grammar.options(set)).collect();
        let mut used = vec![false; forms.len()];
        loop {
            let start = input.checkpoint();
            if input.peek_token().is_some_and(|t| t.kind == TokenKind::Comma) {
                input.next_token();
            }
            let next = (0..forms.len()).find(|&index| {
                !used[index] && self.attempt(&forms[index].elems, input, caps).is_ok()
            });
            match next {
                Some(index) => used[index] = true,
                None => {
                    input.reset(&start);
                    return if needed && !used.contains(&true) { Err(EmptyError) } else { Ok(()) };
                }
            }
        }
    }
}
