//! The types of the fields of a JSON Schema, as rules about its documents see them.
//!
//! Rules need the types on their paths and nothing else: what a schema requires is checked by the schema itself. So keywords other than
//! those that declare fields, items and types are left out, and a reference is followed only on the way to a field that is wanted, which
//! makes recursive schemas no problem. A field that several branches declare has all of their types. A field that may be null needs no mark:
//! null counts as absent, as servers drop it. Items and values of maps do, because they stay.

use std::collections::BTreeSet;
use std::sync::Arc;

use kvrules_kubernetes::keywords::{INT_OR_STRING, PRESERVE_UNKNOWN_FIELDS};
use serde_json::{Map, Value as Json, json};

use crate::schema_reference::{ResolvedSchema, SchemaDocument};

/// Keyword with the reason why a value has no known type.
pub(crate) const UNREAD: &str = "x-kvrules-unread";

/// Keyword with the values of an enumeration, which suggestions come from. It restricts nothing.
pub(crate) const VALUES: &str = "x-kvrules-enum";

/// Keyword of a field that may be null by its schema.
const MAY_BE_NULL: &str = "x-kvrules-null";

/// True if the schema of documents lets the value at this node be null. Rules count it as absent then.
pub fn may_be_null(node: &Json) -> bool {
    node.get(MAY_BE_NULL).is_some() || node.get("nullable").is_some()
}

/// Number of schemas that are read at most.
const MOST_SCHEMAS: usize = 20_000;

/// Keywords whose schemas are about the same value: all of a list, or one.
const BRANCHES: [&str; 7] = ["allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"];

/// Returns the structural schema of the values of a schema, with those fields that are wanted, so many levels deep.
pub(crate) fn document_types(
    source: &SchemaDocument<'_>,
    schema: &Json,
    is_wanted: &dyn Fn(&str) -> bool,
    levels: usize,
) -> Option<Json> {
    let mut reader = TypeReader { source, is_wanted, left: MOST_SCHEMAS };
    let types = reader.read_types(&[schema], true, levels);
    (reader.left > 0).then_some(types)
}

/// Levels to which all fields are read for suggestions: the first that is not too much.
const LEVELS_OF_ALL: [usize; 5] = [12, 8, 5, 3, 2];

/// A schema of documents.
#[derive(Clone, Debug)]
pub(crate) struct DocumentSchema {
    file: Arc<Json>,
    /// The name of the schema in the file, or a JSON pointer.
    component: Option<String>,
}

impl DocumentSchema {
    pub(crate) fn new(file: &Arc<Json>, component: Option<&str>) -> Self {
        Self { file: Arc::clone(file), component: component.map(str::to_owned) }
    }

    /// The schema with all fields, as deep as is not too much.
    pub(crate) fn whole_schema(&self) -> Option<Json> {
        let source = SchemaDocument::new(&self.file);
        let schema = source.find_schema("", self.component.as_deref()).ok()?;
        LEVELS_OF_ALL.into_iter().find_map(|levels| document_types(&source, schema, &|_| true, levels))
    }
}

struct TypeReader<'s> {
    source: &'s SchemaDocument<'s>,
    is_wanted: &'s dyn Fn(&str) -> bool,
    /// Number of schemas that may still be read.
    left: usize,
}

/// The declarations of one value by all schemas about it.
#[derive(Default)]
struct Declared<'s> {
    types: BTreeSet<&'static str>,
    fields: Map<String, Json>,
    /// The schemas of each field, in the order of `fields`.
    of_fields: Vec<Vec<&'s Json>>,
    items: Vec<&'s Json>,
    values: Vec<&'s Json>,
    /// The enumeration, if there is one and no branches.
    choices: Option<&'s Vec<Json>>,
    description: Option<&'s str>,
    /// The reason for which a reference was not followed.
    unread: Option<String>,
    schemas: usize,
}

const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "array", "object", "null"];

impl<'s> TypeReader<'s> {
    fn read_types(&mut self, schemas: &[&'s Json], is_field: bool, levels: usize) -> Json {
        let mut declared = Declared::default();
        for schema in schemas {
            self.declare(schema, &mut declared, &mut Vec::new());
        }
        let mut made = Map::new();
        if let Some(description) = declared.description {
            made.insert("description".to_owned(), description.into());
        }
        if let Some(reason) = &declared.unread {
            made.insert(UNREAD.to_owned(), reason.as_str().into());
        }
        if is_field && (declared.is_nullable() || declared.types.is_empty()) {
            made.insert(MAY_BE_NULL.to_owned(), true.into());
        }
        declared.add_implied_types();
        match declared.structural_type() {
            Some("array") => {
                made.insert("type".to_owned(), "array".into());
                let items = self.read_below(&declared.items, false, levels);
                made.insert("items".to_owned(), items);
            }
            Some("object") => {
                made.insert("type".to_owned(), "object".into());
                self.add_fields(&declared, levels, &mut made);
            }
            Some("int-or-string") => _ = made.insert(INT_OR_STRING.to_owned(), true.into()),
            Some(name) => {
                made.insert("type".to_owned(), name.into());
                if let Some(choices) =
                    declared.choices.filter(|_| name == "string" && !declared.is_nullable())
                    && choices.iter().all(Json::is_string)
                {
                    made.insert(VALUES.to_owned(), choices.clone().into());
                }
            }
            None => _ = made.insert(PRESERVE_UNKNOWN_FIELDS.to_owned(), true.into()),
        }
        if !is_field && declared.is_nullable() && made.contains_key("type") {
            made.insert("nullable".to_owned(), true.into());
        }
        Json::Object(made)
    }

    fn read_below(&mut self, schemas: &[&'s Json], is_field: bool, levels: usize) -> Json {
        if levels == 0 {
            return json!({PRESERVE_UNKNOWN_FIELDS: true, UNREAD: "it is nested too deep"});
        }
        self.read_types(schemas, is_field, levels - 1)
    }

    fn add_fields(&mut self, declared: &Declared<'s>, levels: usize, made: &mut Map<String, Json>) {
        if declared.fields.is_empty() && !declared.values.is_empty() {
            let values = self.read_below(&declared.values, false, levels);
            made.insert("additionalProperties".to_owned(), values);
            return;
        }
        let mut fields = Map::new();
        for ((name, _), schemas) in declared.fields.iter().zip(&declared.of_fields) {
            if (self.is_wanted)(name) {
                fields.insert(name.clone(), self.read_below(schemas, true, levels));
            }
        }
        made.insert("properties".to_owned(), fields.into());
    }

    /// Adds what a schema, and the schemas about the same value in it, declare. `around` are the references on the way.
    fn declare(&mut self, schema: &'s Json, declared: &mut Declared<'s>, around: &mut Vec<&'s str>) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let Some(keywords) = schema.as_object() else { return };
        declared.schemas += 1;
        declared.add_types(schema);
        let text = |keyword: &str| keywords.get(keyword).and_then(Json::as_str);
        declared.description = declared.description.or_else(|| text("description"));
        let choices = keywords.get("enum").and_then(Json::as_array);
        declared.choices = if declared.schemas == 1 { choices } else { None };
        for (name, field) in keywords.get("properties").and_then(Json::as_object).into_iter().flatten() {
            declared.add_field(name, field);
        }
        for keyword in ["items", "prefixItems", "additionalItems"] {
            match keywords.get(keyword) {
                Some(Json::Array(several)) => declared.items.extend(several),
                Some(one) if one.is_object() => declared.items.push(one),
                _ => {}
            }
        }
        declared.values.extend(keywords.get("additionalProperties").filter(|values| values.is_object()));
        let patterns = keywords.get("patternProperties").and_then(Json::as_object);
        declared.values.extend(patterns.into_iter().flatten().map(|(_, schema)| schema));
        self.follow_reference(schema, declared, around);
        for keyword in BRANCHES {
            match keywords.get(keyword) {
                Some(Json::Array(several)) => {
                    for branch in several {
                        self.declare(branch, declared, around);
                    }
                }
                Some(Json::Object(named)) if keyword == "dependentSchemas" => {
                    for branch in named.values() {
                        self.declare(branch, declared, around);
                    }
                }
                Some(one) => self.declare(one, declared, around),
                None => {}
            }
        }
    }

    fn follow_reference(&mut self, schema: &'s Json, declared: &mut Declared<'s>, around: &mut Vec<&'s str>) {
        let reference = ["$ref", "$dynamicRef", "$recursiveRef"]
            .into_iter()
            .find_map(|keyword| schema.get(keyword).and_then(Json::as_str));
        let Some(reference) = reference else { return };
        if around.contains(&reference) {
            declared
                .unread
                .get_or_insert_with(|| format!("the reference `{reference}` leads back to itself"));
            return;
        }
        match self.source.resolve_reference(reference) {
            ResolvedSchema::Schema(target) => {
                around.push(reference);
                self.declare(target, declared, around);
                around.pop();
            }
            ResolvedSchema::Unread(reason) => _ = declared.unread.get_or_insert(reason),
        }
    }
}

impl<'s> Declared<'s> {
    fn add_field(&mut self, name: &str, schema: &'s Json) {
        // A field that is never accepted has no type.
        if schema == &Json::Bool(false) {
            return;
        }
        let at = self.fields.keys().position(|known| known == name);
        if let Some(known) = at.and_then(|at| self.of_fields.get_mut(at)) {
            known.push(schema);
        } else {
            self.fields.insert(name.to_owned(), Json::Null);
            self.of_fields.push(vec![schema]);
        }
    }

    fn add_types(&mut self, schema: &'s Json) {
        let named = |name: &Json| TYPES.into_iter().find(|known| name.as_str() == Some(known));
        match schema.get("type") {
            Some(Json::Array(several)) => self.types.extend(several.iter().filter_map(named)),
            Some(one) => self.types.extend(named(one)),
            None => {
                let listed = schema.get("enum").and_then(Json::as_array).into_iter().flatten();
                self.types.extend(listed.chain(schema.get("const")).map(type_of));
            }
        }
        // OpenAPI 3.0, and the form of Kubernetes definitions.
        if schema.get("nullable") == Some(&Json::Bool(true)) {
            self.types.insert("null");
        }
        if schema.get(INT_OR_STRING) == Some(&Json::Bool(true)) {
            self.types.extend(["integer", "string"]);
        }
    }

    /// Adds the type that keywords about fields and items imply, if none is declared.
    fn add_implied_types(&mut self) {
        if self.types.iter().any(|name| *name != "null") {
            return;
        }
        if !self.fields.is_empty() || !self.values.is_empty() {
            self.types.insert("object");
        } else if !self.items.is_empty() {
            self.types.insert("array");
        }
    }

    fn is_nullable(&self) -> bool {
        self.types.contains("null")
    }

    /// The type in a structural schema; `None` if there are several, or none.
    fn structural_type(&self) -> Option<&'static str> {
        let others: Vec<_> = self.types.iter().copied().filter(|name| *name != "null").collect();
        match others.as_slice() {
            [only] => Some(only),
            ["integer", "number"] => Some("number"),
            ["integer", "string"] => Some("int-or-string"),
            _ => None,
        }
    }
}

fn type_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(number) if number.is_f64() => "number",
        Json::Number(_) => "integer",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}
