//! Keys that match the name of an extra spec, and keys that nearly do.

use super::examples::example_facts;
use crate::fact::Fact;
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind = FactKind { name: "keys", on_rules: None, on_extra_specs: Some(80), facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    let spec = described.extra_spec();
    spec.map(|spec| example_facts(["Valid keys", "Invalid keys"], &spec.keys)).unwrap_or_default()
}
