//! Charts as files: all points as CSV, the drawings as one SVG.

use lockstep_core::view::charts::ChartsView;

use super::sheet::escape;
use crate::ui::stage::svg::num;

/// The rules of the shapes; a saved drawing carries them with it.
const STYLE: &str = include_str!("../../../www/styles/plot.css");

/// The names of the style sheet's variables that a drawing needs. A file knows no theme, so it gets
/// the values of the moment.
pub const VARIABLES: [&str; 39] = [
    "--family",
    "--ink",
    "--muted",
    "--strong",
    "--line",
    "--surface",
    "--a-fill",
    "--a-edge",
    "--a-text",
    "--b-fill",
    "--b-edge",
    "--b-text",
    "--c-fill",
    "--c-edge",
    "--c-text",
    "--d-fill",
    "--d-edge",
    "--d-text",
    "--e-fill",
    "--e-edge",
    "--e-text",
    "--f-fill",
    "--f-edge",
    "--f-text",
    "--g-fill",
    "--g-edge",
    "--g-text",
    "--h-fill",
    "--h-edge",
    "--h-text",
    "--n-fill",
    "--n-edge",
    "--n-text",
    "--t-ui",
    "--t-read",
    "--t-head",
    "--t-small",
    "--t-tick",
    "--mono",
];

/// A drawing with its title.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// What stands above it.
    pub title: String,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Its shapes.
    pub svg: String,
}

/// Room above a drawing for its title, in pixels.
const TITLE_PX: u32 = 28;

/// Drawings one below the other as one file; `value` gives the value of a variable.
pub fn svg_file(drawings: &[Drawn], value: &dyn Fn(&str) -> String) -> String {
    let width = drawings.iter().map(|drawn| drawn.size.0).max().unwrap_or(0);
    let height: u32 = drawings.iter().map(|drawn| drawn.size.1 + TITLE_PX).sum();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\"><style>"
    );
    out.push_str(&resolved(STYLE, value));
    for (hue, letter) in ["a", "b", "c", "d", "e", "f", "g", "h", "n"].into_iter().enumerate() {
        let class = if hue == 8 { "gn".to_owned() } else { format!("g{hue}") };
        let [fill, edge, text] =
            ["fill", "edge", "text"].map(|part| value(&format!("--{letter}-{part}")));
        out.push_str(&format!(
            ".p-hot.{class}{{fill:{fill};stroke:{edge}}}.plot .p-hot-name.{class}{{fill:{text}}}"
        ));
    }
    out.push_str("</style><defs><pattern id=\"hatch-plot\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(-45)\"><rect class=\"hatch-plot-line\" width=\"1.4\" height=\"5\"/></pattern></defs>");
    out.push_str(&format!(
        "<rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>",
        value("--surface")
    ));
    let mut y = 0;
    for drawn in drawings {
        out.push_str(&format!("<text class=\"p-title\" x=\"8\" y=\"{}\">", y + 18));
        escape(&mut out, &drawn.title);
        out.push_str(&format!(
            "</text><g transform=\"translate(0 {})\">",
            num(f64::from(y + TITLE_PX))
        ));
        out.push_str(&drawn.svg);
        out.push_str("</g>");
        y += drawn.size.1 + TITLE_PX;
    }
    out.push_str("</svg>\n");
    out
}

/// A style sheet with the values of its variables in their places. Variables of message groups stay:
/// each group's rule follows.
fn resolved(style: &str, value: &dyn Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = style;
    while let Some((before, after)) = rest.split_once("var(") {
        out.push_str(before);
        let Some((name, tail)) = after.split_once(')') else { break };
        let known = VARIABLES.contains(&name);
        out.push_str(&if known { value(name) } else { format!("var({name})") });
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// All points of the lines: the lag of each queue and consumer group at the end of each bucket, and
/// what happened in it. Instants and durations in ms.
pub fn csv(view: &ChartsView) -> String {
    let mut out = String::from("at_ms");
    let lines: Vec<&[(i64, i64)]> = view
        .lag
        .iter()
        .map(|lag| &lag.points[..])
        .chain(view.groups.iter().map(|group| &group.points[..]))
        .collect();
    let names = view.lag.iter().map(|lag| &lag.name).chain(view.groups.iter().map(|g| &g.name));
    for name in names {
        out.push_str(&format!(",{}", field(&format!("lag {name}"))));
    }
    out.push_str(",stored,handled,latency_p50_ms,latency_p95_ms,latency_max_ms,call_p50_ms\n");
    for (place, bucket) in view.buckets.iter().enumerate() {
        out.push_str(&bucket.to_ms.to_string());
        for line in &lines {
            // The first point is the beginning of the run.
            let value = line.get(place + 1).or(line.last()).map_or(0, |(_, value)| *value);
            out.push_str(&format!(",{value}"));
        }
        out.push_str(&format!(",{},{}", bucket.stored, bucket.handled));
        let cells = match bucket.latency {
            Some(q) => format!(",{},{},{}", q.p50, q.p95, q.max),
            None => ",,,".to_owned(),
        };
        out.push_str(&cells);
        out.push_str(&bucket.calls.map_or(",".to_owned(), |q| format!(",{}", q.p50)));
        out.push('\n');
    }
    out
}

/// A field of a CSV file, quoted where it has to be.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::ids::{BrokerId, MessageQueue, TopicId};
    use lockstep_core::view::charts::{Bucket, GroupLag, Quantiles, QueueLag};

    fn view() -> ChartsView {
        let queue = MessageQueue { topic: TopicId(0), broker: BrokerId(0), id: 0 };
        let points = vec![(0, 0), (100, 3), (150, 1)];
        let q = Quantiles { count: 2, p50: 5, p95: 9, max: 9 };
        let bucket = |from_ms, to_ms, latency| Bucket {
            from_ms,
            to_ms,
            stored: 3,
            handled: 2,
            latency,
            calls: None,
        };
        ChartsView {
            now_ms: 150,
            bucket_ms: 100,
            lag: vec![QueueLag {
                queue,
                name: "q0".into(),
                points: points.clone(),
                now: 1,
                peak: 3,
                stood: Vec::new(),
            }],
            groups: vec![GroupLag { name: "a,\"b\"".into(), points, now: 1 }],
            buckets: vec![bucket(0, 100, Some(q)), bucket(100, 150, None)],
            ..ChartsView::default()
        }
    }

    #[test]
    fn a_csv_file_has_a_line_for_each_bucket_and_as_many_fields() {
        let text = csv(&view());
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("at_ms,lag q0,\"lag a,\"\"b\"\"\",stored"), "{text}");
        assert_eq!(lines[1..], ["100,3,3,3,2,5,9,9,", "150,1,1,3,2,,,,"]);
    }

    #[test]
    fn a_drawing_carries_its_colours_with_it() {
        let drawn = |svg: &str| Drawn {
            title: "Lag <1>".to_owned(),
            size: (300, 200),
            svg: svg.to_owned(),
        };
        let file = svg_file(&[drawn("<path/>"), drawn("<rect/>")], &|name| format!("[{name}]"));
        assert!(file.contains("height=\"456\"") && file.contains("Lag &lt;1&gt;"), "{file}");
        assert!(file.contains("stroke: [--line]") && file.contains(".p-hot.g1{fill:[--b-fill]"));
        // What is left are the groups' own, which a rule for each group follows.
        let left = file.split("var(").skip(1).map(|rest| rest.split(')').next().unwrap_or(""));
        assert!(left.clone().all(|name| ["--fill", "--edge", "--on-fill"].contains(&name)));
        assert!(left.count() >= 3);
    }
}
