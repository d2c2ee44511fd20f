//! Branches: schemas about a value whose type and fields the spine has declared.

use kvrules_diagnostics::Exactness;
use serde_json::{Value, json};

use super::fill::{fill_dependents, fill_sizes, fill_strings};
use super::{Keywords, ShapeEmitter, set_keyword};
use crate::note::ImportProblem;
use crate::shape::{SchemaShape, ValueKinds};

impl ShapeEmitter {
    /// Returns the keywords for the requirements of a shape on values that the spine accepts.
    pub(super) fn branch(
        &mut self,
        shape: &SchemaShape,
        spine: &SchemaShape,
    ) -> Result<Keywords, ImportProblem> {
        self.counted(shape.at)?;
        let is_among_closed = std::mem::take(&mut self.is_among_closed);
        shape.lost.iter().for_each(|lost| self.lost(lost));
        let mut out = Keywords::new();
        let kinds = shape.kinds.and(spine.kinds).present();
        let mut missing = spine.kinds.present().minus(kinds);
        if let Some(values) = &shape.values {
            // An `enum` already restricts the types, except that the server confuses some values with numbers.
            missing = missing.and(ValueKinds::NUMBER);
            if values.iter().any(Value::is_null) {
                self.lose(Exactness::Narrower, shape, "enum", "the server accepts no `null` in an `enum`");
            }
            if kinds.is_empty() {
                missing = spine.kinds.present();
            } else {
                self.values(shape, spine, &mut out);
            }
        }
        self.exclude(shape, missing, &mut out);
        if kinds.meets(ValueKinds::NUMBER) {
            self.numbers(shape, kinds, false, &mut out);
        }
        if kinds.meets(ValueKinds::STRING) {
            fill_strings(shape, &mut out);
        }
        fill_sizes(shape, kinds, &mut out);
        if kinds.meets(ValueKinds::ARRAY) {
            self.branch_list(shape, spine, &mut out)?;
        }
        if kinds.meets(ValueKinds::OBJECT) {
            self.branch_object(shape, spine, is_among_closed, &mut out)?;
        }
        self.sides(shape, spine, &mut out)?;
        Ok(out)
    }

    fn branch_list(
        &mut self,
        shape: &SchemaShape,
        spine: &SchemaShape,
        out: &mut Keywords,
    ) -> Result<(), ImportProblem> {
        let any = SchemaShape::any(shape.at);
        if let Some(items) = &shape.list.items {
            let keywords = self.branch(items, spine.list.items.as_deref().unwrap_or(&any))?;
            if !keywords.is_empty() {
                set_keyword(out, "items", keywords);
            }
        }
        if shape.list.is_unique {
            self.lose(Exactness::Wider, shape, "uniqueItems", "a branch cannot require unique items");
        }
        for contains in &shape.list.contains {
            self.contains(contains, shape, spine, out)?;
        }
        Ok(())
    }

    fn branch_object(
        &mut self,
        shape: &SchemaShape,
        spine: &SchemaShape,
        is_among_closed: bool,
        out: &mut Keywords,
    ) -> Result<(), ImportProblem> {
        let object = &shape.object;
        let any = SchemaShape::any(shape.at);
        let mut fields = Keywords::new();
        for (name, field) in object.fields.iter() {
            if name == "metadata" {
                self.lose(Exactness::Wider, shape, "properties", "a branch cannot restrict `metadata`");
                continue;
            }
            let declared = spine.object.fields.get(name).or(spine.object.additional.as_ref());
            let keywords = self.branch(field, declared.map_or(&any, |shape| shape))?;
            if !keywords.is_empty() {
                fields.insert(name.clone(), Value::Object(keywords));
            }
        }
        if object.is_closed {
            self.forbid_other_fields(shape, spine, &mut fields);
            let losses = self.losses;
            let message = "unknown fields are pruned, not rejected";
            self.lose(Exactness::Wider, shape, "additionalProperties", message);
            // An object with an unknown field would be in none of the branches.
            if is_among_closed {
                self.losses = losses;
            }
        }
        if !fields.is_empty() {
            set_keyword(out, "properties", fields);
        }
        if !object.required.is_empty() {
            set_keyword(out, "required", object.required.clone());
        }
        let unexpressed = [
            (
                object.additional.is_some(),
                "additionalProperties",
                "a branch cannot restrict additional fields",
            ),
            (!object.patterns.is_empty(), "patternProperties", "a branch cannot select fields by pattern"),
            (!object.names.is_empty(), "propertyNames", "a branch cannot restrict names"),
        ];
        for (is_expressed, keyword, message) in unexpressed {
            if is_expressed {
                self.lose(Exactness::Wider, shape, keyword, message);
            }
        }
        fill_dependents(&object.dependents, out);
        Ok(())
    }

    /// Accepts no value in a field of the spine that a closed branch does not have. Fields that the spine does not have are pruned.
    fn forbid_other_fields(&mut self, shape: &SchemaShape, spine: &SchemaShape, fields: &mut Keywords) {
        let object = &shape.object;
        let mut allowed = object.field_names();
        if object.is_unevaluated {
            let count = allowed.len();
            shape.collect_branch_fields(&mut allowed);
            if allowed.len() > count {
                let message = "fields of all alternatives are accepted, also of those that do not hold";
                self.lose(Exactness::Wider, shape, "unevaluatedProperties", message);
            }
        }
        for (name, _) in spine.object.fields.iter().filter(|(name, _)| !allowed.contains(*name)) {
            if name == "metadata" {
                self.lose(Exactness::Wider, shape, "properties", "a branch cannot restrict `metadata`");
            } else if object.additional.is_none() && !object.may_match_pattern(name) {
                fields.insert(name.to_owned(), json!({"not": {}}));
            }
        }
    }
}
