//! How much room words take, before they are drawn: an estimate that is never too small for the
//! page's small type.

/// Widths of a letter and of a Chinese character at 12 px, in px.
const LETTER_W: f64 = 7.0;
const CHARACTER_W: f64 = 12.5;

/// The room that words take, in px.
pub fn width(words: &str) -> f64 {
    words.chars().map(|c| if c.is_ascii() { LETTER_W } else { CHARACTER_W }).sum()
}

/// The first of some ways to say a thing that fits into a room.
pub fn fitting<'a>(ways: &[&'a str], room: f64) -> Option<&'a str> {
    ways.iter().copied().find(|words| width(words) <= room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_words_that_fit_are_said() {
        let ways = ["waits for a thread", "no thread"];
        assert_eq!(fitting(&ways, 140.0), Some(ways[0]));
        assert_eq!(fitting(&ways, 70.0), Some(ways[1]));
        assert_eq!(fitting(&ways, 30.0), None);
        assert!(width("等待线程") > width("wait"));
    }
}
