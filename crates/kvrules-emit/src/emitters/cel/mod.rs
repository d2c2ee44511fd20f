//! The rules as `x-kubernetes-validations`, for the root of the VirtualMachine's CRD schema.

use kvrules_ir::{ElaboratedRule, ElaboratedSet, Severity};
use serde_json::{Value, json};

use crate::cel::{Dialect, Expr, lower, message};
use crate::{Artefact, Emission, EmitError, Emitter, Fidelity, OutputFile, Request, RuleFidelity, names};

/// One file a rule set.
pub(crate) static EMITTER: Emitter = Emitter {
    name: "cel",
    summary: "CEL validation rules for a CustomResourceDefinition",
    artefact: Artefact::ValidationRules,
    options: &[],
    emit,
};

/// Lines of the file are broken here where they can be.
const WIDTH: usize = 100;

fn emit(request: &Request<'_>) -> Result<Emission, EmitError> {
    let mut emission = Emission::default();
    for (set, stem) in request.sets.iter().zip(names::stems(request.sets)) {
        let (entries, fidelity): (Vec<_>, Vec<_>) = set.rules.iter().map(rule).unzip();
        let fidelity: Vec<RuleFidelity> = fidelity
            .into_iter()
            .zip(&set.rules)
            .map(|(fidelity, rule)| RuleFidelity { set: set.name.clone(), rule: rule.name.clone(), fidelity })
            .collect();
        let text = head(set, &fidelity) + &list(&entries.into_iter().flatten().collect::<Vec<_>>())?;
        emission.files.push(OutputFile { path: format!("{stem}.yaml"), text });
        emission.fidelity.extend(fidelity);
    }
    Ok(emission)
}

/// An entry of the list, if there is something to say, and how exact it is.
fn rule(rule: &ElaboratedRule) -> (Option<Value>, Fidelity) {
    if rule.severity == Severity::Warning {
        let cause = "a CRD validation rule can only reject, and this rule only warns";
        return (None, Fidelity::Unsupported(cause.to_owned()));
    }
    match lower(&rule.predicate, Dialect::VIRTUAL_MACHINE_SCHEMA) {
        Err(unsupported) => (None, Fidelity::Unsupported(unsupported.cause)),
        Ok(lowered) if lowered.expression == Expr::Bool(true) => (None, lowered.fidelity),
        Ok(lowered) => {
            let entry = json!({ "rule": text(&lowered.expression), "message": message(rule) });
            (Some(entry), lowered.fidelity)
        }
    }
}

/// The expression as it reads best in YAML. A text of several lines becomes a literal block; on one line YAML may
/// ask for quotes and for each quote inside to be doubled.
fn text(expression: &Expr) -> String {
    let text = expression.layout(WIDTH);
    let plain = text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && !text.contains(": ")
        && !text.contains(" #");
    if plain { text } else { expression.broken(WIDTH) }
}

fn list(entries: &[Value]) -> Result<String, EmitError> {
    serde_yaml::to_string(&json!({ "x-kubernetes-validations": entries }))
        .map_err(|error| EmitError { message: error.to_string() })
}

/// Comments: whose rules these are, and which of them are not said exactly.
fn head(set: &ElaboratedSet, fidelity: &[RuleFidelity]) -> String {
    let mut head = comment(&format!("rules of {}", set.name));
    let users = set.used_by.iter().map(|user| user.name.as_str()).collect::<Vec<_>>().join(", ");
    if !users.is_empty() {
        head.push_str(&comment(&format!("used by: {users}")));
    }
    for RuleFidelity { rule, fidelity, .. } in fidelity {
        if let Some(cause) = fidelity.cause() {
            head.push_str(&comment(&format!("{rule}: {}: {cause}", fidelity.as_str())));
        }
    }
    for rule in &set.left_out {
        head.push_str(&comment(&format!("{}: left out: {}", rule.name, rule.cause)));
    }
    head
}

/// A comment, its lines filled with words.
fn comment(text: &str) -> String {
    let mut lines = vec!["#".to_owned()];
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("#   {word}")),
        }
    }
    lines.into_iter().map(|line| line + "\n").collect()
}
