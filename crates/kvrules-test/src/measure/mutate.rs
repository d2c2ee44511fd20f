//! Mutation: which mutants of the rules the cases notice.

use std::cell::Cell;
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
use super::rule_set_cases::{ChangedRule, RuleSetCases};
use super::rule_set_mutants::{evaluate_rule_set_survivor, rule_set_mutants};
use super::sites::MeasuredRules;
use super::template_mutants::template_mutants;
use super::template_witness::evaluate_template_survivor;
use super::witness::{Witness, WitnessSearch};
use crate::answer::{AnswerVerdict, CaseAnswer};
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
    /// Number of requests that all rules answered to find the status.
    pub requests: usize,
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
    let results = rules.cases.par_iter().map(|case| (*case, run_case(case)));
    let passing = results.filter(|(_, result)| result.status == CaseStatus::Passed);
    let passing: Vec<(&TestCase, Option<CaseAnswer>)> =
        passing.map(|(case, result)| (case, result.answer)).collect();
    let cases: Vec<TestCase> = passing.iter().map(|(case, _)| with_initial_rules(case)).collect();
    let bases = accepted_objects(&cases);
    let read = if rules.is_rule_set() {
        let none = CaseAnswer::default();
        let answered = passing.iter().map(|(case, answer)| (*case, answer.as_ref().unwrap_or(&none)));
        RuleSetCases::new(rules, answered)
    } else {
        RuleSetCases::default()
    };
    let mutants = match rules.document.as_str() {
        Some(text) => template_mutants(text, &rules.sites),
        None if rules.is_rule_set() => rule_set_mutants(rules),
        None => generate_mutants(rules),
    };
    let measured = MeasuredCases { cases: &cases, read: &read, bases: &bases };
    let measure = |mutant: Mutant| measure_mutant(rules, mutant, &measured);
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

/// The cases that mutants are measured with.
struct MeasuredCases<'c> {
    /// Those that pass.
    cases: &'c [TestCase],
    /// The same, as rules of a RuleSet see them.
    read: &'c RuleSetCases,
    /// Objects that the rules accept.
    bases: &'c [Value],
}

fn measure_mutant(rules: &MeasuredRules<'_>, mutant: Mutant, measured: &MeasuredCases<'_>) -> MutantResult {
    let changed = mutant.apply_change(&rules.document);
    let mut subjects: HashMap<*const Subject, Arc<Subject>> = HashMap::new();
    let mut subject_of = |case: &TestCase| {
        let known = subjects.entry(Arc::as_ptr(&case.subject));
        let make = || Arc::new(case.subject.with_document(&rules.origin, &rules.document, &changed));
        Arc::clone(known.or_insert_with(make))
    };
    let first = measured.cases.first();
    let own = first.and_then(|case| case.subject.find_rule_set(&rules.origin, &rules.document));
    let change = own.and_then(|own| Some((&own.set, ChangedRule::read(&own.set, &mutant)?)));
    let can_notice = |index: usize| {
        change.as_ref().is_none_or(|(set, change)| measured.read.can_notice(index, set, change))
    };
    let mut cases_run = 0;
    let noticing = measured.cases.iter().enumerate().filter(|(index, _)| can_notice(*index));
    let is_killed = noticing.map(|(_, case)| case).any(|case| {
        cases_run += 1;
        run_case_on(case, &subject_of(case)).status != CaseStatus::Passed
    });
    let Some(case) = first.filter(|_| !is_killed) else {
        let status = if is_killed { MutantStatus::Killed } else { MutantStatus::Undecided };
        return MutantResult { mutant, status, witness: None, requests: cases_run };
    };
    let subject = subject_of(case);
    let search = WitnessSearch {
        original: &case.subject,
        mutant: &subject,
        case,
        bases: measured.bases,
        answered: Cell::new(0),
    };
    let (status, witness) = evaluate_survivor(rules, &mutant, &search);
    MutantResult { mutant, status, witness, requests: cases_run + search.answered.get() }
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
