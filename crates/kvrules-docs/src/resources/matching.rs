//! The requests that a policy or a binding matches, in words.

use kvrules_pages::fact::{Fact, Piece};
use serde_json::Value as Json;

use super::selectors::selector_words;
use super::values::{items_of, join_codes, line_fact, list_fact, text_of, texts_of, words_piece};

/// Returns the facts about the constraints under a pointer: `matchConstraints` of a policy, `matchResources` of a binding.
pub(super) fn match_facts(resource: &Json, pointer: &str) -> Vec<Fact> {
    let Some(constraints) = resource.pointer(pointer) else { return Vec::new() };
    let mut facts = Vec::new();
    for (kind, label, list) in
        [("matches", "Matches", "/resourceRules"), ("excludes", "Except", "/excludeResourceRules")]
    {
        let items: Vec<_> = items_of(constraints, list).map(rule_words).collect();
        if !items.is_empty() {
            facts.push(list_fact(kind, label, items));
        }
    }
    for (kind, label, field) in
        [("namespaces", "In namespaces", "namespaceSelector"), ("objects", "Objects", "objectSelector")]
    {
        let words = constraints.get(field).map(selector_words).unwrap_or_default();
        if !words.is_empty() {
            facts.push(line_fact(kind, label, Piece::join_with(words.into_iter(), ", and ")));
        }
    }
    // Equivalent is the default.
    if !facts.is_empty() && text_of(constraints, "/matchPolicy") == "Exact" {
        let words = vec![words_piece("only requests for the named versions")];
        facts.push(line_fact("match-policy", "Match policy", words));
    }
    facts
}

/// A rule of resources: `CREATE or UPDATE of deployments in apps/v1`.
fn rule_words(rule: &Json) -> Vec<Piece> {
    let mut line = one_of(&texts_of(rule, "/operations"), "any operation");
    line.push(words_piece(" of "));
    line.extend(resource_words(&texts_of(rule, "/resources")));
    line.push(words_piece(" in "));
    line.extend(version_words(&texts_of(rule, "/apiGroups"), &texts_of(rule, "/apiVersions")));
    let names = texts_of(rule, "/resourceNames");
    if !names.is_empty() {
        line.push(words_piece(", named "));
        line.extend(join_codes(&names, "or"));
    }
    match text_of(rule, "/scope") {
        "Namespaced" => line.push(words_piece(", in namespaces only")),
        "Cluster" => line.push(words_piece(", outside of namespaces only")),
        _ => {}
    }
    line
}

fn one_of(names: &[&str], any: &'static str) -> Vec<Piece> {
    if names.contains(&"*") { vec![words_piece(any)] } else { join_codes(names, "or") }
}

// admissionregistration v1/types.go, Rule.Resources: `*` is all resources but no subresources, `*/*` both.
fn resource_words(names: &[&str]) -> Vec<Piece> {
    let items = names.iter().map(|name| match *name {
        "*" => vec![words_piece("any resource")],
        "*/*" => vec![words_piece("any resource or subresource")],
        name => match name.split_once('/') {
            Some(("*", part)) => {
                vec![words_piece("the subresource "), Piece::of_code(part), words_piece(" of any resource")]
            }
            Some((name, "*")) => vec![words_piece("any subresource of "), Piece::of_code(name)],
            _ => vec![Piece::of_code(name)],
        },
    });
    Piece::join_with(items, ", ")
}

/// Groups and versions: `apps/v1`; the core group has no name.
fn version_words(groups: &[&str], versions: &[&str]) -> Vec<Piece> {
    if groups.contains(&"*") {
        let mut line = vec![words_piece("any API group")];
        if !versions.contains(&"*") {
            line.push(words_piece(", version "));
            line.extend(join_codes(versions, "or"));
        }
        return line;
    }
    if versions.contains(&"*") {
        let named = groups.iter().map(|group| match *group {
            "" => vec![words_piece("any version of the core API")],
            group => vec![words_piece("any version of "), Piece::of_code(group)],
        });
        return Piece::join_with(named, ", ");
    }
    let join = |group: &str, version: &&str| {
        if group.is_empty() { (*version).to_owned() } else { format!("{group}/{version}") }
    };
    let of_group = |group: &&str| versions.iter().map(|version| join(group, version)).collect::<Vec<_>>();
    let names: Vec<String> = groups.iter().flat_map(of_group).collect();
    join_codes(&names, "or")
}
