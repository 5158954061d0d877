//! Time and pixels of the timeline: zoom, window, ticks. Knows no browser.

use std::ops::Range;

use lockstep_core::ids::Ms;

/// How much time a screen can show, from 0.1 s to 2 h.
pub const SPANS_MS: [Ms; 17] = [
    100, 200, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 60_000, 120_000, 300_000, 600_000,
    1_200_000, 1_800_000, 3_600_000, 7_200_000,
];

/// What a screen shows at first.
pub const FIRST_SPAN_MS: Ms = 16_000;

/// Distance of two rows in pixels.
pub const PITCH: f64 = 32.0;

/// Share of the width that the playhead passes before the window follows it.
const FOLLOW_AT: f64 = 0.8;

/// Least distance of two tick labels.
const TICK_PX: f64 = 72.0;

/// What the screen shows, and the wider sheet that is drawn for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// First instant of the screen.
    pub from_ms: f64,
    /// Time on the screen.
    pub span_ms: f64,
    /// Width of the screen in pixels.
    pub width_px: f64,
    /// First instant of the sheet.
    pub base_ms: f64,
    /// Whether the window goes with the playhead.
    pub follows: bool,
    /// The playhead, as painted last.
    pub playhead_ms: f64,
    /// How far the rows are scrolled, in pixels.
    pub top_px: f64,
    /// Height of what can be seen of the rows, in pixels.
    pub height_px: f64,
}

impl Default for View {
    fn default() -> Self {
        let span_ms = FIRST_SPAN_MS as f64;
        Self {
            from_ms: 0.0,
            span_ms,
            width_px: 955.0,
            base_ms: 0.0,
            follows: true,
            playhead_ms: 0.0,
            top_px: 0.0,
            height_px: 160.0,
        }
    }
}

impl View {
    /// Pixels of a millisecond.
    pub fn px_per_ms(&self) -> f64 {
        self.width_px / self.span_ms
    }

    /// Which of so many rows are drawn: those that can be seen, and one more on either side.
    pub fn rows(&self, count: usize) -> Range<usize> {
        // No row stands above the first.
        let first = (self.top_px / PITCH) as usize;
        let end = ((self.top_px + self.height_px) / PITCH).ceil() as usize;
        first.saturating_sub(1).min(count)..(end + 1).min(count)
    }

    /// Place of an instant on the screen.
    pub fn screen_x(&self, at_ms: f64) -> f64 {
        (at_ms - self.from_ms) * self.px_per_ms()
    }

    /// Place of an instant on the sheet.
    pub fn sheet_x(&self, at_ms: Ms) -> f64 {
        (at_ms as f64 - self.base_ms) * self.px_per_ms()
    }

    /// Place of the sheet on the screen.
    pub fn shift_px(&self) -> f64 {
        (self.base_ms - self.from_ms) * self.px_per_ms()
    }

    /// First and last instant of the sheet: half a screen more on either side.
    pub fn sheet_ms(&self) -> (Ms, Ms) {
        (self.base_ms as Ms, (self.base_ms + 2.0 * self.span_ms) as Ms)
    }

    /// The instant at a share of the width.
    pub fn at_share(&self, share: f64) -> Ms {
        (self.from_ms + share * self.span_ms).round().max(0.0) as Ms
    }

    /// Goes with the playhead if it should; true when a new sheet is needed.
    pub fn follow(&mut self, now_ms: f64) -> bool {
        self.playhead_ms = now_ms;
        let share = (now_ms - self.from_ms) / self.span_ms;
        if !self.follows {
            self.follows = (0.0..=FOLLOW_AT).contains(&share);
        } else if share > FOLLOW_AT {
            // A little beyond the mark is drift of the clock; far beyond it was a jump.
            self.from_ms = now_ms - FOLLOW_AT * self.span_ms;
        } else if share < 0.0 {
            self.from_ms = (now_ms - 0.2 * self.span_ms).max(0.0);
        }
        self.renew_sheet()
    }

    /// Moves the sheet when the screen left it; true when it did.
    fn renew_sheet(&mut self) -> bool {
        let ahead = self.from_ms - self.base_ms;
        if (0.0..=self.span_ms).contains(&ahead) {
            return false;
        }
        self.base_ms = (self.from_ms - 0.5 * self.span_ms).max(0.0).floor();
        true
    }

    /// Shows another span; the instant `keep_ms` stays where it is if it is on the screen.
    pub fn zoom(&mut self, span_ms: Ms, keep_ms: f64) {
        let share = ((keep_ms - self.from_ms) / self.span_ms).clamp(0.0, 1.0);
        self.span_ms = span_ms as f64;
        self.from_ms = (keep_ms - share * self.span_ms).max(0.0);
        self.base_ms = (self.from_ms - 0.5 * self.span_ms).max(0.0).floor();
    }

    /// Moves the window by a share of its width.
    pub fn pan(&mut self, share: f64) {
        self.from_ms = (self.from_ms + share * self.span_ms).max(0.0);
        self.follows = false;
        self.renew_sheet();
    }

    /// Shows an instant in the middle of the screen.
    pub fn centre(&mut self, at_ms: f64) {
        self.from_ms = (at_ms - self.span_ms / 2.0).max(0.0);
        self.follows = false;
        self.renew_sheet();
    }

    /// Shows all from one instant to another, with some room on either side.
    pub fn show(&mut self, (from_ms, to_ms): (Ms, Ms)) {
        let least_ms = (to_ms - from_ms) * 5 / 4;
        let span_ms = SPANS_MS.iter().copied().find(|ms| *ms >= least_ms);
        self.span_ms = span_ms.unwrap_or(SPANS_MS[SPANS_MS.len() - 1]) as f64;
        self.centre((from_ms + to_ms) as f64 / 2.0);
        self.base_ms = (self.from_ms - 0.5 * self.span_ms).max(0.0).floor();
    }

    /// The next span: `closer` shows less time.
    pub fn next_span(&self, closer: bool) -> Ms {
        let now_ms = self.span_ms.round() as Ms;
        let next = if closer {
            SPANS_MS.iter().rev().find(|ms| **ms < now_ms)
        } else {
            SPANS_MS.iter().find(|ms| **ms > now_ms)
        };
        next.copied().unwrap_or(now_ms)
    }

    /// Distance of two ticks.
    pub fn tick_ms(&self) -> Ms {
        const STEPS_MS: [Ms; 22] = [
            1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000,
            120_000, 300_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000,
        ];
        let least_ms = TICK_PX / self.px_per_ms();
        STEPS_MS.iter().copied().find(|ms| *ms as f64 >= least_ms).unwrap_or(STEPS_MS[21])
    }

    /// The ticks of the sheet.
    pub fn ticks(&self) -> impl Iterator<Item = Ms> {
        let step_ms = self.tick_ms();
        let (from_ms, to_ms) = self.sheet_ms();
        let first = from_ms.div_euclid(step_ms) + i64::from(from_ms.rem_euclid(step_ms) > 0);
        (first..).map(move |n| n * step_ms).take_while(move |ms| *ms <= to_ms)
    }
}

/// A tick's label: as fine as the step needs, with its unit.
pub fn tick_text(at_ms: Ms, step_ms: Ms) -> String {
    let (hours, minutes) = (at_ms / 3_600_000, at_ms / 60_000 % 60);
    let seconds_ms = at_ms % 60_000;
    if step_ms < 1_000 {
        let places = if step_ms % 100 == 0 {
            1
        } else if step_ms % 10 == 0 {
            2
        } else {
            3
        };
        return format!("{:.places$} s", at_ms as f64 / 1_000.0);
    }
    if at_ms < 60_000 {
        return format!("{} s", at_ms / 1_000);
    }
    let mut parts: Vec<String> = Vec::new();
    if hours > 0 {
        parts.push(format!("{hours} h"));
    }
    if minutes > 0 {
        parts.push(format!("{minutes} m"));
    }
    if seconds_ms > 0 {
        parts.push(format!("{} s", seconds_ms / 1_000));
    }
    parts.join(" ")
}

/// A span for the zoom control: `16 s`, `0.5 s`, `2 m`.
pub fn span_text(span_ms: Ms) -> String {
    tick_text(span_ms, if span_ms < 1_000 { 100 } else { 1_000 })
}

/// A length in tenths of a pixel, written without the cost of a real number.
pub struct Px(pub f64);

impl std::fmt::Display for Px {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        let sign = if tenths < 0 { "-" } else { "" };
        match tenths.unsigned_abs() {
            all if all % 10 == 0 => write!(f, "{sign}{}", all / 10),
            all => write!(f, "{sign}{}.{}", all / 10, all % 10),
        }
    }
}

/// Width of a label at 11 px and weight 650.
pub fn label_px(label: &str) -> f64 {
    label.chars().map(|c| if c.is_ascii() { 7.4 } else { 11.5 }).sum()
}

/// Puts places, which ascend, together as long as each is nearer than `room` to the one before it.
pub fn clusters(places: &[f64], room: f64) -> Vec<Range<usize>> {
    let mut clusters: Vec<Range<usize>> = Vec::new();
    for (index, place) in places.iter().enumerate() {
        match clusters.last_mut() {
            Some(last) if place - places[last.end - 1] < room => last.end = index + 1,
            _ => clusters.push(index..index + 1),
        }
    }
    clusters
}

/// The stretches of a band that are free and wide enough for its owner's name, between what stands
/// there, which is sorted by its beginning.
pub fn free((from, to): (f64, f64), need: f64, busy: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let mut stretches = Vec::new();
    let mut begin = from;
    for (start, end) in busy.into_iter().chain([(to, to)]) {
        let until = start.min(to);
        if until - begin >= need {
            stretches.push((begin, until));
        }
        begin = begin.max(end);
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_thing_is_shown_whole() {
        let mut view = View::default();
        view.show((4_000, 6_400));
        assert_eq!(view.span_ms, 4_000.0);
        assert!(view.screen_x(4_000.0) >= 0.0 && view.screen_x(6_400.0) <= view.width_px);
        assert!(!view.follows && view.base_ms <= view.from_ms);
        // An instant takes the smallest span, all there is the largest.
        view.show((500, 500));
        assert_eq!(view.span_ms, 100.0);
        view.show((0, 1_000_000_000));
        assert_eq!(view.span_ms, 7_200_000.0);
    }

    #[test]
    fn the_window_stands_until_the_playhead_nears_its_end_and_then_goes_with_it() {
        let mut view = View::default();
        assert!(!view.follow(12_000.0));
        assert_eq!(view.from_ms, 0.0);
        view.follow(14_000.0);
        assert!((view.from_ms - 1_200.0).abs() < 1e-6);
        view.follow(100.0);
        assert_eq!(view.from_ms, 0.0);
    }

    #[test]
    fn a_window_that_was_moved_away_stays_until_the_playhead_is_in_it_again() {
        let mut view = View::default();
        view.follow(60_000.0);
        view.pan(-2.0);
        let from_ms = view.from_ms;
        view.follow(60_100.0);
        assert_eq!(view.from_ms, from_ms);
        view.follow(from_ms + 1_000.0);
        assert!(view.follows);
    }

    #[test]
    fn only_rows_that_can_be_seen_are_drawn() {
        let mut view = View { height_px: 130.0, ..View::default() };
        assert_eq!(view.rows(64), 0..6);
        assert_eq!(view.rows(3), 0..3);
        view.top_px = 320.0;
        assert_eq!(view.rows(64), 9..16);
        assert_eq!(view.rows(12), 9..12);
        view.top_px = 5_000.0;
        assert_eq!(view.rows(12), 12..12);
    }

    #[test]
    fn zoom_keeps_the_playhead_where_it_is() {
        let mut view = View::default();
        view.follow(50_000.0);
        let before = view.screen_x(50_000.0);
        view.zoom(8_000, 50_000.0);
        assert!((view.screen_x(50_000.0) - before).abs() < 1e-6);
        assert_eq!(view.next_span(true), 4_000);
        assert_eq!(view.next_span(false), 16_000);
    }

    #[test]
    fn an_instant_is_shown_in_the_middle_but_never_a_time_before_the_beginning() {
        let mut view = View::default();
        view.centre(100_000.0);
        assert_eq!((view.from_ms, view.follows), (92_000.0, false));
        assert!(view.base_ms <= view.from_ms);
        view.centre(1_000.0);
        assert_eq!(view.from_ms, 0.0);
    }

    #[test]
    fn ticks_are_far_enough_apart_and_inside_the_sheet() {
        for span_ms in SPANS_MS {
            let mut view = View::default();
            view.zoom(span_ms, 0.0);
            assert!(view.tick_ms() as f64 * view.px_per_ms() >= TICK_PX, "{span_ms}");
            let (from_ms, to_ms) = view.sheet_ms();
            assert!(view.ticks().all(|t| t >= from_ms && t <= to_ms));
            assert!(view.ticks().count() < 60);
        }
    }

    #[test]
    fn lengths_are_written_in_tenths() {
        let texts = [0.0, 12.0, 3.12, -0.04, -7.26, 99.96].map(|x| Px(x).to_string());
        assert_eq!(texts, ["0", "12", "3.1", "0", "-7.3", "100"]);
    }

    #[test]
    fn tick_texts_carry_units() {
        assert_eq!(tick_text(0, 2_000), "0 s");
        assert_eq!(tick_text(500, 500), "0.5 s");
        assert_eq!(tick_text(1_250, 50), "1.25 s");
        assert_eq!(tick_text(60_000, 30_000), "1 m");
        assert_eq!(tick_text(5_430_000, 30_000), "1 h 30 m 30 s");
        assert_eq!(span_text(500), "0.5 s");
        assert_eq!(span_text(120_000), "2 m");
    }

    #[test]
    fn what_lies_close_together_is_one_cluster() {
        assert_eq!(clusters(&[], 19.0), []);
        assert_eq!(clusters(&[0.0, 18.0, 36.0, 55.0, 60.0], 19.0), [0..3, 3..5]);
        assert_eq!(clusters(&[0.0, 19.0], 19.0), [0..1, 1..2]);
    }

    #[test]
    fn an_owners_name_has_the_stretches_where_nothing_stands() {
        let busy = vec![(0.0, 40.0), (60.0, 70.0), (65.0, 66.0), (130.0, 400.0)];
        assert_eq!(free((0.0, 300.0), 30.0, busy.clone()), [(70.0, 130.0)]);
        assert_eq!(free((0.0, 300.0), 20.0, busy), [(40.0, 60.0), (70.0, 130.0)]);
        assert_eq!(free((10.0, 50.0), 30.0, Vec::new()), [(10.0, 50.0)]);
        assert_eq!(free((10.0, 30.0), 30.0, Vec::new()), []);
    }
}
