//! Namespaces of Glance's metadata definitions: what its API would answer.

use kvrules_extra_specs::glance::{find_errors, is_namespace, read_namespace};
use kvrules_extra_specs::lints::REFUSED_NAMESPACE;
use kvrules_syntax::Node;

use crate::input::ParsedFile;
use crate::reading::FileReading;
use crate::source::{ReadContext, Source, add_findings, checkable_documents, find_whole_documents};
use crate::units::{Operation, Unit, UnitCount, UnitKind};

pub(crate) static SOURCE: Source = Source { name: "metadefs", kinds: &[&NAMESPACE], find, check };

static NAMESPACE: UnitKind = UnitKind {
    singular: "metadata namespace",
    plural: "metadata namespaces",
    count: UnitCount::UnitsWithParts("definition"),
    subject: "metadata definitions of Glance",
    engine: None,
    operations: &[Operation::Check],
};

fn find(file: &ParsedFile<'_>, claimed: &[bool]) -> Vec<Unit> {
    find_whole_documents(file, claimed, |index, document| {
        let root = document.root().filter(|root| is_namespace(*root));
        let unit = |root: Node<'_>| {
            let parts = read_namespace(root)?.properties.len();
            Some(Unit { kind: &NAMESPACE, span: root.span().first_byte(), parts, document: index })
        };
        root.and_then(unit).into_iter().collect()
    })
}

fn check(file: &ParsedFile<'_>, _: &ReadContext<'_>, reading: &mut FileReading) {
    for (_, document) in checkable_documents(file, SOURCE.kinds, reading) {
        let errors = document.root().map(find_errors).unwrap_or_default().into_iter();
        let found = errors.map(|error| REFUSED_NAMESPACE.diagnostic_at(error.span, error.message));
        add_findings(document, found.collect(), reading);
    }
}
