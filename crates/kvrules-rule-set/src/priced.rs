//! RuleSets as definitions whose rules have an estimated cost.

use kvrules_apiserver::cost::RuleSite;
use kvrules_apiserver::definition::ResourceVersion;
use kvrules_cel::kubernetes::{KubernetesVersion, KubernetesVersions};
use kvrules_generate::server_path;
use serde_json::{Value as Json, json};

use crate::rule_set::{AuthoredRule, RuleSet, RuleSeverity};

/// The rules of a severity in a definition, in which a server estimates their costs.
#[derive(Clone, Debug)]
pub struct PricedRules<'r> {
    /// The consequence for an object that violates one.
    pub severity: RuleSeverity,
    /// A definition of the subject with the version that the rules are about.
    pub definition: Json,
    /// True if a server takes the rules in a definition, and limits their costs there. Policies have no limit on estimates.
    pub is_limited: bool,
    /// The rules, each with the node of the schema that it is in, as servers name it: `properties[spec]`.
    pub rules: Vec<(&'r AuthoredRule, String)>,
    schema: Json,
}

impl PricedRules<'_> {
    /// Returns the estimated cost of one of the rules on the servers of a version; `None` if they do not take it.
    pub fn cost_on(&self, rule: &AuthoredRule, version: KubernetesVersion) -> Option<u64> {
        let servers = KubernetesVersions::from_versions([version])?;
        let path = server_path(&self.schema, &rule.place);
        let site = RuleSite::on_servers(&self.schema, &path, servers).ok()?;
        site.rule_cost(&rule.expression).ok().map(|cost| cost.total)
    }
}

impl RuleSet {
    /// Returns the rules of each severity in a definition. The rules that reject objects are next to those that the definition has.
    ///
    /// ```
    /// use kvrules_diagnostics::FileId;
    /// use kvrules_rule_set::{SubjectDefinitions, read_rule_set};
    ///
    /// let text = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: web}\nspec:\n  \
    ///     subject: {apiVersion: apps/v1, kind: Deployment}\n  \
    ///     rules: [{name: replicas, path: spec.replicas, integer: {min: 2}}]\n";
    /// let stream = kvrules_syntax::parse_stream(FileId(0), text);
    /// let set = read_rule_set(&stream.documents[0], &SubjectDefinitions::default(), &mut Vec::new()).unwrap();
    /// let priced = &set.priced_rules()[0];
    /// assert_eq!(priced.rules[0].1, "properties[spec].properties[replicas]");
    /// assert!(!priced.is_limited, "Kubernetes itself serves Deployments");
    /// ```
    pub fn priced_rules(&self) -> Vec<PricedRules<'_>> {
        self.versions().into_iter().filter_map(|version| self.price_version(&version)).collect()
    }

    fn price_version(&self, version: &ResourceVersion) -> Option<PricedRules<'_>> {
        let word = version.authored.as_ref()?.severity;
        let (_, severity) = RuleSeverity::ALL.into_iter().find(|(name, _)| *name == word)?;
        let merged = version.authored.as_ref().and_then(|authored| authored.definition.clone());
        let is_limited = merged.is_some() && version.policy_only_cause().is_none();
        let own = self.subject.definition.clone().unwrap_or_else(|| definition_around(version));
        let mut definition = merged.clone().unwrap_or(own);
        keep_version(&mut definition, &version.version, merged.is_none().then_some(&version.schema));
        let rules = self.rules.iter().filter(|rule| rule.severity == severity);
        let rules = rules.map(|rule| (rule, server_path(&version.schema, &rule.place)));
        let rules = rules.collect();
        Some(PricedRules { severity, definition, is_limited, rules, schema: version.schema.to_value() })
    }
}

/// A definition of a kind that Kubernetes itself serves, as far as costs depend on it.
fn definition_around(version: &ResourceVersion) -> Json {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": version.definition},
        "spec": {
            "group": version.group,
            "scope": if version.is_namespaced { "Namespaced" } else { "Cluster" },
            "names": {"kind": version.kind, "plural": version.plural},
            "versions": [{"name": version.version, "served": true, "storage": true, "schema": {"openAPIV3Schema": {}}}],
        },
    })
}

/// Leaves one version in a definition, and gives it another schema.
fn keep_version(definition: &mut Json, name: &str, schema: Option<&Json>) {
    let Some(versions) = definition.pointer_mut("/spec/versions").and_then(Json::as_array_mut) else {
        return;
    };
    versions.retain(|version| version.get("name").and_then(Json::as_str) == Some(name));
    for version in versions {
        if let (Some(place), Some(schema)) = (version.pointer_mut("/schema/openAPIV3Schema"), schema) {
            *place = schema.clone();
        }
    }
}
