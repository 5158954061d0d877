//! Reads the lessons' heads, so that the page can list them without loading them: one place for
//! every title, the lesson's own file.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use lockstep_core::scenario::{self, Lang, Program};

const LESSONS: &str = "www/lessons";
/// What a lesson costs a person at least, and what each part of it adds, in seconds.
const BASE_S: usize = 30;
const BEAT_S: usize = 20;
const ASK_S: usize = 30;
const GOAL_S: usize = 60;

/// How long somebody needs for a lesson, in minutes.
fn minutes(program: &Program) -> usize {
    let beats = program.beats.len() * BEAT_S;
    let seconds = BASE_S + beats + program.asks.len() * ASK_S + program.goals.len() * GOAL_S;
    (seconds + 30) / 60
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={LESSONS}");
    let mut files: Vec<_> =
        fs::read_dir(LESSONS)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|e| e == "scn"));
    files.sort();
    let mut table = String::from("&[\n");
    let mut texts = String::from("&[\n");
    for path in &files {
        println!("cargo::rerun-if-changed={}", path.display());
        let text = fs::read_to_string(path)?;
        let id = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        writeln!(texts, "({id:?}, {text:?}),")?;
        match scenario::load(&text) {
            Ok(program) => {
                let both = |text: &scenario::Text| {
                    format!("({:?}, {:?})", text.get(Lang::En), text.get(Lang::Zh))
                };
                writeln!(
                    table,
                    "Lesson {{ id: {id:?}, title: {}, about: {}, question: {}, until_ms: {}, beats: {}, minutes: {} }},",
                    both(&program.title),
                    both(&program.about),
                    both(&program.framing.question),
                    program.until_ms,
                    program.beats.len(),
                    minutes(&program),
                )?;
            }
            // A test says which line is wrong; the page is built without it.
            Err(_) => println!("cargo::warning={} cannot be read", path.display()),
        }
    }
    table.push_str("]\n");
    let out = env::var("OUT_DIR")?;
    texts.push_str("]\n");
    fs::write(Path::new(&out).join("lessons.rs"), table)?;
    // Whole texts, for tests that run where there are no files.
    fs::write(Path::new(&out).join("lesson_texts.rs"), texts)?;
    Ok(())
}
