//! The form of a source, and the context of its reading.

use std::borrow::Cow;
use std::sync::OnceLock;

use kvrules_diagnostics::Diagnostic;
use kvrules_elaborate::catalog::Catalog;
use kvrules_extra_specs::Definition;
use kvrules_lint::lints::TEMPLATED_TEXT;
use kvrules_syntax::Document;

use crate::crd::RunResources;
use crate::extra_specs::{CheckMode, FlavorChecker};
use crate::input::{ParsedFile, TemplateReadability};
use crate::reading::FileReading;
use crate::subjects::SubjectFiles;
use crate::units::{Unit, UnitKind};

/// A notation that files are read from.
pub struct Source {
    /// Its name.
    pub name: &'static str,
    /// The kinds of its units.
    pub kinds: &'static [&'static UnitKind],
    /// Finds its units in a file. Documents that other sources recognise first are `claimed`.
    pub(crate) find: fn(&ParsedFile<'_>, claimed: &[bool]) -> Vec<Unit>,
    /// Checks its units in a file: adds what it reads and finds.
    pub(crate) check: fn(&ParsedFile<'_>, &ReadContext<'_>, &mut FileReading),
}

/// Facts that the meaning of a file depends on and that are outside of it.
#[derive(Debug)]
pub struct ReadContext<'a> {
    /// The fields of the objects that rules are about.
    pub(crate) catalog: &'a Catalog,
    /// An operator's definitions of extra specs, in the order of precedence.
    definitions: Vec<Vec<Definition>>,
    flavors: OnceLock<FlavorChecker>,
    /// The definitions and policies of the run.
    pub(crate) resources: Cow<'a, RunResources>,
    /// The definitions that RuleSets name.
    pub(crate) subjects: Option<&'a SubjectFiles>,
}

impl<'a> ReadContext<'a> {
    /// Creates a context of objects that have the catalog's fields, and of Nova's definitions of extra specs.
    pub fn new(catalog: &'a Catalog) -> Self {
        Self {
            catalog,
            definitions: Vec::new(),
            flavors: OnceLock::new(),
            resources: Cow::default(),
            subjects: None,
        }
    }

    /// Adds an operator's definitions of extra specs.
    ///
    /// ```
    /// use kvrules::extra_specs::parse_definitions;
    /// use kvrules::{Catalog, FileId, ReadContext, SourceFile, read_file};
    ///
    /// let own = "kind: ExtraSpecDefinitions\nversion: 1\ndefinitions:\n\
    ///            - {name: 'acme:tier', description: The service level., value: {type: string, enum: [gold, silver]}}\n";
    /// let own = parse_definitions(FileId(0), own).0.expand_definitions();
    /// let context = ReadContext::new(Catalog::kubevirt_vm()).with_definitions(vec![own]);
    /// let flavor = SourceFile::new(FileId(1), "flavor.yaml", "extra_specs: {'acme:tier': bronze}\n");
    /// assert_eq!(read_file(&flavor, &context).diagnostics[0].code, "KX201");
    /// ```
    #[must_use]
    pub fn with_definitions(self, definitions: Vec<Vec<Definition>>) -> Self {
        Self { definitions, flavors: OnceLock::new(), ..self }
    }

    /// Adds the definitions and policies of a run. Without them, policies and bindings may refer to those of their own file.
    #[must_use]
    pub fn with_resources(self, resources: &'a RunResources) -> Self {
        Self { resources: Cow::Borrowed(resources), ..self }
    }

    /// Adds the definitions that the RuleSets of a run name.
    #[must_use]
    pub fn with_subjects(self, subjects: &'a SubjectFiles) -> Self {
        Self { subjects: Some(subjects), ..self }
    }

    pub(crate) fn flavor_checker(&self) -> &FlavorChecker {
        self.flavors.get_or_init(|| FlavorChecker::new(self.definitions.clone(), CheckMode::default()))
    }
}

/// Finds the units of a source that takes whole documents which no other source recognises. Examples in text are none: they
/// may be of anything.
pub(crate) fn find_whole_documents(
    file: &ParsedFile<'_>,
    claimed: &[bool],
    find: impl Fn(usize, &Document<'_>) -> Vec<Unit>,
) -> Vec<Unit> {
    let documents = file.documents.iter().enumerate().filter(|_| !file.input.is_text());
    let free = documents.filter(|(index, _)| claimed.get(*index) == Some(&false));
    free.flat_map(|(index, document)| find(index, document)).collect()
}

/// Returns the documents of units of some kinds that can be checked, each with the index of its first unit. Of a document with a
/// syntax error that error is reported; one that template tags break off makes the file unread.
pub(crate) fn checkable_documents<'a>(
    file: &ParsedFile<'a>,
    kinds: &[&'static UnitKind],
    reading: &mut FileReading,
) -> Vec<(usize, &'a Document<'a>)> {
    let units = reading.contents.units.iter().enumerate().filter(|(_, unit)| kinds.contains(&unit.kind));
    let mut found: Vec<_> =
        units.filter_map(|(index, unit)| Some((index, *file.documents.get(unit.document)?))).collect();
    found.dedup_by(|one, other| std::ptr::eq(one.1, other.1));
    found.retain(|(_, document)| {
        note_unread(document, reading);
        document.template_problem().is_none() && !document.has_unread_parts()
    });
    found
}

/// Notes that a file is unread if template tags break off one of its documents.
pub(crate) fn note_unread(document: &Document<'_>, reading: &mut FileReading) {
    if let Some(problem) = document.template_problem() {
        reading.templated = Some(TemplateReadability::Unread(problem.span));
    }
}

/// Adds the findings about a document. Those about text that template tags insert are replaced by one note.
pub(crate) fn add_findings(document: &Document<'_>, findings: Vec<Diagnostic>, reading: &mut FileReading) {
    let is_inserted =
        |found: &Diagnostic| document.template().is_some_and(|tags| tags.touches_span(found.primary.span));
    let (withheld, kept): (Vec<_>, Vec<_>) = findings.into_iter().partition(is_inserted);
    reading.diagnostics.extend(kept);
    let note = |first: &Diagnostic| {
        let message = "template tags insert values here, which cannot be checked";
        TEMPLATED_TEXT
            .diagnostic_at(first.primary.span, message)
            .with_help("render the template and check the result")
    };
    reading.diagnostics.extend(withheld.first().map(note));
}

impl std::fmt::Debug for Source {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Source").field(&self.name).finish()
    }
}
