//! `kvrules import schema`: a definition on standard output, what it loses on standard error.

use serde_json::Value;

use crate::place::Place;

const BOX: &str = "type: object\nproperties:\n  size: {type: integer, exclusiveMinimum: 0}\n  unit: {const: cm}\n  \
                   label: {type: [string, 'null'], format: regex}\n";

#[test]
fn a_schema_becomes_a_definition_and_its_losses_are_told() {
    let place = Place::with(&[("box.yaml", BOX)]);
    let run = place.run(&["import", "schema", "box.yaml", "--group", "a.example.com", "--kind", "Box"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    for line in
        ["  name: boxes.a.example.com", "    kind: Box", "  scope: Namespaced", "            nullable: true"]
    {
        assert!(run.out.lines().any(|found| found == line), "{line}: {run:?}");
    }
    assert!(run.err.contains("the server does not check the format `regex` (wider)"), "{run:?}");
    assert!(run.err.contains("box.yaml:5:43"), "{run:?}");
    let again = ["import", "schema", "-", "--bare", "--output-format", "json", "-o", "schema.yaml"];
    let run = place.run_with_input(&again, BOX);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{run:?}");
    assert!(place.read("schema.yaml").starts_with("type: object\nproperties:\n  size:\n    type: integer\n"));
    let reported: Value = serde_json::from_str(&run.err).unwrap();
    assert!(reported.to_string().contains("does not check the format"), "{reported}");
}

#[test]
fn losses_are_what_the_option_makes_of_them() {
    let place = Place::with(&[("box.yaml", BOX)]);
    let run = place.run(&["import", "schema", "box.yaml", "--loss", "error", "-o", "crd.yaml"]);
    assert_eq!((run.code, run.out.as_str()), (Some(1), ""), "{run:?}");
    assert!(
        run.err.contains("error") && run.err.contains("1 constraint would be lost; nothing is written"),
        "{run:?}"
    );
    assert!(!place.path("crd.yaml").exists());
    let run = place.run(&["import", "schema", "box.yaml", "--loss", "allow"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{run:?}");
}

#[test]
fn what_cannot_be_imported_is_told_with_its_place() {
    let cycle = "type: object\nproperties:\n  child: {$ref: '#'}\n";
    let place = Place::with(&[
        ("cycle.yaml", cycle),
        ("list.yaml", "type: array\n"),
        ("two.yaml", "type: object\n---\na: b\n"),
    ]);
    let run = place.run(&["import", "schema", "cycle.yaml"]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
    assert!(run.err.contains("recursive schema: # → #") && run.err.contains("cycle.yaml:3:17"), "{run:?}");
    let run = place.run(&["import", "schema", "list.yaml"]);
    assert!(run.code == Some(2) && run.err.contains("`--under spec` puts"), "{run:?}");
    let run = place.run(&["import", "schema", "list.yaml", "--under", "spec", "--kind", "List"]);
    assert!(run.code == Some(0) && run.out.contains("            type: array\n"), "{run:?}");
    let run = place.run(&["import", "schema", "two.yaml"]);
    assert!(run.code == Some(2) && run.err.contains("the file contains several documents"), "{run:?}");
    let run = place.run(&["import", "schema", "none.yaml"]);
    assert!(run.code == Some(2) && run.err.contains("cannot read none.yaml"), "{run:?}");
    let run = place.run(&["import", "schema", "list.yaml", "--under", "spec", "--group", "nodots"]);
    assert!(run.code == Some(2) && run.err.contains("`nodots` is not a valid group"), "{run:?}");
}

#[test]
fn a_recursive_schema_ends_where_the_user_says() {
    let tree = "type: object\nproperties:\n  name: {type: string}\n  child: {$ref: '#'}\nadditionalProperties: false\n";
    let list = "$ref: '#/$defs/node'\n$defs:\n  node: {type: object, properties: {size: {type: integer}, items: {type: array, items: {$ref: '#/$defs/node'}}}}\n";
    let place = Place::with(&[("tree.yaml", tree), ("list.yaml", list)]);
    let refused = place.run(&["import", "schema", "tree.yaml"]);
    assert!(refused.code == Some(2) && refused.err.contains("`--recursion DEPTH`"), "{refused:?}");
    for (depth, names) in [("0", 1), ("1", 2), ("3", 4)] {
        let run = place.run(&["import", "schema", "tree.yaml", "--under", "spec", "--recursion", depth]);
        assert_eq!((run.code, run.out.matches(" name:\n").count()), (Some(0), names), "{depth} {run:?}");
        assert_eq!(
            run.out.matches("x-kubernetes-preserve-unknown-fields: true").count(),
            1,
            "{depth} {run:?}"
        );
        assert!(run.err.contains("recursion through `#` ends") && run.err.contains("(wider)"), "{run:?}");
    }
    let run = place.run(&[
        "import",
        "schema",
        "list.yaml",
        "--under",
        "spec",
        "--recursion",
        "1",
        "--loss",
        "error",
    ]);
    assert!(run.code == Some(1) && run.err.contains("1 constraint would be lost"), "{run:?}");
    let run = place.run(&["import", "schema", "list.yaml", "--under", "spec", "--recursion", "1"]);
    assert_eq!((run.code, run.out.matches("size:").count()), (Some(0), 2), "{run:?}");
    let run = place.run(&["import", "schema", "list.yaml", "--recursion", "21"]);
    assert_eq!(run.code, Some(2), "{run:?}");
}
