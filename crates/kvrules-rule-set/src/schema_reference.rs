//! Schemas in a JSON Schema or OpenAPI document: the one that is meant, and the targets of references.

use kvrules_diagnostics::{quote_names, suggest_nearest};
use kvrules_kubernetes::keywords::is_like_schema;
use serde_json::Value as Json;

use crate::unknown_subject::UnknownSubject;

/// The lists of named schemas: of OpenAPI 3, Swagger 2 and drafts up to 7, and of drafts from 2019-09 on.
const LISTS: [&str; 3] = ["/components/schemas", "/definitions", "/$defs"];

/// A document with schemas.
#[derive(Clone, Debug)]
pub struct SchemaDocument<'s> {
    root: &'s Json,
}

/// The target of a reference, or the reason why it has none.
#[derive(Clone, Debug)]
pub enum ResolvedSchema<'s> {
    /// The target.
    Schema(&'s Json),
    /// The reason.
    Unread(String),
}

impl<'s> SchemaDocument<'s> {
    /// The schemas of a document.
    pub fn new(root: &'s Json) -> Self {
        Self { root }
    }

    /// Returns the schema with a name in a list of the document, or at a JSON pointer; without a name the document itself, or the only
    /// schema in it.
    ///
    /// # Errors
    ///
    /// There is none, or there are several.
    pub fn find_schema(&self, file: &str, name: Option<&str>) -> Result<&'s Json, UnknownSubject> {
        let error = |message: String, help: Option<String>| UnknownSubject { message, help };
        let Some(name) = name else { return self.only_schema(file) };
        if let Some(pointer) = name.strip_prefix('#').or_else(|| name.starts_with('/').then_some(name)) {
            let found = self.root.pointer(&decode_fragment(pointer)).filter(|found| is_schema(found));
            return found.ok_or_else(|| {
                error(format!("`{file}` has no schema at `{name}`"), self.list_names("its schemas are"))
            });
        }
        let found = self.named_schemas().find(|(known, _)| *known == name);
        found.map(|(_, schema)| schema).ok_or_else(|| {
            let near = suggest_nearest(name, self.schema_names());
            let help = near.or_else(|| self.list_names("its schemas are"));
            let pointer = || "without named schemas, write a JSON pointer such as `/properties/a`".to_owned();
            error(format!("`{file}` has no schema `{name}`"), help.or_else(|| Some(pointer())))
        })
    }

    fn only_schema(&self, file: &str) -> Result<&'s Json, UnknownSubject> {
        let is_api = ["openapi", "swagger"].iter().any(|keyword| self.root.get(*keyword).is_some());
        let keys = self.root.as_object().into_iter().flat_map(|fields| fields.keys());
        if !is_api && is_like_schema(keys.map(String::as_str)) {
            return Ok(self.root);
        }
        let mut named = self.named_schemas();
        match (named.next(), named.next()) {
            (Some((_, only)), None) => Ok(only),
            (Some(_), Some(_)) => Err(UnknownSubject {
                message: format!("`{file}` has several schemas"),
                help: self.list_names("name one with `component: NAME`; there are"),
            }),
            (None, _) => Err(UnknownSubject {
                message: format!("`{file}` has neither a CustomResourceDefinition nor a JSON Schema"),
                help: Some("name a file with a definition, a JSON Schema or an OpenAPI document".to_owned()),
            }),
        }
    }

    fn named_schemas(&self) -> impl Iterator<Item = (&'s str, &'s Json)> {
        let root = self.root;
        let lists = LISTS.into_iter().filter_map(move |list| root.pointer(list).and_then(Json::as_object));
        lists.flatten().map(|(name, schema)| (name.as_str(), schema)).filter(|(_, schema)| is_schema(schema))
    }

    /// Returns the names of the schemas in lists.
    pub fn schema_names(&self) -> impl Iterator<Item = &'s str> {
        self.named_schemas().map(|(name, _)| name)
    }

    /// Returns the JSON pointer to a named schema, or to the document itself or the only schema in it.
    pub fn pointer_of(&self, name: Option<&str>) -> Option<String> {
        let found = self.find_schema("", name).ok()?;
        if std::ptr::eq(found, self.root) {
            return Some(String::new());
        }
        let listed = LISTS.into_iter().find_map(|list| {
            let schemas = self.root.pointer(list)?.as_object()?;
            let (name, _) = schemas.iter().find(|(_, schema)| std::ptr::eq(*schema, found))?;
            Some(format!("{list}/{}", name.replace('~', "~0").replace('/', "~1")))
        });
        listed.or_else(|| name.map(|name| decode_fragment(name.trim_start_matches('#'))))
    }

    /// Returns the value at a JSON pointer.
    pub fn at_pointer(&self, pointer: &str) -> Option<&'s Json> {
        self.root.pointer(pointer)
    }

    /// Returns the JSON pointer that a reference within the document is; `None` for anchors and other documents.
    pub fn pointer_of_reference(&self, reference: &str) -> Option<String> {
        let pointer = decode_fragment(self.fragment_of(reference)?);
        (pointer.is_empty() || pointer.starts_with('/')).then_some(pointer)
    }

    /// The fragment of a reference within the document.
    fn fragment_of<'r>(&self, reference: &'r str) -> Option<&'r str> {
        let own = self.root.get("$id").or_else(|| self.root.get("id")).and_then(Json::as_str);
        let own = own.map(|id| id.trim_end_matches('#')).filter(|id| !id.is_empty());
        let rest = own.and_then(|own| reference.strip_prefix(own)).unwrap_or(reference);
        rest.strip_prefix('#').or_else(|| rest.is_empty().then_some(""))
    }

    fn list_names(&self, lead: &str) -> Option<String> {
        let names: Vec<_> = self.schema_names().collect();
        (!names.is_empty()).then(|| format!("{lead} {}", quote_names(&names, 8)))
    }

    /// Returns the target of a reference within the document.
    pub fn resolve_reference(&self, reference: &str) -> ResolvedSchema<'s> {
        let Some(fragment) = self.fragment_of(reference) else {
            return match find_identified(self.root, reference, 0) {
                Some(found) => ResolvedSchema::Schema(found),
                None => ResolvedSchema::Unread(format!(
                    "the reference `{reference}` points to another document; bundle the schemas into one file"
                )),
            };
        };
        let decoded = decode_fragment(fragment);
        let found = if decoded.is_empty() || decoded.starts_with('/') {
            self.root.pointer(&decoded)
        } else {
            find_identified(self.root, &decoded, 0)
        };
        match found.filter(|found| is_schema(found)) {
            Some(found) => ResolvedSchema::Schema(found),
            None => ResolvedSchema::Unread(format!("the reference `{reference}` leads nowhere")),
        }
    }
}

fn is_schema(value: &Json) -> bool {
    value.is_object() || value.is_boolean()
}

/// Depth to which identifiers are searched for.
const MOST_LEVELS: usize = 64;

/// The schema with an anchor or an identifier.
fn find_identified<'s>(value: &'s Json, wanted: &str, level: usize) -> Option<&'s Json> {
    if level > MOST_LEVELS {
        return None;
    }
    let is_it = |keyword: &str, text: &str| value.get(keyword).and_then(Json::as_str) == Some(text);
    let hashed = format!("#{wanted}");
    let anchors = ["$anchor", "$dynamicAnchor", "$id", "id"];
    if anchors.iter().any(|keyword| is_it(keyword, wanted))
        || ["$id", "id"].iter().any(|it| is_it(it, &hashed))
    {
        return Some(value);
    }
    match value {
        Json::Object(fields) => fields.values().find_map(|below| find_identified(below, wanted, level + 1)),
        Json::Array(items) => items.iter().find_map(|below| find_identified(below, wanted, level + 1)),
        _ => None,
    }
}

/// A JSON pointer in a fragment, without percent encoding.
fn decode_fragment(fragment: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        let digits: Option<String> = (byte == b'%')
            .then(|| rest.clone().take(2).map(char::from).collect::<String>())
            .filter(|digits| digits.len() == 2);
        match digits.and_then(|digits| u8::from_str_radix(&digits, 16).ok()) {
            Some(decoded) => {
                bytes.push(decoded);
                rest.nth(1);
            }
            None => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| fragment.to_owned())
}
