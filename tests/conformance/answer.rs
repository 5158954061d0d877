//! What the core computed for a case, and its comparison with what is expected.

use super::case::{Case, Trouble, PROSE};
use serde_json::Value;
use std::collections::BTreeMap;

/// One computed value.
#[derive(Clone, Debug)]
pub enum Got {
    /// Must be equal; a number that is written with fewer digits must be the rounded one.
    Exactly(Value),
    /// The expected text must begin with this, because it goes on with an explanation.
    Beginning(String),
    /// The expected text must contain this, because it embeds it in an explanation.
    Containing(String),
    /// The expected pair must hold this between its ends, both included.
    Between(i64),
    /// The expected number must not be below this.
    AtMost(i64),
}

/// All values computed for a case, by the names that `expect` uses.
#[derive(Default)]
pub struct Answer(BTreeMap<String, Got>);

/// What a handler returns.
pub type Outcome = Result<Answer, Trouble>;

impl Answer {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.set(key, value);
        self
    }

    /// Adds a value.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), Got::Exactly(value.into()));
    }

    /// Adds a text that the expected one must begin with.
    pub fn beginning(mut self, key: &str, text: &str) -> Self {
        self.0.insert(key.to_owned(), Got::Beginning(text.to_owned()));
        self
    }

    /// Adds a text that the expected one must contain.
    pub fn containing(mut self, key: &str, text: &str) -> Self {
        self.0.insert(key.to_owned(), Got::Containing(text.to_owned()));
        self
    }

    /// Adds a number that the expected pair must hold between its ends.
    pub fn between(mut self, key: &str, number: i64) -> Self {
        self.0.insert(key.to_owned(), Got::Between(number));
        self
    }

    /// Adds a number that the expected one must not be below.
    pub fn at_most(mut self, key: &str, number: i64) -> Self {
        self.0.insert(key.to_owned(), Got::AtMost(number));
        self
    }

    /// Everything that does not agree. Every expected key that is not prose must have been computed.
    pub fn differences(&self, case: &Case) -> Result<Vec<String>, Trouble> {
        let mut wrong = Vec::new();
        for (key, expected) in case.expectations() {
            if PROSE.contains(&key.as_str()) {
                continue;
            }
            let Some(got) = self.0.get(key) else {
                return Trouble::unsupported(format!("nobody computes `{key}`"));
            };
            if !got.agrees(expected) {
                wrong.push(format!("{key}: expected {expected}, got {}", got.show()));
            }
        }
        Ok(wrong)
    }
}

impl Got {
    fn agrees(&self, expected: &Value) -> bool {
        match (self, expected) {
            (Self::Exactly(got), expected) => same(got, expected),
            (Self::Beginning(text), Value::String(expected)) => expected.starts_with(text.as_str()),
            (Self::Containing(text), Value::String(expected)) => expected.contains(text.as_str()),
            (Self::Between(number), Value::Array(ends)) => match ends.as_slice() {
                [low, high] => {
                    low.as_i64().is_some_and(|low| low <= *number)
                        && high.as_i64().is_some_and(|high| *number <= high)
                }
                _ => false,
            },
            (Self::AtMost(number), expected) => {
                expected.as_i64().is_some_and(|most| *number <= most)
            }
            _ => false,
        }
    }

    fn show(&self) -> String {
        match self {
            Self::Exactly(value) => value.to_string(),
            Self::Beginning(text) => format!("\"{text}…\""),
            Self::Containing(text) => format!("\"…{text}…\""),
            Self::Between(number) | Self::AtMost(number) => number.to_string(),
        }
    }
}

fn same(got: &Value, expected: &Value) -> bool {
    match (got, expected) {
        (Value::Number(a), Value::Number(b)) if a.is_f64() || b.is_f64() => {
            let digits = b.to_string().split_once('.').map_or(0, |(_, digits)| digits.len() as i32);
            let (Some(a), Some(b)) = (a.as_f64(), b.as_f64()) else { return false };
            (a - b).abs() <= 0.5 * 10_f64.powi(-digits) + 1e-9
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && b.iter().all(|(key, b)| a.get(key).is_some_and(|a| same(a, b)))
        }
        _ => got == expected,
    }
}
