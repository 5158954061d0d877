//! Diagnosis of a run: what is wrong with it, found from the run itself, each with its evidence and
//! its repair. A run in which nothing went wrong has no findings, whatever its settings are.

mod acknowledging;
mod consuming;
mod deciding;
mod delaying;
mod failing;
mod filling;
mod gaps;
mod hanging;
mod holding;
mod lagging;
mod mending;
mod mixing;
mod ordering;
mod parting;
mod poison;
mod reaching;
mod reading;
mod refusing;
mod releasing;
mod resetting;
mod sending;
mod slowing;
mod spreading;
mod standing;
mod threading;

pub(super) use failing::succeeds_at;
pub(super) use sending::stored;

use super::violation::Guilt;
pub use super::Change;
use super::{Ledger, Reason, Run, Undone};
use crate::fact::SendFailure;
use crate::grpc::GrpcCode;
use crate::guarantee::Missing;
use crate::ids::{
    BrokerId, ClientId, GroupId, MessageGroupId, Ms, MsgId, Party, ProducerId, TopicId,
};
use crate::session::Session;

/// What somebody notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symptom {
    /// Events of one order come out of order.
    OutOfOrder,
    /// The consumer handles them out of order.
    HandledOutOfOrder,
    /// After a failure later messages are handled first.
    PassedAfterFailure,
    /// Different orders wait for each other.
    WaitForEachOther,
    /// The lag of a group grows.
    FallsBehind,
    /// Two consumers work on one queue.
    TwoOwners,
    /// Messages are not delivered to the group.
    NotDelivered,
    /// A reset has no effect.
    ResetLost,
    /// Messages are delivered again.
    DeliveredAgain,
    /// A send is refused.
    Refused,
    /// Something stands still.
    StandsStill,
    /// A command is refused.
    CommandRefused,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant's sentence names its fields")]
#[rustfmt::skip]
pub enum Problem {
    /// Several producers send messages of one message group.
    SeveralProducers { series: MessageGroupId },
    /// Several threads of a producer send messages of one message group.
    SeveralThreads { series: MessageGroupId, producer: ProducerId },
    /// A producer does not wait for its answers.
    AsyncSends { producer: ProducerId },
    /// A message was sent again behind later ones, or in another order than meant.
    SentLate { msg: MsgId },
    /// The transaction of a message was committed behind later ones: it was a half message in time.
    CommittedLate { msg: MsgId },
    /// Delays decide the order of a message group.
    Delays { series: MessageGroupId },
    /// What broke the order of a message group on its way.
    Broken { guilt: Guilt, series: MessageGroupId },
    /// Two consumers handled one queue at once.
    TwoOwners { from: ClientId, by: ClientId },
    /// A consumer answers before its work is done: it hands the work to other threads.
    AnswersEarly { client: ClientId, work_ms: Ms },
    /// A message was given up after so many attempts, with `with` others of its batch, and later ones of its
    /// message group went on.
    GivenUp { msg: MsgId, group: GroupId, attempts: u32, with: u32 },
    /// All messages of a topic lie in one queue, of `queues`.
    OneQueue { topic: TopicId, queues: u16 },
    /// The keys use only so many of the queues.
    FewQueues { topic: TopicId, used: u16, queues: u16 },
    /// One message group has so much of the traffic, in percent.
    HotGroup { series: MessageGroupId, percent: u32 },
    /// A message fails again and again and holds its queue. `limit`: its attempts; None = without end.
    Poison { msg: MsgId, group: GroupId, failures: u32, limit: Option<u32> },
    /// A message became a dead letter after so many deliveries, of which none arrived.
    DeadUnbegun { msg: MsgId, group: GroupId, deliveries: u32 },
    /// Members of a group subscribe to different things. By POP each receive carries its own filter.
    Subscriptions { group: GroupId, pop: bool },
    /// Messages lie in queues that nobody may read: there are more write queues than read queues, or
    /// (`removed`) the queues were taken away before they were empty.
    WriteAboveRead { topic: TopicId, messages: u32, removed: bool },
    /// The type of a message is not its topic's.
    TypeMismatch { topic: TopicId, producer: ProducerId },
    /// A selector gave a queue that does not exist.
    NegativeKey { producer: ProducerId, msg: MsgId },
    /// Sends of a producer failed, and so many messages are stored nowhere.
    /// `full`: by the full disk of this broker, which a proxy does not tell of.
    SendsFailed { producer: ProducerId, failure: SendFailure, messages: u32, full: Option<BrokerId> },
    /// So many commands were refused for what the first, the `index`-th of the journal, was refused for.
    CommandsRefused { index: u32, commands: u32 },
    /// A message is rolled back again and again, which no limit ends.
    RollsBack { msg: MsgId, group: GroupId, times: u32 },
    /// A consumer stood still, and a message in a queue of its waited for so long.
    Hung { client: ClientId, msg: MsgId, waited_ms: Ms },
    /// A listener call for `msg` took so long, and `waited` waited for it in an ordered queue.
    Slow { client: ClientId, msg: MsgId, took_ms: Ms, runs: bool, waited: MsgId, waited_ms: Ms },
    /// A queue of a group stood still for so long, then `msg` was begun (or it still waits).
    Held { msg: MsgId, group: GroupId, by: Held, waited_ms: Ms },
    /// Acknowledgements of a consumer were refused so often; None = they got no answer. `again`: the
    /// message came again for it.
    AcksFail { client: ClientId, msg: MsgId, failures: u32, code: Option<GrpcCode>, again: bool },
    /// A consumer got a message so often and never acknowledged it; `dead`: until its attempts were used up.
    NeverAcknowledged { client: ClientId, group: GroupId, msg: MsgId, times: u32, dead: bool },
    /// An ordered message came back by the retry topic so often, and does without end: the release has no
    /// dead letters for what reaches the limit.
    GoesRound { msg: MsgId, group: GroupId, times: u32 },
    /// Consumers of both stacks in one group: a queue lock does not bind POP, so both are given the same.
    MixedStacks { group: GroupId, classic: ClientId, grpc: ClientId },
    /// No decision about a transaction reached the broker, which asked so often and set it aside. `undone`:
    /// there was one, and it came to nothing.
    Undecided { msg: MsgId, checks: u8, undone: Option<Undone> },
    /// A broker whose disk was too full for writes did not take a failed message back, so often.
    NotTakenBack { broker: BrokerId, group: GroupId, msg: MsgId, times: u32 },
    /// A message was due under a delay, and its broker put nothing back for so long: its disk was too full.
    NotPutBack { broker: BrokerId, msg: MsgId, waited_ms: Ms },
    /// The end of a queue was lost with the machine of a broker, and not the offset of a group behind it: what
    /// was stored there afterwards is passed over.
    PassedAfterLoss { broker: BrokerId, group: GroupId, messages: u32 },
    /// The owner of a queue ended without giving its lock back; the next one waited.
    /// `member`: for longer than the lease, until the broker removed the owner from its group.
    DeadOwner { client: ClientId, waited_ms: Ms, member: bool },
    /// The invisible time was over before the acknowledgement.
    InvisibleTooShort { group: GroupId, msg: MsgId },
    /// A batch fails as a whole: what succeeded in it runs again.
    BatchFails { group: GroupId, messages: u32 },
    /// A new group began behind messages that were there.
    BeginsBehind { group: GroupId, messages: u32 },
    /// A legacy reset was lost with the consumer that had to write the offset: within its pause
    /// (`in_pause`), or before it heard of it.
    ResetLost { group: GroupId, client: ClientId, in_pause: bool },
    /// Messages were lost or deleted before the group was done with them.
    Lost { group: GroupId, messages: u32 },
    /// Half messages, `msg` the first of them, were lost with the power of their broker's machine.
    HalfLost { msg: MsgId, messages: u32 },
    /// A group began fewer messages of a topic than came: so many of each a minute. `waiting` of them lie there,
    /// the first for so long.
    FallsBehind { group: GroupId, topic: TopicId, came: u32, handled: u32, waiting: u32, waited_ms: Ms },
    /// A message has waited for long, and goes on to wait.
    Stands { msg: MsgId, group: GroupId, reason: Reason, waited_ms: Ms },
}

/// What held a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub enum Held {
    /// A gRPC consumer died with messages in hand; until their invisible time was over nobody got them.
    Dead { client: ClientId },
    /// Nothing got through between two parties.
    Cut { a: Party, b: Party },
    /// A broker or a proxy was down.
    Down { party: Party },
    /// A consumer was to give the queue away while its listener ran, and tried again only in its next round. After that
    /// it gave the lock back only `delayed_ms` later (0: at once).
    HandOver { client: ClientId, delayed_ms: Ms },
    /// A consumer dropped the queue, could not give it away while its listener ran, and was allocated it again: it took
    /// it anew only when the dropped one had not been pulled for long.
    Returned { client: ClientId },
    /// All threads of the consumer of the queue worked on other queues.
    Threads { client: ClientId, threads: u16 },
    /// The proxy refused the receives of the group.
    Refused { code: GrpcCode },
    /// The answer that handed a message out was lost, and nobody had it until its invisible time was over.
    Lost { from: Party, to: Party },
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is noticed.
    pub symptom: Symptom,
    /// What is wrong.
    pub problem: Problem,
    /// Facts that show it, oldest first: indices.
    pub evidence: Vec<u32>,
    /// The setting or way of working that repairs it.
    pub needs: Option<Missing>,
    /// Changes that repair it in this run.
    pub repair: Vec<Change>,
    /// Two messages that the repair leaves out of order, the earlier one first: each alone takes away only a part
    /// of what broke the order.
    pub leaves: Option<[MsgId; 2]>,
}

/// What a diagnosis works with.
struct Patient<'a> {
    run: Run<'a>,
    session: &'a Session,
    /// The present, in ms: a run can stand for long behind its last event.
    until_ms: Ms,
    findings: Vec<Finding>,
}

/// What is wrong with a run up to the present of a session, `until_ms` (ms; no earlier than its last
/// event); the ledger must have read its facts.
pub fn diagnose(session: &Session, ledger: &Ledger, until_ms: Ms) -> Vec<Finding> {
    let run = Run::of(session, ledger);
    let mut patient =
        Patient { run, session, until_ms: until_ms.max(run.now_ms()), findings: Vec::new() };
    patient.sending();
    patient.refusing();
    patient.mixing();
    patient.consuming();
    patient.failing();
    patient.filling();
    patient.reading();
    patient.resetting();
    patient.standing();
    patient.hanging();
    patient.slowing();
    patient.holding();
    patient.acknowledging();
    patient.deciding();
    patient.halves_lost();
    patient.lagging();
    let mut findings = patient.findings;
    findings.sort_by_key(|f| f.symptom);
    findings
}

impl Patient<'_> {
    /// Adds a finding unless the same thing was found already.
    fn find(
        &mut self,
        symptom: Symptom,
        problem: Problem,
        mut evidence: Vec<u32>,
        needs: Option<Missing>,
        repair: Vec<Change>,
    ) {
        evidence.sort_unstable();
        evidence.dedup();
        if !self.findings.iter().any(|f| f.problem == problem) {
            let leaves = None;
            self.findings.push(Finding { symptom, problem, evidence, needs, repair, leaves });
        }
    }

    fn is_keyed(&self, series: MessageGroupId) -> bool {
        self.run.world.shared.names.series[series.index()].key.is_some()
    }
}
