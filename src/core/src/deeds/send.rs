//! Messages that are sent by hand: what stands in the form at first, and the command that it makes.

use super::goes::Chosen;
use crate::command::{Command, Label, MessageSpec, TopicType, TransactionScript};
use crate::explain::Run;
use crate::fact::Decision;
use crate::ids::{MessageGroupId, MessageQueue, Ms, ProducerId, TopicId};
use crate::message::Message;
use crate::model::Version;
use crate::pop::PopCommand;
use crate::scenario::parse_time;
use crate::shared::TopicUse;
use crate::view::Subject;

/// How many of the newest messages are looked at to find the last of a kind.
pub(super) const LOOK_BACK: usize = 10_000;
/// Most messages that are sent at once by hand.
pub const MOST_AT_ONCE: u32 = 100;

/// When a message is to be readable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Delay {
    /// At once.
    #[default]
    None,
    /// Under a delay level, from 1.
    Level(u8),
    /// After so many ms.
    Time(Ms),
}

/// A field of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The producer.
    Producer,
    /// The topic.
    Topic,
    /// The message group.
    Series,
    /// How many.
    Count,
    /// The tag.
    Tag,
    /// The key.
    Key,
    /// The delay.
    Delay,
}

/// What is wrong with a field, in kind; people are told what to write instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// Nothing of that name is there.
    Unknown(Field),
    /// A message group is named by one word of letters, digits and hyphens.
    NoSeries,
    /// The messages of this group are made by a load.
    OfLoad,
    /// A label of its messages is the name of something else.
    Taken,
    /// A number from 1 to [`MOST_AT_ONCE`].
    Count,
    /// One word, or several, in one line and without quotes.
    NoWord(Field),
    /// `3` for a level, `5s` for a time.
    NoDelay,
}

impl Wrong {
    /// Where to tell it.
    pub fn field(self) -> Field {
        match self {
            Self::Unknown(field) | Self::NoWord(field) => field,
            Self::NoSeries | Self::OfLoad | Self::Taken => Field::Series,
            Self::Count => Field::Count,
            Self::NoDelay => Field::Delay,
        }
    }
}

/// What people have written into the form.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Draft {
    /// Producer.
    pub producer: String,
    /// Topic.
    pub topic: String,
    /// Message group: the name of a series, or of the group itself.
    pub series: String,
    /// How many.
    pub count: String,
    /// Tag; empty = none.
    pub tag: String,
    /// Key; empty = none.
    pub key: String,
    /// Delay level or time; empty = none.
    pub delay: String,
    /// What becomes of the transaction, where the topic is for transactions.
    pub decision: Option<Decision>,
}

/// What is known of somebody's last message.
struct Last {
    producer: ProducerId,
    topic: TopicId,
    series: MessageGroupId,
}

impl Draft {
    /// A form that makes sense as it stands: the next message of the selected group or of the one that was
    /// sent last, by who sent that. None without a producer or a topic to send to.
    pub fn new(run: &Run<'_>, about: Option<Subject>) -> Option<Self> {
        let names = &run.world.shared.names;
        let last = chosen(run, about).or_else(|| newest(run, |_| true));
        let own = match about {
            Some(Subject::Producer(id)) => Some(id),
            _ => last.as_ref().map(|last| last.producer),
        };
        let producer = run.world.producers.get(own.map_or(0, |id| id.index()))?;
        let topic = match (&last, about) {
            (_, Some(Subject::Queue(queue) | Subject::Lock(queue))) => Some(queue.topic),
            (Some(last), _) if last.producer == producer.id => Some(last.topic),
            _ => producer.topic,
        };
        let is_user = |id: &TopicId| names.topics[id.index()].usage == TopicUse::User;
        let first = || names.topics.iter().position(|topic| topic.usage == TopicUse::User);
        let topic = topic.filter(is_user).or_else(|| Some(TopicId(first()? as u16)))?;
        let series = last.map(|last| names.series[last.series.index()].name.clone());
        let series = series.filter(|name| !is_of_load(run, name));
        let kind = names.topics[topic.index()].kind;
        Some(Self {
            producer: names.producers[producer.id.index()].clone(),
            topic: names.topics[topic.index()].name.clone(),
            series: series.unwrap_or_else(|| free_series(run)),
            count: "1".to_owned(),
            decision: (kind == TopicType::Transaction).then_some(Decision::Commit),
            ..Self::default()
        })
    }

    /// Whether messages to the chosen topic may be delayed.
    pub fn may_wait(&self, run: &Run<'_>) -> bool {
        match self.kind(run) {
            Some(TopicType::Delay | TopicType::Mixed) => true,
            // Releases before 5.0.0 know no types.
            kind => kind.is_some() && run.world.shared.model.version < Version(5, 0, 0),
        }
    }

    /// The type of the chosen topic.
    pub fn kind(&self, run: &Run<'_>) -> Option<TopicType> {
        let names = &run.world.shared.names;
        names.topic(&self.topic).map(|id| names.topics[id.index()].kind)
    }

    /// The commands that the form asks for; several for several transactions.
    ///
    /// # Errors
    /// The first field that is wrong.
    pub fn commands(&self, run: &Run<'_>) -> Result<Vec<Command>, Wrong> {
        let names = &run.world.shared.names;
        let producer = names.producer(&self.producer).ok_or(Wrong::Unknown(Field::Producer))?;
        let topic = names.topic(&self.topic).ok_or(Wrong::Unknown(Field::Topic))?;
        let Chosen { series, declared } = Chosen::of(run, &self.series)?;
        let series = series.as_str();
        let count: u32 = self.count.trim().parse().map_err(|_| Wrong::Count)?;
        if !(1..=MOST_AT_ONCE).contains(&count) {
            return Err(Wrong::Count);
        }
        let (tag, key) = (word(&self.tag, Field::Tag)?, word(&self.key, Field::Key)?);
        let delay = if self.may_wait(run) { delay(&self.delay)? } else { Delay::None };
        let first = next_number(run, series);
        if (first..first.saturating_add(count)).any(|n| is_name(run, &format!("{series}{n}"))) {
            return Err(Wrong::Taken);
        }
        let messages = (first..first.saturating_add(count)).map(|number| {
            let mut message = MessageSpec::new(series, number);
            (message.tag, message.key) = (tag.clone(), key.clone());
            match delay {
                Delay::None => {}
                Delay::Level(level) => message.delay_level = level,
                Delay::Time(ms) => message.timer_delay_ms = ms,
            }
            message
        });
        let own = run.world.producers[producer.index()].topic;
        let way = (self.producer.clone(), (own != Some(topic)).then(|| self.topic.clone()));
        let declared = declared.map(|key| {
            let series = series.to_owned();
            Command::NameMessageGroup { series, key: Some(key) }
        });
        let sends: Vec<Command> = match self.decides(run) {
            Some(decision) => {
                messages.map(|message| in_transaction(&way, message, decision)).collect()
            }
            None => vec![send(way, messages.collect())],
        };
        Ok(declared.into_iter().chain(sends).collect())
    }

    /// What becomes of the transactions; None where none are sent.
    pub(super) fn decides(&self, run: &Run<'_>) -> Option<Decision> {
        self.decision.filter(|_| self.kind(run) == Some(TopicType::Transaction))
    }
}

fn send((producer, topic): (String, Option<String>), messages: Vec<MessageSpec>) -> Command {
    Command::Send { producer, topic, thread: 0, messages, every_ms: 0 }
}

fn in_transaction(
    (producer, topic): &(String, Option<String>),
    message: MessageSpec,
    decision: Decision,
) -> Command {
    let script = TransactionScript { after_ms: 0, decision, checks: Vec::new() };
    let (producer, topic) = (producer.clone(), topic.clone());
    Command::SendTransaction { producer, topic, thread: 0, message, script }
}

/// The next message of a group, sent as its last one was; None where a load makes its messages, or
/// nobody has sent one.
pub fn next_of(run: &Run<'_>, series: MessageGroupId) -> Option<Command> {
    let names = &run.world.shared.names;
    let name = &names.series.get(series.index())?.name;
    let last = newest(run, |message| message.series == series)?;
    if is_of_load(run, name) {
        return None;
    }
    let topic = &names.topics[last.topic.index()];
    let own = run.world.producers[last.producer.index()].topic;
    let way = (
        names.producers[last.producer.index()].clone(),
        (own != Some(last.topic)).then(|| topic.name.clone()),
    );
    let message = MessageSpec::new(name, next_number(run, name));
    Some(match topic.kind {
        TopicType::Transaction => in_transaction(&way, message, Decision::Commit),
        _ => send(way, vec![message]),
    })
}

/// The message group of the newest message in a queue.
pub(super) fn last_in(run: &Run<'_>, queue: MessageQueue) -> Option<MessageGroupId> {
    let broker = run.world.brokers.get(queue.broker.index())?;
    let (min, max) = broker.store.range(queue);
    let record = broker.store.at(queue, max - 1).filter(|_| min < max)?;
    Some(run.world.shared.message(record.msg).series)
}

/// The last message of what is selected.
fn chosen(run: &Run<'_>, about: Option<Subject>) -> Option<Last> {
    match about? {
        Subject::Message(msg) => {
            let series = run.world.shared.messages.get(msg.index())?.series;
            newest(run, |message| message.series == series)
        }
        Subject::MessageGroup(series) => newest(run, |message| message.series == series),
        Subject::Queue(queue) | Subject::Lock(queue) => {
            let series = last_in(run, queue)?;
            newest(run, |message| message.series == series)
        }
        Subject::Producer(id) => newest(run, |message| message.producer == id),
        Subject::Client(_) | Subject::Level(_) => None,
    }
}

/// The newest message of a kind.
fn newest(run: &Run<'_>, is_it: impl Fn(&Message) -> bool) -> Option<Last> {
    let messages = &run.world.shared.messages;
    let newest = (0..messages.len()).rev().take(LOOK_BACK).filter_map(|i| messages.get(i));
    let mut fitting = newest.filter(|message| is_it(message));
    let message = fitting.next()?;
    Some(Last { producer: message.producer, topic: message.topic, series: message.series })
}

/// One more than the highest number of a series that was sent, or that the journal will send.
fn next_number(run: &Run<'_>, series: &str) -> u32 {
    let planned = run.journal.iter().flat_map(|(_, command)| sent(command));
    let planned = planned.filter(|label| label.series == series).map(|label| label.number);
    let id = run.world.shared.names.series(series);
    let built =
        (0..run.world.shared.messages.len()).filter_map(|i| run.world.shared.messages.get(i));
    let built = built.filter(|message| Some(message.series) == id).map(|message| message.number);
    planned.chain(built).max().map_or(1, |most| most.saturating_add(1))
}

/// The labels that a command sends.
fn sent(command: &Command) -> Vec<&Label> {
    match command {
        Command::Send { messages, .. }
        | Command::Pop(PopCommand::SendTogether { messages, .. }) => {
            messages.iter().map(|message| &message.label).collect()
        }
        Command::SendTransaction { message, .. } => vec![&message.label],
        _ => Vec::new(),
    }
}

/// Whether a load makes the messages of a series, now or later: a text that names it would make that load
/// another one.
pub(super) fn is_of_load(run: &Run<'_>, series: &str) -> bool {
    let loads = run.journal.iter().filter_map(|(_, command)| match command {
        Command::SendLoad { load, .. } => Some(load),
        _ => None,
    });
    let mut loads = loads.peekable();
    if loads.peek().is_none() {
        return false;
    }
    let named = loads.any(|load| load.beside.iter().any(|name| name == series));
    let declared = run.journal.iter().any(|(_, command)| {
        matches!(command, Command::NameMessageGroup { series: name, .. } if name == series)
            || sent(command).iter().any(|label| label.series == series)
    });
    !named && !declared && !is_free_of_loads(series)
}

/// Loads name their groups by up to three capital letters, and messages without a group `m0-`, `m1-` and
/// so on.
fn is_free_of_loads(series: &str) -> bool {
    let capitals = series.len() <= 3 && series.chars().all(|c| c.is_ascii_uppercase());
    let number = series.strip_prefix('m').and_then(|rest| rest.strip_suffix('-'));
    let counted = number.is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()));
    !capitals && !counted
}

/// A message group that nobody has: Z, then Y and so on; a word where loads may take letters.
pub(super) fn free_series(run: &Run<'_>) -> String {
    let names = &run.world.shared.names;
    let is_free = |name: &String| {
        let ahead = run.journal.iter().flat_map(|(_, command)| sent(command));
        names.series(name).is_none()
            && !is_of_load(run, name)
            && !ahead.into_iter().any(|label| label.series == *name)
    };
    let letters = ('A'..='Z').map(String::from).chain(["new-".to_owned()]);
    letters.into_iter().find(is_free).unwrap_or_else(|| "new-".to_owned())
}

/// Whether something has this name.
fn is_name(run: &Run<'_>, word: &str) -> bool {
    let names = &run.world.shared.names;
    names.party(word).is_some() || names.topic(word).is_some() || names.group(word).is_some()
}

/// Letters, digits and hyphens: what a text can hold as one word.
pub(super) fn is_plain(word: &str) -> bool {
    word.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
}

/// One word or none.
fn word(text: &str, field: Field) -> Result<Option<String>, Wrong> {
    let text = text.trim();
    let fits = |c: char| !c.is_control() && c != '"' && c != '\\';
    match text {
        "" => Ok(None),
        text if text.chars().all(fits) => Ok(Some(text.to_owned())),
        _ => Err(Wrong::NoWord(field)),
    }
}

/// `3` is a level, `5s` a time.
fn delay(text: &str) -> Result<Delay, Wrong> {
    let text = text.trim();
    match (text, text.parse::<u8>()) {
        ("", _) | (_, Ok(0)) => Ok(Delay::None),
        (_, Ok(level)) => Ok(Delay::Level(level)),
        (text, Err(_)) => match parse_time(text) {
            Some(ms) if ms > 0 => Ok(Delay::Time(ms)),
            _ => Err(Wrong::NoDelay),
        },
    }
}
