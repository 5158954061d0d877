//! What else decides about a thing, beside the reason that its state comes down to.

use super::{
    calls, classic, deciding, grpc, message, owner, Constant, Core, Headline, Reason, Rule, Run,
};
use crate::grpc::Act;
use crate::ids::{ClientId, GroupId, MsgId};
use crate::process::Process;

/// A second reason, with its rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Also {
    /// The message that it is about: the one that waits, or the one that it waits for.
    pub msg: MsgId,
    /// The reason.
    pub reason: Reason,
    /// The rule behind it.
    pub rule: Rule,
    /// The constants of that rule.
    pub constants: Vec<Constant>,
}

/// What else decides about what is explained.
pub(super) fn of(run: &Run<'_>, headline: &Headline, core: Core) -> Vec<Also> {
    let Some((msg, Some(group))) = core else { return Vec::new() };
    let reason = headline.reason().unwrap_or_else(|| message::reason(run, msg, Some(group)));
    if reason.is_over() {
        return Vec::new();
    }
    let head = match reason {
        Reason::Behind { head, .. } => head,
        _ => msg,
    };
    let of_head = match head == msg {
        true => reason,
        false => message::reason(run, head, Some(group)),
    };
    let mut found: Vec<(MsgId, Reason)> = Vec::new();
    found.extend(reset_over(run, group, (msg, &reason)).map(|reason| (msg, reason)));
    if let Reason::Acting { client, act, .. } = of_head {
        found.extend(in_the_way(run, group, (head, client, act)).map(|reason| (head, reason)));
    }
    if let Reason::ThreadWaits { client, thread } = of_head {
        let client = run.world.clients.get(client.index()).and_then(Process::classic);
        let unanswered = client.and_then(|c| classic::unanswered(run.world, c, thread));
        found.extend(unanswered.map(|reason| (head, reason)));
    }
    // What a lock or a thread comes down to has a reason of its own.
    if headline.reason().is_none() && reason.is_in_vain() {
        found.push((msg, reason));
    }
    let void = calls::void(run, group, head).into_iter();
    let told = |void: &Reason| of_head.is_in_vain() && void.client() == of_head.client();
    found.extend(void.filter(|void| !told(void)).map(|reason| (head, reason)));
    let told = found.into_iter().map(|(msg, reason)| {
        let rule = deciding::rule_of(run, &reason, Some(group));
        let constants = rule.constants(run, Some(group), None);
        Also { msg, reason, rule, constants }
    });
    told.collect()
}

/// A reset that waits for the next read of the queue of what a consumer has in hand.
fn reset_over(run: &Run<'_>, group: GroupId, (msg, reason): (MsgId, &Reason)) -> Option<Reason> {
    if let Reason::ResetPending { .. } = reason {
        return None;
    }
    let (queue, at) = message::lies_at(run, msg, group)?;
    let broker = run.world.brokers.get(queue.broker.index())?;
    let offset = *broker.pending_resets.get(&(group, queue))?;
    let holder = owner::holding(run.world, group, (msg, queue, at));
    let drops = holder.and_then(Process::classic).map(|client| client.id);
    Some(Reason::ResetPending { offset, drops })
}

/// What keeps a request about a message that is repeated from being served.
fn in_the_way(
    run: &Run<'_>,
    group: GroupId,
    (msg, client, act): (MsgId, ClientId, Act),
) -> Option<Reason> {
    let (queue, offset) = message::lies_at(run, msg, group)?;
    let broker = run.world.brokers.get(queue.broker.index())?;
    let client = run.world.clients.get(client.index()).and_then(Process::grpc)?;
    if let Some(reason) = grpc::unreachable(run.world, client, queue.broker) {
        return Some(reason);
    }
    if !broker.up {
        return Some(Reason::BrokerDown { broker: queue.broker, due_ms: None });
    }
    // The broker looks for what is to be a dead letter at its place.
    let gone = offset < broker.store.range(queue).0;
    (act == Act::Dead && gone).then_some(Reason::Deleted)
}
