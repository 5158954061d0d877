//! Shares of queues. Joining, leaving and handing over need a run: see [`super::handover`].

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::{handover, route_run, start, stop, takeover, Form};
use lockstep_core::allocate::{averagely, by_circle, by_machine_room, check};

/// The forms of this area.
pub const FORMS: &[Form] = &[
    Form { fits: |c| c.says("allocat") && c.has("queues") && c.has("consumers"), run: allocation },
    Form { fits: |c| c.when == "allocate" && c.has("cid"), run: stranger },
    Form { fits: |c| c.when == "allocate" && (c.has("mqAll") || c.has("cidAll")), run: refused },
    Form { fits: |c| c.has("B_registers"), run: handover::joins },
    Form { fits: takeover::is_restart, run: takeover::restart },
    Form { fits: |c| c.has("queue_dropped_and_pending"), run: handover::bounce },
    Form { fits: |c| c.says("start a classic consumer"), run: start::starts },
    Form { fits: |c| c.says("new queues") || c.says("topic changes"), run: route_run::propagation },
    Form { fits: |c| c.says("clean stop") && c.has("await_ms"), run: stop::stops },
];

type Strategy = fn(&[u32], usize, usize) -> Vec<u32>;

const STRATEGIES: [(&str, Strategy); 3] = [
    ("average", |queues, members, index| averagely(queues, members, index).to_vec()),
    ("circle", by_circle),
    ("machine room", |queues, members, index| {
        by_machine_room(queues, members, index, &["room"], |_| Some("room"))
    }),
];

fn allocation(case: &Case) -> Outcome {
    let (queues, members): (u32, usize) = (case.number("queues")?, case.number("consumers")?);
    let Some((_, strategy)) = STRATEGIES.iter().find(|(name, _)| case.says(name)) else {
        return Trouble::unsupported(format!("strategy in `{}`", case.when));
    };
    let queues: Vec<u32> = (0..queues).collect();
    let shares: Vec<Vec<u32>> =
        (0..members).map(|index| strategy(&queues, members, index)).collect();
    let sizes: Vec<usize> = shares.iter().map(Vec::len).collect();
    Ok(Answer::new().with("allocation", shares).with("sizes", sizes))
}

/// A member that is not in the list gets nothing, whatever the strategy; an empty id is refused.
fn stranger(case: &Case) -> Outcome {
    let me = case.text("cid")?;
    let (queues, members) = ([0, 1, 2, 3], ["A", "B"]);
    let index = match check(me, queues.len(), &members) {
        Err(error) => return Ok(exception(&error)),
        Ok(index) => index.unwrap_or(members.len()),
    };
    let mut all: Vec<u32> = Vec::new();
    for (_, strategy) in STRATEGIES {
        all.extend(strategy(&queues, members.len(), index));
    }
    Ok(Answer::new().with("allocation", all))
}

fn refused(case: &Case) -> Outcome {
    let count = |key: &str| if case.has(key) { case.list(key).map(<[_]>::len) } else { Ok(1) };
    let members = vec!["A"; count("cidAll")?];
    match check("A", count("mqAll")?, &members) {
        Err(error) => Ok(exception(&error)),
        Ok(_) => Trouble::unsupported("lists that are not empty"),
    }
}

fn exception(error: &impl ToString) -> Answer {
    Answer::new().with("error", format!("IllegalArgumentException: {}", error.to_string()))
}
