//! When the page is rendered while a run plays: the stage some twenty times a second, what is read
//! rather than watched less often and in other animation frames. Positions, rings and clocks do not
//! wait for it, they are painted in every frame.
//!
//! Whatever people do themselves is rendered at once.

/// Least real time between two renderings of the stage: every third frame of 60 in a second.
const STAGE_MS: f64 = 45.0;

/// Animation frames between two renderings of the stage that only paint or render the rest. Where
/// frames come slowly, what moves keeps its share of them.
const BETWEEN: u8 = 2;

/// After so much real time the stage is rendered however few frames there were.
const STAGE_LATE_MS: f64 = 150.0;

/// Least real time between two renderings of everything else.
const CALM_MS: f64 = 150.0;

/// What an animation frame does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It paints what moved.
    Paint,
    /// It renders the stage.
    Stage,
    /// It renders everything but the stage, as the stage is already.
    Calm,
    /// It renders all.
    All,
}

/// Shares the animation frames out.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    stage_ms: f64,
    calm_ms: f64,
    /// Frames since the stage was rendered.
    between: u8,
    /// Something happened that the stage does not show yet.
    late: bool,
    /// The stage shows something that the rest does not.
    behind: bool,
}

impl Default for Pace {
    fn default() -> Self {
        Self { stage_ms: f64::MIN, calm_ms: f64::MIN, between: BETWEEN, late: false, behind: false }
    }
}

impl Pace {
    /// What a frame at `real_ms` is for; `changed` when an event ran in it.
    pub fn turn(&mut self, real_ms: f64, changed: bool) -> Turn {
        self.late |= changed;
        if self.late && self.stage_is_due(real_ms) {
            return Turn::Stage;
        }
        self.between = self.between.saturating_add(1);
        if self.behind && real_ms - self.calm_ms >= CALM_MS {
            return Turn::Calm;
        }
        Turn::Paint
    }

    fn stage_is_due(&self, real_ms: f64) -> bool {
        let passed_ms = real_ms - self.stage_ms;
        let is_paced = passed_ms >= STAGE_MS && self.between >= BETWEEN;
        is_paced || passed_ms >= STAGE_LATE_MS
    }

    /// Notes that the stage is rendered.
    pub fn drawn(&mut self, real_ms: f64) {
        self.stage_ms = real_ms;
        self.between = 0;
        self.late = false;
        self.behind = true;
    }

    /// Notes that the rest is rendered as the stage is.
    pub fn caught_up(&mut self, real_ms: f64) {
        self.calm_ms = real_ms;
        self.behind = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The turns of so many frames, so many in a second, in which something happens all the time.
    fn turns(frames: u32, per_second: f64) -> Vec<Turn> {
        let mut pace = Pace::default();
        let turn = |frame| {
            let real_ms = f64::from(frame) * 1_000.0 / per_second;
            let turn = pace.turn(real_ms, true);
            match turn {
                Turn::Stage => pace.drawn(real_ms),
                Turn::Calm => pace.caught_up(real_ms),
                _ => {}
            }
            turn
        };
        (0..frames).map(turn).collect()
    }

    #[test]
    fn most_frames_only_paint_and_none_renders_twice() {
        let turns = turns(600, 60.0);
        let count = |wanted| turns.iter().filter(|turn| **turn == wanted).count();
        assert_eq!(count(Turn::Stage), 200);
        assert!((45..=67).contains(&count(Turn::Calm)), "{}", count(Turn::Calm));
        assert!(count(Turn::Paint) > 300);
    }

    #[test]
    fn slow_frames_mostly_paint_as_well() {
        let of_slow = turns(300, 20.0);
        let count = |turns: &[Turn], wanted| turns.iter().filter(|turn| **turn == wanted).count();
        assert_eq!(count(&of_slow, Turn::Stage), 100);
        assert!(count(&of_slow, Turn::Paint) >= 100, "{of_slow:?}");
        // With fewer than seven frames in a second, each shows the newest.
        assert_eq!(count(&turns(60, 6.0), Turn::Stage), 60);
    }

    #[test]
    fn the_last_thing_that_happened_is_shown_though_nothing_follows() {
        let mut pace = Pace::default();
        assert_eq!(pace.turn(0.0, true), Turn::Stage);
        pace.drawn(0.0);
        assert_eq!(pace.turn(16.0, true), Turn::Calm);
        pace.caught_up(16.0);
        assert_eq!(pace.turn(33.0, false), Turn::Paint);
        assert_eq!(pace.turn(50.0, false), Turn::Stage);
        pace.drawn(50.0);
        assert_eq!(pace.turn(160.0, false), Turn::Paint);
        assert_eq!(pace.turn(170.0, false), Turn::Calm);
        pace.caught_up(170.0);
        assert_eq!(pace.turn(900.0, false), Turn::Paint);
    }
}
