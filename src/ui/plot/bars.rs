//! Bars: columns side by side, and shares of a whole one below the other.

use std::convert::Infallible;

use plotters::coord::combinators::BindKeyPoints;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::sheet::{text, Role, Sheet, UNITS};
use super::{ticks, Margins};
use crate::i18n::number;

/// Coordinates of a column's place: a hundred for each.
const PLACE: i64 = 100;

/// One column alone would be as wide as the chart.
const LEAST_PLACES: i64 = 4;

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// What stands below it.
    pub name: String,
    /// How high it is.
    pub value: i64,
    /// A part of it, from the ground, that is one message group's: how high, colour, name.
    pub part: Option<(i64, u8, String)>,
}

/// Columns side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Around the columns.
    pub margins: Margins,
    /// The columns.
    pub columns: Vec<Column>,
    /// A dotted line at this height.
    pub mean: Option<i64>,
    /// An axis with marks; else only the ground.
    pub axis: bool,
}

/// The chart as SVG shapes.
pub fn columns(chart: &Columns) -> String {
    let mut out = String::new();
    // The backend cannot fail; plotters refuses only areas without size, and then there is nothing.
    let _ = draw_columns(chart, &mut out);
    out
}

fn draw_columns(chart: &Columns, out: &mut String) -> Result<(), DrawingAreaErrorKind<Infallible>> {
    let root = Sheet::new(chart.size, out).into_drawing_area();
    let Margins { left, top, right, bottom } = chart.margins;
    let count = (chart.columns.len() as i64).max(LEAST_PLACES);
    let high = chart.columns.iter().map(|column| column.value).max().unwrap_or(0).max(1);
    let high = if chart.axis { ticks::end(high, 3) } else { high };
    let mut context = ChartBuilder::on(&root)
        .margin_top(top * UNITS)
        .margin_right(right * UNITS)
        .x_label_area_size(bottom * UNITS)
        .y_label_area_size(left * UNITS)
        .build_cartesian_2d(
            (0..(count * PLACE).max(1)).with_key_points(Vec::new()),
            (0..high).with_key_points(if chart.axis { ticks::counts(high, 3) } else { Vec::new() }),
        )?;
    context
        .configure_mesh()
        .disable_x_mesh()
        .bold_line_style(Role::Grid.color())
        .light_line_style(TRANSPARENT)
        .axis_style(TRANSPARENT)
        .set_all_tick_mark_size(0)
        .y_label_style(text(Role::Tick.color(), HPos::Right, VPos::Center))
        .y_label_formatter(&|value| number(*value))
        .draw()?;
    let ground = [(0, 0), ((count * PLACE).max(1), 0)];
    context.draw_series(std::iter::once(PathElement::new(ground, Role::Axis.color())))?;
    // Figures that would not fit over their columns are left out: the table has them.
    let room = (chart.size.0.saturating_sub(left + right)) as usize / count as usize;
    for (place, column) in (0..).zip(&chart.columns) {
        let (from, to) = (place * PLACE + 8, (place + 1) * PLACE - 8);
        let bar = Rectangle::new([(from, column.value), (to, 0)], Role::Plain.color().filled());
        context.draw_series(std::iter::once(bar))?;
        let middle = place * PLACE + PLACE / 2;
        if let Some((value, hue, name)) = &column.part {
            let style = Role::Hot.of_group(*hue).filled();
            let part = Rectangle::new([(from, *value), (to, 0)], style);
            context.draw_series(std::iter::once(part))?;
            let (ground, top) =
                (context.backend_coord(&(middle, 0)), context.backend_coord(&(middle, *value)));
            if ground.1 - top.1 >= 14 * UNITS as i32 && name.chars().count() * 8 <= room {
                let style = text(Role::HotName.of_group(*hue), HPos::Center, VPos::Center);
                root.draw_text(name, &style, (ground.0, (ground.1 + top.1) / 2))?;
            }
        }
        let (x, y) = context.backend_coord(&(middle, column.value));
        let figure = number(column.value);
        if figure.chars().count() * 7 <= room {
            let style = text(Role::Value.color(), HPos::Center, VPos::Bottom);
            root.draw_text(&figure, &style, (x, y - 4 * UNITS as i32))?;
        }
        let every = (column.name.chars().count() * 7 + 4).div_ceil(room.max(1)) as i64;
        if place % every.max(1) == 0 {
            let (x, y) = context.backend_coord(&(middle, 0));
            let style = text(Role::Label.color(), HPos::Center, VPos::Top);
            root.draw_text(&column.name, &style, (x, y + 5 * UNITS as i32))?;
        }
    }
    if let Some(mean) = chart.mean {
        let line = PathElement::new([(0, mean), (count * PLACE, mean)], Role::Mean.color());
        context.draw_series(std::iter::once(line))?;
    }
    Ok(())
}

/// A whole and its parts, which add up to at most the end of the axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// What stands before it.
    pub name: String,
    /// Handling, suspended, without an owner; the rest is left empty. In ms.
    pub parts: [i64; 3],
    /// What stands behind it.
    pub note: String,
}

/// Shares one below the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Shares {
    /// Width in pixels; the height follows from the number of rows.
    pub width: u32,
    /// Around the rows.
    pub margins: Margins,
    /// The end of the axis, in ms.
    pub end_ms: i64,
    /// The rows.
    pub rows: Vec<Share>,
}

/// Height of a row of [`Shares`] in pixels.
const ROW_PX: u32 = 26;

impl Shares {
    /// Width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        let Margins { top, bottom, .. } = self.margins;
        (self.width, top + bottom + ROW_PX * self.rows.len() as u32)
    }
}

/// The chart as SVG shapes.
pub fn shares(chart: &Shares) -> String {
    let mut out = String::new();
    // As for the columns.
    let _ = draw_shares(chart, &mut out);
    out
}

fn draw_shares(chart: &Shares, out: &mut String) -> Result<(), DrawingAreaErrorKind<Infallible>> {
    let root = Sheet::new(chart.size(), out).into_drawing_area();
    let Margins { left, top, right, bottom } = chart.margins;
    let count = chart.rows.len() as i64;
    let mut context = ChartBuilder::on(&root)
        .margin_top(top * UNITS)
        .margin_right(right * UNITS)
        .x_label_area_size(bottom * UNITS)
        .y_label_area_size(left * UNITS)
        .build_cartesian_2d(
            (0..chart.end_ms.max(1)).with_key_points(ticks::times(0, chart.end_ms, 4)),
            (0..(count * PLACE).max(1)).with_key_points(Vec::new()),
        )?;
    context
        .configure_mesh()
        .disable_mesh()
        .axis_style(TRANSPARENT)
        .set_all_tick_mark_size(0)
        .x_label_style(text(Role::Tick.color(), HPos::Center, VPos::Top))
        .x_label_formatter(&|ms| ticks::duration(*ms))
        .draw()?;
    for (place, row) in (0..).zip(&chart.rows) {
        // The first row is the highest.
        let (high, low) = ((count - place) * PLACE - 16, (count - place - 1) * PLACE + 16);
        let whole = Rectangle::new([(0, high), (chart.end_ms, low)], Role::Empty.color().filled());
        context.draw_series(std::iter::once(whole))?;
        let mut from = 0;
        for (part, role) in row.parts.iter().zip([Role::Dark, Role::Wait, Role::Strong]) {
            if *part > 0 {
                let bar = Rectangle::new([(from, high), (from + part, low)], role.color().filled());
                context.draw_series(std::iter::once(bar))?;
            }
            from += part;
        }
        let (x, y) = context.backend_coord(&(0, (high + low) / 2));
        let style = text(Role::Name.color(), HPos::Right, VPos::Center);
        root.draw_text(&row.name, &style, (x - 8 * UNITS as i32, y))?;
        let (x, y) = context.backend_coord(&(chart.end_ms, (high + low) / 2));
        let style = text(Role::Label.color(), HPos::Left, VPos::Center);
        root.draw_text(&row.note, &style, (x + 8 * UNITS as i32, y))?;
    }
    Ok(())
}
