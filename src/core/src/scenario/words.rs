//! Words for values of the core that are chosen from a list.

use crate::event::PacketKind;
use crate::fact::RequestKind;
use crate::grpc::GrpcCode;
use crate::routing::Sdk;

/// Kinds of packets that can be lost.
pub(crate) const PACKETS: &[(&str, PacketKind)] = &[
    ("packet", PacketKind::Any),
    ("send", PacketKind::Send),
    ("send-answer", PacketKind::SendAnswer),
    ("pull", PacketKind::Pull),
    ("pull-answer", PacketKind::PullAnswer),
    ("lock", PacketKind::Lock),
    ("lock-answer", PacketKind::LockAnswer),
    ("unlock", PacketKind::Unlock),
    ("offsets", PacketKind::Offsets),
    ("query", PacketKind::Query),
    ("query-answer", PacketKind::QueryAnswer),
    ("send-back", PacketKind::SendBack),
    ("send-back-answer", PacketKind::SendBackAnswer),
    ("heartbeat", PacketKind::Heartbeat),
    ("unregister", PacketKind::Unregister),
    ("notification", PacketKind::Notification),
    ("end-transaction", PacketKind::EndTransaction),
    ("check-transaction", PacketKind::CheckTransaction),
    ("reset", PacketKind::Reset),
    ("receive", PacketKind::Receive),
    ("receive-answer", PacketKind::ReceiveAnswer),
    ("ack", PacketKind::Ack),
    ("ack-answer", PacketKind::AckAnswer),
    ("settings", PacketKind::Settings),
    ("settings-answer", PacketKind::SettingsAnswer),
    ("other", PacketKind::Other),
];

/// Requests that a proxy can be made to refuse.
pub(crate) const REQUESTS: &[(&str, RequestKind)] = &[
    ("send", RequestKind::Send),
    ("lock", RequestKind::Lock),
    ("pull", RequestKind::Pull),
    ("query-offset", RequestKind::QueryOffset),
    ("max-offset", RequestKind::MaxOffset),
    ("members", RequestKind::Members),
    ("heartbeat", RequestKind::Heartbeat),
    ("send-back", RequestKind::SendBack),
    ("settings", RequestKind::Settings),
    ("assignment", RequestKind::Assignment),
    ("receive", RequestKind::Receive),
    ("ack", RequestKind::Ack),
];

/// The SDKs of gRPC producers.
pub(crate) const SDKS: &[(&str, Sdk)] = &[
    ("java", Sdk::Java),
    ("go", Sdk::Go),
    ("node", Sdk::Node),
    ("rust", Sdk::Rust),
    ("python", Sdk::Python),
    ("cpp", Sdk::Cpp),
    ("csharp", Sdk::CSharp),
];

/// The words of a table.
pub(crate) fn words<T>(table: &[(&'static str, T)]) -> Vec<&'static str> {
    table.iter().map(|(word, _)| *word).collect()
}

/// What a word of a table stands for.
pub(crate) fn meant<T: Copy>(table: &[(&'static str, T)], word: &str) -> Option<T> {
    table.iter().find(|(w, _)| *w == word).map(|(_, value)| *value)
}

/// The word of a value.
pub(crate) fn word_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|(_, v)| v == value).map_or("", |(word, _)| word)
}

/// The codes of the gRPC protocol, by name.
pub(crate) fn code_names() -> Vec<&'static str> {
    GrpcCode::ALL.iter().map(|code| code.named().1).collect()
}

/// A code of the gRPC protocol by its name or its number.
pub(crate) fn grpc_code(word: &str) -> Option<GrpcCode> {
    GrpcCode::ALL
        .into_iter()
        .find(|code| code.named().1 == word || code.number().to_string() == word)
}

/// A code by its number.
pub(crate) fn grpc_code_of(number: i64) -> Option<GrpcCode> {
    GrpcCode::ALL.into_iter().find(|code| i64::from(code.number()) == number)
}
