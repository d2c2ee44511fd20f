//! The image property with the meaning of an extra spec.

use crate::fact::{Fact, Piece};
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "image-property", on_rules: None, on_extra_specs: Some(130), facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    let property = described.extra_spec().and_then(|spec| spec.image_property.as_deref());
    let fact = |name| Fact::of_line("Image property", vec![Piece::of_code(name)]);
    property.map(fact).into_iter().collect()
}
