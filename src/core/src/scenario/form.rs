//! The notation of the grammar tables: a form such as
//! `<producer> sends <labels> {send}` is read here and followed by [`super::matcher`].
//!
//! Words stand for themselves, `<kind:name>` is a value, `[..]` may be missing, `[..]*` may be
//! repeated, `(a | b)` is a choice, `{set other}` is any selection of the options of these sets in
//! any order with or without commas, `{set}+` at least one of them.

use winnow::combinator::{alt, delimited, opt, preceded, repeat, separated};
use winnow::error::EmptyError;
use winnow::prelude::*;
use winnow::token::take_while;

use super::slot::{slot, SlotRow};

/// One part of a form.
#[derive(Clone, Debug)]
pub(crate) enum Elem {
    /// A literal word.
    Word(&'static str),
    /// A comma.
    Comma,
    /// A value and the name that it is stored under.
    Slot(&'static SlotRow, &'static str),
    /// May be missing.
    Optional(Vec<Elem>),
    /// Any number of times.
    Many(Vec<Elem>),
    /// The first that fits.
    Choice(Vec<Vec<Elem>>),
    /// A selection of the options of some sets.
    Options {
        /// The sets' names.
        sets: Vec<&'static str>,
        /// Whether there has to be one.
        needed: bool,
    },
}

type Answer<T> = Result<T, EmptyError>;

/// Reads a form. None when the table holds something that is not a form; a test sees to that.
pub(crate) fn read(form: &'static str) -> Option<Vec<Elem>> {
    sequence.parse(form).ok()
}

fn blank(input: &mut &'static str) -> Answer<()> {
    take_while(0.., ' ').void().parse_next(input)
}

fn sequence(input: &mut &'static str) -> Answer<Vec<Elem>> {
    let elems: Vec<Elem> = repeat(0.., preceded(blank, elem)).parse_next(input)?;
    blank(input)?;
    Ok(elems)
}

fn choice(input: &mut &'static str) -> Answer<Vec<Vec<Elem>>> {
    separated(1.., sequence, '|').parse_next(input)
}

fn elem(input: &mut &'static str) -> Answer<Elem> {
    alt((
        ','.value(Elem::Comma),
        value,
        options,
        delimited('(', choice, ')').map(Elem::Choice),
        (delimited('[', choice, ']'), opt('*')).map(|(mut ways, star)| {
            let inner = if ways.len() == 1 { ways.remove(0) } else { vec![Elem::Choice(ways)] };
            if star.is_some() {
                Elem::Many(inner)
            } else {
                Elem::Optional(inner)
            }
        }),
        name.map(Elem::Word),
    ))
    .parse_next(input)
}

fn name(input: &mut &'static str) -> Answer<&'static str> {
    take_while(1.., |c: char| c.is_ascii_alphanumeric() || c == '-').parse_next(input)
}

fn value(input: &mut &'static str) -> Answer<Elem> {
    let (kind, stored) = delimited('<', (name, opt(preceded(':', name))), '>').parse_next(input)?;
    let row = slot(kind).ok_or(EmptyError)?;
    Ok(Elem::Slot(row, stored.unwrap_or(kind)))
}

fn options(input: &mut &'static str) -> Answer<Elem> {
    let (sets, plus) =
        (delimited('{', separated(1.., name, ' '), '}'), opt('+')).parse_next(input)?;
    Ok(Elem::Options { sets, needed: plus.is_some() })
}

/// A form as people read it: the names that values are stored under are left out.
pub(crate) fn shown(form: &str) -> String {
    let mut text = String::new();
    let mut hidden = false;
    for c in form.chars() {
        match c {
            ':' => hidden = true,
            '>' => hidden = false,
            _ => {}
        }
        if !hidden {
            text.push(c);
        }
    }
    text
}
