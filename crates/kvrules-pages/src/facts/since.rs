//! The first release that supports an extra spec.

use crate::document::Text;
use crate::fact::Fact;
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "since", on_rules: None, on_extra_specs: Some(120), facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    let since = described.extra_spec().and_then(|spec| spec.since.as_deref());
    since.map(|since| Fact::of_text("Since", &Text::from_prose(&since.into()))).into_iter().collect()
}
