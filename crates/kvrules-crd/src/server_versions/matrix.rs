//! The cost of every rule on the servers of several versions.

use std::collections::BTreeMap;

use kvrules_apiserver::cost::{EXPRESSION_LIMIT, RuleReport, SCHEMA_LIMIT, SchemaReport, rule_costs_on};
use kvrules_apiserver::definition::{SchemaReview, schema_plans};
use kvrules_cel::kubernetes::{KubernetesVersion, KubernetesVersions};
use kvrules_diagnostics::Span;
use kvrules_generate::{PlaceStep, place_text, server_path};
use kvrules_lift::rule_places;
use kvrules_syntax::{Document, Node};
use serde_json::Value;

use super::reviews::VersionReviews;
use crate::cost::{ExpressionField, definition_value, readable_definitions};
use crate::schema_location::{SchemaLocation, node_head_span};
use crate::schema_review::{SchemaVersion, find_versions};

/// Costs of the rules of a definition, by server.
#[derive(Clone, Debug)]
pub struct DefinitionMatrix {
    /// Its name.
    pub name: String,
    /// Location of its kind.
    pub span: Span,
    /// Its versions; one for all if their schemas are equal.
    pub versions: Vec<VersionMatrix>,
}

/// Costs of the rules of a version of a definition.
#[derive(Clone, Debug)]
pub struct VersionMatrix {
    /// The version of the definition; the first if several share a schema.
    pub name: String,
    /// The cost of all rules together, by server.
    pub totals: Vec<(KubernetesVersion, u64)>,
    /// The rules, in the order of their places.
    pub rules: Vec<RuleShares>,
    /// True if a server limits costs. In policies it limits no estimates.
    pub is_limited: bool,
}

/// Costs of an expression, by server.
#[derive(Clone, Debug)]
pub struct RuleShares {
    /// The way to the values that it is about; empty for the whole object.
    pub name: String,
    /// The node of the schema, from `openAPIV3Schema` on.
    pub path: String,
    /// Its number among the rules of the node, from 0.
    pub index: usize,
    /// The expression of the rule.
    pub field: ExpressionField,
    /// The expression.
    pub text: String,
    /// Location of the expression.
    pub span: Span,
    /// Cost that counts against the budget; `None` if it does not compile on a server, or the server ignores it.
    pub estimates: Vec<(KubernetesVersion, Option<u64>)>,
    /// True if a server limits the cost.
    pub is_limited: bool,
}

impl RuleShares {
    /// True if a server rejects it for its cost.
    pub fn is_over(&self) -> bool {
        self.is_limited
            && self.estimates.iter().any(|(_, estimate)| estimate.is_some_and(|it| it > EXPRESSION_LIMIT))
    }
}

/// Servers on which everything costs the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostColumn {
    /// The index of the first of them among the estimates.
    pub index: usize,
    /// Their versions, such as `1.29..1.31`.
    pub heading: String,
}

impl VersionMatrix {
    /// True if a server rejects the sum.
    pub fn is_over(&self) -> bool {
        self.is_limited && self.totals.iter().any(|(_, total)| *total > SCHEMA_LIMIT)
    }

    /// Returns the costs of the rules of a structural schema on the servers of some versions, without locations.
    ///
    /// ```
    /// use kvrules_crd::{KubernetesVersions, VersionMatrix};
    /// use serde_json::json;
    ///
    /// let size = json!({"type": "integer", "x-kubernetes-validations": [{"rule": "self > 1"}]});
    /// let schema = json!({"type": "object", "properties": {"size": size}});
    /// let matrix = VersionMatrix::of_schema("v1", &schema, KubernetesVersions::all_known());
    /// assert_eq!(matrix.rules[0].name, "size");
    /// assert_eq!(matrix.shared_columns(&[&matrix.rules[0]]).len(), 1);
    /// ```
    pub fn of_schema(name: &str, schema: &Value, versions: KubernetesVersions) -> Self {
        let reviews = rule_costs_on(schema, "schema", versions);
        let by_server: Vec<_> = reviews.iter().map(|(version, report)| (*version, Some(&**report))).collect();
        let places = rule_places(schema).into_iter();
        let places: BTreeMap<String, String> =
            places.map(|place| (server_path(schema, &place.steps), shown_place(&place.steps))).collect();
        let newest = reviews.iter().max_by_key(|(version, _)| *version);
        let mut rules = newest.map(|(_, report)| of_rules(report, &by_server, None)).unwrap_or_default();
        for rule in &mut rules {
            let path = rule.path.strip_prefix("openAPIV3Schema").unwrap_or(&rule.path);
            let path = path.strip_prefix('.').unwrap_or(path);
            rule.name = places.get(path).cloned().unwrap_or_default();
        }
        let totals = reviews.iter().map(|(version, report)| (*version, report.total_cost));
        Self { name: name.to_owned(), totals: totals.collect(), rules, is_limited: true }
    }

    /// Returns the servers as columns for some of the rules: neighbouring versions in which all of them cost the same are one.
    pub fn shared_columns(&self, rules: &[&RuleShares]) -> Vec<CostColumn> {
        let costs = |index: usize| {
            let total = self.totals.get(index).map(|(_, total)| *total);
            let of_rules = rules.iter().map(|rule| rule.estimates.get(index).and_then(|it| it.1));
            (total, of_rules.collect::<Vec<_>>())
        };
        let indices: Vec<usize> = (0..self.totals.len()).collect();
        let runs = indices.chunk_by(|one, next| costs(*one) == costs(*next));
        let heading = |run: &[usize]| {
            let versions =
                run.iter().filter_map(|index| self.totals.get(*index).map(|(version, _)| *version));
            KubernetesVersions::from_versions(versions).map(|set| set.to_string()).unwrap_or_default()
        };
        let column = |run: &[usize]| CostColumn {
            index: run.first().copied().unwrap_or_default(),
            heading: heading(run),
        };
        runs.map(column).collect()
    }
}

/// A place as people write it: `spec.disks[].name`, and `[]` for the values of a map too.
fn shown_place(place: &[PlaceStep]) -> String {
    place_text(place).replace("[*]", "[]")
}

/// Returns the costs of every definition in documents on the servers of some versions.
pub fn cost_matrix(documents: &[&Document<'_>], versions: KubernetesVersions) -> Vec<DefinitionMatrix> {
    let definitions = documents.iter().flat_map(|document| readable_definitions(document));
    definitions.filter_map(|node| of_definition(node, versions)).collect()
}

fn of_definition(node: Node<'_>, versions: KubernetesVersions) -> Option<DefinitionMatrix> {
    let (document, dropped) = definition_value(node)?;
    let reviews = VersionReviews::of_definition(&document, None, versions.iter());
    let schemas = find_versions(node, &document, schema_plans(&document, None), &dropped);
    let matrices = reviews.newest.schemas.iter().map(|schema| {
        let located = schemas.iter().find(|located| located.plan.prefix == schema.prefix);
        of_schema(&reviews, versions, schema, located)
    });
    let name = node.get("metadata").and_then(|metadata| metadata.get("name"));
    Some(DefinitionMatrix {
        name: name.map(Node::text).unwrap_or_default().to_owned(),
        span: node.get("kind").unwrap_or(node).span(),
        versions: matrices.collect(),
    })
}

fn of_schema(
    reviews: &VersionReviews,
    versions: KubernetesVersions,
    schema: &SchemaReview,
    located: Option<&SchemaVersion<'_>>,
) -> VersionMatrix {
    let by_server: Vec<(KubernetesVersion, Option<&SchemaReport>)> = versions
        .iter()
        .map(|version| {
            let review = reviews.by_version.get(&version);
            let schemas = review.map(|it| it.schemas.as_slice()).unwrap_or_default();
            let same = schemas.iter().find(|other| other.prefix == schema.prefix);
            (version, same.map(|schema| &schema.report))
        })
        .collect();
    let total = |(version, report): &(KubernetesVersion, Option<&SchemaReport>)| {
        (*version, report.map_or(0, |report| report.total_cost))
    };
    let rules = of_rules(&schema.report, &by_server, located);
    VersionMatrix {
        name: located.map(|located| located.name.clone()).unwrap_or_default(),
        totals: by_server.iter().map(total).collect(),
        rules,
        is_limited: true,
    }
}

/// The rules of a report, each with the expression of its message if a server estimates that.
fn of_rules(
    newest: &SchemaReport,
    by_server: &[(KubernetesVersion, Option<&SchemaReport>)],
    located: Option<&SchemaVersion<'_>>,
) -> Vec<RuleShares> {
    let mut rules = Vec::new();
    for rule in &newest.rules {
        rules.push(of_rule(rule, ExpressionField::Rule, by_server, located));
        let message = of_rule(rule, ExpressionField::MessageExpression, by_server, located);
        rules.extend(Some(message).filter(|it| it.estimates.iter().any(|(_, cost)| cost.is_some())));
    }
    rules
}

fn of_rule(
    rule: &RuleReport,
    field: ExpressionField,
    by_server: &[(KubernetesVersion, Option<&SchemaReport>)],
    located: Option<&SchemaVersion<'_>>,
) -> RuleShares {
    let estimate = |report: &SchemaReport| {
        let is_it = |other: &&RuleReport| other.path == rule.path && other.index == rule.index;
        let found = report.rules.iter().find(is_it)?;
        if field == ExpressionField::Rule { found.estimated_cost } else { found.message_expression_cost }
    };
    let of_report = if field == ExpressionField::Rule { rule.rule.as_str() } else { "" };
    let steps = rule.path.strip_prefix("openAPIV3Schema").unwrap_or_default();
    let way = format!("{steps}.x-kubernetes-validations[{}].{}", rule.index, field.as_str());
    let location =
        located.map(|located| SchemaLocation::root(located.node, Some(located.key)).follow_field(&way));
    let entry = location.as_ref().and_then(|it| it.inner).filter(|entry| entry.key.text() == field.as_str());
    let span = entry.map(|entry| node_head_span(entry.value));
    let head = || location.as_ref().map(SchemaLocation::head_span);
    RuleShares {
        name: location.as_ref().map(|it| it.name.clone()).unwrap_or_default(),
        path: rule.path.clone(),
        index: rule.index,
        field,
        text: entry.map_or(of_report, |entry| entry.value.text()).to_owned(),
        span: span.or_else(head).unwrap_or_default(),
        estimates: by_server.iter().map(|(version, report)| (*version, report.and_then(estimate))).collect(),
        is_limited: true,
    }
}
