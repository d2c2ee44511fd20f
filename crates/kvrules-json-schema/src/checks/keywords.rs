//! Keywords without effect: misspelt ones, those of other dialects, and those that limit values of other types.

use kvrules_diagnostics::{Diagnostic, most_alike};
use kvrules_kubernetes::keywords::SchemaDialect::{self, OpenApi30, Swagger20};
use kvrules_kubernetes::keywords::{
    INT_OR_STRING, KEYWORDS, KeywordRole, SchemaKeyword, TYPE_NAMES, find_keyword,
};
use kvrules_syntax::{Entry, Node};

use crate::dialect::{dialect_name, has_item_lists, is_like_draft4};
use crate::lints::{INEFFECTIVE_KEYWORD, KEYWORD_OF_ANOTHER_DIALECT, MISSPELT_KEYWORD};
use crate::tree::SchemaSite;
use crate::value_form::is_unreadable;

/// Checks the keys of one schema.
pub(super) fn check_keywords(site: &SchemaSite<'_>, findings: &mut Vec<Diagnostic>) {
    if site.is_mere_reference() {
        check_siblings(site, findings);
        return;
    }
    for Entry { key, value } in site.node.entries_with_merged() {
        let name = key.text();
        let found = match find_keyword(name) {
            None if site.is_parameter => None,
            None => misspelt_keyword(name, site.dialect).map(|similar| {
                let message = format!("unknown keyword `{name}`");
                let found = MISSPELT_KEYWORD.diagnostic_at(key.span(), message);
                found.with_help(format!("did you mean `{similar}`?"))
            }),
            Some(keyword) if keyword.is_defined_in(site.dialect) => check_effect(site, keyword, key),
            Some(keyword) => check_dialect(site, keyword, key, value),
        };
        findings.extend(found);
    }
}

/// Minimum similarity to a keyword.
const LIKE: f64 = 0.8;

/// Returns the keyword that an unknown one is likely to be.
fn misspelt_keyword(name: &str, dialect: SchemaDialect) -> Option<&'static str> {
    if name.starts_with("x-") || name.len() > 30 {
        return None;
    }
    if name == "ref" {
        return Some("$ref");
    }
    // A word without the sign is a name of its own: `schema`, `comment`, `id`.
    let has_sign = name.starts_with('$');
    let is_candidate = |keyword: &&SchemaKeyword| {
        keyword.is_defined_in(dialect) && keyword.name.starts_with('$') == has_sign
    };
    let names = KEYWORDS.iter().filter(is_candidate).map(|keyword| (keyword.name, keyword.name));
    most_alike(name, LIKE, names)
}

/// Keywords next to a `$ref` that hides them. Annotations are harmless there: many tools read them all the same.
fn check_siblings(site: &SchemaSite<'_>, findings: &mut Vec<Diagnostic>) {
    for Entry { key, value } in site.node.entries_with_merged() {
        let Some(keyword) = find_keyword(key.text()).filter(|_| !is_unreadable(value)) else { continue };
        if keyword.is_constraint() && keyword.is_defined_in(site.dialect) {
            let name = keyword.name;
            let message = format!("`{name}` next to `$ref` has no effect in {}", dialect_name(site.dialect));
            let found = INEFFECTIVE_KEYWORD.diagnostic_at(key.span(), message);
            findings.push(found.with_help(format!("write `$ref` in an item of `allOf`, next to `{name}`")));
        }
    }
}

/// A keyword that the dialect does not define. Annotations are harmless.
fn check_dialect(
    site: &SchemaSite<'_>,
    keyword: &SchemaKeyword,
    key: Node<'_>,
    value: Node<'_>,
) -> Option<Diagnostic> {
    let (name, dialect) = (keyword.name, site.dialect);
    let is_lost = match name {
        // References to them work in all drafts.
        "$defs" | "definitions" => dialect.is_older_openapi(),
        "$schema" | "$comment" | "$vocabulary" => false,
        // `id` is also a name of people's own.
        "id" => value.as_str().is_some_and(|id| id.contains([':', '/', '#'])) && !dialect.is_older_openapi(),
        _ => keyword.is_constraint() || keyword.role == KeywordRole::Reference,
    };
    // A parameter of Swagger 2.0 has keys of its own.
    if !is_lost || site.is_parameter && matches!(name, "id") {
        return None;
    }
    let message = format!("`{name}` is not a keyword of {} and has no effect", dialect_name(dialect));
    let found = KEYWORD_OF_ANOTHER_DIALECT.diagnostic_at(key.span(), message);
    Some(found.help_if(replacement(name, dialect)))
}

/// Returns what to write instead of a keyword of another dialect.
fn replacement(name: &str, dialect: SchemaDialect) -> Option<String> {
    let is_openapi = dialect.is_older_openapi();
    let text = match name {
        "nullable" if dialect == Swagger20 => "write `x-nullable: true`, which some tools read",
        "nullable" => "add `\"null\"` to the list of types in `type`",
        "const" => "write `enum` with one value",
        "$defs" | "definitions" if dialect == OpenApi30 => "move the schemas to `components.schemas`",
        "$defs" if dialect == Swagger20 => "move the schemas to `definitions` of the document",
        "dependencies" if !is_openapi => "write `dependentRequired` or `dependentSchemas`",
        "dependentRequired" | "dependentSchemas" if !is_openapi => "write `dependencies`",
        "additionalItems" if !is_openapi => {
            "write `prefixItems` for the first items and `items` for all others"
        }
        "prefixItems" if !is_openapi => "write a list of schemas in `items`",
        "$id" if !is_openapi => "write `id`",
        "id" => "write `$id`",
        "$recursiveRef" if !is_like_draft4(dialect) && !has_item_lists(dialect) => "write `$dynamicRef`",
        "$recursiveAnchor" if !is_like_draft4(dialect) && !has_item_lists(dialect) => {
            "write `$dynamicAnchor`"
        }
        "patternProperties" if is_openapi => "use `additionalProperties`, which applies to all other names",
        _ => return None,
    };
    Some(text.to_owned())
}

/// A keyword of the dialect that has no effect because of what is next to it.
fn check_effect(site: &SchemaSite<'_>, keyword: &SchemaKeyword, key: Node<'_>) -> Option<Diagnostic> {
    let name = keyword.name;
    if site.is_parameter && name == "required" {
        return None;
    }
    let has = |other: &str| site.node.get(other).is_some();
    let lacks =
        |other: &'static str| (!has(other)).then(|| format!("`{name}` has no effect without `{other}`"));
    let without = match name {
        "then" | "else" => lacks("if"),
        "if" if !has("then") && !has("else") => {
            Some("`if` has no effect without `then` or `else`".to_owned())
        }
        "minContains" | "maxContains" => lacks("contains"),
        "additionalItems" => (!site.node.get("items").is_some_and(Node::is_list))
            .then(|| "`additionalItems` has no effect unless `items` is a list".to_owned()),
        "exclusiveMinimum" if site.dialect.is_older_openapi() => lacks("minimum"),
        "exclusiveMaximum" if site.dialect.is_older_openapi() => lacks("maximum"),
        "nullable" if site.dialect == OpenApi30 => lacks("type"),
        _ => None,
    };
    // An annotation of `if` is collected by `unevaluatedProperties`, and a template may add the other keyword.
    let is_exempt = site.node.is_open() || (name == "if" && collects_annotations(site));
    let without = without.filter(|_| !is_exempt);
    let message = without.or_else(|| other_types(site.node, keyword))?;
    Some(INEFFECTIVE_KEYWORD.diagnostic_at(key.span(), message))
}

fn collects_annotations(site: &SchemaSite<'_>) -> bool {
    ["unevaluatedProperties", "unevaluatedItems"].iter().any(|keyword| site.node.get(keyword).is_some())
}

/// A keyword that limits values of types that `type` excludes.
fn other_types(node: Node<'_>, keyword: &SchemaKeyword) -> Option<String> {
    let limited = keyword.limited_types();
    let given = node.get("type").filter(|_| !limited.is_empty())?;
    let types: Vec<Node<'_>> = if given.is_list() { given.items().collect() } else { vec![given] };
    let is_other = |kind: &Node<'_>| {
        let name = kind.as_str().filter(|_| !is_unreadable(*kind));
        name.is_some_and(|name| TYPE_NAMES.contains(&name) && !limited.contains(&name))
    };
    if types.is_empty() || !types.iter().all(is_other) || node.get(INT_OR_STRING).is_some() {
        return None;
    }
    let names: Vec<String> = types.iter().map(|kind| format!("`{}`", kind.text())).collect();
    Some(format!("`{}` has no effect on values of type {}", keyword.name, names.join(" or ")))
}
