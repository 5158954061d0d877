//! The client's cache of one queue, played by the steps that `when` names: `take 10, commit, remove
//! last`, `rollback then take 3, commit`, and so on.

use super::answer::{Answer, Outcome};
use super::case::{numbers_in, Case, Trouble};
use lockstep_core::client::ProcessQueue;
use lockstep_core::event::Cached;
use lockstep_core::ids::MsgId;
use serde_json::Value;

/// How many messages stand for "the remaining ones".
const REMAINING: i64 = 10;

struct Play {
    cache: ProcessQueue,
    counts: Vec<usize>,
    sizes: Vec<u64>,
    taken: Vec<i64>,
    commits: Vec<Option<i64>>,
    removals: Vec<Option<i64>>,
}

fn message(offset: i64, bytes: u32) -> Cached {
    Cached { offset, msg: MsgId(offset as u32), reconsume_times: 0, bytes, store_ms: 0 }
}

impl Play {
    fn new() -> Self {
        Self {
            cache: ProcessQueue::new(1, 0, 0),
            counts: Vec::new(),
            sizes: Vec::new(),
            taken: Vec::new(),
            commits: Vec::new(),
            removals: Vec::new(),
        }
    }

    fn put(&mut self, offsets: &[i64], bytes: u32) -> bool {
        let messages: Vec<Cached> = offsets.iter().map(|&offset| message(offset, bytes)).collect();
        self.cache.put(&messages)
    }

    fn note(&mut self) {
        self.counts.push(self.cache.count());
        self.sizes.push(self.cache.bytes());
    }

    fn step(&mut self, step: &str) -> Result<(), Trouble> {
        let numbers = numbers_in(step);
        let words = step.to_lowercase();
        if words.starts_with("take") {
            let count = numbers.first().copied().unwrap_or(1);
            let taken = self.cache.take(usize::try_from(count).unwrap_or(0));
            self.taken.extend(taken.iter().map(|message| message.offset));
        } else if words.starts_with("commit") {
            let offset = self.cache.commit();
            self.commits.push(offset);
            self.note();
        } else if words.starts_with("rollback") {
            self.cache.rollback();
        } else if words.starts_with("makemessagetoconsumeagain") || words.starts_with("put back") {
            let taken = self.cache.taken().to_vec();
            self.cache.make_again(&taken);
        } else if words.starts_with("remove") {
            let gone = match numbers[..] {
                [] if words.contains("last") => {
                    self.cache.waiting().last().map(|m| m.offset).into_iter().collect()
                }
                [] => return Trouble::unsupported(format!("step `{step}`")),
                _ => numbers,
            };
            self.remove(&gone);
        } else {
            return Trouble::unsupported(format!("step `{step}`"));
        }
        Ok(())
    }

    fn remove(&mut self, offsets: &[i64]) {
        let gone: Vec<Cached> = offsets.iter().map(|&offset| message(offset, 0)).collect();
        let lowest = self.cache.remove(&gone);
        self.removals.push(lowest);
        self.note();
    }

    fn answer(self) -> Answer {
        let last = self.commits.last().copied().flatten();
        let mut answer = Answer::new();
        for key in ["returns", "remove_returns", "commit_offsets", "offsets", "committed"] {
            answer.set(key, self.removals.clone());
        }
        answer
            .with("counts", self.counts)
            .with("sizes", self.sizes)
            .with("taken", self.taken)
            .with("commit_returns", last)
            .with("commit_returns_null", last.is_none())
            .with("remaining", self.cache.count())
    }
}

/// A list of offsets: a count, a list, `0..4`, or `2.. remaining`.
fn offsets(value: &Value) -> Result<Vec<i64>, Trouble> {
    let found: Option<Vec<i64>> = match value {
        Value::Number(count) => count.as_i64().map(|count| (0..count).collect()),
        Value::Array(list) => list.iter().map(Value::as_i64).collect(),
        Value::String(text) => match (text.split_once(".."), numbers_in(text)) {
            (Some((from, rest)), _) if rest.trim() == "remaining" => {
                from.trim().parse().ok().map(|from: i64| (from..from + REMAINING).collect())
            }
            (_, numbers) if !numbers.is_empty() => Some(numbers),
            _ => None,
        },
        _ => None,
    };
    found.ok_or_else(|| Trouble::Unsupported(format!("offsets `{value}`")))
}

fn filled(case: &Case) -> Result<Play, Trouble> {
    let mut play = Play::new();
    let bytes = u32::try_from(case.int_or("body", 0)?).unwrap_or(0);
    if case.has("taken_uncommitted") {
        let taken = offsets(case.value("taken_uncommitted")?)?;
        let Some(&first) = taken.first() else { return Trouble::unsupported("nothing taken") };
        play.put(&(first..first + REMAINING).collect::<Vec<_>>(), bytes);
        let got: Vec<i64> =
            play.cache.take(taken.len()).iter().map(|message| message.offset).collect();
        if got != taken {
            return Trouble::unsupported(format!("taken {taken:?}"));
        }
        return Ok(play);
    }
    let key = ["put", "offsets", "cached"].into_iter().find(|key| case.has(key));
    let Some(key) = key else { return Trouble::unsupported("what is cached") };
    play.put(&offsets(case.value(key)?)?, bytes);
    play.note();
    Ok(play)
}

/// Plays the steps of `when`, and the removals that are given.
pub fn steps(case: &Case) -> Outcome {
    let mut play = filled(case)?;
    let mut given = false;
    for key in ["remove", "removals", "remove_order", "finish", "finished", "done"] {
        if case.has(key) {
            for entry in case.list(key)? {
                let gone = match entry {
                    Value::Number(_) => vec![entry.as_i64().unwrap_or(-1)],
                    other => offsets(other)?,
                };
                play.remove(&gone);
                given = true;
            }
        }
    }
    if given {
        return Ok(play.answer());
    }
    let mut verb = String::new();
    for part in case.when.replace(" then ", ", ").split(", ") {
        let part = part.trim().trim_start_matches("then ");
        // A bare number goes on with the verb before it: `remove 12, 10, 11`.
        let step =
            if part.parse::<i64>().is_ok() { format!("{verb} {part}") } else { part.to_owned() };
        verb = step.split_whitespace().next().unwrap_or_default().to_owned();
        play.step(&step)?;
    }
    Ok(play.answer())
}

/// Which offsets are cached?
pub fn contains(case: &Case) -> Outcome {
    let play = filled(case)?;
    let value: Vec<bool> =
        case.numbers_said().iter().map(|&offset| play.cache.contains(offset)).collect();
    Ok(Answer::new().with("value", value))
}

/// Does each put start a consume task, while the first one's is active?
pub fn dispatch(case: &Case) -> Outcome {
    let mut play = Play::new();
    let mut started = Vec::new();
    for batch in case.list("put")? {
        started.push(play.put(&offsets(batch)?, 0));
    }
    Ok(Answer::new().with("dispatch", started))
}
