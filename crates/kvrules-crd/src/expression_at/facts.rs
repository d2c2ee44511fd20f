//! Facts about the name at a place of an expression.

use kvrules_cel::{NamedFunction, named_functions};
use kvrules_kubernetes::keywords::INT_OR_STRING;
use serde_json::Value as Json;

use super::chain::Step;
use super::{ExpressionAt, NameAt, NameOwner, PolicyVariable, select_schemas};

/// Facts about a name in an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum NameFacts {
    /// A field of a value.
    Field(FieldFacts),
    /// A function or a macro.
    Function(NamedFunction),
    /// A variable of the policy.
    Variable(PolicyVariable),
}

/// Facts about a field from its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldFacts {
    /// The name in the schema.
    pub name: String,
    /// The type in words, such as `list of string`.
    pub value_type: String,
    /// The description; empty if there is none.
    pub description: String,
    /// The default as JSON.
    pub default: Option<String>,
    /// Limits in words, such as `at most 10 items`.
    pub limits: Vec<String>,
}

impl FieldFacts {
    /// Returns what a schema says about a field with a name.
    ///
    /// ```
    /// use kvrules_crd::FieldFacts;
    /// use serde_json::json;
    ///
    /// let schema = json!({"type": "array", "items": {"type": "string"}, "maxItems": 3, "default": ["a"]});
    /// let facts = FieldFacts::of_schema("names", &schema);
    /// assert_eq!((facts.value_type.as_str(), facts.limits[0].as_str()), ("list of string", "at most 3 items"));
    /// assert_eq!(facts.default.as_deref(), Some(r#"["a"]"#));
    /// ```
    pub fn of_schema(name: &str, schema: &Json) -> Self {
        let text = schema.get("description").and_then(Json::as_str).unwrap_or_default();
        Self {
            name: name.to_owned(),
            value_type: type_in_words(schema),
            description: text.split("\n\n").next().unwrap_or_default().trim().to_owned(),
            default: schema.get("default").map(Json::to_string),
            limits: limits_in_words(schema),
        }
    }
}

impl ExpressionAt<'_> {
    /// Returns what is known about the name at the place.
    pub fn facts_at(&self) -> Option<NameFacts> {
        let at = self.name_at();
        if at.name.is_empty() {
            return None;
        }
        let field = self.field_facts(&at).map(NameFacts::Field);
        field.or_else(|| self.function_facts(&at).map(NameFacts::Function)).or_else(|| {
            let variable = self.variables.iter().find(|variable| variable.name == at.name);
            variable.filter(|_| at.owner == NameOwner::Variables).cloned().map(NameFacts::Variable)
        })
    }

    fn field_facts(&self, at: &NameAt) -> Option<FieldFacts> {
        let schemas = match &at.owner {
            NameOwner::Value(schemas) => select_schemas(schemas, &Step::Field(at.name.clone())),
            NameOwner::Start => {
                self.names.iter().find(|known| known.name == at.name).map(|known| known.schemas.clone())?
            }
            NameOwner::Variables => return None,
        };
        Some(FieldFacts::of_schema(&at.name, schemas.first()?))
    }

    fn function_facts(&self, at: &NameAt) -> Option<NamedFunction> {
        let is_member = at.owner != NameOwner::Start;
        let space = self.namespace_before(at);
        let is_it = |function: &NamedFunction| match (space, function.name.rsplit_once('.')) {
            (Some(space), Some((own, name))) => own == space && name == at.name,
            (None, Some(_)) => false,
            (_, None) => function.name == at.name && function.is_member == is_member,
        };
        named_functions().into_iter().find(is_it).filter(|_| at.is_call)
    }

    /// The word before the dot that a name follows.
    pub(super) fn namespace_before(&self, at: &NameAt) -> Option<&str> {
        let before = self.text().get(..self.offset - at.typed.len())?.trim_end().strip_suffix('.')?;
        let start = before.trim_end_matches(|char: char| char.is_alphanumeric() || char == '_').len();
        before.get(start..)
    }
}

/// The type of a schema in words.
pub(super) fn type_in_words(schema: &Json) -> String {
    if schema.get(INT_OR_STRING) == Some(&Json::Bool(true)) {
        return "integer or string".to_owned();
    }
    let named = schema.get("type").and_then(Json::as_str).unwrap_or("any");
    let inner = |key: &str| schema.get(key).filter(|inner| inner.is_object()).map(type_in_words);
    match named {
        "array" => inner("items").map_or_else(|| "list".to_owned(), |item| format!("list of {item}")),
        "object" if schema.get("properties").is_none() => inner("additionalProperties")
            .map_or_else(|| "object".to_owned(), |value| format!("map of {value}")),
        _ => match schema.get("format").and_then(Json::as_str) {
            Some(format) => format!("{named} ({format})"),
            None => named.to_owned(),
        },
    }
}

/// Limits: keyword, the words before the value, and those behind it.
const LIMITS: [(&str, &str, &str); 10] = [
    ("minimum", "at least ", ""),
    ("maximum", "at most ", ""),
    ("multipleOf", "a multiple of ", ""),
    ("minLength", "at least ", " characters"),
    ("maxLength", "at most ", " characters"),
    ("minItems", "at least ", " items"),
    ("maxItems", "at most ", " items"),
    ("minProperties", "at least ", " entries"),
    ("maxProperties", "at most ", " entries"),
    ("pattern", "matches `", "`"),
];

fn limits_in_words(schema: &Json) -> Vec<String> {
    let show = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let limit = |(key, before, behind): &(&str, &str, &str)| {
        Some(format!("{before}{}{behind}", show(schema.get(*key)?)))
    };
    let listed = schema.get("enum").and_then(Json::as_array).map(|values| {
        let values: Vec<_> = values.iter().map(|value| format!("`{}`", show(value))).collect();
        format!("one of {}", values.join(", "))
    });
    LIMITS.iter().filter_map(limit).chain(listed).collect()
}
