//! Objects for a predicate: every case of every place that it speaks of.

use std::collections::BTreeMap;

use kvrules_ir::{Interval, Place, PlaceBase, PlaceStep, Predicate, ValueTest, ValueType};
use serde_json::{Value, json};

use crate::domain::fits;

/// The places of a predicate as one tree, with the constants that its tests hold against them.
#[derive(Default)]
struct Tree {
    fields: BTreeMap<String, Tree>,
    items: Option<Box<Tree>>,
    constants: Vec<Value>,
    types: Vec<ValueType>,
}

/// Objects that between them show every case of a predicate, at most about twice `limit`: some whose fields have their
/// types, and some with values of every type in every place.
pub(crate) fn objects(predicate: &Predicate, limit: usize) -> Vec<Value> {
    let mut tree = Tree::default();
    plant(&mut tree, predicate);
    let values = [true, false].map(|typed| Synthesis { limit, typed }.values(&tree));
    let mut objects: Vec<Value> = values.into_iter().flatten().filter(Value::is_object).collect();
    objects.push(json!({}));
    distinct(objects)
}

/// Options for making values.
#[derive(Clone, Copy)]
struct Synthesis {
    limit: usize,
    /// True if only values of the right type are wanted.
    typed: bool,
}

fn plant(tree: &mut Tree, predicate: &Predicate) {
    match predicate {
        Predicate::True | Predicate::False | Predicate::Compare { .. } => {}
        Predicate::All(parts) | Predicate::Any(parts) => parts.iter().for_each(|part| plant(tree, part)),
        Predicate::Not(inner) => plant(tree, inner),
        Predicate::Each { list, holds } | Predicate::Some { list, holds } => {
            let list = tree.at(list);
            plant(list.items.get_or_insert_default(), holds);
        }
        Predicate::Present(place) => tree.at(place).types.push(place.value_type),
        Predicate::Test { place, test } => {
            let tree = tree.at(place);
            tree.constants.extend(constants(test, place.value_type));
            tree.types.push(place.value_type);
        }
    }
}

fn constants(test: &ValueTest, value_type: ValueType) -> Vec<Value> {
    match test {
        ValueTest::Integer(interval) => {
            around(interval).into_iter().flat_map(|n| spellings(n, value_type)).collect()
        }
        ValueTest::Length(interval) => around(interval).into_iter().flat_map(of_length).collect(),
        ValueTest::OneOf(texts) => {
            let texts = texts.iter().flat_map(|text| [text.clone(), text.to_uppercase(), format!("{text} ")]);
            texts.flat_map(|text| [serde_json::from_str(&text).ok(), Some(json!(text))]).flatten().collect()
        }
        ValueTest::Matches(pattern) => {
            ["q35", "pc", "pc-q35-rhel8", "Q35", "a\nb", "http", &pattern.0].map(|text| json!(text)).into()
        }
    }
}

fn around(interval: &Interval) -> Vec<i128> {
    let bounds =
        [&interval.min, &interval.max].into_iter().flatten().filter_map(|bound| i128::try_from(bound).ok());
    bounds.flat_map(|bound| [bound - 1, bound, bound + 1, bound * 2]).collect()
}

fn spellings(number: i128, value_type: ValueType) -> Vec<Value> {
    let mut all = Vec::new();
    if let Ok(small) = i64::try_from(number) {
        all.push(json!(small));
        all.extend(["5", "0"].map(|digit| serde_json::from_str(&format!("{small}.{digit}")).unwrap()));
    }
    all.push(json!(number.to_string()));
    if value_type == ValueType::Quantity {
        for (suffix, size) in
            [("Ki", 1_i128 << 10), ("Mi", 1 << 20), ("Gi", 1 << 30), ("k", 1000), ("G", 1_000_000_000)]
        {
            let whole = number.div_euclid(size);
            all.extend([-1, 0, 1].map(|step| json!(format!("{}{suffix}", whole + step))));
            all.push(json!(format!("{whole}.5{suffix}")));
        }
        all.extend([format!("{number}000m"), format!("{number}.5"), format!("+{number}")].map(Value::from));
        all.extend([format!(" {number}\t"), format!("{number}0e-1"), format!("{number}e0")].map(Value::from));
        all.extend(
            [format!("{number}.5e1"), format!("{number}e7"), format!(".{number}e+09")].map(Value::from),
        );
        all.extend(["2 Gi", "Gib", "1gi", "1.5.5"].map(Value::from));
    }
    all
}

fn of_length(length: i128) -> Vec<Value> {
    let Ok(length) = usize::try_from(length.min(40)) else { return Vec::new() };
    let digits = |digit: &str, count: usize| digit.repeat(count.min(20));
    let least = |count: usize| format!("1{}", digits("0", count.saturating_sub(1)));
    let shorter = length.saturating_sub(1);
    let negative = [format!("-{}", digits("9", shorter)), format!("-{}", least(shorter))];
    let numbers = [digits("1", length), digits("9", length), least(length)].into_iter().chain(negative);
    let numbers = numbers.filter_map(|text| serde_json::from_str(&text).ok());
    [
        json!("1".repeat(length)),
        json!("x".repeat(length)),
        json!("é".repeat(length)),
        json!("😀".repeat(length)),
    ]
    .into_iter()
    .chain(numbers)
    .collect()
}

impl Tree {
    fn at(&mut self, place: &Place) -> &mut Self {
        assert!(matches!(place.base, PlaceBase::Root | PlaceBase::Element(0)));
        place.steps.iter().fold(self, |tree, step| match step {
            PlaceStep::Field { name, .. } | PlaceStep::Key(name) => {
                tree.fields.entry(name.clone()).or_default()
            }
            PlaceStep::Item(_) => tree.items.get_or_insert_default(),
        })
    }

    /// True if a value has the types that are asked for here.
    fn admits(&self, value: &Value) -> bool {
        let objects = self.fields.is_empty() || value.is_object();
        let lists = self.items.is_none() || value.is_array();
        value.is_null() || objects && lists && self.types.iter().all(|of| fits(value, *of))
    }
}

impl Synthesis {
    /// Values for a place, the telling ones first; `null` is among them.
    fn values(self, tree: &Tree) -> Vec<Value> {
        let mut values = vec![Value::Null];
        values.extend(tree.constants.iter().cloned());
        if !tree.fields.is_empty() {
            values.extend(self.objects(tree));
        }
        if let Some(items) = &tree.items {
            values.extend(lists(&self.values(items)));
        }
        values.extend([json!(0), json!(""), json!({}), json!([]), json!("text"), json!(true), json!(false)]);
        values.extend([json!(1), json!(-1), json!(1.5), json!([null]), json!(["text"])]);
        values.retain(|value| !self.typed || tree.admits(value));
        distinct(values)
    }

    fn objects(self, tree: &Tree) -> Vec<Value> {
        let limit = self.limit;
        let mut objects = vec![json!({})];
        for (name, tree) in &tree.fields {
            let values = self.values(tree);
            // Combine all values with the objects so far. If these are too many, combine later values with fewer
            // and fewer objects.
            let mut next = objects.clone();
            for (at, value) in values.iter().enumerate() {
                let share = if objects.len() * values.len() <= limit {
                    objects.len()
                } else {
                    (limit / (at + 1)).max(2)
                };
                for object in every(&objects, share, at) {
                    let mut object = object.clone();
                    object[name.as_str()] = value.clone();
                    next.push(object);
                }
            }
            objects = distinct(next);
        }
        objects
    }
}

/// About `share` of the objects, spread over all of them.
fn every(objects: &[Value], share: usize, start: usize) -> impl Iterator<Item = &Value> {
    let stride = objects.len().div_ceil(share.max(1)).max(1);
    objects.iter().skip(start % stride).step_by(stride)
}

fn lists(items: &[Value]) -> Vec<Value> {
    let mut lists = vec![json!([])];
    lists.extend(items.iter().map(|item| json!([item])));
    let few: Vec<&Value> = items.iter().step_by((items.len() / 12).max(1)).collect();
    for left in &few {
        lists.extend(few.iter().map(|right| json!([left, right])));
    }
    for left in few.iter().take(8) {
        lists.extend(few.iter().take(8).map(|right| json!([left, left, right])));
    }
    lists.push(json!(few));
    lists
}

fn distinct(values: Vec<Value>) -> Vec<Value> {
    let mut seen = std::collections::HashSet::new();
    values.into_iter().filter(|value| seen.insert(value.to_string())).collect()
}
