use super::*;

#[test]
fn eighteen_levels_by_default() {
    let table = DelayTable::default();
    assert_eq!(table.max_level(), 18);
    assert_eq!(table.delays_ms().len(), 18);
    assert_eq!((table.delay_ms(1), table.delay_ms(18)), (Some(1_000), Some(7_200_000)));
    assert_eq!((table.delay_ms(0), table.delay_ms(19), table.delay_ms(-1)), (None, None, None));
}

#[test]
fn units_are_seconds_to_days() {
    let table = DelayTable::parse("1s 2m 3h 4d -5s +6s").unwrap();
    assert_eq!(table.delays_ms(), [1_000, 120_000, 10_800_000, 345_600_000, -5_000, 6_000]);
}

#[test]
fn a_bad_token_stops_the_parse() {
    for (config, token, parsed, max_level) in [
        ("1s 5x 10s", "5x", 1, 2),
        ("1s  5s", "", 1, 1),
        (" 1s", "", 0, 0),
        ("", "", 0, 0),
        ("1s 5S", "5S", 1, 2),
        ("1.5s", "1.5s", 0, 1),
        ("1s 10", "10", 1, 2),
        ("s", "s", 0, 1),
        ("1s 5秒", "5秒", 1, 2),
    ] {
        let error = DelayTable::parse(config).unwrap_err();
        assert_eq!(error.token, token, "{config}");
        assert_eq!(error.parsed.delays_ms().len(), parsed, "{config}");
        assert_eq!(error.parsed.max_level(), max_level, "{config}");
    }
}

#[test]
fn blanks_at_the_end_are_dropped() {
    assert_eq!(DelayTable::parse("1s 5s  ").unwrap().max_level(), 2);
    assert_eq!(DelayTable::parse(" ").unwrap().max_level(), 0);
}

#[test]
fn levels_are_clamped_and_numbered_from_one() {
    let table = DelayTable::parse("5s 8s").unwrap();
    assert_eq!(
        [-1, 0, 1, 2, 3].map(|level| table.clamp(level)),
        [None, None, Some(1), Some(2), Some(2)]
    );
    assert_eq!((queue_to_level(3), level_to_queue(4)), (4, 3));
    assert_eq!(table.deliver_timestamp(999, 0), 1_000);
    assert_eq!(table.deliver_timestamp(2, 10), 8_010);
}

#[test]
fn a_due_time_too_far_ahead_is_now() {
    let table = DelayTable::default();
    assert_eq!(table.corrected_due(20_000, 5_000, 3), 5_000);
    assert_eq!(table.corrected_due(20_000, 10_000, 3), 20_000);
}

#[test]
fn the_head_blocks_its_level() {
    let table = DelayTable::default();
    assert_eq!(due_prefix(&table, 3, &[20_000, 15_000], 15_000), (0, Some(20_000)));
    assert_eq!(due_prefix(&table, 3, &[15_000, 15_000, 16_000], 15_000), (2, Some(16_000)));
    assert_eq!(due_prefix(&table, 3, &[14_000], 15_000), (1, None));
}

#[test]
fn the_task_polls_every_100_ms_after_the_first_second() {
    let model = Model::of(crate::model::Version(5, 3, 3));
    let grid = TaskGrid::of(&model, 3);
    assert_eq!(
        [0, 1_003, 1_004, 20_000, 20_003].map(|now| grid.next_at(now)),
        [1_003, 1_003, 1_103, 20_003, 20_003]
    );
    assert_eq!(recheck_at(&model, 10_040, 20_000), 10_140);
    let old = Model::of(crate::model::Version(4, 9, 2));
    assert_eq!(recheck_at(&old, 10_040, 20_000), 20_000);
}

#[test]
fn the_proxy_takes_the_next_longer_level() {
    let table = DelayTable::default();
    let levels =
        [999, 1_000, 9_999, 10_000, 7_200_000, 9_000_000].map(|ms| table.compute_delay_level(ms));
    assert_eq!(levels, [1, 2, 3, 4, 18, 18]);
}

#[test]
fn cursors_are_moved_into_the_queue() {
    assert_eq!([3, 5, -1].map(|offset| correct_delay_offset(offset, 0, 0)), [0, 0, 0]);
    assert_eq!(correct_delay_offset(3, 1, 9), 3);
}

#[test]
fn a_failed_put_is_tried_again() {
    let wait = |a, b, c| failed_put_wait_ms(&Model::of(crate::model::Version(a, b, c)));
    assert_eq!((wait(5, 3, 3), wait(4, 9, 3), wait(4, 9, 2)), (100, 100, 10_000));
}

#[test]
fn a_batch_holds_no_delayed_message() {
    assert_eq!(batch_refuses(0), None);
    assert!(batch_refuses(1).is_some());
}
