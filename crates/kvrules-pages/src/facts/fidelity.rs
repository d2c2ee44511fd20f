//! Fidelity of the targets, those of equal fidelity grouped.

use crate::document::FidelityGroup;
use crate::fact::{Fact, Piece};
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "fidelity", on_rules: Some(150), on_extra_specs: Some(150), facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    described.page().said_by.iter().map(group_fact).collect()
}

fn group_fact(group: &FidelityGroup) -> Fact {
    let mut line = Piece::of_codes(&group.targets);
    line.extend(Piece::explained_by(group.cause.as_ref()));
    Fact::of_line(&group.label, line)
}
