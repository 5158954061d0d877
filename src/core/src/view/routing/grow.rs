//! A scenario in which the number of queues changes while messages of the groups wait.

use super::Function;
use crate::scenario::quote;

/// Most groups of the scenario: as many as the palette has colours.
const MAX_SERIES: usize = 8;

/// The text of a scenario: the first groups of a list send, the topic goes from `from` to `to`
/// queues while their messages wait, and they send again.
pub fn grow_scenario(list: &[String], function: Function, from: u32, to: u32) -> String {
    let selects = match function {
        Function::ByHash => "hash",
        Function::AbsHash => "abs-hash",
        Function::Modulo => "modulo",
        Function::RoundRobin => "round-robin",
        Function::Proxy | Function::Sdk(_) => "message-group",
    };
    let groups: Vec<(char, &String)> = ('A'..='Z').zip(list).take(MAX_SERIES).collect();
    let messages = |numbers: &dyn Fn(char) -> String| -> String {
        groups.iter().map(|(letter, _)| format!(" {}", numbers(*letter))).collect()
    };
    let mut text =
        format!("title    From {from} to {to} queues while messages wait\n\nmodel    5.3\n");
    // Clients learn of the change within a second, not within half a minute.
    for line in [
        "set      pollNameServerInterval 500ms\n",
        "set      rocketmq.client.rebalance.waitInterval 1s\n",
        "set      topicRouteServiceCacheRefreshSeconds 1s\n",
    ] {
        text.push_str(line);
    }
    let queues = |n: u32| if n == 1 { "queue" } else { "queues" };
    text.push_str(&format!("topic    T FIFO {from} {}\n", queues(from)));
    for (letter, group) in &groups {
        text.push_str(&format!("series   {letter} message-group {}\n", quote(group)));
    }
    text.push_str("group    G reads T orderly, handles in 1s\n");
    text.push_str(&format!("producer p1 selects by {selects}\n"));
    text.push_str("consumer c1 in G\nconsumer c2 in G\n\n");
    text.push_str(&format!("at 3s    p1 sends{}\n", messages(&|l| format!("{l}1..{l}4"))));
    // What was written to a queue that is gone could not be read any more: only writing ends.
    let kind = if to < from { "write " } else { "" };
    text.push_str(&format!("at 4s    T {to} {kind}{}\n", queues(to)));
    text.push_str(&format!("at 6s    p1 sends{}\n", messages(&|l| format!("{l}5 {l}6"))));
    text.push_str("run      until 60s\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Broken;
    use crate::scenario;
    use crate::session::Session;

    fn broken(function: Function, from: u32, to: u32) -> usize {
        let list: Vec<String> =
            (1_001..1_009).map(|i| format!("order-{i}")).chain(["two words".to_owned()]).collect();
        let text = grow_scenario(&list, function, from, to);
        let program = scenario::load(&text).unwrap_or_else(|p| panic!("{text}\n{p:?}"));
        let mut session = Session::new(program.seed, program.model.clone(), program.journal());
        session.run_until(program.until_ms);
        let order = |v: &&crate::check::Violation| matches!(v.broken, Broken::Order { .. });
        session.violations().iter().filter(order).count()
    }

    #[test]
    fn every_function_gives_a_scenario_and_growing_breaks_the_order() {
        for function in Function::ALL {
            for (from, to) in [(4, 8), (4, 3), (1, 2)] {
                broken(function, from, to);
            }
        }
        assert!(broken(Function::ByHash, 4, 8) > 0);
        assert_eq!(broken(Function::ByHash, 4, 4), 0);
    }
}
