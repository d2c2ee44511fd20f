//! The schema of a rule set: one tree for all its rules, and a list of them.

use kvrules_ir::{ElaboratedRule, ElaboratedSet, Predicate, Severity, Subject};
use serde_json::{Map, Value, json};

use super::build::build_schema;
use super::lower::lower_predicate;
use super::merge::in_order;
use super::shape::ValueShape;
use super::{Dialect, QuantityMode, dialect::schema_of_keywords, text};
use crate::{Fidelity, RuleFidelity};

/// The schema of a rule set.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleSetSchema {
    /// The schema. Its rules stand under `x-kvrules-rules`; what it leaves out is in its description.
    pub schema: Value,
    /// The fidelity of each rule, in order.
    pub fidelity: Vec<RuleFidelity>,
}

/// The schema of the objects that satisfy a predicate, with its fidelity, or the reason why there is no such
/// schema.
///
/// ```
/// use kvrules_emit::schema::{Dialect, QuantityMode, of_predicate};
/// use kvrules_ir::{PlaceBase, Place, PlaceStep, Predicate, Presence, ValueTest, ValueType};
///
/// let bus = Place {
///     base: PlaceBase::Root,
///     steps: vec![PlaceStep::Field { name: "bus".to_owned(), presence: Presence::Optional }],
///     value_type: ValueType::String,
///     default: None,
/// };
/// let rule = Predicate::Test { place: bus, test: ValueTest::OneOf(["sata".to_owned()].into()) };
/// let (schema, _) = of_predicate(&rule, Dialect::OpenApi30, QuantityMode::Plain).unwrap();
/// assert_eq!(
///     schema.to_string(),
///     r#"{"type":"object","required":["bus"],"properties":{"bus":{"type":"string","enum":["sata"]}}}"#,
/// );
/// ```
pub fn of_predicate(
    predicate: &Predicate,
    dialect: Dialect,
    quantities: QuantityMode,
) -> Result<(Value, Fidelity), String> {
    let (shape, losses) = lower_predicate(predicate, dialect, quantities)?;
    Ok((build_schema(&shape, dialect).into(), losses.fidelity()))
}

/// The schema of a rule set about objects of a kind.
pub fn of_rule_set(
    set: &ElaboratedSet,
    subject: &Subject,
    dialect: Dialect,
    quantities: QuantityMode,
) -> RuleSetSchema {
    let lowered: Vec<_> =
        set.rules.iter().map(|rule| (rule, LoweredRule::of(rule, dialect, quantities))).collect();
    let shapes = lowered.iter().filter_map(|(_, lowered)| lowered.shape.clone());
    let mut schema = build_schema(&ValueShape::all(shapes), dialect);
    schema.insert("type".to_owned(), "object".into()); // a subject is an object
    schema.insert("description".to_owned(), set_description(set, subject, &lowered, dialect).into());
    if dialect.has_extensions() {
        let inside = lowered.iter().filter(|(_, lowered)| lowered.shape.is_some());
        let list: Vec<Value> =
            inside.map(|(rule, lowered)| rule_entry(rule, &lowered.fidelity).into()).collect();
        schema.insert("x-kvrules-rules".to_owned(), list.into());
    }
    let fidelity = |(rule, lowered): &(&ElaboratedRule, LoweredRule)| RuleFidelity {
        set: set.name.clone(),
        rule: rule.name.clone(),
        fidelity: lowered.fidelity.clone(),
    };
    RuleSetSchema { schema: in_order(schema).into(), fidelity: lowered.iter().map(fidelity).collect() }
}

/// A rule's part in the schema.
struct LoweredRule {
    /// `None` where the rule is left out.
    shape: Option<ValueShape>,
    fidelity: Fidelity,
}

impl LoweredRule {
    fn of(rule: &ElaboratedRule, dialect: Dialect, quantities: QuantityMode) -> Self {
        let shape = match rule.severity {
            Severity::Warning => Err("a schema can only reject, and this rule only warns".to_owned()),
            Severity::Error => lower_predicate(&rule.predicate, dialect, quantities),
        };
        match shape {
            Ok((shape, losses)) => Self { shape: Some(shape), fidelity: losses.fidelity() },
            Err(cause) => Self { shape: None, fidelity: Fidelity::Unsupported(cause) },
        }
    }
}

fn rule_entry(rule: &ElaboratedRule, fidelity: &Fidelity) -> Map<String, Value> {
    let severity = if rule.severity == Severity::Warning { "warning" } else { "error" };
    let mut entry = schema_of_keywords([
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

/// Returns the description of the schema for readers: what it requires and what it leaves out.
fn set_description(
    set: &ElaboratedSet,
    subject: &Subject,
    rules: &[(&ElaboratedRule, LoweredRule)],
    dialect: Dialect,
) -> String {
    // Dialects with extensions list the rules in an extension instead.
    let inside = rules.iter().filter(|(_, lowered)| lowered.shape.is_some() && !dialect.has_extensions());
    let inside = inside.map(|(rule, lowered)| match (lowered.fidelity.as_str(), lowered.fidelity.cause()) {
        (word, Some(cause)) => text::list_entry(&rule.name, &format!("{} ({word}: {cause})", rule.message)),
        _ => text::list_entry(&rule.name, &rule.message),
    });
    let absent = || rules.iter().filter(|(_, lowered)| lowered.shape.is_none());
    let warnings = absent().filter(|(rule, _)| rule.severity == Severity::Warning);
    // The descriptions of OpenAPI are Markdown, those of JSON Schema are not.
    let wording =
        |text: &str| if dialect.has_extensions() { text::as_markdown(text) } else { text.to_owned() };
    let warnings = warnings.map(|(rule, _)| text::list_entry(&rule.name, &wording(&rule.message)));
    let unexpressed = absent().filter(|(rule, _)| rule.severity == Severity::Error);
    let unexpressed = unexpressed.filter_map(|(rule, lowered)| Some((&rule.name, lowered.fidelity.cause()?)));
    let meaningless = set.left_out.iter().map(|rule| (&rule.name, rule.cause.text.as_str()));
    let unexpressed = unexpressed.chain(meaningless).map(|(name, cause)| text::list_entry(name, cause));
    let noun = text::with_article(subject.kind_noun());
    let sections = [
        Some(format!("{noun} that satisfies the rules of {}.", text::as_code(&set.name))),
        list_section("These rules are in the schema:", &inside.collect::<Vec<_>>()),
        list_section("These rules only warn, so the schema leaves them out:", &warnings.collect::<Vec<_>>()),
        list_section("These rules are not in the schema:", &unexpressed.collect::<Vec<_>>()),
    ];
    sections.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

fn list_section(title: &str, lines: &[String]) -> Option<String> {
    (!lines.is_empty()).then(|| format!("{title}\n{}", lines.join("\n")))
}
