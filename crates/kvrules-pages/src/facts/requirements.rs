//! The extra specs that must be set with an extra spec.

use crate::fact::{Fact, Piece};
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "requirements", on_rules: None, on_extra_specs: Some(110), facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    let spec = described.extra_spec().filter(|spec| !spec.requires.is_empty());
    let line =
        spec.map(|spec| Piece::join_with(spec.requires.iter().map(|other| vec![other.to_piece()]), ", "));
    line.map(|line| Fact::of_line("Requires", line)).into_iter().collect()
}
