//! Requirements in the words of the annotation.

use kvrules_diagnostics::Origin;
use kvrules_ir::{BoundValue, Constraint, EnumValue, Path, Rule, Severity};
use kvrules_kubernetes::quantity::Quantity;
use kvrules_rule_set::{AuthoredRule, Bounds, Comparison, PathStep, RulePath, RuleSeverity, ValueTest};
use serde_json::Value;

use super::clause::{Clause, Demand};

/// Rules of the annotation that may say the same as a rule of a RuleSet.
#[derive(Clone, Debug, Default)]
pub(super) struct Wording {
    pub(super) rules: Vec<Rule>,
    /// True if each applies wherever the requirement that it is made of does.
    pub(super) is_covering: bool,
}

/// Maximum number of wordings that are tried for one rule.
const MOST_WORDINGS: usize = 12;

/// Returns the wordings of requirements, which differ in the paths that `valid` names.
///
/// # Errors
///
/// The part that the annotation has no words for, as a cause.
pub(super) fn find_wordings(rule: &AuthoredRule, clauses: &[Clause]) -> Result<Vec<Wording>, String> {
    let mut wordings = vec![Wording { rules: Vec::new(), is_covering: true }];
    for clause in clauses {
        let guards: Vec<Option<&RulePath>> = match clause.guards.as_slice() {
            [] => vec![None],
            guards => guards.iter().rev().map(Some).collect(),
        };
        let mut longer = Vec::new();
        for (wording, guard) in
            wordings.iter().flat_map(|wording| guards.iter().map(move |guard| (wording, *guard)))
        {
            let mut wording = wording.clone();
            wording.is_covering &=
                guard.is_none_or(|guard| clause.guards.iter().all(|other| is_around(other, guard)));
            wording.rules.push(word_clause(rule, clause, guard)?);
            longer.push(wording);
        }
        longer.truncate(MOST_WORDINGS);
        wordings = longer;
    }
    Ok(wordings)
}

/// True if a value at one path implies that there is one at the other.
fn is_around(outer: &RulePath, inner: &RulePath) -> bool {
    inner.0.starts_with(&outer.0)
}

fn word_clause(rule: &AuthoredRule, clause: &Clause, guard: Option<&RulePath>) -> Result<Rule, String> {
    Ok(Rule {
        name: rule.name.clone(),
        message: rule.message.clone(),
        path: to_path(&clause.subject)?,
        guard: guard.map(to_path).transpose()?,
        constraint: word_demand(&clause.demand)?,
        severity: match rule.severity {
            RuleSeverity::Error => Severity::Error,
            RuleSeverity::Warn => Severity::Warning,
            RuleSeverity::Audit => return Err("the annotation writes no audit log".to_owned()),
        },
        origin: Origin::default(),
    })
}

fn word_demand(demand: &Demand) -> Result<Constraint, String> {
    match demand {
        // Every value with a text passes.
        Demand::Value => Ok(Constraint::String { min_length: Some(to_bound("0")?), max_length: None }),
        Demand::Test(test) => word_test(test),
        Demand::Comparison(how, other) => {
            let bound = || Ok::<_, String>(Some(BoundValue::Path(to_path(other)?)));
            Ok(match how {
                Comparison::AtLeast => Constraint::Integer { min: bound()?, max: None },
                Comparison::AtMost => Constraint::Integer { min: None, max: bound()? },
                Comparison::Above | Comparison::Below => {
                    return Err("bounds of the annotation are included".to_owned());
                }
                Comparison::NotEqual => return Err("no rule of the annotation excludes values".to_owned()),
                Comparison::Equal => Constraint::Enum { values: vec![EnumValue::Path(to_path(other)?)] },
            })
        }
    }
}

fn word_test(test: &ValueTest) -> Result<Constraint, String> {
    let cause = match test {
        ValueTest::Number(bounds) => {
            let (min, max) = to_bounds(bounds)?;
            return Ok(Constraint::Integer { min, max });
        }
        ValueTest::Quantity(bounds) => {
            let (min, max) = to_bounds(bounds)?;
            return Ok(Constraint::Integer { min, max });
        }
        ValueTest::Length(bounds) => {
            let (min_length, max_length) = to_bounds(bounds)?;
            return Ok(Constraint::String { min_length, max_length });
        }
        ValueTest::In(values) => {
            return Ok(Constraint::Enum { values: values.iter().map(to_choice).collect::<Result<_, _>>()? });
        }
        ValueTest::Pattern(pattern) => {
            return Ok(Constraint::Regex { pattern: pattern.clone(), origin: Origin::default() });
        }
        ValueTest::Affix(..) => "no rule of the annotation looks for a text; `pattern` does",
        ValueTest::Contains(_) => "no rule of the annotation looks for an item of a list",
        ValueTest::InQuantities(_) => "no rule of the annotation lists quantities",
        ValueTest::Items(_) => "no rule of the annotation counts items",
        ValueTest::Format(_) => "no rule of the annotation knows formats",
        ValueTest::UniqueBy(_) => "no rule of the annotation compares the items of a list",
    };
    Err(cause.to_owned())
}

type BoundValues = (Option<BoundValue>, Option<BoundValue>);

fn to_bounds<T: ToString>(bounds: &Bounds<T>) -> Result<BoundValues, String> {
    if bounds.above.is_some() || bounds.below.is_some() {
        return Err("bounds of the annotation are included".to_owned());
    }
    let bound = |limit: &Option<T>| limit.as_ref().map(|limit| to_bound(&limit.to_string())).transpose();
    Ok((bound(&bounds.min)?, bound(&bounds.max)?))
}

fn to_bound(text: &str) -> Result<BoundValue, String> {
    let number = Quantity::parse(text).map_err(|error| error.to_string())?;
    Ok(BoundValue::Number(number))
}

fn to_choice(value: &Value) -> Result<EnumValue, String> {
    match value {
        Value::String(text) => Ok(EnumValue::Text(text.clone())),
        Value::Number(_) | Value::Bool(_) => Ok(EnumValue::Text(value.to_string())),
        _ => Err("an enumeration of the annotation has only values with a text".to_owned()),
    }
}

/// The path from `spec.template` in the dialect of the annotation.
fn to_path(path: &RulePath) -> Result<Path, String> {
    let field = |name: &str| PathStep::Field(name.to_owned());
    let Some(below) = path.0.strip_prefix([field("spec"), field("template")].as_slice()) else {
        return Err(format!("rules of the annotation read `spec.template` alone, and `{path}` is outside"));
    };
    let step = |step: &PathStep| match step {
        PathStep::Each => Ok("[*]".to_owned()),
        PathStep::Field(name) if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
            Ok(format!(".{name}"))
        }
        // A dot separates fields in brackets as well.
        PathStep::Field(name) if !name.contains(['\'', '\\']) => {
            Ok(format!("['{}']", name.replace('.', "\\.")))
        }
        PathStep::Field(name) => Err(format!("a path of the annotation cannot name the field `{name}`")),
    };
    let text = below.iter().map(step).collect::<Result<String, _>>()?;
    Ok(Path { text, steps: Vec::new(), rest: Vec::new(), origin: Origin::default() })
}
