//! What a changed queue count does to the groups.

/// How many groups change their queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moved {
    /// Groups whose queue differs.
    pub moved: u32,
    /// Groups looked at.
    pub of: u32,
}

impl Moved {
    /// The part that moves, in ten-thousandths, rounded to the nearest.
    pub fn per_ten_thousand(self) -> u32 {
        if self.of == 0 {
            return 0;
        }
        let (moved, of) = (u64::from(self.moved), u64::from(self.of));
        ((moved * 10_000 + of / 2) / of) as u32
    }
}

/// Counts the groups that a change from `from` to `to` queues sends elsewhere. `pick` is the mapping
/// in question. A moved group can be reordered: its old messages wait where the new ones do not go.
pub fn moved<S: AsRef<str>>(
    groups: impl IntoIterator<Item = S>,
    from: u32,
    to: u32,
    pick: impl Fn(&str, u32) -> i64,
) -> Moved {
    let mut sum = Moved { moved: 0, of: 0 };
    for group in groups {
        let group = group.as_ref();
        sum.of += 1;
        sum.moved += u32::from(pick(group, from) != pick(group, to));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::{abs_hash, java_hash, proxy_queue, Sdk};
    use super::*;

    fn orders() -> impl Iterator<Item = String> {
        (0..10_000).map(|i| format!("order-{i}"))
    }

    fn per_cent(from: u32, to: u32) -> [u32; 3] {
        let sip = moved(orders(), from, to, |g, n| i64::from(Sdk::Java.candidate(g, n).unwrap()));
        let abs = moved(orders(), from, to, |g, n| i64::from(abs_hash(java_hash(g), n)));
        let consistent = moved(orders(), from, to, |g, n| i64::from(proxy_queue(g, n)));
        [sip, abs, consistent].map(|m| (m.per_ten_thousand() + 5) / 10)
    }

    #[test]
    fn consistent_hashing_moves_the_least() {
        assert_eq!(per_cent(4, 5), [793, 800, 200]);
        assert_eq!(per_cent(4, 8), [497, 501, 499]);
        assert_eq!(per_cent(4, 3), [743, 750, 249]);
    }

    #[test]
    fn nobody_moves_when_nothing_changes() {
        assert_eq!(
            moved(["a", "b"], 4, 4, |g, n| i64::from(proxy_queue(g, n))),
            Moved { moved: 0, of: 2 }
        );
        assert_eq!(Moved { moved: 0, of: 0 }.per_ten_thousand(), 0);
    }
}
