//! The picture at the top of the README is a real run of `check`. `cargo xtask cast` writes it.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::Path;

use crate::place::Place;

const FEDORA: &str = r#"vm.kubevirt.io/validations: |
  [
    {
      "name": "minimal-memory",
      "path": "jsonpath::.spec.domain.memory.guest",
      "rule": "integer",
      "message": "Fedora needs at least 2Gi of memory"
      "min": 2147483648
    }
  ]
"#;

const POND: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: ponds, kind: Pond}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-validations:
        - rule: self.spec.fish.all(fish, fish.size < self.spec.dept)
        properties:
          spec:
            type: object
            properties:
              depth: {type: integer}
              fish:
                type: array
                maxItems: 50
                items: {type: object, properties: {size: {type: integer}}}
";

#[test]
fn the_picture_of_the_readme_is_current() {
    let place = Place::with(&[("fedora.yaml", FEDORA), ("ponds.yaml", POND)]);
    let run = place.run(&["--color", "always", "check", "fedora.yaml", "ponds.yaml"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let picture =
        kvrules::pictures::draw_terminal("kvrules check fedora.yaml ponds.yaml", &(run.out + &run.err))
            .to_file();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images/check.svg");
    if std::env::var_os("KVRULES_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, picture).unwrap();
        return;
    }
    assert_eq!(picture, std::fs::read_to_string(path).unwrap(), "run `cargo xtask cast`");
}
