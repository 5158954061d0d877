//! Every dependency has an exact version, a use and, in ARCHITECTURE.md, a reason.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::path::{Path, PathBuf};

/// The packages, and where their sources are.
const PACKAGES: [(&str, &[&str]); 6] = [
    (
        "",
        &["src/app", "src/ui", "src/main.rs", "src/lib.rs", "src/measure.rs", "tests", "build.rs"],
    ),
    ("src/core", &["src/core/src", "src/core/tests", "src/core/examples"]),
    ("src/i18n", &["src/i18n"]),
    ("src/cli", &["src/cli/src", "src/cli/tests"]),
    ("xtask", &["xtask/src"]),
    ("fuzz", &["fuzz", "tests/fuzz"]),
];

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// Text of all Rust files below a path.
fn sources(path: &Path) -> String {
    if path.is_file() {
        return if path.extension().is_some_and(|e| e == "rs") {
            read(path)
        } else {
            String::new()
        };
    }
    let entries = std::fs::read_dir(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let kept = |path: &PathBuf| path.file_name().is_none_or(|name| name != "target");
    entries.map(|entry| entry.unwrap().path()).filter(kept).map(|path| sources(&path)).collect()
}

/// Name and value of each dependency of a manifest, of its workspace's included.
fn dependencies(manifest: &str) -> Vec<(String, String)> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]");
        } else if let Some((name, value)) = line.split_once('=').filter(|_| inside) {
            let name = name.trim().trim_end_matches(".workspace");
            if !name.is_empty() && !name.starts_with(['#', '"', ' ']) {
                found.push((name.to_owned(), value.trim().to_owned()));
            }
        }
    }
    found
}

fn is_own(name: &str) -> bool {
    name.starts_with("lockstep")
}

#[test]
fn every_dependency_is_exact_used_and_has_a_reason() {
    let reasons = read(&root("ARCHITECTURE.md"));
    let (_, reasons) = reasons.split_once("## Dependencies, each with its reason").unwrap();
    let mut faults = Vec::new();
    let mut seen = 0;
    for (package, folders) in PACKAGES {
        let manifest = read(&root(package).join("Cargo.toml"));
        let sources: String = folders.iter().map(|folder| sources(&root(folder))).collect();
        let workspace = manifest.split("[workspace.dependencies]").nth(1).unwrap_or_default();
        let (workspace, _) = workspace.split_once("\n[").unwrap_or((workspace, ""));
        for (name, value) in dependencies(&manifest) {
            seen += 1;
            let inherited = value == "true" || value.contains("workspace = true");
            if !inherited && !value.contains("\"=") && !is_own(&name) {
                faults.push(format!("{package}: `{name}` has no exact version: {value}"));
            }
            if !reasons.contains(&format!("`{name}`")) && !is_own(&name) {
                faults.push(format!("{package}: `{name}` has no reason in ARCHITECTURE.md"));
            }
            let listed = workspace.contains(&format!("\n{name} = ")) && !inherited;
            if !listed && !sources.contains(&name.replace('-', "_")) {
                faults.push(format!("{package}: nothing uses `{name}`"));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    assert!(seen > 25, "{seen} dependencies");
}
