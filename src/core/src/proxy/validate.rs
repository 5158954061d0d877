//! What a proxy checks before it lets a message through. Pure.

use crate::command::TopicType;
use crate::grpc::{GrpcCode, SendRefusal};
use crate::ids::Ms;
use crate::model::Model;

/// Properties of a message that decide its type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Properties {
    /// `TRAN_MSG` is "true".
    pub transaction: bool,
    /// Any of `DELAY`, `TIMER_DELIVER_MS`, `TIMER_DELAY_SEC`, `TIMER_DELAY_MS`.
    pub delay: bool,
    /// `__SHARDINGKEY`.
    pub sharding_key: bool,
}

/// The type of a message; the first rule that fits wins. Source: common
/// `TopicMessageType.parseFromMessageProperty`.
pub fn message_type(properties: Properties) -> TopicType {
    match properties {
        Properties { transaction: true, .. } => TopicType::Transaction,
        Properties { delay: true, .. } => TopicType::Delay,
        Properties { sharding_key: true, .. } => TopicType::Fifo,
        _ => TopicType::Normal,
    }
}

/// RocketMQ's name of a type; None = UNSPECIFIED.
pub fn type_name(kind: Option<TopicType>) -> &'static str {
    match kind {
        None => "UNSPECIFIED",
        Some(TopicType::Normal) => "NORMAL",
        Some(TopicType::Fifo) => "FIFO",
        Some(TopicType::Delay) => "DELAY",
        Some(TopicType::Transaction) => "TRANSACTION",
        Some(TopicType::Mixed) => "MIXED",
    }
}

/// Remoting code of a type conflict on the proxy's remoting port (MESSAGE_ILLEGAL).
pub const TYPE_CONFLICT_REMOTING_CODE: i32 = 13;

/// RocketMQ's text of a type conflict. Source: proxy `DefaultTopicMessageTypeValidator`.
pub fn type_conflict_text(expected: Option<TopicType>, actual: TopicType) -> String {
    let (expected, actual) = (type_name(expected), type_name(Some(actual)));
    format!("TopicMessageType validate failed, the expected type is {expected}, but actual type is {actual}")
}

/// RocketMQ's text when the Java SDK itself refuses a type (`IllegalArgumentException`). Source:
/// clients java `ProducerImpl.send0`.
pub fn sdk_conflict_text(topic: &str, expected: &[TopicType], actual: TopicType) -> String {
    let accepts: Vec<&str> = expected.iter().map(|kind| type_name(Some(*kind))).collect();
    format!(
        "Current message type not match with topic accept message types, topic={topic}, actualMessageType={}, acceptMessageTypes=[{}]",
        type_name(Some(actual)),
        accepts.join(", ")
    )
}

/// Types that the route of a topic tells SDKs to accept. Source: proxy `RouteActivity`.
pub fn accepted_types(topic: TopicType) -> Vec<TopicType> {
    match topic {
        TopicType::Mixed => {
            vec![TopicType::Normal, TopicType::Fifo, TopicType::Delay, TopicType::Transaction]
        }
        kind => vec![kind],
    }
}

/// Whether a topic takes a message's type; None stands for a topic that the proxy does not know.
///
/// # Errors
/// 40014 with both types.
pub fn check_type(expected: Option<TopicType>, actual: TopicType) -> Result<(), SendRefusal> {
    match expected {
        Some(TopicType::Mixed) => Ok(()),
        Some(kind) if kind == actual => Ok(()),
        _ => Err(SendRefusal {
            code: GrpcCode::MessagePropertyConflictWithType,
            types: Some((expected, actual)),
        }),
    }
}

/// Whether a message group is legal: shorter than the limit, not blank, without control characters.
/// An empty one means "none".
///
/// # Errors
/// ILLEGAL_MESSAGE_GROUP (40006). A limit of 0 switches all but the look for blanks off. Source:
/// proxy `SendMessageActivity.validateMessageGroup`.
pub fn check_message_group(model: &Model, group: &str) -> Result<(), SendRefusal> {
    // The no-break spaces are none to Java (`Character.isWhitespace`).
    let white = |c: char| c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}');
    let blank = !group.is_empty() && group.chars().all(white);
    let longest = model.max_message_group_size;
    let long = group.len() as i64 >= longest;
    match blank || longest > 0 && (long || group.chars().any(char::is_control)) {
        true => Err(SendRefusal { code: GrpcCode::IllegalMessageGroup, types: None }),
        false => Ok(()),
    }
}

/// Whether a delivery time is legal.
///
/// # Errors
/// ILLEGAL_DELIVERY_TIME (40012) when it is further ahead than the limit; a limit of 0 is none.
pub fn check_delivery_time(model: &Model, delay_ms: Ms) -> Result<(), SendRefusal> {
    match model.proxy_max_delay_time_ms > 0 && delay_ms > model.proxy_max_delay_time_ms {
        true => Err(SendRefusal { code: GrpcCode::IllegalDeliveryTime, types: None }),
        false => Ok(()),
    }
}

/// Whether the invisible time of a receive is legal.
///
/// # Errors
/// 40011.
pub fn check_receive_invisible(model: &Model, ms: Ms) -> Result<(), GrpcCode> {
    match (model.min_invisible_time_for_recv_ms..=model.max_invisible_time_ms).contains(&ms) {
        true => Ok(()),
        false => Err(GrpcCode::IllegalInvisibleTime),
    }
}

/// Whether a new invisible duration is legal.
///
/// # Errors
/// 40011.
pub fn check_change_invisible(model: &Model, ms: Ms) -> Result<(), GrpcCode> {
    match (0..=model.max_invisible_time_ms).contains(&ms) {
        true => Ok(()),
        false => Err(GrpcCode::IllegalInvisibleTime),
    }
}

/// Extension of a renewal, by the number of renewals before it. Source: proxy `RenewStrategyPolicy`;
/// a fixed span up to 5.1.0.
pub fn renew_extension_ms(model: &Model, times: u32) -> Ms {
    const LIST_MS: [Ms; 6] = [60_000, 180_000, 300_000, 600_000, 1_800_000, 3_600_000];
    match model.renew_slice_time_ms {
        fixed @ 1.. => fixed,
        _ => LIST_MS[(times as usize).min(LIST_MS.len() - 1)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Version;

    #[test]
    fn the_first_property_decides() {
        let of = |transaction, delay, sharding_key| {
            message_type(Properties { transaction, delay, sharding_key })
        };
        assert_eq!(of(true, true, true), TopicType::Transaction);
        assert_eq!(of(false, true, true), TopicType::Delay);
        assert_eq!(of(false, false, true), TopicType::Fifo);
        assert_eq!(of(false, false, false), TopicType::Normal);
    }

    #[test]
    fn a_conflict_says_both_types() {
        let refused = check_type(Some(TopicType::Fifo), TopicType::Normal).unwrap_err();
        assert_eq!(refused.code.number(), 40_014);
        assert_eq!(
            type_conflict_text(Some(TopicType::Fifo), TopicType::Normal),
            "TopicMessageType validate failed, the expected type is FIFO, but actual type is NORMAL"
        );
        assert!(check_type(Some(TopicType::Mixed), TopicType::Fifo).is_ok());
        assert!(check_type(None, TopicType::Normal).is_err());
    }

    #[test]
    fn sixty_three_bytes_are_the_longest_group() {
        let model = Model::of(Version(5, 3, 3));
        let ok = |group: &str| check_message_group(&model, group).is_ok();
        assert!(ok(&"a".repeat(63)) && !ok(&"a".repeat(64)) && ok(""));
        assert!(!ok("  ") && !ok("\t") && !ok("a\u{7}b") && ok("a b"));
        assert!(!ok(&"订".repeat(22)) && ok(&"订".repeat(21)));
    }

    #[test]
    fn invisible_times_have_limits() {
        let model = Model::of(Version(5, 3, 3));
        let receive = |s: Ms| check_receive_invisible(&model, s * 1_000).is_ok();
        assert_eq!([0, 9, 10, 43_200, 43_201].map(receive), [false, false, true, true, false]);
        assert!(check_change_invisible(&model, 0).is_ok());
    }

    #[test]
    fn renewals_grow_since_5_1_1() {
        let new = Model::of(Version(5, 1, 1));
        let list = [0, 1, 2, 3, 4, 5, 6].map(|n| renew_extension_ms(&new, n) / 60_000);
        assert_eq!(list, [1, 3, 5, 10, 30, 60, 60]);
        assert_eq!(renew_extension_ms(&Model::of(Version(5, 1, 0)), 5), 60_000);
    }
}
