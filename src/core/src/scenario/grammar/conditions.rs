//! What can be expected.

use super::{form, Make, Section};
use crate::scenario::caps::Caps;
use crate::scenario::condition::{Condition, Filter, Moment, OffsetKind, Term, Times, When, Who};
use crate::scenario::events::{
    EventRow, MessageEvent, CLIENT_EVENTS, MESSAGE_EVENTS, PARTY_EVENTS, QUEUE_EVENTS, REASONS,
    REFUSALS,
};

/// Terms of conditions.
pub(super) const CONDITIONS: Section = Section {
    name: "conditions",
    title: "Conditions",
    intro: "",
    forms: &[
        form(
            "order kept [in <series> [, <series>]*] [in <group>]",
            "Within each message group, no consumer group began a message while one that was stored before it was unfinished, or was begun for the first time only later; a reset may pass over messages that were not begun. By gRPC a message is finished for this once its listener succeeded, whatever becomes of the acknowledgement. Repeated deliveries do not break the order; messages without message group have none.",
            "all series, all groups",
            "order kept in A, B",
            Make::Term(|c| order(c, true)),
        ),
        form("order broken [in <series> [at <label>]] [in <group>]", "The opposite; `at` names the message that was begun too early.", "", "order broken in A at A3", Make::Term(|c| order(c, false))),
        form("one owner per queue [in <group>]", "At no time were two consumers of a group inside a listener call for one queue.", "", "one owner per queue", Make::Term(|c| Some(Term::OneOwner { group: c.name("group") }))),
        form("<labels> <event> in this order {when place}", "It happened to these messages in this order (first times count).", "", "A1 A2 B1 handled in this order", Make::Term(in_order)),
        form("<labels> [not] <event> {times when place}", "It happened to each of these messages.", "", "B2 handled after A2 dead-lettered", Make::Term(messages)),
        form("<event> exactly <labels> {when place}", "It happened to exactly these messages in exactly this order, repeats included.", "", "delivered exactly A1 A2 A2 A2 A3 in billing", Make::Term(exactly)),
        form("(every | no) message <event> {times when place}", "It happened to every message that was sent, or to none.", "", "every message handled before 20s", Make::Term(messages)),
        form(
            "(at least <count:who-min> | at most <count:who-max> | <count:who-n> [to <count:who-m>]) (messages | message) <event> {times when place}",
            "It happened to so many different messages.",
            "",
            "100 messages handled in billing before 10s",
            Make::Term(messages),
        ),
        form("<queue> owned by (nobody | <consumer:owner>) at <time:at> [in <group>]", "Who holds the queue's broker lock at this instant, an expired lease not counted; in a concurrent group, who works on the queue.", "", "orders q1 owned by c2 at 82s", Make::Term(owner)),
        form("<queue> [not] <queue-event> {times when place}", "It happened to a queue.", "", "q0 locked by c2 at 81s", Make::Term(queue)),
        form("<labels> [not] invisible at <time:at> [in <group>]", "The state at an instant: delivered by POP, not acknowledged, and the invisible time is not over.", "for any group", "A1 invisible at 12s", Make::Term(|c| Some(Term::Invisible { labels: c.labels("labels")?, negated: c.has("not"), at_ms: c.ms("at")?, group: c.name("group") }))),
        form("<labels> (with | without) message-group", "These messages have a message group, or have none; their series says so.", "", "P1 with message-group", Make::Term(|c| Some(Term::Grouped { labels: c.labels("labels")?, negated: c.has("without") }))),
        form("(offset | min-offset | max-offset | lag) of <queue> is <number> [at <time:at>] [in <group>]", "The consumer offset that the broker has recorded, the first place that is still stored, the place of the next message, or the lag: the distance from the consumer offset to the next message.", "at the end of the run", "lag of q1 is 0 at 12s", Make::Term(offset)),
        form("<consumer> [not] <consumer-event> [with <code>] {times when}", "It happened to a consumer. A code belongs to received-nothing.", "", "c1 left after 120s", Make::Term(client)),
        form("<party> [not] <party-event> {times when}", "It happened to a party of any kind.", "", "p1 timed-out twice", Make::Term(party)),
        form("statement at <time:at> refused [with (<refusal> | <code>)]", "A statement of this instant was refused, for this reason or with this code of the broker.", "for any reason", "statement at 5s refused with wrong-state", Make::Term(|c| Some(Term::Refused { at_ms: c.ms("at")?, kind: chosen(REFUSALS, c.text("refusal")), code: c.number("code") }))),
    ],
};

fn order(c: &Caps, kept: bool) -> Option<Term> {
    let series = c
        .list
        .iter()
        .filter(|cap| !cap.literal && cap.name == "series")
        .filter_map(|cap| cap.name())
        .collect();
    Some(Term::Order { kept, series, at: c.label("label"), group: c.name("group") })
}

fn chosen<T: Copy>(table: &[EventRow<T>], word: Option<String>) -> Option<T> {
    let word = word?;
    table.iter().find(|row| row.word == word).map(|row| row.event)
}

fn message_event(c: &Caps, name: &str) -> Option<MessageEvent> {
    chosen(MESSAGE_EVENTS, c.text(name))
}

fn in_order(c: &Caps) -> Option<Term> {
    Some(Term::InOrder {
        labels: c.labels("labels")?,
        event: message_event(c, "event")?,
        filter: filter(c),
        when: when(c),
    })
}

fn exactly(c: &Caps) -> Option<Term> {
    Some(Term::Exactly {
        event: message_event(c, "event")?,
        labels: c.labels("labels")?,
        filter: filter(c),
        when: when(c),
    })
}

fn messages(c: &Caps) -> Option<Term> {
    let who = match c.labels("labels") {
        Some(labels) => Who::Each(labels),
        None if c.has("every") => Who::Every,
        None if c.has("no") => Who::None,
        None => Who::Count(times(c, "who-n", "who-m", "who-min", "who-max")?),
    };
    Some(Term::Messages {
        who,
        negated: c.has("not"),
        event: message_event(c, "event")?,
        filter: filter(c),
        when: when(c),
        times: occurrence(c),
    })
}

fn queue(c: &Caps) -> Option<Term> {
    Some(Term::Queue {
        queue: c.queue("queue")?,
        negated: c.has("not"),
        event: chosen(QUEUE_EVENTS, c.text("queue-event"))?,
        filter: Filter { queue: None, ..filter(c) },
        when: when(c),
        times: occurrence(c),
    })
}

fn client(c: &Caps) -> Option<Term> {
    Some(Term::Client {
        client: c.name("consumer")?,
        negated: c.has("not"),
        event: chosen(CLIENT_EVENTS, c.text("consumer-event"))?,
        code: c.number("code"),
        when: when(c),
        times: occurrence(c),
    })
}

fn party(c: &Caps) -> Option<Term> {
    Some(Term::Party {
        party: c.name("party")?,
        negated: c.has("not"),
        event: chosen(PARTY_EVENTS, c.text("party-event"))?,
        when: when(c),
        times: occurrence(c),
    })
}

fn owner(c: &Caps) -> Option<Term> {
    Some(Term::Owner {
        queue: c.queue("queue")?,
        owner: c.name("owner"),
        at_ms: c.ms("at")?,
        group: c.name("group"),
    })
}

fn offset(c: &Caps) -> Option<Term> {
    let kind = match () {
        _ if c.has("lag") => OffsetKind::Lag,
        _ if c.has("max-offset") => OffsetKind::Max,
        _ if c.has("min-offset") => OffsetKind::Min,
        _ => OffsetKind::Consumer,
    };
    Some(Term::Offset {
        kind,
        queue: c.queue("queue")?,
        value: c.number("number")?,
        at_ms: c.ms("at"),
        group: c.name("group"),
    })
}

fn filter(c: &Caps) -> Filter {
    Filter {
        queue: c.queue("queue"),
        broker: c.name("broker"),
        group: c.name("group"),
        client: c.name("consumer"),
        reason: chosen(REASONS, c.text("reason")),
        attempt: c.number("attempt"),
        offset: c.number("offset"),
        level: c.number("level"),
        code: c.number("code"),
        until_ms: c.ms("ends"),
    }
}

fn when(c: &Caps) -> When {
    let moment = |time: &str, label: &str, event: &str| match c.ms(time) {
        Some(ms) => Some(Moment::Time(ms)),
        None => Some(Moment::Event(c.label(label)?, message_event(c, event)?)),
    };
    if let Some(moment) = moment("before", "before-label", "before-event") {
        return When::Before(moment);
    }
    if let Some(moment) = moment("after", "after-label", "after-event") {
        return When::After(moment);
    }
    match (c.ms("at"), c.ms("from"), c.ms("until")) {
        (Some(at), _, _) => When::At(at),
        (_, Some(from), Some(until)) => When::Between(from, until),
        _ => When::Ever,
    }
}

fn occurrence(c: &Caps) -> Option<Times> {
    match () {
        _ if c.has("once") => Some(Times { min: 1, max: Some(1) }),
        _ if c.has("twice") => Some(Times { min: 2, max: Some(2) }),
        _ => times(c, "n", "m", "min", "max"),
    }
}

fn times(c: &Caps, n: &str, m: &str, min: &str, max: &str) -> Option<Times> {
    match (c.number(n), c.number(m), c.number(min), c.number(max)) {
        (Some(n), m, _, _) => Some(Times { min: n, max: Some(m.unwrap_or(n)) }),
        (_, _, Some(min), _) => Some(Times { min, max: None }),
        (_, _, _, Some(max)) => Some(Times { min: 0, max: Some(max) }),
        _ => None,
    }
}

impl Condition {
    /// All terms, in the order of the text.
    pub fn terms(&self) -> Vec<&crate::scenario::span::Spanned<Term>> {
        match self {
            Condition::Term(term) => vec![&**term],
            Condition::Not(inner) => inner.terms(),
            Condition::All(parts) | Condition::Any(parts) => {
                parts.iter().flat_map(Condition::terms).collect()
            }
        }
    }
}
