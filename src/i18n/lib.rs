//! Every text that people read, in every language of the page. A table row holds all languages,
//! so a missing translation does not compile; texts with parameters are functions.

pub mod cli;
pub mod compare;
pub mod deed;
pub mod explain;
pub mod glossary;
pub mod shell;
pub mod stage;
// Texts of the timeline, the transport and the panel.
pub mod judged;
pub mod keys;
pub mod log;
pub mod log_broker;
pub mod log_pop;
pub mod panel;
pub mod picker;
mod plural;
pub mod problem;
pub mod sentence;
mod slots;
pub mod timeline;
pub mod views;

pub use plural::settled;

/// A language of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Locale {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl Locale {
    /// All languages, in the order of the menu.
    pub const ALL: [Self; 2] = [Self::En, Self::Zh];

    /// The BCP 47 tag, as in `<html lang>`.
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh-CN",
        }
    }

    /// The short name on the button.
    pub fn short(self) -> &'static str {
        match self {
            Self::En => "EN",
            Self::Zh => "中文",
        }
    }

    /// The language that a BCP 47 tag asks for; English when it is none of ours.
    pub fn of_tag(tag: &str) -> Self {
        if tag.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("zh")) {
            Self::Zh
        } else {
            Self::En
        }
    }

    /// Picks one of two values.
    pub fn pick<T>(self, en: T, zh: T) -> T {
        match self {
            Self::En => en,
            Self::Zh => zh,
        }
    }
}

/// A catalogue of one area: `name = "English", "中文";` for plain texts and
/// `name(count: u32) = "{count} sent", "已发 {count}";` for texts with parameters.
#[macro_export]
macro_rules! catalogue {
    (
        $(#[$meta:meta])* $catalogue:ident;
        plain { $($plain:ident = $plain_en:literal, $plain_zh:literal;)* }
        with { $($with:ident($($arg:ident: $kind:ty),+) = $with_en:literal, $with_zh:literal;)* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $catalogue(
            /// The language.
            pub $crate::Locale,
        );

        impl $catalogue {
            $(
                #[doc = concat!("In English: `", $plain_en, "`.")]
                pub fn $plain(self) -> &'static str {
                    self.0.pick($plain_en, $plain_zh)
                }
            )*
            $(
                #[doc = concat!("In English: `", $with_en, "`.")]
                pub fn $with(self, $($arg: $kind),+) -> String {
                    match self.0 {
                        $crate::Locale::En => $crate::settled(format!($with_en)),
                        $crate::Locale::Zh => format!($with_zh),
                    }
                }
            )*
            /// Each text with parameters, in the language, with 1 for every number.
            #[cfg(test)]
            pub(crate) fn with_one(self) -> Vec<(&'static str, String)> {
                vec![$((
                    stringify!($with),
                    self.$with($(<$kind as $crate::plural::One>::one(stringify!($arg))),+),
                )),*]
            }
        }
    };
}

/// A whole number with a thin space between thousands and a real minus sign.
pub fn number(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 * 3 + 3);
    if value < 0 {
        out.push('\u{2212}');
    }
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push('\u{2009}');
        }
        out.push(digit);
    }
    out
}

/// An instant as `00:11.900`; from an hour on `1:00:11.900`.
pub fn clock(ms: i64) -> String {
    let ms = ms.max(0);
    let (hours, minutes) = (ms / 3_600_000, ms / 60_000 % 60);
    let (seconds, rest) = (ms / 1_000 % 60, ms % 1_000);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}.{rest:03}")
    } else {
        format!("{minutes:02}:{seconds:02}.{rest:03}")
    }
}

/// A remaining time: `0.3 s`, from 60 s on `29 m 51 s`, from an hour on `1 h 59 m`.
pub fn left(ms: i64) -> String {
    let ms = ms.max(0);
    if ms < 60_000 {
        // Rounded up to the next tenth, so that 0.0 is shown only when the time is over.
        let tenths = (ms + 99) / 100;
        if tenths < 600 {
            return format!("{}.{} s", tenths / 10, tenths % 10);
        }
    }
    let seconds = (ms + 999) / 1_000;
    if seconds < 3_600 {
        format!("{} m {} s", seconds / 60, seconds % 60)
    } else {
        format!("{} h {} m", seconds / 3_600, seconds / 60 % 60)
    }
}

/// A span as long as it is: `0 s`, `0.4 s`, `2 s`, `1 m 30 s`, `1 h 5 m`.
pub fn span(ms: i64) -> String {
    let ms = ms.max(0);
    let (hours, minutes, rest) = (ms / 3_600_000, ms / 60_000 % 60, ms % 60_000);
    let mut parts = Vec::new();
    if hours > 0 {
        parts.push(format!("{hours} h"));
    }
    if minutes > 0 {
        parts.push(format!("{minutes} m"));
    }
    if rest > 0 || parts.is_empty() {
        let thousandths = format!("{:03}", rest % 1_000);
        let behind = thousandths.trim_end_matches('0');
        let dot = if behind.is_empty() { "" } else { "." };
        parts.push(format!("{}{dot}{behind} s", rest / 1_000));
    }
    parts.join(" ")
}

/// A remaining time in whole seconds, for leases: `49 s`.
pub fn left_seconds(ms: i64) -> String {
    format!("{} s", (ms.max(0) + 999) / 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(number(7), "7");
        assert_eq!(number(1_000), "1\u{2009}000");
        assert_eq!(number(-1_234_567), "\u{2212}1\u{2009}234\u{2009}567");
    }

    #[test]
    fn times_carry_their_unit() {
        assert_eq!(clock(11_900), "00:11.900");
        assert_eq!(clock(3_611_005), "1:00:11.005");
        assert_eq!(left(300), "0.3 s");
        assert_eq!(left(1), "0.1 s");
        assert_eq!(left(0), "0.0 s");
        assert_eq!(left(59_960), "1 m 0 s");
        assert_eq!(left(1_791_000), "29 m 51 s");
        assert_eq!(left_seconds(48_900), "49 s");
        for (ms, said) in [(0, "0 s"), (400, "0.4 s"), (2_000, "2 s"), (90_000, "1 m 30 s")] {
            assert_eq!(span(ms), said);
        }
        assert_eq!(span(3_900_000), "1 h 5 m");
        assert_eq!(span(5), "0.005 s");
    }

    #[test]
    fn unknown_tags_are_english() {
        assert_eq!(Locale::of_tag("zh-TW"), Locale::Zh);
        assert_eq!(Locale::of_tag("de"), Locale::En);
        assert_eq!(Locale::of_tag(""), Locale::En);
    }
}
