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
        begun = "begun", "已开始";
        done = "done", "已完成";
        repaired = "repaired", "修复后";
        make_new = "New scenario", "新建场景";
        new_hint = "A small one to begin with, to change and run", "从一个小场景开始，修改并运行";
        edit = "Change this one", "修改当前场景";
        edit_hint = "The text of the scenario that plays, to change and run", "打开正在播放的场景文本，修改并运行";
    }
    with {
        lesson_of(number: usize, count: usize) = "lesson {number} of {count}", "第 {number}/{count} 课";
        run_of(time: &str) = "runs {time}", "时长 {time}";
        beats(count: usize) = "{count} ‹beat|beats›", "{count} 拍";
        done_of(done: usize, count: usize) = "{done} of {count}", "{done}/{count}";
        lessons_done(done: usize, count: usize) = "{done} of {count} ‹lesson|lessons› done", "已完成 {done}/{count} 课";
        minutes(count: usize) = "{count} min", "{count} 分钟";
    }
}

macro_rules! chapters {
    ($($(#[$doc:meta])* $number:literal $chapter:ident = $en:literal, $zh:literal;)*) => {
        /// A chapter of the lessons.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Chapter {
            $($(#[$doc])* $chapter,)*
            /// Everything without a chapter.
            More,
        }

        impl Chapter {
            /// The chapter of a number.
            pub fn of(number: usize) -> Self {
                match number {
                    $($number => Self::$chapter,)*
                    _ => Self::More,
                }
            }

            /// Its name.
            pub fn name(self, locale: Locale) -> &'static str {
                match self {
                    $(Self::$chapter => locale.pick($en, $zh),)*
                    Self::More => locale.pick("More", "更多"),
                }
            }
        }
    };
}

chapters! {
    /// Groups, queues, states.
    1 Basics = "The basics", "基础";
    /// How senders keep and break the order.
    2 Producing = "Producing in order", "顺序生产";
    /// How consumers keep and break it.
    3 Consuming = "Consuming in order", "顺序消费";
    /// Owners of queues.
    4 Locks = "Locks and rebalance", "锁与重平衡";
    /// What a failure blocks.
    5 Failure = "Failure and retry", "失败与重试";
    /// The 5.x path.
    6 Pop = "POP, SimpleConsumer", "POP 与 SimpleConsumer";
    /// Delayed messages.
    7 Delay = "Delay levels", "延迟级别";
    /// Offsets, reset, retention.
    8 Offsets = "Offsets and reset", "位点与重置";
    /// Load and queue counts.
    9 Scaling = "Scaling and hot groups", "扩展与热点";
    /// What other brokers do.
    10 Beyond = "Beyond RocketMQ", "RocketMQ 之外";
}
