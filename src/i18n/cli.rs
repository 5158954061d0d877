//! What the command line says: its help, what is wrong with a call, and the heads of its answers.

use crate::Locale;

crate::catalogue! {
    /// Sentences of the command line. Pieces between backticks are typed as they stand.
    CliText;
    plain {
        empty = "say what to do", "请写明要做什么";
        no_such_file = "there is no such file", "没有这个文件";
        not_text = "it is not text in UTF-8", "它不是 UTF-8 文本";
        explain_file = "`explain` needs a file, as in `lockstep explain my.scn A2`", "`explain` 需要一个文件，例如 `lockstep explain my.scn A2`";
        explain_thing = "`explain` needs a thing, such as A2 or q1", "`explain` 需要一个对象，例如 A2 或 q1";
        compare_files = "`compare` needs two files, or one file and `--with VARIANT`", "`compare` 需要两个文件，或一个文件加 `--with VARIANT`";
    }
    with {
        error(what: &str) = "error: {what}", "错误：{what}";
        no_command(word: &str) = "there is no command `{word}`", "没有命令 `{word}`";
        no_command_near(word: &str, near: &str) = "there is no command `{word}`; did you mean `{near}`?", "没有命令 `{word}`，是否想写 `{near}`？";
        no_option(command: &str, option: &str) = "`{command}` has no option `{option}`", "`{command}` 没有选项 `{option}`";
        no_option_of(command: &str, option: &str, known: &str) = "`{command}` has no option `{option}`; it has {known}", "`{command}` 没有选项 `{option}`，它有 {known}";
        needs_value(option: &str) = "`{option}` needs a value behind it", "`{option}` 之后需要一个值";
        needs_file(command: &str) = "`{command}` needs a file", "`{command}` 需要一个文件";
        one_file(command: &str) = "`{command}` takes one file", "`{command}` 只接受一个文件";
        no_file(command: &str) = "`{command}` takes no file", "`{command}` 不接受文件";
        languages(word: &str) = "`--lang {word}`: the languages are en and zh", "`--lang {word}`：语言只有 en 和 zh";
        time(word: &str) = "`--at {word}`: a time is 400ms, 12s, 1m30s or 00:12", "`--at {word}`：时刻写作 400ms、12s、1m30s 或 00:12";
        variants(word: &str, all: &str) = "`--with {word}`: a variant is one of {all}", "`--with {word}`：变体是以下之一：{all}";
        changes_nothing(variant: &str, file: &str) = "`--with {variant}` changes nothing in {file}", "`--with {variant}` 对 {file} 没有任何改动";
        cannot_read(file: &str, why: &str) = "cannot read {file}: {why}", "无法读取 {file}：{why}";
        cannot_write(file: &str, why: &str) = "cannot write {file}: {why}", "无法写入 {file}：{why}";
        at_place(file: &str, line: u32, column: u32, what: &str) = "{file}:{line}:{column}: error: {what}", "{file}:{line}:{column}: 错误：{what}";
        one_mistake(file: &str) = "{file}: 1 mistake", "{file}：1 处错误";
        mistakes(file: &str, count: usize) = "{file}: {count} ‹mistake|mistakes›", "{file}：{count} 处错误";
        not_canonical(file: &str, line: usize) = "{file}:{line}: not in its canonical form (`lockstep fmt` writes it)", "{file}:{line}: 不是规范格式（`lockstep fmt` 可改写）";
        formatted(file: &str) = "formatted {file}", "已改写 {file}";
        expected(what: &str) = "expected {what}", "预期 {what}";
        refused(statement: &str) = "statement refused: {statement}", "语句被拒绝：{statement}";
        happened(what: &str) = "happened: {what}", "实际：{what}";
        good(file: &str, expectations: &str, events: u32) = "ok    {file}: {expectations}, {events} ‹event|events›", "通过  {file}：{expectations}，{events} 个事件";
        failed(file: &str, failed: usize, expectations: &str) = "FAIL  {file}: {failed} failed, of {expectations} and all statements", "失败  {file}：{expectations}及全部语句中，{failed} 项不符";
        line(line: u32, text: &str) = "line {line}: {text}", "第 {line} 行：{text}";
        refused_line(line: &str, why: &str) = "REFUSED {line} ({why})", "被拒绝 {line}（{why}）";
        cut_short(file: &str, events: &str, at: &str, until: &str) = "{file}: there is room for {events} ‹event|events›, and they end at {at}: what follows until {until} is not known. Send less, or let the run end earlier (`run until TIME`)", "{file}：最多容纳 {events} 个事件，已在 {at} 用完：此后直到 {until} 的情况未知。请减少发送，或让运行更早结束（`run until TIME`）";
        long_heading(file: &str, line: u32, count: usize, most: usize, heading: &str) = "{file}:{line}: note: the first sentence of a beat is its heading; this one has {count} ‹character|characters›, a lesson's has {most} at most: {heading}", "{file}:{line}: 提示：节拍的第一句话是它的标题；这一句有 {count} 个字符，课程里最多 {most} 个：{heading}";
        broken(what: &str) = "BROKEN: {what}", "违例：{what}";
    }
}

impl CliText {
    /// So many expectations.
    pub fn expectations(self, count: usize) -> String {
        match (self.0, count) {
            (Locale::En, 1) => "1 expectation".to_owned(),
            (Locale::En, _) => format!("{count} expectations"),
            (Locale::Zh, _) => format!("{count} 项预期"),
        }
    }

    /// How the command line is used.
    pub fn help(self) -> &'static str {
        self.0.pick(HELP_EN, HELP_ZH)
    }
}

const HELP_EN: &str = "\
lockstep: ordered messages as Apache RocketMQ does them, from scenario files

usage:
  lockstep check FILE...          play the files and check what they expect
  lockstep trace [--json] [--client-log] FILE
                                  play a file and write what happens, one line for each fact,
                                  and what the clients would write to their own log files
  lockstep explain FILE [--at TIME] THING [--in GROUP]
                                  say why a thing is as it is at an instant (without --at: at the
                                  end), and what would move it
                                  THING: A2, q1, orders q1, q0 on b2, orders q0 on b2, lock q1,
                                  c1, thread 1 of c1, message-group A, group NAME, level 3,
                                  command 4
  lockstep diagnose [--guarantees] FILE...
                                  say what is wrong with a run, with the evidence and the repair
  lockstep compare FILE FILE
  lockstep compare FILE --with VARIANT
                                  play two runs, say where they first part and what becomes of their
                                  messages; VARIANT: concurrent, orderly, blocking-queue,
                                  blocking-message-group, model-4.9, model-5.1, model-5.3, documents
  lockstep fmt [--check] FILE...  bring the files into their canonical form
  lockstep reference              write the reference of the scenario language (Markdown, English)
  lockstep --help                 write this

every command:
  --lang zh                       say everything in Chinese (--lang en: in English); JSON stays as it is

exit status:
  0  everything is as it should be
  1  an expectation failed, `diagnose` found something, `compare` found that the runs
     part, or `fmt --check` found a file that is not canonical
  2  a file could not be read, or the command line makes no sense
";

const HELP_ZH: &str = "\
lockstep：按 Apache RocketMQ 的方式演示顺序消息，输入为场景文件

用法：
  lockstep check FILE...          运行文件，检查其中的预期
  lockstep trace [--json] [--client-log] FILE
                                  运行文件并写出发生的事，每个事实一行，
                                  也可写出客户端会写进自己日志的内容
  lockstep explain FILE [--at TIME] THING [--in GROUP]
                                  说明某个对象在某一时刻（省略 --at 时为结束时）为何如此，
                                  以及怎样才能推进
                                  THING：A2、q1、orders q1、q0 on b2、orders q0 on b2、lock q1、
                                  c1、thread 1 of c1、message-group A、group NAME、level 3、
                                  command 4
  lockstep diagnose [--guarantees] FILE...
                                  说明一次运行有什么问题，给出证据和修复办法
  lockstep compare FILE FILE
  lockstep compare FILE --with VARIANT
                                  运行两次，说明首次分歧以及消息各自的结局；
                                  VARIANT：concurrent、orderly、blocking-queue、
                                  blocking-message-group、model-4.9、model-5.1、model-5.3、documents
  lockstep fmt [--check] FILE...  把文件改写为规范格式
  lockstep reference              写出场景语言的参考（Markdown，英文）
  lockstep --help                 写出本说明

所有命令：
  --lang zh                       全部用中文（--lang en：用英文）；JSON 不变

退出状态：
  0  一切正常
  1  有预期不符，`diagnose` 发现问题，`compare` 发现分歧，
     或 `fmt --check` 发现不规范的文件
  2  文件无法读取，或命令行有误
";
