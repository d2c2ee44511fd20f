//! The type, and how values of it are written.

use crate::fact::Fact;
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "type", on_rules: Some(30), on_extra_specs: Some(20), facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    let text = match described {
        Described::Rule(rule, _) => &rule.field.type_text,
        Described::ExtraSpec(spec) => &spec.type_text,
    };
    vec![Fact::of_text("Type", text)]
}
