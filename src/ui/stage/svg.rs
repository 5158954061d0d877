//! Small helpers for drawing.

use lockstep_core::ids::{
    BrokerId, ClientId, MessageGroupId, MessageQueue, MsgId, ProducerId, TopicId,
};
use lockstep_core::view::Subject;

/// A number with at most two decimals. Whole numbers do the work: the formatting of floats would
/// be a large part of the program.
pub fn num(value: f64) -> String {
    let mut out = String::new();
    push_num(&mut out, value);
    out
}

fn push_num(out: &mut String, value: f64) {
    // What is drawn lies within some thousand pixels.
    let hundredths = (value * 100.0).round() as i64;
    let size = hundredths.unsigned_abs();
    if hundredths < 0 {
        out.push('-');
    }
    out.push_str(&(size / 100).to_string());
    let rest = size % 100;
    if rest > 0 {
        out.push('.');
        out.push(char::from(b'0' + (rest / 10) as u8));
        if !rest.is_multiple_of(10) {
            out.push(char::from(b'0' + (rest % 10) as u8));
        }
    }
}

/// A `transform` that moves.
pub fn translate(x: f64, y: f64) -> String {
    let mut out = String::from("translate(");
    push_num(&mut out, x);
    out.push(' ');
    push_num(&mut out, y);
    out.push(')');
    out
}

/// The data of a path, written step by step. Capitals of SVG are absolute, `d` marks a difference.
pub struct Path(String);

impl Path {
    /// Begins at a point.
    pub fn at(x: f64, y: f64) -> Self {
        Self(String::new()).m(x, y)
    }

    fn put(mut self, command: char, values: &[f64]) -> Self {
        self.0.push(command);
        for (i, value) in values.iter().enumerate() {
            if i > 0 {
                self.0.push(' ');
            }
            push_num(&mut self.0, *value);
        }
        self
    }

    /// Goes on at another point without a line.
    pub fn m(self, x: f64, y: f64) -> Self {
        self.put('M', &[x, y])
    }

    /// A horizontal line to.
    pub fn h(self, x: f64) -> Self {
        self.put('H', &[x])
    }

    /// A horizontal line by.
    pub fn dh(self, dx: f64) -> Self {
        self.put('h', &[dx])
    }

    /// A vertical line to.
    pub fn v(self, y: f64) -> Self {
        self.put('V', &[y])
    }

    /// A vertical line by.
    pub fn dv(self, dy: f64) -> Self {
        self.put('v', &[dy])
    }

    /// A line by.
    pub fn l(self, dx: f64, dy: f64) -> Self {
        self.put('l', &[dx, dy])
    }

    /// A quarter of a circle by, clockwise.
    pub fn arc(self, r: f64, dx: f64, dy: f64) -> Self {
        self.put('a', &[r, r, 0.0, 0.0, 1.0, dx, dy])
    }

    /// A cubic with horizontal ends to, control points at half the distance.
    pub fn wire(self, from_x: f64, from_y: f64, x: f64, y: f64) -> Self {
        let middle = (from_x + x) / 2.0;
        self.put('C', &[middle, from_y, middle, y, x, y])
    }

    /// A cubic with vertical ends to, control points at half the distance.
    pub fn fall(self, from_y: f64, from_x: f64, x: f64, y: f64) -> Self {
        let middle = (from_y + y) / 2.0;
        self.put('C', &[from_x, middle, x, middle, x, y])
    }

    /// Ends it.
    pub fn done(self) -> String {
        self.0
    }

    /// Closes and ends it.
    pub fn z(mut self) -> String {
        self.0.push('z');
        self.0
    }
}

/// A link from a point down to another one.
pub fn fall((x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> String {
    Path::at(x1, y1).fall(y1, x1, x2, y2).done()
}

/// A wire between two points.
pub fn wire((x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> String {
    Path::at(x1, y1).wire(x1, y1, x2, y2).done()
}

/// A subject as a `data-subject` attribute.
pub fn subject_id(subject: Subject) -> String {
    match subject {
        Subject::Message(id) => format!("m{}", id.0),
        Subject::Queue(q) => format!("q{}.{}.{}", q.topic.0, q.broker.0, q.id),
        Subject::Lock(q) => format!("k{}.{}.{}", q.topic.0, q.broker.0, q.id),
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
        "q" => Subject::Queue(queue_of(rest)?),
        "k" => Subject::Lock(queue_of(rest)?),
        _ => return None,
    })
}

fn queue_of(id: &str) -> Option<MessageQueue> {
    let mut parts = id.split('.');
    Some(MessageQueue {
        topic: TopicId(parts.next()?.parse().ok()?),
        broker: BrokerId(parts.next()?.parse().ok()?),
        id: parts.next()?.parse().ok()?,
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
            Subject::Lock(queue),
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
        assert_eq!(num(-0.05), "-0.05");
        assert_eq!(num(-0.001), "0");
        assert_eq!(translate(3.5, -2.0), "translate(3.5 -2)");
        assert_eq!(Path::at(1.0, 2.0).h(3.25).dv(-4.0).z(), "M1 2H3.25v-4z");
        assert_eq!(wire((0.0, 0.0), (10.0, 4.0)), "M0 0C5 0 5 4 10 4");
    }
}
