//! Properties that are declared in one schema and excluded by `additionalProperties: false` of another for the same value.

use std::collections::HashSet;

use kvrules_diagnostics::{Diagnostic, quote_names};
use kvrules_kubernetes::keywords::find_keyword;
use kvrules_syntax::{Node, SyntaxKind};
use serde_json::json;

use crate::lints::EXCLUDED_PROPERTY;
use crate::proof::{LocalSchema, SchemaDetail, is_deliberately_empty, is_proved_empty};
use crate::tree::{SchemaSite, SchemaTree, SiteId};

/// Number of schemas for one value that are looked through.
const MOST_SCHEMAS: usize = 60;
/// Number of names in a message.
const MOST_NAMES: usize = 3;
/// Keywords whose schemas apply to the same value, some of them in certain cases.
const BRANCHES: [&str; 6] = ["allOf", "anyOf", "oneOf", "then", "else", "dependentSchemas"];

/// A property that a schema for the value declares.
struct DeclaredProperty<'d> {
    name: Node<'d>,
    by: SiteId,
}

/// Reports properties that can never be present.
pub(super) fn check_exclusions(
    tree: &SchemaTree<'_>,
    contradictory: &HashSet<SiteId>,
    mut proofs: usize,
    findings: &mut Vec<Diagnostic>,
) {
    for (id, site) in tree.sites.iter().enumerate() {
        let combines = site.node.get("$ref").is_some()
            || BRANCHES.iter().any(|keyword| site.children_of(keyword).next().is_some());
        if !combines || site.is_mere_reference() || contradictory.contains(&id) || site.node.is_open() {
            continue;
        }
        let closed: Vec<SiteId> =
            same_value(tree, id, &["allOf"]).into_iter().filter(|it| is_closed(tree, *it)).collect();
        if closed.is_empty() {
            continue;
        }
        let declared = declared_properties(tree, id);
        for closing in closed {
            // A schema that only refers is reported where it is combined with others.
            let excluded: Vec<&DeclaredProperty<'_>> = declared
                .iter()
                .filter(|property| property.by != closing && !knows(tree, closing, property.name.text()))
                .collect();
            if excluded.is_empty() || excluded.len() > proofs {
                continue;
            }
            proofs -= excluded.len();
            report_excluded(tree, id, closing, &excluded, contradictory, findings);
        }
    }
}

fn report_excluded(
    tree: &SchemaTree<'_>,
    id: SiteId,
    closing: SiteId,
    candidates: &[&DeclaredProperty<'_>],
    contradictory: &HashSet<SiteId>,
    findings: &mut Vec<Diagnostic>,
) {
    let local = LocalSchema::new(tree, id, SchemaDetail::Keywords, contradictory).value;
    if is_proved_empty(&json!({"allOf": [local], "type": "object"})) {
        return;
    }
    let never = |property: &&&DeclaredProperty<'_>| {
        let with = json!({"allOf": [local], "type": "object", "required": [property.name.text()]});
        is_proved_empty(&with)
    };
    let excluded: Vec<&&DeclaredProperty<'_>> = candidates.iter().filter(never).collect();
    let Some(first) = excluded.first() else { return };
    let Some(keyword) = tree.sites.get(closing).and_then(|site| site.node.entry("additionalProperties"))
    else {
        return;
    };
    let mut names: Vec<&str> = excluded.iter().map(|property| property.name.text()).collect();
    names.dedup();
    let noun = if names.len() == 1 { "property" } else { "properties" };
    let message = format!("{noun} {} can never be present", quote_names(&names, MOST_NAMES));
    // The place of the mistake is the schema that combines the others, if it has a part in it.
    let (primary, secondary, label) = if closing == id {
        (keyword.key.span(), first.name.span(), "declared here")
    } else {
        (first.name.span(), keyword.key.span(), "excluded here")
    };
    if findings.iter().any(|known| known.is_of(&EXCLUDED_PROPERTY) && known.primary.span == primary) {
        return;
    }
    let sees_branches = tree.sites.get(closing).is_some_and(|site| {
        find_keyword("unevaluatedProperties").is_some_and(|keyword| keyword.is_defined_in(site.dialect))
    });
    let help = if sees_branches {
        "write `unevaluatedProperties`, which sees the properties of branches, instead of `additionalProperties`"
    } else {
        "declare the property next to `additionalProperties`, too"
    };
    findings.push(
        EXCLUDED_PROPERTY
            .diagnostic_at(primary, message)
            .with_help(help)
            .with_secondary_label(secondary, label),
    );
}

/// The schemas that apply to the same value by these keywords and references, the schema itself among them.
fn same_value(tree: &SchemaTree<'_>, id: SiteId, keywords: &[&str]) -> Vec<SiteId> {
    let mut found = vec![id];
    let mut next = 0;
    while let Some(site) = found.get(next).and_then(|id| tree.sites.get(*id)) {
        next += 1;
        let is_kept = |keyword: &str| !site.is_mere_reference() && keywords.contains(&keyword);
        let branches = site.children.iter().filter(|child| is_kept(child.keyword)).map(|child| child.site);
        for branch in site.reference.into_iter().chain(branches) {
            if !found.contains(&branch) && found.len() < MOST_SCHEMAS {
                found.push(branch);
            }
        }
    }
    found
}

fn is_closed(tree: &SchemaTree<'_>, id: SiteId) -> bool {
    let closes = |site: &SchemaSite<'_>| {
        let additional = site.node.get("additionalProperties");
        !site.is_mere_reference()
            && additional.is_some_and(|it| it.kind() == SyntaxKind::False)
            && site.node.get("patternProperties").is_none()
    };
    tree.sites.get(id).is_some_and(closes)
}

fn knows(tree: &SchemaTree<'_>, closing: SiteId, name: &str) -> bool {
    tree.sites
        .get(closing)
        .and_then(|site| site.node.get("properties"))
        .is_some_and(|known| known.get(name).is_some())
}

/// The properties that schemas for the value declare, without those that are written as `false`.
fn declared_properties<'d>(tree: &SchemaTree<'d>, id: SiteId) -> Vec<DeclaredProperty<'d>> {
    let mut declared = Vec::new();
    let mut forbidden = HashSet::new();
    for by in same_value(tree, id, &BRANCHES) {
        let Some(site) = tree.sites.get(by).filter(|site| !site.is_mere_reference()) else { continue };
        for child in site.children_of("properties") {
            let Some(name) = child.name else { continue };
            if is_deliberately_empty(tree, child.site) {
                forbidden.insert(name.text());
            }
            declared.push(DeclaredProperty { name, by });
        }
    }
    declared.retain(|property| !forbidden.contains(property.name.text()));
    declared
}
