//! Sentences that said something wrongly.

use lockstep::i18n::sentence::Speaker;
use lockstep::i18n::Locale;
use lockstep_core::command::Refusal;
use lockstep_core::fact::Fact;
use lockstep_core::scenario::say;
use lockstep_core::session::Session;

use super::played;

fn said(session: &Session, is_it: impl Fn(&Fact) -> bool) -> [String; 2] {
    let record = session.facts().iter().find(|r| is_it(&r.fact));
    let record = record.unwrap_or_else(|| panic!("no such fact"));
    Locale::ALL.map(|locale| Speaker { world: session.world(), locale }.fact(&record.fact, None))
}

#[test]
fn a_refusal_for_the_release_says_what_it_lacks_and_since_when_it_is_there() {
    let session = played("model 5.1.0\ntopic orders MIXED 1 queue\nrun until 5s\n");
    let refusal = session.world().refusal(0).unwrap();
    assert!(matches!(refusal, Refusal::NotInThisVersion { .. }), "{refusal:?}");
    for locale in Locale::ALL {
        let words = Speaker { world: session.world(), locale }.refusal(refusal);
        for wanted in ["MIXED", "5.1.4", "5.1.0"] {
            assert!(words.contains(wanted), "{words}");
        }
    }
}

#[test]
fn what_a_consumer_fails_to_do_with_a_message_is_said_in_order() {
    let session = played(
        "\
series A message-group order-1
group billing reads orders fifo, handles in 100ms, retry-max-times 1, retry-policy customized 1s
consumer c1 in billing grpc push
at 2s A1 fails always
at 59.9s p1 sends A1
at 59.95s disk 92% full
run until 80s
",
    );
    use lockstep_core::pop::PopFact;
    let [english, chinese] = said(&session, |f| matches!(f, Fact::Pop(PopFact::ActFailed { .. })));
    assert!(english.contains("fails to move A1 to the dead letters"), "{english}");
    assert!(chinese.contains("未能把 A1 转入死信"), "{chinese}");
    let [_, parked] =
        said(&session, |f| matches!(f, Fact::Pop(PopFact::PollParked { queue: None, .. })));
    assert!(parked.contains("所有队列") && !parked.contains(" 所有队列"), "{parked}");
}

#[test]
fn one_thread_and_one_tag_are_said_of_one() {
    let session = played(
        "\
series A message-group order-1
group billing reads orders tagged b orderly
consumer c1 in billing 1 thread
at 3s p1 sends A1, tag a
run until 20s
",
    );
    let [english, _] = said(&session, |f| matches!(f, Fact::MessagesFiltered { .. }));
    assert!(english.contains("1 message whose tag "), "{english}");
    let (at_ms, start) = session
        .journal()
        .iter()
        .find(|(_, c)| matches!(c, lockstep_core::command::Command::StartConsumer { .. }))
        .unwrap();
    assert_eq!(say(*at_ms, start), "at 0 consumer c1 in billing 1 thread");
}
