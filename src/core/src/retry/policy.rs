//! Back-off policies of a consumer group. Broker and proxy read them one way, gRPC clients another.

use crate::ids::Ms;

/// Default waits of the customized policy: the 18 delay values. Source:
/// remoting `CustomizedRetryPolicy`.
const DEFAULT_WAITS_MS: [Ms; 18] = [
    1_000, 5_000, 10_000, 30_000, 60_000, 120_000, 180_000, 240_000, 300_000, 360_000, 420_000,
    480_000, 540_000, 600_000, 1_200_000, 1_800_000, 3_600_000, 7_200_000,
];

/// A list of waits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CustomizedRetryPolicy {
    waits_ms: Vec<Ms>,
}

impl Default for CustomizedRetryPolicy {
    fn default() -> Self {
        Self { waits_ms: DEFAULT_WAITS_MS.to_vec() }
    }
}

impl CustomizedRetryPolicy {
    /// A policy with its own waits in ms. `None` when there are none.
    pub fn new(waits_ms: Vec<Ms>) -> Option<Self> {
        (!waits_ms.is_empty()).then_some(Self { waits_ms })
    }

    /// The waits, in ms.
    pub fn waits_ms(&self) -> &[Ms] {
        &self.waits_ms
    }

    /// The server's wait after `reconsume_times` failures, in ms: the list from its third entry on, the
    /// last one repeated. Source: remoting `CustomizedRetryPolicy.nextDelayDuration`.
    pub fn next_delay_ms(&self, reconsume_times: i32) -> Ms {
        self.wait(usize::try_from(reconsume_times).unwrap_or(0).saturating_add(2))
    }

    /// The gRPC client's wait after attempt `attempt` (from 1), in ms: the list from its first entry
    /// on. Source: clients java `CustomizedBackoffRetryPolicy.getNextAttemptDelay`.
    pub fn next_attempt_delay_ms(&self, attempt: u32) -> Ms {
        self.wait(attempt.saturating_sub(1) as usize)
    }

    fn wait(&self, index: usize) -> Ms {
        self.waits_ms.get(index).or(self.waits_ms.last()).copied().unwrap_or(0)
    }
}

/// Waits that grow by a factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExponentialRetryPolicy {
    /// First wait, in ms.
    pub initial_ms: Ms,
    /// Longest wait, in ms.
    pub max_ms: Ms,
    /// Factor, at least 1.
    pub multiplier: f64,
}

impl Default for ExponentialRetryPolicy {
    /// 5 s, doubled, at most 2 h. Source: remoting `ExponentialRetryPolicy`.
    fn default() -> Self {
        Self { initial_ms: 5_000, max_ms: 7_200_000, multiplier: 2.0 }
    }
}

impl ExponentialRetryPolicy {
    /// The server's wait after `reconsume_times` failures, in ms. Source: remoting
    /// `ExponentialRetryPolicy.nextDelayDuration`, which counts at most 32.
    pub fn next_delay_ms(&self, reconsume_times: i32) -> Ms {
        const MOST: i32 = 32;
        self.grown(reconsume_times.clamp(0, MOST).unsigned_abs())
    }

    /// The gRPC client's wait after attempt `attempt` (from 1), in ms. Source: clients java
    /// `ExponentialBackoffRetryPolicy.getNextAttemptDelay`.
    pub fn next_attempt_delay_ms(&self, attempt: u32) -> Ms {
        self.grown(attempt.saturating_sub(1))
    }

    /// The first wait, multiplied `steps` times. Step by step, so that every platform rounds alike.
    fn grown(&self, steps: u32) -> Ms {
        let max = self.max_ms as f64;
        let mut wait = self.initial_ms as f64;
        for _ in 0..steps {
            if wait >= max || self.multiplier <= 1.0 {
                break;
            }
            wait *= self.multiplier;
        }
        wait.min(max) as Ms
    }
}

/// The policy that applies.
#[derive(Clone, Debug, PartialEq)]
pub enum RetryPolicy {
    /// A list of waits.
    Customized(CustomizedRetryPolicy),
    /// Growing waits.
    Exponential(ExponentialRetryPolicy),
}

impl RetryPolicy {
    /// The server's wait after `reconsume_times` failures, in ms.
    pub fn next_delay_ms(&self, reconsume_times: i32) -> Ms {
        match self {
            Self::Customized(policy) => policy.next_delay_ms(reconsume_times),
            Self::Exponential(policy) => policy.next_delay_ms(reconsume_times),
        }
    }

    /// The gRPC client's wait after attempt `attempt` (from 1), in ms.
    pub fn next_attempt_delay_ms(&self, attempt: u32) -> Ms {
        match self {
            Self::Customized(policy) => policy.next_attempt_delay_ms(attempt),
            Self::Exponential(policy) => policy.next_attempt_delay_ms(attempt),
        }
    }

    /// When each of `max_attempts` attempts of an instantly failing message starts, in ms after the
    /// first. Source: clients java `ProcessQueueImpl.eraseFifoMessage`.
    pub fn attempt_times_ms(&self, max_attempts: u32) -> Vec<Ms> {
        let mut at_ms = 0;
        (1..=max_attempts)
            .map(|attempt| {
                let start = at_ms;
                at_ms += self.next_attempt_delay_ms(attempt);
                start
            })
            .collect()
    }
}

/// Which kind of policy a group asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PolicyKind {
    /// CUSTOMIZED
    Customized,
    /// EXPONENTIAL
    Exponential,
}

/// The retry settings of a consumer group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupRetryPolicy {
    /// The kind asked for.
    pub kind: Option<PolicyKind>,
    /// Settings of the customized kind.
    pub customized: Option<CustomizedRetryPolicy>,
    /// Settings of the exponential kind.
    pub exponential: Option<ExponentialRetryPolicy>,
}

impl GroupRetryPolicy {
    /// The policy that applies: the one asked for if it has settings, else the default customized one.
    /// Source: remoting `GroupRetryPolicy.getRetryPolicy`.
    pub fn policy(&self) -> RetryPolicy {
        match (self.kind, &self.customized, self.exponential) {
            (Some(PolicyKind::Exponential), _, Some(policy)) => RetryPolicy::Exponential(policy),
            (Some(PolicyKind::Customized), Some(policy), _) => {
                RetryPolicy::Customized(policy.clone())
            }
            _ => RetryPolicy::Customized(CustomizedRetryPolicy::default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_starts_at_the_third_wait() {
        let policy = CustomizedRetryPolicy::default();
        let waits = [-1, 0, 10, 100, i32::MAX].map(|r| policy.next_delay_ms(r));
        assert_eq!(waits, [10_000, 10_000, 540_000, 7_200_000, 7_200_000]);
    }

    #[test]
    fn the_client_starts_at_the_first_wait() {
        let policy = CustomizedRetryPolicy::new(vec![1_000, 2_000]).unwrap();
        assert_eq!(
            [1, 2, 3, 4].map(|k| policy.next_attempt_delay_ms(k)),
            [1_000, 2_000, 2_000, 2_000]
        );
        assert_eq!(CustomizedRetryPolicy::new(vec![]), None);
    }

    #[test]
    fn exponential_waits_stop_growing() {
        let server = ExponentialRetryPolicy::default();
        assert_eq!(
            [-1, 0, 10, 100].map(|r| server.next_delay_ms(r)),
            [5_000, 5_000, 5_120_000, 7_200_000]
        );
        let client = ExponentialRetryPolicy { initial_ms: 5, max_ms: 1_000, multiplier: 5.0 };
        assert_eq!(
            [1, 2, 3, 4, 5].map(|k| client.next_attempt_delay_ms(k)),
            [5, 25, 125, 625, 1_000]
        );
    }

    #[test]
    fn seventeen_attempts_by_default() {
        let times = GroupRetryPolicy::default().policy().attempt_times_ms(17);
        assert_eq!(times[..4], [0, 1_000, 6_000, 16_000]);
        assert_eq!(times.last(), Some(&6_346_000));
    }

    #[test]
    fn a_kind_without_settings_is_the_default() {
        let kind = Some(PolicyKind::Exponential);
        let bare = GroupRetryPolicy { kind, ..GroupRetryPolicy::default() };
        assert_eq!(bare.policy(), RetryPolicy::Customized(CustomizedRetryPolicy::default()));
        let exponential = Some(ExponentialRetryPolicy::default());
        let full = GroupRetryPolicy { kind, exponential, ..GroupRetryPolicy::default() };
        assert_eq!(full.policy(), RetryPolicy::Exponential(ExponentialRetryPolicy::default()));
    }
}
