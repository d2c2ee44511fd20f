//! Checking CustomResourceDefinitions: folders of real ones on one core, next to a bare YAML parse of the same bytes in the same run; the
//! same on two threads; and what one rule takes.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use kvrules::{FileId, FileReading, SourceFile, largest_first};
use kvrules_apiserver::cost::{RuleSite, rules_at_once};
use kvrules_syntax::markdown::find_fenced_blocks;
use kvrules_tests::bench::{compare_times, duration_ratio};
use serde_json::Value;

const ROUNDS: usize = 5;

/// Folders of real definitions, and how often a bare parse a check may take.
const FOLDERS: [(&str, f64); 2] = [("kubernetes/crds", 3.0), ("kubernetes/crds-2", 2.5)];

fn main() {
    for (folder, goal) in FOLDERS {
        println!("{folder}:");
        let files = kvrules_testdata::find_path(folder).map_or_else(example, |folder| definitions(&folder));
        measure(&files, goal);
    }
}

fn measure(files: &[SourceFile], goal: f64) {
    let bytes: usize = files.iter().map(|file| file.text().len()).sum();
    let readings: Vec<_> = files.iter().map(kvrules::read_rules).collect();
    let definitions: usize = readings.iter().map(|reading| reading.contents.units.len()).sum();
    let rules: usize = readings.iter().map(FileReading::count_rules).sum();
    assert!(definitions >= files.len(), "each file has a definition");
    println!("  {definitions} definitions, {rules} rules in all versions, {bytes} bytes");
    let bare = || {
        for file in files {
            let events = saphyr_parser::Parser::new_from_str(file.text()).filter_map(Result::ok).count();
            black_box(events);
        }
    };
    let check = || files.iter().for_each(|file| drop(black_box(kvrules::read_rules(file))));
    let cost = || {
        let headroom = kvrules::crd::Headroom::default();
        files.iter().for_each(|file| drop(black_box(kvrules::crd::estimate_costs(file, headroom))));
    };
    let (ours, parse) = compare_times(ROUNDS, check, bare);
    let times = duration_ratio(ours, parse);
    println!(
        "  check: {ours:.0?}, {times:.1} × a bare saphyr-parser event loop (goal {goal}), which takes {parse:.0?}"
    );
    let documents: Vec<Value> =
        files.iter().filter_map(|file| serde_yaml::from_str::<Value>(file.text()).ok()).collect();
    let definitions: Vec<Vec<Value>> = documents.iter().map(schemas).collect();
    let sense = || {
        for schemas in &definitions {
            black_box(kvrules_crd::count_rule_problems(&schemas.iter().collect::<Vec<_>>()));
        }
    };
    let (ours, sense) = compare_times(ROUNDS, check, sense);
    let share = duration_ratio(sense, ours);
    println!("  sense of rules: {sense:.0?}, {:.0} % of the check (goal 50 %)", share * 100.0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).stack_size(64 << 20).build();
    if let Ok(pool) = pool {
        let read = |file: &SourceFile| drop(black_box(kvrules::read_rules(file)));
        let two = || drop(pool.install(|| largest_first(files, |file| file.text().len(), read)));
        let (one, two) = compare_times(ROUNDS, check, two);
        println!("  two threads: {two:.0?}, {:.2} × as fast as one (goal 1.8)", duration_ratio(one, two));
    }
    let (ours, parse) = compare_times(ROUNDS, cost, bare);
    println!("  cost: {ours:.0?}, {:.1} × the bare parse", duration_ratio(ours, parse));
    let mut times = rule_times(files);
    times.sort();
    if let Some(median) = times.get(times.len() / 2) {
        println!(
            "  parse, check and price of one of {} rules: {median:.1?} in the median (goal 60 µs)",
            times.len()
        );
    }
}

/// The time of each rule, in the order of the files.
fn rule_times(files: &[SourceFile]) -> Vec<Duration> {
    let documents = files.iter().filter_map(|file| serde_yaml::from_str::<Value>(file.text()).ok());
    documents
        .flat_map(|document| schemas(&document).iter().flat_map(times_of_schema).collect::<Vec<_>>())
        .collect()
}

fn schemas(document: &Value) -> Vec<Value> {
    let versions = document.pointer("/spec/versions").and_then(Value::as_array).into_iter().flatten();
    versions.filter_map(|version| version.pointer("/schema/openAPIV3Schema").cloned()).collect()
}

fn times_of_schema(schema: &Value) -> Vec<Duration> {
    let rules = rules_at_once(schema, "schema", Vec::new()).rules;
    let time = |rule: &kvrules_apiserver::cost::RuleReport| {
        let path = rule.path.trim_start_matches("openAPIV3Schema").trim_start_matches('.');
        let site = RuleSite::new(schema, path).ok()?;
        let start = Instant::now();
        drop(black_box(site.rule_cost(&rule.rule)));
        Some(start.elapsed())
    };
    rules.iter().filter_map(time).collect()
}

/// The definition in the guide, many times over.
fn example() -> Vec<SourceFile> {
    println!("  the example of the guide stands in");
    let page = std::fs::read_to_string(kvrules_tests::repository_root().join("docs/guide/crds.md"))
        .unwrap_or_default();
    let example = find_fenced_blocks(&page).into_iter().find(|block| block.language == "yaml");
    let text = example.and_then(|block| page.get(block.range)).unwrap_or_default();
    (0..1_000).map(|_| SourceFile::new(FileId(0), "pond.yaml", text)).collect()
}

fn definitions(folder: &Path) -> Vec<SourceFile> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|it| it == "yaml")).collect();
    paths.sort();
    let texts = paths.into_iter().filter_map(|path| {
        let text = std::fs::read_to_string(&path).ok()?;
        Some(SourceFile::new(FileId(0), path.to_string_lossy(), text))
    });
    texts.collect()
}
