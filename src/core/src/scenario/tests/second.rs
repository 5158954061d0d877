//! The second stack, brokers, faults and resets: sentences against real runs, and their mistakes.

use super::*;

/// Everything that a text expects holds.
fn holds(text: &str) {
    let program = load(text).unwrap_or_else(|problems| panic!("{text}\n{problems:#?}"));
    let session = play(&program);
    let evidence = Evidence::of(&session, program.until_ms, true);
    let failed: Vec<String> = check(&program, &evidence)
        .iter()
        .filter(|v| v.finding.state != State::Holds)
        .map(|v| format!("line {}: {}", v.line, v.describe(&program, &evidence)))
        .collect();
    assert!(failed.is_empty(), "{}\n{}", failed.join("\n"), told(&session));
    assert!(!told(&session).contains(" { "), "{}", told(&session));
}

fn told(session: &crate::session::Session) -> String {
    let line =
        |r: &crate::fact::FactRecord| format!("{} {}\n", r.at_ms, tell(&r.fact, session.world()));
    session.facts().iter().map(line).collect()
}

#[test]
fn a_simple_consumer_called_by_hand_sees_an_ordered_queue_block() {
    holds(
        "topic T FIFO 1 queue\ngroup G reads T fifo\nproducer p1\nconsumer c1 in G simple\n\
        at 1s p1 sends A1 A2\n\
        at 2s c1 receives max-message-num 1, invisible-duration 20s, await-duration 5s\n\
        at 3s c1 receives max-message-num 1, invisible-duration 20s, await-duration 5s\n\
        at 23s c1 receives max-message-num 1, invisible-duration 20s, await-duration 5s\n\
        at 24s c1 acks A1\nat 25s c1 acks A2\n\
        expect A1 received by c1 in G on attempt 1 at 2s\nexpect A1 popped until 22s\n\
        expect A1 invisible at 12s\nexpect A1 not invisible at 22.5s\nexpect A2 not invisible at 12s in G\n\
        expect q0 blocked until 22s at offset 0\nexpect c1 received-nothing with MESSAGE_NOT_FOUND\n\
        expect c1 received-nothing with 40401\n\
        expect A1 popped on attempt 2 between 22s and 24s\n\
        expect A1 acked at 24s and A2 not acked\nexpect offset of q0 is 1 in G\n\
        expect statement at 25s refused with not-held\n",
    );
}

#[test]
fn a_grpc_push_consumer_retries_in_place_and_gives_up() {
    holds(
        "topic T FIFO 1 queue\n\
        group G reads T fifo, handles in 100ms, retry-max-times 1, retry-policy customized 2s\n\
        producer p1\nconsumer c1 in G grpc push 4 threads\n\
        at 5s p1 sends A1 A2\nat 4s A1 fails always\nrun until 60s\n\
        expect c1 registered\nexpect A1 delivered twice\nexpect A1 attempt-failed on attempt 1 by c1\n\
        expect A1 forwarded by c1 on attempt 2\nexpect A1 dead-lettered in G\n\
        expect A2 handled after A1 dead-lettered\nexpect A2 acked\nexpect order kept\n",
    );
}

#[test]
fn sends_are_refused_with_codes() {
    holds(
        "topic F FIFO 1 queue\nproducer p1 to F, type-check off\nseries N without message-group\n\
        producer p2 to F, selects by hash, through proxy\nproducer p3 to F, sdk java\n\
        at 1s p1 sends N1\nat 2s p2 sends N2\nat 3s p3 sends N3\nat 4s disk 95% full\nat 62s p1 sends A1\n\
        at 63s p1 sends B1 B2 tag x in one request, key k{n}\n\
        expect N1 refused with 40014\nexpect N1 refused with MESSAGE_PROPERTY_CONFLICT_WITH_TYPE\n\
        expect N1 refused with type-conflict\nexpect N2 refused with 13\nexpect N3 refused with type-conflict\n\
        expect not N3 refused with 40014\nexpect A1 refused and B1 B2 refused\n",
    );
}

#[test]
fn transactions_are_decided_and_checked() {
    holds(
        "topic T TRANSACTION 1 queue\nseries A without message-group\nproducer p1\n\
        at 1s p1 sends A1 in a transaction that commits after 2s\n\
        at 1s p1 sends A2 in a transaction that rolls back\n\
        at 1s p1 sends A3 in a transaction that stays open, checks answered unknown commit, tag x\n\
        run until 100s\n\
        expect A1 prepared at 1s\nexpect A1 committed after 2.9s and A1 stored\nexpect A2 rolled-back and A2 not stored\n\
        expect A3 checked twice\nexpect A3 committed after 40s\n",
    );
}

#[test]
fn a_second_broker_takes_over_and_queues_name_it() {
    holds(
        "topic T 2 queues\nadd broker c\nproducer p1 selects by modulo\nseries K message-group \"4\"\n\
        group G reads T orderly\nconsumer c1 in G\n\
        at 1s p1 sends K1\nat 2s broker crashes\nat 40s p1 sends K2\nat 60s broker starts\n\
        run until 70s\n\
        expect K1 stored in q0 on broker\nexpect K2 stored in q0 on c and K2 stored on c at offset 0\n\
        expect broker stopped at 2s and broker unregistered at 2s\nexpect p1 route-changed before 40s\n\
        expect broker started at 60s\nexpect max-offset of q0 on c is 1\n\
        expect K2 handled by c1 in q0 on c\n",
    );
}

#[test]
fn offsets_are_reset_by_the_broker_and_in_the_legacy_way() {
    holds(
        "topic T FIFO 1 queue\ngroup G reads T orderly, from first\nproducer p1\nconsumer c1 in G\n\
        at 1s p1 sends A1..A5\nat 30s c1 stops\nat 31s reset G in q0 to offset 2\nat 40s c1 starts\n\
        at 60s reset G in %RETRY%G q9 to latest\n\
        expect q0 reset at offset 2 in G\nexpect q0 reset-consumed after 31s\nexpect A2 delivered once and A3 delivered twice\n\
        expect statement at 60s refused with out-of-range\n",
    );
    holds(
        "set useServerSideResetOffset 0\ntopic T FIFO 1 queue\ngroup G reads T orderly\nproducer p1\nconsumer c1 in G\n\
        at 1s p1 sends A1..A5\nat 30s reset G to latest, without force\nat 50s reset G to time 0\n\
        expect c1 reset-received at 50s\n",
    );
}

#[test]
fn packets_are_lost_clocks_jump_and_proxies_refuse() {
    holds(
        "topic T FIFO 1 queue\ngroup G reads T fifo\nproducer p1\nadd proxy p-2\n\
        consumer c1 in G simple in a loop, max-message-num 1, invisible-duration 10s, await-duration 5s, 1 thread, through p-2\n\
        at 1s p1 sends A1\nat 0 lose next ack from c1\nat 20s proxy answers receive with 42900\nat 21s proxy serves receive\n\
        at 22s clock of broker 30s ahead\nat 23s p-2 stops\nat 24s p-2 starts\nat 25s p1 uses p-2\nat 26s p1 sdk node, type-check off\n\
        run until 30s\n\
        expect c1 packet-lost once\nexpect c1 timed-out\nexpect A1 popped\nexpect broker clock-jumped at 22s\n",
    );
}

#[test]
fn mistakes_in_the_new_sentences_are_found() {
    let ground = "topic orders FIFO 2 queues\ngroup billing reads orders fifo\nproducer p1\n\
        consumer c1 in billing simple\nat 1s p1 sends A1\n";
    let fix = |line: &str| {
        let p = problem(&format!("{ground}{line}\n"));
        assert_eq!(p.span.line, 6, "{line}");
        (p.code(), p.fix.map(|f| f.replacement))
    };
    let fixed = |code, word: &str| (code, Some(word.to_owned()));
    for queue in ["expect q0 renewed by c1 twice", "expect q1 committed at offset 1"] {
        assert!(load(&format!("{ground}{queue}\n")).is_ok(), "a queue is no message: {queue}");
    }
    assert_eq!(fix("consumer c2 in billing simpel"), fixed("expected", "simple"));
    assert_eq!(fix("at 2s lose next ack-anser"), fixed("expected", "ack-answer"));
    assert_eq!(fix("at 2s proxi stops"), fixed("unknown-name", "proxy"));
    assert_eq!(fix("at 2s broker crashs"), fixed("expected", "crashes"));
    assert_eq!(fix("at 2s c1 recieves"), fixed("expected", "receives"));
    assert_eq!(fix("at 2s disk 101% full"), ("expected", None));
    assert_eq!(
        fix("at 2s proxy answers receive with TOO_MANY_REQUEST"),
        fixed("expected", "TOO_MANY_REQUESTS")
    );
    assert_eq!(fix("consumer c2 in billing push, max-message-num 1"), ("does-not-apply", None));
    assert_eq!(fix("consumer c2 in billing simple, 2 threads"), ("does-not-apply", None));
    assert_eq!(fix("expect A1 handled until 3s"), ("does-not-apply", None));
    assert_eq!(fix("expect A1 stored with 40014"), ("does-not-apply", None));
    assert_eq!(fix("expect c1 joined with 40014"), ("does-not-apply", None));
    assert_eq!(fix("at 2s c1 acks A7"), ("never-sent", None));
    assert_eq!(fix("add broker broker"), ("name-taken", None));
    assert_eq!(fix("add broker p1"), ("name-taken", None));
    assert_eq!(fix("at 2s p1 uses proxy-3"), fixed("unknown-name", "proxy"));
    assert_eq!(fix("broker stops").0, "expected");
}
