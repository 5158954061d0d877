//! What each kind of fact says.

use lockstep_core::command::{Command, ListenerKind};
use lockstep_core::fact::{
    CloseCause, Fact, GrantKind, LockMissing, Outcome, StopKind, StoredKind,
};
use lockstep_core::ids::{ClientId, Party};
use lockstep_core::pop::GrpcKind;

use super::Speaker;
use crate::log::{Log, Reason};
use crate::log_broker::BrokerLog;
use crate::{clock, left_seconds, number};

impl Speaker<'_> {
    /// Messages on their way into a queue.
    pub(super) fn message_fact(&self, fact: &Fact) -> Option<String> {
        let log = Log(self.locale);
        Some(match *fact {
            Fact::MessageBuilt { producer, msg } => {
                log.built(self.producer(producer), &self.msg(msg))
            }
            Fact::SendStarted { producer, msg, queue, attempt } => {
                let (producer, msg, queue) =
                    (self.producer(producer), self.msg(msg), self.queue(queue));
                if attempt > 1 {
                    log.send_again(producer, &msg, &queue, attempt)
                } else {
                    log.send_started(producer, &msg, &queue)
                }
            }
            Fact::SendCompleted { producer, msg, queue } => {
                log.send_completed(self.producer(producer), &self.msg(msg), &self.queue(queue))
            }
            Fact::SendFailed { producer, msg, reason } => {
                log.send_failed(self.producer(producer), &self.msg(msg), &self.send_failure(reason))
            }
            Fact::MessageStored { msg, queue, offset, kind } => {
                let (msg, queue) = (self.msg(msg), self.queue(queue));
                match kind {
                    StoredKind::Sent => log.stored(&msg, &queue, offset),
                    StoredKind::PutBack => log.stored_put_back(&msg, &queue, offset),
                    StoredKind::Retry => log.stored_retry(&msg, &queue, offset),
                    StoredKind::DeadLetter => log.stored_dead(&msg, &queue, offset),
                    StoredKind::Committed => {
                        BrokerLog(self.locale).stored_committed(&msg, &queue, offset)
                    }
                }
            }
            Fact::MessageScheduled { msg, level: 0, due_ms, .. } => {
                log.scheduled_wheel(&self.msg(msg), &clock(due_ms))
            }
            Fact::MessageScheduled { msg, level, due_ms, dead_for: Some(_) } => {
                log.scheduled_dead(&self.msg(msg), &level.to_string(), &clock(due_ms))
            }
            Fact::MessageScheduled { msg, level, due_ms, .. } => {
                log.scheduled(&self.msg(msg), &level.to_string(), &clock(due_ms))
            }
            Fact::MessagePutBack { msg, level: 0 } => log.put_back_wheel(&self.msg(msg)),
            Fact::MessagePutBack { msg, level } => log.put_back(&self.msg(msg), &level.to_string()),
            _ => return None,
        })
    }

    /// Consumer processes, their groups and their queues.
    pub(super) fn client_fact(&self, fact: &Fact) -> Option<String> {
        let log = Log(self.locale);
        Some(match *fact {
            Fact::ConsumerStarted { client } => log.client_started(self.client(client)),
            Fact::ConsumerStopped { client, how } => match how {
                StopKind::Clean if self.is_grpc(client) => log.client_closed(self.client(client)),
                StopKind::Clean => log.client_clean(self.client(client)),
                StopKind::Crash => log.client_crash(self.client(client)),
                StopKind::Silent => log.client_silent(self.client(client)),
                StopKind::Hang => log.client_hang(self.client(client)),
            },
            Fact::ConsumerResumed { client } => log.client_resumed(self.client(client)),
            Fact::MemberJoined { group, client } => {
                log.joined(self.group(group), self.client(client))
            }
            Fact::MemberLeft { group, client, reason } => {
                log.left(self.group(group), self.client(client), self.leave_reason(reason))
            }
            Fact::MemberNotified { client } => log.notified(self.client(client)),
            Fact::RebalanceStarted { client, cause } => {
                log.round_started(self.client(client), self.round_cause(cause))
            }
            Fact::RebalanceFinished { client, balanced: true } => {
                log.round_balanced(self.client(client))
            }
            Fact::RebalanceFinished { client, balanced: false } => {
                log.round_unbalanced(self.client(client))
            }
            Fact::QueueAdded { client, queue, offset } => {
                log.queue_added(self.client(client), &self.queue(queue), offset)
            }
            Fact::QueueDropped { client, queue, reason } => {
                log.queue_dropped(self.client(client), &self.queue(queue), self.drop_reason(reason))
            }
            Fact::ReleasePostponed { client, queue } => {
                log.release_postponed(self.client(client), &self.queue(queue))
            }
            Fact::QueueRemoved { client, queue, forced: false } => {
                log.queue_removed(self.client(client), &self.queue(queue))
            }
            Fact::QueueRemoved { client, queue, forced: true } => {
                log.queue_forced(self.client(client), &self.queue(queue))
            }
            _ => return None,
        })
    }

    /// Queue locks.
    pub(super) fn lock_fact(&self, fact: &Fact) -> Option<String> {
        let log = Log(self.locale);
        Some(match *fact {
            Fact::LockGranted { client, queue, how, .. } => {
                let (client, queue) = (self.client(client), self.queue(queue));
                match how {
                    GrantKind::Free => log.lock_free(client, &queue),
                    GrantKind::Renewed => log.lock_renewed(client, &queue),
                    GrantKind::Expired { from } => {
                        log.lock_expired(client, &queue, self.client(from))
                    }
                }
            }
            Fact::LockRefused { client, queue, owner, left_ms, .. } => {
                let left = left_seconds(i64::from(left_ms));
                log.lock_refused(self.client(client), &self.queue(queue), self.client(owner), &left)
            }
            Fact::LockReleased { client, queue, .. } => {
                log.lock_released(self.client(client), &self.queue(queue))
            }
            Fact::LockMissing { client, queue, reason: LockMissing::NotLocked } => {
                log.lock_missing(self.client(client), &self.queue(queue))
            }
            Fact::LockMissing { client, queue, reason: LockMissing::Expired } => {
                log.lock_stale(self.client(client), &self.queue(queue))
            }
            Fact::RelockScheduled { client, queue, at_ms } => {
                log.relock(self.client(client), &self.queue(queue), &clock(at_ms))
            }
            _ => return None,
        })
    }

    /// Pulls, listener calls and what follows from them.
    pub(super) fn work_fact(&self, fact: &Fact) -> Option<String> {
        let log = Log(self.locale);
        Some(match *fact {
            Fact::MessagesPulled { client, queue, offset, count: 1 } => {
                log.pulled_one(self.client(client), &self.queue(queue), offset)
            }
            Fact::MessagesPulled { client, queue, offset, count } => {
                log.pulled(self.client(client), &self.queue(queue), offset, count)
            }
            Fact::PullHeld { client, queue, offset } => {
                log.pull_held(self.client(client), &self.queue(queue), offset)
            }
            Fact::PullPostponed { client, queue, reason } => {
                let why = self.pull_pause(reason);
                log.pull_postponed(self.client(client), &self.queue(queue), why)
            }
            Fact::OffsetCorrected { client, queue, offset, corrected } => {
                log.offset_corrected(self.client(client), &self.queue(queue), offset, corrected)
            }
            Fact::HandlingStarted { client, queue, msg, attempt: 0 | 1, .. } => {
                log.handling(self.client(client), &self.msg(msg), &self.queue(queue))
            }
            Fact::HandlingStarted { client, queue, msg, attempt, .. } => {
                let queue = self.queue(queue);
                log.handling_again(self.client(client), &self.msg(msg), &queue, attempt)
            }
            Fact::HandlingEnded { client, msg, outcome, .. } => {
                self.ended(client, &self.msg(msg), outcome)
            }
            Fact::MessageAcknowledged { client, queue, msg, .. } => {
                log.acknowledged(self.client(client), &self.msg(msg), &self.queue(queue))
            }
            Fact::ResultDiscarded { client, msg, .. } if self.is_grpc(client) => {
                log.discarded_closed(self.client(client), &self.msg(msg))
            }
            Fact::ResultDiscarded { client, queue, msg, .. } => {
                log.discarded(self.client(client), &self.msg(msg), &self.queue(queue))
            }
            Fact::QueueSuspended { queue, msg, failures: 0 | 1, until_ms, .. } => {
                log.suspended_first(&self.queue(queue), &self.msg(msg), &clock(until_ms))
            }
            Fact::QueueSuspended { queue, msg, failures, until_ms, .. } => {
                log.suspended(&self.queue(queue), &self.msg(msg), failures, &clock(until_ms))
            }
            Fact::TaskYielded { client, queue } => {
                log.yielded(self.client(client), &self.queue(queue))
            }
            Fact::SentBack { client, msg, level, reconsume_times } => {
                let level = level.to_string();
                log.sent_back(self.client(client), &self.msg(msg), &level, reconsume_times)
            }
            Fact::SendBackFailed { client, msg } => {
                log.send_back_failed(self.client(client), &self.msg(msg))
            }
            Fact::DeadLettered { group, msg, .. } => {
                log.dead_lettered(&self.msg(msg), self.group(group))
            }
            _ => return None,
        })
    }

    pub(super) fn other_fact(&self, fact: &Fact, command: Option<&Command>) -> String {
        let log = Log(self.locale);
        match *fact {
            Fact::CommandApplied { index } => {
                let what = command.map(|c| self.command(c));
                log.command_applied(&what.unwrap_or_else(|| number(i64::from(index))))
            }
            Fact::CommandRefused { index } => {
                let why = self.world.shared.refusals.get(&index).map(|r| self.refusal(r));
                log.command_refused(&why.unwrap_or_else(|| number(i64::from(index))))
            }
            Fact::OffsetCommitted { group, queue, offset } => {
                log.committed(self.group(group), &self.queue(queue), offset)
            }
            Fact::PacketLost { from, to } => log.packet_lost(self.party(from), self.party(to)),
            Fact::RequestTimedOut { party, request } => {
                log.timed_out(self.party(party), self.request(request))
            }
            Fact::RequestFailed { party, request } => {
                log.failed_with_connection(self.party(party), self.request(request))
            }
            Fact::ConnectionClosed { party, broker, cause } => {
                let (party, broker) = (self.party(party), self.party(Party::Broker(broker)));
                match cause {
                    CloseCause::TimedOut(request) => {
                        log.closed_after(party, broker, self.request(request))
                    }
                    CloseCause::Silent => log.closed_as_silent(party, broker),
                }
            }
            _ => String::new(),
        }
    }

    /// Whether a consumer keeps what failed and handles it again by itself, as ordered push consumers do.
    pub(crate) fn keeps_failed(&self, id: ClientId) -> bool {
        let client = self.world.clients.get(id.index()).and_then(|p| p.grpc());
        client.is_some_and(|c| c.kind == GrpcKind::Push && c.fifo == Some(true))
    }

    pub(crate) fn is_grpc(&self, id: ClientId) -> bool {
        self.world.clients.get(id.index()).is_some_and(|p| p.grpc().is_some())
    }

    fn ended(&self, id: ClientId, msg: &str, outcome: Outcome) -> String {
        let (log, reason) = (Log(self.locale), Reason(self.locale));
        let client = self.client(id);
        let process = self.world.clients.get(id.index());
        let orderly =
            process.and_then(|p| p.classic()).is_some_and(|c| c.listener == ListenerKind::Orderly);
        let grpc = self.is_grpc(id);
        match outcome {
            Outcome::Later if grpc => log.failed(client, msg, "FAILURE"),
            Outcome::Later if orderly => log.failed(client, msg, "SUSPEND_CURRENT_QUEUE_A_MOMENT"),
            Outcome::Success => log.handled(client, msg),
            Outcome::Commit => log.handled_code(client, msg, "COMMIT"),
            Outcome::Later => log.failed(client, msg, "RECONSUME_LATER"),
            Outcome::Rollback => log.failed(client, msg, "ROLLBACK"),
            Outcome::Null => log.failed(client, msg, reason.returned_null()),
            Outcome::Exception => log.failed(client, msg, reason.threw()),
        }
    }
}
