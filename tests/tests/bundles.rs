//! The released template bundles: every rule is read, and nothing is found wrong that is not.

use std::collections::BTreeMap;

use kvrules::{Diagnostic, ElaboratedSet, FileId, Level, Request, SourceFile};
use kvrules_ir::ValueTest;
use kvrules_tests::{guide_tables, repository_root, template_bundles};
use serde_json::{Value, json};

/// The counts that are recorded beside each bundle, as we count them.
fn counts(sets: &[ElaboratedSet]) -> Value {
    let (mut kinds, mut paths) = (BTreeMap::<_, u64>::new(), BTreeMap::<_, u64>::new());
    for rule in sets.iter().flat_map(|set| &set.rules) {
        let kind = match rule.requirement.tests.first() {
            Some(ValueTest::Integer(_)) => "integer",
            Some(ValueTest::Length(_)) => "string",
            Some(ValueTest::OneOf(_)) => "enum",
            _ => "regex",
        };
        *kinds.entry(kind).or_default() += 1;
        *paths.entry(format!("jsonpath::{}", rule.requirement.subject.text)).or_default() += 1;
    }
    json!({ "rulesByKind": kinds, "rulesByPath": paths })
}

#[test]
fn every_rule_is_read_and_none_is_faulted() {
    let mut total = 0;
    for (name, text) in template_bundles() {
        let facts = format!("kubevirt/templates/{}", name.replace(".yaml", ".facts.json"));
        let facts = kvrules_testdata::read_value(&facts).unwrap();
        let reading = kvrules::read_rules(&SourceFile::new(FileId(0), name.as_str(), text));
        // KV911 is about the deployed validator, which `lint_pages` compares with the facts.
        let other: Vec<_> = reading.diagnostics.iter().filter(|found| found.code != "KV911").collect();
        assert!(other.is_empty(), "{name}: {other:?}");
        assert_eq!(json!(reading.count_rules()), facts["rules"], "{name}");
        assert_eq!(json!(reading.sets.len()), facts["templates"], "{name}");
        let counted = counts(&reading.sets);
        assert_eq!(counted["rulesByKind"], facts["rulesByKind"], "{name}");
        assert_eq!(counted["rulesByPath"], facts["rulesByPath"], "{name}");
        total += reading.count_rules();
        let united = kvrules::merge_rule_sets(reading.sets);
        assert_eq!(json!(united.len()), facts["distinctAnnotationTexts"], "{name}");
        assert!(united.iter().all(|set| set.left_out.is_empty()), "{name}");
        let outputs =
            kvrules::compile_targets(kvrules::all_targets(), &Request::for_virtual_machines(&united))
                .unwrap();
        assert!(outputs.iter().all(|output| output.emission.files.len() >= united.len()), "{name}");
    }
    println!("bundles: {total} rules read, none faulted");
}

#[test]
fn the_page_lists_every_finding_in_the_bundles_and_none_is_a_false_error() {
    let bundles = template_bundles();
    if bundles.is_empty() {
        return;
    }
    let mut found = Vec::new();
    for (name, text) in bundles {
        let reading = kvrules::read_rules(&SourceFile::new(FileId(0), name.as_str(), text));
        // `lint_pages` compares KV911 with the facts next to the bundle.
        let is_false = |found: &&Diagnostic| found.level == Level::Error && found.code != "KV911";
        let wrong: Vec<_> = reading.diagnostics.iter().filter(is_false).collect();
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
        let mut codes = BTreeMap::<_, usize>::new();
        reading.diagnostics.iter().for_each(|found| *codes.entry(found.code).or_default() += 1);
        if codes.is_empty() {
            codes.insert("none", 0);
        }
        let bundle = name.trim_end_matches(".yaml");
        let rows = codes.into_iter().map(|(code, findings)| {
            [bundle.to_owned(), reading.count_rules().to_string(), code.to_owned(), findings.to_string()]
                .to_vec()
        });
        found.extend(rows);
    }
    let listed = guide_tables::read_table(&repository_root().join("docs/guide/found.md"), "bundles");
    let mut listed: Vec<_> = listed.into_iter().map(|row| row[..4].to_vec()).collect();
    listed.sort();
    found.sort();
    assert_eq!(found, listed, "docs/guide/found.md");
    println!("{} of {} rows of the page agree", found.len(), listed.len());
}

#[test]
fn two_runs_give_the_same_bytes() {
    for (name, text) in template_bundles() {
        let run = || {
            let sets = kvrules::merge_rule_sets(
                kvrules::read_rules(&SourceFile::new(FileId(0), name.as_str(), text.as_str())).sets,
            );
            let outputs =
                kvrules::compile_targets(kvrules::all_targets(), &Request::for_virtual_machines(&sets))
                    .unwrap();
            outputs.into_iter().flat_map(|output| output.emission.files).collect::<Vec<_>>()
        };
        assert_eq!(run(), run(), "{name}");
    }
}
