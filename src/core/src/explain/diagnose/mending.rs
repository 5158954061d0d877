//! Repairs that have to be tried: the same run with a change, looked at again.

use super::super::faults::Fault;
use super::super::violation::{instead, without};
use super::super::{faults, transactions, with_change, Change};
use super::Patient;
use crate::command::{Command, Load, MessageSpec, Selector};
use crate::fact::Decision;
use crate::guarantee::Guarantee;
use crate::ids::{MessageGroupId, Ms, MsgId, TopicId};
use crate::session::Session;

/// Most disturbances that are left out one by one.
const MOST_TRIED: usize = 8;
/// Messages that stay in one message group when a hot one is split.
const A_GROUP: u32 = 5;

impl Patient<'_> {
    /// The run with a change, as far as this one.
    pub(super) fn with(&self, change: &Change) -> Session {
        let mut session = with_change(self.session, change, self.until_ms);
        // What is given now stands in a line behind this instant.
        session.run_until(self.until_ms + Ms::from(change.is_now()));
        session
    }

    /// Disturbances left out, each with all of its commands: the last of them that is enough alone, else all
    /// of them, if that is enough.
    pub(super) fn left_out(
        &self,
        faults: &[Fault],
        is_well: impl Fn(&Session) -> bool,
    ) -> Option<Change> {
        let alone = faults.iter().rev().map(|fault| fault.commands.clone());
        let mut all: Vec<u32> = faults.iter().flat_map(|fault| fault.commands.clone()).collect();
        all.sort_unstable();
        all.dedup();
        let ways = alone.take(MOST_TRIED).chain((faults.len() > 1).then_some(all));
        ways.map(Change::Without).find(|change| is_well(&self.with(change)))
    }

    /// No order configuration that leaves queues out, more queues in a run that begins anew, or another
    /// choice of the queue: the first that uses more than half of the queues.
    pub(super) fn spread_better(&self, topic: TopicId, count: u16) -> Option<Change> {
        let of = &self.run.world.shared.names.topics[topic.index()].name;
        let queues = |wanted: u16| {
            instead(&self.run, |c| match c {
                Command::CreateTopic { name, read_queues, write_queues, .. } if name == of => {
                    (*read_queues, *write_queues) = (wanted, wanted);
                    true
                }
                _ => false,
            })
        };
        let selector = instead(&self.run, |c| match c {
            Command::CreateProducer { selector, .. } if *selector != Selector::MessageGroup => {
                *selector = Selector::MessageGroup;
                true
            }
            _ => false,
        });
        let conf =
            without(&self.run, |c| matches!(c, Command::SetOrderConf { topic, .. } if topic == of));
        let all =
            [conf, queues(count.saturating_add(1)), queues(count.saturating_mul(2)), selector];
        all.into_iter().flatten().find(|change| {
            let after = self.with(change);
            let world = after.world();
            let brokers = world.brokers.iter();
            let stores = brokers.flat_map(|b| {
                let ids = 0..world.shared.names.topics[topic.index()].write_queues;
                ids.map(move |id| {
                    b.store.range(crate::ids::MessageQueue { topic, broker: b.id, id }).1
                })
            });
            let (used, all) =
                stores.fold((0, 0), |(used, all), max| (used + u32::from(max > 0), all + 1));
            used * 2 > all
        })
    }

    /// What one message group sends as a load over many finer ones.
    pub(super) fn finer_groups(&self, series: MessageGroupId) -> Option<Change> {
        let of = &self.run.world.shared.names.series[series.index()].name;
        instead(&self.run, |c| {
            let Command::Send { producer, topic, messages, every_ms, .. } = c else { return false };
            let count = messages.len() as u32;
            let own = messages.iter().all(|m| m.label.series == *of);
            if !own || *every_ms <= 0 || count < 2 * A_GROUP {
                return false;
            }
            let per_second = u32::try_from(1_000 / *every_ms).unwrap_or(1).max(1);
            // As a text has it: the load leaves the series of the run alone.
            let series = self.run.world.shared.names.series.iter();
            let mut beside: Vec<String> = series.map(|s| s.name.clone()).collect();
            beside.sort_unstable();
            let groups = count / A_GROUP;
            let load = Load { count, groups, per_second, skew_percent: 0, beside };
            *c = Command::SendLoad { producer: producer.clone(), topic: topic.clone(), load };
            true
        })
    }

    /// A message that was sent behind those that it comes before: in its place, or before them.
    pub(super) fn sent_in_time(&self, earlier: MsgId, later: MsgId) -> Option<Change> {
        let (first, second) = (self.sending_of(earlier)?, self.sending_of(later)?);
        let change = match first.0 == second.0 {
            true => self.in_turn(first.0)?,
            false => Change::Moved(vec![(first.0, (second.1 - 1).max(0))]),
        };
        self.in_order(&self.with(&change), [earlier, later]).then_some(change)
    }

    /// A message whose transaction was committed behind those that it comes before: it is committed at once,
    /// nothing keeps the commit, or those are sent when it is committed.
    pub(super) fn committed_in_time(&self, earlier: MsgId, later: MsgId) -> Option<Change> {
        let at_once = transactions::scripted(&self.run, earlier, |script| {
            (script.decision, script.after_ms) = (Decision::Commit, 0);
        });
        let in_order = |after: &Session| self.in_order(after, [earlier, later]);
        let at_once = at_once.filter(|change| in_order(&self.with(change)));
        let (committed, _) = self.first_store(earlier)?;
        let at_ms = self.run.facts.get(committed as usize)?.at_ms;
        at_once
            .or_else(|| self.left_out(&faults::on_the_way(&self.run, earlier, at_ms), in_order))
            .or_else(|| {
                let (index, _) = self.sending_of(later)?;
                let behind = Change::Moved(vec![(index, at_ms + 1)]);
                in_order(&self.with(&behind)).then_some(behind)
            })
    }

    /// Whether a run stores two messages in their order.
    fn in_order(&self, after: &Session, pair: [MsgId; 2]) -> bool {
        let labels = pair.map(|msg| self.run.world.shared.label(msg));
        let world = after.world();
        let mut breaches = after.watch().breaches(Guarantee::OrderStored, None);
        let same = |msg: MsgId| labels.contains(&world.shared.label(msg));
        !breaches.any(|b| same(b.msg) || b.earlier.is_some_and(same))
    }

    /// The number and the instant of the last command that sends a message.
    fn sending_of(&self, msg: MsgId) -> Option<(u32, Ms)> {
        let shared = &self.run.world.shared;
        let label = shared.label(msg);
        let built_ms = shared.message(msg).built_ms;
        let is_it = |m: &MessageSpec| m.label == label;
        let mut all = self.run.journal.iter().enumerate().rev();
        all.find_map(|(index, (at_ms, command))| match command {
            Command::Send { messages, .. } if messages.iter().any(is_it) && *at_ms <= built_ms => {
                Some((index as u32, *at_ms))
            }
            Command::SendTransaction { message, .. } if is_it(message) && *at_ms <= built_ms => {
                Some((index as u32, *at_ms))
            }
            _ => None,
        })
    }

    /// The messages of one command by their numbers.
    fn in_turn(&self, index: u32) -> Option<Change> {
        let (_, command) = self.run.journal.get(index as usize)?;
        let mut command = command.clone();
        let Command::Send { messages, .. } = &mut command else { return None };
        messages.sort_by(|a, b| {
            (&a.label.series, a.label.number).cmp(&(&b.label.series, b.label.number))
        });
        Some(Change::Instead(vec![(index, command)]))
    }
}
