//! The collection of cases that pins what Lockstep's core has to do, run against the core.
//!
//! A case says what is given, when, and what is expected. It is understood by its form, never by its
//! name: by the keys of `given` and `expect` and by the words of `when`. Every expected key is
//! compared with a value that the core computed, every given key has to be used. What nobody
//! understands fails as unsupported; what belongs to a later part of the product is counted as
//! pending, with its area.
//!
//! `conformance.json` is the collection as it came; `conformance-more.json` adds cases that follow
//! from the same rules. `LOCKSTEP_CASES` names further files of the same form, separated by `:` or
//! `,`. Arguments that do not begin with `-` keep only the cases whose id contains one of them.

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

use answer::Outcome;
use case::{Case, Trouble};
use report::{Report, Verdict};
use std::process::ExitCode;

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

fn judge(case: &Case) -> Verdict {
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

fn load(path: &str) -> Result<Vec<Case>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let value: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| format!("{path}: {error}"))?;
    let list = value.as_array().ok_or_else(|| format!("{path}: not a list of cases"))?;
    list.iter().map(|case| Case::parse(case).map_err(|error| format!("{path}: {error}"))).collect()
}

/// The collection, what was added to it here, and what the environment names.
fn files() -> Vec<String> {
    let own = ["conformance.json", "conformance-more.json", "conformance-more-pop.json"];
    let mut files: Vec<String> =
        own.iter().map(|name| format!("{}/tests/{name}", env!("CARGO_MANIFEST_DIR"))).collect();
    let further = std::env::var("LOCKSTEP_CASES").unwrap_or_default();
    files.extend(further.split([':', ',']).filter(|path| !path.is_empty()).map(str::to_owned));
    files
}

fn main() -> ExitCode {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let mut report = Report::default();
    for file in files() {
        match load(&file) {
            Err(error) => report.broken(error),
            Ok(cases) => {
                for case in cases {
                    if wanted.is_empty()
                        || wanted.iter().any(|part| case.id.contains(part.as_str()))
                    {
                        report.add(&case, judge(&case));
                    }
                }
            }
        }
    }
    report.print();
    if report.is_good() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
