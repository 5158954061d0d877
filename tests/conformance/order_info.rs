//! The record that blocks a queue, played by the steps that `when` names: `ack 101, ack 100, check at
//! 30999 and 31000`.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::version::release_of;
use lockstep_core::broker::pop::{AttemptId, Counts, OrderInfoTable, OrderRules, RecordKey, Taken};
use lockstep_core::ids::{BrokerId, GroupId, MessageQueue, Ms, TopicId};
use lockstep_core::model::Version;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A pop time that a case calls `T`.
const T_MS: Ms = 100_000;

struct Play {
    table: OrderInfoTable,
    rules: OrderRules,
    pop_ms: Ms,
    former_ms: Ms,
    invisible_ms: Ms,
    returns: Vec<i64>,
    blocked: Vec<bool>,
}

fn key(queue: u16) -> RecordKey {
    (GroupId(0), MessageQueue { topic: TopicId(2), broker: BrokerId(0), id: queue })
}

/// Attempts are named by texts; equal texts are equal attempts.
fn attempt(value: &Value) -> Option<AttemptId> {
    let text = value.as_str()?;
    Some(AttemptId(text.bytes().fold(7, |hash: u64, byte| hash.wrapping_mul(31) + u64::from(byte))))
}

fn offsets(value: &Value) -> Result<Vec<i64>, Trouble> {
    let all =
        value.as_array().map(|list| list.iter().map(Value::as_i64).collect::<Option<Vec<i64>>>());
    all.flatten().ok_or_else(|| Trouble::Unsupported(format!("offsets `{value}`")))
}

fn by_offset(counts: &BTreeMap<i64, u32>) -> Value {
    let map: Map<String, Value> =
        counts.iter().map(|(o, n)| (o.to_string(), (*n).into())).collect();
    Value::Object(map)
}

impl Play {
    fn new(rules: OrderRules, pop_ms: Ms, invisible_ms: Ms) -> Self {
        Self {
            table: OrderInfoTable::default(),
            rules,
            pop_ms,
            former_ms: pop_ms,
            invisible_ms,
            returns: Vec::new(),
            blocked: Vec::new(),
        }
    }

    fn pop_in(&mut self, queue: u16, offsets: Vec<i64>, attempt: Option<AttemptId>) -> Counts {
        let invisible_ms = Some(self.invisible_ms);
        let taken = Taken { attempt, pop_ms: self.pop_ms, invisible_ms, offsets };
        self.table.update(self.rules, key(queue), &taken, self.pop_ms)
    }

    fn check(&mut self, attempt: Option<AttemptId>, now_ms: Ms) -> bool {
        self.table.check_block(self.rules, key(0), attempt, self.invisible_ms, now_ms).is_some()
    }

    fn ack(&mut self, offset: i64, pop_ms: Ms) {
        let next = self.table.commit_and_next(self.rules, key(0), offset, pop_ms);
        self.returns.push(next.code());
    }

    /// Reads `when` word by word: what follows `ack` is acknowledged, what follows `check at` is
    /// checked at; a check without instant is one now.
    fn steps(&mut self, words: &str) -> Result<(), Trouble> {
        #[derive(PartialEq)]
        enum Mode {
            Nothing,
            Ack,
            Check,
            CheckAt,
        }
        let mut mode = Mode::Nothing;
        let spaced = words.replace([',', ';', ':'], " , ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        for (place, word) in words.iter().enumerate() {
            if mode == Mode::Check && *word != "at" {
                let now_ms = self.pop_ms;
                let blocked = self.check(None, now_ms);
                self.blocked.push(blocked);
                mode = Mode::Nothing;
            }
            match *word {
                "ack" | "acks" => mode = Mode::Ack,
                "check" | "blocked" => mode = Mode::Check,
                "at" if mode == Mode::Check => mode = Mode::CheckAt,
                _ => {
                    let Ok(number) = word.parse::<i64>() else { continue };
                    match mode {
                        Mode::Ack => {
                            let pop_ms = self.acked_pop_ms(&words[place + 1..])?;
                            self.ack(number, pop_ms);
                        }
                        Mode::CheckAt => {
                            let blocked = self.check(None, number);
                            self.blocked.push(blocked);
                        }
                        Mode::Nothing | Mode::Check => {}
                    }
                }
            }
        }
        if mode == Mode::Check {
            let blocked = self.check(None, self.pop_ms);
            self.blocked.push(blocked);
        }
        Ok(())
    }

    /// The pop time that an acknowledgement carries: `with popTime T-10`, `with old popTime`.
    fn acked_pop_ms(&self, after: &[&str]) -> Result<Ms, Trouble> {
        let until = after.iter().position(|word| *word == ",").unwrap_or(after.len());
        let own = &after[..until];
        if own.iter().any(|word| ["old", "late", "stale", "former"].contains(word)) {
            return Ok(self.former_ms);
        }
        let Some(place) = own.iter().position(|word| word.eq_ignore_ascii_case("popTime")) else {
            return Ok(self.pop_ms);
        };
        match own.get(place + 1) {
            None => Ok(self.pop_ms),
            Some(word) => {
                instant(word).ok_or_else(|| Trouble::Unsupported(format!("pop time `{word}`")))
            }
        }
    }
}

/// `T`, `T-10`, `T+5` or a number.
fn instant(word: &str) -> Option<Ms> {
    let word = word.trim_matches(|c: char| "(),;".contains(c));
    match word.strip_prefix('T') {
        Some("") => Some(T_MS),
        Some(rest) => rest.parse::<Ms>().ok().map(|by| T_MS + by),
        None => word.parse().ok(),
    }
}

fn start(case: &Case, invisible_ms: Ms) -> Result<Play, Trouble> {
    let pop_ms = match case.get("popTime") {
        None => 0,
        Some(Value::String(text)) => {
            instant(text).ok_or_else(|| Trouble::Unsupported(format!("pop time `{text}`")))?
        }
        Some(value) => value.as_i64().ok_or_else(|| Trouble::Unsupported("popTime".to_owned()))?,
    };
    let invisible_ms = match case.get("invisible") {
        Some(value) if !value.is_null() => {
            value.as_i64().ok_or_else(|| Trouble::Unsupported("invisible".to_owned()))?
        }
        _ => invisible_ms,
    };
    let release = if case.has("version") { release_of(case)? } else { Version(5, 3, 3) };
    Ok(Play::new(OrderRules::of(release), pop_ms, invisible_ms))
}

/// One pop, then the steps of `when`.
pub fn one_pop(case: &Case) -> Outcome {
    let mut play = start(case, 30_000)?;
    let own = case.get("attemptId").and_then(attempt);
    play.pop_in(0, offsets(case.value("pop")?)?, own);
    for name in ["change", "changes", "next_visible"] {
        let Some(Value::Object(changes)) = case.get(name) else { continue };
        for (offset, visible) in changes.clone() {
            // `+3000` counts from the pop, a number is an instant.
            let visible_ms = match &visible {
                Value::String(text) => {
                    text.trim_start_matches('+').parse::<Ms>().ok().map(|by| play.pop_ms + by)
                }
                other => other.as_i64(),
            };
            let (Ok(offset), Some(visible_ms)) = (offset.parse::<i64>(), visible_ms) else {
                return Trouble::unsupported(format!("change `{visible}`"));
            };
            play.table.update_next_visible(key(0), offset, play.pop_ms, visible_ms);
        }
    }
    let mut answer = Answer::new();
    if case.has("attemptId") && case.says("null attempt") {
        let now_ms = play.pop_ms;
        let blocked = vec![play.check(None, now_ms), play.check(own, now_ms)];
        return Ok(answer.with("blocked", blocked));
    }
    if case.has("acks") {
        for offset in case.ints("acks")? {
            let pop_ms = play.pop_ms;
            play.ack(offset, pop_ms);
        }
        let mut again = start(case, 30_000)?;
        let popped = offsets(case.value("pop")?)?;
        again.pop_in(0, popped.clone(), own);
        let mut other = start(case, 30_000)?;
        other.pop_in(0, popped.clone(), own);
        let moved: Vec<i64> = popped.iter().skip(1).map(|o| o + 1).collect();
        answer.set("count_same_offsets", again.pop_in(0, popped, None).queue);
        answer.set("count_other_offsets", other.pop_in(0, moved, None).queue);
    } else {
        play.steps(&case.when)?;
    }
    let end = play.check(None, play.pop_ms);
    let several = |name: &str| case.asked_len(name).is_some();
    match play.returns[..] {
        [one] if !several("returns") => answer.set("returns", one),
        _ => answer.set("returns", play.returns.clone()),
    }
    match play.blocked[..] {
        _ if several("blocked") => answer.set("blocked", play.blocked.clone()),
        [one] => answer.set("blocked", one),
        _ => answer.set("blocked", end),
    }
    answer.set("blocked_mid", play.blocked.first().copied().unwrap_or(end));
    answer.set("blocked_end", play.blocked.last().copied().unwrap_or(end));
    answer.set("free", !end);
    Ok(answer)
}

/// Several pops: how often each message was delivered before.
pub fn pops(case: &Case) -> Outcome {
    let mut play = start(case, 1)?;
    let (mut queue, mut by) = (Vec::new(), Vec::new());
    for entry in case.list("pops")? {
        let list = entry.as_array().map(Vec::as_slice).unwrap_or_default();
        let counts = match list {
            [name, Value::Array(_)] => play.pop_in(0, offsets(&list[1])?, attempt(name)),
            _ => play.pop_in(0, offsets(entry)?, None),
        };
        queue.push(counts.queue);
        by.push(by_offset(&counts.by_offset));
    }
    Ok(Answer::new()
        .with("queue_count", queue.clone())
        .with("counts", queue)
        .with("offset_counts", by))
}

/// Pops of two queues, in rounds.
pub fn two_queues(case: &Case) -> Outcome {
    let mut play = start(case, 1)?;
    let mut answer = Answer::new();
    for (queue, name) in [(0, "q0"), (1, "q1")] {
        let mut last = Counts::default();
        for popped in case.list(name)? {
            last = play.pop_in(queue, offsets(popped)?, None);
        }
        answer.set(name, last.queue);
        answer.set(&format!("{name}_offsets"), by_offset(&last.by_offset));
    }
    Ok(answer)
}

/// What stays after cleaning.
pub fn clean(case: &Case) -> Outcome {
    let mut left = Vec::new();
    for name in case.texts("cases")? {
        let exists = match name {
            "valid" => true,
            "unknown topic" | "unknown group" | "readQueueNums=0" => false,
            other => return Trouble::unsupported(format!("case `{other}`")),
        };
        let mut play = Play::new(OrderRules::Attempts, 0, 1);
        play.pop_in(0, vec![1], None);
        play.table.auto_clean(1, |_| exists);
        left.push(play.table.iter().count());
    }
    Ok(Answer::new().with("entries_left", left))
}

/// A record of an old file, which has no invisible time.
pub fn old_record(case: &Case) -> Outcome {
    let mut play = start(case, case.int("request_invisible")?)?;
    let invisible_ms = case.peek("invisible").and_then(Value::as_i64);
    let taken = Taken {
        attempt: None,
        pop_ms: play.pop_ms,
        invisible_ms,
        offsets: offsets(case.value("old")?)?,
    };
    play.table.update(play.rules, key(0), &taken, play.pop_ms);
    let now_ms = case.int("now")?;
    let mut answer = Answer::new().with("blocked", play.check(None, now_ms));
    let asked: Vec<String> = case.asked().map(str::to_owned).collect();
    for name in asked {
        if let Some(at_ms) =
            name.strip_prefix("blocked_at_").and_then(|text| text.parse::<Ms>().ok())
        {
            answer.set(&name, play.check(None, at_ms));
        }
    }
    if case.has("pop_now") {
        play.pop_ms = now_ms;
        let counts = play.pop_in(0, offsets(case.value("pop_now")?)?, None);
        answer.set("queue_count", counts.queue);
        answer.set("offset_counts", by_offset(&counts.by_offset));
    }
    Ok(answer)
}
