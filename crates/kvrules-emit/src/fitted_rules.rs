//! Rules in a schema as the servers of a request take them: as they are, in an equivalent form, or not at all.

use std::collections::BTreeMap;

use kvrules_apiserver::cost::{EXPRESSION_LIMIT, RuleSite};
use kvrules_apiserver::definition::ResourceVersion;
use kvrules_apiserver::needs::{RuleNeed, missing_text, rule_needs};
use kvrules_cel::kubernetes::KubernetesVersions;
use kvrules_generate::{PlaceStep, schema_at_place_mut};
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_lift::rewrite::{find_form, site_of_rule};
use kvrules_lift::{DefinitionRule, definition_rules};
use kvrules_rule_set::default_violation;
use serde_json::Value;

use crate::authored_rules::{entry_at, entry_for};
use crate::cel::to_comment;
use crate::resource_schema::set_name;

/// A rule that a target writes in an equivalent form, because a server does not take it as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestatedRule {
    /// The set's name.
    pub set: String,
    /// The rule's name.
    pub rule: String,
    /// The reason, in one sentence.
    pub cause: String,
    /// The equivalent form; `None` if only the expression of the message is left out.
    pub form: Option<String>,
}

impl RestatedRule {
    /// Describes it, with the name that users know.
    pub(crate) fn describe(&self, name: &str) -> String {
        let what = if self.form.is_some() { "restated" } else { "without its `messageExpression`" };
        format!("{name}: {what}: {}", self.cause)
    }
}

/// The rules of a version for the servers of a request.
#[derive(Debug, Default)]
pub(crate) struct FittedRules {
    changes: Vec<EntryChange>,
    /// Rules that servers do not take in any known form, each with the cause.
    pub(crate) losses: BTreeMap<String, String>,
    /// Rules that are written otherwise.
    pub(crate) restated: Vec<RestatedRule>,
}

/// The cause for which a definition cannot have a rule that a RuleSet adds to it: servers reject one of its defaults.
fn violated_default(
    version: &ResourceVersion,
    rule: &DefinitionRule,
    servers: KubernetesVersions,
) -> Option<String> {
    version.authored.as_ref()?.definition.as_ref()?;
    let entry = entry_for(version, rule, servers);
    let error = default_violation(&version.document, &version.version, (&rule.place, &entry), servers)?;
    Some(format!("servers reject the definition with it: `{}`: {}", error.field, error.detail))
}

/// Another entry in place of one of `x-kubernetes-validations`, or none.
#[derive(Debug)]
struct EntryChange {
    place: Vec<PlaceStep>,
    before: Value,
    after: Option<Value>,
}

impl FittedRules {
    /// Fits the rules in the schema of a version.
    pub(crate) fn of_version(version: &ResourceVersion, servers: KubernetesVersions) -> Self {
        let mut fitted = Self::default();
        for rule in definition_rules(&version.schema) {
            match violated_default(version, &rule, servers) {
                None => fitted.fit_rule(version, &rule, servers),
                Some(cause) => {
                    let before = entry_at(&version.schema, &rule);
                    fitted.losses.insert(rule.name_by_place(), cause);
                    fitted.changes.push(EntryChange { place: rule.place.clone(), before, after: None });
                }
            }
        }
        fitted
    }

    fn fit_rule(&mut self, version: &ResourceVersion, rule: &DefinitionRule, servers: KubernetesVersions) {
        let before = entry_at(&version.schema, rule);
        let mut after = entry_for(version, rule, servers);
        let place =
            ServedPlace { version, rule, site: site_of_rule(&version.schema, rule, servers), servers };
        if let Some(Loss { cause, advice }) = place.loss(&before) {
            let Some(form) = find_form(rule, &mut |text| place.price(text)) else {
                self.losses.insert(rule.name_by_place(), cause + advice);
                self.changes.push(EntryChange { place: rule.place.clone(), before, after: None });
                return;
            };
            restate_entry(&mut after, &form);
            self.restated.push(place.restated(cause, Some(form)));
        }
        if let (Some(cause), Some(fields)) = (place.message_loss(&after), after.as_object_mut()) {
            fields.shift_remove("messageExpression");
            self.restated.push(place.restated(cause, None));
        }
        if after != before {
            self.changes.push(EntryChange { place: rule.place.clone(), before, after: Some(after) });
        }
    }

    /// Comments on the rules that are left out or written otherwise.
    pub(crate) fn comments(&self, version: &ResourceVersion) -> String {
        let mut text = String::new();
        for (rule, cause) in &self.losses {
            text.push_str(&to_comment(&format!("{}: unsupported: {cause}", version.shown_rule_name(rule))));
        }
        for restated in &self.restated {
            text.push_str(&to_comment(&restated.describe(version.shown_rule_name(&restated.rule))));
        }
        text
    }

    /// The entry of a rule as it is written; `None` if it is lost.
    pub(crate) fn entry_of(&self, version: &ResourceVersion, rule: &DefinitionRule) -> Option<Value> {
        let entry = entry_at(&version.schema, rule);
        let change = self.changes.iter().find(|it| it.place == rule.place && it.before == entry);
        change.map_or(Some(entry), |change| change.after.clone())
    }

    /// Writes the changes into the schema of the same version in a definition.
    pub(crate) fn apply_to(&self, definition: &mut Value, version: &ResourceVersion) {
        let versions = definition.pointer_mut("/spec/versions").and_then(Value::as_array_mut);
        for listed in versions.into_iter().flatten() {
            if listed.get("name").and_then(Value::as_str) != Some(&version.version) {
                continue;
            }
            let Some(schema) = listed.pointer_mut("/schema/openAPIV3Schema") else { continue };
            self.changes.iter().for_each(|change| change.apply_to(schema));
        }
    }
}

impl EntryChange {
    fn apply_to(&self, schema: &mut Value) {
        let node = schema_at_place_mut(schema, &self.place).and_then(Value::as_object_mut);
        let Some(node) = node else { return };
        let Some(Value::Array(entries)) = node.get_mut(VALIDATIONS) else { return };
        match &self.after {
            None => entries.retain(|known| *known != self.before),
            Some(after) => {
                entries.iter_mut().filter(|known| **known == self.before).for_each(|it| it.clone_from(after));
            }
        }
        if entries.is_empty() {
            node.shift_remove(VALIDATIONS);
        }
    }
}

/// Writes another rule into an entry. Without a message, users see the rule that the author wrote.
fn restate_entry(entry: &mut Value, form: &str) {
    let Some(fields) = entry.as_object_mut() else { return };
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().trim().to_owned();
    let (rule, message) = (text(fields.get("rule")), text(fields.get("message")));
    fields.insert("rule".to_owned(), form.into());
    if message.is_empty() {
        fields.insert("message".to_owned(), format!("failed rule: {rule}").into());
    }
}

/// The reason why a server does not take a rule.
struct Loss {
    cause: String,
    /// Advice if no other form is known.
    advice: &'static str,
}

/// A rule at its place, on the servers of a request.
struct ServedPlace<'a> {
    version: &'a ResourceVersion,
    rule: &'a DefinitionRule<'a>,
    site: Option<RuleSite>,
    servers: KubernetesVersions,
}

impl ServedPlace<'_> {
    /// The reason why a server does not take the rule.
    fn loss(&self, entry: &Value) -> Option<Loss> {
        // Servers ignore an unknown field, and only this one changes what the rule means.
        let decides = |need: &RuleNeed| matches!(need.field.as_str(), "rule" | "optionalOldSelf");
        let needs: Vec<_> = rule_needs(entry).into_iter().filter(decides).collect();
        if let Some(cause) = missing_text(&needs, self.servers.oldest()) {
            return Some(Loss { cause, advice: "" });
        }
        match self.site.as_ref()?.rule_cost(&self.rule.source.rule) {
            Ok(cost) if cost.is_accepted() => None,
            Ok(cost) => {
                let servers = self.rejecting_servers();
                let cost = format!("the estimated cost of the rule is {}{servers}", cost.total);
                Some(Loss {
                    cause: format!("{cost}, more than the limit of {EXPRESSION_LIMIT}"),
                    advice: "; `maxItems` and `maxLength` in the schema lower it",
                })
            }
            Err(error) => {
                let text = error.to_string();
                let cause =
                    format!("the server rejects the rule: {}", text.lines().next().unwrap_or_default());
                Some(Loss { cause, advice: "" })
            }
        }
    }

    /// ` on Kubernetes 1.28`, if not all servers reject the rule for its cost.
    fn rejecting_servers(&self) -> String {
        let rejects = |version: &kvrules_cel::kubernetes::KubernetesVersion| {
            let alone = KubernetesVersions::from_versions([*version]).unwrap_or_default();
            let site = site_of_rule(&self.version.schema, self.rule, alone);
            let cost = site.map(|site| site.rule_cost(&self.rule.source.rule));
            !cost.is_some_and(|cost| cost.is_ok_and(kvrules_apiserver::cost::Cost::is_accepted))
        };
        let rejecting = KubernetesVersions::from_versions(self.servers.iter().filter(rejects));
        match rejecting.filter(|rejecting| *rejecting != self.servers) {
            Some(rejecting) => format!(" on Kubernetes {rejecting}"),
            None => String::new(),
        }
    }

    /// The reason why a server does not take the expression of the message, which it would not ignore.
    fn message_loss(&self, entry: &Value) -> Option<String> {
        let text = entry.get("messageExpression").and_then(Value::as_str)?;
        let needs: Vec<_> = rule_needs(entry)
            .into_iter()
            .filter(|need| need.field == "messageExpression" && need.name != need.field)
            .collect();
        let cost = || match self.site.as_ref()?.message_expression(text) {
            Ok(cost) if cost <= EXPRESSION_LIMIT => None,
            Ok(cost) => Some(format!(
                "the estimated cost of the message is {cost}, more than the limit of {EXPRESSION_LIMIT}"
            )),
            Err(_) => Some("a server rejects the expression of the message".to_owned()),
        };
        missing_text(&needs, self.servers.oldest()).or_else(cost)
    }

    /// The cost of a form that all servers take.
    fn price(&self, text: &str) -> Option<u64> {
        let cost = self.site.as_ref()?.rule_cost(text).ok()?;
        let needs = rule_needs(&serde_json::json!({ "rule": text }));
        let is_known = missing_text(&needs, self.servers.oldest()).is_none();
        (cost.is_accepted() && is_known).then_some(cost.total)
    }

    fn restated(&self, cause: String, form: Option<String>) -> RestatedRule {
        RestatedRule { set: set_name(self.version), rule: self.rule.name_by_place(), cause, form }
    }
}
