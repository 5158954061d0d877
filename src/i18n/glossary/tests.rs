//! What is found of a text, and what the terms have to be.

use super::*;

/// The terms that a text has, as it writes them.
fn found(locale: Locale, text: &str) -> Vec<&str> {
    let words = |piece| match piece {
        Piece::Term(word, _) => Some(word),
        _ => None,
    };
    pieces(locale, text).into_iter().filter_map(words).collect()
}

#[test]
fn the_longest_term_at_a_place_is_found() {
    let text = "The consumer offset is an offset, and the topic type belongs to the topic.";
    assert_eq!(found(Locale::En, text), ["consumer offset", "offset", "topic type", "topic"]);
    assert_eq!(
        found(Locale::Zh, "消费位点也是位点，消费组有死信。"),
        ["消费位点", "位点", "消费组", "死信"]
    );
}

#[test]
fn a_term_is_found_where_it_appears_first_and_in_its_plural() {
    assert_eq!(found(Locale::En, "Queues, a queue, more queues."), ["Queues"]);
    assert_eq!(found(Locale::En, "Dead letters of 4.x clients"), ["Dead letters", "4.x clients"]);
    assert_eq!(found(Locale::Zh, "队列和队列"), ["队列"]);
    // Where a consumer offset stands first, its offset is none.
    assert_eq!(found(Locale::En, "consumer offset, consumer offset"), ["consumer offset"]);
}

#[test]
fn what_is_part_of_a_word_or_of_code_is_no_term() {
    for text in [
        "unblocked",
        "SCHEDULE_TOPIC_XXXX",
        "min-offset",
        "%RETRY%lock",
        "lagging",
        "blocks",
        "`queue`",
    ] {
        assert_eq!(found(Locale::En, text), [""; 0], "{text}");
    }
    assert_eq!(found(Locale::En, "the broker's locks; lag."), ["broker", "locks", "lag"]);
    assert_eq!(found(Locale::Zh, "由Broker保管，Brokers 不算"), ["Broker"]);
    assert_eq!(
        pieces(Locale::En, "In `topic` a"),
        [Piece::Plain("In "), Piece::Code("topic"), Piece::Plain(" a")]
    );
}

#[test]
fn nothing_of_a_text_is_lost() {
    for text in ["", "A `lock` of a queue", "锁，é queue 队列", "`", "a`b`c`", "queue"] {
        for locale in Locale::ALL {
            let whole: String = pieces(locale, text)
                .into_iter()
                .map(|piece| match piece {
                    Piece::Plain(words) | Piece::Code(words) | Piece::Term(words, _) => words,
                })
                .collect();
            assert_eq!(whole, text.replace('`', ""));
        }
    }
}

#[test]
fn each_term_has_a_name_of_its_own_and_one_sentence() {
    for locale in Locale::ALL {
        let mut forms: Vec<_> = TERMS.iter().flat_map(|term| term.forms(locale)).collect();
        let count = forms.len();
        forms.sort();
        forms.dedup();
        assert_eq!(forms.len(), count);
        for term in TERMS {
            let told = term.told(locale);
            let end = locale.pick(". ", "。");
            assert_eq!(format!("{told} ").matches(end).count(), 1, "{told}");
            // Every form is found as its own term, and not as another one.
            for form in term.forms(locale) {
                assert_eq!(pieces(locale, form), [Piece::Term(form, term)], "{form}");
            }
        }
    }
    assert!((30..=40).contains(&TERMS.len()), "{}", TERMS.len());
}
