//! Changes of a run, and what they do.

use crate::command::Command;
use crate::ids::{GroupId, MessageGroupId, Ms, MsgId};
use crate::model::{Blocking, Version};

/// A change, and what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterfactual {
    /// What is changed.
    pub change: Change,
    /// What that does.
    pub effect: Effect,
}

/// What is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Commands that are given now.
    Now(Vec<Command>),
    /// Commands that are given at an instant of the run, which begins anew.
    From {
        /// When.
        at_ms: Ms,
        /// Which.
        commands: Vec<Command>,
    },
    /// Other commands in place of some of the journal, by their numbers; the run begins anew.
    Instead(Vec<(u32, Command)>),
    /// Without some commands of the journal; the run begins anew.
    Without(Vec<u32>),
    /// Some commands of the journal at other instants, by their numbers; the run begins anew.
    Moved(Vec<(u32, Ms)>),
    /// Another model of blocking; the run begins anew.
    Blocking(Blocking),
    /// Another release of broker and clients; the run begins anew.
    Release(Version),
}

impl Change {
    /// True when it is given at the present; otherwise the run begins anew.
    pub fn is_now(&self) -> bool {
        matches!(self, Self::Now(_))
    }
}

/// What a change does: something happens that would not happen, or happens earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// A group begins to handle a message earlier.
    Handled {
        /// Message.
        msg: MsgId,
        /// Consumer group.
        group: GroupId,
    },
    /// A group is done with a message earlier: acknowledged, or a dead letter.
    Finished {
        /// Message.
        msg: MsgId,
        /// Consumer group.
        group: GroupId,
    },
    /// A failed message of a group with a concurrent listener goes back to the broker.
    SentBack {
        /// Message.
        msg: MsgId,
        /// Consumer group.
        group: GroupId,
    },
    /// A message is stored earlier.
    Stored {
        /// Message.
        msg: MsgId,
    },
    /// A command is carried out.
    Applied {
        /// Its number.
        index: u32,
    },
    /// The order of a message group is not broken.
    OrderKept {
        /// Message group.
        series: MessageGroupId,
        /// Consumer group.
        group: GroupId,
    },
}
