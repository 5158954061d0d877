//! Follows the forms of the grammar tables over the tokens of a line, and remembers how far the
//! best of them came and what it would have taken to go on.

use winnow::error::EmptyError;
use winnow::stream::{Stream, TokenSlice};

use super::caps::{Cap, Caps, Value};
use super::condition::QueueName;
use super::form::Elem;
use super::grammar::{Compiled, Grammar};
use super::lex::{Token, TokenKind};
use super::names::Declared;
use super::problem::Expected;
use super::slot::{NameKind, Reader, SlotRow};
use super::span::{Name, Place, Span, Spanned};
use super::value;
use crate::command::Label;
use crate::model::{Model, NEVER};

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

    fn value(
        &mut self,
        row: &'static SlotRow,
        input: &mut Tokens<'_>,
        caps: &mut Caps,
    ) -> Step<Value> {
        let taken = match row.reader {
            Reader::Labels => return self.labels(row, input, caps),
            Reader::Queue => self.queue(input),
            Reader::Words => words(input),
            Reader::Text => self.text(input),
            _ => self.simple(row, input, caps),
        };
        match taken {
            Some(value) => Ok(value),
            None => self.miss(input, caps, Expected::Value(row)),
        }
    }

    /// A value that is one token.
    fn simple(&mut self, row: &SlotRow, input: &mut Tokens<'_>, caps: &mut Caps) -> Option<Value> {
        let token = input.peek_token()?;
        let word = token.text()?;
        let value = match row.reader {
            Reader::Time => Value::Ms(value::time(word)?),
            Reader::TimeRange => {
                value::time_range(word).map(|(from, to)| Value::Range(from, to))?
            }
            Reader::Number(min, max) => {
                Value::Number(whole(word).filter(|n| (min..=max).contains(n))?)
            }
            Reader::Decimal => Value::Number(i64::from(value::hundredths(word)?)),
            Reader::Value if word == "never" => Value::Number(NEVER),
            Reader::Value => Value::Number(whole(word).or_else(|| value::time(word))?),
            Reader::Label => Value::Labels(vec![Spanned {
                value: value::label(word)?,
                span: self.next_span(input),
            }]),
            Reader::Keyword(words) => {
                let known = words().contains(&word)
                    || (row.kind == "model" && Model::named(word).is_some());
                known.then(|| Value::Text(word.to_owned()))?
            }
            Reader::Name(kind) | Reader::NewName(kind) => {
                if kind == NameKind::Series && !value::is_series(word) {
                    return None;
                }
                if matches!(row.reader, Reader::Name(_)) && self.declared.differs(word, kind) {
                    caps.mismatches += 1;
                }
                (!word.is_empty()).then(|| Value::Text(word.to_owned()))?
            }
            _ => Value::Text(word.to_owned()),
        };
        input.next_token();
        Some(value)
    }

    /// Labels and ranges, with or without commas between them.
    fn labels(
        &mut self,
        row: &'static SlotRow,
        input: &mut Tokens<'_>,
        caps: &Caps,
    ) -> Step<Value> {
        let mut labels: Vec<Spanned<Label>> = Vec::new();
        loop {
            let start = input.checkpoint();
            if !labels.is_empty() && input.peek_token().is_some_and(|t| t.kind == TokenKind::Comma)
            {
                input.next_token();
            }
            let range = input.peek_token().and_then(|t| value::label_range(t.text()?));
            match range {
                Some((first, last)) if labels.len() < value::RANGE_MAX as usize => {
                    let span = self.next_span(input);
                    input.next_token();
                    let label = |number| Label { series: first.series.clone(), number };
                    labels.extend(
                        (first.number..=last).map(|number| Spanned { value: label(number), span }),
                    );
                }
                _ => {
                    let missed: Step<Value> = self.miss(input, caps, Expected::Value(row));
                    input.reset(&start);
                    return if labels.is_empty() { missed } else { Ok(Value::Labels(labels)) };
                }
            }
        }
    }

    fn queue(&self, input: &mut Tokens<'_>) -> Option<Value> {
        let start = input.checkpoint();
        let mut next = || {
            let span = self.next_span(input);
            let word = input.peek_token().and_then(Token::text)?.to_owned();
            input.next_token();
            Some(Spanned { value: word, span })
        };
        let queue = next().and_then(|first: Name| match value::queue_id(&first.value) {
            Some(id) => {
                Some(QueueName { topic: None, id: Spanned { value: id, span: first.span } })
            }
            None => {
                let second = next()?;
                let id = Spanned { value: value::queue_id(&second.value)?, span: second.span };
                Some(QueueName { topic: Some(first), id })
            }
        });
        if queue.is_none() {
            input.reset(&start);
        }
        queue.map(Value::Queue)
    }

    fn text(&self, input: &mut Tokens<'_>) -> Option<Value> {
        let start = input.peek_token()?.start;
        input.finish();
        Some(Value::Text(self.place.text.get(start..self.content_end)?.to_owned()))
    }
}

/// All tokens that are left: one quoted text as it is, or words with one blank between them.
fn words(input: &mut Tokens<'_>) -> Option<Value> {
    let tokens = input.finish();
    let text = match tokens {
        [] => return None,
        [one] => one.text()?.to_owned(),
        _ => tokens.iter().map(|t| t.raw).collect::<Vec<_>>().join(" "),
    };
    Some(Value::Text(text))
}

/// A whole number, with thin grouping allowed nowhere: digits only, a sign in front at most.
fn whole(word: &str) -> Option<i64> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    (!digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())).then(|| word.parse().ok())?
}
