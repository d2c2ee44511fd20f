//! Glance's metadata definitions, one file for each namespace of extra specs.

use kvrules_extra_specs::glance::write_metadefs;

use crate::extra_specs::documents_emission;
use crate::{Emission, Emitter, ExtraSpecArtefact, ExtraSpecEmitter, Request, TargetOption};

pub(crate) static EMITTER: Emitter = Emitter {
    name: "glance-metadefs",
    summary: "metadata definitions for Glance, one file for each namespace of extra specs",
    options: &[TargetOption {
        name: "namespace-prefix",
        values: &[],
        default: "OS::Compute::ExtraSpecs::",
        summary: "how the names of Glance's namespaces begin",
    }],
    rule_sets: None,
    extra_specs: Some(ExtraSpecEmitter { artefact: ExtraSpecArtefact::Metadefs, emit: emit_metadefs }),
    resources: None,
    authored: None,
};

fn emit_metadefs(request: &Request<'_>) -> Emission {
    let made = write_metadefs(request.definitions, request.option_value(&EMITTER, "namespace-prefix"));
    let documents = made.files.into_iter().map(|file| (file.name, file.document));
    documents_emission(request.definitions, documents, &made.losses)
}
