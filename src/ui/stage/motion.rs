//! Moves tokens. Yew makes one element for each token; where it stands is written here, once per
//! animation frame and only while it moves.

use std::collections::HashMap;

use lockstep_core::ids::MsgId;
use lockstep_core::view::compare::Side;
use lockstep_core::view::stage::Place;
use web_sys::{Document, Element};

use super::route::{along, ease, length, travel_ms, Point, NO_TRAVEL_SPEED};
use super::svg::translate;
use crate::app::paint::Instant;

/// A token's key: the message and the number of its copy.
pub type Key = (MsgId, u32);

/// Where a token has to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The token.
    pub key: Key,
    /// Its place.
    pub place: Place,
    /// Where its middle rests.
    pub rest: Point,
    /// Its size.
    pub size: (f64, f64),
    /// The way to its rest from where it was before, ends excluded.
    pub way: Vec<Point>,
}

struct Mover {
    element: Element,
    place: Place,
    size: (f64, f64),
    at: Point,
    travel: Option<Travel>,
    /// Gone from the view: fades out after its travel.
    leaving: Option<f64>,
    fresh: bool,
}

struct Travel {
    way: Vec<Point>,
    began_ms: Option<f64>,
    lasts_ms: f64,
}

/// How long a token that has left takes to fade.
const FADE_MS: f64 = 160.0;

/// All tokens on the stage.
#[derive(Default)]
pub struct Motion {
    movers: HashMap<Key, Mover>,
    ghosts: Vec<Mover>,
    /// False while tokens do not travel: reduced motion, jumps in time, high speed.
    still: bool,
    speed: f64,
    /// Which of two runs the stage shows.
    run: Option<Side>,
}

/// Id of a token's element on the stage of a run.
pub fn element_id(run: Option<Side>, key: Key) -> String {
    format!("{}t{}-{}", prefix(run), key.0 .0, key.1)
}

/// Id of the layer on the stage of a run that tokens leave from.
pub fn ghosts_id(run: Option<Side>) -> String {
    format!("{}ghosts", prefix(run))
}

/// Two stages share one page; the ids of the second one's elements begin with this.
fn prefix(run: Option<Side>) -> &'static str {
    match run {
        Some(Side::Second) => "second-",
        Some(Side::First) | None => "",
    }
}

impl Motion {
    /// Says which of two runs the stage shows.
    pub fn set_run(&mut self, run: Option<Side>) {
        self.run = run;
    }

    /// The places before this view, by token.
    pub fn place(&self, key: Key) -> Option<Place> {
        self.movers.get(&key).map(|mover| mover.place)
    }

    /// Takes the targets of a view that has just been rendered. `still` puts everything in place at
    /// once.
    pub fn retarget(&mut self, document: &Document, targets: Vec<Target>, still: bool, speed: f64) {
        self.still = still || speed >= NO_TRAVEL_SPEED;
        self.speed = speed;
        let mut old = std::mem::take(&mut self.movers);
        for target in targets {
            let mover = old.remove(&target.key);
            if let Some(mover) = self.aim(document, target.clone(), mover) {
                self.movers.insert(target.key, mover);
            }
        }
        let layer = document.get_element_by_id(&ghosts_id(self.run));
        for (_, mut mover) in old {
            // Tokens that have arrived leave by opacity; all others are simply gone.
            let place = mover.place;
            let fades =
                matches!(place, Place::Row { .. } | Place::Shelf { .. } | Place::Hold { .. });
            if self.still || !fades {
                continue;
            }
            if let Some(layer) = &layer {
                let _ = mover.element.remove_attribute("id");
                if layer.append_child(&mover.element).is_ok() {
                    mover.leaving = Some(f64::NAN);
                    self.ghosts.push(mover);
                }
            }
        }
    }

    fn aim(&self, document: &Document, target: Target, mover: Option<Mover>) -> Option<Mover> {
        let known = mover.filter(|mover| mover.element.is_connected());
        let Some(mut mover) = known else {
            let element = document.get_element_by_id(&element_id(self.run, target.key))?;
            let start = target.way.first().copied().unwrap_or(target.rest);
            let mut mover = Mover {
                element,
                place: target.place,
                size: target.size,
                at: start,
                travel: None,
                leaving: None,
                fresh: true,
            };
            self.send(&mut mover, &target);
            // At once, so that it is never seen at the drawing's corner.
            mover.write();
            return Some(mover);
        };
        let moved = mover.place != target.place;
        let end = mover.travel.as_ref().and_then(|t| t.way.last().copied()).unwrap_or(mover.at);
        let elsewhere = (end.0 - target.rest.0).abs() + (end.1 - target.rest.1).abs() > 0.5;
        mover.fresh |= mover.size != target.size;
        mover.size = target.size;
        if moved || elsewhere {
            self.send(&mut mover, &target);
        }
        mover.place = target.place;
        Some(mover)
    }

    /// Starts a travel from where the token is. What is left of a travel that was under way comes
    /// first, so that no corner is cut.
    fn send(&self, mover: &mut Mover, target: &Target) {
        if self.still {
            mover.at = target.rest;
            mover.travel = None;
            mover.write();
            return;
        }
        let mut way = vec![mover.at];
        if let Some(travel) = mover.travel.take() {
            if mover.place != target.place {
                way.extend(rest_of(&travel, mover.at));
            }
        }
        way.extend(target.way.iter().copied());
        way.push(target.rest);
        way.dedup();
        let lasts_ms = travel_ms(length(&way), self.speed);
        mover.travel = Some(Travel { way, began_ms: None, lasts_ms });
    }

    /// Writes what moved; true while something travels or fades.
    pub fn paint(&mut self, at: &Instant) -> bool {
        let mut busy = false;
        for mover in self.movers.values_mut() {
            busy |= mover.step(at.real_ms);
        }
        for ghost in &mut self.ghosts {
            ghost.step(at.real_ms);
            ghost.fade(at.real_ms, self.speed);
        }
        self.ghosts.retain(|ghost| ghost.leaving.is_some());
        busy || !self.ghosts.is_empty()
    }
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
    fn step(&mut self, real_ms: f64) -> bool {
        let Some(travel) = &mut self.travel else {
            if std::mem::take(&mut self.fresh) {
                self.write();
            }
            return false;
        };
        let began = *travel.began_ms.get_or_insert(real_ms);
        let share = ((real_ms - began) / travel.lasts_ms).clamp(0.0, 1.0);
        self.at = along(&travel.way, ease(share)).0;
        if share >= 1.0 {
            self.at = travel.way.last().copied().unwrap_or(self.at);
            self.travel = None;
        }
        self.fresh = false;
        self.write();
        self.travel.is_some()
    }

    fn write(&self) {
        let (x, y) = (self.at.0 - self.size.0 / 2.0, self.at.1 - self.size.1 / 2.0);
        // A failure could only mean that the name is not a name.
        let _ = self.element.set_attribute("transform", &translate(x, y));
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
