//! RuleSets as marker comments for Go and as attributes for Rust.

use crate::place::Place;

const DEFINITION: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.example.com}
spec:
  group: example.com
  names: {kind: Pond, plural: ponds, singular: pond, listKind: PondList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              depth: {type: integer}
              name: {type: string, maxLength: 20}
              phase: {type: string}
              git: {type: object, properties: {url: {type: string, maxLength: 9}}}
              http: {type: object, properties: {url: {type: string, maxLength: 9}}}
              friends: {type: array, maxItems: 10, items: {type: string, maxLength: 20}}
              fish: {type: array, maxItems: 10, items: {type: object, properties: {name: {type: string, maxLength: 20}}}}
";

const RULES: &str = r#"
apiVersion: kvrules.dev/v1alpha1
kind: RuleSet
metadata: {name: ponds}
spec:
  subject: {schema: crd.yaml}
  rules:
  - {name: depth, path: spec.depth, integer: {min: 1, max: 9}}
  - {name: odd, path: spec.depth, integer: {max: 7}, message: "\"deep\" is `7`"}
  - {name: pattern, path: spec.name, pattern: "^[a-z]+\\.[\"]$"}
  - {name: longest, path: spec.name, length: {max: 9}}
  - {name: phase, path: spec.phase, in: [Draft, "Not ready"]}
  - {name: source, each: spec, atMostOneOf: [git, http]}
  - {name: friends, path: "spec.friends[*]", length: {min: 1}}
  - {name: fish, each: "spec.fish[*]", path: name, required: true}
  - {name: named, path: spec.name, required: true}
  - {name: quiet, path: spec.depth, integer: {min: 2}, severity: warn}
"#;

#[test]
fn markers_have_keywords_where_these_say_the_same() {
    let place = Place::with(&[("crd.yaml", DEFINITION), ("rules.yaml", RULES)]);
    let run =
        place.run(&["compile", "rules.yaml", "--target", "kubebuilder", "--out-dir", "build", "--verify"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let text = place.read("build/kubebuilder/ponds.txt");
    for block in [
        "// Markers of the RuleSet ponds, for Pond in example.com/v1.\n",
        "\n// Pond.spec.depth: depth\n// +kubebuilder:validation:Minimum=1\n// +kubebuilder:validation:Maximum=9\n",
        "\n// Pond.spec.depth: odd\n// +kubebuilder:validation:XValidation:rule=\"self <= 7\",message=\"\\\"deep\\\" is `7`\"\n",
        "\n// Pond.spec.name: pattern\n// +kubebuilder:validation:Pattern=`^[a-z]+\\.[\"]$`\n",
        // The schema has the keyword already.
        "\n// Pond.spec.name: longest\n// +kubebuilder:validation:XValidation:rule=\"size(self) <= 9\",",
        "\n// Pond.spec.phase: phase\n// +kubebuilder:validation:Enum={\"Draft\",\"Not ready\"}\n",
        "\n// Pond.spec: source\n// +kubebuilder:validation:AtMostOneOf=git;http\n",
        "\n// Pond.spec.friends[*]: friends\n// +kubebuilder:validation:MinLength=1\n",
        "\n// Pond.spec.fish[*]: fish\n// +kubebuilder:validation:XValidation:rule=\"has(self.name)\",message=",
        ",reason=\"FieldValueRequired\",fieldPath=\".name\"\n",
        "\n// Pond: named\n// +kubebuilder:validation:XValidation:rule=\"has(self.spec) && has(self.spec.name)\",",
    ] {
        assert!(text.contains(block), "{block}\n{text}");
    }
    assert!(!text.contains("quiet"), "{text}");
}

#[test]
fn attributes_are_literals_of_rust() {
    let place = Place::with(&[("crd.yaml", DEFINITION), ("rules.yaml", RULES)]);
    let run = place.run(&["compile", "rules.yaml", "--target", "kube-rs", "--out-dir", "build", "--verify"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        run.err.contains("items that are not structs have neither")
            || run.out.contains("items that are not structs have neither"),
        "{run:?}"
    );
    let text = place.read("build/kube-rs/ponds.txt");
    for block in [
        "\n// Pond.spec.depth: odd\n#[x_kube(validation = Rule::new(\"self <= 7\").message(\"\\\"deep\\\" is `7`\"))]\n",
        "\n// Pond.spec.fish[*]: fish\n#[x_kube(validation = Rule::new(\"has(self.name)\").message(",
        ").reason(Reason::FieldValueRequired).field_path(\".name\"))]\n",
        "\n// Pond: named\n#[kube(validation = Rule::new(\"has(self.spec) && has(self.spec.name)\").message(",
    ] {
        assert!(text.contains(block), "{block}\n{text}");
    }
}

#[test]
fn both_targets_are_for_custom_resources_alone() {
    let rules = RULES.replace("{schema: crd.yaml}", "{apiVersion: apps/v1, kind: Deployment}");
    let head = rules.split("  - {name: depth").next().unwrap();
    let set = format!("{head}  - {{name: replicas, path: spec.replicas, integer: {{min: 2}}}}\n");
    let place = Place::with(&[("web.yaml", &set)]);
    for target in ["kubebuilder", "kube-rs"] {
        let run =
            place.run(&["compile", "web.yaml", "--target", target, "--out-dir", "build", "--loss", "error"]);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.err.contains("Kubernetes itself serves the kind"), "{run:?}");
    }
}
