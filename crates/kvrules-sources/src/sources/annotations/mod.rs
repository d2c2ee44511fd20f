//! Rules in annotations of templates and VirtualMachines, and the templates themselves.

use kvrules_elaborate::ElaboratedAnnotation;
use kvrules_elaborate::annotation::{
    count_annotations, find_all_annotations, find_misspelt_keys, has_holder,
};
use kvrules_elaborate::template::find_templates;
use kvrules_lint::{LintedAnnotation, LintedFile, has_known_fields};
use kvrules_syntax::kubernetes::{TypedObject, find_objects};
use kvrules_syntax::{Document, JsonDialect};

use crate::ignores;
use crate::input::ParsedFile;
use crate::reading::FileReading;
use crate::source::{ReadContext, Source};
use crate::units::{Operation, Unit, UnitCount, UnitEngine, UnitKind};

pub(crate) static SOURCE: Source = Source {
    name: "annotations",
    kinds: &[&RULE_SET, &TEMPLATE, &MACHINE, &INSTANCE, &REPLICATED, &OBJECT],
    find,
    check,
};

static RULE_SET: UnitKind = UnitKind {
    singular: "rule set",
    plural: "rule sets",
    count: UnitCount::PartsInUnits("rule"),
    subject: "rules of templates and VirtualMachines",
    engine: Some(UnitEngine::Meaning),
    operations: OPERATIONS,
};

/// A template without rules; its parameters are checked.
static TEMPLATE: UnitKind = UnitKind {
    singular: "template without rules",
    plural: "templates without rules",
    count: UnitCount::Units,
    subject: "rules of templates and VirtualMachines",
    engine: None,
    operations: OPERATIONS,
};

/// A VirtualMachine without rules. Its name says what `check` looks at.
static MACHINE: UnitKind = UnitKind {
    singular: "VirtualMachine without rules (field names and types)",
    plural: "VirtualMachines without rules (field names and types)",
    count: UnitCount::Units,
    subject: "rules of templates and VirtualMachines",
    engine: None,
    operations: OPERATIONS,
};

/// A VirtualMachineInstance, which can carry no rules.
static INSTANCE: UnitKind = UnitKind {
    singular: "VirtualMachineInstance (field names and types)",
    plural: "VirtualMachineInstances (field names and types)",
    count: UnitCount::Units,
    subject: "objects of KubeVirt",
    engine: None,
    operations: &[Operation::Check],
};

/// A VirtualMachinePool or VirtualMachineInstanceReplicaSet, of which only the machine in it is checked.
static REPLICATED: UnitKind = UnitKind {
    singular: "machine in a pool or replica set (field names and types)",
    plural: "machines in pools or replica sets (field names and types)",
    count: UnitCount::Units,
    subject: "objects of KubeVirt",
    engine: None,
    operations: &[Operation::Check],
};

/// Another object that can carry rules and has none.
static OBJECT: UnitKind = UnitKind {
    singular: "object without rules",
    plural: "objects without rules",
    count: UnitCount::Units,
    subject: "rules of templates and VirtualMachines",
    engine: None,
    operations: OPERATIONS,
};

// Objects that can carry rules are inputs too: having none is no mistake.
const OPERATIONS: &[Operation] = &[
    Operation::Check,
    Operation::Format,
    Operation::Compile,
    Operation::Verify,
    Operation::Document,
    Operation::Evaluate,
    Operation::Compare,
    Operation::Migrate,
    Operation::Restate,
];

fn find(file: &ParsedFile<'_>, _: &[bool]) -> Vec<Unit> {
    let mut units = Vec::new();
    for (index, document) in file.documents.iter().enumerate() {
        let Some(root) = document.root() else { continue };
        let unit = |kind| Unit { kind, span: root.span().first_byte(), parts: 0, document: index };
        let annotations = count_annotations(document);
        units.extend((0..annotations).map(|_| unit(&RULE_SET)));
        let objects = find_objects(root);
        let machines = objects.iter().filter(|object| has_known_fields(object));
        let (machines, others): (Vec<&TypedObject<'_>>, Vec<_>) =
            machines.partition(|object| object.kind == "VirtualMachine");
        let is_instance = |object: &TypedObject<'_>| object.kind == "VirtualMachineInstance";
        units.extend(others.iter().map(|it| unit(if is_instance(it) { &INSTANCE } else { &REPLICATED })));
        if annotations == 0 && may_carry_rules(document) {
            let templates = find_templates(document).len();
            let (kind, count) = match (templates, machines.len()) {
                (0, 0) => (&OBJECT, 1),
                (0, machines) => (&MACHINE, machines),
                (templates, _) => (&TEMPLATE, templates),
            };
            units.extend((0..count).map(|_| unit(kind)));
        }
    }
    units
}

fn may_carry_rules(document: &Document<'_>) -> bool {
    has_holder(document) || !find_misspelt_keys(&[document]).is_empty()
}

/// Elaborates each annotation, and lints the file with all of them.
fn check(file: &ParsedFile<'_>, context: &ReadContext<'_>, reading: &mut FileReading) {
    let found = find_all_annotations(&file.documents).into_iter();
    let elaborate = |found| ElaboratedAnnotation::new(found, file.input.name(), context.catalog);
    let annotations: Vec<LintedAnnotation<'_>> = found.map(|found| elaborate(found).into()).collect();
    let units = reading.contents.units.iter_mut().filter(|unit| *unit.kind == RULE_SET);
    for (unit, found) in units.zip(&annotations) {
        unit.parts = found.annotation.rules().count();
    }
    let mut relevant = file.input.relevant_documents(&file.documents);
    // JSON of any tool may have comments, which only the reader of that tool knows.
    let is_foreign =
        reading.contents.units.is_empty() && JsonDialect::from_file_name(file.source.name()).is_some();
    relevant.retain(|document| !is_foreign || document.has_unread_parts());
    reading.diagnostics.extend(kvrules_lint::lint_file(&LintedFile::new(
        file.source,
        &relevant,
        &annotations,
    )));
    reading.ignores = ignores::find_ignores(file.source, || file.input.yaml_parts(), &relevant, &annotations);
    reading.sets.extend(annotations.into_iter().map(|linted| linted.elaborated.into_set()));
}
