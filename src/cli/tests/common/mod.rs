//! What the tests of the command line share.

use std::path::PathBuf;

/// A scenario that ends as it expects.
pub const GOOD: &str = "\
title    One message
topic    orders FIFO 1 queue
group    billing reads orders orderly
producer p1
consumer c1 in billing

at 3s    p1 sends A1

expect   A1 handled at 3s
";

/// A folder of this test's own, with the given files in it.
pub fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for (file, text) in files {
        std::fs::write(folder.join(file), text).unwrap();
    }
    folder
}
