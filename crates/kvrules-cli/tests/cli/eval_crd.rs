//! `kvrules eval --engine crd`: objects as an API server evaluates them.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::Path;

use serde_json::Value;

use crate::place::{Place, Run};

/// The definition of the guide.
fn definition() -> String {
    blocks("yaml").remove(0)
}

fn guide() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/objects.md");
    std::fs::read_to_string(path).unwrap()
}

/// The blocks of a language in the guide's page.
fn blocks(language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let page = guide();
    let parts = page.split(fence.as_str()).skip(1);
    parts.map(|part| part.split("```").next().unwrap().to_owned()).collect()
}

fn pond(name: &str, spec: &str) -> String {
    format!("apiVersion: garden.example.com/v1\nkind: Pond\nmetadata: {{name: {name}}}\nspec: {spec}\n")
}

/// The command about an object.
fn eval(object: &str, args: &[&str]) -> Run {
    let place = Place::with(&[("ponds.yaml", &definition()), ("pond.yaml", object)]);
    place.run(&[&["eval", "--engine", "crd", "--schema", "ponds.yaml", "pond.yaml"], args].concat())
}

#[test]
fn the_commands_of_the_guide_print_what_it_shows() {
    let yaml = blocks("yaml");
    let files = [
        ("ponds.yaml", yaml[0].clone()),
        ("pond.yaml", yaml[1].clone()),
        ("deep.yaml", pond("mill", "{depth: 20, fish: 30}")),
    ];
    let place = Place::with(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
    let mut tried = 0;
    for block in blocks("console") {
        let (command, shown) = block.strip_prefix("$ kvrules ").unwrap().split_once('\n').unwrap();
        let args: Vec<_> = command.split_whitespace().collect();
        let run = place.run(&args);
        assert_eq!(run.out.clone() + &run.err, shown, "{command}");
        assert_eq!(run.code, Some(i32::from(shown.contains("rejected"))), "{command}");
        tried += 1;
    }
    assert_eq!(tried, 3);
}

#[test]
fn errors_stand_at_the_value_in_lists_and_in_lines() {
    let list = format!(
        "apiVersion: garden.example.com/v1\nkind: PondList\nitems:\n- metadata: {{name: a}}\n  spec: {{depth: 12, fish: 1}}\n\
         - metadata: {{name: b}}\n  spec:\n    depth: x\n---\n{}",
        pond("c", "{fish: 1}")
    );
    let run = eval(&list, &[]);
    assert_eq!(run.code, Some(1));
    let expected = "a: accepted\nb: rejected\n  spec.depth: Invalid value: \"string\": spec.depth in body must be of type \
                    integer: \"string\"\n    at pond.yaml:8:12\n  <nil>: Invalid value: null: some validation rules were not \
                    checked because the object was invalid; correct the existing errors to complete validation\n    at \
                    pond.yaml:6:3\nc: rejected\n";
    assert!(run.out.starts_with(expected), "{}", run.out);
    assert!(run.out.contains("  spec.depth: Required value\n    at pond.yaml:13:7\n"), "{}", run.out);
    let lines = "\n{\"apiVersion\": \"garden.example.com/v1\", \"kind\": \"Pond\", \"metadata\": {\"name\": \"d\"}, \"spec\": \
                 {\"depth\": 1, \"fish\": 1}}\n";
    let run = eval(lines, &["--ndjson", "--output-format", "json"]);
    let reported: Value = serde_json::from_str(&run.out).unwrap();
    let error = &reported["crd"]["errors"][0];
    assert_eq!(
        (error["line"].as_u64(), error["field"].as_str()),
        (Some(2), Some("spec.depth")),
        "{reported}"
    );
    assert_eq!(
        (reported["crd"]["verdict"].as_str(), reported["crd"]["celCost"].as_u64()),
        (Some("rejected"), Some(6))
    );
}

#[test]
fn what_is_not_defined_is_not_judged() {
    let other = "apiVersion: garden.example.com/v1\nkind: Tree\nmetadata: {name: t}\n";
    let run = eval(other, &[]);
    assert_eq!(run.code, Some(2));
    let message = "`ponds.yaml` has no definition of `Tree` in `garden.example.com`; it has `Pond` in `garden.example.com`";
    assert!(run.err.contains(message), "{}", run.err);
    let run = eval(&pond("p", "{}").replace("/v1", "/v2"), &[]);
    assert!(
        run.err.contains("`Pond` in `garden.example.com` has no version `v2`; it has `v1`"),
        "{}",
        run.err
    );
    let run = eval("spec: {}\n", &[]);
    assert!(run.err.contains("missing `kind`"), "{}", run.err);
    assert_eq!(run.code, Some(2));
}

#[test]
fn objects_of_other_kinds_in_a_directory_are_passed_over() {
    let files = [
        ("ponds.yaml", definition()),
        ("all/pond.yaml", pond("p", "{depth: 10, fish: 1}")),
        ("all/pod.yaml", "apiVersion: v1\nkind: Pod\n".to_owned()),
    ];
    let place = Place::with(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
    let run = place.run(&["eval", "--engine", "crd", "--schema", "ponds.yaml", "all"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), "p: accepted\n"), "{}", run.err);
    assert!(
        run.err.contains("all/pod.yaml: skipped 1 object of other kinds than those defined")
            || run.err.contains("all/pod.yaml: skipped, it has no object that is defined"),
        "{}",
        run.err
    );
}

#[test]
fn a_definition_that_servers_refuse_is_told_with_its_reason_and_place() {
    let broken = definition().replace("depth: {type: integer, minimum: 10}", "depth: {minimum: 10}");
    let place = Place::with(&[("ponds.yaml", &broken), ("pond.yaml", &pond("p", "{}"))]);
    let run = place.run(&["eval", "--engine", "crd", "--schema", "ponds.yaml", "pond.yaml"]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""));
    assert!(run.err.contains("must not be empty for specified object fields"), "{}", run.err);
    assert!(run.err.contains("ponds.yaml:20:22"), "{}", run.err);
    let place = Place::with(&[("old.yaml", &definition().replace("/v1\n", "/v1beta1\n")), ("pond.yaml", "")]);
    let run = place.run(&["eval", "--engine", "crd", "--schema", "old.yaml", "pond.yaml"]);
    assert!(run.err.contains("servers accept only definitions in `apiextensions.k8s.io/v1`"), "{}", run.err);
}

#[test]
fn a_stored_object_makes_an_update_of_its_own_kind_and_name_alone() {
    let stored = format!("{}---\n{}", pond("p", "{depth: 12, fish: 50}"), pond("q", "{depth: 90, fish: 1}"));
    let place = Place::with(&[("ponds.yaml", &definition()), ("old.yaml", &stored)]);
    // An error in an unchanged field is excused, and reported as a warning.
    place
        .write("pond.yaml", pond("p", "{depth: 12, fish: 50}").replace("name: p", "name: p, labels: {a: b}"));
    let run =
        place.run(&["eval", "--engine", "crd", "--schema", "ponds.yaml", "pond.yaml", "--old", "old.yaml"]);
    let expected = "p: accepted with warnings\n  warning: spec: Invalid value: too many fish for the water\n";
    assert_eq!((run.code, run.out.as_str()), (Some(0), expected), "{}", run.err);
    place.write("pond.yaml", pond("r", "{depth: 12, fish: 1}"));
    let run = place.run(&[
        "eval",
        "--engine",
        "crd",
        "--schema",
        "ponds.yaml",
        "pond.yaml",
        "--old",
        "old.yaml",
        "--trace",
    ]);
    assert!(run.out.starts_with("r: accepted\n  create: "), "{}", run.out);
    place.write("old.yaml", pond("r", "{depth: 9}").replace("/v1", "/v0"));
    let run =
        place.run(&["eval", "--engine", "crd", "--schema", "ponds.yaml", "pond.yaml", "--old", "old.yaml"]);
    assert!(run.err.contains("the stored object is of `garden.example.com/v0`"), "{}", run.err);
    assert_eq!(run.code, Some(2));
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let place = Place::with(&[("ponds.yaml", &definition()), ("pond.yaml", "")]);
    for (args, message) in [
        (&["--engine", "crd"][..], "no definition to evaluate objects against"),
        (&["--engine", "crd", "--schema", "ponds.yaml#v1"], "`#v1` selects a schema"),
        (&["--engine", "crd", "--schema", "ponds.yaml", "--rules", "ponds.yaml"], "`--rules` has no effect"),
        (&["--engine", "crd", "--schema", "ponds.yaml", "--param", "A=b"], "`--param` has no effect"),
        (&["--old", "pond.yaml"], "`--old` requires `--engine crd`"),
        (&["--engine", "crd", "--schema", "pond.yaml"], "no CustomResourceDefinition in this file"),
    ] {
        let run = place.run(&[&["eval", "pond.yaml"], args].concat());
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{args:?}");
        assert!(run.err.contains(message), "{args:?}: {}", run.err);
    }
}

#[test]
fn a_schema_of_definitions_implies_the_engine() {
    let place =
        Place::with(&[("ponds.yaml", &definition()), ("pond.yaml", &pond("p", "{depth: 10, fish: 1}"))]);
    let run = place.run(&["eval", "--schema", "ponds.yaml", "pond.yaml"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), "p: accepted\n"), "{}", run.err);
    let run = place.run(&["eval", "--schema", "ponds.yaml", "pond.yaml", "--param", "A=b"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("`--param` has no effect"), "{}", run.err);
    assert!(run.err.contains("name the engine with `--engine`"), "{}", run.err);
    // With rules, the definition determines the fields.
    let run = place.run(&[
        "eval",
        "--schema",
        "ponds.yaml",
        "pond.yaml",
        "--rules",
        "pond.yaml",
        "--old",
        "pond.yaml",
    ]);
    assert!(run.err.contains("`--old` requires `--engine crd`"), "{}", run.err);
    assert!(run.err.contains("and no `--rules`"), "{}", run.err);
}

#[test]
fn a_write_of_the_status_is_judged_by_the_status_alone() {
    let with_status = definition().replace("    storage: true\n", "    storage: true\n    subresources: {status: {}}\n").replace(
        "          spec:\n",
        "          status: {type: object, properties: {level: {type: integer, maximum: 9}}}\n          spec:\n",
    );
    let stored = pond("p", "{depth: 12, fish: 1}");
    let written = |spec: &str, level: u8| format!("{}status: {{level: {level}}}\n", pond("p", spec));
    let files = [("ponds.yaml", with_status), ("old.yaml", stored), ("new.yaml", written("{depth: 1}", 8))];
    let place = Place::with(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
    let args = ["eval", "--schema", "ponds.yaml", "new.yaml", "--old", "old.yaml", "--subresource", "status"];
    let run = place.run(&[&args[..], &["--trace"]].concat());
    let expected = "p: accepted\n  update of `status`: the rules cost 11 of 10000000\n  stored: ";
    assert!(run.code == Some(0) && run.out.starts_with(expected), "{}{}", run.out, run.err);
    assert!(run.out.contains("\"depth\":12") && run.out.contains("\"status\":{\"level\":8}"), "{}", run.out);
    place.write("new.yaml", written("{depth: 1}", 10));
    let run = place.run(&[&args[..], &["--output-format", "json"]].concat());
    let reported: Value = serde_json::from_str(&run.out).unwrap();
    let crd = &reported[0]["crd"];
    assert_eq!(
        (run.code, crd["subresource"].as_str(), crd["operation"].as_str()),
        (Some(1), Some("status"), Some("update"))
    );
    assert_eq!(
        (crd["errors"][0]["field"].as_str(), crd["errors"][0]["line"].as_u64()),
        (Some("status.level"), Some(5)),
        "{reported}"
    );
    let run = place.run(&[&args[..], &["--output-format", "junit"]].concat());
    assert!(run.code == Some(1) && run.out.contains("status.level"), "{}", run.out);
    // An object that is not stored has no status to write, and neither has one without the subresource.
    place.write("new.yaml", pond("q", "{depth: 12}"));
    let run = place.run(&args);
    assert!(run.code == Some(2) && run.err.contains("no stored object for the status"), "{}", run.err);
    place.write("new.yaml", pond("p", "{depth: 12}"));
    place.write("ponds.yaml", definition());
    let run = place.run(&args);
    assert!(run.code == Some(2) && run.err.contains("has no subresource `status`"), "{}", run.err);
    let run = place.run(&["eval", "--schema", "ponds.yaml", "new.yaml", "--subresource", "status"]);
    assert!(run.code == Some(2) && run.err.contains("--old"), "{}", run.err);
}

#[test]
fn an_integer_beyond_64_bits_is_judged_as_a_float() {
    let run = eval(&pond("p", "{depth: 12, fish: 99999999999999999999}"), &[]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(
        run.out.contains("spec.fish: Invalid value: \"number\": spec.fish in body must be of type integer"),
        "{}",
        run.out
    );
}

#[test]
fn junit_has_a_testcase_for_each_object() {
    let objects =
        format!("{}---\n{}", pond("p", "{depth: 1, fish: 1, x: 1}"), pond("q", "{depth: 10, fish: 1, x: 1}"));
    let run = eval(&objects, &["--output-format", "junit"]);
    let report = roxmltree::Document::parse(&run.out).unwrap();
    let cases: Vec<_> = report.descendants().filter(|node| node.has_tag_name("testcase")).collect();
    assert_eq!(cases.len(), 2);
    let failure = cases[0].first_element_child().unwrap();
    assert!(failure.attribute("message").unwrap().ends_with("should be greater than or equal to 10"));
    assert!(failure.text().unwrap().contains("at pond.yaml:4:"), "{}", run.out);
    assert!(
        run.out.contains("<system-out>warning: unknown field &quot;spec.x&quot;")
            || run.out.contains("<system-out>warning: unknown field \"spec.x\""),
        "{}",
        run.out
    );
}

#[test]
fn hostile_definitions_and_objects_end_with_an_answer() {
    let deep = format!("{}{}", "{a: ".repeat(10_000), "}".repeat(10_000));
    let run = eval(&pond("p", &deep), &[]);
    assert_eq!(run.code, Some(2), "{}", run.err.get(..300).unwrap_or(&run.err));
    let broken = definition().replace("{type: integer, minimum: 10}", &deep);
    let place = Place::with(&[("ponds.yaml", &broken), ("pond.yaml", &pond("p", "{}"))]);
    let run = place.run(&["eval", "--engine", "crd", "--schema", "ponds.yaml", "pond.yaml"]);
    assert_eq!(run.code, Some(2));
    let bomb = "a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b]\n\
                d: &d [*c, *c, *c, *c, *c, *c, *c, *c]\ne: &e [*d, *d, *d, *d, *d, *d, *d, *d]\nf: [*e, *e, *e, *e, *e, *e, *e, *e]\n";
    let run = eval(&format!("{}{bomb}", pond("p", "{}")), &[]);
    assert_ne!(run.code, Some(0), "{}", run.err.get(..300).unwrap_or(&run.err));
}

/// `kubectl` reads YAML by version 1.1 before it sends JSON: goyaml.v2 of sigs.k8s.io/yaml, resolve.go.
#[test]
fn values_are_those_that_reach_the_server() {
    let objects = [pond("p", "{depth: 0144, fish: 1_0.0}"), pond("q", "{depth: 010, fish: yes}")];
    let run = eval(&objects.join("---\n"), &[]);
    assert!(run.out.starts_with("p: accepted\nq: rejected\n"), "{}{}", run.out, run.err);
    assert!(run.out.contains("spec.depth: Invalid value: 8: "), "{}", run.out);
    assert!(run.out.contains("spec.fish: Invalid value: \"boolean\": "), "{}", run.out);
    assert!(run.out.contains("pond.yaml:9:26\n"), "{}", run.out);
}
