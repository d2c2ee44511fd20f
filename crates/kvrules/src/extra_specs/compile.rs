//! Definitions compiled as rules are: files, and how exactly they say each definition.

use kvrules_emit::{Emission, Options, OutputFile};
use kvrules_extra_specs::{ChosenValues, Definition, Target};
use kvrules_verify::extra_specs::target_fidelities;

use crate::TargetOutput;

/// Makes targets from the definitions of one layer (see
/// [`DefinitionRegistry::in_force`](super::DefinitionRegistry::in_force)). Nothing is written.
///
/// ```
/// use kvrules::extra_specs::{TARGETS, compile_definitions, shipped_document};
///
/// let outputs = compile_definitions(TARGETS, &shipped_document().expand_definitions(), &Default::default());
/// assert_eq!(outputs[0].target, "glance-metadefs");
/// assert_eq!(outputs[0].emission.fidelity.len(), 525);
/// ```
pub fn compile_definitions(
    targets: &[&'static Target],
    definitions: &[Definition],
    options: &Options,
) -> Vec<TargetOutput> {
    let output = |target: &&'static Target| {
        let made = target.make_files(definitions, &options_of(target, options));
        let files = made.files.into_iter().map(|(path, document)| OutputFile {
            path,
            // A `Value` has string keys, so serializing it cannot fail.
            text: serde_json::to_string_pretty(&document).unwrap_or_default() + "\n",
        });
        let emission =
            Emission { files: files.collect(), fidelity: target_fidelities(definitions, &made.losses) };
        TargetOutput { target: target.name, emission }
    };
    targets.iter().map(output).collect()
}

/// Returns the options chosen for a target of definitions, by their names.
///
/// ```
/// use kvrules::extra_specs::{TARGETS, options_of};
///
/// let key = |target: &str| (target.to_owned(), "prefix".to_owned());
/// let options = [(key("glance-metadefs"), "ACME::".to_owned()), (key("openapi"), "vm-".to_owned())].into();
/// let metadefs = TARGETS.iter().find(|target| target.name == "glance-metadefs").unwrap();
/// assert_eq!(options_of(metadefs, &options), [("prefix".to_owned(), "ACME::".to_owned())].into());
/// ```
pub fn options_of(target: &Target, options: &Options) -> ChosenValues {
    let own = options.iter().filter(|((name, _), _)| name == target.name);
    own.map(|((_, name), value)| (name.clone(), value.clone())).collect()
}
