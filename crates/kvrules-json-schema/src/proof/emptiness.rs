//! Proofs that no value satisfies a schema, by the canonical forms of the `jsonschema` crate.

use jsonschema::Draft;
use jsonschema::canonical::{self, Cause, PreparedDocument, Satisfiability, UnsatisfiableReason};
use kvrules_diagnostics::Span;
use serde_json::{Value, json};

use super::local_schema::{LocalSchema, keyword_span};

/// The parts of a schema that contradict each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ContradictoryParts {
    /// Their names in backticks, with their locations.
    pub(crate) parts: Vec<(String, Span)>,
}

/// Branches and references multiply; a schema with more of them is not proved.
const MOST_BRANCHES: usize = 24;

/// Returns the parts of a schema because of which no value satisfies it; `None` if that is not proved.
pub(crate) fn prove_empty(local: &LocalSchema<'_>) -> Option<ContradictoryParts> {
    let prepared = prepare_empty(&local.value)?;
    let reasons = prepared.unsatisfiable().unwrap_or_default();
    let causes = match reasons.get("") {
        Some(UnsatisfiableReason::Conflict(causes)) => causes.clone(),
        Some(UnsatisfiableReason::Empty(cause)) => vec![cause.clone()],
        Some(UnsatisfiableReason::Literal) | None => Vec::new(),
    };
    let mut parts: Vec<(String, Span)> = causes.iter().flat_map(|cause| locate_cause(local, cause)).collect();
    parts.dedup();
    Some(ContradictoryParts { parts })
}

/// True if it is proved that no value satisfies a schema in draft 2020-12.
pub(crate) fn is_proved_empty(schema: &Value) -> bool {
    prepare_empty(schema).is_some()
}

/// Prepares a schema that no value satisfies; `None` if that is not proved.
fn prepare_empty(schema: &Value) -> Option<PreparedDocument<'_>> {
    if count_branches(schema) > MOST_BRANCHES {
        return None;
    }
    let options =
        canonical::options().with_draft(Draft::Draft202012).should_validate_formats(false).offline();
    let prepared = options.prepare(schema).ok()?;
    let is_empty = prepared.canonicalize().ok()?.satisfiability() == Satisfiability::No;
    (is_empty && !accepts_sample(schema)).then_some(prepared)
}

/// The names and places of a cause in the document.
fn locate_cause(local: &LocalSchema<'_>, cause: &Cause) -> Vec<(String, Span)> {
    let own = local.nodes.get(&cause.pointer);
    let steps: Vec<&str> = cause.pointer.split('/').skip(1).collect();
    if let Some(node) = own.filter(|_| !cause.keywords.is_empty()) {
        let written = cause.keywords.iter().filter(|keyword| node.entry(keyword).is_some());
        // Of a branch the keyword with the branches is named, and the keyword in it is marked.
        let branch =
            steps.first().filter(|name| local.nodes.get("").is_some_and(|it| it.entry(name).is_some()));
        let name = |keyword: &String| format!("`{}`", branch.copied().unwrap_or(keyword));
        return written.map(|keyword| (name(keyword), keyword_span(*node, Some(keyword)))).collect();
    }
    let root = local.nodes.get("");
    match (steps.first(), root) {
        (Some(keyword), Some(root)) if root.entry(keyword).is_some() => {
            let place =
                own.map_or_else(|| keyword_span(*root, Some(keyword)), |node| keyword_span(*node, None));
            vec![(format!("`{keyword}`"), place)]
        }
        (Some(_), Some(root)) if root.entry("$ref").is_some() => {
            vec![("`$ref`".to_owned(), keyword_span(*root, Some("$ref")))]
        }
        _ => Vec::new(),
    }
}

fn count_branches(schema: &Value) -> usize {
    match schema {
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| {
                let own = match key.as_str() {
                    "anyOf" | "oneOf" => value.as_array().map_or(0, Vec::len),
                    "if" | "not" => 2,
                    _ => 0,
                };
                own + if matches!(key.as_str(), "enum" | "const") { 0 } else { count_branches(value) }
            })
            .sum(),
        Value::Array(items) => items.iter().map(count_branches).sum(),
        _ => 0,
    }
}

/// True if a validator accepts one of a few values. The canonical forms are experimental, so that a value counts more.
fn accepts_sample(schema: &Value) -> bool {
    let Ok(validator) =
        jsonschema::draft202012::options().should_validate_formats(false).offline().build(schema)
    else {
        return true;
    };
    let mut samples = vec![
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(0.5),
        json!(""),
        json!("a"),
        json!([]),
        json!({}),
    ];
    collect_samples(schema, &mut samples);
    samples.iter().any(|sample| validator.is_valid(sample))
}

/// Adds the values that keywords of a schema name.
fn collect_samples(schema: &Value, samples: &mut Vec<Value>) {
    const MOST: usize = 200;
    match schema {
        Value::Object(fields) => {
            for (key, value) in fields {
                if samples.len() > MOST {
                    return;
                }
                match (key.as_str(), value) {
                    ("enum", Value::Array(values)) => samples.extend(values.iter().take(MOST).cloned()),
                    ("const" | "minimum" | "maximum", value) => samples.push(value.clone()),
                    _ => collect_samples(value, samples),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_samples(item, samples)),
        _ => {}
    }
}
