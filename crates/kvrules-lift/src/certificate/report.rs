//! A certificate as its reader sees it, after it was checked.

use kvrules_ir::{Formula, Term, TermRelation};
use serde_json::{Value, json};

use super::check::check_certificate;
use super::checked::{Branch, BranchEnd, Checked, UncheckedStep};
use super::display::{entry_name, show_term, show_with_entries};
use super::{Certificate, CertifiedEntry, Statement};

/// The most work for leaving out facts that a proof does not need: facts times cases.
const MOST_WORK: usize = 2_000;
/// The most cases that are written out for people.
const MOST_SHOWN: usize = 12;

/// The explanation of a claim whose proof has no certificate.
const NO_CERTIFICATE: &str = "the proof of this claim has no certificate, so nothing checks it independently";

/// A proof as its reader sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CertificateReport {
    /// The formulas that are proved to exclude each other: the premises, and the opposite of the conclusion.
    pub assumptions: Vec<String>,
    /// Entries of lists and maps that stand for those that loops need.
    pub entries: Vec<String>,
    /// Facts that the schema or the language decides, as far as cases use them.
    pub facts: Vec<String>,
    /// Instances of axioms that cases use.
    pub axioms: Vec<String>,
    /// The cases, each of which ends in a contradiction.
    pub cases: Vec<ReportedCase>,
    /// Steps that the checker knows by their name alone.
    pub unchecked: Vec<String>,
    /// The reason for which the checker refuses the certificate.
    pub refusal: Option<String>,
}

/// A case that contradicts itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedCase {
    /// The assumptions.
    pub conditions: Vec<String>,
    /// The formula or fact that they contradict.
    pub contradiction: String,
}

pub(super) fn check(certificate: &Certificate, schema: &Value) -> CertificateReport {
    to_report(certificate, &check_certificate(certificate, schema))
}

pub(super) fn explain(certificate: &Certificate, schema: &Value) -> CertificateReport {
    let checked = check_certificate(certificate, schema);
    let work = checked.used.len().saturating_mul(checked.branches.len());
    if checked.refusal.is_some() || work > MOST_WORK {
        return to_report(certificate, &checked);
    }
    let (certificate, checked) = without_unused_facts(certificate.clone(), &checked, schema);
    to_report(&certificate, &checked)
}

fn to_report(certificate: &Certificate, checked: &Checked) -> CertificateReport {
    let show = |formula: &Formula| show_with_entries(formula, &certificate.entries);
    let fact = |number: &usize| {
        let fact = certificate.cases.facts.get(*number)?;
        Some(show_statement(&fact.statement, fact.holds, &certificate.entries))
    };
    let entry = |entry: &CertifiedEntry| {
        let name = entry_name(entry, &certificate.entries);
        format!("`{name}` is the key of an entry of `{}`", show_term(&entry.range, &certificate.entries))
    };
    let axiom = |(number, name): (&usize, &&str)| {
        Some(format!("{} ({name})", show(certificate.axioms.get(*number)?)))
    };
    let unchecked = |step: &UncheckedStep| match step {
        UncheckedStep::Constants => Some("expressions of constants were computed".to_owned()),
        UncheckedStep::Fact(number) => fact(number),
        UncheckedStep::Texts(of) => Some(format!("no text `{of}` meets the conditions of a case")),
        UncheckedStep::Order => Some("values that functions read are not in the order of a case".to_owned()),
    };
    let case = |branch: &Branch| {
        let show =
            |(statement, holds): &(Statement, bool)| show_statement(statement, *holds, &certificate.entries);
        let contradiction = match &branch.end {
            BranchEnd::Formula(number) => {
                let formula =
                    certificate.formulas.get(*number).map(|it| show_with_entries(it, &certificate.entries));
                format!("contradicts the assumption: {}", formula.unwrap_or_default())
            }
            BranchEnd::Axiom(number) => {
                let axiom =
                    certificate.axioms.get(*number).map(|it| show_with_entries(it, &certificate.entries));
                format!("contradicts the fact: {}", axiom.unwrap_or_default())
            }
            BranchEnd::Values => "no values meet these conditions and the schema".to_owned(),
            BranchEnd::Text(of) => format!("no text `{of}` meets these conditions and the schema"),
            BranchEnd::Order => "no values are in this order".to_owned(),
        };
        ReportedCase { conditions: branch.literals.iter().map(show).collect(), contradiction }
    };
    CertificateReport {
        assumptions: certificate.given.iter().map(show).collect(),
        entries: certificate.entries.iter().map(entry).collect(),
        facts: checked.used.iter().filter_map(fact).collect(),
        axioms: checked.axioms.iter().filter_map(axiom).collect(),
        cases: checked.branches.iter().map(case).collect(),
        unchecked: checked.unchecked.iter().filter_map(unchecked).collect(),
        refusal: checked.refusal.clone(),
    }
}

/// Leaves out each fact without which all cases still end in a contradiction.
fn without_unused_facts(
    mut certificate: Certificate,
    checked: &Checked,
    schema: &Value,
) -> (Certificate, Checked) {
    let mut facts = std::mem::take(&mut certificate.cases.facts);
    let mut number = 0;
    facts.retain(|_| {
        let is_used = checked.used.contains(&number);
        number += 1;
        is_used
    });
    certificate.cases.facts = facts;
    let mut best = check_certificate(&certificate, schema);
    let mut at = 0;
    while at < certificate.cases.facts.len() {
        let removed = certificate.cases.facts.remove(at);
        let without = check_certificate(&certificate, schema);
        if without.refusal.is_none() && without.unchecked.len() <= best.unchecked.len() {
            best = without;
        } else {
            certificate.cases.facts.insert(at, removed);
            at += 1;
        }
    }
    (certificate, best)
}

fn show_statement(statement: &Statement, holds: bool, entries: &[CertifiedEntry]) -> String {
    let compare = |left: &Term, relation, right: &Term| Formula::Compare {
        left: left.clone(),
        relation,
        right: right.clone(),
    };
    let formula = match (statement, holds) {
        (Statement::Present(term), true) => Formula::Defined(term.clone()),
        (Statement::Present(term), false) => Formula::Not(Box::new(Formula::Defined(term.clone()))),
        (Statement::Equal(left, right), true) => compare(left, TermRelation::Equal, right),
        (Statement::Equal(left, right), false) => compare(left, TermRelation::NotEqual, right),
        (Statement::Less(left, right), true) => compare(left, TermRelation::Less, right),
        (Statement::Less(left, right), false) => compare(right, TermRelation::LessOrEqual, left),
        (Statement::Comparable(left, right), _) => {
            let (left, right) = (show_term(left, entries), show_term(right, entries));
            return format!("{left} and {right} {} compared", if holds { "can be" } else { "cannot be" });
        }
    };
    show_with_entries(&formula, entries)
}

/// Returns the explanation of a claim by certificates, in lines and as JSON. A proof without a certificate says so.
pub fn explain_claim(certificates: &[Option<Certificate>], schema: &Value) -> (Vec<String>, Value) {
    let (mut lines, mut values) = (Vec::new(), Vec::new());
    for (number, certificate) in certificates.iter().enumerate() {
        if certificates.len() > 1 {
            lines.push(format!("part {} of {}", number + 1, certificates.len()));
        }
        let report = certificate.as_ref().map(|certificate| certificate.explain_steps(schema));
        lines.extend(
            report.as_ref().map_or_else(|| vec![NO_CERTIFICATE.to_owned()], CertificateReport::to_lines),
        );
        values.push(report.map_or(Value::Null, |report| report.to_json()));
    }
    (lines, json!({ "certificates": values }))
}

impl CertificateReport {
    /// True if the checker accepts the certificate.
    pub fn is_accepted(&self) -> bool {
        self.refusal.is_none()
    }

    /// The report in lines of text.
    pub fn to_lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut add = |title: &str, items: &[String]| {
            if !items.is_empty() {
                lines.push(format!("{title}:"));
                lines.extend(items.iter().map(|item| format!("  - {item}")));
            }
        };
        add("no object satisfies all of these", &self.assumptions);
        add("entries", &self.entries);
        add("facts of the schema and of the language", &self.facts);
        add("instances of axioms", &self.axioms);
        let case = |case: &ReportedCase| match case.conditions.as_slice() {
            [] => case.contradiction.clone(),
            conditions => format!("{}: {}", conditions.join("; "), case.contradiction),
        };
        let mut cases: Vec<String> = self.cases.iter().take(MOST_SHOWN).map(case).collect();
        if self.cases.len() > MOST_SHOWN {
            cases.push(format!("… {} more", self.cases.len() - MOST_SHOWN));
        }
        add(&format!("cases ({})", self.cases.len()), &cases);
        add("not checked independently", &self.unchecked);
        lines.push(match &self.refusal {
            None if self.unchecked.is_empty() => "the checker accepts all steps".to_owned(),
            None => "the checker accepts all other steps".to_owned(),
            Some(why) => format!("the checker refuses the certificate: {why}"),
        });
        lines
    }

    /// The report as JSON.
    pub fn to_json(&self) -> Value {
        let case =
            |case: &ReportedCase| json!({"conditions": case.conditions, "contradiction": case.contradiction});
        json!({
            "assumptions": self.assumptions,
            "entries": self.entries,
            "facts": self.facts,
            "axioms": self.axioms,
            "cases": self.cases.iter().map(case).collect::<Vec<_>>(),
            "unchecked": self.unchecked,
            "accepted": self.is_accepted(),
            "refusal": self.refusal,
        })
    }
}
