//! Reports the cost of every rule of a definition.

use std::collections::{BTreeMap, BTreeSet};

use kvrules_apiserver::cost::{
    Cost, EXPRESSION_LIMIT, RuleReport, Rules, SCHEMA_LIMIT, SchemaReport, greatest_rules,
};
use kvrules_apiserver::definition::schema_plans;
use kvrules_cel::kubernetes::KubernetesVersions;
use kvrules_diagnostics::{Edit, SourceFile, Span};
use kvrules_generate::server_path;
use kvrules_lift::rewrite::{EquivalentRule, find_form_for_servers, site_of_rule};
use kvrules_lift::{DefinitionRule, definition_rules};
use kvrules_syntax::kubernetes::is_too_large;
use kvrules_syntax::value::request_value;
use kvrules_syntax::{Document, Node};
use serde_json::Value;

use super::ExpressionField;
use super::bounds::{BoundRemedies, BoundRemedy, Headroom, PlacedBound, propose_bounds, propose_bounds_for};
use crate::placeholders::Placeholders;
use crate::resource::{ResourceKind, find_resources};
use crate::schema_location::{SchemaLocation, node_head_span};
use crate::schema_review::{ReviewedSchema, SchemaReviews, SchemaVersion, find_versions};
use crate::schema_tree::SchemaTree;
use crate::shape;

/// Cost of the rules of a definition.
#[derive(Clone, Debug)]
pub struct DefinitionCost {
    /// Its name.
    pub name: String,
    /// Location of its kind.
    pub span: Span,
    /// Its versions, as they are in the file.
    pub versions: Vec<VersionCost>,
    /// True for a RuleSet, whose severities are its versions.
    pub is_rule_set: bool,
}

/// Cost of the rules of a version. Each version has a budget of its own.
#[derive(Clone, Debug)]
pub struct VersionCost {
    /// Its name.
    pub name: String,
    /// Total cost of all rules and messages.
    pub total: u64,
    /// The part of the total that rules have which are not listed.
    pub of_others: u64,
    /// True if a server limits costs. In policies it limits no estimates.
    pub is_limited: bool,
    /// The rules, the most expensive first.
    pub rules: Vec<RuleCost>,
    /// The bounds that bring the sum under its budget, where it is above; empty if bounds do not help.
    pub bounds: Vec<ProposedBound>,
    /// The edits that add every bound of this version.
    pub edits: Vec<Edit>,
}

/// Cost of one expression.
#[derive(Clone, Debug)]
pub struct RuleCost {
    /// The way to the values that it is about, `spec.disks[]`; empty for the whole object.
    pub name: String,
    /// The node of the schema as the server writes it, from `openAPIV3Schema` on.
    pub path: String,
    /// Its number among the rules of the node, from 0.
    pub index: usize,
    /// The expression of the rule that is estimated.
    pub field: ExpressionField,
    /// The expression.
    pub text: String,
    /// Location of the expression.
    pub span: Span,
    /// The most one evaluation costs; none if it does not compile or what it sees is not known.
    pub cost: Option<u64>,
    /// Upper bound on the number of evaluations.
    pub evaluations: u64,
    /// True if every list and map around it has a bound.
    pub is_bounded: bool,
    /// Cost that counts against the budget: for a rule the product, for a message one evaluation.
    pub estimate: Option<u64>,
    /// The bounds that bring it under its budget, where it is above; empty if bounds do not help.
    pub bounds: Vec<ProposedBound>,
    /// An equivalent form that costs less, if one was asked for and is known.
    pub cheaper: Option<EquivalentRule>,
    /// True if a selected server rejects the rule, and no form that all take is known.
    pub lacks_form: bool,
    /// True if a server limits the cost.
    pub is_limited: bool,
}

/// Options of an estimate.
#[derive(Clone, Copy, Debug, Default)]
pub struct CostOptions {
    /// Percentage of a budget that proposed bounds leave free.
    pub headroom: Headroom,
    /// Looks for equivalent rules that cost less.
    pub finds_cheaper: bool,
    /// The servers that are to take these rules.
    pub servers: KubernetesVersions,
    /// True for the greatest costs of these servers, and bounds for all of them; else for those of the newest.
    pub greatest: bool,
}

impl From<Headroom> for CostOptions {
    fn from(headroom: Headroom) -> Self {
        Self { headroom, ..Self::default() }
    }
}

/// A bound to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposedBound {
    /// The way to the values that it bounds, `spec.disks[]`.
    pub name: String,
    /// `maxItems`, `maxProperties` or `maxLength`.
    pub keyword: &'static str,
    /// The largest value under which everything fits.
    pub most: u64,
    /// The bound that is there now.
    pub declared: Option<u64>,
    /// Location of the schema that gets it.
    pub span: Option<Span>,
}

impl VersionCost {
    /// True if the total cost of the rules exceeds the limit.
    pub fn is_over(&self) -> bool {
        self.is_limited && self.total > SCHEMA_LIMIT
    }
}

impl RuleCost {
    /// True if the server rejects it for its cost.
    pub fn is_over(&self) -> bool {
        self.is_limited && self.estimate.is_some_and(|estimate| estimate > EXPRESSION_LIMIT)
    }
}

/// The costs of every definition in documents. What the server could not read is left out of them.
///
/// ```
/// use kvrules_diagnostics::{FileId, SourceFile};
///
/// let text = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: disks.example.com}\n\
///     spec:\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n\
///     \x20         size:\n            type: integer\n            x-kubernetes-validations:\n            - rule: self > 1\n";
/// let source = SourceFile::new(FileId(0), "crd.yaml", text);
/// let stream = kvrules_syntax::parse_stream(source.id(), source.text());
/// let documents: Vec<_> = stream.documents.iter().collect();
/// let costs = kvrules_crd::estimate_costs(&source, &documents);
/// assert_eq!((costs[0].name.as_str(), costs[0].versions[0].rules[0].estimate), ("disks.example.com", Some(2)));
/// ```
pub fn estimate_costs(source: &SourceFile, documents: &[&Document<'_>]) -> Vec<DefinitionCost> {
    costs_with(source, documents, CostOptions::default())
}

/// The same, with bounds that leave so much of the budgets free.
pub fn costs_with(
    source: &SourceFile,
    documents: &[&Document<'_>],
    options: CostOptions,
) -> Vec<DefinitionCost> {
    let definitions = documents.iter().flat_map(|document| definitions(document));
    let priced = definitions.filter(|(_, is_decided)| *is_decided);
    priced.filter_map(|(node, _)| of_definition(source, node, options)).collect()
}

/// The number of definitions in documents that have no cost, because it depends on parameters of OpenShift templates.
pub fn undecided_costs(documents: &[&Document<'_>]) -> usize {
    let definitions = documents.iter().flat_map(|document| definitions(document));
    definitions.filter(|(_, is_decided)| !is_decided).count()
}

/// The definitions of a document that can be read, and on whose cost no parameter has an influence.
pub(crate) fn readable_definitions<'d>(document: &'d Document<'d>) -> Vec<Node<'d>> {
    definitions(document).into_iter().filter(|(_, is_decided)| *is_decided).map(|(node, _)| node).collect()
}

/// The value of a definition of the version that servers have, without what they cannot read, and what that is.
pub(crate) fn definition_value(node: Node<'_>) -> Option<(Value, BTreeSet<Span>)> {
    if node.get("apiVersion")?.text() != "apiextensions.k8s.io/v1" || is_too_large(node) {
        return None;
    }
    let dropped: BTreeSet<Span> = shape::check_shape(node, shape::of_kind(ResourceKind::Definition)).dropped;
    Some((request_value(node, &dropped)?, dropped))
}

/// The definitions of a document that can be read, and true for those on whose cost no parameter has an influence.
fn definitions<'d>(document: &'d Document<'d>) -> Vec<(Node<'d>, bool)> {
    if !crate::is_sound(document) {
        return Vec::new();
    }
    let mut found = find_resources(document);
    found.retain(|resource| resource.kind == ResourceKind::Definition);
    let placeholders = Placeholders::of(document, &found);
    let is_decided = |node: Node<'_>| !crate::templated::depends_on_parameters(&placeholders, node);
    found.iter().map(|resource| (resource.node, is_decided(resource.node))).collect()
}

fn of_definition(source: &SourceFile, node: Node<'_>, options: CostOptions) -> Option<DefinitionCost> {
    let (document, dropped) = definition_value(node)?;
    let name = node.get("metadata").and_then(|metadata| metadata.get("name"));
    let versions = find_versions(node, &document, schema_plans(&document, None), &dropped);
    let mut reviews = SchemaReviews::default();
    let priced = versions.iter().map(|version| {
        let reviewed = reviews.review_version(version);
        of_version(source, version, &reviewed, options)
    });
    Some(DefinitionCost {
        name: name.map(Node::text).unwrap_or_default().to_owned(),
        span: node.get("kind").unwrap_or(node).span(),
        versions: priced.collect(),
        is_rule_set: false,
    })
}

fn of_version(
    source: &SourceFile,
    version: &SchemaVersion<'_>,
    reviewed: &ReviewedSchema<'_>,
    options: CostOptions,
) -> VersionCost {
    if options.greatest && !options.servers.is_newest_alone() {
        let Rules { report, expensive } = greatest_rules(&reviewed.schema, "schema", options.servers);
        let choices = (options.headroom, options.servers);
        let found = propose_bounds_for(source, version, &reviewed.schema, (&report, &expensive), choices);
        return cost_of_version(version, reviewed, &report, &found, options);
    }
    let found = propose_bounds(source, version, reviewed, options.headroom);
    cost_of_version(version, reviewed, &reviewed.report, &found, options)
}

fn cost_of_version(
    version: &SchemaVersion<'_>,
    reviewed: &ReviewedSchema<'_>,
    report: &SchemaReport,
    found: &BoundRemedies,
    options: CostOptions,
) -> VersionCost {
    let root = SchemaLocation::root(version.node, Some(version.key));
    let nodes = SchemaTree::new(version.node, version.key).with_rules();
    let at = |rule: &RuleReport| nodes.get(rule.path.strip_prefix("openAPIV3Schema").unwrap_or_default());
    let priced = |rule: &RuleReport| of_rule(rule, at(rule).unwrap_or(&root), found);
    let mut rules: Vec<RuleCost> = report.rules.iter().flat_map(priced).collect();
    rules.sort_by_key(|rule| std::cmp::Reverse(rule.estimate));
    if options.finds_cheaper {
        find_forms(&mut rules, &reviewed.schema, options.servers);
    }
    VersionCost {
        name: version.name.clone(),
        total: report.total_cost,
        of_others: 0,
        is_limited: true,
        rules,
        bounds: found.total.as_ref().map(to_bounds).unwrap_or_default(),
        edits: found.edits(),
    }
}

/// Looks for forms that cost less, or that all servers take.
fn find_forms(rules: &mut [RuleCost], schema: &Value, servers: KubernetesVersions) {
    let known = definition_rules(schema);
    let place = |rule: &DefinitionRule| (server_path(schema, &rule.place), rule.index);
    let known: BTreeMap<(String, usize), DefinitionRule> =
        known.into_iter().map(|rule| (place(&rule), rule)).collect();
    for rule in rules.iter_mut().filter(|rule| rule.field == ExpressionField::Rule) {
        let path = rule.path.strip_prefix("openAPIV3Schema").unwrap_or(&rule.path);
        let path = path.strip_prefix('.').unwrap_or(path).to_owned();
        let Some(found) = known.get(&(path, rule.index)) else { continue };
        rule.cheaper = find_form_for_servers(schema, found, servers);
        rule.lacks_form =
            rule.cheaper.is_none() && !servers.is_newest_alone() && !is_accepted(schema, found, servers);
    }
}

/// True if the servers of several Kubernetes versions take a new rule within its budget.
fn is_accepted(schema: &Value, rule: &DefinitionRule, servers: KubernetesVersions) -> bool {
    let cost = site_of_rule(schema, rule, servers).map(|site| site.rule_cost(&rule.source.rule));
    cost.is_some_and(|cost| cost.is_ok_and(Cost::is_accepted))
}

/// The rule, and the expression of its message if there is one.
fn of_rule(rule: &RuleReport, at: &SchemaLocation<'_>, found: &BoundRemedies) -> Vec<RuleCost> {
    let evaluations = rule.cardinality.map_or(1, |cardinality| cardinality.evaluations);
    let is_bounded = rule.cardinality.is_some_and(|cardinality| cardinality.bounded);
    let of_field = |field: ExpressionField, cost: Option<u64>, estimate: Option<u64>| {
        let way = format!(".x-kubernetes-validations[{}].{}", rule.index, field.as_str());
        let place = at.clone().follow_field(&way);
        let entry = place.inner.filter(|entry| entry.key.text() == field.as_str());
        RuleCost {
            name: place.name.clone(),
            path: rule.path.clone(),
            index: rule.index,
            field,
            text: entry.map(|entry| entry.value.text()).unwrap_or_default().to_owned(),
            span: entry.map_or_else(|| place.head_span(), |entry| node_head_span(entry.value)),
            cost,
            evaluations: if field == ExpressionField::Rule { evaluations } else { 1 },
            is_bounded,
            estimate,
            bounds: found.find_remedy(&rule.path, rule.index, field).map(to_bounds).unwrap_or_default(),
            cheaper: None,
            lacks_form: false,
            is_limited: true,
        }
    };
    let mut costs = vec![of_field(ExpressionField::Rule, rule.max_cost, rule.estimated_cost)];
    if let Some(cost) = rule.message_expression_cost {
        costs.push(of_field(ExpressionField::MessageExpression, Some(cost), Some(cost)));
    }
    costs
}

fn to_bounds(remedy: &BoundRemedy) -> Vec<ProposedBound> {
    remedy.slots.iter().map(to_bound).collect()
}

fn to_bound(placed: &PlacedBound) -> ProposedBound {
    ProposedBound {
        name: placed.slot.name.clone(),
        keyword: placed.slot.keyword,
        most: placed.most,
        declared: placed.slot.declared,
        span: placed.span,
    }
}
