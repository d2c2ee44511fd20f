//! Rules in CEL, restated as RuleSets: in words where a proof shows that words say the same, else as `cel`.
//!
//! A rule is lifted to formulas. From these, candidates are made: rules in words that may say the same. Each candidate is read and
//! lowered as `kvrules check` does, and is taken only if it is proved that its expression is true exactly where the rule is. The way in which
//! a candidate is found therefore decides nothing about the result.

mod candidates;
mod clauses;
mod definition;
mod draft;
mod json_schema;
mod keyword_walk;
mod literal;
mod name;
mod object_rules;
mod part;
mod proof;
mod schema_expression;
mod stored;
mod unique;
mod value_test;

use kvrules_apiserver::crd::RuleSource;
use kvrules_apiserver::definition::AuthoredObjects;
use kvrules_ir::{Constant, Formula, Term};
use kvrules_lift::{DefinitionRule, LiftedExpression, LiftedRule, lift_rule, replace_term};
use kvrules_rule_set::RuleSubject;
use serde_json::Value as Json;

pub use definition::{import_definition_rules, version_rule_set};
pub use json_schema::import_schema_rules;
pub use keyword_walk::{KeywordRule, schema_keyword_rules};
pub use object_rules::{ObjectRule, import_object_rules};

use candidates::{Perspective, RuleEntry, to_rules};
use part::PartScope;
pub(crate) use proof::ProofBudget;
use proof::{CONFIRMING, ProvedRule, read_entry};
use stored::stored_candidates;
use unique::unique_candidates;

/// Maximum number of candidates that are compared with one rule.
const MOST_CANDIDATES: usize = 24;

/// Maximum number of steps to a place: formulas seen from the object grow with the square of it.
const DEEPEST: usize = 40;

/// Maximum number of rules that one rule becomes.
const MOST_RULES: usize = 4;

/// A RuleSet that was made of other rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportedRuleSet {
    /// Its name.
    pub name: String,
    /// The document.
    pub document: Json,
    /// The rules that it was made of, in their order.
    pub rules: Vec<ImportedRule>,
}

/// A rule with the form that it has in a RuleSet.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedRule {
    /// Its name in the source, such as `spec.x-kubernetes-validations[0]`.
    pub source: String,
    /// The JSON pointer to it in the resource.
    pub pointer: String,
    /// The form.
    pub form: ImportedForm,
    /// Parts that the RuleSet does not express, such as a computed message.
    pub lost: Vec<&'static str>,
    /// The objects that its form accepts and the source rejects, in one sentence.
    pub wider: Option<String>,
    /// The names of the rules of the RuleSet that express it.
    pub entries: Vec<String>,
}

/// The form of a rule in a RuleSet.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportedForm {
    /// Words, which are proved to say the same.
    Words,
    /// The expression, and the reason for which there are no words.
    Cel(String),
    /// None; the reason.
    LeftOut(String),
}

/// The entries of a RuleSet for a rule, with the form.
pub(crate) struct RestatedRule {
    pub(crate) entries: Vec<RuleEntry>,
    pub(crate) form: ImportedForm,
}

/// Restates a rule about a known subject. Words never end in an error, which is a violation too, unless errors pass.
pub(crate) fn restate_rule(
    rule: &DefinitionRule,
    subject: &RuleSubject,
    errors_pass: bool,
    budget: &ProofBudget,
) -> RestatedRule {
    let reason = match lift_rule(rule, CONFIRMING).map(|lifted| with_known_kind(lifted, rule, subject)) {
        Ok(lifted) if lifted.formulas.holds == Formula::True => {
            let reason = format!("it holds for every object of the kind `{}`", subject.version.kind);
            return RestatedRule { entries: Vec::new(), form: ImportedForm::LeftOut(reason) };
        }
        Ok(lifted) => match find_words(rule, &lifted, subject, errors_pass, budget) {
            Ok(entries) => return RestatedRule { entries, form: ImportedForm::Words },
            Err(reason) => reason.to_owned(),
        },
        Err(opaque) => format!("it has no formula: {opaque}"),
    };
    match cel_entry(rule, subject) {
        Ok(entry) => RestatedRule { entries: vec![entry], form: ImportedForm::Cel(reason) },
        Err(unfit) => RestatedRule { entries: Vec::new(), form: ImportedForm::LeftOut(unfit.to_owned()) },
    }
}

/// The rule for objects of the subject's kind, which have this kind and no other.
fn with_known_kind(lifted: LiftedRule, rule: &DefinitionRule, subject: &RuleSubject) -> LiftedRule {
    if !rule.place.is_empty() || subject.objects != AuthoredObjects::OfVersion {
        return lifted;
    }
    let kind = Term::Root("self".to_owned()).with_field("kind".to_owned());
    let own = Term::Constant(Constant::Text(subject.version.kind.clone()));
    let known = |formula: &Formula| replace_term(formula, &kind, &own);
    let formulas =
        LiftedExpression { holds: known(&lifted.formulas.holds), fails: known(&lifted.formulas.fails) };
    LiftedRule { formulas, ..lifted }
}

/// The words that are proved to say the same.
fn find_words(
    rule: &DefinitionRule,
    lifted: &LiftedRule,
    subject: &RuleSubject,
    errors_pass: bool,
    budget: &ProofBudget,
) -> Result<Vec<RuleEntry>, &'static str> {
    if rule.place.len() > DEEPEST {
        return Err("its place is too deep for a proof that words say the same");
    }
    let candidates = all_candidates(rule, lifted);
    if candidates.is_empty() {
        return Err("no words express it");
    }
    let proved = ProvedRule::new(rule, lifted, subject, budget);
    if errors_pass && !proved.is_total() {
        return Err("it may end in an error, as words never do");
    }
    let mut best: Option<Vec<RuleEntry>> = None;
    for entries in candidates.into_iter().take(MOST_CANDIDATES) {
        let is_shorter = best.as_ref().is_none_or(|best| entries.len() < best.len());
        if is_shorter && proved.is_equal_to(&entries) {
            best = Some(needed_entries(entries, &proved));
        }
    }
    let spent = "the rules are too many or too large to prove that words say the same";
    let reason = if budget.is_spent() { spent } else { "no words are proved to say the same" };
    best.filter(|entries| entries.len() <= MOST_RULES).ok_or(reason)
}

/// Leaves out each rule without which the others say the same, such as one that the schema implies.
fn needed_entries(mut entries: Vec<RuleEntry>, proved: &ProvedRule<'_>) -> Vec<RuleEntry> {
    let mut at = 0;
    while at < entries.len() && entries.len() > 1 {
        let removed = entries.remove(at);
        if !proved.is_equal_to(&entries) {
            entries.insert(at, removed);
            at += 1;
        }
    }
    (0..entries.len()).for_each(|at| keep_needed_conditions(&mut entries, at, proved));
    entries
}

/// Leaves out each condition of a rule without which the rules say the same, such as one that another condition implies.
fn keep_needed_conditions(entries: &mut [RuleEntry], at: usize, proved: &ProvedRule<'_>) {
    let mut index = 0;
    loop {
        let Some(entry) = entries.get_mut(at) else { return };
        let Some(Json::Array(conditions)) = entry.get("when").cloned() else { return };
        if index >= conditions.len() {
            return;
        }
        let mut rest = conditions.clone();
        rest.remove(index);
        let shorter = if rest.len() == 1 { rest.remove(0) } else { Json::Array(rest) };
        entry.insert("when".to_owned(), shorter);
        if !proved.is_equal_to(entries) {
            entries.get_mut(at).and_then(|entry| entry.insert("when".to_owned(), conditions.into()));
            index += 1;
        }
    }
}

fn all_candidates(rule: &DefinitionRule, lifted: &LiftedRule) -> Vec<Vec<RuleEntry>> {
    let holds = &lifted.formulas.holds;
    let views = Perspective::all_for(&rule.place);
    let plain = views.iter().filter(|view| !view.is_strict);
    let mut found: Vec<Vec<RuleEntry>> = Vec::new();
    if rule.source.is_transition_rule() {
        found.extend(plain.flat_map(|view| stored_candidates(holds, &rule.schema, view)));
        return found;
    }
    if let Some(part) = PartScope::of_self(&rule.schema).part_of(holds, true) {
        found.extend(views.iter().filter_map(|view| to_rules(&part, view)));
    }
    found.extend(plain.flat_map(|view| unique_candidates(holds, &rule.schema, view)));
    found.dedup();
    found
}

/// The expression of a rule at its place.
fn cel_entry(rule: &DefinitionRule, subject: &RuleSubject) -> Result<RuleEntry, &'static str> {
    if rule.source.optional_old_self {
        return Err("`optionalOldSelf` cannot be expressed");
    }
    let at_place = Perspective::of_place(&rule.place);
    let mut entry = at_place.start_entry();
    entry.insert("cel".to_owned(), rule.source.rule.trim().into());
    let read = read_entry(&entry, subject).ok_or("a RuleSet cannot have the expression at this place")?;
    if read.check_types().is_err() {
        return Err("the expression does not fit the types of the schema");
    }
    let is_same = read.place == rule.place && read.source.rule == rule.source.rule.trim();
    is_same.then_some(entry).ok_or("a RuleSet cannot have the expression at this place")
}

/// Returns the parts of a rule that entries do not express.
fn find_losses(source: &RuleSource) -> Vec<&'static str> {
    let mut lost = Vec::new();
    if !source.message_expression.is_empty() {
        lost.push("the computed message");
    }
    if !matches!(
        source.reason.as_str(),
        "" | "FieldValueInvalid" | "FieldValueRequired" | "FieldValueForbidden"
    ) {
        lost.push("the reason");
    }
    lost
}
