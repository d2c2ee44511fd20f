//! Findings about a document that is being read.

use kvrules_diagnostics::Diagnostic;

/// Findings about a document, and how many of them leave open what their definition accepts.
#[derive(Default)]
pub(super) struct DocumentFindings {
    all: Vec<Diagnostic>,
    undecided: usize,
}

impl DocumentFindings {
    /// Adds a finding about a definition that can be kept.
    pub(super) fn push(&mut self, finding: Diagnostic) {
        self.all.push(finding);
    }

    /// Adds an error that leaves open what the definition accepts.
    pub(super) fn push_undecided(&mut self, finding: Diagnostic) {
        self.undecided += 1;
        self.push(finding);
    }

    /// Number of errors that leave open what a definition accepts.
    pub(super) fn count_undecided(&self) -> usize {
        self.undecided
    }

    /// Returns the findings in the order of the text.
    pub(super) fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.all.sort_by_key(|finding| (finding.primary.span, finding.code));
        self.all
    }
}
