//! Fidelity of the targets to extra specs.

use std::collections::HashMap;

use kvrules_diagnostics::Exactness;
use kvrules_extra_specs::glance::{MetadefLoss, write_metadefs};
use kvrules_extra_specs::{Definition, ValidationMode, json_schema};
use kvrules_pages::Text;
use kvrules_pages::document::TargetFidelity;
use kvrules_pages::extra_specs::Metadef;
use serde_json::Value;

const TARGETS: [&str; 2] = ["json-schema", "glance-metadefs"];

/// Differences of the targets, and the entries of metadata definitions for extra specs.
#[derive(Debug)]
pub(super) struct SpecClaims {
    /// By target and name.
    losses: [HashMap<String, Vec<MetadefLoss>>; 2],
    /// By the key without parameters.
    metadefs: HashMap<String, Metadef>,
}

impl SpecClaims {
    /// Collects the claims of the targets for definitions.
    pub(super) fn of(definitions: &[Definition]) -> Self {
        let metadefs = write_metadefs(definitions, "");
        let losses = [json_schema(definitions, ValidationMode::Strict).losses, metadefs.losses].map(by_name);
        let properties = metadefs.files.iter().flat_map(|file| {
            let prefix = file.document.pointer("/resource_type_associations/0/prefix");
            let prefix = prefix.and_then(Value::as_str).unwrap_or_default();
            let properties = file.document.get("properties").and_then(Value::as_object);
            properties.into_iter().flatten().map(move |(property, _)| {
                let metadef = Metadef { file: file.name.clone(), property: property.clone() };
                (format!("{prefix}{property}"), metadef)
            })
        });
        Self { losses, metadefs: properties.collect() }
    }

    /// Returns the claim of each target for some names that are described together.
    pub(super) fn of_names(&self, names: &[&str]) -> Vec<TargetFidelity> {
        let mut claims: Vec<TargetFidelity> = Vec::new();
        for (target, losses) in TARGETS.into_iter().zip(&self.losses) {
            let claim = |fidelity: Exactness, cause: Option<Text>| TargetFidelity {
                target: target.to_owned(),
                fidelity,
                cause,
            };
            let lost: Vec<_> = names.iter().filter_map(|name| losses.get(*name)).flatten().collect();
            if lost.is_empty() {
                claims.push(claim(Exactness::Exact, None));
            }
            for loss in lost {
                let found = claim(loss.kind, Some(Text::of_sentence(loss.cause)));
                let is_listed = |known: &TargetFidelity| {
                    (&known.target, &known.fidelity, &known.cause)
                        == (&found.target, &found.fidelity, &found.cause)
                };
                if !claims.iter().any(is_listed) {
                    claims.push(found);
                }
            }
        }
        claims
    }

    /// Returns the metadata definition of an extra spec: the one under its key without parameters.
    pub(super) fn metadef(&self, definition: &Definition) -> Option<Metadef> {
        let bare = definition
            .parameters
            .iter()
            .fold(definition.name.clone(), |name, parameter| name.replace(&parameter.to_placeholder(), ""));
        let is_left_out = self.losses.iter().skip(1).any(|losses| {
            let lost = losses.get(&definition.name).into_iter().flatten();
            lost.into_iter().any(|loss| loss.kind == Exactness::Unsupported)
        });
        self.metadefs.get(&bare).filter(|_| !is_left_out).cloned()
    }
}

fn by_name(losses: Vec<MetadefLoss>) -> HashMap<String, Vec<MetadefLoss>> {
    let mut named: HashMap<String, Vec<MetadefLoss>> = HashMap::new();
    for loss in losses {
        named.entry(loss.definition.clone()).or_default().push(loss);
    }
    named
}
