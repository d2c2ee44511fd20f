//! Location of the definition.

use crate::fact::{Fact, Piece};
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "source", on_rules: Some(140), on_extra_specs: Some(160), facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    let source = described.page().source.iter();
    source.map(|source| Fact::of_line("Defined in", vec![Piece::of_source(source)])).collect()
}
