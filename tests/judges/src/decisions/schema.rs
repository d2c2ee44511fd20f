//! The judge's own small schemas, the values that they admit, and how they are written as structural schemas.

use std::rc::Rc;

use serde_json::{Map, Value as Json, json};

use super::expression::Expr;
use super::value::Val;
use crate::Random;

/// Values of one object of the domain; a larger domain is sampled.
const MOST_VALUES: usize = 1200;

/// A schema.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Int { least: Option<i64>, most: Option<i64> },
    Number,
    Bool,
    Text { among: Option<Vec<&'static str>>, longest: usize },
    Quantity,
    Duration,
    IntOrText,
    List { items: Box<Shape>, fewest: usize, most: usize },
    Map { values: Box<Shape>, most: usize },
    Object { fields: Vec<Field> },
}

/// A field of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    pub(crate) is_required: bool,
    pub(crate) default: Option<Json>,
    /// A null is admitted, and rules do not see it.
    pub(crate) is_nullable: bool,
}

impl Field {
    /// True if rules see the field of every stored value.
    pub(crate) fn is_present(&self) -> bool {
        !self.is_nullable && (self.is_required || self.default.is_some())
    }
}

/// Constants of rules, from which values at and around them are made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constants {
    ints: Vec<i64>,
    doubles: Vec<f64>,
    texts: Vec<Rc<str>>,
}

impl Constants {
    pub(crate) fn of<'e>(rules: impl IntoIterator<Item = &'e Expr>) -> Self {
        let mut found = Self::default();
        for rule in rules {
            rule.visit(&mut |it| {
                if let Expr::Lit(value) = it {
                    found.add(value);
                }
            });
        }
        found
    }

    fn add(&mut self, value: &Val) {
        match value {
            Val::Int(value) if !self.ints.contains(value) => self.ints.push(*value),
            Val::Double(value) if !self.doubles.contains(value) => self.doubles.push(*value),
            Val::Str(text) if !self.texts.contains(text) => self.texts.push(Rc::clone(text)),
            _ => {}
        }
    }
}

impl Shape {
    /// Writes the structural schema.
    pub(crate) fn to_schema(&self) -> Json {
        match self {
            Self::Int { least, most } => {
                let mut schema = json!({"type": "integer"});
                if let Some(least) = least {
                    schema["minimum"] = json!(least);
                }
                if let Some(most) = most {
                    schema["maximum"] = json!(most);
                }
                schema
            }
            Self::Number => json!({"type": "number"}),
            Self::Bool => json!({"type": "boolean"}),
            Self::Text { among: Some(among), .. } => json!({"type": "string", "enum": among}),
            Self::Text { among: None, longest } => json!({"type": "string", "maxLength": longest}),
            Self::Quantity | Self::Duration => json!({"type": "string", "maxLength": 6}),
            Self::IntOrText => json!({"x-kubernetes-int-or-string": true}),
            Self::List { items, fewest, most } => {
                let mut schema = json!({"type": "array", "items": items.to_schema(), "maxItems": most});
                if *fewest > 0 {
                    schema["minItems"] = json!(fewest);
                }
                schema
            }
            Self::Map { values, most } => {
                json!({"type": "object", "additionalProperties": values.to_schema(), "maxProperties": most})
            }
            Self::Object { fields } => object_schema(fields),
        }
    }

    /// True if `nullable` alone lets a null pass, and no value with a null inside is compared.
    pub(crate) fn admits_null(&self) -> bool {
        !matches!(
            self,
            Self::List { .. } | Self::Map { .. } | Self::Object { .. } | Self::Text { among: Some(_), .. }
        )
    }

    /// Writes nulls in place of some absent fields that may be null, and of all that are required.
    pub(crate) fn with_nulls(&self, mut value: Json, random: &mut Random) -> Json {
        if let (Json::Object(map), Self::Object { fields }) = (&mut value, self) {
            for field in fields.iter().filter(|field| field.is_nullable) {
                if !map.contains_key(field.name) && (field.is_required || random.chance(1, 2)) {
                    map.insert(field.name.to_owned(), Json::Null);
                }
            }
        }
        value
    }

    /// Makes values of the schema around the constants, corners first.
    pub(crate) fn values(&self, constants: &Constants, random: &mut Random) -> Vec<Val> {
        match self {
            Self::Int { least, most } => int_values(*least, *most, constants, random),
            Self::Number => {
                let mut values = vec![0.0, 1.5];
                values.extend(constants.doubles.iter().flat_map(|it| [*it, it + 0.5, it - 0.5]));
                values.extend(constants.ints.iter().take(3).map(|it| *it as f64));
                if random.chance(1, 4) {
                    values.extend([-0.0, 9_007_199_254_740_993.0, 1e300]);
                }
                values.retain(|it| it.is_finite());
                values.sort_by(f64::total_cmp);
                values.dedup_by(|one, other| one.to_bits() == other.to_bits());
                shuffle(&mut values, random);
                values.truncate(7);
                values.into_iter().map(Val::Double).collect()
            }
            Self::Bool => vec![Val::Bool(false), Val::Bool(true)],
            Self::Text { among: Some(among), .. } => among.iter().map(|text| Val::text(text)).collect(),
            Self::Text { among: None, longest } => text_values(*longest, constants, random),
            Self::Quantity => ["0", "1", "500m", "1k", "1Ki", "x"].map(Val::text).to_vec(),
            Self::Duration => ["0s", "1s", "1000ms", "1m", "60s", "x"].map(Val::text).to_vec(),
            Self::IntOrText => {
                let mut values = int_values(None, None, constants, random);
                values.truncate(4);
                let mut texts = text_values(4, constants, random);
                texts.truncate(4);
                values.extend(texts);
                values
            }
            Self::List { items, fewest, most } => {
                let items = items.values(constants, random);
                let lists = lists_of(&items, 5, *fewest, (*most).min(2), random);
                lists.into_iter().map(|list| Val::List(list.into())).collect()
            }
            Self::Map { values, most } => {
                let values = values.values(constants, random);
                map_values(&values, *most, constants, random)
            }
            Self::Object { fields } => object_values(fields, constants, random),
        }
    }

    /// Reads a value of the schema; `None` if it does not admit the value.
    pub(crate) fn read(&self, value: &Json) -> Option<Val> {
        match (self, value) {
            (Self::Int { least, most }, Json::Number(number)) => {
                let value = number.as_i64()?;
                let is_within = least.is_none_or(|it| value >= it) && most.is_none_or(|it| value <= it);
                is_within.then_some(Val::Int(value))
            }
            (Self::Number, Json::Number(number)) => number.as_f64().map(Val::Double),
            (Self::Bool, Json::Bool(value)) => Some(Val::Bool(*value)),
            (Self::Text { among, longest }, Json::String(text)) => {
                let is_admitted = match among {
                    Some(among) => among.contains(&text.as_str()),
                    None => text.chars().count() <= *longest,
                };
                is_admitted.then(|| Val::text(text))
            }
            (Self::Quantity | Self::Duration, Json::String(text)) => {
                (text.chars().count() <= 6).then(|| Val::text(text))
            }
            (Self::IntOrText, Json::String(text)) => Some(Val::text(text)),
            (Self::IntOrText, Json::Number(number)) => number.as_i64().map(Val::Int),
            (Self::List { items, fewest, most }, Json::Array(list)) => {
                let read: Option<Vec<Val>> = list.iter().map(|item| items.read(item)).collect();
                (*fewest..=*most).contains(&list.len()).then_some(Val::List(read?.into()))
            }
            (Self::Map { values, most }, Json::Object(map)) => {
                let entry = |(key, value): (&String, &Json)| Some((key.as_str().into(), values.read(value)?));
                let read: Option<Vec<(Rc<str>, Val)>> = map.iter().map(entry).collect();
                (map.len() <= *most).then_some(Val::Map(read?.into()))
            }
            (Self::Object { fields }, Json::Object(map)) => {
                let mut read = Vec::new();
                for field in fields {
                    match (map.get(field.name), &field.default) {
                        (Some(Json::Null), _) if field.is_nullable => {}
                        (Some(value), _) | (None, Some(value)) => {
                            read.push((field.name.into(), field.shape.read(value)?));
                        }
                        (None, None) if field.is_required && !field.is_nullable => return None,
                        (None, None) => {}
                    }
                }
                let is_known = |name: &String| fields.iter().any(|field| field.name == name);
                map.keys().all(is_known).then_some(Val::Map(read.into()))
            }
            _ => None,
        }
    }

    /// True if a value has every required field, null or not.
    pub(crate) fn has_required_fields(&self, value: &Json) -> bool {
        match (self, value) {
            (Self::List { items, .. }, Json::Array(list)) => {
                list.iter().all(|item| items.has_required_fields(item))
            }
            (Self::Map { values, .. }, Json::Object(map)) => {
                map.values().all(|value| values.has_required_fields(value))
            }
            (Self::Object { fields }, Json::Object(map)) => fields.iter().all(|field| {
                map.get(field.name).map_or(!field.is_required || field.default.is_some(), |value| {
                    field.shape.has_required_fields(value)
                })
            }),
            _ => true,
        }
    }
}

fn object_schema(fields: &[Field]) -> Json {
    let mut properties = Map::new();
    for field in fields {
        let mut schema = field.shape.to_schema();
        if let Some(default) = &field.default {
            schema["default"] = default.clone();
        }
        if field.is_nullable {
            schema["nullable"] = json!(true);
        }
        properties.insert(field.name.to_owned(), schema);
    }
    let mut schema = json!({"type": "object", "properties": properties});
    let required: Vec<&str> = fields.iter().filter(|it| it.is_required).map(|it| it.name).collect();
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn shuffle<T>(values: &mut [T], random: &mut Random) {
    for index in (1..values.len()).rev() {
        values.swap(index, random.below(index + 1));
    }
}

fn int_values(least: Option<i64>, most: Option<i64>, constants: &Constants, random: &mut Random) -> Vec<Val> {
    let mut values: Vec<i64> = vec![0, 1, -1];
    let around = |it: &i64| [it.saturating_sub(1), *it, it.saturating_add(1)];
    values.extend(constants.ints.iter().flat_map(around));
    values.extend(least.iter().chain(most.iter()));
    if random.chance(1, 6) {
        values.extend([i64::MAX, i64::MIN]);
    }
    values.retain(|it| least.is_none_or(|least| *it >= least) && most.is_none_or(|most| *it <= most));
    values.sort_unstable();
    values.dedup();
    shuffle(&mut values, random);
    values.truncate(8);
    values.into_iter().map(Val::Int).collect()
}

fn text_values(longest: usize, constants: &Constants, random: &mut Random) -> Vec<Val> {
    let mut texts: Vec<String> = vec![String::new(), "a".into(), "b".into(), "ab".into()];
    for text in constants.texts.iter().filter(|text| text.chars().all(|c| c.is_ascii_alphanumeric())) {
        texts.extend([text.to_string(), format!("{text}a"), format!("b{text}")]);
    }
    texts.retain(|text| text.chars().count() <= longest);
    texts.sort_unstable();
    texts.dedup();
    shuffle(&mut texts, random);
    // The empty text is a corner.
    texts.sort_by_key(|text| !text.is_empty());
    texts.truncate(7);
    texts.iter().map(|text| Val::text(text)).collect()
}

/// Lists of few items: the empty one, all with one item, some with more.
fn lists_of(items: &[Val], singles: usize, fewest: usize, most: usize, random: &mut Random) -> Vec<Vec<Val>> {
    let mut lists = Vec::new();
    if fewest == 0 {
        lists.push(Vec::new());
    }
    if fewest <= 1 && most >= 1 {
        lists.extend(items.iter().take(singles).map(|item| vec![item.clone()]));
    }
    if most >= 2 && !items.is_empty() {
        lists.extend(
            (0..singles + 3).map(|_| vec![random.choose(items).clone(), random.choose(items).clone()]),
        );
    }
    lists
}

fn map_values(values: &[Val], most: usize, constants: &Constants, random: &mut Random) -> Vec<Val> {
    let mut keys: Vec<Rc<str>> = vec!["a".into(), "b".into()];
    keys.extend(constants.texts.iter().filter(|it| it.len() == 1 && !matches!(&***it, "a" | "b")).cloned());
    let mut maps: Vec<Vec<(Rc<str>, Val)>> = vec![Vec::new()];
    if most >= 1 && !values.is_empty() {
        maps.extend((0..5).map(|_| vec![(random.choose(&keys).clone(), random.choose(values).clone())]));
    }
    if most >= 2 && !values.is_empty() {
        maps.extend((0..5).map(|_| {
            let (one, other) = (random.choose(values).clone(), random.choose(values).clone());
            vec![("a".into(), one), ("b".into(), other)]
        }));
    }
    maps.into_iter().map(|map| Val::Map(map.into())).collect()
}

fn object_values(fields: &[Field], constants: &Constants, random: &mut Random) -> Vec<Val> {
    let choices: Vec<Vec<Option<Val>>> = fields
        .iter()
        .map(|field| {
            let mut values: Vec<Option<Val>> =
                field.shape.values(constants, random).into_iter().map(Some).collect();
            if let Some(default) = field.default.as_ref().and_then(|it| field.shape.read(it)) {
                values.push(Some(default));
            }
            if !field.is_present() {
                values.push(None);
            }
            values
        })
        .collect();
    let combine = |chosen: &[&Option<Val>]| {
        let present = fields.iter().zip(chosen).filter_map(|(field, value)| {
            value.as_ref().map(|value| (Rc::<str>::from(field.name), value.clone()))
        });
        Val::Map(present.collect())
    };
    let total = choices.iter().map(Vec::len).product::<usize>();
    if total <= MOST_VALUES {
        let of_number = |mut number: usize| {
            let chosen: Vec<&Option<Val>> = choices
                .iter()
                .map(|values| {
                    let value = &values[number % values.len()];
                    number /= values.len();
                    value
                })
                .collect();
            combine(&chosen)
        };
        return (0..total).map(of_number).collect();
    }
    let sampled = (0..MOST_VALUES).map(|_| {
        let chosen: Vec<&Option<Val>> = choices.iter().map(|values| random.choose(values)).collect();
        combine(&chosen)
    });
    sampled.collect()
}
