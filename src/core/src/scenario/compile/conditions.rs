//! Resolves the names in conditions and finds what cannot be said.

use super::scope::Scope;
use crate::ids::Ms;
use crate::scenario::condition::{
    Condition, Filter, MessageEvent, Moment, OffsetKind, QueueEvent, QueueName, Term, When, Who,
};
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
                self.message_filter(*event, filter, span);
                self.when(when);
            }
            Term::InOrder { labels, event, filter, when }
            | Term::Exactly { event, labels, filter, when } => {
                labels.iter().for_each(|label| self.label(label));
                self.message_filter(*event, filter, span);
                self.when(when);
            }
            Term::Queue { queue, event, filter, when, .. } => {
                self.queue(queue);
                filter.queue = None;
                self.queue_filter(*event, filter, span);
                self.when(when);
            }
            Term::Client { client, when, .. } => {
                self.scope.needs(NameKind::Consumer, client, None, self.problems);
                self.when(when);
            }
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
                if *kind != OffsetKind::Max {
                    self.group(group, span);
                }
            }
            Term::Refused { at_ms } => self.last_ms = self.last_ms.max(*at_ms),
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
                    let problem = ProblemKind::WhichOne { kind: NameKind::Topic, count };
                    return self.problems.push(Problem::new(queue.id.span, problem));
                }
            },
        };
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
                    let problem = ProblemKind::WhichOne { kind: NameKind::Group, count };
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

    fn message_filter(&mut self, event: MessageEvent, filter: &mut Filter, span: Span) {
        use MessageEvent as E;
        let consuming =
            matches!(event, E::Delivered | E::Handled | E::Failed | E::Acknowledged | E::Discarded);
        let placed = consuming || matches!(event, E::Stored | E::DeadLettered);
        let applies = Applies {
            queue: placed || event == E::Sent,
            group: consuming || matches!(event, E::SentBack | E::DeadLettered),
            client: consuming || event == E::SentBack,
            offset: placed,
            attempt: matches!(event, E::Delivered | E::Handled | E::Failed),
            level: matches!(event, E::Scheduled | E::PutBack | E::SentBack),
            reason: event == E::Refused,
        };
        if let Some(queue) = &mut filter.queue {
            self.queue(queue);
        }
        self.filter(&applies, event.word(), filter, span);
    }

    fn queue_filter(&mut self, event: QueueEvent, filter: &Filter, span: Span) {
        use QueueEvent as E;
        let applies = Applies {
            queue: false,
            group: true,
            client: event != E::Committed,
            offset: matches!(event, E::Added | E::Pulled | E::Committed | E::Corrected),
            attempt: false,
            level: false,
            reason: false,
        };
        self.filter(&applies, event.word(), filter, span);
    }

    fn filter(&mut self, applies: &Applies, event: &'static str, filter: &Filter, span: Span) {
        self.name(NameKind::Group, filter.group.as_ref());
        self.name(NameKind::Consumer, filter.client.as_ref());
        let said: [(&'static str, bool, bool, Option<Span>); 7] = [
            (
                "in a queue",
                filter.queue.is_some(),
                applies.queue,
                filter.queue.as_ref().map(|q| q.id.span),
            ),
            (
                "in a group",
                filter.group.is_some(),
                applies.group,
                filter.group.as_ref().map(|n| n.span),
            ),
            (
                "by a consumer",
                filter.client.is_some(),
                applies.client,
                filter.client.as_ref().map(|n| n.span),
            ),
            ("at offset", filter.offset.is_some(), applies.offset, None),
            ("on attempt", filter.attempt.is_some(), applies.attempt, None),
            ("under level", filter.level.is_some(), applies.level, None),
            ("with", filter.reason.is_some(), applies.reason, None),
        ];
        for (word, is_said, applies, place) in said {
            if is_said && !applies {
                let problem = ProblemKind::DoesNotApply { word, event };
                self.problems.push(Problem::new(place.unwrap_or(span), problem));
            }
        }
    }
}

/// What can be said of an event.
struct Applies {
    queue: bool,
    group: bool,
    client: bool,
    offset: bool,
    attempt: bool,
    level: bool,
    reason: bool,
}
