//! The names of a family of extra specs.

use crate::extra_specs::SpecMember;
use crate::fact::{Fact, Piece};
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "names", on_rules: None, on_extra_specs: Some(170), facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    let spec = described.extra_spec().filter(|spec| !spec.members.is_empty());
    let target =
        |member: &SpecMember| Piece::Target { name: member.name.clone(), anchor: member.anchor.clone() };
    let line =
        spec.map(|spec| Piece::join_with(spec.members.iter().map(|member| vec![target(member)]), ",\n"));
    line.map(|line| Fact::of_line("Names", line)).into_iter().collect()
}
