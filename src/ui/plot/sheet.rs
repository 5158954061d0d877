//! The drawing backend: writes SVG with classes.

use std::convert::Infallible;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind,
};

use crate::ui::stage::svg::num;

/// Units of plotters' whole coordinates in a pixel: curves are as fine as a quarter of one.
pub const UNITS: u32 = 4;

/// What a shape is. plotters knows colours only; each of these is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Role {
    Grid,
    Axis,
    First,
    Second,
    Rest,
    Dark,
    Plain,
    Strong,
    Empty,
    Hatch,
    Wait,
    Mean,
    Hot,
    Tick,
    Label,
    Name,
    NameRest,
    Value,
    HotName,
}

const CLASSES: [&str; 19] = [
    "p-grid",
    "p-axis",
    "p-first",
    "p-second",
    "p-rest",
    "p-dark",
    "p-plain",
    "p-strong",
    "p-empty",
    "p-hatch",
    "p-wait",
    "p-mean",
    "p-hot",
    "p-tick",
    "p-label",
    "p-name",
    "p-name-rest",
    "p-value",
    "p-hot-name",
];

const HUES: [&str; 9] = [" g0", " g1", " g2", " g3", " g4", " g5", " g6", " g7", " gn"];

impl Role {
    /// The colour that stands for it.
    pub fn color(self) -> RGBColor {
        RGBColor(self as u8, 0, 0)
    }

    /// The colour that stands for it in the colour of a message group.
    pub fn of_group(self, hue: u8) -> RGBColor {
        RGBColor(self as u8, hue.min(8) + 1, 0)
    }
}

/// A text style of a role, with its anchor.
pub fn text(role: RGBColor, h: HPos, v: VPos) -> TextStyle<'static> {
    use plotters::style::text_anchor::Pos;
    // The size only tells plotters how far labels are from each other; the style sheet has its own.
    let font = TextStyle::from(("inherit", 11 * UNITS)).font;
    TextStyle { font, color: role.to_backend_color(), pos: Pos::new(h, v) }
}

/// An SVG that is being written.
pub struct Sheet<'a> {
    size: (u32, u32),
    out: &'a mut String,
}

impl<'a> Sheet<'a> {
    /// A sheet of this size in pixels; what is drawn is appended to `out`.
    pub fn new(size: (u32, u32), out: &'a mut String) -> Self {
        Self { size, out }
    }

    fn open(&mut self, tag: &str, color: BackendColor) {
        let (role, hue, _) = color.rgb;
        let class = CLASSES.get(usize::from(role)).copied().unwrap_or_default();
        let hue = usize::from(hue).checked_sub(1).and_then(|hue| HUES.get(hue)).copied();
        for part in ["<", tag, " class=\"", class, hue.unwrap_or_default(), "\""] {
            self.out.push_str(part);
        }
    }

    fn number(&mut self, name: &str, units: i32) {
        for part in [" ", name, "=\"", &px(units), "\""] {
            self.out.push_str(part);
        }
    }

    fn path(&mut self, points: impl IntoIterator<Item = BackendCoord>, close: bool) {
        self.out.push_str(" d=\"");
        for (place, (x, y)) in points.into_iter().enumerate() {
            self.out.push(if place == 0 { 'M' } else { 'L' });
            self.out.push_str(&px(x));
            self.out.push(' ');
            self.out.push_str(&px(y));
        }
        self.out.push_str(if close { "Z\"/>" } else { "\"/>" });
    }
}

fn px(units: i32) -> String {
    num(f64::from(units) / f64::from(UNITS))
}

/// Appends a text so that it is one, whatever stands in it.
pub fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
}

type Done = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for Sheet<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.size.0 * UNITS, self.size.1 * UNITS)
    }

    fn ensure_prepared(&mut self) -> Done {
        Ok(())
    }

    fn present(&mut self) -> Done {
        Ok(())
    }

    /// Nothing is drawn by pixels.
    fn draw_pixel(&mut self, _point: BackendCoord, _color: BackendColor) -> Done {
        Ok(())
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Done {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        _fill: bool,
    ) -> Done {
        if style.color().alpha == 0.0 {
            return Ok(());
        }
        self.open("rect", style.color());
        self.number("x", upper_left.0);
        self.number("y", upper_left.1);
        self.number("width", (bottom_right.0 - upper_left.0).max(0));
        self.number("height", (bottom_right.1 - upper_left.1).max(0));
        self.out.push_str("/>");
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Done {
        if style.color().alpha == 0.0 {
            return Ok(());
        }
        self.open("path", style.color());
        self.path(path, false);
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        _fill: bool,
    ) -> Done {
        if style.color().alpha == 0.0 {
            return Ok(());
        }
        self.open("circle", style.color());
        self.number("cx", center.0);
        self.number("cy", center.1);
        self.number("r", radius as i32);
        self.out.push_str("/>");
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        vert: I,
        style: &S,
    ) -> Done {
        if style.color().alpha == 0.0 {
            return Ok(());
        }
        self.open("path", style.color());
        self.path(vert, true);
        Ok(())
    }

    fn draw_text<T: BackendTextStyle>(&mut self, text: &str, style: &T, at: BackendCoord) -> Done {
        self.open("text", style.color());
        let anchor = style.anchor();
        // plotters sets labels of axes on the axis where there are no marks at them.
        let gap = if style.color().rgb.0 == Role::Tick as u8 { 6 * UNITS as i32 } else { 0 };
        let (dx, dy) = match anchor.h_pos {
            HPos::Right => (-gap, 0),
            HPos::Left | HPos::Center => (0, gap),
        };
        self.number("x", at.0 + dx);
        self.number("y", at.1 + dy);
        self.out.push_str(match anchor.v_pos {
            VPos::Top => " dy=\".8em\"",
            VPos::Center => " dy=\".36em\"",
            VPos::Bottom => "",
        });
        self.out.push_str(match anchor.h_pos {
            HPos::Left => ">",
            HPos::Center => " text-anchor=\"middle\">",
            HPos::Right => " text-anchor=\"end\">",
        });
        escape(self.out, text);
        self.out.push_str("</text>");
        Ok(())
    }

    /// A guess. Labels have fixed room, so nothing depends on it.
    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        text: &str,
        _style: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        Ok((text.chars().count() as u32 * 6 * UNITS, 11 * UNITS))
    }
}
