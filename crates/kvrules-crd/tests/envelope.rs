//! Checks the parts of a definition around its schemas, and the metadata of policies: every error is reported at its
//! line.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

use std::path::{Path, PathBuf};

use kvrules_apiserver::definition::review_definition;
use kvrules_crd::{CheckReport, StoredResources, check_documents, check_update};
use kvrules_diagnostics::{Diagnostic, FileId, Level, SourceFile};
use kvrules_syntax::parse_stream;

fn checked(text: &str, old: &[&str]) -> (SourceFile, CheckReport) {
    let source = SourceFile::new(FileId(0), "crd.yaml", text);
    let stream = parse_stream(source.id(), source.text());
    let documents: Vec<_> = stream.documents.iter().collect();
    let mut definitions = StoredResources::default();
    for old in old {
        let stream = parse_stream(FileId(1), old);
        definitions.add_documents(&stream.documents.iter().collect::<Vec<_>>());
    }
    let checked = match old {
        [] => check_documents(&source, &documents),
        _ => check_update(&source, &documents, &definitions),
    };
    (source, checked)
}

fn lines(source: &SourceFile, findings: &[Diagnostic]) -> Vec<String> {
    let line = |it: &Diagnostic| {
        let level = it.level.as_str();
        format!("{} {level} {}", source.position_at(it.primary.span.start).line, it.message)
    };
    findings.iter().map(line).collect()
}

fn errors(checked: &CheckReport) -> Vec<Diagnostic> {
    checked.findings.iter().filter(|it| it.level == Level::Error).cloned().collect()
}

const EVERYTHING: &str = include_str!("envelope/everything.yaml");

#[test]
fn every_mistake_of_the_envelope_is_reported_at_its_line() {
    let (source, checked) = checked(EVERYTHING, &[]);
    let marked = EVERYTHING.lines().enumerate().filter_map(|(index, line)| {
        let (_, mark) = line.split_once("# ")?;
        Some(mark.split(" & ").map(move |mark| format!("{} {mark}", index + 1)))
    });
    let marked: Vec<String> = marked.flatten().collect();
    let found = lines(&source, &checked.findings);
    assert!(marked.len() > 30);
    for mark in &marked {
        assert!(found.iter().any(|line| line == mark), "missing: {mark}\n{}", found.join("\n"));
    }
    assert_eq!(found.len(), marked.len(), "{}", found.join("\n"));
    // Every error of the server must have a finding.
    let document = serde_yaml::from_str(EVERYTHING).unwrap();
    for error in review_definition(&document, None).all_errors() {
        let follows = ["spec.version", "status.storedVersions"].contains(&error.field.as_str());
        let is_reported = checked.findings.iter().any(|it| it.field.as_deref() == Some(&error.field));
        assert!(follows || is_reported, "{error:?}");
    }
}

/// The reproducer of sixteen errors that nothing was said of.
#[test]
fn the_sixteen_errors_of_a_definition_with_a_bad_envelope_are_all_reported() {
    let text = include_str!("envelope/sixteen.yaml");
    let document = serde_yaml::from_str(text).unwrap();
    let server = review_definition(&document, None).all_errors();
    assert_eq!(server.len(), 16, "{server:#?}");
    let (source, checked) = checked(text, &[]);
    for error in &server {
        let is_reported = checked.findings.iter().any(|it| it.field.as_deref() == Some(&error.field));
        assert!(
            is_reported || error.field == "spec.version",
            "{error:?}\n{}",
            lines(&source, &checked.findings).join("\n")
        );
    }
}

#[test]
fn a_patch_of_a_definition_gets_one_note() {
    let head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: ponds.example.com\n";
    for patch in [
        "",
        "  annotations: {cert-manager.io/inject-ca-from: a/b}\n",
        "spec: {conversion: {strategy: Webhook}}\n",
        "spec: {}\n",
        "spec:\n  versions: [{name: v1, schema: {openAPIV3Schema: {properties: {spec: {properties: {a: {maxLength: 3}}}}}}}]\n",
        "spec: {preserveUnknownFields: false}\n",
    ] {
        let (source, checked) = checked(&format!("{head}{patch}"), &[]);
        let found = lines(&source, &checked.findings);
        assert_eq!(
            found,
            ["2 info patch of a definition: only the types of its fields are checked"],
            "{patch}"
        );
    }
    let (_, typed) = self::checked(&format!("{head}spec: {{conversion: [7]}}\n"), &[]);
    assert_eq!(errors(&typed).len(), 1);
    // A document with any required part of a specification is a definition, not a patch.
    let (_, whole) = self::checked(&format!("{head}spec: {{group: example.com}}\n"), &[]);
    assert!(errors(&whole).len() > 3);
}

const OLD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ponds.example.com}\nspec:\n  group: \
                   example.com\n  scope: Namespaced\n  names: {plural: ponds, kind: Pond}\n  versions:\n  - name: v1\n    served: true\n    storage: \
                   true\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          spec:\n            type: object\n            \
                   properties:\n              x: {type: text}\n              l: {type: array, items: {type: string}, x-kubernetes-validations: \
                   [{rule: \"self.all(x, x in ['a', 'b'])\"}]}\n";

#[test]
fn an_update_is_asked_for_less_and_may_not_change_everything() {
    let (_, as_new) = checked(OLD, &[]);
    assert_eq!(errors(&as_new).len(), 2, "{:?}", as_new.findings);
    // An unknown type and an expensive rule may stay.
    let (source, same) = checked(OLD, &[OLD]);
    assert_eq!(lines(&source, &errors(&same)), [""; 0]);
    let described = OLD.replace("l: {type: array,", "l: {type: array, description: d,");
    let (_, described) = checked(&described, &[OLD]);
    assert_eq!(errors(&described)[0].code, "KC304");
    for (from, to, line) in [
        ("kind: Pond", "kind: Lake", "7 error the update changes the immutable field `spec.names.kind`"),
        ("Namespaced", "Cluster", "6 error the update changes the immutable field `spec.scope`"),
        ("name: v1", "name: v2", "9 error the update removes version `v1`, in which objects may be stored"),
    ] {
        let (source, changed) = checked(&OLD.replace(from, to), &[OLD]);
        let found = lines(&source, &errors(&changed));
        assert!(found.contains(&line.to_owned()), "{found:?}");
        let of_update = changed.findings.iter().filter(|it| it.code == "KC103").count();
        assert_eq!(of_update, 1);
    }
    // A definition of another name is a new one.
    let other = OLD.replace("ponds", "lakes");
    assert_eq!(errors(&checked(&other, &[OLD]).1).len(), 2);
}

#[test]
fn the_metadata_of_policies_and_bindings_is_checked() {
    let text = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata:\n  name: b\n  labels: {a: b c}\n  \
                annotations: {x/: z}\n  namespace: water\nspec:\n  policyName: p\n  validationActions: [Deny]\n";
    let (source, checked) = checked(text, &[]);
    let found = lines(&source, &checked.findings);
    assert_eq!(
        found,
        [
            "5 error invalid label value `b c`",
            "6 error invalid annotation key `x/`",
            "7 warning a binding is cluster-scoped, so `namespace` is dropped",
            "9 warning no policy `p` in the checked files",
        ]
    );
    assert_eq!(checked.findings[0].field.as_deref(), Some("metadata.labels"));
}

const POLICY: &str = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p, uid: a}\nspec:\n  \
                      matchConstraints:\n    resourceRules:\n    - {apiGroups: [a.b], apiVersions: [v1], operations: [CREATE], resources: [x]}\n  \
                      matchConditions:\n  - {name: c, expression: nope}\n  validations:\n  - {expression: 'object.x == 1'}\n";

#[test]
fn match_conditions_of_a_policy_are_checked_again_only_if_they_change() {
    let found = |text: &str, old: &[&str]| {
        let (source, checked) = checked(text, old);
        (lines(&source, &errors(&checked)), checked.findings)
    };
    assert_eq!(found(POLICY, &[]).0.len(), 1);
    assert_eq!(found(POLICY, &[POLICY]).0, [""; 0]);
    let changed = POLICY.replace("name: c", "name: d");
    assert_eq!(found(&changed, &[POLICY]).0.len(), 1);
    let params = POLICY.replace("spec:", "spec:\n  paramKind: {apiVersion: v1, kind: ConfigMap}");
    assert_eq!(found(&params, &[POLICY]).0.len(), 1);
    // All other checks are those of a new policy.
    let wrong = POLICY.replace("object.x == 1", "object.x");
    assert_eq!(found(&wrong, &[&wrong]).0.len(), 1);
    // A policy of another name is a new one, and so is a binding of this name.
    assert_eq!(found(POLICY, &[&changed.replace("name: p", "name: q")]).0.len(), 1);
    let deleted = POLICY.replace("uid: a", "uid: a, deletionTimestamp: \"2020-01-01T00:00:00Z\"");
    let (reported, findings) = found(&deleted, &[POLICY]);
    assert_eq!(reported, ["3 error the update changes the immutable field `metadata.deletionTimestamp`"]);
    assert_eq!(findings[0].code, "KC103");
}

#[test]
fn what_no_type_shows_and_the_server_cannot_decode_is_reported() {
    let definition = OLD
        .replace("x: {type: text}", "x: {type: string}")
        .replace("x-kubernetes-validations: [{rule: \"self.all(x, x in ['a', 'b'])\"}]", "maxItems: 3");
    assert_eq!(errors(&checked(&definition, &[]).1), []);
    let policy = POLICY.replace("nope", "'true'");
    for (text, name) in [(definition, "ponds.example.com"), (policy, "p, uid: a")] {
        let (from, to) = (format!("name: {name}"), format!("name: {name}, creationTimestamp: yesterday"));
        let (source, checked) = checked(&text.replace(&from, &to), &[]);
        let found = errors(&checked);
        assert_eq!(lines(&source, &found)[0], "2 error the server cannot decode the document");
        let words = &found[0].primary.text;
        assert!(words.starts_with("the server says `parsing time \"yesterday\""), "{words}");
    }
}

#[test]
fn values_of_the_wrong_type_are_reported_and_bring_nothing_down() {
    let whole = OLD
        .replace("x: {type: text}", "x: {type: string}")
        .replace(", x-kubernetes-validations:", ", maxItems: 5, x-kubernetes-validations:");
    for (from, to) in [
        ("{name: ponds.example.com}", "7"),
        ("{name: ponds.example.com}", "[a]"),
        ("Namespaced", "{}"),
        ("{plural: ponds, kind: Pond}", "[x]"),
        ("name: v1", "name: {}"),
        ("served: true", "served: []"),
        ("group: example.com", "group: 7"),
        ("{name: ponds.example.com}", "{name: ponds.example.com, labels: {a: 7}}"),
        ("{name: ponds.example.com}", "{name: ponds.example.com, ownerReferences: {}}"),
    ] {
        assert!(whole.contains(from));
        let (_, checked) = checked(&whole.replace(from, to), &[&whole]);
        assert!(!errors(&checked).is_empty(), "{to}");
    }
    for spec in [
        "7",
        "[]",
        "''",
        "{versions: 7}",
        "{group: a.b, versions: [7, {}, []]}",
        "{names: {shortNames: [[]]}, scope: x}",
    ] {
        let text = format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{}}\nspec: {spec}\n"
        );
        assert!(!errors(&checked(&text, &[]).1).is_empty(), "{spec}");
    }
}

/// Released definitions that servers reject: the annotation has an empty name behind its domain.
const REFUSED_ANNOTATION: &str = "feature-gate.release.openshift.io/";

/// Examples of an error, which no server accepts: no version is stored, and rules are too expensive.
const REFUSED_FILES: [&str; 2] = ["thepluralresource-d2d1ad22.yaml", "thepluralresource-fdf4dba3.yaml"];

#[test]
fn released_definitions_have_no_errors_but_those_of_the_server() {
    let mut files = Vec::new();
    for name in ["kubernetes/crds", "kubernetes/crds-2", "suites"] {
        if let Some(folder) = kvrules_testdata::find_path(name) {
            collect(&folder, name != "suites", &mut files);
        }
    }
    if files.is_empty() {
        return;
    }
    let (mut definitions, mut refused, mut wrong) = (0, 0, Vec::new());
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let source = SourceFile::new(FileId(0), file.display().to_string(), &text);
        let stream = parse_stream(source.id(), source.text());
        let documents: Vec<_> = stream.documents.iter().collect();
        let checked = check_documents(&source, &documents);
        definitions += checked.rules.len();
        let (known, others): (Vec<_>, Vec<_>) = errors(&checked)
            .into_iter()
            .partition(|it| it.code == "KC102" && it.message.contains(REFUSED_ANNOTATION));
        refused += usize::from(!known.is_empty());
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if !others.is_empty() && !REFUSED_FILES.contains(&name.as_ref()) {
            wrong.push(format!("{}: {}", file.display(), lines(&source, &others).join("\n    ")));
        }
    }
    println!(
        "{} files, {definitions} definitions, {refused} with a refused annotation, {} with other errors",
        files.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(definitions > 150);
}

fn collect(folder: &Path, is_wanted: bool, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            collect(&path, is_wanted || name == "zz_generated.crd-manifests", files);
        } else if is_wanted && path.extension().is_some_and(|it| it == "yaml" || it == "yml") {
            files.push(path);
        }
    }
}

/// A definition with two versions, whose schemas and selectable fields these are.
fn versions(first: [&str; 2], second: [&str; 2]) -> String {
    let version = |name: &str, [schema, fields]: [&str; 2]| {
        let is_first = name == "v1";
        format!(
            "  - name: {name}\n    served: true\n    storage: {is_first}\n    schema: {schema}\n    selectableFields: {fields}\n"
        )
    };
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: ponds.example.com}}\nspec:\n  \
         group: example.com\n  scope: Namespaced\n  names: {{plural: ponds, singular: pond, kind: Pond, listKind: PondList}}\n  \
         versions:\n{}{}",
        version("v1", first),
        version("v2", second),
    )
}

#[test]
fn selectable_fields_are_refused_in_words_that_name_the_cause() {
    const DEEP: &str = "{openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}}}}}}";
    const BARE: &str = "{openAPIV3Schema: {type: object}}";
    const LINKED: &str = "{openAPIV3Schema: {type: object, properties: {spec: {type: object, $ref: '#/x'}}}}";
    let fields = "[{jsonPath: .spec.a}]";
    for (first, second, expected) in [
        ([DEEP, fields], [DEEP, fields], [].as_slice()),
        ([DEEP, fields], [BARE, "[]"], &[]),
        (
            [DEEP, fields],
            [DEEP, "[]"],
            &["13 error selectable fields differ between versions with the same schema"],
        ),
        (
            ["{}", fields],
            [DEEP, "[]"],
            &[
                "12 error missing schema of a version",
                "13 error selectable fields of a version without a schema",
            ],
        ),
        (
            [LINKED, fields],
            [BARE, "[]"],
            &[
                "12 error `$ref` is not allowed in structural schemas",
                "12 error selectable fields of a schema that is not structural",
            ],
        ),
    ] {
        let (source, checked) = checked(&versions(first, second), &[]);
        let mut found = lines(&source, &errors(&checked));
        found.sort();
        assert_eq!(found, expected);
    }
    let (_, checked) = checked(&versions([DEEP, fields], [DEEP, "[]"]), &[]);
    let words = "the server says `selectableFields may only be set when version.schema.openAPIV3Schema is not included`";
    assert_eq!(errors(&checked)[0].primary.text, words, "as the server writes it");
}

#[test]
fn a_field_that_the_server_misspells_is_spelled_right_for_people() {
    let text = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: b}\n\
                spec:\n  policyName: p\n  validationActions: [Deny]\n  matchResources:\n    resourceRules: [{apiVersions: ['*'], operations: ['*'], resources: [pods]}]\n";
    let (source, checked) = checked(text, &[]);
    let found = errors(&checked);
    assert_eq!(
        lines(&source, &found),
        ["8 error `spec.matchResources.resourceRules[0].apiGroups` is missing"]
    );
    assert_eq!(found[0].field.as_deref(), Some("spec.matchResouces.resourceRules[0].apiGroups"));
}
