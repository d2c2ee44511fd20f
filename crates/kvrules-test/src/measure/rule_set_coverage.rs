//! Coverage of RuleSets: the parts of conditions that the cases make true and false, and the bounds that they touch.

use kvrules_rule_set::{RuleBoundary, RulePart, RuleSet};
use rayon::prelude::*;
use serde_json::Value;

use super::branches::{Branch, find_branches};
use super::coverage::{BoundaryCoverage, BranchCoverage, RuleCoverage};
use super::sites::{MeasuredRules, RuleSite};
use crate::answer::AnswerVerdict;
use crate::run::answer_case;

/// The object of a case, and the stored one.
type Evaluated = (Value, Option<Value>);

/// Measures the coverage of every rule.
pub(super) fn measure_rule_set(rules: &MeasuredRules<'_>) -> Vec<RuleCoverage> {
    let Some(subject) = rules.cases.first().and_then(|case| {
        let subject = &case.subject;
        subject.find_rule_set(&rules.origin, &rules.document)
    }) else {
        return Vec::new();
    };
    let objects = evaluated_objects(rules);
    let prober = Prober { set: &subject.set, objects: &objects };
    rules.sites.par_iter().filter_map(|site| prober.measure_site(site)).collect()
}

/// The objects of the cases that are evaluated.
fn evaluated_objects(rules: &MeasuredRules<'_>) -> Vec<Evaluated> {
    let evaluated = rules.cases.par_iter().filter_map(|case| {
        let answer = answer_case(case, &case.subject);
        let is_evaluated = !matches!(answer.verdict, AnswerVerdict::Skipped | AnswerVerdict::Unevaluated)
            && !case.input.object.is_null();
        // A definition among the rules fills in defaults.
        let object = if answer.stored.is_null() { case.input.object.clone() } else { answer.stored };
        let stored = Some(case.input.old_object.clone()).filter(|old| !old.is_null());
        is_evaluated.then_some((object, stored))
    });
    evaluated.collect()
}

struct Prober<'p> {
    set: &'p RuleSet,
    objects: &'p [Evaluated],
}

impl Prober<'_> {
    fn measure_site(&self, site: &RuleSite) -> Option<RuleCoverage> {
        let rule = self.set.rules.iter().find(|rule| rule.name == site.name)?;
        let whole = self.outcomes(&self.set.whole_rule(rule));
        let count =
            |is_counted: &dyn Fn(&Vec<bool>) -> bool| whole.iter().filter(|it| is_counted(it)).count();
        let parts = self.set.list_parts(rule);
        let (mut branches, mut boundaries) = (Vec::new(), Vec::new());
        for part in &parts {
            match part.as_expression() {
                Some(text) => self.measure_expression(part, text, (&mut branches, &mut boundaries)),
                None => branches.push(self.measure_part(part)),
            }
        }
        boundaries
            .extend(self.set.list_boundaries(rule).iter().map(|boundary| self.measure_boundary(boundary)));
        Some(RuleCoverage {
            site: site.clone(),
            evaluated: whole.iter().map(Vec::len).sum(),
            satisfied: count(&|it| !it.is_empty() && !it.contains(&false)),
            violated: count(&|it| it.contains(&false)),
            errors: 0,
            branches,
            boundaries,
        })
    }

    fn outcomes(&self, part: &RulePart) -> Vec<Vec<bool>> {
        let evaluate = |(object, stored): &Evaluated| self.set.evaluate_part(part, object, stored.as_ref());
        self.objects.iter().map(evaluate).collect()
    }

    fn count_outcome(&self, part: &RulePart, outcome: bool) -> usize {
        self.outcomes(part).iter().filter(|it| it.contains(&outcome)).count()
    }

    fn measure_part(&self, part: &RulePart) -> BranchCoverage {
        BranchCoverage {
            text: part.text.clone(),
            start: 0,
            is_true: self.count_outcome(part, true),
            is_false: self.count_outcome(part, false),
        }
    }

    /// The operands within an expression in CEL.
    fn measure_expression(
        &self,
        part: &RulePart,
        text: &str,
        (branches, boundaries): (&mut Vec<BranchCoverage>, &mut Vec<BoundaryCoverage>),
    ) {
        let Ok(parsed) = kvrules_cel::parse(text) else { return };
        // A probe is false where the outcome is reached; an error is neither.
        let reached = |probe: String| self.count_outcome(&part.with_expression(&format!("!({probe})")), true);
        let (found, bounds) = find_branches(&parsed);
        branches.extend(found.iter().map(|it: &Branch| BranchCoverage {
            text: it.text.clone(),
            start: it.start,
            is_true: reached(it.probe(true)),
            is_false: reached(it.probe(false)),
        }));
        boundaries.extend(bounds.iter().map(|it| BoundaryCoverage {
            text: it.text.clone(),
            inside: (it.inside, reached(it.probe(it.inside))),
            outside: (it.outside, reached(it.probe(it.outside))),
        }));
    }

    fn measure_boundary(&self, boundary: &RuleBoundary) -> BoundaryCoverage {
        let side = |(value, part): &(i64, RulePart)| (*value, self.count_outcome(part, true));
        BoundaryCoverage {
            text: boundary.text.clone(),
            inside: side(&boundary.inside),
            outside: side(&boundary.outside),
        }
    }
}
