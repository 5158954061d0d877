//! A run of the real simulator, and what can be seen in it: facts, and the events that the agenda
//! handed out. All instants are those of the case.

use super::case::Trouble;
use super::stage::{TOPIC, ZERO_MS};
use lockstep_core::client::Client;
use lockstep_core::command::Command;
use lockstep_core::event::{ClientTimer, Event, Packet};
use lockstep_core::fact::Fact;
use lockstep_core::ids::{BrokerId, ClientId, GroupId, MessageQueue, Ms, MsgId, Party};
use lockstep_core::model::Model;
use lockstep_core::world::World;
use std::rc::Rc;

/// A run.
pub struct Run {
    /// The system at the present instant.
    pub world: World,
    journal: Vec<(Ms, Command)>,
    /// Facts so far.
    pub facts: Vec<(Ms, Fact)>,
    /// Events so far.
    pub events: Vec<(Ms, Event)>,
}

/// One message in one listener call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handled {
    pub client: ClientId,
    pub offset: i64,
    pub msg: MsgId,
    pub attempt: u32,
    pub from_ms: Ms,
    /// None when the call had not ended when the run was left.
    pub to_ms: Option<Ms>,
}

impl Run {
    /// A run that stands before its first event.
    pub fn new(model: Model, journal: Vec<(Ms, Command)>) -> Self {
        let mut world = World::new(1, model);
        for (index, (at_ms, _)) in (0..).zip(&journal) {
            world.schedule_command(*at_ms, index);
        }
        Self { world, journal, facts: Vec::new(), events: Vec::new() }
    }

    /// Runs everything up to an instant of the case, that instant included. A refused command means
    /// that the case cannot be played.
    pub fn until(&mut self, at_ms: Ms) -> Result<(), Trouble> {
        while self.world.next_event_at().is_some_and(|next_ms| next_ms <= ZERO_MS + at_ms) {
            self.step()?;
        }
        Ok(())
    }

    /// Runs until a fact of this kind happens, at most up to an instant. None when it does not.
    pub fn until_fact(
        &mut self,
        at_ms: Ms,
        wanted: impl Fn(&Fact) -> bool,
    ) -> Result<Option<Ms>, Trouble> {
        while self.world.next_event_at().is_some_and(|next_ms| next_ms <= ZERO_MS + at_ms) {
            let known = self.facts.len();
            self.step()?;
            if let Some((at_ms, _)) = self.facts[known..].iter().find(|(_, fact)| wanted(fact)) {
                return Ok(Some(*at_ms));
            }
        }
        Ok(None)
    }

    /// Runs until such an event is the next one, at most up to an instant. None when it is not.
    pub fn until_before(
        &mut self,
        at_ms: Ms,
        wanted: impl Fn(&Event) -> bool,
    ) -> Result<Option<Ms>, Trouble> {
        while let Some((next_ms, event)) = self.world.shared.agenda.peek() {
            if next_ms > ZERO_MS + at_ms {
                break;
            }
            if wanted(event) {
                return Ok(Some(next_ms - ZERO_MS));
            }
            self.step()?;
        }
        Ok(None)
    }

    /// Runs one event.
    pub fn step(&mut self) -> Result<(), Trouble> {
        let next =
            self.world.shared.agenda.peek().map(|(at_ms, event)| (at_ms - ZERO_MS, event.clone()));
        self.events.extend(next);
        self.world.step(&self.journal);
        let now_ms = self.world.now_ms() - ZERO_MS;
        for fact in self.world.facts() {
            self.facts.push((now_ms, *fact));
        }
        match self.world.facts().iter().find(|fact| matches!(fact, Fact::CommandRefused { .. })) {
            Some(Fact::CommandRefused { index }) => {
                let why = self.world.refusal(*index);
                Err(Trouble::Wrong(format!(
                    "{:?} refused: {why:?}",
                    self.journal.get(*index as usize)
                )))
            }
            _ => Ok(()),
        }
    }

    /// Puts the broker's lock of a queue into the hands of somebody who is not there.
    pub fn steal_lock(&mut self, queue: MessageQueue) {
        let now_ms = self.world.now_ms();
        let live_ms = self.world.shared.model.rebalance_lock_max_live_time_ms;
        if let Some(broker) = self.world.brokers.first_mut() {
            let broker = Rc::make_mut(broker);
            broker.locks.clear();
            broker.locks.try_lock(GroupId(0), queue, ClientId(u16::MAX - 1), now_ms, live_ms);
        }
    }

    /// Frees all locks at the broker.
    pub fn free_locks(&mut self) {
        if let Some(broker) = self.world.brokers.first_mut() {
            Rc::make_mut(broker).locks.clear();
        }
    }

    /// The broker's consumer offset of a queue.
    pub fn offset(&self, queue: MessageQueue) -> Option<i64> {
        self.world.brokers.first()?.offsets.get(&(GroupId(0), queue)).copied()
    }

    /// Overwrites the broker's consumer offset of a queue.
    pub fn set_offset(&mut self, queue: MessageQueue, offset: i64) {
        if let Some(broker) = self.world.brokers.first_mut() {
            Rc::make_mut(broker).offsets.insert((GroupId(0), queue), offset);
        }
    }

    /// Removes the oldest messages of a queue, as retention does.
    pub fn set_min_offset(&mut self, queue: MessageQueue, min_offset: i64) {
        if let Some(broker) = self.world.brokers.first_mut() {
            Rc::make_mut(broker).store.set_min_offset(queue, min_offset);
        }
    }

    /// A queue of the topic.
    pub fn queue(&self, id: u16) -> MessageQueue {
        let topic =
            self.world.shared.names.topic(TOPIC).unwrap_or(lockstep_core::ids::TopicId(u16::MAX));
        MessageQueue { topic, broker: BrokerId(0), id }
    }

    /// The first process of a name; a number that nobody has when there is none.
    pub fn id(&self, name: &str) -> ClientId {
        let place = self.world.shared.names.clients.iter().position(|known| known == name);
        ClientId(place.map_or(u16::MAX, |place| place as u16))
    }

    /// A process.
    pub fn client(&self, id: ClientId) -> Option<&Client> {
        self.world.clients.get(id.index()).and_then(|process| process.classic())
    }

    /// Instants of the facts that are wanted.
    pub fn all(&self, wanted: impl Fn(&Fact) -> bool) -> Vec<Ms> {
        self.facts.iter().filter(|(_, fact)| wanted(fact)).map(|(at_ms, _)| *at_ms).collect()
    }

    /// First such instant at or after `from_ms`.
    pub fn first(&self, from_ms: Ms, wanted: impl Fn(&Fact) -> bool) -> Option<Ms> {
        self.facts
            .iter()
            .find(|(at_ms, fact)| *at_ms >= from_ms && wanted(fact))
            .map(|(at_ms, _)| *at_ms)
    }

    /// Whether there is such a fact.
    pub fn any(&self, wanted: impl Fn(&Fact) -> bool) -> bool {
        self.facts.iter().any(|(_, fact)| wanted(fact))
    }

    /// Instants at which rebalance rounds of a consumer began.
    pub fn rounds(&self, of: ClientId) -> Vec<Ms> {
        self.all(|fact| matches!(fact, Fact::RebalanceStarted { client, .. } if *client == of))
    }

    /// Pulls of a queue by a consumer: instant of arrival at the broker, and offset.
    pub fn pulls(&self, by: ClientId, of: MessageQueue) -> Vec<(Ms, i64)> {
        let pull = |(at_ms, event): &(Ms, Event)| match event {
            Event::Arrival { from, packet: Packet::Pull { queue, offset, .. }, .. }
                if *from == Party::Client(by) && *queue == of =>
            {
                Some((*at_ms, *offset))
            }
            _ => None,
        };
        self.events.iter().filter_map(pull).collect()
    }

    /// First pull at or after an instant.
    pub fn first_pull(&self, from_ms: Ms, by: ClientId, of: MessageQueue) -> Option<Ms> {
        self.pulls(by, of).into_iter().map(|(at_ms, _)| at_ms).find(|at_ms| *at_ms >= from_ms)
    }

    /// Instants at which a timer of a consumer fired.
    pub fn timers(&self, of: ClientId, wanted: impl Fn(&ClientTimer) -> bool) -> Vec<Ms> {
        let fired = |(at_ms, event): &(Ms, Event)| match event {
            Event::Client(id, timer) if *id == of && wanted(timer) => Some(*at_ms),
            _ => None,
        };
        self.events.iter().filter_map(fired).collect()
    }

    /// Instants at which packets of a consumer arrived at the broker.
    pub fn packets(&self, by: ClientId, wanted: impl Fn(&Packet) -> bool) -> Vec<Ms> {
        let arrived = |(at_ms, event): &(Ms, Event)| match event {
            Event::Arrival { from, packet, .. } if *from == Party::Client(by) && wanted(packet) => {
                Some(*at_ms)
            }
            _ => None,
        };
        self.events.iter().filter_map(arrived).collect()
    }

    /// Every message in every listener call on a queue, in order of beginning.
    pub fn handled(&self, of: MessageQueue) -> Vec<Handled> {
        let mut calls: Vec<Handled> = Vec::new();
        for (at_ms, fact) in &self.facts {
            match *fact {
                Fact::HandlingStarted { client, queue, offset, msg, attempt } if queue == of => {
                    let offset = i64::from(offset);
                    calls.push(Handled {
                        client,
                        offset,
                        msg,
                        attempt,
                        from_ms: *at_ms,
                        to_ms: None,
                    });
                }
                Fact::HandlingEnded { client, queue, offset, .. } if queue == of => {
                    let open = calls.iter_mut().find(|call| {
                        call.client == client
                            && call.offset == i64::from(offset)
                            && call.to_ms.is_none()
                    });
                    if let Some(call) = open {
                        call.to_ms = Some(*at_ms);
                    }
                }
                _ => {}
            }
        }
        calls
    }

    /// Whether two consumers worked on a queue at the same time.
    pub fn overlap(&self, of: MessageQueue) -> bool {
        let calls = self.handled(of);
        calls.iter().enumerate().any(|(place, a)| {
            let until_ms = a.to_ms.unwrap_or(Ms::MAX);
            calls[place + 1..].iter().any(|b| b.client != a.client && b.from_ms < until_ms)
        })
    }
}
