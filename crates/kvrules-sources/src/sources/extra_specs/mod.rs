//! Definitions of extra specs.

use kvrules_extra_specs::is_definitions;
use kvrules_syntax::Document;

use crate::extra_specs::read_definitions;
use crate::input::ParsedFile;
use crate::reading::FileReading;
use crate::source::{ReadContext, Source, add_findings, note_unread};
use crate::units::{Operation, Unit, UnitCount, UnitKind};

pub(crate) static SOURCE: Source = Source { name: "extra-specs", kinds: &[&EXTRA_SPECS], find, check };

static EXTRA_SPECS: UnitKind = UnitKind {
    singular: "document of definitions of extra specs",
    plural: "definitions of extra specs",
    count: UnitCount::Parts("extra spec"),
    subject: "definitions of extra specs",
    engine: None,
    operations: &[
        Operation::Check,
        Operation::Compile,
        Operation::Verify,
        Operation::Document,
        Operation::Compare,
    ],
};

fn find(file: &ParsedFile<'_>, _: &[bool]) -> Vec<Unit> {
    let documents = file.documents.iter().enumerate();
    let found = documents.filter(|(_, document)| is_definitions(document));
    let unit = |(document, found): (usize, &&Document<'_>)| {
        Some(Unit { kind: &EXTRA_SPECS, span: found.root()?.span().first_byte(), parts: 0, document })
    };
    found.filter_map(unit).collect()
}

fn check(file: &ParsedFile<'_>, _: &ReadContext<'_>, reading: &mut FileReading) {
    for index in 0..reading.contents.units.len() {
        let Some(unit) = reading.contents.units.get_mut(index).filter(|unit| *unit.kind == EXTRA_SPECS)
        else {
            continue;
        };
        let Some(document) = file.documents.get(unit.document) else { continue };
        let mut findings = Vec::new();
        let definitions = read_definitions(document, &mut findings);
        unit.parts = definitions.len();
        reading.definitions.extend(definitions);
        note_unread(document, reading);
        add_findings(document, findings, reading);
    }
}

impl Unit {
    /// True for a document of definitions of extra specs.
    pub fn is_extra_specs(&self) -> bool {
        *self.kind == EXTRA_SPECS
    }
}
