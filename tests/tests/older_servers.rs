//! The definitions of real projects, compiled for ranges of Kubernetes versions: rules that are restated, proved and left out.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::collections::BTreeSet;

use kvrules::crd::{KubernetesVersions, RunResources};
use kvrules::verify::ClaimFinding;
use kvrules::{
    Catalog, Fidelity, FileId, Level, ReadContext, Request, ResourceVersion, SourceFile, compile_targets,
    find_emitter,
};
use kvrules_apiserver::cost::ReviewMemo;
use kvrules_apiserver::definition::review_definition_on;
use kvrules_apiserver::server::ServerFeatures;
use rayon::prelude::*;
use serde_json::Value;

/// The definitions in shared data.
fn definitions() -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for directory in ["kubernetes/crds", "kubernetes/crds-2"] {
        for path in kvrules_testdata::list_files(directory, "yaml").unwrap_or_default() {
            let text = std::fs::read_to_string(&path).unwrap();
            for document in serde_yaml::Deserializer::from_str(&text) {
                let Ok(value) = serde::Deserialize::deserialize(document) else { continue };
                let value: Value = value;
                if value["kind"] == "CustomResourceDefinition" {
                    found.push((path.file_stem().unwrap().to_string_lossy().into_owned(), value));
                }
            }
        }
    }
    found
}

/// The errors of a definition on servers: fields and texts.
fn rejections(definition: &Value, servers: KubernetesVersions) -> BTreeSet<String> {
    let memo = ReviewMemo::default();
    let on_server = |version| {
        let review = review_definition_on(ServerFeatures::of_version(version), definition, None, &memo);
        review.all_errors().into_iter().map(|error| error.field).collect::<Vec<_>>()
    };
    servers.iter().flat_map(on_server).collect()
}

/// The errors that `check` has about a file.
fn check_errors(text: &str, servers: KubernetesVersions) -> BTreeSet<String> {
    let run = RunResources::default().with_versions(servers);
    let file = SourceFile::new(FileId(0), "crd.yaml", text);
    let reading = kvrules::read_file(&file, &ReadContext::new(Catalog::kubevirt_vm()).with_resources(&run));
    let found = reading.diagnostics.iter().filter(|it| it.level == Level::Error);
    found.map(|it| format!("{}: {}", it.code, it.message)).collect()
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Rules that a server does not take as they are.
    rejected: usize,
    restated: usize,
    /// Restated rules that `verify` found to be exact.
    proved: usize,
    left_out: usize,
    /// Files that a server rejects, although the newest takes their definition.
    refused: Vec<String>,
}

impl Counts {
    fn join(mut self, other: Self) -> Self {
        self.rejected += other.rejected;
        self.restated += other.restated;
        self.proved += other.proved;
        self.left_out += other.left_out;
        self.refused.extend(other.refused);
        self
    }
}

/// Compiles a definition with a target, and verifies what is restated.
fn compile(name: &str, definition: &Value, target: &str, servers: KubernetesVersions) -> Counts {
    let versions = ResourceVersion::of_definition(definition);
    let request = Request { resources: &versions, servers, ..Request::for_virtual_machines(&[]) };
    let target = find_emitter(target).unwrap();
    let Ok(outputs) = compile_targets(&[target], &request) else { return Counts::default() };
    let made = &outputs[0].resources;
    let is_left_out =
        |name: &str, fidelity: &Fidelity| name != "schema" && matches!(fidelity, Fidelity::Unsupported(_));
    let left_out = made.fidelity.iter().filter(|it| is_left_out(&it.rule, &it.fidelity)).count();
    let restated: BTreeSet<_> = made
        .restated
        .iter()
        .filter(|it| it.form.is_some())
        .map(|it| (it.set.clone(), it.rule.clone()))
        .collect();
    let mut counts = Counts {
        rejected: left_out + restated.len(),
        restated: restated.len(),
        left_out,
        ..Counts::default()
    };
    if !restated.is_empty() {
        let report = kvrules::verify::verify_targets(&[target], &request, Catalog::kubevirt_vm(), &|_, _| {});
        assert!(report.all_claims_hold(), "{name}: {report:?}");
        let rules = &report.targets[0].rules;
        counts.proved = restated
            .iter()
            .filter(|(set, rule)| {
                let found = rules.iter().find(|it| it.sets.contains(set) && it.rule == *rule);
                found.is_some_and(|it| matches!(it.finding, ClaimFinding::Exact))
            })
            .count();
    }
    let refused = made.files.iter().filter_map(|file| {
        let before = KubernetesVersions::default();
        let found = if target.name == "crd" {
            let made: Value = serde_yaml::from_str(&file.text).unwrap();
            let found = rejections(&made, servers);
            found.difference(&rejections(definition, before)).cloned().collect::<BTreeSet<_>>()
        } else {
            BTreeSet::new()
        };
        // Few rules are changed, and `check` takes a while.
        let is_changed = counts.rejected > 0;
        let of_check = if is_changed { check_errors(&file.text, servers) } else { BTreeSet::new() };
        let source = serde_json::to_string(definition).unwrap();
        let own = if of_check.is_empty() { BTreeSet::new() } else { check_errors(&source, before) };
        let found: Vec<_> = found.into_iter().chain(of_check.difference(&own).cloned()).collect();
        (!found.is_empty()).then(|| format!("{name}: {found:?}"))
    });
    counts.refused = refused.collect();
    counts
}

#[test]
fn definitions_compiled_for_ranges_are_taken_by_all_their_servers() {
    let definitions = definitions();
    if definitions.is_empty() {
        return;
    }
    let count = |target: &str, servers: &str| {
        let servers = servers.parse().unwrap();
        let counts =
            definitions.par_iter().map(|(name, definition)| compile(name, definition, target, servers));
        let counts = counts.reduce(Counts::default, Counts::join);
        println!("{target} {servers}: {counts:?}");
        counts
    };
    for (servers, restated, left_out) in [("1.28..1.36", 19, 12), ("1.30..1.36", 13, 9)] {
        let counts = count("crd", servers);
        assert_eq!(counts.refused, [""; 0], "{servers}");
        assert_eq!(
            (counts.restated, counts.proved, counts.left_out),
            (restated, restated, left_out),
            "{servers}"
        );
    }
}

#[test]
fn a_restated_rule_that_says_something_else_is_noticed() {
    let rules = serde_json::json!([{"rule": "isIP(self)", "message": "must be an address"}]);
    let address = serde_json::json!({"type": "string", "maxLength": 45, "x-kubernetes-validations": rules});
    let schema = serde_json::json!({"type": "object", "properties": {"address": address}});
    let versions = ResourceVersion::of_definition(&serde_json::json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ponds.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"kind": "Pond", "plural": "ponds"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]},
    }));
    let servers = "1.30..1.36".parse().unwrap();
    let request = Request { resources: &versions, servers, ..Request::for_virtual_machines(&[]) };
    let targets = [find_emitter("crd").unwrap(), find_emitter("admission-policy").unwrap()];
    let holds = |from: &str, to: &str| {
        let emit = |target: &kvrules::Emitter, request: &Request<'_>| {
            let mut emission = target.emit_versions(request)?;
            for file in &mut emission.files {
                assert!(file.text.contains(from), "{}", file.text);
                file.text = file.text.replace(from, to);
            }
            Ok(emission)
        };
        let report = kvrules::verify::verify_resources_with(&emit, &targets, &request);
        report
            .targets
            .iter()
            .map(|target| target.rules.iter().all(|rule| !matches!(rule.finding, ClaimFinding::Fault(_))))
            .collect::<Vec<_>>()
    };
    assert_eq!(holds("25[0-5]", "25[0-5]"), [true, true]);
    // An octet of 256, and a message, which the proof and the comparison of entries find.
    assert!(!holds("25[0-5]", "25[0-6]")[0]);
    assert!(!holds("must be an address", "must be something else")[0]);
    assert_eq!(holds(" && !", " && "), [false, false]);
}
