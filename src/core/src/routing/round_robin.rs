//! Taking queues in turn.

/// Where the index moves on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    /// Before it is used; the sign bit is masked away.
    BeforeMasked,
    /// Before it is used; floor modulo.
    Before,
    /// After it is used; floor modulo.
    After,
}

/// A round-robin index over a list of queues. The start is random in the real clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RoundRobin {
    index: i32,
    step: Step,
}

impl RoundRobin {
    /// The classic producer's: pre-increment, mask 0x7fffffff, modulo.
    /// Source: client `TopicPublishInfo.selectOneMessageQueue`, `ThreadLocalIndex`.
    pub fn classic(start: i32) -> Self {
        Self { index: start, step: Step::BeforeMasked }
    }

    /// The gRPC client's for messages without a message group: post-increment, floor modulo.
    /// Source: clients java `PublishingLoadBalancer.takeMessageQueues`.
    pub fn grpc_client(start: i32) -> Self {
        Self { index: start, step: Step::After }
    }

    /// The proxy's: pre-increment with latency-fault avoidance, post-increment without; floor modulo.
    /// Source: proxy `MessageQueueSelector.selectOne`.
    pub fn proxy(start: i32, fault_avoidance: bool) -> Self {
        Self { index: start, step: if fault_avoidance { Step::Before } else { Step::After } }
    }

    /// The next of `n` queues.
    pub fn next(&mut self, n: u32) -> u32 {
        let used = match self.step {
            Step::BeforeMasked => {
                self.index = self.index.wrapping_add(1) & i32::MAX;
                self.index
            }
            Step::Before => {
                self.index = self.index.wrapping_add(1);
                self.index
            }
            Step::After => {
                let used = self.index;
                self.index = used.wrapping_add(1);
                used
            }
        };
        i64::from(used).checked_rem_euclid(i64::from(n)).unwrap_or(0) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(mut turn: RoundRobin, n: u32) -> Vec<u32> {
        (0..5).map(|_| turn.next(n)).collect()
    }

    #[test]
    fn each_client_starts_where_it_does() {
        assert_eq!(draw(RoundRobin::classic(7), 4), [0, 1, 2, 3, 0]);
        assert_eq!(draw(RoundRobin::grpc_client(7), 4), [3, 0, 1, 2, 3]);
        assert_eq!(draw(RoundRobin::proxy(7, true), 4), [0, 1, 2, 3, 0]);
        assert_eq!(draw(RoundRobin::proxy(7, false), 4), [3, 0, 1, 2, 3]);
    }

    #[test]
    fn the_index_wraps() {
        assert_eq!(draw(RoundRobin::classic(i32::MAX - 1), 3), [1, 0, 1, 2, 0]);
        assert_eq!(draw(RoundRobin::proxy(i32::MAX, false), 3), [1, 1, 2, 0, 1]);
        assert_eq!(RoundRobin::classic(0).next(0), 0);
    }
}
