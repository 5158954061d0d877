//! How many queues topics have at each instant of a text: counts that a sentence leaves out, and
//! queues that it names, are looked at when all commands stand in the order in which they take effect.

use std::collections::BTreeMap;

use super::scope::DEFAULT_QUEUES;
use crate::command::Command;
use crate::scenario::action::QueueCounts;
use crate::scenario::problem::{Problem, ProblemKind};
use crate::scenario::program::Planned;
use crate::scenario::span::Span;

/// What a sentence leaves to the instant at which its command takes effect.
pub(super) enum Open {
    Nothing,
    /// The topic keeps the counts that are not said.
    Counts(QueueCounts),
    /// The queue that a reset names, here, has to be one that the topic has or had.
    ResetOf(Span),
}

/// A command with its rank among the commands of its instant.
pub(super) struct Entry {
    pub rank: u8,
    pub planned: Planned,
    pub open: Open,
}

/// Goes through the commands in their order, fills in the counts and reports queues that there are not.
pub(super) fn settle(entries: &mut [Entry], problems: &mut Vec<Problem>) {
    // Read and write queues of each topic that the text makes or changes, and the most it ever had.
    let mut known: BTreeMap<String, (u16, u16)> = BTreeMap::new();
    let mut most: BTreeMap<String, u16> = BTreeMap::new();
    for Entry { planned, open, .. } in entries {
        match (&mut planned.command, open) {
            (Command::CreateTopic { name, read_queues, write_queues, .. }, _) => {
                known.insert(name.clone(), (*read_queues, *write_queues));
                most.insert(name.clone(), (*read_queues).max(*write_queues));
            }
            (Command::UpdateTopic { name, read_queues, write_queues }, Open::Counts(counts)) => {
                let counts_of =
                    known.entry(name.clone()).or_insert((DEFAULT_QUEUES, DEFAULT_QUEUES));
                let (read, write) = *counts_of;
                *counts_of = (counts.read.unwrap_or(read), counts.write.unwrap_or(write));
                (*read_queues, *write_queues) = *counts_of;
                let most = most.entry(name.clone()).or_insert(DEFAULT_QUEUES);
                *most = (*most).max(*read_queues).max(*write_queues);
            }
            (Command::ResetOffset { topic, queue: Some(id), .. }, Open::ResetOf(span)) => {
                let Some(queues) = most.get(topic).copied() else { continue };
                if *id >= queues {
                    let problem =
                        ProblemKind::QueueNeverWas { topic: topic.clone(), id: *id, queues };
                    problems.push(Problem::new(*span, problem));
                }
            }
            _ => {}
        }
    }
}
