//! Checking CustomResourceDefinitions: a folder of real ones on one core, and what all their rules cost, with what the same
//! run takes for a bare YAML parse of the same bytes. The aim is under a second for the folder.

use std::hint::black_box;

use kvrules::{FileId, SourceFile};
use kvrules_syntax::markdown::blocks;
use kvrules_tests::bench::{compare, ratio};

const ROUNDS: usize = 5;

fn main() {
    let files = files();
    let bytes: usize = files.iter().map(|file| file.text().len()).sum();
    let readings: Vec<_> = files.iter().map(kvrules::read).collect();
    let definitions: usize = readings.iter().map(|reading| reading.kubernetes.definitions).sum();
    let rules: usize = readings.iter().map(|reading| reading.kubernetes.rules).sum();
    assert_eq!(definitions, files.len(), "each file is one definition");
    println!("{definitions} definitions, {rules} rules in all versions, {bytes} bytes");
    let bare = || {
        for file in &files {
            let events = saphyr_parser::Parser::new_from_str(file.text()).filter_map(Result::ok).count();
            black_box(events);
        }
    };
    let check = || files.iter().for_each(|file| drop(black_box(kvrules::read(file))));
    let cost = || {
        files
            .iter()
            .for_each(|file| drop(black_box(kvrules::crd::costs(file, kvrules::crd::Headroom::default()))))
    };
    let (ours, parse) = compare(ROUNDS, check, bare);
    println!(
        "check: {ours:.0?} (goal 1 s), {:.1} × a bare saphyr-parser event loop, which takes {parse:.0?}",
        ratio(ours, parse)
    );
    let (ours, parse) = compare(ROUNDS, cost, bare);
    println!("cost: {ours:.0?}, {:.1} × the same", ratio(ours, parse));
}

/// The real definitions; without them the one in the guide, many times over.
fn files() -> Vec<SourceFile> {
    let folder =
        kvrules_tests::shared("kubernetes/crds", "real definitions; the example of the guide stands in");
    let Some(folder) = folder else {
        let page =
            std::fs::read_to_string(kvrules_tests::root().join("docs/guide/crds.md")).unwrap_or_default();
        let example = blocks(&page).into_iter().find(|block| block.language == "yaml");
        let text = example.and_then(|block| page.get(block.range)).unwrap_or_default();
        return (0..1_000).map(|_| SourceFile::new(FileId(0), "pond.yaml", text)).collect();
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let texts = paths.into_iter().filter_map(|path| {
        let text = std::fs::read_to_string(&path).ok()?;
        Some(SourceFile::new(FileId(0), path.to_string_lossy(), text))
    });
    texts.collect()
}
