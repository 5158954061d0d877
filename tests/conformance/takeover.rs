//! The owner of a queue is gone: when does another member of the group get its lock?

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::stage::{Script, Stage, OWNER, TOPIC, WAITER};
use super::version::release_of;
use lockstep_core::command::{Command, Subscription, TopicType};
use lockstep_core::fact::{Fact, GrantKind, StopKind};
use lockstep_core::ids::Ms;

/// How the owner goes, by the key that says when.
const ENDS: [(&str, StopKind); 7] = [
    ("A_crash_at", StopKind::Crash),
    ("A_shutdown_at", StopKind::Clean),
    ("A_stops_at", StopKind::Clean),
    ("A_clean_stop_at", StopKind::Clean),
    ("A_silent_at", StopKind::Silent),
    ("A_partitioned_at", StopKind::Silent),
    ("A_hangs_at", StopKind::Hang),
];

/// Longest that a case may take after the owner has gone.
const PATIENCE_MS: Ms = 400_000;

/// Answers a case about B taking over from A.
pub fn takeover(case: &Case) -> Outcome {
    let version = release_of(case)?;
    let last_renew_ms = case.int("A_last_renew")?;
    let Some((key, how)) = ENDS.into_iter().find(|(key, _)| case.has(key)) else {
        return Trouble::unsupported("how A goes");
    };
    let end_ms = case.int(key)?;
    let mut stage = Stage::new(version, 1);
    let renewal_ms = stage.model().lock_renewal_initial_delay_ms;
    stage.store(-30_000, 0, 0..3);
    stage.start(last_renew_ms - renewal_ms, OWNER);
    stage.start(last_renew_ms - renewal_ms / 2, WAITER);
    let seen_ms = case.int_or("broker_detects_close_at", end_ms)?;
    if seen_ms > end_ms && how == StopKind::Crash {
        let (from, to) = (Some(OWNER.to_owned()), Some("broker".to_owned()));
        stage.at(end_ms, Command::SetLatency { from, to, ms: seen_ms - end_ms });
    }
    stage.stop(end_ms, OWNER, how);
    let mut run = stage.run();
    run.until(end_ms + PATIENCE_MS)?;
    let (queue, waiter) = (run.queue(0), run.id(WAITER));
    let granted = |fact: &Fact| {
        matches!(fact, Fact::LockGranted { client, queue: q, how: GrantKind::Free | GrantKind::Expired { .. }, .. }
            if *client == waiter && *q == queue)
    };
    let refused = |fact: &Fact| matches!(fact, Fact::LockRefused { client, queue: q, .. } if *client == waiter && *q == queue);
    let at_ms = run.first(end_ms, granted);
    let refusals: Vec<Ms> = run.all(refused).into_iter().filter(|at| *at >= end_ms).collect();
    let tries: Vec<Ms> = refusals.iter().copied().chain(at_ms).collect();
    check_rounds(case, &run.rounds(waiter), &tries, end_ms, at_ms)?;
    Ok(Answer::new()
        .with("at_ms", at_ms)
        .with("refused_at", refusals.last().copied())
        .with("first_pull_ms", at_ms.and_then(|at| run.first_pull(at, waiter, queue)))
        .with("tries_ms", tries.clone())
        .with("tries", tries.len()))
}

/// The conditions that a case states about B's rounds must hold in the run.
fn check_rounds(
    case: &Case,
    rounds: &[Ms],
    tries: &[Ms],
    end_ms: Ms,
    at_ms: Option<Ms>,
) -> Result<(), Trouble> {
    if case.has("B_tries_at") {
        let given = case.ints("B_tries_at")?;
        if given != tries {
            return Err(Trouble::Wrong(format!("B tries at {tries:?}, given {given:?}")));
        }
    }
    if case.has("B_last_round_before") {
        let text = case.text("B_last_round_before")?;
        let limit = text.trim_start_matches(['<', '=', ' ']).parse::<Ms>();
        let last = rounds.iter().copied().filter(|at| *at < end_ms).max();
        match (limit, last) {
            (Ok(limit), Some(last)) if last <= limit => {}
            _ => {
                return Err(Trouble::Wrong(format!(
                    "B's last round before is {last:?}, given {text}"
                )))
            }
        }
    }
    if case.has("B_rounds_at") {
        let given = case.text("B_rounds_at")?;
        let until = at_ms.unwrap_or(Ms::MAX);
        let seen: Vec<Ms> =
            rounds.iter().copied().filter(|at| (end_ms..=until).contains(at)).collect();
        super::handover::check_grid(given, &seen)?;
    }
    Ok(())
}

/// First given whole number whose name contains one of these words.
fn instant(case: &Case, words: &[&str]) -> Result<Option<Ms>, Trouble> {
    let whole = |key: &&str| case.peek(key).is_some_and(serde_json::Value::is_i64);
    let named = |key: &&str| words.iter().any(|word| key.to_lowercase().contains(word));
    match case.given_keys().filter(whole).find(named) {
        Some(key) => case.int(key).map(Some),
        None => Ok(None),
    }
}

/// Whether a case is about a broker that loses its memory.
pub fn is_restart(case: &Case) -> bool {
    let down = |key: &str| ["crash", "restart", "down"].iter().any(|word| key.contains(word));
    case.given_keys().any(|key| key.starts_with("broker") && down(key))
}

/// The broker crashes while A owns a queue; B is the first to be back, A comes later.
pub fn restart(case: &Case) -> Outcome {
    let version = release_of(case)?;
    let last_renew_ms = instant(case, &["renew"])?.unwrap_or(0);
    let Some(up_ms) = instant(case, &["broker_up", "broker_back", "restart", "broker_start"])?
    else {
        return Trouble::unsupported("when the broker is back");
    };
    let down_ms = instant(case, &["crash", "down"])?.unwrap_or(up_ms - 1);
    let b_ms = instant(case, &["b_regis", "b_back", "b_heartbeat"])?.unwrap_or(up_ms);
    let a_ms = instant(case, &["a_regis", "a_back", "a_heartbeat"])?.unwrap_or(up_ms + 60_000);
    let mut stage = Stage::new(version, 1);
    let renewal_ms = stage.model().lock_renewal_initial_delay_ms;
    let trust_ms = stage.model().client_lock_max_live_time_ms;
    stage.script(Script { handle_ms: Some(1_000), ..Script::default() });
    stage.store(last_renew_ms, 0, 0..200);
    stage.start(last_renew_ms - renewal_ms, OWNER);
    stage.start(last_renew_ms - renewal_ms / 2, WAITER);
    let broker = || "broker".to_owned();
    stage.at(
        down_ms,
        Command::StopBroker { broker: None, how: lockstep_core::fact::BrokerStop::Crash },
    );
    stage.at(down_ms, Command::Cut { a: OWNER.to_owned(), b: broker() });
    let slow = |ms| Command::SetLatency { from: Some(WAITER.to_owned()), to: Some(broker()), ms };
    stage.at(up_ms, slow(b_ms - up_ms));
    stage.at(up_ms, Command::StartBroker { broker: None });
    // A client connects when it has something to send: B subscribes to one topic more.
    let kind = TopicType::Normal;
    let name = "more".to_owned();
    stage.at(down_ms, Command::CreateTopic { name, kind, read_queues: 1, write_queues: 1 });
    let subscribed = |topic: &str| Subscription { topic: topic.to_owned(), tags: Vec::new() };
    let subscriptions = vec![subscribed(TOPIC), subscribed("more")];
    stage.at(up_ms, Command::Subscribe { consumer: WAITER.to_owned(), subscriptions });
    stage.at(up_ms + 1, slow(0));
    stage.at(a_ms, Command::Heal { a: OWNER.to_owned(), b: broker() });
    let mut run = stage.run();
    run.until(up_ms + 120_000)?;
    let (queue, a, b) = (run.queue(0), run.id(OWNER), run.id(WAITER));
    let joined =
        run.first(up_ms, |fact| matches!(fact, Fact::MemberJoined { client, .. } if *client == b));
    if joined != Some(b_ms) {
        return Err(Trouble::Wrong(format!("B is back at {joined:?}")));
    }
    let locks = run.first(up_ms, |fact| {
        matches!(fact, Fact::LockGranted { client, queue: q, .. } if *client == b && *q == queue)
    });
    let handles =
        run.handled(queue).into_iter().find(|call| call.client == b).map(|call| call.from_ms);
    let stops = run.first(up_ms, |fact| {
        matches!(fact, Fact::LockMissing { client, queue: q, .. } if *client == a && *q == queue)
    });
    let mut answer = Answer::new();
    for key in case.asked() {
        let says = |words: &[&str]| words.iter().any(|word| key.contains(word));
        match key {
            _ if says(&["overlap", "two_consumers", "both"]) => answer.set(key, run.overlap(queue)),
            _ if key.starts_with("B_") && says(&["lock"]) => answer.set(key, locks),
            _ if key.starts_with("B_") && says(&["pull"]) => {
                answer.set(key, locks.and_then(|at_ms| run.first_pull(at_ms, b, queue)));
            }
            _ if key.starts_with("B_") && says(&["regis", "back", "join"]) => {
                answer.set(key, joined)
            }
            _ if key.starts_with("B_") => answer.set(key, handles),
            _ if key.starts_with("A_") && says(&["trust", "until", "valid"]) => {
                answer.set(key, last_renew_ms + trust_ms);
            }
            _ if key.starts_with("A_") && says(&["stop", "finds", "missing"]) => {
                answer.set(key, stops)
            }
            _ => {}
        }
    }
    Ok(answer)
}
