//! What the end of a listener call means for what comes again.

use super::Watch;
use crate::fact::{FactRecord, Outcome};
use crate::ids::{ClientId, GroupId, MessageQueue, MsgId};
use crate::world::World;

impl Watch {
    /// A listener call ended: whether it failed, and whether it was the last one that the limit allows.
    pub(super) fn on_ended(
        &mut self,
        world: &World,
        client: ClientId,
        queue: MessageQueue,
        (msg, outcome): (MsgId, Outcome),
    ) {
        let process = &world.clients[client.index()];
        let group = process.group();
        let autocommit = process.grpc().is_some() || world.shared.group(group).auto_commit;
        match outcome {
            Outcome::Success if !autocommit => self.uncommitted.push((client, queue, msg)),
            Outcome::Success => self.seen(group, msg).apart = process.grpc().is_some(),
            Outcome::Commit | Outcome::Rollback => {
                let back = outcome == Outcome::Rollback && !autocommit;
                let place = (client, queue);
                let ended = |of: &(ClientId, MessageQueue, MsgId)| (of.0, of.1) == place;
                let taken: Vec<MsgId> =
                    self.uncommitted.extract_if(.., |of| ended(of)).map(|of| of.2).collect();
                for msg in taken.into_iter().chain([msg]).filter(|_| back) {
                    let seen = self.seen(group, msg);
                    (seen.failed, seen.failed_last) = (true, true);
                }
            }
            _ => {
                let limit = limit(world, group, process.grpc().is_some());
                let seen = self.seen(group, msg);
                (seen.failed, seen.failed_last) = (true, true);
                if limit.is_some_and(|limit| seen.attempt >= limit) {
                    seen.used_up = seen.attempt;
                }
            }
        }
    }

    /// A client counted a message as consumed. Where its newest call failed and it ended nowhere else, a
    /// copy of it is in the retry topic and comes again (an ordered message with the limit reached, from
    /// 5.0.0 to 5.1.0): its queue goes on, but the group is not done with it.
    pub(super) fn on_acknowledged(
        &mut self,
        world: &World,
        record: &FactRecord,
        client: ClientId,
        queue: MessageQueue,
        msg: MsgId,
    ) {
        let process = &world.clients[client.index()];
        let group = process.group();
        let seen = *self.seen(group, msg);
        let ended = seen.done || seen.dead || seen.nowhere;
        if process.grpc().is_none() && seen.failed_last && !ended {
            return self.progress(record, group, queue, msg);
        }
        self.on_done(record, group, msg, Some(queue), world);
    }
}

/// Most calls for a message; None = without limit.
pub(super) fn limit(world: &World, group: GroupId, grpc: bool) -> Option<u32> {
    let of = world.shared.group(group);
    let model = &world.shared.model;
    let retries = match (grpc, of.pop.retry_max_times) {
        (true, -1) => model.retry_max_times,
        (true, n) => i64::from(n),
        (false, _) => match of.effective_max_reconsume_times(model) {
            i32::MAX => return None,
            n => i64::from(n),
        },
    };
    u32::try_from(retries).ok().map(|n| n + 1)
}
