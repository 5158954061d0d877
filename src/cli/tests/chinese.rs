//! The command line in Chinese: whatever goes wrong is told with its place, what was expected and what to
//! do, and nothing of it is English.
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::path::PathBuf;
use std::process::{Command, Output};

mod common;

use common::GOOD;

fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    common::folder(&format!("chinese/{name}"), files)
}

fn chinese(folder: &PathBuf, arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(["--lang", "zh"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

/// Latin words outside backticks that no Chinese sentence of the command line has. File names, quoted
/// lines of the file and the excerpt below a mistake stay as they are.
fn english(text: &str) -> Vec<&str> {
    let known = [
        "lockstep", "Markdown", "JSON", "UTF", "THING", "VARIANT", "TIME", "FILE", "GROUP", "NAME",
    ];
    let prose = text.split('`').step_by(2);
    let words = prose.flat_map(|piece| piece.split(|c: char| !c.is_ascii_alphabetic()));
    words.filter(|word| word.len() > 3 && !known.contains(word)).collect()
}

#[test]
fn a_call_that_makes_no_sense_is_told_in_chinese_with_the_help() {
    let folder = folder("calls", &[("good.scn", GOOD)]);
    for (arguments, words) in [
        (&[][..], "请写明要做什么"),
        (&["chekc"], "没有命令 `chekc`，是否想写 `check`？"),
        (&["nonsense"], "没有命令 `nonsense`"),
        (&["check"], "`check` 需要一个文件"),
        (&["check", "--json", "good.scn"], "`check` 没有选项 `--json`"),
        (
            &["trace", "--jsn", "good.scn"],
            "`trace` 没有选项 `--jsn`，它有 `--json`, `--client-log`",
        ),
        (&["trace", "x", "y"], "`trace` 只接受一个文件"),
        (&["reference", "x"], "`reference` 不接受文件"),
        (&["explain"], "`explain` 需要一个文件"),
        (&["explain", "good.scn"], "`explain` 需要一个对象"),
        (&["explain", "good.scn", "A1", "--at"], "`--at` 之后需要一个值"),
        (&["explain", "good.scn", "A1", "--at", "soon"], "时刻写作 400ms、12s、1m30s 或 00:12"),
        (&["diagnose"], "`diagnose` 需要一个文件"),
        (&["diagnose", "--at", "good.scn"], "`diagnose` 没有选项 `--at`，它有 `--guarantees`"),
        (&["compare", "good.scn"], "`compare` 需要两个文件"),
        (&["compare", "good.scn", "--with", "none"], "变体是以下之一：concurrent"),
    ] {
        let (code, out, err) = chinese(&folder, arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}: {err}");
        assert!(err.starts_with("错误：") && err.contains(words), "{arguments:?}: {err}");
        assert!(err.contains("\n用法：\n"), "{arguments:?}: {err}");
        let first = err.lines().next().unwrap();
        let variants = first.contains("变体");
        assert!(variants || english(first).is_empty(), "{first}: {:?}", english(first));
    }
    let (code, out, _) = chinese(&folder, &["--help"]);
    assert!(code == Some(0) && out.starts_with("lockstep：") && out.contains("退出状态"), "{out}");
}

#[test]
fn a_language_that_does_not_exist_is_told_in_english() {
    let folder = folder("languages", &[]);
    for (arguments, words) in [
        (&["check", "--lang", "fr"][..], "`--lang fr`: the languages are en and zh"),
        (&["check", "--lang"], "`--lang` needs a value behind it"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_lockstep"))
            .args(arguments)
            .current_dir(&folder)
            .output()
            .unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.starts_with(&format!("error: {words}")), "{err}");
    }
}

#[test]
fn files_and_mistakes_are_told_in_chinese_at_their_place() {
    let text = "topic orders FIFO 1 queue\ngroup billing reads orders orderly\nat 3s billing max-reconsume-tries 3\n";
    let folder = folder(
        "mistakes",
        &[("bad.scn", text), ("ugly.scn", &GOOD.replace("title    ", "title "))],
    );
    std::fs::write(folder.join("bytes.scn"), [0xff, 0xfe, 0x00]).unwrap();
    let (code, _, err) = chinese(&folder, &["check", "none.scn", "bytes.scn"]);
    assert_eq!(code, Some(2));
    assert_eq!(
        err,
        "错误：无法读取 none.scn：没有这个文件\n错误：无法读取 bytes.scn：它不是 UTF-8 文本\n"
    );
    for command in ["check", "trace", "diagnose", "fmt"] {
        let (code, _, err) = chinese(&folder, &[command, "bad.scn"]);
        assert_eq!(code, Some(2), "{command}: {err}");
        assert!(
            err.contains("bad.scn:3:15: 错误：此处不能是 `max-reconsume-tries`"),
            "{command}: {err}"
        );
        assert!(err.contains("是否想写 `max-reconsume-times`？"), "{command}: {err}");
        assert!(err.contains("\n   |               ^^^^"), "{command}: {err}");
        assert!(err.ends_with("bad.scn：1 处错误\n"), "{command}: {err}");
    }
    let (code, out, _) = chinese(&folder, &["fmt", "--check", "ugly.scn"]);
    assert_eq!(code, Some(1));
    assert!(out.starts_with("ugly.scn:1: 不是规范格式"), "{out}");
    let (_, _, err) = chinese(&folder, &["compare", "ugly.scn", "--with", "orderly"]);
    assert_eq!(err, "错误：`--with orderly` 对 ugly.scn 没有任何改动\n");
}

#[test]
fn what_is_not_as_expected_and_what_happens_is_told_in_chinese() {
    let failed = GOOD.replace("handled at 3s", "dead-lettered before 4s");
    let refused = GOOD.replace("expect ", "at 5s    c1 starts\nexpect ");
    let folder =
        folder("checks", &[("good.scn", GOOD), ("bad.scn", &failed), ("no.scn", &refused)]);
    let (code, out, _) = chinese(&folder, &["check", "good.scn", "bad.scn", "no.scn"]);
    assert_eq!(code, Some(1));
    for words in [
        "通过  good.scn：1 项预期，",
        "bad.scn:9: 预期 A1 dead-lettered before 4s\n    实际：它从未发生。与之有关的最后记录： 00:03.000 ",
        "失败  bad.scn：1 项预期及全部语句中，1 项不符",
        "no.scn:9: 语句被拒绝：at 5s    c1 starts\n    实际：",
    ] {
        assert!(out.contains(words), "{words}\n{out}");
    }
    let (code, out, _) = chinese(&folder, &["trace", "no.scn"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("A1 存入 q0，位点 0。") && out.contains("c1 处理完 A1。"), "{out}");
    let line = out.lines().find(|line| line.contains("被拒绝")).unwrap();
    assert!(line.contains("被拒绝 第 9 行：at 5s c1 starts（"), "{line}");
    let facts = out.lines().filter(|line| !line.contains("第 ")).collect::<Vec<_>>();
    assert!(facts.iter().all(|line| !line.is_ascii()), "{out}");
}
