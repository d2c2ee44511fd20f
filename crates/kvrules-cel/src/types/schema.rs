//! From a structural schema node to its declaration.
//!
//! Only described values are visible: a node without a known type declares nothing, and neither does a list or
//! map of such nodes, nor a property that is one. The numbers are those of SEMANTICS.md, section 8.

use std::collections::BTreeMap;

use kvrules_kubernetes::keywords::{EMBEDDED_RESOURCE, INT_OR_STRING};
use serde_json::{Map, Value};

use super::escape::is_plain;
use super::{DeclarationShape, Type, TypeDeclaration, escape_property};
use crate::kubernetes::StringBounds;

/// The most bytes a request to the server can have.
pub const REQUEST_BYTES: u64 = 3 * 1024 * 1024;

/// Replaces the name that the server generates for the type of `self`, as in the recorded answers.
pub const ROOT_TYPE_NAME: &str = "selfType<N>";

/// The longest string a request can hold: without its quotation marks.
const LONGEST_STRING: u64 = REQUEST_BYTES - 2;
/// Bytes of the shortest values.
// apiserver pkg/cel/limits.go
const NUMBER_BYTES: u64 = 1;
const BOOLEAN_BYTES: u64 = 4;
const STRING_BYTES: u64 = 2;
const CONTAINER_BYTES: u64 = 2;
const DURATION_BYTES: (u64, u64) = (3, 32);
const DATE_BYTES: (u64, u64) = (12, 12);
const DATE_TIME_BYTES: (u64, u64) = (21, 32);

/// The declaration of `self` for a rule that is on `schema`.
///
/// `is_resource` says whether the node is the root of a resource, whose `apiVersion`, `kind` and part of `metadata`
/// can always be seen. `None` if rules are not possible there.
///
/// ```
/// use kvrules_cel::types::{declare_schema, Type};
/// let schema = serde_json::json!({"type": "object", "properties": {"a-b": {"type": "string", "maxLength": 5}}});
/// let decl = declare_schema(&schema, false).unwrap();
/// assert_eq!(decl.field_declaration("a__dash__b").unwrap().max_elements, 20);
/// ```
pub fn declare_schema(schema: &Value, is_resource: bool) -> Option<TypeDeclaration> {
    declare_mentioned(schema, is_resource, MentionedProperties::Everything)
}

/// As [`declare_schema`], with the properties alone that expressions may name.
pub fn declare_mentioned(
    schema: &Value,
    is_resource: bool,
    mentioned: MentionedProperties<'_>,
) -> Option<TypeDeclaration> {
    declare_mentioned_in(schema, is_resource, mentioned, StringBounds::NEWEST)
}

/// As [`declare_mentioned`], with the sizes that a server gives to strings.
pub fn declare_mentioned_in(
    schema: &Value,
    is_resource: bool,
    mentioned: MentionedProperties<'_>,
    strings: StringBounds,
) -> Option<TypeDeclaration> {
    let context = Context { mentioned, strings };
    declare_node(schema, is_resource || is_embedded(schema), ROOT_TYPE_NAME, context)
}

/// The options of the declaration of every node.
#[derive(Clone, Copy)]
struct Context<'a> {
    mentioned: MentionedProperties<'a>,
    strings: StringBounds,
}

/// Names that expressions mention. A schema is often much larger than what its rules read.
#[derive(Clone, Copy, Debug)]
pub enum MentionedProperties<'a> {
    /// Any name.
    Everything,
    /// These names, sorted.
    Names(&'a [&'a str]),
}

impl<'a> MentionedProperties<'a> {
    /// The names in expressions, put into `names`. A name in quotation marks may be anything.
    pub fn of_expressions(expressions: &[&'a str], names: &'a mut Vec<&'a str>) -> Self {
        if expressions.iter().any(|text| text.contains('`')) {
            return Self::Everything;
        }
        let is_end = |char: char| !char.is_ascii_alphanumeric() && char != '_';
        names.extend(expressions.iter().flat_map(|text| text.split(is_end)).filter(|name| !name.is_empty()));
        names.sort_unstable();
        names.dedup();
        Self::Names(names)
    }

    fn includes_property(self, property: &str) -> bool {
        let Self::Names(names) = self else { return true };
        let has = |name: &str| names.binary_search(&name).is_ok();
        has(property)
            || (!is_plain(property) && escape_property(property).is_some_and(|escaped| has(&escaped)))
    }
}

/// As [`declare_schema`], with a name for the type of its own.
pub(crate) fn declare_named(schema: &Value, name: &str) -> Option<TypeDeclaration> {
    let context = Context { mentioned: MentionedProperties::Everything, strings: StringBounds::NEWEST };
    declare_node(schema, is_embedded(schema), name, context)
}

// apiserver pkg/cel/common schemas.go, SchemaDeclType
fn declare_node(
    schema: &Value,
    is_resource: bool,
    name: &str,
    context: Context<'_>,
) -> Option<TypeDeclaration> {
    if bool_keyword(schema, INT_OR_STRING) {
        return Some(TypeDeclaration::scalar(Type::Dyn, string_size(schema, context.strings), NUMBER_BYTES));
    }
    match keyword_value(schema, "type")?.as_str()? {
        "array" => declare_list(schema, name, context),
        "object" => object_or_map(schema, is_resource, name, context),
        "string" => Some(declare_string(schema, context.strings)),
        "boolean" => Some(TypeDeclaration::scalar(Type::Bool, 0, BOOLEAN_BYTES)),
        "number" => Some(TypeDeclaration::scalar(Type::Double, 0, NUMBER_BYTES)),
        "integer" => Some(TypeDeclaration::scalar(Type::Int, 0, NUMBER_BYTES)),
        _ => None,
    }
}

fn declare_list(schema: &Value, name: &str, context: Context<'_>) -> Option<TypeDeclaration> {
    let items = keyword_value(schema, "items")?;
    let element = declare_node(items, is_embedded(items), &format!("{name}.@idx"), context)?;
    let max_elements =
        // apiserver pkg/cel/common schemas.go, estimateMaxArrayItemsFromMinSize
        size_bound(schema, "maxItems").unwrap_or_else(|| (REQUEST_BYTES - 2) / (element.min_size + 1));
    Some(TypeDeclaration {
        ty: Type::list_of(element.ty.clone()),
        max_elements,
        min_size: CONTAINER_BYTES,
        shape: DeclarationShape::List(Box::new(element)),
    })
}

fn object_or_map(
    schema: &Value,
    is_resource: bool,
    name: &str,
    context: Context<'_>,
) -> Option<TypeDeclaration> {
    match keyword_value(schema, "additionalProperties") {
        Some(values @ Value::Object(_)) => declare_map(schema, values, name, context),
        _ => Some(declare_object(schema, is_resource, name, context)),
    }
}

fn declare_map(schema: &Value, values: &Value, name: &str, context: Context<'_>) -> Option<TypeDeclaration> {
    let element = declare_node(values, is_embedded(values), &format!("{name}.@elem"), context)?;
    // Each value comes with a key of two bytes, quotation marks, a colon and a comma. The braces take two more
    // bytes.
    let max_elements =
        // apiserver pkg/cel/common schemas.go, estimateMaxAdditionalPropertiesFromMinSize
        size_bound(schema, "maxProperties").unwrap_or_else(|| (REQUEST_BYTES - 2) / (element.min_size + 6));
    Some(TypeDeclaration {
        ty: Type::map_of(Type::String, element.ty.clone()),
        max_elements,
        min_size: CONTAINER_BYTES,
        shape: DeclarationShape::Map(Box::new(element)),
    })
}

fn declare_object(schema: &Value, is_resource: bool, name: &str, context: Context<'_>) -> TypeDeclaration {
    let empty = Map::new();
    let properties = keyword_value(schema, "properties").and_then(Value::as_object).unwrap_or(&empty);
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let always =
        (is_resource && !declares_meta(properties)).then(|| visible_meta(properties, context.strings));
    let mut fields = BTreeMap::new();
    let mut min_size = CONTAINER_BYTES;
    let own =
        properties.iter().filter(|(key, _)| always.as_ref().is_none_or(|meta| !meta.contains_key(*key)));
    for (property, schema) in own.chain(always.iter().flatten()) {
        let is_mentioned = context.mentioned.includes_property(property);
        let has_default = || keyword_value(schema, "default").is_some_and(|default| !default.is_null());
        let is_required = required.contains(&property.as_str()) && !has_default();
        if !is_mentioned && !is_required {
            continue;
        }
        let escaped = escape_property(property);
        let type_name = format!("{name}.{}", escaped.as_deref().unwrap_or(property));
        // Of a required field that is not mentioned, only the size is used.
        let unmentioned = Context { mentioned: MentionedProperties::Names(&[]), ..context };
        let inner = if is_mentioned { context } else { unmentioned };
        let Some(field) = declare_node(schema, is_embedded(schema), &type_name, inner) else { continue };
        if is_required {
            // It counts even if its name cannot be escaped; the four bytes are two quotation marks, a colon and a comma.
            min_size += property.len() as u64 + field.min_size + 4;
        }
        if let Some(escaped) = escaped.filter(|_| is_mentioned) {
            fields.insert(escaped, field);
        }
    }
    TypeDeclaration {
        ty: Type::Object(name.into()),
        max_elements: 0,
        min_size,
        shape: DeclarationShape::Object(fields),
    }
}

/// True if a resource declares all properties that are always visible; then its own declarations count.
// apiserver pkg/cel/common schemas.go, WithTypeAndObjectMeta
fn declares_meta(properties: &Map<String, Value>) -> bool {
    let has_type = |schema: Option<&Value>, ty: &str| schema.is_some_and(|schema| is_type(schema, ty));
    let meta = properties.get("metadata");
    let inner = |name: &str| meta.and_then(|meta| meta.get("properties")).and_then(|inner| inner.get(name));
    has_type(properties.get("kind"), "string")
        && has_type(properties.get("apiVersion"), "string")
        && has_type(meta, "object")
        && has_type(inner("name"), "string")
        && has_type(inner("generateName"), "string")
}

/// Length of the longest name of a resource. One that is generated has at least one more character.
// apimachinery util/validation, DNS1123SubdomainMaxLength
const LONGEST_NAME: u64 = 253;

/// The properties of a resource that are always visible, with the bounds that a server gives to names.
// apiextensions schema/cel/model/schemas.go, WithTypeAndObjectMeta and cappedLengthStringType
fn visible_meta(properties: &Map<String, Value>, strings: StringBounds) -> Map<String, Value> {
    let mut meta = resource_meta();
    if !strings.of_names {
        return meta;
    }
    let declared = properties.get("metadata").and_then(|meta| meta.get("properties"));
    let visible = meta.get_mut("metadata").and_then(|meta| meta.get_mut("properties"));
    let names = visible.and_then(Value::as_object_mut).into_iter().flatten();
    for (name, schema) in names {
        let longest = if name == "name" { LONGEST_NAME } else { LONGEST_NAME - 1 };
        let own = declared.and_then(|names| names.get(name)).and_then(|own| size_bound(own, "maxLength"));
        *schema =
            serde_json::json!({"type": "string", "maxLength": own.map_or(longest, |own| own.min(longest))});
    }
    meta
}

fn resource_meta() -> Map<String, Value> {
    let string = serde_json::json!({"type": "string"});
    let meta = serde_json::json!({"type": "object", "properties": {"name": string, "generateName": string}});
    Map::from_iter([
        ("kind".into(), string.clone()),
        ("apiVersion".into(), string),
        ("metadata".into(), meta),
    ])
}

/// Returns the declaration of one of the properties of a resource that are always visible; `None` if the resource
/// declares them all.
pub fn resource_property(schema: &Value, name: &str) -> Option<Value> {
    let declares_all =
        keyword_value(schema, "properties").and_then(Value::as_object).is_some_and(declares_meta);
    resource_meta().shift_remove(name).filter(|_| !declares_all)
}

fn declare_string(schema: &Value, strings: StringBounds) -> TypeDeclaration {
    let sized = |ty, (min, max)| TypeDeclaration::scalar(ty, max, min);
    match keyword_value(schema, "format").and_then(Value::as_str).unwrap_or_default() {
        // apiserver pkg/cel/common schemas.go, SchemaDeclType: for bytes maxLength is not multiplied by four
        "byte" => TypeDeclaration::scalar(
            Type::Bytes,
            size_bound(schema, "maxLength").unwrap_or(LONGEST_STRING),
            STRING_BYTES,
        ),
        "duration" => sized(Type::Duration, DURATION_BYTES),
        "date" => sized(Type::Timestamp, DATE_BYTES),
        "date-time" => sized(Type::Timestamp, DATE_TIME_BYTES),
        _ => TypeDeclaration::scalar(Type::String, string_size(schema, strings), STRING_BYTES),
    }
}

/// Bytes of the longest string; a code point takes up to four.
// apiserver pkg/cel/common schemas.go, estimateMaxElementsFromMaxLength, estimateMaxStringEnumLength and
// estimateMaxStringLengthPerRequest
fn string_size(schema: &Value, strings: StringBounds) -> u64 {
    let is_int_or_string = bool_keyword(schema, INT_OR_STRING);
    if is_int_or_string && !strings.of_int_or_string {
        return LONGEST_STRING;
    }
    if let Some(code_points) = size_bound(schema, "maxLength") {
        return code_points.wrapping_mul(4);
    }
    let values = keyword_value(schema, "enum").and_then(Value::as_array).filter(|values| !values.is_empty());
    match values {
        // An enum counts for strings alone: SchemaDeclType does not look at it for x-kubernetes-int-or-string.
        Some(values) if strings.by_enum && is_type(schema, "string") && !is_int_or_string => {
            values.iter().filter_map(Value::as_str).map(|value| value.len() as u64).max().unwrap_or(0)
        }
        _ => LONGEST_STRING,
    }
}

/// A bound on a size; negative ones are accepted by the server and count as 0.
pub fn size_bound(schema: &Value, keyword: &str) -> Option<u64> {
    let value = keyword_value(schema, keyword)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the server truncates as well"
    )]
    let whole = || value.as_f64().map(|float| float.max(0.0) as u64);
    value.as_i64().map(|bound| u64::try_from(bound).unwrap_or(0)).or_else(whole)
}

/// Up to this number of keywords, comparing each name takes less time than hashing the one looked for.
const FEW: usize = 16;

/// Returns the value of a keyword of a schema.
///
/// ```
/// let schema = serde_json::json!({"type": "integer"});
/// assert_eq!(kvrules_cel::types::keyword_value(&schema, "type"), Some(&"integer".into()));
/// ```
pub fn keyword_value<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    map_keyword(schema.as_object()?, name)
}

/// As [`keyword_value`], of the keywords of a schema.
pub fn map_keyword<'a>(keywords: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    if keywords.len() > FEW {
        return keywords.get(name);
    }
    keywords.iter().find(|(keyword, _)| *keyword == name).map(|(_, value)| value)
}

/// True if a node is the root of a resource inside another.
pub fn is_embedded(schema: &Value) -> bool {
    bool_keyword(schema, EMBEDDED_RESOURCE)
}

pub(crate) fn bool_keyword(schema: &Value, keyword: &str) -> bool {
    keyword_value(schema, keyword).and_then(Value::as_bool).unwrap_or(false)
}

fn is_type(schema: &Value, ty: &str) -> bool {
    keyword_value(schema, "type").and_then(Value::as_str) == Some(ty)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(decl: &TypeDeclaration) -> usize {
        match &decl.shape {
            DeclarationShape::Scalar => 0,
            DeclarationShape::List(element) | DeclarationShape::Map(element) => fields(element),
            DeclarationShape::Object(inner) => inner.len() + inner.values().map(fields).sum::<usize>(),
        }
    }

    #[test]
    fn what_expressions_do_not_mention_is_not_declared_and_still_counts_for_sizes() {
        let mut properties =
            (0..1_000).map(|at| (format!("p{at}"), json!({"type": "string"}))).collect::<Map<_, _>>();
        properties.insert(
            "a-b".to_owned(),
            json!({"type": "array", "items": {"type": "object",
            "properties": {"x": {"type": "integer"}, "import": {"type": "string"}}, "required": ["x"]}}),
        );
        let schema = json!({"type": "object", "properties": properties, "required": ["p7", "a-b", "p8"]});
        let all = declare_schema(&schema, false).unwrap();
        assert_eq!(fields(&all), 1_003);
        let mut names = Vec::new();
        let expressions = ["self.a__dash__b.all(e, e.import != 'p1')", "has(self.p2)"];
        let mentioned = MentionedProperties::of_expressions(&expressions, &mut names);
        let part = declare_mentioned(&schema, false, mentioned).unwrap();
        assert_eq!(fields(&part), 4, "{part:?}");
        assert_eq!(part.min_size, all.min_size);
        assert_eq!(part.field_declaration("p2"), all.field_declaration("p2"));
        let sizes = |decl: &TypeDeclaration| {
            decl.field_declaration("a__dash__b").map(|list| (list.max_elements, list.min_size))
        };
        assert_eq!(sizes(&part), sizes(&all));
        assert!(matches!(
            MentionedProperties::of_expressions(&["self.`p1`"], &mut Vec::new()),
            MentionedProperties::Everything
        ));
    }
}
