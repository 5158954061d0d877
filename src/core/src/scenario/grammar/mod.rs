//! The grammar as tables: every form with its meaning, default and example. The parser, the
//! completion and the reference all come from them.

mod actions;
mod conditions;
mod consumers;
mod declarations;
mod faults;
mod heads;
mod judging;
mod options;
mod sends;

use std::sync::OnceLock;

use super::action::Action;
use super::ast::Statement;
use super::caps::Caps;
use super::condition::Term;
use super::form::{self, Elem};

/// One form of the language.
pub struct Form {
    /// The form in the tables' notation.
    pub form: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What holds when it, or an optional part of it, is left out; empty when nothing has to be said.
    pub default: &'static str,
    /// A line (or part of one) that uses it.
    pub example: &'static str,
    pub(crate) make: Make,
}

/// What a form that fits turns into.
#[derive(Clone, Copy)]
pub(crate) enum Make {
    /// A statement.
    Statement(fn(&Caps) -> Option<Statement>),
    /// Something to do.
    Action(fn(&Caps) -> Option<Action>),
    /// A term of a condition.
    Term(fn(&Caps) -> Option<Term>),
    /// A statement that contains another kind of sentence; [`super::read`] knows it.
    Sentence,
    /// A part of other forms.
    Part,
}

/// A group of forms.
pub struct Section {
    /// Name; forms refer to option sets by it.
    pub name: &'static str,
    /// Heading in the reference.
    pub title: &'static str,
    /// What the forms have in common.
    pub intro: &'static str,
    /// The forms.
    pub forms: &'static [Form],
}

/// All forms.
pub const GRAMMAR: &[Section] = &[
    heads::TEXTS,
    heads::SETTINGS,
    declarations::DECLARATIONS,
    heads::TIMED,
    actions::ACTIONS,
    sends::SENDS,
    consumers::CONSUMERS,
    faults::FAULTS,
    heads::EXPECTATIONS,
    conditions::CONDITIONS,
    heads::LESSON,
    options::QUEUE_COUNTS,
    options::GROUP,
    options::PRODUCER,
    options::SDK,
    consumers::CONSUMER,
    consumers::RECEIVE,
    sends::PACE,
    sends::MESSAGE,
    sends::SEND,
    sends::TRANSACTION,
    sends::LOAD,
    options::RULE,
    options::WHERE_RULE,
    judging::TIMES,
    judging::WHEN,
    judging::PLACE,
];

/// Shortens the tables.
const fn form(
    form: &'static str,
    meaning: &'static str,
    default: &'static str,
    example: &'static str,
    make: Make,
) -> Form {
    Form { form, meaning, default, example, make }
}

/// A form that is ready to be followed.
pub(crate) struct Compiled {
    pub elems: Vec<Elem>,
    pub make: Make,
}

impl Compiled {
    /// The literal word that the form begins with.
    pub fn first_word(&self) -> Option<&'static str> {
        match self.elems.first() {
            Some(Elem::Word(word)) => Some(word),
            _ => None,
        }
    }
}

/// All forms, ready to be followed.
pub(crate) struct Grammar {
    sections: Vec<(&'static str, Vec<Compiled>)>,
    /// Statements that may begin a line, declarations included.
    pub heads: Vec<Compiled>,
    /// What may follow `at` and a time.
    pub timed: Vec<Compiled>,
    /// Terms of conditions.
    pub conditions: Vec<Compiled>,
}

impl Grammar {
    /// The grammar; compiled when it is first asked for.
    pub fn get() -> &'static Grammar {
        static GRAMMAR_COMPILED: OnceLock<Grammar> = OnceLock::new();
        GRAMMAR_COMPILED.get_or_init(|| {
            let of =
                |sections: &[&Section]| sections.iter().flat_map(|s| compile(s.forms)).collect();
            Grammar {
                sections: GRAMMAR.iter().map(|s| (s.name, compile(s.forms))).collect(),
                heads: of(&[
                    &heads::TEXTS,
                    &heads::SETTINGS,
                    &declarations::DECLARATIONS,
                    &heads::TIMED,
                    &heads::EXPECTATIONS,
                    &heads::LESSON,
                ]),
                timed: of(&[
                    &actions::ACTIONS,
                    &sends::SENDS,
                    &consumers::CONSUMERS,
                    &faults::FAULTS,
                    &declarations::DECLARATIONS,
                ]),
                conditions: of(&[&conditions::CONDITIONS]),
            }
        })
    }

    /// The options of a set.
    pub fn options(&self, set: &str) -> &[Compiled] {
        self.sections.iter().find(|(name, _)| *name == set).map_or(&[], |(_, forms)| forms)
    }
}

fn compile(forms: &'static [Form]) -> Vec<Compiled> {
    forms
        .iter()
        .filter_map(|f| Some(Compiled { elems: form::read(f.form)?, make: f.make }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_the_tables_is_a_form() {
        for section in GRAMMAR {
            for row in section.forms {
                assert!(form::read(row.form).is_some(), "{}", row.form);
            }
        }
    }

    #[test]
    fn every_option_set_exists() {
        fn sets(elems: &[Elem], found: &mut Vec<&'static str>) {
            for elem in elems {
                match elem {
                    Elem::Options { sets, .. } => found.extend(sets),
                    Elem::Optional(inner) | Elem::Many(inner) => sets(inner, found),
                    Elem::Choice(ways) => ways.iter().for_each(|way| sets(way, found)),
                    _ => {}
                }
            }
        }
        let grammar = Grammar::get();
        for (_, forms) in &grammar.sections {
            for form in forms {
                let mut found = Vec::new();
                sets(&form.elems, &mut found);
                for set in found {
                    assert!(!grammar.options(set).is_empty(), "{set}");
                }
            }
        }
    }
}
