//! The names that a scenario declares, collected before its lines are read so that a message
//! about `billing` can speak of consumer groups.

use std::collections::{BTreeMap, BTreeSet};

use super::lex::{lex, Token};
use super::slot::NameKind;
use super::span::Place;
use super::value::{label_range, queue_id};

/// Names and what they name; a name may be declared as several things.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    names: BTreeMap<String, Vec<NameKind>>,
    /// Series that are declared, or that messages of are sent.
    series: BTreeSet<String>,
}

/// The parties that are always there.
pub(crate) const ALWAYS: [(&str, NameKind); 2] =
    [(BROKER, NameKind::Broker), ("proxy", NameKind::Proxy)];

/// The first broker.
pub(crate) const BROKER: &str = "broker";

impl Declared {
    /// Looks through all lines for declarations; lines that cannot be read count too.
    pub fn collect<'a>(lines: impl Iterator<Item = Place<'a>>) -> Self {
        let mut declared = Declared::default();
        for (name, kind) in ALWAYS {
            declared.add(name, kind);
        }
        for place in lines {
            let lexed = lex(place.text, false);
            let words: Vec<&str> = lexed.tokens.iter().filter_map(Token::text).collect();
            let sentence = match words.as_slice() {
                ["at", _, rest @ ..] => rest,
                all => all,
            };
            match sentence {
                ["topic", name, ..] => declared.add(name, NameKind::Topic),
                ["group", name, ..] => declared.add(name, NameKind::Group),
                ["add", "broker", name, ..] => declared.add(name, NameKind::Broker),
                ["add", "proxy", name, ..] => declared.add(name, NameKind::Proxy),
                ["producer", name, ..] => declared.add(name, NameKind::Producer),
                ["consumer", name, ..] | [name, "joins", ..] => {
                    declared.add(name, NameKind::Consumer)
                }
                ["series", name, ..] => {
                    declared.series.insert((*name).to_owned());
                }
                [_, "sends", labels @ ..] => {
                    let series = labels.iter().filter_map(|word| label_range(word));
                    declared.series.extend(series.map(|(first, _)| first.series));
                }
                _ => {}
            }
        }
        declared
    }

    fn add(&mut self, name: &str, kind: NameKind) {
        let kinds = self.names.entry(name.to_owned()).or_default();
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }

    /// Whether a word that stands for a name is declared as something else than is needed, or is
    /// the label of a message.
    pub fn differs(&self, name: &str, needed: NameKind) -> bool {
        let fits = |kind: &NameKind| needed == NameKind::Series || kind.serves(needed);
        match self.names.get(name) {
            Some(kinds) => !kinds.iter().any(fits),
            None => needed != NameKind::Series && self.is_label(name),
        }
    }

    /// Whether a name is declared as a thing of a kind.
    pub fn is(&self, name: &str, kind: NameKind) -> bool {
        self.names.get(name).is_some_and(|kinds| kinds.iter().any(|k| k.serves(kind)))
    }

    /// Whether a word that looks like a label is a declared name or a queue instead.
    pub fn is_no_label(&self, word: &str) -> bool {
        let other = self.names.contains_key(word) || queue_id(word).is_some();
        other && !self.is_label(word)
    }

    /// Whether a word is the label of a message of a known series.
    pub fn is_label(&self, word: &str) -> bool {
        label_range(word).is_some_and(|(first, _)| self.series.contains(&first.series))
    }

    /// What the name is declared as; the first kind when there are several.
    pub fn kind(&self, name: &str) -> Option<NameKind> {
        self.names.get(name).and_then(|kinds| kinds.first().copied())
    }

    /// All names of a kind, in alphabetical order.
    pub fn of(&self, kind: NameKind) -> impl Iterator<Item = &str> {
        let fits = move |kinds: &[NameKind]| kinds.iter().any(|k| k.serves(kind));
        self.names.iter().filter(move |(_, kinds)| fits(kinds)).map(|(name, _)| name.as_str())
    }
}
