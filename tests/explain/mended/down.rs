//! A broker that is down while messages of its wait under a delay.

use lockstep_core::command::Command;
use lockstep_core::explain::diagnose::{Held, Problem};
use lockstep_core::explain::{Reason, Rule};
use lockstep_core::fact::Fact;

use super::{at, find, handled_at, has_cause, now, offered, played, with};

/// A1 is due at 13 s, in the middle of a time in which its broker is down.
const DOWN: &str = "\
topic orders DELAY 1 queue
series A without message-group
producer p1
group billing reads orders concurrent, handles in 1s
consumer c1 in billing
at 3s p1 sends A1 DELAYED
at 5s broker crashes
at 200s broker starts
run until 300s
";

/// By level and by the timer wheel.
fn both() -> [String; 2] {
    ["delay level 3", "delay 10s"].map(|how| DOWN.replace("DELAYED", how))
}

#[test]
fn what_is_due_while_its_broker_is_down_waits_for_the_broker() {
    for text in both() {
        for at_ms in [8_000, 60_000] {
            let one = at(&text, at_ms, "A1");
            let told = one.1.headline.reason().unwrap();
            assert!(matches!(told, Reason::BrokerDown { .. }), "{text}{told:?}");
            assert_eq!(one.1.rule, Rule::BrokerRuns);
            assert!(has_cause(&one, |f| matches!(f, Fact::CommandApplied { .. })));
            assert!(has_cause(&one, |f| matches!(f, Fact::MessageScheduled { .. })));
            let offers = offered(&one);
            assert!(now(&offers, |c| matches!(c, Command::StartBroker { .. })), "{offers:?}");
        }
        let running = at(&text, 4_000, "A1").1.headline.reason().unwrap();
        assert!(matches!(running, Reason::Scheduled { .. } | Reason::Wheel { .. }), "{running:?}");
    }
}

#[test]
fn a_broker_that_made_a_delayed_message_late_is_found() {
    for text in both() {
        let one = find(&text, |f| {
            matches!(f.problem, Problem::Held { by: Held::Down { .. }, waited_ms: 180_000.., .. })
        });
        let late = handled_at(&played(&text), "A1").unwrap();
        assert!(!one.repair.is_empty());
        for change in &one.repair {
            assert!(handled_at(&with(&text, change), "A1").unwrap() < late, "{change:?}");
        }
    }
}
