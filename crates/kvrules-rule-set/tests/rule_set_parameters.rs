//! Parameters and included files.

#![expect(clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use std::collections::BTreeMap;

use kvrules_diagnostics::{Diagnostic, FileId};
use kvrules_rule_set::{RuleSet, SubjectDefinitions, read_rule_set};
use kvrules_syntax::parse_stream;
use serde_json::json;

fn read(spec: &str, definitions: &SubjectDefinitions) -> (Option<RuleSet>, Vec<Diagnostic>) {
    let text = format!(
        "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {{name: web}}\nspec:\n  \
         subject: {{apiVersion: apps/v1, kind: Deployment}}\n{spec}"
    );
    let stream = parse_stream(FileId(0), &text);
    let mut findings = Vec::new();
    let set = read_rule_set(&stream.documents[0], definitions, &mut findings);
    (set, findings)
}

fn with_values(values: &[(&str, &str)]) -> SubjectDefinitions {
    let parameters = values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    SubjectDefinitions { parameters, ..SubjectDefinitions::default() }
}

const LIMITED: &str = "  parameters: {most: {type: integer, default: 9}, tier: {type: string}}\n  \
    parametersFrom: {name: limits, namespace: kube-system}\n  rules:\n  \
    - {name: a, path: spec.replicas, integer: {min: 2, max: $(most)}, when: {path: metadata.labels.tier, in: [$(tier)]}}\n";

#[test]
fn a_rule_has_the_values_and_policies_the_parameters() {
    let (set, findings) = read(LIMITED, &with_values(&[("tier", "web")]));
    assert!(findings.is_empty(), "{findings:?}");
    let set = set.unwrap();
    assert!(
        set.rules[0].expression.contains("<= 9") && set.rules[0].expression.contains("'web'"),
        "{:?}",
        set.rules[0].expression
    );
    let version = set.versions().remove(0);
    let parameters = version.authored.unwrap().parameters.unwrap();
    assert_eq!(parameters.kind, json!({"apiVersion": "v1", "kind": "ConfigMap"}));
    assert_eq!(
        parameters.reference,
        json!({"name": "limits", "parameterNotFoundAction": "Deny", "namespace": "kube-system"})
    );
    assert_eq!(parameters.object["data"], json!({"most": "9", "tier": "web"}));
    let entry = parameters.entries.values().next().unwrap()["rule"].as_str().unwrap().to_owned();
    let written = parameters.write_expression(&entry);
    let most = "(has(params.data) && 'most' in params.data ? int(params.data['most']) : 9)";
    assert!(
        written.contains(&format!("<= {most}")) && written.contains("== params.data['tier']"),
        "{written}"
    );
    let (set, _) = read(LIMITED, &with_values(&[("tier", "web"), ("most", "4")]));
    assert!(set.unwrap().rules[0].expression.contains("<= 4"));
}

#[test]
fn a_parameter_without_a_value_is_known() {
    let (set, findings) = read(LIMITED, &SubjectDefinitions::default());
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(set.unwrap().parameters.first_without_value(), Some("tier"));
}

#[test]
fn mistakes_in_parameters_are_findings() {
    let rule = "  rules:\n  - {name: a, path: spec.replicas, integer: {max: $(most)}}\n";
    for (own, expected) in [
        ("  parameters: {}\n", "unknown parameter `most`"),
        ("  parameters: {mst: {type: integer}}\n", "unknown parameter `most`"),
        ("  parameters: {most: {type: string, default: many}}\n", "`max` of `integer` must be an integer"),
        (
            "  parameters: {most: {type: integer, default: many}}\n",
            "the default of `most` must be an integer",
        ),
        ("  parameters: {most: {type: int}}\n", "the type of a parameter must be"),
        ("  parameters: {most: {type: integer}, other: {type: integer}}\n", "unused parameter `other`"),
        ("  parameters: {'a b': {type: integer}}\n", "`a b` is not a name of a parameter"),
        (
            "  parameters: {most: {type: integer}}\n  parametersFrom: {kind: Limits, apiVersion: example.com/v1, name: a}\n",
            "unknown kind `Limits`",
        ),
        ("  parameters: {most: {type: integer}}\n  parametersFrom: {}\n", "missing `name`"),
    ] {
        let (_, findings) = read(&format!("{own}{rule}"), &SubjectDefinitions::default());
        assert!(findings.iter().any(|it| it.message.contains(expected)), "{own}: {findings:?}");
    }
    let (_, findings) =
        read(&format!("  parameters: {{most: {{type: integer}}}}\n{rule}"), &with_values(&[("most", "x")]));
    assert!(findings[0].message.contains("`x`, the value for `most`, is not an integer"), "{findings:?}");
}

fn files(texts: &[(&str, &str)]) -> SubjectDefinitions {
    let file = |(name, spec): &(&str, &str)| {
        let text = format!(
            "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {{name: pod}}\nspec:\n  \
             subject: {{apiVersion: v1, kind: Pod}}\n{spec}"
        );
        ((*name).to_owned(), Ok(text))
    };
    let included: BTreeMap<_, _> = texts.iter().map(file).collect();
    SubjectDefinitions { included, ..SubjectDefinitions::default() }
}

const POD: &str = "  rules:\n  - {name: limits, each: 'spec.containers[*]', path: resources.limits.memory, required: true}\n  \
    - {name: host, path: spec.hostNetwork, in: [false], when: {path: metadata.labels.tier, required: true}}\n  \
    - {name: sum, atMostOneOf: [spec.hostPID, spec.hostIPC]}\n";

#[test]
fn included_rules_start_from_a_path() {
    let definitions =
        files(&[("lib/pod.yaml", POD), ("lib/all.yaml", "  include: [{file: pod.yaml, namePrefix: p-}]\n")]);
    let spec = "  include: [{file: lib/all.yaml, under: spec.template, namePrefix: x-}]\n";
    let (set, findings) = read(spec, &definitions);
    assert!(findings.is_empty(), "{findings:?}");
    let set = set.unwrap();
    let names: Vec<_> = set.rules.iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(names, ["x-p-limits", "x-p-host", "x-p-sum"]);
    assert_eq!(set.rules[0].scope.to_string(), "spec.template.spec.containers[*]");
    let deployment = |spec: serde_json::Value| json!({"spec": {"template": {"metadata": {"labels": {"tier": "a"}}, "spec": spec}}});
    let violated = |spec| set.find_violations(&deployment(spec), None).len();
    assert_eq!(violated(json!({"hostNetwork": true})), 1);
    assert_eq!(violated(json!({"hostPID": true, "hostIPC": false, "containers": [{"name": "a"}]})), 2);
    assert_eq!(violated(json!({})), 0);
}

#[test]
fn mistakes_in_included_files_are_at_their_entry() {
    let cel = "  rules: [{name: c, cel: 'has(self.spec)'}]\n";
    let definitions = files(&[
        ("pod.yaml", POD),
        ("loop.yaml", "  include: [{file: ./other.yaml}]\n"),
        ("other.yaml", "  include: [{file: loop.yaml}]\n"),
        ("wrong.yaml", "  rules: [{name: c, path: spec.contaners, required: true}]\n"),
        ("cel.yaml", cel),
    ]);
    for (own, expected) in [
        ("[{file: none.yaml}]", "`none.yaml` was not read"),
        ("[{file: loop.yaml}]", "other.yaml:6: `loop.yaml` includes itself"),
        ("[{file: wrong.yaml, under: spec.template}]", "wrong.yaml:6: unknown field `contaners`"),
        ("[{file: pod.yaml, under: spec.templat}]", "`Deployment` has no field `spec.templat`"),
        ("[{file: pod.yaml, under: 'spec.x[*]'}]", "`under` must be a path without `[*]`"),
        (
            "[{file: pod.yaml, under: spec.template}, {file: pod.yaml, under: spec.template}]",
            "`pod.yaml` is included twice under one path",
        ),
        ("[{file: cel.yaml, under: spec.template}]", "an expression about the object cannot be included"),
        ("[{under: spec}]", "an entry of `include` needs a `file`"),
        ("pod.yaml", "`include` must be a list of files"),
    ] {
        let (_, findings) = read(&format!("  include: {own}\n"), &definitions);
        assert!(findings.iter().any(|it| it.message.contains(expected)), "{own}: {findings:?}");
        assert!(findings.iter().all(|it| it.primary.span.start > 90), "{findings:?}");
    }
}

#[test]
fn expressions_have_parameters() {
    let spec = "  parameters: {most: {type: integer, default: 9}, tier: {type: string}}\n  \
        parametersFrom: {name: limits, namespace: kube-system}\n  rules:\n  \
        - {name: a, each: spec, cel: \"!has(self.replicas) || self.replicas <= $(most)\"}\n  \
        - {name: b, cel: \"!has(self.metadata.name) || self.metadata.name.startsWith($(tier))\"}\n";
    let (set, findings) = read(spec, &with_values(&[("tier", "web")]));
    assert!(findings.is_empty(), "{findings:?}");
    let set = set.unwrap();
    assert_eq!(set.rules[0].expression, "!has(self.replicas) || self.replicas <= 9");
    assert!(set.rules[1].expression.ends_with("startsWith('web')"), "{:?}", set.rules[1].expression);
    let parameters = set.versions().remove(0).authored.unwrap().parameters.unwrap();
    let written: Vec<String> = parameters
        .entries
        .values()
        .map(|entry| parameters.write_expression(entry["rule"].as_str().unwrap()))
        .collect();
    assert!(written.iter().any(|text| text.contains("startsWith(params.data['tier'])")), "{written:?}");
    assert!(written.iter().any(|text| text.contains("int(params.data['most'])")), "{written:?}");
    let (_, findings) =
        read(&spec.replace("integer, default: 9", "string, default: a"), &with_values(&[("tier", "web")]));
    assert!(
        findings.len() == 1 && findings[0].message.contains("overload for `<=` applied to"),
        "{findings:?}"
    );
}
