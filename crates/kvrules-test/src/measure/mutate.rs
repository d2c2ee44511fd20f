//! Mutation: which mutants of the rules the cases notice.

use std::collections::HashMap;
use std::sync::Arc;

use kvrules_apiserver::crd::RuleSource;
use kvrules_lift::DefinitionRule;
use rayon::prelude::*;
use serde_json::Value;

use super::equivalence::{Equivalence, compare_rules};
use super::keyword_witness::{find_keyword_witness, is_keyword_idle};
use super::mutant_status::MutantStatus;
use super::mutants::{Mutant, generate_mutants, rule_with_text};
use super::policy_witness::evaluate_policy_survivor;
use super::rule_set_mutants::{evaluate_rule_set_survivor, rule_set_mutants};
use super::sites::MeasuredRules;
use super::template_mutants::template_mutants;
use super::template_witness::evaluate_template_survivor;
use super::witness::{Witness, WitnessSearch};
use crate::answer::AnswerVerdict;
use crate::model::TestCase;
use crate::run::{CaseStatus, answer_case, run_case, run_case_on};
use crate::subject::Subject;

/// The result of the mutants of a document.
#[derive(Clone, Debug, Default)]
pub struct MutationReport {
    /// The mutants, in the order of the document.
    pub mutants: Vec<MutantResult>,
}

/// The result of a mutant.
#[derive(Clone, Debug)]
pub struct MutantResult {
    /// The mutant.
    pub mutant: Mutant,
    /// Its status.
    pub status: MutantStatus,
    /// An object that it answers differently, and the stored object of an update, for one that survives.
    pub(crate) witness: Option<Witness>,
}

impl MutationReport {
    /// Number of mutants with a status.
    pub fn count_status(&self, status: MutantStatus) -> usize {
        self.mutants.iter().filter(|it| it.status == status).count()
    }

    /// Returns the percentage of killed mutants among those that are not equivalent, rounded down; `None` if there are none.
    pub fn total_score(&self) -> Option<usize> {
        percent_killed(self.mutants.iter())
    }

    /// Returns the same of the mutants of expressions, without those of keywords.
    pub fn rule_score(&self) -> Option<usize> {
        percent_killed(self.mutants.iter().filter(|it| it.mutant.site.is_some()))
    }
}

fn percent_killed<'m>(mutants: impl Iterator<Item = &'m MutantResult>) -> Option<usize> {
    let counted: Vec<_> = mutants.filter(|it| it.status != MutantStatus::Equivalent).collect();
    let killed = counted.iter().filter(|it| it.status == MutantStatus::Killed).count();
    (killed * 100).checked_div(counted.len())
}

/// Runs the cases with every mutant of a document. Cases that do not pass with the rules themselves are left out.
pub fn measure_mutants(rules: &MeasuredRules<'_>) -> MutationReport {
    let passing: Vec<&TestCase> =
        rules.cases.par_iter().filter(|case| run_case(case).status == CaseStatus::Passed).copied().collect();
    let cases: Vec<TestCase> = passing.iter().map(|case| with_initial_rules(case)).collect();
    let bases = accepted_objects(&cases);
    let mutants = match rules.document.as_str() {
        Some(text) => template_mutants(text, &rules.sites),
        None if rules.is_rule_set() => rule_set_mutants(rules),
        None => generate_mutants(rules),
    };
    let measure = |mutant: Mutant| measure_mutant(rules, mutant, &cases, &bases);
    MutationReport { mutants: mutants.into_par_iter().map(measure).collect() }
}

/// A stored object was written under the rules themselves.
fn with_initial_rules(case: &TestCase) -> TestCase {
    let mut case = case.clone();
    if !case.input.old_object.is_null() && case.input.initial_subject.is_none() {
        case.input.initial_subject = Some(Arc::clone(&case.subject));
    }
    case
}

/// Returns objects of the cases that are accepted, small ones first.
fn accepted_objects(cases: &[TestCase]) -> Vec<Value> {
    let accepted = cases.iter().filter_map(|case| {
        let answer = answer_case(case, &case.subject);
        (answer.verdict == AnswerVerdict::Accepted).then(|| case.input.object.clone())
    });
    let mut objects: Vec<Value> = accepted.filter(|object| !object.is_null()).collect();
    objects.sort_by_cached_key(|object| object.to_string().len());
    objects.dedup();
    objects
}

fn measure_mutant(
    rules: &MeasuredRules<'_>,
    mutant: Mutant,
    cases: &[TestCase],
    bases: &[Value],
) -> MutantResult {
    let changed = mutant.apply_change(&rules.document);
    let mut subjects: HashMap<*const Subject, Arc<Subject>> = HashMap::new();
    let mut subject_of = |case: &TestCase| {
        let known = subjects.entry(Arc::as_ptr(&case.subject));
        let make = || Arc::new(case.subject.with_document(&rules.origin, &rules.document, &changed));
        Arc::clone(known.or_insert_with(make))
    };
    let is_killed =
        cases.iter().any(|case| run_case_on(case, &subject_of(case)).status != CaseStatus::Passed);
    if is_killed {
        return MutantResult { mutant, status: MutantStatus::Killed, witness: None };
    }
    let Some(case) = cases.first() else {
        return MutantResult { mutant, status: MutantStatus::Undecided, witness: None };
    };
    let subject = subject_of(case);
    let search = WitnessSearch { original: &case.subject, mutant: &subject, case, bases: bases.to_vec() };
    let (status, witness) = evaluate_survivor(rules, &mutant, &search);
    MutantResult { mutant, status, witness }
}

/// Decides if an object distinguishes a mutant from the rules.
fn evaluate_survivor(
    rules: &MeasuredRules<'_>,
    mutant: &Mutant,
    search: &WitnessSearch<'_>,
) -> (MutantStatus, Option<Witness>) {
    if rules.is_rule_set() {
        return evaluate_rule_set_survivor(rules, mutant, search);
    }
    if rules.document.is_string() {
        return evaluate_template_survivor(mutant, search);
    }
    if rules.is_policy() {
        return evaluate_policy_survivor(rules, mutant, search);
    }
    let site = mutant.site.and_then(|index| rules.sites.get(index));
    let rule = site.and_then(|site| site.rule.as_deref());
    if let (Some(rule), Some(optional)) = (rule, mutant.after.as_bool()) {
        let source = RuleSource { optional_old_self: optional, ..rule.source.clone() };
        let changed = DefinitionRule { source, ..rule.clone() };
        let (with_optional, other) = if optional { (&changed, rule) } else { (rule, &changed) };
        return match search.find(with_optional, other, None) {
            Some(witness) => (MutantStatus::Survived, Some(witness)),
            None => (MutantStatus::Undecided, None),
        };
    }
    let Some((rule, text)) = rule.and_then(|rule| Some((rule, mutant.after.as_str()?))) else {
        if is_keyword_idle(mutant, &rules.document) {
            return (MutantStatus::Equivalent, None);
        }
        let witness = find_keyword_witness(mutant, search);
        return match witness {
            Some(witness) => (MutantStatus::Survived, Some(witness)),
            None => (MutantStatus::Undecided, None),
        };
    };
    let changed = rule_with_text(rule, text);
    let formulas = match compare_rules(rule, &changed) {
        Equivalence::Proved => return (MutantStatus::Equivalent, None),
        Equivalence::Open(formulas) => Some(formulas),
        Equivalence::Undecided => None,
    };
    match search.find(rule, &changed, formulas.as_deref()) {
        Some(witness) => (MutantStatus::Survived, Some(witness)),
        None => (MutantStatus::Undecided, None),
    }
}
