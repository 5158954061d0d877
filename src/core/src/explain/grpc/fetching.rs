//! What gRPC consumers ask for: who will be given a message next, and why nobody is.

use crate::broker::pop::order_info::OrderRules;
use crate::broker::pop::PollKey;
use crate::client::Status;
use crate::explain::{lost, owner, Reason, Refusing, Run};
use crate::fact::{Fact, PullPause, RequestKind};
use crate::grpc::{GrpcClient, PopRequest};
use crate::ids::{BrokerId, ClientId, GroupId, MessageQueue, Ms, MsgId, Party};
use crate::model::{Blocking, NEVER};
use crate::pop::{GrpcKind, PopFact, SimpleMode};
use crate::process::Process;
use crate::shared::TopicUse;
use crate::world::World;

/// Who got the record last.
pub(super) fn receiver(
    run: &Run<'_>,
    group: GroupId,
    msg: MsgId,
    queue: MessageQueue,
    offset: i64,
) -> Option<ClientId> {
    let history = run.ledger.newest_of(msg, run.facts.len());
    let mut touched =
        history.filter_map(|i| run.facts.get(i as usize)).filter_map(|r| match r.fact {
            Fact::Pop(PopFact::Received { client, queue: q, offset: o, .. }) => {
                let mine =
                    run.world.clients.get(client.index()).is_some_and(|c| c.group() == group);
                (mine && q == queue && i64::from(o) == offset).then_some(Some(client))
            }
            // It was delivered anew, and that answer is lost or under way.
            Fact::Pop(PopFact::Popped { group: of, queue: q, offset: o, .. }) => {
                (of == group && q == queue && i64::from(o) == offset).then_some(None)
            }
            _ => None,
        });
    touched.next().flatten()
}

/// Nothing is in its way: why no consumer has fetched it yet.
pub(super) fn fetching(run: &Run<'_>, group: GroupId, queue: MessageQueue, offset: i64) -> Reason {
    let world = run.world;
    let all: Vec<&GrpcClient> = owner::processes(world, group).filter_map(Process::grpc).collect();
    let Some(first) = all.first() else {
        return Reason::NoConsumer { last: owner::last_gone(run, group) };
    };
    let awake: Vec<&&GrpcClient> = all.iter().filter(|c| c.status == Status::Running).collect();
    if awake.is_empty() {
        return match first.status {
            Status::Hanging => Reason::Hangs { client: first.id },
            _ => Reason::Leaving { client: first.id, call_ms: None, round_ms: None },
        };
    }
    // The best placed consumer says why: one that fetches, else one that would.
    let reasons = awake.iter().map(|client| fetches(run, client, queue, offset));
    let rank = |reason: &Reason| match reason {
        Reason::NotFetchedYet { .. } | Reason::PollSleeps { .. } => 0,
        Reason::AnswerLost { .. } | Reason::OwnTime { .. } => 1,
        Reason::NoThread { .. } | Reason::CacheFull { .. } => 1,
        Reason::PullFailed { .. } | Reason::Refused { .. } => 2,
        Reason::Unassigned { .. } | Reason::NotAsked { .. } => 3,
        _ => 4,
    };
    reasons.min_by_key(rank).unwrap_or(Reason::NotAsked { client: first.id })
}

/// What keeps a consumer from its proxy, or that from a broker.
pub(in crate::explain) fn unreachable(
    world: &World,
    client: &GrpcClient,
    broker: BrokerId,
) -> Option<Reason> {
    let id = client.id;
    let (me, proxy) = (Party::Client(id), Party::Proxy(client.proxy));
    let broker = Party::Broker(broker);
    if world.proxies.get(client.proxy.index()).is_none_or(|p| !p.up) {
        return Some(Reason::ProxyDown { client: id, proxy: client.proxy });
    }
    if world.shared.net.is_cut(me, proxy) {
        return Some(Reason::CutOff { client: id, from: proxy });
    }
    let cut = world.shared.net.is_cut(proxy, broker);
    cut.then_some(Reason::CutOff { client: id, from: broker })
}

/// Why a consumer that runs has not fetched a record in whose way nothing is.
pub(in crate::explain) fn fetches(
    run: &Run<'_>,
    client: &GrpcClient,
    queue: MessageQueue,
    offset: i64,
) -> Reason {
    let world = run.world;
    let id = client.id;
    if let Some(reason) = unreachable(world, client, queue.broker) {
        return reason;
    }
    let topic = match world.shared.names.topics[queue.topic.index()].usage {
        TopicUse::PopRetry(_, of) => of,
        _ => queue.topic,
    };
    let asks = client.reads(&world.shared).iter().any(|s| s.topic == topic);
    if !asks {
        return Reason::OfOtherReader { client: id };
    }
    if let Some(until_ms) = own_block(world, client, queue) {
        return Reason::OwnTime { client: id, until_ms };
    }
    let next = world.brokers[queue.broker.index()].offsets.get(&(client.group, queue));
    let fetched = match sleeps_until(world, client.group, queue) {
        Some(until_ms) => Reason::PollSleeps { client: id, until_ms },
        None => Reason::NotFetchedYet { client: id, offset: next.copied().unwrap_or(offset) },
    };
    let refused = refusing(world, client, queue).map(|by| Reason::Refused { client: id, by });
    match client.kind {
        GrpcKind::Push => push(world, client, queue, refused).unwrap_or(fetched),
        GrpcKind::Simple(_) if client.receives() > 0 => match lost::receive(world, client, None) {
            Some(until_ms) => Reason::AnswerLost { client: id, until_ms },
            None => refused.unwrap_or(fetched),
        },
        GrpcKind::Simple(SimpleMode::Scripted) => Reason::NotAsked { client: id },
        GrpcKind::Simple(SimpleMode::Loops { loops, .. }) => match client.calls.is_empty() {
            true => refused.unwrap_or(fetched),
            false => Reason::NoThread { client: id, threads: loops },
        },
    }
}

/// Until when what was delivered last blocks a queue for a consumer, by the invisible time that this one
/// asks with: 5.0.0 counts with that, not with the time of the delivery.
/// Source: `ConsumerOrderInfoManager.checkBlock` of 5.0.0.
fn own_block(world: &World, client: &GrpcClient, queue: MessageQueue) -> Option<Ms> {
    let model = &world.shared.model;
    let (rules, group) = (OrderRules::of(model.version), client.group);
    let ordered = world.shared.group(group).pop.orderly && model.blocking == Blocking::Queue;
    if rules != OrderRules::WholeBatch || !ordered {
        return None;
    }
    let pop = &world.brokers.get(queue.broker.index())?.pop;
    let asked = |r: &&PopRequest| (r.group, r.topic) == (group, queue.topic);
    let invisible_ms = match client.kind {
        GrpcKind::Push => model.default_invisible_time_ms,
        GrpcKind::Simple(SimpleMode::Loops { invisible_ms, .. }) => invisible_ms,
        GrpcKind::Simple(SimpleMode::Scripted) if client.receives() == 0 => return None,
        GrpcKind::Simple(SimpleMode::Scripted) => pop.polls.iter().find(asked)?.invisible_ms,
    };
    let info = pop.order.get((group, queue))?;
    info.block_for(rules, invisible_ms, world.now_ms()).map(|block| block.until_ms)
}

/// When a waiting receive looks again because its time is nearly over, the first of them, if nothing wakes it before: neither a timer
/// of the broker in an ordered group, nor that a copy came into the group's retry topic.
/// Source: `PopLongPollingService.notifyMessageArrivingWithRetryTopic`, which knows only `%RETRY%…` topics of
/// the second version.
fn sleeps_until(world: &World, group: GroupId, queue: MessageQueue) -> Option<Ms> {
    let pop = &world.brokers.get(queue.broker.index())?.pop;
    let ahead_ms = world.shared.model.pop_polling_ahead_ms;
    if let TopicUse::PopRetry(_, of) = world.shared.names.topics[queue.topic.index()].usage {
        let own = pop.polls.iter().filter(|r| (r.group, r.topic) == (group, of));
        let ends = own.map(|request| pop.polls.looks_again_ms(request, ahead_ms));
        return ends.min().filter(|end_ms| *end_ms > world.now_ms());
    }
    if !world.shared.group(group).pop.orderly || pop.wheel.armed_ms((group, queue)).is_some() {
        return None;
    }
    let of_queue = |id: i32| PollKey { topic: queue.topic, group, queue: id };
    let waiting = [of_queue(-1), of_queue(queue.id.into())].map(|key| pop.polls.first(key));
    let waiting = waiting.into_iter().flatten();
    let ends = waiting.map(|request| pop.polls.looks_again_ms(request, ahead_ms));
    ends.min().filter(|end_ms| *end_ms > world.now_ms())
}

/// What refuses each receive of a consumer that should bring a message of a queue, or leads it elsewhere.
fn refusing(world: &World, client: &GrpcClient, queue: MessageQueue) -> Option<Refusing> {
    let proxy = world.proxies.get(client.proxy.index())?;
    if proxy.refuses(RequestKind::Receive) {
        return Some(Refusing::Proxy(proxy.id));
    }
    old_route(world, client, queue)
}

/// What a proxy in cluster mode remembers of a topic's route, where the queue's broker is not in it.
fn old_route(world: &World, client: &GrpcClient, queue: MessageQueue) -> Option<Refusing> {
    let proxy = world.proxies.get(client.proxy.index())?;
    let model = &world.shared.model;
    let topic = match world.shared.names.topics[queue.topic.index()].usage {
        TopicUse::PopRetry(_, of) => of,
        _ => queue.topic,
    };
    let cached = proxy.caches.routes.get(&topic).filter(|_| model.proxy_local == 0)?;
    let expire_ms = model.proxy_cache_expire_ms;
    let expired = expire_ms != NEVER && world.now_ms() - cached.used_ms >= expire_ms;
    let lists = cached.value.as_ref().is_some_and(|route| {
        let mut queues = route.read.iter();
        queues.any(|known| known.broker == queue.broker)
    });
    let until_ms = Some(cached.loaded_ms + model.proxy_cache_refresh_ms);
    let until_ms = until_ms.filter(|until_ms| *until_ms >= world.now_ms());
    (!lists && !expired).then_some(Refusing::OldRoute { proxy: proxy.id, until_ms })
}

/// What keeps a push consumer from receiving; None when a request is under way. `refused`: what refuses
/// that.
fn push(
    world: &World,
    client: &GrpcClient,
    queue: MessageQueue,
    refused: Option<Reason>,
) -> Option<Reason> {
    let id = client.id;
    let is_for = |l: &&crate::grpc::ReceiveLoop| {
        let topic = world.shared.names.topics[queue.topic.index()].usage;
        let same_topic = match topic {
            TopicUse::PopRetry(_, of) => l.from.topic == of,
            _ => l.from.topic == queue.topic,
        };
        let same_queue = topic != TopicUse::User || l.from.queue.is_none_or(|one| one == queue.id);
        same_topic && l.from.broker == queue.broker && same_queue && !l.dropped
    };
    let Some(own) = client.loops.iter().find(is_for) else {
        // An assignment is asked for by the same route.
        let old = old_route(world, client, queue);
        let old = old.map(|by| Reason::Refused { client: id, by });
        return Some(old.unwrap_or(Reason::Unassigned { client: id }));
    };
    if own.receiving {
        let lost_until_ms = lost::receive(world, client, Some(own.number));
        let lost = lost_until_ms.map(|until_ms| Reason::AnswerLost { client: id, until_ms });
        return lost.or(refused);
    }
    if own.pause_until_ms.is_none() {
        return refused;
    }
    let live = client.loops.iter().filter(|l| !l.dropped).count().max(1) as i64;
    let full = i64::from(own.cached) >= (world.shared.model.grpc_max_cache_count / live).max(1);
    let cached = own.cached;
    Some(match full {
        true => Reason::CacheFull { client: id, pause: PullPause::CachedCount, cached },
        false => refused.unwrap_or(Reason::PullFailed { client: id }),
    })
}
