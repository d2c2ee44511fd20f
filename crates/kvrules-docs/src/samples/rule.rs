//! A value that passes a rule of a definition and one that it alone rejects.

use kvrules_apiserver::object::ObjectSchema;
use kvrules_lift::{DefinitionRule, LiftedExpression, RuleValues, formula_verdict};
use serde_json::{Value as Json, json};

use super::tidy::{TIDYING, in_usual_order, is_empty, neighbours, tidy_value};
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

/// The server for the values of one place. The rules of the place share it.
pub(crate) struct PlaceServer {
    server: ObjectSchema,
    /// Number of rules at and below the place.
    rules: usize,
}

impl PlaceServer {
    pub(crate) fn new(schema: &Json) -> Self {
        let wrapped = json!({"type": "object", "properties": {"v": schema}});
        Self { server: ObjectSchema::new(&wrapped).without_metadata_checks(), rules: count_rules(schema) }
    }

    /// True if a value may replace another. `None` if the other is rejected itself, or a rule ends in an error.
    fn allows_change(&self, old: &Json, new: &Json) -> Option<bool> {
        let stored = self.server.admit_object(&json!({ "v": old }), None);
        let stored = stored.is_accepted().then_some(stored.stored)?;
        let written = self.server.admit_object(&json!({ "v": new }), Some(&stored));
        let is_decided = written.errors.len() == written.by_rules.len()
            && written.errors.iter().all(|error| !error.detail.contains("evaluating rule"));
        is_decided.then(|| written.is_accepted())
    }

    /// Number of times that a value is simplified: each time all rules run.
    fn tries(&self) -> usize {
        (MOST_RUNS / self.rules.max(1)).clamp(8, TIDYING)
    }
}

/// Number of rules that run to simplify one value.
const MOST_RUNS: usize = 8_000;

/// Returns samples of a rule about a field of a name. The schema has to accept both, and all other rules in it.
pub(crate) fn rule_samples(
    rule: &DefinitionRule,
    formulas: &LiftedExpression,
    (name, tries): (&str, usize),
    place: &PlaceServer,
) -> RuleSamples {
    let judge = RuleJudge { place, rule, formulas, is_alone: false };
    let found = find_samples(rule, formulas, (name, tries), &judge);
    if found.fails.is_some() || place.rules == 1 {
        return found;
    }
    // A value that other rules reject too fails as well.
    let judge = RuleJudge { is_alone: true, ..judge };
    let fails = find_samples(rule, formulas, (name, tries), &judge).fails;
    RuleSamples { fails, ..found }
}

fn find_samples(
    rule: &DefinitionRule,
    formulas: &LiftedExpression,
    (name, tries): (&str, usize),
    judge: &RuleJudge<'_>,
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
    let mut schema = without_rules(&rule.schema);
    let own = rule.schema.pointer(&format!("/x-kubernetes-validations/{}", rule.index))?;
    schema.as_object_mut()?.insert("x-kubernetes-validations".to_owned(), json!([own]));
    let place = PlaceServer::new(&schema);
    let mut found = AllowedChanges { changes: Vec::new(), may_stay: true };
    for old in &values {
        for new in &values {
            let is_allowed = place.allows_change(&json!(old), &json!(new))?;
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

/// A rule, and the server with all rules of its place.
struct RuleJudge<'a> {
    place: &'a PlaceServer,
    rule: &'a DefinitionRule,
    formulas: &'a LiftedExpression,
    /// True if the other rules do not count.
    is_alone: bool,
}

impl RuleJudge<'_> {
    /// True if the value passes everything, false if only the rule rejects it.
    fn verdict(&self, value: &Json, old: Option<&Json>) -> Option<bool> {
        let server = &self.place.server;
        let stored = old.map(|old| server.admit_object(&json!({ "v": old }), None));
        if stored.as_ref().is_some_and(|stored| !stored.is_accepted() || !stored.warnings.is_empty()) {
            return None;
        }
        let stored = stored.map(|admission| admission.stored);
        let written = server.admit_object(&json!({ "v": value }), stored.as_ref());
        if !written.warnings.is_empty() || written.errors.len() > written.by_rules.len() {
            return None;
        }
        let is_violated = || {
            let of_old = stored.as_ref().and_then(|stored| stored.get("v"));
            let value = written.stored.get("v");
            value.is_some_and(|value| formula_verdict(self.rule, self.formulas, value, of_old) == Some(false))
        };
        match written.errors.as_slice() {
            [] => Some(true),
            // A rule that ends in an error is violated too, but does not show what it requires.
            [error] => (!error.detail.contains("evaluating rule") && is_violated()).then_some(false),
            _ => (self.is_alone && is_violated()).then_some(false),
        }
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
        let (is_update, tries) = (old.is_some(), self.place.tries());
        let value = tidy_value(value, name, schema, tries, &mut |value| {
            (!passes || old.as_ref() != Some(value)) && self.verdict(value, old.as_ref()) == Some(passes)
        });
        let old = old.map(|old| {
            // An update that changes nothing shows nothing.
            tidy_value(old, name, schema, tries, &mut |old| {
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
