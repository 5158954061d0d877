//! The command line from outside: output, exit status, files.
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::path::PathBuf;
use std::process::{Command, Output};

mod common;

use common::{folder, GOOD};

fn lockstep(folder: &PathBuf, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_run_as_expected_is_good() {
    let folder = folder("good", &[("good.scn", GOOD)]);
    let output = lockstep(&folder, &["check", "good.scn"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(out(&output).starts_with("ok    good.scn: 1 expectation, "), "{}", out(&output));
}

#[test]
fn a_heading_that_no_lesson_may_have_is_mentioned() {
    let sixty = "A".repeat(60);
    let beats = format!("{GOOD}beat 3s {sixty}. More.\nbeat 4s {sixty}A. More.\nzh {sixty}。\n");
    let folder = folder("headings", &[("long.scn", &beats)]);
    let output = lockstep(&folder, &["check", "long.scn"]);
    assert_eq!(output.status.code(), Some(0), "it is no failure: {output:?}");
    let notes: Vec<String> =
        out(&output).lines().filter(|line| line.contains("note:")).map(str::to_owned).collect();
    let [note] = &notes[..] else { panic!("{notes:?}") };
    let line = beats.lines().position(|line| line.starts_with("beat 4s")).unwrap() + 1;
    assert!(note.starts_with(&format!("long.scn:{line}: note: ")), "{note}");
    assert!(note.contains("61 characters") && note.contains("60 at most"), "{note}");
    assert!(out(&output).contains("ok    long.scn"));
}

#[test]
fn a_failed_expectation_names_its_line_and_what_happened_instead() {
    let text = GOOD.replace("handled at 3s", "dead-lettered before 4s");
    let folder = folder("failed", &[("bad.scn", &text), ("good.scn", GOOD)]);
    let output = lockstep(&folder, &["check", "bad.scn", "good.scn"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        out(&output).lines().take(2).collect::<Vec<_>>(),
        [
            "bad.scn:9: expected A1 dead-lettered before 4s",
            "    happened: It never happened. The last of it: 00:03.000 c1 handles A1 from q0. \
             00:03.000 c1 has handled A1. 00:03.000 c1 acknowledges A1 of q0: it counts as consumed."
        ]
    );
    assert!(out(&output).contains("FAIL  bad.scn"));
    assert!(out(&output).contains("ok    good.scn"));
}

#[test]
fn mistakes_are_shown_at_their_place() {
    let text = "title 中文 x\nat 3s billing max-reconsume-tries 3\nexpect A1 handeld\n";
    let folder = folder("mistakes", &[("bad.scn", text)]);
    let output = lockstep(&folder, &["check", "bad.scn"]);
    assert_eq!(output.status.code(), Some(2));
    let told = err(&output);
    assert!(
        told.contains("bad.scn:2:15: error: `max-reconsume-tries` cannot stand here"),
        "{told}"
    );
    assert!(
        told.contains(
            " 2 | at 3s billing max-reconsume-tries 3\n   |               ^^^^^^^^^^^^^^^^^^^\n"
        ),
        "{told}"
    );
    assert!(told.contains("Did you mean `handled`?"), "{told}");
    assert!(told.ends_with("bad.scn: 2 mistakes\n"), "{told}");
    assert_eq!(out(&output), "");
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = folder("missing", &[]);
    std::fs::write(folder.join("bytes.scn"), [0xff, 0xfe, 0x00]).unwrap();
    let output = lockstep(&folder, &["check", "none.scn", "bytes.scn"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        err(&output),
        "error: cannot read none.scn: there is no such file\nerror: cannot read bytes.scn: it is not text in UTF-8\n"
    );
}

#[test]
fn fmt_rewrites_and_checks() {
    let folder = folder("fmt", &[("a.scn", &GOOD.replace("title    ", "title ")), ("b.scn", GOOD)]);
    let output = lockstep(&folder, &["fmt", "--check", "a.scn", "b.scn"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(out(&output).starts_with("a.scn:1: not in its canonical form"), "{}", out(&output));
    let output = lockstep(&folder, &["fmt", "a.scn", "b.scn"]);
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(0), "formatted a.scn\n"));
    assert_eq!(std::fs::read_to_string(folder.join("a.scn")).unwrap(), GOOD);
    assert_eq!(lockstep(&folder, &["fmt", "--check", "a.scn"]).status.code(), Some(0));
}

#[test]
fn trace_writes_a_line_for_each_fact() {
    let folder = folder("trace", &[("good.scn", GOOD)]);
    let output = lockstep(&folder, &["trace", "good.scn"]);
    assert_eq!(output.status.code(), Some(0));
    let text = out(&output);
    assert!(
        text.lines().any(|l| l.starts_with("00:03.000") && l.ends_with("c1 has handled A1.")),
        "{text}"
    );
    assert!(text.contains("line 7: at 3s p1 sends A1"), "{text}");

    let output = lockstep(&folder, &["trace", "--json", "good.scn"]);
    let lines: Vec<serde_json::Value> =
        out(&output).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), text.lines().count());
    let handled = lines.iter().find(|l| l["fact"] == "HandlingEnded").unwrap();
    assert_eq!(handled["at_ms"], 3_000);
    assert_eq!(handled["message"], "A1");
    assert_eq!(handled["consumer"], "c1");
    assert_eq!(handled["group"], "billing");
    assert_eq!(handled["outcome"], "Success");
}

#[test]
fn facts_of_the_second_stack_have_fields_too() {
    let text = "topic T FIFO 1 queue\ngroup G reads T fifo\nproducer p1\nconsumer c1 in G simple\n\
        at 1s p1 sends A1\nat 2s c1 receives invisible-duration 20s\nat 3s c1 acks A1\n\
        at 4s reset G to latest\nat 5s broker loses power\n";
    let folder = folder("second", &[("second.scn", text)]);
    let output = lockstep(&folder, &["trace", "--json", "second.scn"]);
    let lines: Vec<serde_json::Value> =
        out(&output).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let fact = |name: &str| lines.iter().find(|l| l["fact"] == name).unwrap();
    assert_eq!(fact("Popped")["until_ms"], 22_000);
    assert_eq!(fact("Popped")["queue"], 0);
    assert_eq!(fact("Acked")["result"], "Next(1)");
    assert_eq!(fact("ClientRegistered")["proxy"], "proxy");
    assert_eq!(fact("OffsetReset")["how"], "Pending");
    assert_eq!(fact("BrokerStopped")["how"], "PowerLoss");
    let known = ["at_ms", "event", "fact", "text"];
    let bare =
        |l: &&serde_json::Value| l.as_object().unwrap().keys().all(|k| known.contains(&k.as_str()));
    assert_eq!(lines.iter().filter(bare).filter(|l| l["fact"] != "OrderInfoSaved").count(), 0);
}

#[test]
fn the_command_line_explains_itself() {
    let folder = folder("help", &[]);
    let help = lockstep(&folder, &["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(out(&help).contains("lockstep check FILE..."));
    let reference = lockstep(&folder, &["reference"]);
    assert!(out(&reference).starts_with("# The scenario language"));
    for (arguments, told) in [
        (&["chekc"][..], "there is no command `chekc`"),
        (&["check"][..], "`check` needs a file"),
        (&["check", "--json", "x"][..], "`check` has no option `--json`"),
        (&["trace", "x", "y"][..], "`trace` takes one file"),
        (&[][..], "usage:"),
    ] {
        let output = lockstep(&folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(err(&output).contains(told), "{}", err(&output));
    }
}

#[test]
fn a_misspelt_command_is_told_the_nearest_one() {
    let output = lockstep(&folder("misspelt", &[]), &["chek", "good.scn"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).starts_with("error: there is no command `chek`; did you mean `check`?\n"),
        "{}",
        err(&output)
    );
}

#[test]
fn a_refused_statement_is_traced_with_its_reason() {
    let text = GOOD.replace("expect ", "at 5s    c1 starts\nexpect ");
    let folder = folder("refused", &[("refused.scn", &text)]);
    let plain = out(&lockstep(&folder, &["trace", "refused.scn"]));
    let told =
        "REFUSED line 9: at 5s c1 starts (c1 runs already; it can start again once it has ended)";
    assert!(plain.lines().any(|line| line.ends_with(told)), "{plain}");
    let json = out(&lockstep(&folder, &["trace", "--json", "refused.scn"]));
    assert!(
        json.contains("Refused: c1 runs already; it can start again once it has ended.\""),
        "{json}"
    );
}

const POISON: &str = "\
title    One message fails
topic    orders FIFO 1 queue
series   A message-group order-1
series   B message-group order-2
group    billing reads orders orderly
producer p1
consumer c1 in billing

at 2s    A2 fails always
at 3s    p1 sends A1 A2 B1
run      until 20s
";

#[test]
fn a_thing_is_explained_with_its_causes_its_rule_and_what_would_move_it() {
    let folder = folder("explain", &[("poison.scn", POISON)]);
    let output = lockstep(&folder, &["explain", "poison.scn", "--at", "6.5s", "B1"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let told = out(&output);
    for words in [
        "00:06.500  B1 is blocked behind A2 (in billing)",
        "Nothing has happened since 00:06.000.",
        "Its queue is suspended until 00:07.000, because A2 before it failed.",
        "Because:\n  00:06.000  q0 is suspended until 00:07.000: A2 failed 4 times.",
        "  00:02.000  Scenario: A2 will fail.",
        "Rule: A failed orderly message suspends its queue (ConsumeMessageOrderlyService.processConsumeResult)",
        "  suspendCurrentQueueTimeMillis  1\u{2009}000 ms",
        "What would move it:",
        "  If A2 succeeds (`at 6.5s A2 succeeds always, in billing`): billing begins to handle B1 at 00:07.000. It would not happen within ten minutes otherwise.",
    ] {
        assert!(told.contains(words), "{words}\n{told}");
    }
    let chinese =
        lockstep(&folder, &["explain", "poison.scn", "--at", "6.5s", "B1", "--lang", "zh"]);
    assert!(out(&chinese).contains("B1 被 A2 阻塞"), "{}", out(&chinese));
}

#[test]
fn a_thing_that_is_not_there_is_told_with_the_nearest_one() {
    let folder = folder("explain-nothing", &[("poison.scn", POISON)]);
    let output = lockstep(&folder, &["explain", "poison.scn", "--at", "6s", "C1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("Nothing is called `C1` at this instant."), "{}", err(&output));
    for (arguments, words) in [
        (
            &["explain", "poison.scn", "--at", "soon", "A1"][..],
            "a time is 400ms, 12s, 1m30s or 00:12",
        ),
        (
            &["explain", "poison.scn", "--at", "1s", "B1"],
            "`B1` is not sent yet: its application hands it to p1 at 00:03.000",
        ),
        (
            &["explain", "poison.scn", "thread", "21", "of", "c1"],
            "There is no thread 21 of c1: its threads are 1 to 20.",
        ),
        (&["explain", "poison.scn", "level", "0"], "the levels are 1 to 18."),
        (&["explain", "poison.scn", "command", "99"], "There is no command 99"),
        (&["explain", "poison.scn"], "`explain` needs a thing"),
        (&["explain"], "`explain` needs a file"),
        (&["explain", "poison.scn", "A1", "--at"], "`--at` needs a value"),
        (
            &["explain", "poison.scn", "A1", "--in", "nobody"],
            "There is no consumer group `nobody`.",
        ),
        (&["explain", "poison.scn", "A1", "--lang", "fr"], "the languages are en and zh"),
        (&["diagnose"], "`diagnose` needs a file"),
        (
            &["diagnose", "--at", "3s", "poison.scn"],
            "`diagnose` has no option `--at`; it has `--guarantees`",
        ),
    ] {
        let output = lockstep(&folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(err(&output).contains(words), "{arguments:?}: {}", err(&output));
    }
}

#[test]
fn a_diagnosis_finds_the_cause_and_is_silent_about_a_healthy_run() {
    let folder = folder("diagnose", &[("poison.scn", POISON), ("good.scn", GOOD)]);
    let output = lockstep(&folder, &["diagnose", "poison.scn"]);
    assert_eq!(output.status.code(), Some(1));
    let told = out(&output);
    assert!(told.contains("A2 failed 18 times in billing, without a limit"), "{told}");
    assert!(told.contains("Evidence:") && told.contains("Repair:"), "{told}");
    let output = lockstep(&folder, &["diagnose", "--guarantees", "good.scn"]);
    assert_eq!(output.status.code(), Some(0));
    let told = out(&output);
    assert!(told.starts_with("Nothing is wrong with this run.\n"), "{told}");
    assert!(told.contains("billing: Handled in order: kept"), "{told}");
}

#[test]
fn a_trace_can_show_what_clients_write_to_their_logs() {
    let folder = folder("client-log", &[("poison.scn", POISON)]);
    let output = lockstep(&folder, &["trace", "--client-log", "poison.scn"]);
    let told = out(&output);
    let line = "| c1: WARN ConsumeMessageOrderlyService - consumeMessage return not OK (orderly), Group: billing";
    assert!(told.contains(line), "{told}");
    let output = lockstep(&folder, &["trace", "--json", "--client-log", "poison.scn"]);
    assert!(out(&output).contains("\"client_log\":\"c1: INFO RebalanceImpl"), "{}", out(&output));
}

#[test]
fn compare_names_the_first_divergence_and_what_becomes_of_the_messages() {
    let text = "\
title    Two orders, one queue
topic    orders FIFO 1 queue
series   A message-group order-1
series   B message-group order-2
group    billing reads orders orderly, handles in 300ms
producer p1 selects by hash
consumer c1 in billing

at 1s    A1 throws always
at 1s    p1 sends A1 B1
run      until 5s
";
    let mended = text.replace("throws always", "throws 1 times").replace("Two orders", "Mended");
    let folder = folder("compare", &[("a.scn", text), ("b.scn", &mended)]);
    let output = lockstep(&folder, &["compare", "a.scn", "b.scn"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = out(&output);
    assert!(said.starts_with("Run 1: Two orders, one queue\nRun 2: Mended, one queue\n"), "{said}");
    assert!(said.contains("First divergence: 00:0"), "{said}");
    assert!(said.contains("  A1\n    Run 1: ") && said.contains("  B1\n    Run 1: "), "{said}");
    assert!(said.contains("Run 2: acknowledged at "), "{said}");
    // The same in Chinese, with a variant of the one file.
    let with = ["compare", "a.scn", "--with", "blocking-message-group", "--lang", "zh"];
    let output = lockstep(&folder, &with);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = out(&output);
    assert!(said.contains("首次分歧：00:0") && said.contains("B1\n    运行 1："), "{said}");
    // A run does not part from itself.
    let output = lockstep(&folder, &["compare", "a.scn", "a.scn"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for wrong in [
        &["compare", "a.scn"][..],
        &["compare", "a.scn", "--with", "nothing"],
        &["compare", "a.scn", "--with", "orderly"],
        &["compare", "a.scn", "none.scn"],
    ] {
        let output = lockstep(&folder, wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {output:?}");
        assert!(err(&output).starts_with("error: "), "{wrong:?}: {output:?}");
    }
}

#[test]
fn compare_says_what_untitled_files_are_and_leaves_no_section_empty() {
    let ground = "topic orders FIFO 1 queue\ngroup billing reads orders orderly\nproducer p1\n\
        consumer c1 in billing\nat 3s p1 sends A1\nrun until 20s\n";
    let crashed = format!("{ground}at 10s c1 crashes\n");
    let folder = folder("untitled", &[("a.scn", ground), ("b.scn", &crashed)]);
    let output = lockstep(&folder, &["compare", "a.scn", "b.scn"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with("Run 1: A scenario without a title\n"), "{said}");
    assert!(said.contains("\nNothing differs at the end.\n"), "{said}");
    assert!(said.contains("the same in both: 1\n"), "{said}");
    let output = lockstep(&folder, &["compare", "a.scn", "--with", "orderly"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "error: `--with orderly` changes nothing in a.scn\n");
}

#[test]
fn compare_names_the_batch_as_what_a_push_consumer_works_through() {
    let lessons = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/lessons"));
    let files = ["06-5-slow-lane.scn", "06-5-slow-lane-repaired.scn"];
    for (lang, batch, queue) in [
        ("en", "A1 of the same batch", "handles a queue one"),
        ("zh", "同一批里的 A1", "逐条处理队列"),
    ] {
        let output = lockstep(&lessons, &["compare", "--lang", lang, files[0], files[1]]);
        let said = String::from_utf8(output.stdout).unwrap();
        // A1 lies in another queue than B1.
        assert!(said.contains(batch) && !said.contains(queue), "{said}");
    }
}

#[test]
fn compare_names_a_consumer_that_the_other_release_does_not_let_start() {
    let text = "topic orders FIFO 1 queue\ngroup billing reads orders fifo\nproducer p1\n\
        consumer c1 in billing push\nconsumer c2 in billing simple\nat 3s p1 sends A1\nrun until 9s\n";
    let folder = folder("refused", &[("a.scn", text)]);
    let output = lockstep(&folder, &["compare", "a.scn", "--with", "model-4.9"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("First divergence: 00:00.000\n"), "{said}");
    assert!(said.contains("Run 2: c2 does not start: "), "{said}");
}

#[test]
fn compare_gives_no_reason_that_was_over_before_the_runs_part() {
    let lessons = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/lessons"));
    let output =
        lockstep(&lessons, &["compare", "04-1-kill-minus-nine.scn", "--with", "model-4.9"]);
    let said = String::from_utf8(output.stdout).unwrap();
    // A22 was handled once and comes again; the lease is over, and c2 looks again at 86 s.
    assert!(said.contains("3.5 s later: c2 handles A22"), "{said}");
    assert!(said.contains("next rebalance round, at 01:26.000"), "{said}");
}
