//! Bounds of the value, or of its length.

use crate::fact::Fact;
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "limits", on_rules: Some(40), on_extra_specs: Some(40), facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    described.page().limits.iter().map(|limit| Fact::of_text(&limit.label, &limit.text)).collect()
}
