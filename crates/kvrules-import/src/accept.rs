//! Check of the result by the server's rules: removes rules that are too expensive and defaults that it rejects.

use kvrules_apiserver::cost::{SchemaReport, review_schema};
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_syntax::pointer::unescape_token;
use serde_json::Value;

use crate::note::{ImportNote, ImportNoteKind, ImportProblem};
use kvrules_diagnostics::{Exactness, Span};

/// Maximum number of removals; more rules than these fit into no budget.
const ROUNDS: usize = 50;
const PREFIX: &str = "spec.validation";

/// A schema that the server accepts, or the reason why none exists.
pub(crate) fn accept_schema(
    mut schema: Value,
    notes: &mut Vec<ImportNote>,
    defaults: &[(String, Span)],
    at: Span,
) -> Result<Value, ImportProblem> {
    for _ in 0..ROUNDS {
        let report = review_schema(&schema, PREFIX, false);
        let refused = report.rules.iter().any(|rule| !rule.valid);
        if report.errors.is_empty() && !refused {
            return Ok(schema);
        }
        let removed = drop_rules(&mut schema, &report, notes)
            || drop_defaults(&mut schema, &report, notes, defaults)
            || drop_alternatives(&mut schema, &report, notes, at);
        if !removed {
            let first =
                report.errors.first().or_else(|| report.rules.iter().find_map(|rule| rule.errors.first()));
            let words = first.map(|error| format!("{}: {}", error.field, error.detail)).unwrap_or_default();
            return Err(ImportProblem::new(
                at,
                format!("the server would reject the structural schema: {words}"),
            ));
        }
    }
    Err(ImportProblem::new(at, "the rules of the structural schema exceed the cost limits of the server"))
}

/// Takes out the rules that are refused.
fn drop_rules(schema: &mut Value, report: &SchemaReport, notes: &mut [ImportNote]) -> bool {
    let mut dropped = false;
    for rule in report.rules.iter().filter(|rule| !rule.valid) {
        let mine = |note: &&mut ImportNote| {
            note.rule.as_ref().is_some_and(|at| at.rule == rule.rule && server_path(&at.node) == rule.path)
        };
        let Some(note) = notes.iter_mut().find(mine) else { continue };
        let Some(at) = note.rule.take() else { continue };
        remove_rule(schema, &at.node, &at.rule);
        let words = rule.errors.first().map_or("it is refused", |error| error.detail.as_str());
        let words = words.split(" (try ").next().unwrap_or_default();
        note.message = format!("`{}` is left out, the server rejects the rule for it: {words}", note.keyword);
        (note.kind, note.effect) = (ImportNoteKind::Loss, Exactness::Wider);
        dropped = true;
    }
    dropped
}

fn remove_rule(schema: &mut Value, node: &str, rule: &str) {
    let Some(node) = schema.pointer_mut(node).and_then(Value::as_object_mut) else { return };
    let Some(rules) = node.get_mut(VALIDATIONS).and_then(Value::as_array_mut) else { return };
    rules.retain(|entry| entry.get("rule").and_then(Value::as_str) != Some(rule));
    if rules.is_empty() {
        node.shift_remove(VALIDATIONS);
    }
}

/// Takes out the defaults that their own schemas refuse.
fn drop_defaults(
    schema: &mut Value,
    report: &SchemaReport,
    notes: &mut Vec<ImportNote>,
    defaults: &[(String, Span)],
) -> bool {
    let mut dropped = false;
    for (node, span) in defaults {
        let field = format!("{PREFIX}.{}.default", server_path(node));
        let Some(error) = report.errors.iter().find(|error| {
            error
                .field
                .strip_prefix(&field)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        }) else {
            continue;
        };
        if let Some(node) = schema.pointer_mut(node).and_then(Value::as_object_mut) {
            dropped |= node.shift_remove("default").is_some();
        }
        notes.push(ImportNote {
            kind: ImportNoteKind::Mistake,
            effect: Exactness::Exact,
            keyword: "default",
            span: *span,
            message: format!("the default is left out, since its own schema rejects it: {}", error.detail),
            rule: None,
        });
    }
    dropped
}

/// Takes out alternatives of the root that refer to fields which the spine cannot declare, those of a map.
fn drop_alternatives(
    schema: &mut Value,
    report: &SchemaReport,
    notes: &mut Vec<ImportNote>,
    at: Span,
) -> bool {
    let inside = format!("because it is defined in {PREFIX}.openAPIV3Schema.");
    let keywords = ["allOf", "anyOf", "oneOf", "not"];
    let mut dropped = false;
    for error in &report.errors {
        let Some(place) = error.detail.strip_prefix(&inside) else { continue };
        let Some(keyword) = keywords.into_iter().find(|keyword| place.starts_with(keyword)) else { continue };
        if schema.as_object_mut().and_then(|root| root.shift_remove(keyword)).is_none() {
            continue;
        }
        dropped = true;
        notes.push(ImportNote {
            kind: ImportNoteKind::Loss,
            effect: Exactness::Wider,
            keyword,
            span: at,
            message: format!(
                "`{keyword}` is left out, since it names fields that cannot be declared next to it"
            ),
            rule: None,
        });
    }
    dropped
}

/// A node as the server names it.
fn server_path(pointer: &str) -> String {
    let mut path = String::from("openAPIV3Schema");
    let mut steps = pointer.split('/').skip(1);
    while let Some(step) = steps.next() {
        path.push('.');
        path.push_str(step);
        if step == "properties" {
            let name = unescape_token(steps.next().unwrap_or_default());
            path.extend(["[", &name, "]"]);
        }
    }
    path
}
