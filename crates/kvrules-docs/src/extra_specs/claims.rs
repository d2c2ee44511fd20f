//! Fidelity of the targets to extra specs.

use std::collections::HashMap;

use kvrules_diagnostics::Exactness;
use kvrules_emit::{EMITTERS, Emitter, ExtraSpecArtefact, Fidelity, Request};
use kvrules_extra_specs::Definition;
use kvrules_extra_specs::glance::write_metadefs;
use kvrules_pages::Text;
use kvrules_pages::document::TargetFidelity;
use kvrules_pages::extra_specs::Metadef;
use serde_json::Value;

/// Fidelities of the targets, and the entries of metadata definitions for extra specs.
#[derive(Debug)]
pub(super) struct SpecClaims {
    /// The fidelity of each target by the name of the definition.
    targets: Vec<TargetClaims>,
    /// By the key without parameters.
    metadefs: HashMap<String, Metadef>,
}

#[derive(Debug)]
struct TargetClaims {
    name: &'static str,
    artefact: ExtraSpecArtefact,
    fidelities: HashMap<String, Fidelity>,
}

impl SpecClaims {
    /// Collects the claims of the targets for definitions.
    pub(super) fn of(definitions: &[Definition]) -> Self {
        let metadefs = write_metadefs(definitions, "");
        let request = Request { definitions, ..Request::for_virtual_machines(&[]) };
        let claims = |target: &&'static Emitter| {
            let form = target.extra_specs.as_ref()?;
            let fidelities = (form.emit)(&request).fidelity.into_iter();
            let fidelities = fidelities.map(|claim| (claim.rule, claim.fidelity)).collect();
            Some(TargetClaims { name: target.name, artefact: form.artefact, fidelities })
        };
        let targets = EMITTERS.iter().filter_map(claims).collect();
        let properties = metadefs.files.iter().flat_map(|file| {
            let prefix = file.document.pointer("/resource_type_associations/0/prefix");
            let prefix = prefix.and_then(Value::as_str).unwrap_or_default();
            let properties = file.document.get("properties").and_then(Value::as_object);
            properties.into_iter().flatten().map(move |(property, _)| {
                let metadef = Metadef { file: file.name.clone(), property: property.clone() };
                (format!("{prefix}{property}"), metadef)
            })
        });
        Self { targets, metadefs: properties.collect() }
    }

    /// Returns the claim of each target for some names that are described together.
    pub(super) fn of_names(&self, names: &[&str]) -> Vec<TargetFidelity> {
        let mut claims: Vec<TargetFidelity> = Vec::new();
        for TargetClaims { name: target, fidelities, .. } in &self.targets {
            let of_names: Vec<&Fidelity> = names.iter().filter_map(|name| fidelities.get(*name)).collect();
            let is_exact = of_names.iter().all(|fidelity| fidelity.exactness() == Exactness::Exact);
            for fidelity in of_names {
                let (target, exactness) = ((*target).to_owned(), fidelity.exactness());
                let cause = fidelity.cause().map(Text::of_sentence);
                let claim = TargetFidelity { target, fidelity: exactness, cause };
                if (is_exact || exactness != Exactness::Exact) && !claims.contains(&claim) {
                    claims.push(claim);
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
        let is_left_out = self.targets.iter().any(|target| {
            let fidelity = target.fidelities.get(&definition.name).map(Fidelity::exactness);
            target.artefact == ExtraSpecArtefact::Metadefs && fidelity == Some(Exactness::Unsupported)
        });
        self.metadefs.get(&bare).filter(|_| !is_left_out).cloned()
    }
}
