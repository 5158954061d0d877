//! The broker's lock table and the client's own clock of a lock. Taking over from a consumer that is
//! gone needs a run: see [`super::takeover`].

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::{relock, takeover, Form};
use lockstep_core::broker::{LockAnswer, LockTable};
use lockstep_core::client::ProcessQueue;
use lockstep_core::ids::{BrokerId, ClientId, GroupId, MessageQueue, Ms, TopicId};
use lockstep_core::model::{Model, Version};
use serde_json::Value;
use std::collections::BTreeMap;

/// The forms of this area.
pub const FORMS: &[Form] = &[
    Form { fits: |c| c.has("locks") && c.says("isLockAllExpired"), run: all_expired },
    Form { fits: |c| c.has("locks") && c.says(" unlocks "), run: unlock },
    Form { fits: |c| c.has("locks") && c.says(" locks "), run: lock },
    Form { fits: |c| c.has("A_locked_at") && c.says("tries at"), run: tries },
    Form { fits: |c| c.has("A_locked_at") && c.says("isLockAllExpired at"), run: all_expired_at },
    Form { fits: |c| c.says("isLockExpired") || c.says("local expiry"), run: local_expiry },
    Form { fits: |c| c.says("acquires lock"), run: takeover::takeover },
    Form { fits: takeover::is_restart, run: takeover::restart },
    Form { fits: |c| c.has("lock_lost_mid_loop"), run: relock::in_loop },
    Form {
        fits: |c| c.says("lock") && (c.says("task start") || c.says("before consum")),
        run: relock::at_start,
    },
    Form { fits: |c| c.says("continuous consumption"), run: relock::longest_run },
];

/// An instant at which everything of a case happens.
const NOW_MS: Ms = 1_000_000;

/// A lock table under the words of a case.
struct Table {
    locks: LockTable,
    queues: BTreeMap<String, u16>,
    live_ms: Ms,
}

impl Table {
    /// The table that a case gives: queue (or `group/queue`) to owner, with `expired`, `live` or
    /// `not expired` beside or instead of the owner. A live lock is as old as a live one can be.
    fn given(case: &Case) -> Result<Self, Trouble> {
        let live_ms = Model::of(Version(5, 3, 3)).rebalance_lock_max_live_time_ms;
        let mut table = Self { locks: LockTable::default(), queues: BTreeMap::new(), live_ms };
        for (place, state) in case.object("locks")? {
            let Some(state) = state.as_str() else {
                return Trouble::unsupported("owner of a lock");
            };
            let (group, queue) = place.split_once('/').unwrap_or(("g", place));
            let expired = state.contains("expired") && !state.contains("not expired");
            let owner = match state.split_whitespace().next() {
                Some("expired" | "live") | None => "B",
                Some(owner) => owner,
            };
            let age_ms = live_ms + Ms::from(expired);
            table.ask(group, queue, owner, NOW_MS - age_ms)?;
        }
        Ok(table)
    }

    fn place(&mut self, queue: &str) -> MessageQueue {
        let next = self.queues.len() as u16;
        let id = *self.queues.entry(queue.to_owned()).or_insert(next);
        MessageQueue { topic: TopicId(5), broker: BrokerId(0), id }
    }

    fn ask(&mut self, group: &str, queue: &str, client: &str, now_ms: Ms) -> Result<bool, Trouble> {
        let (group, client, queue) = (group_id(group)?, client_id(client)?, self.place(queue));
        let answer = self.locks.try_lock(group, queue, client, now_ms, self.live_ms);
        Ok(matches!(answer, LockAnswer::Granted(_)))
    }
}

fn client_id(name: &str) -> Result<ClientId, Trouble> {
    match name.as_bytes() {
        [letter @ b'A'..=b'Z'] => Ok(ClientId(u16::from(letter - b'A'))),
        _ => Trouble::unsupported(format!("consumer `{name}`")),
    }
}

fn group_id(name: &str) -> Result<GroupId, Trouble> {
    let number = name.strip_prefix('g').unwrap_or(name);
    match number.parse() {
        _ if number.is_empty() || name == "group" => Ok(GroupId(0)),
        Ok(number) => Ok(GroupId(number)),
        Err(_) => Trouble::unsupported(format!("group `{name}`")),
    }
}

/// Who, which queues, and which group a sentence such as `A locks q0,q1 in one batch` is about.
fn parse(case: &Case) -> Result<(&str, Vec<&str>, &str), Trouble> {
    let mut words = case.when.split_whitespace();
    let (Some(client), Some(_), Some(queues)) = (words.next(), words.next(), words.next()) else {
        return Trouble::unsupported(case.when.clone());
    };
    let group = case.when.split_once("group ").map_or("g", |(_, rest)| rest.trim());
    Ok((client, queues.split(',').collect(), group))
}

fn lock(case: &Case) -> Outcome {
    let mut table = Table::given(case)?;
    let (client, queues, group) = parse(case)?;
    let mut granted = Vec::new();
    for queue in &queues {
        if table.ask(group, queue, client, NOW_MS)? {
            granted.push(*queue);
        }
    }
    let place = table.place(queues[0]);
    let held = table.locks.get(group_id(group)?, place);
    let refreshed = held.is_some_and(|lock| lock.last_update_ms == NOW_MS);
    let answer = Answer::new().with("timestamp_refreshed", refreshed).with("count", granted.len());
    Ok(if case.says("batch") || queues.len() > 1 {
        answer.with("granted", granted)
    } else {
        answer.with("granted", granted.len() == 1)
    })
}

fn unlock(case: &Case) -> Outcome {
    let mut table = Table::given(case)?;
    let (client, queues, group) = parse(case)?;
    let (group, client) = (group_id(group)?, client_id(client)?);
    let mut removed = 0;
    for queue in queues {
        let place = table.place(queue);
        removed += i32::from(table.locks.unlock(group, place, client));
    }
    Ok(Answer::new()
        .with("remaining", table.locks.of_group(group).count())
        .with("removed", removed)
        .with("released", removed > 0))
}

fn all_expired(case: &Case) -> Outcome {
    let table = Table::given(case)?;
    let value = table.locks.is_lock_all_expired(group_id("g")?, NOW_MS, table.live_ms);
    Ok(Answer::new().with("value", value))
}

/// A table in which A locked a queue and perhaps renewed it.
fn locked_by_a(case: &Case) -> Result<Table, Trouble> {
    let live_ms = Model::of(Version(5, 3, 3)).rebalance_lock_max_live_time_ms;
    let mut table = Table { locks: LockTable::default(), queues: BTreeMap::new(), live_ms };
    table.ask("g", "q0", "A", case.int("A_locked_at")?)?;
    if case.has("A_renewed_at") {
        let renewals = match case.value("A_renewed_at")? {
            Value::Array(_) => case.ints("A_renewed_at")?,
            _ => vec![case.int("A_renewed_at")?],
        };
        for at_ms in renewals {
            table.ask("g", "q0", "A", at_ms)?;
        }
    }
    Ok(table)
}

fn tries(case: &Case) -> Outcome {
    let mut table = locked_by_a(case)?;
    let client = case.when.split_whitespace().next().unwrap_or_default();
    let mut granted = Vec::new();
    for at_ms in case.numbers_said() {
        granted.push(table.ask("g", "q0", client, at_ms)?);
    }
    Ok(Answer::new().with("granted", granted))
}

fn all_expired_at(case: &Case) -> Outcome {
    let table = locked_by_a(case)?;
    let _ = case.get("now");
    let group = group_id("g")?;
    let at = case.numbers_said();
    let value: Vec<bool> = at
        .iter()
        .map(|&at_ms| table.locks.is_lock_all_expired(group, at_ms, table.live_ms))
        .collect();
    Ok(Answer::new().with("value", value))
}

/// When does a client stop trusting a lock by its own clock?
fn local_expiry(case: &Case) -> Outcome {
    let keys = [
        "last_lock",
        "last_lock_ms",
        "lastLockTimestamp",
        "last_renew",
        "A_last_renew",
        "locked_at",
        "A_locked_at",
    ];
    let Some(key) = keys.into_iter().find(|key| case.has(key)) else {
        return Trouble::unsupported("no last lock is given");
    };
    let live_ms = Model::of(Version(5, 3, 3)).client_lock_max_live_time_ms;
    let mut entry = ProcessQueue::new(1, 0, 0);
    entry.locked = true;
    entry.last_lock_ms = case.int(key)?;
    let at = match case.peek("now") {
        Some(Value::Array(_)) => case.ints("now")?,
        Some(_) if case.numbers_said().is_empty() => vec![case.int("now")?],
        _ => case.numbers_said(),
    };
    let expired: Vec<bool> =
        at.iter().map(|&now_ms| entry.is_lock_expired(now_ms, live_ms)).collect();
    let trusted: Vec<bool> = expired.iter().map(|expired| !expired).collect();
    let mut answer = Answer::new();
    for (keys, list) in [
        (["value", "expired", "lock_expired"], &expired),
        (["locked", "trusted", "may_consume"], &trusted),
    ] {
        for key in keys {
            match list[..] {
                [one] => answer.set(key, one),
                _ => answer.set(key, list.clone()),
            }
        }
    }
    Ok(answer)
}
