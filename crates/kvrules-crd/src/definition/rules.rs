//! The rules of a schema: their fields, their expressions, and what they cost.

use std::collections::HashMap;

use kvrules_apiserver::cost::{
    EXPRESSION_LIMIT, RUNTIME_EXPRESSION_LIMIT, RuleReport, SCHEMA_LIMIT, SchemaReport, measure_node,
};
use kvrules_apiserver::crd::{ConstantMessage, constant_message};
use kvrules_apiserver::field_error::CostExcess;
use kvrules_apiserver::structural::Leniency;
use kvrules_cel::Expressions;
use kvrules_cel::types::{DeclarationShape, TypeDeclaration};
use kvrules_diagnostics::{Diagnostic, SourceFile};
use kvrules_syntax::Node;
use serde_json::Value;

use super::{DefinitionCheck, schema_messages};
use crate::cel;
use crate::cost::{self, ExpressionField};
use crate::cures::ExpressionView;
use crate::lints;
use crate::schema_location::SchemaLocation;
use crate::schema_review::{ROOT, ReviewedSchema, SchemaVersion};
use crate::schema_tree::SchemaTree;
use crate::text::format_thousands;

/// Checks the rules of a version.
pub(super) fn check_rules(
    source: &SourceFile,
    version: &SchemaVersion<'_>,
    reviewed: &ReviewedSchema<'_>,
    tree: &SchemaTree<'_>,
    checked: &mut DefinitionCheck,
) {
    let ReviewedSchema { schema, report, memo, .. } = reviewed;
    let expressions = &memo.expressions;
    checked.rules += report.rules.len();
    let bounds = cost::propose_bounds(source, version, reviewed, cost::Headroom::default());
    let root = &SchemaLocation::root(version.node, Some(version.key));
    let nodes = if report.rules.is_empty() { HashMap::new() } else { tree.with_rules() };
    let mut names = VisibleNames { schema, expressions, left: MOST_NAMES, known: HashMap::new() };
    for rule in &report.rules {
        let steps = rule.path.strip_prefix("openAPIV3Schema").unwrap_or_default();
        let node = nodes.get(steps).cloned().unwrap_or_else(|| root.clone());
        check_rule(rule, &node, version, &mut names, &bounds, &mut checked.findings);
    }
    for error in &report.errors {
        let place = root.clone().follow_field(error.field.strip_prefix(ROOT).unwrap_or_default());
        if error.detail.starts_with("x-kubernetes-validations estimated rule cost total") {
            // If the moderate rules fit, the findings about expensive rules suffice.
            if moderate_rules_cost(report) > SCHEMA_LIMIT {
                let field = version.server_field(&error.field);
                checked.findings.push(total_cost_finding(version, report, root, &bounds).with_field(field));
            }
        } else {
            checked.findings.push(
                schema_messages::to_finding(error, &place).with_field(version.server_field(&error.field)),
            );
        }
    }
}

fn check_rule(
    rule: &RuleReport,
    at: &SchemaLocation<'_>,
    version: &SchemaVersion<'_>,
    names: &mut VisibleNames<'_>,
    bounds: &cost::BoundRemedies,
    findings: &mut Vec<Diagnostic>,
) {
    let steps = rule.path.strip_prefix("openAPIV3Schema").unwrap_or_default();
    let place =
        |field: &str| at.clone().follow_field(&format!(".x-kubernetes-validations[{}].{field}", rule.index));
    let node = place("rule").inner.map(|entry| entry.value);
    let tagged = ["rule", "messageExpression"].map(|field| place(field).inner.and_then(cel::tag_finding));
    let is_tagged = tagged.iter().any(Option::is_some);
    findings.extend(tagged.into_iter().flatten());
    for error in rule.errors.iter().filter(|_| !is_tagged) {
        let field = error.field.rsplit('.').next().unwrap_or_default();
        let place = place(field);
        let text = place.inner.map(|entry| entry.value).filter(|node| node.as_str().is_some());
        let before = findings.len();
        match text {
            _ if error.cost_excess == Some(CostExcess::Contribution) => {}
            Some(node) if error.detail.contains("ERROR: <input>:") => {
                let expressions = names.expressions;
                let seen = names.seen_at(steps);
                let view = seen.map(|seen| seen.view(steps)).unwrap_or_default();
                findings.extend(cel::issue_findings(node, node.text(), &error.detail, view, expressions));
            }
            _ if error.cost_excess.is_some() && version.plan.options.has_leniency(Leniency::RuleCost) => {}
            _ if error.cost_excess.is_some() => findings.push(cost_finding(rule, field, &place, bounds)),
            _ => findings.push(schema_messages::to_finding(error, &place)),
        }
        let added = findings.iter_mut().skip(before);
        added.for_each(|finding| finding.field = Some(version.server_field(&error.field)));
    }
    let Some(node) = node else { return };
    // Without a cost the types are unknown and the type checker did not run, so report syntax errors here.
    if rule.max_cost.is_none()
        && !rule.errors.iter().any(|error| error.field.rsplit('.').next() == Some("rule"))
    {
        findings.extend(cel::syntax_findings(node, names.expressions));
    }
    findings.extend(at_run_time(rule, node));
    findings.extend(lost_message(rule, &place("reason"), &place("messageExpression")));
    findings.extend(constant_message_finding(&place("message"), &place("messageExpression")));
}

/// Maximum number of nodes of a version for which a similar name is searched.
const MOST_NAMES: usize = 100;

/// The names that expressions can see, by node.
struct VisibleNames<'v> {
    schema: &'v Value,
    /// The expressions of the schema.
    expressions: &'v Expressions,
    left: usize,
    known: HashMap<String, SeenNames>,
}

/// The names that expressions at a node can see.
struct SeenNames {
    /// The names, in their escaped form.
    names: Vec<String>,
    /// The type of `self`.
    own: Option<TypeDeclaration>,
}

impl VisibleNames<'_> {
    fn seen_at(&mut self, steps: &str) -> Option<&SeenNames> {
        if !self.known.contains_key(steps) && self.left > 0 {
            self.left -= 1;
            self.known.insert(steps.to_owned(), SeenNames::at(self.schema, steps));
        }
        self.known.get(steps)
    }
}

impl SeenNames {
    fn at(schema: &Value, steps: &str) -> Self {
        fn collect_names(decl: &TypeDeclaration, names: &mut Vec<String>) {
            match &decl.shape {
                DeclarationShape::Scalar => {}
                DeclarationShape::List(element) | DeclarationShape::Map(element) => {
                    collect_names(element, names);
                }
                DeclarationShape::Object(fields) => {
                    for (name, field) in fields {
                        names.push(name.clone());
                        collect_names(field, names);
                    }
                }
            }
        }
        let mut names = vec!["self".to_owned(), "oldSelf".to_owned()];
        let own = measure_node(schema, steps.trim_start_matches('.')).ok().map(|(own, _)| own);
        if let Some(own) = &own {
            collect_names(own, &mut names);
        }
        names.sort();
        names.dedup();
        Self { names, own }
    }

    /// The view of an expression at the node, whose path the server writes so.
    fn view<'v>(&'v self, steps: &'v str) -> ExpressionView<'v> {
        let field = steps.rsplit_once('[').and_then(|(_, name)| name.strip_suffix(']')).unwrap_or("[]");
        let field = if steps.is_empty() { "" } else { field };
        ExpressionView { names: &self.names, own: self.own.as_ref(), field, variables: &[] }
    }
}

/// An expression that is more expensive than the server allows.
fn cost_finding(
    rule: &RuleReport,
    field: &str,
    place: &SchemaLocation<'_>,
    bounds: &cost::BoundRemedies,
) -> Diagnostic {
    let span = place.value_span();
    let message = match (field, rule.max_cost, rule.cardinality) {
        ("rule", Some(cost), Some(cardinality)) if cardinality.evaluations > 1 => format!(
            "estimated rule cost {} exceeds the limit of {}: {} at each of {} evaluations",
            format_thousands(cost.saturating_mul(cardinality.evaluations)),
            format_thousands(EXPRESSION_LIMIT),
            format_thousands(cost),
            format_thousands(cardinality.evaluations)
        ),
        ("rule", Some(cost), _) => {
            format!(
                "estimated rule cost {} exceeds the limit of {}",
                format_thousands(cost),
                format_thousands(EXPRESSION_LIMIT)
            )
        }
        _ => {
            let cost = rule.message_expression_cost.unwrap_or_default();
            let (cost, most) = (format_thousands(cost), format_thousands(EXPRESSION_LIMIT));
            format!("estimated cost {cost} of `messageExpression` exceeds the limit of {most}")
        }
    };
    let kind = if field == "rule" { ExpressionField::Rule } else { ExpressionField::MessageExpression };
    let remedy = bounds.find_remedy(&rule.path, rule.index, kind);
    let mut finding = lints::RULE_COST.diagnostic_at(span, message);
    for slot in remedy.into_iter().flat_map(|remedy| &remedy.slots) {
        if let Some(span) = slot.span {
            finding = finding.with_secondary_label(span, format!("{} here", slot.describe_current()));
        }
    }
    let help = match remedy {
        Some(remedy) if remedy.is_found() => remedy.to_advice(),
        _ => cost::advise_simplification(place.inner.map(|entry| entry.value.text()).unwrap_or_default()),
    };
    finding.fix = remedy.and_then(cost::BoundRemedy::fix);
    finding.with_help(help)
}

/// Returns the total cost of the rules if none exceeded the budget of one rule.
fn moderate_rules_cost(report: &SchemaReport) -> u64 {
    let costs = report.rules.iter().flat_map(|rule| [rule.estimated_cost, rule.message_expression_cost]);
    costs.flatten().map(|cost| cost.min(EXPRESSION_LIMIT)).fold(0, u64::saturating_add)
}

/// Number of the most expensive rules that are named.
const NAMED: usize = 4;

/// Rules that are too expensive together.
fn total_cost_finding(
    version: &SchemaVersion<'_>,
    report: &SchemaReport,
    root: &SchemaLocation<'_>,
    bounds: &cost::BoundRemedies,
) -> Diagnostic {
    let (total, most) = (format_thousands(report.total_cost), format_thousands(SCHEMA_LIMIT));
    let message = format!("estimated total rule cost {total} exceeds the limit of {most}");
    let mut finding = lints::RULE_COST.diagnostic_at(version.key.span(), message);
    let mut expensive: Vec<&RuleReport> =
        report.rules.iter().filter(|rule| rule.estimated_cost.is_some()).collect();
    expensive.sort_by_key(|rule| std::cmp::Reverse(rule.estimated_cost));
    for rule in expensive.into_iter().take(NAMED) {
        let steps = rule.path.strip_prefix("openAPIV3Schema").unwrap_or_default();
        let place =
            root.clone().follow_field(&format!("{steps}.x-kubernetes-validations[{}].rule", rule.index));
        let cost = format_thousands(rule.estimated_cost.unwrap_or_default());
        finding = finding.with_secondary_label(place.value_span(), format!("{cost} of it"));
    }
    let Some(remedy) = bounds.total.as_ref().filter(|remedy| remedy.is_found()) else {
        return finding.with_help(
            "bound the lists, maps and strings that the most expensive rules read; `kvrules cost` lists them all",
        );
    };
    finding.fix = remedy.fix();
    finding.with_help(remedy.to_advice())
}

/// A rule that the server accepts and may cut off at an object: one evaluation has a tenth of the budget.
fn at_run_time(rule: &RuleReport, node: Node<'_>) -> Option<Diagnostic> {
    let cost = rule.max_cost.filter(|cost| *cost > RUNTIME_EXPRESSION_LIMIT)?;
    if rule.estimated_cost? > EXPRESSION_LIMIT {
        return None;
    }
    let message = format!(
        "one evaluation may cost {}: at {} the server aborts it and rejects the object",
        format_thousands(cost),
        format_thousands(RUNTIME_EXPRESSION_LIMIT)
    );
    let finding = lints::RUNTIME_COST.diagnostic_at(crate::schema_location::node_head_span(node), message);
    Some(
        finding
            .with_help("bound the lists, maps and strings that it reads, if real objects may be that large"),
    )
}

/// A `messageExpression` that the server never uses, or the only one that it ever shows.
// apiextensions schema/cel/validation.go, evalMessageExpression
fn constant_message_finding(
    message: &SchemaLocation<'_>,
    expression: &SchemaLocation<'_>,
) -> Option<Diagnostic> {
    // An expression about the object is not constant, and need not be parsed once more.
    let node = written_text(expression, "messageExpression")
        .filter(|node| !node.text().contains("self") && !node.text().contains("oldSelf"))?;
    let span = |node: Node<'_>| crate::schema_location::node_head_span(node);
    match constant_message(node.text())? {
        ConstantMessage::Unused => {
            let message = "message is never shown: it is blank, too long, or has a line break";
            let help = "write one line of text; the server falls back to `message`";
            Some(lints::LOST_MESSAGE.diagnostic_at(span(node), message).with_help(help))
        }
        ConstantMessage::Shown(_) => {
            let lost = written_text(message, "message")?;
            let message = "message is never shown, since `messageExpression` always gives another one";
            let help = "remove `messageExpression`, or `message`";
            let finding = lints::LOST_MESSAGE.diagnostic_at(span(lost), message);
            Some(finding.with_secondary_label(span(node), "the same for all objects").with_help(help))
        }
    }
}

/// The text of a key, if it has one that is not empty.
fn written_text<'d>(at: &SchemaLocation<'d>, key: &str) -> Option<Node<'d>> {
    let entry = at.inner.filter(|entry| entry.key.text() == key)?;
    Some(entry.value).filter(|node| node.as_str().is_some_and(|text| !text.is_empty()))
}

/// Messages that the server accepts and does not show.
fn lost_message(
    rule: &RuleReport,
    reason: &SchemaLocation<'_>,
    expression: &SchemaLocation<'_>,
) -> Option<Diagnostic> {
    let reason = reason.inner.map(|entry| entry.value);
    if let Some(node) = reason.filter(|node| node.text() == "FieldValueDuplicate") {
        let message = "message is not shown with the reason `FieldValueDuplicate`";
        let help = "use another reason to show the message";
        return Some(lints::LOST_MESSAGE.diagnostic_at(node.span(), message).with_help(help));
    }
    let node = expression.inner.filter(|entry| entry.key.text() == "messageExpression")?.value;
    let mentions = node.text().contains("oldSelf") && rule.message_expression_cost.is_some();
    if !mentions || rule.uses_old_self {
        return None;
    }
    let message = "`oldSelf` has no value in the message, since the rule does not use it";
    let help = "use `oldSelf` in the rule too, or remove it: the server falls back to `message`";
    Some(
        lints::LOST_MESSAGE
            .diagnostic_at(crate::schema_location::node_head_span(node), message)
            .with_help(help),
    )
}
