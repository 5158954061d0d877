//! Reasons of what is worked on, and of what waits for something in front.

use lockstep_core::explain::{Doing, Longer, Reason, Void};
use lockstep_core::grpc::Act;
use lockstep_core::ids::{ClientId, Ms, MsgId, Party};
use lockstep_core::pop::GrpcKind;

use super::reason_text::ReasonText;
use crate::clock;
use crate::sentence::Speaker;

impl Speaker<'_> {
    /// What is done with it, or stands before it.
    pub(super) fn working(&self, msg: Option<MsgId>, reason: &Reason) -> String {
        let text = ReasonText(self.locale);
        let at = |ms: Ms| clock(ms);
        match *reason {
            Reason::Handled { client, from_ms, until_ms, attempt: 0 | 1 } => {
                text.handled(self.client(client), &at(from_ms), &at(until_ms))
            }
            Reason::Handled { client, from_ms, until_ms, attempt } => {
                text.handled_again(self.client(client), attempt, &at(from_ms), &at(until_ms))
            }
            Reason::InVain { client, from_ms, until_ms, heir, gives_ms } => {
                let vain = text.in_vain(self.client(client), &at(from_ms), &at(until_ms));
                self.two(vain, self.heir(client, heir, gives_ms))
            }
            Reason::TooLong { client, from_ms, until_ms, over_ms } => {
                text.too_long(self.client(client), &at(from_ms), &at(until_ms), &at(over_ms))
            }
            Reason::VoidCall { client, until_ms, why } => {
                let (client, until) = (self.client(client), &at(until_ms));
                match why {
                    Void::Parted => text.void_parted(client, until),
                    Void::Unaware => text.void_unaware(client, until),
                    Void::OldHandle => text.void_handle(client, until),
                }
            }
            Reason::Suspended { failures: 0, until_ms, .. } => text.suspended_with(&at(until_ms)),
            Reason::Suspended { failures: 1, until_ms, .. } => text.suspended_once(&at(until_ms)),
            Reason::Suspended { failures, until_ms, .. } => text.suspended(failures, &at(until_ms)),
            Reason::SendingBack { client } => text.sending_back(self.client(client)),
            Reason::LocalRetry { client } => text.local_retry(self.client(client)),
            Reason::NotTaken { client, broker, until_ms } => {
                let (client, broker) =
                    (client.map(|c| self.client(c)), self.party(Party::Broker(broker)));
                match (client, until_ms) {
                    (Some(client), Some(until_ms)) => text.not_taken(client, broker, &at(until_ms)),
                    (Some(client), None) => text.not_taken_now(client, broker),
                    (None, Some(until_ms)) => text.not_taken_dead(broker, &at(until_ms)),
                    (None, None) => text.not_revived(broker),
                }
            }
            Reason::Invisible { until_ms, longer: Longer::Unheard, .. } => {
                text.invisible_lost(&at(until_ms))
            }
            Reason::Invisible { until_ms, longer: Longer::Repeatable { client }, .. } => {
                text.invisible_unheard(self.client(client), &at(until_ms))
            }
            Reason::Invisible { until_ms, longer: Longer::Standing { client }, .. } => {
                text.invisible_standing(self.client(client), &at(until_ms))
            }
            Reason::Invisible { holder: None, until_ms, .. } => text.invisible(&at(until_ms)),
            Reason::Invisible { holder: Some(client), until_ms, longer } => {
                let said = text.invisible_at(self.client(client), &at(until_ms));
                match longer {
                    Longer::Renewed => self.two(said, text.renewed(self.client(client))),
                    _ => said,
                }
            }
            Reason::Held { client, until_ms } => text.held(self.client(client), &at(until_ms)),
            Reason::BackOff { client, attempt, until_ms } => {
                text.back_off(self.client(client), attempt, &at(until_ms))
            }
            Reason::Acting { client, again_ms: Some(at_ms), .. } => {
                text.acting_again(self.client(client), &at(at_ms))
            }
            Reason::Acting { client, act, .. } => match act {
                Act::Ack => text.acknowledging(self.client(client)),
                Act::Change(_) => text.changing(self.client(client)),
                Act::Dead => text.dead_lettering(self.client(client)),
            },
            _ => self.behind(msg, reason),
        }
    }

    /// Who handles a message again whose call counts for nothing.
    fn heir(&self, client: ClientId, heir: Option<ClientId>, gives_ms: Option<Ms>) -> String {
        let text = ReasonText(self.locale);
        let of = self.client(client);
        match (heir.map(|heir| (heir == client, self.client(heir))), gives_ms) {
            (None, _) => text.in_vain_nobody().to_owned(),
            (Some((true, _)), Some(at_ms)) => text.in_vain_own(of, &clock(at_ms)),
            (Some((true, _)), None) => text.in_vain_next(of),
            (Some((false, heir)), Some(at_ms)) => text.in_vain_heir(of, heir, &clock(at_ms)),
            (Some((false, heir)), None) => text.in_vain_heir_next(heir),
        }
    }

    fn behind(&self, msg: Option<MsgId>, reason: &Reason) -> String {
        let text = ReasonText(self.locale);
        let at = |ms: Ms| clock(ms);
        let by_group =
            self.world.shared.model.blocking == lockstep_core::model::Blocking::MessageGroup;
        let (first, same_group) = match *reason {
            Reason::Behind { client: id, head, doing, between, same_group } => {
                let (head, client) = (&self.msg(head), self.client(id));
                let push = self.world.clients.get(id.index()).and_then(|process| process.grpc());
                // Where lanes are message groups, nothing else is waited for.
                let by_lane = push.is_some_and(|push| {
                    push.kind == GrpcKind::Push && (by_group || push.accelerator)
                });
                let first = match doing {
                    Doing::Handled { until_ms } if by_lane => {
                        text.behind_in_lane(head, client, &at(until_ms))
                    }
                    Doing::Handled { until_ms } if self.is_simple(id) => {
                        text.behind_in_loop(head, client, &at(until_ms))
                    }
                    Doing::Handled { until_ms } if push.is_some() => {
                        text.behind_in_batch(head, client, &at(until_ms))
                    }
                    Doing::Handled { until_ms } => text.behind_handled(head, client, &at(until_ms)),
                    Doing::Suspended { until_ms, .. } if by_group => {
                        text.behind_suspended_group(head, &at(until_ms))
                    }
                    // It did not fail itself: a batch or a transaction was taken back with it.
                    Doing::Suspended { failures: 0, until_ms } => {
                        text.behind_put_back(head, &at(until_ms))
                    }
                    Doing::Suspended { until_ms, .. } => text.behind_suspended(head, &at(until_ms)),
                    Doing::SendingBack => text.behind_sending(head),
                    Doing::LockMissing { expired: false } => text.behind_lock(head, client),
                    Doing::LockMissing { expired: true } => text.behind_lock_expired(head, client),
                    Doing::LockHeld { owner, gone: true, until_ms } => {
                        text.behind_lock_gone(head, self.client(owner), &at(until_ms))
                    }
                    Doing::LockHeld { owner, until_ms, .. } => {
                        text.behind_lock_held(head, self.client(owner), &at(until_ms))
                    }
                    Doing::CutOff { from } => text.behind_cut(head, client, self.party(from)),
                    Doing::BrokerDown { broker } => {
                        text.behind_down(head, client, self.party(Party::Broker(broker)))
                    }
                    Doing::NoThread { threads } => text.behind_no_thread(head, client, threads),
                    Doing::OldListener => text.behind_old_listener(head, client),
                    Doing::ThreadWaits { .. } => text.behind_thread(head, client),
                    Doing::BackOff { until_ms } => text.behind_back_off(head, &at(until_ms)),
                    Doing::Acting => text.behind_acting(head),
                    Doing::Waits => text.behind_waits(head),
                };
                let first = match between {
                    0 => first,
                    between => self.two(first, text.between(head, between)),
                };
                (first, same_group)
            }
            Reason::BehindInvisible { head, holder, until_ms, same_group, longer } => {
                let (head, until) = (&self.msg(head), &at(until_ms));
                let standing = match longer {
                    Longer::Standing { client } => Some(client),
                    _ => None,
                };
                let first = match holder.or(standing) {
                    _ if by_group => text.behind_invisible_group(head, until),
                    Some(client) => text.behind_invisible_at(head, self.client(client), until),
                    None => text.behind_invisible(head, until),
                };
                let first = match (longer, holder) {
                    (Longer::Repeatable { client }, _) => {
                        self.two(first, text.repeatable(head, self.client(client)))
                    }
                    (Longer::Standing { client }, _) => {
                        self.two(first, text.standing_with(head, self.client(client)))
                    }
                    (Longer::Unheard, _) => self.two(first, text.unheard(head)),
                    (Longer::Renewed, Some(client)) => {
                        self.two(first, text.renewed(self.client(client)))
                    }
                    _ => first,
                };
                (first, same_group)
            }
            _ => (text.travels().to_owned(), true),
        };
        match msg.filter(|_| !same_group) {
            Some(msg) if self.world.shared.message_group(msg).is_none() => {
                self.two(first, text.no_group(&self.msg(msg)))
            }
            Some(msg) => self.two(first, text.other_group(&self.msg(msg))),
            None => first,
        }
    }
}
