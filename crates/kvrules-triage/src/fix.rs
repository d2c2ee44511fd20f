//! Repairing a file: what findings offer is carried out, and the text read again, until nothing more can be done.
//!
//! A repair that would leave the text harder to read than before (a new error for the parser, a rule lost) is not carried
//! out, whatever its finding promised. So the result is never worse than what was given.

use std::collections::BTreeMap;

use kvrules_diagnostics::{Applicability, Diagnostic, SourceFile};
use kvrules_elaborate::catalog::Catalog;
use kvrules_sources::{FileReading, ReadContext, read_file};
use kvrules_syntax::edit::{apply_edits, choose_fixes};

/// Repairs hidden behind repairs are few; more passes than this are a circle.
const MOST_PASSES: usize = 100;

/// Selection of the repairs to apply.
pub struct FixOptions<'a> {
    /// Also those that may change what rules mean.
    pub unsafe_fixes: bool,
    /// The findings of a text to repair. Called again for each intermediate text.
    pub accept: &'a (dyn Fn(&SourceFile, &FileReading) -> Vec<Diagnostic> + Sync),
}

/// A repair that was carried out, or was not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AttemptedRepair {
    /// The code of the finding.
    pub code: &'static str,
    /// The name of its lint.
    pub name: &'static str,
    /// Description of the repair.
    pub title: String,
}

/// A repaired file.
#[derive(Debug)]
pub struct FixedFile {
    /// Its text; unchanged if nothing was repaired.
    pub source: SourceFile,
    /// The findings and counts of that text.
    pub reading: FileReading,
    /// The repairs that were applied, in the order of passes and of the text.
    pub applied: Vec<AttemptedRepair>,
    /// The repairs that were refused because they would have made the text harder to read.
    pub refused: Vec<AttemptedRepair>,
    /// The repairs that were left out because repairs of these kinds undo one another in this text.
    pub circle: Vec<AttemptedRepair>,
}

impl FixedFile {
    /// Returns the number of repaired findings.
    ///
    /// ```
    /// use kvrules::{Catalog, FileId, SourceFile};
    ///
    /// let source = SourceFile::new(FileId(0), "a.yaml", "vm.kubevirt.io/validations: |\n  [{'rule': 'enum',}]\n");
    /// let fixed = kvrules::fix_safely(&source, Catalog::kubevirt_vm());
    /// assert_eq!(fixed.repaired_count(), 3, "two pairs of quotation marks and a comma");
    /// ```
    pub fn repaired_count(&self) -> usize {
        self.applied.len()
    }

    /// Returns the findings that are left, in the order of the text.
    ///
    /// ```
    /// use kvrules::{Catalog, FileId, SourceFile};
    ///
    /// let text = r#"
    /// vm.kubevirt.io/validations: |
    ///   [{"rule": "integer", "name": "cores", "message": "at most 8 cores", "max": 8,}]
    /// "#;
    /// let fixed = kvrules::fix_safely(&SourceFile::new(FileId(0), "a.yaml", text), Catalog::kubevirt_vm());
    /// let left: Vec<_> = fixed.remaining_findings().iter().map(|found| found.message.as_str()).collect();
    /// assert_eq!(left, ["missing mandatory key `path` in rule `cores`"]);
    /// ```
    pub fn remaining_findings(&self) -> &[Diagnostic] {
        &self.reading.diagnostics
    }
}

/// Repairs every finding that has a safe fix.
///
/// ```
/// use kvrules::{Catalog, FileId, SourceFile};
///
/// let source = SourceFile::new(FileId(0), "a.yaml", "vm.kubevirt.io/validations: |\n  [{'rule': 'enum',}]\n");
/// let fixed = kvrules::fix_safely(&source, Catalog::kubevirt_vm());
/// assert_eq!(fixed.source.text(), "vm.kubevirt.io/validations: |\n  [{\"rule\": \"enum\"}]\n");
/// ```
pub fn fix_safely(source: &SourceFile, catalog: &Catalog) -> FixedFile {
    let accept = |_: &SourceFile, reading: &FileReading| reading.diagnostics.clone();
    fix_file(source, catalog, &FixOptions { unsafe_fixes: false, accept: &accept })
}

/// Repairs a file, whose rules are about objects with the catalog's fields.
///
/// In a text that is damaged beyond sense one repair may undo another. Both kinds are then left to a person, and all else
/// is repaired as if they were not offered: a second run finds the same, and changes nothing.
///
/// ```
/// use kvrules::{Catalog, Diagnostic, FileId, FileReading, FixOptions, SourceFile};
///
/// let source = SourceFile::new(FileId(0), "a.yaml", "vm.kubevirt.io/validations: |\n  [{'rule': 'enum',}]\n");
/// let commas = |_: &SourceFile, reading: &FileReading| -> Vec<Diagnostic> {
///     reading.diagnostics.iter().filter(|found| found.name == "json_comma").cloned().collect()
/// };
/// let options = FixOptions { unsafe_fixes: false, accept: &commas };
/// let fixed = kvrules::fix_file(&source, Catalog::kubevirt_vm(), &options);
/// assert_eq!(fixed.source.text(), "vm.kubevirt.io/validations: |\n  [{'rule': 'enum'}]\n");
/// ```
pub fn fix_file(source: &SourceFile, catalog: &Catalog, options: &FixOptions<'_>) -> FixedFile {
    fix_file_in(source, &ReadContext::new(catalog), options)
}

/// Repairs a file as [`fix_file`] does, with the findings of a context: those of chosen Kubernetes versions are left if no repair
/// ends them.
pub fn fix_file_in(source: &SourceFile, context: &ReadContext<'_>, options: &FixOptions<'_>) -> FixedFile {
    let mut circle: Vec<AttemptedRepair> = Vec::new();
    loop {
        let is_left = |code: &str| circle.iter().any(|repair| repair.code == code);
        match fix_except(source, context, options, &is_left) {
            Ok(fixed) => return FixedFile { circle, ..fixed },
            Err(again) => circle.extend(again),
        }
        circle.sort();
        circle.dedup();
    }
}

/// Repairs a file except for the codes that are left alone; or the repairs that lead back to where the text was before.
fn fix_except(
    source: &SourceFile,
    context: &ReadContext<'_>,
    options: &FixOptions<'_>,
    is_left: &dyn Fn(&str) -> bool,
) -> Result<FixedFile, Vec<AttemptedRepair>> {
    let mut state = FixState::from_source(source.with_text(source.text()), context);
    // Each text so far, with the number of fixes applied by then.
    let mut seen = BTreeMap::from([(source.text().to_owned(), 0)]);
    let mut applied = Vec::new();
    for _ in 0..MOST_PASSES {
        let FixPass { next, taken, refused } = state.run_pass(context, options, is_left);
        let Some(next) = next else {
            let FixState { source, reading } = state;
            return Ok(FixedFile { source, reading, applied, refused, circle: Vec::new() });
        };
        applied.extend(taken);
        if let Some(since) = seen.insert(next.source.text().to_owned(), applied.len()) {
            return Err(applied.split_off(since));
        }
        state = next;
    }
    Err(applied)
}

/// True if a finding has a fix that may be applied: a safe one, or with `unsafe_fixes` also one that may change the meaning
/// of rules.
///
/// ```
/// use kvrules::{FileId, SourceFile, is_offered};
///
/// let text = "vm.kubevirt.io/validations: |\n  [{\"name\": \"a\",}]\n";
/// let found = kvrules::read_rules(&SourceFile::new(FileId(0), "a.yaml", text)).diagnostics;
/// let offered: Vec<_> = found.iter().filter(|found| is_offered(found, false)).map(|found| found.name).collect();
/// assert_eq!(offered, ["json_comma"]);
/// ```
pub fn is_offered(found: &Diagnostic, unsafe_fixes: bool) -> bool {
    let least = if unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe };
    found.fix.as_ref().is_some_and(|fix| fix.applicability >= least)
}

/// A text on the way.
struct FixState {
    source: SourceFile,
    reading: FileReading,
}

/// Result of one pass over a text.
struct FixPass {
    /// The text after it; none if nothing could be done.
    next: Option<FixState>,
    taken: Vec<AttemptedRepair>,
    refused: Vec<AttemptedRepair>,
}

impl FixState {
    fn from_source(source: SourceFile, context: &ReadContext<'_>) -> Self {
        let reading = read_file(&source, context);
        Self { source, reading }
    }

    /// Applies the repairs that are compatible. If they make something worse, the harmful ones are found by
    /// bisection.
    fn run_pass(
        &self,
        context: &ReadContext<'_>,
        options: &FixOptions<'_>,
        is_left: &dyn Fn(&str) -> bool,
    ) -> FixPass {
        let mut offered = (options.accept)(&self.source, &self.reading);
        offered.retain(|found| is_offered(found, options.unsafe_fixes) && !is_left(found.code));
        let choice = choose_fixes(offered.iter().filter_map(|found| found.fix.as_ref()));
        let mut kept: Vec<&Diagnostic> = Vec::new();
        let (mut next, mut refused) = (None, Vec::new());
        let mut open = vec![choice.taken.iter().filter_map(|at| offered.get(*at)).collect::<Vec<_>>()];
        while let Some(part) = open.pop().filter(|part| !part.is_empty()) {
            let all: Vec<_> = kept.iter().chain(&part).copied().collect();
            if let Some(better) = self.apply_repairs(&all, context) {
                (kept, next) = (all, Some(better));
            } else if let [one] = part.as_slice() {
                refused.extend(attempted_repair(one));
            } else {
                let (first, second) = part.split_at(part.len() / 2);
                open.extend([second.to_vec(), first.to_vec()]);
            }
        }
        let taken = kept.into_iter().filter_map(attempted_repair).collect();
        FixPass { next, taken, refused }
    }

    /// The text with these repairs, unless it is worse or the same.
    fn apply_repairs(&self, repairs: &[&Diagnostic], context: &ReadContext<'_>) -> Option<Self> {
        let edits = choose_fixes(repairs.iter().filter_map(|found| found.fix.as_ref())).edits;
        let text = apply_edits(self.source.text(), &edits)?;
        if text == self.source.text() {
            return None;
        }
        let next = Self::from_source(self.source.with_text(text), context);
        let removed =
            repairs.iter().filter_map(|found| found.fix.as_ref()).filter(|fix| fix.removes_rule).count();
        next.is_no_worse_than(self, removed).then_some(next)
    }

    /// True if the text is as easy to read as before, with all rules except `removed` ones.
    fn is_no_worse_than(&self, before: &Self, removed: usize) -> bool {
        let meanings = |state: &Self| state.reading.sets.iter().map(|set| set.rules.len()).sum::<usize>();
        self.count_parse_errors("KV0") <= before.count_parse_errors("KV0")
            // A YAML error hides other errors and stops other readers, so it counts separately.
            && self.count_parse_errors("KV00") <= before.count_parse_errors("KV00")
            && self.reading.count_rules() + removed >= before.reading.count_rules()
            && meanings(self) >= meanings(before)
    }

    /// Returns the number of parse errors: those of the first group of codes, or within it those of YAML.
    fn count_parse_errors(&self, group: &str) -> usize {
        self.reading.diagnostics.iter().filter(|found| found.code.starts_with(group)).count()
    }
}

fn attempted_repair(found: &Diagnostic) -> Option<AttemptedRepair> {
    let title = found.fix.as_ref()?.title.clone();
    Some(AttemptedRepair { code: found.code, name: found.name, title })
}
