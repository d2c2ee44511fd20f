//! Output of the `admission-policy` target.

use std::collections::HashSet;

use kvrules_emit::{Options, Request, find_emitter};
use kvrules_ir::{
    ElaboratedSet, Interval, Place, PlaceBase, PlaceStep, Predicate, Presence, Severity, Subject,
    Subresource, ValueTest, ValueType,
};

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
    let target = find_emitter("admission-policy").unwrap();
    let options: Options = options
        .iter()
        .map(|(name, value)| (("admission-policy".to_owned(), (*name).to_owned()), (*value).to_owned()))
        .collect();
    let request = Request { options: &options, subject, ..Request::for_virtual_machines(sets) };
    target.emit_rule_sets(&request).unwrap().files[0].text.clone()
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

/// A NetworkPolicy, of which nothing says under which name the API serves it.
fn network_policy() -> Subject {
    let name = |name: &str| Some(name.to_owned());
    Subject {
        kind: name("NetworkPolicy"),
        group: name("networking.k8s.io"),
        version: name("v1"),
        ..Subject::default()
    }
}

#[test]
fn objects_of_another_kind_are_matched_by_their_resource_alone() {
    let sets = [of_predicate("policies", Severity::Error, guarded_bus(&["virtio"]))];
    let subject = Subject { resource: Some("networkpolicies".to_owned()), ..network_policy() };
    let text = with_options(&sets, &[], &subject);
    assert!(text.contains("- networkpolicies") && !text.contains("matchConditions"), "{text}");
    assert!(text.contains("matchPolicy: Equivalent"), "{text}");
    let text = with_options(&sets, &[("resource", "netpols")], &network_policy());
    assert!(text.contains("- netpols") && text.contains("- networking.k8s.io"), "{text}");
    let text = with_options(&sets, &[("resource", "apps/v1/deployments")], &Subject::default());
    assert!(
        text.contains("- apps\n") && text.contains("- v1\n") && text.contains("- deployments\n"),
        "{text}"
    );
    let text = with_options(&sets, &[("resource", "v1/pods")], &Subject::default());
    assert!(text.contains("- ''\n") && text.contains("- pods\n"), "{text}");
}

#[test]
fn a_policy_is_never_emitted_without_group_version_and_resource() {
    let sets = [of_predicate("policies", Severity::Error, guarded_bus(&["virtio"]))];
    let refused = |subject: &Subject, resource: &str| {
        let key = ("admission-policy".to_owned(), "resource".to_owned());
        let options = Options::from([(key, resource.to_owned())]);
        let request = Request { options: &options, subject, ..Request::for_virtual_machines(&sets) };
        let target = find_emitter("admission-policy").unwrap();
        let cause = target.unavailable_reason(&request).unwrap();
        assert_eq!(target.emit_rule_sets(&request).unwrap_err().message, cause);
        cause
    };
    let cause = refused(&Subject::default(), "");
    assert!(
        cause.contains("group, version and resource") && cause.contains("apps/v1/deployments"),
        "{cause}"
    );
    let cause = refused(&network_policy(), "");
    assert!(cause.contains("resource=networking.k8s.io/v1/RESOURCE"), "{cause}");
    assert!(refused(&Subject::default(), "deployments").contains("the group and version"));
    let unserved = Subject { served: vec!["v2".to_owned()], ..Subject::virtual_machine().clone() };
    let cause = refused(&unserved, "");
    assert!(cause.contains("in `v2` but not in `v1`"), "{cause}");
    for wrong in
        ["a/b/c/d", "apps/v1/", "/", "apps/v1/Deployments", "*", "apps/v1/deployments/scale", "v1/po ds"]
    {
        assert!(refused(Subject::virtual_machine(), wrong).contains("is not a resource"), "{wrong}");
    }
}

/// A rule about what stands at a path.
fn about(path: &[&str]) -> Predicate {
    let step = |name: &&str| PlaceStep::Field { name: (*name).to_owned(), presence: Presence::Optional };
    let place = Place {
        base: PlaceBase::Root,
        steps: path.iter().map(step).collect(),
        value_type: ValueType::Integer,
        default: None,
    };
    Predicate::Test { place, test: ValueTest::Integer(Interval { min: None, max: Some(8.into()) }) }
}

#[test]
fn rules_about_the_status_are_asked_where_the_status_is_written() {
    let subject = Subject {
        resource: Some("networkpolicies".to_owned()),
        subresources: vec![Subresource::Status],
        ..network_policy()
    };
    let emit = |path: &[&str], subject: &Subject| {
        with_options(&[of_predicate("policies", Severity::Error, about(path))], &[], subject)
    };
    assert!(emit(&["status", "size"], &subject).contains("- networkpolicies/status"));
    assert!(!emit(&["spec", "size"], &subject).contains("/status"));
    let without = Subject { subresources: Vec::new(), ..subject };
    assert!(!emit(&["status", "size"], &without).contains("/status"), "it is written with the object then");
}

#[test]
fn a_policy_is_wider_for_what_the_scale_writes() {
    let subject = Subject {
        resource: Some("networkpolicies".to_owned()),
        subresources: vec![Subresource::Scale(".spec.replicas".to_owned())],
        ..network_policy()
    };
    let claim = |path: &[&str]| {
        let sets = [of_predicate("policies", Severity::Error, about(path))];
        let request = Request { subject: &subject, ..Request::for_virtual_machines(&sets) };
        find_emitter("admission-policy").unwrap().emit_rule_sets(&request).unwrap().fidelity[0]
            .fidelity
            .clone()
    };
    let replicas = claim(&["spec", "replicas"]);
    assert_eq!(replicas.as_str(), "wider");
    assert!(replicas.cause().unwrap().contains("networkpolicies/scale"), "{replicas:?}");
    assert_eq!(claim(&["spec", "size"]).as_str(), "exact");
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
