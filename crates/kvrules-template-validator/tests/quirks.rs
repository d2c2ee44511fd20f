//! Effects of Go's behaviour that are not among the recorded cases.

use kvrules_template_validator::{Machine, Rules, ValidatorAnswer, evaluate_annotation};

fn template(spec: &str) -> String {
    format!(r#"{{"spec":{{"template":{{"spec":{spec}}}}}}}"#)
}

/// Returns what an enum rule reports as found, or else the error.
fn found(path: &str, machine: &str) -> String {
    let rule = serde_json::json!([{"message": "m", "rule": "enum", "values": ["ZZ"], "path": format!("jsonpath::{path}")}]);
    reported(evaluate_annotation(&rule.to_string(), machine))
}

fn reported(answer: ValidatorAnswer) -> String {
    let Some(statuses) = answer.status else {
        return answer.panic.or(answer.vm_error).or(answer.parse_error).unwrap_or_default();
    };
    let Some(status) = statuses.into_iter().next() else { return String::new() };
    let message = status.error.unwrap_or(status.message);
    let inner = message.strip_prefix("Some of [").and_then(|text| text.strip_suffix("] are not in [ZZ]"));
    inner.map(str::to_owned).unwrap_or(message)
}

const DISKS: &str = r#"{"domain":{"devices":{"disks":[{"name":"a","disk":{"bus":"sata"}},{"name":"b"}]}}}"#;

#[test]
fn loops_give_what_their_body_finds() {
    let path = "}{range .spec.template.spec.domain.devices.disks[*]}{.name}-{end}{.kind";
    assert_eq!(found(path, &template(DISKS)), "<*v1.VirtualMachineInstanceTemplateSpec Value>, a, -, b, -, ");
}

#[test]
fn a_loop_over_nothing_goes_through_its_body_once() {
    let path = "}{range .spec.template.spec.volumes[*]}{.name}{end";
    assert_eq!(found(path, &template("{}")), "invalid JSONPath");
    let path = "}{range .spec.template.spec.volumes[*]}x{end";
    assert_eq!(found(path, &template("{}")), "<*v1.VirtualMachineInstanceTemplateSpec Value>");
    let path = "}{range .spec.template.spec.volumes[*]}{[*]}{end";
    assert_eq!(found(path, &template("{}")), "reflect: call of reflect.Value.Type on zero Value");
}

#[test]
fn a_loop_that_failed_is_not_walked_from_its_start_again() {
    // On the VM the body fails at `b`; the walk of the reference VM then starts at the body, on the whole VM.
    let path = "}{range .spec.template.spec.domain.devices.disks[*]}{.disk.bus}{end";
    assert_eq!(found(path, &template(DISKS)), "invalid JSONPath");
    let path = "}{range .spec.template.spec.domain.devices.disks[*]}{['spec','disk']}{.spec.template";
    assert_eq!(found(path, &template(DISKS)), "invalid JSONPath");
}

#[test]
fn the_empty_name_is_that_of_a_field_without_a_tag() {
    assert_eq!(
        found(".spec.domain.devices.disks[*].", &template(DISKS)),
        "<v1.DiskDevice Value>, <v1.DiskDevice Value>"
    );
    let path = ".spec.domain.memory.guest.";
    let machine = template(r#"{"domain":{"memory":{"guest":"1"}}}"#);
    assert!(found(path, &machine).starts_with("reflect.Value.Interface"));
}

#[test]
fn parts_of_quantities_and_ports_are_fields() {
    let machine = template(
        r#"{"domain":{"memory":{"guest":"1Gi"}},"livenessProbe":{"httpGet":{"port":80}},"readinessProbe":{"tcpSocket":{"port":"web"}}}"#,
    );
    assert_eq!(found(".spec.domain.memory.guest.Format", &machine), "BinarySI");
    assert_eq!(found(".spec.livenessProbe.httpGet.port.*", &machine), "<intstr.Type Value>, <int32 Value>, ");
    assert_eq!(found(".spec.readinessProbe.Handler.TCPSocket.port.StrVal", &machine), "web");
    assert_eq!(found(".spec.domain.memory.guest.d.Dec.scale", &machine), "invalid JSONPath");
}

#[test]
fn a_later_value_is_decoded_over_an_earlier_one() {
    let twice = r#"{"domain":{"devices":{"disks":[{"name":"a","serial":"s"},{"name":"b","serial":"t"}],
        "disks":[{"name":"c"}], "disks":[{}, {"name":"d"}]}}}"#;
    assert_eq!(found(".spec.domain.devices.disks[*]['name','serial']", &template(twice)), "c, d, s, t");
    let emptied = r#"{"domain":{"devices":{"disks":[{"name":"a"}],"disks":[],"disks":[{}]}}}"#;
    assert_eq!(found(".spec.domain.devices.disks[*].name", &template(emptied)), "");
    let labels = r#"{"nodeSelector":{"a":"1","b":"2"},"NodeSelector":{"a":null}}"#;
    assert_eq!(found(".spec.nodeSelector.*", &template(labels)), ", 2");
    let spec = r#"{"spec":{"template":{"spec":{"hostname":"a"},"spec":{"subdomain":"b"}}}}"#;
    assert_eq!(found(".spec['hostname','subdomain']", spec), ", b");
}

#[test]
fn an_error_of_a_type_of_its_own_is_told_before_an_earlier_wrong_type() {
    let wrong = r#"{"domain":{"machine":{"type":1},"memory":{"guest":"x"}}}"#;
    assert!(found(".spec", &template(wrong)).starts_with("quantities must match"));
    let wrong = r#"{"apiVersion":1,"spec":{"template":{"spec":{"hostname":1}}}}"#;
    assert_eq!(
        found(".spec", wrong),
        "json: cannot unmarshal number into Go struct field VirtualMachineInstanceTemplateSpec.spec.template.spec.hostname of type string"
    );
    let rules = r#"[{"name":1,"path":"x"}]"#;
    assert_eq!(
        Rules::decode_annotation(rules).map(|_| ()).map_err(|error| error.to_string()),
        Err("invalid JSONPath".into())
    );
}

#[test]
fn wrong_types_are_told_with_the_way_to_them() {
    let error = |text: &str| Machine::decode_json(text).map(|_| ()).map_err(|error| error.to_string());
    let cases = [
        (r#"{"kind":1}"#, "number into Go struct field VirtualMachine.TypeMeta.kind of type string"),
        (
            r#"{"metadata":{"labels":{"a":1}}}"#,
            "number into Go struct field ObjectMeta.metadata.labels of type string",
        ),
        (
            r#"{"spec":{"template":{"spec":[]}}}"#,
            "array into Go struct field VirtualMachineInstanceTemplateSpec.spec.template.spec of type v1.VMISpecAlias",
        ),
        (
            r#"{"spec":{"template":{"spec":{"volumes":[{"memoryDump":{"claimName":{}}}]}}}}"#,
            "object into Go struct field VirtualMachineInstanceTemplateSpec.spec.template.spec.volumes.VolumeSource.\
             memoryDump.PersistentVolumeClaimVolumeSource.PersistentVolumeClaimVolumeSource.claimName of type string",
        ),
        (
            r#"{"spec":{"dataVolumeTemplates":{}}}"#,
            "object into Go struct field VirtualMachineSpec.spec.dataVolumeTemplates of type []v1.DataVolumeTemplateSpec",
        ),
    ];
    for (machine, expected) in cases {
        assert_eq!(error(machine), Err(format!("json: cannot unmarshal {expected}")), "{machine}");
    }
}

#[test]
fn other_parts_of_the_machine_can_be_reached_through_braces() {
    let machine =
        r#"{"kind":"VM","metadata":{"name":"n","labels":{"l":"v"}},"spec":{"running":true,"template":{}}}"#;
    assert_eq!(
        found("}{.kind}{.Name}{.metadata.labels.l}{.spec.running", machine),
        "<*v1.VirtualMachineInstanceTemplateSpec Value>, VM, n, v, <*bool Value>"
    );
}

#[test]
fn addresses_of_name_servers_are_rewritten() {
    let machine = template(r#"{"dnsConfig":{"nameservers":["010.0.0.01","x"]}}"#);
    assert_eq!(found(".spec.dnsConfig.nameservers[*]", &machine), "10.0.0.1, x");
}

#[test]
fn one_character_of_a_text_compares_as_a_number() {
    let path = |text: &str| format!(".spec.domain.devices.disks[?(@.name.*{text})].name");
    assert_eq!(found(&path("==97"), &template(DISKS)), "a");
    assert_eq!(found(&path(">97"), &template(DISKS)), "b");
}

#[test]
fn rules_decoded_once_judge_many_machines_alike() {
    let path = "jsonpath::}{range .spec.template.spec.domain.devices.disks[*]}{.name}{end";
    let rule = serde_json::json!([{"message": "m", "rule": "string", "path": path}]).to_string();
    let (rules, machine) = (Rules::decode_annotation(&rule), Machine::decode_json(&template(DISKS)));
    let (Ok(rules), Ok(machine)) = (rules, machine) else { panic!("both decode") };
    assert_eq!(rules.evaluate_machine(&machine), rules.evaluate_machine(&machine));
    assert_eq!(rules.evaluate_machine(&machine), evaluate_annotation(&rule, &template(DISKS)));
}
