//! The reference of the scenario language is current.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::path::PathBuf;

/// With this variable set, the reference is written anew.
const UPDATE: &str = "LOCKSTEP_UPDATE";

#[test]
fn the_reference_is_current() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/scenario-language.md");
    let current = lockstep_core::scenario::reference();
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, &current).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = current.lines().zip(written.lines()).position(|(a, b)| a != b);
    assert!(
        written == current,
        "docs/scenario-language.md is not current (first difference in line {}): \
         `{UPDATE}=1 cargo test --test scenario` or `lockstep reference > docs/scenario-language.md`",
        differs.map_or(written.lines().count().min(current.lines().count()), |index| index) + 1
    );
}

/// A small generator, so that a fault found here is found again.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

#[test]
fn spoilt_lessons_are_read_without_loss() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("www/lessons");
    let mut chance = Chance(7);
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let original: Vec<char> = text.chars().collect();
        for _ in 0..8 {
            let mut chars = original.clone();
            for _ in 0..=chance.below(6) {
                let at = chance.below(chars.len());
                match chance.below(4) {
                    0 => drop(chars.remove(at)),
                    1 => chars
                        .insert(at, ['\n', ' ', '"', '#', ',', '|', '9', '\t'][chance.below(8)]),
                    2 => {
                        let piece: Vec<char> =
                            chars[at..(at + chance.below(60)).min(chars.len())].to_vec();
                        let to = chance.below(chars.len());
                        chars.splice(to..to, piece).for_each(drop);
                    }
                    _ => chars.truncate(at.max(1)),
                }
            }
            let spoilt: String = chars.into_iter().collect();
            let parsed = lockstep_core::scenario::parse(&spoilt);
            assert_eq!(parsed.scenario.print(), spoilt);
            let canonical = lockstep_core::scenario::format(&spoilt);
            assert_eq!(lockstep_core::scenario::format(&canonical), canonical, "{spoilt}");
            for problem in lockstep_core::scenario::load(&spoilt).err().into_iter().flatten() {
                assert!(spoilt.get(problem.span.start..problem.span.end).is_some(), "{problem:?}");
            }
            let _ = lockstep_core::scenario::marks(&spoilt);
            let line = chance.below(40) as u32;
            let _ = lockstep_core::scenario::completions(&spoilt, line, chance.below(60) as u32);
        }
    }
}
