//! Recorded cases, evaluated: one row in, one outcome out, whatever was recorded. A format is one file below this module
//! and one entry of [`FORMATS`]; reading, counting and telling are the same for all of them.

pub mod differences;
mod extra_specs;
mod glance_metadef;
mod kubernetes_admission;
mod kubernetes_crd;
mod kubernetes_policy;
mod kubernetes_rule;
mod kubevirt_ssp;
mod meaning;
pub mod report;
pub mod row;
pub mod run;

use row::CaseRow;

/// A kind of recorded case.
pub struct CaseFormat {
    /// Name in messages; also the family of its cases without one.
    pub name: &'static str,
    /// True if a row is of this kind, by its fields alone. No row is of two kinds.
    pub recognises: fn(&CaseRow) -> bool,
    /// Runs a case and compares. Called for rows that are recognised.
    pub judge: fn(&CaseRow) -> Outcome,
}

/// Outcome of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The actual result is the recorded one.
    Agrees,
    /// The actual result is another.
    Differs {
        /// Recorded result.
        expected: String,
        /// Actual result.
        actual: String,
    },
}

/// The formats that are known.
pub const FORMATS: &[CaseFormat] = &[
    kubevirt_ssp::FORMAT,
    differences::FORMAT,
    meaning::FORMAT,
    kubernetes_policy::POLICY,
    kubernetes_policy::BINDING,
    kubernetes_policy::RUNTIME,
    kubernetes_crd::FORMAT,
    kubernetes_rule::FORMAT,
    kubernetes_admission::FORMAT,
    kubernetes_admission::DOCUMENT,
    extra_specs::PAIR,
    extra_specs::DEFINITIONS,
    extra_specs::REQUEST,
    extra_specs::SLOW,
    glance_metadef::FORMAT,
];

/// Gives everything that is compared in a row, by what it is, and whether it agrees.
type AspectComparer = fn(&CaseRow) -> Vec<(&'static str, bool)>;

/// Of these formats, what is compared in a case is counted one by one as well.
const ASPECTS: &[(&str, AspectComparer)] = &[(kubernetes_crd::FORMAT.name, kubernetes_crd::compare_aspects)];

impl CaseFormat {
    /// Returns the compared aspects of a row, each with whether it agrees; empty for formats with a single aspect.
    pub fn compare_aspects(&self, row: &CaseRow) -> Vec<(&'static str, bool)> {
        let counted = ASPECTS.iter().find(|(name, _)| *name == self.name);
        counted.map(|(_, aspects)| aspects(row)).unwrap_or_default()
    }

    /// The format of a row.
    pub fn for_row(row: &CaseRow) -> Option<&'static Self> {
        FORMATS.iter().find(|format| (format.recognises)(row))
    }
}
