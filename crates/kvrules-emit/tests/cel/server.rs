//! The API server's treatment of the entries: their types, their cost, and its answers.

use kvrules_apiserver::cost::{EXPRESSION_LIMIT, RuleSite};
use kvrules_apiserver::crd::{CompiledSchema, normalize_field_path};
use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_emit::{Fidelity, Options, Request, find_emitter};
use serde_json::{Value, json};

use super::rules::{MORE, WINDOWS, read};

fn entries(rules: &str, messages: &str) -> (String, Vec<Value>) {
    let options: Options =
        [(("cel".to_owned(), "messages".to_owned()), messages.to_owned())].into_iter().collect();
    let sets = [read(rules, &["rules"])];
    let emission = find_emitter("cel")
        .unwrap()
        .emit_rule_sets(&Request { options: &options, ..Request::for_virtual_machines(&sets) })
        .unwrap();
    let file: Value = serde_yaml::from_str(&emission.files[0].text).unwrap();
    (emission.files[0].text.clone(), file["x-kubernetes-validations"].as_array().unwrap().clone())
}

/// The schema of the VirtualMachine as clusters have it.
fn schema() -> Option<Value> {
    let text = kvrules_testdata::read_text(kvrules_testdata::VIRTUAL_MACHINES)?;
    let definition: Value = serde_yaml::from_str(&text).unwrap();
    Some(definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone())
}

#[test]
fn each_entry_fits_the_budget_on_the_real_schema_and_its_path_is_declared() {
    let Some(schema) = schema() else { return };
    let site = RuleSite::new(&schema, "").unwrap();
    let mut sum = 0;
    for rules in [WINDOWS, MORE] {
        for entry in entries(rules, "values").1 {
            let rule = entry["rule"].as_str().unwrap();
            let cost = site.rule_cost(rule).unwrap_or_else(|error| panic!("{rule}: {error}"));
            assert!(cost.is_accepted(), "{cost:?}: {rule}");
            let reported =
                entry["messageExpression"].as_str().map(|text| site.message_expression(text).unwrap());
            assert!(reported.is_none_or(|cost| cost <= EXPRESSION_LIMIT), "{reported:?}: {entry}");
            sum += cost.total + reported.unwrap_or_default();
            println!("{}: {} and {reported:?} of {EXPRESSION_LIMIT}", entry["message"], cost.total);
            let path = entry["fieldPath"].as_str().unwrap();
            assert!(normalize_field_path(path, &schema).is_some(), "{path}");
        }
    }
    println!("{sum} of 100000000 together");
}

#[test]
fn answers_name_the_field_the_value_and_the_limit() {
    let Some(mut schema) = schema() else { return };
    let all: Vec<Value> = [WINDOWS, MORE].into_iter().flat_map(|rules| entries(rules, "values").1).collect();
    schema["x-kubernetes-validations"] = all.into();
    let compiled = CompiledSchema::new(&schema);
    let reported = |domain: Value| {
        let machine = json!({"spec": {"template": {"spec": {"domain": domain, "hostname": "ab"}}}});
        let errors = compiled.validate_object(&machine, None).errors;
        errors.iter().map(kvrules_apiserver::crd::Failure::to_message).collect::<Vec<_>>().join("\n")
    };
    let low = json!({
        "devices": {"disks": [{"name": "a", "disk": {"bus": "usb"}}]},
        "memory": {"guest": "512Mi"}, "cpu": {"cores": 1}, "machine": {"type": "pc"},
        "resources": {"requests": {"memory": 2_147_483_648_u64}},
    });
    let nothing = json!({"devices": {}, "machine": {}});
    insta::assert_snapshot!("answers", format!("{}\n\n{}", reported(low), reported(nothing)));
}

#[test]
fn plain_messages_and_plain_rules_are_for_older_servers_too() {
    let oldest = |rules: &str, messages: &str| {
        let (text, _) = entries(rules, messages);
        text.lines().find(|line| line.starts_with("# for Kubernetes")).unwrap().to_owned()
    };
    assert_eq!(oldest(WINDOWS, "values"), "# for Kubernetes 1.30 and later");
    assert_eq!(oldest(WINDOWS, "plain"), "# for Kubernetes 1.29 and later");
    let bus = r#"[{"name": "bus", "path": "jsonpath::.spec.domain.machine.type", "rule": "enum",
        "message": "m", "values": ["q35"]}]"#;
    assert_eq!(oldest(bus, "plain"), "# for Kubernetes 1.28 and later");
}

#[test]
fn the_rules_of_windows_read_as_a_person_would_write_them() {
    insta::assert_snapshot!("windows", entries(WINDOWS, "values").0);
}

/// A machine's schema with one text, which may be so long.
fn definition(most: &str) -> SourceFile {
    let text = format!(
        r"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: kubevirt.io
  names: {{kind: VirtualMachine, plural: virtualmachines}}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              template:
                type: object
                properties:
                  spec:
                    type: object
                    properties:
                      hostname: {{type: string{most}}}
"
    );
    SourceFile::new(FileId(1), "definition.yaml", text)
}

#[test]
fn with_a_schema_each_rule_has_its_share_of_the_budget_and_none_is_over_it() {
    let pattern = format!("^({})$", "a?".repeat(100));
    let rules = format!(
        r#"[{{"name": "host", "path": "jsonpath::.spec.hostname", "rule": "regex", "message": "m", "regex": "{pattern}"}},
        {{"name": "memory", "path": "jsonpath::.spec.domain.memory", "rule": "string", "message": "m"}}]"#
    );
    let sets = [read(&rules, &["rules"])];
    let emit = |schema: &SourceFile| {
        let request = Request { schema: Some(schema), ..Request::for_virtual_machines(&sets) };
        let emission = find_emitter("cel").unwrap().emit_rule_sets(&request).unwrap();
        let fidelity = emission.fidelity[0].fidelity.clone();
        (emission.files[0].text.clone(), fidelity)
    };
    let (text, fidelity) = emit(&definition(", maxLength: 63"));
    assert_eq!(fidelity.as_str(), "exact");
    assert!(text.contains("# host: costs 0.02% of a rule's budget\n"), "{text}");
    let (text, fidelity) = emit(&definition(""));
    assert!(!text.contains("matches("), "{text}");
    let cause = fidelity.cause().unwrap();
    assert!(cause.starts_with("estimated rule cost "), "{cause}");
}

#[test]
fn a_rule_that_only_asks_for_a_field_says_so() {
    let text = r#"[{"name": "hostname", "path": "jsonpath::.spec.domain.memory", "rule": "integer", "message": "m"},
        {"name": "any", "path": "jsonpath::.spec.domain.firmware.uuid", "rule": "string", "message": "m"}]"#;
    let (_, entries) = entries(text, "plain");
    let reasons: Vec<&Value> = entries.iter().map(|entry| &entry["reason"]).collect();
    assert_eq!(reasons.last().unwrap().as_str(), Some("FieldValueRequired"), "{entries:#?}");
}

#[test]
fn what_is_longer_than_the_server_parses_is_left_out_of_cel_and_policies() {
    let values: Vec<String> = (0..9_000).map(|index| format!("\"value-{index:06}\"")).collect();
    let rules = format!(
        r#"[{{"name": "listed", "rule": "enum", "path": "jsonpath::.spec.hostname", "message": "m", "values": [{}]}}]"#,
        values.join(",")
    );
    let sets = [read(&rules, &["rules"])];
    for target in ["cel", "admission-policy"] {
        let emission =
            find_emitter(target).unwrap().emit_rule_sets(&Request::for_virtual_machines(&sets)).unwrap();
        let Fidelity::Unsupported(cause) = &emission.fidelity[0].fidelity else {
            panic!("{target}: {:?}", emission.fidelity)
        };
        // cel-go parser/parser.go, Parser.Parse: the limit is inclusive.
        assert!(cause.contains("expression code point size exceeds limit"), "{target}: {cause}");
        assert!(!emission.files.iter().any(|file| file.text.contains("value-000001")), "{target}");
    }
}
