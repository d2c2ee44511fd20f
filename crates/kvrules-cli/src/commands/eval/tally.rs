//! Number of objects, by result.

use std::collections::BTreeSet;

use kvrules::eval::{AdmissionVerdict, Engine, Evaluation, SpecVerdict};

use crate::sentences::count_noun;

/// Objects and files counted.
#[derive(Debug, Default)]
pub(super) struct VerdictCounts {
    satisfied: usize,
    warned: usize,
    rejected: usize,
    /// Objects to which no policy applies.
    not_matched: usize,
    differ: usize,
    /// Objects of which an engine has no verdict, or one without some rules.
    pub(super) not_evaluated: usize,
    /// Files that could not be read.
    pub(super) unread: usize,
    /// Files that were found in a search and hold no VirtualMachine.
    pub(super) skipped: usize,
    /// The ids of the named differences that were met.
    pub(super) differences: BTreeSet<&'static str>,
}

impl VerdictCounts {
    /// Counts an object. What one engine rejects is rejected, whatever the other says.
    pub(super) fn add(&mut self, evaluation: &Evaluation) {
        let by_rules = evaluation.spec.as_ref().is_some_and(|spec| spec.verdict == SpecVerdict::Warned);
        let by_server = evaluation.crd.as_ref().is_some_and(|answer| !answer.warnings.is_empty());
        let admission = evaluation.policy.as_ref();
        let by_policy = admission.is_some_and(|answer| !answer.warnings.is_empty());
        let is_not_matched = admission.is_some_and(|answer| answer.verdict == AdmissionVerdict::NotMatched);
        let is_warned = by_rules || by_server || by_policy;
        let counter = match () {
            () if evaluation.is_rejected() => &mut self.rejected,
            () if evaluation.is_incomplete() => &mut self.not_evaluated,
            () if is_not_matched => &mut self.not_matched,
            () if is_warned => &mut self.warned,
            () => &mut self.satisfied,
        };
        *counter += 1;
        self.differ += usize::from(!evaluation.differences.is_empty());
        let named = evaluation.differences.iter().flat_map(|difference| &difference.named);
        self.differences.extend(named.map(|named| named.id));
    }

    /// Adds what was counted elsewhere.
    pub(super) fn absorb(&mut self, other: Self) {
        self.satisfied += other.satisfied;
        self.warned += other.warned;
        self.rejected += other.rejected;
        self.not_matched += other.not_matched;
        self.differ += other.differ;
        self.not_evaluated += other.not_evaluated;
        self.unread += other.unread;
        self.skipped += other.skipped;
        self.differences.extend(other.differences);
    }

    /// Returns the number of objects with a verdict.
    pub(super) fn evaluated(&self) -> usize {
        self.satisfied + self.warned + self.rejected
    }

    /// True if there are objects, and no policy applies to any of them.
    pub(super) fn is_unmatched(&self) -> bool {
        self.not_matched > 0 && self.evaluated() == 0
    }

    /// All of it in one line.
    pub(super) fn summary(&self, engine: Engine) -> String {
        let words = match engine {
            Engine::Ssp => ["allowed", "warned", "denied"],
            Engine::Spec | Engine::Both => ["satisfied", "warned", "rejected"],
            Engine::Crd | Engine::Policy => ["accepted", "accepted with warnings", "rejected"],
        };
        let without = match engine {
            Engine::Crd => "objects of the definitions",
            Engine::Policy => "objects",
            Engine::Spec | Engine::Ssp | Engine::Both => "VirtualMachines",
        };
        let counted = words.into_iter().zip([self.satisfied, self.warned, self.rejected]);
        let reported: Vec<_> = counted
            .filter(|(_, number)| *number > 0)
            .map(|(word, number)| format!("{number} {word}"))
            .collect();
        let evaluated = match self.evaluated() {
            0 => "nothing was evaluated".to_owned(),
            number => format!("evaluated {}: {}", count_noun(number, "object"), reported.join(", ")),
        };
        let rest = [
            (self.not_matched, format!("no policy applies to {}", self.not_matched)),
            (self.differ, format!("the engines differ on {}", self.differ)),
            (self.not_evaluated, format!("{} not evaluated", self.not_evaluated)),
            (self.unread, format!("{} could not be read", count_noun(self.unread, "file"))),
            (self.skipped, format!("{} without {without} skipped", count_noun(self.skipped, "file"))),
        ];
        let rest = rest.into_iter().filter(|(number, _)| *number > 0).map(|(_, text)| text);
        std::iter::once(evaluated).chain(rest).collect::<Vec<_>>().join("; ")
    }
}
