//! Certificates of proofs: the facts that a proof uses, and the cases that it tries.
//!
//! A proof shows that no object satisfies some formulas. Its certificate has the formulas, the entries that stand for those that loops
//! need, facts about their terms, and a tree of cases, each branch of which ends in a contradiction. The checker (`check`, `theory`,
//! `axioms`, `keys`) shares no code with the prover: it uses the types of formulas, the schema and this module.

mod axioms;
mod check;
mod checked;
mod display;
mod keys;
mod report;
mod substitution;
mod texts;
mod theory;

use kvrules_ir::{EntryVariables, Formula, Term, VariableId};
use serde_json::Value;

pub use report::{CertificateReport, ReportedCase, explain_claim};

/// A proof that no object of a schema satisfies all of some formulas, with what is needed to check it.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The premises and the opposite of the conclusion.
    pub(crate) given: Vec<Formula>,
    /// The same with expressions of constants computed.
    pub(crate) formulas: Vec<Formula>,
    /// The entries that stand for those that loops need.
    pub(crate) entries: Vec<CertifiedEntry>,
    /// Facts that hold of every object.
    pub(crate) axioms: Vec<Formula>,
    pub(crate) cases: CertifiedCases,
}

/// An entry of a list or map for which a formula holds, if there is one.
#[derive(Clone, Debug)]
pub(crate) struct CertifiedEntry {
    /// Stands for its key.
    pub(crate) variable: VariableId,
    pub(crate) range: Term,
    /// The placeholders for the entry in the formula.
    pub(crate) entry: EntryVariables,
    pub(crate) formula: Formula,
    /// True if the formula holds for it, false if its opposite does.
    pub(crate) holds: bool,
}

/// Facts that are decided without a case, and the cases.
#[derive(Clone, Debug, Default)]
pub(crate) struct CertifiedCases {
    pub(crate) facts: Vec<Fact>,
    pub(crate) types: Vec<TypeCondition>,
    /// A split is followed by the tree of its first value, and by that of the other.
    pub(crate) steps: Vec<CaseStep>,
}

/// A statement that a case decides.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    /// The term has a value, given that its parts have one.
    Present(Term),
    /// Two values are equal.
    Equal(Term, Term),
    /// The first of two values is less.
    Less(Term, Term),
    /// Two values have an order.
    Comparable(Term, Term),
}

/// A statement that the schema or the language decides.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub(crate) statement: Statement,
    pub(crate) holds: bool,
}

/// A statement that holds only if a term has a type.
#[derive(Clone, Debug)]
pub(crate) struct TypeCondition {
    pub(crate) statement: Statement,
    pub(crate) of: Term,
    pub(crate) name: String,
}

#[derive(Clone, Debug)]
pub(crate) enum CaseStep {
    /// Both answers of a statement are tried, this one first.
    Split(Statement, bool),
    Closed(Closing),
}

/// The contradiction that ends a branch, as the prover found it.
#[derive(Clone, Debug)]
pub(crate) enum Closing {
    Formula,
    Value,
    Listed,
    Order,
    Text(Term),
}

impl Certificate {
    /// Checks the certificate against the schema, and returns what a reader is shown. Facts that no case needs are left out.
    pub fn explain_steps(&self, schema: &Value) -> CertificateReport {
        report::explain(self, schema)
    }

    /// Checks the certificate against the schema.
    ///
    /// ```
    /// use kvrules_ir::{Constant, Formula, Term, TermRelation};
    ///
    /// let n = Term::Root("self".to_owned()).with_field("n");
    /// let less = |number| Formula::comparison_of(n.clone(), TermRelation::Less, Term::Constant(Constant::Integer(number)));
    /// let schema = serde_json::json!({"properties": {"n": {"type": "integer"}}});
    /// let certificate = kvrules_lift::certify_implication(&[&less(5)], &less(6), &schema).unwrap();
    /// let report = certificate.check_steps(&schema);
    /// assert!(report.is_accepted() && report.unchecked.is_empty());
    /// ```
    pub fn check_steps(&self, schema: &Value) -> CertificateReport {
        report::check(self, schema)
    }
}

#[cfg(test)]
mod tests;
