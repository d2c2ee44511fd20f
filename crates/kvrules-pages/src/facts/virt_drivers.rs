//! The virt drivers that support an extra spec.

use crate::fact::{Fact, Piece};
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "virt-drivers", on_rules: None, on_extra_specs: Some(100), facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    let spec = described.extra_spec().filter(|spec| !spec.virt_drivers.is_empty());
    spec.map(|spec| Fact::of_line("Virt drivers", Piece::of_codes(&spec.virt_drivers))).into_iter().collect()
}
