//! One case of the collection, and what a handler may learn about it. A handler sees everything that
//! is given but only the names of what is expected, so it cannot answer with the expectation.

use serde_json::{Map, Value};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Keys of `expect` that explain to people and state nothing that could be computed.
pub const PROSE: &[&str] = &["note", "rule", "effect", "reason", "bound", "naive_failure"];

/// Why a case has no result that could be compared.
#[derive(Debug)]
pub enum Trouble {
    /// Nobody knows this form, or a part of it.
    Unsupported(String),
    /// It belongs to a part of the product that comes later.
    Pending(&'static str),
    /// A condition that the case states itself does not hold.
    Wrong(String),
}

impl Trouble {
    pub fn unsupported<T>(what: impl Into<String>) -> Result<T, Self> {
        Err(Self::Unsupported(what.into()))
    }
}

/// A case.
pub struct Case {
    pub id: String,
    pub area: String,
    pub when: String,
    given: Map<String, Value>,
    expect: Map<String, Value>,
    read: RefCell<BTreeSet<String>>,
}

impl Case {
    /// Reads one element of the collection.
    pub fn parse(value: &Value) -> Result<Self, String> {
        let text = |key: &str| match value.get(key) {
            Some(Value::String(text)) => Ok(text.clone()),
            _ => Err(format!("no text `{key}` in {value}")),
        };
        let object = |key: &str| match value.get(key) {
            Some(Value::Object(map)) => Ok(map.clone()),
            _ => Err(format!("no object `{key}` in {value}")),
        };
        Ok(Self {
            id: text("id")?,
            area: text("area")?,
            when: text("when")?,
            given: object("given")?,
            expect: object("expect")?,
            read: RefCell::default(),
        })
    }

    /// What is expected; for the comparison only.
    pub fn expectations(&self) -> &Map<String, Value> {
        &self.expect
    }

    /// Whether `when` contains these words, in any case.
    pub fn says(&self, words: &str) -> bool {
        self.when.to_lowercase().contains(&words.to_lowercase())
    }

    /// Whether a key is given.
    pub fn has(&self, key: &str) -> bool {
        self.given.contains_key(key)
    }

    /// Whether a key is expected.
    pub fn asks(&self, key: &str) -> bool {
        self.expect.contains_key(key)
    }

    /// The names of what is expected, without the prose.
    pub fn asked(&self) -> impl Iterator<Item = &str> {
        self.expect.keys().map(String::as_str).filter(|key| !PROSE.contains(key))
    }

    /// The names inside an expected object.
    pub fn asked_in(&self, key: &str) -> Vec<&str> {
        match self.expect.get(key) {
            Some(Value::Object(map)) => map.keys().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// How many elements an expected list has.
    pub fn asked_len(&self, key: &str) -> Option<usize> {
        self.expect.get(key)?.as_array().map(Vec::len)
    }

    /// The given value, without counting it as used: for recognising a form.
    pub fn peek(&self, key: &str) -> Option<&Value> {
        self.given.get(key)
    }

    /// The names of what is given.
    pub fn given_keys(&self) -> impl Iterator<Item = &str> {
        self.given.keys().map(String::as_str)
    }

    /// Whether any given text, or `when`, contains these words, in any case.
    pub fn mentions(&self, words: &str) -> bool {
        let words = words.to_lowercase();
        let texts = self.given.values().filter_map(Value::as_str);
        self.says(&words) || texts.into_iter().any(|text| text.to_lowercase().contains(&words))
    }

    /// The given value, if there is one.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let value = self.given.get(key)?;
        self.read.borrow_mut().insert(key.to_owned());
        Some(value)
    }

    /// The given value.
    pub fn value(&self, key: &str) -> Result<&Value, Trouble> {
        self.get(key).ok_or_else(|| Trouble::Unsupported(format!("`{key}` is not given")))
    }

    /// A given whole number.
    pub fn int(&self, key: &str) -> Result<i64, Trouble> {
        let value = self.value(key)?;
        value.as_i64().ok_or_else(|| Trouble::Unsupported(format!("`{key}` is not a whole number")))
    }

    /// A given whole number of a narrower type.
    pub fn number<T: TryFrom<i64>>(&self, key: &str) -> Result<T, Trouble> {
        let value = self.int(key)?;
        T::try_from(value).map_err(|_| Trouble::Unsupported(format!("`{key}` is out of range")))
    }

    /// A given whole number, or what holds when it is not given.
    pub fn int_or(&self, key: &str, otherwise: i64) -> Result<i64, Trouble> {
        if self.has(key) {
            self.int(key)
        } else {
            Ok(otherwise)
        }
    }

    /// A given truth value, or what holds when it is not given.
    pub fn flag_or(&self, key: &str, otherwise: bool) -> Result<bool, Trouble> {
        match self.get(key) {
            None => Ok(otherwise),
            Some(Value::Bool(value)) => Ok(*value),
            Some(_) => Trouble::unsupported(format!("`{key}` is neither true nor false")),
        }
    }

    /// A given text.
    pub fn text(&self, key: &str) -> Result<&str, Trouble> {
        let value = self.value(key)?;
        value.as_str().ok_or_else(|| Trouble::Unsupported(format!("`{key}` is not a text")))
    }

    /// A given list.
    pub fn list(&self, key: &str) -> Result<&[Value], Trouble> {
        match self.value(key)? {
            Value::Array(list) => Ok(list),
            _ => Trouble::unsupported(format!("`{key}` is not a list")),
        }
    }

    /// A given list of whole numbers.
    pub fn ints(&self, key: &str) -> Result<Vec<i64>, Trouble> {
        let read = |value: &Value| value.as_i64();
        let all: Option<Vec<i64>> = self.list(key)?.iter().map(read).collect();
        all.ok_or_else(|| Trouble::Unsupported(format!("`{key}` is not a list of whole numbers")))
    }

    /// A given list of texts.
    pub fn texts(&self, key: &str) -> Result<Vec<&str>, Trouble> {
        let all: Option<Vec<&str>> = self.list(key)?.iter().map(Value::as_str).collect();
        all.ok_or_else(|| Trouble::Unsupported(format!("`{key}` is not a list of texts")))
    }

    /// A given object.
    pub fn object(&self, key: &str) -> Result<&Map<String, Value>, Trouble> {
        let value = self.value(key)?;
        value.as_object().ok_or_else(|| Trouble::Unsupported(format!("`{key}` is not an object")))
    }

    /// Fails unless the given value, if there is one, is this one: for conditions that a case states
    /// and that the core fixes.
    pub fn must_be(&self, key: &str, value: impl Into<Value>) -> Result<(), Trouble> {
        let value = value.into();
        match self.get(key) {
            Some(given) if *given != value => {
                Err(Trouble::Wrong(format!("`{key}`: given {given}, the core has {value}")))
            }
            _ => Ok(()),
        }
    }

    /// Fails as unsupported unless the given value, if there is one, is this one: for conditions that
    /// choose a form of the case.
    pub fn only_if(&self, key: &str, value: impl Into<Value>) -> Result<(), Trouble> {
        let value = value.into();
        match self.get(key) {
            Some(given) if *given != value => Trouble::unsupported(format!("`{key}` = {given}")),
            _ => Ok(()),
        }
    }

    /// The whole numbers that `when` mentions, in order; `a..b` stands for the whole range.
    pub fn numbers_said(&self) -> Vec<i64> {
        numbers_in(&self.when)
    }

    /// What was given and read by nobody: a part of the form that the handler does not know.
    pub fn unread(&self) -> Vec<String> {
        let read = self.read.borrow();
        self.given.keys().filter(|key| !read.contains(*key)).cloned().collect()
    }
}

/// The whole numbers in a text; `a..b` stands for the whole range. Digits that belong to a word
/// (`q0`, `4.x`) do not count.
pub fn numbers_in(text: &str) -> Vec<i64> {
    let mut found = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || "(),;[]=".contains(c)) {
        if let Some((from, to)) = word.split_once("..") {
            if let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>()) {
                found.extend(from..=to);
            }
        } else if let Ok(number) = word.parse() {
            found.push(number);
        }
    }
    found
}
