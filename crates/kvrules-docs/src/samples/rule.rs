//! A value that passes a rule of a definition and one that it alone rejects.

use kvrules_apiserver::object::ObjectSchema;
use kvrules_lift::{DefinitionRule, LiftedExpression, RuleValues};
use serde_json::{Value as Json, json};

use super::tidy::{in_usual_order, is_empty, neighbours, tidy_value};
use super::value::{Fill, ValueWriter};

/// A value, and the one that it replaces if the rule is about updates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RuleSample {
    pub(crate) value: Json,
    pub(crate) old: Option<Json>,
}

/// The samples of a rule, as far as they were found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RuleSamples {
    pub(crate) passes: Option<RuleSample>,
    pub(crate) fails: Option<RuleSample>,
}

/// Number of values that are tried for a rule of a definition, of which there may be hundreds.
pub(crate) const TRIES: usize = 40;

/// Number of values around one that passes which are tried.
const AROUND: usize = 120;

/// Number of values next to the simplest one that are tried first.
const NEAR: usize = 12;

/// Returns samples of a rule about a field of a name. The schema has to accept both, and all other rules in it.
pub(crate) fn rule_samples(
    rule: &DefinitionRule,
    formulas: &LiftedExpression,
    name: &str,
    tries: usize,
) -> RuleSamples {
    let found = find_samples(rule, formulas, (name, tries), &RuleJudge::new(rule));
    if found.fails.is_some() || count_rules(&rule.schema) == 1 {
        return found;
    }
    // A value that other rules reject too fails as well.
    let fails = find_samples(rule, formulas, (name, tries), &RuleJudge::of_rule_alone(rule)).fails;
    RuleSamples { fails, ..found }
}

fn find_samples(
    rule: &DefinitionRule,
    formulas: &LiftedExpression,
    (name, tries): (&str, usize),
    judge: &RuleJudge,
) -> RuleSamples {
    let mut found = RuleSamples::default();
    let mut values = RuleValues::new(rule, formulas);
    let simple = ValueWriter { fill: Fill::Required, budget: 0 }.write_value(name, &rule.schema, 0);
    let is_transition = rule.source.is_transition_rule();
    let near =
        neighbours(&simple).into_iter().take(NEAR).map(|near| (near, is_transition.then(|| simple.clone())));
    let first = (simple.clone(), is_transition.then(|| simple.clone()));
    let pairs = (0..tries).map(|index| {
        let value = values.make_value(index);
        let old = is_transition.then(|| values.make_value(index / 2));
        (value, old)
    });
    for (value, old) in std::iter::once(first).chain(near).chain(pairs) {
        match judge.verdict(&value, old.as_ref()) {
            // An update that changes nothing shows nothing.
            Some(true) if found.passes.is_none() && !is_empty(&value) && old.as_ref() != Some(&value) => {
                found.passes = Some(judge.tidied(value, old, name, rule, true));
            }
            Some(false) if found.fails.is_none() => {
                found.fails = Some(judge.tidied(value, old, name, rule, false));
            }
            _ => {}
        }
        if found.passes.is_some() && found.fails.is_some() {
            break;
        }
    }
    if let (Some(passes), None) = (&found.passes, &found.fails) {
        found.fails = judge.failing_near(passes);
    }
    if let Some(near) = found.fails.as_ref().and_then(|fails| judge.passing_near(fails)) {
        found.passes = Some(near);
    }
    found
}

/// Returns the values next to one, and then those next to these.
pub(crate) fn values_around(value: &Json) -> Vec<Json> {
    let near = neighbours(value);
    let around: Vec<Json> = near.iter().flat_map(neighbours).collect();
    near.into_iter().chain(around).take(AROUND).collect()
}

/// The changes of a value that a rule allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AllowedChanges {
    /// From one value to another.
    pub(crate) changes: Vec<(String, String)>,
    /// True if each value may stay.
    pub(crate) may_stay: bool,
}

/// Most allowed values whose changes are all tried.
const MOST_STATES: usize = 8;

/// Returns the changes between the allowed values of a field that a rule about updates accepts; `None` if the values are not listed,
/// or the rule does not distinguish changes.
pub(crate) fn allowed_changes(rule: &DefinitionRule) -> Option<AllowedChanges> {
    if !rule.source.is_transition_rule() || rule.source.optional_old_self {
        return None;
    }
    let values: Vec<&str> = rule.schema.get("enum")?.as_array()?.iter().filter_map(Json::as_str).collect();
    if !(2..=MOST_STATES).contains(&values.len()) {
        return None;
    }
    let judge = RuleJudge::of_rule_alone(rule);
    let mut found = AllowedChanges { changes: Vec::new(), may_stay: true };
    for old in &values {
        for new in &values {
            let is_allowed = judge.verdict(&json!(new), Some(&json!(old)))?;
            if old == new {
                found.may_stay &= is_allowed;
            } else if is_allowed {
                found.changes.push(((*old).to_owned(), (*new).to_owned()));
            }
        }
    }
    let all = values.len() * (values.len() - 1);
    (!found.changes.is_empty() && found.changes.len() < all).then_some(found)
}

fn wrapped_schema(node: &Json) -> ObjectSchema {
    ObjectSchema::new(&json!({"type": "object", "properties": {"v": node}})).without_metadata_checks()
}

fn count_rules(schema: &Json) -> usize {
    match schema {
        Json::Object(keywords) => {
            let own = keywords.get("x-kubernetes-validations").and_then(Json::as_array).map_or(0, Vec::len);
            own + keywords.values().map(count_rules).sum::<usize>()
        }
        Json::Array(items) => items.iter().map(count_rules).sum(),
        _ => 0,
    }
}

fn without_rules(schema: &Json) -> Json {
    match schema {
        Json::Object(keywords) => {
            let kept = keywords.iter().filter(|(keyword, value)| {
                !(keyword.as_str() == "x-kubernetes-validations" && value.is_array())
            });
            kept.map(|(keyword, value)| (keyword.clone(), without_rules(value))).collect()
        }
        Json::Array(items) => items.iter().map(without_rules).collect(),
        other => other.clone(),
    }
}

/// The server with and without one rule.
struct RuleJudge {
    with: ObjectSchema,
    without: ObjectSchema,
}

impl RuleJudge {
    fn new(rule: &DefinitionRule) -> Self {
        let mut without = rule.schema.as_ref().clone();
        if let Some(rules) = without.get_mut("x-kubernetes-validations").and_then(Json::as_array_mut)
            && rule.index < rules.len()
        {
            rules.remove(rule.index);
        }
        Self { with: wrapped_schema(&rule.schema), without: wrapped_schema(&without) }
    }

    /// A server that knows no other rules.
    fn of_rule_alone(rule: &DefinitionRule) -> Self {
        let without = without_rules(&rule.schema);
        let mut with = without.clone();
        let own = rule.schema.pointer(&format!("/x-kubernetes-validations/{}", rule.index));
        if let (Json::Object(keywords), Some(own)) = (&mut with, own) {
            keywords.insert("x-kubernetes-validations".to_owned(), json!([own]));
        }
        Self { with: wrapped_schema(&with), without: wrapped_schema(&without) }
    }

    /// True if the value passes everything, false if only the rule rejects it.
    fn verdict(&self, value: &Json, old: Option<&Json>) -> Option<bool> {
        let wrapped = json!({ "v": value });
        let stored = old.map(|old| self.without.admit_object(&json!({ "v": old }), None));
        if stored.as_ref().is_some_and(|stored| !stored.is_accepted() || !stored.warnings.is_empty()) {
            return None;
        }
        let stored = stored.map(|admission| admission.stored);
        let with = self.with.admit_object(&wrapped, stored.as_ref());
        if with.is_accepted() {
            return with.warnings.is_empty().then_some(true);
        }
        // A rule that ends in an error is violated too, but does not show what it requires.
        let is_decided = with.errors.iter().all(|error| !error.detail.contains("evaluating rule"));
        let without = || self.without.admit_object(&wrapped, stored.as_ref());
        (is_decided && with.warnings.is_empty() && without().is_accepted()).then_some(false)
    }

    fn tidied(
        &self,
        value: Json,
        old: Option<Json>,
        name: &str,
        rule: &DefinitionRule,
        passes: bool,
    ) -> RuleSample {
        let schema = &rule.schema;
        let is_update = old.is_some();
        let value = tidy_value(value, name, schema, &mut |value| {
            (!passes || old.as_ref() != Some(value)) && self.verdict(value, old.as_ref()) == Some(passes)
        });
        let old = old.map(|old| {
            // An update that changes nothing shows nothing.
            tidy_value(old, name, schema, &mut |old| {
                (!passes || *old != value || !is_update) && self.verdict(&value, Some(old)) == Some(passes)
            })
        });
        RuleSample { value: in_usual_order(&value), old: old.as_ref().map(in_usual_order) }
    }

    /// The first value next to one that passes which fails, or next to one of those.
    fn failing_near(&self, passes: &RuleSample) -> Option<RuleSample> {
        let old = passes.old.as_ref();
        let mut tried = values_around(&passes.value).into_iter();
        let value = tried.find(|value| self.verdict(value, old) == Some(false))?;
        Some(RuleSample { value, old: passes.old.clone() })
    }

    /// The first value next to one that fails which passes: the two show the limit.
    fn passing_near(&self, fails: &RuleSample) -> Option<RuleSample> {
        let old = fails.old.as_ref();
        let passes = |value: &Json| self.verdict(value, old) == Some(true) && Some(value) != old;
        let value = neighbours(&fails.value).into_iter().find(passes)?;
        Some(RuleSample { value, old: fails.old.clone() })
    }
}
