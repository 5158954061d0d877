//! In which state delay levels and timers are.

use std::rc::Rc;

use super::{clocks, disk, message, owner, LevelState, Part, Reason, Run, TimerState};
use crate::broker::Broker;
use crate::client::Task;
use crate::ids::Party;
use crate::process::Process;

/// Levels of the table that a broker runs with: only they have a task.
pub(super) fn levels(broker: &Broker) -> u8 {
    broker.delay.table.delays_ms().len().min(usize::from(u8::MAX)) as u8
}

pub(super) fn level(run: &Run<'_>, level: u8) -> Option<LevelState> {
    let brokers = &run.world.brokers;
    let known = || brokers.iter().filter(|b| level <= levels(b));
    let waiting = |b: &Rc<Broker>| b.waiting_under(level).count() as u32;
    let heads = known().filter_map(|broker| {
        let (record, due_ms) = broker.waiting_under(level).next()?;
        Some((record.msg, due_ms - broker.clock_ahead_ms, broker.id))
    });
    if let Some((head, due_ms, broker)) = heads.min_by_key(|(_, due_ms, _)| *due_ms) {
        let waiting = known().map(waiting).sum();
        return Some(match disk::keeps(run, broker, due_ms) {
            Some(Reason::NoRoom { .. }) => LevelState::Full { head, due_ms, waiting, broker },
            Some(Reason::BrokerDown { .. }) => LevelState::Down { head, due_ms, waiting, broker },
            _ => LevelState::NotDue { head, due_ms, waiting },
        });
    }
    let mut others = brokers.iter().filter(|b| level > levels(b));
    let gone = others.find_map(|broker| {
        let (record, _) = broker.waiting_under(level).next()?;
        let (waiting, levels) = (waiting(broker), levels(broker));
        Some(LevelState::Gone { head: record.msg, waiting, levels })
    });
    gone.or_else(|| known().next().map(|_| LevelState::Empty))
}

/// A timer.
pub(super) fn timer(run: &Run<'_>, part: Part) -> TimerState {
    let world = run.world;
    let model = &world.shared.model;
    let until = match part {
        Part::Lease { queue, group } => {
            let lock = world.brokers.get(queue.broker.index());
            let lock = lock.and_then(|b| b.locks.get(group, queue));
            lock.map(|l| l.last_update_ms + model.rebalance_lock_max_live_time_ms)
        }
        Part::ClientLock { queue, group } => {
            let entry = owner::holder(world, group, queue).filter(|(_, entry)| entry.locked);
            entry.map(|(_, entry)| entry.last_lock_ms + model.client_lock_max_live_time_ms)
        }
        Part::Suspend { queue, group } => match owner::holder(world, group, queue) {
            Some((_, entry)) => match entry.task {
                Task::Suspended { until_ms } => Some(until_ms),
                _ => None,
            },
            None => None,
        },
        Part::Invisible { msg, group } => match message::reason(run, msg, Some(group)) {
            Reason::Invisible { until_ms, .. } | Reason::Held { until_ms, .. } => Some(until_ms),
            Reason::Revives { at_ms } => Some(at_ms - model.revive_wait_ms),
            _ => None,
        },
        Part::Due(msg) => match message::place(run, msg, None) {
            message::Place::Level { due_ms, .. } | message::Place::Wheel { due_ms, .. } => {
                Some(due_ms)
            }
            _ => None,
        },
        Part::Handler { msg, group } => match message::reason(run, msg, Some(group)) {
            Reason::Handled { until_ms, .. }
            | Reason::InVain { until_ms, .. }
            | Reason::TooLong { until_ms, .. } => Some(until_ms),
            _ => None,
        },
        Part::Round(client) => {
            let process = world.clients.get(client.index());
            process.and_then(Process::classic).and_then(|c| c.round.due_ms)
        }
    };
    let Some(until_ms) = until else { return TimerState::Off };
    let over = match clock_of(run, part) {
        Some(party) => clocks::over_since(run, party, until_ms),
        None => Some(until_ms).filter(|until_ms| *until_ms < world.now_ms()),
    };
    over.map_or(TimerState::Runs { until_ms }, |at_ms| TimerState::Over { at_ms })
}

/// Whose clock decides when a timer is over, where one is looked at.
fn clock_of(run: &Run<'_>, part: Part) -> Option<Party> {
    match part {
        Part::Lease { queue, .. } => Some(Party::Broker(queue.broker)),
        Part::ClientLock { queue, group } => {
            owner::holder(run.world, group, queue).map(|(client, _)| Party::Client(client.id))
        }
        Part::Invisible { msg, group } => {
            message::lies_in(run, msg, group).map(|queue| Party::Broker(queue.broker))
        }
        Part::Due(msg) => match message::place(run, msg, None) {
            message::Place::Level { broker, .. } | message::Place::Wheel { broker, .. } => {
                Some(Party::Broker(broker))
            }
            _ => None,
        },
        Part::Suspend { .. } | Part::Handler { .. } | Part::Round(_) => None,
    }
}
