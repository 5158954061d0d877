//! Resolves the names in conditions and finds what cannot be said.

use super::applies::Applies;
use super::scope::Scope;
use crate::ids::Ms;
use crate::scenario::condition::{
    Condition, Filter, Moment, OffsetKind, QueueName, Term, When, Who,
};
use crate::scenario::events::ClientEvent;
use crate::scenario::problem::{Problem, ProblemKind};
use crate::scenario::slot::NameKind;
use crate::scenario::span::{Name, Span, Spanned};

/// Resolves a condition. A goal may speak of messages that a learner has yet to send.
pub(super) struct Resolver<'a> {
    pub scope: &'a Scope,
    pub problems: &'a mut Vec<Problem>,
    /// Whether messages have to be sent by a line.
    pub strict: bool,
    /// The last instant that a condition names.
    pub last_ms: Ms,
}

impl Resolver<'_> {
    /// The condition with its queues and groups filled in.
    pub fn condition(&mut self, condition: &Condition) -> Condition {
        match condition {
            Condition::Term(term) => {
                let mut term = term.clone();
                let span = term.span;
                self.term(&mut term.value, span);
                Condition::Term(term)
            }
            Condition::Not(inner) => Condition::Not(Box::new(self.condition(inner))),
            Condition::All(parts) => {
                Condition::All(parts.iter().map(|c| self.condition(c)).collect())
            }
            Condition::Any(parts) => {
                Condition::Any(parts.iter().map(|c| self.condition(c)).collect())
            }
        }
    }

    fn term(&mut self, term: &mut Term, span: Span) {
        match term {
            Term::Order { series, at, group, .. } => {
                // `in billing` after `order kept` may be a group as well as a series.
                if group.is_none() && series.len() == 1 && !self.scope.has_series(&series[0].value)
                {
                    let named =
                        self.scope.names(NameKind::Group).any(|name| name == series[0].value);
                    if named {
                        *group = series.pop();
                    }
                }
                for name in series.iter() {
                    self.series(name);
                }
                if let Some(label) = at {
                    self.label(label);
                }
                self.name(NameKind::Group, group.as_ref());
            }
            Term::OneOwner { group } => self.name(NameKind::Group, group.as_ref()),
            Term::Messages { who, event, filter, when, .. } => {
                if let Who::Each(labels) = who {
                    labels.iter().for_each(|label| self.label(label));
                }
                self.message_filter(&Applies::to_message(*event), event.word(), filter, span);
                self.when(when);
            }
            Term::InOrder { labels, event, filter, when }
            | Term::Exactly { event, labels, filter, when } => {
                labels.iter().for_each(|label| self.label(label));
                self.message_filter(&Applies::to_message(*event), event.word(), filter, span);
                self.when(when);
            }
            Term::Queue { queue, event, filter, when, .. } => {
                self.queue(queue);
                filter.queue = None;
                self.filter(&Applies::to_queue(*event), event.word(), filter, span);
                self.when(when);
            }
            Term::Client { client, event, code, when, .. } => {
                self.scope.needs(NameKind::Consumer, client, None, self.problems);
                if code.is_some() && *event != ClientEvent::ReceivedNothing {
                    let problem = ProblemKind::DoesNotApply { word: "with", event: event.word() };
                    self.problems.push(Problem::new(span, problem));
                }
                self.when(when);
            }
            Term::Party { party, when, .. } => {
                self.scope.needs(NameKind::Party, party, None, self.problems);
                self.when(when);
            }
            Term::Invisible { labels, at_ms, group, .. } => {
                labels.iter().for_each(|label| self.label(label));
                self.last_ms = self.last_ms.max(*at_ms);
                self.name(NameKind::Group, group.as_ref());
            }
            Term::Grouped { labels, .. } => labels.iter().for_each(|label| self.label(label)),
            Term::Owner { queue, owner, at_ms, group } => {
                self.queue(queue);
                self.last_ms = self.last_ms.max(*at_ms);
                self.name(NameKind::Consumer, owner.as_ref());
                let of_owner = owner
                    .as_ref()
                    .and_then(|owner| self.scope.group_of(&owner.value))
                    .map(str::to_owned);
                match (&group, of_owner) {
                    (None, Some(of_owner)) => *group = Some(Spanned { value: of_owner, span }),
                    _ => self.group(group, span),
                }
            }
            Term::Offset { kind, queue, at_ms, group, .. } => {
                self.queue(queue);
                self.last_ms = self.last_ms.max(at_ms.unwrap_or(0));
                if matches!(kind, OffsetKind::Consumer | OffsetKind::Lag) {
                    self.group(group, span);
                }
            }
            Term::Refused { at_ms, .. } => self.last_ms = self.last_ms.max(*at_ms),
        }
    }

    fn name(&mut self, kind: NameKind, name: Option<&Name>) {
        if let Some(name) = name {
            self.scope.needs(kind, name, None, self.problems);
        }
    }

    fn label(&mut self, label: &Spanned<crate::command::Label>) {
        if self.strict {
            self.scope.sent(label, self.problems);
        }
    }

    fn series(&mut self, name: &Name) {
        if !self.strict || self.scope.has_series(&name.value) {
            return;
        }
        let problem = ProblemKind::UnknownName {
            kind: NameKind::Series,
            name: name.value.clone(),
            instead: None,
        };
        let near = crate::scenario::nearest::nearest(&name.value, self.scope.series().into_iter())
            .map(str::to_owned);
        self.problems.push(Problem::new(name.span, problem).with_fix(near));
    }

    /// Fills in the only topic, and checks the queue id.
    fn queue(&mut self, queue: &mut QueueName) {
        let topic = match &queue.topic {
            Some(topic) => {
                self.scope.needs(NameKind::Topic, topic, None, self.problems);
                topic.value.clone()
            }
            None => match self.scope.only(NameKind::Topic) {
                Ok(topic) => topic.to_owned(),
                Err(count) => {
                    let form = "TOPIC q0";
                    let problem = ProblemKind::WhichOne { kind: NameKind::Topic, count, form };
                    return self.problems.push(Problem::new(queue.id.span, problem));
                }
            },
        };
        self.name(NameKind::Broker, queue.broker.as_ref());
        if let Some(queues) =
            self.scope.queues_of(&topic).filter(|queues| queue.id.value >= *queues)
        {
            let problem =
                ProblemKind::NoSuchQueue { topic: topic.clone(), id: queue.id.value, queues };
            self.problems.push(Problem::new(queue.id.span, problem));
        }
        let span = queue.id.span;
        queue.topic.get_or_insert(Spanned { value: topic, span });
    }

    /// Fills in the only group.
    fn group(&mut self, group: &mut Option<Name>, span: Span) {
        match group {
            Some(name) => self.scope.needs(NameKind::Group, name, None, self.problems),
            None => match self.scope.only(NameKind::Group) {
                Ok(name) => *group = Some(Spanned { value: name.to_owned(), span }),
                Err(count) => {
                    let form = "in GROUP";
                    let problem = ProblemKind::WhichOne { kind: NameKind::Group, count, form };
                    self.problems.push(Problem::new(span, problem));
                }
            },
        }
    }

    fn when(&mut self, when: &When) {
        let ms = match when {
            When::Ever => 0,
            When::At(ms) | When::Between(_, ms) => *ms,
            When::Before(Moment::Time(ms)) | When::After(Moment::Time(ms)) => *ms,
            When::Before(Moment::Event(label, _)) | When::After(Moment::Event(label, _)) => {
                self.label(label);
                0
            }
        };
        self.last_ms = self.last_ms.max(ms);
    }

    fn message_filter(
        &mut self,
        applies: &Applies,
        event: &'static str,
        filter: &mut Filter,
        span: Span,
    ) {
        if let Some(queue) = &mut filter.queue {
            self.queue(queue);
        }
        self.filter(applies, event, filter, span);
    }

    fn filter(&mut self, applies: &Applies, event: &'static str, filter: &Filter, span: Span) {
        self.name(NameKind::Group, filter.group.as_ref());
        self.name(NameKind::Consumer, filter.client.as_ref());
        self.name(NameKind::Broker, filter.broker.as_ref());
        let place = |name: &Option<Name>| name.as_ref().map(|n| n.span);
        let queue = filter.queue.as_ref().map(|q| q.id.span);
        let unplaced = |said: bool| said.then_some(span);
        let said: [(&'static str, Option<Span>, bool); 10] = [
            ("in QUEUE", queue, applies.queue),
            ("on BROKER", place(&filter.broker), applies.queue),
            ("in GROUP", place(&filter.group), applies.group),
            ("by CONSUMER", place(&filter.client), applies.client),
            ("at offset NUMBER", unplaced(filter.offset.is_some()), applies.offset),
            ("on attempt NUMBER", unplaced(filter.attempt.is_some()), applies.attempt),
            ("under level NUMBER", unplaced(filter.level.is_some()), applies.level),
            ("until TIME", unplaced(filter.until_ms.is_some()), applies.until),
            ("with", unplaced(filter.reason.is_some()), applies.reason),
            ("with", unplaced(filter.code.is_some()), applies.code),
        ];
        for (word, place, applies) in said {
            if let (Some(place), false) = (place, applies) {
                self.problems.push(Problem::new(place, ProblemKind::DoesNotApply { word, event }));
            }
        }
    }
}
