use super::*;

const GROUND: &str = "topic orders FIFO 2 queues\ngroup billing reads orders orderly\nproducer p1\nconsumer c1 in billing\n";

/// What is offered at the end of a line below the ground.
fn offered(line: &str) -> Vec<String> {
    let text = format!("{GROUND}{line}");
    let column = line.chars().count() as u32 + 1;
    completions(&text, 5, column).into_iter().map(|c| c.text).collect()
}

#[test]
fn the_settings_of_a_group_are_offered_for_a_group() {
    let words = offered("at 3s billing ");
    for word in ["handles", "max-reconsume-times", "suspend", "pauses", "resumes"] {
        assert!(words.iter().any(|w| w == word), "{word} in {words:?}");
    }
    assert!(!words.iter().any(|w| w == "crashes"), "{words:?}");
    assert_eq!(offered("at 3s billing max"), ["max-reconsume-times"]);
}

#[test]
fn names_and_keywords_are_offered_where_they_fit() {
    assert_eq!(offered("consumer c2 in "), ["billing"]);
    assert_eq!(offered("at 3s cut c1 from b"), ["broker"]);
    assert_eq!(offered("model 5."), ["5.3", "5.1"]);
    assert!(offered("expect A1 h").contains(&"handled".to_owned()));
    assert!(offered("s").iter().eq(["seed", "set", "series", "source", "see"].iter()));
    assert!(completions("", 1, 1).iter().any(|c| c.text == "title" && c.meaning.is_some()));
}

#[test]
fn the_second_stack_is_offered() {
    let some = |line: &str, words: &[&str]| {
        let found = offered(line);
        for word in words {
            assert!(found.iter().any(|w| w == word), "{word} after {line:?} in {found:?}");
        }
    };
    some("at 3s c1 ", &["receives", "acks", "changes", "crashes", "reads"]);
    some("consumer c2 in billing ", &["push", "grpc", "simple", "through"]);
    some("at 3s lose next ", &["ack-answer", "pull"]);
    some("at 3s proxy answers receive with TOO", &["TOO_MANY_REQUESTS"]);
    some("at 3s broker ", &["crashes", "loses", "starts"]);
    some("at 3s billing consume", &["consume-message-orderly"]);
    some("expect A1 refused with ", &["type-conflict", "MESSAGE_NOT_FOUND"]);
    some("expect q0 bl", &["blocked"]);
}

#[test]
fn a_completion_replaces_the_word_that_was_begun() {
    let text = format!("{GROUND}at 3s billing max 3");
    let found = completions(&text, 5, 18);
    assert_eq!(found.len(), 1);
    assert_eq!(&text[found[0].replaces.start..found[0].replaces.end], "max");
}

#[test]
fn keywords_times_labels_and_comments_are_marked() {
    let text = "producer p1\nat 3s p1 sends A1..A3 B1 # now A1\nbeat 3s A2 fails, c1 waits. 队列里的A3也在等。\n  B1, too.\n";
    let found: Vec<(String, MarkKind)> = marks(text)
        .into_iter()
        .map(|m| (text[m.span.start..m.span.end].to_owned(), m.kind))
        .collect();
    let label = |word: &str, series: &str| (word.to_owned(), MarkKind::Label(series.to_owned()));
    let want = [
        ("producer".to_owned(), MarkKind::Keyword),
        ("at".to_owned(), MarkKind::Keyword),
        ("3s".to_owned(), MarkKind::Time),
        label("A1..A3", "A"),
        label("B1", "B"),
        ("# now A1".to_owned(), MarkKind::Comment),
        ("beat".to_owned(), MarkKind::Keyword),
        ("3s".to_owned(), MarkKind::Time),
        label("A2", "A"),
        label("A3", "A"),
        label("B1", "B"),
    ];
    assert_eq!(found, want);
}
