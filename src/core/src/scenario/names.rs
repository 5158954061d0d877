//! The names that a scenario declares, collected before its lines are read so that a message
//! about `billing` can speak of consumer groups.

use std::collections::BTreeMap;

use super::lex::{lex, Token};
use super::slot::NameKind;
use super::span::Place;

/// Names and what they name; a name may be declared as several things.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    names: BTreeMap<String, Vec<NameKind>>,
}

/// The party that is always there.
pub(crate) const BROKER: &str = "broker";

impl Declared {
    /// Looks through all lines for declarations; lines that cannot be read count too.
    pub fn collect<'a>(lines: impl Iterator<Item = Place<'a>>) -> Self {
        let mut declared = Declared::default();
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
                ["producer", name, ..] => declared.add(name, NameKind::Producer),
                ["consumer", name, ..] | [name, "joins", ..] => {
                    declared.add(name, NameKind::Consumer)
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

    /// Whether the name is declared, but not as what is needed.
    pub fn differs(&self, name: &str, needed: NameKind) -> bool {
        let fits = |kind: &NameKind| match needed {
            NameKind::Party => matches!(kind, NameKind::Producer | NameKind::Consumer),
            NameKind::Series => true,
            _ => *kind == needed,
        };
        self.names.get(name).is_some_and(|kinds| !kinds.iter().any(fits))
    }

    /// What the name is declared as; the first kind when there are several.
    pub fn kind(&self, name: &str) -> Option<NameKind> {
        self.names.get(name).and_then(|kinds| kinds.first().copied())
    }

    /// All names of a kind, in alphabetical order.
    pub fn of(&self, kind: NameKind) -> impl Iterator<Item = &str> {
        let broker = (kind == NameKind::Party).then_some(BROKER);
        let fits = move |kinds: &[NameKind]| match kind {
            NameKind::Party => {
                kinds.iter().any(|k| matches!(k, NameKind::Producer | NameKind::Consumer))
            }
            _ => kinds.contains(&kind),
        };
        let named = self.names.iter().filter(move |(_, kinds)| fits(kinds));
        broker.into_iter().chain(named.map(|(name, _)| name.as_str()))
    }
}
