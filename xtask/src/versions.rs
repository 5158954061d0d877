//! The exact versions of the tools, and nothing else.

/// Builds, bundles and serves the page.
pub const TRUNK: &str = "0.21.14";

/// Writes the JavaScript around the wasm module; has to equal the crate's version.
pub const WASM_BINDGEN: &str = "0.2.130";

/// What trunk calls the release of binaryen that has `wasm-opt`.
pub const WASM_OPT: &str = "version_132";

/// The oldest Node.js that the tools from npm run on.
pub const NODE_MAJOR_MIN: u32 = 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths;
    use std::fs;

    fn text_of(file: &str) -> String {
        fs::read_to_string(paths::root().join(file)).unwrap()
    }

    #[test]
    fn trunk_toml_names_the_same_versions() {
        let trunk = text_of("Trunk.toml");
        assert!(trunk.contains(&format!("trunk-version = \"^{TRUNK}\"")));
        assert!(trunk.contains(&format!("wasm_bindgen = \"{WASM_BINDGEN}\"")));
        assert!(trunk.contains(&format!("wasm_opt = \"{WASM_OPT}\"")));
    }

    #[test]
    fn the_crate_and_the_tool_of_wasm_bindgen_are_one_version() {
        assert!(text_of("Cargo.toml").contains(&format!("wasm-bindgen = \"={WASM_BINDGEN}\"")));
    }

    #[test]
    fn npm_brings_the_wasm_opt_that_trunk_asks_for() {
        let major = WASM_OPT.trim_start_matches("version_");
        assert!(
            text_of("tests/e2e/package.json").contains(&format!("\"binaryen\": \"{major}.0.0\""))
        );
    }

    #[test]
    fn both_web_drivers_are_told_the_same() {
        assert_eq!(text_of("webdriver.json"), text_of("src/core/webdriver.json"));
    }
}
