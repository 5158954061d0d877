//! Texts of the list of scenarios.

use super::Locale;

crate::catalogue! {
    /// The list of scenarios.
    PickerText;
    plain {
        title = "Scenarios", "场景";
        find = "Find a lesson, a symptom, a RocketMQ term", "查找课程、症状或 RocketMQ 术语";
        nothing = "Nothing matches.", "没有匹配项。";
        playing = "playing", "播放中";
        edit = "Write your own", "编写自己的场景";
        edit_hint = "The text of the scenario that plays, to change and run", "打开正在播放的场景文本，修改并运行";
    }
    with {
        lesson_of(number: usize, count: usize) = "lesson {number} of {count}", "第 {number}/{count} 课";
        run_of(time: &str) = "runs {time}", "时长 {time}";
        beats(count: usize) = "{count} beats", "{count} 拍";
    }
}

macro_rules! chapters {
    ($($(#[$doc:meta])* $chapter:ident = $en:literal, $zh:literal;)*) => {
        /// A chapter of the lessons.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Chapter {
            $($(#[$doc])* $chapter,)*
        }

        impl Chapter {
            /// Its name.
            pub fn name(self, locale: Locale) -> &'static str {
                match self {
                    $(Self::$chapter => locale.pick($en, $zh),)*
                }
            }
        }
    };
}

chapters! {
    /// Groups, queues, offsets.
    Basics = "The basics", "基础";
    /// How senders keep and break the order.
    Producing = "Producing in order", "顺序生产";
    /// How consumers keep and break it.
    Consuming = "Consuming in order", "顺序消费";
    /// Owners of queues.
    Locks = "Locks and rebalance", "锁与重平衡";
    /// What a failure blocks.
    Failure = "Failure and retry", "失败与重试";
    /// Delayed messages.
    Delay = "Delay levels", "延迟级别";
    /// Offsets, reset, retention.
    Offsets = "Offsets and reset", "位点与重置";
    /// Load and queue counts.
    Scaling = "Scaling and hot groups", "扩展与热点";
    /// Everything else.
    More = "More", "更多";
}
