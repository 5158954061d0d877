//! The same scenario with one thing changed, for a comparison of both.

use super::action::Action;
use super::ast::{Line, LineKind, Scenario, Statement};
use super::compile::load;
use super::problem::Problem;
use super::prose::lex_statement;
use super::read::parse;
use crate::command::ListenerKind;

/// One thing to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Every group registers a concurrent listener.
    Concurrent,
    /// Every group registers an orderly listener.
    Orderly,
    /// A failed message holds back its queue.
    BlocksQueue,
    /// A failed message holds back its message group only.
    BlocksMessageGroup,
    /// As release 4.9 does it.
    Model49,
    /// As release 5.1 does it.
    Model51,
    /// As release 5.3 does it.
    Model53,
    /// As the documents describe it.
    Documents,
}

impl Variant {
    /// All of them, in the order of a menu.
    pub const ALL: [Self; 8] = [
        Self::Concurrent,
        Self::Orderly,
        Self::BlocksQueue,
        Self::BlocksMessageGroup,
        Self::Model49,
        Self::Model51,
        Self::Model53,
        Self::Documents,
    ];

    /// Its name in links and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Concurrent => "concurrent",
            Self::Orderly => "orderly",
            Self::BlocksQueue => "blocking-queue",
            Self::BlocksMessageGroup => "blocking-message-group",
            Self::Model49 => "model-4.9",
            Self::Model51 => "model-5.1",
            Self::Model53 => "model-5.3",
            Self::Documents => "documents",
        }
    }

    /// The variant of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|variant| variant.name() == name)
    }

    /// The line that has to stand in the head, and its keyword.
    fn head(self) -> Option<(&'static str, &'static str)> {
        Some(match self {
            Self::Concurrent | Self::Orderly => return None,
            Self::BlocksQueue => ("blocking", "queue"),
            Self::BlocksMessageGroup => ("blocking", "message-group"),
            Self::Model49 => ("model", "4.9"),
            Self::Model51 => ("model", "5.1"),
            Self::Model53 => ("model", "5.3"),
            Self::Documents => ("model", "documents"),
        })
    }
}

/// The text with one thing changed and everything else as it was; what it expects is left out,
/// because it was written for the other run. None when the change would change nothing.
///
/// # Errors
/// What is wrong with the text, or with the changed one.
pub fn vary(text: &str, variant: Variant) -> Result<Option<String>, Vec<Problem>> {
    let before = load(text)?;
    let scenario = parse(text).scenario;
    let changed = match variant.head() {
        Some((keyword, value)) => with_head(&scenario, keyword, value),
        None => with_listener(&scenario, variant == Variant::Concurrent),
    };
    let after = load(&changed)?;
    let same = before.model == after.model && before.journal() == after.journal();
    Ok((!same).then_some(changed))
}

/// The lines without expectations.
fn lines(scenario: &Scenario) -> impl Iterator<Item = &Line> {
    let mut expects = false;
    scenario.lines.iter().filter(move |line| {
        expects = match &line.kind {
            LineKind::Statement(statement) => matches!(**statement, Statement::Expect(_)),
            LineKind::Continuation => expects,
            _ => false,
        };
        !expects
    })
}

fn with_head(scenario: &Scenario, keyword: &str, value: &str) -> String {
    let is_it = |line: &Line| match &line.kind {
        LineKind::Statement(statement) => match &**statement {
            Statement::Model(_) => keyword == "model",
            Statement::Blocking(_) => keyword == "blocking",
            _ => false,
        },
        _ => false,
    };
    let acts = |line: &Line| matches!(&line.kind, LineKind::Statement(s) if matches!(**s, Statement::Do(..)));
    let stands = scenario.lines.iter().any(is_it);
    let (mut text, mut put) = (String::new(), stands);
    for line in lines(scenario) {
        if is_it(line) {
            text.push_str(&format!("{keyword:<12}{value}{}", line.eol.text()));
            continue;
        }
        if !put && acts(line) {
            put = true;
            text.push_str(&format!("{keyword:<12}{value}\n"));
        }
        text.push_str(&line.text);
        text.push_str(line.eol.text());
    }
    text
}

fn with_listener(scenario: &Scenario, concurrent: bool) -> String {
    let mut text = String::new();
    for line in lines(scenario) {
        let listener = match &line.kind {
            LineKind::Statement(statement) => match &**statement {
                Statement::Do(_, action) => match &**action {
                    Action::Group { listener, .. } => Some(*listener),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        let lexed = lex_statement(&line.text);
        let (from, to): (&[&str], &str) = match concurrent {
            true => (&["orderly", "fifo"], "concurrent"),
            false => (&["concurrent"], "orderly"),
        };
        let other = listener.is_some_and(|l| (l == ListenerKind::Orderly) == concurrent);
        let word = lexed.tokens.iter().find(|token| other && from.contains(&token.raw));
        match word {
            Some(word) => {
                text.push_str(&line.text[..word.start]);
                text.push_str(to);
                text.push_str(&line.text[word.end..]);
            }
            None => text.push_str(&line.text),
        }
        text.push_str(line.eol.text());
    }
    text
}
