//! `compile --loss` and `--loss-report`: what targets cannot say exactly, and what is made of it.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::Path;

use serde_json::Value;

use crate::place::{GOOD, Place, Run};

/// A rule that only warns, which no schema can say.
const WARNS: &str = r#"vm.kubevirt.io/validations: |
  [{
    "name": "cores", "rule": "integer", "message": "at most 8 cores", "justWarning": true,
    "path": "jsonpath::.spec.domain.cpu.cores", "valid": "jsonpath::.spec.domain.cpu.cores", "max": 8
  }]
"#;

/// A rule with a filter, which no predicate says and so is left out of every target.
const LEFT_OUT: &str = r#"vm.kubevirt.io/validations: |
  [{
    "name": "cores", "rule": "integer", "message": "at most 8 cores",
    "path": "jsonpath::.spec.domain.cpu.cores", "valid": "jsonpath::.spec.domain.cpu.cores", "max": 8
  }, {
    "name": "bus", "rule": "enum", "message": "virtio", "values": ["virtio"],
    "path": "jsonpath::.spec.domain.devices.disks[?(@.name=='root')].disk.bus"
  }]
"#;

const CAUSE: &str = "unsupported in openapi: ";

fn compile(place: &Place, args: &[&str]) -> Run {
    place.run(&[&["compile", "a.yaml", "--target", "openapi,markdown"], args].concat())
}

fn report(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn what_a_target_cannot_say_is_a_warning_and_is_written() {
    let place = Place::with(&[("a.yaml", WARNS)]);
    let run = compile(&place, &["--out-dir", "o"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.err.starts_with(&format!("warning: {CAUSE}")), "{run:?}");
    assert!(run.err.contains("\n  `cores` in a\n"), "{run:?}");
    assert!(place.path("o/openapi/a.yaml").exists());
    assert_eq!(compile(&place, &["--out-dir", "o", "--loss", "warn"]).code, Some(0));
}

#[test]
fn under_loss_error_it_is_1_and_everything_stays_as_it_was() {
    let place = Place::with(&[("a.yaml", WARNS), ("o/openapi/a.yaml", "old")]);
    let run = compile(&place, &["--out-dir", "o", "--loss", "error"]);
    assert_eq!(run.code, Some(1));
    assert!(run.err.starts_with(&format!("error: {CAUSE}")), "{run:?}");
    assert!(run.err.contains("1 rule would change meaning in a target"), "{run:?}");
    assert!(run.err.contains("nothing was written") && run.err.contains("`--loss warn`"), "{run:?}");
    assert!(run.out.contains("unsupported"), "the table is shown: {run:?}");
    assert_eq!(place.files("o"), ["openapi/a.yaml"]);
    assert_eq!(place.read("o/openapi/a.yaml"), "old");
    for how in [
        ["-o", "x.yaml"].as_slice(),
        &["-o", "-"],
        &["--out-dir", "o", "--check"],
        &["--out-dir", "o", "--diff"],
    ] {
        let run =
            place.run(&[&["compile", "a.yaml", "--target", "openapi", "--loss", "error"], how].concat());
        assert_eq!(run.code, Some(1), "{how:?}: {run:?}");
        assert!(run.err.contains("nothing was written"), "{how:?}: {run:?}");
        assert!(!place.path("x.yaml").exists() && !run.out.contains("openapi:"), "{how:?}: {run:?}");
    }
    assert_eq!(place.read("o/openapi/a.yaml"), "old");
}

#[test]
fn under_loss_allow_only_the_table_speaks() {
    let place = Place::with(&[("a.yaml", WARNS)]);
    let run = compile(&place, &["--out-dir", "o", "--loss", "allow"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "wrote 3 files to o\n"));
    assert!(run.out.contains("unsupported"), "{run:?}");
}

#[test]
fn exact_rules_and_documents_lose_nothing() {
    let place = Place::with(&[("a.yaml", WARNS), ("good.yaml", GOOD)]);
    let strict = |file: &str, target: &str| {
        place.run(&["compile", file, "--target", target, "--out-dir", "o", "--loss", "error"])
    };
    let run = strict("a.yaml", "markdown,restructuredtext");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(!run.err.contains("error") && !run.err.contains("warning"), "{run:?}");
    assert_eq!(strict("good.yaml", "openapi").code, Some(0));
}

#[test]
fn a_rule_left_out_everywhere_is_lost_in_every_target_but_documents() {
    let place = Place::with(&[("a.yaml", LEFT_OUT)]);
    let run = compile(&place, &["--out-dir", "o"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.err.contains("warning: left out of every target: "), "{run:?}");
    assert_eq!(compile(&place, &["--out-dir", "o", "--loss", "error"]).code, Some(1));
    let run = place.run(&["compile", "a.yaml", "--target", "markdown", "--out-dir", "o", "--loss", "error"]);
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn quiet_leaves_errors_and_the_table() {
    let place = Place::with(&[("a.yaml", WARNS)]);
    let run = compile(&place, &["--out-dir", "o", "-q"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    let run = compile(&place, &["--out-dir", "o", "-q", "--loss", "error"]);
    assert!(run.err.starts_with(&format!("error: {CAUSE}")), "{run:?}");
}

#[test]
fn the_configuration_decides_for_all_targets_and_for_single_ones() {
    let place = Place::with(&[("a.yaml", WARNS)]);
    let run = |config: &str, args: &[&str]| {
        place.write("kvrules.toml", format!("inputs = ['a.yaml']\nout-dir = 'o'\n{config}"));
        place.run(&[&["compile", "--target", "openapi,cel"], args].concat())
    };
    assert_eq!(run("loss = 'error'\n", &[]).code, Some(1));
    assert_eq!(run("loss = 'error'\n", &["--loss", "allow"]).code, Some(0));
    let single = run("loss = 'error'\n[target.openapi]\nloss = 'warn'\n[target.cel]\nloss = 'allow'\n", &[]);
    assert_eq!(single.code, Some(0), "{single:?}");
    assert!(single.err.contains(&format!("warning: {CAUSE}")), "{single:?}");
    assert!(!single.err.contains(" in cel: "), "{single:?}");
    assert_eq!(run("[target.cel]\nloss = 'error'\n", &["--loss", "warn"]).code, Some(0));
    let wrong = run("loss = 'none'\n", &[]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("invalid value `none` for `loss`"), "{wrong:?}");
    assert_eq!(run("", &["--loss", "none"]).code, Some(2));
}

#[test]
fn the_report_names_every_rule_and_target_and_fits_its_schema() {
    let place = Place::with(&[("a.yaml", WARNS), ("b.yaml", LEFT_OUT)]);
    let run = place.run(&["compile", "a.yaml", "b.yaml", "--out-dir", "o", "--loss-report", "r/loss.json"]);
    assert!(run.out.starts_with("2 rule sets with 3 rules, used by 2 templates\n\ntarget "), "{run:?}");
    let schema = report(&place.run(&["schema", "loss-report"]).out);
    let report = report(&place.read("r/loss.json"));
    jsonschema::validate(&schema, &report).unwrap();
    assert_eq!(
        report["targets"].as_array().unwrap().len(),
        kvrules::all_targets().iter().filter(|target| target.rule_sets.is_some()).count()
    );
    for target in report["targets"].as_array().unwrap() {
        let totals = target["totals"].as_object().unwrap().values().map(|number| number.as_u64().unwrap());
        assert_eq!(totals.sum::<u64>(), 3, "{target}");
    }
    let sets = report["sets"].as_array().unwrap();
    let rules: Vec<_> = sets.iter().flat_map(|set| set["rules"].as_array().unwrap()).collect();
    assert_eq!(rules.iter().map(|rule| &rule["name"]).collect::<Vec<_>>(), ["cores", "cores", "bus"]);
    let text = &rules[0]["targets"]["openapi"];
    assert_eq!((&text["fidelity"], &text["level"]), (&"unsupported".into(), &"warning".into()));
    assert!(text["cause"].as_str().unwrap().contains("warns"), "{text}");
    assert_eq!(rules[0]["targets"]["markdown"], serde_json::json!({"fidelity": "exact"}));
    assert_eq!(rules[2]["left_out"], true);
    assert!(rules[2]["targets"]["markdown"].get("level").is_none());
    // A report without required members does not match the schema.
    assert!(jsonschema::validate(&schema, &serde_json::json!({"targets": []})).is_err());
}

#[test]
fn the_report_is_written_when_a_loss_is_an_error_and_is_the_same_on_every_run() {
    let place = Place::with(&[("a.yaml", WARNS)]);
    let run = || compile(&place, &["--out-dir", "o", "--loss", "error", "--loss-report", "loss.json"]).code;
    assert_eq!(run(), Some(1));
    let first = place.read("loss.json");
    assert!(first.contains("\"level\": \"error\""), "{first}");
    assert_eq!(run(), Some(1));
    assert_eq!(place.read("loss.json"), first);
}

#[test]
fn the_report_can_go_to_standard_output_which_holds_one_thing() {
    let place = Place::with(&[("a.yaml", WARNS)]);
    let run = compile(&place, &["--out-dir", "o", "--loss-report", "-"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(report(&run.out)["sets"][0]["name"], "a");
    for other in [["-o", "-"].as_slice(), &["--check"], &["--diff"]] {
        let run =
            place.run(&[&["compile", "a.yaml", "--target", "openapi", "--loss-report", "-"], other].concat());
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{other:?}");
        assert!(run.err.contains("`--loss-report` a file"), "{run:?}");
    }
    let run = place.run(&["compile", "a.yaml", "--target", "openapi", "-o", "-", "--loss-report", "r.json"]);
    assert!(run.out.starts_with("openapi: ") && place.path("r.json").exists(), "{run:?}");
}

/// Whatever the targets learn to say: the policy, the report and the exit status agree on the examples.
#[test]
fn the_exit_status_says_whether_the_report_has_an_error() {
    let place = Place::with(&[]);
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    let examples = examples.to_str().unwrap();
    for target in kvrules::all_targets().iter().filter(|target| target.rule_sets.is_some()) {
        let run = place.run(&[
            "compile",
            examples,
            "--target",
            target.name,
            "--out-dir",
            "o",
            "--loss-report",
            "r.json",
        ]);
        let report = report(&place.read("r.json"));
        // Definitions of extra specs are listed as a set of their own, next to those of rules.
        let sets = report["sets"].as_array().unwrap().iter().filter(|set| set["name"] != "extra specs");
        let rules = sets.flat_map(|set| set["rules"].as_array().unwrap());
        let text: Vec<_> = rules.map(|rule| rule["targets"][target.name].clone()).collect();
        assert_eq!(text.len(), 10, "{}", target.name);
        for text in &text {
            let level = match text["fidelity"].as_str().unwrap() {
                "exact" => Value::Null,
                // By default the option restricts quantities to common spellings, which is only a warning.
                "narrower" if text["cause"].as_str().unwrap().contains("`1e9`") => "warning".into(),
                "narrower" | "incomparable" => "error".into(),
                _ => "warning".into(),
            };
            assert_eq!(text["level"], level, "{}: {text}", target.name);
        }
        let has_error = text.iter().any(|text| text["level"] == "error");
        assert_eq!(run.code, Some(i32::from(has_error)), "{}: {run:?}", target.name);
    }
}

#[test]
fn causes_that_differ_only_in_their_values_are_told_once() {
    let other = LEFT_OUT.replace("root", "data");
    let place = Place::with(&[("a.yaml", LEFT_OUT), ("b.yaml", &other)]);
    let run = place.run(&["compile", "a.yaml", "b.yaml", "--target", "openapi", "--out-dir", "o"]);
    assert_eq!(run.err.matches("left out of every target").count(), 1, "{run:?}");
    assert!(run.err.contains("'root'") && !run.err.contains("'data'"), "{run:?}");
    assert!(run.err.contains("\n  `bus` in a\n  also `bus` in b\n"), "{run:?}");
}

/// The rules in the guide are named after the words that they are examples of.
#[test]
fn the_guide_has_an_example_of_each_word() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/compile.md");
    let place = Place::with(&[]);
    let target = "openapi:quantities=exact";
    let args =
        ["compile", guide.to_str().unwrap(), "--target", target, "--out-dir", "o", "--loss-report", "-"];
    let run = place.run(&args);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("error: narrower in openapi: the schema rejects values written as numbers\n"));
    let report = report(&run.out);
    let rules = report["sets"][0]["rules"].as_array().unwrap();
    let words: Vec<_> = rules.iter().map(|rule| rule["name"].as_str().unwrap()).collect();
    assert_eq!(words, ["exact", "wider", "narrower", "incomparable", "unsupported"]);
    for rule in rules {
        assert_eq!(rule["targets"]["openapi"]["fidelity"], rule["name"], "{rule}");
    }
}
