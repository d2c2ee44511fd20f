//! RuleSets after reading: rules with their conditions and expressions.

use std::collections::BTreeMap;

use kvrules_apiserver::crd::{RuleSource, with_object_meta};
use kvrules_apiserver::definition::{AuthoredRules, RequestSelection, ResourceVersion, WrittenSubresource};
use kvrules_cel::parse;
use kvrules_diagnostics::Span;
use kvrules_generate::{PlaceStep, field_steps, place_text, schema_at_place, schema_at_place_mut};
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_lift::{DefinitionRule, reads_place};
use serde_json::{Map, Value as Json, json};

use crate::condition::Condition;
use crate::evaluation_memory::EvaluationMemory;
use crate::parameters::RuleSetParameters;
use crate::path::RulePath;
use crate::subject::RuleSubject;

/// A RuleSet.
#[derive(Clone, Debug)]
pub struct RuleSet {
    /// Its name.
    pub name: String,
    /// Its location.
    pub span: Span,
    /// The kind of object that its rules are about.
    pub subject: RuleSubject,
    /// The rules that could be read.
    pub rules: Vec<AuthoredRule>,
    /// The requests that are evaluated; `None` for all.
    pub selection: Option<RequestSelection>,
    /// The examples.
    pub examples: Vec<RuleExample>,
    /// The parameters.
    pub parameters: RuleSetParameters,
    /// Results that its evaluations share.
    pub(crate) memory: EvaluationMemory,
}

/// The consequence for an object that violates a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleSeverity {
    /// It is rejected.
    #[default]
    Error,
    /// The client is warned.
    Warn,
    /// The violation is written to the audit log.
    Audit,
}

/// A rule.
#[derive(Clone, Debug)]
pub struct AuthoredRule {
    /// Its name, which no other rule of the set has.
    pub name: String,
    /// Its location.
    pub span: Span,
    /// The consequence for an object that violates it.
    pub severity: RuleSeverity,
    /// The values that it is about; the empty path is the object.
    pub scope: RulePath,
    /// The requirement for each of them.
    pub condition: Condition,
    /// The requirement in words, with the values that it is about.
    pub requirement: String,
    /// The text for users, with `<value>` for the value that violates it.
    pub message: String,
    /// The expression in CEL at the place that computes the text with the value; `None` if the text has none.
    pub message_expression: Option<String>,
    /// The kind of error that a definition reports, such as `FieldValueInvalid`.
    pub reason: Option<&'static str>,
    /// The field below the place that errors of a definition name.
    pub field_path: Option<String>,
    /// The place in the schema at which servers evaluate it.
    pub place: Vec<PlaceStep>,
    /// The condition at that place.
    pub placed: Condition,
    /// The expression in CEL at that place.
    pub expression: String,
    /// The entry of `x-kubernetes-validations` with symbols in place of parameters, if it has some.
    pub symbolic: Option<Json>,
}

/// An object with the verdict that the author expects.
#[derive(Clone, Debug)]
pub struct RuleExample {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its location.
    pub span: Span,
    /// True if no rule rejects it.
    pub is_accepted: bool,
    /// The object, with `apiVersion` and `kind` of the subject if they are left out.
    pub object: Json,
    /// The stored object, in an update.
    pub stored: Option<Json>,
    /// The rules that it violates; empty if any will do.
    pub violates: Vec<(String, Span)>,
    /// Texts that must be in messages of the violated rules.
    pub messages: Vec<(String, Span)>,
}

impl RuleSeverity {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Self); 3] =
        [("error", Self::Error), ("warn", Self::Warn), ("audit", Self::Audit)];

    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(_, severity)| *severity == self).map_or("error", |(name, _)| name)
    }
}

impl AuthoredRule {
    /// True if it may depend on a field of the object such as `spec.containers[*].resources`.
    fn reads_field(&self, field: &str) -> bool {
        let wanted = field_steps(field);
        parse(&self.expression).map_or(true, |parsed| reads_place(&self.place, &parsed.root, &wanted))
    }

    /// True if its author wrote the message.
    pub fn has_own_message(&self) -> bool {
        self.message != self.requirement
    }

    /// Returns the rule as one of a definition, at its place in the schema of the subject; `None` if the schema does not have the place.
    pub fn to_definition_rule(&self, subject: &RuleSubject) -> Option<DefinitionRule<'static>> {
        let node = schema_at_place(&subject.version.schema, &self.place)?;
        let schema = if self.place.is_empty() { with_object_meta(node) } else { node.clone() };
        Some(DefinitionRule {
            place: self.place.clone(),
            schema: schema.into(),
            index: 0,
            source: RuleSource::from_json(&self.to_entry()),
            constant_fields: Vec::new(),
        })
    }

    /// Returns the rule as an entry of `x-kubernetes-validations`.
    pub fn to_entry(&self) -> Json {
        let mut entry = Map::new();
        entry.insert("rule".to_owned(), self.expression.clone().into());
        entry.insert("message".to_owned(), self.message.clone().into());
        let mut add = |name: &str, text: Option<&str>| {
            if let Some(text) = text {
                entry.insert(name.to_owned(), text.into());
            }
        };
        add("messageExpression", self.message_expression.as_deref());
        add("reason", self.reason);
        add("fieldPath", self.field_path.as_deref());
        Json::Object(entry)
    }
}

/// The reason of a rule that requires or forbids one field of the object at its place.
pub(crate) fn reason_of(condition: &Condition) -> Option<&'static str> {
    match condition {
        Condition::Present(_) => Some("FieldValueRequired"),
        Condition::Not(inner) if matches!(**inner, Condition::Present(_)) => Some("FieldValueForbidden"),
        Condition::Any(any) => match any.as_slice() {
            [Condition::Not(_), demand] => reason_of(demand),
            _ => None,
        },
        _ => None,
    }
}

impl RuleSet {
    /// Returns the version that the rules are about with the rules of a severity in its schema; `None` if no rule has it.
    pub fn version_with(&self, severity: RuleSeverity) -> Option<ResourceVersion> {
        let mut schema = self.subject.version.schema.clone();
        let (mut rule_names, mut places) = (BTreeMap::new(), Vec::new());
        let mut symbolic = BTreeMap::new();
        for rule in self.rules.iter().filter(|rule| rule.severity == severity) {
            let Some(Json::Object(node)) = schema_at_place_mut(&mut schema, &rule.place) else { continue };
            let entries = node.entry(VALIDATIONS).or_insert_with(|| json!([]));
            let Some(entries) = entries.as_array_mut() else { continue };
            let separator = if rule.place.is_empty() { "" } else { "." };
            let place = place_text(&rule.place);
            let key = format!("{place}{separator}x-kubernetes-validations[{}]", entries.len());
            symbolic.extend(rule.symbolic.clone().map(|entry| (key.clone(), entry)));
            places.push(key.clone());
            rule_names.insert(key, rule.name.clone());
            entries.push(rule.to_entry());
        }
        if rule_names.is_empty() {
            return None;
        }
        let authored = AuthoredRules {
            name: self.name.clone(),
            objects: self.subject.objects,
            severity: severity.as_str(),
            selection: self.selection.clone(),
            parameters: if symbolic.is_empty() { None } else { self.parameters.to_policy(symbolic) },
            lacks_value: self.parameters.first_without_value().is_some(),
            definition: (severity == RuleSeverity::Error).then(|| self.merged_definition()).flatten(),
            rule_names,
            places,
            policy: None,
        };
        let subresources = self.evaluated_subresources();
        Some(ResourceVersion {
            schema,
            subresources,
            authored: Some(authored),
            ..self.subject.version.clone()
        })
    }

    /// The subresources of the subject. Rules are evaluated for requests for those that show the object and are there to change a
    /// field that a rule reads, also those of definitions: an object that is older than a rule keeps its status. Metadata are not what a subresource is there for: to evaluate each change of a status by a kubelet
    /// because it might change labels would stop the nodes whose Pods are older than the rule.
    fn evaluated_subresources(&self) -> Vec<WrittenSubresource> {
        let is_read = |field: &String| {
            let is_metadata = field.split('.').next() == Some("metadata");
            !is_metadata && self.rules.iter().any(|rule| rule.reads_field(field))
        };
        let subresources = self.subject.version.subresources.iter().cloned();
        let evaluate = |written: WrittenSubresource| WrittenSubresource {
            is_evaluated: written.shows_object && written.fields.iter().any(is_read),
            ..written
        };
        subresources.map(evaluate).collect()
    }

    /// Returns the version that the rules are about, once for each severity that rules have, with the rules in its schema.
    pub fn versions(&self) -> Vec<ResourceVersion> {
        RuleSeverity::ALL.iter().filter_map(|(_, severity)| self.version_with(*severity)).collect()
    }

    /// Returns the definition of the subject with the rules that reject objects added to its own; `None` for a kind that Kubernetes
    /// itself serves.
    pub fn merged_definition(&self) -> Option<Json> {
        let mut definition = self.subject.definition.clone()?;
        let versions = definition.pointer_mut("/spec/versions").and_then(Json::as_array_mut);
        for version in versions.into_iter().flatten() {
            if version.get("name").and_then(Json::as_str) != Some(&self.subject.version.version) {
                continue;
            }
            let Some(schema) = version.pointer_mut("/schema/openAPIV3Schema") else { continue };
            for rule in self.rules.iter().filter(|rule| rule.severity == RuleSeverity::Error) {
                let Some(Json::Object(node)) = schema_at_place_mut(schema, &rule.place) else { continue };
                let entries = node.entry(VALIDATIONS).or_insert_with(|| json!([]));
                if let Some(entries) = entries.as_array_mut() {
                    entries.push(rule.to_entry());
                }
            }
        }
        Some(definition)
    }
}

impl RuleSet {
    /// Returns the requirement of one of its rules for a value at its place, without the place.
    pub fn describe_at_place(&self, rule: &AuthoredRule) -> String {
        let schema = schema_at_place(&self.subject.version.schema, &rule.place);
        rule.placed.describe_demand(schema.unwrap_or(&Json::Null))
    }

    /// Returns the place of one of its rules in the schema as a path, such as `spec.ports[*]`; empty for the object.
    pub fn place_of_rule(&self, rule: &AuthoredRule) -> String {
        let around = usize::from(self.subject.is_of_documents());
        place_text(rule.place.get(around..).unwrap_or_default())
    }
}
