//! Sentences and examples of the two versions of the annotation.

use kvrules::eval::{Engine, Evaluation, Evaluator, Options, SpecVerdict};
use kvrules::{FileId, SourceFile};
use serde_json::{Value, json};

/// A template with rules, and with a VirtualMachine.
fn template(key: &str, rules: &Value, domain: &Value) -> SourceFile {
    let (of_template, of_machine) = match key {
        "vm.kubevirt.io/validations" => (json!({}), json!({key: rules.to_string()})),
        _ => (json!({key: rules.to_string()}), json!({})),
    };
    let machine = json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
        "metadata": {"name": "vm", "annotations": of_machine}, "spec": {"template": {"spec": {"domain": domain}}}});
    let template = json!({"apiVersion": "v1", "kind": "Template", "metadata": {"name": "t", "annotations": of_template},
        "objects": [machine]});
    SourceFile::new(FileId(0), "template.yaml", template.to_string())
}

const NEW: &str = "vm.kubevirt.io/validations";

fn evaluated(engine: Engine, source: &SourceFile) -> Evaluation {
    let mut found = Evaluator::new(Options { engine, ..Options::default() }).evaluate_objects(source);
    assert_eq!(found.len(), 1);
    found.remove(0)
}

fn verdict(rules: &Value, domain: &Value) -> SpecVerdict {
    let evaluation = evaluated(Engine::Spec, &template(NEW, rules, domain));
    evaluation.spec.unwrap_or_else(|| panic!("{:?}", evaluation.fault)).verdict
}

/// The codes of the findings, without those about style and the machine next to the rules.
fn codes(source: &SourceFile) -> Vec<&'static str> {
    let found = kvrules::read_rules(source).diagnostics;
    found
        .iter()
        .map(|found| found.code)
        .filter(|code| !code.starts_with("KV7") && !code.starts_with("KV91"))
        .collect()
}

fn disks(disks: &Value) -> Value {
    json!({"cpu": {"cores": 2}, "devices": {"disks": disks}})
}

#[test]
fn unknown_keys_and_kinds_are_ignored() {
    let cores = |more: Value| {
        let path = "jsonpath::.spec.domain.cpu.cores";
        let mut rule = json!({"name": "cores", "rule": "integer", "path": path, "valid": path,
            "message": "at most 4 cores", "max": 4});
        rule.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        rule
    };
    let unknown_key = json!([cores(json!({"colour": "red"}))]);
    assert_eq!(verdict(&unknown_key, &json!({"cpu": {"cores": 4}})), SpecVerdict::Satisfied);
    assert_eq!(verdict(&unknown_key, &json!({"cpu": {"cores": 5}})), SpecVerdict::Rejected);
    assert_eq!(codes(&template(NEW, &unknown_key, &json!({}))), ["KV106"]);
    for kind in ["boolean", "Integer", "quantity", "future"] {
        let other = cores(json!({"name": "other", "rule": kind}));
        let both = json!([other, cores(json!({}))]);
        for (cores, expected) in [(4, SpecVerdict::Satisfied), (5, SpecVerdict::Rejected)] {
            let source = template(NEW, &both, &json!({"cpu": {"cores": cores}}));
            let spec = evaluated(Engine::Spec, &source).spec.unwrap();
            assert_eq!((spec.verdict, spec.rules[1].outcome), (expected, "skipped"), "{kind}");
        }
        let alone = json!([cores(json!({"rule": kind}))]);
        assert_eq!(verdict(&alone, &json!({"cpu": {"cores": 5}})), SpecVerdict::Satisfied);
        assert_eq!(codes(&template(NEW, &alone, &json!({}))), ["KV107"], "{kind}");
    }
}

#[test]
fn arguments_with_a_prefix_are_paths_or_findings() {
    let sockets = "jsonpath::.spec.domain.cpu.sockets";
    let bound = json!([{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores",
        "message": "no more cores than sockets", "max": sockets}]);
    assert_eq!(verdict(&bound, &json!({"cpu": {"cores": 2, "sockets": 2}})), SpecVerdict::Satisfied);
    assert_eq!(verdict(&bound, &json!({"cpu": {"cores": 3, "sockets": 2}})), SpecVerdict::Rejected);
    let machine = "jsonpath::.spec.domain.machine.type";
    let regex =
        json!([{"name": "a", "rule": "regex", "path": machine, "message": "a message", "regex": machine}]);
    assert!(codes(&template(NEW, &regex, &json!({}))).contains(&"KV202"));
    let values = json!([{"name": "a", "rule": "enum", "path": "jsonpath::.spec.domain.machine.type", "message": "a message",
        "values": ["q35", "jsonpath::.spec.domain.firmware.uuid"]}]);
    let with_machine = |kind: &str| json!({"machine": {"type": kind}, "firmware": {"uuid": "pc"}});
    assert_eq!(verdict(&values, &with_machine("pc")), SpecVerdict::Satisfied);
    assert_eq!(verdict(&values, &with_machine("other")), SpecVerdict::Rejected);
}

#[test]
fn the_good_path_is_read_and_the_bad_one_is_an_error() {
    let rule = |path: &str| {
        json!([{"name": "memory", "rule": "integer", "path": path, "valid": "jsonpath::.spec.domain.memory.guest",
            "message": "at least 1Mi of memory", "min": 1_048_576}])
    };
    let good = rule("jsonpath::.spec.domain.memory.guest");
    assert_eq!(verdict(&good, &json!({"memory": {"guest": "1Mi"}})), SpecVerdict::Satisfied);
    assert_eq!(verdict(&good, &json!({"memory": {"guest": "1Ki"}})), SpecVerdict::Rejected);
    assert!(codes(&template(NEW, &rule(".spec.domain.memory.guest"), &json!({}))).contains(&"KV201"));
}

/// The fields that the text lists, and the finding at a guard on each.
const DEFAULTS: [(&str, Option<&str>); 14] = [
    // The defaults apply only to machines with `cpu`, so that the guard skips the others.
    ("cpu.sockets", None),
    ("cpu.cores", None),
    ("cpu.threads", None),
    ("machine.type", None),
    ("devices.disks[*].serial", Some("KV301")),
    ("devices.disks[*].cache", Some("KV301")),
    ("devices.disks[*].io", Some("KV301")),
    ("devices.disks[*].tag", Some("KV301")),
    ("devices.interfaces[*].model", Some("KV301")),
    ("devices.interfaces[*].macAddress", Some("KV301")),
    ("devices.interfaces[*].pciAddress", Some("KV301")),
    ("devices.interfaces[*].tag", Some("KV301")),
    ("devices.interfaces[*].ports[*].protocol", Some("KV301")),
    // The API requires a port, so that it has no default.
    ("devices.interfaces[*].ports[*].port", None),
];

#[test]
fn guards_on_fields_with_defaults_are_findings() {
    for (field, expected) in DEFAULTS {
        let path = format!("jsonpath::.spec.domain.{field}");
        let rule = json!([{"name": "a", "rule": "string", "path": path, "valid": path,
            "message": "at most 99 characters", "maxLength": 99}]);
        let found = codes(&template(NEW, &rule, &json!({})));
        assert_eq!(found.contains(&"KV301"), expected.is_some(), "{field}: {found:?}");
    }
}

#[test]
fn the_deployed_validator_reads_one_of_the_two_names() {
    let rule = json!([{"name": "a", "rule": "integer", "path": "/spec.domain.cpu.cores", "message": "at least one core",
        "min": 1}]);
    let machine = json!({"cpu": {"cores": 2}});
    let (read, unread) = (template("validations", &rule, &machine), template("validation", &rule, &machine));
    for source in [&read, &unread] {
        let spec = evaluated(Engine::Spec, source).spec.unwrap();
        assert_eq!(spec.verdict, SpecVerdict::Satisfied);
    }
    assert_ne!(evaluated(Engine::Ssp, &read).ssp.unwrap().succeeded, Some(true));
    assert!(codes(&read).contains(&"KV901"));
    for engine in [Engine::Ssp, Engine::Both] {
        let evaluation = evaluated(engine, &unread);
        assert!(
            evaluation.ssp.is_none()
                && evaluation.fault.unwrap().message.contains("never reads `validation`")
        );
    }
    assert!(codes(&unread).contains(&"KV903"));
}

#[test]
fn well_formed_examples_have_their_verdicts() {
    let cores = json!([{"name": "core-limits", "path": "jsonpath::.spec.domain.cpu.cores",
        "message": "cpu cores must be limited", "rule": "integer", "min": 1, "max": 8}]);
    for (number, expected) in [
        (0, SpecVerdict::Rejected),
        (1, SpecVerdict::Satisfied),
        (8, SpecVerdict::Satisfied),
        (9, SpecVerdict::Rejected),
    ] {
        assert_eq!(verdict(&cores, &json!({"cpu": {"cores": number}})), expected, "{number}");
    }
    let bus = "jsonpath::.spec.domain.devices.disks[*].disk.bus";
    for (only_warns, failing) in [(true, SpecVerdict::Warned), (false, SpecVerdict::Rejected)] {
        let rule = json!([{"name": "supported-bus", "valid": bus, "path": bus, "rule": "enum",
            "message": "the disk bus type must be one of the supported values", "values": ["virtio", "scsi"],
            "justWarning": only_warns}]);
        for (given, expected) in [
            (json!([{"name": "a", "disk": {"bus": "virtio"}}]), SpecVerdict::Satisfied),
            (
                json!([{"name": "a", "disk": {"bus": "scsi"}}, {"name": "b", "cdrom": {}}]),
                SpecVerdict::Satisfied,
            ),
            (json!([{"name": "a", "disk": {"bus": "sata"}}]), failing),
            (json!([{"name": "a", "disk": {"bus": "Virtio"}}]), failing),
            (json!([]), SpecVerdict::Satisfied),
        ] {
            assert_eq!(verdict(&rule, &disks(&given)), expected, "{given}");
        }
    }
}
