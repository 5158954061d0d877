//! What the lessons say, apart from the run: questions the same in both languages and more than a
//! figure, texts that are read in the time that people give them, terms that are taught.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod folder;

use lockstep::i18n::glossary::{pieces, Piece, TERMS};
use lockstep::i18n::picker::Chapter;
use lockstep::i18n::Locale;
use lockstep_core::scenario::{Ask, Lang, Program, Text};

/// Looks at every question of every lesson; `fault` says what is wrong with one.
fn each_question(fault: impl Fn(&Ask) -> Vec<String>) {
    folder::each("www/lessons", 30, |name, text| {
        let program = match folder::program(name, text) {
            Ok(program) => program,
            Err(problems) => return problems,
        };
        let placed = |ask: &Ask| {
            let place = format!("{name}:{}", ask.line);
            fault(ask).into_iter().map(move |fault| format!("{place}: {fault}")).collect::<Vec<_>>()
        };
        program.asks.iter().flat_map(placed).collect()
    });
}

/// The message that an answer begins with: letters, then figures.
fn label(answer: &str) -> Option<&str> {
    let end = answer.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(answer.len());
    let word = &answer[..end];
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_series = (1..=2).contains(&letters.len())
        && letters.chars().all(|c| c.is_ascii_uppercase())
        && letters.len() < word.len();
    is_series.then_some(word)
}

#[test]
fn an_answer_begins_with_the_same_message_in_both_languages() {
    // It is drawn beside the answer.
    each_question(|ask| {
        let texts = ask.choices.iter().map(|c| [Lang::En, Lang::Zh].map(|lang| c.text.get(lang)));
        let differ = texts.filter(|[en, zh]| label(en) != label(zh));
        differ.map(|[en, zh]| format!("`{en}` and `{zh}`")).collect()
    });
}

#[test]
fn answers_say_more_than_a_figure() {
    let is_bare = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    each_question(|ask| {
        let bare = ask.choices.iter().all(|choice| is_bare(choice.text.get(Lang::En)));
        bare.then(|| ask.question.get(Lang::En).to_owned()).into_iter().collect()
    });
}

/// As much as is read at one go: English words, Chinese signs.
const WORDS_MAX: usize = 46;
const SIGNS_MAX: usize = 120;

/// The texts of a lesson that are read while it plays.
fn read(program: &Program) -> impl Iterator<Item = &Text> {
    let framing = &program.framing;
    let beats = program.beats.iter().map(|beat| &beat.text);
    beats.chain([&program.about, &framing.question, &framing.watch])
}

#[test]
fn a_twist_that_asks_is_answered() {
    folder::each("www/lessons", 30, |name, text| {
        let program = match folder::program(name, text) {
            Ok(program) => program,
            Err(problems) => return problems,
        };
        let twists =
            program.framing.twists.iter().flat_map(|t| [Lang::En, Lang::Zh].map(|l| t.answered(l)));
        let open =
            twists.filter(|(asked, answer)| asked.ends_with(['?', '？']) && answer.is_empty());
        open.map(|(asked, _)| format!("{name}: {asked}")).collect()
    });
}

#[test]
fn a_term_is_used_by_the_lesson_that_teaches_it() {
    let lessons = folder::texts("www/lessons");
    let mut faults = Vec::new();
    for term in TERMS {
        let (chapter, number) = term.lesson;
        let begins = format!("{chapter:02}-{number}-");
        let is_lesson = |name: &str| name.starts_with(&begins) && !name.contains("-repaired");
        let lesson = lessons.iter().find(|(name, _)| is_lesson(name));
        let (name, text) = lesson.unwrap_or_else(|| panic!("no lesson {begins}"));
        for locale in Locale::ALL {
            let is_term = |piece: Piece<'_>| matches!(piece, Piece::Term(_, of) if of == term);
            let texts = [text, Chapter::of(chapter).name(locale)];
            if !texts.into_iter().flat_map(|text| pieces(locale, text)).any(is_term) {
                faults.push(format!("{name}: {}", term.name(locale)));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn a_text_is_read_at_one_go() {
    folder::each("www/lessons", 30, |name, text| {
        let program = match folder::program(name, text) {
            Ok(program) => program,
            Err(problems) => return problems,
        };
        let long = read(&program).filter(|text| {
            let words = text.get(Lang::En).split_whitespace().count();
            let signs = text.get(Lang::Zh).chars().count();
            words > WORDS_MAX || signs > SIGNS_MAX
        });
        long.map(|text| format!("{name}: {}", text.en)).collect()
    });
}

#[test]
fn what_is_lit_up_on_the_stage_are_terms_and_every_state_is() {
    let css = std::fs::read_to_string("www/styles/glossary.css").unwrap();
    let lit: Vec<&str> =
        css.split("[data-term=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let known: Vec<String> = TERMS.iter().map(|term| term.id()).collect();
    let unknown: Vec<_> = lit.iter().filter(|id| !known.iter().any(|own| own == *id)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    let states = TERMS.iter().filter(|term| term.shape.is_some()).map(|term| term.id());
    let dark: Vec<String> = states.filter(|id| !lit.contains(&id.as_str())).collect();
    assert!(dark.is_empty(), "{dark:?}");
}
