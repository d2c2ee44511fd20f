//! Flavors with extra specs and images with properties, checked against Nova's definitions and an operator's own.

use kvrules_extra_specs::{is_flavors, read_document_flavors};

use crate::input::ParsedFile;
use crate::reading::FileReading;
use crate::source::{ReadContext, Source, add_findings, checkable_documents, find_whole_documents};
use crate::units::{Operation, Unit, UnitCount, UnitKind};

pub(crate) static SOURCE: Source = Source { name: "flavors", kinds: &[&FLAVOR, &IMAGE], find, check };

static FLAVOR: UnitKind = UnitKind {
    singular: "flavor",
    plural: "flavors",
    count: UnitCount::UnitsWithParts("extra spec"),
    subject: "flavors",
    engine: None,
    operations: &[Operation::Check],
};

static IMAGE: UnitKind = UnitKind {
    singular: "image",
    plural: "images",
    count: UnitCount::Units,
    subject: "images of OpenStack",
    engine: None,
    operations: &[Operation::Check],
};

fn find(file: &ParsedFile<'_>, claimed: &[bool]) -> Vec<Unit> {
    find_whole_documents(file, claimed, |index, document| {
        let Some(root) = document.root().filter(|root| is_flavors(*root)) else { return Vec::new() };
        let unit = |kind, parts| Unit { kind, span: root.span().first_byte(), parts, document: index };
        let found = read_document_flavors(document);
        let flavors = found.flavors.iter().map(|flavor| unit(&FLAVOR, flavor.specs.len()));
        flavors.chain(found.images.iter().map(|_| unit(&IMAGE, 0))).collect()
    })
}

fn check(file: &ParsedFile<'_>, context: &ReadContext<'_>, reading: &mut FileReading) {
    for (_, document) in checkable_documents(file, SOURCE.kinds, reading) {
        let flavors = read_document_flavors(document);
        reading.uses_definitions = true;
        add_findings(document, context.flavor_checker().check_flavors(&flavors).findings, reading);
    }
}
