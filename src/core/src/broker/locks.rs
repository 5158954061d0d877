//! The broker's lock table (`RebalanceLockManager`): advisory, in memory only, never checked on
//! pull or on offset commit.

use std::collections::BTreeMap;

use crate::fact::GrantKind;
use crate::ids::{ClientId, GroupId, MessageQueue, Ms};

/// A queue lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QueueLock {
    /// Who holds it.
    pub owner: ClientId,
    /// Last grant or renewal.
    pub last_update_ms: Ms,
}

/// Answer to a lock request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LockAnswer {
    /// Granted.
    Granted(GrantKind),
    /// Somebody else holds it.
    Refused {
        /// The owner.
        owner: ClientId,
        /// What is left of the lease; the lock is free when more than this has passed.
        left_ms: Ms,
    },
}

/// Locks by consumer group and queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LockTable(BTreeMap<(GroupId, MessageQueue), QueueLock>);

fn is_expired(lock: &QueueLock, now_ms: Ms, max_live_time_ms: Ms) -> bool {
    now_ms - lock.last_update_ms > max_live_time_ms
}

impl LockTable {
    /// Asks for a lock. Free, own and expired locks are granted.
    pub fn try_lock(
        &mut self,
        group: GroupId,
        queue: MessageQueue,
        client: ClientId,
        now_ms: Ms,
        max_live_time_ms: Ms,
    ) -> LockAnswer {
        let lock = QueueLock { owner: client, last_update_ms: now_ms };
        let how = match self.0.get(&(group, queue)) {
            None => GrantKind::Free,
            Some(held) if is_expired(held, now_ms, max_live_time_ms) => {
                if held.owner == client {
                    GrantKind::Renewed
                } else {
                    GrantKind::Expired { from: held.owner }
                }
            }
            Some(held) if held.owner == client => GrantKind::Renewed,
            Some(held) => {
                let left_ms = held.last_update_ms + max_live_time_ms - now_ms;
                return LockAnswer::Refused { owner: held.owner, left_ms };
            }
        };
        self.0.insert((group, queue), lock);
        LockAnswer::Granted(how)
    }

    /// Gives a lock back; true when the client held it, expired or not.
    pub fn unlock(&mut self, group: GroupId, queue: MessageQueue, client: ClientId) -> bool {
        let held = self.0.get(&(group, queue)).is_some_and(|lock| lock.owner == client);
        if held {
            self.0.remove(&(group, queue));
        }
        held
    }

    /// True when the group holds no lock that is alive (also when it holds none).
    pub fn is_lock_all_expired(&self, group: GroupId, now_ms: Ms, max_live_time_ms: Ms) -> bool {
        self.of_group(group).all(|(_, lock)| is_expired(&lock, now_ms, max_live_time_ms))
    }

    /// The lock of a queue, alive or expired.
    pub fn get(&self, group: GroupId, queue: MessageQueue) -> Option<QueueLock> {
        self.0.get(&(group, queue)).copied()
    }

    /// All locks of a group in queue order.
    pub fn of_group(&self, group: GroupId) -> impl Iterator<Item = (MessageQueue, QueueLock)> + '_ {
        self.0.iter().filter(move |((g, _), _)| *g == group).map(|((_, q), lock)| (*q, *lock))
    }

    /// Makes every lock older (negative) or younger: the broker's clock was set.
    pub fn shift(&mut self, by_ms: Ms) {
        for lock in self.0.values_mut() {
            lock.last_update_ms += by_ms;
        }
    }

    /// Forgets everything, as a restart does.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}
