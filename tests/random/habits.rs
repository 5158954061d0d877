//! How consumer groups read, and how their messages end.

/// How a consumer group reads (§0, §6.5, §6.10).
#[derive(Clone, Copy, Debug, Default)]
pub struct Habits {
    /// Its application gets messages in stored order.
    pub in_order: bool,
    /// By POP: nobody owns a queue.
    pub by_pop: bool,
    /// Message groups of one queue run side by side.
    pub groups_apart: bool,
    /// What is in flight blocks only its message group (the articles' model).
    pub blocks_groups: bool,
    /// A failed message comes back as a copy elsewhere.
    pub copies: bool,
    /// 5.0.0: nothing is committed before the whole batch is acknowledged (§6.4).
    pub whole_batch: bool,
}

/// How a message ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Acknowledged,
    Dead,
}

/// The first `failing` attempts at a message fail, and `limit` repeats are allowed (§5.4, §5.6, §6.5).
pub fn fate(failing: u32, limit: u32) -> Fate {
    match failing > limit {
        true => Fate::Dead,
        false => Fate::Acknowledged,
    }
}
