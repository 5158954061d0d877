//! Commands from the sentences that declare and do things.

use std::collections::BTreeMap;

use super::queues::{settle, Entry, Open};
use super::scope::{Scope, DEFAULT_QUEUES};
use crate::command::{Command, GroupSetting, HandlerRule, Subscription};
use crate::ids::Ms;
use crate::model::{Model, Version};
use crate::pop::PopCommand;
use crate::pop::ProducerSetting;
use crate::scenario::action::{Action, ProducerOptions, Reads};
use crate::scenario::problem::Problem;
use crate::scenario::program::Planned;
use crate::scenario::slot::NameKind;
use crate::scenario::span::{Name, Spanned};

/// Declarations without `at` take effect first, in an order in which each finds what it needs.
const RANK_TIMED: u8 = 9;

/// Collects commands.
pub(super) struct Commands<'a> {
    pub(super) scope: &'a Scope,
    planned: Vec<Entry>,
    /// The command that a consumer was started with, for `starts`.
    pub(super) consumers: BTreeMap<String, Command>,
    pub(super) last_ms: Ms,
}

/// One sentence that is being compiled.
pub(super) struct Sentence<'p> {
    pub line: u32,
    pub at_ms: Ms,
    pub timed: bool,
    pub problems: &'p mut Vec<Problem>,
}

impl Sentence<'_> {
    fn used(&self) -> Option<(Ms, bool, u32)> {
        Some((self.at_ms, self.timed, self.line))
    }
}

impl<'a> Commands<'a> {
    pub fn new(scope: &'a Scope) -> Self {
        Self { scope, planned: Vec::new(), consumers: BTreeMap::new(), last_ms: 0 }
    }

    /// The commands in the order in which they take effect, and the last instant of them.
    pub fn finish(mut self, problems: &mut Vec<Problem>) -> (Vec<Planned>, Ms) {
        self.planned.sort_by_key(|e| (e.planned.at_ms, e.rank, e.planned.line));
        settle(&mut self.planned, problems);
        (self.planned.into_iter().map(|entry| entry.planned).collect(), self.last_ms)
    }

    pub(super) fn push(&mut self, s: &Sentence<'_>, rank: u8, command: Command) {
        self.push_open(s, rank, command, Open::Nothing);
    }

    /// Adds a command that leaves something to the instant at which it takes effect.
    pub(super) fn push_open(&mut self, s: &Sentence<'_>, rank: u8, command: Command, open: Open) {
        let rank = if s.timed { RANK_TIMED } else { rank };
        self.last_ms = self.last_ms.max(s.at_ms);
        let planned = Planned { at_ms: s.at_ms, command, line: s.line };
        self.planned.push(Entry { rank, planned, open });
    }

    pub(super) fn needs(&self, s: &mut Sentence<'_>, kind: NameKind, name: &Name) -> String {
        let used = s.used();
        self.scope.needs(kind, name, used, s.problems);
        name.value.clone()
    }

    pub(super) fn party(&self, s: &mut Sentence<'_>, name: &Name) -> String {
        self.needs(s, NameKind::Party, name)
    }

    /// Adds the commands of a sentence.
    pub fn action(
        &mut self,
        line: u32,
        at_ms: Ms,
        timed: bool,
        action: &Action,
        problems: &mut Vec<Problem>,
    ) {
        let s = &mut Sentence { line, at_ms, timed, problems };
        match action {
            Action::Topic { .. }
            | Action::Series { .. }
            | Action::Producer { .. }
            | Action::Consumer { .. } => {
                self.declaration(s, action);
            }
            Action::Queues { topic, queues } => {
                let name = self.needs(s, NameKind::Topic, topic);
                let command = Command::UpdateTopic { name, read_queues: 0, write_queues: 0 };
                self.push_open(s, 0, command, Open::Counts(*queues));
            }
            Action::Group { name, reads, listener, settings } => {
                let subscriptions = reads.iter().map(|r| self.subscription(s, r)).collect();
                self.push(
                    s,
                    2,
                    Command::CreateGroup {
                        name: name.value.clone(),
                        subscriptions,
                        listener: *listener,
                    },
                );
                self.settings(s, &name.value, settings);
            }
            Action::Settings { group, settings } => {
                let group = self.needs(s, NameKind::Group, group);
                self.settings(s, &group, settings);
            }
            Action::Pause { group } => {
                let group = self.needs(s, NameKind::Group, group);
                self.push(s, 3, Command::SetGroup { group, setting: GroupSetting::Paused(true) });
            }
            Action::Send { .. }
            | Action::SendTogether { .. }
            | Action::Transaction { .. }
            | Action::Load { .. } => self.sends(s, action),
            Action::Handle { labels, attempts, outcome, handle_ms, group, client } => {
                let group = group.as_ref().map(|name| self.needs(s, NameKind::Group, name));
                let client = client.as_ref().map(|name| {
                    self.scope.needs(NameKind::Consumer, name, None, s.problems);
                    name.value.clone()
                });
                for label in labels.iter().flatten() {
                    self.scope.sent(label, s.problems);
                }
                let label: Vec<_> = match labels {
                    None => vec![None],
                    Some(labels) => labels.iter().map(|l| Some(l.value.clone())).collect(),
                };
                for label in label {
                    let (group, client) = (group.clone(), client.clone());
                    let rule = HandlerRule {
                        group,
                        client,
                        label,
                        attempts: *attempts,
                        outcome: *outcome,
                        handle_ms: *handle_ms,
                    };
                    self.push(s, 0, Command::Handle(rule));
                }
            }
            _ => self.event(s, action),
        }
    }

    fn declaration(&mut self, s: &mut Sentence<'_>, action: &Action) {
        match action {
            Action::Topic { name, kind, queues } => {
                let of = |count: Option<u16>| count.unwrap_or(DEFAULT_QUEUES);
                let (read_queues, write_queues) = (of(queues.read), of(queues.write));
                self.push(
                    s,
                    0,
                    Command::CreateTopic {
                        name: name.value.clone(),
                        kind: *kind,
                        read_queues,
                        write_queues,
                    },
                );
            }
            Action::Series { series, key } => {
                self.push(
                    s,
                    1,
                    Command::NameMessageGroup { series: series.value.clone(), key: key.clone() },
                );
            }
            Action::Producer { name, options } => self.producer(s, &name.value, options),
            Action::Consumer { name, group, options } => {
                self.start(s, &name.value, group, options);
            }
            _ => {}
        }
    }

    fn producer(&mut self, s: &mut Sentence<'_>, name: &str, options: &ProducerOptions) {
        let topic = match &options.topic {
            Some(topic) => Some(self.needs(s, NameKind::Topic, topic)),
            None => self.scope.only(NameKind::Topic).ok().map(str::to_owned),
        };
        let name = name.to_owned();
        let (selector, mode, threads) = (options.selector, options.mode, options.threads);
        self.push(
            s,
            4,
            Command::CreateProducer { name: name.clone(), topic, selector, mode, threads },
        );
        if let Some(proxy) = &options.proxy {
            let proxy = self.needs(s, NameKind::Proxy, proxy);
            self.push(s, 4, Command::Pop(PopCommand::UseProxy { party: name.clone(), proxy }));
        }
        self.producer_settings(s, &name, &options.settings);
    }

    /// Settings of a producer's SDK.
    pub(super) fn producer_settings(
        &mut self,
        s: &Sentence<'_>,
        producer: &str,
        settings: &[ProducerSetting],
    ) {
        for setting in settings {
            let command =
                PopCommand::SetProducer { producer: producer.to_owned(), setting: *setting };
            self.push(s, 4, Command::Pop(command));
        }
    }

    /// Processes and constants; the rest is in other files.
    fn event(&mut self, s: &mut Sentence<'_>, action: &Action) {
        match action {
            Action::Start { .. }
            | Action::Subscribe { .. }
            | Action::OwnKey { .. }
            | Action::Receive { .. }
            | Action::Ack { .. }
            | Action::ChangeInvisible { .. } => self.consumer(s, action),
            Action::Stop { name, how } => {
                let name = self.needs(s, NameKind::Consumer, name);
                self.push(s, 0, Command::StopConsumer { name, how: *how });
            }
            Action::Resume { name } => {
                match self.scope.one_of([NameKind::Consumer, NameKind::Group], name, s.problems) {
                    Some(NameKind::Group) => {
                        let setting = GroupSetting::Paused(false);
                        self.push(s, 0, Command::SetGroup { group: name.value.clone(), setting });
                    }
                    _ => self.push(s, 0, Command::ResumeConsumer { name: name.value.clone() }),
                }
            }
            Action::ProducerSettings { producer, settings } => {
                let producer = self.needs(s, NameKind::Producer, producer);
                self.producer_settings(s, &producer, settings);
            }
            Action::Set { constant, value } => {
                // Any release will do: the bounds are the same for all.
                let mut model = Model::of(Version(5, 3, 3));
                s.problems.extend(super::set(&mut model, constant, value));
                self.push(
                    s,
                    0,
                    Command::SetConstant { name: constant.value.clone(), value: value.value },
                );
            }
            _ => self.fault(s, action),
        }
    }

    pub(super) fn subscription(&self, s: &mut Sentence<'_>, reads: &Reads) -> Subscription {
        Subscription {
            topic: self.needs(s, NameKind::Topic, &reads.topic),
            tags: reads.tags.clone(),
        }
    }

    fn settings(&mut self, s: &Sentence<'_>, group: &str, settings: &[Spanned<GroupSetting>]) {
        for setting in settings {
            let command =
                Command::SetGroup { group: group.to_owned(), setting: setting.value.clone() };
            self.push(s, 3, command);
        }
    }
}
