//! Definitions, policies and bindings in OpenShift templates, with and without parameters.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules_crd::{
    CheckReport, DefinitionCost, check_documents, estimate_costs, locate_resources, undecided_costs,
};
use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_syntax::parse_stream;

/// A definition without a mistake, with a key and a value on each line.
const GOOD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ponds.example.com
  labels:
    app: ponds
spec:
  group: example.com
  scope: Namespaced
  names:
    plural: ponds
    singular: pond
    kind: Pond
    listKind: PondList
  conversion:
    strategy: None
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      scale:
        specReplicasPath: .spec.ducks
        statusReplicasPath: .status.ducks
    additionalPrinterColumns:
    - name: Ducks
      type: integer
      jsonPath: .spec.ducks
    schema:
      openAPIV3Schema:
        type: object
        description: a pond
        required:
        - spec
        properties:
          spec:
            type: object
            x-kubernetes-validations:
            - rule: self.ducks < 9 && (!has(self.names) || self.names.all(name, name != 'x'))
              message: too many ducks
            properties:
              ducks:
                type: integer
                minimum: 1
                maximum: 20
                default: 3
              kind:
                type: string
                enum:
                - small
                - large
                default: small
              names:
                type: array
                maxItems: 5
                x-kubernetes-list-type: set
                items:
                  type: string
                  maxLength: 10
                  pattern: ^[a-z]+$
          status:
            type: object
            properties:
              ducks:
                type: integer
  - name: v1beta1
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-preserve-unknown-fields: true
";

const POLICY: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: ducks.example.com
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
    - apiGroups: [apps]
      apiVersions: [v1]
      operations: [CREATE]
      resources: [deployments]
  variables:
  - name: most
    expression: '5'
  validations:
  - expression: object.spec.replicas <= variables.most
    message: too many
";

/// A template of objects, with the parameters `P` and `NAMESPACE`.
fn template(objects: &[&str]) -> String {
    let mut text = "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: t}\n\
                    parameters:\n- name: P\n- name: NAMESPACE\nobjects:\n"
        .to_owned();
    for object in objects {
        let lines = object.lines().enumerate();
        text.extend(lines.map(|(at, line)| format!("{}{line}\n", if at == 0 { "- " } else { "  " })));
    }
    text
}

fn checked(text: &str) -> CheckReport {
    let source = SourceFile::new(FileId(0), "t.yaml", text);
    let stream = parse_stream(source.id(), source.text());
    let documents: Vec<_> = stream.documents.iter().collect();
    check_documents(&source, &documents)
}

fn priced(text: &str) -> (Vec<DefinitionCost>, usize) {
    let source = SourceFile::new(FileId(0), "t.yaml", text);
    let stream = parse_stream(source.id(), source.text());
    let documents: Vec<_> = stream.documents.iter().collect();
    (estimate_costs(&source, &documents), undecided_costs(&documents))
}

/// Kinds and messages of the findings of a text.
fn found(text: &str) -> Vec<(&'static str, String)> {
    checked(text).findings.into_iter().map(|finding| (finding.code, finding.message)).collect()
}

/// The text with the value of each of its lines replaced in turn, with the line.
fn replaced<'t>(text: &'t str, by: &'t str) -> impl Iterator<Item = (&'t str, String)> {
    text.lines().enumerate().filter_map(move |(number, line)| {
        let (front, value) = line.split_once(": ").or_else(|| line.split_once("- "))?;
        let is_item = !line.contains(": ");
        let written = format!("{front}{}{by}", if is_item { "- " } else { ": " });
        let is_kind = ["apiVersion", "kind"].contains(&front);
        let changed = |(at, line)| if at == number { written.as_str() } else { line };
        let lines: Vec<&str> = text.lines().enumerate().map(changed).collect();
        (!is_kind && !value.is_empty()).then(|| (line, lines.join("\n")))
    })
}

/// Texts with mistakes of many kinds.
fn mistaken() -> Vec<String> {
    let change = |from: &str, to: &str| {
        assert!(GOOD.contains(from), "{from}");
        GOOD.replacen(from, to, 1)
    };
    vec![
        change("storage: true", "storage: false"),
        change("scope: Namespaced", "scope: World"),
        change("kind: Pond\n", "kinds: Pond\n"),
        change("name: ponds.example.com", "name: lakes.example.com"),
        change("default: 3", "default: 30"),
        change("pattern: ^[a-z]+$", "pattern: ^[a-z"),
        change("self.ducks < 9", "self.geese < 9"),
        change("self.ducks < 9", "self.ducks < < 9"),
        change("self.ducks < 9", "self.ducks < 'a'"),
        change("maxItems: 5", "minItems: 0"),
        change("type: array", "type: list"),
        change("                items:\n                  type: string\n", "                items:\n"),
        change("name: v1beta1", "name: v1"),
        change("jsonPath: .spec.ducks", "jsonPath: spec["),
        POLICY.replace("variables.most", "variables.least"),
        POLICY.replace("failurePolicy: Fail", "failurePolicy: Failing"),
        POLICY.replace("object.spec.replicas <= ", "object.spec.replicas <= && "),
    ]
}

#[test]
fn a_definition_in_a_template_is_checked_as_by_itself() {
    for text in mistaken() {
        let alone = found(&text);
        assert!(!alone.is_empty(), "{text}");
        assert_eq!(found(&template(&[&text])), alone, "{text}");
        let list = format!("kind: List\napiVersion: v1\nitems:\n{}", indented(&text));
        assert_eq!(found(&template(&[&list])), alone, "in a list: {text}");
        let legacy = template(&[&text]).replace("template.openshift.io/v1", "v1");
        assert_eq!(found(&legacy), alone, "{text}");
    }
    let checked = checked(&template(&[GOOD, POLICY]));
    assert_eq!((checked.findings, checked.rules.len()), (vec![], 1));
    assert!(checked.undecided.is_empty());
}

fn indented(text: &str) -> String {
    format!("- {}\n", text.trim_end().replace('\n', "\n  "))
}

#[test]
fn no_parameter_makes_a_finding_of_its_own() {
    let (mut looked_at, mut undecided, mut wrong) = (0, 0, Vec::new());
    for text in [GOOD.to_owned(), POLICY.to_owned()].into_iter().chain(mistaken()) {
        let without = found(&template(&[&text]));
        for by in ["${P}", "x${P}", "'${{P}}'", "${{P}}"] {
            for (line, replaced) in replaced(&text, by) {
                let checked = checked(&template(&[&replaced]));
                for finding in &checked.findings {
                    let known = (finding.code, finding.message.clone());
                    if !without.contains(&known) {
                        wrong.push(format!("{by} in `{}`: {}", line.trim(), finding.message));
                    }
                }
                looked_at += 1;
                undecided += checked.undecided.len();
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    // Each is reported as open.
    assert!(looked_at > 1000 && undecided == looked_at, "{undecided} of {looked_at}");
}

#[test]
fn parameters_of_the_metadata_leave_every_finding_of_the_schema() {
    for text in mistaken().into_iter().filter(|text| text.contains("name: ponds.example.com")) {
        let open = text
            .replacen("  labels:", "  namespace: ${NAMESPACE}\n  labels:", 1)
            .replace("app: ponds", "app: ${P}");
        let checked = checked(&template(&[&open]));
        let found: Vec<_> = checked.findings.iter().map(|it| (it.code, it.message.clone())).collect();
        assert_eq!(found, self::found(&text), "{open}");
        let fields: Vec<_> = checked.undecided.iter().map(|part| part.field.as_str()).collect();
        assert_eq!(fields, ["metadata.namespace", "metadata.labels.app"]);
    }
}

#[test]
fn a_name_that_is_not_declared_stays_as_it_is_written() {
    let open = GOOD.replace("name: ponds.example.com", "name: ${Q}.example.com");
    assert_eq!(checked(&template(&[&open])).undecided, []);
    assert!(!found(&template(&[&open])).is_empty());
    let dollar = GOOD.replace("name: ponds.example.com", "name: $${P}.example.com");
    assert_eq!(checked(&template(&[&dollar])).undecided.len(), 1, "a dollar escapes nothing");
    let inside = GOOD.replace("description: a pond", "description: a ${{P}} pond");
    assert_eq!(checked(&template(&[&inside])).undecided, [], "only the whole text is replaced");
}

#[test]
fn the_namespace_of_an_object_is_removed_before_the_server_sees_it() {
    let text = GOOD.replacen("  labels:", "  namespace: lake\n  labels:", 1);
    assert_eq!(found(&text).len(), 1);
    assert_eq!(found(&template(&[&text])), []);
}

#[test]
fn a_reference_behind_an_alias_counts_where_it_is_used() {
    let text = GOOD
        .replace("description: a pond", "description: &d ${P}")
        .replace("pattern: ^[a-z]+$", "pattern: *d");
    assert_eq!(found(&template(&[&text])), []);
}

#[test]
fn what_is_not_checked_is_found_in_templates() {
    let webhook = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\n";
    let text = template(&[webhook]);
    let stream = parse_stream(FileId(0), &text);
    assert_eq!(locate_resources(&stream.documents[0]).len(), 1);
}

#[test]
fn costs_are_those_of_the_definition_alone_or_open() {
    let alone = priced(GOOD);
    let estimates = |costs: &[DefinitionCost]| -> Vec<_> {
        let versions = costs.iter().flat_map(|definition| &definition.versions);
        versions.flat_map(|version| version.rules.iter().map(|rule| rule.estimate)).collect()
    };
    assert_eq!((estimates(&alone.0).len(), alone.1), (1, 0));
    let labelled = GOOD.replace("app: ponds", "app: ${P}").replace("a pond", "${P}");
    for text in [template(&[GOOD]), template(&[&labelled])] {
        let inside = priced(&text);
        assert_eq!((estimates(&inside.0), inside.1), (estimates(&alone.0), 0));
    }
    let bounded = GOOD.replace("maxItems: 5", "maxItems: ${{P}}");
    let open = priced(&template(&[&bounded]));
    assert_eq!((open.0.len(), open.1), (0, 1));
}
