//! The server's answer to a violated rule: its message, the value that violates it, and what the rule allows.
//!
//! The server evaluates a `messageExpression` to a string, and falls back to `message` if the expression fails. In
//! its cost estimate, the argument of `format()` costs nothing, however long it is, but a result of `+` or
//! `string()` may have any length.

use kvrules_ir::{ElaboratedRule, Place, PlaceStep, Predicate, Scalar, Selector, ValueTest, ValueType};

use super::context::{NegationContext, PredicateLowering};
use super::dialect::{Dialect, FieldTypes};
use super::expr::{Expr, Operator};
use super::place::PlaceReading;
use super::shared::SharedParts;
use super::{constant, phrases, rule_message, test};

/// An expression for the message of a rule with what it is about. `None` where the message alone must do.
pub(crate) fn explain_rule(rule: &ElaboratedRule, dialect: Dialect, shared: &SharedParts) -> Option<Expr> {
    let requirement = &rule.requirement;
    let [test] = requirement.tests.as_slice() else { return None };
    let is_reported = requirement.compared_with.is_empty() && requirement.subject.leaf.value_type.is_scalar();
    let mut explained = ExplainedPlace {
        rule,
        subject: &requirement.subject,
        test: &test::finite(test),
        opening: rule_message(rule).trim_end_matches(['.', ':']).to_owned(),
        lowering: PredicateLowering::new(dialect, shared),
    };
    let message = match requirement.subject.lists.as_slice() {
        _ if !is_reported => None,
        [] => explained.value(),
        // With declared types the server estimates the cost for the maximum length of the list, which would exceed
        // the limit.
        [list] if dialect.types == FieldTypes::Dynamic => explained.elements(list),
        _ => None,
    };
    message.map(Expr::simplified)
}

struct ExplainedPlace<'a> {
    rule: &'a ElaboratedRule,
    subject: &'a Selector,
    test: &'a ValueTest,
    /// The author's message.
    opening: String,
    lowering: PredicateLowering<'a>,
}

impl ExplainedPlace<'_> {
    /// About the one value that a rule evaluates: `…: memory.guest 512Mi is less than the required 2Gi`.
    fn value(&self) -> Option<Expr> {
        let place = &self.subject.leaf;
        let reading = self.lowering.scope().read(place).ok()?;
        let exists = Expr::all_of(reading.exists.clone());
        let is_length = matches!(self.test, ValueTest::Length(_));
        let (noun, value) = (phrases::place_noun(place), spelled_or_default(place, reading, is_length)?);
        let message = if is_length {
            let complaint = phrases::describe_violation(self.test, place.value_type, self.rule.severity)?;
            let size = (place.value_type == ValueType::String).then(|| Expr::call_function("size", value))?;
            Expr::format_text(self.text(&format!("the length of {noun}"), "%d", &complaint), vec![size])
        } else {
            let complaint = phrases::describe_violation(self.test, place.value_type, self.rule.severity)?;
            let (verb, value) = format_argument(place.value_type, value);
            Expr::format_text(self.text(&noun, verb, &complaint), vec![value])
        };
        let guard = self.rule.requirement.guard.as_ref();
        let is_there =
            guard.is_some_and(|guard| guard.lists.is_empty() && guard.leaf.implies_existence_of(place));
        if is_there { Some(message) } else { Some(message.if_then_else(exists, self.missing(&noun))) }
    }

    /// About the elements of a list that break a rule: `…: rootdisk has ide; allowed are sata and virtio`.
    fn elements(&mut self, list: &Place) -> Option<Expr> {
        let (holds, asks_for_some) = evaluated_predicate(&self.rule.predicate, list)?;
        let (guards, elements) = self.lowering.scope().elements(list).ok()?;
        if !guards.is_empty() {
            return None;
        }
        let (is_named, leaf) = (has_names(list), &self.subject.leaf);
        let (variable, explained) = self.lowering.for_element(list, |lowering| {
            let body = lowering.predicate(holds, NegationContext::Plain).ok()?.simplified();
            let element = Expr::name(lowering.variables.last()?);
            Some((body, element_label(is_named.then_some(element), lowering.scope().read(leaf).ok()?, leaf)))
        });
        let (body, label) = explained?;
        let breaks = body.clone().not();
        let label = label.simplified_where(&breaks);
        let broken = elements.clone().filter(variable.clone(), breaks);
        let listed = broken.map(variable.clone(), label).call_method("join", Expr::from_text(", "));
        let demand = phrases::describe_demand(self.test, leaf.value_type, self.rule.severity);
        let demand = demand.map(|demand| format!("; {demand}")).unwrap_or_default();
        let text = format!("{}: %s{}", escape_format(&self.opening), escape_format(&demand));
        let message = Expr::format_text(text, vec![listed]);
        if asks_for_some {
            let missing = self.missing(&phrases::noun_in(list, leaf));
            return Some(missing.if_then_else(elements.all(variable, body), message));
        }
        Some(message)
    }

    fn text(&self, noun: &str, verb: &str, complaint: &str) -> String {
        format!(
            "{}: {} {verb} {}",
            escape_format(&self.opening),
            escape_format(noun),
            escape_format(complaint)
        )
    }

    fn missing(&self, noun: &str) -> Expr {
        Expr::from_text(format!("{}: {noun} is missing", self.opening))
    }
}

/// Literal text in a format.
fn escape_format(text: &str) -> String {
    text.replace('%', "%%")
}

/// The value that is spelled out, else the default: as it is, or so that it can be seen.
fn spelled_or_default(place: &Place, reading: PlaceReading, as_it_is: bool) -> Option<Expr> {
    if reading.spelled.is_empty() {
        return Some(reading.value);
    }
    let default = match constant::default_scalar(place)? {
        Scalar::Integer(number) => Expr::Int(i64::try_from(&number).ok()?),
        Scalar::Text(text) if text.is_empty() && !as_it_is => Expr::from_text("\"\""),
        Scalar::Text(text) => Expr::Text(text),
        Scalar::Boolean(truth) => Expr::Bool(truth),
    };
    Some(reading.value.if_then_else(Expr::all_of(reading.spelled), default))
}

/// A value as a format takes it.
fn format_argument(kind: ValueType, value: Expr) -> (&'static str, Expr) {
    match kind {
        ValueType::Integer => ("%d", value),
        ValueType::Quantity | ValueType::IntOrString => ("%s", Expr::call_function("string", value)),
        _ => ("%s", value),
    }
}

/// Returns the predicate for each element, and true if one must count. `None` for rules of another shape.
fn evaluated_predicate<'p>(predicate: &'p Predicate, wanted: &Place) -> Option<(&'p Predicate, bool)> {
    match predicate {
        Predicate::Each { list, holds } if list == wanted => Some((holds, false)),
        Predicate::All(parts) => {
            let each = parts.iter().find_map(|part| evaluated_predicate(part, wanted))?;
            let others = parts.iter().filter(|part| evaluated_predicate(part, wanted).is_none());
            let asks = |part: &Predicate| matches!(part, Predicate::Some { .. } | Predicate::Present(_));
            others.clone().all(asks).then_some((each.0, true))
        }
        Predicate::Any(parts) => {
            let mut others = parts.iter().filter(|part| evaluated_predicate(part, wanted).is_none());
            let is_guard = others.all(|part| matches!(part, Predicate::Not(_)));
            is_guard.then(|| parts.iter().find_map(|part| evaluated_predicate(part, wanted))).flatten()
        }
        _ => None,
    }
}

/// Lists of a virtual machine whose elements all have a name.
fn has_names(list: &Place) -> bool {
    let named = ["disks", "interfaces", "volumes", "networks", "filesystems", "gpus", "hostDevices"];
    matches!(list.steps.last(), Some(PlaceStep::Field { name, .. }) if named.contains(&name.as_str()))
}

/// An element by its name and value, or by its value alone.
fn element_label(element: Option<Expr>, reading: PlaceReading, place: &Place) -> Expr {
    let exists = Expr::all_of(reading.exists.clone());
    let spelled = Expr::all_of(reading.spelled.clone());
    let value = match place.value_type {
        ValueType::String => reading.value,
        ValueType::Boolean => Expr::from_text("true").if_then_else(reading.value, Expr::from_text("false")),
        _ => Expr::call_function("string", reading.value),
    };
    let none = Expr::from_text("none");
    let default = constant::default_scalar(place).map(|default| constant::constant_text(&default));
    let value = match default.filter(|text| !text.is_empty()) {
        Some(default) => value.if_then_else(spelled, Expr::from_text(default)).if_then_else(exists, none),
        None => value.if_then_else(Expr::all_of([exists, spelled]), none),
    };
    match element {
        None => value,
        Some(element) => element
            .select_field("name")
            .apply_operator(Operator::Plus, Expr::from_text(" has "))
            .apply_operator(Operator::Plus, value),
    }
}
