//! What the values of the scenario language are, in Chinese. The English is the core's own.

/// What a value is, by the name that the core's table gives its kind.
pub(super) fn chinese(kind: &str) -> &'static str {
    match kind {
        "time" => "运行中的时刻，最长 1000 天",
        "duration" => "时长，最长 1000 天",
        "durations" => "时长，最长 1000 天，或以 .. 连接的两个时长",
        "count" => "整数，从 1 起",
        "number" | "seed" => "整数，从 0 起",
        "limit" => "整数，从 -1 起",
        "queues" => "队列数，1 至 1024",
        "batch" => "消息数，1 至 1024",
        "threads" => "线程数，1 至 1000",
        "senders" => "发送线程数，1 至 64",
        "messages" => "消息数，1 至 10000000",
        "groups" => "消息组数，1 至 10000",
        "rate" => "每秒消息数，1 至 1000000",
        "percent" => "百分比，0% 至 100%",
        "code" => "返回码：数字，或 gRPC 协议中的名称",
        "grpc-code" => "gRPC 协议的返回码：名称或数字",
        "level" => "延时级别，从 1 起",
        "queue-id" => "队列编号，从 0 起",
        "factor" => "整数，1 到 100",
        "decimal" => "数字，最多两位小数",
        "value" => "数字、时长或 never",
        "topic" => "主题的名称",
        "group" => "消费组的名称",
        "producer" => "生产者的名称",
        "consumer" => "消费者的名称",
        "broker" => "Broker 的名称，第一个叫 broker",
        "proxy" => "Proxy 的名称，第一个叫 proxy",
        "party" => "消费者、生产者、Broker 或 Proxy",
        "new-topic" => "新主题的名称",
        "new-group" => "新消费组的名称",
        "new-producer" => "新生产者的名称",
        "new-consumer" => "新消费者的名称",
        "new-broker" => "新 Broker 的名称",
        "new-proxy" => "新 Proxy 的名称",
        "series" => "消息系列：字母，不以数字结尾",
        "labels" => "消息标签，可含最多 10000 条的范围",
        "label" => "消息标签",
        "queue" => "队列；主题不止一个时写明主题，不在第一个 Broker 上时写明 Broker",
        "word" => "一个词，或加引号的多个词",
        "words" => "直到行尾的词，或一段加引号的文本",
        "text" => "直到行尾的文本",
        "model" => "4.9、5.1、5.3、documents 或确切的版本号",
        "type" => "主题类型",
        "constant" => "模型常量，用 RocketMQ 的名称",
        "event" => "消息发生了什么",
        "queue-event" => "队列发生了什么",
        "consumer-event" => "消费者发生了什么",
        "party-event" => "参与方发生了什么",
        "reason" => "发送失败的原因",
        "refusal" => "语句被拒绝的原因",
        "packet" => "数据包的种类",
        "request" => "请求的种类",
        "sdk" => "gRPC 协议的 SDK",
        _ => "值",
    }
}

#[cfg(test)]
mod tests {
    use super::chinese;
    use lockstep_core::scenario::SLOTS;

    #[test]
    fn every_kind_of_value_has_its_own_words() {
        for row in SLOTS {
            assert_ne!(chinese(row.kind), "值", "{}", row.kind);
        }
    }

    /// Bounds are said in both languages alike.
    #[test]
    fn the_numbers_are_those_of_the_english() {
        let numbers = |text: &str| -> Vec<u64> {
            text.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
        };
        for row in SLOTS {
            assert_eq!(numbers(chinese(row.kind)), numbers(row.meaning), "{}", row.kind);
        }
    }
}
