//! The values that keywords may have, by the meta-schemas of the drafts and the Schema Object of OpenAPI.

use std::collections::HashSet;
use std::sync::LazyLock;

use jsonschema::Validator;
use kvrules_diagnostics::{Span, suggest_nearest};
use kvrules_kubernetes::keywords::SchemaDialect::{
    self, Draft4, Draft201909, Draft202012, OpenApi30, OpenApi31, Swagger20,
};
use kvrules_kubernetes::keywords::{TYPE_NAMES, find_keyword};
use kvrules_syntax::value::ValueReader;
use kvrules_syntax::{Entry, Node, SyntaxKind};
use serde_json::{Value, json};

use crate::dialect::{can_be_schema, has_item_lists, is_like_draft4};

/// An invalid value of a keyword.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InvalidValue {
    pub(crate) span: Span,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

/// Form of a keyword's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueForm {
    Text,
    Uri,
    UriReference,
    Anchor,
    Boolean,
    Number,
    PositiveNumber,
    Count,
    Schema,
    /// A schema, or a boolean in dialects without boolean schemas.
    SchemaOrBoolean,
    SchemaOrList,
    SchemaList,
    SchemaMap,
    Dependencies,
    NameLists,
    Names,
    Types,
    List,
    FilledList,
    Vocabulary,
    Anything,
}

/// The form of a keyword's value; `None` if the dialect does not define the keyword.
fn value_form(keyword: &str, dialect: SchemaDialect, is_parameter: bool) -> Option<ValueForm> {
    let is_newest = matches!(dialect, Draft202012 | OpenApi31);
    let is_kept = match keyword {
        "definitions" | "dependencies" => !dialect.is_older_openapi(),
        "$recursiveRef" | "$recursiveAnchor" => is_newest,
        _ => false,
    };
    if !is_kept && !find_keyword(keyword)?.is_defined_in(dialect) {
        return None;
    }
    Some(match keyword {
        "required" if is_parameter => return None,
        // The meta-schema of draft 4 has no format for URIs.
        "$schema" if dialect != Draft4 => ValueForm::Uri,
        "$schema" | "title" | "description" | "format" | "pattern" | "$comment" | "contentEncoding"
        | "contentMediaType" | "id" => ValueForm::Text,
        "$ref" | "$id" | "$dynamicRef" | "$recursiveRef" => ValueForm::UriReference,
        "$anchor" | "$dynamicAnchor" => ValueForm::Anchor,
        "$recursiveAnchor" => {
            if is_newest {
                ValueForm::Anchor
            } else {
                ValueForm::Boolean
            }
        }
        "exclusiveMinimum" | "exclusiveMaximum" if is_like_draft4(dialect) => ValueForm::Boolean,
        "uniqueItems" | "nullable" | "readOnly" | "writeOnly" | "deprecated" => ValueForm::Boolean,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => ValueForm::Number,
        "multipleOf" => ValueForm::PositiveNumber,
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minContains" | "maxContains" => ValueForm::Count,
        "items" if has_item_lists(dialect) => ValueForm::SchemaOrList,
        "additionalItems" | "additionalProperties" if is_like_draft4(dialect) => ValueForm::SchemaOrBoolean,
        "items"
        | "additionalItems"
        | "additionalProperties"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contains"
        | "propertyNames"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contentSchema" => ValueForm::Schema,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => ValueForm::SchemaList,
        "properties" | "patternProperties" | "definitions" | "$defs" | "dependentSchemas" => {
            ValueForm::SchemaMap
        }
        "dependencies" => ValueForm::Dependencies,
        "dependentRequired" => ValueForm::NameLists,
        "required" => ValueForm::Names,
        "type" => ValueForm::Types,
        "enum" if dialect.is_older_openapi() => ValueForm::FilledList,
        "enum" | "examples" => ValueForm::List,
        "$vocabulary" => ValueForm::Vocabulary,
        _ => ValueForm::Anything,
    })
}

/// Returns what is wrong with the value of a keyword.
pub(crate) fn find_invalid_values(
    keyword: &str,
    value: Node<'_>,
    dialect: SchemaDialect,
    is_parameter: bool,
) -> Vec<InvalidValue> {
    let Some(form) = value_form(keyword, dialect, is_parameter) else { return Vec::new() };
    let check = ValueCheck { keyword, dialect, is_parameter };
    if is_unreadable(value) {
        return Vec::new();
    }
    match form {
        ValueForm::Anything => Vec::new(),
        ValueForm::Text => check.expect(value, value.as_str().is_some(), "a string"),
        ValueForm::Uri => check.expect(value, has_format(value, "uri"), "a URI"),
        ValueForm::UriReference => check.check_reference(value),
        ValueForm::Anchor => {
            check.expect(value, is_anchor(value, dialect), "a name of letters, digits, `-`, `_` and `.`")
        }
        ValueForm::Boolean => check.expect(value, is_boolean(value), "a boolean"),
        ValueForm::Number => check.expect(value, value.kind() == SyntaxKind::Number, "a number"),
        ValueForm::PositiveNumber => check.expect(value, is_positive(value), "a number greater than 0"),
        ValueForm::Count => check.expect(value, is_count(value, dialect), "a non-negative integer"),
        ValueForm::Schema => check.expect_schema(value, can_be_schema(value, dialect)),
        ValueForm::SchemaOrBoolean => {
            check.expect(value, value.is_map() || is_boolean(value), "a schema or a boolean")
        }
        ValueForm::SchemaOrList if value.is_list() => check.check_schema_list(value),
        ValueForm::SchemaOrList => {
            check.expect(value, can_be_schema(value, dialect), "a schema or a list of schemas")
        }
        ValueForm::SchemaList => check.check_schema_list(value),
        ValueForm::SchemaMap => check.check_schema_map(value),
        ValueForm::Dependencies => check.check_dependencies(value),
        ValueForm::NameLists => check.check_name_lists(value),
        ValueForm::Names => check.check_names(value),
        ValueForm::Types => check.check_types(value),
        ValueForm::List => check.expect(value, value.is_list(), "a list"),
        ValueForm::FilledList => {
            check.expect(value, value.items().next().is_some(), "a list with at least one value")
        }
        ValueForm::Vocabulary => check.check_vocabulary(value),
    }
}

struct ValueCheck<'k> {
    keyword: &'k str,
    dialect: SchemaDialect,
    is_parameter: bool,
}

impl ValueCheck<'_> {
    fn expect(&self, value: Node<'_>, is_met: bool, form: &str) -> Vec<InvalidValue> {
        if is_met || is_unreadable(value) {
            return Vec::new();
        }
        vec![self.invalid(value, format!("`{}` must be {form}", self.keyword))]
    }

    fn expect_schema(&self, value: Node<'_>, is_met: bool) -> Vec<InvalidValue> {
        let form = if is_like_draft4(self.dialect) {
            "a schema, which is an object"
        } else {
            "a schema: an object or a boolean"
        };
        self.expect(value, is_met, form)
    }

    fn invalid(&self, value: Node<'_>, message: String) -> InvalidValue {
        let help = match (self.keyword, value.kind()) {
            ("required", SyntaxKind::True | SyntaxKind::False) => {
                Some("list the required properties in `required` of the object around it".to_owned())
            }
            ("exclusiveMinimum" | "exclusiveMaximum", SyntaxKind::True) => {
                Some(format!("write the bound itself in `{}`", self.keyword))
            }
            ("exclusiveMinimum" | "exclusiveMaximum", SyntaxKind::Number) => {
                let bound = if self.keyword == "exclusiveMinimum" { "minimum" } else { "maximum" };
                Some(format!("write the bound in `{bound}`, and `{}: true`", self.keyword))
            }
            ("items", SyntaxKind::List) => {
                Some("write the schemas of items by position in `prefixItems`".to_owned())
                    .filter(|_| matches!(self.dialect, Draft202012 | OpenApi31))
            }
            _ => None,
        };
        InvalidValue { span: short_span(value), message, help }
    }

    fn check_reference(&self, value: Node<'_>) -> Vec<InvalidValue> {
        if value.as_str().is_none() {
            return self.expect(value, false, "a string");
        }
        if !is_like_draft4(self.dialect) && !has_format(value, "uri-reference") {
            return self.expect(value, false, "a URI reference");
        }
        let has_fragment = value.text().split_once('#').is_some_and(|(_, fragment)| !fragment.is_empty());
        let refuses_fragment =
            self.keyword == "$id" && matches!(self.dialect, Draft201909 | Draft202012 | OpenApi31);
        self.expect(value, !(has_fragment && refuses_fragment), "a URI reference without a fragment")
    }

    fn check_schema_list(&self, value: Node<'_>) -> Vec<InvalidValue> {
        // OpenAPI 3.0 allows empty lists in its own meta-schema.
        let is_filled = value.items().next().is_some() || self.dialect == OpenApi30;
        if !value.is_list() || !is_filled {
            return self.expect(value, false, "a list with at least one schema");
        }
        value.items().flat_map(|item| self.expect_item(item)).collect()
    }

    fn expect_item(&self, item: Node<'_>) -> Vec<InvalidValue> {
        if can_be_schema(item, self.dialect) || is_unreadable(item) {
            return Vec::new();
        }
        vec![self.invalid(item, format!("each item of `{}` must be a schema", self.keyword))]
    }

    fn check_schema_map(&self, value: Node<'_>) -> Vec<InvalidValue> {
        if !value.is_map() {
            return self.expect(value, false, "an object with schemas as its values");
        }
        let is_wrong = |node: &Node<'_>| !can_be_schema(*node, self.dialect) && !is_unreadable(*node);
        let entries = value.entries_with_merged().filter(|entry| is_wrong(&entry.value));
        entries
            .map(|entry| {
                let message = format!("`{}` in `{}` must be a schema", entry.key.text(), self.keyword);
                self.invalid(entry.value, message)
            })
            .collect()
    }

    fn check_dependencies(&self, value: Node<'_>) -> Vec<InvalidValue> {
        if !value.is_map() {
            return self.expect(value, false, "an object with schemas or lists of names as its values");
        }
        let entries = value.entries_with_merged().filter(|entry| !can_be_schema(entry.value, self.dialect));
        entries
            .flat_map(|entry| self.check_named_list(entry, "a schema or a list of property names"))
            .collect()
    }

    fn check_named_list(&self, entry: Entry<'_>, form: &str) -> Vec<InvalidValue> {
        if entry.value.is_list() || is_unreadable(entry.value) {
            return self.check_names(entry.value);
        }
        let message = format!("`{}` in `{}` must be {form}", entry.key.text(), self.keyword);
        vec![self.invalid(entry.value, message)]
    }

    fn check_name_lists(&self, value: Node<'_>) -> Vec<InvalidValue> {
        if !value.is_map() {
            return self.expect(value, false, "an object with lists of names as its values");
        }
        let entries = value.entries_with_merged();
        entries.flat_map(|entry| self.check_named_list(entry, "a list of property names")).collect()
    }

    fn check_names(&self, value: Node<'_>) -> Vec<InvalidValue> {
        if !value.is_list() {
            return self.expect(value, false, "a list of property names");
        }
        if value.items().next().is_none() && is_like_draft4(self.dialect) {
            return self.expect(value, false, "a list with at least one property name");
        }
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for item in value.items().filter(|item| !is_unreadable(*item)) {
            if item.as_str().is_none() {
                found.push(self.invalid(item, format!("each name in `{}` must be a string", self.keyword)));
            } else if !seen.insert(item.text()) {
                found.push(
                    self.invalid(item, format!("duplicate name `{}` in `{}`", item.text(), self.keyword)),
                );
            }
        }
        found
    }

    fn check_types(&self, value: Node<'_>) -> Vec<InvalidValue> {
        if self.dialect.is_older_openapi() && value.is_list() && self.dialect == OpenApi30 {
            let found = self.invalid(value, "`type` must be one type".to_owned());
            let help = Some("write `nullable: true` for null, and `anyOf` for other types".to_owned());
            return vec![InvalidValue { help, ..found }];
        }
        if !value.is_list() {
            return self.check_type(value).into_iter().collect();
        }
        if value.items().next().is_none() {
            return self.expect(value, false, "a type or a list with at least one type");
        }
        let mut seen = HashSet::new();
        let mut found: Vec<InvalidValue> = value.items().filter_map(|item| self.check_type(item)).collect();
        let doubled = value.items().filter(|item| item.as_str().is_some() && !seen.insert(item.text()));
        found.extend(doubled.map(|item| self.invalid(item, format!("duplicate type `{}`", item.text()))));
        found
    }

    fn check_type(&self, value: Node<'_>) -> Option<InvalidValue> {
        let is_allowed = |name: &str| match name {
            "null" => self.dialect != OpenApi30,
            "file" => self.dialect == Swagger20,
            name => TYPE_NAMES.contains(&name),
        };
        if is_unreadable(value) || value.as_str().is_some_and(is_allowed) {
            return None;
        }
        let text = value.text();
        let known = TYPE_NAMES.into_iter().filter(|name| is_allowed(name));
        let help = match (value.kind(), text) {
            (SyntaxKind::Null, _) if !self.dialect.is_older_openapi() => {
                Some("write `\"null\"` in quotation marks".to_owned())
            }
            (SyntaxKind::Null, _) | (_, "null") => {
                Some("write `nullable: true` next to another type".to_owned())
            }
            _ => suggest_nearest(text, known.clone()),
        };
        let help = help.or_else(|| Some(format!("write one of {}", known.collect::<Vec<_>>().join(", "))));
        let message = if value.is_map() || value.is_list() {
            "`type` must be the name of a type".to_owned()
        } else {
            format!("unknown type `{text}`")
        };
        Some(InvalidValue { span: short_span(value), message, help })
    }

    fn check_vocabulary(&self, value: Node<'_>) -> Vec<InvalidValue> {
        let is_valid = |value: Node<'_>| {
            value.is_map()
                && value
                    .entries_with_merged()
                    .all(|entry| has_format(entry.key, "uri") && is_boolean(entry.value))
        };
        self.expect(
            value,
            is_valid(value) && !self.is_parameter,
            "an object with URIs as its keys and booleans as its values",
        )
    }
}

/// The location of a value: a scalar as a whole, of a list or an object the start.
fn short_span(value: Node<'_>) -> Span {
    if value.is_map() || value.is_list() { value.span().first_byte() } else { value.span() }
}

/// True for values that were not read, or that template tags insert.
pub(crate) fn is_unreadable(value: Node<'_>) -> bool {
    matches!(value.kind(), SyntaxKind::Hole | SyntaxKind::Alias | SyntaxKind::Parameter) || value.has_tags()
}

/// True for values of a schema that were not read, or that depend on template tags.
pub(crate) fn is_undecided(value: Node<'_>, schema: Node<'_>) -> bool {
    is_unreadable(value) || value.is_templated_within(schema)
}

fn is_boolean(value: Node<'_>) -> bool {
    matches!(value.kind(), SyntaxKind::True | SyntaxKind::False)
}

fn is_positive(value: Node<'_>) -> bool {
    let text = value.text();
    // A number beyond 64 bits is not 0.
    value.kind() == SyntaxKind::Number
        && !text.starts_with('-')
        && read_number(value).is_none_or(|number| number > 0.0)
}

fn is_count(value: Node<'_>, dialect: SchemaDialect) -> bool {
    if value.kind() != SyntaxKind::Number {
        return false;
    }
    // To draft 4 a number with a point is no integer.
    let has_point = value.text().contains(['.', 'e', 'E']) && !value.text().starts_with("0x");
    if has_point && dialect == Draft4 {
        return false;
    }
    match read_number(value) {
        Some(number) => number >= 0.0 && number.fract() == 0.0,
        None => !value.text().starts_with('-'),
    }
}

fn read_number(value: Node<'_>) -> Option<f64> {
    ValueReader::for_yaml12().read_number(value)?.as_f64()
}

fn is_anchor(value: Node<'_>, dialect: SchemaDialect) -> bool {
    let is_2019 = dialect == Draft201909;
    let Some(text) = value.as_str() else { return false };
    let is_first = |first: char| first.is_ascii_alphabetic() || (first == '_' && !is_2019);
    let is_next = |next: char| {
        next.is_ascii_alphanumeric() || matches!(next, '-' | '.' | '_') || (next == ':' && is_2019)
    };
    text.starts_with(is_first) && text.chars().all(is_next)
}

/// True if a string has a format that the `jsonschema` crate knows.
pub(crate) fn has_format(value: Node<'_>, format: &str) -> bool {
    static FORMATS: LazyLock<Vec<(&str, Validator)>> = LazyLock::new(|| {
        let build = |format: &'static str| {
            let schema = json!({"type": "string", "format": format});
            let options = jsonschema::draft202012::options().should_validate_formats(true).offline();
            Some((format, options.build(&schema).ok()?))
        };
        ["uri", "uri-reference", "regex"].into_iter().filter_map(build).collect()
    });
    let Some(text) = value.as_str() else { return false };
    let validator = FORMATS.iter().find(|(name, _)| *name == format);
    validator.is_none_or(|(_, validator)| validator.is_valid(&Value::from(text)))
}
