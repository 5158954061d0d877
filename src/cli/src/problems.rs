//! Mistakes in a text, with the line and a mark below the place.

use lockstep_core::scenario::Problem;
use lockstep_i18n::problem;

use crate::console::Console;
use crate::Written;

/// Writes all mistakes of a file.
pub(crate) fn write(
    file: &str,
    text: &str,
    problems: &[Problem],
    console: &mut Console<'_>,
) -> Written<()> {
    let said = console.text();
    let (locale, err) = (console.locale, &mut *console.err);
    let lines: Vec<&str> =
        text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    for problem in problems {
        let span = problem.span;
        let what = problem::sentence(locale, problem);
        writeln!(err, "{}", said.at_place(file, span.line, span.column, &what))?;
        let Some(line) = (span.line as usize).checked_sub(1).and_then(|index| lines.get(index))
        else {
            continue;
        };
        let number = span.line.to_string();
        let (before, marked) = mark(line, span.column as usize, span.width as usize);
        writeln!(err, " {number} | {line}")?;
        writeln!(err, " {:width$} | {before}{marked}", "", width = number.len())?;
    }
    let count = problems.len();
    let count = if count == 1 { said.one_mistake(file) } else { said.mistakes(file, count) };
    writeln!(err, "{count}")
}

/// What stands below the line: white space as wide as what is before the place, and the mark.
fn mark(line: &str, column: usize, width: usize) -> (String, String) {
    let mut chars = line.chars();
    let before = chars
        .by_ref()
        .take(column - 1)
        .map(|c| if c == '\t' { "\t" } else { &"  "[..columns(c)] })
        .collect();
    let marked: usize = chars.take(width).map(columns).sum();
    (before, "^".repeat(marked.max(1)))
}

/// Columns that a character takes on a terminal.
fn columns(c: char) -> usize {
    match c {
        '\u{feff}' | '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}' => 2,
        _ => 1,
    }
}
