//! What commands to brokers, and commands of the second stack, do.

use lockstep_core::command::{Command, ResetTarget, Subscription};
use lockstep_core::fact::{BrokerStop, Outcome};
use lockstep_core::pop::{Backoff, PopCommand, PopSetting, ProducerSetting};

use super::Speaker;
use crate::log::{Action, Reason};
use crate::{clock, number, span};

impl Speaker<'_> {
    /// Commands to brokers, about routes, resets and the network.
    pub(super) fn broker_command(&self, command: &Command) -> String {
        let action = Action(self.locale);
        let first = |broker: &Option<String>| {
            broker.clone().unwrap_or_else(|| action.first_broker().to_owned())
        };
        match command {
            Command::AddBroker { name } => action.broker_added(name),
            Command::StopBroker { broker, how } => match how {
                BrokerStop::Clean => action.broker_clean(&first(broker)),
                BrokerStop::Crash => action.broker_crash(&first(broker)),
                BrokerStop::PowerLoss => action.broker_power(&first(broker)),
            },
            Command::StartBroker { broker } => action.broker_start(&first(broker)),
            Command::SetOrderConf { topic, conf: Some(conf) } => action.order_conf(topic, conf),
            Command::SetOrderConf { topic, conf: None } => action.no_order_conf(topic),
            Command::ResetOffset { group, topic, broker, queue, target, .. } => {
                let place: Vec<String> = std::iter::once(topic.clone())
                    .chain(broker.clone())
                    .chain(queue.map(|id| format!("q{id}")))
                    .collect();
                let target = match target {
                    ResetTarget::Latest => return action.reset_latest(group, &place.join(" ")),
                    ResetTarget::Time(ms) => clock(*ms),
                    ResetTarget::Offset(offset) => number(*offset),
                };
                action.reset(group, &place.join(" "), &target)
            }
            Command::Subscribe { consumer, subscriptions } if subscriptions.is_empty() => {
                action.unsubscribe(consumer)
            }
            Command::Subscribe { consumer, subscriptions } => {
                action.subscribe(consumer, &topics(subscriptions))
            }
            Command::OwnKey { consumer, key, foreign: Outcome::Success | Outcome::Commit } => {
                action.own_key(consumer, key)
            }
            Command::OwnKey { consumer, key, .. } => action.own_key_fails(consumer, key),
            Command::SendTransaction { producer, message, .. } => {
                action.transaction(producer, &message.label.to_string())
            }
            Command::DropNext { from, to, kind, count, noticed } => {
                let anybody = Reason(self.locale).anybody();
                let name = |side: &Option<String>| side.clone().unwrap_or_else(|| anybody.into());
                let (from, to, kind) = (name(from), name(to), self.packet(*kind));
                if *noticed {
                    action.break_next(*count, kind, &from, &to)
                } else {
                    action.drop_next(*count, kind, &from, &to)
                }
            }
            Command::SetClock { party, ahead_ms } => {
                action.set_clock(party, &format!("{} ms", number(*ahead_ms)))
            }
            Command::SetDisk { broker, used_percent } => {
                let all = || action.all_brokers().to_owned();
                action.disk(&broker.clone().unwrap_or_else(all), *used_percent)
            }
            _ => String::new(),
        }
    }

    /// Commands of the second stack.
    pub(super) fn pop_command(&self, command: &PopCommand) -> String {
        let action = Action(self.locale);
        match command {
            PopCommand::Start { name, group, .. } => action.start(name, group),
            PopCommand::Receive { consumer, max, invisible_ms, .. } => {
                action.receive(consumer, *max, &span(*invisible_ms))
            }
            PopCommand::Ack { consumer, message: Some(label) } => {
                action.ack(consumer, &label.to_string())
            }
            PopCommand::Ack { consumer, message: None } => action.ack_all(consumer),
            PopCommand::ChangeInvisible { consumer, message, invisible_ms } => {
                action.change_invisible(consumer, &message.to_string(), &span(*invisible_ms))
            }
            PopCommand::AddProxy { name } => action.proxy_added(name),
            PopCommand::UseProxy { party, proxy } => action.use_proxy(party, proxy),
            PopCommand::RunProxy { proxy, up: true } => action.proxy_up(proxy),
            PopCommand::RunProxy { proxy, up: false } => action.proxy_down(proxy),
            PopCommand::FailRequests { proxy, request, code: Some(code) } => {
                action.fail_requests(proxy, self.request(*request), &self.code(Some(*code)))
            }
            PopCommand::FailRequests { proxy, request, code: None } => {
                action.serve_requests(proxy, self.request(*request))
            }
            PopCommand::SetProducer { producer, setting } => match setting {
                ProducerSetting::Sdk(sdk) => {
                    action.set_producer(producer, "SDK", &format!("{sdk:?}"))
                }
                ProducerSetting::ChecksTypes(on) => {
                    action.set_producer(producer, "validateMessageType", &on.to_string())
                }
            },
            PopCommand::SendTogether { producer, messages, .. } => {
                action.send_together(producer, &self.labels(messages))
            }
        }
    }
}

fn topics(subscriptions: &[Subscription]) -> String {
    let one = |s: &Subscription| match s.tags.as_slice() {
        [] => s.topic.clone(),
        tags => format!("{} {}", s.topic, tags.join("||")),
    };
    subscriptions.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// RocketMQ's name of a setting of the second stack, and its value.
pub(super) fn pop_setting(setting: &PopSetting) -> (&'static str, String) {
    match setting {
        PopSetting::Orderly(on) => ("consumeMessageOrderly", on.to_string()),
        PopSetting::RetryMaxTimes(n) => ("retryMaxTimes", n.to_string()),
        PopSetting::Backoff(Backoff::Customized(waits_ms)) => {
            let waits: Vec<String> = waits_ms.iter().map(|ms| span(*ms)).collect();
            ("groupRetryPolicy", waits.join(" "))
        }
        PopSetting::Backoff(Backoff::Exponential { initial_ms, max_ms, multiplier }) => {
            let text = format!("{} × {multiplier} ≤ {}", span(*initial_ms), span(*max_ms));
            ("groupRetryPolicy", text)
        }
        PopSetting::Accelerator(on) => ("enableFifoConsumeAccelerator", on.to_string()),
    }
}
