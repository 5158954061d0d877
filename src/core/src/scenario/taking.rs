//! Takes values from the tokens of a line.

use winnow::stream::Stream;

use super::caps::{Caps, Value};
use super::condition::QueueName;
use super::lex::{Token, TokenKind};
use super::matcher::{Reading, Step, Tokens};
use super::problem::Expected;
use super::slot::{NameKind, Reader, SlotRow};
use super::span::{Name, Spanned};
use super::value;
use super::words::grpc_code;
use crate::command::Label;
use crate::model::{Model, NEVER};

impl Reading<'_> {
    /// Takes a value of a kind, or notes that one was needed.
    pub(super) fn value(
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
            Reader::Percent => {
                let digits = word.strip_suffix('%')?;
                Value::Number(whole(digits).filter(|n| (0..=100).contains(n))?)
            }
            Reader::Code | Reader::GrpcCode => {
                let known = grpc_code(word).map(|code| i64::from(code.number()));
                let any = || match row.reader {
                    Reader::Code => whole(word).filter(|n| (0..=99_999).contains(n)),
                    _ => None,
                };
                Value::Number(known.or_else(any)?)
            }
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
        caps: &mut Caps,
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
                    let word = input.next_token().and_then(Token::text).unwrap_or_default();
                    caps.mismatches += usize::from(self.declared.is_no_label(word));
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
                let id = Spanned { value: id, span: first.span };
                Some(QueueName { topic: None, id, broker: None })
            }
            None => {
                let second = next()?;
                let id = Spanned { value: value::queue_id(&second.value)?, span: second.span };
                Some(QueueName { topic: Some(first), id, broker: None })
            }
        });
        if queue.is_none() {
            input.reset(&start);
        }
        queue.map(|queue| Value::Queue(QueueName { broker: self.on_broker(input), ..queue }))
    }

    /// `on b` behind a queue, when `b` is a broker.
    fn on_broker(&self, input: &mut Tokens<'_>) -> Option<Name> {
        let start = input.checkpoint();
        let on = input.next_token().is_some_and(|t| t.kind == TokenKind::Word && t.raw == "on");
        let span = self.next_span(input);
        let name = input.next_token().and_then(Token::text).map(str::to_owned);
        match name.filter(|name| on && self.declared.is(name, NameKind::Broker)) {
            Some(value) => Some(Spanned { value, span }),
            None => {
                input.reset(&start);
                None
            }
        }
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
