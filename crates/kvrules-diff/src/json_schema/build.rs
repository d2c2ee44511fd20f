//! Values that a schema may take, with something in particular at one place.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::flat_schema::{FlatSchema, SchemaParts, keyword_list};
use super::source::{SchemaPart, SchemaSource};
use super::value_kinds::ValueKinds;
use super::value_step::ValueStep;
use super::values;

/// Required content of a place.
#[derive(Clone, Debug)]
pub(super) enum SchemaAttempt<'s> {
    /// This value; of an empty list or object, any of that kind.
    Like(Value),
    /// An object with this field, whatever is in it.
    With(String),
    /// An object with this field and this value.
    WithValue(String, Value),
    /// An object without this field.
    Without(String),
    /// Number of items.
    Items(usize),
    /// Number of fields.
    Fields(usize),
    /// An item twice.
    DuplicateItem,
    /// Anything.
    Anything,
    /// A value that another schema accepts too, with something in particular at a place in it.
    Nested(SchemaPart<'s>, Vec<ValueStep>, Box<SchemaAttempt<'s>>),
}

/// Makes values of one schema.
pub(super) struct ValueBuilder<'s> {
    source: &'s SchemaSource,
    /// Amount of optional content, from 0 to 3.
    spread: usize,
    /// Index of the branch that is taken.
    turn: usize,
    chance: u64,
    known: &'s ScalarCache,
}

/// Cached values of schemas of one part, by its address in memory and their kind.
#[derive(Debug, Default)]
pub(super) struct ScalarCache(RefCell<HashMap<SchemaAddress, Rc<Vec<Value>>>>);

type SchemaAddress = (*const Map<String, Value>, ValueKinds);

impl ScalarCache {
    fn scalar_values(&self, flat: &FlatSchema<'_>, kind: ValueKinds) -> Rc<Vec<Value>> {
        let made = || Rc::new(values::sample_values(flat, kind));
        match flat.parts.as_slice() {
            [(only, _)] if flat.never.is_none() => {
                let key = (std::ptr::from_ref::<Map<String, Value>>(only), kind);
                Rc::clone(self.0.borrow_mut().entry(key).or_insert_with(made))
            }
            _ => made(),
        }
    }
}

/// Maximum depth of values, unless the schema requires more.
const DEEPEST: usize = 12;
/// A value has no more items or fields that are counted.
const MOST: usize = 300;

impl<'s> ValueBuilder<'s> {
    /// For the `number`th attempt; the first have little in them.
    pub(super) fn new(source: &'s SchemaSource, number: usize, known: &'s ScalarCache) -> Self {
        let chance = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03;
        Self { source, spread: (number % 4).min(number), turn: number, chance, known }
    }

    fn random_below(&mut self, most: usize) -> usize {
        self.chance =
            self.chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.chance >> 33).unwrap_or(0) % most.max(1)
    }

    /// A value; nothing if the place cannot be.
    pub(super) fn build_at_place(
        &mut self,
        downs: &[ValueStep],
        attempt: &SchemaAttempt<'s>,
    ) -> Option<Value> {
        let root = self.source.root_part()?;
        self.build_below(vec![root], downs, attempt, 0)
    }

    fn build_below(
        &mut self,
        parts: SchemaParts<'s>,
        downs: &[ValueStep],
        attempt: &SchemaAttempt<'s>,
        depth: usize,
    ) -> Option<Value> {
        if let (SchemaAttempt::Nested(also, below, inner), true) = (attempt, downs.is_empty()) {
            let parts = parts.into_iter().chain([also.clone()]).collect();
            return self.build_below(parts, below, inner, depth);
        }
        let flat = self.choose_branch(&parts, depth);
        let Some((down, rest)) = downs.split_first() else {
            return self.build_attempt(&flat, attempt, depth);
        };
        match down {
            ValueStep::Field(name) | ValueStep::Key(name, _) => {
                let below = self.build_below(flat.field_schemas(name), rest, attempt, depth + 1)?;
                let mut fields = self.build_fields(&flat, depth, None);
                fields.insert(name.clone(), below);
                Some(Value::Object(fields))
            }
            ValueStep::Item(index) | ValueStep::Items(index) => {
                let below = self.build_below(flat.item_schemas(*index), rest, attempt, depth + 1)?;
                let mut items = self.build_items(&flat, *index, depth)?;
                items.push(below);
                let least = flat.at_least("minItems");
                while items.len() < least.min(MOST) {
                    items.push(self.build_any(&flat.item_schemas(items.len()), depth + 1)?);
                }
                Some(Value::Array(items))
            }
        }
    }

    fn build_attempt(
        &mut self,
        flat: &FlatSchema<'s>,
        attempt: &SchemaAttempt<'s>,
        depth: usize,
    ) -> Option<Value> {
        match attempt {
            SchemaAttempt::Like(value) if *value == json!({}) => {
                self.of_kind(flat, ValueKinds::OBJECT, depth).or_else(|| Some(value.clone()))
            }
            SchemaAttempt::Like(value) if *value == json!([]) => {
                self.of_kind(flat, ValueKinds::ARRAY, depth).or_else(|| Some(value.clone()))
            }
            SchemaAttempt::Like(value) => Some(value.clone()),
            SchemaAttempt::With(name) => {
                let below = self.build_any(&flat.field_schemas(name), depth + 1)?;
                Some(self.build_with_field(flat, name, below, depth))
            }
            SchemaAttempt::WithValue(name, value) => {
                Some(self.build_with_field(flat, name, value.clone(), depth))
            }
            SchemaAttempt::Without(name) => Some(Value::Object(self.build_fields(flat, depth, Some(name)))),
            SchemaAttempt::Items(count) => Some(Value::Array(self.build_items(flat, *count, depth)?)),
            SchemaAttempt::Fields(count) => self.build_counted(flat, *count, depth),
            SchemaAttempt::DuplicateItem => {
                let one = self.build_any(&flat.item_schemas(0), depth + 1)?;
                let mut items = vec![one.clone(), one];
                while items.len() < flat.at_least("minItems").min(MOST) {
                    items.push(self.build_any(&flat.item_schemas(items.len()), depth + 1)?);
                }
                Some(Value::Array(items))
            }
            SchemaAttempt::Anything | SchemaAttempt::Nested(..) => self.build_value(flat, depth),
        }
    }

    fn build_with_field(&mut self, flat: &FlatSchema<'s>, name: &str, value: Value, depth: usize) -> Value {
        let mut fields = self.build_fields(flat, depth, None);
        fields.insert(name.to_owned(), value);
        Value::Object(fields)
    }

    fn is_object(flat: &FlatSchema<'_>) -> bool {
        let about = |keyword: &str| flat.keyword_values(keyword).next().is_some();
        about("properties")
            || about("minProperties")
            || about("maxProperties")
            || !flat.required_fields().is_empty()
    }

    /// The parts of a schema, and those of one of its branches where it has some.
    fn choose_branch(&mut self, parts: &[SchemaPart<'s>], depth: usize) -> FlatSchema<'s> {
        let flat = FlatSchema::new(self.source, parts, &|_| false);
        let mut all = parts.to_vec();
        for (fields, place) in &flat.parts {
            let own = SchemaPart { value: &Value::Null, place: place.clone() };
            for keyword in ["anyOf", "oneOf"] {
                let branches = keyword_list(fields, keyword);
                let at = self.turn.wrapping_add(depth) % branches.len().max(1);
                all.extend(
                    branches.get(at).map(|branch| own.part_below(&[keyword, &at.to_string()], branch)),
                );
            }
            let conditions: &[&str] = if self.turn.is_multiple_of(2) { &["else"] } else { &["if", "then"] };
            if fields.contains_key("if") {
                let found = conditions.iter().filter_map(|keyword| Some((*keyword, fields.get(*keyword)?)));
                all.extend(found.map(|(keyword, value)| own.part_below(&[keyword], value)));
            }
        }
        if all.len() == parts.len() { flat } else { FlatSchema::new(self.source, &all, &|_| false) }
    }

    fn build_any(&mut self, parts: &[SchemaPart<'s>], depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        let flat = self.choose_branch(parts, depth);
        self.build_value(&flat, depth)
    }

    /// Some value of a schema: a listed one, else one of a kind that its keywords are about.
    fn build_value(&mut self, flat: &FlatSchema<'s>, depth: usize) -> Option<Value> {
        if let Some(listed) = flat.listed_values() {
            let at = if self.spread == 0 { 0 } else { self.random_below(listed.len()) };
            return listed.get(at).cloned();
        }
        let kinds: Vec<ValueKinds> = flat.allowed_kinds().each_kind().collect();
        let about = |kind: &ValueKinds| match *kind {
            ValueKinds::OBJECT => Self::is_object(flat),
            ValueKinds::ARRAY => {
                flat.keyword_values("items").chain(flat.keyword_values("prefixItems")).next().is_some()
            }
            _ => false,
        };
        let likely = kinds.iter().find(|kind| about(kind)).copied();
        let scalars = [
            ValueKinds::STRING,
            ValueKinds::INTEGER,
            ValueKinds::FRACTION,
            ValueKinds::BOOLEAN,
            ValueKinds::NULL,
        ];
        let plain = scalars.into_iter().filter(|kind| kinds.contains(kind));
        let mut order: Vec<ValueKinds> =
            likely.into_iter().chain(plain).chain(kinds.iter().copied()).collect();
        if self.spread > 1 && self.turn % 3 == 2 {
            order = kinds;
            let by = self.random_below(order.len());
            order.rotate_left(by);
        }
        order.into_iter().find_map(|kind| self.of_kind(flat, kind, depth))
    }

    fn of_kind(&mut self, flat: &FlatSchema<'s>, kind: ValueKinds, depth: usize) -> Option<Value> {
        if !flat.allowed_kinds().intersects_with(kind) {
            return None;
        }
        match kind {
            ValueKinds::OBJECT => Some(Value::Object(self.build_fields(flat, depth, None))),
            ValueKinds::ARRAY => {
                let least = flat
                    .at_least("minItems")
                    .max(usize::from(flat.keyword_values("contains").next().is_some()));
                let more = if self.spread == 0 || depth > 6 { 0 } else { self.random_below(3) };
                let most = flat.at_most("maxItems").unwrap_or(usize::MAX);
                self.build_items(flat, (least + more).min(most.max(least)), depth).map(Value::Array)
            }
            _ => {
                let values = self.known.scalar_values(flat, kind);
                let at = if self.spread == 0 { 0 } else { self.random_below(values.len()) };
                values.get(at).cloned()
            }
        }
    }

    /// The fields of an object: those it must have, what these ask for, and some others.
    fn build_fields(
        &mut self,
        flat: &FlatSchema<'s>,
        depth: usize,
        without: Option<&str>,
    ) -> Map<String, Value> {
        let mut wanted: Vec<String> = flat.required_fields().into_iter().map(str::to_owned).collect();
        let names = flat.declared_names();
        let required = flat.required_fields();
        for name in &names {
            let is_likely = depth < 6 && self.random_below(4 * names.len().div_ceil(4)) < self.spread;
            if is_likely && !required.contains(name) {
                wanted.push((*name).to_owned());
            }
        }
        let mut fields = Map::new();
        let mut next = 0;
        while let Some(name) = wanted.get(next).cloned() {
            next += 1;
            if without == Some(name.as_str()) {
                continue;
            }
            for others in
                flat.keyword_values("dependentRequired").filter_map(|all| all.get(&name)?.as_array())
            {
                let more = others
                    .iter()
                    .filter_map(Value::as_str)
                    .filter(|other| !wanted.iter().any(|it| it == other));
                let more: Vec<String> = more.map(str::to_owned).collect();
                wanted.extend(more);
            }
            let value = self.build_any(&flat.field_schemas(&name), depth + 1);
            fields.extend(value.map(|value| (name, value)));
        }
        let least = flat.at_least("minProperties").min(MOST);
        let more =
            names.iter().map(|name| (*name).to_owned()).chain((0..least).map(|index| format!("k{index}")));
        for name in more.filter(|name| without != Some(name.as_str())).collect::<Vec<_>>() {
            if fields.len() >= least {
                break;
            }
            if !fields.contains_key(&name) {
                let value = self.build_any(&flat.field_schemas(&name), depth + 1);
                fields.extend(value.map(|value| (name, value)));
            }
        }
        fields
    }

    /// An object with so many fields.
    fn build_counted(&mut self, flat: &FlatSchema<'s>, count: usize, depth: usize) -> Option<Value> {
        let mut names: Vec<String> =
            flat.required_fields().into_iter().chain(flat.declared_names()).map(str::to_owned).collect();
        names.extend((0..count.min(MOST)).map(|index| format!("k{index}")));
        let mut fields = Map::new();
        for name in names {
            if fields.len() >= count.min(MOST) {
                break;
            }
            if !fields.contains_key(&name)
                && let Some(value) = self.build_any(&flat.field_schemas(&name), depth + 1)
            {
                fields.insert(name, value);
            }
        }
        (fields.len() == count).then_some(Value::Object(fields))
    }

    /// Builds `count` items, distinct if the schema requires it.
    fn build_items(&mut self, flat: &FlatSchema<'s>, count: usize, depth: usize) -> Option<Vec<Value>> {
        let is_apart = flat.has_flag("uniqueItems");
        let mut items: Vec<Value> = Vec::new();
        for index in 0..count.min(MOST) {
            let mut parts = flat.item_schemas(index);
            if index == 0 {
                // Build the first item from the schema of `contains`, so that the list has a match.
                let mut contained = flat.parts.iter().filter_map(|(fields, place)| {
                    let own = SchemaPart { value: &Value::Null, place: place.clone() };
                    Some(own.part_below(&["contains"], fields.get("contains")?))
                });
                parts.extend(contained.next());
            }
            let mut value = self.build_any(&parts, depth + 1)?;
            if is_apart && items.contains(&value) {
                value = self.build_another(&parts, &items)?;
            }
            items.push(value);
        }
        Some(items)
    }

    /// An item that does not exist yet.
    fn build_another(&mut self, parts: &[SchemaPart<'s>], known: &[Value]) -> Option<Value> {
        let flat = self.choose_branch(parts, 0);
        let listed = flat.listed_values().unwrap_or_default();
        let numbered =
            [json!(format!("item-{}", known.len())), json!(100 + known.len()), json!({"k": known.len()})];
        let of_kinds = flat
            .allowed_kinds()
            .each_kind()
            .flat_map(|kind| values::sample_values(&flat, kind))
            .collect::<Vec<_>>();
        listed.into_iter().chain(numbered).chain(of_kinds).find(|value| {
            flat.allowed_kinds().intersects_with(ValueKinds::kind_of_value(value)) && !known.contains(value)
        })
    }
}
