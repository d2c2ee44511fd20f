//! Objects for a Kubernetes API server: CustomResourceDefinitions, admission policies and bindings.

use kvrules_crd::{ResourceKind, checked_resources, unchecked_resources};

use crate::crd;
use crate::input::ParsedFile;
use crate::reading::FileReading;
use crate::source::{ReadContext, Source};
use crate::units::{Operation, Unit, UnitCount, UnitKind, start_span};

pub(crate) static SOURCE: Source =
    Source { name: "kubernetes", kinds: &[&DEFINITION, &POLICY, &MUTATING_POLICY, &WEBHOOK], find, check };

static DEFINITION: UnitKind = UnitKind {
    singular: "definition",
    plural: "definitions",
    count: UnitCount::UnitsWithParts("rule"),
    subject: "CustomResourceDefinitions",
    operations: &[
        Operation::Check,
        Operation::CheckUpdate,
        Operation::Evaluate,
        Operation::Compare,
        Operation::EstimateCost,
        Operation::Import,
    ],
};

static POLICY: UnitKind = UnitKind {
    singular: "policy or binding",
    plural: "policies and bindings",
    count: UnitCount::Units,
    subject: "admission policies",
    operations: &[Operation::Check, Operation::CheckUpdate, Operation::Evaluate, Operation::Compare],
};

/// An admission policy that changes objects, or its binding.
static MUTATING_POLICY: UnitKind = UnitKind {
    singular: "mutating admission policy",
    plural: "mutating admission policies",
    count: UnitCount::Units,
    subject: "mutating admission policies",
    operations: &[],
};

static WEBHOOK: UnitKind = UnitKind {
    singular: "webhook configuration",
    plural: "webhook configurations",
    count: UnitCount::Units,
    subject: "webhook configurations",
    operations: &[],
};

fn find(file: &ParsedFile<'_>, _: &[bool]) -> Vec<Unit> {
    let mut units = Vec::new();
    for (document, found) in file.documents.iter().enumerate() {
        let unit = |kind, span| Unit { kind, span: start_span(span), parts: 0, document };
        units.extend(checked_resources(found).into_iter().map(|(kind, span)| match kind {
            ResourceKind::Definition => unit(&DEFINITION, span),
            ResourceKind::Policy | ResourceKind::Binding => unit(&POLICY, span),
        }));
        if !file.input.is_text() {
            units.extend(unchecked_resources(found).into_iter().map(|(kind, span)| {
                let is_webhook = kind.ends_with("WebhookConfiguration");
                unit(if is_webhook { &WEBHOOK } else { &MUTATING_POLICY }, span)
            }));
        }
    }
    units
}

fn check(file: &ParsedFile<'_>, _: &ReadContext<'_>, reading: &mut FileReading) {
    let rules = crd::check_documents(file, &mut reading.diagnostics);
    let definitions = reading.contents.units.iter_mut().filter(|unit| *unit.kind == DEFINITION);
    definitions.zip(rules).for_each(|(unit, rules)| unit.parts = rules);
}
