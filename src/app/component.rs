//! The component [`App`].

use std::rc::Rc;

use gloo_events::EventListener;
use lockstep_core::ids::Ms;
use lockstep_core::view::stage::{project, Options, StageView};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::core::Core;
use super::fetch::fetch_lesson;
use super::frame::Frame;
use super::link::{Link, What};
use super::msg::{Msg, Notice, Start, StepSize, Tab};
use super::pace::{Pace, Turn};
use super::paint::{Instant, Painter};
use super::play::Play;
use super::publish::Published;
use super::raf::Frames;
use super::scenario::{Scenario, FIRST, FIRST_TEXT};
use super::settings::{self, Settings};
use crate::i18n::shell::Shell;
use crate::i18n::Locale;
use crate::ui::header::Header;
use crate::ui::keys::{Keys, Legend};
use crate::ui::notice::notice;
use crate::ui::panel::Panel;
use crate::ui::sheet::SheetHandle;
use crate::ui::splitter::{self, splitter, Line};
use crate::ui::stage::layout::{Layout, MAX_LANES};
use crate::ui::stage::{strips, Stage};
use crate::ui::timeline::Timeline;
use crate::ui::token::patterns;
use crate::ui::transport::Transport;

/// The stage's size at the reference window, until it is measured.
const DEFAULT_SIZE: (u32, u32) = (1_064, 612);

/// Where the panel is a drawer or a sheet: the style sheet's own condition.
const NARROW: &str = "(max-width: 1199px)";

/// The page. The only component that changes anything.
pub struct App {
    play: Play,
    settings: Settings,
    state: State,
    /// What the stage shows.
    frame: Rc<Frame>,
    /// What everything else shows; while the run plays it is older than the stage's.
    calm: Rc<Frame>,
    pace: Pace,
    published: Published,
    painter: Painter,
    frames: Frames,
    on: Callback<Msg>,
    _address: EventListener,
    real_ms: f64,
}

/// What people chose, apart from the run.
#[derive(Default)]
struct State {
    dark: bool,
    step: StepSize,
    tab: Tab,
    panel_open: bool,
    panel_full: bool,
    picker_open: bool,
    help_open: bool,
    selection: Option<Subject>,
    hover: Option<Subject>,
    /// A link was copied, and nothing was done since.
    shared: bool,
    size: (u32, u32),
    previous_text: Option<Rc<str>>,
    notice: Option<Notice>,
    /// A text with mistakes that came by a link.
    offered: Option<Rc<str>>,
    /// The consumer group on the stage, by its place.
    group: usize,
}

fn window() -> web_sys::Window {
    web_sys::window().expect("a page has a window")
}

/// Starts the page in the element `#app`.
pub fn mount() {
    super::panic::watch();
    let root = window().document().and_then(|document| document.get_element_by_id("app"));
    if let Some(root) = root {
        yew::Renderer::<App>::with_root(root).render();
    }
}

impl Component for App {
    type Message = Msg;
    type Properties = ();

    fn create(ctx: &Context<Self>) -> Self {
        let settings = Settings::load();
        let state = State { dark: settings.apply(false), size: DEFAULT_SIZE, ..State::default() };
        splitter::restore();
        let scenario = Scenario::read(FIRST, FIRST_TEXT).expect("a test reads every lesson");
        let mut play = Play::new(Rc::new(scenario));
        if !settings::prefers("(prefers-reduced-motion: reduce)") {
            play.begin();
        }
        let link = ctx.link().clone();
        let frames = Frames::new(move |real_ms| link.send_message(Msg::Tick(real_ms)));
        let follow = ctx.link().clone();
        let address =
            EventListener::new(&window(), "hashchange", move |_| follow.send_message(Msg::Follow));
        ctx.link().send_message(Msg::Follow);
        let painter = Painter::default();
        let waker = frames.clone();
        painter.set_waker(move || waker.request());
        let frame = frame(&play, &state, settings, 1);
        Self {
            calm: Rc::clone(&frame),
            frame,
            pace: Pace::default(),
            published: Published::default(),
            play,
            settings,
            state,
            painter,
            frames,
            on: ctx.link().callback(|msg| msg),
            _address: address,
            real_ms: 0.0,
        }
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        if let Msg::Tick(real_ms) = msg {
            return self.tick(real_ms);
        }
        self.frames.request();
        self.state.shared = false;
        let render = self.act(ctx, msg);
        if render {
            self.renew();
            self.calm();
        }
        render
    }

    fn view(&self, _ctx: &Context<Self>) -> Html {
        let (frame, on) = (&self.calm, &self.on);
        let text = Shell(frame.locale);
        html! {
            <ContextProvider<Locale> context={frame.locale}>
            <ContextProvider<Painter> context={self.painter.clone()}>
                { patterns() }
                <div class={classes!("shell", frame.panel_open.then_some("panel-open"), frame.panel_full.then_some("panel-full"))}>
                    <Header frame={frame.clone()} on={on.clone()} />
                    <main class="stage-region" id="stage" tabindex="-1">
                        <Stage frame={self.frame.clone()} calm={frame.clone()} on={on.clone()} />
                        { notice(frame, on) }
                    </main>
                    <section class="timeline-region" aria-label={text.timeline()}>
                        { splitter(Line::Timeline, text.drag()) }
                        <Transport frame={frame.clone()} on={on.clone()} />
                        <Timeline frame={frame.clone()} on={on.clone()} />
                    </section>
                    <aside class="panel-region" aria-label={text.panel()}>
                        { splitter(Line::Panel, text.drag()) }
                        <SheetHandle open={frame.panel_open} locale={frame.locale} on={on.clone()} />
                        <Panel frame={frame.clone()} on={on.clone()} />
                    </aside>
                    <Keys frame={frame.clone()} on={on.clone()} />
                    <Legend frame={frame.clone()} on={on.clone()} />
                </div>
            </ContextProvider<Painter>>
            </ContextProvider<Locale>>
        }
    }

    fn rendered(&mut self, _ctx: &Context<Self>, _first: bool) {
        self.painter.renew();
        self.paint();
        self.publish();
    }
}

impl App {
    /// An animation frame; true when the page has to be rendered.
    fn tick(&mut self, real_ms: f64) -> bool {
        self.real_ms = real_ms;
        let playing = self.play.clock.playing();
        let state = &self.state;
        let asks = || state.tab == Tab::Lesson && (state.panel_open || !settings::prefers(NARROW));
        let changed = self.play.tick(real_ms, state.selection, asks);
        let stops = playing != self.play.clock.playing();
        let turn = match stops || self.frame.beat != self.play.beat() {
            true => Turn::All,
            false => self.pace.turn(real_ms, changed),
        };
        match turn {
            Turn::Paint => {
                self.paint();
                return false;
            }
            Turn::Calm => {}
            Turn::Stage | Turn::All => self.renew(),
        }
        if turn != Turn::Stage {
            self.calm();
        }
        true
    }

    /// Lets everything but the stage show what the stage shows.
    fn calm(&mut self) {
        self.pace.caught_up(self.real_ms);
        self.calm = Rc::clone(&self.frame);
    }

    /// Projects the present for the stage.
    fn renew(&mut self) {
        self.pace.drawn(self.real_ms);
        self.frame = frame(&self.play, &self.state, self.settings, self.frame.revision + 1);
    }

    /// Everything but an animation frame; true when the page has to be rendered.
    fn act(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        let play = &mut self.play;
        match msg {
            Msg::Play => play.clock.set_playing(true),
            Msg::Pause => play.clock.set_playing(false),
            Msg::Toggle => play.toggle(),
            Msg::StepForward(size) => play.forward(size),
            Msg::StepBack(size) => play.back(size),
            Msg::NextDue => play.next_due(),
            Msg::SeekTime(at_ms) | Msg::Scrub(at_ms) => play.seek_time(at_ms),
            Msg::SeekEvent(event) => play.seek_event(event),
            Msg::SeekBeat(beat) => play.seek_beat(beat),
            Msg::Bookmark => play.bookmarks.toggle(play.clock.now_ms() as Ms),
            Msg::SeekBookmark(next) => play.seek_bookmark(next),
            Msg::Answered(ask) => drop(play.answered.insert(ask)),
            Msg::SetSpeed(speed) => play.clock.set_speed(speed),
            Msg::SetStop(stop) => play.stop = stop,
            Msg::Inject(command) => play.inject(*command),
            Msg::OpenScenario(id) => {
                self.state.picker_open = false;
                fetch_lesson(ctx.link().clone(), id, None);
            }
            Msg::Opened { id, text, at } => {
                // A server may answer with a page of its own instead of a lesson.
                if !self.run(&id, &text, at) {
                    self.state.notice = Some(Notice::NoLesson(id));
                }
            }
            Msg::RunText(text) => return self.run("", &text, None),
            Msg::RestorePrevious => {
                let previous = self.state.previous_text.take();
                return previous.is_some_and(|text| self.run("", &text, None));
            }
            Msg::Follow => return self.follow(ctx.link()),
            Msg::Share => {
                let address = Link::address(&play.scenario, play.clock.now_ms() as Ms);
                self.state.shared = address.is_some_and(|address| copy(&address));
            }
            Msg::SetLocale(locale) => {
                self.settings.locale = locale;
                self.settings.apply(true);
            }
            Msg::SetTheme(theme) => {
                self.settings.theme = theme;
                self.state.dark = self.settings.apply(true);
            }
            msg => return self.state.act(msg),
        }
        true
    }

    /// Runs a text from its beginning. A text that cannot be read leaves the last run in place;
    /// the editor shows what is wrong with it.
    fn run(&mut self, id: &str, text: &str, at: Option<Start>) -> bool {
        let Ok(scenario) = Scenario::read(id, text) else { return false };
        self.state.previous_text = Some(Rc::clone(&self.play.scenario.text));
        self.state.selection = None;
        self.state.hover = None;
        self.state.group = 0;
        self.state.notice = None;
        self.state.offered = None;
        self.play.open(Rc::new(scenario));
        match at {
            Some(Start::Instant(at_ms)) => self.play.seek_time(at_ms),
            Some(Start::Beat(beat)) => self.play.seek_beat(beat),
            None => self.play.clock.set_playing(true),
        }
        true
    }

    /// Opens what the page's address names; true when it is there at once.
    fn follow(&mut self, link: &html::Scope<Self>) -> bool {
        match Link::of_page() {
            Some(Link { what: What::Text(text), at }) => {
                if !self.run("", &text, at) {
                    self.state.notice = Some(Notice::LinkWithMistakes);
                    self.state.offered = Some(text);
                    self.state.act(Msg::OpenTab(Tab::Scenario));
                }
                true
            }
            Some(Link { what: What::Lesson(id), at }) => {
                fetch_lesson(link.clone(), id, at);
                false
            }
            Some(Link { what: What::Damaged, .. }) => {
                self.state.notice = Some(Notice::DamagedLink);
                true
            }
            None => false,
        }
    }

    fn paint(&self) {
        let again = self.painter.paint(&Instant {
            now_ms: self.play.clock.now_ms(),
            real_ms: self.real_ms,
            playing: self.play.clock.playing(),
            speed: self.play.clock.speed(),
            revision: self.frame.revision,
        });
        if again || self.play.clock.playing() {
            self.frames.request();
        }
    }

    /// Tells tests and embedding pages where the run is: the body's data attributes. The hash is
    /// only there while the clock stands.
    fn publish(&mut self) {
        let frame = &self.frame;
        let hash =
            (!frame.playing).then(|| format!("{:016x}", self.play.core.read().session.hash()));
        self.published.write([
            frame.event.to_string(),
            frame.now_ms.to_string(),
            frame.playing.to_string(),
            self.play.run.to_string(),
            frame.scenario.id.to_string(),
            hash.unwrap_or_default(),
        ]);
    }
}

impl State {
    /// What does not touch the run; true when the page has to be rendered.
    fn act(&mut self, msg: Msg) -> bool {
        match msg {
            Msg::Hover(subject) if self.hover == subject => return false,
            Msg::Resized(width, height) if self.size == (width, height) => return false,
            Msg::Hover(subject) => self.hover = subject,
            Msg::Resized(width, height) => self.size = (width, height),
            Msg::SetStep(step) => self.step = step,
            Msg::Select(subject) => self.selection = subject,
            Msg::OpenTab(tab) => {
                self.tab = tab;
                self.panel_open = true;
            }
            Msg::SetPanel(open) => (self.panel_open, self.panel_full) = (open, false),
            Msg::NextStop => {
                let stop = (self.panel_open, self.panel_full);
                (self.panel_open, self.panel_full) = match stop {
                    (false, _) => (true, false),
                    (true, false) => (true, true),
                    (true, true) => (false, false),
                };
            }
            Msg::Notice(notice) => self.notice = Some(notice),
            Msg::Dismiss => self.notice = None,
            Msg::TogglePicker => self.picker_open = !self.picker_open,
            Msg::ToggleHelp => self.help_open = !self.help_open,
            Msg::ChooseGroup(group) => self.group = group,
            _ => return false,
        }
        true
    }
}

/// The frame of the present state.
fn frame(play: &Play, state: &State, settings: Settings, revision: u64) -> Rc<Frame> {
    play.core.write().renew();
    let core = play.core.read();
    Rc::new(Frame {
        revision,
        now_ms: play.clock.now_ms() as Ms,
        event: core.session.world().event(),
        playing: play.clock.playing(),
        speed: play.clock.speed(),
        step: state.step,
        stop: play.stop,
        tab: state.tab,
        panel_open: state.panel_open,
        panel_full: state.panel_full,
        selection: state.selection,
        hover: state.hover,
        scenario: Rc::clone(&play.scenario),
        beat: play.beat(),
        stage: Rc::new(stage(&core, state)),
        size: state.size,
        bookmarks: play.bookmarks.all(),
        violations: core.session.violations().into(),
        core: play.core.clone(),
        generation: core.generation,
        previous_text: state.previous_text.clone(),
        picker_open: state.picker_open,
        help_open: state.help_open,
        shared: state.shared,
        notice: state.notice.clone(),
        offered: state.offered.clone(),
        locale: settings.locale,
        theme: settings.theme,
        dark: state.dark,
    })
}

/// The stage as wide as it is.
fn stage(core: &Core, state: &State) -> StageView {
    let session = &core.session;
    let brokers = session.world().brokers.len();
    let height = f64::from(state.size.1) - Layout::broker_names_h(brokers);
    let width = f64::from(state.size.0);
    let columns =
        move |lanes| if lanes > MAX_LANES { 0 } else { Layout::columns(width, height, lanes) };
    let options = Options {
        group: state.group,
        journal: session.journal(),
        columns: &columns,
        opened: match state.selection {
            Some(Subject::Queue(queue)) => Some((queue, strips::OPENED_COLUMNS)),
            _ => None,
        },
        history: &core.history,
    };
    project(session.world(), &options)
}

/// Puts a text on the clipboard; false when the browser has none.
pub fn copy(text: &str) -> bool {
    let clipboard = window().navigator().clipboard();
    if clipboard.is_undefined() {
        return false;
    }
    // A refusal shows by itself: nothing can be pasted.
    let _ = clipboard.write_text(text);
    true
}
