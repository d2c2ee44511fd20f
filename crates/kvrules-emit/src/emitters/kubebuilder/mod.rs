//! RuleSets as marker comments for controller-gen, which writes the definition from types in Go.

mod keyword;
mod read;

use kvrules_diagnostics::render::needs_escape;
use kvrules_syntax::edit::quote_json;

use crate::source_markers::{MarkedRule, emit_marked, entry_text};
use crate::{Emission, EmitError, Emitter, Request, ResourceEmitter};

/// One file for each RuleSet.
pub(crate) static EMITTER: Emitter = Emitter {
    name: "kubebuilder",
    summary: "marker comments for types in Go, from which controller-gen writes the definition",
    options: &[],
    rule_sets: None,
    extra_specs: None,
    resources: None,
    authored: Some(ResourceEmitter { read_entries: Some(read::read_entries), ..ResourceEmitter::new(emit) }),
};

/// The fields of an entry, in the order in which the marker has them.
// controller-tools pkg/crd/markers/validation.go, XValidation
const FIELDS: [&str; 5] = ["rule", "message", "messageExpression", "reason", "fieldPath"];

/// The start of every marker.
const PREFIX: &str = "// +kubebuilder:validation:";

#[expect(clippy::unnecessary_wraps, reason = "every target has this form")]
fn emit(request: &Request<'_>) -> Result<Emission, EmitError> {
    let mut used = Vec::new();
    Ok(emit_marked(request, "Markers", &mut |rule| Ok(markers_of(rule, &mut used))))
}

/// The markers of a rule. A marker of a keyword has the message of the server, so that it is for rules without a message of their own.
fn markers_of(rule: &MarkedRule<'_>, used: &mut Vec<(String, String)>) -> Vec<String> {
    let own = rule.authored.filter(|authored| !authored.has_own_message());
    let keywords = own.and_then(|authored| keyword::keyword_markers(authored, rule.node));
    let keywords = keywords.filter(|markers| {
        let is_free = |name: &str| !used.iter().any(|(path, known)| *path == rule.path && known == name);
        markers.iter().all(|(name, _)| is_free(name))
    });
    match keywords {
        Some(markers) => {
            used.extend(markers.iter().map(|(name, _)| (rule.path.clone(), name.clone())));
            markers.into_iter().map(|(name, argument)| format!("{PREFIX}{name}={argument}")).collect()
        }
        None => vec![format!("{PREFIX}XValidation:{}", arguments_of(rule))],
    }
}

fn arguments_of(rule: &MarkedRule<'_>) -> String {
    let argument = |key: &str| Some(format!("{key}={}", quote_text(entry_text(&rule.entry, key)?)));
    FIELDS.iter().filter_map(|key| argument(key)).collect::<Vec<_>>().join(",")
}

/// A string as Go has it: raw if that saves escapes.
fn quote_text(text: &str) -> String {
    let is_raw = text.contains(['"', '\\']) && !text.contains('`') && !text.contains(needs_escape);
    if is_raw { format!("`{text}`") } else { quote_json(text) }
}
