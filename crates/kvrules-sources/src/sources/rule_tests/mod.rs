//! Suites of cases about rules, in the format of `kvrules test`. They are read there; here they are only recognised.

use kvrules_rule_set::is_of_kind;
use kvrules_syntax::Document;

use crate::input::ParsedFile;
use crate::source::Source;
use crate::units::{Operation, RULE_TESTS_KIND, Unit, UnitCount, UnitKind};

pub(crate) static SOURCE: Source =
    Source { name: "rule-tests", kinds: &[&RULE_TESTS], find, check: |_, _, _| {} };

static RULE_TESTS: UnitKind = UnitKind {
    singular: "test suite",
    plural: "test suites",
    count: UnitCount::Units,
    subject: "test suites",
    engine: None,
    operations: &[Operation::Test],
};

fn find(file: &ParsedFile<'_>, _: &[bool]) -> Vec<Unit> {
    let documents = file.documents.iter().enumerate().filter(|_| !file.input.is_text());
    let found = documents.filter(|(_, document)| is_of_kind(document, RULE_TESTS_KIND));
    let unit = |(document, found): (usize, &&Document<'_>)| {
        Some(Unit { kind: &RULE_TESTS, span: found.root()?.span().first_byte(), parts: 0, document })
    };
    found.filter_map(unit).collect()
}
