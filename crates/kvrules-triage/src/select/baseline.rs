//! Findings that were there when a baseline was written, and are accepted.
//!
//! A finding is known again by its file, its code, the rule that it is in and its message, and by how often all of these
//! come together. Lines do not matter, so a file may be edited elsewhere; a rule that is renamed counts as new.

mod read;

use std::collections::BTreeMap;

use kvrules_diagnostics::render::json_text;
use kvrules_diagnostics::{Diagnostic, SourceFile, Span};
use kvrules_ir::ElaboratedSet;
use kvrules_sources::FileReading;
use schemars::JsonSchema;
use serde::Serialize;

/// The version of the format.
const VERSION: u32 = 1;

/// Accepted findings.
///
/// ```
/// use kvrules::select::Baseline;
/// use kvrules::{FileId, SourceFile};
///
/// let rules = |text: &str| SourceFile::new(FileId(0), "a.yaml", text);
/// let (old, new) = (rules("validations: '[]'\n"), rules("# moved\n\nvalidations: '[]'\n"));
/// let (before, after) = (kvrules::read_rules(&old), kvrules::read_rules(&new));
///
/// let mut baseline = Baseline::default();
/// baseline.add_findings("a.yaml", &before, &before.diagnostics);
/// let accepted = baseline.split_findings("a.yaml", &after, after.diagnostics.clone());
/// assert!(accepted.new.is_empty() && accepted.known.len() == 1 && accepted.outdated == 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// Number of accepted findings per entry.
    entries: BTreeMap<Entry, u32>,
}

/// Identity of a finding. The order of the members is that of the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
struct Entry {
    /// The file, relative to the directory of the baseline; parts of the path are separated by `/`.
    file: String,
    /// The stable code, such as `KV102`.
    code: String,
    /// The name of the rule set; absent if the finding is not about a rule that can be parsed.
    rule_set: Option<String>,
    /// The name of the rule.
    rule: Option<String>,
    /// The message.
    message: String,
}

/// Accepted findings, as `kvrules check --write-baseline` writes them.
#[derive(JsonSchema, Serialize)]
#[schemars(title = "Baseline of kvrules", deny_unknown_fields)]
pub struct BaselineFile {
    /// The version of the format.
    #[schemars(range(min = 1, max = 1))]
    version: u32,
    /// The findings, sorted.
    findings: Vec<Counted>,
}

/// An accepted finding, and how often it occurs.
#[derive(JsonSchema, Serialize)]
struct Counted {
    #[serde(flatten)]
    entry: Entry,
    /// Number of equal findings in the file.
    #[schemars(range(min = 1))]
    count: u32,
}

/// Findings of a file, split by a baseline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BaselineSplit {
    /// Those that it does not have.
    pub new: Vec<Diagnostic>,
    /// Those that it has.
    pub known: Vec<Diagnostic>,
    /// Number of its entries that are no longer found.
    pub outdated: u32,
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    ///
    /// Every error in the file: invalid JSON, an unknown version, entries of the wrong shape.
    ///
    /// ```
    /// use kvrules::select::Baseline;
    /// use kvrules::{FileId, SourceFile};
    ///
    /// let parse = |text: &str| Baseline::parse(&SourceFile::new(FileId(0), "baseline.json", text));
    /// let entry = r#"{"file": "a.yaml", "code": "KV111", "rule_set": null, "rule": null, "message": "m", "count": 2}"#;
    /// let baseline = parse(&format!(r#"{{"version": 1, "findings": [{entry}]}}"#)).unwrap();
    /// assert_eq!(baseline.len(), 2);
    /// assert!(parse(r#"{"version": 99, "findings": []}"#).is_err());
    /// ```
    pub fn parse(file: &SourceFile) -> Result<Self, Vec<Diagnostic>> {
        read::read_baseline(file)
    }

    /// Accepts findings of a file, which the baseline is to call `path`. `reading` is the reading of the same text.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, select::Baseline};
    ///
    /// let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "a.yaml", "validations: '[]'\n"));
    /// let mut baseline = Baseline::default();
    /// baseline.add_findings("templates/a.yaml", &reading, &reading.diagnostics);
    /// assert_eq!(baseline.files().collect::<Vec<_>>(), ["templates/a.yaml"]);
    /// ```
    pub fn add_findings(&mut self, path: &str, reading: &FileReading, findings: &[Diagnostic]) {
        let rules = RuleSpans::from_reading(reading);
        for found in findings {
            *self.entries.entry(rules.entry_of_finding(path, found)).or_default() += 1;
        }
    }

    /// Copies the entries of another baseline about the files that are wanted.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, select::Baseline};
    ///
    /// let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "a.yaml", "validations: '[]'\n"));
    /// let mut old = Baseline::default();
    /// for path in ["legacy/a.yaml", "removed.yaml"] {
    ///     old.add_findings(path, &reading, &reading.diagnostics);
    /// }
    /// let mut new = Baseline::default();
    /// new.copy_files_from(&old, |path| path.starts_with("legacy/"));
    /// assert_eq!(new.files().collect::<Vec<_>>(), ["legacy/a.yaml"]);
    /// ```
    pub fn copy_files_from(&mut self, other: &Self, wanted: impl Fn(&str) -> bool) {
        let kept = other.entries.iter().filter(|(entry, _)| wanted(&entry.file));
        self.entries.extend(kept.map(|(entry, count)| (entry.clone(), *count)));
    }

    /// Splits the findings of a file into those that the baseline has and those that are new.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, select::Baseline};
    ///
    /// let rules = |keys: &str| {
    ///     let rule = format!(r#"{{"name": "a", "rule": "enum", "message": "m", "path": "jsonpath::.spec.hostname"{keys}}}"#);
    ///     SourceFile::new(FileId(0), "a.yaml", format!("vm.kubevirt.io/validations: '[{rule}]'\n"))
    /// };
    /// let (old, new) = (kvrules::read_rules(&rules("")), kvrules::read_rules(&rules(r#", "colour": "red""#)));
    /// let mut baseline = Baseline::default();
    /// baseline.add_findings("a.yaml", &old, &old.diagnostics);
    /// let split = baseline.split_findings("a.yaml", &new, new.diagnostics.clone());
    /// assert_eq!(split.new.iter().map(|found| found.name).collect::<Vec<_>>(), ["unknown_key"]);
    /// assert_eq!((split.known.len(), split.outdated), (old.diagnostics.len(), 0));
    /// ```
    pub fn split_findings(
        &self,
        path: &str,
        reading: &FileReading,
        findings: Vec<Diagnostic>,
    ) -> BaselineSplit {
        let mut left = self.of_file(path);
        if left.is_empty() {
            return BaselineSplit { new: findings, ..BaselineSplit::default() };
        }
        let rules = RuleSpans::from_reading(reading);
        let mut accepted = BaselineSplit::default();
        for found in findings {
            match left.get_mut(&rules.entry_of_finding(path, &found)) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    accepted.known.push(found);
                }
                _ => accepted.new.push(found),
            }
        }
        accepted.outdated = left.values().sum();
        accepted
    }

    fn of_file(&self, path: &str) -> BTreeMap<Entry, u32> {
        let of_file = self.entries.range(Entry::first_of(path)..).take_while(|(entry, _)| entry.file == path);
        of_file.map(|(entry, count)| (entry.clone(), *count)).collect()
    }

    /// Returns the files that it has findings of, sorted and each once.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, select::Baseline};
    ///
    /// let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "a.yaml", "vm.kubevirt.io/validations: '[{}]'\n"));
    /// assert!(reading.diagnostics.len() > 1, "several keys are missing");
    /// let mut baseline = Baseline::default();
    /// baseline.add_findings("b.yaml", &reading, &reading.diagnostics);
    /// baseline.add_findings("a.yaml", &reading, &reading.diagnostics);
    /// assert_eq!(baseline.files().collect::<Vec<_>>(), ["a.yaml", "b.yaml"]);
    /// assert_eq!(baseline.len(), 2 * reading.diagnostics.len());
    /// ```
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let mut last = None;
        self.entries
            .keys()
            .map(|entry| entry.file.as_str())
            .filter(move |file| last.replace(*file) != Some(*file))
    }

    /// Returns the number of findings, of which several may be equal.
    pub fn len(&self) -> usize {
        self.entries.values().map(|count| *count as usize).sum()
    }

    /// True if it has no entries.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, select::Baseline};
    ///
    /// let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "a.yaml", "validations: '[]'\n"));
    /// let mut baseline = Baseline::default();
    /// assert!(baseline.is_empty());
    /// baseline.add_findings("a.yaml", &reading, &reading.diagnostics);
    /// assert!(!baseline.is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the text to write: JSON, sorted, so that equal baselines are equal files.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, select::Baseline};
    ///
    /// let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "a.yaml", "validations: '[]'\n"));
    /// let mut baseline = Baseline::default();
    /// baseline.add_findings("a.yaml", &reading, &reading.diagnostics);
    /// let file = SourceFile::new(FileId(1), "baseline.json", baseline.to_text());
    /// assert_eq!(Baseline::parse(&file), Ok(baseline));
    /// ```
    pub fn to_text(&self) -> String {
        let counted = |(entry, count): (&Entry, &u32)| Counted { entry: entry.clone(), count: *count };
        let file = BaselineFile { version: VERSION, findings: self.entries.iter().map(counted).collect() };
        // The keys are strings and all types are ours, so serializing cannot fail.
        json_text(&serde_json::to_string_pretty(&file).unwrap_or_default()).into_owned() + "\n"
    }
}

impl Entry {
    /// Returns the key that sorts before every entry of a file.
    fn first_of(path: &str) -> Self {
        let empty = String::new;
        Self { file: path.to_owned(), code: empty(), rule_set: None, rule: None, message: empty() }
    }
}

/// Spans of the rules of a file, with their names and those of their sets; in the order of the text.
struct RuleSpans<'r>(Vec<(Span, &'r str, &'r str)>);

impl<'r> RuleSpans<'r> {
    fn from_reading(reading: &'r FileReading) -> Self {
        let of_set = |set: &'r ElaboratedSet| {
            let wording = set.rules.iter().map(|rule| (rule.origin, rule.name.as_str()));
            let all = wording.chain(set.left_out.iter().map(|rule| (rule.origin, rule.name.as_str())));
            all.filter_map(|(origin, rule)| Some((origin.span()?, set.name.as_str(), rule)))
        };
        let mut rules: Vec<_> = reading.sets.iter().flat_map(of_set).collect();
        rules.sort_by_key(|(span, ..)| span.start);
        Self(rules)
    }

    /// The rule that a place is in; rules do not overlap.
    fn find_rule(&self, offset: u32) -> Option<(&'r str, &'r str)> {
        let past = self.0.partition_point(|(span, ..)| span.start <= offset);
        let (span, set, rule) = self.0.get(past.checked_sub(1)?)?;
        (offset < span.end).then_some((*set, *rule))
    }

    /// Returns the entry that identifies a finding.
    fn entry_of_finding(&self, path: &str, found: &Diagnostic) -> Entry {
        let (rule_set, rule) = self.find_rule(found.primary.span.start).unzip();
        Entry {
            file: path.to_owned(),
            code: found.code.to_owned(),
            rule_set: rule_set.map(str::to_owned),
            rule: rule.map(str::to_owned),
            message: found.message.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
