//! Words that depend on the number before them, and the test that none was forgotten.

/// An English text with each `‹one|many›` settled by the number before it: the last word before it that
/// is a number or the name of a thing. `1 ‹queue|queues›` is `1 queue`.
pub fn settled(text: String) -> String {
    if !text.contains('‹') {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, behind)) = rest.split_once('‹') {
        out.push_str(before);
        let (choice, after) = behind.split_once('›').unwrap_or((behind, ""));
        let (one, many) = choice.split_once('|').unwrap_or((choice, choice));
        out.push_str(if ends_with_one(&out) { one } else { many });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Whether the last number of a text is 1.
fn ends_with_one(text: &str) -> bool {
    let mut numbers =
        text.split(|c: char| c.is_whitespace() && c != '\u{2009}' || "(:,".contains(c));
    let last = numbers.rfind(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    last == Some("1")
}

/// What a text with parameters is tried with: the number 1, and a name for everything that is no number.
#[cfg(test)]
pub(crate) trait One {
    /// The value for a parameter of this name.
    fn one(name: &str) -> Self;
}

#[cfg(test)]
macro_rules! one {
    ($($number:ty),+) => {
        $(impl One for $number {
            fn one(_: &str) -> Self {
                1
            }
        })+
    };
}

#[cfg(test)]
one!(u8, u16, u32, u64, usize, i64, i32);

#[cfg(test)]
impl One for char {
    fn one(_: &str) -> Self {
        'X'
    }
}

#[cfg(test)]
impl One for &str {
    fn one(name: &str) -> Self {
        // Numbers with separators come as texts.
        const COUNTS: &[&str] =
            &["count", "events", "waiting", "messages", "others", "more", "expectations"];
        if COUNTS.contains(&name) {
            "1"
        } else {
            "X"
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::settled;
    use crate::Locale;

    #[test]
    fn a_word_follows_the_number_before_it() {
        let say = |text: &str| settled(text.to_owned());
        assert_eq!(say("1 ‹queue|queues›"), "1 queue");
        assert_eq!(say("21 ‹queue|queues›"), "21 queues");
        assert_eq!(say("1\u{2009}001 ‹queue|queues›"), "1\u{2009}001 queues");
        assert_eq!(say("q1: 0 ‹topic|topics› new, 1 ‹is|are› gone"), "q1: 0 topics new, 1 is gone");
        assert_eq!(say("all 1 ‹thread|threads› of c2 ‹is|are› busy"), "all 1 thread of c2 is busy");
    }

    macro_rules! every {
        ($($catalogue:path),+ $(,)?) => {
            vec![$((stringify!($catalogue), $catalogue(Locale::En).with_one())),+]
        };
    }

    /// Every catalogue, each text with 1 for each of its numbers.
    fn all() -> Vec<(&'static str, Vec<(&'static str, String)>)> {
        every![
            crate::cli::CliText,
            crate::compare::CompareText,
            crate::deed::DeedText,
            crate::explain::broken::BrokenText,
            crate::explain::change::ChangeText,
            crate::explain::diagnosis::SymptomText,
            crate::explain::diagnosis::GuiltText,
            crate::explain::diagnosis::ProblemText,
            crate::explain::guarantee::GuaranteeText,
            crate::explain::page::PageText,
            crate::explain::reason_text::ReasonText,
            crate::explain::rule::RuleText,
            crate::explain::rule::ValueText,
            crate::explain::state::StateText,
            crate::judged::JudgedText,
            crate::glossary::GlossaryText,
            crate::keys::KeysText,
            crate::log::Log,
            crate::log::Reason,
            crate::log::Action,
            crate::log_broker::BrokerLog,
            crate::log_pop::PopLog,
            crate::panel::PanelText,
            crate::panel::EditorText,
            crate::picker::PickerText,
            crate::problem::ProblemText,
            crate::sentence::packets::PacketText,
            crate::shell::Shell,
            crate::stage::StageText,
            crate::timeline::TransportText,
            crate::timeline::TimelineText,
            crate::views::ViewsText,
            crate::views::ChartsText,
            crate::views::OrderText,
            crate::views::RoutingText,
        ]
    }

    #[test]
    fn nothing_is_said_of_one_thing_as_of_many() {
        let all = all();
        let mut folders = vec![std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR"))];
        let mut written = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{e}")).flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "rs") {
                    let text = std::fs::read_to_string(&path).unwrap_or_default();
                    written += text.lines().filter(|l| l.ends_with("catalogue! {")).count();
                }
            }
        }
        assert_eq!(all.len(), written, "a catalogue is missing in the list above");
        let mut wrong = Vec::new();
        for (catalogue, texts) in all {
            for (name, text) in texts {
                let words: Vec<&str> = text.split_whitespace().collect();
                let many = words.windows(2).any(|pair| {
                    let word = pair[1].trim_end_matches(|c: char| !c.is_alphanumeric());
                    let verb =
                        ["is", "was", "has", "waits", "holds", "others", "s"].contains(&word);
                    let plural = word.ends_with('s') && !word.ends_with("ss") && !verb
                        || ["are", "have", "were", "wait", "do", "stand", "hold"].contains(&word);
                    let number = pair[0].trim_start_matches(|c: char| !c.is_alphanumeric());
                    number == "1" && plural
                });
                let third = words.windows(3).any(|three| {
                    let word = three[2].trim_end_matches(|c: char| !c.is_alphanumeric());
                    let plain = three[1].chars().all(|c| c.is_ascii_lowercase() || c == '-');
                    three[0] == "1"
                        && plain
                        && ["messages", "queues", "groups", "letters", "are", "have", "were"]
                            .contains(&word)
                });
                if many || third || text.contains(['‹', '›']) {
                    wrong.push(format!("{catalogue}::{name}: {text}"));
                }
            }
        }
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    }
}
