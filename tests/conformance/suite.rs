//! The cases, how they are understood, and what the core makes of them: the same natively and in
//! wasm.

mod answer;
mod cache;
mod case;
mod commits;
mod delay;
mod delay_run;
mod handover;
mod lifecycle;
mod lock;
mod message_type;
mod offset;
mod offset_reset;
mod offset_search;
mod offset_store;
mod order_info;
mod ordered_pop;
mod orderly;
mod policy;
mod pop_retry;
mod pop_stage;
mod pop_wake;
mod popper;
mod pull;
mod rebalance;
mod relock;
mod report;
mod retry;
mod retry_grpc;
mod route_run;
mod routing;
mod run;
mod stage;
mod start;
mod stop;
mod takeover;
mod version;

pub use case::Case;
pub use report::Report;

use answer::Outcome;
use case::Trouble;
use report::Verdict;

/// The collection as it came, and what was added to it here: name and text of each file.
pub const FILES: [(&str, &str); 3] = [
    ("conformance.json", include_str!("../conformance.json")),
    ("conformance-more.json", include_str!("../conformance-more.json")),
    ("conformance-more-pop.json", include_str!("../conformance-more-pop.json")),
];

/// How many cases of each area pass, everywhere.
pub const PASSED: &str = include_str!("../golden/conformance.txt");

/// The cases of a file.
pub fn parse(name: &str, text: &str) -> Result<Vec<Case>, String> {
    let value: serde_json::Value =
        serde_json::from_str(text).map_err(|error| format!("{name}: {error}"))?;
    let list = value.as_array().ok_or_else(|| format!("{name}: not a list of cases"))?;
    list.iter().map(|case| Case::parse(case).map_err(|error| format!("{name}: {error}"))).collect()
}

/// Judges the cases of the collection that are wanted.
pub fn run(wanted: impl Fn(&Case) -> bool) -> Report {
    let mut report = Report::default();
    for (name, text) in FILES {
        report.add_file(parse(name, text), &wanted);
    }
    report
}

/// A form of case: which cases have it, and how the core answers them.
pub struct Form {
    /// Whether a case has this form.
    pub fits: fn(&Case) -> bool,
    /// Computes the answer.
    pub run: fn(&Case) -> Outcome,
}

/// The forms of an area, those that are tried first in front.
fn forms_of(area: &str) -> Vec<&'static [Form]> {
    match area {
        "routing" => vec![routing::FORMS],
        "rebalance" => vec![rebalance::FORMS],
        "delay" => vec![delay::FORMS],
        "retry" => vec![retry_grpc::FORMS, retry::FORMS],
        "lock" => vec![lock::FORMS],
        "orderly-client" => vec![orderly::FORMS],
        "offset" => vec![offset_store::FORMS, offset::FORMS],
        "offset-reset" => vec![offset_reset::FORMS],
        "offset-search" => vec![offset_search::FORMS],
        "lifecycle" => vec![lifecycle::FORMS, offset::LIFE_FORMS],
        "ordered-pop" => vec![ordered_pop::FORMS],
        "pop-retry" => vec![pop_retry::FORMS],
        "message-type" => vec![message_type::FORMS],
        _ => Vec::new(),
    }
}

/// What the core makes of a case.
pub fn judge(case: &Case) -> Verdict {
    let forms = forms_of(&case.area);
    let Some(form) = forms.into_iter().flatten().find(|form| (form.fits)(case)) else {
        return Verdict::Unsupported(format!("unknown form: {}", case.when));
    };
    let answer = match (form.run)(case) {
        Ok(answer) => answer,
        Err(trouble) => return trouble.into(),
    };
    match answer.differences(case) {
        Err(trouble) => trouble.into(),
        Ok(wrong) if !wrong.is_empty() => Verdict::Failed(wrong),
        Ok(_) => match case.unread() {
            unread if unread.is_empty() => Verdict::Passed,
            unread => Verdict::Unsupported(format!("given but not used: {}", unread.join(", "))),
        },
    }
}

impl From<Trouble> for Verdict {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Unsupported(what) => Self::Unsupported(what),
            Trouble::Pending(reason) => Self::Pending(reason),
            Trouble::Wrong(what) => Self::Failed(vec![what]),
        }
    }
}
