//! Tests of the scenario language: reading, mistakes, canonical form, meaning.

mod editor;
mod fuzz;
mod judged;
mod layout;
mod meaning;
mod mistakes;
mod said;
mod said_pop;
mod second;

use super::*;

/// The sketch that the language grew from.
pub(super) const SKETCH: &str = "\
title    The poison message
zh       毒消息
about    One message that always fails stops its whole queue, other message groups included.
seed     7
model    5.3                            # which behaviour: 4.9, 5.1, 5.3, or documents

topic    orders FIFO 2 queues
group    billing reads orders orderly, handles in 400ms
producer p1
consumer c1 in billing push 2 threads
consumer c2 in billing push 2 threads

at 1s    p1 sends A1 A2 A3 B1 B2        # letter = message group, A1 A2 .. = its messages
at 1s    A2 fails always
at 20s   billing max-reconsume-times 3  # a setting changed during the run
at 30s   p1 sends A4

expect   order kept in A, B
expect   A2 dead-lettered before 25s
expect   B2 handled after A2 dead-lettered

beat 3s  A2 fails. q1 is suspended for one second, and with it everything behind A2.
ask  4s  What is handled next in this queue?  A2 again * | B2 | A3 | nothing
goal     Get B2 handled without losing A2.  when B2 acknowledged and A2 not dead-lettered
";

/// The only problem of a text.
fn problem(text: &str) -> Problem {
    let problems = load(text).expect_err(text);
    assert_eq!(problems.len(), 1, "{problems:#?}");
    problems.into_iter().next().expect("one")
}
