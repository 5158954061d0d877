//! Times, numbers and message labels inside a word.

use winnow::ascii::{dec_uint, digit1};
use winnow::combinator::{alt, eof, opt, preceded, repeat, separated_pair, terminated};
use winnow::error::EmptyError;
use winnow::prelude::*;

use crate::command::Label;
use crate::ids::Ms;

type Answer<T> = Result<T, EmptyError>;

/// Longest time that can be written.
pub(crate) const TIME_MAX_MS: Ms = crate::command::MAX_TIME_MS;

/// A time: `400ms`, `1.5s`, `1m30s`, `2h`, `3d`, `00:11.900`, `1:00:00` or `0`. In milliseconds.
pub fn time(word: &str) -> Option<Ms> {
    let zero = terminated('0'.value(0), eof);
    let ms = alt((zero, clock, units)).parse(word).ok()?;
    (ms <= TIME_MAX_MS).then_some(ms)
}

/// Two times with `..` between them, or one time for both.
pub(crate) fn time_range(word: &str) -> Option<(Ms, Ms)> {
    match word.split_once("..") {
        None => time(word).map(|t| (t, t)),
        Some((from, to)) => Some((time(from)?, time(to)?)).filter(|(from, to)| from <= to),
    }
}

/// A time as it is written best: `0`, `400ms`, `1.5s`, `1m30s`. Negative times are written as 0.
pub fn write_time(ms: Ms) -> String {
    if ms <= 0 {
        return "0".to_owned();
    }
    let mut text = String::new();
    let (hours, minutes) = (ms / 3_600_000, ms / 60_000 % 60);
    if hours > 0 {
        text += &format!("{hours}h");
    }
    if minutes > 0 {
        text += &format!("{minutes}m");
    }
    match (ms / 1_000 % 60, ms % 1_000) {
        (0, 0) => {}
        (0, rest) if text.is_empty() => text += &format!("{rest}ms"),
        (seconds, 0) => text += &format!("{seconds}s"),
        (seconds, rest) => {
            text += format!("{seconds}.{rest:03}").trim_end_matches('0');
            text.push('s');
        }
    }
    text
}

/// `hours:minutes:seconds` or `minutes:seconds`, the seconds with up to three decimals.
fn clock(word: &mut &str) -> Answer<Ms> {
    let (first, second): (u32, u32) = separated_pair(digits, ':', below_60).parse_next(word)?;
    let third = opt(preceded(':', below_60)).parse_next(word)?;
    let fraction = opt(preceded('.', thousandths)).parse_next(word)?.unwrap_or(0);
    let (h, m, s) = match third {
        Some(s) => (first, second, s),
        None => (0, first, second),
    };
    Ok((i64::from(h) * 3_600 + i64::from(m) * 60 + i64::from(s)) * 1_000 + fraction)
}

/// A number that may have leading zeros.
fn digits(word: &mut &str) -> Answer<u32> {
    digit1.parse_to().parse_next(word)
}

fn below_60(word: &mut &str) -> Answer<u32> {
    digits.verify(|n| *n < 60).parse_next(word)
}

/// One or more numbers with units, from the largest unit to the smallest.
fn units(word: &mut &str) -> Answer<Ms> {
    let parts: Vec<(Ms, Ms)> = repeat(1.., part).parse_next(word)?;
    let descending = parts.windows(2).all(|pair| pair[0].1 > pair[1].1);
    if !descending {
        return Err(EmptyError);
    }
    parts.iter().try_fold(0i64, |sum, (ms, _)| sum.checked_add(*ms)).ok_or(EmptyError)
}

/// A number with a unit: its milliseconds and those of the unit.
fn part(word: &mut &str) -> Answer<(Ms, Ms)> {
    let whole: u32 = dec_uint.parse_next(word)?;
    let fraction = opt(preceded('.', thousandths)).parse_next(word)?;
    let unit: Ms = alt((
        "ms".value(1),
        's'.value(1_000),
        'm'.value(60_000),
        'h'.value(3_600_000),
        'd'.value(86_400_000),
    ))
    .parse_next(word)?;
    let below = match fraction {
        None => 0,
        Some(f) if f * unit % 1_000 == 0 => f * unit / 1_000,
        Some(_) => return Err(EmptyError),
    };
    Ok((i64::from(whole) * unit + below, unit))
}

/// Up to three decimals, in thousandths.
fn thousandths(word: &mut &str) -> Answer<i64> {
    let digits = digit1.verify(|d: &str| d.len() <= 3).parse_next(word)?;
    let number: i64 = digits.parse().map_err(|_| EmptyError)?;
    Ok(number * [100, 10, 1][digits.len() - 1])
}

/// A number with up to two decimals, in hundredths: `1.1` is 110.
pub(crate) fn hundredths(word: &str) -> Option<u32> {
    let mut number =
        (dec_uint::<_, u32, EmptyError>, opt(preceded('.', digit1.verify(|d: &str| d.len() <= 2))));
    let (whole, decimals): (u32, Option<&str>) = number.parse(word).ok()?;
    let below = match decimals {
        None => 0,
        Some(d) => d.parse::<u32>().ok()? * if d.len() == 1 { 10 } else { 1 },
    };
    whole.checked_mul(100)?.checked_add(below)
}

/// A message label: a series name that does not end in a digit, then its number without leading
/// zeros: `A2`, `order-1002`.
pub fn label(word: &str) -> Option<Label> {
    let series = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &word[series.len()..];
    let canonical = digits == "0" || (!digits.is_empty() && !digits.starts_with('0'));
    if !canonical || !is_series(series) {
        return None;
    }
    Some(Label { series: series.to_owned(), number: digits.parse().ok()? })
}

/// Whether a word can name a series: it begins with a letter and does not end in a digit.
pub(crate) fn is_series(word: &str) -> bool {
    word.starts_with(char::is_alphabetic)
        && !word.ends_with(|c: char| c.is_ascii_digit())
        && !word.contains("..")
}

/// Most messages that one range may name.
pub(crate) const RANGE_MAX: u32 = 10_000;

/// One label, or a range of one series: `A1..A100`.
pub(crate) fn label_range(word: &str) -> Option<(Label, u32)> {
    match word.split_once("..") {
        None => label(word).map(|l| {
            let n = l.number;
            (l, n)
        }),
        Some((from, to)) => {
            let (from, to) = (label(from)?, label(to)?);
            let fits = from.series == to.series
                && from.number <= to.number
                && to.number - from.number < RANGE_MAX;
            fits.then_some((from, to.number))
        }
    }
}

/// A queue's short name, `q3`.
pub(crate) fn queue_id(word: &str) -> Option<u16> {
    let digits = word.strip_prefix('q')?;
    let canonical = digits == "0" || !digits.starts_with('0');
    (canonical && digits.chars().all(|c| c.is_ascii_digit())).then(|| digits.parse().ok())?
}
