//! `kvrules eval`: verdicts, their reasons, and what cannot be evaluated.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::Path;

use serde_json::{Value, json};

use crate::place::{BAD, GOOD, Place, Run};

/// A VirtualMachine with so many cores and these rules.
pub(crate) fn vm(name: &str, cores: &Value, rules: Option<&str>) -> Value {
    let mut vm = json!({
        "kind": "VirtualMachine", "metadata": {"name": name},
        "spec": {"template": {"spec": {"domain": {"cpu": {"cores": cores}}}}}
    });
    if let Some(rules) = rules {
        vm["metadata"]["annotations"] = json!({"vm.kubevirt.io/validations": rules});
    }
    vm
}

/// One rule on cores: at most so many.
pub(crate) fn at_most(most: u32, more: &str) -> String {
    format!(
        r#"[{{"name": "cores", "rule": "integer", "message": "too many cores", "path": "jsonpath::.spec.domain.cpu.cores", "max": {most}{more}}}]"#
    )
}

pub(crate) fn eval(files: &[(&str, &str)], args: &[&str]) -> Run {
    Place::with(files).run(&[&["eval"], args].concat())
}

const TEMPLATE: &str = r#"
kind: Template
metadata: {name: small}
objects:
- kind: DataVolume
- kind: VirtualMachine
  metadata:
    name: ${NAME}
    annotations:
      vm.kubevirt.io/validations: |
        [{"name": "cores", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores", "max": ${MOST}}]
  spec: {template: {spec: {domain: {cpu: {cores: "${{CORES}}"}}}}}
parameters:
- {name: NAME, generate: expression, from: 'vm-[a-z0-9]{4}'}
- {name: MOST, value: '4'}
- {name: CORES, required: true}
"#;

#[test]
fn a_virtual_machine_is_judged_by_its_own_rules() {
    let good = vm("good", &json!(2), Some(&at_most(4, ""))).to_string();
    let run = eval(&[("vm.json", &good)], &["vm.json"]);
    assert_eq!(
        (run.code, run.out.as_str(), run.err.as_str()),
        (Some(0), "good: satisfied\n", "evaluated 1 object: 1 satisfied\n")
    );
    let bad = vm("bad", &json!(8), Some(&at_most(4, ""))).to_string();
    let run = eval(&[("vm.json", &bad)], &["vm.json"]);
    assert_eq!(run.code, Some(1));
    assert!(run.out.starts_with("bad: rejected\n  rule `cores` violated: too many cores\n"), "{}", run.out);
    assert!(run.out.contains(".spec.template.spec.domain.cpu.cores = 8: "), "{}", run.out);
}

#[test]
fn a_rule_that_only_warns_does_not_reject() {
    let text = vm("v", &json!(8), Some(&at_most(4, r#", "justWarning": true"#))).to_string();
    let run = eval(&[("vm.json", &text)], &["vm.json", "--engine", "both"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.starts_with("v: warned by meaning, allowed by the deployed validator\n"), "{}", run.out);
}

#[test]
fn rules_of_a_file_come_first() {
    let text = vm("v", &json!(10), Some(&at_most(16, ""))).to_string();
    let files = [("vm.json", text.as_str()), ("rules.yaml", GOOD)];
    assert_eq!(eval(&files, &["vm.json"]).code, Some(0));
    assert_eq!(eval(&files, &["vm.json", "--rules", "rules.yaml"]).code, Some(1));
}

#[test]
fn one_of_several_rule_sets_is_chosen_by_its_template() {
    let set = |name: &str, most| {
        let vm = vm("v", &json!(1), Some(&at_most(most, "")));
        json!({"kind": "Template", "metadata": {"name": name}, "objects": [vm]})
    };
    let rules = json!({"kind": "List", "items": [set("small", 2), set("large", 8)]}).to_string();
    let vm = vm("v", &json!(4), None).to_string();
    let files = [("vm.json", vm.as_str()), ("rules.json", rules.as_str())];
    let with = |template: &[&str]| eval(&files, &[&["vm.json", "--rules", "rules.json"], template].concat());
    assert_eq!(with(&["--template", "small"]).code, Some(1));
    assert_eq!(with(&["--template", "large"]).code, Some(0));
    let run = with(&[]);
    let reported =
        "error: vm.json:1:1: `v`: this VirtualMachine has no label `vm.kubevirt.io/template` to choose";
    assert!(
        run.err.starts_with(reported) && run.err.contains("choose one with `--template NAME`"),
        "{}",
        run.err
    );
    assert_eq!((run.code, with(&["--template", "huge"]).code), (Some(2), Some(2)));
    let labelled = |name: &str, template: &str| {
        let mut machine = self::vm(name, &json!(4), None);
        machine["metadata"]["labels"] = json!({"vm.kubevirt.io/template": template});
        machine.to_string()
    };
    let machines: Vec<_> = ["small", "large", "huge"].iter().map(|name| labelled(name, name)).collect();
    let files = [("vms.ndjson", machines.join("\n")), ("rules.json", rules.clone())];
    let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
    let run = eval(&files, &["vms.ndjson", "--rules", "rules.json", "--output-format", "json"]);
    let records: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let verdicts: Vec<_> = records.iter().map(|record| record["spec"]["verdict"].as_str()).collect();
    assert_eq!((run.code, verdicts), (Some(2), vec![Some("rejected"), Some("satisfied"), None]));
    assert!(records[2]["error"].as_str().unwrap().contains("no rule set of the template `huge`"), "{run:?}");
}

#[test]
fn a_template_is_processed_before_it_is_judged() {
    let files = [("t.yaml", TEMPLATE)];
    let run = eval(&files, &["t.yaml", "--param", "CORES=4"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), "small/vm-aaaa: satisfied\n"), "{}", run.err);
    let run = eval(&files, &["t.yaml", "--param", "CORES=4", "--param", "MOST=3", "--param", "NAME=n"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.starts_with("small/n: rejected\n"), "{}", run.out);
    let run = eval(&files, &["t.yaml"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("parameter `CORES` is required and has no value"), "{}", run.err);
}

#[test]
fn the_validator_is_asked_with_the_text_as_it_stands() {
    let text = vm("v", &json!(8), Some(&at_most(4, ""))).to_string();
    let run = eval(&[("vm.json", &text)], &["vm.json", "--engine", "ssp"]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.out.starts_with("v: denied\n  rule `cores` violated: value 8 is higher than maximum [4]"),
        "{}",
        run.out
    );
    assert!(run.out.contains("  cause .spec.domain.cpu.cores: too many cores: "), "{}", run.out);
}

#[test]
fn the_validator_quotes_numbers_as_they_are_written() {
    let text = vm("v", &json!(8), Some(&at_most(4, ""))).to_string().replace(":8", ":1e1");
    let run = eval(&[("vm.json", &text)], &["vm.json", "--engine", "ssp"]);
    assert_eq!(run.code, Some(1));
    assert!(run.out.contains("cannot unmarshal number 1e1 into"), "{}", run.out);
}

#[test]
fn rules_with_errors_are_2_but_the_validator_still_answers() {
    let rules = at_most(4, "").replace("cpu.cores", "cpu.cors");
    let text = vm("v", &json!(2), Some(&rules)).to_string();
    let run = eval(&[("vm.json", &text)], &["vm.json", "--engine", "both"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(
        run.err.contains("KV205") && run.err.contains("vm.json:1:1: `v`: its rules have errors"),
        "{}",
        run.err
    );
    assert!(run.out.starts_with("v: denied\n"), "{}", run.out);
    let vm = vm("v", &json!(2), None).to_string();
    let files = [("vm.json", vm.as_str()), ("same.json", &vm), ("r.yaml", BAD)];
    let run = eval(&files, &["vm.json", "same.json", "--rules", "r.yaml"]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""));
    assert_eq!((run.err.matches("KV205").count(), run.err.matches("have errors").count()), (1, 2));
    assert!(run.err.contains("r.yaml:4"), "{}", run.err);
}

#[test]
fn what_cannot_be_judged_is_2_and_the_others_are_judged() {
    let good = vm("good", &json!(2), Some(&at_most(4, "")));
    let bare = json!({"kind": "VirtualMachine", "metadata": {"name": "bare"}, "spec": {}});
    let cases = [
        (json!({"kind": "Pod", "metadata": {"name": "p"}}), "`p`: not a VirtualMachine, but a `Pod`"),
        (json!({"a": 1}), "not a VirtualMachine: missing `kind`"),
        (bare, "`bare`: this VirtualMachine has no object `.spec.template`"),
        (vm("none", &json!(2), None), "`none`: this VirtualMachine has no rules"),
    ];
    for (other, message) in cases {
        let text = json!({"kind": "List", "items": [other, good]}).to_string();
        let run = eval(&[("l.json", &text)], &["l.json"]);
        assert_eq!((run.code, run.out.as_str()), (Some(2), "good: satisfied\n"));
        assert!(run.err.starts_with("error: l.json:1:") && run.err.contains(message), "{}", run.err);
    }
}

#[test]
fn an_annotation_without_rules_is_an_error() {
    let good = vm("good", &json!(2), Some(&at_most(4, "")));
    for empty in ["[]", "", " [ ] "] {
        for engine in ["spec", "ssp", "both"] {
            let text = json!({"kind": "List", "items": [vm("v", &json!(2), Some(empty)), good]}).to_string();
            let run = eval(&[("l.json", &text)], &["l.json", "--engine", engine]);
            assert_eq!((run.code, run.out.matches("good: ").count()), (Some(2), 1), "{empty:?} {run:?}");
            assert!(!run.out.contains("v: "), "{engine} {run:?}");
            let message = "`v`: no rules to evaluate: empty annotation `vm.kubevirt.io/validations`";
            assert!(run.err.contains(message), "{}", run.err);
        }
    }
    let rules = ("r.yaml", "vm.kubevirt.io/validations: '[]'\n");
    let run = eval(&[("vm.json", &good.to_string()), rules], &["vm.json", "--rules", "r.yaml"]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
    assert!(run.err.contains("no rules to evaluate"), "{}", run.err);
}

#[test]
fn numbers_beyond_64_bits_are_refused_with_their_place() {
    let text = vm("v", &json!(7), Some(&at_most(4, ""))).to_string().replace(":7", ":18446744073709551616");
    let run = eval(&[("vm.json", &text)], &["vm.json"]);
    let column = text.find("18446744073709551616").unwrap() + 1;
    let reported =
        format!("error: vm.json:1:{column}: `v`: the number `18446744073709551616` is beyond 64 bits\n");
    assert_eq!((run.code, run.err), (Some(2), reported + "nothing was evaluated; 1 not evaluated\n"));
}

#[test]
fn broken_texts_are_2_with_their_place_and_other_documents_are_judged() {
    let good = vm("good", &json!(2), Some(&at_most(4, ""))).to_string();
    let place = Place::with(&[("good.json", &good), ("open.json", "{\"kind\": "), ("many.yaml", "a: [\n")]);
    place.write("latin.yaml", b"kind: \xff");
    for (file, at) in
        [("open.json", "open.json:1:"), ("many.yaml", "many.yaml:"), ("latin.yaml", "latin.yaml:1:7")]
    {
        let run = place.run(&["eval", file, "good.json"]);
        assert_eq!((run.code, run.out.as_str()), (Some(2), "good: satisfied\n"), "{file}");
        assert!(run.err.starts_with(&format!("error: {at}")), "{}", run.err);
    }
    let run = place.run(&["eval", "absent.yaml"]);
    let reported =
        "error: absent.yaml: no such file or directory\nnothing was evaluated; 1 file could not be read\n";
    assert_eq!((run.code, run.err.as_str()), (Some(2), reported));
}

#[test]
fn objects_are_read_line_by_line_in_order() {
    let mut text = String::new();
    for cores in 1..=600 {
        text += &vm(&format!("v{cores}"), &json!(cores), Some(&at_most(500, ""))).to_string();
        text += "\n\n";
    }
    let place = Place::with(&[("vms.ndjson", &text)]);
    let run = place.run(&["eval", "vms.ndjson", "--output-format", "json"]);
    assert_eq!(run.code, Some(1));
    let records: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), 600);
    for (at, record) in records.iter().enumerate() {
        assert_eq!((&record["name"], &record["line"]), (&json!(format!("v{}", at + 1)), &json!(2 * at + 1)));
        assert_eq!(record["spec"]["verdict"], if at < 500 { "satisfied" } else { "rejected" });
    }
    let mut bytes = text.lines().next().unwrap().as_bytes().to_vec();
    bytes.extend(b"\n{\n\xff\n{\"kind\": \"Pod\"}\n");
    let run = place.run_with_input(&["eval", "--ndjson", "-"], bytes);
    assert_eq!((run.code, run.out.as_str()), (Some(2), "v1: satisfied\n"));
    let places: Vec<_> = run.err.lines().filter(|line| line.starts_with("error: <stdin>:")).collect();
    assert_eq!(places.len(), 3, "{}", run.err);
    for (line, number) in places.iter().zip(2..) {
        assert!(line.starts_with(&format!("error: <stdin>:{number}:")), "{line}");
    }
}

#[test]
fn json_is_one_array_that_begins_with_what_is_not_there() {
    let good = vm("good", &json!(8), Some(&at_most(4, ""))).to_string();
    let place = Place::with(&[("vm.json", &good), ("pod.yaml", "kind: Pod\n")]);
    let args = ["eval", "gone", "pod.yaml", "vm.json", "--engine", "both", "--output-format", "json"];
    let run = place.run(&args);
    let records: Vec<Value> = serde_json::from_str(&run.out).unwrap();
    assert_eq!((run.code, records.len()), (Some(2), 3));
    assert_eq!(records[0], json!({"file": "gone", "name": null, "error": "no such file or directory"}));
    assert_eq!(records[1]["error"], "not a VirtualMachine, but a `Pod`");
    let last = &records[2];
    assert_eq!((&last["spec"]["verdict"], &last["ssp"]["verdict"]), (&json!("rejected"), &json!("denied")));
    assert_eq!(last["differ"], false);
    let rule = &last["spec"]["rules"][0];
    assert_eq!((&rule["outcome"], &rule["severity"]), (&json!("violated"), &json!("error")));
    assert_eq!(rule["values"][0]["location"], ".spec.template.spec.domain.cpu.cores");
    assert_eq!((&rule["values"][0]["value"], &rule["values"][0]["origin"]), (&json!(8), &json!("object")));
}

#[test]
fn a_trace_shows_values_that_pass_and_who_says_them() {
    let text = vm("v", &Value::Null, Some(&at_most(4, ""))).to_string();
    let run = eval(&[("vm.json", &text)], &["vm.json", "--trace"]);
    let shown = "v: satisfied\n  rule `cores` satisfied\n    every value passes\n    \
                 .spec.template.spec.domain.cpu.cores = 1 (default)\n";
    assert_eq!((run.code, run.out.as_str()), (Some(0), shown));
}

#[test]
fn the_engines_differ_where_the_validator_cannot_read_a_quantity() {
    let rules = at_most(4, "").replace("cpu.cores", "memory.guest").replace(": 4", ": 9999999999");
    let mut vm = vm("v", &json!(1), Some(&rules));
    vm["spec"]["template"]["spec"]["domain"]["memory"] = json!({"guest": "1.5Gi"});
    let run = eval(&[("vm.json", &vm.to_string())], &["vm.json", "--engine", "both"]);
    let verdict = "v: satisfied by meaning, denied by the deployed validator; they differ\n";
    assert!(run.out.starts_with(verdict), "{run:?}");
    assert_eq!(run.code, Some(1));
}

#[test]
fn nothing_to_judge_is_2() {
    let run = eval(&[("e.yaml", "---\n")], &["e.yaml"]);
    let reported = "error: e.yaml: no object to evaluate\nnothing was evaluated; 1 not evaluated\n";
    assert_eq!((run.code, run.err.as_str()), (Some(2), reported));
    assert_eq!(eval(&[], &["-", "-"]).code, Some(2));
    assert_eq!(eval(&[], &["-", "--param", "=1"]).code, Some(2));
}

/// The recorded verdicts on the released bundles, which lie outside the repository.
#[test]
fn the_validator_answers_on_released_templates_as_recorded() {
    let Some(files) = kvrules_testdata::list_files("kubevirt/templates", "json") else { return };
    let (mut agreed, mut all) = (0, 0);
    for path in files {
        let facts: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let bundle = path.with_file_name(facts["file"].as_str().unwrap());
        let (facts, records) = (facts["perTemplate"].as_array().unwrap(), verdicts(&bundle));
        assert_eq!(facts.len(), records.len());
        for (fact, record) in facts.iter().zip(records) {
            let name = format!("{}/placeholder", fact["template"].as_str().unwrap());
            let verdict = if fact["verdict"] == "pass" { "allowed" } else { "denied" };
            all += 1;
            if record["name"] == name && record["ssp"]["verdict"] == verdict {
                agreed += 1;
            } else {
                println!("{name}: recorded {verdict}, answered {record}");
            }
        }
    }
    println!("{agreed} of {all} recorded verdicts agree");
    assert_eq!(agreed, all);
    assert!(all > 0);
}

/// Returns the verdicts on a bundle whose parameters without a value are the string `placeholder`.
fn verdicts(bundle: &Path) -> Vec<Value> {
    let requested_inputs =
        ["eval", bundle.to_str().unwrap(), "--engine", "ssp", "--output-format", "json", "-q"];
    let given = ["--param", "NAME=placeholder", "--param", "CLOUD_USER_PASSWORD=placeholder"];
    let run = Place::with(&[]).run(&[&requested_inputs[..], &given].concat());
    assert_eq!(run.err, "");
    serde_json::from_str(&run.out).unwrap()
}

#[test]
fn a_rule_that_has_no_meaning_is_told_and_is_2() {
    let rules = at_most(4, "").replace(".spec.domain.cpu.cores", ".spec.volumes[0:1].name");
    let text = vm("v", &json!(2), Some(&rules)).to_string();
    let run = eval(&[("vm.json", &text)], &["vm.json"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(
        run.out.starts_with("v: satisfied, but not every rule was evaluated\n  rule `cores` not evaluated\n"),
        "{}",
        run.out
    );
}

#[test]
fn help_says_how_verdicts_are_asked_for() {
    let run = eval(&[], &["--help"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    for text in ["Examples:", "--engine", "first character is taken", "exit status"] {
        assert!(run.out.contains(text), "{text}");
    }
}
