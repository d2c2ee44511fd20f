//! Defaults and examples that their own schema rejects.

use std::collections::HashSet;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use kvrules_diagnostics::Diagnostic;
use kvrules_kubernetes::keywords::find_keyword;
use kvrules_syntax::pointer::find_node;
use kvrules_syntax::value::{ValueReader, drop_points};
use kvrules_syntax::{Node, SyntaxKind};

use super::too_many;
use crate::dialect::is_like_draft4;
use crate::lints::REJECTED_EXAMPLE;
use crate::proof::{LocalSchema, SchemaDetail, is_deliberately_empty, keyword_span};
use crate::tree::{SchemaSite, SchemaTree, SiteId};
use crate::value_form::is_undecided;

/// Maximum size of a value that is compared with its schema, in bytes.
const LARGEST_VALUE: usize = 100_000;

/// Compares the defaults and examples of all schemas with them.
pub(super) fn check_examples(
    tree: &SchemaTree<'_>,
    contradictory: &HashSet<SiteId>,
    most_schemas: usize,
    findings: &mut Vec<Diagnostic>,
) {
    let sites = tree.sites.iter().enumerate().filter(|(id, site)| {
        !contradictory.contains(id) && !site.is_mere_reference() && !is_deliberately_empty(tree, *id)
    });
    let with_values = sites.map(|(id, site)| (id, site, own_values(site)));
    let with_values: Vec<_> = with_values.filter(|(.., values)| !values.is_empty()).collect();
    let count = with_values.len();
    if count > most_schemas {
        findings.extend(too_many(tree, "for values that they reject", most_schemas, count));
    }
    for (id, site, values) in with_values.into_iter().take(most_schemas) {
        let local = LocalSchema::new(tree, id, SchemaDetail::Defaults, contradictory);
        let options = jsonschema::draft202012::options().should_validate_formats(false).offline();
        let Ok(validator) = options.build(&local.value) else { continue };
        for (keyword, value) in values {
            findings.extend(compare_value(site, &validator, keyword, value));
        }
    }
}

/// The values of a schema that it should accept, each with its keyword.
fn own_values<'d>(site: &SchemaSite<'d>) -> Vec<(&'static str, Node<'d>)> {
    let defined = |keyword: &str| find_keyword(keyword).is_some_and(|it| it.is_defined_in(site.dialect));
    let single = ["default", "example"].into_iter().filter(|keyword| defined(keyword));
    let mut values: Vec<_> = single.filter_map(|keyword| Some((keyword, site.node.get(keyword)?))).collect();
    let examples = site.node.get("examples").filter(|_| defined("examples"));
    values.extend(examples.into_iter().flat_map(Node::items).map(|item| ("examples", item)));
    values.retain(|(_, value)| !is_undecided(*value, site.node));
    values
}

/// Reports the first reason why a schema rejects a value.
fn compare_value(
    site: &SchemaSite<'_>,
    validator: &Validator,
    keyword: &str,
    node: Node<'_>,
) -> Option<Diagnostic> {
    let mut value = ValueReader::for_yaml12().with_limit(LARGEST_VALUE).read_value(node).ok()?;
    drop_points(&mut value);
    if is_like_draft4(site.dialect) && keyword == "example" && is_written_out(site, node) {
        return None;
    }
    let error = validator.iter_errors(&value).next()?;
    let is_engine = matches!(
        error.kind(),
        ValidationErrorKind::BacktrackLimitExceeded { .. }
            | ValidationErrorKind::RegexEngineFailure { .. }
            | ValidationErrorKind::Referencing(_)
    );
    if is_engine {
        return None;
    }
    let place = find_node(node, error.instance_path().as_str()).unwrap_or(node);
    let span = if place.is_map() || place.is_list() { place.span().first_byte() } else { place.span() };
    let name = if keyword == "examples" { "an example" } else { keyword };
    let name = if keyword == "examples" { name.to_owned() } else { format!("`{name}`") };
    let path = error.instance_path().as_str();
    let path = if path.is_empty() { String::new() } else { format!(" at `{path}`") };
    let message = format!("{name} is rejected by its schema{path}: {}", rejection_text(&error));
    let found = REJECTED_EXAMPLE.diagnostic_at(span, message);
    let is_whole = || keyword == "examples" && whole_list_is_valid(site, validator);
    let help = is_whole()
        .then(|| "each item of `examples` is an example; put the list into another list".to_owned());
    let found = found.help_if(help);
    let limit = error.kind().keyword();
    let is_own = error.instance_path().as_str().is_empty() && site.node.entry(limit).is_some();
    Some(if is_own { found.with_secondary_label(keyword_span(site.node, Some(limit)), "") } else { found })
}

/// True if the author of `examples` took it for one example.
fn whole_list_is_valid(site: &SchemaSite<'_>, validator: &Validator) -> bool {
    let list = site.node.get("examples").filter(|list| list.is_list());
    let read =
        list.and_then(|list| ValueReader::for_yaml12().with_limit(LARGEST_VALUE).read_value(list).ok());
    read.is_some_and(|mut list| {
        drop_points(&mut list);
        validator.is_valid(&list)
    })
}

/// The reason in the field's words.
fn rejection_text(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            format!("required property `{}` is missing", property.as_str().unwrap_or_default())
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            format!("property `{}` is not allowed", unexpected.first().map_or("", String::as_str))
        }
        ValidationErrorKind::FalseSchema => "no value is allowed here".to_owned(),
        ValidationErrorKind::Type { kind: TypeKind::Single(name) } => format!("not of type `{name}`"),
        kind => format!("it violates `{}`", kind.keyword()),
    }
}

/// True for an example of an object or a list that is written out in a string, as OpenAPI allows.
fn is_written_out(site: &SchemaSite<'_>, value: Node<'_>) -> bool {
    let is_scalar = |kind: Node<'_>| matches!(kind.text(), "string" | "number" | "integer" | "boolean");
    value.kind() == SyntaxKind::String && !site.node.get("type").is_some_and(is_scalar)
}
