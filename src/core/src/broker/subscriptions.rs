//! The subscription table of a consumer group at the broker (`ConsumerGroupInfo`). Each heartbeat
//! replaces it by the sender's, so that members with different subscriptions make it flip.

use std::rc::Rc;

use super::Broker;
use crate::fact::Fact;
use crate::ids::{ClientId, GroupId, MessageQueue, Ms};
use crate::shared::{Shared, Subscribed};

/// A topic in a group's subscription table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TableEntry {
    /// Tags; empty = all.
    pub tags: Rc<[u16]>,
    /// When the sender subscribed (`subVersion`); a newer one overwrites.
    pub version_ms: Ms,
}

impl Broker {
    /// Takes a heartbeat's subscriptions over. True when topics came or went: everybody is told.
    /// Source: `ConsumerGroupInfo.updateSubscription`.
    pub(super) fn update_subscriptions(
        &mut self,
        shared: &mut Shared,
        (group, client): (GroupId, ClientId),
        versions: &[Ms],
        wanted: &[Subscribed],
    ) -> bool {
        let table = self.subscriptions.entry(group).or_default();
        let (mut added, mut changed) = (0, 0);
        for (one, version_ms) in wanted.iter().zip(versions.iter().copied()) {
            let known = table.get(&one.topic);
            if known.is_some_and(|known| known.version_ms >= version_ms) {
                continue;
            }
            match known {
                None => added += 1,
                Some(known) if *known.tags != *one.tags => changed += 1,
                Some(_) => {}
            }
            let entry = TableEntry { tags: one.tags.as_slice().into(), version_ms };
            table.insert(one.topic, entry);
        }
        let before = table.len();
        table.retain(|topic, _| wanted.iter().any(|one| one.topic == *topic));
        let removed = before - table.len();
        if added + changed + removed > 0 {
            shared.fact(Fact::SubscriptionReplaced {
                broker: self.id,
                group,
                client,
                added: (added + changed).min(255) as u8,
                removed: removed.min(255) as u8,
            });
        }
        added + removed > 0
    }

    /// What the group's table has for the topic of a queue; None when the topic is not in it at the
    /// moment.
    pub fn subscribed(&self, group: GroupId, queue: MessageQueue) -> Option<&TableEntry> {
        self.subscriptions.get(&group)?.get(&queue.topic)
    }
}
