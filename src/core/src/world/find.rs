//! Looking messages up.

use super::World;
use crate::ids::{MessageQueue, TopicId};
use crate::message::Record;

/// Most messages that a look-up by key gives (`maxMsgsNumBatch`).
pub const MAX_FOUND: usize = 64;

impl World {
    /// Messages of a topic that carry a key, over all brokers, oldest first, at most
    /// `MAX_FOUND` (64). Source: `DefaultMessageStore.queryMessage`.
    pub fn find_by_key(&self, topic: TopicId, key: &str) -> Vec<(MessageQueue, Record)> {
        let Some(key) = self.shared.names.keys.iter().position(|k| k == key && !k.is_empty())
        else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for broker in self.brokers.iter().filter(|broker| broker.up) {
            for (_, record) in broker.store.records().filter(|(_, r)| r.topic == topic) {
                if usize::from(self.shared.message(record.msg).key) == key {
                    let queue = MessageQueue { topic, broker: broker.id, id: record.queue };
                    found.push((queue, *record));
                    if found.len() == MAX_FOUND {
                        return found;
                    }
                }
            }
        }
        found
    }
}
