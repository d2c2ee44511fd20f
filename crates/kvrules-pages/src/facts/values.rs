//! The allowed values, if they are listed.

use crate::extra_specs::SpecValue;
use crate::fact::{Fact, FactValue, Piece};
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "values", on_rules: Some(50), on_extra_specs: Some(50), facts };

const LABEL: &str = "Allowed values";

fn facts(described: &Described<'_>) -> Vec<Fact> {
    match described {
        Described::Rule(rule, _) => rule.values_text.iter().map(|text| Fact::of_text(LABEL, text)).collect(),
        Described::ExtraSpec(spec) if spec.values.is_empty() => Vec::new(),
        Described::ExtraSpec(spec) => {
            let items = spec.values.iter().map(value_item).collect();
            vec![Fact::of_value(&LABEL.into(), FactValue::List(items))]
        }
    }
}

fn value_item(value: &SpecValue) -> Vec<Piece> {
    let mut item = vec![Piece::Code(value.code.clone())];
    item.extend(Piece::explained_by(value.description.as_ref()));
    item
}
