//! What the stage can show instead of what it shows: another consumer group, another topic.

use lockstep_core::ids::TopicId;

#[cfg(target_arch = "wasm32")]
use crate::app::msg::Msg;

/// Something that the stage can show instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// A consumer group, by its place in the list of groups.
    Group(usize),
    /// A topic.
    Topic(TopicId),
}

impl Shows {
    /// `g1` or `t2`, as elements carry it.
    pub fn id(self) -> String {
        match self {
            Self::Group(group) => format!("g{group}"),
            Self::Topic(topic) => format!("t{}", topic.0),
        }
    }

    /// Reads [`Self::id`].
    pub fn of_id(id: &str) -> Option<Self> {
        let number = id.get(1..)?;
        match id.get(..1)? {
            "g" => Some(Self::Group(number.parse().ok()?)),
            "t" => Some(Self::Topic(TopicId(number.parse().ok()?))),
            _ => None,
        }
    }

    /// The request to show it.
    #[cfg(target_arch = "wasm32")]
    pub fn msg(self) -> Msg {
        match self {
            Self::Group(group) => Msg::ChooseGroup(group),
            Self::Topic(topic) => Msg::ChooseTopic(topic),
        }
    }
}
