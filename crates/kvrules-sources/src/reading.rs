//! Result of reading a file.

use kvrules_crd::lints;
use kvrules_diagnostics::{Diagnostic, Level};
use kvrules_extra_specs::Definition;
use kvrules_ir::ElaboratedSet;
use kvrules_rule_set::RuleSet;

use crate::ignores::IgnoreDirective;
use crate::input::TemplateReadability;
use crate::units::FileContents;

/// Result of reading one file.
#[derive(Clone, Debug, Default)]
pub struct FileReading {
    /// The findings in it, in the order of its text.
    pub diagnostics: Vec<Diagnostic>,
    /// Its rule sets with their meaning decided, one an annotation.
    pub sets: Vec<ElaboratedSet>,
    /// Its RuleSets that could be read.
    pub rule_sets: Vec<RuleSet>,
    /// The extra specs that it defines.
    pub definitions: Vec<Definition>,
    /// True if the findings depend on the definitions of extra specs in other files.
    pub uses_definitions: bool,
    /// The ignores that its author wrote; the selection of findings applies them.
    pub ignores: Vec<IgnoreDirective>,
    /// Readability of a template; `None` for a file without template tags.
    pub templated: Option<TemplateReadability>,
    /// The contents of the file.
    pub contents: FileContents,
}

impl FileReading {
    /// Returns the number of rules in all units, well-formed or not; of flavors and the like that of their extra specs.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile};
    ///
    /// let text = "vm.kubevirt.io/validations: '[{\"name\": \"a\"}, {\"name\": \"b\"}]'\n";
    /// assert_eq!(kvrules::read_rules(&SourceFile::new(FileId(0), "a.yaml", text)).count_rules(), 2);
    /// ```
    pub fn count_rules(&self) -> usize {
        self.contents.units.iter().map(|unit| unit.parts).sum()
    }

    /// True if a finding is an error: a rule does not do what its author thinks.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile};
    ///
    /// let has_errors = |path: &str| {
    ///     let rule = format!(r#"{{"name": "a", "rule": "regex", "message": "m", "path": "{path}", "regex": "^vm"}}"#);
    ///     let text = format!("vm.kubevirt.io/validations: '[{rule}]'\n");
    ///     kvrules::read_rules(&SourceFile::new(FileId(0), "a.yaml", text)).has_errors()
    /// };
    /// assert!(!has_errors("jsonpath::.spec.hostname"));
    /// assert!(has_errors("jsonpath::.spec.hostnam"), "an unknown field");
    /// ```
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.level == Level::Error)
    }

    /// True if the servers that the file was checked for accept the schemas of all definitions in it, which were examined as a whole.
    pub fn has_accepted_definitions(&self) -> bool {
        let is_patch = |found: &Diagnostic| found.is_of(&lints::DEFINITION_PATCH);
        self.templated.is_none() && !self.has_errors() && !self.diagnostics.iter().any(is_patch)
    }
}

/// True if a finding says that a text was not read to its end, so that others may be missing.
pub fn hides_others(found: &Diagnostic) -> bool {
    found.level == Level::Error && found.code.starts_with("KV0")
}
