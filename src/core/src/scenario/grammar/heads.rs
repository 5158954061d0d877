//! Statements that begin a line and are not declarations.

use super::{form, Form, Make, Section};
use crate::model::Blocking;
use crate::scenario::ast::Statement;

const fn statement(
    f: &'static str,
    meaning: &'static str,
    default: &'static str,
    example: &'static str,
    make: fn(&super::Caps) -> Option<Statement>,
) -> Form {
    form(f, meaning, default, example, Make::Statement(make))
}

/// Texts about the scenario.
pub(super) const TEXTS: Section = Section {
    name: "texts",
    title: "Texts",
    intro: "A text goes on in the following lines when they are indented further than its first line. In a text, `#` begins a comment only when white space follows it.",
    forms: &[
        statement("title <text>", "The scenario's name.", "none", "title The poison message", |c| {
            Some(Statement::Title(c.text("text")?))
        }),
        statement("about <text>", "What it shows, in a sentence or two.", "none", "about One bad message stops its whole queue.", |c| {
            Some(Statement::About(c.text("text")?))
        }),
        statement(
            "zh <text>",
            "The text of the statement above in Chinese: a title, an about, a question, a watch, a note, a beat, an ask with its answers (in the same order), a goal without its condition, a hint or a twist.",
            "the English text is shown",
            "zh 毒消息",
            |c| {
                let text = c.name("text")?;
                Some(Statement::Chinese(text))
            },
        ),
    ],
};

/// What holds for the whole run.
pub(super) const SETTINGS: Section = Section {
    name: "settings",
    title: "Settings of the run",
    intro: "Each of them stands at most once, except `set`.",
    forms: &[
        statement("seed <seed>", "What chance is drawn from: the same seed gives the same run.", "1", "seed 7", |c| {
            Some(Statement::Seed(c.number("seed")?))
        }),
        statement(
            "model <model>",
            "Whose behaviour is modelled: 4.9, 5.1, 5.3, an exact release, or documents (5.3, but a failed message blocks only its own message group).",
            "5.3",
            "model 5.0.0",
            |c| Some(Statement::Model(c.text("model")?)),
        ),
        statement(
            "blocking (queue | message-group)",
            "What a failed or unfinished ordered message holds back.",
            "queue; message-group with model documents",
            "blocking message-group",
            |c| {
                let by_group = c.has("message-group");
                Some(Statement::Blocking(if by_group { Blocking::MessageGroup } else { Blocking::Queue }))
            },
        ),
        statement(
            "set <constant> <value>",
            "Gives a constant of the model another value, in the constant's own unit; durations are written as such.",
            "the model's value",
            "set rocketmq.client.rebalance.lockInterval 10s",
            |c| Some(Statement::Set(c.name("constant")?, c.placed_number("value")?)),
        ),
        statement(
            "run until <time>",
            "When the run ends.",
            "10s after the last instant that the scenario names",
            "run until 60s",
            |c| Some(Statement::RunUntil(c.ms("time")?)),
        ),
    ],
};

/// The statement that does something at an instant.
pub(super) const TIMED: Section = Section {
    name: "timed",
    title: "What happens when",
    intro: "Statements of one instant take effect in the order of their lines.",
    forms: &[form(
        "at <time>",
        "At this instant, one of the sentences below happens.",
        "",
        "at 3s p1 sends A1 A2 A3",
        Make::Sentence,
    )],
};

/// The statement that expects something.
pub(super) const EXPECTATIONS: Section = Section {
    name: "expectations",
    title: "Expectations",
    intro: "Expectations are checked when the run is over; the page ticks them off while it plays. Conditions can be joined by `and` and `or` (`and` binds closer) and turned round by `not` in front. A run in which a statement is refused fails unless that refusal is expected.",
    forms: &[form("expect", "Followed by a condition.", "", "expect A2 dead-lettered before 25s", Make::Sentence)],
};

/// The statements of a lesson.
pub(super) const LESSON: Section = Section {
    name: "lesson",
    title: "Lessons",
    intro: "What a teacher says, asks and wants. The first sentence of a beat is its heading.",
    forms: &[
        statement(
            "question <text>",
            "What the lesson answers, as people ask it.",
            "none",
            "question Why must order 2 wait when only order 1 fails?",
            |c| Some(Statement::Question(c.text("text")?)),
        ),
        statement(
            "source <text>",
            "Where somebody asked it in public: an address or a title. There may be several.",
            "none",
            "source https://github.com/alibaba/rocketmq/issues/23",
            |c| Some(Statement::Source(c.text("text")?)),
        ),
        statement("watch <text>", "What to look at while it runs.", "none", "watch The lane of q1, and the count on A2.", |c| {
            Some(Statement::Watch(c.text("text")?))
        }),
        statement(
            "beat <time:at> <text>",
            "A step of the lesson: at this instant the page stops and says this.",
            "",
            "beat 3s A2 fails. Its queue is suspended for a second.",
            |c| Some(Statement::Beat(c.ms("at")?, c.text("text")?)),
        ),
        statement("note <text>", "What only the presenter sees with the beat, question or goal above.", "none", "note Let the room vote first.", |c| {
            Some(Statement::Note(c.text("text")?))
        }),
        form(
            "ask <time:at> <text>",
            "A question before the run goes on: the text up to the question mark, then the answers with | between them and * behind what is right.",
            "",
            "ask 4s What is handled next in this queue?  A2 again * | B2 | A3 | nothing",
            Make::Sentence,
        ),
        form(
            "goal <text>",
            "Something to achieve; the text ends in `when` and a condition, which the page ticks off.",
            "",
            "goal Get B2 handled without losing A2.  when B2 acknowledged and A2 not dead-lettered",
            Make::Sentence,
        ),
        statement(
            "hint <text>",
            "A step towards the goal above. Several of them are shown one after the other, on request.",
            "none",
            "hint The listener decides how long A2 fails.",
            |c| Some(Statement::Hint(c.text("text")?)),
        ),
        statement(
            "twist <text>",
            "One setting to change, and what to look for then; what follows its last question mark is the answer, shown on request. There may be several.",
            "none",
            "twist Write suspend 5s behind orderly. How often is A2 tried now? Three times.",
            |c| Some(Statement::Twist(c.text("text")?)),
        ),
        statement(
            "repaired <word:lesson>",
            "The lesson in which nothing breaks: the name of its file without the ending.",
            "none",
            "repaired 05-1-poison-message-repaired",
            |c| Some(Statement::Repaired(c.text("lesson")?)),
        ),
        statement(
            "see <text>",
            "Where the rule can be read: an address, or a place in RocketMQ's source. There may be several.",
            "none",
            "see ConsumeMessageOrderlyService.processConsumeResult",
            |c| Some(Statement::See(c.text("text")?)),
        ),
    ],
};
