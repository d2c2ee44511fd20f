//! Objects for a predicate: every field there and not, every constant and its neighbours, lists of all small sizes.

use std::collections::BTreeMap;

use kvrules_ir::{Interval, Place, PlaceBase, PlaceStep, Predicate, Presence, ValueTest, ValueType};
use num_bigint::BigInt;
use serde_json::{Value, json};

/// Shape of a value at a place.
#[derive(Clone, Debug)]
enum Shape {
    Unknown,
    Object(BTreeMap<String, (bool, Shape)>),
    List(Box<Shape>),
    Leaf(Vec<Value>),
}

#[derive(Clone)]
enum Segment {
    Field(String, bool),
    Element,
}

/// No level has more variants than this.
const MOST: usize = 600;

pub(crate) fn objects(predicate: &Predicate) -> Vec<Value> {
    let mut root = Shape::Object(BTreeMap::new());
    collect(predicate, &mut Vec::new(), &mut root);
    variants(&root)
}

fn collect(predicate: &Predicate, elements: &mut Vec<Vec<Segment>>, root: &mut Shape) {
    match predicate {
        Predicate::True | Predicate::False => {}
        Predicate::All(parts) | Predicate::Any(parts) => {
            for part in parts {
                collect(part, elements, root);
            }
        }
        Predicate::Not(inner) => collect(inner, elements, root),
        Predicate::Each { list, holds } | Predicate::Some { list, holds } => {
            let mut path = segments(list, elements);
            path.push(Segment::Element);
            merge(root, &path, Shape::Unknown);
            elements.push(path);
            collect(holds, elements, root);
            elements.pop();
        }
        Predicate::Present(place) => {
            merge(root, &segments(place, elements), leaf(place.value_type, &[]));
        }
        Predicate::Test { place, test } => {
            merge(root, &segments(place, elements), leaf(place.value_type, &constants(test)));
        }
        Predicate::Compare { left, right, .. } => {
            for operand in [left, right] {
                let place = operand.place();
                let extra = ["1", "2", "3", "10", "true"].map(|text| json!(text));
                merge(root, &segments(place, elements), leaf(place.value_type, &extra));
            }
        }
    }
}

fn segments(place: &Place, elements: &[Vec<Segment>]) -> Vec<Segment> {
    let mut path = match place.base {
        PlaceBase::Root => Vec::new(),
        PlaceBase::Element(depth) => elements[elements.len() - 1 - depth as usize].clone(),
    };
    path.extend(place.steps.iter().map(|step| match step {
        PlaceStep::Field { name, presence } => Segment::Field(name.clone(), *presence == Presence::Required),
        PlaceStep::Key(name) => Segment::Field(name.clone(), false),
        PlaceStep::Item(_) => Segment::Element,
    }));
    path
}

fn constants(test: &ValueTest) -> Vec<Value> {
    let bounds = |interval: &Interval| [interval.min.clone(), interval.max.clone()].into_iter().flatten();
    match test {
        ValueTest::Integer(interval) => {
            let near = |bound: BigInt| {
                [&bound - 1, bound.clone(), bound + 1].map(|number| json!(number.to_string()))
            };
            bounds(interval).flat_map(near).collect()
        }
        ValueTest::Length(interval) => {
            let near = |bound: BigInt| {
                let length = usize::try_from(&bound).unwrap_or_default().min(50);
                [length.saturating_sub(1), length, length + 1].map(|length| json!("é".repeat(length)))
            };
            bounds(interval).flat_map(near).collect()
        }
        ValueTest::OneOf(texts) => {
            texts.iter().flat_map(|text| [json!(text), json!(format!("{text}x"))]).collect()
        }
        ValueTest::Matches(_) => {
            ["pc", "q35", "pc-1", "q-", "35", "2Gi", "2", "24"].map(|text| json!(text)).into()
        }
    }
}

/// Values of a type, with constants that come from tests, as texts.
fn leaf(kind: ValueType, constants: &[Value]) -> Shape {
    let texts = || constants.iter().filter_map(Value::as_str);
    let integers = || texts().filter_map(|text| text.parse::<i64>().ok()).map(|number| json!(number));
    let integers = || integers().chain([json!(0), json!(1), json!(7), json!(24)]);
    let mut values: Vec<Value> = match kind {
        ValueType::Object | ValueType::Map => return Shape::Object(BTreeMap::new()),
        ValueType::List => return Shape::List(Box::new(Shape::Unknown)),
        ValueType::Boolean => vec![json!(true), json!(false)],
        ValueType::Integer | ValueType::Number => integers().collect(),
        ValueType::String | ValueType::Time | ValueType::Any => {
            texts().map(|text| json!(text)).chain(more_texts()).collect()
        }
        ValueType::IntOrString => integers().chain(more_texts()).chain([json!("80")]).collect(),
        ValueType::Quantity => {
            let spelled = texts().filter(|text| text.parse::<i128>().is_ok() || text.ends_with("Gi"));
            let written = [
                "0",
                "1",
                "1Gi",
                "1.5Gi",
                "2Gi",
                "1536Mi",
                "2147483648.5",
                "100m",
                "1500m",
                "3000m",
                "1e3",
                "-1Ki",
                "1.3Gi",
                "8Gi",
            ];
            integers().chain(spelled.chain(written).map(|text| json!(text))).collect()
        }
    };
    let mut seen = Vec::new();
    values.retain(|value| {
        !seen.contains(value) && {
            seen.push(value.clone());
            true
        }
    });
    Shape::Leaf(values)
}

fn more_texts() -> impl Iterator<Item = Value> {
    ["", "x", "é", "ab", "abcd"].into_iter().map(|text| json!(text))
}

fn merge(shape: &mut Shape, path: &[Segment], end: Shape) {
    match path {
        [] => match (&mut *shape, end) {
            (Shape::Leaf(own), Shape::Leaf(more)) => own.extend(more),
            (own @ Shape::Unknown, end) => *own = end,
            _ => {}
        },
        [Segment::Field(name, required), rest @ ..] => {
            if matches!(shape, Shape::Unknown) {
                *shape = Shape::Object(BTreeMap::new());
            }
            let Shape::Object(fields) = shape else { panic!("a field of {shape:?}") };
            let (_, field) = fields.entry(name.clone()).or_insert((*required, Shape::Unknown));
            merge(field, rest, end);
        }
        [Segment::Element, rest @ ..] => {
            if matches!(shape, Shape::Unknown) {
                *shape = Shape::List(Box::new(Shape::Unknown));
            }
            let Shape::List(element) = shape else { panic!("an element of {shape:?}") };
            merge(element, rest, end);
        }
    }
}

fn variants(shape: &Shape) -> Vec<Value> {
    match shape {
        Shape::Unknown => vec![json!({})],
        Shape::Leaf(values) => values.clone(),
        Shape::List(element) => lists(&variants(element)),
        Shape::Object(fields) => {
            let choices: Vec<(&String, Vec<Option<Value>>)> =
                fields.iter().map(|(name, (required, field))| (name, choices(*required, field))).collect();
            let total: usize = choices.iter().map(|(_, values)| values.len()).product();
            picks(total).map(|pick| object(&choices, pick)).collect()
        }
    }
}

fn choices(required: bool, field: &Shape) -> Vec<Option<Value>> {
    let absent = (!required).then_some(None);
    absent.into_iter().chain(variants(field).into_iter().map(Some)).collect()
}

fn object(choices: &[(&String, Vec<Option<Value>>)], mut pick: usize) -> Value {
    let mut fields = serde_json::Map::new();
    for (name, values) in choices {
        if let Some(value) = &values[pick % values.len()] {
            fields.insert((*name).clone(), value.clone());
        }
        pick /= values.len();
    }
    Value::Object(fields)
}

/// All of so many, or a spread of them.
fn picks(total: usize) -> impl Iterator<Item = usize> {
    let taken = total.min(MOST);
    (0..taken).map(move |index| index * total / taken)
}

fn lists(elements: &[Value]) -> Vec<Value> {
    let pairs = picks(elements.len() * elements.len())
        .map(|pick| json!([elements[pick / elements.len()], elements[pick % elements.len()]]));
    let triples = elements.windows(3).map(|three| json!(three));
    let singles = elements.iter().map(|element| json!([element]));
    let all: Vec<Value> = [json!([])].into_iter().chain(singles).chain(pairs).chain(triples).collect();
    picks(all.len()).map(|pick| all[pick].clone()).collect()
}
