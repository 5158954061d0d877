//! Consumer groups that do not keep up: more comes than is handled, and the lag grows.

use std::collections::BTreeMap;

use super::super::branch::is_by_hand;
use super::super::violation::{at_creation, instead};
use super::super::{message, owner, Change, Doing, Reason};
use super::{Patient, Problem, Symptom};
use crate::command::{Command, GroupSetting};
use crate::fact::Fact;
use crate::ids::{ClientId, GroupId, MessageGroupId, MessageQueue, Ms, MsgId, TopicId};
use crate::pop::{PopCommand, PopFact};
use crate::process::Process;
use crate::session::Session;
use crate::shared::TopicUse;
use crate::world::World;

/// Messages have to come for so long, that a rate means something.
const LONG_MS: Ms = 60_000;
/// A shorter wait is a burst that is worked off.
const WAIT_MS: Ms = 30_000;
/// A smaller lag is none to speak of.
const MANY: u32 = 20;
/// Parts of that time: at the end of each the lag has to be larger.
const PARTS: Ms = 3;
/// Most queues that a repair gives a topic.
const MOST_QUEUES: u16 = 64;

/// What came into a topic, and what a group began of it.
#[derive(Default)]
struct Flow {
    /// When and where each message was stored.
    stored: BTreeMap<MsgId, (Ms, MessageQueue, u32)>,
    /// When the group first began it, with the fact.
    begun: BTreeMap<MsgId, (Ms, u32)>,
}

/// A lag that grows.
struct Lag {
    came: u32,
    handled: u32,
    waiting: u32,
    waited_ms: Ms,
    evidence: Vec<u32>,
}

impl Patient<'_> {
    pub(super) fn lagging(&mut self) {
        for (group, topic) in topics_read(self.session) {
            let flow = Flow::of(self.session, group, topic);
            let Some(time) = flow.time(self.until_ms) else { continue };
            let standing = self.standing_queues(group, &flow, time);
            let Some(lag) = flow.without(&standing).lag(self.until_ms) else { continue };
            let repair = self.keeps_up(group, topic, &lag);
            let Lag { came, handled, waiting, waited_ms, evidence } = lag;
            let problem = Problem::FallsBehind { group, topic, came, handled, waiting, waited_ms };
            self.find(Symptom::FallsBehind, problem, evidence, None, repair);
        }
    }

    /// Queues that wait for something else than work on what came before: that is told by what they wait for.
    fn standing_queues(
        &self,
        group: GroupId,
        flow: &Flow,
        (from_ms, to_ms): (Ms, Ms),
    ) -> Vec<MessageQueue> {
        let lately_ms = to_ms - (to_ms - from_ms) / PARTS;
        let idle = flow.idle((lately_ms, self.until_ms)).into_iter();
        let works = |msg: MsgId| {
            matches!(
                message::reason(&self.run, msg, Some(group)),
                Reason::NoThread { .. }
                    | Reason::Handled { .. }
                    | Reason::Behind { doing: Doing::NoThread { .. } | Doing::Handled { .. }, .. }
            )
        };
        idle.filter(|(_, msg)| !works(*msg)).map(|(queue, _)| queue).collect()
    }

    /// What makes a group keep up, tried: more queues, more queues and more consumers, handling that takes less
    /// time, a message group that is spread over more.
    fn keeps_up(&self, group: GroupId, topic: TopicId, lag: &Lag) -> Vec<Change> {
        let times = u16::try_from(lag.came.div_ceil(lag.handled.max(1))).unwrap_or(u16::MAX);
        let wider = self.wider(topic, times);
        let more = self.wider_with_consumers(group, topic, times);
        let finer = self.largest_group(topic).and_then(|series| self.finer_groups(series));
        let alone = wider.filter(|change| self.is_better(change, group, topic, lag));
        let alone = alone.or_else(|| more.filter(|one| self.is_better(one, group, topic, lag)));
        let others = [self.faster(group, lag), finer].into_iter().flatten();
        let others = others.filter(|change| self.is_better(change, group, topic, lag));
        alone.into_iter().chain(others).collect()
    }

    /// Whether a change leaves less than a quarter of a lag.
    fn is_better(&self, change: &Change, group: GroupId, topic: TopicId, lag: &Lag) -> bool {
        let after = self.with(change);
        let names = &self.run.world.shared;
        let (group, topic) = (&names.group(group).name, &names.names.topics[topic.index()].name);
        let other = &after.world().shared;
        let same = topics_read(&after).into_iter().find(|(g, t)| {
            other.group(*g).name == *group && other.names.topics[t.index()].name == *topic
        });
        same.is_some_and(|(group, topic)| {
            let flow = Flow::of(&after, group, topic);
            flow.waiting(self.until_ms).count() * 4 <= lag.waiting as usize
        })
    }

    /// So many times as many queues, and as many again.
    fn queues(&self, topic: TopicId, times: u16) -> u16 {
        let of = &self.run.world.shared.names.topics[topic.index()];
        of.write_queues.saturating_mul(times).saturating_mul(2).min(MOST_QUEUES)
    }

    fn wider(&self, topic: TopicId, times: u16) -> Option<Change> {
        let of = &self.run.world.shared.names.topics[topic.index()].name;
        let count = self.queues(topic, times);
        instead(&self.run, |c| match c {
            Command::CreateTopic { name, read_queues, write_queues, .. } if name == of => {
                (*read_queues, *write_queues) = (count, count);
                true
            }
            _ => false,
        })
    }

    /// More queues, and so many times as many consumers.
    fn wider_with_consumers(&self, group: GroupId, topic: TopicId, times: u16) -> Option<Change> {
        let shared = &self.run.world.shared;
        let (name, of) = (&shared.names.topics[topic.index()].name, &shared.group(group).name);
        let count = self.queues(topic, times);
        let starts = |c: &Command| match c {
            Command::StartConsumer { group, .. }
            | Command::Pop(PopCommand::Start { group, .. }) => group == of,
            _ => false,
        };
        let all = self.run.journal.iter().filter(|(_, command)| starts(command));
        let all: Vec<&(Ms, Command)> = all.collect();
        let (at_ms, first) = all.first()?;
        let (read_queues, write_queues) = (count, count);
        let mut commands =
            vec![Command::UpdateTopic { name: name.clone(), read_queues, write_queues }];
        let fresh = (1..=all.len() * usize::from(times)).map(|number| {
            let mut command = first.clone();
            if let Command::StartConsumer { name, .. }
            | Command::Pop(PopCommand::Start { name, .. }) = &mut command
            {
                *name = format!("c-new-{number}");
            }
            command
        });
        commands.extend(fresh);
        Some(Change::From { at_ms: *at_ms, commands })
    }

    /// Calls of the group that take so much less time that more is handled than comes.
    fn faster(&self, group: GroupId, lag: &Lag) -> Option<Change> {
        let (low_ms, high_ms) = self.run.world.shared.group(group).handle_ms;
        let shorter = |ms: Ms| ms * Ms::from(lag.handled) * 8 / (Ms::from(lag.came) * 10).max(1);
        let setting = GroupSetting::HandleMs(shorter(low_ms), shorter(high_ms));
        (high_ms > 0).then(|| at_creation(&self.run, group, setting)).flatten()
    }

    /// The message group with most of the messages of a topic.
    fn largest_group(&self, topic: TopicId) -> Option<MessageGroupId> {
        let shared = &self.run.world.shared;
        let mut counts: BTreeMap<MessageGroupId, u32> = BTreeMap::new();
        let own = self.messages().map(|msg| shared.message(msg)).filter(|m| m.topic == topic);
        for message in own.filter(|m| self.is_keyed(m.series)) {
            *counts.entry(message.series).or_default() += 1;
        }
        counts.into_iter().max_by_key(|(_, count)| *count).map(|(series, _)| series)
    }
}

/// Consumer groups with the topics that they read.
fn topics_read(session: &Session) -> Vec<(GroupId, TopicId)> {
    let world = session.world();
    let topics = (0..world.shared.names.topics.len() as u16).map(TopicId);
    let user = topics.filter(|t| world.shared.names.topics[t.index()].usage == TopicUse::User);
    let all = user.flat_map(|topic| {
        owner::readers(world, topic).into_iter().map(move |group| (group, topic))
    });
    all.collect()
}

impl Flow {
    fn of(session: &Session, group: GroupId, topic: TopicId) -> Self {
        let world = session.world();
        let mut flow = Self::default();
        for (index, record) in (0..).zip(session.facts()) {
            match record.fact {
                Fact::MessageStored { msg, queue, .. }
                    if queue.topic == topic && owner::wants(world, group, queue, msg) =>
                {
                    flow.stored.entry(msg).or_insert((record.at_ms, queue, index));
                }
                Fact::HandlingStarted { client, msg, .. } => {
                    flow.begins(world, (client, group), msg, (record.at_ms, index))
                }
                // What an application gets that calls by hand it handles.
                Fact::Pop(PopFact::Received { client, msg, .. }) if is_by_hand(world, client) => {
                    flow.begins(world, (client, group), msg, (record.at_ms, index));
                }
                _ => {}
            }
        }
        flow
    }

    fn begins(
        &mut self,
        world: &World,
        (client, group): (ClientId, GroupId),
        msg: MsgId,
        at: (Ms, u32),
    ) {
        let of = world.clients.get(client.index()).map(Process::group);
        if of == Some(group) && self.stored.contains_key(&msg) {
            self.begun.entry(msg).or_insert(at);
        }
    }

    /// Messages that are stored and not begun at an instant.
    fn waiting(&self, at_ms: Ms) -> impl Iterator<Item = (MsgId, Ms)> + '_ {
        let stored = self.stored.iter().filter(move |(_, (ms, ..))| *ms <= at_ms);
        let begun = move |msg: &MsgId| self.begun.get(msg).is_some_and(|(ms, _)| *ms <= at_ms);
        stored.filter(move |(msg, _)| !begun(msg)).map(|(msg, (ms, ..))| (*msg, *ms))
    }

    /// Leaves out queues.
    fn without(mut self, standing: &[MessageQueue]) -> Self {
        self.stored.retain(|_, (_, queue, _)| !standing.contains(queue));
        let stored = &self.stored;
        self.begun.retain(|msg, _| stored.contains_key(msg));
        self
    }

    /// Queues in which nothing was begun since an instant, each with its first message that waits.
    fn idle(&self, (from_ms, until_ms): (Ms, Ms)) -> BTreeMap<MessageQueue, MsgId> {
        let mut idle = BTreeMap::new();
        for (msg, _) in self.waiting(until_ms) {
            idle.entry(self.stored[&msg].1).or_insert(msg);
        }
        let lately = self.begun.iter().filter(|(_, (ms, _))| *ms >= from_ms);
        for (msg, _) in lately {
            idle.remove(&self.stored[msg].1);
        }
        idle
    }

    /// For how long messages came, if it is long enough.
    fn time(&self, until_ms: Ms) -> Option<(Ms, Ms)> {
        let times = self.stored.values().map(|(ms, ..)| *ms);
        let (from_ms, to_ms) = (times.clone().min()?, times.max()?.min(until_ms));
        (to_ms - from_ms >= LONG_MS).then_some((from_ms, to_ms))
    }

    /// The lag, if it grows for as long as messages come and is there at the end.
    fn lag(&self, until_ms: Ms) -> Option<Lag> {
        let (from_ms, to_ms) = self.time(until_ms)?;
        let took_ms = to_ms - from_ms;
        let part_ms = took_ms / PARTS;
        let ends = (0..=PARTS).map(|part| self.waiting(from_ms + part * part_ms).count());
        let ends: Vec<usize> = ends.collect();
        let grows = ends.windows(2).all(|pair| pair[0] < pair[1]);
        let waiting = self.waiting(until_ms).count() as u32;
        let (oldest, since_ms) = self.waiting(until_ms).min_by_key(|(msg, ms)| (*ms, *msg))?;
        let waited_ms = until_ms - since_ms;
        if !grows || waiting < MANY || waited_ms < WAIT_MS {
            return None;
        }
        let begun = self.begun.values().filter(|(ms, _)| *ms <= to_ms);
        let last = begun.clone().map(|(_, fact)| *fact).max()?;
        let a_minute = |count: usize| (count as Ms * 60_000 / took_ms) as u32;
        let (came, handled) = (a_minute(self.stored.len()), a_minute(begun.count()));
        let evidence = vec![self.stored[&oldest].2, last];
        (came > handled).then_some(Lag { came, handled, waiting, waited_ms, evidence })
    }
}
