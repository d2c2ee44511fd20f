//! Meaning of the value of an extra spec.

use crate::fact::Fact;
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "value", on_rules: None, on_extra_specs: Some(30), facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    let text = described.extra_spec().and_then(|spec| spec.value_description.as_ref());
    text.map(|text| Fact::of_text("Value", text)).into_iter().collect()
}
