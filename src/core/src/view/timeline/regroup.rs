//! The same calls told apart otherwise: by message group, which shows at a glance whether a group's
//! messages were handled one after the other, or by consumer, which shows who had how much to do.

use std::collections::BTreeMap;

use super::merge::Merger;
use super::spans::{Life, Span};
use super::window::add_pause;
use super::{BandView, Bar, Pause, PauseView, RowKey, RowView, Timeline, Window, MAX_LANES};
use crate::ids::{ClientId, MessageGroupId, Ms, MsgId};

/// A row while calls are put into it.
struct Open<'a> {
    merger: Merger<'a>,
    pauses: Vec<PauseView>,
    /// When each place among the calls of the same time is free again.
    free_ms: Vec<Ms>,
}

impl Timeline {
    /// The rows of message groups or consumers, in the order of `keys`. What belongs to none of
    /// them is left out. A queue has its own row: [`Timeline::row_view`].
    ///
    /// Calls of the same time stand one above the other in the order in which they began.
    pub fn rows_by(&self, keys: &[RowKey], window: &Window<'_>) -> Vec<RowView> {
        let mut rows: Vec<Open<'_>> = keys.iter().map(|_| Open::new(window)).collect();
        let places: BTreeMap<RowKey, usize> =
            keys.iter().enumerate().map(|(place, key)| (*key, place)).collect();
        let place = |msg: MsgId, client: ClientId| {
            let group = RowKey::MessageGroup(MessageGroupId((window.series)(msg)));
            places.get(&group).or_else(|| places.get(&RowKey::Consumer(client))).copied()
        };
        for bar in self.bars_in(window) {
            if let Some(place) = place(bar.what.msg, bar.what.client) {
                rows[place].add(bar, window.facts);
            }
        }
        for pause in self.pauses_in(window) {
            if let Some(place) = place(pause.what.msg, pause.what.client) {
                let pauses = &mut rows[place].pauses;
                add_pause(pauses, &pause, window.narrow_pause_ms(), window.facts);
            }
        }
        let finish =
            |(key, row): (&RowKey, Open<'_>)| row.finish(*key, self.processes_of(*key, window));
        keys.iter().zip(rows).map(finish).collect()
    }

    /// The calls of all queues, as they began.
    fn bars_in(&self, window: &Window<'_>) -> Vec<Span<Bar>> {
        let queues = self.rows.values();
        let mut bars: Vec<Span<Bar>> =
            queues.flat_map(|row| window.of(&row.bars, |bar| bar.client).copied()).collect();
        bars.sort_unstable_by_key(|span| span.life.from_fact);
        bars
    }

    /// The pauses of all queues, as they began.
    fn pauses_in(&self, window: &Window<'_>) -> Vec<Span<Pause>> {
        let queues = self.rows.values();
        let mut pauses: Vec<Span<Pause>> =
            queues.flat_map(|row| window.of(&row.pauses, |pause| pause.client).copied()).collect();
        pauses.sort_unstable_by_key(|span| span.life.from_fact);
        pauses
    }

    /// When a consumer's process was there; nothing for other rows.
    fn processes_of(&self, key: RowKey, window: &Window<'_>) -> Vec<BandView> {
        let band = |Span { life, what: client }: &Span<ClientId>| BandView {
            from_ms: life.from_ms,
            to_ms: life.end_ms(window.facts),
            client: *client,
        };
        let processes = window.of(&self.processes, |client| *client);
        processes.filter(|span| RowKey::Consumer(span.what) == key).map(band).collect()
    }
}

impl<'a> Open<'a> {
    fn new(window: &'a Window<'_>) -> Self {
        Self { merger: window.merger(), pauses: Vec::new(), free_ms: Vec::new() }
    }

    fn add(&mut self, mut bar: Span<Bar>, facts: u32) {
        let lane = self.lane(bar.life, facts);
        bar.what.lane = lane;
        self.merger.add(&bar, facts);
    }

    /// The first place that is free, or the last one.
    fn lane(&mut self, life: Life, facts: u32) -> u8 {
        let free = self.free_ms.iter().position(|free_ms| *free_ms <= life.from_ms);
        let most = usize::from(MAX_LANES);
        let lane = free.unwrap_or_else(|| self.free_ms.len().min(most - 1));
        if lane == self.free_ms.len() {
            self.free_ms.push(Ms::MIN);
        }
        self.free_ms[lane] = self.free_ms[lane].max(life.end_ms(facts));
        lane as u8
    }

    fn finish(self, key: RowKey, bands: Vec<BandView>) -> RowView {
        RowView {
            bands,
            pauses: self.pauses,
            bars: self.merger.bars,
            bits: self.merger.bits,
            lanes: (self.free_ms.len() as u8).max(1),
            ..RowView::empty(key)
        }
    }
}
