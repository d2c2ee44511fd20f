//! The schemas of a definition with all that the server's own checks say of them: the basis of this crate.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::rc::Rc;

use kvrules_apiserver::cost::{ExpensiveExpression, ReviewMemo, Rules, SchemaReport, rules_sharing};
use kvrules_apiserver::definition::SchemaPlan;
use kvrules_apiserver::field_error::{ErrorType, FieldError};
use kvrules_apiserver::structural::{SchemaOptions, StructuralReport, check_defaults, check_schema_sharing};
use kvrules_diagnostics::Span;
use kvrules_syntax::Node;
use serde_json::Value;

/// Prefix of the fields of errors.
const PREFIX: &str = "schema";
/// The root of a schema in the fields of errors.
pub(crate) const ROOT: &str = "schema.openAPIV3Schema";

/// The version of a definition with its schema.
pub(crate) struct SchemaVersion<'d> {
    /// Its name.
    pub(crate) name: String,
    /// The schema: the value of `openAPIV3Schema`.
    pub(crate) node: Node<'d>,
    /// The key of the schema.
    pub(crate) key: Node<'d>,
    /// The schema without what the server cannot read.
    pub(crate) schema: &'d Value,
    /// The server's plan for checking it, with its name.
    pub(crate) plan: SchemaPlan,
    /// Values of the document that the server cannot read.
    pub(crate) dropped: &'d BTreeSet<Span>,
}

/// Results of all the server's own checks of a schema.
pub(crate) struct ReviewedSchema<'v> {
    /// The schema without keywords that no structural schema has.
    pub(crate) schema: Cow<'v, Value>,
    pub(crate) errors: Vec<FieldError>,
    pub(crate) report: SchemaReport,
    /// The most expensive expressions, the most expensive first.
    pub(crate) expensive: Vec<ExpensiveExpression>,
    /// All expressions, of other versions too.
    pub(crate) memo: Rc<ReviewMemo>,
}

/// The versions that have a schema, with the plan of each. `document` is the value of the node, without what the server cannot
/// read.
pub(crate) fn find_versions<'d>(
    node: Node<'d>,
    document: &'d Value,
    plans: Vec<SchemaPlan>,
    dropped: &'d BTreeSet<Span>,
) -> Vec<SchemaVersion<'d>> {
    let items = node.get("spec").and_then(|spec| spec.get("versions")).into_iter().flat_map(Node::items);
    let items = items.filter(|item| !dropped.contains(&item.span()));
    let values = document.pointer("/spec/versions").and_then(Value::as_array).into_iter().flatten();
    let version = |((item, value), plan): ((Node<'d>, &'d Value), SchemaPlan)| {
        let entry = item.get("schema")?.entry("openAPIV3Schema").filter(|entry| entry.value.is_map())?;
        Some(SchemaVersion {
            name: item.get("name").map(Node::text).unwrap_or_default().to_owned(),
            node: entry.value,
            key: entry.key,
            schema: value.pointer("/schema/openAPIV3Schema")?,
            plan,
            dropped,
        })
    };
    items.zip(values).zip(plans).filter_map(version).collect()
}

/// The reviews of one definition. Versions whose schemas are equal, and checked in the same way, share one.
#[derive(Default)]
pub(crate) struct SchemaReviews<'v> {
    known: Vec<(&'v Value, SchemaOptions, Rc<ReviewedSchema<'v>>)>,
    memo: Rc<ReviewMemo>,
}

impl<'v> SchemaReviews<'v> {
    /// Reviews the schema of a version.
    pub(crate) fn review_version(&mut self, version: &SchemaVersion<'v>) -> Rc<ReviewedSchema<'v>> {
        self.review_schema(version.schema, &version.plan.options)
    }

    fn review_schema(&mut self, schema: &'v Value, options: &SchemaOptions) -> Rc<ReviewedSchema<'v>> {
        let is_same = |known: &&(&Value, SchemaOptions, _)| known.1 == *options && is_same(known.0, schema);
        if let Some((_, _, known)) = self.known.iter().find(is_same) {
            return Rc::clone(known);
        }
        let reviewed = Rc::new(run_review(schema, options, &self.memo));
        self.known.push((schema, options.clone(), Rc::clone(&reviewed)));
        reviewed
    }
}

/// True if two values are equal and have their fields in the same order, which decides about the order of errors.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let mut pairs = one.iter().zip(other);
            one.len() == other.len() && pairs.all(|(one, other)| one.0 == other.0 && is_same(one.1, other.1))
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        _ => one == other,
    }
}

impl SchemaVersion<'_> {
    /// A field of an error as the server writes it.
    pub(crate) fn server_field(&self, field: &str) -> String {
        match field.strip_prefix(PREFIX) {
            Some(rest) => format!("{}{rest}", self.plan.prefix),
            None => field.to_owned(),
        }
    }
}

/// Reviews a schema with its rules.
fn run_review<'v>(schema: &'v Value, options: &SchemaOptions, memo: &Rc<ReviewMemo>) -> ReviewedSchema<'v> {
    let structural = |schema: &Value| check_schema_sharing(schema, PREFIX, options, &memo.expressions);
    let StructuralReport { mut errors, is_structural } = structural(schema);
    let mut schema = Cow::Borrowed(schema);
    let mut taken = Vec::new();
    if has_unreadable(&schema) {
        take_out(schema.to_mut(), ROOT, &mut taken);
    }
    if !taken.is_empty() {
        errors.retain(|error| !error.detail.contains("OpenAPIV3Schema 'schema'"));
        let rest = structural(&schema).errors;
        errors.extend(rest.into_iter().filter(|error| !follows_removal(error, &taken)));
        errors.extend(taken.iter().filter_map(RemovedKeyword::schema_keyword));
    }
    // The server checks defaults only of structural schemas, and they have been checked then.
    if !is_structural {
        errors.extend(check_defaults(&schema, PREFIX, options, &memo.expressions));
    }
    errors.sort_by(|one, other| (&one.field, &one.detail).cmp(&(&other.field, &other.detail)));
    errors.dedup();
    let wrong = errors.iter().filter(|error| hides_types(error)).map(|error| error.field.clone()).collect();
    let Rules { report, expensive } = rules_sharing(&schema, PREFIX, wrong, memo);
    ReviewedSchema { schema, errors, report, expensive, memo: Rc::clone(memo) }
}

/// True if an error leaves open what expressions can see.
fn hides_types(error: &FieldError) -> bool {
    let last = error.field.rsplit('.').next().unwrap_or_default();
    matches!(last, "type" | "items" | "properties" | "additionalProperties" | "$ref" | "definitions")
        || error.detail.starts_with("because it is defined in")
}

/// Keywords without which the rest of a schema can be read.
const UNREADABLE: &[&str] =
    &["id", "$schema", "$ref", "additionalItems", "patternProperties", "definitions", "dependencies"];

/// A keyword that was taken out so that the rest could be examined.
struct RemovedKeyword {
    node: String,
    keyword: &'static str,
}

impl RemovedKeyword {
    /// The server reports `$schema` only where nothing else is wrong.
    fn schema_keyword(&self) -> Option<FieldError> {
        let detail = "OpenAPIV3Schema 'schema' is not supported";
        let field = || format!("{}.$schema", self.node);
        (self.keyword == "$schema").then(|| FieldError::new(ErrorType::Invalid, field(), detail))
    }
}

/// True if an error exists only because a keyword was removed.
fn follows_removal(error: &FieldError, taken: &[RemovedKeyword]) -> bool {
    taken.iter().any(|taken| {
        let rest = error.field.strip_prefix(&taken.node);
        match taken.keyword {
            "items" => rest == Some(".items"),
            "$ref" => matches!(rest, Some(".type" | ".items")),
            _ => false,
        }
    })
}

/// True if [`take_out`] has something to remove.
fn has_unreadable(node: &Value) -> bool {
    let Some(keywords) = node.as_object() else { return false };
    keywords.iter().any(|(keyword, value)| match (keyword.as_str(), value) {
        (keyword, _) if UNREADABLE.contains(&keyword) => true,
        ("items", Value::Array(_)) => true,
        ("properties", Value::Object(properties)) => properties.values().any(has_unreadable),
        ("items" | "additionalProperties" | "not", schema @ Value::Object(_)) => has_unreadable(schema),
        ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => branches.iter().any(has_unreadable),
        _ => false,
    })
}

fn take_out(node: &mut Value, path: &str, taken: &mut Vec<RemovedKeyword>) {
    let Some(keywords) = node.as_object_mut() else { return };
    for keyword in UNREADABLE {
        if keywords.shift_remove(*keyword).is_some() {
            taken.push(RemovedKeyword { node: path.to_owned(), keyword });
        }
    }
    if keywords.get("items").is_some_and(Value::is_array) {
        keywords.shift_remove("items");
        taken.push(RemovedKeyword { node: path.to_owned(), keyword: "items" });
    }
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    take_out(property, &format!("{path}.properties[{name}]"), taken);
                }
            }
            ("items" | "additionalProperties" | "not", schema @ Value::Object(_)) => {
                take_out(schema, &format!("{path}.{keyword}"), taken);
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => {
                for (index, branch) in branches.iter_mut().enumerate() {
                    take_out(branch, &format!("{path}.{keyword}[{index}]"), taken);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_that_are_equal_and_checked_alike_are_reviewed_once() {
        let numbers = || json!({"type": "object", "properties": {"a": {"type": "integer"}}});
        let (one, same) = (numbers(), numbers());
        let other = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let plain = SchemaOptions::new(false);
        let mut reviews = SchemaReviews::default();
        let first = reviews.review_schema(&one, &plain);
        assert!(Rc::ptr_eq(&first, &reviews.review_schema(&same, &plain)));
        assert!(!Rc::ptr_eq(&first, &reviews.review_schema(&other, &plain)));
        assert!(!Rc::ptr_eq(&first, &reviews.review_schema(&same, &SchemaOptions::new(true))));
        assert_eq!(reviews.known.len(), 3);
    }
}
