//! The schema of a rule set: one tree for all its rules, and a list of them.

use kvrules_ir::{ElaboratedRule, ElaboratedSet, Predicate, Severity};
use serde_json::{Map, Value, json};

use super::build::build;
use super::lower::lower;
use super::merge::in_order;
use super::shape::Shape;
use super::{Dialect, dialect::keywords};
use crate::{Fidelity, RuleFidelity};

/// The schema of a rule set.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleSetSchema {
    /// The schema. Its rules stand under `x-kvrules-rules`; what it leaves out stands in its description.
    pub schema: Value,
    /// For each rule, in order, how exactly the schema says it.
    pub fidelity: Vec<RuleFidelity>,
}

/// The schema of the objects for which a predicate holds, and how exactly it says so; the cause if it cannot.
///
/// ```
/// use kvrules_emit::schema::{Dialect, of_predicate};
/// use kvrules_ir::{Base, Place, PlaceStep, Predicate, Presence, Test, ValueType};
///
/// let bus = Place {
///     base: Base::Root,
///     steps: vec![PlaceStep::Field { name: "bus".to_owned(), presence: Presence::Optional }],
///     value_type: ValueType::String,
///     default: None,
/// };
/// let rule = Predicate::Test { place: bus, test: Test::OneOf(["sata".to_owned()].into()) };
/// let (schema, _) = of_predicate(&rule, Dialect::OpenApi30).unwrap();
/// assert_eq!(
///     schema.to_string(),
///     r#"{"type":"object","required":["bus"],"properties":{"bus":{"type":"string","enum":["sata"]}}}"#,
/// );
/// ```
pub fn of_predicate(predicate: &Predicate, dialect: Dialect) -> Result<(Value, Fidelity), String> {
    let (shape, losses) = lower(predicate, dialect)?;
    Ok((build(&shape, dialect).into(), losses.fidelity()))
}

/// The schema of a rule set.
pub fn of_rule_set(set: &ElaboratedSet, dialect: Dialect) -> RuleSetSchema {
    let lowered: Vec<_> = set.rules.iter().map(|rule| (rule, Lowered::of(rule, dialect))).collect();
    let shapes = lowered.iter().filter_map(|(_, lowered)| lowered.shape.clone());
    let body = build(&Shape::all(shapes), dialect);
    let fidelity = |(rule, lowered): &(&ElaboratedRule, Lowered)| RuleFidelity {
        set: set.name.clone(),
        rule: rule.name.clone(),
        fidelity: lowered.fidelity.clone(),
    };
    RuleSetSchema {
        schema: with_head(set, &lowered, body).into(),
        fidelity: lowered.iter().map(fidelity).collect(),
    }
}

/// A rule's part in the schema.
struct Lowered {
    /// `None` where the rule is left out.
    shape: Option<Shape>,
    fidelity: Fidelity,
}

impl Lowered {
    fn of(rule: &ElaboratedRule, dialect: Dialect) -> Self {
        let shape = match rule.severity {
            Severity::Warning => Err("a schema can only reject, and this rule only warns".to_owned()),
            Severity::Error => lower(&rule.predicate, dialect),
        };
        match shape {
            Ok((shape, losses)) => Self { shape: Some(shape), fidelity: losses.fidelity() },
            Err(cause) => Self { shape: None, fidelity: Fidelity::Unsupported(cause) },
        }
    }
}

/// Puts the description and the list of rules before the schema's body.
fn with_head(
    set: &ElaboratedSet,
    rules: &[(&ElaboratedRule, Lowered)],
    body: Map<String, Value>,
) -> Map<String, Value> {
    let mut schema = body;
    schema.insert("type".to_owned(), "object".into()); // a subject is an object
    schema.insert("description".to_owned(), description(set, rules).into());
    let inside = rules.iter().filter(|(_, lowered)| lowered.shape.is_some());
    let list: Vec<Value> = inside.map(|(rule, lowered)| entry(rule, &lowered.fidelity).into()).collect();
    schema.insert("x-kvrules-rules".to_owned(), list.into());
    in_order(schema)
}

fn entry(rule: &ElaboratedRule, fidelity: &Fidelity) -> Map<String, Value> {
    let severity = if rule.severity == Severity::Warning { "warning" } else { "error" };
    let mut entry = keywords([
        ("name", json!(rule.name)),
        ("message", json!(rule.message)),
        ("severity", severity.into()),
        ("path", json!(rule.requirement.subject.text)),
    ]);
    if let Some(cause) = fidelity.cause() {
        entry.insert("fidelity".to_owned(), fidelity.as_str().into());
        entry.insert("cause".to_owned(), cause.into());
    }
    entry
}

fn description(set: &ElaboratedSet, rules: &[(&ElaboratedRule, Lowered)]) -> String {
    let absent = || rules.iter().filter(|(_, lowered)| lowered.shape.is_none());
    let warnings = absent().filter(|(rule, _)| rule.severity == Severity::Warning);
    let warnings = warnings.map(|(rule, _)| format!("- `{}`: {}", rule.name, rule.message));
    let unsaid = absent().filter(|(rule, _)| rule.severity == Severity::Error);
    let unsaid = unsaid.filter_map(|(rule, lowered)| Some((&rule.name, lowered.fidelity.cause()?)));
    let meaningless = set.left_out.iter().map(|rule| (&rule.name, rule.cause.text.as_str()));
    let unsaid = unsaid.chain(meaningless).map(|(name, cause)| format!("- `{name}`: {cause}"));
    let sections = [
        Some(format!("A VirtualMachine that keeps the rules of `{}`.", set.name)),
        section("These rules only warn, so the schema leaves them out:", &warnings.collect::<Vec<_>>()),
        section("These rules are not in the schema:", &unsaid.collect::<Vec<_>>()),
    ];
    sections.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

fn section(title: &str, lines: &[String]) -> Option<String> {
    (!lines.is_empty()).then(|| format!("{title}\n{}", lines.join("\n")))
}
