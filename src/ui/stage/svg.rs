//! Small helpers for drawing.

use lockstep_core::ids::{
    BrokerId, ClientId, MessageGroupId, MessageQueue, MsgId, ProducerId, TopicId,
};
use lockstep_core::view::Subject;

/// A number with at most two decimals.
pub fn num(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    rounded.to_string()
}

/// A `transform` that moves.
pub fn translate(x: f64, y: f64) -> String {
    format!("translate({} {})", num(x), num(y))
}

/// A wire: a cubic with horizontal ends, control points at half the distance.
pub fn wire((x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> String {
    let middle = num((x1 + x2) / 2.0);
    format!(
        "M{} {}C{middle} {} {middle} {} {} {}",
        num(x1),
        num(y1),
        num(y1),
        num(y2),
        num(x2),
        num(y2)
    )
}

/// A subject as a `data-subject` attribute.
pub fn subject_id(subject: Subject) -> String {
    match subject {
        Subject::Message(id) => format!("m{}", id.0),
        Subject::Queue(q) => format!("q{}.{}.{}", q.topic.0, q.broker.0, q.id),
        Subject::Client(id) => format!("c{}", id.0),
        Subject::Producer(id) => format!("p{}", id.0),
        Subject::MessageGroup(id) => format!("g{}", id.0),
        Subject::Level(level) => format!("l{level}"),
    }
}

/// The subject of a `data-subject` attribute.
pub fn subject_of(id: &str) -> Option<Subject> {
    let (kind, rest) = id.split_at_checked(1)?;
    Some(match kind {
        "m" => Subject::Message(MsgId(rest.parse().ok()?)),
        "c" => Subject::Client(ClientId(rest.parse().ok()?)),
        "p" => Subject::Producer(ProducerId(rest.parse().ok()?)),
        "g" => Subject::MessageGroup(MessageGroupId(rest.parse().ok()?)),
        "l" => Subject::Level(rest.parse().ok()?),
        "q" => {
            let mut parts = rest.split('.');
            Subject::Queue(MessageQueue {
                topic: TopicId(parts.next()?.parse().ok()?),
                broker: BrokerId(parts.next()?.parse().ok()?),
                id: parts.next()?.parse().ok()?,
            })
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_survive_the_attribute() {
        let queue = MessageQueue { topic: TopicId(2), broker: BrokerId(1), id: 63 };
        for subject in [
            Subject::Message(MsgId(12)),
            Subject::Queue(queue),
            Subject::Client(ClientId(1)),
            Subject::Producer(ProducerId(0)),
            Subject::MessageGroup(MessageGroupId(3)),
            Subject::Level(18),
        ] {
            assert_eq!(subject_of(&subject_id(subject)), Some(subject));
        }
        assert_eq!(subject_of(""), None);
        assert_eq!(subject_of("mx"), None);
        assert_eq!(subject_of("q1.2"), None);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(num(12.0), "12");
        assert_eq!(num(1.0 / 3.0), "0.33");
        assert_eq!(translate(3.5, -2.0), "translate(3.5 -2)");
    }
}
