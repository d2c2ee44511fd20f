//! The CEL that enforces a rule.

use crate::document::CelRule;
use crate::fact::{Fact, FactValue};
use crate::fact_kind::{Described, FactKind};
use crate::prose::{Prose, text_code};

pub(super) static FACT: FactKind = FactKind { name: "cel", on_rules: Some(160), on_extra_specs: None, facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    described.rule().map(|rule| rule.cel.iter().map(cel_fact).collect()).unwrap_or_default()
}

fn cel_fact(cel: &CelRule) -> Fact {
    let label = Prose::from("CEL of the target ").code(text_code(&cel.target));
    Fact::of_value(&label, FactValue::Code(cel.rule.clone()))
}
