//! The forms of targets that express definitions of extra specs.

use std::collections::BTreeMap;

use kvrules_diagnostics::Exactness;
use kvrules_diagnostics::render::json_text;
use kvrules_extra_specs::Definition;
use kvrules_extra_specs::glance::MetadefLoss;
use serde_json::Value;

use crate::{Emission, Fidelity, OutputFile, Request, RuleFidelity};

/// The name under which reports list definitions of extra specs, where they list rule sets.
pub const EXTRA_SPECS: &str = "extra specs";

/// The form of a target that expresses definitions of extra specs.
#[derive(Debug)]
pub struct ExtraSpecEmitter {
    /// Kind of its files, for those who run them.
    pub artefact: ExtraSpecArtefact,
    /// Makes it.
    pub emit: fn(&Request<'_>) -> Emission,
}

/// Kind of the files of a target, and so how they evaluate an extra spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtraSpecArtefact {
    /// One JSON Schema of all extra specs of a flavor, which accepts the flavor or rejects it.
    Schema,
    /// Glance's metadata definitions: forms for people. Nova never reads them, so a value that they reject may still be set.
    Metadefs,
}

/// Returns the emission of documents about definitions, with these differences from them.
pub(crate) fn documents_emission(
    definitions: &[Definition],
    documents: impl IntoIterator<Item = (String, Value)>,
    losses: &[MetadefLoss],
) -> Emission {
    let files = documents.into_iter().map(|(path, document)| OutputFile {
        path,
        // A `Value` has string keys, so serializing it cannot fail.
        text: json_text(&serde_json::to_string_pretty(&document).unwrap_or_default()).into_owned() + "\n",
    });
    Emission {
        files: files.collect(),
        fidelity: definition_fidelities(definitions, losses),
        ..Emission::default()
    }
}

/// Returns the fidelity to each definition, in the order of these.
fn definition_fidelities(definitions: &[Definition], losses: &[MetadefLoss]) -> Vec<RuleFidelity> {
    let mut by_name: BTreeMap<&str, Vec<&MetadefLoss>> = BTreeMap::new();
    for loss in losses {
        by_name.entry(&loss.definition).or_default().push(loss);
    }
    let to_fidelity = |definition: &Definition| RuleFidelity {
        set: EXTRA_SPECS.to_owned(),
        rule: definition.name.clone(),
        fidelity: losses_to_fidelity(by_name.get(definition.name.as_str()).map_or(&[], Vec::as_slice)),
    };
    definitions.iter().map(to_fidelity).collect()
}

fn losses_to_fidelity(losses: &[&MetadefLoss]) -> Fidelity {
    let causes: Vec<&str> = losses.iter().map(|loss| loss.cause).collect();
    let exactness = losses.iter().fold(Exactness::Exact, |joined, loss| joined.join_with(loss.kind));
    Fidelity::with_cause(exactness, causes.join("; "))
}
