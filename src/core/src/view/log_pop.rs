//! Kinds, weights and names of the facts of the second stack, for the log.

use super::log::{LogKind, Named};
use crate::ids::Party;
use crate::pop::{AckResult, PopFact, Wake};

/// The kind of a fact.
pub(super) fn kind(fact: &PopFact) -> LogKind {
    match fact {
        PopFact::EndpointChosen { .. } | PopFact::SendAttemptFailed { .. } => LogKind::Send,
        PopFact::ClientRegistered { .. } | PopFact::ClientDropped { .. } => LogKind::Rebalance,
        PopFact::CacheStale { .. }
        | PopFact::BrokerUnknown { .. }
        | PopFact::TransactionUnknown { .. } => LogKind::Fault,
        PopFact::Popped { .. }
        | PopFact::PopBlocked { .. }
        | PopFact::PollParked { .. }
        | PopFact::PollWoken { .. }
        | PopFact::PopOffsetChosen { .. }
        | PopFact::OrderInfoSaved
        | PopFact::Received { .. }
        | PopFact::ReceivedNothing { .. } => LogKind::Pull,
        PopFact::Acked { .. } | PopFact::FilteredOnReceive { .. } => LogKind::Handle,
        PopFact::InvisibleChanged { .. }
        | PopFact::Revived { .. }
        | PopFact::Renewed { .. }
        | PopFact::RenewalEnded { .. }
        | PopFact::HandleExpired { .. }
        | PopFact::ActFailed { .. }
        | PopFact::AttemptFailed { .. }
        | PopFact::ForwardedToDeadLetter { .. }
        | PopFact::DeadOnReceive { .. } => LogKind::Retry,
    }
}

/// True for what happens all the time and means little by itself.
pub(super) fn is_routine(fact: &PopFact) -> bool {
    matches!(
        fact,
        PopFact::EndpointChosen { .. }
            | PopFact::PollParked { .. }
            | PopFact::PollWoken { why: Wake::Expiry | Wake::Arrival, .. }
            | PopFact::ReceivedNothing { .. }
            | PopFact::Received { .. }
            | PopFact::Acked { result: AckResult::Next(_) | AckResult::Noted, .. }
            | PopFact::OrderInfoSaved
    )
}

/// Whether a fact decides something about order or ownership.
pub(super) fn is_decision(fact: &PopFact) -> bool {
    matches!(
        fact,
        PopFact::PopBlocked { .. }
            | PopFact::PollWoken { why: Wake::Acked | Wake::LockFree, .. }
            | PopFact::InvisibleChanged { .. }
            | PopFact::Acked {
                result: AckResult::Nothing
                    | AckResult::Unwritten
                    | AckResult::Illegal
                    | AckResult::Unreadable,
                ..
            }
            | PopFact::Revived { .. }
            | PopFact::RenewalEnded { .. }
            | PopFact::HandleExpired { .. }
            | PopFact::ActFailed { .. }
            | PopFact::AttemptFailed { .. }
            | PopFact::ForwardedToDeadLetter { .. }
            | PopFact::DeadOnReceive { .. }
            | PopFact::ClientDropped { .. }
            | PopFact::SendAttemptFailed { .. }
            | PopFact::CacheStale { .. }
            | PopFact::BrokerUnknown { .. }
            | PopFact::TransactionUnknown { .. }
    )
}

fn client_of(party: Party) -> Named {
    match party {
        Party::Client(client) => Named { client: Some(client), ..Named::default() },
        _ => Named::default(),
    }
}

/// Whom and what a fact names.
#[rustfmt::skip]
pub(super) fn names(fact: &PopFact) -> Named {
    let none = Named::default();
    match *fact {
        PopFact::EndpointChosen { producer, msg, .. } | PopFact::SendAttemptFailed { producer, msg, .. } =>
            Named { producer: Some(producer), msg: Some(msg), ..none },
        PopFact::ClientRegistered { client, .. } | PopFact::ClientDropped { client, .. }
        | PopFact::ReceivedNothing { client, .. } => Named { client: Some(client), ..none },
        PopFact::CacheStale { .. } | PopFact::OrderInfoSaved => none,
        PopFact::Popped { group, queue, msg, .. } | PopFact::Acked { group, queue, msg, .. }
        | PopFact::InvisibleChanged { group, queue, msg, .. } | PopFact::Revived { group, queue, msg, .. } =>
            Named { group: Some(group), queue: Some(queue), msg: Some(msg), ..none },
        PopFact::PopBlocked { group, queue, .. } | PopFact::PopOffsetChosen { group, queue, .. } =>
            Named { group: Some(group), queue: Some(queue), ..none },
        PopFact::PollParked { group, from, .. } | PopFact::PollWoken { group, from, .. } =>
            Named { group: Some(group), ..client_of(from) },
        PopFact::Received { client, queue, msg, .. } | PopFact::HandleExpired { client, queue, msg, .. }
        | PopFact::AttemptFailed { client, queue, msg, .. } =>
            Named { client: Some(client), queue: Some(queue), msg: Some(msg), ..none },
        PopFact::Renewed { client, msg, .. } | PopFact::RenewalEnded { client, msg, .. }
        | PopFact::ActFailed { client, msg, .. } | PopFact::BrokerUnknown { client, msg, .. }
        | PopFact::ForwardedToDeadLetter { client, msg, .. } =>
            Named { client: Some(client), msg: Some(msg), ..none },
        PopFact::DeadOnReceive { group, msg, .. } | PopFact::FilteredOnReceive { group, msg, .. } =>
            Named { group: Some(group), msg: Some(msg), ..none },
        PopFact::TransactionUnknown { msg, .. } => Named { msg: Some(msg), ..none },
    }
}
