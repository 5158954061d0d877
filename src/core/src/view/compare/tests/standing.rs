//! How messages stand, where a run has another state than it first seems.

use super::*;

/// How a message stands in a consumer group of the first run, beside another run in which more is
/// different than that; at the last event up to an instant.
fn row_at(a: &str, b: &str, name: &str, at_ms: Ms) -> (Comparison, Option<Difference>) {
    let compared = compared(a, b);
    let event = |text: &str| {
        let (mut run, _) = session(text);
        run.seek_time(at_ms);
        run.event()
    };
    let found = compared.differences([event(a), event(b)]);
    let of = |row: &&Difference| label(&compared, Side::First, row.sides[0].msg) == name;
    let row = found.rows.iter().find(of).copied();
    (compared, row)
}

fn hand(compared: &Comparison, side: Side, row: &Difference) -> String {
    let State::InHand(client) = row.sides[side.index()].state else { panic!("{row:?}") };
    compared.world(side).shared.names.clients[client.index()].clone()
}

const ONE_GROUP: &str = "\
topic orders FIFO 1 queue
group billing reads orders orderly, handles in 100ms
producer p1 selects by hash
consumer c1 in billing
at 3s p1 sends A1 A2
run until 10s
";

#[test]
fn a_group_that_one_run_lacks_is_named_and_nothing_waits_for_it() {
    let audit = "group audit reads orders orderly, handles in 200ms\nconsumer u1 in audit\nat 3s";
    let two = ONE_GROUP.replace("at 3s", audit);
    for (a, b, lacks) in [(ONE_GROUP, &*two, Side::First), (&*two, ONE_GROUP, Side::Second)] {
        let compared = compared(a, b);
        let found = compared.differences(ends(&compared));
        assert_eq!(found.rows.len(), 2, "{found:?}");
        for row in &found.rows {
            let states = row.sides.map(|side| side.state);
            assert_eq!(states[lacks.index()], State::NoGroup, "{row:?}");
            assert_eq!(states[lacks.other().index()], State::Done, "{row:?}");
            let group = row.group[lacks.other().index()].expect("it has the group");
            let names = &compared.world(lacks.other()).shared.names;
            assert_eq!(names.groups[group.index()].name, "audit");
            assert_eq!(row.group[lacks.index()], None);
        }
    }
}

#[test]
fn a_group_without_consumers_is_there_and_its_messages_wait() {
    let group = "group audit reads orders orderly, handles in 200ms\n";
    let idle = ONE_GROUP.replace("at 3s", &format!("{group}at 3s"));
    let two = ONE_GROUP.replace("at 3s", &format!("{group}consumer u1 in audit\nat 3s"));
    let (_, row) = row_at(&idle, &two, "A1", 9_000);
    assert_eq!(row.expect("audit handles it").sides[0].state, State::Waiting);
}

const LATE_ACK: &str = "\
topic orders FIFO 1 queue
group billing reads orders fifo
producer p1
consumer c1 in billing simple
consumer c2 in billing simple
at 0s p1 sends A1 A2
at 1s c1 receives max-message-num 1, invisible-duration 10s, await-duration 5s
at 11.1s c2 receives max-message-num 1, invisible-duration 10s, await-duration 5s
at 15s c1 acks A1
run until 16s
";

#[test]
fn a_refused_late_acknowledgement_takes_the_message_from_nobody_else() {
    let other = LATE_ACK.replace("at 15s c1 acks A1\n", "");
    let (compared, row) = row_at(LATE_ACK, &other, "A1", 15_900);
    let row = row.expect("c1 has it as well in one of them");
    assert_eq!(hand(&compared, Side::First, &row), "c2");
    assert_eq!((row.sides[0].at_ms, row.sides[0].also), (11_100, None));
    assert_eq!(hand(&compared, Side::Second, &row), "c2");
    assert!(row.sides[1].also.is_some(), "c1 knows nothing of it: {row:?}");
}

const EXHAUSTED: &str = "\
model 5.0.0
topic orders FIFO 1 queue
group billing reads orders orderly, max-reconsume-times 3
producer p1 selects by hash
consumer c1 in billing
at 3s A2 fails always
at 3s p1 sends A1 A2 A3
run until 2m10s
";

#[test]
fn what_waits_under_a_delay_level_is_not_acknowledged() {
    let other = varied(EXHAUSTED, Variant::Model53);
    for at_ms in [6_050, 60_000, 126_050] {
        let (_, row) = row_at(EXHAUSTED, &other, "A2", at_ms);
        let states = row.expect("it is a dead letter in 5.3").sides.map(|side| side.state);
        assert_eq!(states, [State::Retrying, State::Dead], "at {at_ms}");
    }
}

#[test]
fn a_process_that_crashed_has_nothing_in_hand() {
    let text = "\
topic orders FIFO 1 queue
group billing reads orders orderly, handles in 2s
producer p1 selects by hash
consumer c1 in billing
at 3s p1 sends A1
at 4s c1 crashes
run until 8s
";
    let alive = text.replace("at 4s c1 crashes\n", "");
    let (_, row) = row_at(text, &alive, "A1", 4_500);
    let [crashed, other] = row.expect("only one of them has it").sides;
    assert_eq!((crashed.state, crashed.at_ms), (State::Waiting, 4_000));
    assert!(matches!(other.state, State::InHand(_)), "{other:?}");
    // One that only stands still goes on with it.
    let hangs = text.replace("crashes", "hangs");
    let (_, row) = row_at(&hangs, &alive, "A1", 4_500);
    assert_eq!(row, None);
}

/// A2 fails for ever; at 12 s c1 drops its queue, and begins it anew ten seconds later.
const RESET: &str = "\
model 5.1
topic orders FIFO 1 queue
group billing reads orders orderly, handles in 10ms
producer p1 selects by hash
consumer c1 in billing
at 3s A2 fails always
at 3s p1 sends A1 A2
at 12s reset billing to time 0s
run until 30s
";

#[test]
fn a_reset_begins_to_count_attempts_anew() {
    let other = RESET.replace("at 12s reset billing to time 0s\n", "");
    let attempts = |at_ms: Ms| {
        let (_, row) = row_at(RESET, &other, "A2", at_ms);
        row.map(|row| row.sides.map(|side| side.attempts))
    };
    assert_eq!(attempts(11_500), None, "the same in both");
    let [reset, goes_on] = attempts(29_000).expect("only one of them was reset");
    assert!(reset < 10 && goes_on > 20, "{reset} beside {goes_on}");
}

/// c1 has A1 still when c2 gets it again; its call begins with what it has.
#[test]
fn the_attempt_is_that_of_the_consumer_that_took_it_last() {
    let other = LATE_ACK.replace("at 15s c1 acks A1\n", "");
    let (_, row) = row_at(LATE_ACK, &other, "A1", 15_900);
    assert_eq!(row.expect("c1 has it as well in one of them").sides.map(|s| s.attempts), [2, 2]);
}
