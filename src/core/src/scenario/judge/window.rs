//! Instants and counts: whether what happened, happened when and as often as it should.

use super::evidence::Evidence;
use super::State;
use crate::ids::Ms;
use crate::scenario::condition::{Moment, Times, When};

/// When something should happen, with its moment looked up in a run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Window {
    Ever,
    /// Before or after an instant.
    Before(Ms),
    After(Ms),
    /// Before or after a fact, if it has happened.
    BeforeFact(Option<usize>),
    AfterFact(Option<usize>),
    Between(Ms, Ms),
}

impl Window {
    pub fn of(when: &When, evidence: &Evidence<'_>) -> Self {
        match when {
            When::Ever => Window::Ever,
            When::Before(Moment::Time(ms)) => Window::Before(*ms),
            When::After(Moment::Time(ms)) => Window::After(*ms),
            When::Before(Moment::Event(label, event)) => {
                Window::BeforeFact(evidence.first(label, *event))
            }
            When::After(Moment::Event(label, event)) => {
                Window::AfterFact(evidence.first(label, *event))
            }
            When::At(ms) => Window::Between(*ms, *ms),
            When::Between(from, to) => Window::Between(*from, *to),
        }
    }

    /// Whether a fact lies inside.
    pub fn holds(self, evidence: &Evidence<'_>, fact: usize) -> bool {
        let at_ms = evidence.facts[fact].at_ms;
        match self {
            Window::Ever => true,
            Window::Before(ms) => at_ms < ms,
            Window::After(ms) => at_ms > ms,
            Window::BeforeFact(place) => place.is_none_or(|place| fact < place),
            Window::AfterFact(place) => place.is_some_and(|place| fact > place),
            Window::Between(from, to) => (from..=to).contains(&at_ms),
        }
    }

    /// Whether nothing that happens from now on can lie inside.
    pub fn closed(self, evidence: &Evidence<'_>) -> bool {
        evidence.ended
            || match self {
                Window::Before(ms) => evidence.now_ms >= ms,
                Window::Between(_, to) => evidence.now_ms > to,
                Window::BeforeFact(place) => place.is_some(),
                Window::Ever | Window::After(_) | Window::AfterFact(_) => false,
            }
    }

    /// Judges the places of what happened (ascending). Without a count, `before` and `after` look
    /// at the first time only.
    pub fn judge(self, evidence: &Evidence<'_>, places: &[usize], times: Option<Times>) -> State {
        let inside = places.iter().filter(|place| self.holds(evidence, **place)).count();
        let inside = u32::try_from(inside).unwrap_or(u32::MAX);
        let Some(times) = times else {
            let first_decides = matches!(
                self,
                Window::Before(_) | Window::After(_) | Window::BeforeFact(_) | Window::AfterFact(_)
            );
            return match places.first() {
                Some(first) if first_decides => State::of(self.holds(evidence, *first)),
                _ if inside > 0 => State::Holds,
                _ if self.closed(evidence) => State::Fails,
                _ => State::Open,
            };
        };
        let enough = inside >= times.min;
        let too_many = times.max.is_some_and(|max| inside > max);
        match () {
            _ if too_many => State::Fails,
            _ if enough && times.max.is_none() => State::Holds,
            _ if self.closed(evidence) => State::of(enough),
            _ => State::Open,
        }
    }
}
