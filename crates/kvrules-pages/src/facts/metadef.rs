//! The property of Glance's metadata definitions for an extra spec.

use crate::fact::{Fact, Piece};
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "metadef", on_rules: None, on_extra_specs: Some(140), facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    let metadef = described.extra_spec().and_then(|spec| spec.metadef.as_ref());
    let line = metadef.map(|metadef| {
        vec![
            Piece::Words("property ".into()),
            Piece::of_code(&metadef.property),
            Piece::Words(" of ".into()),
            Piece::of_code(&metadef.file),
        ]
    });
    line.map(|line| Fact::of_line("In Glance", line)).into_iter().collect()
}
