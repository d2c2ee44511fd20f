//! The configuration: where it is found, what it says, and what is said about a wrong one.

use crate::place::{BAD, GOOD, Place};

const PLAIN: &str = "inputs = ['rules/*.yaml']\nout-dir = 'o'\ntargets = ['openapi']\n";

#[test]
fn a_configuration_names_inputs_targets_and_outputs() {
    let place = Place::with(&[("kvrules.toml", PLAIN), ("rules/a.yaml", GOOD)]);
    let run = place.run(&["compile"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(place.files("o"), ["openapi/.kvrules-manifest", "openapi/a.yaml"]);
}

#[test]
fn it_is_found_from_below_and_its_paths_are_its_own() {
    let place = Place::with(&[("kvrules.toml", PLAIN), ("rules/a.yaml", BAD), ("x/y/z.txt", "")]);
    let run = place.run_in("x/y", &["check", "--output-format", "concise"]);
    assert!(run.out.starts_with("../../rules/a.yaml:4:41: "), "{run:?}");
    place.write("rules/a.yaml", GOOD);
    assert_eq!(place.run_in("x/y", &["compile"]).code, Some(0));
    assert!(place.path("o/openapi/a.yaml").exists());
}

#[test]
fn the_nearest_wins_and_nothing_is_merged() {
    let place = Place::with(&[
        ("kvrules.toml", PLAIN),
        ("sub/.kvrules.toml", "inputs = ['b.yaml']\n"),
        ("sub/b.yaml", BAD),
        ("sub/pyproject.toml", "[tool.kvrules]\ninputs = ['c.yaml']\n"),
        ("rules/a.yaml", GOOD),
        ("py/pyproject.toml", "[tool.other]\nkvrules = 1\n"),
    ]);
    assert!(place.run_in("sub", &["check"]).out.contains("b.yaml:4:41"));
    // A `pyproject.toml` without a section for kvrules is ignored.
    assert!(place.run_in("py", &["check"]).err.contains("checked 1 file"));
    place.write("py/pyproject.toml", "[tool.kvrules]\ninputs = ['../sub/b.yaml']\n");
    assert!(place.run_in("py", &["check"]).out.contains("sub/b.yaml:4:41"));
}

#[test]
fn options_choose_the_configuration_and_override_it() {
    let place = Place::with(&[
        ("kvrules.toml", PLAIN),
        ("rules/a.yaml", GOOD),
        ("other/c.toml", "inputs = ['b.yaml']\n"),
    ]);
    place.write("other/b.yaml", BAD);
    assert!(place.run(&["check", "--config", "other/c.toml"]).out.contains("other/b.yaml:4:41"));
    assert_eq!(place.run(&["check", "--config", "none.toml"]).code, Some(2));
    let run = place.run(&["check", "--no-config"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("no input files given, and there is no configuration"), "{run:?}");
    place.run(&["compile", "--out-dir", "p", "--target", "cel"]);
    assert!(place.path("p/cel").exists() && !place.path("o").exists());
}

#[test]
fn targets_may_have_directories_of_their_own() {
    let place = Place::with(&[("rules/a.yaml", GOOD)]);
    place.write("kvrules.toml", format!("{PLAIN}[target.openapi]\nout-dir = 'api'\n"));
    let run = place.run(&["compile"]);
    assert!(run.err.contains("wrote 1 file to api\n"), "{run:?}");
    assert!(place.path("api/a.yaml").exists() && !place.path("o").exists());
}

#[test]
fn excluded_files_are_read_only_when_named() {
    let place = Place::with(&[
        ("kvrules.toml", "inputs = ['rules']\nexclude = ['rules/old', 'rules/**/*.draft.yaml']\n"),
        ("rules/a.yaml", GOOD),
        ("rules/old/deep/b.yaml", BAD),
        ("rules/x/c.draft.yaml", BAD),
    ]);
    assert_eq!(place.run(&["check"]).err, "checked 1 file, 1 rule in 1 rule set: no findings\n");
    assert_eq!(place.run(&["check", "rules"]).code, Some(0));
    assert_eq!(place.run_in("rules", &["check", "."]).code, Some(0));
    assert_eq!(place.run_in("rules", &["check", "**/*.yaml"]).code, Some(0));
    assert_eq!(place.run(&["check", "rules/x/c.draft.yaml"]).code, Some(1));
}

#[test]
fn mistakes_in_a_configuration_are_2_with_file_line_and_column() {
    let place = Place::with(&[("rules/a.yaml", GOOD)]);
    for (text, at, message) in [
        ("inputs = []\ninput = ['a']\n", "2:1", "unknown key `input` in the configuration"),
        ("out-dir = 3\n", "1:11", "`out-dir` must be a string, not a number"),
        ("targets = ['opnapi']\n", "1:12", "did you mean `openapi`?"),
        ("[target.opnapi]\n", "1:9", "did you mean `openapi`?"),
        ("inputs = ['rules/*.yaml', 'none/*.yaml']\n", "1:27", "no file matches `none/*.yaml`"),
        ("inputs = ['none.yaml']\n", "1:11", "file `none.yaml` not found"),
        ("inputs = ['rules/{a.yaml']\n", "1:11", "invalid glob"),
        ("inputs = ['rules/*.yaml']\nexclude = ['[']\n", "2:12", "invalid glob"),
        ("inputs = [\n", "1:1", "array"),
    ] {
        place.write("kvrules.toml", text);
        for command in ["check", "compile"] {
            let run = place.run(&[command]);
            assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{text}: {run:?}");
            assert!(run.err.contains(message), "{text}: {run:?}");
            assert!(
                run.err.contains(&format!("--> kvrules.toml:{at}")) || message == "array",
                "{text}: {run:?}"
            );
        }
    }
}

#[test]
fn a_configuration_that_is_no_text_is_2() {
    let place = Place::with(&[]);
    place.write("kvrules.toml", b"inputs = ['\xff']\n");
    let run = place.run(&["check"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("kvrules.toml:1:12: not UTF-8"), "{run:?}");
}

#[test]
fn the_configuration_of_this_repository_fits_the_schema() {
    let place = Place::with(&[]);
    let schema = serde_json::from_str(&place.run(&["schema", "config"]).out).unwrap();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kvrules.toml");
    let config: toml::Value = toml::from_str(&std::fs::read_to_string(root).unwrap()).unwrap();
    let config = serde_json::to_value(config).unwrap();
    jsonschema::validate(&schema, &config).unwrap();
    assert!(jsonschema::validate(&schema, &serde_json::json!({"input": []})).is_err());
}
