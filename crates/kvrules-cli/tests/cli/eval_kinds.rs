//! `kvrules eval --schema` with schemas of several kinds: each object is evaluated by that of its own.

use crate::place::Place;

/// A definition with one integer in `spec`, a version with each of its defaults.
fn definition(kind: &str, group: &str, versions: &[(&str, u32)]) -> String {
    let version = |(index, (name, default)): (usize, &(&str, u32))| {
        format!(
            "  - {{name: {name}, served: true, storage: {}, schema: {{openAPIV3Schema: {{type: object, properties: {{spec: \
             {{type: object, default: {{}}, properties: {{depth: {{type: integer, default: {default}}}}}}}}}}}}}}}\n",
            index == 0
        )
    };
    let versions: String = versions.iter().enumerate().map(version).collect();
    let plural = kind.to_lowercase() + "s";
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: {plural}.{group}}}\nspec:\n  \
         group: {group}\n  scope: Namespaced\n  names: {{plural: {plural}, kind: {kind}}}\n  versions:\n{versions}"
    )
}

const RULES: &str = r#"vm.kubevirt.io/validations: |
  [{"name": "depth", "rule": "integer", "message": "deep", "path": "jsonpath::.spec.depth", "valid": "jsonpath::.spec.depth", "max": 8}]
"#;

fn place() -> Place {
    Place::with(&[
        ("crds/pond.yaml", &definition("Pond", "example.com", &[("v1", 3), ("v2", 9)])),
        ("crds/lake.yaml", &definition("Lake", "example.com", &[("v1", 30)])),
        ("crds/other.yaml", &definition("Lake", "other.example.com", &[("v1", 4)])),
        ("rules.yaml", RULES),
    ])
}

#[test]
fn each_object_is_judged_by_the_schema_of_its_own_kind_group_and_version() {
    let place = place();
    let object = |version: &str, kind: &str| {
        format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a, namespace: b}}\n")
    };
    // (object, exit status, a part of the output): the result depends on the default of `depth`, which no object
    // has.
    for (version, kind, code, reported) in [
        ("example.com/v1", "Pond", 0, "satisfied"),
        ("example.com/v2", "Pond", 1, "`9`"),
        ("example.com/v1", "Lake", 1, "`30`"),
        ("other.example.com/v1", "Lake", 0, "satisfied"),
        ("example.com/v3", "Pond", 2, "no schema for example.com/v3 Pond"),
        ("none.example.com/v1", "Lake", 2, "no schema for none.example.com/v1 Lake"),
        ("example.com/v1", "River", 2, "no schema for `River`"),
    ] {
        place.write("object.yaml", object(version, kind));
        let run = place.run(&["eval", "--schema", "crds", "--rules", "rules.yaml", "object.yaml"]);
        assert_eq!(run.code, Some(code), "{version} {kind}: {run:?}");
        assert!(run.out.contains(reported) || run.err.contains(reported), "{version} {kind}: {run:?}");
    }
    // One kind without `apiVersion`: the version that is stored, if one group has the kind.
    place.write("object.yaml", "kind: Pond\nmetadata: {name: a}\n");
    assert_eq!(
        place.run(&["eval", "--schema", "crds", "--rules", "rules.yaml", "object.yaml"]).code,
        Some(0)
    );
    place.write("object.yaml", "kind: Lake\nmetadata: {name: a}\n");
    let run = place.run(&["eval", "--schema", "crds", "--rules", "rules.yaml", "object.yaml"]);
    assert!(run.code == Some(2) && run.err.contains("several schemas are of Lake"), "{run:?}");
    place.write("object.yaml", "metadata: {name: a}\n");
    let run = place.run(&["eval", "--schema", "crds", "--rules", "rules.yaml", "object.yaml"]);
    assert!(run.code == Some(2) && run.err.contains("missing `kind`, which selects the schema"), "{run:?}");
}

#[test]
fn objects_of_several_kinds_may_stand_in_one_file_and_the_answers_do_not_depend_on_threads() {
    let place = place();
    let object = |version: &str, kind: &str, name: &str| {
        format!("---\napiVersion: {version}\nkind: {kind}\nmetadata: {{name: {name}, namespace: b}}\n")
    };
    let all = object("example.com/v2", "Pond", "one")
        + &object("other.example.com/v1", "Lake", "two")
        + &object("example.com/v1", "Pond", "three");
    place.write("all.yaml", &all);
    let list =
        "apiVersion: example.com/v1\nkind: PondList\nitems:\n- {metadata: {name: four}, spec: {depth: 11}}\n";
    place.write("list.yaml", list);
    let args =
        |jobs| ["eval", "--schema", "crds", "--rules", "rules.yaml", "all.yaml", "list.yaml", "-j", jobs];
    let run = place.run(&args("1"));
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("2 rejected") && run.err.contains("2 satisfied"), "{run:?}");
    assert!(run.out.contains("`9`") && run.out.contains("`11`"), "{run:?}");
    let again = place.run(&args("2"));
    assert_eq!((again.out, again.err, again.code), (run.out, run.err, run.code));
}

#[test]
fn a_choice_of_a_kind_is_for_all_objects_as_before() {
    let place = place();
    place.write("lake.yaml", "apiVersion: example.com/v1\nkind: Lake\nmetadata: {name: a}\n");
    let run = place.run(&["eval", "--schema", "crds#Pond", "--rules", "rules.yaml", "lake.yaml"]);
    assert!(run.code == Some(2) && run.err.contains("not a Pond, but a `Lake`"), "{run:?}");
    // Several definitions in one file choose by kind as well.
    let both = definition("Pond", "example.com", &[("v1", 3)])
        + "---\n"
        + &definition("Lake", "example.com", &[("v1", 30)]);
    place.write("both.yaml", &both);
    let run = place.run(&["eval", "--schema", "both.yaml", "--rules", "rules.yaml", "lake.yaml"]);
    assert!(run.code == Some(1) && run.out.contains("`30`"), "{run:?}");
    // A rule about a field that one kind lacks is reported only for objects of this kind.
    let none = definition("Lake", "example.com", &[("v1", 30)]).replace("depth", "width");
    place.write("both.yaml", &(definition("Pond", "example.com", &[("v1", 3)]) + "---\n" + &none));
    let run = place.run(&["eval", "--schema", "both.yaml", "--rules", "rules.yaml", "lake.yaml"]);
    assert!(run.code == Some(2) && run.err.contains("unknown field `depth`"), "{run:?}");
    place.write("pond.yaml", "apiVersion: example.com/v1\nkind: Pond\nmetadata: {name: a}\n");
    let run = place.run(&["eval", "--schema", "both.yaml", "--rules", "rules.yaml", "pond.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
}
