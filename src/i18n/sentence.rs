//! Facts and commands as sentences: names are looked up here, words come from the catalogue.

use lockstep_core::command::{Command, GroupSetting, Label, ListenerKind, MessageSpec, Refusal};
use lockstep_core::fact::{
    DropReason, Fact, GrantKind, LeaveReason, LockMissing, Outcome, PullPause, RequestKind,
    RoundCause, SendFailure, StopKind, StoredKind,
};
use lockstep_core::ids::{ClientId, GroupId, MessageQueue, MsgId, Party, ProducerId};
use lockstep_core::shared::{Shared, TopicUse};
use lockstep_core::world::World;

use super::log::{Action, Log, Reason};
use super::{clock, left, left_seconds, number, Locale};

/// Names of a run in one language.
#[derive(Clone, Copy)]
pub struct Speaker<'a> {
    /// Where names come from.
    pub world: &'a World,
    /// The language.
    pub locale: Locale,
}

impl Speaker<'_> {
    /// A message, such as `A2`.
    pub fn msg(&self, msg: MsgId) -> String {
        self.world.shared.label(msg).to_string()
    }

    /// A queue: `q1`, with its topic and broker where the run has several.
    pub fn queue(&self, queue: MessageQueue) -> String {
        queue_name(&self.world.shared, queue)
    }

    /// A consumer process.
    pub fn client(&self, client: ClientId) -> &str {
        self.party(Party::Client(client))
    }

    /// A producer.
    pub fn producer(&self, producer: ProducerId) -> &str {
        self.party(Party::Producer(producer))
    }

    /// A consumer group.
    pub fn group(&self, group: GroupId) -> &str {
        &self.world.shared.group(group).name
    }

    /// Anybody who takes part.
    pub fn party(&self, party: Party) -> &str {
        self.world.shared.names.party_name(party)
    }

    /// What a fact says. `command` is the command that it speaks of, if it speaks of one.
    pub fn fact(&self, fact: &Fact, command: Option<&Command>) -> String {
        self.message_fact(fact)
            .or_else(|| self.client_fact(fact))
            .or_else(|| self.lock_fact(fact))
            .or_else(|| self.work_fact(fact))
            .unwrap_or_else(|| self.other_fact(fact, command))
    }

    /// Messages on their way into a queue.
    fn message_fact(&self, fact: &Fact) -> Option<String> {
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
                log.send_failed(self.producer(producer), &self.msg(msg), self.send_failure(reason))
            }
            Fact::MessageStored { msg, queue, offset, kind } => {
                let (msg, queue) = (self.msg(msg), self.queue(queue));
                match kind {
                    StoredKind::Sent => log.stored(&msg, &queue, offset),
                    StoredKind::PutBack => log.stored_put_back(&msg, &queue, offset),
                    StoredKind::Retry => log.stored_retry(&msg, &queue, offset),
                    StoredKind::DeadLetter => log.stored_dead(&msg, &queue, offset),
                }
            }
            Fact::MessageScheduled { msg, level: 0, due_ms } => {
                log.scheduled_wheel(&self.msg(msg), &clock(due_ms))
            }
            Fact::MessageScheduled { msg, level, due_ms } => {
                log.scheduled(&self.msg(msg), &level.to_string(), &clock(due_ms))
            }
            Fact::MessagePutBack { msg, level: 0 } => log.put_back_wheel(&self.msg(msg)),
            Fact::MessagePutBack { msg, level } => log.put_back(&self.msg(msg), &level.to_string()),
            _ => return None,
        })
    }

    /// Consumer processes, their groups and their queues.
    fn client_fact(&self, fact: &Fact) -> Option<String> {
        let log = Log(self.locale);
        Some(match *fact {
            Fact::ConsumerStarted { client } => log.client_started(self.client(client)),
            Fact::ConsumerStopped { client, how } => match how {
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
    fn lock_fact(&self, fact: &Fact) -> Option<String> {
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
    fn work_fact(&self, fact: &Fact) -> Option<String> {
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

    fn other_fact(&self, fact: &Fact, command: Option<&Command>) -> String {
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
            Fact::BrokerStopped { clean: true } => log.broker_stopped_clean().to_owned(),
            Fact::BrokerStopped { clean: false } => log.broker_stopped_crash().to_owned(),
            Fact::BrokerStarted => log.broker_started().to_owned(),
            _ => String::new(),
        }
    }

    fn ended(&self, id: ClientId, msg: &str, outcome: Outcome) -> String {
        let (log, reason) = (Log(self.locale), Reason(self.locale));
        let client = self.client(id);
        let orderly =
            self.world.clients.get(id.index()).is_some_and(|c| c.listener == ListenerKind::Orderly);
        match outcome {
            Outcome::Later if orderly => log.failed(client, msg, "SUSPEND_CURRENT_QUEUE_A_MOMENT"),
            Outcome::Success => log.handled(client, msg),
            Outcome::Commit => log.handled_code(client, msg, "COMMIT"),
            Outcome::Later => log.failed(client, msg, "RECONSUME_LATER"),
            Outcome::Rollback => log.failed(client, msg, "ROLLBACK"),
            Outcome::Null => log.failed(client, msg, reason.returned_null()),
            Outcome::Exception => log.failed(client, msg, reason.threw()),
        }
    }

    /// What a command does, in a few words without a full stop.
    pub fn command(&self, command: &Command) -> String {
        let action = Action(self.locale);
        match command {
            Command::CreateTopic { name, write_queues, .. } => {
                action.create_topic(name, *write_queues)
            }
            Command::UpdateTopic { name, read_queues, write_queues } => {
                action.update_topic(name, *read_queues, *write_queues)
            }
            Command::NameMessageGroup { series, key: Some(key) } => action.name_group(series, key),
            Command::NameMessageGroup { series, key: None } => action.name_series(series),
            Command::CreateGroup { name, subscriptions, .. } => {
                let topics: Vec<&str> = subscriptions.iter().map(|s| s.topic.as_str()).collect();
                action.create_group(name, &topics.join(", "))
            }
            Command::SetGroup { group, setting } => {
                let (name, value) = group_setting(setting);
                action.set_group(group, name, &value)
            }
            Command::CreateProducer { name, .. } => action.create_producer(name),
            Command::Send { producer, messages, .. } => {
                action.send(producer, &self.labels(messages))
            }
            Command::SendLoad { producer, load, .. } => {
                action.load(producer, &number(i64::from(load.count)), load.per_second)
            }
            Command::StartConsumer { name, group, .. } => action.start(name, group),
            Command::StopConsumer { name, how: StopKind::Clean } => action.stop(name),
            Command::StopConsumer { name, how: StopKind::Crash } => action.crash(name),
            Command::StopConsumer { name, how: StopKind::Silent } => action.vanish(name),
            Command::StopConsumer { name, how: StopKind::Hang } => action.hang(name),
            Command::ResumeConsumer { name } => action.resume(name),
            Command::Handle(rule) => {
                let what = rule.label.as_ref().map(Label::to_string);
                let what = what.or_else(|| rule.client.clone()).or_else(|| rule.group.clone());
                let what = what.unwrap_or_else(|| Reason(self.locale).anybody().to_owned());
                match (rule.outcome, rule.handle_ms) {
                    (Some(Outcome::Success | Outcome::Commit), _) => action.succeeds(&what),
                    (Some(_), _) => action.fails(&what),
                    (None, time_ms) => action.takes(&what, &left(time_ms.unwrap_or(0))),
                }
            }
            Command::Cut { a, b } => action.cut(a, b),
            Command::Heal { a, b } => action.heal(a, b),
            Command::SetLatency { from, to, ms } => {
                let anybody = Reason(self.locale).anybody();
                let name = |side: &Option<String>| side.clone().unwrap_or_else(|| anybody.into());
                action.latency(&name(from), &name(to), &format!("{} ms", number(*ms)))
            }
            Command::SetDelayLevels { table } => action.delay_levels(table),
            Command::StopBroker { clean: true } => action.broker_clean().to_owned(),
            Command::StopBroker { clean: false } => action.broker_crash().to_owned(),
            Command::StartBroker => action.broker_start().to_owned(),
            Command::SetConstant { name, value } => action.constant(name, &number(*value)),
        }
    }

    fn labels(&self, messages: &[MessageSpec]) -> String {
        let shown: Vec<String> = messages.iter().take(3).map(|m| m.label.to_string()).collect();
        let shown = shown.join(" ");
        match messages.len() {
            0..=3 => shown,
            all => Action(self.locale).more(&shown, all - 3),
        }
    }

    /// Why a command was refused.
    pub fn refusal(&self, refusal: &Refusal) -> String {
        let reason = Reason(self.locale);
        match refusal {
            Refusal::Unknown { what, name } => reason.unknown(what, name),
            Refusal::Exists { name } => reason.exists(name),
            Refusal::OutOfRange { what, value, min, max } => {
                reason.out_of_range(what, *value, *min, *max)
            }
            Refusal::WrongState { name } => reason.wrong_state(name),
            Refusal::BadDelayTable { token } => reason.bad_table(token),
            Refusal::NoTopic { producer } => reason.no_topic(producer),
            Refusal::LimitReached { limit } => reason.limit(limit),
        }
    }

    fn send_failure(&self, why: SendFailure) -> &'static str {
        let reason = Reason(self.locale);
        match why {
            SendFailure::SelectorThrew => reason.selector_threw(),
            SendFailure::TimedOut => reason.send_timed_out(),
            SendFailure::IllegalQueueId => reason.illegal_queue(),
            SendFailure::NoWritableQueue => reason.no_writable(),
            SendFailure::TimerIllegal => reason.timer_illegal(),
        }
    }

    fn leave_reason(&self, why: LeaveReason) -> &'static str {
        let reason = Reason(self.locale);
        match why {
            LeaveReason::Unregistered => reason.unregistered(),
            LeaveReason::ConnectionClosed => reason.closed(),
            LeaveReason::Silent => reason.silent(),
            LeaveReason::BrokerRestart => reason.broker_restart(),
        }
    }

    fn round_cause(&self, why: RoundCause) -> &'static str {
        let reason = Reason(self.locale);
        match why {
            RoundCause::Start => reason.own_start(),
            RoundCause::Period => reason.period(),
            RoundCause::Notification => reason.notification(),
            RoundCause::LockRefused => reason.lock_was_refused(),
            RoundCause::OffsetCorrected => reason.offset_was_corrected(),
        }
    }

    fn drop_reason(&self, why: DropReason) -> &'static str {
        let reason = Reason(self.locale);
        match why {
            DropReason::Reallocated => reason.reallocated(),
            DropReason::PullIdle => reason.pull_idle(),
            DropReason::OffsetIllegal => reason.offset_illegal(),
            DropReason::Shutdown => reason.shutdown(),
        }
    }

    fn pull_pause(&self, why: PullPause) -> &'static str {
        let reason = Reason(self.locale);
        match why {
            PullPause::CachedCount => reason.cached_count(),
            PullPause::CachedSize => reason.cached_size(),
            PullPause::Span => reason.span(),
            PullPause::NotLocked => reason.not_locked(),
            PullPause::Paused => reason.paused(),
            PullPause::Failed => reason.request_failed(),
        }
    }

    fn request(&self, request: RequestKind) -> &'static str {
        let reason = Reason(self.locale);
        match request {
            RequestKind::Send => reason.send(),
            RequestKind::Lock => reason.lock(),
            RequestKind::Pull => reason.pull(),
            RequestKind::QueryOffset => reason.query_offset(),
            RequestKind::MaxOffset => reason.max_offset(),
            RequestKind::Members => reason.members(),
            RequestKind::Heartbeat => reason.heartbeat(),
            RequestKind::SendBack => reason.send_back(),
        }
    }
}

/// A queue's name: `q1`, with its topic and broker where the run has several.
pub fn queue_name(shared: &Shared, queue: MessageQueue) -> String {
    let names = &shared.names;
    let topic = &names.topics[queue.topic.index()];
    let users = names.topics.iter().filter(|t| t.usage == TopicUse::User).count();
    let mut name = String::new();
    if topic.usage != TopicUse::User || users > 1 {
        name.push_str(&topic.name);
        name.push(' ');
    }
    if names.brokers.len() > 1 {
        name.push_str(&names.brokers[queue.broker.index()]);
        name.push(' ');
    }
    name.push('q');
    name.push_str(&queue.id.to_string());
    name
}

/// RocketMQ's name of a setting, and its value.
fn group_setting(setting: &GroupSetting) -> (&'static str, String) {
    match setting {
        GroupSetting::MaxReconsumeTimes(n) => ("maxReconsumeTimes", number(i64::from(*n))),
        GroupSetting::SuspendMs(ms) => {
            ("suspendCurrentQueueTimeMillis", format!("{} ms", number(*ms)))
        }
        GroupSetting::BatchMax(n) => ("consumeMessageBatchMaxSize", n.to_string()),
        GroupSetting::Threads(n) => ("consumeThreadMax", n.to_string()),
        GroupSetting::AutoCommit(on) => ("autoCommit", on.to_string()),
        GroupSetting::HandleMs(from, to) if from == to => {
            ("handling", format!("{} ms", number(*from)))
        }
        GroupSetting::HandleMs(from, to) => {
            ("handling", format!("{} to {} ms", number(*from), number(*to)))
        }
        GroupSetting::FromWhere(from) => ("consumeFromWhere", format!("{from:?}")),
        GroupSetting::AwaitTerminationMs(ms) => {
            ("awaitTerminationMillisWhenShutdown", format!("{} ms", number(*ms)))
        }
        GroupSetting::Paused(on) => ("paused", on.to_string()),
    }
}
