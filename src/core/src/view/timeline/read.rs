//! How facts become spans, timers and marks.

use super::{Bar, Mark, MarkKind, Pause, Row, Timeline, Timer, TimerKind, MAX_LANES};
use crate::fact::{Fact, FactRecord, GrantKind, Outcome, StopKind};
use crate::ids::{ClientId, MessageQueue, Ms};

impl Timeline {
    fn row(&mut self, queue: MessageQueue) -> &mut Row {
        self.rows.entry(queue).or_default()
    }

    pub(super) fn read(&mut self, index: u32, record: &FactRecord) {
        let at_ms = record.at_ms;
        self.last_ms = self.last_ms.max(at_ms);
        match record.fact {
            Fact::MessageStored { queue, .. } => {
                self.row(queue);
            }
            Fact::HandlingStarted { client, queue, offset, msg, attempt } => {
                self.end_again(queue, client, at_ms, index);
                self.count_call(at_ms);
                let bar = Bar { msg, client, offset, attempt, outcome: None, lane: 0 };
                self.row(queue).begin_bar(at_ms, index, bar);
            }
            Fact::HandlingEnded { client, queue, offset, outcome, .. } => {
                let ends = |bar: &Bar| bar.client == client && bar.offset == offset;
                self.row(queue).end_bars(at_ms, index, Some(outcome), ends);
            }
            Fact::QueueSuspended { client, queue, msg, failures, until_ms } => {
                let pause = Pause { msg, client, failures, until_ms };
                let row = self.row(queue);
                let open = row.pauses.open(at_ms, index, pause);
                row.open_pauses.push(open);
                let what = TimerKind::Again { queue, msg, client };
                let timer = self.timers.open(at_ms, index, Timer { due_ms: until_ms, what });
                self.open_again.insert((queue, client), timer);
            }
            Fact::LockGranted { client, queue, how, .. } => {
                self.end_relock(queue, client, at_ms, index);
                if how == GrantKind::Renewed {
                    self.row(queue).renewals.push((at_ms, index, client));
                }
            }
            Fact::LockRefused { client, queue, .. } => {
                self.end_relock(queue, client, at_ms, index);
            }
            Fact::RelockScheduled { client, queue, at_ms: due_ms } => {
                self.end_relock(queue, client, at_ms, index);
                let what = TimerKind::Relock { queue, client };
                let timer = self.timers.open(at_ms, index, Timer { due_ms, what });
                self.open_relocks.insert((queue, client), timer);
            }
            Fact::QueueAdded { client, queue, .. } => {
                let row = self.row(queue);
                let open = row.owners.open(at_ms, index, client);
                row.open_owners.push(open);
            }
            Fact::QueueDropped { client, queue, .. } | Fact::QueueRemoved { client, queue, .. } => {
                self.end_again(queue, client, at_ms, index);
                self.end_relock(queue, client, at_ms, index);
                self.row(queue).end_owner(at_ms, index, client);
            }
            Fact::MessageScheduled { msg, level, due_ms, .. } => {
                let what = TimerKind::Due { msg, level };
                let timer = self.timers.open(at_ms, index, Timer { due_ms, what });
                self.open_due.insert(msg, timer);
            }
            Fact::MessagePutBack { msg, .. } => {
                if let Some(timer) = self.open_due.remove(&msg) {
                    self.timers.close(timer, at_ms, index);
                }
            }
            _ => {
                self.read_process(index, record);
                self.read_mark(index, record);
            }
        }
    }

    /// When a consumer's process begins and ends. One that stands still is there.
    fn read_process(&mut self, index: u32, record: &FactRecord) {
        match record.fact {
            Fact::ConsumerStarted { client } => {
                let open = self.processes.open(record.at_ms, index, client);
                self.open_processes.insert(client, open);
            }
            Fact::ConsumerStopped { client, how } if how != StopKind::Hang => {
                if let Some(open) = self.open_processes.remove(&client) {
                    self.processes.close(open, record.at_ms, index);
                }
            }
            _ => {}
        }
    }

    /// Facts that leave a mark, and what they end.
    fn read_mark(&mut self, index: u32, record: &FactRecord) {
        let at_ms = record.at_ms;
        let what = match record.fact {
            Fact::ConsumerStarted { client } if at_ms > 0 => MarkKind::Started(client),
            Fact::ConsumerStopped { client, how } => {
                if how != StopKind::Hang {
                    self.end_client(index, at_ms, client, how);
                }
                MarkKind::Stopped(client, how)
            }
            Fact::ConsumerResumed { client } => MarkKind::Resumed(client),
            Fact::BrokerStopped { .. } => MarkKind::BrokerDown,
            Fact::BrokerStarted { .. } => MarkKind::BrokerUp,
            Fact::CommandApplied { index } if at_ms > 0 => MarkKind::Command(index),
            Fact::DeadLettered { msg, .. } => MarkKind::DeadLetter(msg),
            _ => return,
        };
        self.marks.push(Mark { at_ms, fact: index, what });
    }

    /// A process is gone: it owns nothing and waits for nothing. A clean stop does not wait for
    /// running listeners, so their bars go on until they return.
    fn end_client(&mut self, index: u32, at_ms: Ms, client: ClientId, how: StopKind) {
        let queues: Vec<MessageQueue> = self.rows.keys().copied().collect();
        for queue in queues {
            self.end_again(queue, client, at_ms, index);
            self.end_relock(queue, client, at_ms, index);
            let row = self.row(queue);
            row.end_owner(at_ms, index, client);
            if how != StopKind::Clean {
                row.end_bars(at_ms, index, None, |bar| bar.client == client);
            }
        }
    }

    fn end_again(&mut self, queue: MessageQueue, client: ClientId, at_ms: Ms, index: u32) {
        if let Some(timer) = self.open_again.remove(&(queue, client)) {
            self.timers.close(timer, at_ms, index);
            self.row(queue).end_pauses(at_ms, index, client);
        }
    }

    fn end_relock(&mut self, queue: MessageQueue, client: ClientId, at_ms: Ms, index: u32) {
        if let Some(timer) = self.open_relocks.remove(&(queue, client)) {
            self.timers.close(timer, at_ms, index);
        }
    }
}

impl Row {
    fn begin_bar(&mut self, at_ms: Ms, index: u32, mut bar: Bar) {
        let taken = |lane: &u8| {
            self.open_bars
                .iter()
                .filter_map(|open| self.bars.get(*open))
                .any(|span| span.what.lane == *lane)
        };
        bar.lane = (0..MAX_LANES).find(|lane| !taken(lane)).unwrap_or(MAX_LANES - 1);
        let open = self.bars.open(at_ms, index, bar);
        self.open_bars.push(open);
    }

    fn end_bars(
        &mut self,
        at_ms: Ms,
        index: u32,
        outcome: Option<Outcome>,
        ends: impl Fn(&Bar) -> bool,
    ) {
        let bars = &mut self.bars;
        self.open_bars.retain(|open| {
            let ended = bars.get(*open).is_some_and(|span| ends(&span.what));
            if ended {
                bars.what_mut(*open).outcome = outcome;
                bars.close(*open, at_ms, index);
            }
            !ended
        });
    }

    fn end_owner(&mut self, at_ms: Ms, index: u32, client: ClientId) {
        let owners = &mut self.owners;
        self.open_owners.retain(|open| {
            let ended = owners.get(*open).is_some_and(|span| span.what == client);
            if ended {
                owners.close(*open, at_ms, index);
            }
            !ended
        });
    }

    fn end_pauses(&mut self, at_ms: Ms, index: u32, client: ClientId) {
        let pauses = &mut self.pauses;
        self.open_pauses.retain(|open| {
            let ended = pauses.get(*open).is_some_and(|span| span.what.client == client);
            if ended {
                pauses.close(*open, at_ms, index);
            }
            !ended
        });
    }
}
