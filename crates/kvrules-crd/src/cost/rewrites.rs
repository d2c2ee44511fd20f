//! Equivalent rules that cost less.

use std::sync::Arc;

use kvrules_apiserver::cost::{Cost, RuleSite};
use kvrules_apiserver::crd::{RuleSource, with_object_meta};
use kvrules_cel::ast::{Comprehension, ComprehensionKind, Expr, ExprKind, Expression, Literal, operators};
use kvrules_cel::kubernetes::KubernetesVersions;
use kvrules_lift::{DefinitionRule, LiftedExpression, is_implied, lift_expression};
use serde_json::Value;

use super::older_forms::older_forms;
use super::parts::{replace_part, text_of};
use super::slots::find_node;

/// First step of the paths of nodes.
const ROOT: &str = "openAPIV3Schema";

/// The most forms of one rule that are tried.
const MOST_FORMS: usize = 60;

/// The most changes that lead to a form.
const MOST_CHANGES: usize = 6;

/// An equivalent form of a rule that costs less.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheaperRule {
    /// The expression.
    pub text: String,
    /// Cost of one evaluation.
    pub cost: u64,
    /// Cost that counts against the budget.
    pub estimate: u64,
    /// True if a server rejects the rule as it is.
    pub is_needed: bool,
}

/// Looks for the cheapest equivalent form of a rule that is known. `path` is the node as the server writes it, from
/// `openAPIV3Schema` on; that both forms say the same is proved for every value that the node accepts.
///
/// ```
/// use kvrules_crd::find_cheaper_rule;
/// use serde_json::json;
///
/// let rules = json!([{"rule": "self.matches('^ab')"}]);
/// let name = json!({"type": "string", "maxLength": 100, "x-kubernetes-validations": rules});
/// let schema = json!({"type": "object", "properties": {"name": name}});
/// let found = find_cheaper_rule(&schema, "openAPIV3Schema.properties[name]", 0).unwrap();
/// assert_eq!(found.text, "self.startsWith('ab')");
/// ```
pub fn find_cheaper_rule(schema: &Value, path: &str, index: usize) -> Option<CheaperRule> {
    find_form_for_servers(schema, path, index, KubernetesVersions::default())
}

/// Looks for an equivalent form that the servers of several Kubernetes versions take as a new rule within its budget, and among
/// these for the cheapest that is known. Costs are the greatest of these servers.
///
/// ```
/// use kvrules_crd::find_form_for_servers;
/// use serde_json::json;
///
/// let rules = json!([{"rule": "quantity(self) == quantity('1')"}]);
/// let size = json!({"type": "string", "maxLength": 20, "x-kubernetes-validations": rules});
/// let schema = json!({"type": "object", "properties": {"size": size}});
/// let servers = "1.29..1.36".parse().unwrap();
/// let found = find_form_for_servers(&schema, "openAPIV3Schema.properties[size]", 0, servers).unwrap();
/// assert_eq!(found.text, "quantity(self).compareTo(quantity('1')) == 0");
/// assert!(found.is_needed);
/// ```
pub fn find_form_for_servers(
    schema: &Value,
    path: &str,
    index: usize,
    servers: KubernetesVersions,
) -> Option<CheaperRule> {
    let site = RuleSite::new(schema, path).ok()?.on_servers(servers);
    let original = PlacedRule::new(schema, path, index)?;
    let text = &original.rule.source.rule;
    let before = site.rule_cost(text).ok();
    let reduced = before.map(|cost| original.reduce_cost(&site, (text.clone(), cost)));
    let is_accepted = |(_, cost): &(String, Cost)| cost.is_accepted();
    let of_older = || Some(original.reduce_cost(&site, original.find_accepted_form(&site)?));
    let (text, cost) = reduced.clone().filter(is_accepted).or_else(of_older).or(reduced)?;
    let is_better = before.is_none_or(|before| cost.expression < before.expression);
    is_better.then_some(CheaperRule {
        text,
        cost: cost.expression,
        estimate: cost.total,
        is_needed: !before.is_some_and(Cost::is_accepted),
    })
}

/// True if the servers of several Kubernetes versions take a new rule within its budget.
pub(super) fn fits_servers(schema: &Value, path: &str, text: &str, servers: KubernetesVersions) -> bool {
    let site = RuleSite::new(schema, path).map(|site| site.on_servers(servers));
    site.and_then(|site| site.rule_cost(text)).is_ok_and(Cost::is_accepted)
}

/// A rule with its formulas.
struct PlacedRule {
    rule: DefinitionRule,
    formulas: LiftedExpression,
}

impl PlacedRule {
    fn new(schema: &Value, path: &str, index: usize) -> Option<Self> {
        let node = find_node(schema, path)?;
        let source = RuleSource::from_json(node.get("x-kubernetes-validations")?.get(index)?);
        let node = if path == ROOT { with_object_meta(node) } else { node.clone() };
        let place = if path == ROOT { Vec::new() } else { vec![kvrules_generate::PlaceStep::Any] };
        let schema = Arc::new(node);
        let rule = DefinitionRule { place, schema, index, source, constant_fields: Vec::new() };
        let formulas = lift_rule(&rule)?;
        Some(Self { rule, formulas })
    }

    /// The cheapest form for older servers that all servers take.
    fn find_accepted_form(&self, site: &RuleSite) -> Option<(String, Cost)> {
        let text = &self.rule.source.rule;
        let costs = older_forms(text).into_iter().chain(changed_forms(text)).filter_map(|form| {
            let cost = site.rule_cost(&form).ok()?;
            cost.is_accepted().then_some((form, cost))
        });
        let mut forms: Vec<_> = costs.collect();
        forms.sort_by_key(|(_, cost)| cost.expression);
        forms.into_iter().find(|(form, _)| self.says_same(form))
    }

    /// The cheapest form of a rule that is known, in steps.
    fn reduce_cost(&self, site: &RuleSite, first: (String, Cost)) -> (String, Cost) {
        let mut best = first;
        let mut tried = 0;
        for _ in 0..MOST_CHANGES {
            let mut better: Option<(String, Cost)> = None;
            for form in changed_forms(&best.0) {
                tried += 1;
                let Ok(cost) = site.rule_cost(&form) else { continue };
                let known = better.as_ref().map_or(best.1.expression, |(_, cost)| cost.expression);
                if cost.expression < known && self.says_same(&form) {
                    better = Some((form, cost));
                }
            }
            match better {
                Some(found) if tried < MOST_FORMS => best = found,
                Some(found) => return found,
                None => break,
            }
        }
        best
    }

    /// True if a text is proved to be true and false for the same values.
    fn says_same(&self, text: &str) -> bool {
        let source = RuleSource { rule: text.to_owned(), ..self.rule.source.clone() };
        let Some(other) = lift_rule(&DefinitionRule { source, ..self.rule.clone() }) else { return false };
        let schema = &self.rule.schema;
        let implies = |one, other| is_implied(&[one], other, schema);
        implies(&self.formulas.holds, &other.holds)
            && implies(&other.holds, &self.formulas.holds)
            && implies(&self.formulas.fails, &other.fails)
            && implies(&other.fails, &self.formulas.fails)
    }
}

fn lift_rule(rule: &DefinitionRule) -> Option<LiftedExpression> {
    let (expression, checked) = rule.check_types().ok()?;
    let optional: &[&str] = if rule.source.optional_old_self { &["oldSelf"] } else { &[] };
    lift_expression(&expression, &checked, optional).ok()
}

/// The forms of a rule in which one part is written otherwise.
fn changed_forms(text: &str) -> Vec<String> {
    let Ok(expression) = kvrules_cel::parse(text) else { return Vec::new() };
    let mut forms = Vec::new();
    expression.root.visit_nodes(&mut |part| {
        let changed = changed_part(&expression, part);
        forms.extend(changed.iter().filter_map(|changed| replace_part(&expression, part, changed)));
    });
    forms
}

/// Other ways to write a part, which may cost less.
fn changed_part(expression: &Expression, part: &Expr) -> Vec<String> {
    match &part.kind {
        ExprKind::Call { function, receiver: Some(subject), args } if function == "matches" => {
            let [Expr { kind: ExprKind::Literal(Literal::String(pattern)), .. }] = args.as_slice() else {
                return Vec::new();
            };
            without_pattern(text_of(expression, subject), pattern).into_iter().collect()
        }
        ExprKind::Call { function, .. } if function == operators::OR || function == operators::AND => {
            let is_any = function == operators::OR;
            membership(expression, part, is_any).into_iter().collect()
        }
        ExprKind::Comprehension(it) => loop_membership(expression, it).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// A test of texts in place of a pattern that spells its texts out.
fn without_pattern(subject: &str, pattern: &str) -> Option<String> {
    let (start, rest) = pattern.strip_prefix('^').map_or((false, pattern), |rest| (true, rest));
    let (end, rest) = rest.strip_suffix('$').map_or((false, rest), |rest| (true, rest));
    let group =
        rest.strip_prefix("(?:").or_else(|| rest.strip_prefix('(')).and_then(|it| it.strip_suffix(')'));
    if let Some(group) = group
        && start
        && end
    {
        let texts: Option<Vec<String>> = group.split('|').map(literal_text).collect();
        let quoted: Vec<String> = texts?.iter().map(|text| quote(text)).collect();
        return Some(format!("({subject} in [{}])", quoted.join(", ")));
    }
    let text = quote(&literal_text(rest)?);
    Some(match (start, end) {
        (true, true) => format!("({subject} == {text})"),
        (true, false) => format!("{subject}.startsWith({text})"),
        (false, true) => format!("{subject}.endsWith({text})"),
        (false, false) => format!("{subject}.contains({text})"),
    })
}

/// The text that a part of a pattern spells out.
fn literal_text(pattern: &str) -> Option<String> {
    let mut text = String::new();
    let mut signs = pattern.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => text.push(signs.next().filter(char::is_ascii_punctuation)?),
            sign if r".+*?()|[]{}^$".contains(sign) => return None,
            sign => text.push(sign),
        }
    }
    (!text.is_empty()).then_some(text)
}

/// A text in quotation marks of CEL.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// `x in ['a', 'b']` in place of `x == 'a' || x == 'b'`, and the opposite.
fn membership(expression: &Expression, part: &Expr, is_any: bool) -> Option<String> {
    let (joint, relation) =
        if is_any { (operators::OR, operators::EQUALS) } else { (operators::AND, operators::NOT_EQUALS) };
    let mut comparisons = Vec::new();
    collect_operands(part, joint, &mut comparisons);
    let mut subject = None;
    let mut values = Vec::new();
    for comparison in &comparisons {
        let ExprKind::Call { function, args, .. } = &comparison.kind else { return None };
        let [left, right] = args.as_slice() else { return None };
        let is_value = matches!(right.kind, ExprKind::Literal(_));
        if function != relation
            || !is_value
            || subject.is_some_and(|known| known != text_of(expression, left))
        {
            return None;
        }
        subject = Some(text_of(expression, left));
        values.push(text_of(expression, right));
    }
    let list = format!("({} in [{}])", subject?, values.join(", "));
    Some(if is_any { list } else { format!("!{list}") })
}

fn collect_operands<'e>(part: &'e Expr, joint: &str, found: &mut Vec<&'e Expr>) {
    match &part.kind {
        ExprKind::Call { function, args, .. } if function == joint => {
            for arg in args {
                collect_operands(arg, joint, found);
            }
        }
        _ => found.push(part),
    }
}

/// `'a' in list` in place of `list.exists(x, x == 'a')`, and `!('a' in list)` in place of `list.all(x, x != 'a')`.
fn loop_membership(expression: &Expression, it: &Comprehension) -> Option<String> {
    let (relation, sign) = match it.kind {
        ComprehensionKind::Exists => (operators::EQUALS, ""),
        ComprehensionKind::All => (operators::NOT_EQUALS, "!"),
        _ => return None,
    };
    let ExprKind::Call { function, args, .. } = &it.body.kind else { return None };
    let [left, right] = args.as_slice() else { return None };
    let is_variable = |part: &Expr| matches!(&part.kind, ExprKind::Ident(name) if *name == it.var.name);
    let value = if is_variable(left) { right } else { left };
    let is_other = is_variable(left) || is_variable(right);
    let mut mentions = false;
    value.visit_nodes(&mut |part| mentions |= is_variable(part));
    if function != relation || !is_other || mentions || it.var2.is_some() {
        return None;
    }
    Some(format!("{sign}({} in {})", text_of(expression, value), text_of(expression, &it.range)))
}
