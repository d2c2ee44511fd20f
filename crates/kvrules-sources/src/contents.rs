//! Sources: the notations that rules are written in, recognised by the content of files and not by their names.
//!
//! Each source is a folder below `sources` and one entry of its registry. It finds the units in a file, which are what users
//! name (rule sets, definitions, policies, flavors), and checks them. A unit's kind lists the commands that apply to it; no
//! command names a source.
//!
//! ```
//! use kvrules::{FileId, Operation, SourceFile, detect_contents};
//!
//! let contents = |text: &str| detect_contents(&SourceFile::new(FileId(0), "a.yaml", text));
//! let definition = contents("kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\n");
//! assert_eq!(definition.units[0].kind.singular, "definition");
//! assert!(definition.has_input_of(Operation::EstimateCost) && !definition.has_input_of(Operation::Migrate));
//! assert!(!contents("kind: Service\n").is_known());
//! ```

use kvrules_diagnostics::SourceFile;

use crate::input::{ParsedFile, with_documents};
use crate::sources::SOURCES;
use crate::units::{FileContents, Operation, Unit, UnitEngine, UnitKind};

/// Returns the kinds of units of all sources.
///
/// ```
/// assert!(kvrules::all_unit_kinds().any(|kind| kind.subject == "CustomResourceDefinitions"));
/// ```
pub fn all_unit_kinds() -> impl Iterator<Item = &'static UnitKind> {
    SOURCES.iter().flat_map(|source| source.kinds.iter().copied())
}

/// Returns the kinds of units that an operation applies to.
///
/// ```
/// let priced: Vec<_> = kvrules::unit_kinds_of(kvrules::Operation::EstimateCost).map(|kind| kind.plural).collect();
/// assert_eq!(priced, ["definitions", "RuleSets"]);
/// ```
pub fn unit_kinds_of(operation: Operation) -> impl Iterator<Item = &'static UnitKind> {
    all_unit_kinds().filter(move |kind| kind.operations.contains(&operation))
}

/// Returns the kinds of units that are recognised although only an API server checks them.
///
/// ```
/// assert!(kvrules::unchecked_unit_kinds().any(|kind| kind.plural == "webhook configurations"));
/// ```
pub fn unchecked_unit_kinds() -> impl Iterator<Item = &'static UnitKind> {
    all_unit_kinds().filter(|kind| kind.is_unchecked())
}

/// Returns the contents of a file.
///
/// ```
/// use kvrules::{FileId, SourceFile, detect_contents};
///
/// let text = "extra_specs:\n  hw:cpu_policy: dedicated\n";
/// let contents = detect_contents(&SourceFile::new(FileId(0), "gold.yaml", text));
/// assert_eq!(contents.units[0].kind.singular, "flavor");
/// ```
pub fn detect_contents(source: &SourceFile) -> FileContents {
    with_documents(source, find_units)
}

/// True if a file has units that a server gets in a compiled form. A file whose text names no such kind is not parsed.
///
/// ```
/// use kvrules::{FileId, SourceFile, has_compiled_units};
///
/// let is_compiled = |text: &str| has_compiled_units(&SourceFile::new(FileId(0), "a.yaml", text));
/// assert!(is_compiled("apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\n"));
/// assert!(!is_compiled("apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\n"));
/// ```
pub fn has_compiled_units(source: &SourceFile) -> bool {
    let engines = [UnitEngine::CompiledAdmission];
    let named =
        || all_unit_kinds().filter(|kind| kind.engine.is_some_and(|engine| engines.contains(&engine)));
    named().any(|kind| source.mentions_word(kind.singular))
        && detect_contents(source).is_evaluated_by(&engines)
}

/// Finds the units of every source in a file.
pub(crate) fn find_units(file: &ParsedFile<'_>) -> FileContents {
    let mut units = Vec::new();
    let mut claimed = vec![false; file.documents.len()];
    for source in SOURCES {
        let found = (source.find)(file, &claimed);
        for unit in &found {
            if let Some(claimed) = claimed.get_mut(unit.document) {
                *claimed = true;
            }
        }
        units.extend(found);
    }
    let is_broken =
        !file.input.is_text() && file.documents.iter().any(|document| document.has_unread_parts());
    FileContents { units, is_broken }
}

impl ParsedFile<'_> {
    /// Returns the units that an operation applies to, in a list for each document.
    pub fn units_of(&self, operation: Operation) -> Vec<Vec<Unit>> {
        let mut units = vec![Vec::new(); self.documents.len()];
        for unit in find_units(self).units {
            if unit.kind.operations.contains(&operation)
                && let Some(of_document) = units.get_mut(unit.document)
            {
                of_document.push(unit);
            }
        }
        units
    }
}
