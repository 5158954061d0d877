//! All values of the selected thing, under RocketMQ's names, and what happened to it lately.

use lockstep_core::client::Status;
use lockstep_core::explain::{why, About, Run};
use lockstep_core::ids::{ClientId, GroupId, MessageGroupId, MessageQueue, Ms, MsgId, ProducerId};
use lockstep_core::view::log::{is_routine, named};
use lockstep_core::view::stage::TokenState;
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::fields::{marked, table, Line, Seen};
use super::inspect_pop;
use crate::app::core::Core;
use crate::app::frame::Frame;
use crate::app::msg::Msg;
use crate::i18n::panel::PanelText;
use crate::i18n::sentence::{queue_name, Speaker};
use crate::i18n::{clock, left_seconds, number};

/// How many facts are shown, and how far they are looked for.
const LATELY: usize = 8;
const LOOKED_AT: usize = 5_000;

/// All values of the selected thing.
pub fn inspect(frame: &Frame, on: &Callback<Msg>, seen: &mut Seen) -> Html {
    let texts = PanelText(frame.locale);
    let Some(subject) = frame.selection else {
        return nothing(texts, texts.select_hint());
    };
    let core = frame.core.read();
    let lines = fields_of(frame, &core, subject);
    seen.update((subject, frame.generation), frame.event, &lines);
    // What changes all the time says nothing.
    let changed = |line: &Line| !frame.playing && seen.is_new(line);
    let table = marked(lines, &changed);
    values(frame, &core, subject, table, texts, on)
}

/// Nothing is selected; `hint` says what the tab is for.
pub fn nothing(texts: PanelText, hint: &'static str) -> Html {
    html! {
        <div key="nothing" class="nothing">
            <p class="read">{ texts.nothing_selected() }</p>
            <p class="muted">{ hint }</p>
        </div>
    }
}

/// Name, values and late history of a thing; `table` holds the values.
pub fn values(
    frame: &Frame,
    core: &Core,
    subject: Subject,
    table: Html,
    texts: PanelText,
    on: &Callback<Msg>,
) -> Html {
    let (title, place) = title_of(frame, core, subject);
    html! {
        <div key="values">
            <header key="head" class="subject"><h2>{ title }</h2><p class="small muted">{ place }</p></header>
            <div key="fields">{ table }</div>
            <div key="groups">{ by_group(frame, core, subject, texts) }</div>
            <div key="lately">{ lately(frame, core, subject, texts, on) }</div>
        </div>
    }
}

/// How far a message is with each consumer group that reads its topic.
fn by_group(frame: &Frame, core: &Core, subject: Subject, texts: PanelText) -> Html {
    let Subject::Message(msg) = subject else { return Html::default() };
    let ledger = core.ledger();
    let world = core.world_at(frame.now_ms);
    let run = Run { world: &world, ..Run::of(&core.session, &ledger) };
    let speaker = Speaker { world: &world, locale: frame.locale };
    let shared = &run.world.shared;
    let topic = shared.message(msg).topic;
    let groups = shared.names.groups.iter().enumerate();
    let lines = groups.filter(|(_, g)| g.subscriptions.iter().any(|s| s.topic == topic));
    let lines = lines.map(|(index, group)| {
        let about = About::Message { msg, group: Some(GroupId(index as u16)) };
        let told = why(&run, about).map(|why| speaker.headline_title(&why.headline));
        Line { name: group.name.clone().into(), value: told.unwrap_or_default().into() }
    });
    let lines: Vec<Line> = lines.collect();
    if lines.is_empty() {
        return Html::default();
    }
    html! {<>
        <h3 class="section-label values-groups">{ texts.by_group() }</h3>
        { table(lines) }
    </>}
}

/// What the selected thing is called, and what it is.
pub fn title_of(frame: &Frame, core: &Core, subject: Subject) -> (String, String) {
    let world = core.session.world();
    let shared = &world.shared;
    let speaker = Speaker { world: core.session.world(), locale: frame.locale };
    let names = &shared.names;
    match subject {
        Subject::Message(msg) => {
            let message = shared.message(msg);
            (speaker.msg(msg), names.topics[message.topic.index()].name.clone())
        }
        Subject::Queue(queue) | Subject::Lock(queue) => {
            (queue_name(shared, queue), names.topics[queue.topic.index()].name.clone())
        }
        Subject::Client(client) => {
            let group =
                world.clients.get(client.index()).map(|c| speaker.group(c.group()).to_owned());
            (speaker.client(client).to_owned(), group.unwrap_or_default())
        }
        Subject::Producer(producer) => (speaker.producer(producer).to_owned(), String::new()),
        Subject::MessageGroup(group) => {
            let series = &names.series[group.index()];
            (series.name.clone(), series.key.clone().unwrap_or_default())
        }
        Subject::Level(0) => ("TIMER".to_owned(), "rmq_sys_wheel_timer".to_owned()),
        Subject::Level(level) => (level.to_string(), "SCHEDULE_TOPIC_XXXX".to_owned()),
    }
}

/// The fields of a thing.
pub fn fields_of(frame: &Frame, core: &Core, subject: Subject) -> Vec<Line> {
    match subject {
        Subject::Message(msg) => message(frame, core, msg),
        Subject::Queue(queue) | Subject::Lock(queue) => queue_fields(frame, core, queue),
        Subject::Client(client) => client_fields(frame, core, client),
        Subject::Producer(producer) => producer_fields(frame, producer),
        Subject::MessageGroup(group) => group_fields(frame, core, group),
        Subject::Level(level) => level_fields(frame, level),
    }
}

fn group_shown(frame: &Frame) -> Option<GroupId> {
    frame.stage.group.as_ref().map(|g| GroupId(g.index as u16))
}

/// A duration in ms.
pub fn ms(value: Ms) -> String {
    format!("{} ms", number(value))
}

fn message(frame: &Frame, core: &Core, id: MsgId) -> Vec<Line> {
    let shared = &core.session.world().shared;
    let names = &shared.names;
    let message = shared.message(id);
    let mut lines = vec![Line::new("topic", names.topics[message.topic.index()].name.clone())];
    if let Some(key) = &names.series[message.series.index()].key {
        lines.push(Line::new("messageGroup", key.clone()));
    }
    if message.tag > 0 {
        lines.push(Line::new("tags", names.tags[usize::from(message.tag)].clone()));
    }
    if message.key > 0 {
        lines.push(Line::new("keys", names.keys[usize::from(message.key)].clone()));
    }
    lines.push(Line::new("bornTimestamp", clock(message.built_ms)));
    let slot = frame.stage.lanes.iter().find_map(|lane| {
        lane.slots.iter().find(|slot| slot.name.msg == id).map(|slot| (lane, slot.offset))
    });
    if let Some((lane, offset)) = slot {
        lines.push(Line::new("queueId", lane.queue.id.to_string()));
        lines.push(Line::new("queueOffset", number(offset)));
        let broker = core.session.world().brokers.get(lane.queue.broker.index());
        if let Some(stored_ms) = broker.and_then(|b| b.store.store_ms(lane.queue, offset)) {
            lines.push(Line::new("storeTimestamp", clock(stored_ms)));
        }
    }
    let token = frame.stage.tokens.iter().find(|token| token.name.msg == id);
    if let Some(TokenState::Retry(failures)) = token.map(|t| t.state) {
        lines.push(Line::new("reconsumeTimes", failures.to_string()));
    }
    if message.delay_level > 0 {
        lines.push(Line::new("DELAY", message.delay_level.to_string()));
    }
    if message.timer_delay_ms > 0 {
        lines.push(Line::new("TIMER_DELAY_MS", ms(message.timer_delay_ms)));
    }
    lines.push(Line::new("producer", names.producers[message.producer.index()].clone()));
    if let Some(half) = core.session.world().brokers.iter().find_map(|b| b.half_of(id)) {
        lines.push(Line::new("TRANSACTION_CHECK_TIMES", half.checks.to_string()));
    }
    lines.extend(inspect_pop::message(core.session.world(), id));
    lines.push(Line::new("bodySize", format!("{} B", number(i64::from(message.body_bytes)))));
    lines
}

fn queue_fields(frame: &Frame, core: &Core, queue: MessageQueue) -> Vec<Line> {
    let world = core.session.world();
    let names = &world.shared.names;
    let mut lines = vec![
        Line::new("topic", names.topics[queue.topic.index()].name.clone()),
        Line::new("brokerName", names.brokers[queue.broker.index()].clone()),
        Line::new("queueId", queue.id.to_string()),
    ];
    let Some(broker) = world.brokers.get(queue.broker.index()) else { return lines };
    let (min, max) = broker.store.range(queue);
    let topic = &names.topics[queue.topic.index()];
    let perm = [("r", queue.id < topic.read_queues), ("w", queue.id < topic.write_queues)];
    let perm: String = perm.map(|(letter, on)| if on { letter } else { "\u{2013}" }).concat();
    lines.push(Line::new("perm", perm));
    lines.push(Line::new("minOffset", number(min)));
    lines.push(Line::new("maxOffset", number(max)));
    let Some(group) = group_shown(frame) else { return lines };
    let recorded = broker.offsets.get(&(group, queue)).copied();
    let shown = recorded.map_or("\u{2212}1".to_owned(), number);
    lines.push(Line::new("consumerOffset", shown));
    // As the admin tool counts it: from what the broker knows, and from 0 where it knows nothing.
    lines.push(Line::new("diffTotal", number(max - recorded.unwrap_or(0))));
    if let Some(lane) = frame.stage.lanes.iter().find(|lane| lane.queue == queue) {
        lines.push(Line::new("nextOffset", number(lane.next)));
    }
    lines.extend(inspect_pop::queue(world, broker, group, queue));
    if let Some(lock) = broker.locks.get(group, queue) {
        let lease_ms = world.shared.model.rebalance_lock_max_live_time_ms;
        let left_ms = lock.last_update_ms + lease_ms - frame.now_ms;
        lines.push(Line::new("lockOwner", names.clients[lock.owner.index()].clone()));
        lines.push(Line::new("lastUpdateTimestamp", clock(lock.last_update_ms)));
        lines.push(Line::new("lockMaxLiveTime", left_seconds(left_ms)));
    }
    for client in world.clients.iter().filter_map(|process| process.classic()) {
        let Some(entry) = client.queues.get(&queue).filter(|_| client.group == group) else {
            continue;
        };
        lines.push(Line::new("processQueue", names.clients[client.id.index()].clone()));
        lines.push(Line::new("cachedMsgCount", entry.count().to_string()));
        lines.push(Line::new("locked", entry.locked.to_string()));
        lines.push(Line::new("droped", entry.dropped.to_string()));
        lines.push(Line::new("lastLockTimestamp", clock(entry.last_lock_ms)));
        lines.push(Line::new("lastPullTimestamp", clock(entry.last_pull_ms)));
        lines.push(Line::new("pullRequest.nextOffset", number(entry.next_offset)));
    }
    lines
}

fn client_fields(frame: &Frame, core: &Core, id: ClientId) -> Vec<Line> {
    let world = core.session.world();
    let shared = &world.shared;
    let process = world.clients.get(id.index());
    if let Some(client) = process.and_then(|p| p.grpc()) {
        return inspect_pop::client(world, client);
    }
    let Some(client) = process.and_then(|p| p.classic()) else { return Vec::new() };
    let group = shared.group(client.group);
    let queues: Vec<String> = client.queues.keys().map(|q| queue_name(shared, *q)).collect();
    let mut lines = vec![
        Line::new("consumerGroup", group.name.clone()),
        Line::new("messageListener", format!("{:?}", client.listener)),
        Line::new("status", format!("{:?}", client.status)),
        Line::new("created", clock(client.created_ms)),
        Line::new("consumeThreadMax", client.threads.to_string()),
        Line::new("busyThreads", client.busy.to_string()),
        Line::new("consumeMessageBatchMaxSize", group.batch_max.to_string()),
        Line::new("maxReconsumeTimes", number(i64::from(group.max_reconsume_times))),
        Line::new(
            "processQueueTable",
            if queues.is_empty() { "\u{2013}".to_owned() } else { queues.join(", ") },
        ),
    ];
    if client.status == Status::Running {
        let next_ms = (client.renew_at_ms - frame.now_ms).max(0);
        lines.push(Line::new("lockAll", left_seconds(next_ms)));
    }
    lines
}

fn producer_fields(frame: &Frame, id: ProducerId) -> Vec<Line> {
    let Some(producer) = frame.stage.producers.iter().find(|p| p.id == id) else {
        return Vec::new();
    };
    let mut lines = vec![
        Line::new("producerGroup", producer.name.to_string()),
        Line::new("mode", format!("{:?}", producer.mode)),
        Line::new("threads", producer.threads.len().to_string()),
        Line::new("stored", number(i64::from(producer.sent))),
    ];
    for thread in &producer.threads {
        if let Some(next) = &thread.next {
            let at = next.at_ms.map(clock).unwrap_or_default();
            lines.push(Line::new("next", format!("{} {at}", next.label)));
        }
    }
    lines
}

fn group_fields(frame: &Frame, core: &Core, id: MessageGroupId) -> Vec<Line> {
    let series = &core.session.world().shared.names.series[id.index()];
    let mut lines = vec![Line::new("name", series.name.clone())];
    if let Some(key) = &series.key {
        lines.push(Line::new("messageGroup", key.clone()));
        lines.push(Line::new("hashCode", number(i64::from(series.hash))));
    }
    let port = frame.stage.ports.iter().find(|port| port.group == Some(id));
    if let Some(lane) = port.and_then(|p| p.lane).and_then(|lane| frame.stage.lanes.get(lane)) {
        lines.push(Line::new("queueId", lane.queue.id.to_string()));
    }
    lines
}

fn level_fields(frame: &Frame, level: u8) -> Vec<Line> {
    let Some(view) = frame.stage.shelf.levels.iter().find(|l| l.level == level) else {
        return Vec::new();
    };
    let mut lines = vec![Line::new("count", number(i64::from(view.count)))];
    if level > 0 {
        lines.push(Line::new("delayLevel", level.to_string()));
        lines.push(Line::new("delay", view.text.to_string()));
        lines.push(Line::new("queueId", (i64::from(level) - 1).to_string()));
    }
    if let Some(due_ms) = view.due_ms {
        lines.push(Line::new("deliverTimestamp", clock(due_ms)));
    }
    lines
}

/// The latest facts about a thing, newest first, each a link to its instant.
pub fn lately(
    frame: &Frame,
    core: &Core,
    subject: Subject,
    texts: PanelText,
    on: &Callback<Msg>,
) -> Html {
    let speaker = Speaker { world: core.session.world(), locale: frame.locale };
    let facts = core.session.facts();
    let about = facts
        .iter()
        .rev()
        .take(LOOKED_AT)
        .filter(|record| named(&record.fact).holds(subject) && !is_routine(&record.fact));
    let mut list: Vec<Html> = Vec::new();
    for (index, record) in about.take(LATELY).enumerate() {
        let (on, event) = (on.clone(), record.event);
        list.push(html! {
            <li key={index}>
                <span>{ speaker.fact(&record.fact, None) }</span>
                <button class="link tick-link" onclick={Callback::from(move |_: MouseEvent| on.emit(Msg::SeekEvent(event)))}>{ clock(record.at_ms) }</button>
            </li>
        });
    }
    html! {
        <section class="lately" hidden={list.is_empty()}>
            <h3 class="section-label">{ texts.recent() }</h3>
            <ol>{ for list }</ol>
        </section>
    }
}
