//! A schema without references and `allOf`: the parts that must all hold, and what they say together.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::{Map, Value};

use super::source::{SchemaPart, SchemaSource};
use super::value_kinds::ValueKinds;

/// Schemas that a value must satisfy: every one of these.
pub(super) type SchemaParts<'s> = Vec<SchemaPart<'s>>;

/// Parts that say something of values, each without references and `allOf`.
#[derive(Clone, Debug, Default)]
pub(super) struct FlatSchema<'s> {
    pub(super) parts: Vec<(&'s Map<String, Value>, Vec<String>)>,
    /// Location of the schema that accepts nothing.
    pub(super) never: Option<Vec<String>>,
    /// The references that were not followed.
    pub(super) named: BTreeSet<String>,
    /// Documented default, and its location.
    pub(super) default: Option<(&'s Value, Vec<String>)>,
    /// Of many parts, those that say something of a field.
    index: OnceCell<FieldIndex>,
}

/// Maximum number of parts that are searched for a field one by one. With more, an index of all fields is faster.
const FEW: usize = 8;

/// Index from fields to the parts that constrain them, by number.
#[derive(Clone, Debug, Default)]
struct FieldIndex {
    declaring: HashMap<String, Vec<usize>>,
    /// Those that refer to fields that they do not declare.
    open: Vec<usize>,
}

impl FieldIndex {
    fn new(parts: &[(&Map<String, Value>, Vec<String>)]) -> Self {
        let mut index = Self::default();
        for (number, (fields, _)) in parts.iter().enumerate() {
            for name in fields.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys) {
                index.declaring.entry(name.clone()).or_default().push(number);
            }
            if ["patternProperties", "additionalProperties"].iter().any(|key| fields.contains_key(*key)) {
                index.open.push(number);
            }
        }
        index
    }

    fn constraining_parts(&self, name: &str) -> BTreeSet<usize> {
        self.declaring.get(name).into_iter().flatten().chain(&self.open).copied().collect()
    }
}

/// A limit of numbers, and whether it is itself left out.
pub(super) type NumberLimit = (f64, bool);

impl<'s> FlatSchema<'s> {
    /// The parts of schemas; references for which `is_apart` are left as they are.
    pub(super) fn new(
        source: &'s SchemaSource,
        parts: &[SchemaPart<'s>],
        is_apart: &dyn Fn(&str) -> bool,
    ) -> Self {
        let mut flat = Self::default();
        let mut followed = BTreeSet::new();
        let mut open: Vec<SchemaPart<'s>> = parts.iter().rev().cloned().collect();
        while let Some(part) = open.pop() {
            let Some(fields) = part.value.as_object() else {
                if part.value == &Value::Bool(false) {
                    flat.never.get_or_insert(part.place);
                }
                continue;
            };
            for (index, below) in keyword_list(fields, "allOf").iter().enumerate().rev() {
                open.push(part.part_below(&["allOf", &index.to_string()], below));
            }
            if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
                if is_apart(reference) {
                    flat.named.insert(reference.to_owned());
                } else if followed.insert(reference) {
                    open.extend(source.resolve_reference(reference));
                }
            }
            if let (Some(default), None) = (fields.get("default"), &flat.default) {
                flat.default = Some((default, part.part_below(&["default"], default).place));
            }
            if fields.keys().any(|key| super::keywords::is_deciding(key)) {
                flat.parts.push((fields, part.place));
            }
        }
        flat
    }

    /// All values of a keyword.
    pub(super) fn keyword_values(&self, keyword: &str) -> impl Iterator<Item = &'s Value> {
        self.parts.iter().filter_map(move |(fields, _)| fields.get(keyword))
    }

    /// Returns the location of a keyword.
    pub(super) fn keyword_place(&self, keyword: &str) -> Option<Vec<String>> {
        let (_, place) = self.parts.iter().find(|(fields, _)| fields.contains_key(keyword))?;
        Some([place.as_slice(), &[keyword.to_owned()]].concat())
    }

    /// True if the schema does not constrain values.
    pub(super) fn is_any(&self) -> bool {
        self.never.is_none() && self.named.is_empty() && self.parts.is_empty()
    }

    pub(super) fn allowed_kinds(&self) -> ValueKinds {
        if self.never.is_some() {
            return ValueKinds::NONE;
        }
        let of_types = self
            .keyword_values("type")
            .map(ValueKinds::of_types)
            .fold(ValueKinds::ALL, ValueKinds::intersection_with);
        match self.listed_values() {
            Some(values) => of_types.intersection_with(
                values.iter().map(ValueKinds::kind_of_value).fold(ValueKinds::NONE, ValueKinds::union_with),
            ),
            None => of_types,
        }
    }

    /// The values that are listed by `enum` and `const`, where they are: those that are in every list.
    pub(super) fn listed_values(&self) -> Option<Vec<Value>> {
        let lists = self.keyword_values("enum").filter_map(Value::as_array).cloned();
        let lists = lists.chain(self.keyword_values("const").map(|only| vec![only.clone()]));
        lists.reduce(|one, other| one.into_iter().filter(|value| other.contains(value)).collect())
    }

    /// The tightest lower limit.
    pub(super) fn lower_limit(&self) -> Option<NumberLimit> {
        let limits = self.tight_limits("minimum", "exclusiveMinimum");
        limits.reduce(|one, other| if other.0 > one.0 || other.0 >= one.0 && other.1 { other } else { one })
    }

    /// The tightest upper limit.
    pub(super) fn upper_limit(&self) -> Option<NumberLimit> {
        let limits = self.tight_limits("maximum", "exclusiveMaximum");
        limits.reduce(|one, other| if other.0 < one.0 || other.0 <= one.0 && other.1 { other } else { one })
    }

    fn tight_limits(&self, given: &'static str, strict: &'static str) -> impl Iterator<Item = NumberLimit> {
        let of = |keyword, is_out| {
            self.keyword_values(keyword).filter_map(Value::as_f64).map(move |it| (it, is_out))
        };
        of(given, false).chain(of(strict, true))
    }

    pub(super) fn multiple_factors(&self) -> Vec<f64> {
        self.keyword_values("multipleOf").filter_map(Value::as_f64).filter(|factor| *factor > 0.0).collect()
    }

    /// The greatest of a keyword that counts from below.
    pub(super) fn at_least(&self, keyword: &str) -> usize {
        self.keyword_values(keyword).filter_map(number_to_count).max().unwrap_or(0)
    }

    /// The smallest of a keyword that counts from above.
    pub(super) fn at_most(&self, keyword: &str) -> Option<usize> {
        self.keyword_values(keyword).filter_map(number_to_count).min()
    }

    pub(super) fn keyword_texts(&self, keyword: &str) -> BTreeSet<&'s str> {
        self.keyword_values(keyword).filter_map(Value::as_str).collect()
    }

    pub(super) fn has_flag(&self, keyword: &str) -> bool {
        self.keyword_values(keyword).any(|value| value == &Value::Bool(true))
    }

    /// The fields that must be there.
    pub(super) fn required_fields(&self) -> BTreeSet<&'s str> {
        self.keyword_values("required")
            .filter_map(Value::as_array)
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    /// The names that are declared, in the order in which they are written.
    pub(super) fn declared_names(&self) -> Vec<&'s str> {
        let maps: Vec<_> = self.keyword_values("properties").filter_map(Value::as_object).collect();
        if let [only] = maps.as_slice() {
            return only.keys().map(String::as_str).collect();
        }
        let mut known = HashSet::new();
        let all = maps.into_iter().flat_map(Map::keys);
        all.map(String::as_str).filter(|name| known.insert(*name)).collect()
    }

    fn index(&self) -> &FieldIndex {
        self.index.get_or_init(|| FieldIndex::new(&self.parts))
    }

    pub(super) fn declares_field(&self, name: &str) -> bool {
        if self.parts.len() > FEW {
            return self.index().declaring.contains_key(name);
        }
        let mut maps = self.keyword_values("properties").filter_map(Value::as_object);
        maps.any(|fields| fields.contains_key(name))
    }

    /// The patterns by which fields are chosen.
    pub(super) fn field_patterns(&self) -> BTreeSet<&'s str> {
        let maps = self.keyword_values("patternProperties").filter_map(Value::as_object);
        maps.flat_map(Map::keys).map(String::as_str).collect()
    }

    /// Returns the schemas that a field must satisfy.
    pub(super) fn field_schemas(&self, name: &str) -> SchemaParts<'s> {
        let mut found = Vec::new();
        let of = if self.parts.len() > FEW {
            self.index().constraining_parts(name)
        } else {
            (0..self.parts.len()).collect()
        };
        for (fields, place) in of.into_iter().filter_map(|at| self.parts.get(at)) {
            let own = || SchemaPart { value: &Value::Null, place: place.clone() };
            let declared = fields.get("properties").and_then(|all| all.get(name));
            found.extend(declared.map(|value| own().part_below(&["properties", name], value)));
            let mut is_known = declared.is_some();
            for (pattern, value) in
                fields.get("patternProperties").and_then(Value::as_object).into_iter().flatten()
            {
                if super::keywords::pattern_matches(pattern, name) {
                    found.push(own().part_below(&["patternProperties", pattern], value));
                    is_known = true;
                }
            }
            if !is_known {
                let further = fields.get("additionalProperties");
                found.extend(further.map(|value| own().part_below(&["additionalProperties"], value)));
            }
        }
        found
    }

    /// Returns the number of items that have a schema of their own.
    pub(super) fn tuple_length(&self) -> usize {
        self.keyword_values("prefixItems").filter_map(Value::as_array).map(Vec::len).max().unwrap_or(0)
    }

    /// Returns the schemas that an item must satisfy.
    pub(super) fn item_schemas(&self, index: usize) -> SchemaParts<'s> {
        let mut found = Vec::new();
        for (fields, place) in &self.parts {
            let own = SchemaPart { value: &Value::Null, place: place.clone() };
            let tuple = keyword_list(fields, "prefixItems");
            match (tuple.get(index), fields.get("items")) {
                (Some(value), _) => found.push(own.part_below(&["prefixItems", &index.to_string()], value)),
                (None, Some(value)) => found.push(own.part_below(&["items"], value)),
                (None, None) => {}
            }
        }
        found
    }
}

/// A keyword's list.
pub(super) fn keyword_list<'s>(fields: &'s Map<String, Value>, keyword: &str) -> &'s [Value] {
    fields.get(keyword).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is checked to be small and whole"
)]
fn number_to_count(value: &Value) -> Option<usize> {
    let float = value.as_f64().filter(|float| (0.0..1e9).contains(float))?;
    Some(float as usize)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_listed_by_name_for_many_parts_alone() {
        let one = json!({"properties": {"a": {"minimum": 1}}, "patternProperties": {"^b": {"maximum": 2}}});
        let many = vec![one.clone(); FEW + 1];
        for (schema, count) in [(one, 1), (json!({"allOf": many}), FEW + 1)] {
            let source = SchemaSource::from_pointers(&schema, &[String::new()]).remove(0);
            let flat = FlatSchema::new(&source, &[source.root_part().unwrap()], &|_| false);
            assert!(flat.declares_field("a") && !flat.declares_field("b"));
            assert_eq!(flat.declared_names(), ["a"]);
            for name in ["a", "b"] {
                assert_eq!(flat.field_schemas(name).len(), count, "{name}");
            }
            assert_eq!(flat.index.get().is_some(), count > FEW);
        }
    }
}
