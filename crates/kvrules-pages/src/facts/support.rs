//! Support status of an extra spec, and its replacement.

use crate::extra_specs::SpecPage;
use crate::fact::{Fact, NoticeLevel, Piece};
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "support", on_rules: None, on_extra_specs: Some(10), facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    described.extra_spec().map(support).into_iter().collect()
}

fn support(spec: &SpecPage) -> Fact {
    let mut line = vec![Piece::Text(spec.status_text.clone())];
    if let Some(other) = &spec.replacement {
        line.extend([Piece::Words(" Use ".into()), other.to_piece(), Piece::Words(" instead.".into())]);
    }
    Fact::of_line("Support", line).with_notice(match spec.status.as_str() {
        "supported" => None,
        "deprecated" => Some(NoticeLevel::Warning),
        _ => Some(NoticeLevel::Note),
    })
}
