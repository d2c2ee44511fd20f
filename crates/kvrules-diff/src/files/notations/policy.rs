//! ValidatingAdmissionPolicies as rules of a schema.

use kvrules_apiserver::crd::{RuleSource, with_object_meta};
use kvrules_apiserver::policy::{Binding, FailurePolicy, Policy, PolicyExpression, ValidationAction};
use kvrules_ir::Formula;
use kvrules_lift::{
    DefinitionRule, PolicySubject, inline_variables, is_implied, lift_rule, may_end_in_error,
};
use kvrules_rule_set::RuleSeverity;
use serde_json::{Value, json};

use super::policy_writes::{accepts_deletions, to_entries, without_errors};
use super::side_rules::{OpaquePart, SideRule, SideRules};
use super::subject::SubjectKind;
use crate::report::ChangeSite;

/// Number of objects that confirm a formula.
const CONFIRMED_ON: usize = 60;

/// Reads a policy as rules about objects of a kind, which have this schema. Without a binding it is taken to deny.
pub(super) fn read_policy(
    document: &Value,
    bindings: &[&Value],
    kind: &SubjectKind,
    schema: &Value,
) -> SideRules {
    let reader = PolicyReader {
        document,
        policy: Policy::from_json(document),
        kind,
        schema,
        severity: severity_of(bindings),
    };
    let mut side = SideRules { selection: selection_of(document, bindings), ..SideRules::default() };
    for index in 0..reader.policy.validations.len() {
        match reader.read_validation(index) {
            Ok(Some(rule)) => side.rules.push(rule),
            Ok(None) => {}
            Err(reason) => side.opaque.push(reader.opaque_part(index, reason)),
        }
    }
    side.opaque.extend(reader.deletions());
    if !reader.policy.annotations.is_empty() && reader.policy.failure_policy == FailurePolicy::Fail {
        side.opaque.push(OpaquePart {
            name: "auditAnnotations".to_owned(),
            reason: "an audit annotation denies a request if its value ends in an error".to_owned(),
            severity: RuleSeverity::Error,
            site: ChangeSite::Resource(["spec", "auditAnnotations"].map(str::to_owned).to_vec()),
        });
    }
    side
}

struct PolicyReader<'p> {
    document: &'p Value,
    policy: Policy,
    kind: &'p SubjectKind,
    schema: &'p Value,
    severity: RuleSeverity,
}

impl PolicyReader<'_> {
    /// A validation as a rule; `None` if it accepts every write.
    fn read_validation(&self, index: usize) -> Result<Option<SideRule>, String> {
        if self.policy.param_kind.is_some() {
            return Err("the policy has parameters, which are objects of a cluster".to_owned());
        }
        let text = self.guarded_text(index)?;
        let parsed = kvrules_cel::parse(&text).map_err(|_| "the expression does not parse".to_owned())?;
        let operations = self.operations();
        if !["CREATE", "UPDATE"].iter().any(|operation| operations.contains(operation)) {
            return Err("the policy evaluates neither creations nor updates of objects".to_owned());
        }
        let mut entries = to_entries(&parsed, &operations)?;
        if entries.is_empty() {
            return Ok(None);
        }
        let own = self.policy.validations.get(index);
        let text = own.map(|own| own.expression.text.trim().to_owned()).unwrap_or_default();
        let message = own.map(|own| own.message.trim()).filter(|message| !message.is_empty());
        let message = message.map_or_else(|| format!("failed expression: {text}"), str::to_owned);
        if self.policy.failure_policy == FailurePolicy::Ignore {
            for entry in entries.creation.iter_mut().chain(&mut entries.update) {
                let lenient = self.ignore_errors(entry);
                *entry = lenient
                    .ok_or("the policy ignores errors of the expression, and no rule is proved to do so")?;
            }
        }
        for entry in entries.creation.iter_mut().chain(&mut entries.update).filter_map(Value::as_object_mut) {
            entry.insert("message".to_owned(), json!(message));
        }
        Ok(Some(SideRule {
            name: format!("validations[{index}]"),
            text,
            severity: self.severity,
            place: Vec::new(),
            entries,
            site: site_of(index),
        }))
    }

    /// A validation that is evaluated if all match conditions hold. As in the server, a condition that is false wins over one that ends in
    /// an error.
    // admission/plugin/webhook/matchconditions/matcher.go, matcher.Match
    fn guarded_text(&self, index: usize) -> Result<String, String> {
        let inline = |expression: PolicyExpression| {
            let inlined = inline_variables(&self.policy, expression).map_err(|opaque| opaque.to_string())?;
            Ok::<_, String>(in_parentheses(&inlined.source))
        };
        let conditions =
            (0..self.policy.conditions.len()).map(|at| inline(PolicyExpression::MatchCondition(at)));
        let conditions = conditions.collect::<Result<Vec<_>, _>>()?;
        let own = inline(PolicyExpression::Validation(index))?;
        Ok(if conditions.is_empty() { own } else { format!("{} ? {own} : true", conditions.join(" && ")) })
    }

    fn operations(&self) -> Vec<&'static str> {
        let subject = PolicySubject {
            group: self.kind.group.clone(),
            version: self.kind.version.clone(),
            resource: self.kind.plural.clone(),
            kind: self.kind.kind.clone(),
            object: Value::Null,
            params: None,
        };
        subject.matched_operations(self.document)
    }

    /// The deletions that a policy matches, unless all validations are known to accept them: nothing else sees a deletion.
    fn deletions(&self) -> Option<OpaquePart> {
        let ignores_errors = self.policy.failure_policy == FailurePolicy::Ignore;
        let accepts = |index: usize| {
            let text = self.guarded_text(index).ok()?;
            let parsed = kvrules_cel::parse(&text).ok()?;
            accepts_deletions(&parsed, ignores_errors).then_some(())
        };
        let is_open = self.operations().contains(&"DELETE")
            && (0..self.policy.validations.len()).any(|index| accepts(index).is_none());
        is_open.then(|| OpaquePart {
            name: "operations".to_owned(),
            reason: "the policy is evaluated for deletions as well".to_owned(),
            severity: self.severity,
            site: ChangeSite::Resource(
                ["spec", "matchConstraints", "resourceRules"].map(str::to_owned).to_vec(),
            ),
        })
    }

    /// The entry that accepts also what its rule ends in an error for; `None` without a proof that it does.
    fn ignore_errors(&self, entry: &Value) -> Option<Value> {
        let rule = |entry: &Value| DefinitionRule {
            place: Vec::new(),
            schema: with_object_meta(self.schema).into(),
            index: 0,
            source: RuleSource::from_json(entry),
            constant_fields: Vec::new(),
        };
        let own = rule(entry);
        let formulas = lift_rule(&own, CONFIRMED_ON).ok()?.formulas;
        if !may_end_in_error(&own, &formulas) {
            return Some(entry.clone());
        }
        let lenient = json!({"rule": without_errors(&own.source.rule)?});
        let holds = lift_rule(&rule(&lenient), CONFIRMED_ON).ok()?.formulas.holds;
        let passes = Formula::negation_of(formulas.fails);
        let is_same =
            is_implied(&[&passes], &holds, &own.schema) && is_implied(&[&holds], &passes, &own.schema);
        is_same.then_some(lenient)
    }

    fn opaque_part(&self, index: usize, reason: String) -> OpaquePart {
        OpaquePart {
            name: format!("validations[{index}]"),
            reason,
            severity: self.severity,
            site: site_of(index),
        }
    }
}

fn site_of(index: usize) -> ChangeSite {
    ChangeSite::Resource(
        ["spec", "validations", &index.to_string(), "expression"].map(str::to_owned).to_vec(),
    )
}

/// A line break ends a comment at the end of the text.
fn in_parentheses(text: &str) -> String {
    if text.contains("//") { format!("({text}\n)") } else { format!("({text})") }
}

/// The consequence for objects that violate a policy with these bindings.
fn severity_of(bindings: &[&Value]) -> RuleSeverity {
    let actions: Vec<ValidationAction> =
        bindings.iter().flat_map(|binding| Binding::from_json(binding).actions).collect();
    match () {
        () if actions.is_empty() || actions.contains(&ValidationAction::Deny) => RuleSeverity::Error,
        () if actions.contains(&ValidationAction::Warn) => RuleSeverity::Warn,
        () => RuleSeverity::Audit,
    }
}

/// The parts of a policy and its bindings that select some of the requests for a resource.
fn selection_of(document: &Value, bindings: &[&Value]) -> Option<String> {
    let is_empty = |value: &Value| match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        other => other.is_null(),
    };
    let selectors = ["namespaceSelector", "objectSelector", "excludeResourceRules"];
    let own = document.pointer("/spec/matchConstraints");
    let of_bindings = bindings.iter().filter_map(|binding| binding.pointer("/spec/matchResources"));
    let mut parts: Vec<String> = Vec::new();
    for (constraints, is_own) in own.into_iter().map(|it| (it, true)).chain(of_bindings.map(|it| (it, false)))
    {
        let selects = selectors.iter().filter_map(|name| Some((*name, constraints.get(*name)?)));
        parts.extend(selects.filter(|(_, it)| !is_empty(it)).map(|(name, it)| format!("{name}: {it}")));
        let rules = constraints.get("resourceRules").and_then(Value::as_array).into_iter().flatten();
        for rule in rules {
            let names = rule.get("resourceNames").filter(|names| !is_empty(names));
            parts.extend(names.map(|names| format!("resourceNames: {names}")));
            if !is_own {
                parts.push(format!("resourceRules: {rule}"));
            }
        }
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}
