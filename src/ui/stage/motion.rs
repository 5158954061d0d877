//! Moves tokens and the carriers of lanes. Yew makes their elements; how far each is from where it
//! was drawn is written here, once per animation frame and only while it moves.

use std::collections::HashMap;

use lockstep_core::ids::MessageQueue;
use lockstep_core::view::stage::Place;
use web_sys::Element;
use yew::NodeRef;

use super::rests::{Carrier, Key, Rest, Rests};
use super::route::{along, ease, length, travel_ms, Point, NO_TRAVEL_SPEED};
use super::slide::{Slide, Written};
use crate::app::paint::Instant;

struct Mover {
    element: Element,
    place: Place,
    carrier: Option<MessageQueue>,
    /// Where its middle is drawn.
    own: Point,
    /// Where its middle is on the stage while it travels.
    at: Point,
    travel: Option<Travel>,
    /// The `transform` that the element has.
    written: Written,
    /// Gone from the view: fades out after its travel.
    leaving: Option<f64>,
}

struct Travel {
    way: Vec<Point>,
    began_ms: Option<f64>,
    lasts_ms: f64,
}

/// How long a token that has left takes to fade.
const FADE_MS: f64 = 160.0;

/// All tokens on a stage.
#[derive(Default)]
pub struct Motion {
    movers: HashMap<Key, Mover>,
    slides: HashMap<MessageQueue, Slide>,
    ghosts: Vec<Mover>,
    /// False while tokens do not travel: reduced motion, jumps in time, high speed.
    still: bool,
    speed: f64,
}

impl Motion {
    /// Takes the places of a view that has just been rendered. `still` puts everything in place at
    /// once; `way` gives the points between a token's last place and its next one; `layer` holds
    /// what fades.
    pub fn retarget(
        &mut self,
        rests: &Rests,
        still: bool,
        speed: f64,
        way: &dyn Fn(usize, Option<Place>) -> Vec<Point>,
        layer: &NodeRef,
    ) {
        self.still = still || speed >= NO_TRAVEL_SPEED;
        self.speed = speed;
        for mover in self.movers.values_mut().filter(|mover| mover.travel.is_none()) {
            mover.at = (mover.own.0 + shift_of(&self.slides, mover.carrier), mover.own.1);
        }
        self.slide(&rests.carriers);
        let mut old = std::mem::take(&mut self.movers);
        for (index, rest) in &rests.tokens {
            let mover = old.remove(&rest.key);
            let from = mover.as_ref().map(|mover| mover.place);
            let way = || way(*index, from);
            if let Some(mover) = self.aim(rest, mover, &way) {
                self.movers.insert(rest.key, mover);
            }
        }
        // Tokens that have arrived leave by opacity; all others are simply gone.
        let fades = |mover: &Mover| {
            matches!(mover.place, Place::Row { .. } | Place::Shelf { .. } | Place::Hold { .. })
        };
        let layer = layer.cast::<Element>().filter(|_| !self.still);
        for mut mover in old.into_values().filter(fades) {
            let kept = layer.as_ref().is_some_and(|l| l.append_child(&mover.element).is_ok());
            if kept {
                (mover.leaving, mover.carrier) = (Some(f64::NAN), None);
                self.ghosts.push(mover);
            }
        }
    }

    /// Lets the carriers go to where a view has them.
    fn slide(&mut self, carriers: &[Carrier]) {
        let mut old = std::mem::take(&mut self.slides);
        for carrier in carriers {
            let known = old.remove(&carrier.queue).filter(Slide::is_there);
            let Some(mut slide) = known.or_else(|| Slide::of(carrier)) else { continue };
            slide.go(carrier, self.still, self.speed);
            self.slides.insert(carrier.queue, slide);
        }
    }

    fn aim(
        &self,
        rest: &Rest,
        mover: Option<Mover>,
        way: &dyn Fn() -> Vec<Point>,
    ) -> Option<Mover> {
        let is_new = mover.is_none();
        let mut mover = match mover {
            Some(mover) => mover,
            None => Mover::new(rest, way().first().copied().unwrap_or(rest.at))?,
        };
        if mover.carrier != rest.carrier || !mover.element.is_connected() {
            // A token that goes into a carrier or out of it has another element.
            mover.element = rest.node.cast()?;
            mover.written = Written::default();
        }
        let end = match &mover.travel {
            Some(travel) => travel.way.last().copied().unwrap_or(mover.at),
            // One at rest goes with its carrier.
            None if mover.carrier == rest.carrier && mover.own == rest.own => rest.at,
            None => mover.at,
        };
        let elsewhere = (end.0 - rest.at.0).abs() + (end.1 - rest.at.1).abs() > 0.5;
        (mover.carrier, mover.own) = (rest.carrier, rest.own);
        if is_new || elsewhere || mover.place != rest.place {
            self.send(&mut mover, rest, way);
        }
        mover.place = rest.place;
        // At once: where it is drawn is where it will rest.
        mover.write(shift_of(&self.slides, mover.carrier));
        Some(mover)
    }

    /// Starts a travel from where the token is. What is left of a travel that was under way comes
    /// first, so that no corner is cut.
    fn send(&self, mover: &mut Mover, rest: &Rest, way: &dyn Fn() -> Vec<Point>) {
        let before = mover.travel.take();
        if self.still {
            return;
        }
        let mut points = vec![mover.at];
        if let Some(travel) = before.filter(|_| mover.place != rest.place) {
            points.extend(rest_of(&travel, mover.at));
        }
        points.extend(way());
        points.push(rest.at);
        points.dedup();
        let lasts_ms = travel_ms(length(&points), self.speed);
        mover.travel = Some(Travel { way: points, began_ms: None, lasts_ms });
    }

    /// Writes what moved; true while something travels or fades.
    pub fn paint(&mut self, at: &Instant) -> bool {
        let mut busy = false;
        for slide in self.slides.values_mut() {
            busy |= slide.step(at.real_ms);
        }
        for mover in self.movers.values_mut() {
            let slide = mover.carrier.and_then(|queue| self.slides.get(&queue));
            busy |= mover.step(at.real_ms, slide);
        }
        for ghost in &mut self.ghosts {
            ghost.step(at.real_ms, None);
            ghost.fade(at.real_ms, self.speed);
        }
        self.ghosts.retain(|ghost| ghost.leaving.is_some());
        busy || !self.ghosts.is_empty()
    }
}

fn shift_of(slides: &HashMap<MessageQueue, Slide>, carrier: Option<MessageQueue>) -> f64 {
    carrier.and_then(|queue| slides.get(&queue)).map_or(0.0, Slide::x)
}

/// The corners that are still before a token on its travel.
fn rest_of(travel: &Travel, at: Point) -> Vec<Point> {
    let nearest = travel
        .way
        .windows(2)
        .enumerate()
        .map(|(leg, w)| (leg, distance(at, w[0], w[1])))
        .min_by(|a, b| a.1.total_cmp(&b.1));
    nearest.map_or_else(Vec::new, |(leg, _)| travel.way.get(leg + 1..).unwrap_or_default().to_vec())
}

fn distance(p: Point, a: Point, b: Point) -> f64 {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let t = ((p.0 - a.0) * dx + (p.1 - a.1) * dy) / (dx * dx + dy * dy).max(1e-9);
    let t = t.clamp(0.0, 1.0);
    (p.0 - a.0 - t * dx).hypot(p.1 - a.1 - t * dy)
}

impl Mover {
    fn new(rest: &Rest, at: Point) -> Option<Self> {
        Some(Self {
            element: rest.node.cast()?,
            place: rest.place,
            carrier: rest.carrier,
            own: rest.own,
            at,
            travel: None,
            written: Written::default(),
            leaving: None,
        })
    }

    fn step(&mut self, real_ms: f64, slide: Option<&Slide>) -> bool {
        let Some(travel) = &mut self.travel else { return false };
        let began = *travel.began_ms.get_or_insert(real_ms);
        let share = ((real_ms - began) / travel.lasts_ms).clamp(0.0, 1.0);
        self.at = along(&travel.way, ease(share)).0;
        if share >= 1.0 {
            self.at = travel.way.last().copied().unwrap_or(self.at);
            // Until its carrier stands as well, it has to be held where it is.
            if !slide.is_some_and(Slide::is_busy) {
                self.travel = None;
            }
        }
        self.write(slide.map_or(0.0, Slide::x));
        self.travel.is_some()
    }

    /// Puts the element where the token is, `shift` being how far its carrier is.
    fn write(&mut self, shift: f64) {
        let goes = self.travel.is_some() || self.leaving.is_some();
        let by = goes.then_some((self.at.0 - self.own.0 - shift, self.at.1 - self.own.1));
        self.written.renew(&self.element, by);
    }

    fn fade(&mut self, real_ms: f64, speed: f64) {
        if self.travel.is_some() {
            return;
        }
        let Some(since) = self.leaving else { return };
        let since = if since.is_nan() { real_ms } else { since };
        let share = (real_ms - since) / (FADE_MS / speed.max(1.0).sqrt());
        if share >= 1.0 {
            self.element.remove();
            self.leaving = None;
            return;
        }
        self.leaving = Some(since);
        let _ = self.element.set_attribute("opacity", &format!("{:.2}", 1.0 - share));
    }
}
