//! Lines over time.

use std::convert::Infallible;

use lockstep_core::ids::Ms;
use plotters::coord::combinators::BindKeyPoints;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::sheet::{text, Role, Sheet, UNITS};
use super::{ticks, Margins};

/// How much a line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// The one to look at.
    First,
    /// The one beside it.
    Second,
    /// All others.
    Rest,
}

/// A line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its pieces: instants and values. Between them nothing is known.
    pub pieces: Vec<Vec<(Ms, i64)>>,
    /// How much it matters.
    pub rank: Rank,
    /// What stands at its end; nothing when empty.
    pub name: String,
}

/// Lines over time on one pair of axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Around the values.
    pub margins: Margins,
    /// The beginning of the time axis.
    pub from_ms: Ms,
    /// Its end.
    pub end_ms: Ms,
    /// The present: what follows it is not known yet.
    pub now_ms: Ms,
    /// The lines; later ones lie above.
    pub lines: Vec<Line>,
    /// Durations on a logarithmic axis instead of counts.
    pub log: bool,
    /// Stretches that are hatched, and what they are.
    pub hatched: (Vec<(Ms, Ms)>, String),
}

/// Least distance between two names at the lines' ends, in pixels.
const NAME_PX: i64 = 13;

/// The chart as SVG shapes, without the element around them.
pub fn lines(chart: &Lines) -> String {
    let mut out = String::new();
    // The backend cannot fail; plotters refuses only areas without size, and then there is nothing.
    let _ = draw(chart, &mut out);
    out
}

fn draw(chart: &Lines, out: &mut String) -> Result<(), DrawingAreaErrorKind<Infallible>> {
    let root = Sheet::new(chart.size, out).into_drawing_area();
    let Margins { left, top, right, bottom } = chart.margins;
    let (low, high) = range(chart);
    let x_ticks = ticks::times(chart.from_ms, chart.end_ms, 4);
    let y_ticks = match chart.log {
        true => (low / 1_000..=high / 1_000).map(|decade| decade * 1_000).collect(),
        false => ticks::counts(high, 4),
    };
    let mut context = ChartBuilder::on(&root)
        .margin_top(top * UNITS)
        .margin_right(right * UNITS)
        .x_label_area_size(bottom * UNITS)
        .y_label_area_size(left * UNITS)
        .build_cartesian_2d(
            (chart.from_ms..chart.end_ms.max(chart.from_ms + 1)).with_key_points(x_ticks),
            (low..high).with_key_points(y_ticks),
        )?;
    let y_label = |value: &i64| match chart.log {
        true => ticks::duration(10_i64.pow((value / 1_000).clamp(0, 15) as u32)),
        false => crate::i18n::number(*value),
    };
    let stretches = chart.hatched.0.iter().map(|(from, to)| {
        Rectangle::new([(*from, low), (*to, high)], Role::Hatch.color().filled())
    });
    context.draw_series(stretches)?;
    context
        .configure_mesh()
        .disable_x_mesh()
        .bold_line_style(Role::Grid.color())
        .light_line_style(TRANSPARENT)
        .axis_style(TRANSPARENT)
        .set_all_tick_mark_size(0)
        .x_label_style(text(Role::Tick.color(), HPos::Center, VPos::Top))
        .y_label_style(text(Role::Tick.color(), HPos::Right, VPos::Center))
        .x_label_offset(0)
        .x_label_formatter(&|ms| ticks::duration(*ms))
        .y_label_formatter(&y_label)
        .draw()?;
    let ground = [(chart.from_ms, low), (chart.end_ms.max(chart.from_ms + 1), low)];
    context.draw_series(std::iter::once(PathElement::new(ground, Role::Axis.color())))?;
    if let Some((from_ms, to_ms)) = chart.hatched.0.iter().max_by_key(|(from, to)| to - from) {
        let (x, y) = context.backend_coord(&((from_ms + to_ms) / 2, high));
        // Beside the line of the present, not across it.
        let now = context.backend_coord(&(chart.now_ms, high)).0;
        let half = chart.hatched.1.chars().count() as i32 * 4 * UNITS as i32;
        let (x, anchor) = match x + half > now {
            true => (now - 4 * UNITS as i32, HPos::Right),
            false => (x, HPos::Center),
        };
        root.draw_text(&chart.hatched.1, &text(Role::Name.color(), anchor, VPos::Top), (x, y))?;
    }
    let value = |v: i64| if chart.log { ticks::log(v) } else { v };
    let mut ends: Vec<(i64, &Line)> = Vec::new();
    for line in &chart.lines {
        let role = match line.rank {
            Rank::First => Role::First,
            Rank::Second => Role::Second,
            Rank::Rest => Role::Rest,
        };
        for piece in &line.pieces {
            let points = piece.iter().map(|(at, v)| (*at, value(*v)));
            context.draw_series(LineSeries::new(points, role.color()))?;
        }
        if let (Some((at, v)), false) =
            (line.pieces.last().and_then(|p| p.last()), line.name.is_empty())
        {
            let (_, y) = context.backend_coord(&(*at, value(*v)));
            ends.push((i64::from(y), line));
        }
    }
    // What follows the present is not known yet.
    if chart.now_ms < chart.end_ms {
        let later = [(chart.now_ms, low), (chart.now_ms, high)];
        context.draw_series(std::iter::once(PathElement::new(later, Role::Axis.color())))?;
    }
    let right_edge = context.backend_coord(&(chart.now_ms.min(chart.end_ms), low)).0;
    for (y, line) in apart(ends) {
        let role = if line.rank == Rank::First { Role::Name } else { Role::NameRest };
        let style = text(role.color(), HPos::Left, VPos::Center);
        let at = (right_edge + 6 * UNITS as i32, y as i32);
        root.draw_text(&line.name, &style, at)?;
    }
    Ok(())
}

/// The ends of the vertical axis.
fn range(chart: &Lines) -> (i64, i64) {
    let values = || chart.lines.iter().flat_map(|line| &line.pieces).flatten().map(|(_, v)| *v);
    let highest = values().max().unwrap_or(0);
    if !chart.log {
        return (0, ticks::end(highest, 4));
    }
    let low = ticks::log(values().min().unwrap_or(1)) / 1_000 * 1_000;
    let high = (ticks::log(highest) + 999) / 1_000 * 1_000;
    (low, high.max(low + 1_000))
}

/// Moves names apart that would lie on each other; the order stays.
fn apart(mut ends: Vec<(i64, &Line)>) -> Vec<(i64, &Line)> {
    let least = NAME_PX * i64::from(UNITS);
    ends.sort_by_key(|(y, line)| (*y, line.rank));
    let mut last = i64::MIN / 2;
    for (y, _) in &mut ends {
        *y = (*y).max(last + least);
        last = *y;
    }
    // What was pushed below the axis goes up again.
    ends
}
