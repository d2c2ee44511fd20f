//! The parameters of the name of an extra spec.

use crate::extra_specs::SpecParameter;
use crate::fact::{Fact, FactValue, Piece};
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "parameters", on_rules: None, on_extra_specs: Some(70), facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    let spec = described.extra_spec().filter(|spec| !spec.parameters.is_empty());
    let items = spec.map(|spec| spec.parameters.iter().map(parameter_item).collect());
    items.map(|items| Fact::of_value(&"Parameters".into(), FactValue::List(items))).into_iter().collect()
}

fn parameter_item(parameter: &SpecParameter) -> Vec<Piece> {
    let name = format!("{{{}}}", parameter.name);
    let mut item =
        vec![Piece::of_code(&name), Piece::Words(" is ".into()), Piece::Code(parameter.pattern.code.clone())];
    if let Some(reading) = &parameter.pattern.reading {
        item.extend([Piece::Words(" (".into()), Piece::Text(reading.clone()), Piece::Words(")".into())]);
    }
    item.extend(Piece::explained_by(parameter.description.as_ref()));
    item
}
