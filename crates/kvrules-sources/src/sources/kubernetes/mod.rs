//! Objects for a Kubernetes API server: CustomResourceDefinitions, admission policies and bindings.

mod notations;

use kvrules_crd::{LocatedResource, ResourceKind, locate_resources};

use crate::crd;
use crate::input::ParsedFile;
use crate::reading::FileReading;
use crate::source::{ReadContext, Source};
use crate::units::{FileContents, Operation, Unit, UnitCount, UnitEngine, UnitKind};

pub(crate) static SOURCE: Source = Source {
    name: "kubernetes",
    kinds: &[&DEFINITION, &POLICY, &MUTATING_POLICY, &WEBHOOK, &SUPPLEMENT],
    find,
    check,
};

static DEFINITION: UnitKind = UnitKind {
    singular: "definition",
    plural: "definitions",
    count: UnitCount::UnitsWithParts("rule"),
    subject: "CustomResourceDefinitions",
    engine: Some(UnitEngine::Server),
    operations: &[
        Operation::Check,
        Operation::CheckUpdate,
        Operation::Compile,
        Operation::Verify,
        Operation::Document,
        Operation::Evaluate,
        Operation::Compare,
        Operation::EstimateCost,
        Operation::Restate,
        Operation::Explain,
        Operation::Import,
    ],
};

static POLICY: UnitKind = UnitKind {
    singular: "policy or binding",
    plural: "policies and bindings",
    count: UnitCount::Units,
    subject: "admission policies",
    engine: Some(UnitEngine::Admission),
    operations: &[
        Operation::Check,
        Operation::CheckUpdate,
        Operation::Compile,
        Operation::Verify,
        Operation::Document,
        Operation::Evaluate,
        Operation::Compare,
        Operation::Restate,
        Operation::Explain,
    ],
};

/// An admission policy that changes objects, or its binding.
static MUTATING_POLICY: UnitKind = UnitKind {
    singular: "mutating admission policy",
    plural: "mutating admission policies",
    count: UnitCount::Units,
    subject: "mutating admission policies",
    engine: None,
    operations: &[Operation::Compare],
};

static WEBHOOK: UnitKind = UnitKind {
    singular: "webhook configuration",
    plural: "webhook configurations",
    count: UnitCount::Units,
    subject: "webhook configurations",
    engine: None,
    operations: &[Operation::Compare],
};

/// An object of another policy engine without expressions of its own: an exception, a constraint, a template in another language.
static SUPPLEMENT: UnitKind = UnitKind {
    singular: "object of another policy engine",
    plural: "objects of other policy engines",
    count: UnitCount::Units,
    subject: "objects of other policy engines",
    engine: None,
    operations: &[Operation::Check],
};

fn find(file: &ParsedFile<'_>, _: &[bool]) -> Vec<Unit> {
    let mut units = Vec::new();
    for (document, found) in file.documents.iter().enumerate() {
        let located = locate_resources(found).into_iter();
        units.extend(located.filter_map(|resource| {
            let kind = unit_kind(&resource);
            // Examples in text are often of objects that nobody applies.
            let is_unit = !file.input.is_text() || kind.operations.contains(&Operation::Check);
            is_unit.then(|| Unit { kind, span: resource.span().first_byte(), parts: 0, document })
        }));
        let supplements = notations::find_supplements(found).into_iter();
        let supplements = supplements.map(|object| object.span().first_byte());
        // A restated constraint is a binding and the constraint itself.
        let supplements: Vec<_> =
            supplements.filter(|span| !units.iter().any(|unit: &Unit| unit.span == *span)).collect();
        units.extend(supplements.into_iter().map(|span| Unit {
            kind: &SUPPLEMENT,
            span,
            parts: 0,
            document,
        }));
    }
    // A policy that is restated as several resources is one for its author.
    units.dedup_by(|one, other| one.kind == other.kind && one.span == other.span);
    units
}

impl Unit {
    /// True for a definition, a policy, a binding or a configuration of webhooks.
    pub fn is_resource(&self) -> bool {
        SOURCE.kinds.contains(&self.kind)
    }
}

impl FileContents {
    /// True if there are CustomResourceDefinitions in the file.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile};
    ///
    /// let text = "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\n";
    /// assert!(kvrules::read_rules(&SourceFile::new(FileId(0), "crd.yaml", text)).contents.has_definitions());
    /// ```
    pub fn has_definitions(&self) -> bool {
        self.units.iter().any(|unit| *unit.kind == DEFINITION)
    }

    /// True if there are admission policies or bindings in the file, whose findings depend on the definitions and policies of the run.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile};
    ///
    /// let text = "kind: ValidatingAdmissionPolicy\napiVersion: admissionregistration.k8s.io/v1\n";
    /// assert!(kvrules::read_rules(&SourceFile::new(FileId(0), "policy.yaml", text)).contents.has_policies());
    /// ```
    pub fn has_policies(&self) -> bool {
        self.units.iter().any(|unit| *unit.kind == POLICY)
    }
}

fn unit_kind(resource: &LocatedResource<'_>) -> &'static UnitKind {
    match resource.kind {
        Some(ResourceKind::Definition) => &DEFINITION,
        Some(ResourceKind::Policy | ResourceKind::Binding) => &POLICY,
        None if resource.name.ends_with("WebhookConfiguration") => &WEBHOOK,
        None => &MUTATING_POLICY,
    }
}

fn check(file: &ParsedFile<'_>, context: &ReadContext<'_>, reading: &mut FileReading) {
    let is_ours = |unit: &Unit| [&DEFINITION, &POLICY, &SUPPLEMENT].contains(&unit.kind);
    if !reading.contents.units.iter().any(is_ours) {
        return;
    }
    let written = notations::find_written(file);
    reading.diagnostics.extend(written);
    let rules = crd::check_documents(file, &context.resources, &mut reading.diagnostics);
    let definitions = reading.contents.units.iter_mut().filter(|unit| *unit.kind == DEFINITION);
    definitions.zip(rules).for_each(|(unit, rules)| unit.parts = rules);
}
