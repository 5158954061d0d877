//! Sentences about brokers, proxies, the network, clocks and resets.

use super::options::producer_settings;
use super::{form, Make, Section};
use crate::command::ResetTarget;
use crate::fact::BrokerStop;
use crate::scenario::action::{Action, ResetScope};
use crate::scenario::caps::Caps;
use crate::scenario::words::{grpc_code_of, meant, PACKETS, REQUESTS};

/// Sentences after `at` and a time.
pub(super) const FAULTS: Section = Section {
    name: "faults",
    title: "Brokers, proxies, the network, resets",
    intro: "",
    forms: &[
        form(
            "<broker> (stops | crashes | loses power | starts)",
            "stops: files are written first. crashes: the process dies; the newest records of offsets and delay levels are lost. loses power: the machine dies, nobody is told, and messages that were not flushed are lost.",
            "",
            "at 5s broker crashes",
            Make::Action(broker),
        ),
        form("<proxy> (stops | starts)", "A proxy goes down, or comes up again.", "", "at 5s proxy stops", Make::Action(|c| Some(Action::RunProxy { proxy: c.name("proxy")?, up: c.has("starts") }))),
        form("<proxy> answers <request> with <grpc-code>", "From now on the proxy refuses these requests with a code.", "", "at 5s proxy answers receive with TOO_MANY_REQUESTS", Make::Action(fail)),
        form("<proxy> serves <request>", "The proxy serves these requests again.", "", "at 9s proxy serves receive", Make::Action(fail)),
        form("<party> uses <proxy>", "A producer or consumer speaks to another proxy from now on.", "", "at 5s p1 uses proxy", Make::Action(|c| Some(Action::UseProxy { party: c.name("party")?, proxy: c.name("proxy")? }))),
        form("<producer> {sdk}+", "Settings of a gRPC producer change.", "", "at 5s p1 sdk node", Make::Action(|c| Some(Action::ProducerSettings { producer: c.name("producer")?, settings: producer_settings(c) }))),
        form("cut <party:a> from <party:b>", "Nothing gets through between the two; what is on the way is lost.", "", "at 20s cut c1 from broker", Make::Action(|c| Some(Action::Cut { a: c.name("a")?, b: c.name("b")? }))),
        form("heal <party:a> and <party:b>", "The end of a cut.", "", "at 65s heal c1 and broker", Make::Action(|c| Some(Action::Heal { a: c.name("a")?, b: c.name("b")? }))),
        form(
            "lose next [<count>] <packet> [from <party:from>] [to <party:to>] [[,] noticed]",
            "The next packets of a kind are lost: between two parties, from one, to one, or between any. noticed: the connection breaks with it, and the asker knows at once; otherwise it waits for its time-out.",
            "one packet, not noticed",
            "at 5s lose next 2 pull-answer from broker to c1",
            Make::Action(lose),
        ),
        form(
            "clock of <party> (<duration:ahead> ahead | <duration:behind> behind | right)",
            "Sets the wall clock of a broker or a consumer, against the run's clock.",
            "right",
            "at 20s clock of c1 40s ahead",
            Make::Action(|c| {
                let ahead_ms = c.ms("ahead").unwrap_or(0) - c.ms("behind").unwrap_or(0);
                Some(Action::Clock { party: c.name("party")?, ahead_ms })
            }),
        ),
        form(
            "disk [of <broker>] <percent> full",
            "How full a broker's disk is: retention deletes earlier, and writes are refused above 90%. The broker looks each 10s.",
            "of all brokers",
            "at 5s disk of broker 92% full",
            Make::Action(|c| Some(Action::Disk { broker: c.name("broker"), used_percent: c.number("percent")? })),
        ),
        form(
            "reset <group> [in (<queue> | <topic>)] [on <broker>] to (latest | time <time:to> | offset <number:offset>) [[,] without force]",
            "The admin tool resets consumer offsets: behind the newest message, to the first message stored at or after an instant, or to an offset (of one queue). By the broker or in the legacy way, as useServerSideResetOffset says. without force: the legacy way moves offsets only backwards.",
            "all queues of the only topic, on all brokers (one queue: on the first)",
            "at 30s reset billing in orders q1 to offset 5",
            Make::Action(reset),
        ),
    ],
};

fn broker(c: &Caps) -> Option<Action> {
    let broker = c.name("broker")?;
    let how = match () {
        _ if c.has("starts") => return Some(Action::StartBroker { broker }),
        _ if c.has("stops") => BrokerStop::Clean,
        _ if c.has("crashes") => BrokerStop::Crash,
        _ => BrokerStop::PowerLoss,
    };
    Some(Action::StopBroker { broker, how })
}

fn fail(c: &Caps) -> Option<Action> {
    let request = meant(REQUESTS, &c.text("request")?)?;
    let code = c.number("grpc-code").and_then(grpc_code_of);
    Some(Action::FailRequests { proxy: c.name("proxy")?, request, code })
}

fn lose(c: &Caps) -> Option<Action> {
    Some(Action::DropNext {
        from: c.name("from"),
        to: c.name("to"),
        packet: meant(PACKETS, &c.text("packet")?)?,
        count: c.number("count").unwrap_or(1),
        noticed: c.has("noticed"),
    })
}

fn reset(c: &Caps) -> Option<Action> {
    let target = match (c.ms("to"), c.number("offset")) {
        (Some(ms), _) => ResetTarget::Time(ms),
        (_, Some(offset)) => ResetTarget::Offset(offset),
        _ => ResetTarget::Latest,
    };
    let scope = ResetScope {
        group: c.name("group")?,
        topic: c.name("topic"),
        queue: c.queue("queue"),
        broker: c.name("broker"),
    };
    Some(Action::Reset { scope, target, force: !c.has("force") })
}
