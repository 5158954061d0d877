//! How the members of a consumer group share out the queues of a topic (classic client). Every member
//! computes its own share from the same two sorted lists; nobody hands queues out.

use std::fmt;

/// Why a strategy refuses to work. The texts are those of RocketMQ's `IllegalArgumentException`s.
/// Source: `AbstractAllocateMessageQueueStrategy.check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AllocateError {
    /// The asking member has no id.
    CurrentCidEmpty,
    /// There are no queues.
    QueuesEmpty,
    /// There are no members.
    MembersEmpty,
}

impl fmt::Display for AllocateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CurrentCidEmpty => "currentCID is empty",
            Self::QueuesEmpty => "mqAll is null or mqAll empty",
            Self::MembersEmpty => "cidAll is null or cidAll empty",
        })
    }
}

impl std::error::Error for AllocateError {}

/// The place of `me` among the sorted `members`; `None` when it is not there, and then it gets
/// nothing.
///
/// # Errors
/// An empty id, queue list or member list, in this order.
pub fn check<S: AsRef<str>>(
    me: &str,
    queue_count: usize,
    members: &[S],
) -> Result<Option<usize>, AllocateError> {
    if me.is_empty() {
        return Err(AllocateError::CurrentCidEmpty);
    }
    if queue_count == 0 {
        return Err(AllocateError::QueuesEmpty);
    }
    if members.is_empty() {
        return Err(AllocateError::MembersEmpty);
    }
    Ok(members.iter().position(|member| member.as_ref() == me))
}

/// The share of member `index` of `members` under the default strategy: a run of neighbours, the
/// first members one longer when the numbers do not divide. Empty for an index outside the list.
/// Source: `AllocateMessageQueueAveragely`.
pub fn averagely<Q>(queues: &[Q], members: usize, index: usize) -> &[Q] {
    if index >= members {
        return &[];
    }
    let spare = queues.len() % members;
    let size = if queues.len() <= members {
        1
    } else {
        queues.len() / members + usize::from(index < spare)
    };
    let start = if index < spare { index * size } else { index * size + spare };
    let start = start.min(queues.len());
    let end = (start + size).min(queues.len());
    queues.get(start..end).unwrap_or(&[])
}

/// The share under the circle strategy: every `members`-th queue. Source:
/// `AllocateMessageQueueAveragelyByCircle`.
pub fn by_circle<Q: Clone>(queues: &[Q], members: usize, index: usize) -> Vec<Q> {
    if index >= members {
        return Vec::new();
    }
    queues.iter().skip(index).step_by(members).cloned().collect()
}

/// The share under the machine-room strategy: the queues of the `rooms` served here are cut into
/// equal runs, and what is left over goes one by one to the first members. `room_of` reads the room
/// from a queue (RocketMQ: the part before `@` of the broker name). Source:
/// `AllocateMessageQueueByMachineRoom`.
pub fn by_machine_room<Q: Clone>(
    queues: &[Q],
    members: usize,
    index: usize,
    rooms: &[&str],
    room_of: impl Fn(&Q) -> Option<&str>,
) -> Vec<Q> {
    if index >= members {
        return Vec::new();
    }
    let served: Vec<&Q> = queues
        .iter()
        .filter(|queue| room_of(queue).is_some_and(|room| rooms.contains(&room)))
        .collect();
    let run = served.len() / members;
    let left_over = served.len() % members;
    let own = served.iter().skip(run * index).take(run);
    let extra = (index < left_over).then(|| served.get(run * members + index)).flatten();
    own.chain(extra).map(|queue| (*queue).clone()).collect()
}

/// The share under the near-by strategy: queues are shared out inside their own room as long as the
/// room has members; queues of rooms without members are shared out among everybody. `member_rooms`
/// holds the room of every member in the sorted order. Inside, [`averagely`] is used. Source:
/// `AllocateMachineRoomNearby`.
pub fn machine_room_nearby<Q: Clone>(
    queues: &[Q],
    member_rooms: &[&str],
    index: usize,
    room_of: impl Fn(&Q) -> &str,
) -> Vec<Q> {
    let Some(&own_room) = member_rooms.get(index) else {
        return Vec::new();
    };
    let in_room = |room: &str| -> Vec<Q> {
        queues.iter().filter(|queue| room_of(queue) == room).cloned().collect()
    };
    let neighbours = member_rooms.iter().filter(|room| **room == own_room).count();
    let rank = member_rooms.iter().take(index).filter(|room| **room == own_room).count();
    let mut share = averagely(&in_room(own_room), neighbours, rank).to_vec();
    let mut deserted: Vec<&str> =
        queues.iter().map(&room_of).filter(|room| !member_rooms.contains(room)).collect();
    deserted.sort_unstable();
    deserted.dedup();
    for room in deserted {
        share.extend_from_slice(averagely(&in_room(room), member_rooms.len(), index));
    }
    share
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(queues: u16, members: usize) -> Vec<Vec<u16>> {
        let queues: Vec<u16> = (0..queues).collect();
        (0..members).map(|index| averagely(&queues, members, index).to_vec()).collect()
    }

    #[test]
    fn averagely_gives_runs() {
        assert_eq!(shares(10, 4), [vec![0, 1, 2], vec![3, 4, 5], vec![6, 7], vec![8, 9]]);
        assert_eq!(shares(8, 3), [vec![0, 1, 2], vec![3, 4, 5], vec![6, 7]]);
        assert_eq!(shares(3, 5), [vec![0], vec![1], vec![2], vec![], vec![]]);
        assert_eq!(shares(1, 2), [vec![0], vec![]]);
        assert_eq!(averagely(&[0, 1], 1, 1), []);
        assert_eq!(averagely(&[0, 1], 0, 0), []);
    }

    #[test]
    fn every_queue_has_one_owner() {
        for queues in 0..20 {
            for members in 1..8 {
                let all: Vec<u16> = shares(queues, members).concat();
                assert_eq!(
                    all,
                    (0..queues).collect::<Vec<_>>(),
                    "{queues} queues, {members} members"
                );
            }
        }
    }

    #[test]
    fn circle_takes_every_nth() {
        let queues: Vec<u16> = (0..10).collect();
        let shares: Vec<_> = (0..4).map(|index| by_circle(&queues, 4, index)).collect();
        assert_eq!(shares, [vec![0, 4, 8], vec![1, 5, 9], vec![2, 6], vec![3, 7]]);
        assert_eq!(by_circle(&queues, 4, 4), Vec::<u16>::new());
    }

    #[test]
    fn machine_room_appends_what_is_left() {
        let queues: Vec<(&str, u16)> =
            (0..5).map(|id| ("room1", id)).chain([("room2", 9)]).collect();
        let share = |index| -> Vec<u16> {
            by_machine_room(&queues, 2, index, &["room1"], |queue| Some(queue.0))
                .iter()
                .map(|q| q.1)
                .collect()
        };
        assert_eq!((share(0), share(1), share(2)), (vec![0, 1, 4], vec![2, 3], vec![]));
    }

    #[test]
    fn nearby_shares_deserted_rooms_among_all() {
        let queues = [("a", 0), ("a", 1), ("b", 2), ("c", 3), ("c", 4)];
        let members = ["a", "a", "b"];
        let share = |index| -> Vec<i32> {
            machine_room_nearby(&queues, &members, index, |queue| queue.0)
                .iter()
                .map(|q| q.1)
                .collect()
        };
        assert_eq!((share(0), share(1), share(2)), (vec![0, 3], vec![1, 4], vec![2]));
    }

    #[test]
    fn the_lists_must_not_be_empty() {
        let nobody: [&str; 0] = [];
        assert_eq!(check("", 0, &nobody), Err(AllocateError::CurrentCidEmpty));
        assert_eq!(check("A", 0, &nobody), Err(AllocateError::QueuesEmpty));
        assert_eq!(check("A", 1, &nobody), Err(AllocateError::MembersEmpty));
        assert_eq!(check("A", 1, &["B"]), Ok(None));
        assert_eq!(check("B", 1, &["A", "B"]), Ok(Some(1)));
        assert_eq!(AllocateError::QueuesEmpty.to_string(), "mqAll is null or mqAll empty");
    }
}
