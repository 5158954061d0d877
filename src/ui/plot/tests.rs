//! Charts as texts.

use super::*;

const MARGINS: Margins = Margins { left: 40, top: 10, right: 40, bottom: 24 };

fn line(points: &[(i64, i64)], rank: Rank, name: &str) -> Line {
    Line { pieces: vec![points.to_vec()], rank, name: name.to_owned() }
}

fn chart(lines: Vec<Line>, log: bool) -> Lines {
    let hatched = (vec![(2_000, 4_000)], "q1 <suspended>".to_owned());
    Lines {
        size: (380, 240),
        margins: MARGINS,
        from_ms: 0,
        end_ms: 10_000,
        now_ms: 8_000,
        lines,
        log,
        hatched,
    }
}

fn count(svg: &str, class: &str) -> usize {
    svg.matches(&format!("class=\"{class}\"")).count()
}

#[test]
fn lines_have_axes_names_and_their_rank() {
    let chart = chart(
        vec![
            line(&[(0, 0), (8_000, 3)], Rank::Rest, ""),
            line(&[(0, 0), (8_000, 3)], Rank::Second, "q3"),
            line(&[(0, 0), (5_000, 8), (8_000, 4)], Rank::First, "q1"),
        ],
        false,
    );
    let svg = lines(&chart);
    for (class, expected) in
        [("p-first", 1), ("p-second", 1), ("p-rest", 1), ("p-hatch", 1), ("p-name", 2)]
    {
        assert_eq!(count(&svg, class), expected, "{class}: {svg}");
    }
    assert!(svg.contains(">5 s</text>") && svg.contains(">10 s</text>"), "{svg}");
    // 8 is at the top, half of the time in the middle (to a quarter of a pixel).
    assert!(svg.contains("L189.75 10L"), "{svg}");
    assert!(svg.contains("q1 &lt;suspended&gt;"));
    assert!(!svg.contains("NaN") && !svg.contains("<suspended"));
}

#[test]
fn names_at_the_ends_never_lie_on_each_other() {
    let same = |name| line(&[(0, 0), (8_000, 5)], Rank::Rest, name);
    let svg = lines(&chart(["a", "b", "c", "d"].map(same).to_vec(), false));
    let mut ys: Vec<f64> = svg
        .split("p-name-rest\"")
        .skip(1)
        .filter_map(|rest| rest.split("y=\"").nth(1)?.split('"').next()?.parse().ok())
        .collect();
    ys.sort_by(f64::total_cmp);
    assert_eq!(ys.len(), 4);
    assert!(ys.windows(2).all(|pair| pair[1] - pair[0] >= 13.0), "{ys:?}");
    assert!(ys.last().is_some_and(|y| *y <= 240.0), "{ys:?}");
}

#[test]
fn a_logarithmic_axis_is_marked_by_decades() {
    let svg = lines(&chart(vec![line(&[(0, 40), (8_000, 12_000)], Rank::First, "max")], true));
    for label in ["10 ms", "100 ms", "1 s", "10 s", "100 s"] {
        assert!(svg.contains(&format!(">{label}</text>")), "{label}: {svg}");
    }
}

#[test]
fn columns_show_a_hot_group_in_its_colour_and_nothing_else_does() {
    let column = |name: &str, value, part| Column { name: name.to_owned(), value, part };
    let svg = columns(&Columns {
        size: (380, 240),
        margins: MARGINS,
        columns: vec![
            column("q0", 10, None),
            column("q1", 40, Some((25, 4, "E".to_owned()))),
            column("q2", 0, None),
        ],
        mean: Some(16),
        axis: true,
    });
    assert_eq!(count(&svg, "p-plain"), 3);
    assert_eq!(count(&svg, "p-hot g4"), 1);
    assert_eq!(count(&svg, "p-hot-name g4"), 1);
    assert_eq!(count(&svg, "p-mean"), 1);
    assert_eq!(svg.matches(" g4").count(), 2);
    assert!(svg.contains(">40</text>"));
}

#[test]
fn shares_end_where_the_time_ends() {
    let row = |name: &str, parts| Share { name: name.to_owned(), parts, note: "1 s".to_owned() };
    let chart = Shares {
        width: 380,
        margins: MARGINS,
        end_ms: 10_000,
        rows: vec![row("q0", [5_000, 0, 0]), row("q1", [2_000, 3_000, 1_000])],
    };
    assert_eq!(chart.size(), (380, 86));
    let svg = shares(&chart);
    assert_eq!((count(&svg, "p-dark"), count(&svg, "p-wait"), count(&svg, "p-strong")), (2, 1, 1));
    assert_eq!(count(&svg, "p-empty"), 2);
    assert!(svg.contains("width=\"149.75\""), "half of 300: {svg}");
}

#[test]
fn nothing_and_too_little_room_give_no_panic() {
    let empty = Lines { lines: Vec::new(), end_ms: 0, now_ms: 0, ..chart(Vec::new(), false) };
    lines(&empty);
    lines(&Lines { size: (10, 10), ..empty });
    columns(&Columns {
        size: (0, 0),
        margins: MARGINS,
        columns: Vec::new(),
        mean: None,
        axis: true,
    });
    shares(&Shares { width: 0, margins: MARGINS, end_ms: 0, rows: Vec::new() });
}
