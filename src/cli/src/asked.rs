//! Options that have values.

use lockstep_i18n::cli::CliText;

/// What a command line asks for.
#[derive(Default)]
pub(crate) struct Asked<'a> {
    /// `--at`
    pub(crate) at: Option<&'a str>,
    /// `--in`
    pub(crate) group: Option<&'a str>,
    /// `--with`
    pub(crate) with: Option<&'a str>,
    /// `--guarantees`
    pub(crate) guarantees: bool,
    /// Words that belong to no option; the first one is the file.
    pub(crate) words: Vec<&'a str>,
}

impl<'a> Asked<'a> {
    /// Reads the words behind a command.
    ///
    /// # Errors
    /// An option that `command` does not have, or one without its value: the sentence that says so.
    pub(crate) fn read(
        command: &str,
        words: &[&'a str],
        known: &[&str],
        text: CliText,
    ) -> Result<Self, String> {
        let mut asked = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if !word.starts_with("--") {
                asked.words.push(word);
                continue;
            }
            if !known.contains(word) {
                return Err(no_option(text, command, word, known));
            }
            if *word == "--guarantees" {
                asked.guarantees = true;
                continue;
            }
            let Some(value) = words.next() else { return Err(text.needs_value(word)) };
            match *word {
                "--at" => asked.at = Some(value),
                "--in" => asked.group = Some(value),
                _ => asked.with = Some(value),
            }
        }
        Ok(asked)
    }
}

/// That a command does not have an option, and which ones it has.
pub(crate) fn no_option(text: CliText, command: &str, option: &str, known: &[&str]) -> String {
    let known: Vec<String> = known.iter().map(|option| format!("`{option}`")).collect();
    match known.is_empty() {
        true => text.no_option(command, option),
        false => text.no_option_of(command, option, &known.join(", ")),
    }
}
