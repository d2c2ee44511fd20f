//! Fields that the value of a rule is compared with.

use crate::fact::{Fact, Piece};
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "comparison", on_rules: Some(80), on_extra_specs: None, facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    let paths = described.meaning().map(|rule| &rule.requirement.compared_with);
    let line = paths
        .filter(|paths| !paths.is_empty())
        .map(|paths| Piece::join_with(paths.iter().map(|path| vec![Piece::of_field(path)]), ", "));
    line.map(|line| Fact::of_line("Compared with", line)).into_iter().collect()
}
