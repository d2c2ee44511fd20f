//! What the `admission-policy` target writes.

use std::collections::HashSet;

use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_emit::{Options, Request, emitter};
use kvrules_ir::{ElaboratedSet, Predicate, Severity, Subject};

use super::cases::{cases, guarded_bus};
use super::made::of_predicate;
use super::rules::{WINDOWS, read};
use super::validators::{documents, emit};

#[test]
fn the_rules_of_windows_read_as_a_person_would_write_them() {
    let set = read(WINDOWS, &["windows10-desktop-medium", "windows10-desktop-large"]);
    insta::assert_snapshot!("windows", emit(&[set]).files[0].text);
}

fn with_options(sets: &[ElaboratedSet], options: &[(&str, &str)], subject: &Subject) -> String {
    let target = emitter("admission-policy").unwrap();
    let options: Options = options
        .iter()
        .map(|(name, value)| (("admission-policy".to_owned(), (*name).to_owned()), (*value).to_owned()))
        .collect();
    let request = Request { options: &options, subject, ..Request::of(sets) };
    (target.emit)(&request).unwrap().files[0].text.clone()
}

#[test]
fn options_choose_the_condition_the_action_and_the_failure_policy() {
    let set = read(WINDOWS, &["windows"]);
    let sets = std::slice::from_ref(&set);
    let vm = Subject::virtual_machine();
    let text = with_options(sets, &[("match", "annotation")], vm);
    assert!(text.contains("object.metadata.annotations['vm.kubevirt.io/template'] == 'windows'"), "{text}");
    let text =
        with_options(sets, &[("match", "none"), ("warnings", "audit"), ("failure-policy", "ignore")], vm);
    assert!(!text.contains("matchConditions") && !text.contains("failurePolicy: Fail"), "{text}");
    assert!(text.contains("- Audit") && !text.contains("- Warn"), "{text}");
}

#[test]
fn objects_of_another_kind_are_matched_by_their_resource_alone() {
    let name = |name: &str| Some(name.to_owned());
    let subject =
        Subject { kind: name("NetworkPolicy"), group: name("networking.k8s.io"), version: name("v1") };
    let sets = [of_predicate("policies", Severity::Error, guarded_bus(&["virtio"]))];
    let text = with_options(&sets, &[], &subject);
    assert!(text.contains("- networkpolicies") && !text.contains("matchConditions"), "{text}");
    let text = with_options(&sets, &[("resource", "netpols")], &subject);
    assert!(text.contains("- netpols"), "{text}");
}

#[test]
fn a_definition_that_is_given_names_the_resource() {
    let definition = "kind: List\nitems:\n- spec: {names: {kind: Other, plural: others}}\n\
        - spec: {names: {kind: VirtualMachine, plural: vms}}\n";
    let schema = SourceFile::new(FileId(0), "definitions.yaml", definition);
    let sets = [read(WINDOWS, &["windows"])];
    let request = Request { schema: Some(&schema), ..Request::of(&sets) };
    let emission = (emitter("admission-policy").unwrap().emit)(&request).unwrap();
    assert!(emission.files[0].text.contains("      resources:\n      - vms\n"), "{}", emission.files[0].text);
}

#[test]
fn every_name_is_one_the_server_takes_and_none_comes_twice() {
    let names = ["Windows_10", "windows-10", "a..b", "-x-", "ü", "UPPER.Case", "a.-b"];
    let sets: Vec<_> =
        names.iter().map(|name| of_predicate(name, Severity::Error, Predicate::False)).collect();
    let mut seen = HashSet::new();
    for file in emit(&sets).files {
        let policy = &documents(&file.text)[0];
        let name = policy["metadata"]["name"].as_str().unwrap().to_owned();
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let is_label =
            |label: &str| !label.is_empty() && label.chars().all(fits) && label.trim_matches('-') == label;
        assert!(name.split('.').all(is_label) && name.len() <= 253, "{name}");
        assert!(seen.insert(name.clone()), "{name} comes twice");
    }
    assert_eq!(seen.len(), names.len());
}

#[test]
fn every_variable_is_declared_before_it_is_used_and_none_for_nothing() {
    for (name, predicate) in cases() {
        let text = &emit(&[of_predicate(name, Severity::Error, predicate)]).files[0].text;
        let Some(policy) = documents(text).into_iter().next() else { continue };
        let mut declared: Vec<String> = Vec::new();
        let variables = policy["spec"]["variables"].as_array().cloned().unwrap_or_default();
        let mut used = policy["spec"]["validations"].to_string();
        for variable in &variables {
            let expression = variable["expression"].as_str().unwrap();
            used.push_str(expression);
            assert!(mentioned(expression).all(|used| declared.contains(&used)), "{name}: {text}");
            declared.push(variable["name"].as_str().unwrap().to_owned());
        }
        let used: Vec<String> = mentioned(&used).collect();
        assert!(declared.iter().all(|name| used.contains(name)), "{name}: {text}");
        assert!(used.iter().all(|name| declared.contains(name)), "{name}: {text}");
    }
}

fn mentioned(text: &str) -> impl Iterator<Item = String> {
    let word = |rest: &str| rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    text.split("variables.").skip(1).map(word)
}

#[test]
fn a_set_without_rules_is_a_file_without_documents() {
    let emission = emit(&[of_predicate("nothing", Severity::Error, Predicate::True)]);
    assert!(emission.files[0].text.lines().all(|line| line.starts_with('#')), "{}", emission.files[0].text);
    assert_eq!(emission.fidelity[0].fidelity.as_str(), "exact");
}
