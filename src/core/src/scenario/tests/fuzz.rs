//! Whatever the text: nothing panics, nothing is lost, the canonical form is stable.

use super::*;

fn holds(text: &str) {
    let parsed = parse(text);
    assert_eq!(parsed.scenario.print(), text);
    let _ = compile(&parsed.scenario);
    for problem in &parsed.problems {
        assert!(text.get(problem.span.start..problem.span.end).is_some(), "{problem:?}");
        let _ = problem.to_string();
    }
    let canonical = format(text);
    assert_eq!(format(&canonical), canonical, "not stable:\n{text:?}");
    let words = |t: &str| {
        t.split(|c: char| c.is_whitespace() || ",|?？\u{feff}".contains(c)).collect::<String>()
    };
    assert_eq!(words(&canonical), words(text), "something was lost of {text:?}");
    // Reading the canonical form gives the same statements.
    let again = parse(&canonical);
    assert_eq!(again.problems.len(), parsed.problems.len(), "{text:?}\n{canonical:?}");
}

const PIECES: &[&str] = &[
    "\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    ",",
    "\"",
    "\\",
    "#",
    "# ",
    "|",
    "*",
    "?",
    "？",
    "。",
    ".",
    "..",
    ":",
    "-",
    "0",
    "9",
    "1s",
    "5m",
    "A1",
    "A1..A9",
    "q0",
    "in",
    "at",
    "when",
    "and",
    "or",
    "not",
    "expect",
    "beat",
    "ask",
    "goal",
    "hint",
    "twist",
    "question",
    "watch",
    "source",
    "see",
    "repaired",
    "zh",
    "title",
    "note",
    "\u{feff}",
    "\u{3000}",
    "中",
    "é",
    "💥",
    "p1",
    "sends",
    "billing",
    "orders",
    "order kept",
    "before",
    "times",
    "4294967296",
    "99999999999999999999",
    "topic",
    "group",
    "reads",
    "orderly",
    "handles",
    "{n}",
    "<",
    ">",
    "[",
    "]",
    "a",
    "Z",
    "%DLQ%g",
    "in one request",
    "in a transaction that commits",
    "lose next",
    "reset billing to",
    "on broker",
    "92%",
    "with 40014",
    "retry-policy customized",
];

#[test]
fn random_pieces() {
    let mut rng = fastrand::Rng::with_seed(7);
    for _ in 0..4_000 {
        let count = rng.usize(0..40);
        let text: String = (0..count).map(|_| PIECES[rng.usize(0..PIECES.len())]).collect();
        holds(&text);
        let spaced: Vec<&str> = (0..count).map(|_| PIECES[rng.usize(0..PIECES.len())]).collect();
        holds(&spaced.join(" "));
    }
}

#[test]
fn random_characters() {
    let mut rng = fastrand::Rng::with_seed(8);
    for _ in 0..2_000 {
        let count = rng.usize(0..60);
        let text: String = (0..count).map(|_| rng.char(..)).collect();
        holds(&text);
        let bytes: Vec<u8> = (0..count).map(|_| rng.u8(..)).collect();
        holds(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn mutated_scenarios() {
    let mut rng = fastrand::Rng::with_seed(9);
    for _ in 0..1_500 {
        let mut chars: Vec<char> = SKETCH.chars().collect();
        for _ in 0..rng.usize(1..6) {
            let at = rng.usize(0..chars.len());
            match rng.u8(0..4) {
                0 => {
                    chars.remove(at);
                }
                1 => chars.insert(at, rng.char(' '..='~')),
                2 => {
                    chars.splice(at..at, PIECES[rng.usize(0..PIECES.len())].chars()).for_each(drop)
                }
                _ => {
                    let end = (at + rng.usize(0..80)).min(chars.len());
                    let piece: Vec<char> = chars[at..end].to_vec();
                    let to = rng.usize(0..chars.len());
                    chars.splice(to..to, piece).for_each(drop);
                }
            }
        }
        holds(&chars.into_iter().collect::<String>());
    }
}

#[test]
fn long_lines_and_many_lines_are_read_in_time() {
    holds(&"A1 ".repeat(20_000));
    holds(&format!("at 1s p1 sends {}", "A1..A9999 ".repeat(200)));
    holds(&"at 1s p1 sends A1\n".repeat(2_000));
    holds(&format!("expect {}", "not ".repeat(10_000)));
    holds(&format!("title {}", "\n x".repeat(2_000)));
}
