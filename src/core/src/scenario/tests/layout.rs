use super::*;

#[test]
fn the_sketch_is_read_and_canonical() {
    let parsed = parse(SKETCH);
    assert_eq!(parsed.problems, []);
    assert_eq!(parsed.scenario.print(), SKETCH);
    assert_eq!(format(SKETCH), SKETCH);
}

#[test]
fn printing_gives_the_text_back_whatever_it_looks_like() {
    for text in [
        "",
        "\n",
        "\r\n",
        "  \t seed\t7  # x\r\ntitle   a\r\n   b\r\n\r\n#c",
        "nonsense \"\nat 5\nseed 1",
        "\u{feff}title x\n",
        "title x\r\r\n",
    ] {
        assert_eq!(parse(text).scenario.print(), text);
    }
}

#[test]
fn the_canonical_form_lines_up_and_keeps_everything() {
    let text = "title A  long   title # not 7 #8\n  goes on   # more\n\n  topic orders   FIFO 4 queues #x\n\
        at 1m30.250s   p1   sends A1,A2 ,  every 2s\nask 4s Why?A *|B  |  C\nbogus   line\n\
        goal Do it.     when   A1   handled\n";
    let want = "\
title         A  long   title       # not 7 #8
              goes on               # more

topic         orders FIFO 4 queues  #x
at 1m30.250s  p1 sends A1, A2, every 2s
ask  4s       Why?  A * | B | C
bogus   line
goal          Do it.  when A1 handled
";
    assert_eq!(format(text), want);
    assert_eq!(format(want), want);
}

#[test]
fn line_ends_stay_as_they_are() {
    assert_eq!(format("seed 7\r\n\r\nseed 8"), "seed     7\r\n\r\nseed     8");
}

#[test]
fn an_unreadable_line_does_not_become_a_continuation() {
    let formatted = format("    title X\n  bogus\n");
    assert_eq!(formatted, "title    X\nbogus\n");
    assert_eq!(parse(&formatted).problems.len(), 1);
}

#[test]
fn texts_go_on_in_indented_lines() {
    let program =
        load("title One\n  two # no\n  # a comment ends it\nabout 中文\n  接着\n").expect("fine");
    assert_eq!(program.title.en, "One two");
    assert_eq!(program.about.en, "中文接着");
}

#[test]
fn a_hash_in_prose_needs_a_blank_to_be_a_comment() {
    let program = load("title Issue #7 # comment\n").expect("fine");
    assert_eq!(program.title.en, "Issue #7");
}

#[test]
fn the_reference_explains_every_form() {
    let text = reference();
    for section in GRAMMAR {
        for form in section.forms {
            assert!(text.contains(&form.example.replace('|', "\\|")), "{}", form.example);
            assert!(!form.meaning.is_empty(), "{}", form.form);
        }
    }
}

#[test]
fn laying_a_question_out_makes_no_comment_of_its_answers() {
    for text in ["ask 4s What next?#  A * | B\n", "ask 4s What next? A * |# B\n"] {
        assert_eq!(format(&format(text)), format(text));
        assert_eq!(parse(&format(text)).problems.len(), parse(text).problems.len(), "{text}");
    }
}
