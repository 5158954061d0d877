//! The tools from npm: wasm-opt, Playwright, axe. One folder for each list of versions,
//! in the user's cache; this clone has a link to it.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::{bring, ready};
use crate::job::Job;
use crate::{paths, versions, Outcome};

/// The file that says that an installation came to its end.
const COMPLETE: &str = "complete";

/// Makes sure that the tools are in the cache and that this clone and trunk find them.
pub fn ensure() -> Outcome {
    let folder = paths::npm_tools()?;
    let what = "wasm-opt, Playwright and axe";
    if folder.join(COMPLETE).exists() {
        ready(what);
    } else {
        bring(&format!("{what} by npm"), "under a minute", || install(&folder))?;
    }
    let modules = folder.join("node_modules");
    link(&modules, &paths::e2e().join("node_modules"))?;
    // Where trunk keeps the tools that it downloads: so plain trunk finds it as well.
    let trunk = paths::user_cache()?.join("trunk").join(format!("wasm-opt-{}", versions::WASM_OPT));
    if cfg!(target_os = "linux") && !trunk.join("bin/wasm-opt").exists() {
        link(&modules.join("binaryen/bin/wasm-opt"), &trunk.join("bin/wasm-opt"))?;
    }
    Ok(())
}

fn install(folder: &Path) -> Outcome {
    fs::create_dir_all(folder)?;
    for file in ["package.json", "package-lock.json"] {
        fs::copy(paths::e2e().join(file), folder.join(file))?;
    }
    Job::new("npm")?
        .args(["ci", "--no-audit", "--no-fund"])
        .env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")
        .dir(folder)
        .quietly("npm", None)?;
    Ok(fs::write(folder.join(COMPLETE), "")?)
}

/// Makes `at` a link to `to`; what is there and is no link stays, it is a person's own.
fn link(to: &Path, at: &Path) -> Outcome {
    match fs::symlink_metadata(at) {
        Ok(there) if !there.is_symlink() => return Ok(()),
        Ok(_) if fs::read_link(at)? == to => return Ok(()),
        Ok(_) => fs::remove_file(at)?,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            fs::create_dir_all(at.parent().unwrap_or(at))?;
        }
        Err(error) => return Err(error.into()),
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(to, at)?;
    #[cfg(windows)]
    std::os::windows::fs::symlink_dir(to, at)?;
    Ok(())
}
