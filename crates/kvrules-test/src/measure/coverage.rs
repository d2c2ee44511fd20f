//! Coverage: which outcomes of a rule, of its branches and at its boundaries the cases reach. Each question is a rule of its own, which
//! the server evaluates in place of the rule.

use kvrules_apiserver::crd::CompiledSchema;
use kvrules_kubernetes::keywords::VALIDATIONS;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::branches::find_branches;
use super::sites::{MeasuredRules, RuleSite, SiteKind};
use crate::answer::CaseAnswer;
use crate::document::text_field;
use crate::model::TestCase;
use crate::run::answer_case;

/// Coverage of a rule.
#[derive(Clone, Debug)]
pub struct RuleCoverage {
    /// The rule.
    pub site: RuleSite,
    /// Number of evaluations.
    pub evaluated: usize,
    /// Number of cases in which it holds everywhere, and is evaluated.
    pub satisfied: usize,
    /// Number of cases in which it is false.
    pub violated: usize,
    /// Number of cases in which it ends in an error.
    pub errors: usize,
    /// Its branches.
    pub branches: Vec<BranchCoverage>,
    /// Its boundaries.
    pub boundaries: Vec<BoundaryCoverage>,
}

/// Coverage of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchCoverage {
    /// Its text.
    pub text: String,
    /// First byte in the expression.
    pub start: usize,
    /// Number of cases in which it is true.
    pub is_true: usize,
    /// Number of cases in which it is false.
    pub is_false: usize,
}

/// Coverage of a comparison with an integer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundaryCoverage {
    /// The comparison.
    pub text: String,
    /// The last value that satisfies it, and the number of cases with it.
    pub inside: (i64, usize),
    /// The first value that does not, and the number of cases with it.
    pub outside: (i64, usize),
}

/// Number of covered items, and of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoverageCount {
    /// Covered items.
    pub covered: usize,
    /// All items.
    pub total: usize,
}

/// Measures the coverage of every rule in CEL, validation and match condition.
pub(super) fn measure_expressions(rules: &MeasuredRules<'_>) -> Vec<RuleCoverage> {
    let answers: Vec<(&TestCase, CaseAnswer)> =
        rules.cases.par_iter().map(|case| (*case, answer_case(case, &case.subject))).collect();
    let sites = rules.sites.par_iter().filter(|site| site.kind != SiteKind::Variable);
    sites.map(|site| measure_site(&Prober { rules, site, answers: &answers })).collect()
}

impl RuleCoverage {
    /// Counts the outcomes that the cases reach: the rule satisfied and violated, branches true and false, both sides of
    /// boundaries.
    pub fn count_outcomes(&self) -> CoverageCount {
        let branches = self.branches.iter().flat_map(|it| [it.is_true, it.is_false]);
        let boundaries = self.boundaries.iter().flat_map(|it| [it.inside.1, it.outside.1]);
        let items: Vec<usize> =
            [self.satisfied, self.violated].into_iter().chain(branches).chain(boundaries).collect();
        CoverageCount { covered: items.iter().filter(|count| **count > 0).count(), total: items.len() }
    }

    /// Returns what no case reaches, in sentences.
    pub fn describe_missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        let mut add = |count: usize, text: String| {
            if count == 0 {
                missing.push(text);
            }
        };
        add(self.satisfied, "no case satisfies it".to_owned());
        add(self.violated, "no case violates it".to_owned());
        for branch in &self.branches {
            add(branch.is_true, format!("{} is never true", quote(&branch.text)));
            add(branch.is_false, format!("{} is never false", quote(&branch.text)));
        }
        for boundary in &self.boundaries {
            let (inside, outside) = (boundary.inside, boundary.outside);
            add(
                inside.1,
                format!("no case has {} for {}, the last accepted value", inside.0, quote(&boundary.text)),
            );
            add(
                outside.1,
                format!("no case has {} for {}, the first rejected value", outside.0, quote(&boundary.text)),
            );
        }
        missing
    }
}

/// An expression in backticks; a sentence with its own as it is.
fn quote(text: &str) -> String {
    if text.contains('`') { format!("\"{text}\"") } else { format!("`{text}`") }
}

impl CoverageCount {
    /// Adds another count.
    #[must_use]
    pub fn add_count(self, other: Self) -> Self {
        Self { covered: self.covered + other.covered, total: self.total + other.total }
    }

    /// Returns the percentage, rounded down: 100 only if all is covered.
    pub fn to_percent(self) -> usize {
        (self.covered * 100).checked_div(self.total).unwrap_or(100)
    }
}

/// Runs rules of its own in place of one rule.
struct Prober<'p> {
    rules: &'p MeasuredRules<'p>,
    site: &'p RuleSite,
    answers: &'p [(&'p TestCase, CaseAnswer)],
}

/// Number of results of a probe for one case.
#[derive(Clone, Copy, Debug, Default)]
struct ProbeCount {
    violated: usize,
    errors: usize,
}

fn measure_site(prober: &Prober<'_>) -> RuleCoverage {
    let text = prober.site.text.trim();
    let is_transition = prober.is_transition();
    let evaluated = prober.run("false", is_transition);
    let own = prober.run(text, false);
    let pairs = || evaluated.iter().zip(&own);
    let count_cases = |is_counted: &dyn Fn(&ProbeCount, &ProbeCount) -> bool| {
        pairs().filter(|(all, own)| is_counted(all, own)).count()
    };
    let (mut branches, mut boundaries) = (Vec::new(), Vec::new());
    if let Ok(parsed) = kvrules_cel::parse(text) {
        let (found, bounds) = find_branches(&parsed);
        let reached = |probe: String| {
            prober.run(&probe, is_transition).iter().filter(|count| count.violated > 0).count()
        };
        branches = found
            .iter()
            .map(|it| BranchCoverage {
                text: it.text.clone(),
                start: it.start,
                is_true: reached(it.probe(true)),
                is_false: reached(it.probe(false)),
            })
            .collect();
        boundaries = bounds
            .iter()
            .map(|it| BoundaryCoverage {
                text: it.text.clone(),
                inside: (it.inside, reached(it.probe(it.inside))),
                outside: (it.outside, reached(it.probe(it.outside))),
            })
            .collect();
    }
    RuleCoverage {
        site: prober.site.clone(),
        evaluated: evaluated.iter().map(|count| count.violated + count.errors).sum(),
        satisfied: count_cases(&|all, own| all.violated > 0 && own.violated + own.errors < all.violated),
        violated: count_cases(&|_, own| own.violated > 0),
        errors: count_cases(&|_, own| own.errors > 0),
        branches,
        boundaries,
    }
}

/// The message of a probe.
const PROBE: &str = "kvrules-probe";

impl Prober<'_> {
    /// True if the rule compares with the old object, so that the server runs it on updates alone.
    fn is_transition(&self) -> bool {
        self.site
            .rule
            .as_ref()
            .is_some_and(|rule| rule.source.is_transition_rule() && !rule.source.optional_old_self)
    }

    /// Runs a rule in place of the site's, for each case.
    fn run(&self, text: &str, is_transition: bool) -> Vec<ProbeCount> {
        // A rule that names `oldSelf` runs on updates alone.
        let text = if is_transition {
            format!("(false && oldSelf == oldSelf) || ({text})")
        } else {
            text.to_owned()
        };
        match self.site.kind {
            SiteKind::Rule => self.run_rule(&text),
            _ => self.run_validation(&text),
        }
    }

    fn run_rule(&self, text: &str) -> Vec<ProbeCount> {
        let Some(pointer) = self.site.pointer.strip_prefix("/spec/versions/") else { return Vec::new() };
        let Some((version, pointer)) = pointer.split_once("/schema/openAPIV3Schema") else {
            return Vec::new();
        };
        let root = format!("/spec/versions/{version}");
        let Some(entry) = self.rules.document.pointer(&root) else { return Vec::new() };
        let mut schema = entry.pointer("/schema/openAPIV3Schema").cloned().unwrap_or_default();
        remove_rules(&mut schema);
        let (node, _) = pointer.rsplit_once("/x-kubernetes-validations/").unwrap_or_default();
        let optional = self.site.rule.as_ref().is_some_and(|rule| rule.source.optional_old_self);
        let rule = json!({"rule": text, "message": PROBE, "optionalOldSelf": optional});
        if let Some(fields) = schema.pointer_mut(node).and_then(Value::as_object_mut) {
            fields.insert(VALIDATIONS.to_owned(), json!([rule]));
        }
        let compiled = CompiledSchema::new(&schema);
        let name = text_field(entry, "name");
        let count = |(_, answer): &(&TestCase, CaseAnswer)| {
            let object = &answer.stored;
            let is_of_version = text_field(object, "apiVersion").rsplit('/').next() == Some(name);
            if !answer.ran_rules || !is_of_version {
                return ProbeCount::default();
            }
            let report = compiled.validate_object(object, Some(&answer.old).filter(|old| !old.is_null()));
            let violated = report.errors.iter().filter(|failure| failure.detail == PROBE).count();
            ProbeCount { violated, errors: report.errors.len() - violated }
        };
        self.answers.par_iter().map(count).collect()
    }

    fn run_validation(&self, text: &str) -> Vec<ProbeCount> {
        let mut document = self.rules.document.clone();
        let validations = json!([{"expression": text, "message": PROBE}]);
        if let Some(spec) = document.get_mut("spec").and_then(Value::as_object_mut) {
            spec.insert("validations".to_owned(), validations);
            spec.shift_remove("auditAnnotations");
            let is_condition = self.site.kind == SiteKind::Condition;
            let conditions = spec.get_mut("matchConditions").and_then(Value::as_array_mut);
            if let Some(conditions) = conditions.filter(|_| is_condition) {
                let index = self.site.pointer.rsplit('/').next().and_then(|it| it.parse().ok());
                conditions.truncate(index.unwrap_or_default());
            }
        }
        let count = |(case, _): &(&TestCase, CaseAnswer)| {
            let subject = case.subject.with_document(&self.rules.origin, &self.rules.document, &document);
            let answer = answer_case(case, &subject);
            let own = answer.violations.iter().filter(|it| it.message() == PROBE);
            let errors = answer.violations.iter().filter(|it| it.is_error);
            ProbeCount { violated: own.count(), errors: errors.count() }
        };
        self.answers.par_iter().map(count).collect()
    }
}

/// Removes every rule of a schema.
pub(super) fn remove_rules(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.shift_remove(VALIDATIONS);
            fields.values_mut().for_each(remove_rules);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_rules),
        _ => {}
    }
}
