//! gRPC consumers: a card for each, with a row for what it handles one after the other; the bars
//! that stand for the proxies between them and the brokers.

use lockstep_core::view::stage::{
    ConsumerState, ConsumerView, HeldView, HoldState, HoldView, ProxyView, StageView,
};
use lockstep_core::view::Subject;

use super::layout::{GrpcCard, Layout, Rect};
use super::producer::{cross, passes_by};
use super::room;
use super::route::hold_tokens;
use super::svg::Path;
use crate::i18n;
use crate::i18n::stage::StageText;
use crate::ui::draw::{classes, Draw, Timed};

/// Upper edge of the bar with the invisible time below a token, and its width.
const BAR: (f64, f64) = (33.0, 36.0);

/// All cards.
pub fn cards(draw: &mut Draw, view: &StageView, layout: &Layout, text: StageText) {
    for (consumer, card) in view.consumers.iter().zip(&layout.side.cards) {
        let Some(card) = card else { continue };
        let hangs = consumer.state == ConsumerState::Hanging;
        let class = classes("card is-grpc", &[(hangs, "is-hanging")]);
        let mut inner = Draw::new();
        let parts = Parts { consumer, card, view, layout, text };
        if !layout.narrow {
            inner.rect("frame", "card-frame", card.rect, 10.0);
        }
        if card.is_line() {
            parts.line(&mut inner);
        } else {
            parts.head(&mut inner);
            parts.rows(&mut inner);
        }
        let subject = Some(Subject::Client(consumer.id));
        draw.thing(format!("c{}", consumer.id.0), class, (0.0, 0.0), subject, inner);
    }
}

/// What a card is drawn from.
struct Parts<'a> {
    consumer: &'a ConsumerView,
    card: &'a GrpcCard,
    view: &'a StageView,
    layout: &'a Layout,
    text: StageText,
}

impl Parts<'_> {
    /// Name and kind, and at the right what does not belong to a row.
    fn head(&self, draw: &mut Draw) {
        let Self { consumer, card, layout, text, .. } = self;
        let (x, y) = (card.rect.x + 12.0, card.rect.y + 21.0);
        let captioned = card.rows.len() == 1 && !consumer.holds.is_empty();
        let kind = if layout.narrow || captioned { "" } else { text.kind(consumer.kind) };
        let note = ("card-kind", kind.to_owned());
        draw.text_with_note("name", "card-name", (x, y), &consumer.name, note);
        let at = (card.rect.right() - 10.0, y);
        match consumer.holds.first() {
            _ if consumer.state == ConsumerState::Hanging => {
                draw.text("hangs", "card-note", at, text.hanging());
            }
            Some(hold) if card.rows.len() == 1 => {
                // The name is larger than the notes.
                let room = card.rect.w - 28.0 - 1.3 * room::width(&consumer.name);
                draw.text("note", "card-note", at, self.caption(hold, room));
            }
            Some(_) if consumer.holds.len() > 1 => {
                let cached = i18n::number(i64::from(consumer.cached));
                draw.text("note", "card-note", at, text.cached_in_all(&cached));
            }
            _ => {}
        }
    }

    fn rows(&self, draw: &mut Draw) {
        let Self { consumer, card, .. } = self;
        let rows = card.rows.iter().zip(&consumer.holds).enumerate();
        for (i, (rect, hold)) in rows {
            let mut inner = Draw::new();
            inner.rect("frame", "row-frame", Rect { x: 0.0, y: 0.0, ..*rect }, 8.0);
            if card.rows.len() > 1 {
                inner.text("caption", "row-caption", (2.0, -7.0), self.caption(hold, rect.w));
            }
            self.hold(&mut inner, hold);
            let waits = matches!(hold.state, HoldState::NoThread);
            let class = if waits { "row is-idle" } else { "row" };
            let of = hold.messages.first().map(|held| Subject::Queue(held.queue));
            match of {
                Some(of) => draw.part(format!("row{i}"), class, (rect.x, rect.y), of, inner),
                None => draw.group(format!("row{i}"), class, (rect.x, rect.y), inner),
            }
        }
        let free = card.rows.iter().skip(consumer.holds.len());
        // A push consumer has a receive for each queue; one idle row stands for nothing at all.
        let waiting = (consumer.polls.0 as usize).max(usize::from(consumer.holds.is_empty()));
        for (i, rect) in free.take(waiting).enumerate() {
            let mut idle = Draw::new();
            idle.rect("frame", "row-frame", Rect { x: 0.0, y: 0.0, ..*rect }, 8.0);
            self.idle(&mut idle, rect);
            draw.group(format!("idle{i}"), "row is-idle", (rect.x, rect.y), idle);
        }
    }

    /// A row that nothing is in.
    fn idle(&self, draw: &mut Draw, rect: &Rect) {
        let Self { consumer, layout, text, .. } = self;
        let at = (12.0, rect.h / 2.0 + 4.0);
        match consumer.polls {
            (0, _) => draw.text("idle", "row-idle", at, text.no_receive()),
            (_, until_ms) => {
                let before = if layout.narrow { text.waits() } else { text.receive_waits() };
                let left = Timed { before: before.into(), until_ms, ..Timed::default() };
                draw.timed("idle", "row-idle", at, left);
            }
        }
    }

    /// Queue, attempt, and how many messages follow, as far as there is room, in px.
    fn caption(&self, hold: &HoldView, room: f64) -> String {
        let Self { view, text, .. } = self;
        let Some(first) = hold.messages.first() else { return String::new() };
        let mut caption = match first.lane.and_then(|lane| view.lanes.get(lane)) {
            Some(lane) => text.lane(lane).to_owned(),
            None => format!("q{}", first.queue.id),
        };
        if self.layout.narrow {
            return caption;
        }
        if hold.attempt > 1 {
            caption = text.joined(&caption, &text.attempt(hold.attempt));
        }
        let all = hold.messages.len() + hold.more as usize;
        let all = i18n::number(all as i64);
        let count = match hold.state {
            HoldState::InHand => text.unacknowledged_count(&all),
            _ if hold.messages.len() > 1 => text.cached_in_all(&all),
            _ => return caption,
        };
        let whole = text.joined(&caption, &count);
        room::fitting(&[&whole, &caption], room).unwrap_or(&caption).to_owned()
    }

    /// What is said about a hold, and the invisible time of what can be seen of it.
    fn hold(&self, draw: &mut Draw, hold: &HoldView) {
        let Self { layout, text, .. } = self;
        let shown = hold_tokens(hold, layout);
        let in_sight = hold.messages.iter().take(shown).enumerate();
        for (key, (i, held)) in ["bar-0", "bar-1"].into_iter().zip(in_sight) {
            invisible_bar(draw, key, 8.0 + 40.0 * i as f64, held);
        }
        let Some(first) = hold.messages.first() else { return };
        if hold.messages.len() > 1 && shown > 1 {
            return self.side_by_side(draw, hold, shown);
        }
        let (first_line, second_line) = ((52.0, 16.0), (52.0, 31.0));
        let timed = |(before, after): (&'static str, &'static str), until_ms| Timed {
            before: before.into(),
            after: after.into(),
            until_ms,
            ..Timed::default()
        };
        // A narrow row has room for the figure alone.
        let words = |words| if layout.narrow { ("", "") } else { words };
        match hold.state {
            HoldState::Handling { until_ms, .. } => {
                let words = words((text.handling_before(), ""));
                draw.timed("word", "row-word", first_line, timed(words, until_ms));
            }
            HoldState::BackOff { until_ms, .. } => {
                let words = words((text.in_again_before(), text.again_after()));
                draw.timed("word", "row-word", first_line, timed(words, until_ms));
            }
            HoldState::ActAgain { at_ms, .. } => {
                let words = words((text.ack_again_before(), text.ack_again_after()));
                draw.timed("word", "row-word", first_line, timed(words, at_ms));
            }
            HoldState::Acting(act) => draw.text("word", "row-word", first_line, text.acting(act)),
            HoldState::NoThread => draw.text("word", "row-word", first_line, text.no_free_thread()),
            HoldState::InHand => draw.text("word", "row-word", first_line, text.in_hand()),
        }
        let before = if layout.narrow { "" } else { text.invisible_before() };
        let invisible =
            Timed { past: Some(text.handle_over()), ..timed((before, ""), first.until_ms) };
        draw.timed("left", "row-note", second_line, invisible);
    }

    /// Beside messages that stand side by side: how many more there are, and when the first handle
    /// is worth nothing any more.
    fn side_by_side(&self, draw: &mut Draw, hold: &HoldView, shown: usize) {
        let all = hold.messages.len() + hold.more as usize;
        if all > shown {
            draw.text("more", "row-word", (92.0, 16.0), format!("+{}", all - shown));
        }
        let first = hold.messages.iter().map(|held| held.until_ms).min().unwrap_or_default();
        let past = Some(self.text.handle_over());
        let left = Timed { until_ms: first, past, ..Timed::default() };
        draw.timed("left", "row-note", (92.0, if all > shown { 31.0 } else { 23.0 }), left);
    }

    /// A card in one line: the first message, its remaining time, the name.
    fn line(&self, draw: &mut Draw) {
        let Self { consumer, card, text, .. } = self;
        let (rect, base) = (&card.rect, card.rect.y + 20.5);
        let at = (rect.x + 46.0, base);
        let busy = consumer.holds.iter().find_map(|hold| match hold.state {
            HoldState::Handling { until_ms, .. } | HoldState::BackOff { until_ms, .. } => {
                Some(until_ms)
            }
            _ => None,
        });
        match (busy, consumer.holds.is_empty()) {
            _ if consumer.state == ConsumerState::Hanging => {
                draw.text("note", "row-note", at, text.hanging());
            }
            (Some(until_ms), _) => {
                draw.timed("left", "row-note", at, Timed { until_ms, ..Timed::default() });
            }
            (None, true) => draw.text("note", "row-note", (rect.x + 14.0, base), text.idle_short()),
            (None, false) => {}
        }
        draw.text("name", "row-owner", (rect.right() - 10.0, base), consumer.name.to_string());
    }
}

/// What is left of a message's invisible time, as a bar below its token that drains to the left.
fn invisible_bar(draw: &mut Draw, key: &'static str, x: f64, held: &HeldView) {
    let (y, w) = BAR;
    let line = Path::at(x, y).dh(w).done();
    let mut bar = Draw::new();
    bar.path("track", "bar-track", line.clone());
    bar.band("left", "bar-left", line, 3.0, (Some((held.from_ms, held.until_ms)), true));
    draw.group(key, "", (0.0, 0.0), bar);
}

/// The bars that stand for the proxies, and the lines from the last one to the rows.
pub fn proxies(draw: &mut Draw, view: &StageView, layout: &Layout, text: StageText) {
    for (key, rect, behind) in [("in", layout.proxies[0], false), ("out", layout.proxies[1], true)]
    {
        let Some(rect) = rect else { continue };
        let on = |p: &&ProxyView| {
            if behind {
                p.receives
            } else {
                p.sends
            }
        };
        let used = || view.proxies.iter().filter(on);
        let names: Vec<&str> = used().map(|proxy| &*proxy.name).collect();
        let polls: u32 = used().map(|proxy| proxy.polls).sum();
        let mut inner = Draw::new();
        let down = used().all(|proxy| !proxy.up);
        inner.rect("frame", "proxy-frame", rect, 6.0);
        let mut name = names.join(" · ");
        if behind && polls > 0 && rect.h > 150.0 {
            name = text.joined(&name, &text.polls(polls));
        }
        let class = classes("proxy-name", &[(down, "is-down")]);
        if !layout.narrow {
            inner.text(
                "name",
                class,
                (rect.x + rect.w / 2.0, name_y(view, layout, (&rect, behind))),
                name,
            );
        }
        let refused: u32 = used().map(|proxy| proxy.refused).sum();
        if !behind && refused > 0 && !layout.narrow {
            // Where a message was refused, and how many were.
            let (x, y) = (rect.x - 6.0, rect.y - 6.0);
            inner.path("cross", "refused-mark", cross(x, y));
            inner.text("refused", "small refused", (x + 11.0, y), i18n::number(i64::from(refused)));
        }
        if behind {
            lines(&mut inner, view, layout, rect.right());
        } else {
            gaps(&mut inner, view, layout);
        }
        let first = view.proxies.iter().position(|proxy| on(&proxy)).unwrap_or(0);
        draw.machine(key, "proxy", ('p', first), inner);
    }
}

/// Where the name of the proxies stands: in the middle of their bar, or where no line passes it.
fn name_y(view: &StageView, layout: &Layout, (bar, behind): (&Rect, bool)) -> f64 {
    let passed = (0..layout.lanes.len()).any(|lane| passes_by(view, layout, lane).is_some());
    let first = layout.lanes.first().filter(|_| passed && !behind);
    first.map_or(bar.middle(), |lane| lane.y + layout.style.write_y + layout.style.pitch / 2.0)
}

/// Gaps in the bar where lines of 4.x producers pass it by.
fn gaps(draw: &mut Draw, view: &StageView, layout: &Layout) {
    for lane in 0..layout.lanes.len() {
        let Some((gap, lit)) = passes_by(view, layout, lane) else { continue };
        let mut inner = Draw::new();
        inner.rect("gap", "proxy-gap", gap, 0.0);
        inner.path("line", "", Path::at(gap.x, gap.middle()).h(gap.right() + 4.0).done());
        draw.group(format!("by{lane}"), classes("wire", &[(lit, "is-lit")]), (0.0, 0.0), inner);
    }
}

/// From the bar to the rows that something is in.
fn lines(draw: &mut Draw, view: &StageView, layout: &Layout, x: f64) {
    let cards = view.consumers.iter().zip(&layout.side.cards);
    for (consumer, card) in cards.filter_map(|(consumer, card)| Some((consumer, card.as_ref()?))) {
        let mut inner = Draw::new();
        for (i, rect) in card.rows.iter().enumerate() {
            let used = i < consumer.holds.len() + consumer.polls.0 as usize;
            if used && !card.is_line() {
                let mut line = Draw::new();
                line.path("line", "rail", Path::at(x, rect.middle()).h(rect.x).done());
                inner.group(i, "", (0.0, 0.0), line);
            }
        }
        draw.group(format!("c{}", consumer.id.0), "", (0.0, 0.0), inner);
    }
}
