//! `kvrules fmt`: what is written, what is shown instead, and what keeps its layout.

use crate::place::Place;

/// A template in the old form, dense, with comments and a parameter.
const DENSE: &str = r#"# head
kind: Template
metadata:
  annotations:   # odd spaces stay
    validations: |-   # and this

      [{"x":1, "rule":"integer","name":"cores","message":"at most 8",
        "path":"/spec.domain.cpu.cores","max":${{MOST}} },
       {"values":["a","b"],"name":"b"}]
    other: 'kept'
"#;

const FORMATTED: &str = r#"# head
kind: Template
metadata:
  annotations:   # odd spaces stay
    validations: |-   # and this
      [
        {
          "name": "cores",
          "path": "/spec.domain.cpu.cores",
          "rule": "integer",
          "message": "at most 8",
          "max": ${{MOST}},
          "x": 1
        },
        {
          "name": "b",
          "values": ["a", "b"]
        }
      ]
    other: 'kept'
"#;

const BROKEN: &str = "vm.kubevirt.io/validations: |\n  [{\"name\": \"a\",}]\n";

#[test]
fn files_are_written_and_a_second_run_changes_nothing() {
    let place = Place::with(&[("d/a.yaml", DENSE), ("d/b.yaml", FORMATTED)]);
    let run = place.run(&["fmt", "d"]);
    assert_eq!(
        (run.code, run.out.as_str(), run.err.as_str()),
        (Some(0), "", "formatted 1 file, 1 unchanged\n")
    );
    assert_eq!(place.read("d/a.yaml"), FORMATTED);
    let again = place.run(&["fmt", "d"]);
    assert_eq!((again.code, again.err.as_str()), (Some(0), "formatted 0 files, 2 unchanged\n"));
}

#[test]
fn a_check_names_files_and_a_difference_shows_them_and_neither_writes() {
    let place = Place::with(&[("a.yaml", DENSE), ("b.yaml", FORMATTED)]);
    let run = place.run(&["fmt", "--check", "a.yaml", "b.yaml"]);
    assert_eq!(
        (run.code, run.out.as_str(), run.err.as_str()),
        (Some(1), "a.yaml\n", "would format 1 file, 1 unchanged\n")
    );
    let run = place.run(&["fmt", "--diff", "a.yaml", "b.yaml"]);
    assert!(run.code == Some(1) && run.out.starts_with("--- a/a.yaml\n+++ b/a.yaml\n@@"), "{run:?}");
    assert!(run.out.contains("\n+          \"max\": ${{MOST}},\n"), "{run:?}");
    assert_eq!(place.read("a.yaml"), DENSE);
    let run = place.run(&["fmt", "--check", "b.yaml"]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(0), "", "nothing would change\n"));
}

#[test]
fn standard_input_goes_to_standard_output() {
    let place = Place::with(&[]);
    let run = place.run_with_input(&["fmt", "-"], DENSE);
    assert_eq!((run.code, run.out.as_str()), (Some(0), FORMATTED), "{run:?}");
    let run = place.run_with_input(&["fmt", "--check", "-"], DENSE);
    assert_eq!((run.code, run.out.as_str()), (Some(1), "<stdin>\n"), "{run:?}");
}

#[test]
fn what_has_mistakes_keeps_its_layout_and_the_others_are_done() {
    let place = Place::with(&[("a.yaml", DENSE), ("b.yaml", BROKEN)]);
    let run = place.run(&["fmt", "a.yaml", "b.yaml"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(
        run.err.contains("incomplete JSON, so they keep their layout") && run.err.contains("b.yaml:2:"),
        "{run:?}"
    );
    assert_eq!((place.read("a.yaml").as_str(), place.read("b.yaml").as_str()), (FORMATTED, BROKEN));
    let run = place.run_with_input(&["fmt", "-"], BROKEN);
    assert_eq!((run.code, run.out.as_str()), (Some(2), BROKEN), "{run:?}");
}

#[test]
fn examples_in_markdown_and_files_of_rules_alone_are_formatted() {
    let page = |rules: &str| format!("# Rules\n\n> ```yaml\n{rules}> ```\n\n[{{\"rule\":1}}]\n");
    let dense = page("> validations: |\n>   [{\"rule\":\"enum\",\n>     \"name\":\"a\"}]\n");
    let place = Place::with(&[("a.md", &dense), ("b.json", "[{\"rule\":\"enum\",\"name\":\"a\"}]\n")]);
    assert_eq!(place.run(&["fmt", "."]).code, Some(0));
    let lines = "> validations: |\n>   [\n>     {\n>       \"name\": \"a\",\n>       \"rule\": \"enum\"\n>     }\n>   ]\n";
    assert_eq!(place.read("a.md"), page(lines));
    assert_eq!(place.read("b.json"), "[\n  {\n    \"name\": \"a\",\n    \"rule\": \"enum\"\n  }\n]\n");
}
