//! The component [`App`].

use std::rc::Rc;

use gloo_events::EventListener;
use lockstep_core::view::compare::Side;
use yew::prelude::*;

use super::beside::Beside;
use super::fetch::Wanted;
use super::follow::Follower;
use super::frame::Frame;
use super::msg::{Msg, Notice, Tab};
use super::pace::{Pace, Turn};
use super::paint::{Instant, Painter};
use super::play::Play;
use super::project::frame;
use super::publish::Published;
use super::raf::Frames;
use super::scenario::{Scenario, FIRST, FIRST_TEXT};
use super::settings::{self, Settings};
use super::state::State;
use crate::i18n::shell::Shell;
use crate::i18n::Locale;
use crate::ui::focus::Keeper;
use crate::ui::hands::{DoneNote, HandsDialog};
use crate::ui::header::Header;
use crate::ui::keys::{Keys, Legend};
use crate::ui::notice::notice;
use crate::ui::pair::{CompareMenu, PairView};
use crate::ui::panel::Panel;
use crate::ui::sheet::SheetHandle;
use crate::ui::splitter::{self, Line, Splitter};
use crate::ui::stage::Stage;
use crate::ui::timeline::Timeline;
use crate::ui::token::patterns;
use crate::ui::transport::Transport;

/// The stage's size at the reference window, until it is measured.
const DEFAULT_SIZE: (u32, u32) = (1_064, 612);

/// The page. The only component that changes anything.
pub struct App {
    pub(super) play: Play,
    pub(super) settings: Settings,
    pub(super) state: State,
    /// What the stage shows.
    pub(super) frame: Rc<Frame>,
    /// What everything else shows; while the run plays it is older than the stage's.
    calm: Rc<Frame>,
    pace: Pace,
    published: Published,
    pub(super) follower: Follower,
    pub(super) wanted: Wanted,
    painter: Painter,
    frames: Frames,
    on: Callback<Msg>,
    /// As `on`, for what is meant for the second run.
    on_second: Callback<Msg>,
    pub(super) beside: Option<Beside>,
    _address: EventListener,
    keeper: Keeper,
    real_ms: f64,
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
        let keeper = Keeper::default();
        keeper.watch();
        let painter = Painter::default();
        let waker = frames.clone();
        painter.set_waker(move || waker.request());
        let frame = frame(&play, &state, settings, 1, None);
        Self {
            calm: Rc::clone(&frame),
            frame,
            pace: Pace::default(),
            published: Published::default(),
            follower: Follower::default(),
            wanted: Wanted::default(),
            play,
            settings,
            state,
            painter,
            frames,
            on: ctx.link().callback(|msg| msg),
            on_second: ctx.link().callback(|msg| Msg::InSecond(Box::new(msg))),
            beside: None,
            _address: address,
            keeper,
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
            self.keeper.soon();
        }
        render
    }

    fn view(&self, _ctx: &Context<Self>) -> Html {
        let (frame, on) = (&self.calm, &self.on);
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
            (frame.tab == Tab::Lesson).then_some("shows-lesson"),
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
                            None => html! { <Stage key="one" frame={self.frame.clone()} calm={frame.clone()} on={on.clone()} /> },
                            Some(pair) => html! { <PairView key="two" frame={self.frame.clone()} calm={frame.clone()} pair={pair.clone()} on={on.clone()} on_second={self.on_second.clone()} /> },
                        } }
                        { notice(frame, on) }
                        <DoneNote frame={frame.clone()} on={on.clone()} on_second={self.on_second.clone()} />
                    </main>
                    <section class="timeline-region" aria-label={text.timeline()}>
                        <Splitter line={Line::Timeline} label={text.drag_timeline()} />
                        <Transport frame={frame.clone()} on={on.clone()} />
                        <Timeline frame={frame.clone()} on={on.clone()} on_second={self.on_second.clone()} />
                    </section>
                    <aside class="panel-region" aria-label={text.panel()}>
                        <Splitter line={Line::Panel} label={text.drag_panel()} />
                        <SheetHandle open={frame.panel_open} locale={frame.locale} on={on.clone()} />
                        <Panel frame={told} on={told_on.clone()} />
                    </aside>
                    <Keys frame={frame.clone()} on={on.clone()} />
                    <Legend frame={frame.clone()} on={on.clone()} />
                    <HandsDialog frame={frame.clone()} on={on.clone()} on_second={self.on_second.clone()} />
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
        let asks = || alone;
        let second = self.beside.as_ref().and_then(|beside| beside.selection);
        let changed = self.play.tick(real_ms, [state.selection, second], asks);
        let parted = self.beside.as_mut().is_some_and(|beside| beside.look_ahead(&self.play));
        if self.beside.as_ref().is_some_and(Beside::looks) {
            self.frames.request();
        }
        let stops = playing != self.play.clock.playing();
        let turn = match stops || parted || self.frame.beat != self.play.beat() {
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
        if let Some((events, at_ms)) = self.play.cut_short() {
            self.play.clock.set_playing(false);
            self.play.clock.set_now(at_ms as f64);
            self.state.notice = Some(Notice::CutShort(events));
        }
        self.follow_lesson();
        let (revision, beside) = (self.frame.revision + 1, self.beside.as_mut());
        self.frame = frame(&self.play, &self.state, self.settings, revision, beside);
    }

    /// Shows the consumer group that the lesson is about, when it has come to another beat or question.
    fn follow_lesson(&mut self) {
        let (play, shown) = (&self.play, self.state.group);
        let place = (play.run, play.beat(), play.asked());
        // A topic that people chose stays until the next beat, as a group does.
        let moves = self.follower.moves(place);
        self.state.topic = self.state.topic.filter(|_| !moves);
        let core = play.core.read();
        let followed = self.follower.group(place, &play.scenario.program, &core.session, shown);
        drop(core);
        self.state.turned = followed.is_some() || (self.state.turned && !moves);
        self.state.group = followed.unwrap_or(shown);
    }

    fn paint(&self) {
        self.play.tell_now();
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
