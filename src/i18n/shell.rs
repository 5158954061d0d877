//! Texts of the header and of the page around the regions.

crate::catalogue! {
    /// Header and page.
    Shell;
    plain {
        home = "Lockstep, to the list of lessons", "Lockstep，回到课程列表";
        scenario = "Scenario", "场景";
        choose_scenario = "Choose a scenario", "选择场景";
        guarantees = "Guarantees", "保证";
        order_kept = "Order kept", "顺序保持";
        one_owner = "One owner per queue", "每队列一个持有者";
        nothing_lost = "Nothing lost", "无丢失";
        at_least_once = "At least once", "至少一次";
        stored_open = "Stored out of order", "存储已乱序";
        order_open = "Order not promised", "顺序未承诺";
        owner_open = "One owner not promised", "单一持有者未承诺";
        loss_open = "Loss possible", "可能丢失";
        order_told = "Order: no message is begun while an earlier one of its message group is unfinished.", "顺序：同一消息组里，前一条没处理完，后一条就不会开始。";
        owner_told = "One owner: no two consumers handle messages of one queue at the same time.", "单一持有者：同一队列的消息不会同时由两个消费者处理。";
        loss_told = "Nothing lost: every message that was stored is handled, or put among the dead letters.", "不丢失：存储成功的消息都会被处理，或者进入死信。";
        open_told = "No setting of this run promises it: it may hold, and it is no fault if it does not. The list says why, and which setting would promise it.", "这次运行的配置没有承诺这一点：可能成立，不成立也不算出错。列表里说明原因，以及哪个设置会承诺它。";
        all_guarantees = "All guarantees", "全部保证";
        until_now = "From the beginning of the run up to this instant.", "从运行开始到此刻。";
        to_the_broker = "On the way to the broker", "到 Broker 的途中";
        share = "Share", "分享";
        present = "Present", "演示";
        more = "More", "更多";
        language = "Language", "语言";
        to_dark = "Dark theme", "深色主题";
        to_light = "Light theme", "浅色主题";
        help = "Keys and words", "按键与术语";
        panel = "Panel", "面板";
        open_panel = "Open the panel", "打开面板";
        close_panel = "Close the panel", "关闭面板";
        beats = "Beats", "节拍";
        stage = "Stage", "舞台";
        timeline = "Timeline", "时间线";
        skip = "Skip to the stage", "跳到舞台";
        previous_beat = "Previous beat", "上一拍";
        next_beat = "Next", "下一拍";
        skip_question = "Skip the question", "跳过问题";
        answer_it = "Answer it", "去回答";
        link_copied = "Link copied", "链接已复制";
        drag_panel = "Width of the panel: drag it, or use the arrow keys; a double click or Home resets it", "面板宽度：拖动或用方向键调整，双击或按 Home 恢复";
        drag_timeline = "Height of the timeline: drag it, or use the arrow keys; a double click or Home resets it", "时间线高度：拖动或用方向键调整，双击或按 Home 恢复";
        failed = "Lockstep has stopped", "Lockstep 已停止";
        failed_hint = "A fault in this program. What follows says where; your scenario is still in the address or in its file.", "程序出现故障。下面的信息说明位置；你的场景仍在地址栏或文件中。";
        damaged_link = "This link is damaged: it was cut off or changed on its way. Ask for it once more.", "这个链接已损坏：可能被截断或改动过。请重新索取。";
        text_elsewhere = "The scenario of this address is too long for an address: only the tab in which it was run has kept it. Ask for a shared link or for its file.", "这个地址的场景太长，地址里放不下，只保存在运行它的标签页里。请索取分享链接或文件。";
        link_with_mistakes = "The scenario of this link has mistakes, so it does not run. Its text is in the panel, with every mistake at its place.", "这个链接中的场景有错误，因此没有运行。文本在面板中，每处错误都标在原位。";
        dismiss = "Close this notice", "关闭提示";
        reload = "Load the page again", "重新加载页面";
    }
    with {
        question_waits(question: &str) = "A question waits: {question}", "有一个问题等你回答：{question}";
        group_turns(group: &str) = "The stage now shows the group {group}.", "舞台现在显示消费组 {group}。";
        no_lesson(id: &str) = "There is no lesson {id} here. The list of scenarios has all of them.", "这里没有课程 {id}。全部课程见场景列表。";
        cut_short(events: &str) = "There is room for {events} ‹event|events›, and the run has had them: it ends here. What would follow is not known; send less to see more of it.", "最多容纳 {events} 个事件，本次运行已用完，到此为止。此后的情况未知；减少发送即可看到更多。";
        file_too_large(kilobytes: u32) = "A scenario file has {kilobytes} kB at most; this one was not opened.", "场景文件最大 {kilobytes} kB；这个文件没有打开。";
        hold(count: usize) = "{count} ‹guarantee holds|guarantees hold›", "{count} 项保证成立";
        order_broken(group: &str) = "Order broken in {group}", "{group} 的顺序被打破";
        owner_broken(queue: &str) = "Two owners of {queue}", "{queue} 有两个持有者";
        lost(count: u32) = "{count} lost", "丢失 {count} 条";
        once_again(count: u32) = "At least once, {count} again", "至少一次，重复 {count}";
        waits(queue: &str) = "{queue} waits", "{queue} 等待";
        stand_still(count: usize) = "{count} ‹queue stands|queues stand› still", "{count} 个队列停滞";
        handled_before(later: &str, earlier: &str) = "{later} is handled before {earlier} is finished.", "{later} 在 {earlier} 完成之前被处理。";
        two_at_once(first: &str, second: &str, queue: &str) = "{first} and {second} handle messages of {queue} at the same time.", "{first} 与 {second} 同时处理 {queue} 的消息。";
        beat_of(beat: usize, beats: usize) = "beat {beat} of {beats}", "第 {beat}/{beats} 拍";
    }
}
