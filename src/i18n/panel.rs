//! Texts of the panel: lesson, why, inspect, scenario.

crate::catalogue! {
    /// The panel.
    PanelText;
    plain {
        tabs = "Panel", "面板";
        lesson = "Lesson", "课程";
        why = "Why", "原因";
        inspect = "Inspect", "检查";
        log = "Log", "日志";
        charts = "Charts", "图表";
        scenario = "Scenario", "场景";
        minutes = "min", "分钟";
        beats = "Beats", "节拍";
        predict = "Predict, then see", "先预测，再看结果";
        let_it_run = "Let it run", "继续运行";
        from_the_beginning = "Play it again", "从头再看一遍";
        go_there = "Go there", "前往";
        choose_hint = "Choose here, or click it on the stage.", "在此选择，或在舞台上点击它。";
        to = "to", "至";
        right = "That is what happens.", "正是如此。";
        wrong = "It happens otherwise.", "结果并非如此。";
        see_why = "See why", "看原因";
        answer_again = "Answer again", "再答一次";
        goals = "Goals", "目标";
        goal_done = "reached", "已达成";
        goal_open = "not yet", "未达成";
        nothing_selected = "Select anything on the stage or the timeline.", "在舞台或时间线上选择任意对象。";
        select_hint = "A message, a queue, a consumer, a producer or a message group: its values stand here, under RocketMQ's names.", "消息、队列、消费者、生产者或消息组：其数值以 RocketMQ 的名称显示在此。";
        why_hint = "The panel then says why it moves or waits.", "面板会说明它为何移动或等待。";
        asked_in = "Asked in", "提问出处";
        watch = "Watch", "观察点";
        begin = "New here? Begin with 1.1", "第一次来？从 1.1 开始";
        in_short = "In short", "小结";
        by_group = "In each consumer group", "在各个消费组里";
        twist = "Twist", "变一变";
        twist_answer = "What comes of it", "看结果";
        repaired = "See it repaired", "看修复后的版本";
        back_to_broken = "Back to what breaks", "回到出问题的版本";
        read_on = "Read on", "延伸阅读";
        next_lesson = "Next lesson", "下一课";
        own_text = "Your own scenario", "自定义场景";
        clear_selection = "Clear the selection", "取消选择";
        recent = "Lately", "最近";
        show_in_log = "All of it in the log", "在日志中查看全部";
        before_change = "before your change", "修改前";
        change_nothing = "You changed this lesson's text. Nothing happens otherwise to any message.", "你修改了这一课的场景文本，但每条消息的经历都没有变。";
        back_to_lesson = "Back to the lesson's text", "恢复课程原文";
        change_text = "Change the text", "修改场景文本";
        goal_by_change = "Your change reaches the goal.", "你的修改达成了目标。";
        goal_reached = "Goal reached", "目标达成";
        run_to_see = "Run it to see how.", "运行即可看到过程。";
        after_question = "After the question", "回答问题之后";
    }
    with {
        lesson_minutes(minutes: u32) = "{minutes} min", "{minutes} 分钟";
        asked_at(clock: &str) = "Asked at {clock}", "提问于 {clock}";
        hint(number: usize, count: usize) = "Hint {number} of {count}", "提示 {number}/{count}";
        beat(number: usize) = "Beat {number}", "第 {number} 拍";
        changed(title: &str) = "{title}, changed by you", "{title}（已修改）";
        was(text: &str) = "Before your change: {text}", "修改前：{text}";
        hand_parts(clock: &str) = "From {clock} on the run is yours; what the lesson says from there is how it was without you.", "从 {clock} 起是你的运行，课程对此后的描述仍是你未介入时的情形。";
        change_parts(clock: &str) = "You changed this lesson's text. From {clock} on the run is yours; what the lesson says from there is how it was before.", "你修改了这一课的场景文本。从 {clock} 起是你的运行，课程对此后的描述仍是修改前的情形。";
        answer(number: usize) = "Answer {number}", "答案 {number}";
    }
}

crate::catalogue! {
    /// The editor of the scenario's text.
    EditorText;
    plain {
        text = "Scenario text", "场景文本";
        run = "Run", "运行";
        run_hint = "Run this text (Ctrl Enter)", "运行此文本（Ctrl Enter）";
        before = "Text before", "上一个文本";
        before_hint = "Go back to the text that ran before", "回到之前运行的文本";
        reset = "Reset", "重置";
        reset_hint = "Back to the text that runs", "恢复为正在运行的文本";
        make_new = "New", "新建";
        new_hint = "Begin with a small scenario; the way back leads here", "从一个小场景开始；后退可回到这里";
        open = "Open", "打开";
        open_hint = "Open a .scn file", "打开 .scn 文件";
        save = "Save", "保存";
        save_hint = "Save as a .scn file", "保存为 .scn 文件";
        format = "Format", "格式化";
        same = "This text runs.", "正在运行此文本。";
        changed = "Changed. The stage shows the text before.", "已修改，舞台仍显示之前的文本。";
        last_good = "The stage shows the last text that could be read.", "舞台显示最近一次可读的文本。";
        next_problem = "next problem", "下一个问题";
        expectations = "Expectations", "期望";
        no_expectations = "This text expects nothing. A line such as", "此文本没有期望。写一行例如";
        checks_it = "is checked with every change.", "即会随每次修改检查。";
        checked = "checked with every change", "每次修改都会检查";
        holds = "holds", "成立";
        fails = "fails", "不成立";
        open_state = "open", "未定";
        was_so = "held before your change", "修改前成立";
        too_long = "too long to check while typing", "过长，输入时不检查";
    }
    with {
        place(line: u32, column: u32) = "Line {line}, column {column}", "第 {line} 行，第 {column} 列";
        problems(count: usize) = "{count} ‹problem|problems›", "{count} 个问题";
        use_fix(text: &str) = "Use {text}", "改用 {text}";
        add_fix(text: &str) = "Add {text}", "添加 {text}";
        hold(holding: usize, all: usize) = "{holding} of {all} ‹holds|hold›", "{holding}/{all} 成立";
        hold_changed(holding: usize, all: usize, before: usize) = "{holding} of {all} ‹holds|hold›, {before} held before your change", "{holding}/{all} 成立，{before} 条是修改前的情形";
        line(line: u32) = "line {line}", "第 {line} 行";
        lines(count: usize) = "{count} ‹line|lines›", "{count} 行";
        of(index: usize, count: usize) = "{index} of {count}", "{index}/{count}";
    }
}

/// A scenario to begin with.
pub fn new_scenario(locale: super::Locale) -> &'static str {
    locale.pick(include_str!("new/en.scn"), include_str!("new/zh.scn"))
}

/// One problem.
pub fn one_problem(locale: super::Locale) -> &'static str {
    locale.pick("1 problem", "1 个问题")
}
