//! Charts as SVG texts, drawn with plotters on a backend of our own: shapes carry classes, so that
//! the page's style sheet gives them their colours and widths in both themes, and no text has to be
//! measured. Knows no browser.

mod bars;
mod file;
mod lines;
mod sheet;
pub mod ticks;

pub use bars::{columns, shares, Column, Columns, Share, Shares};
pub use file::{csv, svg_file, Drawn, VARIABLES};
pub use lines::{lines, Line, Lines, Rank};

/// Left, top, right and bottom of the area in which values are drawn, in pixels from the chart's
/// upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margins {
    /// Room for the labels of the vertical axis.
    pub left: u32,
    /// Room for what stands above the values.
    pub top: u32,
    /// Room for the names at the lines' ends.
    pub right: u32,
    /// Room for the labels of the horizontal axis.
    pub bottom: u32,
}

#[cfg(test)]
mod tests;
