//! CustomResourceDefinitions: one drawn from the rules, or one given with `--schema` with the rules added to its schema.

mod authored;

use self::authored::{emit_authored, emit_resources};
use crate::crd::{
    CompileChoices, DefinitionSource, ExistingDefinition, build_standalone, lacks_definition,
    merge_into_existing,
};
use kvrules_pages::names;

use crate::{
    Artefact, Emission, EmitError, Emitter, OutputFile, Request, ResourceEmitter, RuleSetEmitter,
    TargetOption,
};

/// One file a rule set.
pub(crate) static EMITTER: Emitter = Emitter {
    name: "crd",
    summary: "CustomResourceDefinitions: a structural schema with validation rules",
    options: &[
        TargetOption {
            name: "add-bounds",
            values: &["false", "true"],
            default: "false",
            summary: "add bounds to lists and strings of the given schema if a rule would exceed the cost limit",
        },
        TargetOption {
            name: "messages",
            values: &["values", "plain"],
            default: "values",
            summary: "messages with the value and the limit, or only the author's message",
        },
    ],
    rule_sets: Some(RuleSetEmitter {
        artefact: Artefact::Definition,
        unavailable: |request| request.schema.and_then(lacks_definition),
        emit: emit_definitions,
    }),
    extra_specs: None,
    resources: Some(ResourceEmitter { is_for_ranges: true, ..ResourceEmitter::new(emit_resources) }),
    authored: Some(ResourceEmitter::new(emit_authored)),
};

fn emit_definitions(request: &Request<'_>) -> Result<Emission, EmitError> {
    let choices = CompileChoices {
        may_bound: request.option_value(&EMITTER, "add-bounds") == "true",
        values: request.option_value(&EMITTER, "messages") == "values",
        servers: request.servers,
    };
    let source = request.schema.map(DefinitionSource::new);
    let existing = request.schema.zip(source.as_ref());
    let existing =
        existing.map(|(file, source)| ExistingDefinition::read(file, source, request.subject)).transpose()?;
    let mut emission = Emission::default();
    for (set, stem) in request.sets.iter().zip(names::to_file_stems(request.sets)) {
        let document = match &existing {
            Some(existing) => merge_into_existing(set, request.subject, existing, choices)?,
            None => build_standalone(set, request.subject, choices)?,
        };
        let extension = if is_json(request) { "json" } else { "yaml" };
        emission.files.push(OutputFile { path: format!("{stem}.{extension}"), text: document.text });
        emission.fidelity.extend(document.fidelity);
    }
    Ok(emission)
}

/// True if the definition that is given is JSON, and so is what is made of it.
fn is_json(request: &Request<'_>) -> bool {
    request
        .schema
        .is_some_and(|file| file.text().trim_start_matches('\u{feff}').trim_start().starts_with('{'))
}
