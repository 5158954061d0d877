//! How much room words take, before they are drawn: an estimate that is never too small for the
//! page's small type.

/// Widths of a letter and of a Chinese character at 12 px, in px.
const LETTER_W: f64 = 7.0;
const CHARACTER_W: f64 = 12.5;

/// The room that words take, in px.
pub fn width(words: &str) -> f64 {
    width_at(words, LETTER_W)
}

/// The room that words take in a type whose letters are so wide.
pub fn width_at(words: &str, letter_w: f64) -> f64 {
    let character_w = letter_w * CHARACTER_W / LETTER_W;
    words.chars().map(|c| if c.is_ascii() { letter_w } else { character_w }).sum()
}

/// As much of a name as fits into a room, with a sign where something is missing.
pub fn cut(name: &str, room: f64, letter_w: f64) -> String {
    if width_at(name, letter_w) <= room {
        return name.to_owned();
    }
    let mut cut: String = name.to_owned();
    while !cut.is_empty() && width_at(&cut, letter_w) + letter_w > room {
        cut.pop();
    }
    cut + "…"
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

    #[test]
    fn a_name_is_cut_to_its_room_and_says_so() {
        assert_eq!(cut("order-1002", 70.0, 7.0), "order-1002");
        assert_eq!(cut("order-1002", 69.0, 7.0), "order-10…");
        assert_eq!(cut("订单组", 30.0, 7.0), "订…");
        assert_eq!(cut("abc", 1.0, 7.0), "…");
    }
}
