//! Reasons inside the sentences.

use lockstep_core::command::TopicType;
use lockstep_core::fact::{
    DropReason, LeaveReason, PullPause, RequestKind, RoundCause, SendFailure, TypeCheck,
};

use super::Speaker;
use crate::log::Reason;

impl Speaker<'_> {
    pub(crate) fn send_failure(&self, why: SendFailure) -> String {
        let reason = Reason(self.locale);
        match why {
            SendFailure::SelectorThrew => reason.selector_threw(),
            SendFailure::TimedOut => reason.send_timed_out(),
            SendFailure::IllegalQueueId => reason.illegal_queue(),
            SendFailure::NoWritableQueue => reason.no_writable(),
            SendFailure::TimerIllegal => reason.timer_illegal(),
            SendFailure::BrokerUnknown => reason.broker_unknown(),
            SendFailure::ConnectionFailed => reason.connection_failed(),
            SendFailure::DiskFull => reason.disk_full(),
            SendFailure::GroupWithDelay => reason.group_with_delay(),
            SendFailure::TypeConflict { expected, actual, by } => {
                let by = match by {
                    TypeCheck::Sdk => reason.type_sdk(),
                    TypeCheck::Proxy => reason.type_proxy(),
                    TypeCheck::RemotingProxy => reason.type_remoting(),
                };
                let expected = expected.map_or(reason.unspecified(), type_name);
                return reason.type_conflict(by, type_name(actual), expected);
            }
            SendFailure::Grpc(code) => return reason.answered(&self.code(Some(code))),
        }
        .to_owned()
    }

    pub(super) fn leave_reason(&self, why: LeaveReason) -> &'static str {
        let reason = Reason(self.locale);
        match why {
            LeaveReason::Unregistered => reason.unregistered(),
            LeaveReason::ConnectionClosed => reason.closed(),
            LeaveReason::Silent => reason.silent(),
            LeaveReason::BrokerRestart => reason.broker_restart(),
        }
    }

    pub(super) fn round_cause(&self, why: RoundCause) -> &'static str {
        let reason = Reason(self.locale);
        match why {
            RoundCause::Start => reason.own_start(),
            RoundCause::Period => reason.period(),
            RoundCause::Notification => reason.notification(),
            RoundCause::Unbalanced => reason.left_unbalanced(),
            RoundCause::OffsetCorrected => reason.offset_was_corrected(),
            RoundCause::Reset => reason.reset_done(),
            RoundCause::Resume => reason.resumed(),
        }
    }

    pub(super) fn drop_reason(&self, why: DropReason) -> &'static str {
        let reason = Reason(self.locale);
        match why {
            DropReason::Reallocated => reason.reallocated(),
            DropReason::PullIdle => reason.pull_idle(),
            DropReason::OffsetIllegal => reason.offset_illegal(),
            DropReason::Reset => reason.reset_done(),
            DropReason::Unsubscribed => reason.unsubscribed(),
            DropReason::Shutdown => reason.shutdown(),
            DropReason::Unrouted => reason.unrouted(),
        }
    }

    pub(super) fn pull_pause(&self, why: PullPause) -> &'static str {
        let reason = Reason(self.locale);
        match why {
            PullPause::CachedCount => reason.cached_count(),
            PullPause::CachedSize => reason.cached_size(),
            PullPause::Span => reason.span(),
            PullPause::NotLocked => reason.not_locked(),
            PullPause::Paused => reason.paused(),
            PullPause::NotSubscribed => reason.unsubscribed(),
            PullPause::Failed => reason.request_failed(),
        }
    }

    pub(super) fn request(&self, request: RequestKind) -> &'static str {
        let reason = Reason(self.locale);
        match request {
            RequestKind::Send => reason.send(),
            RequestKind::Lock => reason.lock(),
            RequestKind::Pull => reason.pull(),
            RequestKind::QueryOffset => reason.query_offset(),
            RequestKind::MaxOffset => reason.max_offset(),
            RequestKind::Members => reason.members(),
            RequestKind::Heartbeat => reason.heartbeat(),
            RequestKind::Unregister => reason.unregister(),
            RequestKind::SendBack => reason.send_back(),
            RequestKind::Settings => reason.settings(),
            RequestKind::Assignment => reason.assignment(),
            RequestKind::Receive => reason.receive(),
            RequestKind::Ack => reason.ack(),
        }
    }
}

/// A topic's type as RocketMQ writes it.
pub fn type_name(kind: TopicType) -> &'static str {
    match kind {
        TopicType::Normal => "NORMAL",
        TopicType::Fifo => "FIFO",
        TopicType::Delay => "DELAY",
        TopicType::Transaction => "TRANSACTION",
        TopicType::Mixed => "MIXED",
    }
}
