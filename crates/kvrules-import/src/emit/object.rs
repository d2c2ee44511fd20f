//! Objects of the spine: fields, additional fields, and constraints on their names.

use std::rc::Rc;

use kvrules_cel::types::escape_property;
use kvrules_diagnostics::Exactness;
use kvrules_kubernetes::keywords::{INT_OR_STRING, PRESERVE_UNKNOWN_FIELDS as PRESERVE};
use serde_json::{Value, json};

use super::fill::fill_dependents;
use super::kind::NodeKind;
use super::{Keywords, NodeSite, ShapeEmitter, cel, set_keyword};
use crate::note::{ImportNoteKind, ImportProblem};
use crate::shape::{
    LostConstraint, NamedShapes, ObjectConstraints, SchemaShape, ValueKinds, intersect_shapes,
};

/// The fields that every resource has.
const META: [&str; 3] = ["apiVersion", "kind", "metadata"];
/// Fields of `metadata` that can be constrained.
const NAMES: [&str; 2] = ["name", "generateName"];

impl ShapeEmitter {
    pub(super) fn object(
        &mut self,
        shape: &SchemaShape,
        kind: NodeKind,
        site: NodeSite,
        out: &mut Keywords,
    ) -> Result<(), ImportProblem> {
        let is_typed = kind == NodeKind::Typed("object");
        let mut shape = shape.clone();
        apply_patterns(&mut shape);
        if shape.object.fields.is_empty() {
            self.map(&shape, is_typed, site, out)?;
        } else {
            self.fields(&shape, site, out)?;
        }
        self.required(&shape, site, out);
        let given = shape.object.dependents.clone();
        for (name, others) in given.iter().filter(|(_, others)| !others.is_empty()) {
            self.dependent(&shape, is_typed, name, others, out);
        }
        Ok(())
    }

    fn fields(
        &mut self,
        shape: &SchemaShape,
        site: NodeSite,
        out: &mut Keywords,
    ) -> Result<(), ImportProblem> {
        let object = &shape.object;
        let mut fields = Keywords::new();
        for (name, field) in object.fields.iter() {
            let node = if site == NodeSite::Root && META.contains(&name.as_str()) {
                self.meta(name, field)?
            } else {
                self.emit_below(&["properties", name], |emitter| emitter.spine(field, NodeSite::Field))?
            };
            fields.insert(name.clone(), node);
        }
        set_keyword(out, "properties", fields);
        if object.is_closed {
            let message = "unknown fields are pruned, not rejected";
            self.lose(Exactness::Wider, shape, "additionalProperties", message);
        }
        let has_more = object.additional.is_some() || !object.patterns.is_empty();
        if object.is_open || has_more && !object.is_closed || !object.patterns.is_empty() {
            set_keyword(out, PRESERVE, true);
        }
        if has_more {
            let keyword =
                if object.patterns.is_empty() { "additionalProperties" } else { "patternProperties" };
            let message = "additional fields cannot be restricted next to `properties`; they are kept";
            self.lose(Exactness::Wider, shape, keyword, message);
        }
        self.declared_names(shape);
        Ok(())
    }

    /// Reports the constraints on names of declared fields as lost: unknown ones are pruned.
    fn declared_names(&mut self, shape: &SchemaShape) {
        if !shape.object.names.is_empty() {
            let message = "names are checked only in maps; unknown fields are pruned";
            self.lose(Exactness::Wider, shape, "propertyNames", message);
        }
    }

    /// `apiVersion`, `kind` and `metadata`, of which the server itself knows what they are.
    fn meta(&mut self, name: &str, field: &Rc<SchemaShape>) -> Result<Value, ImportProblem> {
        if name != "metadata" {
            let text = intersect_shapes(SchemaShape::of(ValueKinds::STRING, field.at), field);
            let text =
                if text.kinds.is_empty() { SchemaShape::of(ValueKinds::STRING, field.at) } else { text };
            return self.emit_below(&["properties", name], |emitter| emitter.spine(&text, NodeSite::Field));
        }
        let mut names = Keywords::new();
        for own in NAMES {
            let Some(given) = field.object.fields.get(own) else { continue };
            let text = intersect_shapes(SchemaShape::of(ValueKinds::STRING, given.at), given);
            if !text.kinds.is_empty() && !is_typed(&text) {
                let written = self.emit_below(&["properties", "metadata", "properties", own], |emitter| {
                    emitter.spine(&text, NodeSite::Field)
                })?;
                names.insert(own.to_owned(), written);
            }
        }
        let is_more =
            field.object.fields.iter().any(|(own, more)| !NAMES.contains(&own.as_str()) && !is_typed(more));
        if !field.object.required.is_empty() || is_more || !is_typed(&without_parts(field)) {
            let message = "only the names in `metadata` can be restricted";
            self.lose(Exactness::Wider, field, if is_more { "properties" } else { "required" }, message);
        }
        let typed = json!({"type": "object"});
        Ok(if names.is_empty() { typed } else { json!({"type": "object", "properties": names}) })
    }

    /// An object without declared fields.
    fn map(
        &mut self,
        shape: &SchemaShape,
        is_typed: bool,
        site: NodeSite,
        out: &mut Keywords,
    ) -> Result<(), ImportProblem> {
        let object = &shape.object;
        let mut values = object.additional.clone();
        let mut names: Vec<Rc<SchemaShape>> = object.names.clone();
        match object.patterns.as_slice() {
            [] => {}
            [(pattern, field)] if object.is_closed && values.is_none() => {
                let mut name = SchemaShape::any(shape.place("patternProperties"));
                name.texts.patterns.push(pattern.clone());
                names.push(Rc::new(name));
                values = Some(field.clone());
            }
            [(pattern, field)] if pattern.is_empty() => values = Some(field.clone()),
            _ => {
                let message = "fields selected by pattern are kept as they are";
                self.lose(Exactness::Wider, shape, "patternProperties", message);
                values = None;
            }
        }
        let has_patterns = !object.patterns.is_empty();
        match values.filter(|_| site != NodeSite::Root && is_typed) {
            Some(values) => {
                let node = self.emit_below(&["additionalProperties"], |emitter| {
                    emitter.spine(&values, NodeSite::Field)
                })?;
                set_keyword(out, "additionalProperties", node);
            }
            None if object.is_closed && !has_patterns => {
                let message = "unknown fields are pruned, not rejected";
                self.lose(Exactness::Wider, shape, "additionalProperties", message);
            }
            None => {
                set_keyword(out, PRESERVE, true);
                if object.additional.is_some() || has_patterns {
                    let keyword = if has_patterns { "patternProperties" } else { "additionalProperties" };
                    let message = "additional fields cannot be restricted here; they are kept";
                    self.lose(Exactness::Wider, shape, keyword, message);
                }
            }
        }
        self.names(shape, &names, out);
        Ok(())
    }

    /// Writes the constraints on the keys of a map, by rules.
    fn names(&mut self, shape: &SchemaShape, names: &[Rc<SchemaShape>], out: &mut Keywords) {
        for name in names {
            let is_map = out
                .get("additionalProperties")
                .is_some_and(|values| values.get("type").is_some() || values.get(INT_OR_STRING).is_some());
            let keyword = if shape.object.names.iter().any(|given| Rc::ptr_eq(given, name)) {
                "propertyNames"
            } else {
                "patternProperties"
            };
            match cel::shape_predicate(name, ValueKinds::STRING, "key").filter(|_| is_map) {
                Some(condition) if condition == "true" => {}
                Some(condition) => {
                    let rule = format!("self.all(key, {condition})");
                    self.rule(out, shape, keyword, rule, "a key is not of the form that is asked for");
                }
                None => {
                    let message = "keys can be checked only by rules, and no rule can read them here";
                    self.lose(Exactness::Wider, shape, keyword, message);
                }
            }
        }
    }

    fn required(&mut self, shape: &SchemaShape, site: NodeSite, out: &mut Keywords) {
        let object = &shape.object;
        let keeps = out.contains_key(PRESERVE) || out.contains_key("additionalProperties");
        let mut required = Vec::new();
        for name in &object.required {
            let is_meta = site == NodeSite::Root && META.contains(&name.as_str());
            let field = object.fields.get(name);
            if field.is_none() && !keeps && !is_meta {
                let message =
                    format!("`{name}` is required but not a property, so no object could be created");
                self.lost(&LostConstraint {
                    kind: ImportNoteKind::Mistake,
                    effect: Exactness::Wider,
                    keyword: "required",
                    span: shape.place("required"),
                    message,
                });
                continue;
            }
            if field.is_some_and(|field| field.default.is_some()) {
                let message = format!("`{name}` may be absent, since the server fills in its default");
                self.lose(Exactness::Wider, shape, "required", message);
            }
            required.push(name.clone());
        }
        if !required.is_empty() {
            set_keyword(out, "required", required);
        }
    }

    /// Fields that another field requires: by a rule, if rules can see them.
    fn dependent(
        &mut self,
        shape: &SchemaShape,
        typed: bool,
        name: &str,
        others: &[String],
        out: &mut Keywords,
    ) {
        let selected = |name: &String| {
            let is_seen = is_seen(&shape.object, name, out);
            escape_property(name).filter(|_| typed && is_seen).map(|name| format!("has(self.{name})"))
        };
        let required: Option<Vec<String>> = others.iter().map(selected).collect();
        let Some((given, required)) = selected(&name.to_owned()).zip(required) else {
            return fill_dependents(&[(name.to_owned(), others.to_vec())], out);
        };
        let required = required.join(" && ");
        let required = if others.len() > 1 { format!("({required})") } else { required };
        let message = format!("where {name} is set, {} must be set", others.join(", "));
        let message = message.replace(['\n', '\r'], " ");
        self.rule(out, shape, "dependentRequired", format!("!{given} || {required}"), &message);
    }
}

/// True if a shape only constrains the types of values, which the server knows of `metadata`.
fn is_typed(shape: &SchemaShape) -> bool {
    let object = &shape.object;
    let values = object.additional.iter().chain(&shape.list.items);
    let is_open = object.fields.is_empty() && object.required.is_empty() && !object.is_closed;
    is_open && without_parts(shape).is_plain() && values.into_iter().all(|values| is_typed(values))
}

/// A shape without what it says of fields, of further fields and of items.
fn without_parts(shape: &SchemaShape) -> SchemaShape {
    let mut bare = shape.clone();
    bare.object.fields = NamedShapes::default();
    (bare.object.required, bare.object.additional, bare.list.items) = (Vec::new(), None, None);
    (bare.object.is_open, bare.object.is_closed) = (false, false);
    bare
}

/// Adds the schema of a pattern to the fields whose names match it.
fn apply_patterns(shape: &mut SchemaShape) {
    for (pattern, field) in &shape.object.patterns.clone() {
        let Some(matcher) = kvrules_regex::parse(pattern).ok().and_then(|regex| regex.compile_matcher().ok())
        else {
            continue;
        };
        let names = shape.object.fields.iter().map(|(name, _)| name.clone());
        for name in names.filter(|name| matcher.is_match(name)).collect::<Vec<_>>() {
            if let Some(known) = shape.object.fields.get(&name) {
                let both = intersect_shapes(SchemaShape::clone(known), field);
                shape.object.fields.set(name, Rc::new(both));
            }
        }
    }
}

/// True if rules can see a field and its presence: a `null` field is invisible to them.
fn is_seen(object: &ObjectConstraints, name: &str, out: &Keywords) -> bool {
    let node = out.get("properties").and_then(|fields| fields.get(name));
    object.fields.contains(name)
        && node.is_some_and(|node| node.get("nullable").is_none())
        && node.is_some_and(|node| {
            let is_list = node.get("type").is_some_and(|it| it == "array");
            let has_type = node.get("type").is_some() || node.get(INT_OR_STRING).is_some();
            // Rules do not see a list or a map whose values have no type either.
            let values = if is_list { node.get("items") } else { node.get("additionalProperties") };
            has_type && values.is_none_or(|values| values.get("type").is_some())
        })
}
