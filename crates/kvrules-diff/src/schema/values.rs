//! Computes the values that one node allows and another does not, as far as the nodes themselves constrain them.

use std::collections::HashSet;

use kvrules_apiserver::object::{ValueSchema, is_enforced_format};
use kvrules_regex::ast::{Anchor, Node as RegexNode};
use kvrules_regex::{Automaton, Regex, TextDemands, TextSearch};
use serde_json::{Value, json};

use super::keyword::{keyword_flag, keyword_list, keyword_size, keyword_text};
use super::work_budget::WorkBudget;

/// The values of one node that are none of another's.
#[derive(Debug)]
pub(super) struct NodeExcess {
    /// Some of them, the plainest first.
    pub(super) values: Vec<Value>,
    /// True if the list is complete: if it is also empty, no such value exists.
    pub(super) exact: bool,
    /// True if there were not enough steps to examine more.
    pub(super) is_cut: bool,
}

/// Maximum number of listed values that one node allows and another does not.
const MOST_LISTED: usize = 60;

/// The types of values, without overlap.
const CLASSES: [&str; 6] = ["string", "integer", "number", "boolean", "array", "object"];

/// Returns values that `one` allows and `other` does not. `null` is left out.
pub(super) fn find_excess(one: &Value, other: &Value, work: &WorkBudget) -> NodeExcess {
    let (first, second) = (ValueSchema::new(one), ValueSchema::new(other));
    let differs =
        |value: &Value| !value.is_null() && first.allows_value(value) && !second.allows_value(value);
    let listed = keyword_list(one, "enum");
    if !listed.is_empty() {
        let takes_fractions = has_class(&first, "number") && listed.iter().any(Value::is_i64);
        let (mut values, exact) =
            if takes_fractions { candidate_fractions(one, &without_list(other)) } else { (Vec::new(), true) };
        values.splice(0..0, listed.iter().cloned().chain(listed.iter().flat_map(counted_as)));
        // A validator compares each value with the whole list.
        let its: HashSet<String> = keyword_list(other, "enum").iter().map(Value::to_string).collect();
        let (own, free) = (ValueSchema::new(&without_list(one)), ValueSchema::new(&without_list(other)));
        let own_listed: HashSet<String> = listed.iter().map(Value::to_string).collect();
        let mut kept: Vec<Value> = Vec::new();
        for value in values.into_iter().filter(|value| !value.is_null()) {
            let text = value.to_string();
            let is_own = if own_listed.contains(&text) {
                own.allows_value(&value)
            } else {
                first.allows_value(&value)
            };
            let is_its = |value: &Value| {
                if its.contains(&text) { free.allows_value(value) } else { second.allows_value(value) }
            };
            if kept.len() < MOST_LISTED && is_own && !is_its(&value) {
                kept.push(value);
            }
        }
        return NodeExcess { values: kept, exact, is_cut: false };
    }
    let mut found = NodeExcess { values: Vec::new(), exact: true, is_cut: false };
    for class in CLASSES.into_iter().filter(|class| has_class(&first, class)) {
        let (values, exact) = match class {
            "boolean" => (vec![json!(true), json!(false)], true),
            "integer" => candidate_integers(one, other, work),
            "number" => candidate_fractions(one, other),
            "string" => candidate_strings((one, other), has_class(&second, "string"), work),
            "array" => (vec![json!([])], true),
            _ => (vec![json!({})], true),
        };
        let own: Vec<Value> =
            values.into_iter().filter(|value| class_of(value) == class && differs(value)).collect();
        // If the other schema lacks the type, any value of the type is an example, but one must have been built.
        found.exact &= !own.is_empty() || (exact && has_class(&second, class));
        for value in own.into_iter().take(MOST_LISTED) {
            if !found.values.contains(&value) {
                found.values.push(value);
            }
        }
    }
    found.is_cut = !found.exact && (work.values.steps_left() == 0 || work.moves.steps_left() == 0);
    found
}

/// True if a node allows values of a type; integers are numbers too, and a class of their own.
fn has_class(node: &ValueSchema, class: &str) -> bool {
    node.allows_type_of(&match class {
        "string" => json!("a"),
        "integer" => json!(1),
        "number" => json!(0.5),
        "boolean" => json!(true),
        "array" => json!([]),
        _ => json!({}),
    })
}

/// Returns the values that the server treats like a listed value: it cuts fractions off, and reads a number as a
/// character.
fn counted_as(listed: &Value) -> Vec<Value> {
    let code = |text: &str| Some(text.chars().next().filter(|_| text.chars().count() == 1)? as u32);
    match listed {
        Value::Number(number) if number.is_i64() => {
            number.as_f64().map(|near| vec![json!(near - 0.5), json!(near + 0.5)]).unwrap_or_default()
        }
        Value::String(text) => code(text).map(|code| json!(code)).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The node without its list of values.
fn without_list(node: &Value) -> Value {
    let mut node = node.clone();
    node.as_object_mut().and_then(|fields| fields.shift_remove("enum"));
    node
}

/// The class of a value. Numbers written with a point are whole up to where floats count one by one.
fn class_of(value: &Value) -> &'static str {
    const MOST: f64 = 9_007_199_254_740_991.0;
    let is_whole = |float: f64| float.fract() == 0.0 && float.abs() <= MOST;
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() || number.as_f64().is_some_and(is_whole) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn numeric_bound(node: &Value, keyword: &str) -> Option<f64> {
    node.get(keyword)?.as_f64()
}

#[expect(clippy::cast_possible_truncation, reason = "the numbers are checked to be small")]
fn to_integer(number: f64) -> Option<i64> {
    (number.is_finite() && number.abs() < 9e15).then_some(number.trunc() as i64)
}

/// Numbers around every bound and factor of both nodes, and around zero.
fn candidate_integers(one: &Value, other: &Value, work: &WorkBudget) -> (Vec<Value>, bool) {
    let mut numbers: Vec<i64> = (-2..=2).collect();
    for node in [one, other] {
        for keyword in ["minimum", "maximum", "multipleOf"] {
            if let Some(near) = numeric_bound(node, keyword).and_then(to_integer) {
                numbers.extend((-2..=2).map(|step| near.saturating_add(step)));
            }
        }
    }
    for value in keyword_list(other, "enum") {
        numbers.extend(
            value
                .as_i64()
                .into_iter()
                .flat_map(|value| [value, value.saturating_add(1), value.saturating_sub(1)]),
        );
    }
    let (low, high) = (
        numeric_bound(one, "minimum").and_then(to_integer),
        numeric_bound(one, "maximum").and_then(to_integer),
    );
    let is_plain = are_whole(one)
        && are_whole(other)
        && factors_nest(one, other)
        && numbers_nest(one, other)
        && keyword_list(other, "enum").is_empty();
    // If the schemas differ only in bounds, the numbers around those bounds are enough.
    if let (Some(low), Some(high), false) = (low, high, is_plain)
        && let Ok(count) = u64::try_from(high.saturating_sub(low))
        && count <= MOST_NUMBERS.unsigned_abs()
        && work.values.try_take(count)
    {
        let every = (low..=high).map(Value::from).collect();
        return (every, are_whole(one) && are_whole(other));
    }
    // Add more numbers than the `enum` lists, and combine every factor with every bound.
    let count = i64::try_from(keyword_list(other, "enum").len()).unwrap_or(MOST_NUMBERS) + 2;
    let from = low.or(high.map(|high| high.saturating_sub(count))).unwrap_or(0);
    numbers.extend((0..=count.min(MOST_NUMBERS)).map(|step| from.saturating_add(step)));
    if let Some(factor) = numeric_bound(one, "multipleOf").and_then(to_integer).filter(|factor| *factor > 0) {
        let near: Vec<i64> = numbers.clone();
        numbers.extend(near.iter().map(|number| number.saturating_sub(number.rem_euclid(factor))));
        numbers.extend(
            near.iter().map(|number| number.saturating_sub(number.rem_euclid(factor)).saturating_add(factor)),
        );
    }
    numbers.extend([i64::from(i32::MAX) + 1, i64::MAX, i64::MIN]);
    numbers.sort_by_key(|number| (number.unsigned_abs(), *number < 0));
    numbers.dedup();
    (numbers.into_iter().map(Value::from).collect(), is_plain)
}

/// As many numbers are visited one by one.
const MOST_NUMBERS: i64 = 2000;

/// True if bounds are integers that a float can represent.
fn are_whole(node: &Value) -> bool {
    let plain = |keyword: &str| {
        numeric_bound(node, keyword).is_none_or(|bound| bound.fract() == 0.0 && bound.abs() < 9e15)
    };
    plain("minimum") && plain("maximum") && plain("multipleOf")
}

/// True if every multiple that `one` requires is a multiple that `other` requires.
fn factors_nest(one: &Value, other: &Value) -> bool {
    match (numeric_bound(one, "multipleOf"), numeric_bound(other, "multipleOf")) {
        (_, None) => true,
        (Some(own), Some(other)) => other > 0.0 && own % other == 0.0,
        // Every whole number is a multiple of one.
        (None, Some(factor)) => (factor - 1.0).abs() == 0.0,
    }
}

/// True if the format of `other` requires nothing of numbers beyond the format of `one`.
fn numbers_nest(one: &Value, other: &Value) -> bool {
    let wanted = keyword_text(other, "format");
    !matches!(wanted, "int32" | "float") || wanted == keyword_text(one, "format")
}

/// Numbers with a fraction around every bound.
fn candidate_fractions(one: &Value, other: &Value) -> (Vec<Value>, bool) {
    let mut numbers = vec![0.5, -0.5, 1.25, 0.1];
    for node in [one, other] {
        for keyword in ["minimum", "maximum", "multipleOf"] {
            if let Some(near) = numeric_bound(node, keyword) {
                numbers.extend([near, near - 0.5, near + 0.5, near - 0.125, near + 0.125]);
            }
        }
    }
    if let (Some(low), Some(high)) = (numeric_bound(one, "minimum"), numeric_bound(one, "maximum")) {
        numbers.push(f64::midpoint(low, high) + 0.015_625);
    }
    let same = |keyword: &str| one.get(keyword) == other.get(keyword);
    let nests = |bound_key: &str, flag_key: &str, sign: f64| match (
        numeric_bound(one, bound_key),
        numeric_bound(other, bound_key),
    ) {
        (_, None) => true,
        (Some(own), Some(other_bound)) if (own - other_bound).abs() == 0.0 => {
            keyword_flag(one, flag_key) || !keyword_flag(other, flag_key)
        }
        (Some(own), Some(other_bound)) => own * sign > other_bound * sign,
        (None, Some(_)) => false,
    };
    let factor = other.get("multipleOf").is_none() || same("multipleOf");
    let exact = nests("minimum", "exclusiveMinimum", 1.0)
        && nests("maximum", "exclusiveMaximum", -1.0)
        && factor
        && numbers_nest(one, other)
        && keyword_list(other, "enum").is_empty();
    (
        numbers
            .into_iter()
            .filter_map(|number| serde_json::Number::from_f64(number).map(Value::Number))
            .collect(),
        exact,
    )
}

/// Texts of one node that may be none of the other's, and whether they are all there is.
fn candidate_strings((one, other): (&Value, &Value), is_text: bool, work: &WorkBudget) -> (Vec<Value>, bool) {
    let mut texts =
        vec![String::new(), "a".to_owned(), "A".to_owned(), "0".to_owned(), OF_NO_FORMAT.to_owned()];
    texts.extend(kvrules_generate::sample_format(keyword_text(one, "format")).map(str::to_owned));
    let range =
        |node: &Value| (keyword_size(node, "minLength").unwrap_or(0).max(0), keyword_size(node, "maxLength"));
    let (own, its) = (range(one), range(other));
    for length in [own.0, its.0, its.0 - 1].into_iter().chain(own.1).chain(its.1.map(|most| most + 1)) {
        texts.extend(
            usize::try_from(length).ok().filter(|length| *length <= LONGEST).map(|length| "a".repeat(length)),
        );
    }
    let wanted = keyword_text(other, "format");
    let formats_nest = !is_enforced_format(wanted) || wanted == keyword_text(one, "format");
    let mut exact = formats_nest;
    let mut search = StringSearch::new(one, other, work);
    // Search for any string if the other schema rejects them all; else for shorter ones than it allows, for longer
    // ones, and for ones that it rejects at any length.
    if !is_text {
        exact &= search.look(&mut texts, own.0, own.1, false);
    }
    if own.0 < its.0 {
        exact &=
            search.look(&mut texts, own.0, Some(own.1.map_or(its.0 - 1, |most| most.min(its.0 - 1))), false);
    }
    if let Some(most) = its.1.filter(|most| own.1.is_none_or(|own| own > *most)) {
        exact &= search.look(&mut texts, own.0.max(most + 1), own.1, false);
    }
    let same_pattern = keyword_text(one, "pattern") == keyword_text(other, "pattern")
        || keyword_text(other, "pattern").is_empty();
    if !same_pattern || !keyword_list(other, "enum").is_empty() {
        exact &= search.look(&mut texts, own.0, own.1, true);
    }
    (texts.into_iter().map(Value::from).collect(), exact)
}

/// Longer texts are not made.
const LONGEST: usize = 4096;

/// The expressions of two nodes.
struct StringSearch<'w> {
    work: &'w WorkBudget,
    own: Option<Automaton>,
    /// True if no automaton could be made of an expression.
    is_blind: bool,
    its: Vec<Option<Automaton>>,
}

impl<'w> StringSearch<'w> {
    fn new(one: &Value, other: &Value, work: &'w WorkBudget) -> Self {
        let own = pattern_automaton(keyword_text(one, "pattern"));
        let is_blind = own.is_none() && !keyword_text(one, "pattern").is_empty();
        let mut its = Vec::new();
        its.extend(
            Some(keyword_text(other, "pattern")).filter(|pattern| !pattern.is_empty()).map(pattern_automaton),
        );
        let listed: Vec<&str> = keyword_list(other, "enum").iter().filter_map(Value::as_str).collect();
        if !listed.is_empty() {
            its.push(one_of(&listed).to_automaton());
        }
        Self { work, own, is_blind, its }
    }

    /// Looks for texts of such a length that match; with `lacking`, for each of the other's expressions such that it does
    /// not. Whether it can be reported.
    fn look(&mut self, texts: &mut Vec<String>, least: i64, most: Option<i64>, lacking: bool) -> bool {
        if self.is_blind {
            return false;
        }
        let (Ok(least), most) = (usize::try_from(least), most.map(|most| usize::try_from(most).unwrap_or(0)))
        else {
            return false;
        };
        let matches: Vec<&Automaton> = self.own.iter().collect();
        let mut ask =
            |lacks: &[&Automaton]| match (TextDemands { matches: &matches, lacks, length: (least, most) })
                .search_within(&self.work.moves)
            {
                TextSearch::Found(text) => {
                    texts.push(text);
                    true
                }
                TextSearch::Nothing => true,
                TextSearch::TooLarge => false,
            };
        if !lacking {
            // Without a pattern, any string of the right length will do.
            return if matches.is_empty() { least <= LONGEST } else { least <= LONGEST && ask(&[]) };
        }
        let known = self.its.iter().all(Option::is_some);
        let mut is_decided = known;
        for automaton in self.its.iter().flatten() {
            is_decided &= ask(&[automaton]);
        }
        is_decided
    }
}

fn pattern_automaton(pattern: &str) -> Option<Automaton> {
    if pattern.is_empty() {
        return None;
    }
    kvrules_regex::parse(pattern).ok()?.to_automaton()
}

/// The expression that matches these texts and no others.
fn one_of(texts: &[&str]) -> Regex {
    let text = |text: &&str| RegexNode::concat(text.chars().map(RegexNode::literal));
    let any = RegexNode::group(None, RegexNode::alternate(texts.iter().map(text)));
    Regex::from_ast(RegexNode::concat([
        RegexNode::Anchor(Anchor::TextStart),
        any,
        RegexNode::Anchor(Anchor::TextEnd),
    ]))
}

/// A text that a pattern matches, of a length, and none of those that are known.
pub(super) fn another_match(
    pattern: &str,
    (least, most): (i64, Option<i64>),
    known: &[&str],
) -> Option<String> {
    let (own, others) = (pattern_automaton(pattern)?, one_of(known).to_automaton()?);
    let length = (usize::try_from(least.max(0)).ok()?, most.map(|most| usize::try_from(most).unwrap_or(0)));
    match (TextDemands { matches: &[&own], lacks: &[&others], length }).find_text() {
        TextSearch::Found(text) => Some(text),
        TextSearch::Nothing | TextSearch::TooLarge => None,
    }
}

/// A text that a pattern matches, of a length.
pub(super) fn find_match(pattern: &str, least: i64, most: Option<i64>) -> Option<String> {
    let length = (usize::try_from(least.max(0)).ok()?, most.map(|most| usize::try_from(most).unwrap_or(0)));
    kvrules_generate::text_of_length(pattern, length)
}

/// A string that matches none of the formats that texts are checked against.
const OF_NO_FORMAT: &str = "\u{1}?";
