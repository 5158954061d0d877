//! Reasons of messages, as a title and a sentence.

use lockstep_core::client::Thread;
use lockstep_core::explain::{Bound, Doing, PassedBy, Reason, Refusing, Undone};
use lockstep_core::fact::{PullPause, SendFailure, StopKind};
use lockstep_core::ids::{ClientId, Ms, MsgId, Party};
use lockstep_core::pop::GrpcKind;

use super::reason_text::ReasonText;
use crate::sentence::Speaker;
use crate::{clock, number};

impl Speaker<'_> {
    /// The title of a message's state.
    pub fn reason_title(&self, msg: MsgId, reason: &Reason) -> String {
        let text = ReasonText(self.locale);
        let msg = &self.msg(msg);
        match reason {
            Reason::AtProducer { .. } => text.title_unsent(msg),
            Reason::Travels { .. } => text.title_initialised(msg),
            Reason::Late { .. } => text.title_way(msg),
            Reason::SendFailed { .. } => text.title_refused(msg),
            Reason::HalfOpen { .. } => text.title_half(msg),
            Reason::NeverVisible { given_up: true, .. } => text.title_aside(msg),
            Reason::NeverVisible { given_up: false, .. } => text.title_rolled_back(msg),
            Reason::Scheduled { bound: Bound::DeadLetters, .. } => text.title_dies(msg),
            Reason::Scheduled { bound: Bound::Retry | Bound::Round, .. }
            | Reason::Suspended { .. }
            | Reason::BackOff { .. }
            | Reason::LocalRetry { .. }
            | Reason::NotTaken { .. }
            | Reason::SendingBack { .. }
            | Reason::Revives { .. } => text.title_again(msg),
            Reason::Scheduled { .. } | Reason::Wheel { .. } | Reason::NoRoom { .. } => {
                text.title_delayed(msg)
            }
            Reason::Stranded { .. } => text.title_stranded(msg),
            Reason::Lost | Reason::SentNowhere | Reason::WheelGaveUp => text.title_lost(msg),
            Reason::Deleted => text.title_deleted(msg),
            Reason::NotReadable { .. } | Reason::NotSubscribed => text.title_not_read(msg),
            Reason::Passed { .. } => text.title_passed(msg),
            Reason::Done | Reason::DoneLost | Reason::DoneBehind { .. } => {
                text.title_acknowledged(msg)
            }
            Reason::Dead => text.title_dead(msg),
            Reason::InVain { .. } | Reason::TooLong { .. } => text.title_in_vain(msg),
            Reason::Handled { .. } | Reason::Acting { .. } => text.title_handled(msg),
            Reason::Behind {
                head, doing: Doing::Suspended { .. } | Doing::BackOff { .. }, ..
            } => text.title_blocked(msg, &self.msg(*head)),
            Reason::Behind { head, .. } | Reason::BehindInvisible { head, .. } => {
                text.title_behind(msg, &self.msg(*head))
            }
            Reason::Invisible { .. } => text.title_hidden(msg),
            Reason::Held { .. } => text.title_held(msg),
            _ => text.title_waits(msg),
        }
    }

    /// One sentence or two that say why.
    pub fn reason(&self, msg: Option<MsgId>, reason: &Reason) -> String {
        self.before_broker(reason)
            .or_else(|| self.over(reason))
            .or_else(|| self.standing(reason))
            .or_else(|| self.fetching(reason))
            .unwrap_or_else(|| self.working(msg, reason))
    }

    fn before_broker(&self, reason: &Reason) -> Option<String> {
        let text = ReasonText(self.locale);
        Some(match *reason {
            Reason::AtProducer { producer, before: Some(before) } => {
                text.at_producer(self.producer(producer), &self.msg(before))
            }
            Reason::AtProducer { producer, before: None } => {
                text.at_producer_first(self.producer(producer))
            }
            Reason::Travels { attempt: 0 | 1, .. } => text.travels().to_owned(),
            Reason::Travels { attempt, .. } => text.travels_again(attempt),
            Reason::SendFailed { producer, failure, full } => {
                let why = text.send_failed(self.producer(producer), &self.send_failure(failure));
                let why = match full.filter(|_| failure != SendFailure::DiskFull) {
                    Some(broker) => {
                        self.two(why, text.full_disk(self.party(Party::Broker(broker))))
                    }
                    None => why,
                };
                self.two(why, text.send_failed_none().to_owned())
            }
            Reason::SendLost { producer, until_ms, .. } => {
                text.send_lost(self.producer(producer), &clock(until_ms))
            }
            Reason::Late { producer, failure, at_ms } => {
                let why = text.send_failed(self.producer(producer), &self.send_failure(failure));
                self.two(why, text.late(&clock(at_ms)))
            }
            Reason::HalfOpen { checks, undone } => self.undone(text.half_open(checks), undone),
            Reason::NeverVisible { given_up: true, undone } => {
                self.undone(text.given_up().to_owned(), undone)
            }
            Reason::NeverVisible { given_up: false, .. } => text.rolled_back().to_owned(),
            Reason::Scheduled { level, due_ms, bound: Bound::Round, .. } => {
                let release = self.world.shared.model.version.to_string();
                text.goes_round(level, &clock(due_ms), &release)
            }
            Reason::Scheduled { level, due_ms, bound: Bound::Retry, .. } => {
                text.scheduled_retry(level, &clock(due_ms))
            }
            Reason::Scheduled { level, due_ms, bound: Bound::DeadLetters, .. } => {
                let release = self.world.shared.model.version.to_string();
                text.scheduled_dead(level, &clock(due_ms), &release)
            }
            Reason::Scheduled { level, due_ms, before: 0, .. } => {
                text.scheduled_head(level, &clock(due_ms))
            }
            Reason::Scheduled { level, due_ms, before, head_due_ms, .. } => {
                text.scheduled(level, before, &clock(due_ms), &clock(head_due_ms))
            }
            Reason::Stranded { level, levels, .. } => text.stranded(level, levels),
            Reason::Wheel { due_ms } => text.wheel(&clock(due_ms)),
            Reason::NoRoom { broker, due_ms } => {
                text.no_room(self.party(Party::Broker(broker)), &clock(due_ms))
            }
            _ => return None,
        })
    }

    /// What is said of a half message, with what kept a decision about it from counting.
    fn undone(&self, said: String, undone: Option<Undone>) -> String {
        let text = ReasonText(self.locale);
        let why = match undone {
            None => return said,
            Some(Undone::Lost { from, to }) => text.decision_lost(self.party(from), self.party(to)),
            Some(Undone::Forgotten { proxy }) => {
                text.decision_late(self.party(Party::Proxy(proxy)))
            }
            Some(Undone::NotWritten { broker }) => {
                text.decision_full(self.party(Party::Broker(broker)))
            }
            Some(Undone::Full { broker }) => {
                text.transactions_full(self.party(Party::Broker(broker)))
            }
        };
        self.two(said, why)
    }

    fn over(&self, reason: &Reason) -> Option<String> {
        let text = ReasonText(self.locale);
        let plain = match *reason {
            Reason::Lost => text.lost(),
            Reason::WheelGaveUp => text.wheel_gave_up(),
            Reason::Deleted => text.deleted(),
            Reason::NotSubscribed => text.not_subscribed(),
            Reason::Passed { by } => match by {
                PassedBy::Filter => text.passed_filter(),
                PassedBy::Reset => text.passed_reset(),
                PassedBy::Start => text.passed_start(),
                PassedBy::Correction => text.passed_correction(),
                PassedBy::PowerLoss => text.passed_power_loss(),
                PassedBy::Other => text.passed_other(),
            },
            Reason::Done => text.done(),
            Reason::DoneLost => text.done_lost(),
            Reason::Dead => text.dead(),
            Reason::SentNowhere => text.sent_nowhere(),
            Reason::DoneBehind { head, batch: true } => {
                return Some(text.done_in_batch(&self.msg(head)));
            }
            Reason::DoneBehind { head, .. } => return Some(text.done_behind(&self.msg(head))),
            _ => return None,
        };
        Some(plain.to_owned())
    }

    fn standing(&self, reason: &Reason) -> Option<String> {
        let text = ReasonText(self.locale);
        let at = |ms: Ms| clock(ms);
        Some(match *reason {
            Reason::NotReadable { queue, read_queues } => {
                text.not_readable(&self.queue(queue), read_queues)
            }
            Reason::NoConsumer { last: None } => text.nobody_ever().to_owned(),
            Reason::NoConsumer { last: Some((client, how)) } => {
                text.nobody_now(self.client(client), self.ended_how(how))
            }
            Reason::Starting { client, at_ms } => text.starting(self.client(client), &at(at_ms)),
            Reason::Rebalancing { client, at_ms: Some(at_ms) } => {
                text.rebalancing(self.client(client), &at(at_ms))
            }
            Reason::Rebalancing { client, at_ms: None } => {
                text.rebalancing_now(self.client(client))
            }
            Reason::LockHeld { owner, gives_ms: Some(at_ms), .. } => {
                text.lock_given(self.client(owner), &at(at_ms))
            }
            Reason::LockHeld { owner, gone: true, until_ms, .. } => {
                text.lock_gone(self.client(owner), &at(until_ms))
            }
            Reason::LockHeld { owner, gone: false, until_ms, .. } => {
                text.lock_held(self.client(owner), &at(until_ms))
            }
            Reason::OfAbsentMember { client, until_ms } => {
                text.absent(self.client(client), &at(until_ms))
            }
            Reason::OfOtherReader { client } if self.is_grpc(client) => {
                text.not_its_topic(self.client(client))
            }
            Reason::OfOtherReader { client } => text.other_reader(self.client(client)),
            Reason::AllocatedTo { client } => text.allocated_to(self.client(client)),
            Reason::Hangs { client } => text.hangs(self.client(client)),
            Reason::CutOff { client, from } => text.cut_off(self.client(client), self.party(from)),
            Reason::BrokerDown { broker, due_ms } => {
                let broker = self.party(Party::Broker(broker));
                match due_ms {
                    Some(due_ms) => text.broker_down_due(broker, &at(due_ms)),
                    None => text.broker_down(broker),
                }
            }
            Reason::ProxyDown { client, proxy } => {
                let proxy = self.party(lockstep_core::ids::Party::Proxy(proxy));
                text.proxy_down(self.client(client), proxy)
            }
            Reason::Leaving { client, .. } if self.is_grpc(client) => {
                text.leaving_grpc(self.client(client))
            }
            Reason::Returned { client, call_ms, at_ms } => {
                let said = text.returned(self.client(client), &at(at_ms));
                match call_ms {
                    Some(end_ms) => self.two(said, text.returned_call(&at(end_ms))),
                    None => said,
                }
            }
            Reason::Leaving { client, call_ms, round_ms } => {
                let client = self.client(client);
                match (call_ms, round_ms) {
                    (Some(end_ms), Some(at_ms)) => {
                        text.leaving_call(client, &at(end_ms), &at(at_ms))
                    }
                    (Some(end_ms), None) => text.leaving_waits(client, &at(end_ms)),
                    (None, Some(at_ms)) => text.leaving_later(client, &at(at_ms)),
                    (None, None) => text.leaving(client),
                }
            }
            Reason::Paused => text.paused().to_owned(),
            Reason::ResetPause { client, until_ms } => {
                text.reset_pause(self.client(client), &at(until_ms))
            }
            Reason::ResetPending { offset, drops: None } => text.reset_pending(offset),
            Reason::ResetPending { offset, drops: Some(client) } => {
                text.reset_drops(self.client(client), offset)
            }
            _ => return None,
        })
    }

    /// How a process ended, behind its name.
    fn ended_how(&self, how: StopKind) -> &'static str {
        let text = super::state::StateText(self.locale);
        match how {
            StopKind::Clean => text.ended_clean(),
            StopKind::Crash => text.ended_crash(),
            StopKind::Silent => text.ended_silent(),
            StopKind::Hang => text.ended_hang(),
        }
    }

    fn fetching(&self, reason: &Reason) -> Option<String> {
        let text = ReasonText(self.locale);
        Some(match *reason {
            Reason::LockMissing { client, expired, at_ms } => {
                let client = self.client(client);
                match (expired, at_ms) {
                    (false, None) => text.lock_missing(client),
                    (false, Some(at_ms)) => text.lock_missing_at(client, &clock(at_ms)),
                    (true, None) => text.lock_expired(client),
                    (true, Some(at_ms)) => text.lock_expired_at(client, &clock(at_ms)),
                }
            }
            Reason::CacheFull { client, pause, cached } => {
                let by = match pause {
                    PullPause::CachedSize => text.cache_bytes(),
                    PullPause::Span => text.cache_span(),
                    _ => text.cache_count(),
                };
                text.cache_full(self.client(client), cached, by)
            }
            Reason::PullFailed { client } => text.pull_failed(self.client(client)),
            Reason::NotFetchedYet { client, offset } => {
                text.not_fetched(self.client(client), &number(offset))
            }
            Reason::Refused { client, by } => self.refused_by(client, by),
            Reason::Unwanted { client } => text.unwanted(self.client(client)),
            Reason::AnswerLost { client, until_ms } => {
                text.answer_lost(self.client(client), &clock(until_ms))
            }
            Reason::OwnTime { client, until_ms } => {
                text.own_time(self.client(client), &clock(until_ms))
            }
            Reason::PollSleeps { client, until_ms } => {
                text.poll_sleeps(self.client(client), &clock(until_ms))
            }
            Reason::NoThread { client, threads } if self.is_simple(client) => {
                text.no_loop(self.client(client), threads)
            }
            Reason::NoThread { client, threads } => text.no_thread(self.client(client), threads),
            Reason::Uncommitted { client } => text.uncommitted(self.client(client)),
            Reason::OldListener { client } => text.old_listener(self.client(client)),
            Reason::ThreadWaits { client, thread } => match thread {
                Thread::Pull | Thread::PullTimers => text.pull_thread(self.client(client)),
                Thread::OrderlyTimers | Thread::Instance => {
                    text.orderly_thread(self.client(client))
                }
            },
            Reason::Next { client } => text.next(self.client(client)),
            Reason::NotAsked { client } => text.not_asked(self.client(client)),
            Reason::Unassigned { client } => text.unassigned(self.client(client)),
            Reason::Revives { at_ms } => text.revives(&clock(at_ms)),
            _ => return None,
        })
    }

    /// What refuses the requests of a consumer.
    fn refused_by(&self, client: ClientId, by: Refusing) -> String {
        let (text, client) = (ReasonText(self.locale), self.client(client));
        match by {
            Refusing::Proxy(proxy) => {
                text.refused_by_proxy(client, self.party(Party::Proxy(proxy)))
            }
            Refusing::OldRoute { proxy, until_ms } => {
                let why = text.refused_by_route(client, self.party(Party::Proxy(proxy)));
                let until = match until_ms {
                    Some(until_ms) => text.route_until(&clock(until_ms)),
                    None => text.route_loaded_next().to_owned(),
                };
                self.two(why, until)
            }
            Refusing::Unregistered { broker, at_ms, .. } | Refusing::Outdated { broker, at_ms } => {
                let broker = self.party(Party::Broker(broker));
                let again = match by {
                    Refusing::Unregistered { again, .. } => again,
                    _ => None,
                };
                let why = match by {
                    Refusing::Outdated { .. } => text.subscription_outdated(client, broker),
                    Refusing::Unregistered { replaced: true, .. } => {
                        text.subscription_replaced(broker)
                    }
                    _ => text.unregistered(client, broker),
                };
                let until = match at_ms {
                    Some(at_ms) if again.is_some() => {
                        let until = text.refused_until(client, &clock(at_ms));
                        let again = again.map(|(other, again_ms)| {
                            text.refused_again(self.client(other), &clock(again_ms))
                        });
                        self.two(until, again.unwrap_or_default())
                    }
                    Some(at_ms) => text.refused_until(client, &clock(at_ms)),
                    None => text.refused_on(client),
                };
                self.two(why, until)
            }
        }
    }

    /// Whether a consumer is a SimpleConsumer.
    pub(crate) fn is_simple(&self, client: ClientId) -> bool {
        let process = self.world.clients.get(client.index()).and_then(|process| process.grpc());
        process.is_some_and(|client| matches!(client.kind, GrpcKind::Simple(_)))
    }

    /// Two sentences, one behind the other.
    pub(crate) fn two(&self, first: String, second: String) -> String {
        let gap = self.locale.pick(" ", "");
        format!("{first}{gap}{second}")
    }
}
