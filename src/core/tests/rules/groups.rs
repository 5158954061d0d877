//! Subscriptions, tags, keys, several groups, listeners that take too long.

use crate::play::{subscription, Play};
use lockstep_core::command::{
    Attempts, Command, GroupSetting, HandlerRule, ListenerKind, MessageSpec, Selector, SendMode,
    TopicType,
};
use lockstep_core::fact::{Fact, FilterSide, Outcome, PullRefusal};
use lockstep_core::ids::GroupId;
use lockstep_core::model::Version;

const NEW: Version = Version(5, 3, 3);

fn tagged(number: u32, tag: &str) -> MessageSpec {
    MessageSpec { tag: Some(tag.to_owned()), ..MessageSpec::new("m", number) }
}

fn play(listener: ListenerKind) -> Play {
    let mut play = Play::new(NEW, 1, listener);
    play.producer(0, "p", Selector::Queue(0), SendMode::Sync);
    play
}

fn subscribe(play: &mut Play, consumer: &str, topic: &str, tags: &[&str]) {
    let subscriptions = vec![subscription(topic, tags)];
    play.at(0, Command::Subscribe { consumer: consumer.to_owned(), subscriptions });
}

#[test]
fn the_broker_filters_by_hash_and_the_client_by_the_tag_itself() {
    let mut play = play(ListenerKind::Orderly);
    subscribe(&mut play, "c", "orders", &["Aa"]);
    play.start(500, "c");
    // "Aa" and "BB" have the same String.hashCode.
    play.send_specs(5_000, "p", vec![tagged(0, "BB"), tagged(1, "Cc"), tagged(2, "Aa")]);
    play.until(20_000);
    assert_eq!(play.handled().iter().map(|(_, o)| *o).collect::<Vec<_>>(), [2]);
    let by = |f: &Fact| if let Fact::MessagesFiltered { by, .. } = f { Some(*by) } else { None };
    let sides: Vec<FilterSide> = play.pick(by).into_iter().map(|(_, by)| by).collect();
    assert!(sides.contains(&FilterSide::Client) && sides.contains(&FilterSide::Broker));
    assert_eq!(play.offset(play.queue(0)), Some(3), "what was left out counts as consumed");
}

#[test]
fn members_with_different_topics_flip_the_table_and_pulls_fail() {
    let mut play = play(ListenerKind::Orderly);
    play.at(
        0,
        Command::CreateTopic {
            name: "payments".to_owned(),
            kind: TopicType::Normal,
            read_queues: 1,
            write_queues: 1,
        },
    );
    subscribe(&mut play, "d", "payments", &[]);
    play.start(500, "c");
    play.start(20_000, "d");
    play.send(40_000, "p", 0..3);
    play.until(60_000);
    let flips = |f: &Fact| match f {
        Fact::SubscriptionReplaced { added, removed, .. } => Some((*added, *removed)),
        _ => None,
    };
    assert_eq!(play.pick(flips).iter().filter(|(_, flip)| *flip == (1, 1)).count(), 3);
    let refused =
        |f: &Fact| matches!(f, Fact::PullRefused { reason: PullRefusal::SubscriptionMissing, .. });
    let refused = play.when(refused);
    assert!(refused.windows(2).any(|pair| pair[1] - pair[0] == 1_000), "{refused:?}");
}

#[test]
fn groups_read_a_topic_independently() {
    let mut play = play(ListenerKind::Orderly);
    play.at(
        0,
        Command::CreateGroup {
            name: "audit".to_owned(),
            subscriptions: vec![subscription("orders", &[])],
            listener: ListenerKind::Concurrent,
        },
    );
    play.start(500, "c");
    let (name, group) = ("a".to_owned(), "audit".to_owned());
    play.at(500, Command::StartConsumer { name, group, threads: None });
    play.send(5_000, "p", 0..3);
    play.until(20_000);
    assert_eq!(play.handled().len(), 6);
    for group in [GroupId(0), GroupId(1)] {
        let offset = play.world.brokers[0].offsets.get(&(group, play.queue(0)));
        assert_eq!(offset, Some(&3));
    }
}

#[test]
fn a_consumer_leaves_what_does_not_carry_its_key() {
    let mut play = play(ListenerKind::Concurrent);
    let (consumer, key) = ("c".to_owned(), "mine".to_owned());
    play.at(0, Command::OwnKey { consumer, key, foreign: Outcome::Later });
    play.start(500, "c");
    let keyed =
        |n, key: &str| MessageSpec { key: Some(key.to_owned()), ..MessageSpec::new("m", n) };
    play.send_specs(5_000, "p", vec![keyed(0, "mine"), keyed(1, "yours")]);
    play.until(9_000);
    assert_eq!(play.when(|f| matches!(f, Fact::SentBack { .. })).len(), 1);
    let queue = play.queue(0);
    let found = play.world.find_by_key(queue.topic, "yours");
    assert_eq!(found.iter().map(|r| (r.0, r.1.offset)).collect::<Vec<_>>(), [(queue, 1)]);
}

#[test]
fn a_message_that_a_listener_holds_for_too_long_is_sent_back() {
    let mut play = play(ListenerKind::Concurrent);
    play.set(0, GroupSetting::HandleMs(7_200_000, 7_200_000));
    play.start(0, "c");
    play.send(5_000, "p", 0..20);
    play.until(1_900_000);
    let timed_out = play.when(|f| matches!(f, Fact::ConsumeTimedOut { .. }));
    // Handled from 5 000 on: 895 000 at the first check, over the limit at the second; at most 16.
    assert_eq!(timed_out, [1_800_000; 16]);
    assert_eq!(play.when(|f| matches!(f, Fact::SentBack { level: 3, .. })).len(), 16);
}

#[test]
fn a_group_without_retry_queues_loses_what_fails() {
    let mut play = play(ListenerKind::Concurrent);
    play.set(0, GroupSetting::RetryQueueNums(0));
    let (group, client, label, handle_ms) = (None, None, None, None);
    let (attempts, outcome) = (Attempts::All, Some(Outcome::Later));
    play.at(0, Command::Handle(HandlerRule { group, client, label, attempts, outcome, handle_ms }));
    play.start(500, "c");
    play.send(5_000, "p", 0..2);
    play.until(60_000);
    assert_eq!(play.when(|f| matches!(f, Fact::SentNowhere { .. })), [5_000, 5_000]);
    assert_eq!(play.handled().len(), 2, "and they never come again");
    assert_eq!(play.offset(play.queue(0)), Some(2));
}
