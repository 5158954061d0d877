//! What is offered in the middle of an instant: it is tried where the line that is written for it stands,
//! and the run beside it, the run of the text and what was told are one.

use lockstep_core::command::Command;
use lockstep_core::explain::{named, offers, why, with_change, Change, Ledger, Run};
use lockstep_core::fact::Fact;
use lockstep_core::ids::Ms;
use lockstep_core::scenario::{load, Program};
use lockstep_core::session::Session;

use super::{fifo, handled_at};

/// The broker looks at its disk each 10 s, and puts nothing back while it is too full.
const DISK: &str = "\
topic orders DELAY 1 queue
series A without message-group
group billing reads orders concurrent, handles in 100ms
producer p1
consumer c1 in billing
at 52s p1 sends A1, delay level 3
at 52.5s disk 92% full
run until 109s
";

/// c1 is gone; the round of c2 takes the queue when the lease is over.
const ROUND: &str = "\
series A message-group order-1
group billing reads orders orderly, handles in 100ms
consumer c1 in billing
consumer c2 in billing
at 10s c1 crashes
at 12s p1 sends A1 A2
run until 200s
";

fn session(program: &Program) -> Session {
    Session::new(program.seed, program.model.clone(), program.journal())
}

/// When a message is first handled after an event of a run.
fn next_at(run: &mut Session, label: &str, until_ms: Ms) -> Option<Ms> {
    run.run_until(until_ms);
    handled_at(run, label)
}

#[test]
fn what_is_offered_within_an_instant_is_what_its_line_does() {
    let mut seen = 0;
    for (text, label) in [(DISK, "A1"), (ROUND, "A1")] {
        let program = load(&fifo(text)).unwrap();
        let mut run = session(&program);
        while run.step() && run.world().now_ms() < 70_000 {
            let ledger = Ledger::of(run.facts());
            let looked = Run::of(&run, &ledger);
            let inside = run.next_event_at() == Some(run.world().now_ms());
            let Ok(about) = named(&looked, &[label], None) else { continue };
            if !inside || handled_at(&run, label).is_some() {
                continue;
            }
            let explanation = why(&looked, about[0]).unwrap();
            let line_ms = run.world().line_ms();
            assert_eq!(line_ms, run.world().now_ms() + 1);
            for (one, told) in offers(&run, &explanation) {
                let Change::Now(commands) = &one.change else { continue };
                let mut journal = program.journal();
                journal.extend(commands.iter().map(|c| (line_ms, c.clone())));
                let mut pasted = Session::new(program.seed, program.model.clone(), journal);
                let mut beside = with_change(&run, &one.change, run.world().now_ms());
                let until_ms = told.with_ms.unwrap();
                for other in [&mut pasted, &mut beside] {
                    let got = next_at(other, label, until_ms);
                    assert_eq!(got, told.with_ms, "{text}at {line_ms}: {one:?}");
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 10, "only {seen} offers within an instant");
}

/// A command of the text at the instant of the line comes before it, here as in the text.
#[test]
fn the_texts_own_commands_come_before_a_line_of_the_same_instant() {
    let text = ROUND.replace("run until", "at 20.001s c2 crashes\nrun until");
    let program = load(&fifo(&text)).unwrap();
    let mut run = session(&program);
    run.run_until(20_000);
    let joins =
        Command::StartConsumer { name: "c2".into(), group: "billing".into(), threads: None };
    let change = Change::Now(vec![joins]);
    let mut beside = with_change(&run, &change, 20_001);
    beside.run_until(30_000);
    let refused = beside.facts().iter().any(|r| matches!(r.fact, Fact::CommandRefused { .. }));
    let started = beside.facts().iter().filter(|r| matches!(r.fact, Fact::ConsumerStarted { .. }));
    assert!(!refused, "c2 is told to start before it has crashed");
    assert_eq!(started.count(), 3);
}
