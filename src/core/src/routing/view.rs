//! The route as a gRPC client sees it.

/// What a queue may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Permission {
    /// Neither reading nor writing.
    None,
    /// Reading only.
    Read,
    /// Writing only.
    Write,
    /// Both.
    ReadWrite,
}

/// One queue in the route of a gRPC client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RouteEntry {
    /// The id shown to the client; see [`grpc_route`] for why it need not be the stored one.
    pub id: u16,
    /// What the client may do with it.
    pub permission: Permission,
}

/// The queues that the proxy shows for a topic with `read` and `write` queues and a permission.
///
/// A quirk of the real proxy: ids are handed out to the read-only queues first, then to the
/// write-only ones, then to the rest. With 4 read and 8 write queues the ids 0..3 look write-only
/// although the broker stores 0..3 as the readable ones. Harmless as long as nobody uses the
/// client's queue id. Source: proxy `RouteActivity.genMessageQueueFromQueueData`.
pub fn grpc_route(read: u16, write: u16, permission: Permission) -> Vec<RouteEntry> {
    let both = read.min(write);
    let parts = match permission {
        Permission::ReadWrite => [
            (Permission::Read, read - both),
            (Permission::Write, write - both),
            (Permission::ReadWrite, both),
        ],
        Permission::Read => single(Permission::Read, read),
        Permission::Write => single(Permission::Write, write),
        Permission::None => single(Permission::None, read.max(write)),
    };
    parts
        .into_iter()
        .flat_map(|(permission, count)| std::iter::repeat_n(permission, usize::from(count)))
        .zip(0..)
        .map(|(permission, id)| RouteEntry { id, permission })
        .collect()
}

fn single(permission: Permission, count: u16) -> [(Permission, u16); 3] {
    [(permission, count), (permission, 0), (permission, 0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(read: u16, write: u16, permission: Permission) -> [usize; 3] {
        let route = grpc_route(read, write, permission);
        [Permission::Read, Permission::Write, Permission::ReadWrite]
            .map(|wanted| route.iter().filter(|entry| entry.permission == wanted).count())
    }

    #[test]
    fn permissions_split_the_queues() {
        assert_eq!(counts(8, 8, Permission::ReadWrite), [0, 0, 8]);
        assert_eq!(counts(8, 8, Permission::Read), [8, 0, 0]);
        assert_eq!(counts(8, 8, Permission::Write), [0, 8, 0]);
        assert_eq!(counts(8, 0, Permission::ReadWrite), [8, 0, 0]);
        assert_eq!(counts(4, 8, Permission::ReadWrite), [0, 4, 4]);
        assert_eq!(counts(4, 8, Permission::None), [0, 0, 0]);
    }

    #[test]
    fn write_only_queues_take_the_low_ids() {
        let route = grpc_route(4, 8, Permission::ReadWrite);
        assert_eq!(route[3], RouteEntry { id: 3, permission: Permission::Write });
        assert_eq!(route[4], RouteEntry { id: 4, permission: Permission::ReadWrite });
    }
}
