//! The charts as tables.

use lockstep_core::ids::{MessageQueue, Ms};
use lockstep_core::view::charts::{ChartsView, Quantiles, Spent};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::super::views::TableCell;
use super::instant;
use crate::app::frame::Frame;
use crate::app::msg::Msg;
use crate::i18n::views::{ChartsText, ViewsText};
use crate::i18n::{left, number};

/// Most rows of a table over time, and most queues side by side; a file has all of it.
const MAX_ROWS: usize = 30;
const MAX_COLUMNS: usize = 8;

type Table = (Vec<String>, Vec<Vec<TableCell>>);

/// The selected queue.
pub fn selected_queue(frame: &Frame) -> Option<MessageQueue> {
    match frame.selection {
        Some(Subject::Queue(queue)) => Some(queue),
        _ => None,
    }
}

/// Time in which a queue could not get on.
pub fn without_progress(spent: Spent) -> Ms {
    spent.suspended_ms + spent.unowned_ms
}

/// Head and rows of a chart's table.
pub fn rows(key: &str, frame: &Frame, view: &ChartsView, on: &Callback<Msg>) -> Table {
    let texts = ChartsText(frame.locale);
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    match key {
        "lag" => {
            let shown = view.ranked(selected_queue(frame));
            let shown = &shown[..shown.len().min(MAX_COLUMNS)];
            let lines: Vec<_> =
                shown.iter().map(|p| (&view.lag[*p].name, &view.lag[*p].points)).collect();
            over_time(texts, &lines, on)
        }
        "group-lag" => {
            let lines: Vec<_> =
                view.groups.iter().map(|group| (&group.name, &group.points)).collect();
            over_time(texts, &lines, on)
        }
        "latency" => {
            let head =
                owned(&[texts.at(), texts.handled(), "p50", "p95", texts.max(), texts.calls()]);
            let with = view.buckets.iter().filter(|bucket| bucket.latency.is_some());
            let rows = every(with.collect()).into_iter().map(|bucket| {
                let ms = |q: Option<Quantiles>, f: fn(Quantiles) -> u32| {
                    q.map_or(String::new(), |q| format!("{} ms", number(f(q).into())))
                };
                let q = bucket.latency;
                vec![
                    instant(bucket.to_ms, on),
                    number(bucket.handled.into()).into(),
                    ms(q, |q| q.p50).into(),
                    ms(q, |q| q.p95).into(),
                    ms(q, |q| q.max).into(),
                    ms(bucket.calls, |q| q.p50).into(),
                ]
            });
            (head, rows.collect())
        }
        "rate" => {
            let head = owned(&[texts.at(), texts.stored_so_far(), texts.handled_so_far()]);
            let (mut stored, mut handled) = (0_i64, 0_i64);
            let sums: Vec<(Ms, i64, i64)> = view
                .buckets
                .iter()
                .map(|bucket| {
                    stored += i64::from(bucket.stored);
                    handled += i64::from(bucket.handled);
                    (bucket.to_ms, stored, handled)
                })
                .collect();
            let rows = every(sums).into_iter().map(|(at_ms, stored, handled)| {
                vec![instant(at_ms, on), number(stored).into(), number(handled).into()]
            });
            (head, rows.collect())
        }
        "time" => {
            let queue = ViewsText(frame.locale).queue();
            let head =
                owned(&[queue, texts.handling(), texts.suspended(), texts.unowned(), texts.idle()]);
            let rows = view.time.iter().map(|time| {
                let Spent { handling_ms, suspended_ms, unowned_ms, idle_ms } = time.spent;
                let parts = [handling_ms, suspended_ms, unowned_ms, idle_ms];
                let cells = parts.into_iter().map(|ms| TableCell::from(left(ms)));
                std::iter::once(time.name.to_string().into()).chain(cells).collect()
            });
            (head, rows.collect())
        }
        "load" => {
            let queue = ViewsText(frame.locale).queue();
            let head = owned(&[queue, texts.messages(), texts.hottest()]);
            let rows = view.load.iter().map(|load| {
                let hottest = load.hottest.as_ref();
                let hottest =
                    hottest.map(|(_, letter, _, n)| format!("{letter} {}", number((*n).into())));
                vec![
                    load.name.to_string().into(),
                    number(load.messages.into()).into(),
                    hottest.unwrap_or_default().into(),
                ]
            });
            (head, rows.collect())
        }
        _ => {
            let head = owned(&[texts.group(), texts.messages(), texts.oldest()]);
            let rows = view.waiting.iter().map(|waiting| {
                vec![
                    waiting.letter.to_string().into(),
                    number(waiting.messages.into()).into(),
                    left(waiting.oldest_ms).into(),
                ]
            });
            (head, rows.collect())
        }
    }
}

/// A name and its values over time.
type Line<'a> = (&'a std::rc::Rc<str>, &'a Vec<(Ms, i64)>);

fn over_time(texts: ChartsText, lines: &[Line<'_>], on: &Callback<Msg>) -> Table {
    let names = lines.iter().map(|(name, _)| name.to_string());
    let head = std::iter::once(texts.at().to_owned()).chain(names).collect();
    let count = lines.iter().map(|(_, points)| points.len()).max().unwrap_or(0);
    let rows = every((0..count).collect()).into_iter().map(|place| {
        let at_ms =
            lines.first().and_then(|(_, points)| points.get(place)).map_or(0, |(at, _)| *at);
        let values = lines.iter().map(|(_, points)| {
            TableCell::from(points.get(place).map_or(String::new(), |(_, value)| number(*value)))
        });
        std::iter::once(instant(at_ms, on)).chain(values).collect()
    });
    (head, rows.collect())
}

/// Some of a long list, the last one among them.
fn every<T>(list: Vec<T>) -> Vec<T> {
    let step = list.len().div_ceil(MAX_ROWS).max(1);
    let last = list.len().saturating_sub(1);
    list.into_iter()
        .enumerate()
        .filter(|(place, _)| (last - place).is_multiple_of(step))
        .map(|(_, item)| item)
        .collect()
}
