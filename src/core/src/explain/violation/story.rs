//! Any broken guarantee as a story: the messages, the instant, the steps that led there.

use super::{chain, explain, first_begun, guilt, Guilt};
use crate::check::{Broken, Violation};
use crate::explain::diagnose::{self, Problem};
use crate::explain::{Cause, Counterfactual, Ledger, Rule, Run};
use crate::fact::{Fact, FactRecord};
use crate::guarantee::{Breach, Guarantee};
use crate::ids::{GroupId, MsgId};
use crate::session::Session;
use crate::view::log::named;

/// A broken guarantee with what led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    /// What was broken, when and by which messages.
    pub breach: Breach,
    /// The first guilty step: index of a fact.
    pub step: u32,
    /// What made it possible, where that is known.
    pub problem: Option<Problem>,
    /// The rule that says what would have kept it.
    pub rule: Rule,
    /// What led to the message that it happened to, the newest first.
    pub later: Vec<Cause>,
    /// What led to the message that should have come first, the newest first; empty where one message
    /// is the whole story.
    pub earlier: Vec<Cause>,
    /// What might have kept it, not yet tried.
    pub would_keep: Vec<Counterfactual>,
}

/// The story of a breach. The present of the session must not be before it, and the ledger must have
/// read its facts.
pub fn story(session: &Session, ledger: &Ledger, breach: &Breach) -> Option<Story> {
    let run = Run::of(session, ledger);
    let checked = session.violations().iter().find(|violation| is_of(violation, breach));
    if let Some(broke) = checked.and_then(|violation| explain(&run, violation)) {
        let problem = match broke.violation.broken {
            Broken::Order { series, .. } => Problem::Broken { guilt: broke.guilt, series },
            Broken::TwoOwners { first, second, .. } => {
                Problem::TwoOwners { from: first, by: second }
            }
        };
        return Some(Story {
            breach: *breach,
            step: broke.step,
            problem: Some(problem),
            rule: broke.rule,
            later: broke.later_causes,
            earlier: broke.earlier_causes,
            would_keep: broke.would_keep,
        });
    }
    let until = run.facts.partition_point(|r| r.event <= breach.event);
    let before = Run { facts: &run.facts[..until], ..run };
    let moment = moment(&before, breach)?;
    let (problem, rule, step) = blame(session, &before, breach, moment);
    let step = step.unwrap_or(moment);
    let told = |msg: MsgId| {
        // On the way to the broker no consumer has a part in it.
        let mut facts = match breach.group {
            Some(group) => chain(&before, msg, group, step),
            None => sent(&before, msg),
        };
        if msg == breach.msg && !facts.iter().any(|cause| cause.fact == moment) {
            facts.push(Cause { fact: moment, command: None });
            facts.sort_unstable_by_key(|cause| std::cmp::Reverse(cause.fact));
        }
        facts
    };
    Some(Story {
        breach: *breach,
        step,
        problem,
        rule,
        later: told(breach.msg),
        earlier: breach.earlier.map(told).unwrap_or_default(),
        would_keep: Vec::new(),
    })
}

/// Whether a violation that the checks found is this breach.
fn is_of(violation: &Violation, breach: &Breach) -> bool {
    let same = match violation.broken {
        Broken::Order { earlier, later, .. } => {
            breach.guarantee == Guarantee::OrderHandled
                && (breach.earlier, breach.msg) == (Some(earlier), later)
        }
        Broken::TwoOwners { .. } => breach.guarantee == Guarantee::OneOwner,
    };
    same && violation.event == breach.event && Some(violation.group) == breach.group
}

/// The fact of the breach: of its event the last one about one of its messages that is of its kind.
fn moment(run: &Run<'_>, breach: &Breach) -> Option<u32> {
    let from = run.facts.partition_point(|r| r.event < breach.event);
    let about = |record: &FactRecord| {
        let msg = named(&record.fact).msg;
        msg == Some(breach.msg) || msg.is_some() && msg == breach.earlier
    };
    let fits = |record: &FactRecord| match breach.guarantee {
        Guarantee::OrderStored => matches!(record.fact, Fact::MessageStored { .. }),
        Guarantee::OrderAcknowledged => {
            matches!(record.fact, Fact::MessageAcknowledged { .. } | Fact::DeadLettered { .. })
        }
        Guarantee::NothingLost => matches!(
            record.fact,
            Fact::MessageLost { .. }
                | Fact::MessageDeleted { .. }
                | Fact::WheelGaveUp { .. }
                | Fact::SentNowhere { .. }
        ),
        _ => matches!(record.fact, Fact::HandlingStarted { .. }),
    };
    let own = run.facts[from..].iter().rposition(|r| about(r) && fits(r))?;
    Some((from + own) as u32)
}

/// What made a breach possible, the rule that was left, and the first guilty step.
fn blame(
    session: &Session,
    run: &Run<'_>,
    breach: &Breach,
    moment: u32,
) -> (Option<Problem>, Rule, Option<u32>) {
    match (breach.guarantee, breach.group, breach.earlier) {
        (Guarantee::OrderStored, _, Some(earlier)) => {
            let (problem, rule) = diagnose::stored(session, run, earlier, breach.msg);
            (problem, rule, None)
        }
        (Guarantee::NothingLost, Some(group), _) => {
            let rule = match run.facts[moment as usize].fact {
                Fact::MessageLost { .. } => Rule::Flush,
                Fact::SentNowhere { .. } => Rule::RetryQueues,
                Fact::WheelGaveUp { .. } => Rule::TimerWheel,
                _ => Rule::Retention,
            };
            let all = session.watch().breaches(Guarantee::NothingLost, Some(group));
            (Some(Problem::Lost { group, messages: all.count() as u32 }), rule, None)
        }
        (Guarantee::Attempts, ..) => (None, Rule::Attempts, None),
        (_, Some(group), Some(earlier)) => match overtaken(run, breach, group, earlier) {
            Some((guilt, step)) => {
                let series = run.world.shared.message(earlier).series;
                (Some(Problem::Broken { guilt, series }), guilt.rule(), Some(step))
            }
            None => (None, Rule::FifoLane, None),
        },
        _ => (None, Rule::FifoLane, None),
    }
}

/// What let the later message come before the earlier one: looked for where the later one was begun.
fn overtaken(
    run: &Run<'_>,
    breach: &Breach,
    group: GroupId,
    earlier: MsgId,
) -> Option<(Guilt, u32)> {
    let begun = run.facts.get(first_begun(run, breach.msg, group)? as usize)?;
    let series = run.world.shared.message(earlier).series;
    let broken = Broken::Order { series, earlier, later: breach.msg };
    let violation = Violation { at_ms: begun.at_ms, event: begun.event, group, broken };
    guilt(run, &violation, group, earlier, breach.msg)
}

/// How a message came into its queue.
fn sent(run: &Run<'_>, msg: MsgId) -> Vec<Cause> {
    let mut chain = super::Chain { run, facts: Vec::new() };
    chain.last_of_message(msg, |f| matches!(f, Fact::SendStarted { .. }));
    chain.last_of_message(msg, |f| matches!(f, Fact::MessageStored { .. }));
    chain.origin(msg, None);
    chain.finish()
}
