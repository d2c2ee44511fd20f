//! Verdicts as continuous integration sees them, the summary, and the differences by name.

#![expect(clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use serde_json::{Value, json};

use crate::eval::{at_most, eval, vm};
use crate::place::{Place, Run};

/// A VirtualMachine that the validator denies for a quantity that it cannot read.
fn fraction() -> String {
    let rules = at_most(4, "").replace("cpu.cores", "memory.guest").replace(": 4", ": 9999999999");
    let mut vm = vm("v", &json!(1), Some(&rules));
    vm["spec"]["template"]["spec"]["domain"]["memory"] = json!({"guest": "1.5Gi"});
    vm.to_string()
}

fn junit(files: &[(&str, &str)], args: &[&str]) -> Run {
    let run = eval(files, &[&["--output-format", "junit"], args].concat());
    assert!(roxmltree::Document::parse(&run.out).is_ok(), "{}", run.out);
    run
}

#[test]
fn junit_has_a_suite_for_each_file_and_a_case_for_each_rule() {
    let bad = vm("bad", &json!(8), Some(&at_most(4, ""))).to_string();
    let warned = vm("warned", &json!(8), Some(&at_most(4, r#", "justWarning": true"#))).to_string();
    let skipped =
        vm("s", &json!(8), Some(&at_most(4, r#", "valid": "jsonpath::.spec.domain.memory.guest""#)));
    let run = junit(
        &[("a.json", &bad), ("b.json", &warned), ("c.json", &skipped.to_string()), ("d.yaml", "kind: Pod\n")],
        &["a.json", "b.json", "c.json", "d.yaml"],
    );
    assert_eq!(run.code, Some(2));
    let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="kvrules eval">
  <testsuite name="a.json" tests="1" failures="1" errors="0" skipped="0">
    <testcase classname="bad" name="cores">
      <failure message="too many cores" type="violated">`8` is more than `4`
.spec.template.spec.domain.cpu.cores = 8: `8` is more than `4`
a.json:1:1</failure>
    </testcase>
  </testsuite>
  <testsuite name="b.json" tests="1" failures="0" errors="0" skipped="0">
    <testcase classname="warned" name="cores">
      <system-out>warning: too many cores
`8` is more than `4`
.spec.template.spec.domain.cpu.cores = 8: `8` is more than `4`
b.json:1:1
</system-out>
    </testcase>
  </testsuite>
  <testsuite name="c.json" tests="1" failures="0" errors="0" skipped="1">
    <testcase classname="s" name="cores">
      <skipped/>
    </testcase>
  </testsuite>
  <testsuite name="d.yaml" tests="1" failures="0" errors="1" skipped="0">
    <testcase classname="d.yaml:1:1" name="(object)">
      <error message="not a VirtualMachine, but a `Pod`" type="not evaluated">d.yaml:1:1</error>
    </testcase>
  </testsuite>
</testsuites>
"#;
    assert_eq!(run.out, expected);
}

#[test]
fn junit_of_lines_is_one_suite_without_counts() {
    let good = vm("good", &json!(2), Some(&at_most(4, ""))).to_string();
    let place = Place::with(&[]);
    let text = [good.as_bytes(), b"\xff", good.as_bytes()].join(&b'\n');
    let run = place.run_with_input(&["eval", "--ndjson", "-", "--output-format", "junit"], text);
    assert_eq!(run.code, Some(2));
    let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="kvrules eval">
  <testsuite name="&lt;stdin&gt;">
    <testcase classname="good" name="cores"/>
    <testcase classname="&lt;stdin&gt;:2" name="(object)">
      <error message="not UTF-8: unexpected byte 0xFF" type="not evaluated">&lt;stdin&gt;:2:1: not UTF-8: unexpected byte 0xFF</error>
    </testcase>
    <testcase classname="good" name="cores"/>
  </testsuite>
</testsuites>
"#;
    assert_eq!(run.out, expected);
}

#[test]
fn junit_holds_what_cannot_be_found_or_is_empty() {
    let run = junit(&[("e.json", "")], &["gone.json", "e.json"]);
    assert_eq!(run.code, Some(2));
    for (file, why) in [("gone.json", "no such file or directory"), ("e.json", "no object to evaluate")] {
        let suite =
            format!("<testsuite name=\"{file}\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">");
        let reported = format!("<error message=\"{why}\" type=\"not evaluated\">{file}: {why}</error>");
        assert!(run.out.contains(&suite) && run.out.contains(&reported), "{}", run.out);
    }
    assert!(run.out.ends_with("</testsuites>\n"), "{}", run.out);
}

#[test]
fn junit_holds_no_character_that_xml_has_not() {
    let rules = at_most(4, "").replace("too many cores", "\\u0000 <b> & ]]> \\u001b \\uffff");
    let text = vm("a\u{1}\"\n<&\u{fffe}", &json!(8), Some(&rules)).to_string();
    for engine in ["spec", "ssp", "both"] {
        let run = junit(&[("<&>.json", &text)], &["<&>.json", "--engine", engine]);
        assert_eq!(run.code, Some(1), "{}", run.err);
        let illegal = |character: char| {
            (character < ' ' && character != '\n') || matches!(character, '\u{fffe}' | '\u{ffff}')
        };
        assert!(!run.out.contains(illegal), "{}", run.out);
        assert!(run.out.contains("classname=\"a\\u{1}&quot;&#10;&lt;&amp;\\u{fffe}\""), "{}", run.out);
        assert!(run.out.contains("<testsuite name=\"&lt;&amp;&gt;.json\""), "{}", run.out);
    }
}

#[test]
fn junit_tells_the_validator_from_the_meaning() {
    let run = junit(&[("vm.json", &fraction())], &["vm.json", "--engine", "both"]);
    assert_eq!(run.code, Some(1));
    assert!(run.out.contains("tests=\"2\" failures=\"1\""), "{}", run.out);
    assert!(run.out.contains("name=\"cores (deployed validator)\">\n      <failure message=\"in error: "));
    assert!(run.out.contains("<system-out>differs: rule `cores`: satisfied by its meaning"), "{}", run.out);
}

#[test]
fn differences_are_told_by_name_with_where_to_read_more() {
    let files = [("vm.json", fraction())];
    let files = [(files[0].0, files[0].1.as_str())];
    let run = eval(&files, &["vm.json", "--engine", "both"]);
    let reported = "  differs: rule `cores`: satisfied by its meaning, error: ";
    assert!(run.out.contains(reported), "{}", run.out);
    assert!(run.out.contains("\n    D1 unreadable-quantity: "), "{}", run.out);
    assert!(run.err.contains("note: see `kvrules explain D1` for the difference\n"), "{}", run.err);
    assert!(run.err.ends_with("evaluated 1 object: 1 rejected; the engines differ on 1\n"), "{}", run.err);
    let run = eval(&files, &["vm.json", "--engine", "both", "--output-format", "json"]);
    let records: Value = serde_json::from_str(&run.out).unwrap();
    let difference = &records[0]["differences"][0];
    assert_eq!((&difference["rule"], &difference["spec"]), (&json!("cores"), &json!("satisfied")));
    assert_eq!(difference["named"][0]["id"], "D1");
}

#[test]
fn a_difference_has_a_page() {
    let place = Place::with(&[]);
    for name in ["D1", "d01", "unreadable-quantity", "unreadable_quantity"] {
        let run = place.run(&["explain", name]);
        assert_eq!(run.code, Some(0), "{name}: {}", run.err);
        assert!(run.out.starts_with("# D1 unreadable-quantity\n"), "{}", run.out);
    }
    assert_eq!(place.run(&["explain", "D999"]).code, Some(2));
}

#[test]
fn the_summary_counts_by_verdict() {
    let list = |items: &[Value]| json!({"kind": "List", "items": items}).to_string();
    let rules = at_most(4, "");
    let warning = at_most(4, r#", "justWarning": true"#);
    let text = list(&[
        vm("a", &json!(1), Some(&rules)),
        vm("b", &json!(2), Some(&rules)),
        vm("c", &json!(9), Some(&warning)),
        vm("d", &json!(9), Some(&rules)),
        vm("e", &json!(9), None),
    ]);
    let files = [("l.json", text.as_str())];
    let run = eval(&files, &["l.json"]);
    assert!(
        run.err.ends_with("evaluated 4 objects: 2 satisfied, 1 warned, 1 rejected; 1 not evaluated\n"),
        "{}",
        run.err
    );
    let run = eval(&files, &["l.json", "--engine", "ssp"]);
    assert!(run.err.ends_with("evaluated 4 objects: 3 allowed, 1 denied; 1 not evaluated\n"), "{}", run.err);
    assert!(!eval(&files, &["l.json", "--quiet"]).err.contains("evaluated 4"));
}

#[test]
fn parameters_that_no_template_has_are_noted() {
    let text = vm("a", &json!(1), Some(&at_most(4, ""))).to_string();
    let run = eval(&[("vm.json", &text)], &["vm.json", "--param", "NAEM=x"]);
    assert_eq!(run.code, Some(0));
    assert!(run.err.starts_with("note: unknown template parameter `NAEM`\n"), "{}", run.err);
}
