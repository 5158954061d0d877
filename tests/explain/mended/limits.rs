//! Messages that fail again and again below a limit that is high.

use lockstep::i18n::sentence::Speaker;
use lockstep::i18n::Locale;
use lockstep_core::explain::diagnose::Problem;

use super::{find, findings, handled_at, played, with};

/// A1 fails always, and has 1 001 attempts.
const HIGH: &str = "\
series A message-group order-1
group billing reads orders orderly, handles in 100ms, max-reconsume-times 1000
consumer c1 in billing
at 1s A1 fails always
at 3s p1 sends A1 A2
run until 300s
";

#[test]
fn a_poison_is_found_below_a_limit_that_is_not_reached() {
    let is_poison =
        |p: &Problem| matches!(p, Problem::Poison { failures: 5.., limit: Some(1_001), .. });
    let one = find(HIGH, |f| is_poison(&f.problem));
    assert!(one.repair.len() > 1, "{:?}", one.repair);
    for change in &one.repair {
        assert!(handled_at(&with(HIGH, change), "A2").is_some(), "{change:?}");
    }
    // One that ends soon by its limit is told as given up.
    let low = HIGH.replace("1000", "7");
    assert!(!findings(&low).iter().any(|f| matches!(f.problem, Problem::Poison { .. })));
    assert!(findings(&low).iter().any(|f| matches!(f.problem, Problem::GivenUp { .. })));
}

#[test]
fn a_poison_that_blocks_its_message_group_only_is_not_said_to_hold_up_everything() {
    let classic = HIGH.replace("sends A1 A2", "sends A1 A2 B1");
    let classic = classic.replace(
        "series A message-group order-1\n",
        "series A message-group order-1\nseries B message-group order-2\n",
    );
    let grpc =
        classic.replace("orderly,", "fifo,").replace("max-reconsume-times", "retry-max-times");
    let grpc = grpc.replace("c1 in billing\n", "c1 in billing grpc push\n");
    for text in [classic, grpc] {
        for (model, everything) in [("5.3", true), ("documents", false)] {
            let text = format!("model {model}\n{text}");
            let one = find(&text, |f| matches!(f.problem, Problem::Poison { .. }));
            let session = played(&text);
            let said = |locale| {
                Speaker { world: session.world(), locale }.finding(&session, &one).join("\n")
            };
            let [english, chinese] = Locale::ALL.map(said);
            assert_eq!(english.contains("held up everything"), everything, "{english}");
            assert_eq!(english.contains("in its message group"), !everything, "{english}");
            assert_eq!(chinese.contains("同一消息组"), !everything, "{chinese}");
        }
    }
}
