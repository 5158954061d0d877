//! Prints the facts of a scenario file, raw; a scratch pad for people who change the engine.
#![allow(clippy::print_stdout, reason = "an example prints")]
#![allow(clippy::disallowed_methods, reason = "an example reads its file")]

use lockstep_core::session::Session;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&arguments[1]).unwrap_or_default();
    let until_ms = arguments.get(2).and_then(|ms| ms.parse().ok()).unwrap_or(60_000);
    match lockstep_core::scenario::load(&text) {
        Err(problems) => problems.iter().for_each(|p| println!("{}: {p}", p.span.line)),
        Ok(program) => {
            let journal = program.journal();
            let mut session = Session::new(program.seed, program.model.clone(), journal);
            session.run_until(until_ms);
            for record in session.facts() {
                println!("{:>7} #{:<5} {:?}", record.at_ms, record.event, record.fact);
            }
            session.violations().iter().for_each(|v| println!("{v:?}"));
        }
    }
}
