//! The legend of keys.

crate::catalogue! {
    /// The legend of keys.
    KeysText;
    plain {
        title = "Keys", "按键";
        close = "Close", "关闭";
        note = "Keys do nothing while you type.", "输入文字时按键不起作用。";
        play = "Play or pause", "播放或暂停";
        step = "Step back, step forward", "后退、前进一步";
        decision = "The same by decisions", "按决策";
        beat = "The same by beats", "按节拍";
        ends = "To the beginning, to the end", "到开头、到结尾";
        next_due = "Next due", "下一到期";
        beats = "Beat before, next beat", "上一拍、下一拍";
        bookmark = "Bookmark this instant, or take the mark away", "为此刻加书签或取消";
        bookmarks = "Bookmark before, next bookmark", "上一书签、下一书签";
        zoom = "Timeline: show less, show more time", "时间线：放大、缩小";
        tabs = "Tabs of the panel", "面板标签页";
        why = "Why is the selected thing as it is", "所选对象的原因";
        group = "Next consumer group on the lanes", "队列显示下一个消费组";
        send = "Send a message", "发送消息";
        fault = "Cause a fault", "制造故障";
        menu = "What to do with the selected thing; the right button of a mouse asks the same", "可以对所选对象做什么（鼠标右键相同）";
        take_back = "Take back what was done by hand last", "撤销最近一次手动操作";
        branch = "Try in a branch what would move the selected thing", "在分支中试一试怎样推进所选对象";
        zoom_to = "Timeline: the time of the selected thing; a double click does the same", "时间线：所选对象的时间段（双击相同）";
        legend = "Show or hide the legend of the stage", "显示或隐藏舞台图例";
        compare = "Compare with another run, or close the comparison", "与另一次运行对比，或关闭对比";
        search = "Find a scenario", "查找场景";
        next_problem = "Editor: the next problem", "编辑器：下一个问题";
        run_text = "Editor: run the text", "编辑器：运行文本";
        answer = "While a question is open: answer it", "有问题待答时：作答";
        escape = "Close, or clear the selection", "关闭或取消选择";
        this = "These keys", "按键说明";
    }
    with {}
}
