//! Findings of a server and of the solver about the expressions of rules.

use std::collections::{BTreeMap, HashMap, HashSet};

use kvrules_cel::check::{TypeEnvironment, check_expression};
use kvrules_cel::types::{MentionedProperties, Type, declare_mentioned};
use kvrules_diagnostics::Diagnostic;
use kvrules_ir::Formula;
use kvrules_lift::{
    ContradictionSearch, DefinitionRule, PlaceFormulas, PlaceProofs, definition_rules, examine_rule,
    is_implied, lift_expression,
};

use crate::condition::Condition;
use crate::lints;
use crate::lower::to_cel;
use crate::path::RulePath;
use crate::rule_set::{AuthoredRule, RuleSet, RuleSeverity};
use crate::shape::schema_at;

/// Reports expressions with wrong types, and rules that every object or no object passes.
pub(crate) fn review_rules(set: &RuleSet, findings: &mut Vec<Diagnostic>) {
    let mut lifted = Vec::new();
    for (rule, placed) in placed_rules(set) {
        if let Some(message) = type_problem(&placed) {
            findings.push(lints::RULE_EXPRESSION.diagnostic_at(rule.span, message));
            continue;
        }
        let Ok((expression, checked)) = placed.check_types() else { continue };
        let Ok(formulas) = lift_expression(&expression, &checked, &[]) else { continue };
        let sense = examine_rule(&placed, &formulas);
        if sense.is_never_true {
            let message = format!("no value that the schema accepts passes the rule `{}`", rule.name);
            findings.push(lints::CONTRADICTORY_RULE.diagnostic_at(rule.span, message));
        } else if sense.is_always_true {
            let message = format!("the schema accepts only objects that pass the rule `{}`", rule.name);
            findings.push(lints::IDLE_RULE.diagnostic_at(rule.span, message));
        } else {
            lifted.push((rule, placed, formulas.holds));
        }
    }
    let mut known = review_pairs(&lifted, findings);
    review_distant_pairs(set, &lifted, &mut known, findings);
    review_groups(set, &lifted, &known, findings);
}

/// A rule with its place and its formula.
type LiftedPlace<'r> = (&'r AuthoredRule, DefinitionRule<'static>, Formula);

/// Number of earlier rules that each rule is compared with: the number of pairs grows with the square of that of the rules.
const MOST_PAIRS: usize = 40;

/// Reports pairs of rules at one place that no value passes, and returns them.
fn review_pairs<'r>(lifted: &[LiftedPlace<'r>], findings: &mut Vec<Diagnostic>) -> Vec<(&'r str, &'r str)> {
    let mut found = Vec::new();
    for (index, (rule, placed, holds)) in lifted.iter().enumerate() {
        let earlier = lifted
            .iter()
            .take(index)
            .rev()
            .take(MOST_PAIRS)
            .filter(|(other, at, _)| at.place == placed.place && other.severity == rule.severity);
        for (other, _, of_other) in earlier {
            if is_implied(&[holds, of_other], &Formula::False, &placed.schema) {
                let message = format!("no value passes both `{}` and `{}`", other.name, rule.name);
                let finding = lints::CONTRADICTORY_RULE.diagnostic_at(rule.span, message);
                findings.push(finding.with_secondary_label(other.span, "the other rule"));
                found.push((other.name.as_str(), rule.name.as_str()));
            }
        }
    }
    found
}

/// Reports three or more rules that no object, or no item of `each`, passes together, though each two of them are passed by some.
fn review_groups(
    set: &RuleSet,
    lifted: &[LiftedPlace<'_>],
    known: &[(&str, &str)],
    findings: &mut Vec<Diagnostic>,
) {
    let known: HashSet<&str> = known.iter().flat_map(|(one, other)| [*one, *other]).collect();
    let mut groups: Vec<Vec<&AuthoredRule>> = Vec::new();
    let mut by_scope: BTreeMap<(String, RuleSeverity), usize> = BTreeMap::new();
    for (rule, ..) in lifted.iter().filter(|(rule, ..)| !known.contains(rule.name.as_str())) {
        let scope = (rule.scope.to_string(), rule.severity);
        let at = *by_scope.entry(scope).or_insert(groups.len());
        match groups.get_mut(at) {
            // A rule has a place in each version.
            Some(group) if group.last().is_some_and(|last| last.name == rule.name) => {}
            Some(group) => group.push(rule),
            None => groups.push(vec![rule]),
        }
    }
    let several = groups.iter().filter(|group| (3..=MOST_PAIRS).contains(&group.len()));
    findings.extend(several.filter_map(|group| contradictory_group(set, group)));
}

/// The finding about some rules of one scope that no value passes together.
fn contradictory_group(set: &RuleSet, group: &[&AuthoredRule]) -> Option<Diagnostic> {
    let scope = &group.first()?.scope;
    let schema = schema_at(&set.subject.schema, scope)?;
    let lifted =
        group.iter().copied().filter_map(|rule| Some((rule, formula_of(set, scope, &rule.condition)?)));
    let (rules, formulas): (Vec<&AuthoredRule>, Vec<Formula>) = lifted.unzip();
    let formulas = PlaceFormulas::new(schema, formulas.iter().collect());
    let among: Vec<usize> = (0..rules.len()).collect();
    let ContradictionSearch::Found(found) = PlaceProofs::new(&formulas).find_contradiction(&among) else {
        return None;
    };
    let rules: Vec<&AuthoredRule> = found.iter().filter_map(|at| rules.get(*at)).copied().collect();
    let (last, others) = rules.split_last()?;
    let names: Vec<String> = others.iter().map(|rule| format!("`{}`", rule.name)).collect();
    let what = if scope.0.is_empty() { "object" } else { "item" };
    let message = format!("no {what} passes {} and `{}` together", names.join(", "), last.name);
    let finding = lints::CONTRADICTORY_RULE.diagnostic_at(last.span, message);
    let with_label = |finding: Diagnostic, other: &&AuthoredRule| {
        finding.with_secondary_label(other.span, "one of the other rules")
    };
    Some(others.iter().fold(finding, with_label))
}

/// Reports pairs of rules at different places that no object, or no item of `each`, passes.
fn review_distant_pairs<'r>(
    set: &RuleSet,
    lifted: &[LiftedPlace<'r>],
    known: &mut Vec<(&'r str, &'r str)>,
    findings: &mut Vec<Diagnostic>,
) {
    let at_one_place: HashSet<(&str, &str)> = known.iter().copied().collect();
    for (index, (rule, placed, _)) in lifted.iter().enumerate() {
        let earlier = lifted.iter().take(index).rev().take(MOST_PAIRS).filter(|(other, at, _)| {
            at.place != placed.place
                && other.severity == rule.severity
                && other.scope == rule.scope
                && !at_one_place.contains(&(other.name.as_str(), rule.name.as_str()))
                && share_a_path(&other.condition, &rule.condition)
        });
        for (other, ..) in earlier {
            let both = Condition::All(vec![other.condition.clone(), rule.condition.clone()]);
            if never_holds(set, &rule.scope, &both) {
                let what = if rule.scope.0.is_empty() { "object" } else { "item" };
                let message = format!("no {what} passes both `{}` and `{}`", other.name, rule.name);
                let finding = lints::CONTRADICTORY_RULE.diagnostic_at(rule.span, message);
                findings.push(finding.with_secondary_label(other.span, "the other rule"));
                known.push((other.name.as_str(), rule.name.as_str()));
            }
        }
    }
}

/// True if a path of one condition leads through one of the other: else both can be satisfied by themselves.
fn share_a_path(one: &Condition, other: &Condition) -> bool {
    let paths = |condition: &Condition| {
        let mut paths = Vec::new();
        condition.visit_paths(&mut |path| paths.push(path.0.clone()));
        paths
    };
    let others = paths(other);
    paths(one)
        .iter()
        .any(|path| others.iter().any(|other| path.iter().zip(other).all(|(step, known)| step == known)))
}

/// True if a condition about the values at a path is false for all that the schema accepts, by its formula.
fn never_holds(set: &RuleSet, scope: &RulePath, condition: &Condition) -> bool {
    let (Some(formula), Some(schema)) =
        (formula_of(set, scope, condition), schema_at(&set.subject.schema, scope))
    else {
        return false;
    };
    is_implied(&[&formula], &Formula::False, schema)
}

/// The formula that holds for the values at a path that a condition holds for.
fn formula_of(set: &RuleSet, scope: &RulePath, condition: &Condition) -> Option<Formula> {
    let schema = schema_at(&set.subject.schema, scope)?;
    let text = to_cel(condition, schema)?;
    let expression = kvrules_cel::parse(&text).ok()?;
    let mut names = Vec::new();
    let texts = [text.as_str()];
    let mentioned = MentionedProperties::of_expressions(&texts, &mut names);
    let is_object = scope.0.is_empty() && !set.subject.is_of_documents();
    let declared = declare_mentioned(schema, is_object, mentioned)?;
    let checked = check_expression(&expression, &TypeEnvironment::for_rule(&declared, false)).ok()?;
    Some(lift_expression(&expression, &checked, &[]).ok()?.holds)
}

/// Each rule with its expression at its place.
pub(crate) fn placed_rules(set: &RuleSet) -> Vec<(&AuthoredRule, DefinitionRule<'static>)> {
    let mut placed = Vec::new();
    let by_name: HashMap<&str, &AuthoredRule> =
        set.rules.iter().rev().map(|rule| (rule.name.as_str(), rule)).collect();
    for version in set.versions() {
        let names = version.authored.as_ref().map(|authored| &authored.rule_names);
        for rule in definition_rules(&version.schema) {
            let authored = names.and_then(|names| names.get(&rule.name_by_place()));
            let found = authored.and_then(|name| by_name.get(name.as_str()));
            placed.extend(found.map(|found| (*found, rule)));
        }
    }
    placed.sort_by_key(|(rule, _)| rule.span);
    placed
}

fn type_problem(rule: &DefinitionRule) -> Option<String> {
    let text = &rule.source.rule;
    let expression = match kvrules_cel::parse(text) {
        Ok(expression) => expression,
        Err(error) => return Some(format!("invalid expression: {error}")),
    };
    let mut names = Vec::new();
    let mentioned = MentionedProperties::of_expressions(&[text], &mut names);
    let Some(declared) = declare_mentioned(&rule.schema, rule.place.is_empty(), mentioned) else {
        return Some("the schema declares no type for the values of the rule".to_owned());
    };
    let environment = TypeEnvironment::for_rule(&declared, false);
    match check_expression(&expression, &environment) {
        Err(issues) => {
            Some(issues.first().map_or_else(String::new, |issue| issue.message.replace('\'', "`")))
        }
        Ok(checked) if *checked.result_type() != Type::Bool => {
            Some("the expression must be a boolean".to_owned())
        }
        Ok(_) => None,
    }
}
