//! Units: what users name in a file, and the operations that apply to each kind.

use kvrules_diagnostics::{Span, count_noun};

/// A kind of unit, in the words of users.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct UnitKind {
    /// Name of one.
    pub singular: &'static str,
    /// Name of several.
    pub plural: &'static str,
    /// The way in which units are counted.
    pub count: UnitCount,
    /// Name of all such units in a list of kinds of several sources.
    pub subject: &'static str,
    /// The way in which objects are evaluated against it unless users select another; `None` if they are not.
    pub engine: Option<UnitEngine>,
    /// The operations that apply to it.
    pub operations: &'static [Operation],
}

/// A way in which objects are evaluated against a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnitEngine {
    /// By the meaning of its rules.
    Meaning,
    /// As by an API server that has it as a definition.
    Server,
    /// As by the admission of an API server.
    Admission,
    /// As by the admission of an API server, with the policies that it compiles to.
    CompiledAdmission,
}

/// The way in which units are counted: with the name of one of their parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnitCount {
    /// `3 policies`.
    Units,
    /// `2 definitions with 7 rules`.
    UnitsWithParts(&'static str),
    /// `7 rules in 2 rule sets`.
    PartsInUnits(&'static str),
    /// `7 extra specs`.
    Parts(&'static str),
}

/// Something that a command does with units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Report problems.
    Check,
    /// Check as updates of stored objects.
    CheckUpdate,
    /// Lay out rules in one way.
    Format,
    /// Generate targets.
    Compile,
    /// Compare what targets claim with what they do.
    Verify,
    /// Generate pages.
    Document,
    /// Evaluate objects.
    Evaluate,
    /// Report the differences between two versions.
    Compare,
    /// Estimate costs.
    EstimateCost,
    /// Rewrite old notations.
    Migrate,
    /// Restate as a definition.
    Import,
    /// Restate rules as RuleSets.
    Restate,
    /// Show the meaning of rules as sentences.
    Explain,
    /// Run the cases of a suite.
    Test,
}

/// Something in a file that users name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its kind.
    pub kind: &'static UnitKind,
    /// Its start.
    pub span: Span,
    /// Number of its parts, well-formed or not; 0 until the file is read.
    pub parts: usize,
    /// Index of its document.
    pub(crate) document: usize,
}

/// Contents of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileContents {
    /// The units, source by source.
    pub units: Vec<Unit>,
    /// True if something could not be read to its end, so that its kind is unknown.
    pub is_broken: bool,
}

impl Operation {
    /// Every operation, in the order in which messages list them.
    pub const ALL: [Self; 14] = [
        Self::Check,
        Self::CheckUpdate,
        Self::Format,
        Self::Compile,
        Self::Verify,
        Self::Document,
        Self::Evaluate,
        Self::Compare,
        Self::EstimateCost,
        Self::Migrate,
        Self::Import,
        Self::Restate,
        Self::Explain,
        Self::Test,
    ];

    /// Returns the command that does it.
    ///
    /// ```
    /// assert_eq!(kvrules::Operation::EstimateCost.command(), "kvrules cost");
    /// ```
    pub fn command(self) -> &'static str {
        match self {
            Self::Check => "kvrules check",
            Self::CheckUpdate => "kvrules check --old",
            Self::Format => "kvrules fmt",
            Self::Compile => "kvrules compile",
            Self::Verify => "kvrules verify",
            Self::Document => "kvrules docs",
            Self::Evaluate => "kvrules eval",
            Self::Compare => "kvrules diff",
            Self::EstimateCost => "kvrules cost",
            Self::Migrate => "kvrules migrate",
            Self::Import => "kvrules import schema",
            Self::Restate => "kvrules import ruleset",
            Self::Explain => "kvrules explain --lift",
            Self::Test => "kvrules test",
        }
    }
}

impl UnitKind {
    /// True if its units are counted with their parts, such as rules.
    ///
    /// ```
    /// let kind = kvrules::unit_kinds_of(kvrules::Operation::EstimateCost).next().unwrap();
    /// assert!(kind.has_parts());
    /// ```
    pub fn has_parts(&self) -> bool {
        self.count != UnitCount::Units
    }

    /// True if no command but a comparison applies to its units, so that only an API server checks them.
    ///
    /// ```
    /// let unchecked: Vec<_> = kvrules::all_unit_kinds().filter(|kind| kind.is_unchecked()).map(|kind| kind.singular).collect();
    /// assert_eq!(unchecked, ["mutating admission policy", "webhook configuration"]);
    /// ```
    pub fn is_unchecked(&self) -> bool {
        self.operations.iter().all(|operation| *operation == Operation::Compare)
    }

    /// Returns the number of units and of their parts in words.
    ///
    /// ```
    /// let kind = kvrules::unit_kinds_of(kvrules::Operation::EstimateCost).next().unwrap();
    /// assert_eq!(kind.describe_amount(1, 3), "1 definition with 3 rules");
    /// ```
    pub fn describe_amount(&self, units: usize, parts: usize) -> String {
        let of_units = format!("{units} {}", if units == 1 { self.singular } else { self.plural });
        let of_parts = |part: &str| count_noun(parts, part);
        match self.count {
            UnitCount::Units => of_units,
            UnitCount::UnitsWithParts(part) => format!("{of_units} with {}", of_parts(part)),
            UnitCount::PartsInUnits(part) => format!("{} in {of_units}", of_parts(part)),
            UnitCount::Parts(part) => of_parts(part),
        }
    }
}

impl FileContents {
    /// True if anything was recognized, or something could not be read.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, detect_contents};
    ///
    /// let is_known = |text: &str| detect_contents(&SourceFile::new(FileId(0), "a.yaml", text)).is_known();
    /// assert!(is_known("kind: ValidatingAdmissionPolicy\napiVersion: admissionregistration.k8s.io/v1\n"));
    /// assert!(is_known("kind: \"Deployment\n"), "the quotation mark is not closed");
    /// assert!(!is_known("kind: Deployment\napiVersion: apps/v1\n"));
    /// ```
    pub fn is_known(&self) -> bool {
        !self.units.is_empty() || self.is_broken
    }

    /// True if an operation applies to something in the file, or may apply to what could not be read.
    ///
    /// ```
    /// use kvrules::{FileId, Operation, SourceFile, detect_contents};
    ///
    /// let contents = |text: &str| detect_contents(&SourceFile::new(FileId(0), "a.yaml", text));
    /// let template = contents("kind: Template\napiVersion: template.openshift.io/v1\nmetadata: {name: fedora}\n");
    /// assert!(template.has_input_of(Operation::Format) && !template.units[0].kind.has_parts());
    /// assert!(!contents("kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\n").has_input_of(Operation::Format));
    /// ```
    pub fn has_input_of(&self, operation: Operation) -> bool {
        self.is_broken || self.units.iter().any(|unit| unit.kind.operations.contains(&operation))
    }

    /// True if objects are evaluated in one of these ways against a unit of the file.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, UnitEngine, detect_contents};
    ///
    /// let text = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\n";
    /// let contents = detect_contents(&SourceFile::new(FileId(0), "policy.yaml", text));
    /// assert!(contents.is_evaluated_by(&[UnitEngine::Admission, UnitEngine::CompiledAdmission]));
    /// assert!(!contents.is_evaluated_by(&[UnitEngine::Server]));
    /// ```
    pub fn is_evaluated_by(&self, engines: &[UnitEngine]) -> bool {
        self.units.iter().filter_map(|unit| unit.kind.engine).any(|engine| engines.contains(&engine))
    }

    /// True if something in the file is recognised although only an API server checks it.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, detect_contents};
    ///
    /// let text = "kind: ValidatingWebhookConfiguration\napiVersion: admissionregistration.k8s.io/v1\n";
    /// assert!(detect_contents(&SourceFile::new(FileId(0), "a.yaml", text)).has_unchecked_units());
    /// ```
    pub fn has_unchecked_units(&self) -> bool {
        self.units.iter().any(|unit| unit.kind.is_unchecked())
    }

    /// Returns the number of parts, such as rules, of the units that an operation applies to.
    ///
    /// ```
    /// use kvrules::{FileId, Operation, SourceFile};
    ///
    /// let text = "vm.kubevirt.io/validations: '[{\"name\": \"a\"}, {\"name\": \"b\"}]'\n";
    /// let contents = kvrules::read_rules(&SourceFile::new(FileId(0), "a.yaml", text)).contents;
    /// assert_eq!(contents.count_parts(Operation::Compile), 2);
    /// assert_eq!(contents.count_parts(Operation::EstimateCost), 0);
    /// ```
    pub fn count_parts(&self, operation: Operation) -> usize {
        let of_operation = |unit: &&Unit| unit.kind.operations.contains(&operation);
        self.units.iter().filter(of_operation).map(|unit| unit.parts).sum()
    }
}

/// The kind of documents with cases about rules.
pub const RULE_TESTS_KIND: &str = "RuleTests";
