//! The routing microscope shows what the real classes answer: every case of `conformance.json` about
//! a choice of the queue is looked at through it.

use lockstep_core::routing::Sdk;
use lockstep_core::view::routing::{
    hot_load, load, moving, names, rows, trap, Bits, Function, Landing, Number, HOT_MESSAGES,
    MIN_VALUE_TEXT,
};
use serde_json::Value;

fn cases() -> Vec<Value> {
    let text = include_str!("conformance.json");
    let cases: Vec<Value> = serde_json::from_str(text).expect("the collection is JSON");
    cases.into_iter().filter(|case| case["area"] == "routing").collect()
}

/// The function that a case is about, by the beginning of its id.
fn function(id: &str) -> Option<Function> {
    Some(match id.get(..9)? {
        "ROUTE-SIP" => Function::Sdk(Sdk::Java),
        "ROUTE-CH-" => Function::Proxy,
        "ROUTE-ABS" => Function::AbsHash,
        _ => return None,
    })
}

#[test]
fn every_vector_lands_where_the_real_class_puts_it() {
    let mut looked_at = 0;
    for case in cases() {
        let (id, given) = (case["id"].as_str().expect("an id"), &case["given"]);
        let group = given["group"].as_str().or_else(|| given["key"].as_str());
        let (Some(function), Some(group)) = (function(id), group) else { continue };
        if case["expect"]["n4"].is_null() {
            continue;
        }
        let list = [group.to_owned()];
        let row = rows(&list, 8, function, 4, 8).remove(0);
        let queue = |name: &str| {
            let index = case["expect"][name].as_i64().expect("an index");
            u32::try_from(index).map_or(Landing::Throws(index), Landing::Queue)
        };
        assert_eq!((row.from, row.to), (queue("n4"), queue("n8")), "{id}");
        assert_eq!(row.moves(), case["expect"]["n4"] != case["expect"]["n8"], "{id}");
        match row.number.expect("a number") {
            Number::Int(hash) => assert_eq!(given["java_hash"], hash, "{id}"),
            Number::Bits(bits) => {
                assert_eq!(given["sip_u64_hex"], format!("0x{bits:016x}"), "{id}")
            }
            Number::Digest(_) => panic!("{id}: no vector is a digest"),
        }
        looked_at += 1;
    }
    assert!(looked_at > 25, "{looked_at}");
}

#[test]
fn the_trap_is_what_the_cases_say() {
    let mut looked_at = 0;
    for case in cases()
        .iter()
        .filter(|case| case["id"].as_str().is_some_and(|id| id.starts_with("ROUTE-MIN")))
    {
        let Some(key) = case["given"]["key"].as_str() else { continue };
        let cells = trap(key, 16);
        for (name, pick) in [("select_by_hash", 1), ("naive_abs", 0)] {
            let Some(expected) = case["expect"][name].as_object() else { continue };
            for (n, index) in expected {
                let n: u32 = n.parse().expect("a count");
                let Some(cell) = cells.iter().find(|cell| cell.n == n) else { continue };
                assert_eq!(*index, [cell.abs_first, cell.abs_last][pick], "{key} {name} {n}");
                looked_at += 1;
            }
        }
    }
    assert!(looked_at >= 8, "{looked_at}");
    let throws = |cell: &&lockstep_core::view::routing::TrapCell| cell.abs_first < 0;
    let trapped: Vec<u32> =
        trap(MIN_VALUE_TEXT, 16).iter().filter(throws).map(|cell| cell.n).collect();
    assert_eq!(trapped, [3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15]);
}

#[test]
fn what_moves_is_what_was_measured() {
    let list = names("order-0..9999").list;
    let sums = [Function::Sdk(Sdk::Java), Function::ByHash, Function::Proxy].map(|function| {
        [(4, 5), (4, 8), (4, 3), (8, 4)].map(|(from, to)| {
            (moving(&list, function, from, to).expect("it has values").per_ten_thousand() + 5) / 10
        })
    });
    assert_eq!(sums, [[793, 497, 743, 497], [800, 501, 750, 501], [200, 499, 249, 499]]);
    assert_eq!(moving(&list, Function::Sdk(Sdk::Cpp), 4, 8), None);
    assert_eq!(moving(&list, Function::RoundRobin, 4, 8), None);
}

#[test]
fn loads_add_up_and_a_hot_group_makes_its_queue_heavy() {
    let list = names("order-0..9999").list;
    let even = load(&list, Function::ByHash, 4).expect("it has values");
    assert_eq!(even.queues.iter().sum::<u32>(), 10_000);
    let place = list.iter().position(|group| group == "order-1001").expect("it is there") as u32;
    let hot = hot_load(&list, Function::ByHash, 4, (place, 20)).expect("there are others");
    assert_eq!(hot.hot, Some((3, 2_000)));
    assert_eq!(hot.queues.iter().max(), hot.queues.get(3));
    assert!(hot.queues.iter().sum::<u32>().abs_diff(HOT_MESSAGES) <= 4);
    assert_eq!(load(&list, Function::Sdk(Sdk::CSharp), 4), None);
    let alone = ["a".to_owned()];
    assert_eq!(hot_load(&alone, Function::ByHash, 4, (0, 20)), None);
    let min = [MIN_VALUE_TEXT.to_owned()];
    assert_eq!(load(&min, Function::AbsHash, 3).map(|load| load.thrown), Some(1));
}

#[test]
fn the_bits_that_decide_are_those_of_the_value() {
    let bits = |function: Function, group: &str, from, to| function.bits(group, from, to);
    // 708 180 869 ends in 101.
    let expected = Bits { bits: vec![true, false, true], fresh: 1 };
    assert_eq!(bits(Function::ByHash, "order-1007", 4, 8), Some(expected));
    assert_eq!(bits(Function::ByHash, "order-1007", 4, 6), None);
    assert_eq!(bits(Function::Proxy, "order-1007", 4, 8), None);
    // They say the queue for every function that has them.
    for function in Function::ALL {
        for group in ["order-1007", "order-1", "G1", "-7", "12", "订单-1001"] {
            let Some(Bits { bits, fresh }) = bits(function, group, 4, 16) else { continue };
            let value = |bits: &[bool]| bits.iter().fold(0, |sum, bit| sum * 2 + u32::from(*bit));
            if let Landing::Queue(queue) = function.landing(group, 0, 16) {
                assert_eq!((value(&bits), fresh), (queue, 2), "{function:?} {group}");
            }
        }
    }
}

#[test]
fn the_sdks_disagree_as_documented() {
    let queue = |sdk| Function::Sdk(sdk).landing("order-1001", 0, 4);
    assert_eq!(queue(Sdk::Java), Landing::Queue(2));
    assert_eq!(queue(Sdk::Node), Landing::Queue(0));
    assert_eq!(queue(Sdk::Rust), Landing::Queue(1));
    assert_eq!(queue(Sdk::Cpp), Landing::Platform);
    assert_eq!(Function::ByHash.landing("order-1001", 0, 4), Landing::Queue(3));
    assert_eq!(Function::Proxy.landing("order-1001", 0, 4), Landing::Queue(2));
    assert_eq!(Function::Modulo.landing("-7", 0, 4), Landing::Throws(-3));
    let turn: Vec<Landing> = (0..5).map(|i| Function::RoundRobin.landing("x", i, 4)).collect();
    assert_eq!(turn, [0, 1, 2, 3, 0].map(Landing::Queue));
}
