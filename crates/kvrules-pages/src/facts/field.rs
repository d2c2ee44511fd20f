//! The path of the values that a rule checks.

use crate::fact::{Fact, Piece};
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "field", on_rules: Some(20), on_extra_specs: None, facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    let path = described.meaning().map(|rule| &rule.requirement.subject.text);
    path.map(|path| Fact::of_line("Field", vec![Piece::of_code(path)])).into_iter().collect()
}
