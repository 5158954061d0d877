//! `lockstep compare`

use lockstep_core::scenario::{load, vary, Lang, Program, Variant};
use lockstep_core::session::Session;
use lockstep_core::view::compare::{Comparison, Side};
use lockstep_i18n::compare::{CompareText, Contrast};
use lockstep_i18n::explain::PageText;
use lockstep_i18n::Locale;

use crate::asked::Asked;
use crate::console::Console;
use crate::{problems, Outcome, Written};

/// Plays two files, or a file and a variant of it, and says where they part.
pub(crate) fn compare(words: &[&str], console: &mut Console<'_>) -> Written {
    let (text, locale) = (console.text(), console.locale);
    let asked = match Asked::read("compare", words, &["--with"], text) {
        Ok(asked) => asked,
        Err(message) => return console.usage(&message),
    };
    let (first, second) = match (asked.words.as_slice(), asked.with) {
        ([first, second], None) => (first, Ok(*second)),
        ([first], Some(name)) => match Variant::of_name(name) {
            Some(variant) => (first, Err(variant)),
            None => {
                let names = Variant::ALL.map(Variant::name).join(", ");
                return console.usage(&text.variants(name, &names));
            }
        },
        _ => return console.usage(text.compare_files()),
    };
    let Some((source, a)) = console.open(first)? else { return Ok(Outcome::Unable) };
    let texts = CompareText(locale);
    let (title, b) = match second {
        Ok(file) => match console.open(file)? {
            Some((_, program)) => (title(&program, locale), program),
            None => return Ok(Outcome::Unable),
        },
        Err(variant) => match vary(&source, variant).map(|varied| varied.map(|text| load(&text))) {
            Ok(Some(Ok(program))) => (texts.variant(variant), program),
            Ok(None) => {
                console.error(&text.changes_nothing(variant.name(), first))?;
                return Ok(Outcome::Unable);
            }
            Ok(Some(Err(found))) | Err(found) => {
                problems::write(first, &source, &found, console)?;
                return Ok(Outcome::Unable);
            }
        },
    };
    writeln!(console.out, "{}", texts.run(1, &self::title(&a, locale)))?;
    writeln!(console.out, "{}\n", texts.run(2, &title))?;
    let names = [*first, second.unwrap_or(first)];
    tell([&a, &b], names, console)
}

fn title(program: &Program, locale: Locale) -> String {
    match program.title.get(locale.pick(Lang::En, Lang::Zh)) {
        "" => CompareText(locale).own_text().to_owned(),
        title => title.to_owned(),
    }
}

fn tell(programs: [&Program; 2], names: [&str; 2], console: &mut Console<'_>) -> Written {
    let session =
        |program: &Program| Session::new(program.seed, program.model.clone(), program.journal());
    let runs = programs.map(session);
    let until_ms = programs.map(|program| program.until_ms).into_iter().max().unwrap_or(0);
    let [a, b] = &runs;
    let mut compared = Comparison::new([a, b], until_ms);
    compared.advance(usize::MAX);
    for (side, name) in Side::BOTH.into_iter().zip(names) {
        if console.cut_short(name, compared.session(side), until_ms)? {
            return Ok(Outcome::Unable);
        }
    }
    let (locale, out) = (console.locale, &mut *console.out);
    let (texts, page) = (CompareText(locale), PageText(locale));
    let contrast = Contrast { compared: &compared, locale };
    let Some(first) = compared.first() else {
        writeln!(out, "{}", texts.never_part())?;
        return Ok(Outcome::Good);
    };
    writeln!(out, "{}", texts.at(&lockstep_i18n::clock(first.at_ms)))?;
    for (place, side) in Side::BOTH.into_iter().enumerate() {
        writeln!(out, "  {}", texts.side(place + 1, &contrast.did(first, side)))?;
        if let Some(why) = contrast.why(first, side) {
            writeln!(out, "    {why}")?;
        }
    }
    let found = compared.differences(Side::BOTH.map(|side| compared.world(side).event()));
    let none = found.orders.is_empty() && found.rows.is_empty() && found.more == 0;
    let head = match none {
        true => texts.nothing_differs_at_end().to_owned(),
        false => page.colon(texts.what_differs_at_end()),
    };
    writeln!(out, "\n{head}")?;
    for row in &found.orders {
        writeln!(out, "  {}", texts.order())?;
        for (place, side) in Side::BOTH.into_iter().enumerate() {
            writeln!(out, "    {}", texts.side(place + 1, &contrast.order(side, row)))?;
        }
    }
    for row in &found.rows {
        writeln!(out, "  {}", contrast.message(row))?;
        for (place, side) in Side::BOTH.into_iter().enumerate() {
            writeln!(out, "    {}", texts.side(place + 1, &contrast.standing(side, row)))?;
        }
    }
    if found.more > 0 {
        writeln!(out, "  {}", texts.more(found.more))?;
    }
    writeln!(out, "  {}", texts.same(found.same))?;
    Ok(Outcome::Found)
}
