//! The stage's projection on small runs.

mod pop;

use super::*;
use crate::ids::ClientId;
use crate::scenario;
use crate::session::Session;
use crate::view::history::History;

const POISON: &str = "\
topic orders FIFO 4 queues
topic timeouts DELAY 1 queue
series A message-group order-1007
series B message-group order-1003
series T without message-group
group billing reads orders orderly, handles in 600ms
producer p1 to orders, selects by hash
consumer c1 in billing
at 1s p1 sends T1 to timeouts delay level 3
at 1s p1 sends T2 to timeouts delay level 16
at 3s A2 fails always
at 3s p1 sends A1 B1 A2 B2 A3
at 30s p1 sends A4
run until 60s
";

/// The stage of a text at an instant, with room for so many slots in a lane.
fn stage(text: &str, at_ms: Ms, columns: usize) -> StageView {
    stage_of(text, at_ms, columns, None)
}

/// The same with the queues of a topic as lanes.
fn stage_of(text: &str, at_ms: Ms, columns: usize, topic: Option<&str>) -> StageView {
    let program = scenario::load(text).expect("the text is right");
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    session.run_until(at_ms);
    let mut history = History::default();
    let clients = &session.world().clients;
    let group_of = |client: ClientId| clients.get(client.index()).map(|c| c.group());
    history.update(session.recorded_facts(), 1, &group_of);
    let options = Options {
        group: 0,
        topic: topic.and_then(|name| session.world().shared.names.topic(name)),
        journal: session.journal(),
        columns: &|_| columns,
        opened: None,
        history: &history,
    };
    project(session.world(), &options)
}

fn states(lane: &LaneView) -> Vec<(String, SlotState)> {
    lane.slots.iter().map(|slot| (slot.name.label.to_string(), slot.state)).collect()
}

fn named(list: &[(&str, SlotState)]) -> Vec<(String, SlotState)> {
    list.iter().map(|(label, state)| ((*label).to_owned(), *state)).collect()
}

#[test]
fn a_topic_can_be_chosen_whoever_reads_it() {
    let topic = |view: &StageView| view.topic.as_ref().map(|topic| topic.name.to_string());
    let folded = |view: &StageView| -> Vec<String> {
        view.folded.iter().map(|topic| topic.name.to_string()).collect()
    };
    let usual = stage(POISON, 5_000, 8);
    assert_eq!((topic(&usual), folded(&usual)), (Some("orders".into()), vec!["timeouts".into()]));
    let other = stage_of(POISON, 5_000, 8, Some("timeouts"));
    assert_eq!((topic(&other), folded(&other)), (Some("timeouts".into()), vec!["orders".into()]));
    assert_eq!(other.lanes.len(), 1);
    assert!(other.group.is_none() && other.consumers.is_empty(), "nobody reads it");
    // Where several groups are, the one that reads it is shown, whichever was chosen.
    let two = format!("{POISON}topic bills FIFO 2 queues\ngroup audit reads bills orderly\nconsumer a1 in audit\n");
    let bills = stage_of(&two, 5_000, 8, Some("bills"));
    assert_eq!(bills.group.as_ref().map(|group| group.name.to_string()), Some("audit".into()));
    assert_eq!(bills.lanes.len(), 2);
}

#[test]
fn a_suspended_lane_shows_what_failed_and_what_it_holds_back() {
    use SlotState::{Blocked, Done, Retry};
    let view = stage(POISON, 5_000, 8);
    let q1 = &view.lanes[1];
    let expected = [("A1", Done), ("B1", Done), ("A2", Retry(1)), ("B2", Blocked), ("A3", Blocked)];
    assert_eq!(states(q1), named(&expected));
    assert_eq!((q1.next, q1.max, q1.lag(), q1.since_ms), (2, 5, 3, Some(4_800)));
    assert!(matches!(&q1.stands, Some(Stands::Suspended { from_ms: 4_800, until_ms: 5_800, .. })));
    let row =
        RowState::Suspended { name: q1.slots[2].name.clone(), from_ms: 4_800, until_ms: 5_800 };
    assert_eq!(q1.rows.first().map(|row| &row.state), Some(&row));
    assert!(view.lanes[0].stands.is_none());
}

#[test]
fn what_went_past_a_suspended_message_group_is_done() {
    use SlotState::{Blocked, Done, Retry};
    let text = format!("blocking message-group\n{POISON}");
    let view = stage(&text, 5_500, 8);
    let q1 = &view.lanes[1];
    // B2 is acknowledged behind A2, so the consumer offset has not passed it.
    let expected = [("A1", Done), ("B1", Done), ("A2", Retry(1)), ("B2", Done), ("A3", Blocked)];
    assert_eq!(states(q1), named(&expected));
    assert_eq!(q1.next, 2);
    assert!(view.tokens.iter().all(|token| &*token.name.label != "B2"));
}

#[test]
fn a_message_in_flight_leaves_its_slot_and_has_one_token() {
    let view = stage(POISON, 3_100, 8);
    let q1 = &view.lanes[1];
    assert_eq!(q1.slots[0].state, SlotState::Away);
    assert_eq!(q1.slots[1].state, SlotState::Ready);
    let of_a1: Vec<&TokenView> = view.tokens.iter().filter(|t| &*t.name.label == "A1").collect();
    assert_eq!(of_a1.len(), 1);
    assert!(matches!(of_a1[0].place, Place::Row { lane: 1, nth: 0, .. }));
    assert_eq!(
        of_a1[0].state,
        TokenState::InFlight { from_ms: 3_000, until_ms: 3_600, again: false }
    );
    // Retried: the lane is still held back, and says so.
    let view = stage(POISON, 6_000, 8);
    assert!(
        matches!(&view.lanes[1].stands, Some(Stands::Retrying { name }) if &*name.label == "A2")
    );
}

#[test]
fn ports_stand_before_their_first_message_and_say_their_rule() {
    let view = stage(POISON, 0, 8);
    let letters: Vec<(&str, Option<usize>, u8)> =
        view.ports.iter().map(|port| (&*port.letter, port.lane, port.hue)).collect();
    assert_eq!(letters, [("A", Some(1), 0), ("B", Some(1), 1)]);
    assert_eq!(view.ports[0].rule, Rule::Remainder { of: 708_180_869, n: 4 });
    let next = view.producers[0].threads[0].next.as_ref().map(|next| (&*next.label, next.at_ms));
    assert_eq!(next, Some(("T1", Some(1_000))));
    assert_eq!(view.producers[0].wires, [(0, false), (1, false)]);
}

#[test]
fn a_producer_says_what_its_load_still_sends() {
    let text = "topic orders FIFO 2 queues\ngroup billing reads orders orderly\n\
        producer p1 selects by hash\nconsumer c1 in billing\n\
        at 2s p1 sends 40 messages over 4 groups, 10 a second\nrun until 20s\n";
    let load = |at_ms| stage(text, at_ms, 8).producers[0].load;
    assert_eq!(load(500), Some(LoadView { left: 40, at_ms: Some(2_000) }));
    assert_eq!(load(2_950), Some(LoadView { left: 30, at_ms: None }));
    assert_eq!(load(7_000), None);
}

#[test]
fn the_shelf_holds_what_is_delayed_and_names_what_is_due_next() {
    let view = stage(POISON, 2_000, 8);
    let held: Vec<(u8, u32, Option<Ms>)> = view
        .shelf
        .levels
        .iter()
        .filter(|level| level.count > 0)
        .map(|level| (level.level, level.count, level.due_ms))
        .collect();
    assert_eq!(held, [(3, 1, Some(11_000)), (16, 1, Some(1_801_000))]);
    assert_eq!(view.shelf.levels.len(), 18);
    assert_eq!(view.shelf.levels[16].text.as_ref(), "1h");
    let next = view.shelf.next.as_ref().map(|(name, due)| (&*name.label, *due, name.hue));
    assert_eq!(next, Some(("T1", 11_000, NO_HUE)));
    let later = stage(POISON, 12_000, 8);
    assert_eq!(later.folded[0].stored, 1);
    assert_eq!(later.shelf.next.map(|(name, _)| name.label.to_string()).as_deref(), Some("T2"));
}

#[test]
fn a_long_lane_shows_the_head_and_the_last_and_counts_the_rest() {
    let text = "\
topic orders FIFO 1 queue
group billing reads orders orderly, handles in 10s
producer p1 to orders, selects by hash
consumer c1 in billing
at 3s p1 sends A1..A40
run until 60s
";
    let view = stage(text, 4_000, 8);
    let lane = &view.lanes[0];
    let offsets: Vec<i64> = lane.slots.iter().map(|slot| slot.offset).collect();
    assert_eq!(offsets, [0, 1, 2, 3, 4, 39]);
    assert_eq!((lane.first, lane.shown(), lane.hidden), (0, 5, 34));
}

#[test]
fn a_lock_outlives_its_owner() {
    let text = POISON.replace("at 30s", "at 10s c1 crashes\nat 30s");
    let view = stage(&text, 12_000, 8);
    let q1 = &view.lanes[1];
    assert_eq!(q1.stands, Some(Stands::OwnerGone));
    assert_eq!(q1.since_ms, Some(10_000));
    assert!(q1.rows.is_empty());
    match &q1.lock {
        LockView::Held { name, gone, from_ms, until_ms, .. } => {
            assert_eq!((&**name, *gone, until_ms - from_ms), ("c1", true, 60_000));
        }
        other => panic!("{other:?}"),
    }
    assert!(view.consumers.is_empty());
}

#[test]
fn nothing_is_shown_of_an_empty_world() {
    let view = stage("run until 1s\n", 500, 8);
    assert!(view.topic.is_none() && view.lanes.is_empty() && view.tokens.is_empty());
}

const FORGETS: &str = "\
topic orders FIFO 1 queue
series A message-group order-1
group billing reads orders orderly, handles in 100ms, autocommit off
producer p1 selects by hash
consumer c1 in billing
at 3s p1 sends A1 A2
at 5s A3 takes 10s
at 8s p1 sends A3
run until 20s
";

#[test]
fn a_consumer_that_has_not_committed_is_said_to_wait_for_that() {
    let state = |text: &str, at_ms: Ms| stage(text, at_ms, 8).lanes[0].rows[0].state.clone();
    assert_eq!(state(FORGETS, 2_900), RowState::Idle(Idle::NothingToPull));
    assert_eq!(state(FORGETS, 4_000), RowState::Idle(Idle::NotCommitted));
    assert!(matches!(state(FORGETS, 9_000), RowState::Handling { .. }));
    let commits = FORGETS.replace("at 3s", "at 2s A2 returns commit\nat 3s");
    assert_eq!(state(&commits, 4_000), RowState::Idle(Idle::NothingToPull));
    let pauses = FORGETS.replace("at 8s", "at 3.5s billing pauses\nat 8s");
    assert_eq!(state(&pauses, 4_000), RowState::Idle(Idle::Paused));
}

const GIVEN_UP: &str = "\
topic orders FIFO 1 queue
series A message-group order-1002
group billing reads orders orderly, handles in 1s, max-reconsume-times 1
group bonus reads orders orderly, handles in 200ms
producer p1 selects by hash
consumer b1 in billing
consumer o1 in bonus
at 3s A2 fails always, in billing
at 3s p1 sends A1, travel 500ms
at 6s p1 sends A2 A3
run until 20s
";

#[test]
fn what_is_not_stored_yet_is_initialised() {
    let view = stage(GIVEN_UP, 3_200, 8);
    let of_a1: Vec<_> = view.tokens.iter().filter(|t| &*t.name.label == "A1").collect();
    assert!(matches!(of_a1[..], [TokenView { state: TokenState::Initialised, .. }]), "{of_a1:?}");
}

#[test]
fn a_dead_letter_is_one_in_its_slot_too() {
    let states_at = |at_ms| states(&stage(GIVEN_UP, at_ms, 8).lanes[0]);
    assert_eq!(states_at(8_900)[1], ("A2".to_owned(), SlotState::Away));
    let expected = [("A1", SlotState::Done), ("A2", SlotState::Dead), ("A3", SlotState::Done)];
    assert_eq!(states_at(12_000), named(&expected));
}

#[test]
fn what_the_offset_went_past_undelivered_is_not_acknowledged() {
    let text = "\
topic orders FIFO 1 queue
series A message-group order-1002
group billing reads orders orderly, handles in 100ms
producer p1 selects by hash
at 1s p1 sends A1 A2
at 3s reset billing in q0 to offset 2
at 5s c1 joins billing
at 10s p1 sends A3
run until 20s
";
    let lane = &stage(text, 12_000, 8).lanes[0];
    let passed = SlotState::Passed;
    assert_eq!(states(lane), named(&[("A1", passed), ("A2", passed), ("A3", SlotState::Done)]));
}

#[test]
fn other_groups_are_counted_as_the_chosen_one_is_and_each_has_a_mark_of_its_own() {
    // At 4 s o1 has handled A1, and the broker has not heard of it.
    let view = stage(GIVEN_UP, 4_000, 8);
    let group = view.group.as_ref().expect("there are groups");
    assert_eq!((group.mark, view.other_groups[0].group.mark), ('b', 'o'));
    assert_eq!(view.lanes[0].others, [('o', 1)]);
}

#[test]
fn what_nobody_can_read_yet_is_counted_in_its_topic_and_a_refusal_where_it_was() {
    let text = include_str!("../../../../../www/lessons/01-4-topic-types.scn");
    let view = stage(text, 7_500, 8);
    let folded: Vec<_> =
        view.folded.iter().map(|t| (&*t.name, t.stored, t.scheduled, t.halves)).collect();
    let expected = [
        ("notices", 1, 0, 0),
        ("timeouts", 0, 1, 0),
        ("payments", 0, 0, 1),
        ("everything", 0, 0, 0),
    ];
    assert_eq!(folded, expected);
    assert_eq!(view.proxies[0].refused, 3);
    let end = stage(text, 17_000, 8);
    let refused: Vec<_> =
        end.producers.iter().map(|p| (&*p.name, p.grpc, p.failed, p.refused)).collect();
    // sdk looks at the type itself; nobody refuses what old sends.
    let expected =
        [("app", true, 1, 1), ("pick", false, 2, 2), ("sdk", true, 1, 0), ("old", false, 0, 0)];
    assert_eq!(refused, expected);
    assert!(end.folded.iter().all(|topic| topic.scheduled + topic.halves == 0));
    let two: Vec<_> = view.ports.iter().filter(|port| &*port.letter == "A").collect();
    let senders: Vec<String> = two.iter().map(|port| port.senders.join(" ")).collect();
    assert_eq!(senders, ["pick", "app"]);
}

#[test]
fn what_is_sent_in_one_request_has_a_port_of_its_own() {
    let text = include_str!("../../../../../www/lessons/02-4-two-in-one-request.scn");
    let view = stage(text, 0, 8);
    let rules: Vec<(&str, Option<usize>)> =
        view.ports.iter().map(|port| (&*port.letter, port.lane)).collect();
    // One message alone follows its message group; of two the proxy asks nothing.
    assert_eq!(rules, [("A", Some(0)), ("A", None)]);
    assert_eq!(view.ports[1].rule, Rule::RoundRobin);
    assert_eq!(view.producers[0].wires.len(), 2);
    let mended = text.replace("model      5.3", "model 5.3\nset multiMessageKeepsGroup 1");
    assert_eq!(stage(&mended, 0, 8).ports.len(), 1);
}

#[test]
fn a_run_without_delays_has_no_shelf() {
    let orderly = include_str!("../../../../../www/lessons/01-3-offsets-and-lag.scn");
    assert!(stage(orderly, 2_000, 8).shelf.levels.is_empty());
    let delayed =
        orderly.replace("p1 sends A1..A8, every 1s", "p1 sends A1..A8, every 1s, delay level 3");
    assert!(!stage(&delayed, 2_000, 8).shelf.levels.is_empty());
    // An old release puts aside what has used up its attempts.
    let old = include_str!("../../../../../www/lessons/05-3-max-reconsume-5.0.scn");
    assert!(stage(old, 60_000, 8).shelf.levels.iter().any(|level| level.count > 0));
    // A concurrent listener's retries come back by the levels.
    let concurrent = orderly.replace("orderly", "concurrent");
    assert!(!stage(&concurrent, 2_000, 8).shelf.levels.is_empty());
}

/// The queues that a port counts, and the lane that it leads to.
fn counted(view: &StageView) -> Vec<(u32, Option<usize>)> {
    let count = |port: &PortView| match port.rule {
        Rule::Remainder { n, .. } | Rule::Consistent { n, .. } => (n, port.lane),
        _ => (0, port.lane),
    };
    view.ports.iter().map(count).collect()
}

#[test]
fn a_port_counts_the_queues_that_its_sender_knows() {
    let text = |sends: &str| {
        format!(
            "\
topic orders FIFO 4 queues
series A message-group order-1
group billing reads orders orderly
producer p1{sends}
consumer c1 in billing
at 3s p1 sends A1
at 4s orders 8 queues
at 5s p1 sends A2
run until 70s
"
        )
    };
    // A classic client looks at the name server every 30 s.
    let classic = text(" selects by hash");
    for (at_ms, expected) in [(3_500, (4, Some(2))), (5_500, (4, Some(2))), (40_000, (8, Some(6)))]
    {
        assert_eq!(counted(&stage(&classic, at_ms, 8)), [expected], "at {at_ms}");
    }
    // For a gRPC client the proxy knows them, and looks again behind the first use after 20 s.
    let grpc = format!("{}at 30s p1 sends A3\n", text(""));
    assert_eq!(counted(&stage(&grpc, 5_500, 8))[0].0, 4);
    assert_eq!(counted(&stage(&grpc, 29_000, 8))[0].0, 4);
    assert_eq!(counted(&stage(&grpc, 31_000, 8))[0].0, 8);
    // The order conf says which queues there are, whatever else the brokers have.
    let conf = format!("order-conf of orders is broker:2\n{}", text(" selects by hash"));
    assert_eq!(counted(&stage(&conf, 5_500, 8))[0].0, 2);
}

#[test]
fn what_is_on_its_way_goes_where_it_was_sent() {
    let text = "\
set pollNameServerInterval 500ms
topic orders FIFO 4 queues
series A message-group order-1
group billing reads orders orderly
producer p1 selects by hash
consumer c1 in billing
at 3.9s p1 sends A1, travel 2s
at 4s orders 8 queues
run until 20s
";
    let lit = stage(text, 5_500, 8);
    assert!(lit.ports[0].lit);
    assert_eq!(lit.ports[0].lane, Some(2));
    assert_eq!(stage(text, 6_500, 8).ports[0].lane, Some(6));
}

#[test]
fn a_message_group_has_a_port_for_each_way_that_it_is_sent_and_failures_are_counted() {
    let text = "\
topic orders FIFO 4 queues
series A message-group order-1
series P without message-group
group billing reads orders orderly
producer app to orders
producer pick to orders, selects queue 2, through proxy
producer old to orders, selects queue 2
consumer c1 in billing
at 3s app sends A1
at 4s pick sends P1
at 5s old sends P2
at 5s old sends A2, travel 500ms
run until 20s
";
    let view = stage(text, 5_100, 8);
    let mut ports: Vec<(&str, Option<usize>, bool)> =
        view.ports.iter().map(|port| (&*port.letter, port.lane, port.proxied)).collect();
    ports.sort_unstable();
    let expected =
        [("A", Some(2), false), ("A", Some(3), true), ("P", Some(2), false), ("P", Some(2), true)];
    assert_eq!(ports, expected);
    // What old sends goes by its own way.
    let lit: Vec<_> = view.ports.iter().filter(|port| port.lit).collect();
    assert!(matches!(lit[..], [port] if !port.proxied && &*port.letter == "A"), "{lit:?}");
    assert!(view.ports.iter().all(|port| port.former.is_none()));
    let failed: Vec<_> = view.producers.iter().map(|p| (&*p.name, p.sent, p.failed)).collect();
    assert_eq!(failed, [("app", 1, 0), ("pick", 0, 1), ("old", 1, 0)]);
}

#[test]
fn what_is_scheduled_says_into_which_lane_it_is_put_back() {
    let text = "\
model 4.9
topic orders FIFO 2 queues
series A message-group order-1003
group billing reads orders orderly
producer p1 selects by hash
consumer c1 in billing
at 3s p1 sends A1, delay level 3
run until 20s
";
    assert_eq!(stage(text, 5_000, 8).shelf.lane, Some(1));
    assert_eq!(stage(text, 2_000, 8).shelf.lane, None);
}
