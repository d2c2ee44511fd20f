//! One JSON Schema for the extra specs of a flavor.

use kvrules_extra_specs::{ValidationMode, json_schema};

use super::EMITTER;
use crate::extra_specs::documents_emission;
use crate::{Emission, Request, TargetOption};

/// The option that decides about keys without a definition.
pub(super) const UNDEFINED: TargetOption = TargetOption {
    name: "undefined-keys",
    values: &["reject", "accept"],
    default: "reject",
    summary: "reject or accept extra specs that have no definition",
};

/// Makes the schema. It is meant for the pairs that Nova's API accepts.
pub(super) fn emit_extra_specs(request: &Request<'_>) -> Emission {
    let validation = match request.option_value(&EMITTER, UNDEFINED.name) {
        "accept" => ValidationMode::Permissive,
        _ => ValidationMode::Strict,
    };
    let made = json_schema(request.definitions, validation);
    let document = ("extra-specs.schema.json".to_owned(), made.document);
    documents_emission(request.definitions, [document], &made.losses)
}
