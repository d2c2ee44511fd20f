//! `VirtualMachineTemplate`s in every command, in every way in which they come: bare, several in a file, in lists, in JSON, and with
//! template tags.

#![allow(clippy::unwrap_used, clippy::string_slice, reason = "a test may stop at the first surprise")]

use serde_json::{Value, json};

use crate::place::Place;

/// A rule on the cores, and one on the memory.
const RULES: &str = r#"[
          {"name": "cores", "rule": "integer", "message": "at most 8 cores",
           "path": "jsonpath::.spec.domain.cpu.cores", "valid": "jsonpath::.spec.domain.cpu.cores", "max": 8},
          {"name": "memory", "rule": "integer", "message": "at least 1 GiB",
           "path": "jsonpath::.spec.domain.memory.guest", "valid": "jsonpath::.spec.domain.memory.guest", "min": 1073741824}
          ]"#;

/// A template by the name of `pond`.
fn template(version: &str) -> String {
    format!(
        r"apiVersion: template.kubevirt.io/{version}
kind: VirtualMachineTemplate
metadata:
  name: pond
spec:
  parameters:
  - name: NAME
    generate: expression
    from: duck-[a-z0-9]{{4}}
  - name: CORES
    value: '4'
  - name: MEMORY
    value: 2Gi
  virtualMachine:
    metadata:
      name: ${{NAME}}
      annotations:
        vm.kubevirt.io/validations: |
        {RULES}
    spec:
      template:
        spec:
          domain:
            cpu:
              cores: ${{{{CORES}}}}
            memory:
              guest: ${{MEMORY}}
"
    )
    .replace("|\n        [", "|\n          [")
}

/// The same as a JSON value.
fn as_json() -> Value {
    let rules: Value = serde_json::from_str(RULES).unwrap();
    json!({
        "apiVersion": "template.kubevirt.io/v1beta1", "kind": "VirtualMachineTemplate",
        "metadata": {"name": "pond"},
        "spec": {
            "parameters": [{"name": "CORES", "value": "4"}, {"name": "MEMORY", "value": "2Gi"}],
            "virtualMachine": {
                "metadata": {"name": "v", "annotations": {"vm.kubevirt.io/validations": rules.to_string()}},
                "spec": {"template": {"spec": {"domain":
                    {"cpu": {"cores": "${{CORES}}"}, "memory": {"guest": "${MEMORY}"}}}}}
            }
        }
    })
}

fn shaped(change: impl FnOnce(&mut Value)) -> String {
    let mut template = as_json();
    change(&mut template);
    template.to_string()
}

#[test]
fn every_command_takes_a_virtual_machine_template() {
    for version in ["v1alpha1", "v1beta1"] {
        let place = Place::with(&[("a.yaml", &template(version))]);
        let check = place.run(&["check", "a.yaml"]);
        assert_eq!((check.code, check.out.as_str()), (Some(0), ""), "{check:?}");
        assert!(check.err.contains("2 rules in 1 rule set: no findings"), "{check:?}");
        let eval = place.run(&["eval", "a.yaml"]);
        assert_eq!((eval.code, eval.out.as_str()), (Some(0), "pond/duck-aaaa: satisfied\n"), "{eval:?}");
        let verify = place.run(&["verify", "a.yaml", "-t", "json-schema"]);
        assert_eq!(verify.code, Some(0), "{verify:?}");
        let compile =
            place.run(&["compile", "a.yaml", "-t", "openapi", "--out-dir", "out", "--loss", "warn"]);
        assert_eq!(compile.code, Some(0), "{compile:?}");
        assert!(place.files("out").iter().any(|file| file.contains("pond")), "{:?}", place.files("out"));
        let docs = place.run(&["docs", "--format", "markdown", "--out-dir", "pages", "a.yaml"]);
        assert_eq!(docs.code, Some(0), "{docs:?}");
        assert!(place.files("pages").iter().any(|file| file.contains("pond")), "{:?}", place.files("pages"));
    }
}

#[test]
fn parameters_on_the_command_line_come_first() {
    let place = Place::with(&[("a.yaml", &template("v1beta1"))]);
    for (param, verdict, code) in [
        ("CORES=9", "pond/duck-aaaa: rejected", 1),
        ("CORES=8", "pond/duck-aaaa: satisfied", 0),
        ("MEMORY=512Mi", "pond/duck-aaaa: rejected", 1),
        ("NAME=swan", "pond/swan: satisfied", 0),
        ("NAME=", "pond/duck-aaaa: satisfied", 0),
    ] {
        let run = place.run(&["eval", "a.yaml", "--param", param]);
        assert_eq!(run.code, Some(code), "{param}: {run:?}");
        assert!(run.out.starts_with(verdict), "{param}: {run:?}");
    }
    let run = place.run(&["eval", "a.yaml", "--param", "OTHER=1"]);
    assert!(run.err.contains("OTHER"), "{run:?}");
}

#[test]
fn a_template_is_found_wherever_it_stands() {
    let one = as_json();
    let mut item = one.clone();
    item.as_object_mut().unwrap().retain(|key, _| key != "kind" && key != "apiVersion");
    for (name, text, machines) in [
        ("bare.json", one.to_string(), 1),
        ("list.json", json!({"kind": "List", "items": [one, one]}).to_string(), 2),
        (
            "typed.json",
            json!({"apiVersion": "template.kubevirt.io/v1beta1", "kind": "VirtualMachineTemplateList",
                   "items": [item]})
            .to_string(),
            1,
        ),
        ("two.yaml", format!("{}---\n{}", template("v1alpha1"), template("v1beta1")), 2),
        (
            "mixed.yaml",
            format!(
                "{}---\nkind: Template\nobjects: [{{kind: VirtualMachine, metadata: {{name: w}}}}]\n",
                template("v1beta1")
            ),
            2,
        ),
        ("kindless.json", shaped(|it| it["spec"]["virtualMachine"]["kind"] = json!("Other")), 1),
    ] {
        let place = Place::with(&[(name, &text)]);
        let check = place.run(&["check", "--output-format", "concise", name]);
        assert_eq!(check.code, Some(0), "{name}: {check:?}");
        let eval = place.run(&["eval", name]);
        let evaluated = eval.out.matches(": satisfied").count() + eval.err.matches("error: ").count();
        assert_eq!(evaluated, machines, "{name}: {eval:?}");
    }
}

#[test]
fn what_is_no_template_is_named_as_what_it_is() {
    let request = json!({"apiVersion": "template.kubevirt.io/v1beta1", "kind": "VirtualMachineTemplateRequest",
        "metadata": {"name": "r"}, "spec": {"virtualMachineRef": {"name": "v"}}});
    let place = Place::with(&[("request.json", &request.to_string())]);
    let run = place.run(&["eval", "request.json"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("but a `VirtualMachineTemplateRequest`, which requests a template"), "{run:?}");
    let empty = Place::with(&[("a.yaml", "kind: VirtualMachineTemplate\nspec: {}\n")]);
    let run = empty.run(&["eval", "a.yaml"]);
    assert!(run.err.contains("this VirtualMachineTemplate has no `spec.virtualMachine`"), "{run:?}");
}

#[test]
fn each_fault_of_processing_is_why_the_machine_is_not_judged() {
    let with =
        |parameter: Value| shaped(|it| it["spec"]["parameters"].as_array_mut().unwrap().push(parameter));
    for (text, expected) in [
        (with(json!({"name": "A", "required": true})), "parameter `A` is required and has no value"),
        (with(json!({"name": "A", "generate": "dice"})), "has the unknown generator `dice`"),
        (with(json!({"name": "A", "generate": "expression"})), "`from` is empty"),
        (
            with(json!({"name": "A", "generate": "expression", "from": "[a-z]{x}"})),
            "has the length `x`, which is not a number",
        ),
        (with(json!({"name": "CORES"})), "two parameters `CORES`"),
        (with(json!({"value": "x"})), "has no name"),
        (
            shaped(|it| it["spec"]["virtualMachine"]["spec"]["x"] = json!("${NONE}")),
            "the template has no parameter `NONE`",
        ),
        (
            shaped(|it| it["spec"]["parameters"][0]["value"] = json!("null")),
            "the parameter `CORES` is `null`",
        ),
    ] {
        let place = Place::with(&[("a.json", &text)]);
        let run = place.run(&["eval", "a.json"]);
        assert_eq!(run.code, Some(2), "{expected}: {run:?}");
        assert!(run.err.contains(expected), "{expected}: {run:?}");
    }
}

#[test]
fn rules_on_the_template_itself_are_reported_and_migrated() {
    let text = template("v1beta1");
    let (start, end) =
        (text.find("      annotations:").unwrap(), text.find("    spec:\n      template").unwrap());
    let old = r#"  annotations:
    validations: |
      [{"name": "cores", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores", "max": 2}]
spec:
  parameters:"#;
    let text = format!("{}{}", &text[..start], &text[end..]).replacen("spec:\n  parameters:", old, 1);
    let place = Place::with(&[("a.yaml", &text)]);
    let check = place.run(&["check", "--output-format", "concise", "a.yaml"]);
    assert_eq!(check.code, Some(1), "{check:?}");
    let text = "nothing reads the annotation `validations` on a VirtualMachineTemplate";
    assert!(check.out.contains(text), "{check:?}");
    let eval = place.run(&["eval", "a.yaml"]);
    assert!(eval.err.contains("nothing reads `validations` on its template"), "{eval:?}");
    let migrate = place.run(&["migrate", "--write", "a.yaml"]);
    assert_eq!(migrate.code, Some(0), "{migrate:?}");
    let now = place.read("a.yaml");
    assert!(now.contains("        vm.kubevirt.io/validations: |"), "{now}");
    assert!(!now.contains("    validations: |\n      [{\"name\""), "{now}");
    let eval = place.run(&["eval", "a.yaml"]);
    assert_eq!(eval.code, Some(1), "{eval:?}");
    assert!(eval.out.contains("`4` is more than `2`"), "{eval:?}");
}

#[test]
fn fixes_and_layout_reach_into_a_virtual_machine_template() {
    let text = template("v1beta1").replace("${{CORES}}", "${CORES}").replace("value: '4'", "value: 4");
    let place = Place::with(&[("a.yaml", &text)]);
    let run = place.run(&["check", "--fix", "a.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let fixed = place.read("a.yaml");
    assert!(fixed.contains("cores: \"${{CORES}}\"") && !fixed.contains("value: 4\n"), "{fixed}");
    let run = place.run(&["fmt", "a.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(place.read("a.yaml").contains("\"name\": \"cores\",\n"), "{}", place.read("a.yaml"));
    assert_eq!(place.run(&["check", "a.yaml"]).code, Some(0));
}

#[test]
fn versions_of_a_virtual_machine_template_are_compared() {
    let new = template("v1beta1").replace("\"max\": 8", "\"max\": 4");
    let place = Place::with(&[("old.yaml", &template("v1alpha1")), ("new.yaml", &new)]);
    let run = place.run(&["diff", "old.yaml", "new.yaml", "--fail-on", "tightened"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("tightened") && run.out.contains("cores"), "{run:?}");
    let same = place.run(&["diff", "old.yaml", "old.yaml"]);
    assert_eq!(same.code, Some(0), "{same:?}");
}

#[test]
fn template_tags_leave_open_what_they_may_add() {
    let text = template("v1beta1").replace(
        "  - name: MEMORY\n    value: 2Gi\n",
        "{{- range .Values.parameters }}\n  - name: {{ .name }}\n{{- end }}\n",
    );
    let place = Place::with(&[("a.yaml", &text)]);
    let run = place.run(&["check", "--output-format", "concise", "a.yaml"]);
    assert!(!run.out.contains("KV114") && !run.out.contains("KV115"), "{run:?}");
    assert!(!run.out.contains("KV118") && !run.out.contains("KV119"), "{run:?}");
}
