//! Tests of quantities and their keywords.
//!
//! A schema compares texts by patterns, which cover the common spellings alone. All other spellings are rejected, which the fidelity says.

use kvrules_ir::{Constant, Term, TermCall, TermRelation};
use kvrules_kubernetes::keywords::INT_OR_STRING;
use kvrules_kubernetes::quantity::Quantity;
use num_bigint::BigInt;
use serde_json::{Map, Value, json};

use crate::schema::quantity_pattern::{NanoRange, any_quantity, common_in_range};

/// A quantity of more than this is stored as this if it has a binary suffix.
// apimachinery pkg/api/resource quantity.go, maxAllowed
const MOST: i64 = i64::MAX;

/// Number of billionths in one.
const BILLION: i64 = 1_000_000_000;

/// The range of one quantity and the term that it is of, or the reason for which a schema cannot test it.
type QuantityTest<'t> = Result<(&'t Term, NanoRange, QuantityKinds), String>;

/// The values of an integer or string of which a function reads a quantity.
// apiserver pkg/cel/library/quantity.go, stringToQuantity: other values have no overload
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuantityKinds {
    /// Texts alone: of an integer the evaluation ends in an error.
    Texts,
    /// Integers too, because `string` converts them.
    TextsAndIntegers,
}

impl QuantityKinds {
    /// The values that the argument of `quantity` or `isQuantity` lets pass.
    pub(super) fn of_argument(argument: &Term) -> Self {
        match argument {
            Term::Call(call) if call.function == "string" => Self::TextsAndIntegers,
            _ => Self::Texts,
        }
    }

    /// The values of which `quantity(…)` reads the text.
    pub(super) fn of_quantity(term: &Term) -> Self {
        match term {
            Term::Call(call) => call.arguments.first().map_or(Self::Texts, Self::of_argument),
            _ => Self::Texts,
        }
    }
}

/// The term whose text another term is: an integer or a string has one.
pub(super) fn text_source(term: &Term) -> &Term {
    match term {
        Term::Call(call) if call.function == "string" => call.arguments.first().unwrap_or(term),
        term => term,
    }
}

/// The term of which `quantity(…)` reads the text.
pub(super) fn quantity_source(term: &Term) -> Option<&Term> {
    match term {
        Term::Call(call) if call.function == "quantity" => call.arguments.first().map(text_source),
        _ => None,
    }
}

/// A test of the result of `compareTo`, `isGreaterThan` or `isLessThan` between a quantity and a constant one; `None` for other calls.
pub(super) fn quantity_comparison<'t>(
    call: &'t TermCall,
    relation: TermRelation,
    constant: &Constant,
    is_swapped: bool,
) -> Option<QuantityTest<'t>> {
    let [left, right] = call.arguments.as_slice() else { return None };
    let (of, bound, kinds, is_reversed) = match (quantity_source(left)?, quantity_source(right)?) {
        (of, Term::Constant(Constant::Text(text))) => (of, text, QuantityKinds::of_quantity(left), false),
        (Term::Constant(Constant::Text(text)), of) => (of, text, QuantityKinds::of_quantity(right), true),
        _ => return None,
    };
    let order = order_of_call(&call.function, relation, constant, is_swapped)?;
    let order = if is_reversed { order.reversed() } else { order };
    Some(to_range(order, bound).map(|range| (of, range, kinds)))
}

/// A test of the equality of a quantity and a constant one; `None` if neither is.
pub(super) fn quantity_equality<'t>(
    left: &'t Term,
    relation: TermRelation,
    right: &'t Term,
) -> Option<QuantityTest<'t>> {
    let (of, bound, kinds) = match (quantity_source(left)?, quantity_source(right)?) {
        (of, Term::Constant(Constant::Text(text))) => (of, text, QuantityKinds::of_quantity(left)),
        (Term::Constant(Constant::Text(text)), of) => (of, text, QuantityKinds::of_quantity(right)),
        _ => return None,
    };
    (relation == TermRelation::Equal)
        .then(|| to_range(QuantityOrder::Equal, bound).map(|range| (of, range, kinds)))
}

/// The order of a quantity and a bound.
#[derive(Clone, Copy)]
enum QuantityOrder {
    Less,
    AtMost,
    Equal,
    AtLeast,
    Greater,
}

impl QuantityOrder {
    fn reversed(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::AtMost => Self::AtLeast,
            Self::Equal => Self::Equal,
            Self::AtLeast => Self::AtMost,
            Self::Greater => Self::Less,
        }
    }
}

fn order_of_call(
    function: &str,
    relation: TermRelation,
    constant: &Constant,
    is_swapped: bool,
) -> Option<QuantityOrder> {
    use QuantityOrder::{AtLeast, AtMost, Equal, Greater, Less};
    match (function, constant) {
        ("compareTo", Constant::Integer(0)) => match (relation, is_swapped) {
            (TermRelation::Less, false) => Some(Less),
            (TermRelation::LessOrEqual, false) => Some(AtMost),
            (TermRelation::Equal, _) => Some(Equal),
            (TermRelation::LessOrEqual, true) => Some(AtLeast),
            (TermRelation::Less, true) => Some(Greater),
            (TermRelation::NotEqual, _) => None,
        },
        _ if relation != TermRelation::Equal => None,
        ("compareTo", Constant::Integer(1)) | ("isGreaterThan", Constant::Boolean(true)) => Some(Greater),
        ("compareTo", Constant::Integer(-1)) | ("isLessThan", Constant::Boolean(true)) => Some(Less),
        ("isGreaterThan", Constant::Boolean(false)) => Some(AtMost),
        ("isLessThan", Constant::Boolean(false)) => Some(AtLeast),
        _ => None,
    }
}

fn to_range(order: QuantityOrder, bound: &str) -> Result<NanoRange, String> {
    let quantity = Quantity::parse(bound).map_err(|error| error.to_string())?;
    let nanos = quantity
        .to_nanos()
        .ok_or("a schema cannot compare quantities with a bound finer than a billionth")?;
    let limit = BigInt::from(MOST) * BILLION;
    if nanos >= limit || -&nanos >= limit {
        return Err("a schema cannot compare quantities with a bound of more than 64 bits".to_owned());
    }
    let range = |min: Option<BigInt>, max: Option<BigInt>| Ok(NanoRange { min, max });
    match order {
        QuantityOrder::Less => range(None, Some(nanos - 1)),
        QuantityOrder::AtMost => range(None, Some(nanos)),
        QuantityOrder::Equal => range(Some(nanos.clone()), Some(nanos)),
        QuantityOrder::AtLeast => range(Some(nanos), None),
        QuantityOrder::Greater => range(Some(nanos + 1), None),
    }
}

fn matching(pattern: &str) -> Value {
    json!({ "type": "string", "pattern": pattern })
}

/// The texts that are quantities, and integers where the field has them and the test reads them.
pub(super) fn quantity_schema(node: &Value, kinds: QuantityKinds) -> Value {
    let texts = matching(any_quantity());
    if has_integers(node, kinds) { json!({ "anyOf": [{ "type": "integer" }, texts] }) } else { texts }
}

/// The quantities within a range in common spellings.
pub(super) fn quantity_range_schema(range: &NanoRange, node: &Value, kinds: QuantityKinds) -> Value {
    let mut all: Vec<Vec<Value>> = common_in_range(range)
        .iter()
        .map(|any| any.iter().map(|pattern| matching(pattern)).collect())
        .collect();
    let texts = match all.as_mut_slice() {
        [only] => std::mem::take(only),
        several => {
            let several: Vec<Value> = several.iter().map(|any| json!({ "anyOf": any })).collect();
            vec![json!({ "allOf": several })]
        }
    };
    let integers = has_integers(node, kinds).then(|| integers_within(range));
    let all: Vec<Value> = integers.into_iter().chain(texts).collect();
    match all.as_slice() {
        [only] => only.clone(),
        several => json!({ "anyOf": several }),
    }
}

fn has_integers(node: &Value, kinds: QuantityKinds) -> bool {
    kinds == QuantityKinds::TextsAndIntegers && node.get(INT_OR_STRING) == Some(&json!(true))
}

fn integers_within(range: &NanoRange) -> Value {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "integer".into());
    let whole = |bound: BigInt| i64::try_from(bound).ok();
    let rest = |nanos: &BigInt| nanos % BILLION;
    let floor = |nanos: &BigInt| nanos / BILLION - i64::from(rest(nanos) < BigInt::ZERO);
    let ceil = |nanos: &BigInt| nanos / BILLION + i64::from(rest(nanos) > BigInt::ZERO);
    if let Some(least) = range.min.as_ref().and_then(|min| whole(ceil(min))) {
        schema.insert("minimum".to_owned(), least.into());
    }
    if let Some(most) = range.max.as_ref().and_then(|max| whole(floor(max))) {
        schema.insert("maximum".to_owned(), most.into());
    }
    schema.into()
}
