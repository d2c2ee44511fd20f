//! Condition under which a rule applies.

use crate::document::{RulePage, Text};
use crate::fact::Fact;
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "condition", on_rules: Some(100), on_extra_specs: None, facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    described.rule().map(condition).into_iter().collect()
}

fn condition(rule: &RulePage) -> Fact {
    let always = || Text::from_prose(&"Always.".into());
    Fact::of_text("Applies", &rule.applies.clone().unwrap_or_else(always))
}
