//! Parts that say how often, when and where something is expected.

use super::options::part;
use super::Section;

pub(super) const TIMES: Section = Section {
    name: "times",
    title: "How often",
    intro: "",
    forms: &[part(
        "(once | twice | at least <count:min> times | at most <count:max> times | <count:n> [to <count:m>] times)",
        "How often it happened.",
        "at least once",
        "60 to 61 times",
    )],
};

pub(super) const WHEN: Section = Section {
    name: "when",
    title: "When",
    intro: "`before` and `after` look at the first time, unless a number of times is given: then only those before or after are counted. `at` and `between` look at any time.",
    forms: &[
        part("before (<time:before> | <label:before-label> <event:before-event>)", "Strictly before an instant, or before the first time something happened to a message.", "at any time", "before 25s"),
        part("after (<time:after> | <label:after-label> <event:after-event>)", "Strictly after an instant, or after the first time something happened to a message.", "at any time", "after A2 dead-lettered"),
        part("between <time:from> and <time:until>", "From one instant to another, both included.", "at any time", "between 60s and 62s"),
        part("at <time:at>", "At exactly this instant.", "at any time", "at 61s"),
    ],
};

pub(super) const PLACE: Section = Section {
    name: "place",
    title: "Where and by whom",
    intro: "What does not apply to an event cannot be said of it.",
    forms: &[
        part("in <queue>", "In this queue.", "in any", "in orders q1"),
        part("in <group>", "In this consumer group.", "in any", "in billing"),
        part("by <consumer>", "By this consumer.", "by any", "by c2"),
        part("at offset <number:offset>", "At this offset.", "at any", "at offset 2"),
        part("on attempt <count:attempt>", "On this delivery, or this attempt to send, from 1.", "on any", "on attempt 2"),
        part("on <broker>", "On this broker.", "on any", "on broker"),
        part("under level <level>", "Under this delay level.", "under any", "under level 3"),
        part("until <time:ends>", "Invisible, blocked or renewed until this instant.", "until any", "until 31s"),
        part("with (<reason> | <code>)", "For this reason, or with this code: of the gRPC protocol by number or name, or a broker's number.", "for any", "with selector-threw"),
    ],
};
