//! Facts about locks, members, queues, pulls, processes and the network, as lines of English.

use super::describe::refusal;
use super::tell::{time, Teller};
use crate::fact::{
    CloseCause, DropReason, Fact, GrantKind, LeaveReason, LockMissing, PullPause, RequestKind,
    RoundCause, StopKind,
};
use crate::ids::Party;

impl Teller<'_> {
    /// Locks, membership, allocation.
    pub(super) fn lock(&self, fact: &Fact) -> Option<String> {
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
                    DropReason::Reset => "its offset is reset",
                    DropReason::Unsubscribed => "it is not subscribed to any more",
                    DropReason::Shutdown => "it stops",
                    DropReason::Unrouted => "the route has it no more",
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
    pub(super) fn pull(&self, fact: &Fact) -> Option<String> {
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
                    PullPause::NotSubscribed => "not subscribed to any more",
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

    /// Processes, the network, commands; a fact that no part tells is told by its name.
    pub(super) fn other(&self, fact: &Fact) -> String {
        let party = |party| self.world.shared.names.party_name(party);
        match *fact {
            Fact::CommandApplied { index } => format!("command {index} applied"),
            Fact::CommandRefused { index } => match self.world.refusal(index) {
                Some(why) => format!("command {index} {}", refusal(why)),
                None => format!("command {index} refused"),
            },
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
                    RoundCause::Unbalanced => "unbalanced",
                    RoundCause::OffsetCorrected => "corrected offset",
                    RoundCause::Reset => "reset",
                    RoundCause::Resume => "resume",
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
            Fact::RequestFailed { party: who, request } => {
                format!("{} of {} failed with its connection", request_word(request), party(who))
            }
            Fact::ConnectionClosed { party: who, broker, cause } => {
                let why = match cause {
                    CloseCause::TimedOut(request) => format!("{} timed out", request_word(request)),
                    CloseCause::Silent => "silent for too long".to_owned(),
                };
                let broker = party(Party::Broker(broker));
                format!("connection of {} to {broker} closed ({why})", party(who))
            }
            // The other facts are told by the other parts; each of them is asked first.
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
        RequestKind::Unregister => "request to leave the group",
        RequestKind::SendBack => "send-back",
        RequestKind::Settings => "exchange of settings",
        RequestKind::Assignment => "query of assignments",
        RequestKind::Receive => "receive",
        RequestKind::Ack => "acknowledgement",
    }
}
