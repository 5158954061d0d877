//! How a frame is made of the present state.

use std::collections::BTreeSet;
use std::rc::Rc;

use lockstep_core::ids::{MessageQueue, Ms, TopicId};
use lockstep_core::view::compare::{Differences, Side};
use lockstep_core::view::stage::{project, Options, StageView};
use lockstep_core::view::Subject;

use super::beside::Beside;
use super::core::{Core, CoreHandle};
use super::frame::Frame;
use super::hands::Written;
use super::play::Play;
use super::scenario::Scenario;
use super::settings::Settings;
use super::state::State;
use super::told::Told;
use crate::ui::stage::layout::{Layout, MAX_LANES};
use crate::ui::stage::strips;

/// The frame of the present state, with that of the run beside it.
pub(super) fn frame(
    play: &Play,
    state: &State,
    settings: Settings,
    revision: u64,
    beside: Option<&mut Beside>,
) -> Rc<Frame> {
    let one = View {
        core: &play.core,
        scenario: &play.scenario,
        written: &play.written,
        selection: state.selection,
        told: state.told.clone(),
        hover: state.hover,
        lit: Rc::clone(&state.lit),
        group: state.group,
        topic: state.topic,
        size: state.size,
        side: None,
        found: None,
        parting: Rc::default(),
    };
    let both = beside.zip(play.second.as_ref());
    let Some((beside, second)) = both else {
        return Rc::new(one.frame(play, state, settings, revision));
    };
    let event = |core: &CoreHandle| core.read().session.event();
    let found = beside.found([event(&play.core), event(&second.core)]);
    let [parting, others] = beside.queues();
    let other = View {
        core: &second.core,
        scenario: &second.scenario,
        written: &second.written,
        selection: beside.selection,
        told: beside.told.clone(),
        hover: beside.hover,
        lit: Rc::clone(&beside.lit),
        group: beside.group,
        topic: beside.topic,
        size: beside.size,
        side: Some(Side::Second),
        found: Some(Rc::clone(&found)),
        parting: others,
    };
    let other = Rc::new(other.frame(play, state, settings, revision));
    let pair = Rc::new(beside.pair(Rc::clone(&found), other));
    let one = View { side: Some(Side::First), found: Some(found), parting, ..one };
    Rc::new(Frame { pair: Some(pair), ..one.frame(play, state, settings, revision) })
}

/// What is shown of one run.
struct View<'a> {
    core: &'a CoreHandle,
    scenario: &'a Rc<Scenario>,
    written: &'a Option<Written>,
    selection: Option<Subject>,
    told: Option<Rc<Told>>,
    hover: Option<Subject>,
    lit: Rc<[Subject]>,
    group: usize,
    topic: Option<TopicId>,
    size: (u32, u32),
    side: Option<Side>,
    found: Option<Rc<Differences>>,
    parting: Rc<BTreeSet<MessageQueue>>,
}

impl View<'_> {
    fn frame(&self, play: &Play, state: &State, settings: Settings, revision: u64) -> Frame {
        self.core.write().renew();
        let core = self.core.read();
        let now_ms = play.clock.now_ms() as Ms;
        Frame {
            revision,
            now_ms,
            event: core.session.world().event(),
            playing: play.clock.playing(),
            speed: play.clock.speed(),
            step: state.step,
            stop: play.stop,
            tab: state.tab,
            panel_open: state.panel_open,
            panel_full: state.panel_full,
            selection: self.selection.filter(|subject| subject.is_in(core.session.world())),
            chosen: self.selection,
            told: self.told.clone(),
            hover: self.hover,
            lit: Rc::clone(&self.lit),
            scenario: Rc::clone(self.scenario),
            until_ms: play.until_ms(),
            side: self.side,
            found: self.found.clone(),
            parting: Rc::clone(&self.parting),
            pair: None,
            beat: self.scenario.beat_at(now_ms),
            turned: state.turned,
            asked: play.asked(),
            open_ms: play.open_ms(),
            stage: Rc::new(StageView { withheld: play.asked().is_some(), ..self.stage(&core) }),
            size: self.size,
            bookmarks: play.bookmarks.all(),
            violations: core.session.violations().into(),
            core: self.core.clone(),
            generation: core.generation,
            previous_text: state.previous_text.clone(),
            picker_open: state.picker_open,
            help_open: state.help_open,
            compare_open: state.compare_open,
            shared: state.shared,
            notice: state.notice.clone(),
            hands: state.hands,
            done: state.done.clone(),
            written: self.written.as_ref().map(|written| Rc::clone(&written.text)),
            by_hand_ms: self.written.as_ref().map(|written| written.from_ms),
            zoom: state.zoom,
            offered: state.offered.clone(),
            locale: settings.locale,
            theme: settings.theme,
            dark: state.dark,
        }
    }

    /// The stage as wide as it is.
    fn stage(&self, core: &Core) -> StageView {
        let session = &core.session;
        let brokers = session.world().brokers.len();
        let height = f64::from(self.size.1) - Layout::broker_names_h(brokers);
        let width = f64::from(self.size.0);
        let columns =
            move |lanes| if lanes > MAX_LANES { 0 } else { Layout::columns(width, height, lanes) };
        let options = Options {
            group: self.group,
            topic: self.topic,
            journal: session.journal(),
            columns: &columns,
            opened: match self.selection.filter(|subject| subject.is_in(session.world())) {
                Some(Subject::Queue(queue)) => Some((queue, strips::OPENED_COLUMNS)),
                _ => None,
            },
            history: &core.history,
        };
        project(session.world(), &options)
    }
}
