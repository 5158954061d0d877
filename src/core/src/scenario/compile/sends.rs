//! Commands from the sentences that send messages.

use super::commands::{Commands, Sentence};
use crate::command::{Command, Label, Load, MessageSpec, TransactionScript};
use crate::pop::PopCommand;
use crate::scenario::action::{Action, MessageOptions, RequestPart, SendOptions};
use crate::scenario::problem::{Problem, ProblemKind};
use crate::scenario::slot::NameKind;
use crate::scenario::span::{Name, Spanned};

/// The message of a label with what a sentence says about it: the first of the options that does.
fn message(label: &Label, options: &[&MessageOptions]) -> MessageSpec {
    fn first<T>(
        options: &[&MessageOptions],
        get: impl Fn(&MessageOptions) -> Option<T>,
    ) -> Option<T> {
        options.iter().copied().find_map(get)
    }
    let plain = MessageSpec::new(&label.series, label.number);
    MessageSpec {
        tag: first(options, |o| o.tag.clone()),
        key: first(options, |o| o.key.clone())
            .map(|key| key.replace("{n}", &label.number.to_string())),
        delay_level: first(options, |o| o.delay_level).unwrap_or(0),
        timer_delay_ms: first(options, |o| o.timer_delay_ms).unwrap_or(0),
        travel_ms: first(options, |o| o.travel_ms).unwrap_or(0),
        body_bytes: first(options, |o| o.body_bytes).unwrap_or(plain.body_bytes),
        ..plain
    }
}

impl Commands<'_> {
    /// Sentences that send messages.
    pub(super) fn sends(&mut self, s: &mut Sentence<'_>, action: &Action) {
        match action {
            Action::Send { producer, labels, options } => self.send(s, producer, labels, options),
            Action::SendTogether { producer, parts, options } => {
                self.together(s, producer, parts, options);
            }
            Action::Transaction { producer, label, script, options } => {
                self.transaction(s, producer, (label, script), options);
            }
            _ => self.load(s, action),
        }
    }

    /// `p1 sends 1000 messages`.
    fn load(&mut self, s: &mut Sentence<'_>, action: &Action) {
        let Action::Load { producer, topic, count, groups, per_second, skew_percent } = action
        else {
            return;
        };
        let (producer, topic) = self.sender(s, producer, topic.as_ref());
        let load = Load {
            count: *count,
            groups: *groups,
            per_second: *per_second,
            skew_percent: *skew_percent,
            beside: self.scope.series().into_iter().map(str::to_owned).collect(),
        };
        self.push(s, 0, Command::SendLoad { producer, topic, load });
        let lasts_ms = i64::from(*count) * 1_000 / i64::from(*per_second).max(1);
        self.last_ms = self.last_ms.max(s.at_ms.saturating_add(lasts_ms));
    }

    /// A producer and the topic that a sentence sends to; one of them has to name a topic.
    fn sender(
        &self,
        s: &mut Sentence<'_>,
        producer: &Name,
        topic: Option<&Name>,
    ) -> (String, Option<String>) {
        let name = self.needs(s, NameKind::Producer, producer);
        let topic = topic.map(|topic| self.needs(s, NameKind::Topic, topic));
        if topic.is_none() {
            if let Err(count) = self.scope.topic_of(&name) {
                let form = "to TOPIC";
                let problem = ProblemKind::WhichOne { kind: NameKind::Topic, count, form };
                s.problems.push(Problem::new(producer.span, problem));
            }
        }
        (name, topic)
    }

    /// `p1 sends A1 A2`.
    fn send(
        &mut self,
        s: &mut Sentence<'_>,
        producer: &Name,
        labels: &[Spanned<Label>],
        options: &SendOptions,
    ) {
        let (producer, topic) = self.sender(s, producer, options.topic.as_ref());
        let messages: Vec<MessageSpec> =
            labels.iter().map(|l| message(&l.value, &[&options.message])).collect();
        let lasts_ms = options.every_ms.saturating_mul(messages.len().saturating_sub(1) as i64);
        let command = Command::Send {
            producer,
            topic,
            thread: options.thread,
            messages,
            every_ms: options.every_ms,
        };
        self.push(s, 0, command);
        self.last_ms = self.last_ms.max(s.at_ms.saturating_add(lasts_ms));
    }

    /// `p1 sends A1 A2 in one request`.
    fn together(
        &mut self,
        s: &mut Sentence<'_>,
        producer: &Name,
        parts: &[RequestPart],
        options: &SendOptions,
    ) {
        let (producer, topic) = self.sender(s, producer, options.topic.as_ref());
        let of_part = |part: &RequestPart| -> Vec<MessageSpec> {
            let said = [&part.options, &options.message];
            part.labels.iter().map(|l| message(&l.value, &said)).collect()
        };
        let messages = parts.iter().flat_map(of_part).collect();
        let command =
            PopCommand::SendTogether { producer, topic, thread: options.thread, messages };
        self.push(s, 0, Command::Pop(command));
    }

    /// `p1 sends A1 in a transaction that commits`.
    fn transaction(
        &mut self,
        s: &mut Sentence<'_>,
        producer: &Name,
        (label, script): (&Spanned<Label>, &TransactionScript),
        options: &SendOptions,
    ) {
        let (producer, topic) = self.sender(s, producer, options.topic.as_ref());
        let command = Command::SendTransaction {
            producer,
            topic,
            thread: options.thread,
            message: message(&label.value, &[&options.message]),
            script: script.clone(),
        };
        self.push(s, 0, command);
        self.last_ms = self.last_ms.max(s.at_ms.saturating_add(script.after_ms));
    }
}
