//! A value that passes a rule of a definition and one that it alone rejects.

use std::sync::{Arc, OnceLock};

use kvrules_apiserver::object::{DecodedObject, ObjectSchema};
use kvrules_generate::without_rules;
use kvrules_ir::Formula;
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_lift::{
    DefinitionRule, FormulaScope, FormulaVerdict, LiftedExpression, RuleValues, ValuesSchema,
};
use serde_json::{Value as Json, json};

use super::satisfied::{PlaceRule, place_rules, satisfied_values};
use super::tidy::{TIDYING, in_usual_order, is_empty, neighbours, tidy_value};
use super::value::{Fill, ValueWriter, scalar_values};

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

/// Number of usual values of a field that are tried.
const USUAL: usize = 6;

/// Number of values next to the simplest one that are tried first.
const NEAR: usize = 12;

/// The server for the values of one place. The rules of the place share it.
pub(crate) struct PlaceServer {
    server: ObjectSchema,
    /// Number of rules at and below the place.
    rules: usize,
    schema: ValuesSchema<'static>,
    is_root: bool,
    /// Those with formulas, once they are needed.
    formulas: OnceLock<Vec<PlaceRule<'static>>>,
}

impl PlaceServer {
    /// The server for values of a schema; `is_root` says that they are whole objects.
    pub(crate) fn new(schema: &ValuesSchema<'static>, is_root: bool) -> Self {
        let wrapped = [
            ("type".to_owned(), Json::from("object")),
            ("properties".to_owned(), wrap_value(Json::clone(schema))),
        ];
        let wrapped = Json::Object(wrapped.into_iter().collect());
        Self {
            server: ObjectSchema::sharing_schema(Arc::new(wrapped)).without_metadata_checks(),
            rules: count_rules(schema),
            schema: schema.clone(),
            is_root,
            formulas: OnceLock::new(),
        }
    }

    /// With the rules at and below the place that have formulas, which were lifted before.
    pub(crate) fn with_rules(self, rules: Vec<PlaceRule<'static>>) -> Self {
        Self { formulas: OnceLock::from(rules), ..self }
    }

    fn rules_with_formulas(&self) -> &[PlaceRule<'static>] {
        let make =
            || place_rules(&self.schema, self.is_root).into_iter().map(PlaceRule::into_owned).collect();
        self.formulas.get_or_init(make)
    }

    /// The conditions under which other rules of the place reject a value that is created, as far as they are known.
    fn other_failures(&self, rule: &DefinitionRule) -> Vec<&Formula> {
        let known = self.formulas.get().into_iter().flatten();
        let others = known.filter(|it| it.steps.is_empty() && it.rule.index != rule.index);
        let created = others.filter(|it| !it.rule.source.is_transition_rule());
        created.map(|it| &it.formulas.fails).collect()
    }

    /// The value with what the server fills in.
    fn decoded(&self, value: &Json) -> Option<Json> {
        let decoded = self.server.decode_new_value(wrap_value(value.clone()))?;
        decoded.into_object().as_object_mut()?.remove("v")
    }

    /// True if a value may replace another. `None` if the other is rejected itself, or a rule ends in an error.
    fn allows_change(&self, old: &Json, new: &Json) -> Option<bool> {
        let stored = self.server.admit_value(wrap_value(old.clone()));
        let stored = stored.is_accepted().then_some(stored.stored)?;
        let written = self.server.admit_object(&wrap_value(new.clone()), Some(&stored));
        let is_decided = written.errors.len() == written.by_rules.len()
            && written.errors.iter().all(|error| !error.detail.contains("evaluating rule"));
        is_decided.then(|| written.is_accepted())
    }

    /// Number of times that a value is simplified: each time all rules run.
    fn tries(&self) -> usize {
        (MOST_RUNS / self.rules.max(1)).clamp(8, TIDYING)
    }
}

/// An object with a value as its only field. `json!` would serialise the value into a copy.
fn wrap_value(value: Json) -> Json {
    Json::Object(std::iter::once(("v".to_owned(), value)).collect())
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
    let verdict = FormulaVerdict::new(rule, formulas);
    let others = place.other_failures(rule);
    let trial = RuleTrial { place, rule, verdict: &verdict, others: &others, name, is_alone: false };
    let mut found = find_samples(Candidates::new(rule, formulas, name, tries), &trial);
    if found.samples.passes.is_none() || found.samples.fails.is_none() {
        found.add_satisfied(&trial, formulas);
    }
    let FoundSamples { samples, first_pass, rejected } = found;
    if samples.fails.is_some() || place.rules == 1 {
        return samples;
    }
    // A value that other rules reject too fails as well.
    let trial = RuleTrial { is_alone: true, ..trial };
    let fails = rejected.map(|(value, old)| trial.tidied(value, old, false));
    let fails = fails.or_else(|| trial.failing_near(first_pass.as_ref()?));
    RuleSamples { fails, ..samples }
}

/// Values for a rule, and the ones that they replace if the rule is about updates: the simplest, those next to it, the simplest with
/// values that the rule names, and others of the schema.
struct Candidates {
    first: std::vec::IntoIter<(Json, Option<Json>)>,
    values: RuleValues,
    made: std::ops::Range<usize>,
    is_transition: bool,
}

impl Candidates {
    fn new(rule: &DefinitionRule, formulas: &LiftedExpression, name: &str, tries: usize) -> Self {
        let simple = ValueWriter { fill: Fill::Required, budget: 0 }.write_value(name, &rule.schema, 0);
        let is_transition = rule.source.is_transition_rule();
        let values = RuleValues::new(rule, formulas);
        let old = is_transition.then(|| simple.clone());
        let changed = values.changed_values(&simple);
        let usual = scalar_values(name, &rule.schema).into_iter().take(USUAL);
        let near = neighbours(&simple).into_iter().take(NEAR).chain(usual).chain(changed.iter().cloned());
        let of_new = std::iter::once(simple.clone()).chain(near).map(|value| (value, old.clone()));
        let replaced = changed.iter().filter(|_| is_transition);
        let of_old = replaced.map(|changed| (simple.clone(), Some(changed.clone())));
        let first: Vec<_> = of_new.chain(of_old).collect();
        Self { first: first.into_iter(), values, made: 0..tries, is_transition }
    }
}

impl Iterator for Candidates {
    type Item = (Json, Option<Json>);

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(first) = self.first.next() {
            return Some(first);
        }
        let index = self.made.next()?;
        let value = self.values.make_value(index);
        let old = self.is_transition.then(|| self.values.make_value(index / 2));
        Some((value, old))
    }
}

/// Samples of a rule, and what was found on the way.
struct FoundSamples {
    samples: RuleSamples,
    /// The sample that passes before it was replaced by one next to the one that fails.
    first_pass: Option<RuleSample>,
    /// The first value that the rule and others reject, and the value that it replaces.
    rejected: Option<(Json, Option<Json>)>,
}

fn find_samples(candidates: Candidates, trial: &RuleTrial<'_>) -> FoundSamples {
    let mut found = RuleSamples::default();
    let mut rejected = None;
    for (value, old) in candidates {
        let may_pass = found.passes.is_none() && !is_empty(&value);
        let may_fail = found.fails.is_none();
        let wanted = WantedVerdicts {
            passes: may_pass,
            fails: may_fail,
            fails_with_others: may_fail && rejected.is_none(),
        };
        match trial.find_verdict(&value, old.as_ref(), wanted) {
            Some(Verdict::Passes) => found.passes = Some(trial.tidied(value, old, true)),
            Some(Verdict::Fails) => found.fails = Some(trial.tidied(value, old, false)),
            Some(Verdict::FailsWithOthers) => _ = rejected.get_or_insert((value, old)),
            None => {}
        }
        if found.passes.is_some() && found.fails.is_some() {
            break;
        }
    }
    if let (Some(passes), None) = (&found.passes, &found.fails) {
        found.fails = trial.failing_near(passes);
    }
    let first = found.passes.clone();
    if let Some(near) = found.fails.as_ref().and_then(|fails| trial.passing_near(fails)) {
        found.passes = Some(near);
    }
    FoundSamples { samples: found, first_pass: first, rejected }
}

impl FoundSamples {
    /// Looks for what is missing among values that are changed until rules hold.
    fn add_satisfied(&mut self, trial: &RuleTrial<'_>, formulas: &LiftedExpression) {
        let rules = trial.place.rules_with_formulas();
        let simple =
            ValueWriter { fill: Fill::Required, budget: 0 }.write_value(trial.name, &trial.rule.schema, 0);
        let Some(start) = trial.place.decoded(&simple) else { return };
        let is_transition = trial.rule.source.is_transition_rule();
        let old = if is_transition { satisfied_values(rules, &start, None, None).next() } else { None };
        if is_transition && old.is_none() {
            return;
        }
        if self.samples.passes.is_none() {
            let mut passing = satisfied_values(rules, &start, old.as_ref(), None);
            let value = passing.find(|value| !is_empty(value) && trial.passes(value, old.as_ref()));
            self.samples.passes = value.map(|value| trial.tidied(value, old.clone(), true));
        }
        if self.samples.fails.is_none() {
            let start =
                self.samples.passes.as_ref().and_then(|it| trial.place.decoded(&it.value)).unwrap_or(start);
            let except = Some((trial.rule.index, formulas));
            let mut failing = satisfied_values(rules, &start, old.as_ref(), except);
            let value = failing.find(|value| trial.fails(value, old.as_ref()));
            self.samples.fails = value.map(|value| trial.tidied(value, old.clone(), false));
        }
    }
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
    schema.as_object_mut()?.insert(VALIDATIONS.to_owned(), json!([own]));
    let place = PlaceServer::new(&schema.into(), false);
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
            let own = keywords.get(VALIDATIONS).and_then(Json::as_array).map_or(0, Vec::len);
            own + keywords.values().map(count_rules).sum::<usize>()
        }
        Json::Array(items) => items.iter().map(count_rules).sum(),
        _ => 0,
    }
}

/// The verdict of a server on a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// It is accepted.
    Passes,
    /// One rule rejects it.
    Fails,
    /// Several rules reject it.
    FailsWithOthers,
}

/// The verdicts that are looked for.
#[derive(Clone, Copy)]
struct WantedVerdicts {
    passes: bool,
    fails: bool,
    fails_with_others: bool,
}

/// A rule, and the server with all rules of its place.
struct RuleTrial<'a> {
    place: &'a PlaceServer,
    rule: &'a DefinitionRule<'a>,
    verdict: &'a FormulaVerdict<'a>,
    /// The conditions under which other rules of the place reject a value that is created.
    others: &'a [&'a Formula],
    /// The name of the field.
    name: &'a str,
    /// True if the other rules do not count.
    is_alone: bool,
}

impl RuleTrial<'_> {
    /// True if the value passes everything.
    fn passes(&self, value: &Json, old: Option<&Json>) -> bool {
        let wanted = WantedVerdicts { passes: true, fails: false, fails_with_others: false };
        self.find_verdict(value, old, wanted) == Some(Verdict::Passes)
    }

    /// True if the rule rejects the value, and the others do not count or accept it.
    fn fails(&self, value: &Json, old: Option<&Json>) -> bool {
        let wanted = WantedVerdicts { passes: false, fails: true, fails_with_others: self.is_alone };
        match self.find_verdict(value, old, wanted) {
            Some(Verdict::Fails) => true,
            Some(Verdict::FailsWithOthers) => self.is_alone,
            Some(Verdict::Passes) | None => false,
        }
    }

    /// The verdict on a value, as far as it is wanted. The formulas of the rules decide first, since the server takes many times longer.
    fn find_verdict(&self, value: &Json, old: Option<&Json>, wanted: WantedVerdicts) -> Option<Verdict> {
        let server = &self.place.server;
        let decoded = |value: &Json| server.decode_new_value(wrap_value(value.clone()));
        let (written, stored) = (decoded(value)?, old.map(decoded));
        let stored = match stored {
            Some(stored) => Some(stored?),
            None => None,
        };
        let of_old = stored.as_ref().and_then(|stored| stored.object().get("v"));
        let scope = written.object().get("v").map(|value| self.verdict.scope_of(value, of_old));
        let holds = scope.as_ref().and_then(|scope| self.verdict.decide_in(scope));
        // An update that changes nothing as it is stored shows nothing: servers drop most fields that are null.
        let may_pass =
            wanted.passes && stored.as_ref().is_none_or(|stored| stored.object() != written.object());
        let is_wanted = match holds {
            Some(false) => wanted.fails,
            Some(true) | None => may_pass,
        };
        if !is_wanted {
            return None;
        }
        let is_unwanted_with_others = holds != Some(false) || !wanted.fails_with_others;
        if is_unwanted_with_others && old.is_none() && scope.is_some_and(|scope| self.violates_others(&scope))
        {
            return None;
        }
        let answer = self.server_verdict(written, stored)?;
        let is_wanted = match answer {
            Verdict::Passes => may_pass,
            Verdict::Fails => wanted.fails && holds == Some(false),
            Verdict::FailsWithOthers => wanted.fails_with_others && holds == Some(false),
        };
        is_wanted.then_some(answer)
    }

    /// True if another rule of the place rejects a value that is created.
    fn violates_others(&self, scope: &FormulaScope) -> bool {
        self.others.iter().any(|fails| scope.formula_holds(fails))
    }

    /// The answer of the server, if the rule may be what rejects the value.
    fn server_verdict(&self, written: DecodedObject, old: Option<DecodedObject>) -> Option<Verdict> {
        let server = &self.place.server;
        let stored = old.map(|old| server.admit_decoded(old, None));
        if stored.as_ref().is_some_and(|stored| !stored.is_accepted() || !stored.warnings.is_empty()) {
            return None;
        }
        let stored = stored.map(|admission| admission.stored);
        let written = server.admit_decoded(written, stored.as_ref());
        if !written.warnings.is_empty() || written.errors.len() > written.by_rules.len() {
            return None;
        }
        match written.errors.as_slice() {
            [] => Some(Verdict::Passes),
            // A rule that ends in an error is violated too, but does not show what it requires.
            [error] => (!error.detail.contains("evaluating rule")).then_some(Verdict::Fails),
            _ => Some(Verdict::FailsWithOthers),
        }
    }

    fn tidied(&self, value: Json, old: Option<Json>, passes: bool) -> RuleSample {
        let (name, schema, tries) = (self.name, &self.rule.schema, self.place.tries());
        let keeps = |value: &Json, old: Option<&Json>| {
            if passes { self.passes(value, old) } else { self.fails(value, old) }
        };
        let value = tidy_value(value, name, schema, tries, &mut |value| keeps(value, old.as_ref()));
        let old = old.map(|old| tidy_value(old, name, schema, tries, &mut |old| keeps(&value, Some(old))));
        RuleSample { value: in_usual_order(&value), old: old.as_ref().map(in_usual_order) }
    }

    /// The first value next to one that passes which fails, or next to one of those.
    fn failing_near(&self, passes: &RuleSample) -> Option<RuleSample> {
        let old = passes.old.as_ref();
        let value = values_around(&passes.value).into_iter().find(|value| self.fails(value, old))?;
        Some(RuleSample { value, old: passes.old.clone() })
    }

    /// The first value next to one that fails which passes: the two show the limit.
    fn passing_near(&self, fails: &RuleSample) -> Option<RuleSample> {
        let old = fails.old.as_ref();
        let value = neighbours(&fails.value).into_iter().find(|value| self.passes(value, old))?;
        Some(RuleSample { value, old: fails.old.clone() })
    }
}
