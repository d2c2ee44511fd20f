//! The rules as annotation 201902, for the value of `vm.kubevirt.io/validations` in a template.
//!
//! Rules go back as their authors wrote them, in the words of this form: each path with its prefix, `values` for what 201901
//! calls `included`, and bounds digit by digit. Rules of RuleSets about VirtualMachines are written as far as it is proved that
//! rules of the annotation say the same.

mod authored;
mod clause;
mod number;
mod proof;
mod rule;
mod wording;

use kvrules_syntax::layout::JsonLayout;

use kvrules_pages::names;

use crate::{
    Artefact, Emission, EmitError, Emitter, Fidelity, OutputFile, Request, ResourceEmitter, RuleFidelity,
    RuleSetEmitter,
};

/// One file a rule set.
pub(crate) static EMITTER: Emitter = Emitter {
    name: "annotation",
    summary: "the template annotation in its form of 201902",
    options: &[],
    rule_sets: Some(RuleSetEmitter {
        artefact: Artefact::Annotation,
        unavailable: |_| None,
        emit: emit_annotation,
    }),
    extra_specs: None,
    resources: None,
    authored: Some(ResourceEmitter {
        unfit_cause: authored::unfit_cause,
        ..ResourceEmitter::new(authored::emit_authored)
    }),
};

#[expect(clippy::unnecessary_wraps, reason = "every target has this form")]
fn emit_annotation(request: &Request<'_>) -> Result<Emission, EmitError> {
    let mut emission = Emission::default();
    for (set, stem) in request.sets.iter().zip(names::to_file_stems(request.sets)) {
        let mut rules = Vec::new();
        for rule in &set.rules {
            let fidelity = match rule::write_rule(rule) {
                Ok(text) => {
                    rules.push(text);
                    Fidelity::Exact
                }
                Err(cause) => Fidelity::Unsupported(cause),
            };
            let (set, rule) = (set.name.clone(), rule.name.clone());
            emission.fidelity.push(RuleFidelity { set, rule, fidelity });
        }
        emission.files.push(OutputFile { path: format!("{stem}.json"), text: render_list(rules) });
    }
    Ok(emission)
}

fn render_list(rules: Vec<JsonLayout>) -> String {
    JsonLayout::List(rules).to_lines().join("\n") + "\n"
}
