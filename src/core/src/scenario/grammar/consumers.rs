//! Sentences about consumer processes.

use super::actions::outcome;
use super::declarations::reads;
use super::options::part;
use super::{form, Form, Make, Section};
use crate::fact::{Outcome, StopKind};
use crate::ids::Ms;
use crate::scenario::action::{Action, ConsumerKind, ConsumerOptions, OwnKey, ReceiveOptions};
use crate::scenario::caps::Caps;
use crate::scenario::span::Spanned;

/// Sentences after `at` and a time.
pub(super) const CONSUMERS: Section = Section {
    name: "consumers",
    title: "What consumers do",
    intro: "",
    forms: &[
        form(
            "<consumer> joins <group> [push | grpc push | simple [by hand | in a loop]] {consumer}",
            "The same as `consumer c2 in billing`.",
            "push; the group's number of threads",
            "at 2s c2 joins billing",
            Make::Action(consumer),
        ),
        form(
            "<consumer> (stops | crashes | vanishes | hangs)",
            "stops: shutdown(), with unlock, offsets and farewell. crashes: the process dies and its connection closes. vanishes: the machine is gone, nobody is told. hangs: the process stands still.",
            "",
            "at 25s c1 crashes",
            Make::Action(stop),
        ),
        form(
            "<consumer> starts [in <group> [push | grpc push | simple [by hand | in a loop]] {consumer}]",
            "A consumer that has ended starts again, as a new process with a new client id.",
            "as it was started before",
            "at 30s c1 starts",
            Make::Action(start),
        ),
        form("<consumer> resumes", "A hanging consumer goes on.", "", "at 40s c1 resumes", Make::Action(|c| Some(Action::Resume { name: c.name("consumer")? }))),
        form(
            "<consumer> reads (nothing | <topic> [tagged <word:tag> [or <word:tag>]*] [and <topic> [tagged <word:tag> [or <word:tag>]*]]*)",
            "From now on this consumer subscribes to something else than its group.",
            "",
            "at 5s c1 reads orders tagged paid",
            Make::Action(|c| Some(Action::Subscribe { consumer: c.name("consumer")?, reads: reads(c)? })),
        ),
        form(
            "<consumer> handles only key <word:own-key> [others (succeed | fail | throw | return (null | commit | rollback))]",
            "From now on its listener handles messages with this key only, and returns at once for all others.",
            "others succeed",
            "at 5s c1 handles only key k1 others fail",
            Make::Action(|c| Some(Action::OwnKey { consumer: c.name("consumer")?, own: own_key(c)? })),
        ),
        form("<consumer> receives {receive}", "A SimpleConsumer that is called by hand receives.", "", "at 3s c1 receives max-message-num 1", Make::Action(|c| Some(Action::Receive { consumer: c.name("consumer")?, options: receive(c) }))),
        form(
            "<consumer> acks (everything | <labels>)",
            "It acknowledges messages that it holds; everything: in the order of receipt.",
            "",
            "at 4s c1 acks A1",
            Make::Action(|c| Some(Action::Ack { consumer: c.name("consumer")?, labels: c.labels("labels") })),
        ),
        form(
            "<consumer> changes invisible-duration of <label> to <duration:invisible>",
            "changeInvisibleDuration: the message that it holds is visible again so long from now.",
            "",
            "at 4s c1 changes invisible-duration of A1 to 60s",
            Make::Action(|c| Some(Action::ChangeInvisible { consumer: c.name("consumer")?, label: c.label("label")?, invisible_ms: c.ms("invisible")? })),
        ),
    ],
};

pub(super) const CONSUMER: Section = Section {
    name: "consumer",
    title: "Options of a consumer",
    intro: "max-message-num, invisible-duration and await-duration belong to a SimpleConsumer in a loop.",
    forms: &[
        part(
            "<threads:threads-count> (threads | thread)",
            "Consume threads; the loops of a SimpleConsumer, side by side.",
            "the group's; 1 loop",
            "2 threads",
        ),
        MAX,
        INVISIBLE,
        AWAIT,
        part("through <proxy>", "The proxy that a gRPC consumer speaks to.", "proxy", "through proxy"),
        part(
            "reads (nothing | <topic> [tagged <word:tag> [or <word:tag>]*] [and <topic> [tagged <word:tag> [or <word:tag>]*]]*)",
            "What it subscribes to.",
            "what its group reads",
            "reads orders tagged paid or shipped",
        ),
        part(
            "handles only key <word:own-key> [others (succeed | fail | throw | return (null | commit | rollback))]",
            "Its listener handles messages with this key only, and returns at once for all others.",
            "all keys; others succeed",
            "handles only key k1 others fail",
        ),
    ],
};

pub(super) const RECEIVE: Section = Section {
    name: "receive",
    title: "Options of a receive",
    intro: "",
    forms: &[MAX, INVISIBLE, AWAIT],
};

const MAX: Form = part(
    "max-message-num <batch:max>",
    "Messages that one receive asks for.",
    "16",
    "max-message-num 1",
);
const INVISIBLE: Form = part(
    "invisible-duration <duration:invisible>",
    "How long a received message is invisible.",
    "15s",
    "invisible-duration 30s",
);
const AWAIT: Form = part(
    "await-duration <duration:await>",
    "How long a receive that finds nothing waits.",
    "30s",
    "await-duration 5s",
);

/// `consumer c1 in billing` and `c1 joins billing`.
pub(super) fn consumer(c: &Caps) -> Option<Action> {
    let name = c.name("new-consumer").or_else(|| c.name("consumer"))?;
    Some(Action::Consumer { name, group: c.name("group")?, options: options(c)? })
}

fn start(c: &Caps) -> Option<Action> {
    let anew = match c.name("group") {
        Some(group) => Some((group, options(c)?)),
        None => None,
    };
    Some(Action::Start { name: c.name("consumer")?, anew })
}

fn options(c: &Caps) -> Option<ConsumerOptions> {
    let kind = match () {
        _ if c.has("grpc") => ConsumerKind::GrpcPush,
        _ if c.has("loop") => ConsumerKind::SimpleLoop,
        _ if c.has("simple") => ConsumerKind::SimpleByHand,
        _ => ConsumerKind::Push,
    };
    Some(ConsumerOptions {
        kind,
        threads: spanned(c, "threads-count", c.number("threads-count")),
        receive: receive(c),
        proxy: c.name("proxy"),
        reads: if c.has("reads") { Some(reads(c)?) } else { None },
        own_key: own_key(c),
    })
}

fn spanned<T>(c: &Caps, name: &str, value: Option<T>) -> Option<Spanned<T>> {
    Some(Spanned { value: value?, span: c.get(name)?.span })
}

fn receive(c: &Caps) -> ReceiveOptions {
    let time = |name: &str| -> Option<Spanned<Ms>> { spanned(c, name, c.ms(name)) };
    ReceiveOptions {
        max: spanned(c, "max", c.number("max")),
        invisible_ms: time("invisible"),
        await_ms: time("await"),
    }
}

fn own_key(c: &Caps) -> Option<OwnKey> {
    Some(OwnKey { key: c.text("own-key")?, foreign: outcome(c).unwrap_or(Outcome::Success) })
}

fn stop(c: &Caps) -> Option<Action> {
    let how = match () {
        _ if c.has("stops") => StopKind::Clean,
        _ if c.has("crashes") => StopKind::Crash,
        _ if c.has("vanishes") => StopKind::Silent,
        _ => StopKind::Hang,
    };
    Some(Action::Stop { name: c.name("consumer")?, how })
}
