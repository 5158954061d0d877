//! The questions of the lesson: at which one the clock stands, and where the next one stops a walk.

use lockstep_core::ids::Ms;

use super::Play;
use crate::app::msg::StopAt;

impl Play {
    /// The question at which the clock stands, unless somebody has answered it.
    pub fn asked(&self) -> Option<usize> {
        let now = self.now();
        let here = self.scenario.program.asks.iter().position(|ask| ask.at_ms == now)?;
        let open = !self.clock.playing() && !self.answered.contains(&here);
        // Who has changed a lesson tries something out, and its questions are of the run before.
        let alone = self.second.is_none() && !self.is_changed();
        (open && alone).then_some(here)
    }

    /// Whether people have made another run of the lesson: by its text, or by what they did in it.
    fn is_changed(&self) -> bool {
        self.scenario.changed.is_some() || self.written.is_some()
    }

    /// The instant of the first question that nobody has answered, in ms: what comes after it is not
    /// told before.
    pub fn open_ms(&self) -> Option<Ms> {
        let asks = self.scenario.program.asks.iter().enumerate();
        let open = asks.filter(|(index, _)| !self.answered.contains(index));
        open.map(|(_, ask)| ask.at_ms).min().filter(|_| !self.is_changed())
    }

    /// The instant of the next question that nobody has answered.
    pub(super) fn next_question(&self) -> Option<f64> {
        if self.is_changed() {
            return None;
        }
        let now = self.clock.now_ms();
        let asks = self.scenario.program.asks.iter().enumerate();
        let open = asks.filter(|(index, _)| !self.answered.contains(index));
        open.map(|(_, ask)| ask.at_ms as f64).find(|&at| at > now)
    }

    /// The instant of the first open question between the present and an instant; else that one. It
    /// stops a walk wherever it stops a run.
    pub(super) fn asked_before(&self, at_ms: Ms) -> Ms {
        let stops = self.second.is_none() && self.stop != StopAt::Never;
        let question_ms = self.next_question().filter(|_| stops).map(|at| at as Ms);
        question_ms.map_or(at_ms, |question_ms| question_ms.min(at_ms))
    }

    /// Asks a question again: the clock stands at it, and it is open as it was.
    pub fn ask_again(&mut self, ask: usize) {
        let at_ms = self.scenario.program.asks.get(ask).map(|ask| ask.at_ms);
        if let Some(at_ms) = at_ms {
            self.answered.remove(&ask);
            self.seek_time(at_ms);
        }
    }
}
