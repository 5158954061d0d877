//! Texts that were changed and not run yet, kept by this tab of the browser: a page that is loaded again, or
//! comes back to the scenario, has them still.

use lockstep_core::hash::StableHasher;
use web_sys::Storage;

/// Beginning of the names under which they lie.
const DRAFT: &str = "lockstep.draft.";

/// The name of the one that was worked on last.
const OPEN: &str = "lockstep.draft";

/// Keeps what became of a text; None = nothing, it is as it was.
pub fn keep(of: &str, draft: Option<&str>) {
    let Some(storage) = storage() else { return };
    let name = name(of);
    // A full or forbidden storage costs only what a page that is loaded again would know.
    let _ = match draft {
        Some(draft) => storage.set_item(&name, draft).and_then(|()| storage.set_item(OPEN, &name)),
        None => storage.remove_item(&name).and_then(|()| storage.remove_item(OPEN)),
    };
}

/// What became of a text.
pub fn kept(of: &str) -> Option<String> {
    storage()?.get_item(&name(of)).ok()?.filter(|draft| draft != of)
}

/// Whether a text was worked on when the page was loaded again; asked for once.
pub fn was_open(of: &str) -> bool {
    let Some(storage) = storage() else { return false };
    let is_open = storage.get_item(OPEN).ok().flatten() == Some(name(of));
    if is_open {
        let _ = storage.remove_item(OPEN);
    }
    is_open
}

/// Another text is worked on from now on.
pub fn close() {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(OPEN);
    }
}

fn name(of: &str) -> String {
    format!("{DRAFT}{:016x}", StableHasher::of(&of))
}

fn storage() -> Option<Storage> {
    web_sys::window()?.session_storage().ok()?
}
