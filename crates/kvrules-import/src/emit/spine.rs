//! Nodes of the spine.

use kvrules_diagnostics::Exactness;
use kvrules_kubernetes::keywords::{LIST_TYPE, MAP_TYPE};
use serde_json::{Value, json};

use super::fill::{fill_sizes, fill_strings};
use super::kind::NodeKind;
use super::{Keywords, NodeSite, ShapeEmitter, cel, set_keyword};
use crate::note::ImportProblem;
use crate::shape::{SchemaShape, ValueKinds, declare_branch_fields, simplify_shape};

impl ShapeEmitter {
    /// A node and all below it.
    pub(super) fn spine(&mut self, shape: &SchemaShape, site: NodeSite) -> Result<Value, ImportProblem> {
        self.counted(shape.at)?;
        let mut shape = shape.clone();
        simplify_shape(&mut shape);
        if shape.kinds.present().is_empty() {
            return self.nothing(&shape, site);
        }
        declare_branch_fields(&mut shape);
        shape.lost.iter().for_each(|lost| self.lost(lost));
        let mut out = Keywords::new();
        self.emit_description(&shape, &mut out);
        let kind = self.kind(&mut shape, site, &mut out);
        let shape = shape;
        self.values(&shape, &shape, &mut out);
        let kinds = shape.kinds;
        if kinds.meets(ValueKinds::NUMBER) {
            self.numbers(&shape, kinds, kind == NodeKind::Typed("number"), &mut out);
        }
        if kinds.meets(ValueKinds::STRING) {
            fill_strings(&shape, &mut out);
        }
        fill_sizes(&shape, kinds, &mut out);
        if kinds.meets(ValueKinds::ARRAY) {
            self.items(&shape, kind, &mut out)?;
        }
        if kinds.meets(ValueKinds::OBJECT) {
            self.object(&shape, kind, site, &mut out)?;
        }
        self.sides(&shape, &shape, &mut out)?;
        for (keyword, value) in &shape.extensions {
            out.entry(keyword.clone()).or_insert_with(|| value.clone());
        }
        Ok(Value::Object(out))
    }

    /// Writes the description of a node, and its default.
    fn emit_description(&mut self, shape: &SchemaShape, out: &mut Keywords) {
        if let Some(title) = &shape.title {
            set_keyword(out, "title", title.as_str());
        }
        if let Some(description) = &shape.description {
            set_keyword(out, "description", description.as_str());
        }
        if let Some(default) = &shape.default {
            set_keyword(out, "default", default.clone());
            self.defaults.push((self.pointer(), shape.place("default")));
        }
    }

    /// A node that no value satisfies, or null alone.
    fn nothing(&mut self, shape: &SchemaShape, site: NodeSite) -> Result<Value, ImportProblem> {
        if site == NodeSite::Root {
            return Err(ImportProblem::new(shape.at, "no object satisfies the schema").help(
                "a resource is an object; `--under spec` puts a schema of something else below a field",
            ));
        }
        self.remark(shape, "type", "no value satisfies this, expressed by bounds that no string satisfies");
        let mut out = json!({"type": "string", "minLength": 1, "maxLength": 0});
        if let Some(node) = out.as_object_mut().filter(|_| shape.kinds.meets(ValueKinds::NULL)) {
            set_keyword(node, "nullable", true);
        }
        Ok(out)
    }

    fn items(
        &mut self,
        shape: &SchemaShape,
        kind: NodeKind,
        out: &mut Keywords,
    ) -> Result<(), ImportProblem> {
        let list = &shape.list;
        let is_typed = kind == NodeKind::Typed("array");
        if is_typed || list.items.is_some() {
            let any = SchemaShape::any(shape.at);
            let items = list.items.as_deref().unwrap_or(&any);
            let items = self.emit_below(&["items"], |emitter| emitter.spine(items, NodeSite::Item))?;
            set_keyword(out, "items", items);
        }
        if list.is_unique {
            self.unique(shape, is_typed, out);
        }
        for contains in &list.contains {
            if contains.min == 1 && contains.max.is_none() || !is_typed {
                self.contains(contains, shape, shape, out)?;
            } else {
                self.counted_items(contains, shape, out);
            }
        }
        Ok(())
    }

    /// `uniqueItems`: a set, whose items are compared whole.
    fn unique(&mut self, shape: &SchemaShape, is_typed: bool, out: &mut Keywords) {
        let items = out.get_mut("items").and_then(Value::as_object_mut);
        let Some(items) = items.filter(|_| is_typed && !shape.extensions.contains_key(LIST_TYPE)) else {
            return self.lose(Exactness::Wider, shape, "uniqueItems", "only a list of one type can be a set");
        };
        if items.get("nullable").is_some() {
            return self.lose(
                Exactness::Wider,
                shape,
                "uniqueItems",
                "a list whose items may be null cannot be a set",
            );
        }
        match items.get("type").and_then(Value::as_str) {
            Some("object") => set_keyword(items, MAP_TYPE, "atomic"),
            Some("array") if items.contains_key(LIST_TYPE) => {
                return self.lose(
                    Exactness::Wider,
                    shape,
                    "uniqueItems",
                    "a set of sets cannot be expressed",
                );
            }
            _ => {}
        }
        set_keyword(out, LIST_TYPE, "set");
    }

    /// `minContains` and `maxContains`, by a rule where the items can be seen.
    fn counted_items(
        &mut self,
        contains: &crate::shape::ContainsConstraint,
        shape: &SchemaShape,
        out: &mut Keywords,
    ) {
        let kinds = shape.list.items.as_ref().map_or(ValueKinds::NONE, |items| items.kinds.present());
        let kind = [ValueKinds::STRING, ValueKinds::INTEGER].into_iter().find(|kind| kinds == *kind);
        let Some(found) = kind.and_then(|kind| cel::shape_predicate(&contains.shape, kind, "x")) else {
            let message = "only items that are strings or integers can be counted";
            return self.lose(Exactness::Wider, shape, "contains", message);
        };
        let count = format!("self.filter(x, {found}).size()");
        let min = (contains.min > 0).then(|| format!("{count} >= {}", contains.min));
        let max = contains.max.map(|max| format!("{count} <= {max}"));
        let rule: Vec<_> = min.into_iter().chain(max).collect();
        if !rule.is_empty() {
            self.rule(out, shape, "contains", rule.join(" && "), "too few or too many items of a kind");
        }
    }
}
