//! Values that a schema may take, with something in particular at one place.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::flat_schema::{Flat, Parts, list};
use super::source::{Part, SchemaSource};
use super::value_kinds::Kinds;
use super::value_step::Down;
use super::values;

/// Required content of a place.
#[derive(Clone, Debug)]
pub(super) enum Attempt<'s> {
    /// This value; of an empty list or object, any of that kind.
    Like(Value),
    /// An object with this field, whatever is in it.
    With(String),
    /// An object with this field and this value.
    WithValue(String, Value),
    /// An object without this field.
    Without(String),
    /// So many items.
    Items(usize),
    /// So many fields.
    Fields(usize),
    /// An item twice.
    DuplicateItem,
    /// Anything.
    Anything,
    /// A value that another schema accepts too, with something in particular at a place in it.
    Nested(Part<'s>, Vec<Down>, Box<Attempt<'s>>),
}

/// Makes values of one schema.
pub(super) struct Builder<'s> {
    source: &'s SchemaSource,
    /// Amount of optional content, from 0 to 3.
    spread: usize,
    /// Index of the branch that is taken.
    turn: usize,
    chance: u64,
    known: &'s Scalars,
}

/// Values of schemas of one part, by where that stands in memory, and their kind.
#[derive(Debug, Default)]
pub(super) struct Scalars(RefCell<HashMap<Place, Rc<Vec<Value>>>>);

type Place = (*const Map<String, Value>, Kinds);

impl Scalars {
    fn scalar_values(&self, flat: &Flat<'_>, kind: Kinds) -> Rc<Vec<Value>> {
        let made = || Rc::new(values::some(flat, kind));
        match flat.parts.as_slice() {
            [(only, _)] if flat.never.is_none() => {
                let key = (std::ptr::from_ref::<Map<String, Value>>(only), kind);
                Rc::clone(self.0.borrow_mut().entry(key).or_insert_with(made))
            }
            _ => made(),
        }
    }
}

/// Values nest no deeper, but where they must.
const DEEPEST: usize = 12;
/// A value has no more items or fields that are counted.
const MOST: usize = 300;

impl<'s> Builder<'s> {
    /// For the `number`th attempt; the first have little in them.
    pub(super) fn new(source: &'s SchemaSource, number: usize, known: &'s Scalars) -> Self {
        let chance = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03;
        Self { source, spread: (number % 4).min(number), turn: number, chance, known }
    }

    fn random_below(&mut self, most: usize) -> usize {
        self.chance =
            self.chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.chance >> 33).unwrap_or(0) % most.max(1)
    }

    /// A value; nothing where the place cannot be.
    pub(super) fn value(&mut self, downs: &[Down], attempt: &Attempt<'s>) -> Option<Value> {
        let root = self.source.root()?;
        self.at(vec![root], downs, attempt, 0)
    }

    fn at(&mut self, parts: Parts<'s>, downs: &[Down], attempt: &Attempt<'s>, depth: usize) -> Option<Value> {
        if let (Attempt::Nested(also, below, inner), true) = (attempt, downs.is_empty()) {
            let parts = parts.into_iter().chain([also.clone()]).collect();
            return self.at(parts, below, inner, depth);
        }
        let flat = self.chosen(&parts, depth);
        let Some((down, rest)) = downs.split_first() else { return self.attempted(&flat, attempt, depth) };
        match down {
            Down::Field(name) | Down::Key(name, _) => {
                let below = self.at(flat.field(name), rest, attempt, depth + 1)?;
                let mut fields = self.fields(&flat, depth, None);
                fields.insert(name.clone(), below);
                Some(Value::Object(fields))
            }
            Down::Item(index) | Down::Items(index) => {
                let below = self.at(flat.item(*index), rest, attempt, depth + 1)?;
                let mut items = self.items(&flat, *index, depth)?;
                items.push(below);
                let least = flat.at_least("minItems");
                while items.len() < least.min(MOST) {
                    items.push(self.any(&flat.item(items.len()), depth + 1)?);
                }
                Some(Value::Array(items))
            }
        }
    }

    fn attempted(&mut self, flat: &Flat<'s>, attempt: &Attempt<'s>, depth: usize) -> Option<Value> {
        match attempt {
            Attempt::Like(value) if *value == json!({}) => {
                self.of_kind(flat, Kinds::OBJECT, depth).or_else(|| Some(value.clone()))
            }
            Attempt::Like(value) if *value == json!([]) => {
                self.of_kind(flat, Kinds::ARRAY, depth).or_else(|| Some(value.clone()))
            }
            Attempt::Like(value) => Some(value.clone()),
            Attempt::With(name) => {
                let below = self.any(&flat.field(name), depth + 1)?;
                Some(self.with(flat, name, below, depth))
            }
            Attempt::WithValue(name, value) => Some(self.with(flat, name, value.clone(), depth)),
            Attempt::Without(name) => Some(Value::Object(self.fields(flat, depth, Some(name)))),
            Attempt::Items(count) => Some(Value::Array(self.items(flat, *count, depth)?)),
            Attempt::Fields(count) => self.counted(flat, *count, depth),
            Attempt::DuplicateItem => {
                let one = self.any(&flat.item(0), depth + 1)?;
                let mut items = vec![one.clone(), one];
                while items.len() < flat.at_least("minItems").min(MOST) {
                    items.push(self.any(&flat.item(items.len()), depth + 1)?);
                }
                Some(Value::Array(items))
            }
            Attempt::Anything | Attempt::Nested(..) => self.build_value(flat, depth),
        }
    }

    fn with(&mut self, flat: &Flat<'s>, name: &str, value: Value, depth: usize) -> Value {
        let mut fields = self.fields(flat, depth, None);
        fields.insert(name.to_owned(), value);
        Value::Object(fields)
    }

    fn is_object(flat: &Flat<'_>) -> bool {
        let about = |keyword: &str| flat.all(keyword).next().is_some();
        about("properties") || about("minProperties") || about("maxProperties") || !flat.required().is_empty()
    }

    /// The parts of a schema, and those of one of its branches where it has some.
    fn chosen(&mut self, parts: &[Part<'s>], depth: usize) -> Flat<'s> {
        let flat = Flat::new(self.source, parts, &|_| false);
        let mut all = parts.to_vec();
        for (fields, place) in &flat.parts {
            let own = Part { value: &Value::Null, place: place.clone() };
            for keyword in ["anyOf", "oneOf"] {
                let branches = list(fields, keyword);
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
        if all.len() == parts.len() { flat } else { Flat::new(self.source, &all, &|_| false) }
    }

    fn any(&mut self, parts: &[Part<'s>], depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        let flat = self.chosen(parts, depth);
        self.build_value(&flat, depth)
    }

    /// Some value of a schema: a listed one, else one of a kind that its keywords are about.
    fn build_value(&mut self, flat: &Flat<'s>, depth: usize) -> Option<Value> {
        if let Some(listed) = flat.listed() {
            let at = if self.spread == 0 { 0 } else { self.random_below(listed.len()) };
            return listed.get(at).cloned();
        }
        let kinds: Vec<Kinds> = flat.kinds().each_kind().collect();
        let about = |kind: &Kinds| match *kind {
            Kinds::OBJECT => Self::is_object(flat),
            Kinds::ARRAY => flat.all("items").chain(flat.all("prefixItems")).next().is_some(),
            _ => false,
        };
        let likely = kinds.iter().find(|kind| about(kind)).copied();
        let scalars = [Kinds::STRING, Kinds::INTEGER, Kinds::FRACTION, Kinds::BOOLEAN, Kinds::NULL];
        let plain = scalars.into_iter().filter(|kind| kinds.contains(kind));
        let mut order: Vec<Kinds> = likely.into_iter().chain(plain).chain(kinds.iter().copied()).collect();
        if self.spread > 1 && self.turn % 3 == 2 {
            order = kinds;
            let by = self.random_below(order.len());
            order.rotate_left(by);
        }
        order.into_iter().find_map(|kind| self.of_kind(flat, kind, depth))
    }

    fn of_kind(&mut self, flat: &Flat<'s>, kind: Kinds, depth: usize) -> Option<Value> {
        if !flat.kinds().meets(kind) {
            return None;
        }
        match kind {
            Kinds::OBJECT => Some(Value::Object(self.fields(flat, depth, None))),
            Kinds::ARRAY => {
                let least = flat.at_least("minItems").max(usize::from(flat.all("contains").next().is_some()));
                let more = if self.spread == 0 || depth > 6 { 0 } else { self.random_below(3) };
                let most = flat.at_most("maxItems").unwrap_or(usize::MAX);
                self.items(flat, (least + more).min(most.max(least)), depth).map(Value::Array)
            }
            _ => {
                let values = self.known.scalar_values(flat, kind);
                let at = if self.spread == 0 { 0 } else { self.random_below(values.len()) };
                values.get(at).cloned()
            }
        }
    }

    /// The fields of an object: those it must have, what these ask for, and some others.
    fn fields(&mut self, flat: &Flat<'s>, depth: usize, without: Option<&str>) -> Map<String, Value> {
        let mut wanted: Vec<String> = flat.required().into_iter().map(str::to_owned).collect();
        let names = flat.names();
        let required = flat.required();
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
            for others in flat.all("dependentRequired").filter_map(|all| all.get(&name)?.as_array()) {
                let more = others
                    .iter()
                    .filter_map(Value::as_str)
                    .filter(|other| !wanted.iter().any(|it| it == other));
                let more: Vec<String> = more.map(str::to_owned).collect();
                wanted.extend(more);
            }
            let value = self.any(&flat.field(&name), depth + 1);
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
                let value = self.any(&flat.field(&name), depth + 1);
                fields.extend(value.map(|value| (name, value)));
            }
        }
        fields
    }

    /// An object with so many fields.
    fn counted(&mut self, flat: &Flat<'s>, count: usize, depth: usize) -> Option<Value> {
        let mut names: Vec<String> =
            flat.required().into_iter().chain(flat.names()).map(str::to_owned).collect();
        names.extend((0..count.min(MOST)).map(|index| format!("k{index}")));
        let mut fields = Map::new();
        for name in names {
            if fields.len() >= count.min(MOST) {
                break;
            }
            if !fields.contains_key(&name)
                && let Some(value) = self.any(&flat.field(&name), depth + 1)
            {
                fields.insert(name, value);
            }
        }
        (fields.len() == count).then_some(Value::Object(fields))
    }

    /// So many items, apart from each other where they must be.
    fn items(&mut self, flat: &Flat<'s>, count: usize, depth: usize) -> Option<Vec<Value>> {
        let is_apart = flat.flag("uniqueItems");
        let mut items: Vec<Value> = Vec::new();
        for index in 0..count.min(MOST) {
            let mut parts = flat.item(index);
            if index == 0 {
                // What a list must contain is its first item.
                let mut contained = flat.parts.iter().filter_map(|(fields, place)| {
                    let own = Part { value: &Value::Null, place: place.clone() };
                    Some(own.part_below(&["contains"], fields.get("contains")?))
                });
                parts.extend(contained.next());
            }
            let mut value = self.any(&parts, depth + 1)?;
            if is_apart && items.contains(&value) {
                value = self.another(&parts, &items)?;
            }
            items.push(value);
        }
        Some(items)
    }

    /// An item that is not there yet.
    fn another(&mut self, parts: &[Part<'s>], known: &[Value]) -> Option<Value> {
        let flat = self.chosen(parts, 0);
        let listed = flat.listed().unwrap_or_default();
        let numbered =
            [json!(format!("item-{}", known.len())), json!(100 + known.len()), json!({"k": known.len()})];
        let of_kinds =
            flat.kinds().each_kind().flat_map(|kind| values::some(&flat, kind)).collect::<Vec<_>>();
        listed
            .into_iter()
            .chain(numbered)
            .chain(of_kinds)
            .find(|value| flat.kinds().meets(Kinds::of(value)) && !known.contains(value))
    }
}
