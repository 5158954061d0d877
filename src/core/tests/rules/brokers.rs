//! Several brokers, their routes, and who sees what when.

use crate::play::Play;
use lockstep_core::command::{Command, ListenerKind, Selector, SendMode};
use lockstep_core::fact::{BrokerStop, Fact, RouteLoss, SendFailure};
use lockstep_core::ids::{BrokerId, Ms, Party, ProducerId};
use lockstep_core::model::Version;

const NEW: Version = Version(5, 3, 3);

fn two_brokers(selector: Selector) -> Play {
    let mut play = Play::new(NEW, 1, ListenerKind::Orderly);
    play.at(0, Command::AddBroker { name: "broker-b".to_owned() });
    play.producer(0, "p", selector, SendMode::Sync);
    play
}

fn stop(play: &mut Play, at_ms: Ms, how: BrokerStop) {
    play.at(at_ms, Command::StopBroker { broker: Some("broker-b".to_owned()), how });
}

fn route_changes(play: &Play, party: Party) -> Vec<(Ms, u16)> {
    let orders = play.queue(0).topic;
    play.pick(|f| match f {
        Fact::RouteChanged { party: p, topic, queues } if *p == party && *topic == orders => {
            Some(*queues)
        }
        _ => None,
    })
}

fn failures(play: &Play) -> Vec<(Ms, SendFailure)> {
    play.pick(|f| if let Fact::SendFailed { reason, .. } = f { Some(*reason) } else { None })
}

#[test]
fn each_client_learns_a_lost_broker_at_its_own_poll() {
    let mut play = two_brokers(Selector::RoundRobin);
    play.start(1_000, "c");
    play.send(2_000, "p", 0..2);
    stop(&mut play, 50_000, BrokerStop::Crash);
    play.send(55_000, "p", 2..6);
    play.until(100_000);
    let gone = |f: &Fact| {
        matches!(f, Fact::BrokerUnregistered { reason: RouteLoss::ConnectionClosed, .. })
    };
    assert_eq!(play.when(gone), [50_000]);
    assert_eq!(route_changes(&play, Party::Producer(ProducerId(0))), [(60_010, 1)]);
    let consumer = Party::Client(play.client("c"));
    assert_eq!(route_changes(&play, consumer), [(61_010, 1)]);
    // Until its poll the producer still tries the dead broker, and then the other one.
    assert!(failures(&play).is_empty());
    let second = |f: &Fact| matches!(f, Fact::SendStarted { attempt: 2, queue, .. } if queue.broker == BrokerId(0));
    // After each such attempt the next message's turn is the dead broker again.
    assert_eq!(play.when(second).len(), 3);
    assert_eq!(play.world.brokers[0].store.range(play.queue(0)).1, 5);
    assert_eq!(play.handled().len(), 6);
}

#[test]
fn a_silent_broker_stays_in_the_routes_for_two_minutes() {
    let mut play = two_brokers(Selector::RoundRobin);
    stop(&mut play, 50_000, BrokerStop::PowerLoss);
    play.until(400_000);
    // Last registration 40 000, first scan after 160 000.
    let gone = |f: &Fact| matches!(f, Fact::BrokerUnregistered { reason: RouteLoss::Silent, .. });
    assert_eq!(play.when(gone), [160_005]);
}

#[test]
fn an_order_conf_keeps_the_list_and_sends_to_the_dead_broker_fail() {
    let mut play = two_brokers(Selector::Modulo);
    let conf = Some("broker:1;broker-b:1".to_owned());
    play.at(0, Command::SetOrderConf { topic: "orders".to_owned(), conf });
    play.at(0, Command::NameMessageGroup { series: "m".to_owned(), key: Some("1".to_owned()) });
    play.send(1_000, "p", 0..1);
    stop(&mut play, 50_000, BrokerStop::Crash);
    play.send(55_000, "p", 1..2);
    play.send(70_000, "p", 2..3);
    play.until(80_000);
    assert_eq!(
        failures(&play),
        [(55_000, SendFailure::ConnectionFailed), (70_000, SendFailure::BrokerUnknown)]
    );
    assert_eq!(play.world.brokers[0].store.range(play.queue(0)).1, 0, "never the other broker");
}

#[test]
fn without_an_order_conf_a_key_moves_to_the_broker_that_is_left() {
    let mut play = two_brokers(Selector::Modulo);
    play.at(0, Command::NameMessageGroup { series: "m".to_owned(), key: Some("1".to_owned()) });
    play.send(1_000, "p", 0..1);
    stop(&mut play, 50_000, BrokerStop::Clean);
    play.send(70_000, "p", 1..2);
    play.until(80_000);
    assert_eq!(play.world.brokers[1].store.range(play.queue_on(1, 0)).1, 1);
    assert_eq!(play.world.brokers[0].store.range(play.queue(0)).1, 1);
}

#[test]
fn two_producers_disagree_until_both_have_polled() {
    let mut play = Play::new(NEW, 1, ListenerKind::Orderly);
    play.producer(0, "p", Selector::RoundRobin, SendMode::Sync);
    play.producer(15_000, "q", Selector::RoundRobin, SendMode::Sync);
    play.send(16_000, "p", 0..1);
    play.send(16_000, "q", 1..2);
    let (name, read_queues, write_queues) = ("orders".to_owned(), 4, 4);
    play.at(20_000, Command::UpdateTopic { name, read_queues, write_queues });
    play.until(60_000);
    assert_eq!(route_changes(&play, Party::Producer(ProducerId(0))), [(30_010, 4)]);
    assert_eq!(route_changes(&play, Party::Producer(ProducerId(1))), [(45_010, 4)]);
}

#[test]
fn a_broker_that_returns_is_read_again() {
    let mut play = two_brokers(Selector::RoundRobin);
    play.start(1_000, "c");
    play.send(2_000, "p", 0..2);
    stop(&mut play, 50_000, BrokerStop::Clean);
    play.at(100_000, Command::StartBroker { broker: Some("broker-b".to_owned()) });
    play.send(130_000, "p", 2..6);
    play.until(200_000);
    assert_eq!(play.handled().len(), 6);
    assert!(failures(&play).is_empty());
}
