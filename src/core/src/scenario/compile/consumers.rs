//! Commands from the sentences about consumer processes.

use super::commands::{Commands, Sentence};
use crate::command::{Command, Subscription};
use crate::pop::{GrpcKind, PopCommand, SimpleMode};
use crate::scenario::action::{
    Action, ConsumerKind, ConsumerOptions, OwnKey, Reads, ReceiveOptions,
};
use crate::scenario::problem::{Problem, ProblemKind};
use crate::scenario::slot::NameKind;
use crate::scenario::span::{Name, Span, Spanned};

/// What a receive asks for when nothing is said: RocketMQ's own example of a `SimpleConsumer`.
const RECEIVE_MAX: u32 = 16;
const RECEIVE_INVISIBLE_MS: i64 = 15_000;
const RECEIVE_AWAIT_MS: i64 = 30_000;

/// Messages, invisible time and waiting time of a receive.
fn receive(options: &ReceiveOptions) -> (u32, i64, i64) {
    fn or<T: Copy>(said: &Option<Spanned<T>>, default: T) -> T {
        said.as_ref().map_or(default, |s| s.value)
    }
    (
        or(&options.max, RECEIVE_MAX),
        or(&options.invisible_ms, RECEIVE_INVISIBLE_MS),
        or(&options.await_ms, RECEIVE_AWAIT_MS),
    )
}

impl ConsumerKind {
    fn word(self) -> &'static str {
        match self {
            Self::Push => "push",
            Self::GrpcPush => "grpc push",
            Self::SimpleByHand => "simple by hand",
            Self::SimpleLoop => "simple in a loop",
        }
    }
}

impl Commands<'_> {
    /// Sentences about a consumer that exists.
    pub(super) fn consumer(&mut self, s: &mut Sentence<'_>, action: &Action) {
        match action {
            Action::Start { name, anew: Some((group, options)) } => {
                self.needs(s, NameKind::Consumer, name);
                self.start(s, &name.value, group, options);
            }
            Action::Start { name, anew: None } => {
                let consumer = self.needs(s, NameKind::Consumer, name);
                if let Some(command) = self.consumers.get(&consumer).cloned() {
                    self.push(s, 0, command);
                }
            }
            Action::Subscribe { consumer, reads } => {
                let consumer = self.needs(s, NameKind::Consumer, consumer);
                self.subscribe(s, consumer, reads);
            }
            Action::OwnKey { consumer, own } => {
                let consumer = self.needs(s, NameKind::Consumer, consumer);
                self.own_key(s, consumer, own);
            }
            Action::Receive { consumer, options } => {
                let consumer = self.needs(s, NameKind::Consumer, consumer);
                let (max, invisible_ms, await_ms) = receive(options);
                let command = PopCommand::Receive { consumer, max, invisible_ms, await_ms };
                self.push(s, 0, Command::Pop(command));
            }
            Action::Ack { consumer, labels } => {
                let consumer = self.needs(s, NameKind::Consumer, consumer);
                let messages: Vec<_> = match labels {
                    None => vec![None],
                    Some(labels) => labels.iter().map(|l| Some(l.value.clone())).collect(),
                };
                for label in labels.iter().flatten() {
                    self.scope.sent(label, s.problems);
                }
                for message in messages {
                    let consumer = consumer.clone();
                    self.push(s, 0, Command::Pop(PopCommand::Ack { consumer, message }));
                }
            }
            Action::ChangeInvisible { consumer, label, invisible_ms } => {
                let consumer = self.needs(s, NameKind::Consumer, consumer);
                self.scope.sent(label, s.problems);
                let (message, invisible_ms) = (label.value.clone(), *invisible_ms);
                let command = PopCommand::ChangeInvisible { consumer, message, invisible_ms };
                self.push(s, 0, Command::Pop(command));
            }
            _ => {}
        }
    }

    /// The start of a consumer, and what it is told before it starts.
    pub(super) fn start(
        &mut self,
        s: &mut Sentence<'_>,
        name: &str,
        group: &Name,
        options: &ConsumerOptions,
    ) {
        check_options(s, options);
        let name = name.to_owned();
        let group = self.needs(s, NameKind::Group, group);
        if let Some(proxy) = &options.proxy {
            let proxy = self.needs(s, NameKind::Proxy, proxy);
            self.push(s, 6, Command::Pop(PopCommand::UseProxy { party: name.clone(), proxy }));
        }
        if let Some(reads) = &options.reads {
            self.subscribe(s, name.clone(), reads);
        }
        if let Some(own) = &options.own_key {
            self.own_key(s, name.clone(), own);
        }
        let threads = options.threads.as_ref().map(|t| t.value);
        let (max, invisible_ms, await_ms) = receive(&options.receive);
        let loops = threads.unwrap_or(1);
        let start = |kind, threads| {
            let (name, group) = (name.clone(), group.clone());
            Command::Pop(PopCommand::Start { name, group, kind, threads })
        };
        let command = match options.kind {
            ConsumerKind::Push => {
                Command::StartConsumer { name: name.clone(), group: group.clone(), threads }
            }
            ConsumerKind::GrpcPush => start(GrpcKind::Push, threads),
            ConsumerKind::SimpleByHand => start(GrpcKind::Simple(SimpleMode::Scripted), None),
            ConsumerKind::SimpleLoop => {
                let mode = SimpleMode::Loops { max, invisible_ms, await_ms, loops };
                start(GrpcKind::Simple(mode), None)
            }
        };
        self.consumers.insert(name, command.clone());
        self.push(s, 6, command);
    }

    fn subscribe(&mut self, s: &mut Sentence<'_>, consumer: String, reads: &[Reads]) {
        let subscriptions: Vec<Subscription> =
            reads.iter().map(|r| self.subscription(s, r)).collect();
        self.push(s, 6, Command::Subscribe { consumer, subscriptions });
    }

    fn own_key(&mut self, s: &Sentence<'_>, consumer: String, own: &OwnKey) {
        let (key, foreign) = (own.key.clone(), own.foreign);
        self.push(s, 6, Command::OwnKey { consumer, key, foreign });
    }
}

/// Finds options that a kind of consumer does not have.
fn check_options(s: &mut Sentence<'_>, options: &ConsumerOptions) {
    let kind = options.kind;
    let in_loop = kind == ConsumerKind::SimpleLoop;
    let receive = &options.receive;
    let said: [(&'static str, Option<Span>, bool); 5] = [
        ("max-message-num", receive.max.as_ref().map(|v| v.span), in_loop),
        ("invisible-duration", receive.invisible_ms.as_ref().map(|v| v.span), in_loop),
        ("await-duration", receive.await_ms.as_ref().map(|v| v.span), in_loop),
        ("threads", options.threads.as_ref().map(|v| v.span), kind != ConsumerKind::SimpleByHand),
        ("through PROXY", options.proxy.as_ref().map(|v| v.span), kind != ConsumerKind::Push),
    ];
    for (word, span, applies) in said {
        if let (Some(span), false) = (span, applies) {
            let problem = ProblemKind::DoesNotApply { word, event: kind.word() };
            s.problems.push(Problem::new(span, problem));
        }
    }
}
