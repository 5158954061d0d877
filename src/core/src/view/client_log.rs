//! What the clients would write to their own log files, at the instant at which they would write it.
//!
//! People who look for a fault have these files and not ours, so each line keeps what makes the real
//! one findable: its level, its class, its key words, and the values in it. Log files are written in
//! English wherever they are read; these lines are not translated.

use crate::command::ListenerKind;
use crate::fact::{DropReason, Fact, FactRecord, GrantKind, LockMissing, Outcome, PullPause};
use crate::ids::{ClientId, MessageQueue, Ms, MsgId};
use crate::pop::{ActKind, PopFact};
use crate::process::Process;
use crate::world::World;

/// Level of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// INFO
    Info,
    /// WARN
    Warn,
    /// ERROR
    Error,
}

impl Level {
    /// As it stands in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "INFO",
            Self::Warn => "WARN",
            Self::Error => "ERROR",
        }
    }
}

/// A line of a client's log file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientLine {
    /// Whose file.
    pub client: ClientId,
    /// Level.
    pub level: Level,
    /// Class that writes it.
    pub class: &'static str,
    /// The text.
    pub text: String,
}

/// The line that a client writes when a fact happens, if it writes one.
pub fn line(world: &World, record: &FactRecord) -> Option<ClientLine> {
    let fact = &record.fact;
    let (client, level, class, text) = match *fact {
        Fact::Pop(ref fact) => grpc(world, record.at_ms, fact)?,
        Fact::HandlingEnded { client, queue, msg, outcome, .. } => {
            ended(world, client, (queue, msg), outcome)?
        }
        _ => lock(world, fact)
            .or_else(|| rebalance(world, fact))
            .or_else(|| work(world, record.at_ms, fact))?,
    };
    Some(ClientLine { client, level, class, text })
}

type Parts = (ClientId, Level, &'static str, String);

fn group(world: &World, client: ClientId) -> &str {
    world.clients.get(client.index()).map_or("", |p| &world.shared.group(p.group()).name)
}

fn name(world: &World, client: ClientId) -> &str {
    &world.shared.names.clients[client.index()]
}

/// A queue as `MessageQueue.toString` gives it.
fn mq(world: &World, queue: MessageQueue) -> String {
    let names = &world.shared.names;
    format!(
        "MessageQueue [topic={}, brokerName={}, queueId={}]",
        names.topics[queue.topic.index()].name,
        names.brokers[queue.broker.index()],
        queue.id
    )
}

fn label(world: &World, msg: MsgId) -> String {
    world.shared.label(msg).to_string()
}

/// A listener returned something else than success.
fn ended(
    world: &World,
    client: ClientId,
    (queue, msg): (MessageQueue, MsgId),
    outcome: Outcome,
) -> Option<Parts> {
    let (msgs, of, mq) = (label(world, msg), group(world, client), mq(world, queue));
    let process = world.clients.get(client.index())?;
    let Process::Classic(classic) = process else {
        let text = format!(
            "Message listener raised an exception while consuming messages, client id={}, mq={mq}, message id={msgs}",
            name(world, client)
        );
        return (outcome == Outcome::Exception).then_some((
            client,
            Level::Error,
            "ConsumeTask",
            text,
        ));
    };
    let (class, mode) = match classic.listener {
        ListenerKind::Orderly => ("ConsumeMessageOrderlyService", "orderly"),
        ListenerKind::Concurrent => ("ConsumeMessageConcurrentlyService", "concurrent"),
    };
    let what = match outcome {
        Outcome::Success | Outcome::Commit => return None,
        Outcome::Exception => "consumeMessage exception: the listener threw",
        Outcome::Null => "consumeMessage return null",
        Outcome::Later | Outcome::Rollback => "consumeMessage return not OK",
    };
    let text = format!("{what} ({mode}), Group: {of} Msgs: [{msgs}] MQ: {mq}");
    Some((client, Level::Warn, class, text))
}

/// Locks, renewals, and what an orderly consumer does without one.
fn lock(world: &World, fact: &Fact) -> Option<Parts> {
    const CLASS: &str = "RebalanceImpl";
    const ORDERLY: &str = "ConsumeMessageOrderlyService";
    Some(match *fact {
        Fact::LockGranted { client, queue, how, .. } if how != GrantKind::Renewed => {
            let text = format!(
                "message queue lock: OK, Group: {} {}",
                group(world, client),
                mq(world, queue)
            );
            (client, Level::Info, CLASS, text)
        }
        Fact::LockRefused { client, queue, .. } => {
            let text = format!(
                "message queue lock: Failed, Group: {} {}",
                group(world, client),
                mq(world, queue)
            );
            (client, Level::Warn, CLASS, text)
        }
        Fact::LockMissing { client, queue, reason: LockMissing::NotLocked } => {
            let text =
                format!("message queue is not locked, so consume later, {}", mq(world, queue));
            (client, Level::Warn, ORDERLY, text)
        }
        Fact::LockMissing { client, queue, reason: LockMissing::Expired } => {
            let text =
                format!("message queue lock is expired, so consume later, {}", mq(world, queue));
            (client, Level::Warn, ORDERLY, text)
        }
        Fact::LockReleased { client, queue, .. } => {
            let text = format!(
                "unlock messageQueue. group: {}, mq: {}",
                group(world, client),
                mq(world, queue)
            );
            (client, Level::Warn, CLASS, text)
        }
        _ => return None,
    })
}

/// Rebalance rounds, and queues that come and go.
fn rebalance(world: &World, fact: &Fact) -> Option<Parts> {
    const CLASS: &str = "RebalanceImpl";
    Some(match *fact {
        Fact::MemberNotified { client } => {
            let text = format!(
                "broker notifies: the consumer group {} changed, rebalance immediately",
                group(world, client)
            );
            (client, Level::Info, "ClientRemotingProcessor", text)
        }
        Fact::QueueAdded { client, queue, offset } => {
            let text = format!(
                "doRebalance, {}, add a new mq, {}, nextOffset {offset}",
                group(world, client),
                mq(world, queue)
            );
            (client, Level::Info, CLASS, text)
        }
        Fact::QueueDropped { client, queue, reason } => {
            let why = match reason {
                DropReason::Reallocated | DropReason::Unrouted => "remove unnecessary mq",
                DropReason::Unsubscribed => {
                    "remove unnecessary mq, its topic is no longer subscribed"
                }
                DropReason::PullIdle => "remove mq because its pull has paused",
                DropReason::OffsetIllegal => "drop mq to fix its pull request offset",
                DropReason::Reset => "drop mq because its offset is reset",
                DropReason::Shutdown => return None,
            };
            let text =
                format!("doRebalance, {}, {why}, {}", group(world, client), mq(world, queue));
            (client, Level::Info, CLASS, text)
        }
        Fact::ReleasePostponed { client, queue } => {
            let text = format!("mq is consuming, so can not unlock it, {}", mq(world, queue));
            (client, Level::Warn, "RebalancePushImpl", text)
        }
        _ => return None,
    })
}

/// Pulls, suspends, send-backs.
fn work(world: &World, now_ms: Ms, fact: &Fact) -> Option<Parts> {
    const PULL: &str = "DefaultMQPushConsumerImpl";
    const ORDERLY: &str = "ConsumeMessageOrderlyService";
    Some(match *fact {
        Fact::PullPostponed { client, queue, reason } => {
            let why = match reason {
                PullPause::CachedCount => {
                    "the cached message count exceeds the threshold, so do flow control"
                }
                PullPause::CachedSize => {
                    "the cached message size exceeds the threshold, so do flow control"
                }
                PullPause::Span => "the queue's messages, span too long, so do flow control",
                PullPause::NotLocked => "pull message later because not locked in broker",
                PullPause::Paused => "consumer was paused, execute pull request later",
                PullPause::NotSubscribed => "find the consumer's subscription failed",
                PullPause::Failed => "execute the pull request exception",
            };
            (client, Level::Warn, PULL, format!("{why}, {}", mq(world, queue)))
        }
        Fact::OffsetCorrected { client, queue, offset, corrected } => {
            let text = format!(
                "the pull request offset illegal, {} offset {offset}, fix the pull request offset to {corrected}",
                mq(world, queue)
            );
            (client, Level::Warn, PULL, text)
        }
        Fact::ResultDiscarded { client, .. }
            if world.clients.get(client.index()).is_some_and(|p| p.grpc().is_some()) =>
        {
            let text = format!(
                "Unable to ack message because simple consumer is not running, state=TERMINATED, clientId={}",
                name(world, client)
            );
            (client, Level::Error, "SimpleConsumerImpl", text)
        }
        Fact::ResultDiscarded { client, queue, msg, .. } => {
            let text = format!(
                "processQueue is dropped without process consume result. messageQueue={}, msgs=[{}]",
                mq(world, queue),
                label(world, msg)
            );
            let class = match world.clients.get(client.index()).and_then(Process::classic) {
                Some(c) if c.listener == ListenerKind::Concurrent => {
                    "ConsumeMessageConcurrentlyService"
                }
                _ => ORDERLY,
            };
            (client, Level::Warn, class, text)
        }
        Fact::QueueSuspended { client, queue, msg, failures, until_ms } => {
            let wait_ms: Ms = until_ms - now_ms;
            let text = format!(
                "suspend current queue, {} for {wait_ms} ms, msg [{}] reconsumeTimes {failures}",
                mq(world, queue),
                label(world, msg)
            );
            (client, Level::Info, ORDERLY, text)
        }
        Fact::SendBackFailed { client, msg } => {
            let text = format!(
                "sendMessageBack exception, group: {} msg: [{}]",
                group(world, client),
                label(world, msg)
            );
            (client, Level::Error, "ConsumeMessageConcurrentlyService", text)
        }
        Fact::ConsumeTimedOut { client, queue, msg, .. } => {
            let text =
                format!("send expire msg back. {} msg [{}]", mq(world, queue), label(world, msg));
            (client, Level::Info, "ProcessQueue", text)
        }
        Fact::ResetReceived { client, topic, .. } => {
            let text = format!(
                "invoke reset offset operation from broker. topic={}, group={}",
                world.shared.names.topics[topic.index()].name,
                group(world, client)
            );
            (client, Level::Info, "ClientRemotingProcessor", text)
        }
        _ => return None,
    })
}

/// The 5.x SDK's lines.
fn grpc(world: &World, now_ms: Ms, fact: &PopFact) -> Option<Parts> {
    const CLASS: &str = "ProcessQueueImpl";
    let id = |client| name(world, client);
    Some(match *fact {
        PopFact::AttemptFailed { client, queue, msg, attempt, next_ms } => {
            let delay_ms = (next_ms - now_ms).max(0);
            let text = format!(
                "Prepare to redeliver the message because of the consumption failure, attempt={attempt}, mq={}, message id={}, nextAttemptDelay={delay_ms}ms, client id={}",
                mq(world, queue),
                label(world, msg),
                id(client)
            );
            (client, Level::Info, CLASS, text)
        }
        PopFact::ForwardedToDeadLetter { client, msg, attempt } => {
            let text = format!(
                "Failed to consume fifo message finally, run out of attempt times, attempt={attempt}, message id={}, client id={}",
                label(world, msg),
                id(client)
            );
            (client, Level::Info, CLASS, text)
        }
        PopFact::ActFailed { client, msg, act, code, next_ms } => {
            let what = match act {
                ActKind::Ack => "ack message",
                ActKind::Change => "change invisible duration",
                ActKind::DeadLetter => "forward message to dead letter queue",
            };
            let then = match next_ms {
                Some(_) => "would retry later",
                None => "giving up",
            };
            let code = code.map_or("none", |c| c.named().1);
            let text = format!(
                "Failed to {what}, {then}, code={code}, message id={}, client id={}",
                label(world, msg),
                id(client)
            );
            (client, Level::Error, CLASS, text)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{load, play};

    /// The lines of a run, oldest first.
    fn lines(text: &str) -> Vec<String> {
        let session = play(&load(text).unwrap());
        let world = session.world();
        let facts = session.facts().iter();
        facts.filter_map(|r| line(world, r)).map(|l| l.text).collect()
    }

    fn holds(lines: &[String], words: &str) -> bool {
        lines.iter().any(|line| line.contains(words))
    }

    #[test]
    fn the_two_key_words_of_the_documents_stand_where_people_look_for_them() {
        let lines = lines(
            "topic orders FIFO 1 queue\n\
             group billing reads orders fifo, retry-max-times 1, retry-policy customized 1s\n\
             producer p1\n\
             consumer c1 in billing grpc push\n\
             at 2s A1 throws always\n\
             at 3s p1 sends A1 A2\n\
             run until 60s\n",
        );
        let thrown = "Message listener raised an exception while consuming messages";
        assert_eq!(lines.iter().filter(|l| l.contains(thrown)).count(), 2, "{lines:#?}");
        assert!(holds(&lines, "Failed to consume fifo message finally, run out of attempt times"));
        assert!(holds(&lines, "attempt=2, message id=A1"));
    }

    #[test]
    fn locks_rebalance_and_retry_are_written_by_the_classic_client() {
        let lines = lines(
            "topic orders FIFO 1 queue\n\
             group billing reads orders orderly\n\
             producer p1\n\
             consumer c1 in billing\n\
             at 2s A1 fails once\n\
             at 3s p1 sends A1\n\
             at 10s c1 crashes\n\
             at 11s c2 joins billing\n\
             run until 90s\n",
        );
        for words in [
            "message queue lock: OK, Group: billing MessageQueue [topic=orders",
            "message queue lock: Failed, Group: billing",
            "add a new mq",
            "consumeMessage return not OK (orderly), Group: billing Msgs: [A1]",
            "suspend current queue, MessageQueue [topic=orders, brokerName=broker, queueId=0] for 1000 ms",
            "rebalance immediately",
        ] {
            assert!(holds(&lines, words), "{words}: {lines:#?}");
        }
    }
}
