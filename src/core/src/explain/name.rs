//! Things by the names that people use: what a command line or a search box was given.

use super::{owner, timers, About, Ledger, Run};
use crate::ids::{BrokerId, ClientId, GroupId, MessageQueue, Ms, MsgId, TopicId};
use crate::process::Process;
use crate::scenario::{nearest, parse_label};
use crate::session::Session;
use crate::shared::TopicUse;

/// Why words name nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unnamed {
    /// Nothing has this name now.
    Nothing {
        /// The word.
        word: String,
        /// The nearest name that something has.
        nearest: Option<String>,
    },
    /// The group of this name does not exist.
    NoGroup {
        /// The word.
        word: String,
    },
    /// There are fewer of them.
    Beyond {
        /// What is counted.
        counted: Counted,
        /// The number that was asked for.
        number: u32,
        /// How many there are; they are counted from 1.
        most: u32,
    },
    /// Nothing has this name yet.
    Later {
        /// The words.
        word: String,
        /// When something has it first.
        at_ms: Ms,
    },
    /// A message that nobody has been given to send yet.
    Unsent {
        /// Its label.
        word: String,
        /// The producer that will send it.
        producer: String,
        /// When the application hands it over.
        at_ms: Ms,
    },
    /// The words make no sense together.
    Words,
}

/// What is named by a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counted {
    /// A thread of a consumer.
    Thread {
        /// The consumer.
        client: String,
    },
    /// A delay level.
    Level,
    /// A command.
    Command,
}

/// What words name: a message `A2`, a queue `q1`, `orders q1` or `q1 on b2`, `lock q1`, a consumer `c1`,
/// `thread 2 of c1`, a message group `message-group A`, a consumer group `group billing`, `level 3`,
/// `command 4`. `group` is the consumer group that it is about; None = all that it may be about.
///
/// # Errors
/// Why they name nothing.
pub fn named(run: &Run<'_>, words: &[&str], group: Option<&str>) -> Result<Vec<About>, Unnamed> {
    let names = &run.world.shared.names;
    let groups = match group {
        None => None,
        Some(word) => match names.group(word) {
            Some(group) => Some(group),
            None => return Err(Unnamed::NoGroup { word: word.to_owned() }),
        },
    };
    let number = |word: &str| word.parse::<u32>().map_err(|_| Unnamed::Words);
    // Quoted at a command line several words come as one.
    let words: Vec<&str> = words.iter().flat_map(|word| word.split_whitespace()).collect();
    let words = words.as_slice();
    let found = match words {
        ["level", n] => vec![About::Level(level(run, number(n)?)?)],
        ["command", n] => {
            let most = run.journal.len() as u32;
            vec![About::Command(within(Counted::Command, number(n)?, most)? - 1)]
        }
        ["thread", n, "of", name] => {
            let client = client(run, name)?;
            let counted = Counted::Thread { client: (*name).to_owned() };
            let threads = run.world.clients.get(client.index()).map_or(0, |p| match p {
                Process::Classic(c) => c.threads,
                Process::Grpc(c) => c.threads,
            });
            let number = within(counted, number(n)?, threads.into())? - 1;
            vec![About::Thread { client, number: number as u16 }]
        }
        ["group", name] => match names.group(name) {
            Some(group) => vec![About::ConsumerGroup(group)],
            None => return Err(Unnamed::NoGroup { word: (*name).to_owned() }),
        },
        ["message-group", name] => {
            let found =
                names.series.iter().position(|s| s.name == *name || s.key.as_deref() == Some(name));
            let Some(place) = found else { return Err(nothing(run, name)) };
            let series = crate::ids::MessageGroupId(place as u16);
            let all = groups.map_or_else(|| all_groups(run), |g| vec![g]);
            all.into_iter().map(|group| About::MessageGroup { series, group }).collect()
        }
        ["lock", rest @ ..] => queue(run, rest, groups)?
            .into_iter()
            .map(|(queue, group)| About::Lock { queue, group })
            .collect(),
        [one] if parse_label(one).is_some() && message(run, one).is_some() => {
            let msg = message(run, one).ok_or(Unnamed::Words)?;
            let readers = owner::readers(run.world, run.world.shared.message(msg).topic);
            let about: Vec<Option<GroupId>> = match groups {
                Some(group) => vec![Some(group)],
                None if readers.is_empty() => vec![None],
                None => readers.into_iter().map(Some).collect(),
            };
            about.into_iter().map(|group| About::Message { msg, group }).collect()
        }
        [one] if names.client(one).is_some() => vec![About::Consumer(client(run, one)?)],
        [_] | [_, _] | [_, "on", _] | [_, _, "on", _] => queue(run, words, groups)?
            .into_iter()
            .map(|(queue, group)| About::Queue { queue, group })
            .collect(),
        _ => return Err(Unnamed::Words),
    };
    match found.is_empty() {
        true => Err(nothing(run, &words.join(" "))),
        false => Ok(found),
    }
}

/// A number from 1 to `most`.
fn within(counted: Counted, number: u32, most: u32) -> Result<u32, Unnamed> {
    match (1..=most).contains(&number) {
        true => Ok(number),
        false => Err(Unnamed::Beyond { counted, number, most }),
    }
}

/// A delay level that a broker knows, or under which something waits although none does.
fn level(run: &Run<'_>, number: u32) -> Result<u8, Unnamed> {
    let wanted = u8::try_from(number).unwrap_or(0);
    if wanted > 0 && timers::level(run, wanted).is_some() {
        return Ok(wanted);
    }
    let most = run.world.brokers.iter().map(|b| timers::levels(b)).max().unwrap_or(0);
    Err(Unnamed::Beyond { counted: Counted::Level, number, most: most.into() })
}

fn all_groups(run: &Run<'_>) -> Vec<GroupId> {
    (0..run.world.shared.names.groups.len() as u16).map(GroupId).collect()
}

fn client(run: &Run<'_>, name: &str) -> Result<ClientId, Unnamed> {
    run.world.shared.names.client(name).ok_or_else(|| nothing(run, name))
}

/// The newest message of a label.
fn message(run: &Run<'_>, word: &str) -> Option<MsgId> {
    let wanted = parse_label(word)?;
    let shared = &run.world.shared;
    let count = shared.messages.len() as u32;
    (0..count).rev().map(MsgId).find(|msg| shared.label(*msg) == wanted)
}

/// Queues by `q1` or `orders q1`, with the groups that read them.
fn queue(
    run: &Run<'_>,
    words: &[&str],
    group: Option<GroupId>,
) -> Result<Vec<(MessageQueue, GroupId)>, Unnamed> {
    let names = &run.world.shared.names;
    let (words, broker) = match words {
        [rest @ .., "on", name] => match names.brokers.iter().position(|b| b == name) {
            Some(place) => (rest, Some(place)),
            None => return Err(nothing(run, name)),
        },
        _ => (words, None),
    };
    let (topic, id) = match words {
        [id] => (None, id),
        [topic, id] => match names.topic(topic) {
            Some(topic) => (Some(topic), id),
            None => return Err(nothing(run, topic)),
        },
        _ => return Err(Unnamed::Words),
    };
    let number = id.strip_prefix('q').and_then(|n| n.parse::<u16>().ok());
    let Some(id) = number else { return Err(nothing(run, id)) };
    let topics: Vec<TopicId> = match topic {
        Some(topic) => vec![topic],
        None => (0..names.topics.len() as u16)
            .map(TopicId)
            .filter(|t| names.topics[t.index()].usage == TopicUse::User)
            .collect(),
    };
    let mut found = Vec::new();
    for topic in topics {
        let of = &names.topics[topic.index()];
        let is_of_topic = id < of.read_queues.max(of.write_queues);
        let readers = match of.usage {
            TopicUse::Retry(group) | TopicUse::PopRetry(group, _) => vec![group],
            _ => owner::readers(run.world, topic),
        };
        for place in 0..names.brokers.len() {
            let queue = MessageQueue { topic, broker: BrokerId(place as u8), id };
            // A topic that was made smaller leaves queues behind that hold messages.
            let exists = is_of_topic || run.world.brokers[place].store.range(queue).1 > 0;
            if !exists || broker.is_some_and(|wanted| wanted != place) {
                continue;
            }
            let wanted = readers.iter().filter(|g| group.is_none_or(|w| w == **g));
            found.extend(wanted.map(|g| (queue, *g)));
        }
    }
    Ok(found)
}

fn nothing(run: &Run<'_>, word: &str) -> Unnamed {
    let names = &run.world.shared.names;
    let labels = message_labels(run);
    let known = names.clients.iter().chain(&names.brokers).map(String::as_str);
    let known = known.chain(names.series.iter().map(|s| s.name.as_str()));
    let known = known.chain(labels.iter().map(String::as_str));
    // What has this very name is there at another instant, or is not explained: it is no hint.
    let near = nearest(word, known).filter(|near| *near != word).map(str::to_owned);
    Unnamed::Nothing { word: word.to_owned(), nearest: near }
}

/// Labels of the first messages, for a hint.
fn message_labels(run: &Run<'_>) -> Vec<String> {
    const MOST: u32 = 500;
    let shared = &run.world.shared;
    let count = (shared.messages.len() as u32).min(MOST);
    (0..count).map(|m| shared.label(MsgId(m)).to_string()).collect()
}

/// What words name only later in the recorded run, where they name nothing at the present of the session:
/// when something has the name first, and who will send a message. None = never in it. The session stands
/// at the present again.
pub fn named_later(
    session: &mut Session,
    ledger: &Ledger,
    words: &[&str],
    group: Option<&str>,
) -> Option<Unnamed> {
    let present = session.event();
    let (mut without, mut with) = (present, session.recorded_events());
    let mut is_named = |event: u32| {
        session.seek_event(event);
        let found = named(&Run::of(session, ledger), words, group).is_ok();
        (found, session.world().now_ms())
    };
    let (found, mut at_ms) = is_named(with);
    // What has a name keeps it.
    while found && without + 1 < with {
        let middle = without + (with - without) / 2;
        match is_named(middle) {
            (true, earlier_ms) => (with, at_ms) = (middle, earlier_ms),
            (false, _) => without = middle,
        }
    }
    let word = words.join(" ");
    let sender = found.then(|| sender(session, with, &word)).flatten();
    session.seek_event(present);
    found.then_some(match sender {
        Some(producer) => Unnamed::Unsent { word, producer, at_ms },
        None => Unnamed::Later { word, at_ms },
    })
}

/// The producer of the message that a word is the label of, at an event.
fn sender(session: &mut Session, event: u32, word: &str) -> Option<String> {
    let wanted = parse_label(word)?;
    session.seek_event(event);
    let shared = &session.world().shared;
    let mut all = (0..shared.messages.len() as u32).rev().map(MsgId);
    let msg = all.find(|msg| shared.label(*msg) == wanted)?;
    shared.names.producers.get(shared.message(msg).producer.index()).cloned()
}
