//! The author's message for objects that violate a rule.

use crate::fact::Fact;
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "message", on_rules: Some(120), on_extra_specs: None, facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    described.rule().map(|rule| Fact::of_text("Message", &rule.message)).into_iter().collect()
}
