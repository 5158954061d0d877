//! A fact as one line of English, for the command line.

use crate::fact::{
    DropReason, Fact, FactRecord, GrantKind, LeaveReason, LockMissing, Outcome, PullPause,
    RequestKind, RoundCause, SendFailure, StopKind, StoredKind,
};
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId, ProducerId};
use crate::scenario::value::write_time;
use crate::world::World;

/// An instant with its unit.
pub(super) fn time(at_ms: Ms) -> String {
    write_time(at_ms)
}

/// The message that a fact is about.
pub(super) fn message_of(fact: &Fact) -> Option<MsgId> {
    match *fact {
        Fact::MessageBuilt { msg, .. }
        | Fact::SendStarted { msg, .. }
        | Fact::SendCompleted { msg, .. }
        | Fact::SendFailed { msg, .. }
        | Fact::MessageStored { msg, .. }
        | Fact::MessageScheduled { msg, .. }
        | Fact::MessagePutBack { msg, .. }
        | Fact::HandlingStarted { msg, .. }
        | Fact::HandlingEnded { msg, .. }
        | Fact::MessageAcknowledged { msg, .. }
        | Fact::ResultDiscarded { msg, .. }
        | Fact::QueueSuspended { msg, .. }
        | Fact::SentBack { msg, .. }
        | Fact::SendBackFailed { msg, .. }
        | Fact::DeadLettered { msg, .. } => Some(msg),
        _ => None,
    }
}

/// What happened: `A2 handled by c1`.
pub fn tell(fact: &Fact, world: &World) -> String {
    let teller = Teller { world };
    teller
        .message(fact)
        .or_else(|| teller.handling(fact))
        .or_else(|| teller.lock(fact))
        .or_else(|| teller.pull(fact))
        .unwrap_or_else(|| teller.other(fact))
}

/// What happened, with its instant: `A2 handled by c1 at 4.8s`.
pub(super) fn tell_at(record: &FactRecord, world: &World) -> String {
    format!("{} at {}", tell(&record.fact, world), time(record.at_ms))
}

struct Teller<'w> {
    world: &'w World,
}

impl Teller<'_> {
    fn label(&self, msg: MsgId) -> String {
        self.world.shared.label(msg).to_string()
    }

    fn client(&self, client: ClientId) -> &str {
        &self.world.shared.names.clients[client.index()]
    }

    fn producer(&self, producer: ProducerId) -> &str {
        &self.world.shared.names.producers[producer.index()]
    }

    fn group(&self, group: GroupId) -> &str {
        &self.world.shared.names.groups[group.index()].name
    }

    fn queue(&self, queue: MessageQueue) -> String {
        format!("{} q{}", self.world.shared.names.topics[queue.topic.index()].name, queue.id)
    }

    /// Messages on their way to a queue.
    fn message(&self, fact: &Fact) -> Option<String> {
        Some(match *fact {
            Fact::MessageBuilt { producer, msg } => {
                format!("{} built for {}", self.label(msg), self.producer(producer))
            }
            Fact::SendStarted { producer, msg, queue, attempt } => {
                let again =
                    if attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
                format!(
                    "{} sent by {} to {}{again}",
                    self.label(msg),
                    self.producer(producer),
                    self.queue(queue)
                )
            }
            Fact::SendCompleted { producer, msg, .. } => {
                format!("{} confirmed to {}", self.label(msg), self.producer(producer))
            }
            Fact::SendFailed { msg, reason, .. } => {
                let why = match reason {
                    SendFailure::SelectorThrew => "the selector threw an exception",
                    SendFailure::TimedOut => "no answer in time",
                    SendFailure::IllegalQueueId => "illegal queue id",
                    SendFailure::NoWritableQueue => "no writable queue",
                    SendFailure::TimerIllegal => "delivery time too far ahead",
                };
                format!("{} refused ({why})", self.label(msg))
            }
            Fact::MessageStored { msg, queue, offset, kind } => {
                let how = match kind {
                    StoredKind::Sent => "stored",
                    StoredKind::PutBack => "put back",
                    StoredKind::Retry => "stored for retry",
                    StoredKind::DeadLetter => "stored as a dead letter",
                };
                format!("{} {how} in {} at offset {offset}", self.label(msg), self.queue(queue))
            }
            Fact::MessageScheduled { msg, level, due_ms } => {
                format!("{} scheduled under level {level}, due {}", self.label(msg), time(due_ms))
            }
            Fact::MessagePutBack { msg, level } => {
                format!("{} left level {level}", self.label(msg))
            }
            _ => return None,
        })
    }

    /// Listener calls and what comes of them.
    fn handling(&self, fact: &Fact) -> Option<String> {
        Some(match *fact {
            Fact::HandlingStarted { client, msg, attempt, queue, .. } => {
                format!(
                    "{} delivered to {} from {} (attempt {attempt})",
                    self.label(msg),
                    self.client(client),
                    self.queue(queue)
                )
            }
            Fact::HandlingEnded { client, msg, outcome, .. } => {
                let how = match outcome {
                    Outcome::Success | Outcome::Commit => "handled",
                    Outcome::Later => "failed",
                    Outcome::Rollback => "failed (rollback)",
                    Outcome::Null => "failed (null)",
                    Outcome::Exception => "failed (exception)",
                };
                format!("{} {how} by {}", self.label(msg), self.client(client))
            }
            Fact::MessageAcknowledged { client, msg, .. } => {
                format!("{} acknowledged by {}", self.label(msg), self.client(client))
            }
            Fact::ResultDiscarded { client, msg, .. } => {
                format!("result of {} for {} discarded", self.client(client), self.label(msg))
            }
            Fact::QueueSuspended { client, queue, msg, failures, until_ms } => format!(
                "{} suspended by {} until {}: {} failed {failures} {}",
                self.queue(queue),
                self.client(client),
                time(until_ms),
                self.label(msg),
                if failures == 1 { "time" } else { "times" }
            ),
            Fact::TaskYielded { client, queue } => {
                format!("{} gave its thread for {} back", self.client(client), self.queue(queue))
            }
            Fact::SentBack { client, msg, level, reconsume_times } => format!(
                "{} sent back by {} under level {level} (reconsume times {reconsume_times})",
                self.label(msg),
                self.client(client)
            ),
            Fact::SendBackFailed { client, msg } => {
                format!("sending {} back by {} failed", self.label(msg), self.client(client))
            }
            Fact::DeadLettered { group, msg, .. } => {
                format!("{} dead-lettered for {}", self.label(msg), self.group(group))
            }
            _ => return None,
        })
    }

    /// Locks, membership, allocation.
    fn lock(&self, fact: &Fact) -> Option<String> {
        Some(match *fact {
            Fact::LockGranted { client, queue, how, .. } => {
                let how = match how {
                    GrantKind::Free => "locked".to_owned(),
                    GrantKind::Renewed => "renewed".to_owned(),
                    GrantKind::Expired { from } => {
                        format!("taken over from {} (lease expired)", self.client(from))
                    }
                };
                format!("{} {how} by {}", self.queue(queue), self.client(client))
            }
            Fact::LockRefused { client, queue, owner, left_ms, .. } => format!(
                "{} refused to {}: {} holds it for another {}",
                self.queue(queue),
                self.client(client),
                self.client(owner),
                time(i64::from(left_ms))
            ),
            Fact::LockReleased { client, queue, .. } => {
                format!("{} released by {}", self.queue(queue), self.client(client))
            }
            Fact::LockMissing { client, queue, reason } => {
                let why = match reason {
                    LockMissing::NotLocked => "the broker refused it",
                    LockMissing::Expired => "it was not renewed",
                };
                format!(
                    "{} no longer trusts its lock of {}: {why}",
                    self.client(client),
                    self.queue(queue)
                )
            }
            Fact::RelockScheduled { client, queue, at_ms } => {
                format!(
                    "{} will ask for the lock of {} again at {}",
                    self.client(client),
                    self.queue(queue),
                    time(at_ms)
                )
            }
            Fact::QueueAdded { client, queue, offset } => {
                format!("{} took {} from offset {offset}", self.client(client), self.queue(queue))
            }
            Fact::QueueDropped { client, queue, reason } => {
                let why = match reason {
                    DropReason::Reallocated => "it is somebody else's now",
                    DropReason::PullIdle => "it was not pulled for too long",
                    DropReason::OffsetIllegal => "its offset was refused",
                    DropReason::Shutdown => "it stops",
                };
                format!("{} dropped {}: {why}", self.client(client), self.queue(queue))
            }
            Fact::ReleasePostponed { client, queue } => {
                format!("{} cannot give {} away yet", self.client(client), self.queue(queue))
            }
            Fact::QueueRemoved { client, queue, forced } => {
                let forced = if forced { " by force" } else { "" };
                format!("{} forgot {}{forced}", self.client(client), self.queue(queue))
            }
            _ => return None,
        })
    }

    /// Pulls and offsets.
    fn pull(&self, fact: &Fact) -> Option<String> {
        Some(match *fact {
            Fact::MessagesPulled { client, queue, offset, count } => {
                format!(
                    "{} pulled {count} from {} at offset {offset}",
                    self.client(client),
                    self.queue(queue)
                )
            }
            Fact::PullHeld { client, queue, offset } => {
                format!(
                    "pull of {} from {} at offset {offset} held",
                    self.client(client),
                    self.queue(queue)
                )
            }
            Fact::PullPostponed { client, queue, reason } => {
                let why = match reason {
                    PullPause::CachedCount => "too many messages cached",
                    PullPause::CachedSize => "too many bytes cached",
                    PullPause::Span => "cached offsets too far apart",
                    PullPause::NotLocked => "not locked",
                    PullPause::Paused => "paused",
                    PullPause::Failed => "the request failed",
                };
                format!("{} did not pull {}: {why}", self.client(client), self.queue(queue))
            }
            Fact::OffsetCorrected { client, queue, offset, corrected } => {
                format!(
                    "offset {offset} of {} for {} corrected to {corrected}",
                    self.queue(queue),
                    self.client(client)
                )
            }
            Fact::OffsetCommitted { group, queue, offset } => {
                format!("offset of {} in {} is {offset}", self.group(group), self.queue(queue))
            }
            _ => return None,
        })
    }

    /// Processes, the network, commands; anything that a later fact adds is told by its name.
    fn other(&self, fact: &Fact) -> String {
        let party = |party| self.world.shared.names.party_name(party);
        match *fact {
            Fact::CommandApplied { index } => format!("command {index} applied"),
            Fact::CommandRefused { index } => format!("command {index} refused"),
            Fact::ConsumerStarted { client } => format!("{} started", self.client(client)),
            Fact::ConsumerStopped { client, how } => {
                let how = match how {
                    StopKind::Clean => "stopped",
                    StopKind::Crash => "crashed",
                    StopKind::Silent => "vanished",
                    StopKind::Hang => "hangs",
                };
                format!("{} {how}", self.client(client))
            }
            Fact::ConsumerResumed { client } => format!("{} resumed", self.client(client)),
            Fact::MemberJoined { group, client } => {
                format!("{} joined {}", self.client(client), self.group(group))
            }
            Fact::MemberLeft { group, client, reason } => {
                let why = match reason {
                    LeaveReason::Unregistered => "unregistered",
                    LeaveReason::ConnectionClosed => "connection closed",
                    LeaveReason::Silent => "silent for too long",
                    LeaveReason::BrokerRestart => "the broker lost its memory",
                };
                format!("{} left {} ({why})", self.client(client), self.group(group))
            }
            Fact::MemberNotified { client } => {
                format!("{} notified that its group changed", self.client(client))
            }
            Fact::RebalanceStarted { client, cause } => {
                let why = match cause {
                    RoundCause::Start => "start",
                    RoundCause::Period => "period",
                    RoundCause::Notification => "notification",
                    RoundCause::LockRefused => "refused lock",
                    RoundCause::OffsetCorrected => "corrected offset",
                };
                format!("{} rebalances ({why})", self.client(client))
            }
            Fact::RebalanceFinished { client, balanced } => {
                format!(
                    "{} is {}",
                    self.client(client),
                    if balanced { "balanced" } else { "not balanced" }
                )
            }
            Fact::PacketLost { from, to } => {
                format!("message from {} to {} lost", party(from), party(to))
            }
            Fact::RequestTimedOut { party: who, request } => {
                format!("{} of {} timed out", request_word(request), party(who))
            }
            Fact::BrokerStopped { clean: true } => "broker stopped".to_owned(),
            Fact::BrokerStopped { clean: false } => "broker crashed".to_owned(),
            Fact::BrokerStarted => "broker started".to_owned(),
            #[allow(unreachable_patterns, reason = "the other facts are told above")]
            ref fact => format!("{fact:?}"),
        }
    }
}

fn request_word(request: RequestKind) -> &'static str {
    match request {
        RequestKind::Send => "send",
        RequestKind::Lock => "lock request",
        RequestKind::Pull => "pull",
        RequestKind::QueryOffset => "offset query",
        RequestKind::MaxOffset => "maximum offset query",
        RequestKind::Members => "member list",
        RequestKind::Heartbeat => "heartbeat",
        RequestKind::SendBack => "send-back",
    }
}
