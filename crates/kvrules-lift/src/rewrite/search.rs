//! The search for an equivalent form of a rule.

use crate::DefinitionRule;
use kvrules_apiserver::cost::{Cost, RuleSite};
use kvrules_cel::kubernetes::KubernetesVersions;
use kvrules_generate::server_path;
use serde_json::Value;

use crate::rewrite::cheaper::changed_forms;
use crate::rewrite::older::older_forms;
use crate::rewrite::proof::ProvableRule;

/// The most forms of one rule that are tried.
const MOST_FORMS: usize = 60;

/// The most changes that lead to a form.
const MOST_CHANGES: usize = 6;

/// An equivalent form of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EquivalentRule {
    /// The expression.
    pub text: String,
    /// Cost of one evaluation.
    pub cost: u64,
    /// Cost that counts against the budget.
    pub estimate: u64,
    /// True if a server rejects the rule as it is.
    pub is_needed: bool,
}

/// Returns the place of a rule in a schema, for the servers of several Kubernetes versions; `None` if its values have no type.
pub fn site_of_rule(schema: &Value, rule: &DefinitionRule, servers: KubernetesVersions) -> Option<RuleSite> {
    let site = RuleSite::on_servers(schema, &server_path(schema, &rule.place), servers).ok()?;
    Some(site.with_optional_old_self(rule.source.optional_old_self))
}

/// Looks for an equivalent form that the servers of several Kubernetes versions take as a new rule within its budget, and among
/// these for the cheapest that is known. That both say the same is proved for every value that the schema accepts. Costs are the greatest
/// of these servers.
///
/// ```
/// use kvrules_lift::definition_rules;
/// use kvrules_lift::rewrite::find_form_for_servers;
/// use serde_json::json;
///
/// let rules = json!([{"rule": "quantity(self) == quantity('1')"}]);
/// let size = json!({"type": "string", "maxLength": 20, "x-kubernetes-validations": rules});
/// let schema = json!({"type": "object", "properties": {"size": size}});
/// let servers = "1.29..1.36".parse().unwrap();
/// let found = find_form_for_servers(&schema, &definition_rules(&schema)[0], servers).unwrap();
/// assert_eq!(found.text, "quantity(self).compareTo(quantity('1')) == 0");
/// assert!(found.is_needed);
/// ```
pub fn find_form_for_servers(
    schema: &Value,
    rule: &DefinitionRule,
    servers: KubernetesVersions,
) -> Option<EquivalentRule> {
    let site = site_of_rule(schema, rule, servers)?;
    let original = ProvableRule::new(rule)?;
    let text = &rule.source.rule;
    let before = site.rule_cost(text).ok();
    let reduced = before.map(|cost| reduce_cost(&original, &site, (text.clone(), cost)));
    let is_accepted = |(_, cost): &(String, Cost)| cost.is_accepted();
    let of_older = || Some(reduce_cost(&original, &site, find_accepted_form(&original, &site)?));
    let (text, cost) = reduced.clone().filter(is_accepted).or_else(of_older).or(reduced)?;
    let is_better = before.is_none_or(|before| cost.expression < before.expression);
    is_better.then_some(EquivalentRule {
        text,
        cost: cost.expression,
        estimate: cost.total,
        is_needed: !before.is_some_and(Cost::is_accepted),
    })
}

/// Looks for an equivalent form of a rule that `price` has a price for, and returns the one with the lowest price.
///
/// ```
/// use kvrules_lift::definition_rules;
/// use kvrules_lift::rewrite::find_form;
/// use serde_json::json;
///
/// let rules = json!([{"rule": "self.?n.orValue(1) > 0"}]);
/// let n = json!({"type": "integer"});
/// let rules = definition_rules(&json!({"type": "object", "properties": {"n": n}, "x-kubernetes-validations": rules}));
/// let found = find_form(&rules[0], &mut |text| (!text.contains(".?")).then_some(0));
/// assert_eq!(found.as_deref(), Some("(has(self.n) ? self.n : 1) > 0"));
/// ```
pub fn find_form(rule: &DefinitionRule, price: &mut dyn FnMut(&str) -> Option<u64>) -> Option<String> {
    let candidates = find_candidates(&rule.source.rule);
    let mut priced: Vec<(u64, String)> =
        candidates.into_iter().filter_map(|form| Some((price(&form)?, form))).collect();
    if priced.is_empty() {
        return None;
    }
    priced.sort_by_key(|(price, _)| *price);
    let original = ProvableRule::new(rule)?;
    priced.into_iter().map(|(_, form)| form).find(|form| original.says_same(form))
}

fn find_candidates(text: &str) -> Vec<String> {
    older_forms(text).into_iter().chain(changed_forms(text)).collect()
}

/// The cheapest form for older servers that all servers take.
fn find_accepted_form(original: &ProvableRule<'_>, site: &RuleSite) -> Option<(String, Cost)> {
    let costs = find_candidates(&original.rule.source.rule).into_iter().filter_map(|form| {
        let cost = site.rule_cost(&form).ok()?;
        cost.is_accepted().then_some((form, cost))
    });
    let mut forms: Vec<_> = costs.collect();
    forms.sort_by_key(|(_, cost)| cost.expression);
    forms.into_iter().find(|(form, _)| original.says_same(form))
}

/// The cheapest form of a rule that is known, in steps.
fn reduce_cost(original: &ProvableRule<'_>, site: &RuleSite, first: (String, Cost)) -> (String, Cost) {
    let mut best = first;
    let mut tried = 0;
    for _ in 0..MOST_CHANGES {
        let mut better: Option<(String, Cost)> = None;
        for form in changed_forms(&best.0) {
            tried += 1;
            let Ok(cost) = site.rule_cost(&form) else { continue };
            let known = better.as_ref().map_or(best.1.expression, |(_, cost)| cost.expression);
            if cost.expression < known && original.says_same(&form) {
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
