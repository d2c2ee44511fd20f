//! Result of a rule if its value is absent.

use crate::fact::Fact;
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "absence", on_rules: Some(90), on_extra_specs: None, facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    let text = described.rule().and_then(|rule| rule.absent.as_ref());
    text.map(|text| Fact::of_text("If absent", text)).into_iter().collect()
}
