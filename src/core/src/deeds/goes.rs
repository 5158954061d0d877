//! The message group of a message that is sent by hand, and the queue that it will go to.

use super::send::{free_series, is_of_load, is_plain};
use super::{Draft, Wrong};
use crate::command::Selector;
use crate::explain::Run;
use crate::ids::MessageQueue;
use crate::producer::selected_index;
use crate::routing::{java_hash, selected};
use crate::scenario::parse_label;
use crate::shared::MessageGroup;
use crate::view::known::known_queues;

/// The series of a message group as people have named it: by the series' own name, by the name of the
/// message group, or by a name that nobody has used yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    /// The series.
    pub series: String,
    /// The message group that the series has to be declared with first.
    pub declared: Option<String>,
}

impl Chosen {
    /// What `text` names.
    pub fn of(run: &Run<'_>, text: &str) -> Result<Self, Wrong> {
        let text = text.trim();
        let names = &run.world.shared.names;
        let own = |series: &str| Self { series: series.to_owned(), declared: None };
        let named = names.series.iter().find(|s| s.key.as_deref() == Some(text));
        // A message of the run is no message group.
        let is_label =
            || parse_label(text).is_some_and(|label| names.series(&label.series).is_some());
        let chosen = match () {
            () if !is_plain(text) || text.is_empty() => return Err(Wrong::NoSeries),
            () if names.series(text).is_some() => own(text),
            () if named.is_some() => named.map(|s| own(&s.name)).ok_or(Wrong::NoSeries)?,
            () if is_label() => return Err(Wrong::NoSeries),
            // A word that labels can begin with is a series that is called like its message group.
            () if is_series(text) => own(text),
            () => Self { series: free_series(run), declared: Some(text.to_owned()) },
        };
        match is_of_load(run, &chosen.series) {
            true => Err(Wrong::OfLoad),
            false => Ok(chosen),
        }
    }

    /// The message group, as the run has it or will have it.
    fn group(&self, run: &Run<'_>) -> MessageGroup {
        let names = &run.world.shared.names;
        let known = names.series(&self.series).filter(|_| self.declared.is_none());
        known.map(|id| names.series[id.index()].clone()).unwrap_or_else(|| {
            let key = self.declared.clone().unwrap_or_else(|| self.series.clone());
            let hash = java_hash(&key);
            MessageGroup { name: self.series.clone(), key: Some(key), hash }
        })
    }
}

/// Whether labels can begin with a word: `A` and `order-`, not `order-7`.
fn is_series(word: &str) -> bool {
    parse_label(&format!("{word}1")).is_some_and(|label| label.series == word)
}

impl Draft {
    /// The queue that the messages will go to; None where the queues take turns, where a selector throws,
    /// and while something is wrong with the form.
    pub fn queue(&self, run: &Run<'_>) -> Option<MessageQueue> {
        let names = &run.world.shared.names;
        let producer = run.world.producers.get(names.producer(&self.producer)?.index())?;
        let topic = names.topic(&self.topic)?;
        let group = Chosen::of(run, &self.series).ok()?.group(run);
        let queues = known_queues(run.world, producer, topic);
        let n = queues.len() as u32;
        // Transactions are sent without a selector.
        let fixed = matches!(producer.selector, Selector::Queue(_));
        let in_turn = group.key.is_none() || self.decides(run).is_some();
        let index = selected_index(producer.selector, &group, n as usize)
            .filter(|_| fixed || !in_turn)
            .and_then(|index| selected(index, n))?;
        match fixed {
            true => queues.first().map(|first| MessageQueue { id: index as u16, ..*first }),
            false => queues.get(index as usize).copied(),
        }
    }
}
