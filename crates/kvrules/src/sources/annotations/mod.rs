//! Rules in annotations of templates and VirtualMachines, and the templates themselves.

use kvrules_elaborate::annotation::{find_annotations, find_misspelt_keys, has_holder};
use kvrules_elaborate::template::find_templates;
use kvrules_lint::{ElaboratedAnnotation, LintedFile};
use kvrules_syntax::Document;

use crate::input::ParsedFile;
use crate::reading::FileReading;
use crate::source::{ReadContext, Source};
use crate::units::{Operation, Unit, UnitCount, UnitKind, start_span};
use crate::{ignores, sets};

pub(crate) static SOURCE: Source =
    Source { name: "annotations", kinds: &[&RULE_SET, &TEMPLATE, &OBJECT], find, check };

static RULE_SET: UnitKind = UnitKind {
    singular: "rule set",
    plural: "rule sets",
    count: UnitCount::PartsInUnits("rule"),
    subject: "rules of templates and VirtualMachines",
    operations: OPERATIONS,
};

/// A template without rules; its parameters are checked.
static TEMPLATE: UnitKind = UnitKind {
    singular: "template without rules",
    plural: "templates without rules",
    count: UnitCount::Units,
    subject: "rules of templates and VirtualMachines",
    operations: OPERATIONS,
};

/// Another object that can carry rules and has none.
static OBJECT: UnitKind = UnitKind {
    singular: "object without rules",
    plural: "objects without rules",
    count: UnitCount::Units,
    subject: "rules of templates and VirtualMachines",
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
];

fn find(file: &ParsedFile<'_>, _: &[bool]) -> Vec<Unit> {
    let mut units = Vec::new();
    for (index, document) in file.documents.iter().enumerate() {
        let unit = |kind, span, parts| Unit { kind, span: start_span(span), parts, document: index };
        let annotations = find_annotations(document);
        units.extend(
            annotations.iter().map(|found| unit(&RULE_SET, found.value.span(), found.rules().count())),
        );
        if let Some(root) = document.root().filter(|_| annotations.is_empty() && may_carry_rules(document)) {
            let templates = find_templates(document).len();
            let kind = if templates > 0 { &TEMPLATE } else { &OBJECT };
            units.extend((0..templates.max(1)).map(|_| unit(kind, root.span(), 0)));
        }
    }
    units
}

fn may_carry_rules(document: &Document<'_>) -> bool {
    has_holder(document) || !find_misspelt_keys(&[document]).is_empty()
}

/// Elaborates each annotation, and lints the file with all of them.
fn check(file: &ParsedFile<'_>, context: &ReadContext<'_>, reading: &mut FileReading) {
    let found = file.documents.iter().flat_map(|document| find_annotations(document));
    let annotations: Vec<_> =
        found.map(|found| ElaboratedAnnotation::new(found, file.input.name(), context.catalog)).collect();
    let relevant = file.input.relevant_documents(&file.documents);
    reading.diagnostics.extend(kvrules_lint::lint_file(&LintedFile::new(
        file.source,
        &relevant,
        &annotations,
    )));
    reading.ignores = ignores::find_ignores(file.source, || file.input.yaml_parts(), &relevant, &annotations);
    reading.sets.extend(annotations.into_iter().map(sets::to_elaborated_set));
}
