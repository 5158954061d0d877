//! The play clock: how much virtual time an animation frame asks for.
//!
//! Virtual time depends on real time alone, never on how many frames were drawn: a late frame asks
//! for more. Only a frame that is later than [`LONGEST_FRAME_MS`] (a tab that was in the
//! background) is cut, and a frame whose events do not fit its budget takes what it reached.

/// The longest real time that one frame may account for.
pub const LONGEST_FRAME_MS: f64 = 100.0;

/// The speeds that people can choose, in virtual milliseconds for a real one.
pub const SPEEDS: [f64; 11] = [0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1_000.0];

/// The play clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    now_ms: f64,
    playing: bool,
    speed: f64,
    last_real_ms: Option<f64>,
}

impl Default for Clock {
    fn default() -> Self {
        Self { now_ms: 0.0, playing: false, speed: 1.0, last_real_ms: None }
    }
}

impl Clock {
    /// Virtual time, with its fraction.
    pub fn now_ms(&self) -> f64 {
        self.now_ms
    }

    /// True while it runs.
    pub fn playing(&self) -> bool {
        self.playing
    }

    /// Virtual milliseconds in a real one.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Starts or stops it.
    pub fn set_playing(&mut self, playing: bool) {
        self.playing = playing;
        self.last_real_ms = None;
    }

    /// Changes the speed.
    pub fn set_speed(&mut self, speed: f64) {
        self.speed = speed.clamp(SPEEDS[0], SPEEDS[SPEEDS.len() - 1]);
    }

    /// Goes to an instant.
    pub fn set_now(&mut self, now_ms: f64) {
        self.now_ms = now_ms.max(0.0);
    }

    /// Accounts for a frame at `real_ms`; the virtual instant that it should reach.
    pub fn advance(&mut self, real_ms: f64) -> f64 {
        let passed =
            self.last_real_ms.map_or(0.0, |last| (real_ms - last).clamp(0.0, LONGEST_FRAME_MS));
        self.last_real_ms = Some(real_ms);
        if self.playing {
            self.now_ms += passed * self.speed;
        }
        self.now_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn virtual_time_does_not_depend_on_the_frame_rate() {
        let mut smooth = Clock::default();
        let mut rough = Clock::default();
        smooth.set_playing(true);
        rough.set_playing(true);
        for frame in 0..=100 {
            smooth.advance(f64::from(frame) * 10.0);
        }
        for frame in 0..=20 {
            rough.advance(f64::from(frame) * 50.0);
        }
        assert_eq!(smooth.now_ms(), 1_000.0);
        assert_eq!(rough.now_ms(), 1_000.0);
    }

    #[test]
    fn a_pause_takes_no_time_and_a_long_frame_is_cut() {
        let mut clock = Clock::default();
        clock.set_playing(true);
        clock.advance(0.0);
        clock.set_playing(false);
        clock.advance(500.0);
        clock.set_playing(true);
        clock.advance(900.0);
        assert_eq!(clock.now_ms(), 0.0);
        clock.advance(60_900.0);
        assert_eq!(clock.now_ms(), LONGEST_FRAME_MS);
    }
}
