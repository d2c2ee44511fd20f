//! Effect of a violation of a rule.

use crate::fact::Fact;
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "severity", on_rules: Some(110), on_extra_specs: None, facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    described.rule().map(|rule| Fact::of_text("Severity", &rule.severity_text)).into_iter().collect()
}
