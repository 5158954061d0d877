//! What can be done by hand, at several instants of every scenario: each deed is carried out, is a line that
//! can be read and says the same command, and the text with the line in it is the run that was made by hand.

use std::collections::BTreeSet;

use lockstep::i18n::sentence::Speaker;
use lockstep::i18n::Locale;
use lockstep_core::command::Command;
use lockstep_core::deeds::{behind, deeds, machinery, next_of, Draft, On};
use lockstep_core::explain::{Ledger, Run};
use lockstep_core::fact::Fact;
use lockstep_core::ids::{GroupId, MessageGroupId, MessageQueue, Ms, MsgId};
use lockstep_core::scenario::{load, parse, written, Program};
use lockstep_core::session::Session;
use lockstep_core::shared::TopicUse;
use lockstep_core::view::Subject;
use lockstep_core::world::World;

use super::folder::texts;
use super::whole;

/// A session of a program, at an instant.
fn at(program: &Program, at_ms: Ms) -> Session {
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    session.run_until(at_ms);
    session
}

/// The world of a session when its clock has come to an instant.
fn world_at(session: &Session, at_ms: Ms) -> World {
    let mut world = session.world().clone();
    world.wait_until(at_ms);
    world
}

/// Some of every kind of thing, each with its consumer group.
fn things(run: &Run<'_>) -> Vec<(On, Option<GroupId>)> {
    let (world, names) = (run.world, &run.world.shared.names);
    let spread = |count: usize, most: usize| (0..count).step_by((count / most).max(1));
    let mut subjects: Vec<Subject> = Vec::new();
    subjects
        .extend(spread(world.shared.messages.len(), 6).map(|i| Subject::Message(MsgId(i as u32))));
    subjects.extend(
        spread(names.series.len(), 3).map(|i| Subject::MessageGroup(MessageGroupId(i as u16))),
    );
    let topics = names.topics.iter().enumerate().filter(|(_, topic)| topic.usage == TopicUse::User);
    for (index, _) in topics {
        let topic = lockstep_core::ids::TopicId(index as u16);
        let queues: Vec<MessageQueue> = names.read_queues(topic);
        for queue in queues.iter().step_by((queues.len() / 2).max(1)) {
            subjects.extend([Subject::Queue(*queue), Subject::Lock(*queue)]);
        }
    }
    subjects.push(Subject::Level(1));
    let groups: Vec<Option<GroupId>> = [None]
        .into_iter()
        .chain((0..names.groups.len() as u16).map(|g| Some(GroupId(g))))
        .collect();
    let mut all: Vec<On> = subjects.into_iter().map(On::Subject).collect();
    all.extend(machinery(run));
    let with_groups = |on: On| groups.iter().map(move |group| (on, *group));
    all.into_iter().flat_map(with_groups).collect()
}

/// All that is offered at an instant, each command once.
fn offered(run: &Run<'_>) -> Vec<Command> {
    let mut found: Vec<Command> = Vec::new();
    for (on, group) in things(run) {
        let around = [on].into_iter().chain(behind(run, on, group));
        let all = around.flat_map(|on| deeds(run, on, group)).map(|deed| deed.command);
        for command in all {
            if !found.contains(&command) {
                found.push(command);
            }
        }
    }
    let forms = [None, Some(Subject::MessageGroup(MessageGroupId(0)))];
    for form in forms.into_iter().filter_map(|about| Draft::new(run, about)) {
        found.extend(form.commands(run).unwrap_or_else(|wrong| panic!("{form:?}: {wrong:?}")));
    }
    found
}

/// What happened, without the numbers of commands, which depend on their places.
fn history(session: &Session) -> Vec<String> {
    let facts = session.facts().iter();
    let told = facts.map(|record| match record.fact {
        Fact::CommandApplied { .. } => format!("{} applied", record.at_ms),
        Fact::CommandRefused { .. } => format!("{} refused", record.at_ms),
        fact => format!("{} {fact:?}", record.at_ms),
    });
    told.collect()
}

/// What is wrong with a deed.
fn faults(
    text: &str,
    program: &Program,
    at_ms: Ms,
    command: &Command,
    follow: bool,
) -> Vec<String> {
    let mut session = at(program, at_ms);
    let index = session.journal().len() as u32;
    let done_ms = session.do_at(at_ms, command.clone());
    let mut faults = Vec::new();
    if let Some(refusal) = session.world().shared.refusals.get(&index) {
        faults.push(format!("{command:?} is refused: {refusal:?}"));
    }
    let said = written(text, &session);
    let again = match load(&said) {
        Ok(again) => again,
        Err(problems) => return vec![format!("{command:?} cannot be read: {problems:?}")],
    };
    if parse(&said).scenario.print() != said {
        faults.push(format!("{command:?} is not printed back"));
    }
    if !again.journal().contains(&(done_ms, command.clone())) {
        faults.push(format!("{command:?} at {done_ms} is read as something else"));
    }
    if follow {
        let until_ms = done_ms + 5_000;
        session.run_until(until_ms);
        let other = at(&again, until_ms);
        if let Some((a, b)) = history(&session).iter().zip(&history(&other)).find(|(a, b)| a != b) {
            faults.push(format!("{command:?} at {done_ms}: by hand {a}, by the text {b}"));
        }
        // Taken back, it is the run that it was.
        assert!(session.take_back());
        session.run_until(until_ms);
        if session.hash() != at(program, until_ms).hash() {
            faults.push(format!("{command:?} at {done_ms} is not taken back"));
        }
    }
    faults
}

/// A name for the kind of a command, to see that each kind is offered somewhere.
fn kind(command: &Command) -> String {
    let all = format!("{command:?}");
    let end = all.find([' ', '{', '(']).unwrap_or(all.len());
    let inner = all.strip_prefix("Pop(").map(|rest| &rest[..rest.find([' ', '{']).unwrap_or(0)]);
    inner.unwrap_or(&all[..end]).to_owned()
}

#[test]
fn what_can_be_done_by_hand_is_a_line_of_the_scenario() {
    let folders = ["www/lessons", "tests/reports", "tests/found"];
    let all: Vec<_> = folders.into_iter().flat_map(texts).collect();
    let (mut found, mut kinds, mut count) = (Vec::new(), BTreeSet::new(), 0_usize);
    // A part of them by default, and those in which a broker is down or a transaction is begun. Which
    // ones, and at which instant, their names decide, so that no new scenario changes that of the others.
    let step = if whole() { 1 } else { 5 };
    for (name, text) in &all {
        let place = name.bytes().fold(0, |sum, byte| (sum * 31 + usize::from(byte)) % 1_009);
        let program = load(text).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        let until_ms = program.until_ms;
        let parts: &[Ms] = if whole() { &[1, 2, 3] } else { &[1 + place as Ms % 3] };
        for part in parts {
            let at_ms = (until_ms * part / 4 + place as Ms * 7).min(until_ms - 10);
            let session = at(&program, at_ms);
            let told = session.world().brokers.iter().any(|broker| !broker.up)
                || text.contains(" in a transaction");
            if place % step != 0 && !told {
                continue;
            }
            let (ledger, world) = (Ledger::of(session.facts()), world_at(&session, at_ms));
            let run = Run { world: &world, ..Run::of(&session, &ledger) };
            for command in offered(&run) {
                count += 1;
                kinds.insert(kind(&command));
                let follow = count.is_multiple_of(9);
                let wrong = faults(text, &program, at_ms, &command, follow);
                found.extend(wrong.into_iter().map(|fault| format!("{name} at {at_ms}: {fault}")));
            }
        }
    }
    assert!(
        found.is_empty(),
        "{} of {count}:\n{}",
        found.len(),
        found[..found.len().min(20)].join("\n")
    );
    assert!(count > 1_000, "{count} deeds");
    for kind in [
        "Send",
        "SendTransaction",
        "StartConsumer",
        "StopConsumer",
        "Handle",
        "Cut",
        "Heal",
        "DropNext",
        "StopBroker",
        "StartBroker",
        "SetDisk",
        "SetClock",
        "ResetOffset",
        "UpdateTopic",
        "SetGroup",
        "Start",
        "Receive",
        "Ack",
        "RunProxy",
        "FailRequests",
    ] {
        assert!(kinds.contains(kind), "{kind} is offered nowhere: {kinds:?}");
    }
}

#[test]
fn no_two_deeds_of_a_menu_read_alike() {
    for (name, text) in texts("www/lessons").iter().step_by(3) {
        let program = load(text).unwrap();
        let at_ms = program.until_ms / 2;
        let session = at(&program, at_ms);
        let ledger = Ledger::of(session.facts());
        let run = Run::of(&session, &ledger);
        for (on, group) in things(&run) {
            let all = deeds(&run, on, group);
            for locale in Locale::ALL {
                let speaker = Speaker { world: run.world, locale };
                let said: Vec<String> =
                    all.iter().map(|deed| speaker.deed(&deed.command)).collect();
                let different: BTreeSet<&String> = said.iter().collect();
                assert_eq!(different.len(), said.len(), "{name}: {on:?}: {said:?}");
                assert!(said.iter().all(|words| !words.is_empty()), "{name}: {on:?}: {said:?}");
            }
        }
    }
}

/// The queues of one small run, and who is in it.
const SMALL: &str = "topic orders FIFO 2 queues\ngroup billing reads orders orderly, handles in 400ms\n\
                     producer p1\nconsumer c1 in billing\nat 1s p1 sends A1 A2 B1\nat 30s p1 sends A7\n";

/// Looks at the small run when its clock stands at an instant, after some commands.
fn small<T>(at_ms: Ms, done: &[Command], look: impl Fn(&Run<'_>) -> T) -> T {
    let program = load(SMALL).unwrap();
    let mut session = at(&program, at_ms);
    let mut now_ms = at_ms;
    for command in done {
        now_ms = session.do_at(now_ms, command.clone());
    }
    let (ledger, world) = (Ledger::of(session.facts()), world_at(&session, now_ms));
    look(&Run { world: &world, ..Run::of(&session, &ledger) })
}

/// What can be done to its consumer.
fn of_consumer(run: &Run<'_>) -> Vec<String> {
    let client = run.world.shared.names.client("c1").unwrap();
    let all = deeds(run, On::Subject(Subject::Client(client)), Some(GroupId(0)));
    let speaker = Speaker { world: run.world, locale: Locale::En };
    all.iter().map(|deed| speaker.deed(&deed.command)).collect()
}

#[test]
fn only_what_makes_sense_is_offered() {
    let stop = |how| Command::StopConsumer { name: "c1".into(), how };
    let starts = |said: &[String]| said.iter().any(|words| words == "Start c1 again");
    let running = small(1_200, &[], of_consumer);
    assert!(!starts(&running) && running.len() >= 8, "{running:?}");
    assert!(!running.iter().any(|words| words == "Let c1 go on"), "{running:?}");
    let crashed = small(1_200, &[stop(lockstep_core::fact::StopKind::Crash)], of_consumer);
    assert!(starts(&crashed) && crashed.len() == 2, "{crashed:?}");
    let hanging = small(1_200, &[stop(lockstep_core::fact::StopKind::Hang)], of_consumer);
    assert!(
        !starts(&hanging) && hanging.iter().any(|words| words == "Let c1 go on"),
        "{hanging:?}"
    );
}

#[test]
fn a_message_sent_by_hand_takes_no_number_that_the_text_sends_later() {
    let series = MessageGroupId(0);
    let next = small(2_000, &[], |run| next_of(run, series).unwrap());
    let Command::Send { messages, .. } = &next else { panic!("{next:?}") };
    assert_eq!(messages[0].label.to_string(), "A8");
    let again = small(2_000, std::slice::from_ref(&next), |run| next_of(run, series).unwrap());
    let Command::Send { messages, .. } = &again else { panic!("{again:?}") };
    assert_eq!(messages[0].label.to_string(), "A9");
}

#[test]
fn the_form_tells_which_field_is_wrong() {
    use lockstep_core::deeds::{Field, Wrong};
    small(2_000, &[], |run| {
        let form = Draft::new(run, None).unwrap();
        assert_eq!((&*form.producer, &*form.topic, &*form.series), ("p1", "orders", "B"));
        assert_eq!(form.commands(run).unwrap().len(), 1);
        let wrong = |change: fn(&mut Draft)| {
            let mut form = form.clone();
            change(&mut form);
            form.commands(run).unwrap_err()
        };
        assert_eq!(wrong(|form| form.series = "A1".into()), Wrong::NoSeries);
        assert_eq!(wrong(|form| form.series = String::new()), Wrong::NoSeries);
        assert_eq!(wrong(|form| form.series = "p".into()), Wrong::Taken, "p1 is a producer");
        assert_eq!(wrong(|form| form.count = "0".into()), Wrong::Count);
        assert_eq!(wrong(|form| form.count = "x".into()), Wrong::Count);
        assert_eq!(wrong(|form| form.tag = "a\"b".into()), Wrong::NoWord(Field::Tag));
        assert_eq!(wrong(|form| form.producer = "p9".into()), Wrong::Unknown(Field::Producer));
        // A FIFO topic lets nothing wait.
        assert!(!form.may_wait(run));
    });
}

const SHOP: &str = "\
topic orders FIFO 4 queues
topic loose NORMAL 2 queues
series A message-group order-1002
group billing reads orders orderly
group report reads orders orderly
producer p1 to orders, selects by hash
consumer c1 in billing
consumer r1 in report
at 1s p1 sends A1 A2
run until 20s
";

#[test]
fn a_message_group_is_named_as_people_call_it_and_its_queue_is_told() {
    let program = load(SHOP).unwrap();
    let session = at(&program, 5_000);
    let (ledger, world) = (Ledger::of(session.facts()), world_at(&session, 5_000));
    let run = Run { world: &world, ..Run::of(&session, &ledger) };
    let form = Draft::new(&run, None).unwrap();
    let named = |series: &str| Draft { series: series.into(), ..form.clone() };
    let queue = |form: Draft| form.queue(&run).map(|queue| queue.id);
    // order-1005 has the hash 708180867, and order-1002, which is A, 708180864.
    assert_eq!(queue(named("order-1005")), Some(3));
    assert_eq!((queue(named("A")), queue(named("order-1002"))), (Some(0), Some(0)));
    assert_eq!(queue(Draft { topic: "loose".into(), ..named("A1") }), None);
    let known = named("order-1002").commands(&run).unwrap();
    assert!(
        matches!(&known[..], [Command::Send { messages, .. }] if messages[0].label.to_string() == "A3")
    );
    // Given one after the other, as the page gives them, the new group's message lies where it was said.
    let mut session = at(&program, 5_000);
    let mut now_ms = 5_000;
    let commands = named("order-1005").commands(&run).unwrap();
    assert_eq!(commands.len(), 2, "{commands:?}");
    for command in commands {
        now_ms = session.do_at(now_ms, command);
    }
    let text = written(SHOP, &session);
    session.run_until(20_000);
    let stored = session.facts().iter().rev().find_map(|record| match record.fact {
        Fact::MessageStored { queue, .. } => Some(queue.id),
        _ => None,
    });
    assert_eq!(stored, Some(3));
    // And the text with both lines is that run.
    let mut read = at(&load(&text).unwrap(), 20_000);
    read.run_until(20_000);
    assert_eq!(history(&read), history(&session), "{text}");
}

#[test]
fn a_queue_offers_the_resets_of_every_group_that_reads_it() {
    let program = load(SHOP).unwrap();
    let session = at(&program, 12_000);
    let (ledger, world) = (Ledger::of(session.facts()), world_at(&session, 12_000));
    let run = Run { world: &world, ..Run::of(&session, &ledger) };
    let queue = world.shared.names.read_queues(world.shared.names.topic("orders").unwrap())[0];
    let of = |group: u16| {
        let all = deeds(&run, On::Subject(Subject::Queue(queue)), Some(GroupId(group)));
        let resets = all.into_iter().filter_map(|deed| match deed.command {
            Command::ResetOffset { group, .. } => Some(group),
            _ => None,
        });
        resets.collect::<Vec<_>>()
    };
    assert_eq!(of(0), ["billing", "report"]);
    assert_eq!(of(1), ["report", "billing"]);
}
