//! How things are named, and what there is to say of a thing that is not so.

use lockstep_core::explain::{
    named, named_later, why_not, About, Ledger, Run, Unnamed, Wanted, WhyNot,
};
use lockstep_core::session::Session;

use super::{run_to, POISON};

#[test]
fn why_not_says_when_it_is_so() {
    let (session, ledger) = run_to(POISON, 3_100);
    let run = Run::of(&session, &ledger);
    let a1 = named(&run, &["A1"], None).unwrap()[0];
    assert_eq!(why_not(&run, a1, Wanted::Handled), Some(WhyNot::ItIs));
    assert!(matches!(why_not(&run, a1, Wanted::Finished), Some(WhyNot::Because(_))));
    assert_eq!(why_not(&run, a1, Wanted::Stored), Some(WhyNot::ItIs));
    let queue = named(&run, &["q0"], None).unwrap()[0];
    let c1 = session.world().shared.names.client("c1").unwrap();
    assert_eq!(why_not(&run, queue, Wanted::Owner(c1)), Some(WhyNot::ItIs));
}

const TWO_BROKERS: &str = "\
group    billing reads orders orderly, handles in 100ms
consumer c1 in billing
at 5s    add broker b2
at 50s   p1 sends A1
run      until 60s
";

#[test]
fn a_queue_is_named_with_its_broker() {
    let (session, ledger) = run_to(TWO_BROKERS, 55_000);
    let run = Run::of(&session, &ledger);
    for words in [&["q0", "on", "b2"][..], &["orders", "q0", "on", "b2"]] {
        let found = named(&run, words, None).unwrap();
        assert!(matches!(found[..], [About::Queue { queue, .. }] if queue.broker.index() == 1));
    }
    let lock = named(&run, &["lock", "orders", "q0", "on", "b2"], None).unwrap();
    assert!(matches!(lock[..], [About::Lock { queue, .. }] if queue.broker.index() == 1));
    let unknown = named(&run, &["q0", "on", "b3"], None);
    assert_eq!(
        unknown,
        Err(Unnamed::Nothing { word: "b3".to_owned(), nearest: Some("b2".to_owned()) })
    );
}

#[test]
fn what_comes_later_is_told_with_its_instant() {
    let (mut session, _) = run_to(TWO_BROKERS, 60_000);
    let ledger = Ledger::of(session.facts());
    session.seek_time(10_000);
    let at = |session: &mut Session, words: &[&str]| named_later(session, &ledger, words, None);
    let unsent = |word: &str, at_ms| {
        Some(Unnamed::Unsent { word: word.to_owned(), producer: "p1".to_owned(), at_ms })
    };
    assert_eq!(at(&mut session, &["A1"]), unsent("A1", 50_000));
    assert_eq!(at(&mut session, &["A2"]), None);
    session.seek_time(1_000);
    let later = Unnamed::Later { word: "q0 on b2".to_owned(), at_ms: 5_000 };
    assert_eq!(at(&mut session, &["q0", "on", "b2"]), Some(later));
    assert!(session.world().now_ms() <= 1_000);
}
