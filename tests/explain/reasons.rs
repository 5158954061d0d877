//! Every waiting message has a reason at every event of every scenario, and the reason is true.

use std::collections::BTreeMap;
use std::mem::Discriminant;

use lockstep_core::explain::{
    lies_at, lies_in, reason, waiting, why, About, Headline, Ledger, QueueState, Reason, Run,
};
use lockstep_core::fact::Fact;
use lockstep_core::ids::{GroupId, MessageQueue, Ms, MsgId};
use lockstep_core::scenario::Program;
use lockstep_core::session::Session;
use lockstep_core::view::log::named;

use super::on_all;
use super::touched::{Touched, Watcher};

/// How long a reason may last that promises to end by itself; None = as long as it likes.
fn longest_ms(reason: &Reason) -> Option<Ms> {
    Some(match reason {
        // A long poll, and the check of held pulls behind it.
        Reason::NotFetchedYet { .. } => 46_000,
        Reason::Next { .. } => 1_000,
        Reason::Starting { .. } => 2_000,
        Reason::Rebalancing { .. } => 41_000,
        Reason::Unassigned { .. } => 11_000,
        Reason::PullFailed { .. } => 31_000,
        Reason::Acting { .. } => 10_000,
        // Each queue before it may cost a read of the consumer offset that is not answered.
        Reason::ThreadWaits { .. } => 41_000,
        _ => return None,
    })
}

/// An instant that the reason names, and that must not be over.
fn instant_ms(reason: &Reason) -> Option<Ms> {
    Some(match *reason {
        Reason::Handled { until_ms, .. }
        | Reason::InVain { until_ms, .. }
        | Reason::TooLong { until_ms, .. }
        | Reason::Suspended { until_ms, .. }
        | Reason::LockHeld { until_ms, .. }
        | Reason::ResetPause { until_ms, .. }
        | Reason::Invisible { until_ms, .. }
        | Reason::BehindInvisible { until_ms, .. }
        | Reason::Held { until_ms, .. }
        | Reason::BackOff { until_ms, .. } => until_ms,
        Reason::Starting { at_ms, .. } | Reason::Returned { at_ms, .. } => at_ms,
        _ => return None,
    })
}

/// Whether a reason may change by time alone, without anybody doing anything.
fn may_turn(reason: &Reason, now_ms: Ms) -> bool {
    matches!(reason, Reason::LockMissing { .. })
        || instant_ms(reason).is_some_and(|at_ms| at_ms <= now_ms)
}

/// What is known of a message for a consumer group.
#[derive(Clone, Copy)]
struct Known {
    reason: Reason,
    since_ms: Ms,
    queue: Option<MessageQueue>,
}

/// Whether a record was deleted and the group's offset has gone past it: only a consumer has the message
/// then, and nothing in the queue waits.
fn is_behind_the_group(run: &Run<'_>, msg: MsgId, group: GroupId) -> bool {
    lies_at(run, msg, group).is_some_and(|(queue, offset)| {
        let broker = &run.world.brokers[queue.broker.index()];
        let passed = broker.offsets.get(&(group, queue)).is_some_and(|next| *next > offset);
        passed && offset < broker.store.range(queue).0
    })
}

/// A run that is looked at.
struct Look<'a> {
    name: &'a str,
    known: Vec<Vec<Option<Known>>>,
    /// The first message that waits in a queue, with its reason, when the queue was last explained.
    explained: BTreeMap<(MessageQueue, GroupId), (MsgId, Reason)>,
    kinds: Vec<Discriminant<Reason>>,
    words: Vec<String>,
    faults: Vec<String>,
}

impl Look<'_> {
    /// The entry of a message for a group.
    fn known(&mut self, msg: MsgId, group: Option<GroupId>) -> &mut Option<Known> {
        let place = group.map_or(0, |group| group.index() + 1);
        if self.known.len() <= place {
            self.known.resize(place + 1, Vec::new());
        }
        let of_group = &mut self.known[place];
        if of_group.len() <= msg.index() {
            of_group.resize(msg.index() + 1, None);
        }
        &mut of_group[msg.index()]
    }

    /// Asks of every message that the event may have changed.
    fn ask(&mut self, session: &Session, run: &Run<'_>, touched: &Touched) {
        let now_ms = session.world().now_ms();
        let facts = session.facts_of(session.event());
        let mut waits = BTreeMap::new();
        for (msg, group) in waiting(run) {
            let before = *self.known(msg, group);
            let same = before.filter(|known| {
                let is_of = known.queue.is_some_and(|queue| touched.holds(queue));
                !touched.is_all() && !is_of && !may_turn(&known.reason, now_ms)
            });
            let known = same.unwrap_or_else(|| {
                let reason = reason(run, msg, group);
                // Where it lies changes with facts about it, or by an answer that puts an older copy
                // of it into a consumer's hands again: that gives it another reason.
                let moved = facts.iter().any(|r| named(&r.fact).msg == Some(msg));
                let queue = match before.filter(|known| !moved && known.reason == reason) {
                    Some(known) => known.queue,
                    None => group.and_then(|group| lies_in(run, msg, group)),
                };
                let kind = std::mem::discriminant(&reason);
                let lasts = before.filter(|b| {
                    std::mem::discriminant(&b.reason) == kind && !asks_again(&b.reason, &reason)
                });
                let since_ms = lasts.map_or(now_ms, |before| before.since_ms);
                Known { reason, since_ms, queue }
            });
            *self.known(msg, group) = Some(known);
            self.judge(session, msg, &known);
            if let (false, Some(group), Some(queue)) = (known.reason.is_over(), group, known.queue)
            {
                waits.entry((queue, group)).or_insert((msg, known.reason));
            }
        }
        self.held_queues(run, waits);
    }

    /// A reason is true: what it names is to come, and what ends by itself has not lasted too long.
    fn judge(&mut self, session: &Session, msg: MsgId, known: &Known) {
        let Known { reason, since_ms, .. } = known;
        let now_ms = session.world().now_ms();
        let kind = std::mem::discriminant(reason);
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
            self.words
                .push(format!("{reason:?}").split([' ', '{', '(']).next().unwrap().to_owned());
        }
        let label = || session.world().shared.label(msg);
        let lasts_ms = now_ms - since_ms;
        if longest_ms(reason).is_some_and(|most| lasts_ms > most) {
            let fault =
                format!("{}: {} at {now_ms}: {reason:?} lasts {lasts_ms} ms", self.name, label());
            self.faults.push(fault);
        }
        if instant_ms(reason).is_some_and(|at_ms| at_ms < now_ms) {
            self.faults.push(format!("{}: {} at {now_ms}: {reason:?} is over", self.name, label()));
        }
    }

    /// Every queue in which something waits says what, for whom, and why, whenever that changes.
    fn held_queues(
        &mut self,
        run: &Run<'_>,
        waits: BTreeMap<(MessageQueue, GroupId), (MsgId, Reason)>,
    ) {
        for ((queue, group), first) in &waits {
            if self.explained.get(&(*queue, *group)) == Some(first) {
                continue;
            }
            let explanation = why(run, About::Queue { queue: *queue, group: *group }).unwrap();
            let state = match explanation.headline {
                Headline::Queue { state, .. } => state,
                other => panic!("{other:?}"),
            };
            let place = format!("{} at {}: {queue:?}", self.name, run.world.now_ms());
            if state == QueueState::Empty && is_behind_the_group(run, first.0, *group) {
                continue;
            }
            if state == QueueState::Empty {
                self.faults
                    .push(format!("{place}: empty for {group:?}, and {first:?} waits in it"));
            }
            if explanation.causes.is_empty() {
                self.faults.push(format!("{place}: {state:?} has no cause"));
            }
        }
        self.explained = waits;
    }

    /// Every refused command says why.
    fn refused(&mut self, session: &Session, ledger: &Ledger) {
        let run = Run::of(session, ledger);
        for record in session.facts() {
            let Fact::CommandRefused { index } = record.fact else { continue };
            let explanation = why(&run, About::Command(index)).unwrap();
            let known = session.world().shared.refusals.contains_key(&index);
            let said = explanation.headline == Headline::Refused { index };
            if !known || !said || explanation.causes.len() != 1 {
                self.faults.push(format!("{}: command {index}: {explanation:?}", self.name));
            }
        }
    }
}

/// What waited for its next attempt has begun it: a request of its own, told with an instant of its own.
fn asks_again(before: &Reason, now: &Reason) -> bool {
    let waited = matches!(before, Reason::Acting { again_ms: Some(_), .. });
    waited && matches!(now, Reason::Acting { again_ms: None, .. })
}

/// Kinds of reasons that a scenario gives, and what is wrong with them.
fn check(name: &str, program: &Program) -> (Vec<String>, Vec<String>) {
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    let mut ledger = Ledger::default();
    let mut watcher = Watcher::default();
    let mut look = Look {
        name,
        known: Vec::new(),
        explained: BTreeMap::new(),
        kinds: Vec::new(),
        words: Vec::new(),
        faults: Vec::new(),
    };
    while session.next_event_at().is_some_and(|at_ms| at_ms <= program.until_ms) && session.step() {
        ledger.update(session.facts(), session.generation());
        let touched = watcher.look(session.world(), session.facts_of(session.event()));
        look.ask(&session, &Run::of(&session, &ledger), &touched);
        if look.faults.len() > 3 {
            break;
        }
    }
    look.refused(&session, &ledger);
    look.faults.truncate(3);
    (look.words, look.faults)
}

#[test]
fn every_waiting_message_has_a_true_reason_at_every_event() {
    let (mut words, mut faults) = (Vec::new(), Vec::new());
    for (of_run, wrong) in on_all(check) {
        words.extend(of_run);
        faults.extend(wrong);
    }
    words.sort_unstable();
    words.dedup();
    assert!(words.len() >= 30, "only {} kinds of reasons are ever given: {words:?}", words.len());
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
