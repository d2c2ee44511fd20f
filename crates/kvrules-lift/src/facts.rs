//! Facts about single values that a schema implies.

use kvrules_cel::types::keyword_value;
use kvrules_ir::{Constant, Term, TermCall};
use serde_json::Value as Json;

/// The schema of a field or key, or of the items of a list or map.
pub(crate) fn node_below<'s>(node: &'s Json, name: Option<&str>) -> Option<&'s Json> {
    let property = name.and_then(|name| keyword_value(node, "properties")?.get(name));
    let further = || keyword_value(node, "items").or_else(|| keyword_value(node, "additionalProperties"));
    property.or_else(further).filter(|node| node.is_object())
}

/// True if every object of a schema has a field when rules run: it is required or has a default, and is not null.
pub(crate) fn is_always_there(node: &Json, name: &str) -> bool {
    let Some(property) = keyword_value(node, "properties").and_then(|properties| properties.get(name)) else {
        return false;
    };
    let required = keyword_value(node, "required").and_then(Json::as_array).into_iter().flatten();
    let is_required = required.into_iter().any(|known| known == name);
    let has_default = keyword_value(property, "default").is_some_and(|default| !default.is_null());
    (is_required || has_default) && keyword_value(property, "nullable") != Some(&Json::Bool(true))
}

/// True if a function has a value for all arguments that its types allow. A pattern that is not written out need not be one.
pub(crate) fn is_total(call: &TermCall) -> bool {
    let is_written = || matches!(call.arguments.as_slice(), [_, Term::Constant(_)]);
    if call.function == "matches" && !is_written() {
        return false;
    }
    matches!(
        call.function.as_str(),
        "size"
            | "contains"
            | "startsWith"
            | "endsWith"
            | "matches"
            | "lowerAscii"
            | "upperAscii"
            | "trim"
            | "split"
            | "replace"
            | "isQuantity"
            | "isIP"
            | "isCIDR"
            | "isURL"
            | "isSemver"
            | "type"
            | "dyn"
            | "{}"
    )
}

/// The divisor of a division or of a remainder.
pub(crate) fn divisor_of(call: &TermCall) -> Option<&Term> {
    match (call.function.as_str(), call.arguments.as_slice()) {
        ("/" | "%", [_, divisor]) => Some(divisor),
        _ => None,
    }
}

/// True if a function has no overload for an integer in place of the text that comes first.
pub(crate) fn takes_text(function: &str) -> bool {
    let is_reader = matches!(
        function,
        "quantity" | "ip" | "cidr" | "url" | "semver" | "size" | "lowerAscii" | "upperAscii"
    );
    is_reader
        || is_test(function)
        || matches!(
            function,
            "trim" | "split" | "replace" | "substring" | "find" | "findAll" | "indexOf" | "charAt"
        )
}

/// True if a function is true or false for all arguments that its types allow.
pub(crate) fn is_test(function: &str) -> bool {
    matches!(
        function,
        "contains"
            | "startsWith"
            | "endsWith"
            | "matches"
            | "isQuantity"
            | "isIP"
            | "isCIDR"
            | "isURL"
            | "isSemver"
    )
}

/// The values that a schema allows, if it lists them.
pub(crate) fn allowed_values(node: Option<&Json>) -> Option<Vec<Constant>> {
    let node = node?;
    if keyword_value(node, "nullable") == Some(&Json::Bool(true)) {
        return None;
    }
    let of_value = |value: &Json| match value {
        Json::String(text) => Some(Constant::Text(text.clone())),
        Json::Number(number) => number.as_i64().map(Constant::Integer),
        Json::Bool(value) => Some(Constant::Boolean(*value)),
        _ => None,
    };
    if keyword_value(node, "type").and_then(Json::as_str) == Some("boolean") {
        return Some(vec![Constant::Boolean(true), Constant::Boolean(false)]);
    }
    keyword_value(node, "enum")?.as_array()?.iter().map(of_value).collect()
}

/// The answer of `term == constant`, where the schema leaves one; `allowed` are the values that it lists.
pub(crate) fn forced_equality(
    term: &Term,
    node: Option<&Json>,
    allowed: Option<&[Constant]>,
    range: Option<NumberRange>,
    constant: &Constant,
) -> Option<bool> {
    // A null in a field counts as no field.
    if *constant == Constant::Null && matches!(term, Term::Field(..)) && node.is_some() {
        let is_plain = node.is_some_and(|node| keyword_value(node, "nullable") != Some(&Json::Bool(true)));
        return is_plain.then_some(false);
    }
    if let Some(allowed) = allowed {
        let is_listed = allowed.contains(constant);
        let is_kind = allowed.iter().all(|value| {
            matches!(
                (value, constant),
                (Constant::Text(_), Constant::Text(_))
                    | (Constant::Integer(_), Constant::Integer(_))
                    | (Constant::Boolean(_), Constant::Boolean(_))
            )
        });
        return match (is_kind, is_listed, allowed.len()) {
            (true, false, _) => Some(false),
            (true, true, 1) => Some(true),
            _ => None,
        };
    }
    let range = range?;
    if range.is_only_number(constant) {
        return Some(true);
    }
    (!range.contains(constant)).then_some(false)
}

/// The answer of `number < constant`, or of `constant < number`, where the range of the number leaves one.
pub(crate) fn forced_order(range: NumberRange, constant: &Constant, is_number_left: bool) -> Option<bool> {
    let with = |holds: bool| {
        let mut range = range;
        range.add_comparison(constant, is_number_left, holds);
        range.is_empty()
    };
    match (with(true), with(false)) {
        (true, false) => Some(false),
        (false, true) => Some(true),
        _ => None,
    }
}

/// The numbers that a term may be; `node` is its schema, or for a size the schema of the value that has it.
pub(crate) fn range_of(term: &Term, node: Option<&Json>) -> Option<NumberRange> {
    if let Term::Call(call) = term {
        let sign = NumberRange { least: Some(-1.0), most: Some(1.0), is_integer: true };
        return match call.function.as_str() {
            "size" => Some(size_range(node)),
            "compareTo" | "sign" => Some(sign),
            _ => None,
        };
    }
    if let Term::Tally(parts) = term {
        #[expect(clippy::cast_precision_loss, reason = "a small count")]
        return Some(NumberRange { least: Some(0.0), most: Some(parts.len() as f64), is_integer: true });
    }
    number_range(node?)
}

/// The numbers that a schema allows; `None` for other types.
pub(crate) fn number_range(node: &Json) -> Option<NumberRange> {
    let is_integer = match keyword_value(node, "type").and_then(Json::as_str) {
        Some("integer") => true,
        Some("number") => false,
        _ => return None,
    };
    let bound = |keyword: &str| keyword_value(node, keyword).and_then(Json::as_f64);
    // Next to an excluded integer is an integer; an excluded number stays in.
    let is_excluded = |keyword: &str| is_integer && keyword_value(node, keyword) == Some(&Json::Bool(true));
    let least = bound("minimum")
        .map(|least| if is_excluded("exclusiveMinimum") { least.floor() + 1.0 } else { least });
    let most =
        bound("maximum").map(|most| if is_excluded("exclusiveMaximum") { most.ceil() - 1.0 } else { most });
    Some(NumberRange { least, most, is_integer })
}

/// The sizes that a schema allows.
fn size_range(node: Option<&Json>) -> NumberRange {
    let keywords = match node.and_then(|node| keyword_value(node, "type")?.as_str()) {
        // The keywords are about the text that encodes the bytes.
        Some("string")
            if node
                .is_some_and(|node| keyword_value(node, "format").is_none_or(|format| format != "byte")) =>
        {
            Some(("minLength", "maxLength"))
        }
        Some("array") => Some(("minItems", "maxItems")),
        Some("object") => Some(("minProperties", "maxProperties")),
        _ => None,
    };
    let bound = |keyword: &str| keyword_value(node?, keyword)?.as_f64();
    let least = keywords.and_then(|(least, _)| bound(least)).unwrap_or(0.0);
    NumberRange { least: Some(least), most: keywords.and_then(|(_, most)| bound(most)), is_integer: true }
}

/// Numbers between bounds that are included. Numbers beyond 2^53 do not restrict it, so it may be too large.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NumberRange {
    least: Option<f64>,
    most: Option<f64>,
    is_integer: bool,
}

impl NumberRange {
    /// The integers from one to another.
    pub(crate) fn between(least: u32, most: u32) -> Self {
        Self { least: Some(least.into()), most: Some(most.into()), is_integer: true }
    }

    /// All integers.
    pub(crate) fn any_integer() -> Self {
        Self { is_integer: true, ..Self::default() }
    }

    /// Restricts the range by `number < constant` (or `constant < number`), or by its opposite.
    pub(crate) fn add_comparison(&mut self, constant: &Constant, is_number_left: bool, holds: bool) {
        let Some(bound) = number_of(constant) else { return };
        // Next to an integer is an integer; other numbers have no next one, and the bound itself stays in.
        let (above, below, step) =
            if self.is_integer { (bound.ceil(), bound.floor(), 1.0) } else { (bound, bound, 0.0) };
        let at_most = |range: &mut Self, bound: f64| {
            range.most = Some(range.most.map_or(bound, |most| most.min(bound)));
        };
        let at_least = |range: &mut Self, bound: f64| {
            range.least = Some(range.least.map_or(bound, |least| least.max(bound)));
        };
        match (is_number_left, holds) {
            (true, true) => at_most(self, above - step),
            (true, false) => at_least(self, above),
            (false, true) => at_least(self, below + step),
            (false, false) => at_most(self, below),
        }
    }

    /// The least and the greatest number.
    pub(crate) fn ends(self) -> [Option<f64>; 2] {
        [self.least, self.most]
    }

    /// The least and the greatest integer, as far as they are exact.
    pub(crate) fn whole_ends(self) -> [Option<i128>; 2] {
        #[expect(clippy::cast_possible_truncation, reason = "numbers beyond 2^53 are left out")]
        let exact = |number: f64| (number.abs() < 9_007_199_254_740_992.0).then_some(number as i128);
        [self.least.map(f64::ceil).and_then(exact), self.most.map(f64::floor).and_then(exact)]
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!((self.least, self.most), (Some(least), Some(most)) if least > most)
    }

    /// True if a constant is the only number in the range.
    fn is_only_number(&self, constant: &Constant) -> bool {
        let number = number_of(constant);
        number.is_some() && self.least == number && self.most == number
    }

    /// True if a constant may be in the range; texts may.
    pub(crate) fn contains(&self, constant: &Constant) -> bool {
        let Some(number) = number_of(constant) else { return true };
        (!self.is_integer || number.fract() == 0.0)
            && self.least.is_none_or(|least| least <= number)
            && self.most.is_none_or(|most| number <= most)
    }
}

/// True if no value is equal to both constants.
pub(crate) fn are_different(one: &Constant, other: &Constant) -> bool {
    let is_number =
        |it: &Constant| matches!(it, Constant::Integer(_) | Constant::Unsigned(_) | Constant::Float(_));
    match (number_of(one), number_of(other)) {
        (Some(one), Some(other)) => one < other || other < one,
        // Numbers of two types beyond 2^53 may be equal.
        _ if is_number(one) && is_number(other) => {
            std::mem::discriminant(one) == std::mem::discriminant(other) && one != other
        }
        _ => one != other,
    }
}

fn number_of(constant: &Constant) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "numbers beyond 2^53 are left out")]
    let exact = |number: i64| (number.unsigned_abs() < 1 << 53).then_some(number as f64);
    match constant {
        Constant::Integer(number) => exact(*number),
        Constant::Unsigned(number) => i64::try_from(*number).ok().and_then(exact),
        Constant::Float(number) => Some(*number),
        _ => None,
    }
}

/// The schema without its patterns.
pub(crate) fn without_patterns(schema: &Json) -> Json {
    match schema {
        Json::Object(keywords) => {
            // A property may have that name too.
            let kept = keywords.iter().filter(|(name, value)| *name != "pattern" || value.is_object());
            kept.map(|(name, value)| (name.clone(), without_patterns(value))).collect()
        }
        Json::Array(items) => items.iter().map(without_patterns).collect(),
        other => other.clone(),
    }
}
