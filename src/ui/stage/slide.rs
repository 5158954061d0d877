//! The carrier of a lane on its way to the right or left.

use web_sys::Element;

use super::rests::Carrier;
use super::route::{ease, travel_ms, Point};
use super::svg::translate;

/// A carrier and how far it is from where it was drawn.
pub struct Slide {
    element: Element,
    base: i64,
    x: f64,
    to: f64,
    travel: Option<Travel>,
    written: Written,
}

/// The `transform` of an element as it was written last, in hundredths of a pixel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Written(Option<(i64, i64)>);

impl Written {
    /// Moves the element by so much, or puts it where it was drawn; writes nothing that is there.
    pub fn renew(&mut self, element: &Element, by: Option<Point>) {
        let hundredths = |value: f64| (value * 100.0).round() as i64;
        let next = Self(by.map(|(x, y)| (hundredths(x), hundredths(y))));
        if *self == next {
            return;
        }
        *self = next;
        // A failure could only mean that the name is not a name.
        let _ = match by {
            Some((x, y)) => element.set_attribute("transform", &translate(x, y)),
            None => element.remove_attribute("transform"),
        };
    }
}

struct Travel {
    from: f64,
    began_ms: Option<f64>,
    lasts_ms: f64,
}

impl Slide {
    /// A carrier that stands where it has to be; None while it has no element.
    pub fn of(carrier: &Carrier) -> Option<Self> {
        let (base, x) = (carrier.base, carrier.shift);
        let (element, written) = (carrier.node.cast()?, Written::default());
        let mut slide = Self { element, base, x, to: x, travel: None, written };
        slide.write();
        Some(slide)
    }

    /// How far it is.
    pub fn x(&self) -> f64 {
        self.x
    }

    /// Whether it moves.
    pub fn is_busy(&self) -> bool {
        self.travel.is_some()
    }

    /// Whether its element is still on the page.
    pub fn is_there(&self) -> bool {
        self.element.is_connected()
    }

    /// Lets it go to where a view has it; at once if `still`, and where it was begun anew.
    pub fn go(&mut self, carrier: &Carrier, still: bool, speed: f64) {
        let begun_anew = self.base != carrier.base;
        if !begun_anew && self.to == carrier.shift && !(still && self.is_busy()) {
            return;
        }
        (self.base, self.to) = (carrier.base, carrier.shift);
        if still || begun_anew {
            (self.x, self.travel) = (self.to, None);
            self.write();
        } else {
            let lasts_ms = travel_ms((self.to - self.x).abs(), speed);
            self.travel = Some(Travel { from: self.x, began_ms: None, lasts_ms });
        }
    }

    /// Writes where it is in a frame at `real_ms`; true while it moves.
    pub fn step(&mut self, real_ms: f64) -> bool {
        let Some(travel) = &mut self.travel else { return false };
        let began = *travel.began_ms.get_or_insert(real_ms);
        let share = ((real_ms - began) / travel.lasts_ms).clamp(0.0, 1.0);
        self.x = travel.from + (self.to - travel.from) * ease(share);
        if share >= 1.0 {
            (self.x, self.travel) = (self.to, None);
        }
        self.write();
        self.is_busy()
    }

    fn write(&mut self) {
        self.written.renew(&self.element, Some((self.x, 0.0)));
    }
}
