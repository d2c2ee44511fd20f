//! Coverage of Glance's stock files by the definitions. `cargo xtask nova` fetches the files and runs this test, which no
//! other command does.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may stop at a surprise, and shows how many recorded cases agreed"
)]

mod metadef_comparison;
mod tally;

use std::collections::BTreeMap;
use std::path::Path;

use kvrules_diagnostics::FileId;
use kvrules_extra_specs::glance::read_namespace;
use kvrules_extra_specs::shipped_document;
use kvrules_syntax::parse_json;
use metadef_comparison::{PropertyDifference, compare_metadefs};
use tally::Tally;

/// A recorded file of Glance's repository that its package on PyPI does not have.
const UNRELEASED: &str = "compute-cpu-mode.json";

/// The stock files are Glance's own; `GLANCE_METADEFS` names their directory.
#[test]
fn the_stock_files_are_as_stale_as_was_recorded() {
    let Some(recorded) = kvrules_testdata::read_value("nova/glance-coverage.json") else { return };
    let directory = std::env::var("GLANCE_METADEFS").expect("GLANCE_METADEFS names a directory");
    let all = shipped_document().expand_definitions();
    let mut tally = Tally::default();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for file in recorded["files"].as_array().unwrap() {
        let name = file["file"].as_str().unwrap();
        let rows: Vec<_> =
            recorded["rows"].as_array().unwrap().iter().filter(|row| row["file"] == name).collect();
        let path = Path::new(&directory).join(name);
        assert_eq!(path.exists(), name != UNRELEASED, "{name}");
        if name == UNRELEASED {
            continue;
        }
        let text = std::fs::read_to_string(path).unwrap();
        let namespace = read_namespace(parse_json(FileId(0), &text).root().unwrap()).unwrap();
        let ours = compare_metadefs(&all, [&namespace]);
        tally.compare("rows of a file", name, &ours.len(), &rows.len());
        for (ours, row) in ours.iter().zip(rows) {
            *counts.entry(ours.coverage.as_str()).or_default() += 1;
            tally.compare("key", name, &ours.key.as_str(), &row["extra_spec"].as_str().unwrap());
            tally.compare("definition", &ours.key, &ours.definition.as_deref(), &row["definition"].as_str());
            tally.compare("verdict", &ours.key, &ours.coverage.as_str(), &row["verdict"].as_str().unwrap());
            let kinds: Vec<_> = ours.differences.iter().map(PropertyDifference::as_str).collect();
            let theirs: Vec<_> = row["differences"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|difference| difference["what"].as_str().unwrap())
                .collect();
            tally.compare("differences", &ours.key, &kinds, &theirs);
        }
    }
    println!("{counts:?}, recorded {}", recorded["verdicts"]);
    tally.report("coverage");
}
