//! Tests of one value and their keywords.

use kvrules_ir::{Constant, Term, TermCall, TermRelation};
use serde_json::{Map, Value, json};

use super::quantity_atoms::{
    QuantityKinds, quantity_comparison, quantity_range_schema, quantity_schema, text_source,
};
use crate::schema::quantity_pattern::NanoRange;

/// Result of expressing a formula: a schema, or the reason why there is none.
pub(super) type Lowered = Result<Value, String>;

/// A test of one value.
#[derive(Clone, Debug)]
pub(super) enum Atom {
    /// It is there.
    Present,
    /// It is, or is not, this value.
    Equal(Value, bool),
    /// It is one of these.
    OneOf(Vec<Value>),
    /// It is less than, or at most, a number.
    Below(Value, Inclusion),
    /// It is greater than, or at least, a number.
    Above(Value, Inclusion),
    /// Its size lies between these.
    Size(u64, Option<u64>),
    /// Its size is not this.
    OtherSize(u64),
    /// It has, or has no, match of a regular expression in the dialect of JSON Schema.
    Pattern(String, bool),
    /// It is a quantity.
    Quantity(QuantityKinds),
    /// It is a quantity within bounds.
    QuantityIn(NanoRange, QuantityKinds),
}

/// Treatment of the bound itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inclusion {
    Included,
    Excluded,
}

/// True for formats whose texts an expression sees as another type.
// apiserver pkg/cel/common values.go, UnstructuredToVal
pub(super) fn is_read_by_format(format: &str) -> bool {
    matches!(format.replace('-', "").as_str(), "byte" | "date" | "datetime" | "duration")
}

impl Atom {
    /// The test `value relation constant`, or `constant relation value` if `is_swapped`.
    pub(super) fn of_comparison(
        relation: TermRelation,
        constant: &Constant,
        is_swapped: bool,
    ) -> Result<Self, String> {
        let value = match constant {
            Constant::Boolean(value) => json!(value),
            Constant::Integer(number) => json!(number),
            Constant::Float(number) => json!(number),
            Constant::Text(text) => json!(text),
            // A null in a field counts as no field.
            Constant::Null if relation == TermRelation::NotEqual => return Ok(Self::Present),
            _ => return Err("a schema cannot compare with this value".to_owned()),
        };
        let is_number = value.is_number();
        match (relation, is_swapped) {
            (TermRelation::Equal, _) => Ok(Self::Equal(value, true)),
            (TermRelation::NotEqual, _) => Ok(Self::Equal(value, false)),
            _ if !is_number => Err("a schema cannot order texts".to_owned()),
            (TermRelation::Less, false) => Ok(Self::Below(value, Inclusion::Excluded)),
            (TermRelation::LessOrEqual, false) => Ok(Self::Below(value, Inclusion::Included)),
            (TermRelation::Less, true) => Ok(Self::Above(value, Inclusion::Excluded)),
            (TermRelation::LessOrEqual, true) => Ok(Self::Above(value, Inclusion::Included)),
        }
    }

    /// The test of a call's result, and the term that it is a test of.
    pub(super) fn of_call<'t>(
        call: &'t TermCall,
        relation: TermRelation,
        constant: &Constant,
        is_swapped: bool,
    ) -> Result<(&'t Term, Self), String> {
        if let Some(found) = quantity_comparison(call, relation, constant, is_swapped) {
            return found.map(|(of, range, kinds)| (of, Self::QuantityIn(range, kinds)));
        }
        let unsupported = || format!("a schema cannot compute `{}`", call.function);
        match (call.function.as_str(), call.arguments.as_slice(), constant) {
            ("isQuantity", [of], Constant::Boolean(true)) if relation == TermRelation::Equal => {
                Ok((text_source(of), Self::Quantity(QuantityKinds::of_argument(of))))
            }
            ("size", [of], Constant::Integer(number)) => Ok((of, size_test(relation, *number, is_swapped)?)),
            (name, [of, Term::Constant(Constant::Text(text))], Constant::Boolean(value))
                if relation == TermRelation::Equal =>
            {
                let literal = || regex_of_text(text);
                let pattern = match name {
                    "matches" => text.clone(),
                    "startsWith" => format!("^{}", literal()),
                    "endsWith" => format!("{}$", literal()),
                    "contains" => literal(),
                    _ => return Err(unsupported()),
                };
                let regex = kvrules_regex::parse(&pattern).map_err(|error| error.to_string())?;
                Ok((of, Self::Pattern(regex.to_ecma(), *value)))
            }
            _ => Err(unsupported()),
        }
    }
}

/// A regular expression that matches a text itself.
fn regex_of_text(text: &str) -> String {
    let mut pattern = String::new();
    for char in text.chars() {
        if r"\.+*?()|[]{}^$".contains(char) {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    pattern
}

fn size_test(relation: TermRelation, number: i64, is_swapped: bool) -> Result<Atom, String> {
    let at_least = |least: i64| Atom::Size(u64::try_from(least).unwrap_or(0), None);
    let at_most = |most: i64| match u64::try_from(most) {
        Ok(most) => Ok(Atom::Size(0, Some(most))),
        Err(_) => Err("no size is negative".to_owned()),
    };
    let exact = u64::try_from(number).map_err(|_| "no size is negative".to_owned());
    match (relation, is_swapped) {
        (TermRelation::Equal, _) => exact.map(|size| Atom::Size(size, Some(size))),
        (TermRelation::NotEqual, _) => exact.map(Atom::OtherSize),
        (TermRelation::Less, false) => at_most(number.saturating_sub(1)),
        (TermRelation::LessOrEqual, false) => at_most(number),
        (TermRelation::Less, true) => Ok(at_least(number.saturating_add(1))),
        (TermRelation::LessOrEqual, true) => Ok(at_least(number)),
    }
}

/// The keywords of a test, for a value that this node of the definition describes. They reject null, which counts as no value.
pub(super) fn leaf_schema(atom: &Atom, node: &Value) -> Lowered {
    let text = |keyword: &str| node.get(keyword).and_then(Value::as_str);
    if !matches!(atom, Atom::Present) && text("format").is_some_and(is_read_by_format) {
        return Err("a schema cannot compare texts by their format".to_owned());
    }
    let mut schema = Map::new();
    match atom {
        Atom::Present => return Ok(json!({ "not": { "type": "null" } })),
        Atom::Quantity(kinds) => return Ok(quantity_schema(node, *kinds)),
        Atom::QuantityIn(range, kinds) => return Ok(quantity_range_schema(range, node, *kinds)),
        Atom::Equal(value, true) => drop(schema.insert("const".to_owned(), value.clone())),
        Atom::Equal(value, false) => return Ok(json!({ "not": { "enum": [value, null] } })),
        Atom::OneOf(values) => drop(schema.insert("enum".to_owned(), json!(values))),
        Atom::Below(bound, inclusion) => {
            add_bound(&mut schema, bound, *inclusion, "maximum", "exclusiveMaximum");
        }
        Atom::Above(bound, inclusion) => {
            add_bound(&mut schema, bound, *inclusion, "minimum", "exclusiveMinimum");
        }
        Atom::Size(least, most) => add_sizes(&mut schema, text("type"), *least, *most)?,
        Atom::OtherSize(size) => {
            add_sizes(&mut schema, text("type"), *size, Some(*size))?;
            let kind = schema.remove("type").unwrap_or_default();
            return Ok(json!({ "type": kind, "not": schema }));
        }
        Atom::Pattern(pattern, true) => {
            schema.insert("type".to_owned(), json!("string"));
            schema.insert("pattern".to_owned(), json!(pattern));
        }
        Atom::Pattern(pattern, false) => {
            return Ok(json!({ "type": "string", "not": { "pattern": pattern } }));
        }
    }
    Ok(schema.into())
}

fn add_bound(
    schema: &mut Map<String, Value>,
    bound: &Value,
    inclusion: Inclusion,
    included: &str,
    excluded: &str,
) {
    let keyword = if inclusion == Inclusion::Included { included } else { excluded };
    schema.insert("type".to_owned(), json!("number"));
    schema.insert(keyword.to_owned(), bound.clone());
}

fn add_sizes(
    schema: &mut Map<String, Value>,
    kind: Option<&str>,
    least: u64,
    most: Option<u64>,
) -> Result<(), String> {
    let (kind, min, max) = match kind {
        Some("string") => ("string", "minLength", "maxLength"),
        Some("array") => ("array", "minItems", "maxItems"),
        _ => return Err("servers count the keys of a map without nulls, which a schema cannot".to_owned()),
    };
    schema.insert("type".to_owned(), json!(kind));
    if least > 0 {
        schema.insert(min.to_owned(), json!(least));
    }
    if let Some(most) = most {
        schema.insert(max.to_owned(), json!(most));
    }
    Ok(())
}
