//! The documents of the target, as their readers see them.

use kvrules_emit::{Emission, Request, emitter};
use kvrules_ir::{ElaboratedSet, Operand, Predicate, Relation, Severity, ValueType};
use serde_json::json;

use crate::agreement::compile;
use crate::places::{GIB, between, bus, cores, domain, length, memory, root, rule, set, test};

fn windows() -> ElaboratedSet {
    let all = ["virtio", "sata", "scsi"];
    let path = |kind: &str| format!(".spec.domain.devices.disks[*].{kind}.bus");
    let error = Severity::Error;
    set(
        "windows10-desktop-medium-v0.11.3",
        &["windows10-desktop-medium-v0.11.3", "windows10-desktop-large-v0.11.3"],
        vec![
            rule(
                "minimal-required-memory",
                "This VM requires more memory.",
                ".spec.domain.memory.guest",
                error,
                memory(2 * GIB),
            ),
            rule(
                "windows-virtio-bus",
                "virtio disk bus type has better performance, install virtio drivers in VM and change bus type",
                &path("disk"),
                Severity::Warning,
                bus("disk", &["virtio"], true),
            ),
            rule(
                "windows-disk-bus",
                "disk bus has to be either virtio or sata or scsi",
                &path("disk"),
                error,
                bus("disk", &all, true),
            ),
            rule(
                "windows-cd-bus",
                "cd bus has to be sata",
                &path("cdrom"),
                error,
                bus("cdrom", &["sata"], true),
            ),
        ],
    )
}

fn emit(sets: &[ElaboratedSet]) -> Emission {
    let request = Request { version: "0.1.0", ..Request::of(sets) };
    (emitter("openapi").unwrap().emit)(&request).unwrap()
}

#[test]
fn the_document_of_a_windows_template_reads_well() {
    let emission = emit(&[windows()]);
    assert_eq!(emission.files[0].path, "windows10-desktop-medium-v0.11.3.yaml");
    // The pattern of a quantity is long, and tested where it is made.
    let short: Vec<String> = emission.files[0].text.lines().map(shortened).collect();
    insta::assert_snapshot!("windows", short.join("\n"));
    insta::assert_debug_snapshot!("windows-fidelity", emission.fidelity);
}

fn shortened(line: &str) -> String {
    if line.trim_start().starts_with("pattern:") {
        line.chars().take(60).chain("…".chars()).collect()
    } else {
        line.to_owned()
    }
}

#[test]
fn the_document_names_what_it_leaves_out() {
    let number = |path: &str| Operand::Integer(domain(path, ValueType::Integer));
    let compare = Predicate::Compare {
        left: number("cpu?.cores"),
        relation: Relation::AtMost,
        right: number("cpu?.maxCores"),
    };
    let error = Severity::Error;
    let rules = vec![
        rule("cores", "Use some cores.", ".spec.domain.cpu.cores", error, cores(between(1, 4))),
        rule("hotplug", "No more cores than there can be.", ".spec.domain.cpu.cores", error, compare),
        rule(
            "disk-there",
            "There must be a disk.",
            ".spec.domain.devices.disks[*].disk.bus",
            error,
            bus("disk", &["virtio", "sata"], false),
        ),
        rule(
            "efi",
            "UEFI needs four cores.",
            ".spec.domain.cpu.cores",
            error,
            Predicate::implication(
                Predicate::present(domain("firmware?.efi?", ValueType::Object)),
                cores(between(4, None)),
            ),
        ),
        rule(
            "name",
            "The name is short.",
            ".metadata.name",
            error,
            test(root("spec!.template?.metadata.name", ValueType::String), length(1, 20)),
        ),
    ];
    let emission = emit(&[set("Server/Large", &[], rules)]);
    assert_eq!(emission.files[0].path, "server-large.yaml");
    insta::assert_snapshot!("left-out", emission.files[0].text);
}

#[test]
fn the_document_accepts_a_good_machine_and_refuses_a_bad_one() {
    let emission = emit(&[windows()]);
    let document: serde_json::Value = serde_yaml::from_str(&emission.files[0].text).unwrap();
    let validator = compile(&document["components"]["schemas"]["VirtualMachine"]);
    let vm = |guest: &str, bus: &str| {
        json!({"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": {
            "memory": {"guest": guest},
            "devices": {"disks": [{"name": "a", "disk": {"bus": bus}}, {"name": "b", "cdrom": {"bus": "sata"}}]},
        }}}}})
    };
    assert!(validator.is_valid(&vm("2Gi", "scsi")));
    assert!(!validator.is_valid(&vm("1Gi", "scsi")));
    assert!(!validator.is_valid(&vm("2Gi", "ide")));
    assert!(!validator.is_valid(&json!({})));
}
