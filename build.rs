//! Reads the lessons' heads, so that the page can list them without loading them: one place for
//! every title, the lesson's own file.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use lockstep_core::scenario::{self, Lang};

const LESSONS: &str = "www/lessons";

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
                let all = [
                    program.title.get(Lang::En),
                    program.title.get(Lang::Zh),
                    program.about.get(Lang::En),
                    program.about.get(Lang::Zh),
                ];
                let [title_en, title_zh, about_en, about_zh] = all;
                writeln!(
                    table,
                    "Lesson {{ id: {id:?}, title: ({title_en:?}, {title_zh:?}), about: ({about_en:?}, {about_zh:?}), until_ms: {}, beats: {} }},",
                    program.until_ms,
                    program.beats.len(),
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
