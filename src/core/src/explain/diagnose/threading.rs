//! A queue whose turn did not come: the threads of its consumer went on with other queues.
//! Source: `ConsumeMessageOrderlyService.ConsumeRequest.run`, which gives a thread back after
//! `MAX_TIME_CONSUME_CONTINUOUSLY`.

use super::gaps::Gap;
use super::holding::Cause;
use super::{Held, Patient};
use crate::fact::Fact;
use crate::ids::{ClientId, Ms};
use crate::process::Process;

impl Patient<'_> {
    /// All threads of the classic consumer that had the queue worked on others.
    pub(super) fn threads_taken(&self, gap: &Gap) -> Option<Cause> {
        let facts = &self.run.facts[..self.before(gap)];
        let owner = facts.iter().rev().find_map(|r| match r.fact {
            Fact::QueueAdded { client, queue, .. } if queue == gap.queue => {
                (self.group_of(client) == Some(gap.group)).then_some(client)
            }
            _ => None,
        })?;
        let client = self.run.world.clients.get(owner.index()).and_then(Process::classic)?;
        let (waited_ms, evidence) = self.busy(gap, owner, usize::from(client.threads));
        let by = Held::Threads { client: owner, threads: client.threads };
        Some(Cause { by, waited_ms, evidence: evidence.into_iter().collect() })
    }

    /// How long of a gap so many calls of a consumer ran, in ms, and the call that began first in it or ran then.
    fn busy(&self, gap: &Gap, client: ClientId, threads: usize) -> (Ms, Option<u32>) {
        let (mut running, mut since_ms, mut busy_ms) = (Vec::new(), 0, 0);
        let mut first = None;
        for (index, record) in self.run.facts[..self.before(gap)].iter().enumerate() {
            let full = running.len() >= threads;
            match record.fact {
                Fact::HandlingStarted { client: of, msg, .. } if of == client => {
                    running.push(msg);
                    first = first.filter(|_| record.at_ms > gap.from_ms).or(Some(index as u32));
                }
                Fact::HandlingEnded { client: of, msg, .. } if of == client => {
                    running.retain(|other| *other != msg);
                }
                _ => continue,
            }
            match (full, running.len() >= threads) {
                (false, true) => since_ms = record.at_ms,
                (true, false) => busy_ms += gap.within((since_ms, record.at_ms)).max(0),
                _ => {}
            }
        }
        if running.len() >= threads {
            busy_ms += gap.within((since_ms, gap.until_ms)).max(0);
        }
        (busy_ms, first)
    }
}
