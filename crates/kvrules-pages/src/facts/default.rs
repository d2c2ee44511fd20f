//! The default of the field of a rule.

use crate::fact::Fact;
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "default", on_rules: Some(70), on_extra_specs: None, facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    let text = described.rule().and_then(|rule| rule.field.default_text.as_ref());
    text.map(|text| Fact::of_text("Default", text)).into_iter().collect()
}
