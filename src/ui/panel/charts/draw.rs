//! From the projection to drawings: which line matters most, what stands at its end, which words say
//! the same without the picture.

use lockstep_core::ids::Ms;
use lockstep_core::view::charts::{Bucket, ChartsView, Quantiles};

use super::rows::{selected_queue, without_progress};
use super::OVER_TIME;
use crate::app::frame::Frame;
use crate::i18n::views::ChartsText;
use crate::i18n::{left, number};
use crate::ui::plot::{
    columns, lines, shares, ticks, Column, Columns, Line, Lines, Margins, Rank, Share, Shares,
};

/// Height of a chart over time in pixels.
const HEIGHT_PX: u32 = 236;

/// The hottest message group of the fullest queue is shown from this part of its messages on, in
/// hundredths.
const HOT_PER_CENT: u32 = 25;

/// A chart that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Its name in the page.
    pub key: &'static str,
    /// Heading.
    pub title: String,
    /// What it shows, in one line.
    pub note: String,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Shapes.
    pub svg: String,
    /// The same in words.
    pub alt: String,
    /// Beginning and end of its time axis and the present, where it has one.
    pub over_time: Option<(Ms, Ms, Ms)>,
}

/// All charts that have something to show.
pub fn charts(frame: &Frame, view: &ChartsView, width: u32, end_ms: Ms) -> Vec<Chart> {
    if view.lag.is_empty() || view.buckets.is_empty() {
        return Vec::new();
    }
    let paper = Paper { frame, view, width, end_ms, texts: ChartsText(frame.locale) };
    let mut charts = vec![paper.lag()];
    if view.groups.len() > 1 {
        charts.push(paper.group_lag());
    }
    charts.extend([paper.latency(), paper.time(), paper.load(), paper.rate(), paper.waiting()]);
    charts
}

struct Paper<'a> {
    frame: &'a Frame,
    view: &'a ChartsView,
    width: u32,
    end_ms: Ms,
    texts: ChartsText,
}

fn rank(place: usize) -> Rank {
    match place {
        0 => Rank::First,
        1 => Rank::Second,
        _ => Rank::Rest,
    }
}

impl Paper<'_> {
    fn over_time(&self, lines_: Vec<Line>, log: bool, hatched: (Vec<(Ms, Ms)>, String)) -> String {
        lines(&Lines {
            size: (self.width, HEIGHT_PX),
            margins: OVER_TIME,
            from_ms: self.view.from_ms,
            end_ms: self.end_ms,
            now_ms: self.view.now_ms,
            lines: lines_,
            log,
            hatched,
        })
    }

    fn chart(
        &self,
        key: &'static str,
        title: &str,
        note: String,
        svg: String,
        alt: String,
    ) -> Chart {
        Chart {
            key,
            title: title.to_owned(),
            note,
            size: (self.width, HEIGHT_PX),
            svg,
            alt,
            over_time: Some((self.view.from_ms, self.end_ms, self.view.now_ms)),
        }
    }

    /// The stretches in which the queue to look at stood still.
    fn stood(&self) -> (Vec<(Ms, Ms)>, String) {
        let first = self.view.ranked(selected_queue(self.frame)).first().copied();
        let lag = first.and_then(|place| self.view.lag.get(place));
        lag.map_or((Vec::new(), String::new()), |lag| {
            let name =
                if lag.stood.is_empty() { String::new() } else { self.texts.stood(&lag.name) };
            (lag.stood.clone(), name)
        })
    }

    fn lag(&self) -> Chart {
        let (view, texts) = (self.view, self.texts);
        let ranked = view.ranked(selected_queue(self.frame));
        // The most important lie above the others.
        let drawn = ranked.iter().enumerate().rev().map(|(place, queue)| {
            let lag = &view.lag[*queue];
            let name = if place < 2 { lag.name.to_string() } else { String::new() };
            Line { pieces: vec![lag.points.clone()], rank: rank(place), name }
        });
        let svg = self.over_time(drawn.collect(), false, self.stood());
        let alt = ranked.first().map_or(String::new(), |queue| {
            let lag = &view.lag[*queue];
            texts.lag_alt(&lag.name, &number(lag.peak), &number(lag.now))
        });
        self.chart("lag", texts.lag(), texts.lag_note().to_owned(), svg, alt)
    }

    fn group_lag(&self) -> Chart {
        let (groups, texts) = (&self.view.groups, self.texts);
        let drawn = groups.iter().enumerate().rev().map(|(place, group)| Line {
            pieces: vec![group.points.clone()],
            rank: rank(place),
            name: group.name.to_string(),
        });
        let svg = self.over_time(drawn.collect(), false, (Vec::new(), String::new()));
        let now: Vec<String> =
            groups.iter().map(|group| format!("{} {}", group.name, number(group.now))).collect();
        let alt = texts.group_lag_alt(&now.join(", "));
        self.chart("group-lag", texts.group_lag(), texts.group_lag_note().to_owned(), svg, alt)
    }

    fn latency(&self) -> Chart {
        let (view, texts) = (self.view, self.texts);
        let line = |rank, name: &str, pick: &dyn Fn(&Bucket) -> Option<u32>| Line {
            pieces: pieces(&view.buckets, pick),
            rank,
            name: name.to_owned(),
        };
        let of = |f: fn(Quantiles) -> u32| move |bucket: &Bucket| bucket.latency.map(f);
        let drawn = vec![
            line(Rank::Rest, texts.calls(), &|bucket| bucket.calls.map(|q| q.p50)),
            line(Rank::Rest, texts.max(), &of(|q| q.max)),
            line(Rank::Second, "p95", &of(|q| q.p95)),
            line(Rank::First, "p50", &of(|q| q.p50)),
        ];
        let svg = self.over_time(drawn, true, self.stood());
        let last = view.buckets.iter().rev().find_map(|bucket| bucket.latency);
        let alt = last.map_or(texts.latency().to_owned(), |q| {
            texts.latency_alt(&left(q.p50.into()), &left(q.max.into()))
        });
        self.chart("latency", texts.latency(), texts.latency_note().to_owned(), svg, alt)
    }

    fn rate(&self) -> Chart {
        let (view, texts) = (self.view, self.texts);
        let line = |rank, name: &str, pick: fn(&Bucket) -> u32| Line {
            pieces: vec![per_second(&view.buckets, pick)],
            rank,
            name: name.to_owned(),
        };
        let drawn = vec![
            line(Rank::Second, texts.stored(), |bucket| bucket.stored),
            line(Rank::First, texts.handled(), |bucket| bucket.handled),
        ];
        let svg = self.over_time(drawn, false, (Vec::new(), String::new()));
        let sum = |pick: fn(&Bucket) -> u32| {
            number(view.buckets.iter().map(|bucket| i64::from(pick(bucket))).sum())
        };
        let alt = texts.rate_alt(&sum(|b| b.stored), &sum(|b| b.handled));
        self.chart("rate", texts.rate(), texts.rate_note().to_owned(), svg, alt)
    }

    fn time(&self) -> Chart {
        let (view, texts) = (self.view, self.texts);
        let span_ms = view.now_ms - view.from_ms;
        let rows = view.time.iter().map(|time| {
            let spent = time.spent;
            Share {
                name: time.name.to_string(),
                parts: [spent.handling_ms, spent.suspended_ms, spent.unowned_ms],
                note: left(without_progress(spent)),
            }
        });
        let chart = Shares {
            width: self.width,
            margins: Margins { left: 48, top: 2, right: 66, bottom: 26 },
            end_ms: span_ms,
            rows: rows.collect(),
        };
        let worst = view.time.iter().max_by_key(|time| without_progress(time.spent));
        let alt = worst.map_or(String::new(), |time| {
            texts.time_alt(&time.name, &left(without_progress(time.spent)))
        });
        let note = texts.time_note(&ticks::duration(span_ms / 1_000 * 1_000));
        let size = chart.size();
        let drawn = self.chart("time", texts.time(), note, shares(&chart), alt);
        Chart { size, over_time: None, ..drawn }
    }

    fn load(&self) -> Chart {
        let (view, texts) = (self.view, self.texts);
        let fullest = view.load.iter().max_by_key(|load| load.messages);
        let hot = fullest.and_then(|load| {
            let (_, letter, hue, count) = load.hottest.as_ref()?;
            let part = count * 100 / load.messages.max(1);
            (view.load.len() > 1 && part >= HOT_PER_CENT)
                .then(|| (load.queue, (i64::from(*count), *hue, letter.to_string()), part))
        });
        let bars = view.load.iter().map(|load| Column {
            name: load.name.to_string(),
            value: load.messages.into(),
            part: hot
                .as_ref()
                .filter(|(queue, ..)| *queue == load.queue)
                .map(|(_, p, _)| p.clone()),
        });
        let sum: i64 = view.load.iter().map(|load| i64::from(load.messages)).sum();
        let mean = sum / view.load.len().max(1) as i64;
        let svg = columns(&Columns {
            size: (self.width, HEIGHT_PX),
            margins: Margins { left: 48, top: 24, right: 4, bottom: 26 },
            columns: bars.collect(),
            mean: (sum > 0).then_some(mean),
            axis: true,
        });
        let mut alt = fullest.map_or(String::new(), |load| {
            texts.load_alt(&load.name, &number(load.messages.into()))
        });
        let mut note = texts.load_note(&number(mean));
        if let (Some((_, (_, _, group), part)), Some(load)) = (&hot, fullest) {
            let hot = texts.hot(group, *part, &load.name);
            let stop = self.frame.locale.pick(". ", "。");
            note = format!("{note}{stop}{hot}");
            alt = format!("{alt} {hot}");
        }
        Chart { over_time: None, ..self.chart("load", texts.load(), note, svg, alt) }
    }

    fn waiting(&self) -> Chart {
        let (view, texts) = (self.view, self.texts);
        let bars = view.waiting.iter().map(|waiting| {
            let count = i64::from(waiting.messages);
            let letter = waiting.letter.to_string();
            Column { name: letter.clone(), value: count, part: Some((count, waiting.hue, letter)) }
        });
        let svg = columns(&Columns {
            size: (self.width, HEIGHT_PX),
            margins: Margins { left: 48, top: 24, right: 4, bottom: 26 },
            columns: bars.collect(),
            mean: None,
            axis: true,
        });
        let alt = match view.waiting.first() {
            Some(most) => texts.waiting_alt(&most.letter, &number(most.messages.into())),
            None => texts.none_waits().to_owned(),
        };
        let note = match (view.waiting.is_empty(), view.waiting_hidden) {
            (true, _) => texts.none_waits().to_owned(),
            (false, 0) => texts.waiting_note().to_owned(),
            (false, more) => {
                let more =
                    crate::i18n::views::ViewsText(self.frame.locale).more(&number(more as i64));
                format!("{} · {more}", texts.waiting_note())
            }
        };
        Chart { over_time: None, ..self.chart("waiting", texts.waiting(), note, svg, alt) }
    }
}

/// The stretches in which a value is known, a point in the middle of each bucket.
fn pieces(buckets: &[Bucket], pick: &dyn Fn(&Bucket) -> Option<u32>) -> Vec<Vec<(Ms, i64)>> {
    let mut pieces: Vec<Vec<(Ms, i64)>> = Vec::new();
    let mut joins = false;
    for bucket in buckets {
        let value = pick(bucket);
        if let Some(value) = value {
            let point = ((bucket.from_ms + bucket.to_ms) / 2, i64::from(value));
            match pieces.last_mut() {
                Some(piece) if joins => piece.push(point),
                _ => pieces.push(vec![point]),
            }
        }
        // One empty bucket between two others says nothing; a longer silence is a gap.
        joins = value.is_some() || (joins && buckets.len() > 24);
    }
    for piece in pieces.iter_mut().filter(|piece| piece.len() == 1) {
        // A single point is a short stroke, else it could not be seen.
        let (at, value) = piece[0];
        let width = buckets.first().map_or(100, |bucket| bucket.to_ms - bucket.from_ms);
        *piece = vec![((at - width / 2).max(0), value), (at + width / 2, value)];
    }
    pieces
}

/// Least stretch over which a rate is taken, in ms: over less it says nothing.
const RATE_MS: Ms = 1_000;

/// What happened a second, over at least [`RATE_MS`], as steps.
fn per_second(buckets: &[Bucket], pick: fn(&Bucket) -> u32) -> Vec<(Ms, i64)> {
    let width = buckets.first().map_or(1, |bucket| (bucket.to_ms - bucket.from_ms).max(1));
    let together = usize::try_from((RATE_MS + width - 1) / width).unwrap_or(1).max(1);
    let mut points = Vec::new();
    for chunk in buckets.chunks(together) {
        let (Some(first), Some(last)) = (chunk.first(), chunk.last()) else { continue };
        let count: i64 = chunk.iter().map(|bucket| i64::from(pick(bucket))).sum();
        let span_ms =
            (last.to_ms - first.from_ms).max(if chunk.len() < together { RATE_MS } else { 1 });
        let rate = (count * 1_000 + span_ms / 2) / span_ms;
        points.push((first.from_ms, rate));
        points.push((last.to_ms, rate));
    }
    points
}
