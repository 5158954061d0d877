//! What becomes of a message in the store: retention, transactions.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::stage::{Stage, TOPIC};
use super::version::release_of;
use super::{offset_store, Form};
use lockstep_core::command::{Command, MessageSpec, Selector, SendMode, TransactionScript};
use lockstep_core::fact::{Decision, Fact, StoredKind};
use lockstep_core::ids::Ms;
use std::collections::BTreeMap;

/// The forms of this area that need the whole store; they go before the others.
pub const FORMS: &[Form] = &[
    Form {
        fits: |c| c.says("cleaner"),
        run: |c| {
            offset_store::FORMS
                .iter()
                .find(|f| (f.fits)(c))
                .map_or_else(|| Trouble::unsupported("cleaner"), |form| (form.run)(c))
        },
    },
    Form { fits: |c| c.has("half") && (c.has("commit") || c.has("rollback")), run: transactions },
    Form { fits: |c| c.has("half") || c.has("half_at"), run: unanswered },
];

/// `m2 at 20`: a name and an instant.
fn named_instant(text: &str) -> Result<(String, Ms), Trouble> {
    let parsed =
        text.split_once(" at ").and_then(|(name, at)| Some((name, at.trim().parse().ok()?)));
    let Some((name, at_ms)) = parsed else { return Trouble::unsupported(format!("`{text}`")) };
    Ok((name.trim().to_owned(), at_ms))
}

fn instants(case: &Case, key: &str) -> Result<BTreeMap<String, Ms>, Trouble> {
    if !case.has(key) {
        return Ok(BTreeMap::new());
    }
    case.texts(key)?.into_iter().map(named_instant).collect()
}

fn producer(stage: &mut Stage) {
    let create = Command::CreateProducer {
        name: "tx".to_owned(),
        topic: Some(TOPIC.to_owned()),
        selector: Selector::Queue(0),
        mode: SendMode::Async,
        threads: 1,
    };
    stage.at(-1_000, create);
}

fn send(stage: &mut Stage, at_ms: Ms, number: u32, script: TransactionScript) {
    let message = MessageSpec::new("m", number);
    let (producer, topic, thread) = ("tx".to_owned(), None, 0);
    stage.at(at_ms, Command::SendTransaction { producer, topic, thread, message, script });
}

/// Half messages of one queue, their commits and rollbacks: what the queue holds in the end.
fn transactions(case: &Case) -> Outcome {
    case.only_if("same_queue", true)?;
    let halves = instants(case, "half")?;
    let (commits, rollbacks) = (instants(case, "commit")?, instants(case, "rollback")?);
    let mut stage = Stage::new(release_of(case)?, 1);
    producer(&mut stage);
    let names: Vec<&String> = halves.keys().collect();
    for (number, name) in (0..).zip(&names) {
        let half_ms = halves[*name];
        let ends =
            [(commits.get(*name), Decision::Commit), (rollbacks.get(*name), Decision::Rollback)];
        let (end_ms, decision) = ends
            .into_iter()
            .find_map(|(at, decision)| at.map(|at| (*at, decision)))
            .unwrap_or((half_ms, Decision::Unknown));
        let (after_ms, checks) = (end_ms - half_ms, Vec::new());
        send(&mut stage, half_ms, number, TransactionScript { after_ms, decision, checks });
    }
    let mut run = stage.run();
    run.until(60_000)?;
    let queue = run.queue(0);
    let stored: Vec<&str> = run
        .facts
        .iter()
        .filter_map(|(_, fact)| match fact {
            Fact::MessageStored { msg, queue: q, kind: StoredKind::Committed, .. }
                if *q == queue =>
            {
                let number = run.world.shared.message(*msg).number as usize;
                names.get(number).map(|name| name.as_str())
            }
            _ => None,
        })
        .collect();
    Ok(Answer::new().with("queue", stored))
}

/// A half message that nobody ends: when the broker asks, and when it gives up.
fn unanswered(case: &Case) -> Outcome {
    let half_ms = if case.has("half_at") {
        case.int("half_at")?
    } else {
        instants(case, "half")?.values().next().copied().unwrap_or(0)
    };
    for key in ["answered", "ended"] {
        case.only_if(key, false)?;
    }
    let mut stage = Stage::new(release_of(case)?, 1);
    let model = stage.model().clone();
    for (key, value) in [
        ("check_interval", model.transaction_check_interval_ms),
        ("timeout", model.transaction_time_out_ms),
        ("max_checks", model.transaction_check_max),
    ] {
        case.must_be(key, value)?;
    }
    producer(&mut stage);
    let (after_ms, decision, checks) = (0, Decision::Unknown, Vec::new());
    send(&mut stage, half_ms, 0, TransactionScript { after_ms, decision, checks });
    let mut run = stage.run();
    run.until(half_ms + 1_000_000)?;
    let checks = run.all(|fact| matches!(fact, Fact::TransactionChecked { .. }));
    let aside = run.first(half_ms, |fact| matches!(fact, Fact::TransactionGivenUp { .. }));
    let mut answer = Answer::new()
        .with("checks", checks.len())
        .with("check_count", checks.len())
        .with("first_check_ms", checks.first().copied())
        .with("set_aside_ms", aside);
    for key in ["checks_ms", "check_ms"] {
        let wanted = case.asked_len(key).unwrap_or(checks.len());
        answer.set(key, checks.iter().copied().take(wanted).collect::<Vec<_>>());
    }
    Ok(answer)
}
