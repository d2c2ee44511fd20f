//! Targets of the references of a document, by identifiers, anchors and pointers, as the checks resolve them.

use std::collections::HashMap;

use kvrules_diagnostics::Span;
use kvrules_kubernetes::keywords::{KeywordContent, SchemaDialect, find_keyword, transform_child_schemas};
use kvrules_syntax::Node;
use kvrules_syntax::pointer::{escape_step, unescape_step};
use serde_json::{Map, Value};

use crate::dialect::{detect_dialect, identifier_keyword};
use crate::language::{SchemaLanguage, schema_language};
use crate::tree::{ReferenceTarget, SchemaTree};

/// The targets of the references in a document.
#[derive(Clone, Debug, Default)]
pub struct ReferenceTargets<'d> {
    by_reference: HashMap<Span, Node<'d>>,
    dialect: Option<SchemaDialect>,
}

impl<'d> ReferenceTargets<'d> {
    /// Resolves the references of a JSON Schema or OpenAPI document. Those of an unknown dialect have no targets.
    ///
    /// ```
    /// use kvrules_diagnostics::FileId;
    /// use kvrules_json_schema::ReferenceTargets;
    /// use kvrules_syntax::parse_stream;
    ///
    /// let text = r##"{"$id": "https://a.example/s.json", "$ref": "s.json#/$defs/a", "$defs": {"a": {"type": "string"}}}"##;
    /// let stream = parse_stream(FileId(0), text);
    /// let root = stream.documents[0].root().unwrap();
    /// let targets = ReferenceTargets::of_document(root);
    /// let found = targets.find_target(root.get("$ref").unwrap()).unwrap();
    /// assert_eq!(found.get("type").unwrap().text(), "string");
    /// ```
    pub fn of_document(root: Node<'d>) -> Self {
        let language = schema_language(root).unwrap_or(SchemaLanguage::JsonSchema);
        let Ok(dialect) = detect_dialect(root) else { return Self::default() };
        let tree = SchemaTree::read_document(root, language, dialect);
        let target = |target: &ReferenceTarget| match target {
            ReferenceTarget::Schema(site) => tree.sites.get(*site).map(|site| site.node),
            _ => None,
        };
        let found = tree.references.iter();
        let by_reference =
            found.filter_map(|it| Some((it.node.span_of(0..0), target(&it.target)?))).collect();
        Self { by_reference, dialect: Some(dialect) }
    }

    /// Returns the target of the text of a `$ref`; `None` if it is not a schema of the document.
    pub fn find_target(&self, reference: Node<'_>) -> Option<Node<'d>> {
        self.by_reference.get(&reference.span_of(0..0)).copied()
    }

    /// Returns the document, whose value is `value`, with every reference as a pointer into it, and without identifiers and anchors.
    /// Targets at places that have no schemas are copied to the definitions.
    ///
    /// ```
    /// use kvrules_diagnostics::FileId;
    /// use kvrules_json_schema::ReferenceTargets;
    /// use kvrules_syntax::{parse_stream, value::ValueReader};
    ///
    /// let text = r##"{"properties": {"a": {"$anchor": "x"}, "b": {"$ref": "#x"}}}"##;
    /// let stream = parse_stream(FileId(0), text);
    /// let root = stream.documents[0].root().unwrap();
    /// let value = ValueReader::for_yaml12().read_value(root).unwrap();
    /// let local = ReferenceTargets::of_document(root).localize_document(root, &value);
    /// assert_eq!(local["properties"]["b"]["$ref"], "#/properties/a");
    /// ```
    pub fn localize_document(&self, root: Node<'d>, value: &Value) -> Value {
        let Some(dialect) = self.dialect else { return value.clone() };
        let mut places = HashMap::new();
        collect_places(root, &mut Vec::new(), &mut places);
        let list = if is_defined("$defs", dialect) { "$defs" } else { "definitions" };
        let mut changed = value.clone();
        let mut moved: Vec<(Vec<String>, String)> = Vec::new();
        let mut found: Vec<(&Span, &Node<'d>)> = self.by_reference.iter().collect();
        found.sort_by_key(|(span, _)| (span.start, span.end));
        for (reference, target) in found {
            let Some((at, to)) = places.get(reference).zip(places.get(&target.span_of(0..0))) else {
                continue;
            };
            let way = if is_schema_place(to, dialect) {
                to.clone()
            } else {
                let known = moved.iter().find(|(way, _)| way == to).map(|(_, name)| name.clone());
                let name = known.unwrap_or_else(|| {
                    let name = free_name(value, list, to, &moved);
                    moved.push((to.clone(), name.clone()));
                    name
                });
                vec![list.to_owned(), name]
            };
            set_reference(&mut changed, at, &way);
        }
        let copies: Vec<(String, Value)> = moved
            .iter()
            .filter_map(|(way, name)| Some((name.clone(), value_at(&changed, way)?.clone())))
            .collect();
        if let Some(fields) = changed.as_object_mut() {
            if !is_defined("$defs", dialect) {
                fields.shift_remove("$defs");
            }
            if !copies.is_empty() {
                let all = fields.entry(list).or_insert_with(|| Value::Object(Map::new()));
                all.as_object_mut().into_iter().for_each(|all| all.extend(copies.iter().cloned()));
            }
        }
        without_names(&changed, dialect, 0)
    }
}

/// The path of every node, by its place in the text.
fn collect_places(node: Node<'_>, way: &mut Vec<String>, places: &mut HashMap<Span, Vec<String>>) {
    if way.len() > DEEPEST {
        return;
    }
    places.entry(node.span_of(0..0)).or_insert_with(|| way.clone());
    for entry in node.entries_with_merged() {
        way.push(entry.key.text().to_owned());
        collect_places(entry.value, way, places);
        way.pop();
    }
    for (index, item) in node.items().enumerate() {
        way.push(index.to_string());
        collect_places(item, way, places);
        way.pop();
    }
}

/// Deeper nodes are not reached.
const DEEPEST: usize = 500;

/// True if a dialect defines a keyword that has schemas. `definitions` is kept in all drafts.
fn is_defined(keyword: &str, dialect: SchemaDialect) -> bool {
    keyword == "definitions" || find_keyword(keyword).is_some_and(|keyword| keyword.is_defined_in(dialect))
}

/// True if the keywords on the way to a place have schemas.
fn is_schema_place(way: &[String], dialect: SchemaDialect) -> bool {
    let mut rest = match way {
        [components, schemas, _, rest @ ..] if components == "components" && schemas == "schemas" => rest,
        _ => way,
    };
    while let [keyword, below @ ..] = rest {
        let content = find_keyword(keyword).filter(|_| is_defined(keyword, dialect)).map(|it| it.content);
        let is_index = below.first().is_some_and(|step| step.parse::<usize>().is_ok());
        let named = match content {
            Some(KeywordContent::Schema) => usize::from(is_index),
            Some(KeywordContent::SchemaList | KeywordContent::SchemaMap) => 1,
            _ => return false,
        };
        let Some(inner) = below.get(named..) else { return false };
        rest = inner;
    }
    true
}

/// A name that the list does not have yet: that of the target, if it is free.
fn free_name(document: &Value, list: &str, way: &[String], moved: &[(Vec<String>, String)]) -> String {
    let own = way.last().map_or("schema", String::as_str);
    let is_free = |name: &String| {
        document.get(list).and_then(|all| all.get(name)).is_none()
            && moved.iter().all(|(_, known)| known != name)
    };
    let numbered = (2..).map(|number| format!("{own}-{number}"));
    std::iter::once(own.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
}

fn value_at<'v>(value: &'v Value, way: &[String]) -> Option<&'v Value> {
    way.iter().try_fold(value, |at, step| match at {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        other => other.get(step),
    })
}

/// Writes a reference as a pointer, unless it is that one already.
fn set_reference(document: &mut Value, at: &[String], way: &[String]) {
    let found = at.iter().try_fold(document, |value, step| match value {
        Value::Array(items) => items.get_mut(step.parse::<usize>().ok()?),
        other => other.get_mut(step),
    });
    let Some(Value::String(text)) = found else { return };
    let written = text.strip_prefix('#').map(|pointer| pointer.split('/').skip(1).map(unescape_step));
    if !written.is_some_and(|steps| (text == "#" || text.starts_with("#/")) && steps.eq(way.iter().cloned()))
    {
        *text = way
            .iter()
            .fold("#".to_owned(), |text, step| format!("{text}/{}", escape_fragment(&escape_step(step))));
    }
}

/// A step of a pointer with the escapes of URIs.
fn escape_fragment(step: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~$&'()*+,;=:@!".contains(&byte);
    step.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// A schema without identifiers and anchors.
fn without_names(schema: &Value, dialect: SchemaDialect, depth: usize) -> Value {
    let Some(keywords) = schema.as_object().filter(|_| depth < DEEPEST) else { return schema.clone() };
    let is_name = |keyword: &str, value: &Value| {
        value.is_string() && (identifier_keyword(dialect) == Some(keyword) || keyword == "$anchor")
    };
    let kept = keywords.iter().filter(|(keyword, value)| !is_name(keyword, value));
    let below = |schema: &Value| without_names(schema, dialect, depth + 1);
    kept.map(|(keyword, value)| (keyword.clone(), transform_child_schemas(keyword, value, below))).collect()
}
