//! Objects that pass a validation of a policy and that violate it: found as for rules of definitions, and shown only if the policy
//! itself answers so.

use kvrules_apiserver::crd::RuleSource;
use kvrules_apiserver::policy::Policy;
use kvrules_ir::Formula;
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_lift::{DefinitionRule, FormulaGoal, PolicyLifter, PolicySubject, object_rules};
use kvrules_pages::fact::Fact;
use serde_json::{Value as Json, json};

use crate::samples::{
    PlaceServer, RuleSample, complete_items, rule_samples, satisfying_values, tidy_added_parts, values_around,
};

use super::rule_facts::CONFIRMED_ON;
use super::sampled_validation::SampledValidation;
use super::values::code_fact;

/// Number of objects that are tried: match conditions and a validation have to come together in one.
const VALUES: usize = 600;

/// Returns an object that passes a validation and one that violates it, as far as they were found, of the first kind that can violate it.
/// A validation may be about some of the kinds alone.
pub(super) fn validation_samples(
    document: &Json,
    policy: &Policy,
    subjects: &[PolicySubject],
    validation: usize,
) -> Vec<Fact> {
    let mut first = None;
    for subject in subjects {
        let sampled = SampledValidation::new(document, policy, subject, validation).find_objects();
        match sampled {
            Some(objects) if objects.fails.is_some() => return objects.to_facts(),
            found => first = first.or(found),
        }
    }
    if let Some(objects) = first {
        return objects.to_facts();
    }
    let with_params = |subject| SampledValidation::new(document, policy, subject, validation).find_pairs();
    subjects.iter().find_map(with_params).unwrap_or_default()
}

/// Objects that show what a validation demands, as far as they were found.
struct ValidationObjects {
    passes: Option<Json>,
    fails: Option<Json>,
}

impl ValidationObjects {
    fn to_facts(&self) -> Vec<Fact> {
        let fact = |kind: &str, label: &str, object: &Option<Json>| {
            Some(code_fact(kind, label, kvrules_syntax::to_yaml(object.as_ref()?).ok()?.trim_end()))
        };
        let passes = fact("passes", "Passes", &self.passes);
        passes.into_iter().chain(fact("fails", "Fails", &self.fails)).collect()
    }
}

impl SampledValidation<'_> {
    fn find_objects(&self) -> Option<ValidationObjects> {
        let lifter = PolicyLifter::new(self.document, self.policy, self.subject);
        let formulas = lifter.lift_for_object(self.validation, CONFIRMED_ON).ok()?;
        let rules = object_rules(self.policy, &self.subject.object);
        let text = rules.into_iter().nth(self.validation)?.rule.ok()?;
        let entry = json!({ "rule": text });
        let mut schema = self.subject.object_schema();
        schema.as_object_mut()?.insert(VALIDATIONS.to_owned(), json!([entry]));
        let definition = DefinitionRule {
            place: Vec::new(),
            schema: schema.into(),
            index: 0,
            source: RuleSource::from_json(&entry),
            constant_fields: Vec::new(),
        };
        let found =
            rule_samples(&definition, &formulas, ("", VALUES), &PlaceServer::new(&definition.schema, true));
        let is_violated = |object: &Json| self.is_violated_by(object, None);
        let near = |object: &Json, violates: bool| {
            values_around(object).into_iter().find(|near| is_violated(near) == Some(violates))
        };
        let sampled = |sample: Option<RuleSample>| Some(self.whole_object(&sample?.value));
        let fails = sampled(found.fails).filter(|object| is_violated(object) == Some(true));
        // Objects that a match condition excludes pass too, but show nothing.
        let passes = fails.as_ref().and_then(|fails| near(fails, false));
        let passes = passes.or_else(|| sampled(found.passes).filter(|it| is_violated(it) == Some(false)));
        let closer = |passes: &Json| near(passes, true);
        let fails = fails.map(|fails| passes.as_ref().and_then(closer).unwrap_or(fails));
        let passes = self.accepted(passes.or_else(|| fails.clone()));
        let fails = fails.map(|fails| self.violating_alone(fails));
        let whole = |object: Option<Json>, fails: bool| Some(self.complete(object?, fails));
        Some(ValidationObjects { passes: whole(passes, false), fails: whole(fails, true) })
    }

    /// The object, changed until no validation of the policy rejects it; `None` if no such object was found.
    fn accepted(&self, object: Option<Json>) -> Option<Json> {
        let object = object?;
        let is_accepted = |object: &Json| {
            self.is_violated_by(object, None) == Some(false) && !self.is_rejected_by_others(object)
        };
        if is_accepted(&object) { Some(object) } else { self.changed_object(&object, true, &is_accepted) }
    }

    /// The object, changed until this validation alone rejects it, or as it is if no such object was found.
    fn violating_alone(&self, object: Json) -> Json {
        let is_alone = |object: &Json| {
            self.is_violated_by(object, None) == Some(true) && !self.is_rejected_by_others(object)
        };
        if is_alone(&object) {
            return object;
        }
        self.changed_object(&object, false, &is_alone).unwrap_or(object)
    }

    /// An object that is made from another by the formulas of the validations. This one may fail.
    fn changed_object(&self, object: &Json, holds: bool, keeps: &dyn Fn(&Json) -> bool) -> Option<Json> {
        let lifter = PolicyLifter::new(self.document, self.policy, self.subject);
        let goals = (0..self.policy.validations.len()).filter(|index| holds || *index != self.validation);
        let formulas: Vec<Formula> =
            goals.filter_map(|index| Some(lifter.lift_for_object(index, CONFIRMED_ON).ok()?.holds)).collect();
        let schema = self.subject.object_schema();
        let goals = formulas.iter().map(|formula| FormulaGoal { place: &[], schema: &schema, formula });
        let found = satisfying_values(goals.collect(), object, None).find(|object| keeps(object))?;
        Some(tidy_added_parts(found, object, &schema, keeps))
    }

    /// The object with what every item of a list has.
    fn complete(&self, object: Json, fails: bool) -> Json {
        let PolicySubject { group, version, kind, .. } = self.subject;
        let others = self.is_rejected_by_others(&object);
        complete_items(object, (group, version, kind), &|object| {
            self.is_violated_by(object, None) == Some(fails) && self.is_rejected_by_others(object) == others
        })
    }
}
