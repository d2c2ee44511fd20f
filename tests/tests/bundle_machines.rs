//! The machines in the released bundles, evaluated by the meaning of their rules and by the schema made from them.

use std::collections::HashMap;

use kvrules::{FileId, Request, Severity, SourceFile, find_emitter};
use kvrules_tests::template_bundles;
use serde_json::Value;

/// The machine of a template, as JSON.
fn machine(template: &str) -> Value {
    let template: Value = serde_yaml::from_str(template).unwrap();
    let is_machine = |object: &&Value| object["kind"] == "VirtualMachine";
    template["objects"].as_array().unwrap().iter().find(is_machine).cloned().unwrap()
}

/// Variants of a machine at which rules are likely to turn: without memory, with less, and with another bus.
fn variants(machine: &Value) -> Vec<Value> {
    let domain = "/spec/template/spec/domain";
    let mut variants = vec![machine.clone()];
    for guest in ["512Mi", "1Gi", "1.5Gi", "2G", "4096Mi", "100m"] {
        let mut other = machine.clone();
        other.pointer_mut(domain).unwrap()["memory"] = serde_json::json!({ "guest": guest });
        other.pointer_mut(domain).unwrap()["resources"] =
            serde_json::json!({ "requests": { "memory": guest } });
        variants.push(other);
    }
    for (device, bus) in
        [("disk", "sata"), ("disk", "ide"), ("cdrom", "sata"), ("cdrom", "ide"), ("lun", "scsi")]
    {
        let mut other = machine.clone();
        other.pointer_mut(&format!("{domain}/devices")).unwrap()["disks"] =
            serde_json::json!([{ "name": "a", device: { "bus": bus } }, { "name": "b", device: {} }]);
        variants.push(other);
    }
    let mut without = machine.clone();
    without.pointer_mut(domain).unwrap().as_object_mut().unwrap().retain(|key, _| key == "devices");
    variants.push(without);
    variants
}

#[test]
fn schema_and_meaning_agree_on_every_machine() {
    let (mut compared, mut accepted) = (0, 0);
    let mut schemas: HashMap<String, jsonschema::Validator> = HashMap::new();
    for (name, text) in template_bundles() {
        for template in text.split("\n---\n").filter(|part| part.contains("kind: Template")) {
            let sets = kvrules::read_rules(&SourceFile::new(FileId(0), name.as_str(), template)).sets;
            let outputs = kvrules::compile_targets(
                &[find_emitter("openapi").unwrap()],
                &Request::for_virtual_machines(&sets),
            )
            .unwrap();
            let document: Value = serde_yaml::from_str(&outputs[0].emission.files[0].text).unwrap();
            // Only few of the schemas differ in more than descriptions.
            let mut schema = document["components"]["schemas"]["VirtualMachine"].clone();
            schema.as_object_mut().unwrap().retain(|key, _| key != "description" && key != "x-kvrules-rules");
            let compile = || jsonschema::validator_for(&schema).unwrap();
            let schema = schemas.entry(schema.to_string()).or_insert_with(compile);
            let rejecting: Vec<_> =
                sets[0].rules.iter().filter(|rule| rule.severity == Severity::Error).collect();
            for variant in variants(&machine(template)) {
                let intended =
                    rejecting.iter().all(|rule| kvrules_eval::predicate_holds(&rule.predicate, &variant));
                assert_eq!(schema.is_valid(&variant), intended, "{name} {}: {variant}", sets[0].name);
                compared += 1;
                accepted += usize::from(intended);
            }
        }
    }
    println!("bundles: schema and meaning agree on {compared} machines, {accepted} of them accepted");
}
