//! Schemas that no value satisfies, each reported at the smallest contradictory place.

use std::collections::HashSet;

use kvrules_diagnostics::Diagnostic;
use kvrules_syntax::{Node, SyntaxKind};

use super::too_many;
use crate::lints::CONTRADICTORY_SCHEMA;
use crate::proof::{ContradictoryParts, LocalSchema, SchemaDetail, is_deliberately_empty, prove_empty};
use crate::tree::{SchemaSite, SchemaTree, SiteId};

/// Reports contradictory schemas, and returns them together with those that are endless.
pub(super) fn check_contradictions(
    tree: &SchemaTree<'_>,
    endless: &HashSet<SiteId>,
    most_proofs: usize,
    findings: &mut Vec<Diagnostic>,
) -> HashSet<SiteId> {
    let mut contradictory = endless.clone();
    let mut proved: Vec<(SiteId, SchemaDetail, ContradictoryParts)> = Vec::new();
    let mut tries = 0;
    // Inner schemas have greater numbers; a schema around a contradictory one is proved without it.
    for wanted in [SchemaDetail::Keywords, SchemaDetail::Contents] {
        for (id, site) in tree.sites.iter().enumerate().rev() {
            let is_wanted = needed_detail(tree, site) == Some(wanted) && !contradictory.contains(&id);
            if !is_wanted || is_deliberately_empty(tree, id) {
                continue;
            }
            tries += 1;
            if tries > most_proofs {
                continue;
            }
            let local = LocalSchema::new(tree, id, wanted, &contradictory);
            if let Some(parts) = prove_empty(&local) {
                contradictory.insert(id);
                proved.push((id, wanted, parts));
            }
        }
    }
    if tries > most_proofs {
        findings.extend(too_many(tree, "for contradictions", most_proofs, tries));
    }
    // A reference may lead to a schema that was found contradictory only later.
    for (id, detail, parts) in proved {
        let local = LocalSchema::new(tree, id, detail, &contradictory);
        let is_own = detail == SchemaDetail::Keywords || prove_empty(&local).is_some();
        if let Some(site) = tree.sites.get(id).filter(|_| is_own) {
            findings.push(contradiction_finding(site, parts));
        }
    }
    contradictory
}

fn contradiction_finding(site: &SchemaSite<'_>, parts: ContradictoryParts) -> Diagnostic {
    let mut parts = parts.parts;
    parts.sort_by_key(|(_, span)| *span);
    let lists = parts.iter().any(|(name, _)| matches!(name.as_str(), "`enum`" | "`const`"));
    if !lists && parts.iter().filter(|(name, _)| name != "`type`").count() > 1 {
        // The type is a condition of the others, as of bounds, and does not contradict them.
        parts.retain(|(name, _)| name != "`type`");
    }
    let mut names: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
    names.dedup();
    let message = match names.as_slice() {
        [] => "no value satisfies this schema".to_owned(),
        [only] => format!("no value satisfies {only}"),
        [first @ .., last] => format!("no value satisfies {} and {last}", first.join(", ")),
    };
    let mut spans = parts.iter().map(|(_, span)| *span);
    let primary = spans.next().unwrap_or_else(|| site.node.span().first_byte());
    let found = CONTRADICTORY_SCHEMA.diagnostic_at(primary, message);
    spans.fold(found, |found, span| found.with_secondary_label(span, "contradicts it"))
}

/// Keywords by which the schemas in them apply to the same value.
const BRANCHES: [&str; 6] = ["allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas"];

/// Keywords that limit a value by themselves; two of them may contradict each other.
const LIMITS: [&str; 20] = [
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "maxContains",
    "minContains",
    "minProperties",
    "maxProperties",
    "propertyNames",
    "dependentRequired",
    "prefixItems",
    "required",
];

/// Returns the detail in which a schema may be contradictory; `None` if it cannot be.
fn needed_detail(tree: &SchemaTree<'_>, site: &SchemaSite<'_>) -> Option<SchemaDetail> {
    if !site.node.is_map() || site.is_mere_reference() {
        return None;
    }
    let has = |keyword: &str| site.node.get(keyword).is_some();
    let limits = LIMITS.iter().filter(|keyword| has(keyword)).count();
    let lists = has("enum") || has("const");
    if BRANCHES.iter().any(|keyword| has(keyword)) || (has("$ref") && (limits > 0 || lists || has("type"))) {
        return Some(SchemaDetail::Contents);
    }
    let combines_items =
        (has("items") || has("prefixItems")) && (has("contains") || (has("uniqueItems") && has("minItems")));
    if combines_items {
        return Some(SchemaDetail::Contents);
    }
    let may_exclude_items = has("items") && has("minItems");
    let may_conflict =
        limits > 1 || may_exclude_items || excludes_listed(site) || excludes_required(tree, site);
    may_conflict.then_some(SchemaDetail::Keywords)
}

/// True if `enum` or `const` may have no value that the rest of the schema allows.
fn excludes_listed(site: &SchemaSite<'_>) -> bool {
    let has_limits = LIMITS.iter().any(|keyword| site.node.get(keyword).is_some());
    let listed: Vec<Node<'_>> = match (site.node.get("const"), site.node.get("enum")) {
        (None, None) => return false,
        (Some(only), None) => vec![only],
        (None, Some(list)) => list.items().collect(),
        (Some(_), Some(_)) => return true,
    };
    let Some(kind) = site.node.get("type") else { return has_limits || listed.is_empty() };
    let types: Vec<&str> =
        if kind.is_list() { kind.items().map(Node::text).collect() } else { vec![kind.text()] };
    has_limits || !listed.iter().any(|value| types.iter().any(|name| has_type(*value, name)))
}

fn has_type(value: Node<'_>, name: &str) -> bool {
    match value.kind() {
        SyntaxKind::Null => name == "null",
        SyntaxKind::True | SyntaxKind::False => name == "boolean",
        SyntaxKind::Number => {
            name == "number" || (name == "integer" && !value.text().contains(['.', 'e', 'E']))
        }
        SyntaxKind::List => name == "array",
        SyntaxKind::Map => name == "object",
        _ => name == "string",
    }
}

/// True if a required property may be forbidden.
fn excludes_required(tree: &SchemaTree<'_>, site: &SchemaSite<'_>) -> bool {
    let Some(required) = site.node.get("required").filter(|required| required.is_list()) else {
        return false;
    };
    let is_closed = site.node.get("additionalProperties").is_some_and(|it| it.kind() == SyntaxKind::False);
    let declared: HashSet<&str> =
        site.children_of("properties").filter_map(|child| Some(child.name?.text())).collect();
    let mut names = required.items().map(Node::text);
    (is_closed && names.any(|name| !declared.contains(name)))
        || site.children_of("properties").any(|child| is_deliberately_empty(tree, child.site))
}
