//! The bindings of a policy: actions, parameters and further restrictions.

use kvrules_crd::ResourceText;
use kvrules_pages::fact::{Fact, Piece};
use kvrules_pages::resources::ResourceEntry;
use serde_json::Value as Json;

use super::input::ResourcePagesInput;
use super::matching::match_facts;
use super::names::PageNames;
use super::rule_facts::source_fact;
use super::selectors::selector_words;
use super::values::{line_fact, list_fact, text_of, texts_of, word_fact, words_piece};

/// Returns the entry of a binding.
pub(super) fn binding_entry(
    text: &ResourceText,
    names: &mut PageNames,
    given: &ResourcePagesInput<'_>,
) -> ResourceEntry {
    let name = text_of(&text.value, "/metadata/name").to_owned();
    let (anchor, label) = names.add_name(&format!("binding-{name}"));
    let mut facts =
        vec![actions_fact("actions", "Actions", &texts_of(&text.value, "/spec/validationActions"))];
    facts.extend(match_facts(&text.value, "/spec/matchResources"));
    facts.extend(text.value.pointer("/spec/paramRef").map(param_facts).unwrap_or_default());
    facts.extend(source_fact(given.places.of(text.span.into()).as_ref()));
    ResourceEntry { name, anchor, label, facts, ..ResourceEntry::default() }
}

/// The actions of all bindings, each once, the strictest first.
pub(super) fn all_actions<'a>(bindings: &[&'a ResourceText]) -> Vec<&'a str> {
    let named: Vec<&str> =
        bindings.iter().flat_map(|binding| texts_of(&binding.value, "/spec/validationActions")).collect();
    ["Deny", "Warn", "Audit"].into_iter().filter(|action| named.contains(action)).collect()
}

/// The fact about the treatment of violations.
pub(super) fn actions_fact(kind: &str, label: &str, actions: &[&str]) -> Fact {
    let items = actions.iter().map(|action| {
        let effect = match *action {
            "Deny" => ": violations are rejected",
            "Warn" => ": violations are reported to the client as warnings",
            "Audit" => ": violations are recorded in the audit event",
            _ => "",
        };
        vec![Piece::of_code(action), words_piece(effect)]
    });
    let items: Vec<_> = items.collect();
    if items.is_empty() {
        return word_fact(kind, label, "none");
    }
    list_fact(kind, label, items)
}

fn param_facts(reference: &Json) -> Vec<Fact> {
    let mut line = Vec::new();
    let name = text_of(reference, "/name");
    if name.is_empty() {
        let words = reference.get("selector").map(selector_words).unwrap_or_default();
        line.push(words_piece(if words.is_empty() { "all" } else { "those with " }));
        line.extend(Piece::join_with(words.into_iter(), ", and "));
    } else {
        line.push(Piece::of_code(name));
    }
    let namespace = text_of(reference, "/namespace");
    if !namespace.is_empty() {
        line.extend([words_piece(" in the namespace "), Piece::of_code(namespace)]);
    }
    // admissionregistration v1/types.go, ParameterNotFoundActionType
    let missing = match text_of(reference, "/parameterNotFoundAction") {
        "Deny" => "an error, treated by the failure policy",
        "Allow" => "no violation",
        _ => return vec![line_fact("parameters", "Parameters", line)],
    };
    let missing = word_fact("missing-parameters", "Missing parameters", missing);
    vec![line_fact("parameters", "Parameters", line), missing]
}
