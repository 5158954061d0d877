//! The component [`App`].

use std::rc::Rc;

use gloo_events::EventListener;
use lockstep_core::ids::Ms;
use lockstep_core::view::compare::{Differences, Side};
use lockstep_core::view::stage::{project, Options, StageView};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::beside::Beside;
use super::core::{Core, CoreHandle};
use super::fetch::{fetch_beside, fetch_lesson};
use super::frame::Frame;
use super::link::{Link, What};
use super::msg::{Against, Msg, Notice, Start, StepSize, Tab, With};
use super::paint::{Instant, Painter};
use super::play::Play;
use super::raf::Frames;
use super::scenario::{Scenario, FIRST, FIRST_TEXT};
use super::settings::{self, Settings};
use crate::i18n::shell::Shell;
use crate::i18n::Locale;
use crate::ui::header::Header;
use crate::ui::keys::{Keys, Legend};
use crate::ui::notice::notice;
use crate::ui::pair::{CompareMenu, PairView};
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
    frame: Rc<Frame>,
    painter: Painter,
    frames: Frames,
    on: Callback<Msg>,
    /// As `on`, for what is meant for the second run.
    on_second: Callback<Msg>,
    beside: Option<Beside>,
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
    compare_open: bool,
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
        play.clock.set_playing(!settings::prefers("(prefers-reduced-motion: reduce)"));
        let link = ctx.link().clone();
        let frames = Frames::new(move |real_ms| link.send_message(Msg::Tick(real_ms)));
        let follow = ctx.link().clone();
        let address =
            EventListener::new(&window(), "hashchange", move |_| follow.send_message(Msg::Follow));
        ctx.link().send_message(Msg::Follow);
        let painter = Painter::default();
        let waker = frames.clone();
        painter.set_waker(move || waker.request());
        Self {
            frame: frame(&play, &state, settings, 1, None),
            play,
            settings,
            state,
            painter,
            frames,
            on: ctx.link().callback(|msg| msg),
            on_second: ctx.link().callback(|msg| Msg::InSecond(Box::new(msg))),
            beside: None,
            _address: address,
            real_ms: 0.0,
        }
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        let render = match msg {
            Msg::Tick(real_ms) => self.tick(real_ms),
            msg => {
                self.frames.request();
                self.state.shared = false;
                self.act(ctx, msg)
            }
        };
        if render {
            let revision = self.frame.revision + 1;
            let beside = self.beside.as_mut();
            self.frame = frame(&self.play, &self.state, self.settings, revision, beside);
        }
        render
    }

    fn view(&self, _ctx: &Context<Self>) -> Html {
        let (frame, on) = (&self.frame, &self.on);
        let text = Shell(frame.locale);
        let told = frame.focused();
        let told_on = match told.side {
            Some(Side::Second) => &self.on_second,
            _ => on,
        };
        let classes = classes!(
            "shell",
            frame.panel_open.then_some("panel-open"),
            frame.panel_full.then_some("panel-full"),
            frame.pair.is_some().then_some("is-pair"),
        );
        html! {
            <ContextProvider<Locale> context={frame.locale}>
            <ContextProvider<Painter> context={self.painter.clone()}>
                { patterns() }
                <div class={classes}>
                    <Header frame={frame.clone()} on={on.clone()} />
                    <main class="stage-region" id="stage" tabindex="-1">
                        { match &frame.pair {
                            None => html! { <Stage key="one" frame={frame.clone()} on={on.clone()} /> },
                            Some(pair) => html! { <PairView key="two" frame={frame.clone()} pair={pair.clone()} on={on.clone()} on_second={self.on_second.clone()} /> },
                        } }
                        { notice(frame, on) }
                    </main>
                    <section class="timeline-region" aria-label={text.timeline()}>
                        { splitter(Line::Timeline, text.drag()) }
                        <Transport frame={frame.clone()} on={on.clone()} />
                        <Timeline frame={frame.clone()} on={on.clone()} on_second={self.on_second.clone()} />
                    </section>
                    <aside class="panel-region" aria-label={text.panel()}>
                        { splitter(Line::Panel, text.drag()) }
                        <SheetHandle open={frame.panel_open} locale={frame.locale} on={on.clone()} />
                        <Panel frame={told} on={told_on.clone()} />
                    </aside>
                    <Keys frame={frame.clone()} on={on.clone()} />
                    <Legend frame={frame.clone()} on={on.clone()} />
                    <CompareMenu frame={frame.clone()} on={on.clone()} />
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
        // Two runs side by side are looked at, and nobody is asked. Where another tab is open, the
        // narration says that a question waits.
        let alone = self.beside.is_none();
        let asks = || alone && (state.panel_open || !settings::prefers(NARROW));
        let second = self.beside.as_ref().and_then(|beside| beside.selection);
        let changed = self.play.tick(real_ms, [state.selection, second], asks);
        let parted = self.beside.as_mut().is_some_and(|beside| beside.look_ahead(&self.play));
        if self.beside.as_ref().is_some_and(Beside::looks) {
            self.frames.request();
        }
        let render = changed
            || parted
            || playing != self.play.clock.playing()
            || self.frame.beat != self.play.beat();
        if !render {
            self.paint();
        }
        render
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
            Msg::SeekEvent(event) => play.seek_event(Side::First, event),
            Msg::SeekBeat(beat) => play.seek_beat(beat),
            Msg::Answered(ask) => drop(play.answered.insert(ask)),
            Msg::SetSpeed(speed) => play.clock.set_speed(speed),
            Msg::SetStop(stop) => play.stop = stop,
            Msg::Inject(command) => play.inject(Side::First, *command),
            Msg::OpenScenario(id) => {
                self.state.picker_open = false;
                fetch_lesson(ctx.link().clone(), id, None, None);
            }
            Msg::Opened { id, text, at, with } => {
                // A server may answer with a page of its own instead of a lesson.
                if !self.run(&id, &text, at) {
                    self.state.notice = Some(Notice::NoLesson(id));
                    return true;
                }
                self.with(ctx.link(), with);
            }
            Msg::Compare(against) => self.compare(ctx.link(), against),
            Msg::Beside(against, text) => {
                let beside = Beside::open(play, against, &text);
                self.put(beside);
            }
            Msg::EndCompare => {
                if self.beside.take().is_some() {
                    play.take_away();
                }
            }
            Msg::ShowRun(side) => {
                if let Some(beside) = &mut self.beside {
                    (beside.shown, beside.focus) = (side, side);
                }
            }
            Msg::InSecond(msg) => return self.in_second(ctx, *msg),
            Msg::Select(subject) => {
                self.state.selection = subject;
                if let Some(beside) = &mut self.beside {
                    beside.selection = beside.select(Side::First, subject);
                }
            }
            Msg::RunText(text) => {
                let beside = self.beside.as_ref().and(self.play.second.as_ref());
                let beside = beside.map(|second| Rc::clone(&second.scenario.text));
                let runs = self.run("", &text, None);
                if let Some(text) = beside.filter(|_| runs) {
                    self.compare(ctx.link(), Against::Text(text));
                }
                return runs;
            }
            Msg::RestorePrevious => {
                let previous = self.state.previous_text.take();
                return previous.is_some_and(|text| self.run("", &text, None));
            }
            Msg::Follow => return self.follow(ctx.link()),
            Msg::Share => {
                let with = self.beside.as_ref().map(Beside::linked);
                let at_ms = play.clock.now_ms() as Ms;
                let address = Link::address(&play.scenario, at_ms, with.as_ref());
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
        self.beside = None;
        self.play.open(Rc::new(scenario));
        match at {
            Some(Start::Instant(at_ms)) => self.play.seek_time(at_ms),
            Some(Start::Beat(beat)) => self.play.seek_beat(beat),
            None => self.play.clock.set_playing(true),
        }
        true
    }

    /// Puts beside the run what a link asks for.
    fn with(&mut self, link: &html::Scope<Self>, with: Option<With>) {
        match with {
            Some(With::Run(against)) => self.compare(link, against),
            Some(With::Damaged) => self.state.notice = Some(Notice::DamagedComparison),
            None => {}
        }
    }

    /// Puts another run beside this one.
    fn compare(&mut self, link: &html::Scope<Self>, against: Against) {
        let play = &mut self.play;
        let beside = match against {
            Against::Lesson(id) => {
                let own = Rc::clone(&play.scenario.id);
                if own.strip_suffix("-repaired") != Some(&*id) {
                    return fetch_beside(link.clone(), id);
                }
                // What breaks comes first, from whichever side one asks.
                let at = Start::Instant(play.now());
                let with = With::Run(Against::Lesson(own));
                return fetch_lesson(link.clone(), id, Some(at), Some(with));
            }
            Against::Variant(variant) => Beside::vary(play, variant),
            Against::Text(text) => Beside::open(play, Against::Text(Rc::clone(&text)), &text),
            Against::Tried(_) => match Beside::tried(play, against) {
                Some(beside) => Ok(beside),
                None => return,
            },
            Against::Before => {
                let (Some(before), now) = (self.state.previous_text.clone(), self.play.now())
                else {
                    return;
                };
                let text = Rc::clone(&self.play.scenario.text);
                if !self.run("", &before, Some(Start::Instant(now))) {
                    return;
                }
                Beside::open(&mut self.play, Against::Text(Rc::clone(&text)), &text)
            }
        };
        self.put(beside);
    }

    fn put(&mut self, beside: Result<Beside, Notice>) {
        match beside {
            Ok(mut beside) => {
                beside.selection = beside.select(Side::First, self.state.selection);
                self.beside = Some(beside);
                (self.state.panel_open, self.state.notice) = (false, None);
            }
            Err(notice) => self.state.notice = Some(notice),
        }
    }

    /// What is meant for the second run.
    fn in_second(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        let Some(beside) = &mut self.beside else { return false };
        match msg {
            Msg::Select(subject) => {
                self.state.selection = beside.select(Side::Second, subject);
                beside.selection = subject;
            }
            Msg::Hover(subject) if beside.hover == subject => return false,
            Msg::Hover(subject) => beside.hover = subject,
            Msg::Resized(width, height) if beside.size == (width, height) => return false,
            Msg::Resized(width, height) => beside.size = (width, height),
            Msg::ChooseGroup(group) => beside.group = group,
            // The text of the second run was changed.
            Msg::RunText(text) => self.compare(ctx.link(), Against::Text(text)),
            Msg::SeekEvent(event) => self.play.seek_event(Side::Second, event),
            Msg::Inject(command) => self.play.inject(Side::Second, *command),
            msg => return self.act(ctx, msg),
        }
        true
    }

    /// Opens what the page's address names; true when it is there at once.
    fn follow(&mut self, link: &html::Scope<Self>) -> bool {
        match Link::of_page() {
            Some(Link { what: What::Text(text), at, with }) => {
                if self.run("", &text, at) {
                    self.with(link, with);
                } else {
                    self.state.notice = Some(Notice::LinkWithMistakes);
                    self.state.offered = Some(text);
                    self.state.act(Msg::OpenTab(Tab::Scenario));
                }
                true
            }
            Some(Link { what: What::Lesson(id), at, with }) => {
                fetch_lesson(link.clone(), id, at, with);
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
    fn publish(&self) {
        let Some(body) = window().document().and_then(|document| document.body()) else { return };
        let frame = &self.frame;
        let hash =
            (!frame.playing).then(|| format!("{:016x}", self.play.core.read().session.hash()));
        let values = [
            ("data-event", frame.event.to_string()),
            ("data-time", frame.now_ms.to_string()),
            ("data-playing", frame.playing.to_string()),
            ("data-run", self.play.run.to_string()),
            ("data-scenario", frame.scenario.id.to_string()),
            ("data-hash", hash.unwrap_or_default()),
        ];
        for (name, value) in values {
            // A failure could only mean that the name is not a name.
            let _ = body.set_attribute(name, &value);
        }
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
            Msg::ToggleCompare => self.compare_open = !self.compare_open,
            Msg::ChooseGroup(group) => self.group = group,
            _ => return false,
        }
        true
    }
}

/// The frame of the present state, with that of the run beside it.
fn frame(
    play: &Play,
    state: &State,
    settings: Settings,
    revision: u64,
    beside: Option<&mut Beside>,
) -> Rc<Frame> {
    let one = View {
        core: &play.core,
        scenario: &play.scenario,
        selection: state.selection,
        hover: state.hover,
        group: state.group,
        size: state.size,
        side: None,
        found: None,
    };
    let both = beside.zip(play.second.as_ref());
    let Some((beside, second)) = both else {
        return Rc::new(one.frame(play, state, settings, revision));
    };
    let event = |core: &CoreHandle| core.read().session.event();
    let found = beside.found([event(&play.core), event(&second.core)]);
    let other = View {
        core: &second.core,
        scenario: &second.scenario,
        selection: beside.selection,
        hover: beside.hover,
        group: beside.group,
        size: beside.size,
        side: Some(Side::Second),
        found: Some(Rc::clone(&found)),
    };
    let other = Rc::new(other.frame(play, state, settings, revision));
    let pair = Rc::new(beside.pair(Rc::clone(&found), other));
    let one = View { side: Some(Side::First), found: Some(found), ..one };
    Rc::new(Frame { pair: Some(pair), ..one.frame(play, state, settings, revision) })
}

/// What is shown of one run.
struct View<'a> {
    core: &'a CoreHandle,
    scenario: &'a Rc<Scenario>,
    selection: Option<Subject>,
    hover: Option<Subject>,
    group: usize,
    size: (u32, u32),
    side: Option<Side>,
    found: Option<Rc<Differences>>,
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
            selection: self.selection,
            hover: self.hover,
            scenario: Rc::clone(self.scenario),
            until_ms: play.until_ms(),
            side: self.side,
            found: self.found.clone(),
            pair: None,
            beat: self.scenario.beat_at(now_ms),
            asked: play.asked(),
            stage: Rc::new(self.stage(&core)),
            size: self.size,
            violations: core.session.violations().into(),
            core: self.core.clone(),
            generation: core.generation,
            previous_text: state.previous_text.clone(),
            picker_open: state.picker_open,
            help_open: state.help_open,
            compare_open: state.compare_open,
            shared: state.shared,
            notice: state.notice.clone(),
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
            journal: session.journal(),
            columns: &columns,
            opened: match self.selection {
                Some(Subject::Queue(queue)) => Some((queue, strips::OPENED_COLUMNS)),
                _ => None,
            },
            history: &core.history,
        };
        project(session.world(), &options)
    }
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
