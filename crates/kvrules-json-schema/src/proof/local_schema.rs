//! A schema and what it refers to as one small schema in draft 2020-12, which accepts at least the same values.

use std::collections::{HashMap, HashSet};

use kvrules_diagnostics::Span;
use kvrules_kubernetes::keywords::SchemaDialect::{self, OpenApi30};
use kvrules_kubernetes::keywords::find_keyword;
use kvrules_syntax::value::ValueReader;
use kvrules_syntax::{Entry, Node, SyntaxKind};
use serde_json::{Map, Value, json};

use crate::dialect::has_item_lists;
use crate::tree::{ChildSchema, SchemaSite, SchemaTree, SiteId};
use crate::value_form::{find_invalid_values, has_format, is_undecided};

/// Number of schemas in a small schema.
const MOST_SCHEMAS: usize = 80;
/// Number of values of any kind in it.
const MOST_VALUES: usize = 2_000;
/// Maximum size of the value of one keyword, in bytes.
const LARGEST_VALUE: usize = 20_000;
/// Depth to which schemas of properties and items are included.
const DEEPEST: usize = 6;

/// Amount of detail in a small schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemaDetail {
    /// Of properties and items only those that are `false`.
    Keywords,
    /// Properties and items as well.
    Contents,
    /// Properties and items; required properties with a default may be absent, since many tools fill them in.
    Defaults,
}

/// A small schema.
#[derive(Debug)]
pub(crate) struct LocalSchema<'d> {
    pub(crate) value: Value,
    /// True if it accepts exactly the values of the schema, and not more.
    pub(crate) is_exact: bool,
    /// The nodes of its schemas, by their pointers in the small schema.
    pub(crate) nodes: HashMap<String, Node<'d>>,
}

impl<'d> LocalSchema<'d> {
    /// Writes the schema with a number. Those in `contradictory` are left out, except for the schema itself.
    pub(crate) fn new(
        tree: &SchemaTree<'d>,
        site: SiteId,
        detail: SchemaDetail,
        contradictory: &HashSet<SiteId>,
    ) -> Self {
        let nodes = HashMap::new();
        let (schemas, values) = (MOST_SCHEMAS, MOST_VALUES);
        let mut writer =
            LocalWriter { tree, detail, contradictory, schemas, values, open: Vec::new(), nodes };
        let written = writer.write_site(site, 0, String::new());
        Self { value: written.value, is_exact: written.is_exact, nodes: writer.nodes }
    }
}

/// True if a schema is empty because its author wrote `false`, or `not` with a schema that accepts everything.
pub(crate) fn is_deliberately_empty(tree: &SchemaTree<'_>, site: SiteId) -> bool {
    let (mut id, mut steps) = (site, 0);
    // Chains of references are short; a longer one is a cycle or not deliberate.
    while let Some(site) = tree.sites.get(id).filter(|_| steps < 20) {
        if site.node.kind() == SyntaxKind::False || accepts_nothing(tree, site) {
            return true;
        }
        let mut branches = site.children_of("allOf").map(|child| child.site).filter(|branch| {
            tree.sites
                .get(*branch)
                .is_some_and(|it| it.node.kind() == SyntaxKind::False || accepts_nothing(tree, it))
        });
        if branches.next().is_some() {
            return true;
        }
        let Some(target) = site.reference else { return false };
        (id, steps) = (target, steps + 1);
    }
    false
}

/// True for `not: {}` and `not: true`.
fn accepts_nothing(tree: &SchemaTree<'_>, site: &SchemaSite<'_>) -> bool {
    let inner = site.children_of("not").filter_map(|child| tree.sites.get(child.site));
    inner.into_iter().any(|inner| {
        let mut keys = inner.node.entries();
        inner.node.kind() == SyntaxKind::True || (inner.node.is_map() && keys.next().is_none())
    })
}

/// A schema as it was written, and if it accepts exactly the same values.
struct Written {
    value: Value,
    is_exact: bool,
}

struct LocalWriter<'t, 'd> {
    tree: &'t SchemaTree<'d>,
    detail: SchemaDetail,
    contradictory: &'t HashSet<SiteId>,
    schemas: usize,
    values: usize,
    /// The schemas around the present one.
    open: Vec<SiteId>,
    nodes: HashMap<String, Node<'d>>,
}

impl LocalWriter<'_, '_> {
    fn write_site(&mut self, id: SiteId, depth: usize, pointer: String) -> Written {
        const ANYTHING: Written = Written { value: Value::Bool(true), is_exact: false };
        let Some(site) = self.tree.sites.get(id) else { return ANYTHING };
        let is_left_out =
            (self.contradictory.contains(&id) && !self.open.is_empty()) || self.open.contains(&id);
        if is_left_out || self.schemas == 0 {
            return ANYTHING;
        }
        match site.node.kind() {
            SyntaxKind::True => return Written { value: json!(true), is_exact: true },
            SyntaxKind::False => return Written { value: json!(false), is_exact: true },
            _ => {}
        }
        self.schemas -= 1;
        self.nodes.insert(pointer.clone(), site.node);
        self.open.push(id);
        let mut schema = SchemaWriter {
            writer: self,
            site,
            depth,
            pointer,
            made: Map::new(),
            is_exact: true,
            has_lost_pattern: false,
        };
        schema.write_schema();
        let written = Written { value: Value::Object(schema.made), is_exact: schema.is_exact };
        self.open.pop();
        written
    }
}

/// The schema that is being written.
struct SchemaWriter<'w, 't, 'd> {
    writer: &'w mut LocalWriter<'t, 'd>,
    site: &'t SchemaSite<'d>,
    depth: usize,
    pointer: String,
    made: Map<String, Value>,
    is_exact: bool,
    /// True if a pattern of names is left out, so that other names are not known.
    has_lost_pattern: bool,
}

impl<'d> SchemaWriter<'_, '_, 'd> {
    fn write_schema(&mut self) {
        if self.site.node.get("$ref").is_some() {
            self.write_reference();
            if self.site.is_mere_reference() {
                return;
            }
        }
        let dialect = self.site.dialect;
        for Entry { key, value } in self.site.node.entries_with_merged() {
            let Some(keyword) = find_keyword(key.text()) else { continue };
            let is_kept = keyword.name == "dependencies" && has_item_lists(dialect);
            if !keyword.is_defined_in(dialect) && !is_kept {
                continue;
            }
            let is_required_flag = self.site.is_parameter && keyword.name == "required";
            let is_invalid =
                !find_invalid_values(keyword.name, value, dialect, self.site.is_parameter).is_empty();
            if is_required_flag || is_invalid || is_undecided(value, self.site.node) {
                self.is_exact = self.is_exact && is_required_flag;
                continue;
            }
            self.write_keyword(keyword.name, value);
        }
        if self.has_lost_pattern {
            self.made.shift_remove("additionalProperties");
        }
        self.convert_bounds();
        self.add_null();
    }

    fn write_reference(&mut self) {
        match self.site.reference {
            Some(target) => {
                let pointer = format!("{}/allOf/0", self.pointer);
                let written = self.writer.write_site(target, self.depth, pointer);
                self.is_exact &= written.is_exact;
                self.made.insert("allOf".to_owned(), json!([written.value]));
            }
            None => self.is_exact = false,
        }
    }

    fn write_keyword(&mut self, keyword: &'static str, value: Node<'d>) {
        match keyword {
            "type" | "enum" | "const" | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum"
            | "multipleOf" | "minLength" | "maxLength" | "minItems" | "maxItems" | "uniqueItems"
            | "minProperties" | "maxProperties" | "required" | "dependentRequired" | "minContains"
            | "maxContains" => self.write_value(keyword, value),
            "pattern" if has_format(value, "regex") => self.write_value(keyword, value),
            "properties" | "patternProperties" | "dependentSchemas" => self.write_map(keyword),
            "additionalProperties" => self.write_additional(),
            "items" if value.is_list() => self.write_list("items", "prefixItems"),
            "additionalItems" if self.site.node.get("items").is_some_and(Node::is_list) => {
                if self.has_whole_tuple("items") {
                    self.write_child("additionalItems", "items");
                }
            }
            "items" if !self.has_whole_tuple("prefixItems") => self.is_exact = false,
            "prefixItems" => self.write_list("prefixItems", "prefixItems"),
            "items" | "contains" | "propertyNames" => self.write_child(keyword, keyword),
            "allOf" | "anyOf" | "oneOf" => self.write_branches(keyword),
            "not" => self.write_negated(),
            "if" => self.write_condition(),
            "additionalItems" | "then" | "else" | "$ref" | "$schema" | "$id" | "id" | "$anchor"
            | "$dynamicAnchor" | "$comment" | "$defs" | "definitions" | "$vocabulary" | "nullable" => {}
            // `format` and others are annotations, or limit values in ways that are not written here.
            "format"
            | "pattern"
            | "unevaluatedProperties"
            | "unevaluatedItems"
            | "$dynamicRef"
            | "$recursiveRef"
            | "dependencies" => self.is_exact = false,
            _ => self.is_exact &= !keyword.starts_with("x-"),
        }
    }

    /// Copies a value, unless it is large or has a number that would be rounded.
    fn write_value(&mut self, keyword: &str, value: Node<'d>) {
        let read = ValueReader::for_yaml12().with_limit(LARGEST_VALUE).read_value(value).ok();
        let read = read.filter(|_| !has_long_number(value));
        let size = value.items().count() + value.entries().count() + 1;
        let Some(mut read) = read.filter(|_| self.writer.values >= size) else {
            self.is_exact = false;
            return;
        };
        self.writer.values -= size;
        if keyword == "type" && value.text() == "file" {
            self.is_exact = false;
            return;
        }
        if keyword == "required" && self.writer.detail == SchemaDetail::Defaults {
            let properties = self.site.node.get("properties");
            let has_default = |name: &Value| {
                let schema = properties.and_then(|all| all.get(name.as_str()?));
                schema.is_some_and(|schema| schema.get("default").is_some())
            };
            if let Some(names) = read.as_array_mut() {
                names.retain(|name| !has_default(name));
            }
            self.is_exact = false;
        }
        self.made.insert(keyword.to_owned(), read);
    }

    /// Writes a schema in this one. Below properties and items there is less room.
    fn write_inner(&mut self, child: &ChildSchema<'d>, pointer: &str) -> Written {
        let is_same_value = matches!(
            child.keyword,
            "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else" | "dependentSchemas"
        );
        let depth = self.depth + usize::from(!is_same_value);
        let is_stub = !is_same_value && (self.writer.detail == SchemaDetail::Keywords || depth > DEEPEST);
        if !is_stub {
            return self.writer.write_site(child.site, depth, format!("{}/{pointer}", self.pointer));
        }
        let is_never = is_deliberately_empty(self.writer.tree, child.site);
        Written { value: Value::Bool(!is_never), is_exact: false }
    }

    fn write_map(&mut self, keyword: &'static str) {
        let site = self.site;
        let mut made = Map::new();
        for child in site.children_of(keyword) {
            let Some(name) = child.name else { continue };
            let is_pattern = keyword == "patternProperties";
            // Names count next to `additionalProperties`, also when there is no room for their schemas.
            if self.writer.values == 0 && site.node.get("additionalProperties").is_some() && !is_pattern {
                self.is_exact = false;
                made.insert(name.text().to_owned(), Value::Bool(true));
                continue;
            }
            if self.writer.values == 0 || (is_pattern && !has_format(name, "regex")) {
                self.is_exact = false;
                self.has_lost_pattern |= is_pattern;
                continue;
            }
            self.writer.values -= 1;
            let pointer = format!("{keyword}/{}", kvrules_syntax::pointer::escape_step(name.text()));
            let written = self.write_inner(child, &pointer);
            self.is_exact &= written.is_exact;
            made.insert(name.text().to_owned(), written.value);
        }
        self.made.insert(keyword.to_owned(), Value::Object(made));
    }

    /// `additionalProperties` depends on the names next to it, which must all be written.
    fn write_additional(&mut self) {
        let site = self.site;
        let names = |keyword: &str| site.node.get(keyword).map_or(0, |map| map.entries_with_merged().count());
        let written = |keyword| site.children_of(keyword).count();
        let has_merged =
            ["properties", "patternProperties"].iter().any(|keyword| names(keyword) != written(keyword));
        let patterns = site.children_of("patternProperties").filter_map(|child| child.name);
        let is_whole = !has_merged && patterns.into_iter().all(|name| has_format(name, "regex"));
        if !is_whole || written("properties") + written("patternProperties") > self.writer.values {
            self.is_exact = false;
            return;
        }
        self.write_child("additionalProperties", "additionalProperties");
    }

    /// True if every schema of items by position is written, so that one for further items applies to the same items.
    fn has_whole_tuple(&self, keyword: &str) -> bool {
        let count = self.site.node.get(keyword).map_or(0, |tuple| tuple.items().count());
        self.site.children_of(keyword).count() == count
    }

    fn write_child(&mut self, keyword: &'static str, as_keyword: &str) {
        let site = self.site;
        let Some(child) = site.children_of(keyword).next() else { return };
        let written = self.write_inner(child, as_keyword);
        // `maxContains` forbids values, so that a wider schema of `contains` would be narrower.
        if keyword == "contains" && !written.is_exact {
            self.is_exact = false;
            if site.node.get("maxContains").is_some()
                || site.node.get("minContains").is_some_and(|it| it.text() == "0")
            {
                return;
            }
        }
        self.is_exact &= written.is_exact;
        self.made.insert(as_keyword.to_owned(), written.value);
    }

    fn write_list(&mut self, keyword: &'static str, as_keyword: &str) {
        let site = self.site;
        let mut items = Vec::new();
        for (index, child) in site.children_of(keyword).enumerate() {
            let written = self.write_inner(child, &format!("{as_keyword}/{index}"));
            self.is_exact &= written.is_exact;
            items.push(written.value);
        }
        if !items.is_empty() {
            self.made.insert(as_keyword.to_owned(), Value::Array(items));
        }
    }

    fn write_branches(&mut self, keyword: &'static str) {
        let site = self.site;
        let first = if keyword == "allOf" {
            self.made.get("allOf").and_then(Value::as_array).map_or(0, Vec::len)
        } else {
            0
        };
        let mut branches = Vec::new();
        let mut is_exact = true;
        for (index, child) in site.children_of(keyword).enumerate() {
            let written = self.write_inner(child, &format!("{keyword}/{}", first + index));
            is_exact &= written.is_exact;
            branches.push(written.value);
        }
        self.is_exact &= is_exact;
        // Wider branches of `oneOf` overlap more.
        let as_keyword = if keyword == "oneOf" && !is_exact { "anyOf" } else { keyword };
        if as_keyword == "anyOf" && self.made.contains_key("anyOf") {
            // Next to `anyOf` the branches go into a schema of their own.
            let all = self.made.entry("allOf").or_insert_with(|| json!([]));
            if let Some(all) = all.as_array_mut() {
                all.push(json!({"anyOf": branches}));
            }
            return;
        }
        match self.made.get_mut(as_keyword).and_then(Value::as_array_mut) {
            Some(known) => known.extend(branches),
            None => _ = self.made.insert(as_keyword.to_owned(), Value::Array(branches)),
        }
    }

    fn write_negated(&mut self) {
        let site = self.site;
        let Some(child) = site.children_of("not").next() else { return };
        let written = self.write_inner(child, "not");
        if written.is_exact {
            self.made.insert("not".to_owned(), written.value);
        }
        self.is_exact &= written.is_exact;
    }

    fn write_condition(&mut self) {
        let site = self.site;
        let Some(condition) = site.children_of("if").next() else { return };
        let written = self.write_inner(condition, "if");
        if !written.is_exact {
            self.is_exact = false;
            return;
        }
        self.made.insert("if".to_owned(), written.value);
        self.write_child("then", "then");
        self.write_child("else", "else");
    }

    /// A boolean next to a bound, as in draft 4, is a bound of its own.
    fn convert_bounds(&mut self) {
        for (bound, strict) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
            let Some(flag) = self.made.get(strict).and_then(Value::as_bool) else { continue };
            self.made.shift_remove(strict);
            if flag && let Some(value) = self.made.shift_remove(bound) {
                self.made.insert(strict.to_owned(), value);
            }
        }
    }

    /// `nullable` allows null. Tools differ about its effect next to `enum`, so that null is allowed there too.
    fn add_null(&mut self) {
        let is_nullable = |key: &str| self.site.node.get(key).is_some_and(|it| it.kind() == SyntaxKind::True);
        let has_keyword = |dialect: SchemaDialect| dialect == OpenApi30 && is_nullable("nullable");
        if !has_keyword(self.site.dialect) && !is_nullable("x-nullable") {
            return;
        }
        self.is_exact = false;
        if let Some(kind) = self.made.get_mut("type") {
            let mut types = kind.as_array().cloned().unwrap_or_else(|| vec![kind.clone()]);
            types.retain(|name| name != "null");
            types.push(json!("null"));
            *kind = Value::Array(types);
        }
        if let Some(values) = self.made.get_mut("enum").and_then(Value::as_array_mut) {
            values.push(Value::Null);
        }
    }
}

/// A number with more digits than a float keeps.
fn has_long_number(value: Node<'_>) -> bool {
    let is_long = |node: Node<'_>| {
        node.kind() == SyntaxKind::Number
            && node.text().contains(['.', 'e', 'E'])
            && node.text().bytes().filter(u8::is_ascii_digit).count() > 15
    };
    is_long(value) || value.items().any(is_long)
}

/// Location of a keyword of a schema, or of its start.
pub(crate) fn keyword_span(node: Node<'_>, keyword: Option<&str>) -> Span {
    let entry = keyword.and_then(|keyword| node.entry(keyword));
    entry.map_or_else(|| node.span().first_byte(), |entry| entry.key.span())
}
