//! The names of a scenario: what they name, since when, and whether a use of them is right.

use std::collections::{BTreeMap, BTreeSet};

use crate::command::Label;
use crate::ids::Ms;
use crate::scenario::action::{Action, QueueCounts};
use crate::scenario::ast::{Line, Scenario, Statement};
use crate::scenario::names::ALWAYS;
use crate::scenario::nearest::nearest;
use crate::scenario::problem::{Problem, ProblemKind};
use crate::scenario::prose::first_word;
use crate::scenario::slot::NameKind;
use crate::scenario::span::{Name, Spanned};

/// Queues of a topic whose declaration gives no number.
pub(super) const DEFAULT_QUEUES: u16 = 4;

/// A declared name.
struct Entry {
    kind: NameKind,
    name: String,
    line: u32,
    /// Since when, and whether `at` says so: declarations without `at` come first.
    since: (Ms, bool, u32),
}

/// All names.
pub(super) struct Scope {
    entries: Vec<Entry>,
    /// Most queues that a topic has at any time.
    queues: BTreeMap<String, u16>,
    /// Group of each consumer.
    groups: BTreeMap<String, String>,
    /// Topic of each producer that names one.
    topics: BTreeMap<String, String>,
    sent: BTreeSet<Label>,
    /// Loads make messages whose labels are not in the text.
    loads: bool,
}

impl Scope {
    /// Collects all names; reports those that are given twice.
    pub fn collect(scenario: &Scenario, problems: &mut Vec<Problem>) -> Self {
        let always = |(name, kind): (&str, NameKind)| Entry {
            kind,
            name: name.to_owned(),
            line: 0,
            since: (0, false, 0),
        };
        let mut scope = Scope {
            entries: ALWAYS.map(always).into(),
            queues: BTreeMap::new(),
            groups: BTreeMap::new(),
            topics: BTreeMap::new(),
            sent: BTreeSet::new(),
            loads: false,
        };
        for (line, statement) in scenario.statements() {
            if let Statement::Do(at_ms, action) = statement {
                scope.action(line, *at_ms, action, problems);
            }
        }
        scope
    }

    fn action(&mut self, line: &Line, at_ms: Ms, action: &Action, problems: &mut Vec<Problem>) {
        let since = (at_ms, first_word(&line.text) == "at", line.number);
        let mut declare = |kind, name: &Name| self.declare(kind, name, since, problems);
        match action {
            Action::Topic { name, queues, .. } => {
                declare(NameKind::Topic, name);
                let of = |count: Option<u16>| Some(count.unwrap_or(DEFAULT_QUEUES));
                let queues = QueueCounts { read: of(queues.read), write: of(queues.write) };
                self.count_queues(&name.value, queues);
            }
            Action::Queues { topic, queues } => self.count_queues(&topic.value, *queues),
            Action::Group { name, .. } => declare(NameKind::Group, name),
            Action::AddBroker { name } => declare(NameKind::Broker, name),
            Action::AddProxy { name } => declare(NameKind::Proxy, name),
            Action::Producer { name, options } => {
                declare(NameKind::Producer, name);
                if let Some(topic) = &options.topic {
                    self.topics.insert(name.value.clone(), topic.value.clone());
                }
            }
            Action::Consumer { name, group, .. } => {
                declare(NameKind::Consumer, name);
                self.groups.insert(name.value.clone(), group.value.clone());
            }
            Action::Series { series, .. } => declare(NameKind::Series, series),
            Action::Load { .. } => self.loads = true,
            _ => self.sent.extend(action.sent().into_iter().map(|l| l.value.clone())),
        }
    }

    fn count_queues(&mut self, topic: &str, queues: QueueCounts) {
        let most = queues.read.max(queues.write).unwrap_or(0);
        let entry = self.queues.entry(topic.to_owned()).or_default();
        *entry = (*entry).max(most);
    }

    fn declare(
        &mut self,
        kind: NameKind,
        name: &Name,
        since: (Ms, bool, u32),
        problems: &mut Vec<Problem>,
    ) {
        let shares = |other: NameKind| match (kind, other) {
            (NameKind::Topic | NameKind::Series, _) | (_, NameKind::Topic | NameKind::Series) => {
                kind == other
            }
            _ => true,
        };
        let taken = self.entries.iter().find(|e| e.name == name.value && shares(e.kind));
        let line = match taken {
            Some(entry) => entry.line,
            None => {
                self.entries.push(Entry { kind, name: name.value.clone(), line: since.2, since });
                return;
            }
        };
        problems.push(Problem::new(
            name.span,
            ProblemKind::NameTaken { name: name.value.clone(), line },
        ));
    }

    fn entry(&self, kind: NameKind, name: &str) -> Option<&Entry> {
        self.entries.iter().filter(|e| e.kind.serves(kind)).find(|entry| entry.name == name)
    }

    /// What a name is declared as, one of `kinds`; reports it when it is none of them.
    pub fn one_of(
        &self,
        kinds: [NameKind; 2],
        name: &Name,
        problems: &mut Vec<Problem>,
    ) -> Option<NameKind> {
        let found = kinds.into_iter().find(|kind| self.entry(*kind, &name.value).is_some());
        if found.is_none() {
            self.needs(kinds[0], name, None, problems);
        }
        found
    }

    /// Checks that a name exists, and at the time of its use if that is known.
    pub fn needs(
        &self,
        kind: NameKind,
        name: &Name,
        used: Option<(Ms, bool, u32)>,
        problems: &mut Vec<Problem>,
    ) {
        let system = kind == NameKind::Topic && is_system_topic(&name.value);
        if system {
            return;
        }
        let Some(entry) = self.entry(kind, &name.value) else {
            let instead = self.entries.iter().find(|e| e.name == name.value).map(|e| e.kind);
            let problem = ProblemKind::UnknownName { kind, name: name.value.clone(), instead };
            // A verb of several kinds says little about which of them is meant.
            let others = || {
                let party = kind.serves(NameKind::Party);
                nearest(&name.value, self.names(NameKind::Party)).filter(|_| party)
            };
            let near = nearest(&name.value, self.names(kind)).or_else(others);
            let near = near.map(crate::scenario::lex::quote);
            let fix = if instead.is_some() { None } else { near };
            return problems.push(Problem::new(name.span, problem).with_fix(fix));
        };
        if used.is_some_and(|used| used.1 && entry.since.1 && used < entry.since) {
            let problem =
                ProblemKind::TooEarly { name: name.value.clone(), from_ms: entry.since.0 };
            problems.push(Problem::new(name.span, problem));
        }
    }

    /// All names of a kind, in the order of their declarations.
    pub fn names(&self, kind: NameKind) -> impl Iterator<Item = &str> {
        self.entries.iter().filter(move |e| e.kind.serves(kind)).map(|e| e.name.as_str())
    }

    /// The only name of a kind, or how many there are.
    pub fn only(&self, kind: NameKind) -> Result<&str, usize> {
        let mut names = self.names(kind);
        match (names.next(), names.next()) {
            (Some(name), None) => Ok(name),
            (None, _) => Err(0),
            _ => Err(2 + names.count()),
        }
    }

    /// The group of a consumer.
    pub fn group_of(&self, consumer: &str) -> Option<&str> {
        self.groups.get(consumer).map(String::as_str)
    }

    /// The topic that a producer sends to when a send names none.
    pub fn topic_of(&self, producer: &str) -> Result<&str, usize> {
        self.topics.get(producer).map_or_else(|| self.only(NameKind::Topic), |topic| Ok(topic))
    }

    /// Most queues that a topic has at any time; None for system topics and unknown ones.
    pub fn queues_of(&self, topic: &str) -> Option<u16> {
        self.queues.get(topic).copied()
    }

    /// Whether a series has messages, a declaration, or may have come from a load.
    pub fn has_series(&self, name: &str) -> bool {
        self.loads
            || self.entry(NameKind::Series, name).is_some()
            || self.sent.iter().any(|l| l.series == name)
    }

    /// The names of all series with messages or a declaration.
    pub fn series(&self) -> BTreeSet<&str> {
        self.names(NameKind::Series).chain(self.sent.iter().map(|l| l.series.as_str())).collect()
    }

    /// Checks that a message is sent by some line.
    pub fn sent(&self, label: &Spanned<Label>, problems: &mut Vec<Problem>) {
        if self.loads || self.sent.contains(&label.value) {
            return;
        }
        let problem = ProblemKind::NeverSent { label: label.value.to_string() };
        problems.push(Problem::new(label.span, problem));
    }
}

/// Topics that exist without a declaration.
fn is_system_topic(name: &str) -> bool {
    name.starts_with("%RETRY%")
        || name.starts_with("%DLQ%")
        || matches!(
            name,
            "SCHEDULE_TOPIC_XXXX"
                | "rmq_sys_wheel_timer"
                | "RMQ_SYS_TRANS_HALF_TOPIC"
                | "TRANS_CHECK_MAX_TIME_TOPIC"
        )
}
