//! Objects with parameters that a validation of a policy compares them with: one that passes with its parameters, and one that violates the
//! validation.

use kvrules_apiserver::crd::RuleSource;
use kvrules_apiserver::policy::PolicyExpression;
use kvrules_generate::PlaceStep;
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_lift::{DefinitionRule, PolicyLifter, inline_variables, rename_roots};
use kvrules_pages::fact::Fact;
use serde_json::{Value as Json, json};

use super::rule_facts::CONFIRMED_ON;
use super::sampled_validation::SampledValidation;
use super::values::code_fact;
use crate::samples::{PlaceServer, RuleSample, object_head, rule_samples, with_parts};

/// Number of pairs that are tried.
const VALUES: usize = 300;

/// The names of expressions, and what they are in a rule about an object with its parameters.
const NAMES: &[(&str, &str)] = &[("object", "self.object"), ("params", "self.params")];

impl SampledValidation<'_> {
    /// Returns the objects with parameters that were found for a validation that compares the two, as facts.
    pub(super) fn find_pairs(&self) -> Option<Vec<Fact>> {
        let rule = self.rule_about_pairs()?;
        let lifter = PolicyLifter::new(self.document, self.policy, self.subject);
        let formulas = lifter.lift_for_object_and_params(self.validation, CONFIRMED_ON).ok()?;
        let server = PlaceServer::new(&rule.schema, false);
        let found = rule_samples(&rule, &formulas, ("", VALUES), &server);
        let fact = |kind: &str, label: &str, sample: Option<RuleSample>, violates: bool| {
            let pair = sample?.value;
            let (object, params) = (self.whole_object(pair.get("object")?), self.whole_params(&pair)?);
            (self.is_violated_by(&object, Some(&params))? == violates).then_some(())?;
            let yaml = |value: &Json| Some(kvrules_syntax::to_yaml(value).ok()?.trim_end().to_owned());
            let text = format!("# parameters\n{}\n---\n# object\n{}", yaml(&params)?, yaml(&object)?);
            Some(code_fact(kind, label, text))
        };
        let passes = fact("passes", "Passes", found.passes, false);
        Some(passes.into_iter().chain(fact("fails", "Fails", found.fails, true)).collect())
    }

    /// The validation where the match conditions hold, as a rule about an object and the parameters.
    fn rule_about_pairs(&self) -> Option<DefinitionRule<'static>> {
        let text = |expression: PolicyExpression| {
            let inlined = inline_variables(self.policy, expression).ok()?;
            let is_renamable = !inlined.root.declares_name(|name| name == "self");
            let renamed = is_renamable.then(|| rename_roots(&inlined, NAMES).ok())??;
            Some(format!("({renamed}\n)"))
        };
        let guards: Option<Vec<String>> = (0..self.policy.conditions.len())
            .map(|index| text(PolicyExpression::MatchCondition(index)))
            .collect();
        let (guards, validation) = (guards?, text(PolicyExpression::Validation(self.validation))?);
        let rule = if guards.is_empty() {
            validation
        } else {
            format!("{} ? {validation} : true", guards.join(" && "))
        };
        let entry = json!({ "rule": rule });
        let (object, params) = (self.subject.object_schema(), self.subject.params.as_ref()?);
        let schema = json!({
            "type": "object",
            "required": ["object", "params"],
            "properties": {"object": object, "params": params},
            VALIDATIONS: [entry],
        });
        Some(DefinitionRule {
            place: vec![PlaceStep::Any],
            schema: schema.into(),
            index: 0,
            source: RuleSource::from_json(&entry),
            constant_fields: Vec::new(),
        })
    }

    /// Parameters of the policy's kind with the parts of a pair.
    fn whole_params(&self, pair: &Json) -> Option<Json> {
        let kind = self.policy.param_kind.as_ref()?;
        Some(with_parts(&object_head(&kind.api_version, &kind.kind, false), pair.get("params")?))
    }
}
