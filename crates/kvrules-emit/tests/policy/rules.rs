//! Rule sets for tests, read from annotations.

use std::collections::HashSet;

use kvrules_diagnostics::{FileId, Origin};
use kvrules_elaborate::catalog::Catalog;
use kvrules_elaborate::{annotation, elaborate_rule_set};
use kvrules_ir::{AnnotationDialect, ElaboratedSet, RuleSetUser};

use serde_json::{Value, json};

use super::objects::objects;

/// The rules of the common templates for Windows, and some of other shapes.
pub(crate) const WINDOWS: &str = r#"[
  {"name": "minimal-required-memory", "path": "jsonpath::.spec.domain.memory.guest", "rule": "integer",
   "message": "This VM requires more memory.", "min": 2147483648},
  {"name": "windows-virtio-bus", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus",
   "valid": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "rule": "enum", "values": ["virtio"],
   "message": "virtio disk bus type has better performance", "justWarning": true},
  {"name": "windows-disk-bus", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus",
   "valid": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "rule": "enum",
   "message": "disk bus has to be either virtio or sata or scsi", "values": ["virtio", "sata", "scsi"]},
  {"name": "windows-cd-bus", "path": "jsonpath::.spec.domain.devices.disks[*].cdrom.bus",
   "valid": "jsonpath::.spec.domain.devices.disks[*].cdrom.bus", "rule": "enum",
   "message": "cd bus has to be sata", "values": ["sata"]}
]"#;

/// Rules whose answers name values of every type.
pub(crate) const MORE: &str = r#"[
  {"name": "cores", "path": "jsonpath::.spec.domain.cpu.cores", "rule": "integer", "message": "too few. ",
   "min": 2, "max": 64},
  {"name": "type", "path": "jsonpath::.spec.domain.machine.type", "valid": "jsonpath::.spec.domain.machine",
   "rule": "regex", "message": "100% q35:", "regex": "^(pc-)?q35(-.+)?$"},
  {"name": "length", "path": "jsonpath::.spec.hostname", "rule": "string", "message": "", "minLength": 3},
  {"name": "requests", "path": "jsonpath::.spec.domain.resources.requests.memory", "rule": "integer",
   "valid": "jsonpath::.spec.domain.resources.requests.memory", "message": "m", "max": 1073741824},
  {"name": "boot", "path": "jsonpath::.spec.domain.devices.disks[*].bootOrder", "rule": "integer",
   "message": "boot", "justWarning": true, "min": 1, "max": 3},
  {"name": "inputs", "path": "jsonpath::.spec.domain.devices.inputs[*].bus", "rule": "enum", "message": "inputs",
   "valid": "jsonpath::.spec.domain.devices.inputs", "values": ["usb", "virtio"], "justWarning": true}
]"#;

/// The rules of an annotation, used by these templates.
pub(crate) fn read(text: &str, templates: &[&str]) -> ElaboratedSet {
    let stream = kvrules_syntax::parse_stream(FileId(0), text);
    let found = stream.documents.iter().flat_map(annotation::find_annotations).next().unwrap();
    let set = annotation::read_rule_set(&found, templates[0]);
    let elaboration = elaborate_rule_set(&set, Catalog::kubevirt_vm());
    ElaboratedSet {
        name: templates[0].to_owned(),
        used_by: audience(templates),
        rules: elaboration.rules,
        left_out: elaboration.left_out,
    }
}

/// Objects for each rule of a set, with the field that every machine's domain spells out, and again with enough memory,
/// so that no rule hides behind the one about that.
pub(crate) fn machines(set: &ElaboratedSet) -> Vec<Value> {
    let own = set.rules.iter().flat_map(|rule| objects(&rule.predicate));
    let machines = own.flat_map(|machine| {
        let mut machines = [machine.clone(), machine];
        for (machine, memory) in machines.iter_mut().zip([None, Some(json!({"guest": "4Gi"}))]) {
            let Some(Value::Object(domain)) = machine.pointer_mut("/spec/template/spec/domain") else {
                continue;
            };
            domain.entry("devices").or_insert_with(|| json!({}));
            memory.map(|memory| domain.entry("memory").or_insert(memory));
        }
        machines
    });
    let mut seen = HashSet::new();
    machines.filter(|machine| seen.insert(machine.to_string())).collect()
}

pub(crate) fn audience(templates: &[&str]) -> Vec<RuleSetUser> {
    let user = |name: &&str| RuleSetUser {
        name: (*name).to_owned(),
        dialect: AnnotationDialect::Annotation201902,
        origin: Origin::default(),
    };
    templates.iter().map(user).collect()
}
