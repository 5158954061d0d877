//! A broker whose clock was set: every instant that is told is one of the run.

use lockstep::i18n::sentence::Speaker;
use lockstep::i18n::Locale;
use lockstep_core::explain::Run;
use lockstep_core::scenario::{load, play};

use super::{explain, run_to};

/// The broker's clock is an hour ahead when it stores messages, puts them aside and hands them out.
const AHEAD: &str = "\
topic    orders NORMAL 2 queues
group    billing reads orders orderly, handles in 10ms
group    audit reads orders fifo, handles in 10ms
producer p1 selects by hash
consumer c1 in billing
consumer c2 in audit grpc push
at 3s    clock of broker 1h ahead
at 5s    p1 sends A1, delay level 4
at 5s    p1 sends A2 A5
at 5s    p1 sends A3, delay 20s
at 5s    A5 fails always
at 30s   clock of broker 2h ahead
at 31s   p1 sends A4, delay level 3
run      until 60s
";

#[test]
fn no_instant_of_an_answer_is_of_the_brokers_clock() {
    let things =
        ["A1", "A2", "A3", "A4", "A5", "q0", "q1", "lock q0", "level 3", "level 4", "c1", "c2"];
    for at_ms in [20_000, 28_000, 32_000, 50_000] {
        let (session, ledger) = run_to(AHEAD, at_ms);
        let run = Run::of(&session, &ledger);
        for thing in things {
            let Some(about) = lockstep_core::explain::named(&run, &[thing], None).ok() else {
                continue;
            };
            assert!(!about.is_empty());
            let explanation = explain(&session, &ledger, thing);
            for locale in Locale::ALL {
                let speaker = Speaker { world: session.world(), locale };
                for line in speaker.explanation(&session, &run, &explanation) {
                    let hours = line.contains("1:00:") || line.contains("2:00:");
                    assert!(!hours, "{thing} at {at_ms}: {line}");
                }
            }
        }
    }
}

#[test]
fn no_instant_of_a_fact_is_of_the_brokers_clock() {
    let session = play(&load(AHEAD).unwrap());
    for record in session.facts() {
        for locale in Locale::ALL {
            let said = Speaker { world: session.world(), locale }.dated(&session, record);
            assert!(!said.contains("1:00:") && !said.contains("2:00:"), "{said}");
        }
    }
}
