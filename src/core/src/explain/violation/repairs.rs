//! What would have kept an order that was broken.

use super::{first_begun, Guilt};
use crate::check::{Broken, Violation};
use crate::command::{Command, GroupSetting, ListenerKind, Selector};
use crate::explain::diagnose::succeeds_at;
use crate::explain::{faults, Change, Counterfactual, Effect, Run};
use crate::fact::StopKind;
use crate::ids::{BrokerId, ClientId, GroupId, MessageGroupId, Ms, MsgId};
use crate::message::Message;
use crate::model::Version;
use crate::pop::{GrpcKind, PopCommand, PopSetting, SimpleMode};

/// The release of `model 5.1`: since 5.1.1 an ordered message that reaches the limit is a dead letter.
pub(in crate::explain) const WITH_DEAD_LETTERS: Version = Version(5, 1, 4);

/// What might have kept the order.
pub(super) fn keeps(run: &Run<'_>, violation: &Violation, guilt: &Guilt) -> Vec<Counterfactual> {
    let Broken::Order { series, .. } = violation.broken else { return Vec::new() };
    let effect = Effect::OrderKept { series, group: violation.group };
    repairs(run, guilt, series)
        .into_iter()
        .map(|change| Counterfactual { change, effect })
        .collect()
}

/// Changes that take the cause away.
pub(in crate::explain) fn repairs(
    run: &Run<'_>,
    guilt: &Guilt,
    series: MessageGroupId,
) -> Vec<Change> {
    let names = &run.world.shared.names;
    let group_name = |group: GroupId| run.world.shared.group(group).name.clone();
    match *guilt {
        Guilt::RoundRobin { .. } | Guilt::DifferentChoice { .. } => {
            let senders = senders(run, series);
            vec![instead(run, |c| match c {
                Command::CreateProducer { name, selector, .. } if senders.contains(&&**name) => {
                    *selector = Selector::MessageGroup;
                    true
                }
                _ => false,
            })]
        }
        Guilt::ManyInRequest { producer } => {
            let by = &names.producers[producer.index()];
            let single = |c: &mut Command| {
                let Command::Pop(PopCommand::SendTogether { producer, topic, thread, messages }) =
                    c
                else {
                    return false;
                };
                if producer != by {
                    return false;
                }
                let (producer, topic, messages) =
                    (producer.clone(), topic.clone(), messages.clone());
                *c = Command::Send { producer, topic, thread: *thread, messages, every_ms: 0 };
                true
            };
            vec![instead(run, single)]
        }
        Guilt::QueuesChanged { topic } => {
            let of = &names.topics[topic.index()].name;
            vec![without(run, |c| matches!(c, Command::UpdateTopic { name, .. } if name == of))]
        }
        Guilt::BrokersChanged { broker } => vec![always_there(run, broker)],
        Guilt::ConcurrentListener { group } | Guilt::SentBack { group } => {
            vec![orderly_listener(run, group)]
        }
        Guilt::ToRetryTopic { group, msg } => {
            vec![enough_repeats(run, group, msg), Some(Change::Release(WITH_DEAD_LETTERS))]
        }
        Guilt::UnorderedGroup { group } | Guilt::CameBack { group } => {
            let setting = GroupSetting::Pop(PopSetting::Orderly(true));
            vec![at_creation(run, group, setting)]
        }
        Guilt::Reset { group } => {
            let of = group_name(group);
            vec![without(run, |c| matches!(c, Command::ResetOffset { group, .. } if *group == of))]
        }
        Guilt::TakenOver { from, by } => vec![super::apart(run, from, by).1],
        Guilt::Application { .. } => Vec::new(),
    }
    .into_iter()
    .flatten()
    .collect()
}

/// As many repeats as a message needs that reached the limit; without limit where its script changed
/// later. None when it never succeeds: no limit would be high enough, and without one it blocks.
fn enough_repeats(run: &Run<'_>, group: GroupId, msg: MsgId) -> Option<Change> {
    let of = run.world.shared.group(group);
    // Others of its batch may be what fails.
    if of.batch_max > 1 {
        return None;
    }
    let limit = of.effective_max_reconsume_times(&run.world.shared.model);
    let attempt = succeeds_at(run, msg, group, u32::try_from(limit).ok()? + 1)?;
    let begun = run.facts.get(first_begun(run, msg, group)? as usize)?.at_ms;
    let later = |(at_ms, c): &(Ms, Command)| *at_ms > begun && matches!(c, Command::Handle(_));
    let repeats = match run.journal.iter().any(later) {
        true => -1,
        false => i32::try_from(attempt - 1).ok()?,
    };
    at_creation(run, group, GroupSetting::MaxReconsumeTimes(repeats))
}

/// The receives of a SimpleConsumer with ten times their invisible duration, at most 12 hours.
pub(in crate::explain) fn longer_invisible(run: &Run<'_>, client: ClientId) -> Option<Change> {
    let name = &run.world.shared.names.clients[client.index()];
    instead(run, |command| match command {
        Command::Pop(
            PopCommand::Receive { consumer: of, invisible_ms, .. }
            | PopCommand::Start {
                name: of,
                kind: GrpcKind::Simple(SimpleMode::Loops { invisible_ms, .. }),
                ..
            },
        ) if of == name => {
            *invisible_ms = (*invisible_ms * 10).min(43_200_000);
            true
        }
        _ => false,
    })
}

/// Other commands in place of those that `change` changes.
pub(in crate::explain) fn instead(
    run: &Run<'_>,
    change: impl Fn(&mut Command) -> bool,
) -> Option<Change> {
    let all = run.journal.iter().enumerate();
    let changed = all.filter_map(|(index, (_, command))| {
        let mut command = command.clone();
        change(&mut command).then_some((index as u32, command))
    });
    let changed: Vec<(u32, Command)> = changed.collect();
    (!changed.is_empty()).then_some(Change::Instead(changed))
}

/// A group whose classic consumers use `MessageListenerOrderly`.
pub(super) fn orderly_listener(run: &Run<'_>, group: GroupId) -> Option<Change> {
    let of = &run.world.shared.group(group).name;
    instead(run, |c| match c {
        Command::CreateGroup { name, listener, .. } if name == of => {
            *listener = ListenerKind::Orderly;
            true
        }
        _ => false,
    })
}

/// Names of the producers that sent messages of a message group.
fn senders<'a>(run: &Run<'a>, series: MessageGroupId) -> Vec<&'a str> {
    let shared = &run.world.shared;
    let mut found: Vec<&str> = Vec::new();
    let of = |m: &&Message| shared.names.order_of(m.series) == shared.names.order_of(series);
    for message in shared.messages.iter().filter(of) {
        let name = shared.names.producers[message.producer.index()].as_str();
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// A broker that neither stops nor starts in a run, or does not come into it.
fn always_there(run: &Run<'_>, broker: BrokerId) -> Option<Change> {
    let stops = without(run, |c| match c {
        Command::StopBroker { broker: of, .. } | Command::StartBroker { broker: of } => {
            faults::is_of_broker(run, of, broker)
        }
        _ => false,
    });
    let of = &run.world.shared.names.brokers[broker.index()];
    stops.or_else(|| without(run, |c| matches!(c, Command::AddBroker { name } if name == of)))
}

/// A consumer that never stands still; so it does not go on either.
pub(in crate::explain) fn without_hangs(run: &Run<'_>, name: &str) -> Option<Change> {
    without(run, |c| match c {
        Command::StopConsumer { name: of, how: StopKind::Hang }
        | Command::ResumeConsumer { name: of } => of == name,
        _ => false,
    })
}

/// The run without some commands.
pub(in crate::explain) fn without(
    run: &Run<'_>,
    gone: impl Fn(&Command) -> bool,
) -> Option<Change> {
    let all = run.journal.iter().enumerate();
    let gone: Vec<u32> = all.filter(|(_, (_, c))| gone(c)).map(|(i, _)| i as u32).collect();
    (!gone.is_empty()).then_some(Change::Without(gone))
}

/// A setting that a group has from its creation on.
pub(in crate::explain) fn at_creation(
    run: &Run<'_>,
    group: GroupId,
    setting: GroupSetting,
) -> Option<Change> {
    let of = run.world.shared.group(group).name.clone();
    let at_ms = run.journal.iter().find_map(|(at_ms, c)| match c {
        Command::CreateGroup { name, .. } if *name == of => Some(*at_ms),
        _ => None,
    })?;
    Some(Change::From { at_ms, commands: vec![Command::SetGroup { group: of, setting }] })
}
