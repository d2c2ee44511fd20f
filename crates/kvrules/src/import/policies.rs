//! Rules of ValidatingAdmissionPolicies for a RuleSet.
//!
//! A RuleSet is about one kind of object, in creations and updates, and about the object alone. Policies that say more are left out, each
//! with the reason.

use kvrules_apiserver::policy::{FailurePolicy, Policy, PolicyExpression};
use kvrules_diagnostics::Span;
use kvrules_import::{ImportedForm, ImportedRule, ImportedRuleSet, ObjectRule, import_object_rules};
use kvrules_lift::{PolicySubject, inline_variables, rename_roots};
use kvrules_rule_set::{RuleSeverity, RuleSubject};
use kvrules_sources::crd::{ResourceKind, ResourceText, RunResources};
use serde_json::{Map, Value, json};

/// Restates the policies among resources, each with the locations of its validations.
pub(super) fn import_policies(
    resources: &[ResourceText],
    run: &RunResources,
) -> Vec<(ImportedRuleSet, Vec<Span>)> {
    let policies = resources.iter().filter(|resource| resource.kind == ResourceKind::Policy);
    let bindings: Vec<&Value> = resources
        .iter()
        .filter(|resource| resource.kind == ResourceKind::Binding)
        .map(|resource| &*resource.value)
        .collect();
    policies.flat_map(|text| import_policy(text, &bindings, run)).collect()
}

/// The RuleSets of a policy: one for each kind of objects that it is about.
fn import_policy(
    text: &ResourceText,
    bindings: &[&Value],
    run: &RunResources,
) -> Vec<(ImportedRuleSet, Vec<Span>)> {
    let policy = Policy::from_json(&text.value);
    let pointers: Vec<String> =
        (0..policy.validations.len()).map(|index| format!("/spec/validations/{index}")).collect();
    let spans: Vec<Span> =
        pointers.iter().map(|pointer| text.find_span(pointer).unwrap_or(text.span)).collect();
    let subjects = run.all_subjects(text).unwrap_or_default();
    let import = |subject: &PolicySubject| {
        let name = match subjects.len() {
            1 => policy.name.clone(),
            _ => format!("{}-{}", policy.name, subject.kind.to_lowercase()),
        };
        match PolicyFrame::new(text, &policy, subject, bindings, run) {
            Ok(frame) => {
                let rules: Vec<ObjectRule> =
                    pointers.iter().enumerate().map(|(index, pointer)| frame.rule(index, pointer)).collect();
                import_object_rules(&name, &frame.subject, None, frame.selection.clone(), &rules)
            }
            Err(reason) => left_out(&name, &pointers, &reason),
        }
    };
    let mut imported: Vec<ImportedRuleSet> = subjects.iter().map(import).collect();
    if imported.is_empty() {
        let constraints = text.value.pointer("/spec/matchConstraints").unwrap_or(&Value::Null);
        let unknown = || "the policy is about an unknown kind of objects".to_owned();
        let reason = check_constraints(constraints).err().unwrap_or_else(unknown);
        imported.push(left_out(&policy.name, &pointers, &reason));
    }
    imported.into_iter().map(|set| (set, spans.clone())).collect()
}

/// The result for a policy of which nothing can be expressed.
fn left_out(name: &str, pointers: &[String], reason: &str) -> ImportedRuleSet {
    let rule = |pointer: &String| ImportedRule {
        source: pointer.clone(),
        pointer: pointer.clone(),
        form: ImportedForm::LeftOut(reason.to_owned()),
        lost: Vec::new(),
        wider: None,
        entries: Vec::new(),
    };
    ImportedRuleSet {
        name: name.to_owned(),
        document: Value::Null,
        rules: pointers.iter().map(rule).collect(),
    }
}

/// The parts of a policy that all of its rules share.
struct PolicyFrame<'p> {
    policy: &'p Policy,
    subject: RuleSubject,
    selection: Option<Value>,
    severity: RuleSeverity,
    lost: Vec<&'static str>,
    /// The match conditions as one expression over `self`; `None` without any.
    condition: Option<String>,
}

impl<'p> PolicyFrame<'p> {
    fn new(
        text: &ResourceText,
        policy: &'p Policy,
        subject: &PolicySubject,
        bindings: &[&Value],
        run: &RunResources,
    ) -> Result<Self, String> {
        let document = &text.value;
        if policy.param_kind.is_some() {
            return Err("the policy has parameters".to_owned());
        }
        let constraints = document.pointer("/spec/matchConstraints").unwrap_or(&Value::Null);
        check_constraints(constraints)?;
        let selection = selection_of(constraints)?;
        let conditions = (0..policy.conditions.len())
            .map(|index| over_self(policy, PolicyExpression::MatchCondition(index)))
            .collect::<Result<Vec<_>, _>>()?;
        let own: Vec<&Value> = bindings
            .iter()
            .copied()
            .filter(|binding| {
                binding.pointer("/spec/policyName").and_then(Value::as_str) == Some(&policy.name)
            })
            .collect();
        let (severity, mut lost) = severity_of(&own)?;
        let (subject, is_built_in) = find_subject(subject, document, run)?;
        if !is_built_in {
            lost.push("the denial of violating values that an update does not change");
        }
        let condition = conditions.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" && ");
        let condition = Some(condition).filter(|text| !text.is_empty());
        Ok(Self { policy, subject, selection, severity, lost, condition })
    }

    fn rule(&self, index: usize, pointer: &str) -> ObjectRule {
        let own = self.policy.validations.get(index);
        let expression = over_self(self.policy, PolicyExpression::Validation(index));
        let expression = expression.map(|text| match &self.condition {
            Some(condition) => format!("{condition} ? ({text}) : true"),
            None => text,
        });
        let mut lost = self.lost.clone();
        if own.is_some_and(|own| own.message_expression.is_some()) {
            lost.push("the computed message");
        }
        if own.is_some_and(|own| !matches!(own.reason.as_str(), "" | "Invalid")) {
            lost.push("the reason");
        }
        ObjectRule {
            name: None,
            source: pointer.to_owned(),
            pointer: pointer.to_owned(),
            expression,
            message: own.map(|own| own.message.clone()).unwrap_or_default(),
            severity: self.severity,
            lost,
            wider: None,
            forgives_errors: self.policy.failure_policy == FailurePolicy::Ignore,
        }
    }
}

/// An expression of a policy about the object alone, with `self` in its place.
fn over_self(policy: &Policy, expression: PolicyExpression) -> Result<String, String> {
    let inlined = inline_variables(policy, expression).map_err(|opaque| opaque.to_string())?;
    rename_roots(&inlined, &[("object", "self")]).map_err(|name| format!("it reads `{name}`"))
}

/// Accepts creations and updates of all objects of a kind.
fn check_constraints(constraints: &Value) -> Result<(), String> {
    if constraints.get("excludeResourceRules").and_then(Value::as_array).is_some_and(|it| !it.is_empty()) {
        return Err("`excludeResourceRules` cannot be expressed".to_owned());
    }
    let rules = constraints.get("resourceRules").and_then(Value::as_array);
    let rules: Vec<&Value> = rules.into_iter().flatten().collect();
    let names = |rule: &Value, key: &str| -> Vec<String> {
        let listed = rule.get(key).and_then(Value::as_array).into_iter().flatten();
        listed.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    if rules.iter().any(|rule| !names(rule, "resourceNames").is_empty()) {
        return Err("`resourceNames` cannot be expressed".to_owned());
    }
    let mut resources = rules.iter().flat_map(|rule| names(rule, "resources"));
    if let Some(subresource) = resources.find(|name| name.contains('/')) {
        return Err(format!("the subresource `{subresource}` cannot be expressed"));
    }
    let mut operations: Vec<String> = rules.iter().flat_map(|rule| names(rule, "operations")).collect();
    operations.sort();
    operations.dedup();
    if operations != ["CREATE", "UPDATE"] {
        return Err(format!("the operations {} are not creations and updates", operations.join(", ")));
    }
    Ok(())
}

/// The selectors of a policy as `match` of a RuleSet.
fn selection_of(constraints: &Value) -> Result<Option<Value>, String> {
    let mut selection = Map::new();
    let mut labels = selected_labels(constraints, "namespaceSelector")?;
    let mut namespaces = Map::new();
    if let Some(names) = labels.shift_remove(OTHER_NAMESPACES) {
        selection.insert("exceptNamespaces".to_owned(), names);
    }
    if let Some(names) = labels.shift_remove(NAMESPACE_NAME) {
        if names.is_object() {
            return Err("`namespaceSelector` cannot be expressed".to_owned());
        }
        let names = if names.is_array() { names } else { json!([names]) };
        namespaces.insert("names".to_owned(), names);
    }
    if !labels.is_empty() {
        namespaces.insert("labels".to_owned(), labels.into());
    }
    if !namespaces.is_empty() {
        selection.insert("namespaces".to_owned(), namespaces.into());
    }
    let labels = selected_labels(constraints, "objectSelector")?;
    if !labels.is_empty() {
        selection.insert("labels".to_owned(), labels.into());
    }
    Ok((!selection.is_empty()).then_some(Value::Object(selection)))
}

/// The label that every namespace has, with its name.
// apis/core/v1/defaults.go, SetDefaults_Namespace
const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

/// Stands for the names of namespaces that are left out; no label has an empty name.
const OTHER_NAMESPACES: &str = "";

/// The requirements of a selector by the names of labels, as RuleSets write them.
fn selected_labels(constraints: &Value, key: &str) -> Result<Map<String, Value>, String> {
    let mut labels = Map::new();
    let Some(selector) = constraints.get(key) else { return Ok(labels) };
    labels.extend(selector.get("matchLabels").and_then(Value::as_object).cloned().unwrap_or_default());
    for expression in selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten() {
        let text = |name: &str| expression.get(name).and_then(Value::as_str).unwrap_or_default();
        let values = expression.get("values").cloned().unwrap_or_default();
        let requirement = match text("operator") {
            "In" => values,
            "NotIn" => json!({ "notIn": values }),
            "Exists" => json!({ "exists": true }),
            "DoesNotExist" => json!({ "exists": false }),
            other => return Err(format!("`{key}` with the operator `{other}` cannot be expressed")),
        };
        let is_other =
            key == "namespaceSelector" && text("key") == NAMESPACE_NAME && text("operator") == "NotIn";
        let (name, requirement) = if is_other {
            (OTHER_NAMESPACES, expression.get("values").cloned().unwrap_or_default())
        } else {
            (text("key"), requirement)
        };
        if labels.insert(name.to_owned(), requirement).is_some() {
            return Err(format!("`{key}` with two requirements of one label cannot be expressed"));
        }
    }
    Ok(labels)
}

/// The severity by the actions of the bindings. Without a binding a policy is taken to deny.
fn severity_of(bindings: &[&Value]) -> Result<(RuleSeverity, Vec<&'static str>), String> {
    let Some((first, others)) = bindings.split_first() else { return Ok((RuleSeverity::Error, Vec::new())) };
    if !others.is_empty() {
        return Err("the policy has several bindings".to_owned());
    }
    if first.pointer("/spec/matchResources").is_some_and(|it| !it.is_null()) {
        return Err("`matchResources` of the binding cannot be expressed".to_owned());
    }
    let actions = first.pointer("/spec/validationActions").and_then(Value::as_array);
    let actions: Vec<&str> = actions.into_iter().flatten().filter_map(Value::as_str).collect();
    let severity = match actions.first() {
        _ if actions.contains(&"Deny") => RuleSeverity::Error,
        _ if actions.contains(&"Warn") => RuleSeverity::Warn,
        _ => RuleSeverity::Audit,
    };
    let lost = if actions.len() > 1 { vec!["the second action of the binding"] } else { Vec::new() };
    Ok((severity, lost))
}

/// The subject of a RuleSet; true for a kind that Kubernetes itself serves.
fn find_subject(
    subject: &PolicySubject,
    document: &Value,
    run: &RunResources,
) -> Result<(RuleSubject, bool), String> {
    let api_version = match subject.group.as_str() {
        "" => subject.version.clone(),
        group => format!("{group}/{}", subject.version),
    };
    let definitions: Vec<&Value> = run.definitions().collect();
    if let Ok(found) = RuleSubject::of_definitions(definitions, &api_version, &subject.kind) {
        return Ok((found, false));
    }
    let text = document.to_string();
    let names = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$');
    RuleSubject::built_in(&api_version, &subject.kind, &names.collect())
        .map(|found| (found, true))
        .map_err(|unknown| unknown.message)
}
