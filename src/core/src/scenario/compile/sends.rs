//! Commands from the sentences that send messages.

use super::commands::{Commands, Sentence};
use crate::command::{Command, Label, Load, MessageSpec};
use crate::scenario::ast::{Action, SendOptions};
use crate::scenario::problem::{Problem, ProblemKind};
use crate::scenario::slot::NameKind;
use crate::scenario::span::{Name, Spanned};

impl Commands<'_> {
    /// `p1 sends 1000 messages`.
    pub(super) fn load(&mut self, s: &mut Sentence<'_>, action: &Action) {
        let Action::Load { producer, topic, count, groups, per_second, skew_percent } = action
        else {
            return;
        };
        let (producer, topic) = self.producer(s, producer, topic.as_ref());
        let load = Load {
            count: *count,
            groups: *groups,
            per_second: *per_second,
            skew_percent: *skew_percent,
        };
        self.push(s, 0, Command::SendLoad { producer, topic, load });
        let lasts_ms = i64::from(*count) * 1_000 / i64::from(*per_second).max(1);
        self.last_ms = self.last_ms.max(s.at_ms.saturating_add(lasts_ms));
    }

    /// A producer and the topic that a sentence sends to; one of them has to name a topic.
    fn producer(
        &self,
        s: &mut Sentence<'_>,
        producer: &Name,
        topic: Option<&Name>,
    ) -> (String, Option<String>) {
        let name = self.needs(s, NameKind::Producer, producer);
        let topic = topic.map(|topic| self.needs(s, NameKind::Topic, topic));
        if topic.is_none() {
            if let Err(count) = self.scope.topic_of(&name) {
                let problem = ProblemKind::WhichOne { kind: NameKind::Topic, count };
                s.problems.push(Problem::new(producer.span, problem));
            }
        }
        (name, topic)
    }

    /// `p1 sends A1 A2`.
    pub(super) fn send(
        &mut self,
        s: &mut Sentence<'_>,
        producer: &Name,
        labels: &[Spanned<Label>],
        options: &SendOptions,
    ) {
        let (producer, topic) = self.producer(s, producer, options.topic.as_ref());
        let spec = |label: &Spanned<Label>| {
            let plain = MessageSpec::new(&label.value.series, label.value.number);
            MessageSpec {
                tag: options.tag.clone(),
                key: options
                    .key
                    .as_ref()
                    .map(|key| key.replace("{n}", &label.value.number.to_string())),
                delay_level: options.delay_level,
                timer_delay_ms: options.timer_delay_ms,
                travel_ms: options.travel_ms,
                body_bytes: options.body_bytes.unwrap_or(plain.body_bytes),
                ..plain
            }
        };
        let messages: Vec<MessageSpec> = labels.iter().map(spec).collect();
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
}
