//! Consumer groups other than the chosen one: who is in them and what they have in hand. They colour
//! nothing on the lanes, where they are offset markers only.

use std::rc::Rc;

use super::holds::{self, ConsumerKind, HoldState};
use super::project::Scene;
use super::{ConsumerState, GroupView, Named, TokenState};
use crate::client::{Client, Status, Task};
use crate::ids::{ClientId, GroupId};
use crate::process::Process;

/// Messages of a consumer that are shown.
const SHOWN_OF_MEMBER: usize = 3;

/// A consumer group that is not the chosen one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherGroupView {
    /// The group.
    pub group: GroupView,
    /// Its consumers.
    pub members: Vec<MemberView>,
}

/// A consumer of another group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberView {
    /// Id.
    pub id: ClientId,
    /// Name.
    pub name: Rc<str>,
    /// What it is doing.
    pub state: ConsumerState,
    /// Which client it is.
    pub kind: ConsumerKind,
    /// What it has in hand, as many as are shown.
    pub names: Vec<(Named, TokenState)>,
    /// Messages with it in all.
    pub cached: u32,
}

/// All other groups.
pub(super) fn other_groups(scene: &Scene<'_>) -> Vec<OtherGroupView> {
    (0..scene.world.shared.names.groups.len())
        .map(|index| GroupId(index as u16))
        .filter(|group| Some(*group) != scene.group)
        .map(|group| {
            let of = scene.world.clients.iter().filter(|process| process.group() == group);
            let members = of.filter_map(|process| member(scene, process)).collect();
            OtherGroupView { group: scene.group_of(group), members }
        })
        .collect()
}

fn member(scene: &Scene<'_>, process: &Process) -> Option<MemberView> {
    let state = match process.status() {
        Status::Running | Status::Stopping { .. } => ConsumerState::Running,
        Status::Hanging => ConsumerState::Hanging,
        Status::Ended(_) => return None,
    };
    let id = process.id();
    let name = scene.world.shared.names.clients[id.index()].as_str().into();
    let (kind, mut names, cached) = match process {
        Process::Classic(client) => classic(scene, client),
        Process::Grpc(client) => {
            let view = holds::consumer(scene, client)?;
            let shown = |hold: &holds::HoldView| {
                let first = hold.messages.first()?;
                let state = match hold.state {
                    HoldState::Handling { from_ms, until_ms } => {
                        TokenState::InFlight { from_ms, until_ms, again: false }
                    }
                    HoldState::BackOff { .. } => TokenState::Retry(hold.attempt.saturating_sub(1)),
                    HoldState::NoThread => TokenState::Ready,
                    _ => TokenState::Held,
                };
                Some((first.name.clone(), state))
            };
            (view.kind, view.holds.iter().filter_map(shown).collect(), view.cached)
        }
    };
    names.truncate(SHOWN_OF_MEMBER);
    Some(MemberView { id, name, state, kind, names, cached })
}

fn classic(scene: &Scene<'_>, client: &Client) -> (ConsumerKind, Vec<(Named, TokenState)>, u32) {
    let running = client.calls.iter().filter(|call| call.running).flat_map(|call| {
        let (from_ms, until_ms) = (call.since_ms, call.until_ms);
        let state = TokenState::InFlight { from_ms, until_ms, again: false };
        call.batch.iter().map(move |m| (scene.name(m.msg), state))
    });
    let suspended = client.queues.values().filter_map(|entry| {
        let head = entry.waiting().next()?;
        let failed = matches!(entry.task, Task::Suspended { .. });
        failed.then(|| (scene.name(head.msg), TokenState::Retry(head.reconsume_times)))
    });
    let cached = client.queues.values().map(|entry| entry.count()).sum::<usize>();
    (ConsumerKind::Classic, running.chain(suspended).collect(), cached as u32)
}
