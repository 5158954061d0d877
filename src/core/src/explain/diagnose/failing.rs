//! Messages that fail: given up, or tried for ever. Both are told with the same two ways out: the call
//! succeeds, or the limit fits. A limit is never advised that would only turn the one into the other.

use std::collections::BTreeMap;

use super::super::violation::{at_creation, longer_invisible, WITH_DEAD_LETTERS};
use super::super::{causes, counter, message, owner, Change, Run};
use super::{Patient, Problem, Symptom};
use crate::command::{Attempts, Command, GroupSetting, HandlerRule};
use crate::fact::{Fact, Outcome};
use crate::guarantee::Missing;
use crate::ids::{ClientId, GroupId, Ms, MsgId};
use crate::pop::{PopFact, PopSetting};
use crate::process::Process;
use crate::session::Session;

/// Failures from which on a message is a poison.
pub(super) const POISON: u32 = 5;
/// Attempts behind the last one within which a success is looked for.
const AHEAD: u32 = 200;
/// Rounds by the retry topic from which on it is a circle.
const ROUNDS: usize = 2;
/// A limit for what fails always.
pub(super) const FEW: u32 = 3;

/// Whose message a fact gives up: it is stored as a dead letter, or put aside to become one.
fn gives_up(fact: &Fact) -> Option<(GroupId, MsgId)> {
    match *fact {
        Fact::DeadLettered { group, msg, .. }
        | Fact::MessageScheduled { msg, dead_for: Some(group), .. } => Some((group, msg)),
        _ => None,
    }
}

/// The attempt behind `attempts` at which the listener says success, as the script has it now.
pub(in crate::explain) fn succeeds_at(
    run: &Run<'_>,
    msg: MsgId,
    group: GroupId,
    attempts: u32,
) -> Option<u32> {
    let of = |client: ClientId| run.world.clients.get(client.index()).map(Process::group);
    let list = run.ledger.newest_of(msg, run.facts.len());
    let mut calls = list.filter_map(|i| match run.facts.get(i as usize)?.fact {
        Fact::HandlingStarted { client, .. } | Fact::Pop(PopFact::Received { client, .. }) => {
            Some(client).filter(|client| of(*client) == Some(group))
        }
        _ => None,
    });
    let client = calls.next()?;
    // Whoever handles another key only never says success, or always.
    if causes::is_foreign(run, client, msg) {
        return None;
    }
    let good = |attempt: &u32| {
        let scripted = run.world.shared.scripted(group, client, msg, *attempt).0;
        matches!(scripted, None | Some(Outcome::Success | Outcome::Commit))
    };
    (attempts + 1..=attempts + AHEAD).find(good)
}

/// A dead letter that a later message of its message group passed.
#[derive(Clone, Copy)]
struct Dead {
    group: GroupId,
    msg: MsgId,
    /// The fact by which it became one.
    fact: u32,
    /// The fact by which the later one was begun.
    passed: u32,
    at_ms: Ms,
}

impl Patient<'_> {
    pub(super) fn failing(&mut self) {
        self.given_up();
        self.poison();
        self.rolled_back();
        self.gone_round();
    }

    pub(super) fn succeeds_at(&self, msg: MsgId, group: GroupId, attempts: u32) -> Option<u32> {
        succeeds_at(&self.run, msg, group, attempts)
    }

    /// The call succeeds, by this outcome: the rule comes behind all that make it fail. What a consumer fails
    /// because it handles another key only, no rule about the message changes.
    pub(super) fn mended(&self, msg: MsgId, group: GroupId, outcome: Outcome) -> Change {
        if let Some(change) = counter::other_key(&self.run, msg, group) {
            return change;
        }
        let shared = &self.run.world.shared;
        let label = shared.label(msg);
        let of_it = |rule: &HandlerRule| {
            let good = matches!(rule.outcome, None | Some(Outcome::Success | Outcome::Commit));
            !good && rule.label.as_ref().is_none_or(|of| *of == label)
        };
        let scripts = self.run.journal.iter().filter_map(|(at_ms, command)| match command {
            Command::Handle(rule) if of_it(rule) => Some(*at_ms),
            _ => None,
        });
        let at_ms = scripts.chain([shared.message(msg).built_ms]).max().unwrap_or(0);
        let rule = HandlerRule {
            group: Some(shared.group(group).name.clone()),
            client: None,
            label: Some(label),
            attempts: Attempts::All,
            outcome: Some(outcome),
            handle_ms: None,
        };
        Change::From { at_ms, commands: vec![Command::Handle(rule)] }
    }

    /// The fact by which the consumer that failed a message came to handle another key only.
    pub(super) fn key_rule(&self, msg: MsgId, group: GroupId) -> Option<u32> {
        let Some(Change::Without(rules)) = counter::other_key(&self.run, msg, group) else {
            return None;
        };
        self.run.ledger.command(*rules.last()?, self.run.facts.len())
    }

    /// Whether the listener was told something else of a message behind an instant, in ms: how its
    /// next attempt would have ended, the script of the end does not say.
    fn scripted_after(&self, msg: MsgId, behind_ms: Ms) -> bool {
        let label = self.run.world.shared.label(msg);
        self.run.journal.iter().any(|(at_ms, command)| match command {
            Command::Handle(rule) => {
                *at_ms > behind_ms && rule.label.as_ref().is_none_or(|of| *of == label)
            }
            _ => false,
        })
    }

    /// So many repeats from the group's beginning on, by the setting of its stack.
    pub(super) fn limit(&self, group: GroupId, repeats: u32) -> Option<Change> {
        let repeats = i32::try_from(repeats).ok()?;
        let setting = match owner::is_grpc(self.run.world, group) {
            true => GroupSetting::Pop(PopSetting::RetryMaxTimes(repeats)),
            false => GroupSetting::MaxReconsumeTimes(repeats),
        };
        at_creation(&self.run, group, setting)
    }

    /// Dead letters with later messages of their message group behind them; those of one batch are one thing.
    fn given_up(&mut self) {
        let mut all = self.passed_dead_letters();
        while let Some(first) = all.first().copied() {
            let batch: Vec<Dead> =
                all.iter().copied().filter(|dead| self.is_of_batch(&first, dead)).collect();
            all.retain(|dead| !batch.iter().any(|of| of.fact == dead.fact));
            // Who failed itself; the others went with it.
            let own = |dead: &&Dead| self.succeeds_at(dead.msg, dead.group, 0) != Some(1);
            let dead = batch.iter().find(own).copied().unwrap_or(first);
            let known = self.findings.iter().any(|f| {
                matches!(f.problem, Problem::GivenUp { msg, group, .. } if (msg, group) == (dead.msg, dead.group))
            });
            if known {
                continue;
            }
            match self.attempts(&dead) {
                0 => self.never_begun(dead.msg, dead.group, dead.fact),
                attempts => self.gave_up(&dead, attempts, batch.len() as u32 - 1),
            }
        }
    }

    /// Dead letters of keyed messages, each with the call by which a later message of its message group passed it.
    fn passed_dead_letters(&self) -> Vec<Dead> {
        let facts = self.run.facts;
        let dead = facts.iter().enumerate().filter_map(|(index, record)| {
            let (group, msg) = gives_up(&record.fact)?;
            // Up to 4.9.8 a dead letter is decided before it is stored as one.
            let mut before = self.run.ledger.newest_of(msg, index);
            if before.any(|i| gives_up(&facts[i as usize].fact) == Some((group, msg))) {
                return None;
            }
            let message = self.run.world.shared.message(msg);
            let (series, number) = (message.series, message.number);
            if !self.is_keyed(series) {
                return None;
            }
            let passes = facts[index..].iter().position(|r| match r.fact {
                Fact::HandlingStarted { client, msg: other, .. } => {
                    let other = self.run.world.shared.message(other);
                    self.group_of(client) == Some(group)
                        && other.series == series
                        && other.number > number
                }
                _ => false,
            })?;
            let (fact, passed) = (index as u32, (index + passes) as u32);
            Some(Dead { group, msg, fact, passed, at_ms: record.at_ms })
        });
        dead.collect()
    }

    /// Whether two dead letters were given up with one call.
    fn is_of_batch(&self, first: &Dead, other: &Dead) -> bool {
        let batched = self.run.world.shared.group(first.group).batch_max > 1;
        let same = (first.group, first.at_ms) == (other.group, other.at_ms);
        first.fact == other.fact || batched && same
    }

    /// How often a group tried a message before it became a dead letter.
    fn attempts(&self, dead: &Dead) -> u32 {
        let list = self.run.ledger.message(dead.msg, dead.fact as usize);
        let of = |is_it: &dyn Fn(&Fact) -> Option<ClientId>| {
            let all = list.iter().filter_map(|i| is_it(&self.run.facts[*i as usize].fact));
            all.filter(|client| self.group_of(*client) == Some(dead.group)).count() as u32
        };
        let started = of(&|fact| match *fact {
            Fact::HandlingStarted { client, .. } => Some(client),
            _ => None,
        });
        // Whoever is called by hand has handled what it received.
        let received = of(&|fact| match *fact {
            Fact::Pop(PopFact::Received { client, .. }) => Some(client),
            _ => None,
        });
        match owner::is_grpc(self.run.world, dead.group) {
            true => started.max(received),
            false => started,
        }
    }

    /// A message was given up after so many attempts, and `with` more of its batch with it.
    fn gave_up(&mut self, dead: &Dead, attempts: u32, with: u32) {
        let Dead { group, msg, fact, passed, at_ms } = *dead;
        let problem = Problem::GivenUp { msg, group, attempts, with };
        let evidence = [fact, passed].into_iter().chain(self.key_rule(msg, group)).collect();
        let batched = self.run.world.shared.group(group).batch_max > 1;
        let good = self.succeeds_at(msg, group, attempts);
        let (needs, repair) = match good.filter(|_| !self.scripted_after(msg, at_ms)) {
            // It never failed itself: others of its batch did.
            _ if batched && self.succeeds_at(msg, group, 0) == Some(1) => {
                let repair = at_creation(&self.run, group, GroupSetting::BatchMax(1));
                (None, repair.into_iter().collect())
            }
            Some(attempt) => {
                let dies = |change: &Change| self.dies(&self.with(change), msg, group);
                match self.limit(group, attempt - 1).filter(|change| !dies(change)) {
                    Some(limit) => (Some(Missing::RetryLimit(group)), vec![limit]),
                    // Its calls end well, and too late: no limit is high enough for that.
                    None => {
                        let longer = self.last_by(msg, group).and_then(|client| {
                            longer_invisible(&self.run, client).filter(|change| !dies(change))
                        });
                        (None, longer.into_iter().collect())
                    }
                }
            }
            // No limit is high enough for what fails always, or until somebody mends it much later.
            None => (None, vec![self.mended(msg, group, Outcome::Success)]),
        };
        self.find(Symptom::PassedAfterFailure, problem, evidence, needs, repair);
    }

    /// Whether a message becomes a dead letter of a group in a run.
    fn dies(&self, after: &Session, msg: MsgId, group: GroupId) -> bool {
        let shared = &self.run.world.shared;
        let (label, name) = (shared.label(msg), &shared.group(group).name);
        let then = &after.world().shared;
        after.facts().iter().any(|record| match record.fact {
            Fact::DeadLettered { group, msg, .. } => {
                then.group(group).name == *name && then.label(msg) == label
            }
            _ => false,
        })
    }

    /// The consumer of a group that was given a message last.
    fn last_by(&self, msg: MsgId, group: GroupId) -> Option<ClientId> {
        let mut newest = self.run.ledger.newest_of(msg, self.run.facts.len());
        newest.find_map(|index| match self.run.facts.get(index as usize)?.fact {
            Fact::HandlingStarted { client, .. } | Fact::Pop(PopFact::Received { client, .. }) => {
                (self.group_of(client) == Some(group)).then_some(client)
            }
            _ => None,
        })
    }

    /// Messages that are rolled back again and again. A rollback is not counted as a failure.
    fn rolled_back(&mut self) {
        let mut worst: BTreeMap<(GroupId, MsgId), (u32, u32, u32)> = BTreeMap::new();
        for (index, record) in self.run.facts.iter().enumerate() {
            let Fact::HandlingEnded { client, msg, outcome: Outcome::Rollback, .. } = record.fact
            else {
                continue;
            };
            let Some(group) = self.group_of(client) else { continue };
            let entry = worst.entry((group, msg)).or_insert((0, index as u32, 0));
            *entry = (entry.0 + 1, entry.1, index as u32);
        }
        for ((group, msg), (times, first, last)) in worst {
            if times >= POISON {
                let problem = Problem::RollsBack { msg, group, times };
                let repair = vec![self.mended(msg, group, Outcome::Commit)];
                self.find(Symptom::DeliveredAgain, problem, vec![first, last], None, repair);
            }
        }
    }

    /// Ordered messages that the limit sends to the retry topic again and again.
    fn gone_round(&mut self) {
        for group in (0..self.run.world.shared.names.groups.len() as u16).map(GroupId) {
            if !message::goes_round(self.run.world, group) {
                continue;
            }
            let retry = self.run.world.shared.group(group).retry_topic;
            let mut rounds: BTreeMap<MsgId, Vec<u32>> = BTreeMap::new();
            for (index, record) in self.run.facts.iter().enumerate() {
                match record.fact {
                    Fact::MessageStored { msg, queue, .. } if queue.topic == retry => {
                        rounds.entry(msg).or_default().push(index as u32);
                    }
                    _ => {}
                }
            }
            let worst = rounds.into_iter().filter(|(_, list)| list.len() >= ROUNDS);
            let Some((msg, list)) = worst.max_by_key(|(_, list)| list.len()) else { continue };
            let times = list.len() as u32;
            let problem = Problem::GoesRound { msg, group, times };
            let released = Change::Release(WITH_DEAD_LETTERS);
            let repair = vec![self.mended(msg, group, Outcome::Success), released];
            let evidence = vec![list[0], list[list.len() - 1]];
            self.find(Symptom::DeliveredAgain, problem, evidence, None, repair);
        }
    }
}
