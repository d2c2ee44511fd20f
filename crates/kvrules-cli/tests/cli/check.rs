//! `kvrules check`: findings, formats, exit status.

use std::io::Read as _;
use std::process::Stdio;

use crate::place::{BAD, GOOD, ODD, Place};

#[test]
fn nothing_to_report_is_0_and_says_how_much_was_checked() {
    let run = Place::with(&[("a.yaml", GOOD), ("b.yaml", GOOD)]).run(&["check", "a.yaml", "b.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(run.out, "");
    assert_eq!(run.err, "checked 2 files, 2 rules in 2 rule sets: no findings\n");
}

#[test]
fn an_error_is_1_and_stands_on_standard_output() {
    let run = Place::with(&[("a.yaml", BAD)]).run(&["check", "a.yaml", "--output-format", "concise"]);
    assert_eq!(run.code, Some(1));
    assert!(run.out.starts_with("a.yaml:4:41: error[KV205] "), "{run:?}");
    assert_eq!(run.err, "checked 1 file, 1 rule in 1 rule set: 1 error\n");
}

#[test]
fn fail_on_says_which_findings_count() {
    let place = Place::with(&[("warning.yaml", ODD), ("error.yaml", BAD)]);
    let code = |file: &str, level: &str| place.run(&["check", file, "--fail-on", level]).code;
    assert_eq!(code("warning.yaml", "error"), Some(0));
    assert_eq!(code("warning.yaml", "warning"), Some(1));
    assert_eq!(code("warning.yaml", "info"), Some(1));
    assert_eq!(code("error.yaml", "error"), Some(1));
    assert_eq!(code("error.yaml", "never"), Some(0));
}

/// A rule set with a warning, and a note on how the deployed validator takes it.
const NOTED: &str = r#"vm.kubevirt.io/validations: |
  [{
    "name": "cores", "rule": "integer", "message": "at most 8 cores",
    "path": "jsonpath::.spec.domain.cpu.cores", "valid": "jsonpath::.spec.domain.cpu.cores", "max": 8.6
  }]
"#;

#[test]
fn notes_are_counted_and_shown_to_those_who_ask() {
    let place = Place::with(&[("a.yaml", NOTED)]);
    let check = |args: &[&str]| place.run(&[&["check", "a.yaml"], args].concat());
    let summary = "checked 1 file, 1 rule in 1 rule set: 1 warning, 1 note";
    let run = check(&["--output-format", "concise"]);
    assert!(run.out.contains("warning[KV409]") && !run.out.contains("info"), "{run:?}");
    assert_eq!(run.err, format!("{summary}; 1 fixable with `--fix`; `--level info` shows the notes\n"));
    for args in [["--level", "info"], ["--fail-on", "info"]] {
        let run = check(&[&["--output-format", "concise"], &args[..]].concat());
        assert!(run.out.contains("warning[KV409]") && run.out.contains("info[KV903]"), "{run:?}");
        assert_eq!(run.err, format!("{summary}; 1 fixable with `--fix`\n"));
    }
    let run = check(&["--level", "error"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""));
    assert_eq!(run.err, format!("{summary}; `--level info` shows all of them\n"));
}

#[test]
fn what_is_hidden_counts_for_the_exit_status() {
    let place = Place::with(&[("a.yaml", NOTED), ("b.yaml", ODD)]);
    let run = place.run(&["check", "a.yaml", "--level", "error", "--fail-on", "warning"]);
    assert_eq!((run.code, run.out.as_str()), (Some(1), ""));
    let run = place.run(&["check", "b.yaml", "--level", "error"]);
    assert!(run.err.ends_with(": 1 warning; `--level warning` shows the warnings\n"), "{run:?}");
}

#[test]
fn the_lowest_level_holds_for_every_format() {
    let place = Place::with(&[("a.yaml", NOTED)]);
    for format in ["human", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit"] {
        let run =
            |level: &str| place.run(&["check", "a.yaml", "--output-format", format, "--level", level]).out;
        // SARIF lists the rules of its findings, so the code is there exactly when the finding is.
        assert!(!run("warning").contains("KV903") && run("info").contains("KV903"), "{format}");
        assert!(!run("error").contains("KV409") && run("warning").contains("KV409"), "{format}");
    }
}

#[test]
fn quiet_leaves_findings_only() {
    let place = Place::with(&[("a.yaml", BAD), ("empty.yaml", "")]);
    let run = place.run(&["check", "-q", "a.yaml"]);
    assert!(run.out.contains("KV205") && run.err.is_empty(), "{run:?}");
    let run = place.run(&["check", "-q", "--allow-empty", "empty.yaml"]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(0), "", ""));
}

#[test]
fn a_file_without_rules_is_no_fault_but_is_counted_as_such() {
    let place = Place::with(&[("a.yaml", "kind: VirtualMachine\n"), ("b.yaml", "kind: Template\n")]);
    let run = place.run(&["check", "a.yaml"]);
    assert_eq!(run.code, Some(0));
    assert!(
        run.err.contains("1 VirtualMachine without rules (field names and types): no findings"),
        "{run:?}"
    );
    let pool = "apiVersion: pool.kubevirt.io/v1beta1\nkind: VirtualMachinePool\nspec: {replica: 1}\n";
    let run = Place::with(&[("pool.yaml", pool)]).run(&["check", "pool.yaml"]);
    // Fields of the pool itself are not checked.
    assert!(
        run.err.contains("1 machine in a pool or replica set (field names and types): no findings"),
        "{run:?}"
    );
    // The parameters of a template are checked without rules too.
    let run = place.run(&["check", "a.yaml", "b.yaml"]);
    assert_eq!(run.code, Some(0));
    assert!(run.err.contains("1 template without rules"), "{run:?}");
}

#[test]
fn findings_can_go_to_a_file() {
    let place = Place::with(&[("a.yaml", BAD)]);
    let run = place.run(&["check", "a.yaml", "--output-format", "sarif", "--output-file", "out/k.sarif"]);
    assert_eq!((run.code, run.out.as_str()), (Some(1), ""));
    let log: serde_json::Value = serde_json::from_str(&place.read("out/k.sarif")).unwrap();
    assert_eq!(log["runs"][0]["results"][0]["ruleId"], "KV205");
    assert_eq!(place.files("out"), ["k.sarif"]);
}

#[test]
fn json_without_findings_is_an_empty_list() {
    let run = Place::with(&[("a.yaml", GOOD)]).run(&["check", "a.yaml", "--output-format", "json"]);
    assert_eq!(run.out.trim(), "[]");
}

#[test]
fn json_is_as_its_schema_says() {
    let place = Place::with(&[("a.yaml", BAD), ("b.yaml", ODD)]);
    let schema = serde_json::from_str(&place.run(&["schema", "diagnostics"]).out).unwrap();
    let findings = place.run(&["check", "a.yaml", "b.yaml", "--output-format", "json"]).out;
    let findings: serde_json::Value = serde_json::from_str(&findings).unwrap();
    assert_eq!(findings.as_array().unwrap().len(), 2);
    jsonschema::validate(&schema, &findings).unwrap();
}

#[test]
fn colours_are_for_terminals_and_for_those_who_ask() {
    let place = Place::with(&[("a.yaml", BAD)]);
    let colored = |args: &[&str], variables: &[(&str, &str)]| {
        let mut command = place.command(&[&["check", "a.yaml"], args].concat());
        let output = command.envs(variables.iter().copied()).output().unwrap();
        output.stdout.contains(&0x1b)
    };
    assert!(!colored(&[], &[]));
    assert!(colored(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(colored(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!colored(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(!colored(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
}

#[test]
fn output_is_the_same_on_every_run_and_for_any_number_of_threads() {
    let files: Vec<_> = (0..40).map(|number| format!("d/{number}.yaml")).collect();
    let texts = [GOOD, BAD, ODD];
    let files: Vec<_> =
        files.iter().zip(texts.iter().cycle()).map(|(name, text)| (name.as_str(), *text)).collect();
    let place = Place::with(&files);
    let one = place.run(&["check", "d", "-j1"]);
    assert_eq!(one.code, Some(1));
    for jobs in ["-j1", "-j2", "-j7"] {
        assert_eq!(place.run(&["check", "d", jobs]), one);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let files: Vec<_> = (0..300).map(|number| format!("d/{number}.yaml")).collect();
    let files: Vec<_> = files.iter().map(|name| (name.as_str(), BAD)).collect();
    let place = Place::with(&files);
    let mut command = place.command(&["check", "d"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut reported = String::new();
    child.stderr.take().unwrap().read_to_string(&mut reported).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(reported, "checked 300 files, 300 rules in 300 rule sets: 300 errors\n");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_behind_standard_output_is_2() {
    let place = Place::with(&[("a.yaml", BAD)]);
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = place.command(&["check", "a.yaml"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let reported = String::from_utf8(output.stderr).unwrap();
    assert_eq!(reported, "error: cannot write to standard output: no space left on device\n");
}

#[test]
fn a_pattern_too_large_for_kv506_and_rules_too_large_for_kv601_are_told() {
    let rules = |patterns: &[&str]| {
        let rule = |(index, pattern): (usize, &&str)| {
            format!(
                r#"{{"name": "r{index}", "rule": "regex", "path": "jsonpath::.spec.hostname", "message": "m", "regex": "{pattern}"}}"#
            )
        };
        let all: Vec<String> = patterns.iter().enumerate().map(rule).collect();
        format!("vm.kubevirt.io/validations: |\n  [{}]\n", all.join(", "))
    };
    let place = Place::with(&[
        ("pattern.yaml", &rules(&["^(ab?){1000}$"])),
        ("rules.yaml", &rules(&["(a|b)*a(a|b){30}$", "(a|b)*b(a|b){30}$"])),
    ]);
    let found = |file: &str| {
        let run = place.run(&["check", "--level", "info", "--output-format", "concise", file]);
        assert_eq!(run.code, Some(0), "{run:?}");
        run.out
    };
    let pattern = found("pattern.yaml");
    let text = "[KV506] pattern too large to decide if backtracking engines take exponential time";
    assert!(pattern.contains(text), "{pattern}");
    let pair = found("rules.yaml");
    assert!(pair.contains("[KV601] too large to decide how rule `r1` and other rules relate"), "{pair}");
}
