//! Recorded definitions and policies: refused here where the server rejects them, at the place that it names, and warned of
//! where it warns.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

#[path = "../../kvrules-apiserver/tests/recorded/mod.rs"]
mod recorded;

use kvrules_crd::check_documents;
use kvrules_diagnostics::{Diagnostic, FileId, Level, SourceFile};
use kvrules_syntax::edit::for_older_readers;
use kvrules_syntax::{Node, parse_stream};
use recorded::Tally;
use serde_json::Value;

fn findings(source: &SourceFile) -> Vec<Diagnostic> {
    let stream = parse_stream(source.id(), source.text());
    let documents: Vec<_> = stream.documents.iter().collect();
    check_documents(source, &documents).findings
}

fn is_error(finding: &Diagnostic) -> bool {
    finding.level == Level::Error
}

/// A case as YAML, and once more as JSON.
fn written(id: &str, value: &Value) -> [SourceFile; 2] {
    let yaml = for_older_readers(serde_yaml::to_string(value).unwrap());
    let yaml = SourceFile::new(FileId(0), format!("{id}.yaml"), yaml);
    let json = SourceFile::new(FileId(0), format!("{id}.json"), serde_json::to_string_pretty(value).unwrap());
    [yaml, json]
}

fn reported(source: &SourceFile, found: &[Diagnostic]) -> String {
    let line = |it: &Diagnostic| {
        let at = source.position_at(it.primary.span.start);
        format!("{}:{} {} {}", at.line, at.column, it.code, it.message)
    };
    format!("{}\n    {}", source.name(), found.iter().map(line).collect::<Vec<_>>().join("\n    "))
}

/// Cases with `3.0` for an integer. That is rejected in JSON; in YAML it is `3`, since clients make JSON of it.
const WHOLE_IN_YAML: [&str; 2] = ["forbidden-0095", "forbidden-0096"];

#[test]
fn definitions_are_refused_where_the_server_refuses_them() {
    let Some(cases) = kvrules_testdata::read_rows("kubernetes/crd-cases.jsonl") else { return };
    let mut tally = Tally::default();
    for case in &cases {
        // Updates, which may keep parts of the older definition, are not compared here.
        if !case["oldCrd"].is_null() {
            continue;
        }
        let (id, family) = (case["id"].as_str().unwrap(), case["family"].as_str().unwrap());
        for source in written(id, &case["crd"]) {
            if WHOLE_IN_YAML.contains(&id) && source.name().ends_with("yaml") {
                continue;
            }
            let found = findings(&source);
            let accepted = !found.iter().any(is_error);
            let agrees = case["expect"]["accepted"] == accepted;
            tally.add(&format!("{family} accepted"), agrees, || reported(&source, &found));
        }
    }
    tally.finish("definitions");
}

#[test]
fn every_refusal_of_a_definition_is_told_at_the_field_that_the_server_names() {
    let Some(cases) = kvrules_testdata::read_rows("kubernetes/crd-cases.jsonl") else { return };
    let mut tally = Tally::default();
    for case in &cases {
        let (id, family) = (case["id"].as_str().unwrap(), case["family"].as_str().unwrap());
        if !case["oldCrd"].is_null() {
            continue;
        }
        let [source, _] = written(id, &case["crd"]);
        let found = findings(&source);
        for error in case["expect"]["errors"].as_array().into_iter().flatten() {
            let (field, detail) = (error["field"].as_str().unwrap(), error["detail"].as_str().unwrap());
            let sums =
                ["contributed to", "x-kubernetes-validations estimated rule cost total", "because it is"];
            if field.is_empty() || sums.into_iter().any(|begin| detail.starts_with(begin)) {
                continue;
            }
            let stream = parse_stream(source.id(), source.text());
            let (start, end) = around(stream.documents[0].root().unwrap(), field);
            let is_there = |it: &Diagnostic| is_error(it) && (start..=end).contains(&it.primary.span.start);
            tally.add(&format!("{family} place"), found.iter().any(is_there), || {
                format!("{field}: {detail}\n    {}", reported(&source, &found))
            });
        }
    }
    tally.finish("places");
}

/// Returns the start and end of the field of an error, or of what lacks it: its key and its value.
fn around(root: Node<'_>, field: &str) -> (u32, u32) {
    let version = "spec.versions[0].schema";
    let field = field.replacen("spec.validation", version, 1);
    let (mut node, mut rest) = (root, field.as_str());
    let mut place = root.span();
    while !rest.is_empty() {
        let name = rest.trim_start_matches('.');
        let named = |name: &str, key: &str, end: &str| {
            name.strip_prefix(key)?.strip_prefix(end).map(|after| name.len() - after.len())
        };
        let entries = || node.entries().filter(|entry| !entry.key.text().is_empty());
        let found = if let Some(inner) = rest.strip_prefix('[') {
            let index = inner.split(']').next().unwrap().parse().ok();
            let item = index.and_then(|index: usize| node.items().nth(index));
            let by_index = item.map(|item| (item.span(), item, rest.find(']').unwrap() + 1));
            by_index.or_else(|| {
                let best = entries().filter(|entry| named(inner, entry.key.text(), "]").is_some());
                let entry = best.max_by_key(|entry| entry.key.text().len())?;
                let len = 1 + named(inner, entry.key.text(), "]")?;
                Some((entry.key.span().cover_with(entry.value.span()), entry.value, len))
            })
        } else {
            let best = entries().filter(|entry| name.starts_with(entry.key.text()));
            best.max_by_key(|entry| entry.key.text().len()).map(|entry| {
                let len = rest.len() - name.len() + entry.key.text().len();
                (entry.key.span().cover_with(entry.value.span()), entry.value, len)
            })
        };
        let Some((span, below, len)) = found else { break };
        (place, node, rest) = (span, below, rest.get(len..).unwrap_or_default());
    }
    (place.start, place.end)
}

#[test]
fn what_the_server_warns_of_is_told_as_dropped() {
    let Some(cases) = kvrules_testdata::read_rows("kubernetes/crd-cases.jsonl") else { return };
    let mut tally = Tally::default();
    for case in &cases {
        let (id, family) = (case["id"].as_str().unwrap(), case["family"].as_str().unwrap());
        if case["expect"]["accepted"] != true || !case["oldCrd"].is_null() {
            continue;
        }
        let [source, _] = written(id, &case["crd"]);
        let found = findings(&source);
        // The server drops a default of `null` silently.
        let is_reported = |it: &&Diagnostic| it.code == "KC203" && !it.message.contains("`null`");
        let warned = case["expect"]["warnings"].as_array().map_or(0, Vec::len) > 0;
        let ours: Vec<_> = found.iter().filter(is_reported).collect();
        // Within `items` and `additionalProperties` the server drops fields silently.
        let in_silence = source.text().contains("items:") || source.text().contains("additionalProperties:");
        let agrees = ours.is_empty() != warned || (!warned && in_silence);
        tally.add(&format!("{family} warnings"), agrees, || {
            format!("{:?}\n    {}", case["expect"]["warnings"], reported(&source, &found))
        });
    }
    tally.finish("warnings");
}

#[test]
fn policies_and_bindings_are_refused_where_the_server_refuses_them() {
    let Some(cases) = kvrules_testdata::read_rows("kubernetes/vap-cases.jsonl") else { return };
    let mut tally = Tally::default();
    for case in &cases {
        let (id, kind) = (case["id"].as_str().unwrap(), case["kind"].as_str().unwrap());
        if kind == "runtime" {
            continue;
        }
        for source in written(id, &case["doc"]) {
            let found = findings(&source);
            let accepted = !found.iter().any(is_error);
            tally.add(&format!("{kind} accepted"), case["expect"]["accepted"] == accepted, || {
                format!("{:?}\n    {}", case["expect"]["causes"], reported(&source, &found))
            });
            let stream = parse_stream(source.id(), source.text());
            for cause in case["expect"]["causes"].as_array().into_iter().flatten() {
                let field = cause["field"].as_str().unwrap();
                let (start, end) = around(stream.documents[0].root().unwrap(), field);
                let is_there =
                    |it: &Diagnostic| is_error(it) && (start..=end).contains(&it.primary.span.start);
                tally.add(&format!("{kind} place"), found.iter().any(is_there), || {
                    format!("{field}\n    {}", reported(&source, &found))
                });
            }
        }
    }
    tally.finish("policies");
}

#[test]
fn real_definitions_have_the_errors_that_are_recorded_and_no_others() {
    let Some(facts) = kvrules_testdata::read_value("kubernetes/crds-facts.json") else { return };
    let mut tally = Tally::default();
    let mut rules = 0;
    for fact in facts.as_array().unwrap() {
        let file = fact["file"].as_str().unwrap();
        let text = kvrules_testdata::read_text(&format!("kubernetes/crds/{file}")).unwrap();
        let source = SourceFile::new(FileId(0), file, text);
        let stream = parse_stream(source.id(), source.text());
        let documents: Vec<_> = stream.documents.iter().collect();
        let checked = check_documents(&source, &documents);
        rules += checked.rules.iter().sum::<usize>();
        let accepted = !checked.findings.iter().any(is_error);
        tally.add("accepted", fact["accepted"] == accepted, || reported(&source, &checked.findings));
        // The cost of each rule must be the recorded one.
        let costs = kvrules_crd::estimate_costs(&source, &documents);
        for rule in fact["rules"].as_array().into_iter().flatten() {
            let ours = costs.iter().flat_map(|definition| &definition.versions).find_map(|version| {
                let is_version = rule["version"].is_null() || rule["version"] == version.name.as_str();
                version.rules.iter().find(|ours| {
                    is_version
                        && ours.field == kvrules_crd::ExpressionField::Rule
                        && rule["schemaPath"] == ours.path.as_str()
                        && rule["index"] == ours.index
                })
            });
            let same = ours.is_some_and(|ours| {
                ours.text == rule["rule"].as_str().unwrap_or_default()
                    && rule["maxCost"] == serde_json::json!(ours.cost)
                    && rule["estimatedCost"] == serde_json::json!(ours.estimate)
            });
            tally.add("cost", same, || format!("{file}: {rule}: {ours:?}"));
        }
    }
    println!("{rules} rules in all versions");
    tally.finish("real definitions");
}
