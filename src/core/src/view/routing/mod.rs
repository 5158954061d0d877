//! The routing microscope: what each function makes of a list of message groups, for one number of
//! queues and then for another. Pure; nothing of a run is needed.

mod grow;
mod names;

pub use grow::grow_scenario;
pub use names::{names, Names, NamesProblem, MAX_NAMES};

use crate::routing::{
    abs_hash, java_hash, modulo, moved, node_hash, proxy_queue, select_by_hash, selected,
    sip_hash24, Moved, RoundRobin, Sdk, GUAVA_SIP_K0, GUAVA_SIP_K1,
};

/// Most queues that are looked at, as in the scenario language.
pub const MAX_QUEUES: u32 = 1_024;

/// A text whose `hashCode` is `Integer.MIN_VALUE`: the usual example.
pub const MIN_VALUE_TEXT: &str = "polygenelubricants";

/// Messages that [`load`] shares out when one group is hot.
pub const HOT_MESSAGES: u32 = 10_000;

/// Something that chooses a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Function {
    /// The classic client's `SelectMessageQueueByHash`: `|hash % n|`.
    ByHash,
    /// Written by hand: `Math.abs(hash) % n`.
    AbsHash,
    /// Written by hand: `id % n`; the id is the number that the group is, or its hash.
    Modulo,
    /// No selector: the queues in turn.
    RoundRobin,
    /// The proxy's consistent hash. The only one that decides where a gRPC message is stored.
    Proxy,
    /// An SDK's choice of the endpoint.
    Sdk(Sdk),
}

impl Function {
    /// All of them, classic ones first. Go's SDK does as Java's and is not listed twice.
    pub const ALL: [Self; 11] = [
        Self::ByHash,
        Self::AbsHash,
        Self::Modulo,
        Self::RoundRobin,
        Self::Proxy,
        Self::Sdk(Sdk::Java),
        Self::Sdk(Sdk::Node),
        Self::Sdk(Sdk::Rust),
        Self::Sdk(Sdk::Python),
        Self::Sdk(Sdk::Cpp),
        Self::Sdk(Sdk::CSharp),
    ];

    /// The number that it makes of a group; None where there is none (round robin) or where it
    /// depends on the platform (C++, C#).
    pub fn number(self, group: &str) -> Option<Number> {
        let sip = |k0, k1| sip_hash24(group.as_bytes(), k0, k1);
        Some(match self {
            Self::ByHash | Self::AbsHash | Self::Proxy => Number::Int(java_hash(group).into()),
            Self::Modulo => Number::Int(id(group)),
            Self::Sdk(Sdk::Java | Sdk::Go) => Number::Bits(sip(GUAVA_SIP_K0, GUAVA_SIP_K1)),
            Self::Sdk(Sdk::Node) => Number::Bits(node_hash(group)),
            Self::Sdk(Sdk::Rust) => Number::Bits(sip(0, 0)),
            Self::Sdk(Sdk::Python) => Number::Digest(hmac_sha256::Hash::hash(group.as_bytes())),
            Self::RoundRobin | Self::Sdk(Sdk::Cpp | Sdk::CSharp) => return None,
        })
    }

    /// Where it sends a group that stands at `place` of the list, with `n` queues.
    pub fn landing(self, group: &str, place: u32, n: u32) -> Landing {
        let index = match self {
            Self::ByHash => select_by_hash(java_hash(group), n).into(),
            Self::AbsHash => abs_hash(java_hash(group), n).into(),
            Self::Modulo => modulo(id(group), n),
            // The start is random; here it is such that the first message goes to queue 0.
            Self::RoundRobin => RoundRobin::classic(place as i32 - 1).next(n).into(),
            Self::Proxy => proxy_queue(group, n).into(),
            Self::Sdk(sdk) => match sdk.candidate(group, n) {
                Some(queue) => queue.into(),
                None => return Landing::Platform,
            },
        };
        selected(index, n).map_or(Landing::Throws(index), Landing::Queue)
    }

    /// The last bits of what it takes the remainder of, where two numbers of queues that are powers
    /// of two make bits decide.
    pub fn bits(self, group: &str, from: u32, to: u32) -> Option<Bits> {
        if from == to || !from.is_power_of_two() || !to.is_power_of_two() {
            return None;
        }
        let low = match self {
            Self::ByHash | Self::AbsHash => java_hash(group).unsigned_abs(),
            Self::Modulo => id(group).unsigned_abs() as u32,
            Self::Sdk(_) => match self.number(group)? {
                Number::Bits(bits) => bits as u32,
                Number::Digest([.., a, b, c, d]) => u32::from_be_bytes([a, b, c, d]),
                Number::Int(_) => return None,
            },
            Self::RoundRobin | Self::Proxy => return None,
        };
        let (all, fresh) = (from.max(to).trailing_zeros(), from.ilog2().abs_diff(to.ilog2()));
        Some(Bits { bits: (0..all).rev().map(|place| low >> place & 1 == 1).collect(), fresh })
    }
}

/// The number in a group's name, as `id % n` takes it.
fn id(group: &str) -> i64 {
    group.parse().unwrap_or_else(|_| java_hash(group).into())
}

/// A hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// A Java number: a `hashCode`, an id.
    Int(i64),
    /// 64 bits.
    Bits(u64),
    /// SHA-256.
    Digest([u8; 32]),
}

/// Where a group comes to lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landing {
    /// In this queue.
    Queue(u32),
    /// Nowhere: the index lies outside the list, the selector throws and the send fails.
    Throws(i64),
    /// It depends on the platform; no number would be true.
    Platform,
}

impl Landing {
    /// The queue, if there is one.
    pub fn queue(self) -> Option<u32> {
        match self {
            Self::Queue(queue) => Some(queue),
            Self::Throws(_) | Self::Platform => None,
        }
    }
}

/// The bits that decide, the highest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits {
    /// As many as the larger number of queues reads.
    pub bits: Vec<bool>,
    /// How many of them, from the first, the smaller number does not read.
    pub fresh: u32,
}

/// A group under the microscope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its place in the list, from 0.
    pub place: u32,
    /// The group.
    pub group: String,
    /// What the function makes of it.
    pub number: Option<Number>,
    /// The bits that decide.
    pub bits: Option<Bits>,
    /// Where it goes with the first number of queues.
    pub from: Landing,
    /// Where it goes with the second.
    pub to: Landing,
}

impl Row {
    /// Whether its new messages no longer queue behind its old ones.
    pub fn moves(&self) -> bool {
        self.from != self.to
    }
}

/// The first `limit` groups of a list.
pub fn rows(list: &[String], limit: usize, function: Function, from: u32, to: u32) -> Vec<Row> {
    let row = |(place, group): (u32, &String)| Row {
        place,
        group: group.clone(),
        number: function.number(group),
        bits: function.bits(group, from, to),
        from: function.landing(group, place, from),
        to: function.landing(group, place, to),
    };
    (0..).zip(list).take(limit).map(row).collect()
}

/// What each queue gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// By queue.
    pub queues: Vec<u32>,
    /// What the selector throws on.
    pub thrown: u32,
    /// What the hot group adds: its queue, and how much.
    pub hot: Option<(u32, u32)>,
}

/// Groups for each of `n` queues; None for a function whose value depends on the platform.
pub fn load(list: &[String], function: Function, n: u32) -> Option<Load> {
    let mut load = Load { queues: vec![0; n as usize], ..Load::default() };
    for (place, group) in (0..).zip(list) {
        match function.landing(group, place, n) {
            Landing::Queue(queue) => load.queues[queue as usize] += 1,
            Landing::Throws(_) => load.thrown += 1,
            Landing::Platform => return None,
        }
    }
    Some(load)
}

/// Messages for each of `n` queues, of [`HOT_MESSAGES`], when the group at `place` sends `share`
/// per cent of them and the others send the rest in equal parts. None as for [`load`], or when
/// there are fewer than two groups.
pub fn hot_load(
    list: &[String],
    function: Function,
    n: u32,
    (place, share): (u32, u32),
) -> Option<Load> {
    let even = load(list, function, n)?;
    let others = u64::try_from(list.len()).ok()?.checked_sub(1).filter(|others| *others > 0)?;
    let hot = HOT_MESSAGES * share.min(100) / 100;
    let rest = u64::from(HOT_MESSAGES - hot);
    let landing = function.landing(list.get(place as usize)?, place, n);
    let part = |groups: u32, own: bool| {
        let groups = u64::from(groups) - u64::from(own);
        // At most HOT_MESSAGES.
        ((groups * rest + others / 2) / others) as u32 + if own { hot } else { 0 }
    };
    Some(Load {
        queues: (0..)
            .zip(&even.queues)
            .map(|(queue, groups)| part(*groups, landing == Landing::Queue(queue)))
            .collect(),
        thrown: part(even.thrown, matches!(landing, Landing::Throws(_))),
        hot: landing.queue().map(|queue| (queue, hot)),
    })
}

/// How many groups of a list change their queue; None as for [`load`].
pub fn moving(list: &[String], function: Function, from: u32, to: u32) -> Option<Moved> {
    if list.iter().any(|group| function.landing(group, 0, from) == Landing::Platform) {
        return None;
    }
    if function == Function::RoundRobin {
        return None;
    }
    Some(moved(list, from, to, |group, n| match function.landing(group, 0, n) {
        Landing::Queue(queue) => queue.into(),
        Landing::Throws(index) => index,
        Landing::Platform => -1,
    }))
}

/// One column of the trap's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrapCell {
    /// Number of queues.
    pub n: u32,
    /// `Math.abs(hash) % n`.
    pub abs_first: i32,
    /// `Math.abs(hash % n)`.
    pub abs_last: i32,
}

/// The two ways to write the absolute value, for 1 to `until` queues.
pub fn trap(group: &str, until: u32) -> Vec<TrapCell> {
    let hash = java_hash(group);
    let cell = |n| TrapCell { n, abs_first: abs_hash(hash, n), abs_last: select_by_hash(hash, n) };
    (1..=until).map(cell).collect()
}
