//! Reads one line: its keyword, then the sentence that belongs to it.

use winnow::error::EmptyError;
use winnow::stream::{Stream, TokenSlice};

use super::action::Action;
use super::ast::Statement;
use super::caps::Caps;
use super::condition::Condition;
use super::grammar::{Compiled, Grammar, Make};
use super::lex::{is_blank, lex, Lexed, Token, TokenKind};
use super::matcher::{Misses, Reading, Step, Tokens};
use super::names::Declared;
use super::nearest::nearest;
use super::problem::{Expected, Problem, ProblemKind};
use super::prose::{ask, content, first_word, join, lex_statement, when_start, PROSE};
use super::slot::{slot, Reader};
use super::span::{Place, Span, Spanned};
use super::value;
use crate::ids::Ms;

/// Reads a statement and the lines that continue its text.
pub(crate) fn statement(
    place: Place<'_>,
    rest: &[Place<'_>],
    declared: &Declared,
) -> Result<Box<Statement>, Box<Problem>> {
    let lexed = lex_statement(place.text);
    if let Some(open) = lexed.tokens.iter().find(|t| t.kind == TokenKind::Unclosed) {
        if !PROSE.contains(&first_word(place.text)) {
            let span = place.span(open.start, open.end);
            return Err(Problem::boxed(span, ProblemKind::UnclosedQuote));
        }
    }
    let mut line = LineReader::new(place, declared, &lexed);
    let mut input = TokenSlice::new(&lexed.tokens);
    let joined =
        |text: String| rest.iter().fold(text, |text, place| join(text, content(place.text)));
    match line.read(&mut input) {
        Ok(Read::Ask(at_ms, text)) => ask(at_ms, &joined(text.value), text.span),
        Ok(Read::Goal(text)) => goal(place, &text, declared, rest),
        Ok(Read::Done(mut statement)) => {
            match &mut *statement {
                Statement::Title(text)
                | Statement::About(text)
                | Statement::Note(text)
                | Statement::Question(text)
                | Statement::Source(text)
                | Statement::Watch(text)
                | Statement::Hint(text)
                | Statement::Twist(text)
                | Statement::See(text)
                | Statement::Beat(_, text)
                | Statement::Chinese(Spanned { value: text, .. }) => {
                    *text = joined(std::mem::take(text));
                }
                _ => {}
            }
            Ok(statement)
        }
        Err(_) => {
            let problem = line.problem(&lexed.tokens);
            let position = line.reading.misses.position;
            let earlier = misspelt_before(place, declared, &lexed, position);
            Err(Box::new(earlier.unwrap_or(problem)))
        }
    }
}

/// How many words before the furthest place may be the ones that are misspelt.
const LOOK_BACK: usize = 2;

/// A misspelt word that was taken for a name, so that only what comes behind it did not fit: a word
/// that names nothing and is near to one that could stand there.
fn misspelt_before(
    place: Place<'_>,
    declared: &Declared,
    lexed: &Lexed<'_>,
    position: usize,
) -> Option<Problem> {
    (position.saturating_sub(LOOK_BACK)..position).rev().find_map(|index| {
        let token = lexed.tokens.get(index).filter(|t| t.kind == TokenKind::Word)?;
        let is_name = declared.kind(token.raw).is_some() || declared.is_label(token.raw);
        // The words between conditions stand outside the forms.
        let joins = matches!(token.raw, "not" | "and" | "or");
        // Whether it is known or not, a word with a number behind it is a message or a queue.
        let numbered = token.raw.contains(|c: char| c.is_ascii_digit());
        if is_name || joins || numbered {
            return None;
        }
        let before = Lexed { tokens: lexed.tokens[..index].to_vec(), ..lexed.clone() };
        let mut line = LineReader::new(place, declared, &before);
        let mut input = TokenSlice::new(&before.tokens);
        line.read(&mut input).err()?;
        let misses = &line.reading.misses;
        let spelt_right = misses.expected.iter().flat_map(words_of).any(|word| word == token.raw);
        let problem = line.problem(&lexed.tokens);
        let mended = misses.position == index && !spelt_right && problem.fix.is_some();
        mended.then_some(problem)
    })
}

/// The words that something expected can be.
fn words_of(expected: &Expected) -> Vec<&'static str> {
    match expected {
        Expected::Word(word) => vec![word],
        Expected::Value(row) => row.words(),
        Expected::Comma | Expected::End => Vec::new(),
    }
}

/// What may stand behind the words of an unfinished line, in the order of the tables.
pub(crate) fn expected_at(place: Place<'_>, declared: &Declared) -> Vec<Expected> {
    let lexed = lex_statement(place.text);
    let mut line = LineReader::new(place, declared, &lexed);
    let mut input = TokenSlice::new(&lexed.tokens);
    let _ = line.read(&mut input);
    let misses = line.reading.misses;
    if misses.position == lexed.tokens.len() {
        misses.expected
    } else {
        Vec::new()
    }
}

/// What a line says; a question and a goal still have to be taken apart.
enum Read {
    Done(Box<Statement>),
    Ask(Ms, Spanned<String>),
    Goal(Spanned<String>),
}

struct LineReader<'a> {
    reading: Reading<'a>,
}

impl<'a> LineReader<'a> {
    fn new(place: Place<'a>, declared: &'a Declared, lexed: &Lexed<'_>) -> Self {
        let reading = Reading {
            grammar: Grammar::get(),
            declared,
            place,
            content_end: lexed.content_end,
            count: lexed.tokens.len(),
            misses: Misses::default(),
        };
        Self { reading }
    }

    fn read(&mut self, input: &mut Tokens<'_>) -> Step<Read> {
        let grammar = self.reading.grammar;
        let word = input.peek_token().and_then(Token::text).unwrap_or_default();
        let forms: Vec<&'static Compiled> =
            grammar.heads.iter().filter(|f| f.first_word().is_some_and(|w| w == word)).collect();
        if forms.is_empty() && self.begins_sentence(word) {
            return self.reading.miss(input, &Caps::default(), Expected::Word("at"));
        }
        if forms.is_empty() {
            for form in &grammar.heads {
                if let Some(word) = form.first_word() {
                    let _: Step = self.reading.miss(input, &Caps::default(), Expected::Word(word));
                }
            }
            return Err(EmptyError);
        }
        match word {
            "at" => {
                input.next_token();
                let at_ms = self.time(input)?;
                let action = self.action(&grammar.timed, input)?;
                Ok(Read::Done(Box::new(Statement::Do(at_ms, Box::new(action)))))
            }
            "expect" => {
                input.next_token();
                let from = self.reading.next_span(input);
                let condition = self.condition(input)?;
                let end = self.reading.content_end;
                let whole = self.reading.place.span(from.start - self.reading.place.base, end);
                let expected = Spanned { value: condition, span: whole };
                Ok(Read::Done(Box::new(Statement::Expect(expected))))
            }
            _ => self.head(&forms, input),
        }
    }

    /// Whether a word begins a sentence that `at` and a time are missing before.
    fn begins_sentence(&self, word: &str) -> bool {
        let declared = self.reading.declared;
        declared.kind(word).is_some() || declared.is_label(word)
    }

    fn time(&mut self, input: &mut Tokens<'_>) -> Step<Ms> {
        let time = input.peek_token().and_then(|t| value::time(t.text()?));
        match (time, slot("time")) {
            (Some(ms), _) => {
                input.next_token();
                Ok(ms)
            }
            (None, Some(row)) => self.reading.miss(input, &Caps::default(), Expected::Value(row)),
            (None, None) => Err(EmptyError),
        }
    }

    fn action(&mut self, forms: &'static [Compiled], input: &mut Tokens<'_>) -> Step<Action> {
        let (form, caps) = self.reading.best(forms.iter(), input, |_| false)?;
        match form.make {
            Make::Action(make) => make(&caps).ok_or(EmptyError),
            _ => Err(EmptyError),
        }
    }

    fn head(&mut self, forms: &[&'static Compiled], input: &mut Tokens<'_>) -> Step<Read> {
        let (form, caps) = self.reading.best(forms.iter().copied(), input, |_| false)?;
        match form.make {
            Make::Statement(make) => done(make(&caps)),
            Make::Action(make) => {
                done(make(&caps).map(|action| Statement::Do(0, Box::new(action))))
            }
            Make::Sentence => {
                let text = caps.name("text").ok_or(EmptyError)?;
                Ok(match caps.ms("at") {
                    Some(at_ms) => Read::Ask(at_ms, text),
                    None => Read::Goal(text),
                })
            }
            Make::Term(_) | Make::Part => Err(EmptyError),
        }
    }

    /// `a and b or c`, `and` first.
    fn condition(&mut self, input: &mut Tokens<'_>) -> Step<Condition> {
        let mut any = vec![self.conjunction(input)?];
        while take(input, "or") {
            any.push(self.conjunction(input)?);
        }
        Ok(if any.len() == 1 { any.remove(0) } else { Condition::Any(any) })
    }

    fn conjunction(&mut self, input: &mut Tokens<'_>) -> Step<Condition> {
        let mut all = vec![self.negation(input)?];
        while take(input, "and") {
            all.push(self.negation(input)?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Condition::All(all) })
    }

    fn negation(&mut self, input: &mut Tokens<'_>) -> Step<Condition> {
        let mut turned = false;
        while take(input, "not") {
            turned = !turned;
        }
        let start = self.reading.next_span(input);
        let ends = |t: &Token<'_>| t.raw == "and" || t.raw == "or";
        let (form, caps) =
            self.reading.best(self.reading.grammar.conditions.iter(), input, ends)?;
        let Make::Term(make) = form.make else { return Err(EmptyError) };
        let term = make(&caps).ok_or(EmptyError)?;
        let span = caps.list.last().map_or(start, |cap| start.to(cap.span));
        let term = Condition::Term(Box::new(Spanned { value: term, span }));
        Ok(if turned { Condition::Not(Box::new(term)) } else { term })
    }

    /// The mistake that the furthest form met.
    fn problem(&self, tokens: &[Token<'_>]) -> Problem {
        let misses = &self.reading.misses;
        let place = self.reading.place;
        let end = self.reading.content_end;
        let token = tokens.get(misses.position);
        let span = token.map_or(place.span(end, end), |t| place.span(t.start, t.end));
        let found = token.map(|t| t.raw.to_owned());
        let mut expected = misses.expected.clone();
        let replacement = found.as_deref().and_then(|word| probably(word, &expected));
        if let Some(word) = &replacement {
            expected.sort_by_key(|e| !words_of(e).contains(&word.as_str()));
        }
        let subject = self.subject(tokens);
        Problem::new(span, ProblemKind::Expected { expected, found, subject }).with_fix(replacement)
    }

    /// What an `at` sentence is about, when the mistake comes after it.
    fn subject(&self, tokens: &[Token<'_>]) -> Option<(super::slot::NameKind, String)> {
        let index = if tokens.first()?.raw == "at" { 2 } else { return None };
        let name = tokens.get(index)?.text()?;
        let kind = self.reading.declared.kind(name)?;
        (self.reading.misses.position > index).then(|| (kind, name.to_owned()))
    }
}

fn done(statement: Option<Statement>) -> Step<Read> {
    statement.map(|s| Read::Done(Box::new(s))).ok_or(EmptyError)
}

/// Takes the word if it comes next.
fn take(input: &mut Tokens<'_>, word: &str) -> bool {
    let fits = input.peek_token().is_some_and(|t| t.kind == TokenKind::Word && t.raw == word);
    if fits {
        input.next_token();
    }
    fits
}

/// What is probably meant by a word that cannot stand at its place.
fn probably(word: &str, expected: &[Expected]) -> Option<String> {
    let words = expected.iter().flat_map(words_of);
    if let Some(near) = nearest(word, words) {
        return Some(near.to_owned());
    }
    let wants_time = expected
        .iter()
        .any(|e| matches!(e, Expected::Value(row) if matches!(row.reader, Reader::Time | Reader::TimeRange)));
    let digits = word.len() < 10 && word.chars().all(|c| c.is_ascii_digit());
    let unit = if word.len() > 2 { "ms" } else { "s" };
    (wants_time && digits).then(|| format!("{word}{unit}"))
}

/// A goal's text and its condition, which stands in the last line of the goal.
fn goal(
    place: Place<'_>,
    text: &Spanned<String>,
    declared: &Declared,
    rest: &[Place<'_>],
) -> Result<Box<Statement>, Box<Problem>> {
    let last = rest.last().copied().unwrap_or(place);
    let end = lex(last.text, true).content_end;
    let missing = || Problem::boxed(last.span(end, end), ProblemKind::GoalWithoutWhen);
    let when = when_start(&last.text[..end]).ok_or_else(missing)?;
    let from = when + "when".len();
    let mut lexed = lex(&last.text[from..end], false);
    for token in &mut lexed.tokens {
        token.start += from;
        token.end += from;
    }
    lexed.content_end = end;
    let mut line = LineReader::new(last, declared, &lexed);
    let mut input = TokenSlice::new(&lexed.tokens);
    let condition =
        line.condition(&mut input).map_err(|_| Box::new(line.problem(&lexed.tokens)))?;
    let mut words = match rest.split_last() {
        None => place.text.get(text.span.start - place.base..when).unwrap_or_default().to_owned(),
        Some((last, between)) => {
            let words = between
                .iter()
                .fold(text.value.clone(), |words, place| join(words, content(place.text)));
            join(words, last.text[..when].trim_matches(is_blank))
        }
    };
    words.truncate(words.trim_end_matches(is_blank).len());
    if words.is_empty() {
        let span = Span { width: 0, ..text.span };
        return Err(Problem::boxed(span, ProblemKind::GoalWithoutWhen));
    }
    Ok(Box::new(Statement::Goal(words, condition)))
}
