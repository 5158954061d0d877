//! Cases of the offset area that the classic client's run decides. The others come later.

use crate::{pull, start, Form};

/// The forms of this area that are supported now.
pub const FORMS: &[Form] = &[
    Form { fits: |c| c.says("first delivery") && c.has("where"), run: start::corrected },
    Form {
        fits: |c| c.says("first offset") && c.has("message_stored_ms"),
        run: start::start_offset,
    },
    Form { fits: |c| c.has("hold_start") && !c.has("reset_at"), run: pull::held },
    Form { fits: |c| c.has("record_bytes"), run: pull::one_read },
    Form { fits: |c| c.says("filtered read"), run: pull::filtered_read },
];
