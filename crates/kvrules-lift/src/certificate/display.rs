//! Formulas and terms with names for the entries that stand for those of loops.

use kvrules_ir::{Formula, Term};

use super::CertifiedEntry;
use crate::atoms::replace_variable;
use crate::show::{show_formula, show_value};

pub(super) fn entry_name(entry: &CertifiedEntry, entries: &[CertifiedEntry]) -> String {
    let at = entries.iter().position(|known| known.variable == entry.variable).unwrap_or(0);
    format!("entry{}", at + 1)
}

pub(super) fn show_with_entries(formula: &Formula, entries: &[CertifiedEntry]) -> String {
    let named = entries.iter().fold(formula.clone(), |formula, entry| {
        replace_variable(&formula, entry.variable, &Term::Root(entry_name(entry, entries)))
    });
    show_formula(&named)
}

pub(super) fn show_term(term: &Term, entries: &[CertifiedEntry]) -> String {
    let defined = Formula::Defined(term.clone());
    let named = entries.iter().fold(defined, |formula, entry| {
        replace_variable(&formula, entry.variable, &Term::Root(entry_name(entry, entries)))
    });
    match &named {
        Formula::Defined(term) => show_value(term),
        _ => show_value(term),
    }
}
