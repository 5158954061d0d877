//! A broken guarantee as a story.

use lockstep_core::explain::diagnose::Problem;
use lockstep_core::explain::violation::Story;
use lockstep_core::guarantee::Guarantee;

use crate::sentence::Speaker;

crate::catalogue! {
    /// What the page says around a broken guarantee.
    BrokenText;
    plain {
        upwards = "Read upwards: each step led to the one above it.", "从下往上读：每一步引出上面一步。";
        two_met = "Two chains met. Without one of them the guarantee holds.", "两条链在此相遇，缺少任何一条，保证都成立。";
        guilty = "the first guilty step", "最早出错的一步";
        would_keep = "What would have kept it", "怎样可以保住它";
        nothing_keeps = "No change that was tried keeps it.", "试过的改动都保不住它。";
    }
    with {
        order_handled(later: &str, earlier: &str) = "{later} is handled before {earlier} is finished.", "{later} 在 {earlier} 完成之前被处理。";
        two_owners(by: &str, from: &str, msg: &str) = "{by} begins {msg} while {from} still handles a message of the same queue.", "{from} 仍在处理同一队列的消息时，{by} 开始处理 {msg}。";
        stored_behind(earlier: &str, later: &str) = "{earlier} comes before {later} and is stored behind it.", "{earlier} 本应在 {later} 之前，却存储在它之后。";
        stored_apart(earlier: &str, later: &str) = "{earlier} and {later} are stored in two queues.", "{earlier} 与 {later} 存储在两个队列中。";
        delivered_late(earlier: &str, later: &str) = "{earlier} is first delivered after {later}.", "{earlier} 的首次投递晚于 {later}。";
        acknowledged_late(earlier: &str, later: &str) = "{earlier} is acknowledged after {later}.", "{earlier} 的确认晚于 {later}。";
        queue_order(earlier: &str, later: &str) = "{earlier} is first delivered after {later}, which lies behind it in the queue.", "{earlier} 的首次投递晚于队列中排在它后面的 {later}。";
        lost(msg: &str, group: &str) = "{msg} is gone before {group} was done with it.", "{group} 处理完之前，{msg} 已经消失。";
        attempts(msg: &str, group: &str) = "{group} handles {msg} more often than its limit allows.", "{group} 处理 {msg} 的次数超过了上限。";
    }
}

impl Speaker<'_> {
    /// What was broken, as a title.
    pub fn story_title(&self, story: &Story) -> String {
        self.breach(story.breach.guarantee).to_owned()
    }

    /// What was broken, in one sentence with the messages.
    pub fn story(&self, story: &Story) -> String {
        let text = BrokenText(self.locale);
        let breach = &story.breach;
        let msg = &self.msg(breach.msg);
        let group = breach.group.map_or("", |group| self.group(group));
        if let Some(Problem::TwoOwners { from, by }) = story.problem {
            return text.two_owners(self.client(by), self.client(from), msg);
        }
        let Some(earlier) = breach.earlier.map(|earlier| self.msg(earlier)) else {
            return match breach.guarantee {
                Guarantee::NothingLost => text.lost(msg, group),
                _ => text.attempts(msg, group),
            };
        };
        match (breach.guarantee, story.problem) {
            (Guarantee::OrderStored, Some(Problem::Broken { .. })) => {
                text.stored_apart(&earlier, msg)
            }
            (Guarantee::OrderStored, _) => text.stored_behind(&earlier, msg),
            (Guarantee::OrderDelivered, _) => text.delivered_late(&earlier, msg),
            (Guarantee::OrderAcknowledged, _) => text.acknowledged_late(&earlier, msg),
            (Guarantee::QueueOrder, _) => text.queue_order(&earlier, msg),
            _ => text.order_handled(msg, &earlier),
        }
    }
}
