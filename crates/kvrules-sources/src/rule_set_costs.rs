//! Costs of the rules of RuleSets, which are those of a definition with the same rules.

use kvrules_crd::{
    CostOptions, DefinitionCost, DefinitionMatrix, EXPRESSION_LIMIT, ExpressionField, KubernetesVersion,
    KubernetesVersions, RuleCost, RuleShares, VersionCost, VersionMatrix, format_thousands, lints,
};
use kvrules_diagnostics::{Diagnostic, FileId, Level, SourceFile};
use kvrules_rule_set::{AuthoredRule, PricedRules, RuleSet};
use kvrules_syntax::{Document, source_stream};

/// Returns the costs of the rules of a RuleSet, severity by severity.
///
/// ```
/// use kvrules::crd::{CostOptions, rule_set_costs};
/// use kvrules::{FileId, SourceFile};
///
/// let text = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: web}\nspec:\n  \
///     subject: {apiVersion: apps/v1, kind: Deployment}\n  \
///     rules: [{name: replicas, path: spec.replicas, integer: {min: 2}}]\n";
/// let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "web.yaml", text));
/// let costs = rule_set_costs(&reading.rule_sets[0], CostOptions::default());
/// let rule = &costs.versions[0].rules[0];
/// assert_eq!((rule.name.as_str(), rule.estimate), ("replicas", Some(2)));
/// ```
pub fn rule_set_costs(set: &RuleSet, options: CostOptions) -> DefinitionCost {
    let priced = set.priced_rules();
    let version = |priced: &PricedRules<'_>| {
        let costs =
            with_definition(priced, |source, documents| kvrules_crd::costs_with(source, documents, options));
        let found = costs.into_iter().next()?.versions.into_iter().next()?;
        Some(authored_costs(found, priced))
    };
    DefinitionCost {
        name: set.name.clone(),
        span: set.span,
        versions: priced.iter().filter_map(version).collect(),
        is_rule_set: true,
    }
}

/// Returns the costs of the rules of a RuleSet on the servers of Kubernetes versions, severity by severity.
///
/// ```
/// use kvrules::crd::{KubernetesVersions, rule_set_matrix};
/// use kvrules::{FileId, SourceFile};
///
/// let text = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: web}\nspec:\n  \
///     subject: {apiVersion: apps/v1, kind: Deployment}\n  \
///     rules: [{name: replicas, path: spec.replicas, integer: {min: 2}}]\n";
/// let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "web.yaml", text));
/// let matrix = rule_set_matrix(&reading.rule_sets[0], KubernetesVersions::all_known());
/// assert!(matrix.versions[0].rules[0].estimates.len() > 5);
/// ```
pub fn rule_set_matrix(set: &RuleSet, versions: KubernetesVersions) -> DefinitionMatrix {
    let priced = set.priced_rules();
    let version = |priced: &PricedRules<'_>| {
        if !priced.is_limited {
            return Some(policy_matrix(priced, versions));
        }
        let costs = with_definition(priced, |_, documents| kvrules_crd::cost_matrix(documents, versions));
        let found = costs.into_iter().next()?.versions.into_iter().next()?;
        let mut rules = Vec::new();
        for (authored, path) in &priced.rules {
            let own = found_index(&found.rules, path, &authored.expression, |rule| {
                (rule.field, &rule.path, rule.index, &rule.text)
            });
            let of_rule = found.rules.iter().filter(|rule| own == Some((node_path(&rule.path), rule.index)));
            rules.extend(of_rule.map(|rule| RuleShares {
                name: authored.name.clone(),
                span: authored.span,
                is_limited: priced.is_limited,
                ..rule.clone()
            }));
        }
        let name = version_name(priced);
        Some(VersionMatrix { name, rules, is_limited: priced.is_limited, ..found })
    };
    DefinitionMatrix {
        name: set.name.clone(),
        span: set.span,
        versions: priced.iter().filter_map(version).collect(),
    }
}

/// Reports the rules that a server does not take in the definition of their subject. Policies have no such limit, so that the findings are
/// warnings.
pub(crate) fn find_expensive_rules(set: &RuleSet) -> Vec<Diagnostic> {
    let newest = KubernetesVersions::default().oldest();
    let mut findings = Vec::new();
    for priced in set.priced_rules().iter().filter(|priced| priced.is_limited) {
        for (rule, _) in &priced.rules {
            let Some(cost) = priced.cost_on(rule, newest).filter(|cost| *cost > EXPRESSION_LIMIT) else {
                continue;
            };
            let (cost, limit) = (format_thousands(cost), format_thousands(EXPRESSION_LIMIT));
            let message =
                format!("estimated rule cost {cost} exceeds the limit of {limit} in the definition");
            let finding = lints::RULE_COST.diagnostic_at(rule.span, message);
            let help = "bound the lists, maps and strings that it reads in the definition; `kvrules cost` proposes bounds";
            findings.push(Diagnostic { level: Level::Warning, ..finding.with_help(help) });
        }
    }
    findings
}

/// The costs of rules that only policies have, which are the same in all versions whose servers take them.
fn policy_matrix(priced: &PricedRules<'_>, versions: KubernetesVersions) -> VersionMatrix {
    let shares = |(index, (rule, path)): (usize, &(&AuthoredRule, String))| RuleShares {
        name: rule.name.clone(),
        path: path.clone(),
        index,
        field: ExpressionField::Rule,
        text: rule.expression.clone(),
        span: rule.span,
        estimates: versions.iter().map(|version| (version, priced.cost_on(rule, version))).collect(),
        is_limited: false,
    };
    let rules: Vec<RuleShares> = priced.rules.iter().enumerate().map(shares).collect();
    let total = |version: KubernetesVersion| {
        let of_rules = priced.rules.iter().filter_map(|(rule, _)| priced.cost_on(rule, version));
        of_rules.fold(0, u64::saturating_add)
    };
    let totals = versions.iter().map(|version| (version, total(version))).collect();
    VersionMatrix { name: version_name(priced), totals, rules, is_limited: false }
}

fn with_definition<T>(
    priced: &PricedRules<'_>,
    price: impl FnOnce(&SourceFile, &[&Document<'_>]) -> Vec<T>,
) -> Vec<T> {
    let source = SourceFile::new(FileId(0), "definition", priced.definition.to_string());
    let stream = source_stream(&source);
    let documents: Vec<_> = stream.documents.iter().collect();
    price(&source, &documents)
}

fn version_name(priced: &PricedRules<'_>) -> String {
    format!("severity {}", priced.severity.as_str())
}

/// The costs of the rules of a RuleSet among those of a definition.
fn authored_costs(mut found: VersionCost, priced: &PricedRules<'_>) -> VersionCost {
    // The bounds belong into the definition, which is another file.
    found.bounds.iter_mut().for_each(|bound| bound.span = None);
    let mut rules = Vec::new();
    for (authored, path) in &priced.rules {
        let own = found_index(&found.rules, path, &authored.expression, |rule| {
            (rule.field, &rule.path, rule.index, &rule.text)
        });
        let of_rule = found.rules.iter().filter(|rule| own == Some((node_path(&rule.path), rule.index)));
        rules.extend(of_rule.map(|rule| authored_cost(rule, authored, priced)));
    }
    rules.sort_by_key(|rule| std::cmp::Reverse(rule.estimate));
    let of_rules = rules.iter().filter_map(|rule| rule.estimate).fold(0, u64::saturating_add);
    VersionCost {
        name: version_name(priced),
        total: found.total,
        of_others: found.total.saturating_sub(of_rules),
        is_limited: priced.is_limited,
        rules,
        bounds: found.bounds,
        edits: Vec::new(),
    }
}

fn authored_cost(rule: &RuleCost, authored: &AuthoredRule, priced: &PricedRules<'_>) -> RuleCost {
    let mut rule = rule.clone();
    rule.bounds.iter_mut().for_each(|bound| bound.span = None);
    RuleCost { name: authored.name.clone(), span: authored.span, is_limited: priced.is_limited, ..rule }
}

/// The node and the number of the rule with an expression: the last, because the rules of a RuleSet are behind those of its definition.
fn found_index<'r, R>(
    rules: &'r [R],
    path: &str,
    expression: &str,
    facts: impl Fn(&'r R) -> (ExpressionField, &'r String, usize, &'r String),
) -> Option<(&'r str, usize)> {
    let is_it = |(field, at, _, text): &(ExpressionField, &String, usize, &String)| {
        *field == ExpressionField::Rule && node_path(at) == path && text.trim() == expression
    };
    let found = rules.iter().map(facts).filter(is_it).map(|(_, at, index, _)| (node_path(at), index));
    found.max_by_key(|(_, index)| *index)
}

/// The path of a node from the root of the schema.
fn node_path(path: &str) -> &str {
    path.strip_prefix("openAPIV3Schema").unwrap_or(path).trim_start_matches('.')
}
