//! What a form has taken from a line.

use super::condition::QueueName;
use super::span::{Name, Span, Spanned};
use crate::command::Label;
use crate::ids::Ms;

/// A value that a form has taken.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// A word, name or text.
    Text(String),
    /// A time, in ms.
    Ms(Ms),
    /// Two times, in ms.
    Range(Ms, Ms),
    /// A number.
    Number(i64),
    /// Message labels.
    Labels(Vec<Spanned<Label>>),
    /// A queue.
    Queue(QueueName),
}

/// A value with the name that it is stored under; literal words are stored as themselves.
#[derive(Clone, Debug)]
pub(crate) struct Cap {
    pub name: &'static str,
    pub literal: bool,
    pub value: Value,
    pub span: Span,
}

/// What a form has taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caps {
    pub list: Vec<Cap>,
    /// How many names are declared as something else than the form needs.
    pub mismatches: usize,
}

impl Caps {
    /// Whether a literal word was taken.
    pub fn has(&self, word: &str) -> bool {
        self.list.iter().any(|cap| cap.literal && cap.name == word)
    }

    /// The value stored under a name.
    pub fn get(&self, name: &str) -> Option<&Cap> {
        self.list.iter().find(|cap| !cap.literal && cap.name == name)
    }

    /// A word or text.
    pub fn text(&self, name: &str) -> Option<String> {
        self.name(name).map(|name| name.value)
    }

    /// A word or text with its place.
    pub fn name(&self, name: &str) -> Option<Name> {
        self.get(name).and_then(Cap::name)
    }

    /// A time in ms.
    pub fn ms(&self, name: &str) -> Option<Ms> {
        match self.get(name)?.value {
            Value::Ms(ms) => Some(ms),
            _ => None,
        }
    }

    /// A number that fits into `T`.
    pub fn number<T: TryFrom<i64>>(&self, name: &str) -> Option<T> {
        match self.get(name)?.value {
            Value::Number(number) => T::try_from(number).ok(),
            _ => None,
        }
    }

    /// A number with its place.
    pub fn placed_number(&self, name: &str) -> Option<Spanned<i64>> {
        let cap = self.get(name)?;
        match cap.value {
            Value::Number(value) => Some(Spanned { value, span: cap.span }),
            _ => None,
        }
    }

    /// Labels with their places.
    pub fn labels(&self, name: &str) -> Option<Vec<Spanned<Label>>> {
        match &self.get(name)?.value {
            Value::Labels(labels) => Some(labels.clone()),
            _ => None,
        }
    }

    /// One label with its place.
    pub fn label(&self, name: &str) -> Option<Spanned<Label>> {
        self.labels(name)?.into_iter().next()
    }

    /// A queue.
    pub fn queue(&self, name: &str) -> Option<QueueName> {
        match &self.get(name)?.value {
            Value::Queue(queue) => Some(queue.clone()),
            _ => None,
        }
    }
}

impl Cap {
    /// A word or text with its place.
    pub fn name(&self) -> Option<Name> {
        match &self.value {
            Value::Text(text) => Some(Spanned { value: text.clone(), span: self.span }),
            _ => None,
        }
    }
}
