//! One run, and what is expected of it.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_core::check::{Broken, Checks};
use lockstep_core::command::Command;
use lockstep_core::fact::{Decision, Fact, FactRecord, Outcome};
use lockstep_core::grpc::{GrpcClient, Handle};
use lockstep_core::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId};
use lockstep_core::model::{Blocking, Model, Version};
use lockstep_core::pop::PopFact;
use lockstep_core::shared::TopicUse;
use lockstep_core::world::World;

use super::census::{self, Offsets};
use super::habits::{fate, Fate, Habits};
use super::journal::{journal, HEALED_MS};
use super::owners::{Client, Owners, Window};
use super::plan::{Fault, Kind, Plan, Stack, Team, SERIES};
use super::shadow::Shadow;

/// A run is at rest long before this instant, and then it ends: the last SimpleConsumer alone may
/// block a queue for ten minutes with each failure of each message.
pub const END_MS: Ms = 12 * 3_600_000;
/// Events between two counts of where everything is.
const COUNT_EVERY: u32 = 256;

/// How often the exceptions that the reference names were needed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Story {
    pub windows: BTreeMap<Window, u32>,
    pub stale_starts: u32,
    pub unrecorded: u32,
}

fn habits(team: &Team, model: &Model) -> Habits {
    let by_groups = model.blocking == Blocking::MessageGroup;
    let stack = team.stack;
    Habits {
        in_order: !matches!(stack, Stack::Concurrent | Stack::FreePush | Stack::SimpleByHand),
        by_pop: stack.is_grpc(),
        groups_apart: stack == Stack::Accelerated || by_groups,
        blocks_groups: by_groups,
        copies: !stack.is_ordered_pop() && stack != Stack::Orderly,
        whole_batch: model.version < Version(5, 1, 0),
    }
}

struct Run<'a> {
    plan: &'a Plan,
    world: World,
    journal: Vec<(Ms, Command)>,
    shadow: Shadow,
    owners: Owners,
    offsets: Offsets,
    checks: Checks,
    judged: usize,
    unrecorded: u32,
    sent: BTreeSet<MsgId>,
    handled: BTreeSet<(GroupId, MsgId)>,
    dead_on_receive: BTreeSet<MsgId>,
    pops: BTreeMap<(GroupId, MsgId), u32>,
}

/// Plays a plan.
///
/// # Errors
/// What is not as promised, with the instant.
pub fn judge(plan: &Plan) -> Result<Story, String> {
    let model = Model::named(plan.model).ok_or("no such model")?;
    let mut world = World::new(plan.seed, model.clone());
    let journal = journal(plan);
    for (index, (at_ms, _)) in (0..).zip(&journal) {
        world.schedule_command(*at_ms, index);
    }
    let shadow = Shadow::new(plan.teams.iter().map(|team| habits(team, &model)).collect());
    let mut run = Run {
        plan,
        world,
        journal,
        shadow,
        owners: Owners::new(plan.latency_ms),
        offsets: Offsets::default(),
        checks: Checks::default(),
        judged: 0,
        unrecorded: 0,
        sent: BTreeSet::new(),
        handled: BTreeSet::new(),
        dead_on_receive: BTreeSet::new(),
        pops: BTreeMap::new(),
    };
    let told = run.play().and_then(|()| run.at_rest());
    told.map_err(|why| {
        format!("at {} ms, event {}: {why}", run.world.now_ms(), run.world.event())
    })?;
    Ok(Story {
        windows: run.owners.excused,
        stale_starts: run.shadow.stale_starts,
        unrecorded: run.unrecorded,
    })
}

impl Run<'_> {
    /// Runs until nothing is left to do.
    fn play(&mut self) -> Result<(), String> {
        while self.world.next_event_at().is_some_and(|at| at <= END_MS) {
            if !self.world.step(&self.journal) {
                break;
            }
            self.after_event()?;
            if self.world.event().is_multiple_of(COUNT_EVERY) {
                let left = self.count_all()?;
                if self.world.now_ms() > HEALED_MS && left.is_none() {
                    return Ok(());
                }
            }
        }
        match self.count_all()? {
            None => Ok(()),
            Some(left) => Err(format!("the run does not come to rest: {left}")),
        }
    }

    fn after_event(&mut self) -> Result<(), String> {
        let (at_ms, event) = (self.world.now_ms(), self.world.event());
        for fact in self.world.facts().to_vec() {
            self.note(&fact);
            let Self { world, shadow, owners, plan, .. } = self;
            let group = |client: ClientId| world.clients[client.index()].group();
            let series = |msg: MsgId| world.shared.message(msg).series;
            let popped_ms = |client: ClientId, queue, offset: u32| {
                let of = world.clients[client.index()].grpc();
                let held = |of: &GrpcClient| {
                    let lanes = of.lanes.iter().flat_map(|lane| &lane.messages);
                    let mut handles = lanes.chain(&of.held).map(|d| d.handle);
                    let own = |h: &Handle| (h.queue, h.offset) == (queue, i64::from(offset));
                    handles.rfind(own).map(|handle| handle.pop_ms)
                };
                of.and_then(held).unwrap_or(-1)
            };
            shadow.deliveries.observe((event, at_ms), &fact, group, popped_ms);
            shadow.observe(event, &fact, group, series)?;
            let overtaken = match fact {
                Fact::HandlingStarted { client, queue, offset, .. } => {
                    let (of, held) = ((group(client), queue), (client, offset));
                    plan.teams[of.0.index()].stack.is_grpc()
                        && shadow.deliveries.is_overtaken(of, held, |_| true)
                }
                _ => false,
            };
            let queue_blocks = world.shared.model.blocking == Blocking::Queue;
            let client = |client: ClientId| {
                let stack = plan.teams[group(client).index()].stack;
                let pop = stack.is_ordered_pop() && queue_blocks;
                Client {
                    group: group(client),
                    grpc: stack.is_grpc(),
                    checked: pop || !stack.is_grpc(),
                    alone: pop || stack == Stack::Orderly,
                }
            };
            owners.observe(at_ms, &fact, client, overtaken)?;
            self.checks.observe(&self.world, &FactRecord { at_ms, event, fact });
        }
        self.offsets.check(&self.world, &mut self.shadow, &mut self.unrecorded)?;
        self.compare_checks()
    }

    fn note(&mut self, fact: &Fact) {
        match *fact {
            Fact::SendCompleted { msg, .. } => drop(self.sent.insert(msg)),
            Fact::HandlingEnded { client, msg, outcome: Outcome::Success, .. } => {
                self.handled.insert((self.world.clients[client.index()].group(), msg));
            }
            Fact::Pop(PopFact::DeadOnReceive { msg, .. }) => drop(self.dead_on_receive.insert(msg)),
            Fact::Pop(PopFact::Popped { group, msg, .. }) => {
                *self.pops.entry((group, msg)).or_default() += 1;
            }
            _ => {}
        }
    }

    /// The core's own checks see the same overlaps, and no broken order where none can be.
    fn compare_checks(&mut self) -> Result<(), String> {
        let violations = self.checks.violations();
        if violations.len() == self.judged {
            return Ok(());
        }
        let overlap = |broken: &Broken| matches!(broken, Broken::TwoOwners { .. });
        let overlaps = violations.iter().filter(|v| overlap(&v.broken)).count();
        if overlaps != self.owners.overlaps {
            return Err(format!("{overlaps} overlaps checked, {} seen", self.owners.overlaps));
        }
        for violation in &violations[self.judged..] {
            let stack = self.plan.teams[violation.group.index()].stack;
            let promised = self.shadow.habits[violation.group.index()].in_order;
            let stale =
                overlap(&violation.broken) || stack.is_grpc() && self.shadow.stale_starts > 0;
            // Handled, but the acknowledgement failed: the check waits for the latter.
            let handled = match violation.broken {
                Broken::Order { earlier, .. } => self.handled.contains(&(violation.group, earlier)),
                Broken::TwoOwners { .. } => true,
            };
            if promised && !stale && !(stack.is_grpc() && handled) && self.is_steady() {
                return Err(format!("{violation:?}"));
            }
        }
        self.judged = violations.len();
        Ok(())
    }

    /// Message groups stay in their queues, and nothing is passed over.
    fn is_steady(&self) -> bool {
        !self.plan.faults.iter().any(|(_, fault)| {
            use Fault::{Broker, Disk, Queues, ResetLatest, ResetQueue, ResetTo};
            matches!(
                fault,
                Queues(..) | Broker(..) | ResetTo(..) | ResetQueue(..) | ResetLatest(..) | Disk(..)
            )
        }) && self.plan.sends.iter().all(|send| matches!(send.kind, Kind::Plain))
    }

    /// Counts every group's messages. What is left to do: messages in flight or waiting, here or under
    /// delay levels, undecided transactions, offsets that are not recorded yet.
    fn count_all(&self) -> Result<Option<String>, String> {
        let mut left = None;
        for group in 0..self.plan.teams.len() as u16 {
            let count = census::count(&self.world, &self.shadow, GroupId(group))?;
            if count.in_flight + count.waiting > 0 {
                left = Some(format!("{count:?}"));
            }
        }
        for broker in &self.world.brokers {
            let (halves, scheduled) = (broker.halves.len(), census::scheduled(broker));
            if halves + scheduled > 0 || !broker.up {
                left = Some(format!("{halves} transactions, {scheduled} delayed messages"));
            }
        }
        let user = |queue: &MessageQueue| {
            self.world.shared.names.topics[queue.topic.index()].usage == TopicUse::User
        };
        for queue in self.shadow.queues.keys().filter(|queue| user(queue)) {
            let broker = &self.world.brokers[queue.broker.index()];
            let max = broker.store.range(*queue).1;
            for group in 0..self.plan.teams.len() as u16 {
                let offset = broker.offsets.get(&(GroupId(group), *queue)).copied();
                if offset != Some(max) && !self.shadow.shaken.contains(queue) {
                    left = Some(format!("offset {offset:?} of {queue:?} with {max} messages"));
                }
            }
        }
        Ok(left)
    }

    /// What holds when nothing is left to do.
    fn at_rest(&self) -> Result<(), String> {
        for (queue, list) in &self.shadow.queues {
            let user = self.world.shared.names.topics[queue.topic.index()].usage == TopicUse::User;
            for msg in list.iter().filter(|_| user) {
                (0..self.plan.teams.len()).try_for_each(|team| self.fate(team, *msg))?;
            }
        }
        // A producer that was not told that its half message is stored decides nothing.
        self.sent.iter().try_for_each(|msg| self.stored(*msg))
    }

    /// How a message ended: as the shadow model foretells by the listener's script alone.
    fn fate(&self, number: usize, msg: MsgId) -> Result<(), String> {
        let (group, team) = (GroupId(number as u16), &self.plan.teams[number]);
        let message = self.world.shared.message(msg);
        let series = &self.world.shared.names.series[message.series.index()].name;
        let scripted =
            self.plan.failures.iter().filter(|(of, label, _)| {
                SERIES[*of] == series.as_str() && *label == message.number
            });
        let failing = scripted.map(|(.., times)| *times).max().unwrap_or(0);
        let model = &self.world.shared.model;
        let limit = match (team.limit, team.stack) {
            (-1, Stack::Orderly) => u32::MAX,
            (-1, _) => model.retry_max_times as u32,
            (limit, _) => limit as u32,
        };
        let told = fate(failing, limit);
        let dead = self.shadow.dead.contains(&(group, msg));
        let done = self.shadow.finished.contains(&(group, msg));
        // Up to 5.1.0 an exhausted ordered message goes to the retry topic (§5.4).
        let old = team.stack == Stack::Orderly && Version(5, 0, 0) <= model.version;
        let old = old && model.version < Version(5, 1, 1);
        let by_hand = matches!(team.stack, Stack::SimpleByHand | Stack::SimpleLoop);
        let again = self.pops.get(&(group, msg)).copied().unwrap_or(0) > 1;
        let batches = team.batch > 1 && !team.stack.is_grpc();
        if by_hand || old || batches || team.stack == Stack::FreePush {
            return Ok(());
        }
        // §5.4: in 4.x a send-back that ends as a normal send (§11.8) is given up one attempt early.
        let early = team.stack == Stack::Concurrent && model.version < Version(5, 0, 0);
        let early = early && failing == limit && self.is_lossy();
        let wrong = match told {
            Fate::Acknowledged => dead && !early && !self.dead_on_receive.contains(&msg),
            Fate::Dead => !dead && done && !again && !self.is_lossy(),
        };
        match wrong {
            true => Err(format!("{msg:?} was to be {told:?} in {group:?}")),
            false => Ok(()),
        }
    }

    /// Requests or answers may have been lost.
    fn is_lossy(&self) -> bool {
        let mild = |fault: &Fault| {
            use Fault::{Hand, Pause, Queues, ResetLatest, ResetQueue, ResetTo, Start};
            matches!(
                fault,
                Start(..)
                    | Pause(..)
                    | Queues(..)
                    | ResetTo(..)
                    | ResetQueue(..)
                    | ResetLatest(..)
                    | Hand(..)
            )
        };
        !self.plan.faults.iter().all(|(_, fault)| mild(fault))
    }

    /// What was sent is stored, unless its transaction was rolled back: then it never is (§11.11).
    fn stored(&self, msg: MsgId) -> Result<(), String> {
        let message = self.world.shared.message(msg);
        let series = &self.world.shared.names.series[message.series.index()].name;
        let mut number = 0;
        let of_series =
            self.plan.sends.iter().filter(|send| SERIES[send.series] == series.as_str());
        let send = of_series.into_iter().find(|send| {
            number += u32::from(send.count);
            message.number <= number
        });
        let rolled_back = match send.map(|send| send.kind) {
            Some(Kind::Transaction { decision: Decision::Unknown, check, .. }) => {
                check == Decision::Rollback
            }
            Some(Kind::Transaction { decision, .. }) => decision == Decision::Rollback,
            _ => false,
        };
        let stored = self.shadow.stored.contains(&msg);
        let lost = self.shadow.lost.contains(&msg);
        if rolled_back == stored && !lost {
            return Err(format!("{msg:?}: rolled back {rolled_back}, stored {stored}"));
        }
        Ok(())
    }
}
