//! Message labels in running text, such as `A2`: found, coloured, drawn as tokens.

use lockstep_core::command::Command;
use lockstep_core::ids::{MessageGroupId, Ms};
use lockstep_core::shared::Names;
use lockstep_core::view::stage;
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::token::{size, Hue, Look, Token, TokenState};
use crate::app::frame::Frame;

/// The pieces of a text, and whether each looks like a label: letters, then digits.
pub fn pieces(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let in_word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        let is_word = in_word(first);
        let end = rest.find(|c: char| in_word(c) != is_word).unwrap_or(rest.len());
        let (piece, tail) = rest.split_at(end);
        rest = tail;
        Some((piece, is_word && split(piece).is_some()))
    })
}

/// Series and number of a label: `A2`, `AB12`.
pub fn split(word: &str) -> Option<(&str, u32)> {
    let digits = word.find(|c: char| c.is_ascii_digit())?;
    let (series, number) = word.split_at(digits);
    let is_series =
        (1..=2).contains(&series.len()) && series.chars().all(|c| c.is_ascii_uppercase());
    if is_series {
        Some((series, number.parse().ok()?))
    } else {
        None
    }
}

/// The colour of a label's series; None when the run has no such series.
pub fn hue(names: &Names, word: &str) -> Option<Hue> {
    let (series, _) = split(word)?;
    let id: MessageGroupId = names.series(series)?;
    Some(Hue(stage::hue(names, id)))
}

/// The message that a text begins with, as a token. One that it names later is not what it is, and
/// one that nobody sends in the whole run has no picture. It says which message it is, and not how
/// that stands: of an answer that would tell too much.
pub fn token(frame: &Frame, text: &str) -> Option<Html> {
    let core = frame.core.read();
    let names = &core.session.world().shared.names;
    let label = pieces(text).next().filter(|(_, is_label)| *is_label)?.0;
    let hue = hue(names, label).filter(|_| is_sent(core.session.journal(), label))?;
    let state = TokenState::Ready;
    let label = AttrValue::from(label.to_owned());
    let look = Look { label, hue, state, size: size::STANDARD, again: false };
    Some(html! { <Token {look} /> })
}

/// Whether a run sends a message of this label. A load draws its messages when they are due.
fn is_sent(journal: &[(Ms, Command)], label: &str) -> bool {
    journal.iter().any(|(_, command)| match command {
        Command::Send { messages, .. } => messages.iter().any(|m| m.label.to_string() == label),
        Command::SendLoad { .. } => true,
        _ => false,
    })
}

/// The first thing that a text names and the stage shows: a message, a queue, a consumer or a
/// producer.
pub fn subject(frame: &Frame, text: &str) -> Option<Subject> {
    let stage = &frame.stage;
    let core = frame.core.read();
    let names = &core.session.world().shared.names;
    pieces(text).find_map(|(piece, is_label)| {
        if is_label {
            let token = stage.tokens.iter().find(|token| &*token.name.label == piece);
            return token.map(|token| Subject::Message(token.name.msg));
        }
        let lane = stage.lanes.iter().find(|lane| !lane.retry && &*lane.name == piece);
        let queue = lane.map(|lane| Subject::Queue(lane.queue));
        queue
            .or_else(|| names.client(piece).map(Subject::Client))
            .or_else(|| names.producer(piece).map(Subject::Producer))
    })
}
