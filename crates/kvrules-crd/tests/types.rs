//! Expressions of policies compared with built-in types and with the definitions of a run.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use kvrules_apiserver::policy::acceptance::resources_to_check;
use kvrules_crd::{RunResources, StoredResources, check_in_run};
use kvrules_diagnostics::{Diagnostic, FileId, Level, SourceFile};
use kvrules_kubernetes::types::find_resources;
use kvrules_syntax::parse_stream;
use serde_json::Value;

/// A policy with a rule for resources, in the form `GROUP/VERSION/RESOURCE`, and with validations.
fn policy(resources: &[&str], expressions: &[&str]) -> String {
    let mut text = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  \
                    matchConstraints:\n    resourceRules:\n"
        .to_owned();
    for resource in resources {
        let parts: Vec<&str> = resource.splitn(3, '/').collect();
        let [group, version, name] = parts[..] else { panic!("{resource}") };
        let _ = writeln!(
            text,
            "    - {{apiGroups: ['{group}'], apiVersions: ['{version}'], operations: [CREATE], resources: ['{name}']}}"
        );
    }
    text += "  validations:\n";
    for expression in expressions {
        let _ = writeln!(text, "  - expression: >-\n      {expression}");
    }
    text
}

fn findings(text: &str, run: &RunResources) -> Vec<Diagnostic> {
    let source = SourceFile::new(FileId(0), "policy.yaml", text);
    let stream = parse_stream(FileId(0), text);
    let documents: Vec<_> = stream.documents.iter().collect();
    let mut found = check_in_run(&source, &documents, &StoredResources::default(), run).findings;
    // Those about the sense of expressions have tests of their own.
    found.retain(|finding| !["KC307", "KC308"].contains(&finding.code));
    for finding in found.iter().filter(|finding| finding.code == "KP106") {
        let span = finding.primary.span;
        assert!(!text[span.to_range()].is_empty(), "{finding:?}");
    }
    found
}

/// The messages of KP106 for validations of objects of some resources.
fn mismatches(resources: &[&str], expressions: &[&str]) -> Vec<String> {
    let found = findings(&policy(resources, expressions), &RunResources::default());
    assert!(found.iter().all(|finding| ["KP104", "KP106"].contains(&finding.code)), "{found:#?}");
    found.into_iter().filter(|finding| finding.code == "KP106").map(|finding| finding.message).collect()
}

const DEPLOYMENTS: &str = "apps/v1/deployments";
const PODS: &str = "/v1/pods";

#[test]
fn a_field_that_a_built_in_type_does_not_have_is_reported_with_the_one_that_is_meant() {
    let found = findings(&policy(&[DEPLOYMENTS], &["object.spec.replica < 3"]), &RunResources::default());
    assert_eq!(found[0].message, "undefined field `spec.replica` in `Deployment` of `apps/v1`");
    assert_eq!(found[0].help.as_deref(), Some("did you mean `replicas`?"));
    assert_eq!(found[0].field.as_deref(), Some("spec.validations[0].expression"));
    for (expression, message) in [
        (
            "object.spec.containers.all(c, c.imag != '')",
            "undefined field `spec.containers[*].imag` in `Pod` of `v1`",
        ),
        ("has(object.metadata.label)", "undefined field `metadata.label` in `Pod` of `v1`"),
        ("oldObject.?spec.?nodeNam.orValue('') == ''", "undefined field `spec.nodeNam` in `Pod` of `v1`"),
        ("object.spec.priority == 'high'", "an `int` and a `string` cannot be compared"),
        ("object.metadata.name > 3", "no matching overload of `>` for a `string` and an `int`"),
        ("object.metadata.name.first == 'a'", "type `string` does not support field selection"),
        ("object.spec.priority.size() > 3", "an `int` has no function `size` without arguments"),
    ] {
        assert_eq!(mismatches(&[PODS], &[expression]), [message], "{expression}");
    }
}

#[test]
fn what_works_at_a_request_is_not_reported() {
    let expressions = [
        "object.spec.containers.all(c, quantity(c.resources.limits['cpu']).isLessThan(quantity('2')))",
        "(object.spec.containers + object.spec.ephemeralContainers).all(c, c.image != '')",
        "'labels' in object.metadata && object.metadata['labels'].size() > 0 && size(object.spec) > 0",
        "object.metadata.creationTimestamp == '' || timestamp(object.metadata.creationTimestamp) < timestamp('2030-01-01T00:00:00Z')",
        "object == null || oldObject != null && object.spec.priority == null",
        "object.spec.priority == 2.0 && object.metadata == oldObject.metadata",
        "(has(object.spec.priority) ? object.spec.priority : 'none') == 'none'",
        "object.spec.?priority.orValue('none') == 'none'",
        "object.spec.containers.all(c, c.ports.all(p, p.containerPort in [1, 2]))",
        "object.metadata.managedFields.all(m, m.fieldsV1.anything == 'x')",
        "object.spec.containers.all(c, c.livenessProbe.httpGet.port == 'http' || c.livenessProbe.httpGet.port == 80)",
        "object.metadata.namespace != 'default' && object.spec.volumes.exists(v, has(v.hostPath))",
    ];
    assert_eq!(mismatches(&[PODS], &expressions), [""; 0]);
    let own = ["object.data.token.startsWith('a') && object.stringData.a == 'b'"];
    assert_eq!(mismatches(&["/v1/secrets"], &own), [""; 0]);
    let open =
        ["object.spec.versions.all(v, v.schema.openAPIV3Schema.properties.spec.properties.a.type == 'b')"];
    let definitions = "apiextensions.k8s.io/v1/customresourcedefinitions";
    assert_eq!(mismatches(&[definitions], &open), [""; 0]);
}

#[test]
fn kinds_that_an_expression_tells_apart_are_not_checked_for_each_other() {
    let both = [DEPLOYMENTS, PODS];
    let unguarded = "object.spec.template.spec.containers.size() == 1";
    let message = "undefined field `spec.template` in `Pod` of `v1`";
    assert_eq!(mismatches(&both, &[unguarded]), [message]);
    for guard in
        ["object.kind == 'Pod' ||", "!has(object.spec.template) ||", "request.resource.resource == 'pods' ||"]
    {
        assert_eq!(mismatches(&both, &[&format!("{guard} {unguarded}")]), [""; 0], "{guard}");
    }
    assert_eq!(
        mismatches(&both, &["object.kind == 'Pod' || object.spec.contaners.size() > 0"]),
        ["undefined field `spec.contaners` in `Pod` of `v1` and 1 other kind"]
    );
    // Objects of other kinds may have the field.
    for other in ["a.b/v1/ponds", "/v1/pods/status", "apps/*/deployments", "*/*/*"] {
        assert_eq!(mismatches(&[PODS, other], &["has(object.spec.depth)"]), [""; 0], "{other}");
    }
}

#[test]
fn wildcards_and_groups_that_are_not_known_have_no_types() {
    for resource in [
        "apps/*/deployments",
        "*/v1/deployments",
        "apps/v1/*",
        "apps/v1/deployments/scale",
        "a.b/v1/deployments",
    ] {
        assert_eq!(mismatches(&[resource], &["object.spec.replica < 3"]), [""; 0], "{resource}");
    }
}

#[test]
fn variables_have_the_types_of_their_expressions() {
    let text =
        policy(&[DEPLOYMENTS], &["variables.pod.contaners.size() > 0", "variables.lost.anything == 1"]);
    let variables = "  variables:\n  - {name: pod, expression: object.spec.template.spec}\n  - {name: lost, expression: object.spe}\n";
    let text = text.replace("  validations:\n", &format!("{variables}  validations:\n"));
    let found = findings(&text, &RunResources::default());
    let messages: Vec<_> = found.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "undefined field `spe` in `Deployment` of `apps/v1`",
            "undefined field `spec.template.spec.contaners` in `Deployment` of `apps/v1`",
        ]
    );
}

#[test]
fn definitions_of_the_run_are_types_of_objects_and_of_parameters() {
    let definition = |kind: &str, plural: &str, spec: &str| {
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: {plural}.a.b}}\nspec:\n  \
             group: a.b\n  scope: Namespaced\n  names: {{plural: {plural}, kind: {kind}}}\n  versions:\n  - name: v1\n    served: true\n    \
             storage: true\n    schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {spec}}}}}}}\n"
        )
    };
    let fields = "{type: object, properties: {depth: {type: integer}, size: {type: number}, at: {type: string, format: date-time}}}";
    let open =
        "{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {depth: {type: integer}}}";
    let mut run = RunResources::default();
    for text in [definition("Pond", "ponds", fields), definition("Lake", "lakes", open)] {
        run.add_documents(&parse_stream(FileId(1), &text).documents.iter().collect::<Vec<_>>());
    }
    let messages = |resource: &str, expression: &str, param_kind: &str| {
        let text = policy(&[resource], &[expression]);
        let kind = format!("spec:\n  paramKind: {{apiVersion: a.b/v1, kind: {param_kind}}}\n");
        let found = findings(&text.replace("spec:\n  match", &format!("{kind}  match")), &run);
        found.into_iter().map(|finding| (finding.code, finding.message)).collect::<Vec<_>>()
    };
    let undefined = |field: &str| vec![("KP106", format!("undefined field `{field}` in `Pond` of `a.b/v1`"))];
    assert_eq!(messages("a.b/v1/ponds", "object.spec.dept == 1", "Lake"), undefined("spec.dept"));
    assert_eq!(
        messages("a.b/v1/lakes", "object.spec.dept == params.spec.siz", "Pond"),
        undefined("spec.siz")
    );
    assert_eq!(messages("c.d/v1/seas", "object.spec.dept == params.spec.siz", "Pond"), undefined("spec.siz"));
    let unchecked = "fields of `params` are not checked: no definition of `Sea` in `a.b/v1`".to_owned();
    assert_eq!(
        messages("a.b/v2/ponds", "object.spec.dept == params.spec.dept", "Sea"),
        [("KP106", unchecked)]
    );
    let right =
        "object.spec.size == 1 && object.spec.at.startsWith('2') && object.metadata.name != object.kind";
    assert_eq!(messages("a.b/v1/ponds", right, "Pond"), []);
}

/// The YAML files below a directory.
fn yaml_files(directory: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let is_yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
        if path.is_dir() {
            yaml_files(&path, found);
        } else if is_yaml {
            found.push(path);
        }
    }
}

/// Texts of the recorded policies: those of the suites, and of cases.
fn recorded_policies() -> Option<Vec<String>> {
    let mut files = Vec::new();
    for directory in ["suites", "kubernetes/vap-example"] {
        yaml_files(&kvrules_testdata::find_path(directory)?, &mut files);
    }
    let texts = files.iter().filter_map(|path| std::fs::read_to_string(path).ok());
    let mut texts: Vec<_> = texts.filter(|text| text.contains("kind: ValidatingAdmissionPolicy")).collect();
    let rows = kvrules_testdata::read_rows("kubernetes/vap-cases.jsonl")?;
    for row in &rows {
        let documents = ["doc", "policy"].iter().filter_map(|key| row.get(key));
        texts.extend(documents.map(Value::to_string));
    }
    Some(texts)
}

#[test]
fn recorded_policies_have_findings_only_about_fields_that_do_not_exist() {
    let Some(texts) = recorded_policies() else { return };
    let Some(definition) = kvrules_testdata::read_text(kvrules_testdata::VIRTUAL_MACHINES) else { return };
    let mut run = RunResources::default();
    run.add_documents(&parse_stream(FileId(1), &definition).documents.iter().collect::<Vec<_>>());
    let (mut policies, mut built_in, mut unchecked, mut found) = (0, 0, 0, Vec::new());
    for text in &texts {
        for document in serde_yaml::Deserializer::from_str(text) {
            let Ok(document) = serde::Deserialize::deserialize(document) else { continue };
            let document: Value = document;
            if document["kind"] != "ValidatingAdmissionPolicy" {
                continue;
            }
            policies += 1;
            let checked = resources_to_check(&document).resources;
            let is_built_in = checked.iter().any(|it| {
                find_resources(&it.group)
                    .any(|known| known.plural == it.resource && known.version == it.version)
            });
            built_in += usize::from(is_built_in);
        }
        let (notes, errors): (Vec<_>, Vec<_>) =
            findings(text, &run).into_iter().partition(|it| it.level == Level::Info);
        found.extend(errors.into_iter().filter(|finding| finding.code == "KP106"));
        unchecked += notes.iter().filter(|finding| finding.code == "KP106").count();
    }
    println!(
        "{policies} recorded policies, {built_in} of them checked against built-in types, {unchecked} without their parameters"
    );
    assert!(unchecked > 0);
    // The cases try fields that VirtualMachines do not have. The policies of the suites are right.
    let fields = ["nope", "spec.a", "spec.l", "spec.nope", "spec.replicas", "spec.s"];
    let fields = fields.into_iter().chain(["spec.template.spec.domain.nope", "spec.x"]);
    let expected: BTreeSet<_> = fields
        .map(|field| format!("undefined field `{field}` in `VirtualMachine` of `kubevirt.io/v1`"))
        .collect();
    let messages: BTreeSet<_> = found.into_iter().map(|finding| finding.message).collect();
    assert_eq!(messages, expected);
    assert!(built_in > 30, "{built_in} of {policies}");
}

#[test]
fn parameters_of_a_kind_without_definition_are_said_to_be_unchecked() {
    let with = |param_kind: &str, expression: &str| {
        let variables = "  variables:\n  - {name: most, expression: params.spec.most}\n";
        policy(&["apps/v1/deployments"], &[expression]).replacen(
            "spec:\n",
            &format!("spec:\n  paramKind: {param_kind}\n{variables}"),
            1,
        )
    };
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: limits.example.com}\nspec:\n  \
                      group: example.com\n  scope: Namespaced\n  names: {plural: limits, kind: Limit}\n  versions:\n  - {name: v1, served: \
                      true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {most: \
                      {type: integer}}}}}}}\n";
    let stream = parse_stream(FileId(0), definition);
    let mut defined = RunResources::default();
    defined.add_documents(&stream.documents.iter().collect::<Vec<_>>());
    let limit = "{apiVersion: example.com/v1, kind: Limit}";
    for expression in ["object.spec.replicas < variables.most", "object.spec.replicas < params.spec.most"] {
        let text = with(limit, expression);
        let found = findings(&text, &RunResources::default());
        let [note] = found.as_slice() else { panic!("{found:#?}") };
        assert_eq!((note.code, note.level), ("KP106", Level::Info));
        assert_eq!(
            note.message,
            "fields of `params` are not checked: no definition of `Limit` in `example.com/v1`"
        );
        assert_eq!(&text[note.primary.span.to_range()], "Limit");
        assert!(findings(&text, &defined).is_empty(), "its definition is an input");
    }
    // Nothing reads them, their kind is built in, or it is not known.
    let config = "{apiVersion: v1, kind: ConfigMap}";
    for text in [
        with(limit, "object.spec.replicas < 3"),
        with(config, "object.spec.replicas < int(params.data.most)"),
        with("{apiVersion: example.com/v1, kind: '${KIND}'}", "object.spec.replicas < variables.most"),
    ] {
        let notes = findings(&text, &RunResources::default());
        assert!(notes.iter().all(|it| it.level != Level::Info), "{notes:#?}");
    }
}
