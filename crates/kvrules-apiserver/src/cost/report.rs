//! The server's answer about every rule of a schema.

use std::rc::Rc;
use std::sync::Arc;

use kvrules_cel::check::{CheckedExpression, Requirement};
use kvrules_cel::kubernetes::{CostRegime, Dialect, ExpressionAge, KubernetesVersion, KubernetesVersions};
use kvrules_cel::types::{MentionedProperties, TypeDeclaration};
use kvrules_kubernetes::keywords::VALIDATIONS;
use serde_json::Value;

use crate::field_error::{CostExcess, ErrorType, FieldError};
use crate::node::{SchemaPath, child_nodes, value_of};
use crate::server::ServerFeatures;
use crate::structural::{Leniency, SchemaOptions, check_schema_sharing};

use super::expensive::{self, ExpensiveExpression, keep_most_expensive};
use super::limits::{CONTRIBUTED, EXPRESSION_LIMIT, NAMED, NOTEWORTHY, SCHEMA_LIMIT, limit_exceeded_message};
use super::memo::{CompiledExpression, NodeExpression, ReviewMemo};
use super::rule::RuleEntry;
use super::walk::{Cardinality, NodesWithRules, SchemaNode};

/// The server's answer about one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleReport {
    /// The node it is on, from `openAPIV3Schema` on.
    pub path: String,
    /// Its place in `x-kubernetes-validations`.
    pub index: usize,
    /// The rule.
    pub rule: String,
    /// True if it has no error.
    pub valid: bool,
    /// Errors of the rule.
    pub errors: Vec<FieldError>,
    /// The most one evaluation costs; `None` when the rule does not compile.
    pub max_cost: Option<u64>,
    /// Maximum number of evaluations.
    pub cardinality: Option<Cardinality>,
    /// The product, which the limit is for.
    pub estimated_cost: Option<u64>,
    /// The most the messageExpression costs; `None` when there is none or it does not compile.
    pub message_expression_cost: Option<u64>,
    /// True if it is a transition rule.
    pub uses_old_self: bool,
    /// Constructs of the rule that not every server has; empty if it does not compile on the newest.
    pub requirements: Vec<Requirement>,
    /// The same of the messageExpression.
    pub message_requirements: Vec<Requirement>,
}

/// The server's answer about all rules of a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaReport {
    /// The rules, by node and index.
    pub rules: Vec<RuleReport>,
    /// The sum of all costs.
    pub total_cost: u64,
    /// Errors that belong to no single rule.
    pub errors: Vec<FieldError>,
}

/// The server's answer about a schema (the value of `openAPIV3Schema`) and its rules.
///
/// `prefix` is what the server puts before the fields of errors: `spec.validation` when all versions have one
/// schema, else `spec.versions[0].schema`. `has_status` says whether the version has the status subresource.
/// [`SchemaReport::errors`] holds what is wrong with the schema as well.
pub fn review_schema(schema: &Value, prefix: &str, has_status: bool) -> SchemaReport {
    review_with(schema, prefix, &SchemaOptions::new(has_status))
}

/// The server's answer about a schema that is checked with options; see [`review_schema`].
pub fn review_with(schema: &Value, prefix: &str, options: &SchemaOptions) -> SchemaReport {
    review_sharing(schema, prefix, options, &ReviewMemo::default())
}

/// As [`review_with`], with what reviews of the same definition by other servers have compiled.
pub fn review_sharing(
    schema: &Value,
    prefix: &str,
    options: &SchemaOptions,
    memo: &ReviewMemo,
) -> SchemaReport {
    let structure = check_schema_sharing(schema, prefix, options, &memo.expressions);
    if structure.errors.iter().any(|error| error.error_type == ErrorType::BadRequest) {
        return SchemaReport { errors: structure.errors, ..SchemaReport::default() };
    }
    let wrong = structure.errors.iter().map(|error| error.field.clone()).collect();
    let mut report = SchemaSurvey::new(schema, prefix, options, memo)
        .in_waves(structure.is_structural, wrong)
        .run(schema)
        .report;
    if options.has_leniency(Leniency::RuleCost) {
        report.pardon_costs();
    }
    report.errors.splice(0..0, structure.errors);
    report
}

impl SchemaReport {
    /// Removes the errors about single expressions that exceed their limit. The limit of the sum stays.
    // apiextensions validation.go, suppressExpressionCostForUnchangedSchema
    fn pardon_costs(&mut self) {
        for rule in &mut self.rules {
            rule.errors.retain(|error| !is_over_limit(error));
            rule.valid = rule.max_cost.is_some() && rule.errors.is_empty();
        }
    }
}

/// True if an error reports that the cost of one expression exceeds its limit.
fn is_over_limit(error: &FieldError) -> bool {
    ["estimated rule cost exceeds", "estimated messageExpression cost exceeds"]
        .into_iter()
        .any(|begin| error.detail.starts_with(begin))
}

/// The server's answer about the rules of a schema that is structural, without looking whether it is.
///
/// See [`review_schema`] for the arguments.
pub fn review_rules(schema: &Value, prefix: &str) -> SchemaReport {
    let (options, memo) = (SchemaOptions::default(), ReviewMemo::default());
    SchemaSurvey::new(schema, prefix, &options, &memo).in_waves(true, Vec::new()).run(schema).report
}

/// As [`review_rules`] for the costs alone, by the servers of several versions. Servers that estimate alike and compile each rule as
/// the newest does share a report, whose errors are those of one of them.
pub fn rule_costs_on(
    schema: &Value,
    prefix: &str,
    versions: KubernetesVersions,
) -> Vec<(KubernetesVersion, Arc<SchemaReport>)> {
    let memo = ReviewMemo::default();
    let with_rules = Rc::new(NodesWithRules::of_schema(schema));
    let mut alike: Vec<(CostRegime, Arc<SchemaReport>)> = Vec::new();
    let review = |version: KubernetesVersion| {
        let server = ServerFeatures::of_version(version);
        let is_alike = version == KubernetesVersion::NEWEST
            || !alike.is_empty() && memo.compiles_as_newest(server.dialect(ExpressionAge::New));
        let known = alike.iter().find(|(regime, _)| is_alike && *regime == server.regime);
        if let Some((_, report)) = known {
            return (version, Arc::clone(report));
        }
        let options = SchemaOptions { server, ..SchemaOptions::default() };
        let survey = SchemaSurvey::of_nodes(Rc::clone(&with_rules), prefix, &options, &memo);
        let report = Arc::new(survey.in_waves(true, Vec::new()).run(schema).report);
        if is_alike {
            alike.push((server.regime, Arc::clone(&report)));
        }
        (version, report)
    };
    // The newest first, in whose language all rules are compiled.
    let mut costs: Vec<_> = versions.iter().rev().map(review).collect();
    costs.reverse();
    costs
}

/// Returns the cost of all rules of a schema together, where it is the greatest of several servers.
pub fn greatest_total_cost(schema: &Value, prefix: &str, versions: KubernetesVersions) -> u64 {
    let memo = ReviewMemo::default();
    let total = |version: KubernetesVersion| {
        let options =
            SchemaOptions { server: ServerFeatures::of_version(version), ..SchemaOptions::default() };
        let survey = SchemaSurvey::new(schema, prefix, &options, &memo).in_waves(true, Vec::new());
        survey.run(schema).report.total_cost
    };
    versions.iter().map(total).max().unwrap_or_default()
}

/// Returns the errors of the rules of a schema, all at once: the server stops at the first kind of error, this does not.
///
/// Expressions are checked whether the schema is structural or not, except on nodes at or above one of the fields in
/// `wrong`, where the types of their variables are unknown. An error in another field of a rule hides nothing.
pub fn rules_at_once(schema: &Value, prefix: &str, wrong: Vec<String>) -> SchemaReport {
    rules_sharing(schema, prefix, wrong, &ReviewMemo::default()).report
}

/// As [`rules_at_once`], with expressions that others have parsed and with the expensive ones as they were checked.
pub fn rules_sharing(schema: &Value, prefix: &str, wrong: Vec<String>, memo: &ReviewMemo) -> Rules {
    let options = SchemaOptions::default();
    SchemaSurvey { wrong, ..SchemaSurvey::new(schema, prefix, &options, memo) }.run(schema)
}

/// As [`rules_sharing`], with the greatest costs of the servers of several versions. An expression that a server does not compile has
/// no cost there.
pub fn greatest_rules(schema: &Value, prefix: &str, versions: KubernetesVersions) -> Rules {
    let memo = ReviewMemo::default();
    let on_server = |version: KubernetesVersion| {
        let options =
            SchemaOptions { server: ServerFeatures::of_version(version), ..SchemaOptions::default() };
        SchemaSurvey::new(schema, prefix, &options, &memo).run(schema)
    };
    let mut all = versions.iter().rev().map(on_server);
    let mut greatest = all.next().unwrap_or_default();
    all.for_each(|rules| greatest.raise_to(rules));
    keep_most_expensive(&mut greatest.expensive);
    greatest
}

impl Rules {
    /// Raises costs to those of another server, for the same schema.
    fn raise_to(&mut self, other: Self) {
        self.report.total_cost = self.report.total_cost.max(other.report.total_cost);
        for (rule, other) in self.report.rules.iter_mut().zip(other.report.rules) {
            rule.max_cost = rule.max_cost.max(other.max_cost);
            rule.estimated_cost = rule.estimated_cost.max(other.estimated_cost);
            rule.message_expression_cost = rule.message_expression_cost.max(other.message_expression_cost);
        }
        for expression in other.expensive {
            let place = |it: &ExpensiveExpression| (it.path.clone(), it.index, it.is_message);
            match self.expensive.iter_mut().find(|known| place(known) == place(&expression)) {
                Some(known) => known.estimate = known.estimate.max(expression.estimate),
                None => self.expensive.push(expression),
            }
        }
    }
}

/// The rules of a schema.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// The server's answer about them.
    pub report: SchemaReport,
    /// The most expensive of their expressions, the most expensive first.
    pub expensive: Vec<ExpensiveExpression>,
}

/// Server's message about a rule on a node of unknown type.
// apiextensions validation/cel_validation.go, defaultConverter
const NO_DECLARATION: &str = "internal error: failed to construct type information for x-kubernetes-validations \
                              rules: unable to convert structural schema to CEL declarations";

/// Server's message about a rule below a node whose type has no elements.
// apiextensions schema/cel/compilation.go, Compile
const NO_ELEMENT_TYPE: &str = "failed to convert to declType for CEL validation rules";

/// A rule and its place on a node.
struct RuleLocation<'a> {
    index: usize,
    rule: &'a RuleEntry<'a>,
    /// True if errors in its expressions are not reported.
    hidden: bool,
}

struct SchemaSurvey<'a> {
    prefix: &'a str,
    /// True if expressions are checked at all.
    is_structural: bool,
    /// Fields where the schema is wrong.
    wrong: Vec<String>,
    /// True if one kind of error hides the next, as in the server.
    in_waves: bool,
    report: SchemaReport,
    /// The sum of the costs that the server comes to see.
    counted: u64,
    /// Costs worth naming: the rule, the field, the cost.
    costs: Vec<(usize, String, u64)>,
    /// Nodes without rules on or below them are skipped.
    with_rules: Rc<NodesWithRules>,
    options: &'a SchemaOptions,
    memo: &'a ReviewMemo,
    /// Expensive expressions.
    expensive: Vec<ExpensiveExpression>,
}

impl<'a> SchemaSurvey<'a> {
    fn new(schema: &Value, prefix: &'a str, options: &'a SchemaOptions, memo: &'a ReviewMemo) -> Self {
        Self::of_nodes(Rc::new(NodesWithRules::of_schema(schema)), prefix, options, memo)
    }

    /// As [`Self::new`], with the nodes of the schema that have rules.
    fn of_nodes(
        with_rules: Rc<NodesWithRules>,
        prefix: &'a str,
        options: &'a SchemaOptions,
        memo: &'a ReviewMemo,
    ) -> Self {
        Self {
            prefix,
            is_structural: true,
            wrong: Vec::new(),
            in_waves: false,
            report: SchemaReport::default(),
            counted: 0,
            costs: Vec::new(),
            with_rules,
            options,
            memo,
            expensive: Vec::new(),
        }
    }

    /// One kind of error hides the next, as in the server.
    fn in_waves(self, is_structural: bool, wrong: Vec<String>) -> Self {
        Self { is_structural, wrong, in_waves: true, ..self }
    }

    fn run(mut self, schema: &Value) -> Rules {
        self.survey_node(&SchemaNode::root(schema));
        self.finish_report()
    }

    /// The rules on and below a node; whether any of them has wrong fields.
    ///
    /// Wrong fields hide what is wrong with the expressions of the node and of those above it.
    // apiextensions validation.go, ValidateCustomResourceDefinitionOpenAPISchema: rules are compiled only if the schema
    // has no errors at the node or below, since errors of rules might only be consequences.
    fn survey_node(&mut self, node: &SchemaNode<'_>) -> bool {
        let mut hidden = self.is_wrong(&node.path);
        let path = format!("{}.{}", self.prefix, node.path);
        let path = SchemaPath::root(&path);
        for (step, branch) in node.branches() {
            self.survey_branch(branch, &path.join(step));
        }
        for child in node.children(|schema| self.with_rules.contains(schema)) {
            hidden |= self.survey_node(&child);
        }
        let entries = rule_entries(node.schema);
        if entries.is_empty() {
            return hidden;
        }
        let field = format!("{}.{}.x-kubernetes-validations", self.prefix, node.path);
        let rules: Vec<RuleEntry<'_>> = entries
            .iter()
            .enumerate()
            .map(|(index, entry)| RuleEntry { entry, field: format!("{field}[{index}]") })
            .collect();
        let field_errors: Vec<_> =
            rules.iter().map(|rule| rule.field_errors(node.schema, &self.options.server)).collect();
        hidden |= self.in_waves && field_errors.iter().any(|errors| !errors.is_empty());
        let strings = self.options.server.regime.string_bounds;
        let declare = || {
            let expressions = rules.iter();
            let expressions =
                expressions.flat_map(|rule| [rule.text_field("rule"), rule.text_field("messageExpression")]);
            let mut names = Vec::new();
            let expressions: Vec<&str> = expressions.collect();
            node.declare_mentioned(MentionedProperties::of_expressions(&expressions, &mut names), strings)
        };
        let is_declared = self.is_structural && !node.is_without_type;
        let decl = if is_declared { self.with_rules.declare_once(node, strings, declare) } else { None };
        if decl.is_none() && !hidden && self.is_structural {
            let detail = if node.is_without_type { NO_ELEMENT_TYPE } else { NO_DECLARATION }.to_owned();
            self.report.errors.push(FieldError::new(ErrorType::Internal, field, detail));
        }
        for (index, (rule, errors)) in rules.iter().zip(field_errors).enumerate() {
            self.survey_rule(node, decl.as_ref(), &RuleLocation { index, rule, hidden }, errors);
        }
        hidden
    }

    /// Rules of a branch, which is not a place for rules; their fields are examined all the same.
    // The same function passes no context for rules to `allOf` and its neighbours.
    fn survey_branch(&mut self, schema: &Value, path: &SchemaPath<'_>) {
        for (index, entry) in rule_entries(schema).iter().enumerate() {
            let rule = RuleEntry { entry, field: format!("{path}.x-kubernetes-validations[{index}]") };
            self.report.errors.extend(rule.field_errors(schema, &self.options.server));
        }
        for (step, below) in child_nodes(schema) {
            self.survey_branch(below, &path.join(step));
        }
    }

    /// True if the schema has an error at a node or below it.
    fn is_wrong(&self, path: &str) -> bool {
        let node = format!("{}.{path}", self.prefix);
        let inside = |rest: &str| rest.is_empty() || rest.starts_with(['.', '[']);
        self.wrong.iter().any(|field| field.strip_prefix(&node).is_some_and(inside))
    }

    fn survey_rule(
        &mut self,
        node: &SchemaNode<'_>,
        decl: Option<&Arc<TypeDeclaration>>,
        place: &RuleLocation<'_>,
        errors: Vec<FieldError>,
    ) {
        let RuleLocation { index, rule, hidden, .. } = *place;
        let mut report = RuleReport {
            path: node.path.clone(),
            index,
            rule: rule.text_field("rule").to_owned(),
            valid: false,
            errors,
            max_cost: None,
            cardinality: None,
            estimated_cost: None,
            message_expression_cost: None,
            uses_old_self: false,
            requirements: Vec::new(),
            message_requirements: Vec::new(),
        };
        if let Some(decl) = decl.filter(|_| !rule.is_blank()) {
            let errors = self.survey_expressions(node, decl, place, &mut report);
            if !hidden {
                report.errors.extend(errors);
            }
        }
        report.valid = report.max_cost.is_some() && report.errors.is_empty();
        self.report.rules.push(report);
    }

    // apiextensions validation.go, the loop over the results of Compile
    fn survey_expressions(
        &mut self,
        node: &SchemaNode<'_>,
        decl: &Arc<TypeDeclaration>,
        place: &RuleLocation<'_>,
        report: &mut RuleReport,
    ) -> Vec<FieldError> {
        let rule = place.rule;
        let (is_set, _) = rule.optional_old_self();
        let mut errors = Vec::new();
        let (compiled, requirements) = self.compile(place, decl, false);
        report.requirements = requirements;
        match &compiled.result {
            Ok(checked) => {
                errors.extend(self.survey_compiled(node, decl, place, (&compiled, checked), report));
                errors.extend(self.message_expression(decl, place, report));
            }
            Err(error) => errors.push(rule.new_error(ErrorType::Invalid, "rule", error.to_string())),
        }
        if let Some(path) = node.uncorrelatable.as_ref().filter(|_| report.uses_old_self) {
            let prefix = self.prefix;
            let detail = format!(
                "oldSelf cannot be used on the uncorrelatable portion of the schema within {prefix}.{path}"
            );
            errors.push(rule.new_error(ErrorType::Invalid, "rule", detail));
        }
        if is_set && !report.uses_old_self {
            // The server asks if the field is set, whatever its value is.
            let detail = "may not be set if oldSelf is not used in rule";
            errors.push(rule.new_error(ErrorType::Invalid, "optionalOldSelf", detail));
        }
        errors
    }

    fn survey_compiled(
        &mut self,
        node: &SchemaNode<'_>,
        decl: &Arc<TypeDeclaration>,
        place: &RuleLocation<'_>,
        (compiled, checked): (&CompiledExpression, &CheckedExpression),
        report: &mut RuleReport,
    ) -> Option<FieldError> {
        let cost = compiled.cost(checked, decl, self.options.server.regime);
        let cardinality = node.cardinality(decl);
        let total = cost.saturating_mul(cardinality.evaluations);
        report.uses_old_self = checked.mentions_variable("oldSelf");
        report.max_cost = Some(cost);
        report.cardinality = Some(cardinality);
        report.estimated_cost = Some(total);
        self.count_cost(place, "rule", total);
        self.keep(report, false, total, checked);
        let detail = || limit_exceeded_message("estimated rule cost", total, EXPRESSION_LIMIT);
        (total > EXPRESSION_LIMIT).then(|| place.rule.excess_error("rule", detail()))
    }

    // schema/cel/compilation.go, compileRule: reached only if the rule compiles. The cost is not multiplied by the number
    // of values.
    fn message_expression(
        &mut self,
        decl: &Arc<TypeDeclaration>,
        place: &RuleLocation<'_>,
        report: &mut RuleReport,
    ) -> Option<FieldError> {
        let text = place.rule.text_field("messageExpression");
        if text.trim().is_empty() {
            return None;
        }
        let (compiled, requirements) = self.compile(place, decl, true);
        report.message_requirements = requirements;
        let checked = match &compiled.result {
            Ok(checked) => checked,
            Err(error) => {
                let text = error.to_string();
                let detail = match text.strip_prefix("compilation failed: ") {
                    Some(issues) => format!("messageExpression compilation failed: {issues}"),
                    None => text.replacen("program instantiation", "messageExpression instantiation", 1),
                };
                return Some(place.rule.new_error(ErrorType::Invalid, "messageExpression", detail));
            }
        };
        let cost = compiled.cost(checked, decl, self.options.server.regime);
        report.message_expression_cost = Some(cost);
        self.count_cost(place, "messageExpression", cost);
        self.keep(report, true, cost, checked);
        let detail = || limit_exceeded_message("estimated messageExpression cost", cost, EXPRESSION_LIMIT);
        (cost > EXPRESSION_LIMIT).then(|| place.rule.excess_error("messageExpression", detail()))
    }

    // apiextensions validation/cel_validation.go, ObserveExpressionCost
    fn count_cost(&mut self, place: &RuleLocation<'_>, field: &str, cost: u64) {
        self.report.total_cost = self.report.total_cost.saturating_add(cost);
        if place.hidden {
            return;
        }
        self.counted = self.counted.saturating_add(cost);
        if cost >= NOTEWORTHY {
            self.costs.push((self.report.rules.len(), format!("{}.{field}", place.rule.field), cost));
        }
    }

    fn keep(&mut self, report: &RuleReport, is_message: bool, estimate: u64, checked: &CheckedExpression) {
        if !expensive::is_expensive(estimate) {
            return;
        }
        let (path, index, checked) = (report.path.clone(), report.index, checked.clone());
        expensive::add_expensive(
            &mut self.expensive,
            ExpensiveExpression { path, index, is_message, estimate, checked },
        );
    }

    /// The rule or the messageExpression of an entry, in the language that the server has for it.
    fn compile(
        &self,
        place: &RuleLocation<'_>,
        decl: &Arc<TypeDeclaration>,
        is_message: bool,
    ) -> (Arc<CompiledExpression>, Vec<Requirement>) {
        let text = place.rule.text_field(if is_message { "messageExpression" } else { "rule" });
        let SchemaOptions { server, stored, .. } = self.options;
        let is_stored = if is_message {
            server.definitions.keeps_messages && stored.messages.contains(text)
        } else {
            stored.rules.contains(text)
        };
        let age = if is_stored { ExpressionAge::Stored } else { ExpressionAge::New };
        let (_, has_optional_old_self) = place.rule.optional_old_self();
        let expression = NodeExpression { text, decl, is_message, has_optional_old_self };
        let dialect = match server.version() {
            // The newest server has no gate that only stored expressions pass.
            KubernetesVersion::NEWEST => Dialect::NEWEST,
            _ => server.dialect(age),
        };
        let newest = self.memo.compile(&expression, Dialect::NEWEST);
        let requirements = newest.requirements(text).to_vec();
        let compiled =
            if dialect == Dialect::NEWEST { newest } else { self.memo.compile(&expression, dialect) };
        (compiled, requirements)
    }

    fn finish_report(mut self) -> Rules {
        if self.counted > SCHEMA_LIMIT {
            self.report_excessive_total();
        }
        self.report.rules.sort_by(|a, b| (&a.path, a.index).cmp(&(&b.path, b.index)));
        expensive::keep_most_expensive(&mut self.expensive);
        Rules { report: self.report, expensive: self.expensive }
    }

    /// Names the most expensive rules of a schema that is too expensive as a whole.
    ///
    /// Of equally expensive ones those below come before those above and lower indices first, as in the server. Between
    /// siblings the server leaves it to chance; here it is their order in the schema.
    fn report_excessive_total(&mut self) {
        let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        let field = format!("{}.openAPIV3Schema", self.prefix);
        let detail = limit_exceeded_message(what, self.counted, SCHEMA_LIMIT);
        self.report.errors.push(FieldError::exceeding(CostExcess::Schema, field, detail));
        self.costs.sort_by_key(|(_, _, cost)| std::cmp::Reverse(*cost));
        for (rule, field, _) in self.costs.drain(..).take(NAMED) {
            let Some(report) = self.report.rules.get_mut(rule) else { continue };
            report.errors.push(FieldError::exceeding(CostExcess::Contribution, field, CONTRIBUTED));
            report.valid = false;
        }
    }
}

/// The rules of a node.
fn rule_entries(schema: &Value) -> &[Value] {
    value_of(schema, VALIDATIONS).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}
