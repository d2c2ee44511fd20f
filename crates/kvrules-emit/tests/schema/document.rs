//! The documents of the target, as their readers see them.

use kvrules_emit::schema::Dialect;
use kvrules_emit::{Emission, Options, Request, find_emitter};
use kvrules_ir::{ElaboratedSet, Operand, OperandRelation, Predicate, Severity, Subject, ValueType};
use serde_json::json;

use crate::agreement::compile;
use crate::places::{GIB, between, bus, cores, domain, length, memory, one_of, root, rule, set, test};

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

/// Returns the output of a target, with options.
fn emit_with(target: &str, chosen: &[(&str, &str)], sets: &[ElaboratedSet]) -> Emission {
    let option =
        |(name, value): &(&str, &str)| ((target.to_owned(), (*name).to_owned()), (*value).to_owned());
    let options: Options = chosen.iter().map(option).collect();
    let request = Request { version: "0.1.0", options: &options, ..Request::for_virtual_machines(sets) };
    find_emitter(target).unwrap().emit_rule_sets(&request).unwrap()
}

/// Returns the output of a dialect's target, and the pointer to the schema in it.
fn emit(dialect: Dialect, sets: &[ElaboratedSet]) -> (Emission, &'static str) {
    let component = "/components/schemas/VirtualMachine";
    match dialect {
        Dialect::JsonSchema202012 => (emit_with("json-schema", &[], sets), ""),
        Dialect::OpenApi30 => (emit_with("openapi", &[], sets), component),
        Dialect::OpenApi31 => (emit_with("openapi", &[("version", "3.1")], sets), component),
    }
}

#[test]
fn the_documents_of_a_windows_template_read_well() {
    let stem = "windows10-desktop-medium-v0.11.3";
    for (dialect, file, name) in [
        (Dialect::OpenApi30, format!("{stem}.yaml"), "windows"),
        (Dialect::OpenApi31, format!("{stem}.yaml"), "windows-3-1"),
        (Dialect::JsonSchema202012, format!("{stem}.json"), "windows-json-schema"),
    ] {
        let (emission, _) = emit(dialect, &[windows()]);
        assert_eq!(emission.files[0].path, file);
        // The pattern of a quantity is long, and tested where it is made.
        let short: Vec<String> = emission.files[0].text.lines().map(shortened).collect();
        insta::assert_snapshot!(name, short.join("\n"));
    }
    insta::assert_debug_snapshot!("windows-fidelity", emit(Dialect::OpenApi30, &[windows()]).0.fidelity);
}

fn shortened(line: &str) -> String {
    if line.trim_start_matches([' ', '"']).starts_with("pattern") {
        line.chars().take(80).chain("…".chars()).collect()
    } else {
        line.to_owned()
    }
}

/// Rules that bring out what the dialects have of their own, and such as no schema can say.
fn server() -> ElaboratedSet {
    let number = |path: &str| Operand::Integer(domain(path, ValueType::Integer));
    let compare = Predicate::Compare {
        left: number("cpu?.cores"),
        relation: OperandRelation::AtMost,
        right: number("cpu?.maxCores"),
    };
    let error = Severity::Error;
    let disks = ".spec.domain.devices.disks[*].disk.bus";
    let efi = Predicate::presence_of(domain("firmware?.efi?", ValueType::Object));
    let first = domain("devices.disks?.[0].disk?.bus?", ValueType::String);
    let name = root("spec!.template?.metadata.name", ValueType::String);
    let rules = vec![
        rule("cores", "Use some cores.", ".spec.domain.cpu.cores", error, cores(between(1, 4))),
        rule("hotplug", "No more cores than there can be.", ".spec.domain.cpu.cores", error, compare),
        rule("disk-there", "There must be a disk.", disks, error, bus("disk", &["virtio", "sata"], false)),
        rule(
            "first-disk",
            "The first disk is fast.",
            ".spec.domain.devices.disks[0].disk.bus",
            error,
            test(first, one_of(&["virtio"])),
        ),
        rule(
            "efi",
            "UEFI needs four cores.",
            ".spec.domain.cpu.cores",
            error,
            Predicate::implication_of(efi, cores(between(4, None))),
        ),
        rule("name", "The name is short.", ".metadata.name", error, test(name, length(1, 20))),
        rule(
            "hostile`\n- `x",
            "Say <b>no</b>\n\n- `forged`: [to](x)\u{7} `code`",
            disks,
            Severity::Warning,
            bus("disk", &["virtio"], true),
        ),
    ];
    set("Server/Large", &[], rules)
}

#[test]
fn the_documents_name_what_they_leave_out() {
    for (dialect, file, name) in [
        (Dialect::OpenApi30, "server-large.yaml", "left-out"),
        (Dialect::JsonSchema202012, "server-large.json", "left-out-json-schema"),
    ] {
        let (emission, _) = emit(dialect, &[server()]);
        assert_eq!(emission.files[0].path, file);
        insta::assert_snapshot!(name, emission.files[0].text);
    }
}

#[test]
fn the_documents_accept_a_good_machine_and_refuse_a_bad_one() {
    for dialect in Dialect::ALL {
        let (emission, pointer) = emit(dialect, &[windows()]);
        let document: serde_json::Value = serde_yaml::from_str(&emission.files[0].text).unwrap();
        let validator = compile(document.pointer(pointer).unwrap(), dialect);
        let vm = |guest: &str, bus: &str| {
            json!({"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": {
                "memory": {"guest": guest},
                "devices": {"disks": [
                    {"name": "a", "disk": {"bus": bus}},
                    {"name": "b", "cdrom": {"bus": "sata"}},
                ]},
            }}}}})
        };
        assert!(validator.is_valid(&vm("2Gi", "scsi")));
        assert!(!validator.is_valid(&vm("1Gi", "scsi")));
        assert!(!validator.is_valid(&vm("2Gi", "ide")));
        assert!(!validator.is_valid(&json!({})));
    }
}

#[test]
fn documents_speak_of_the_kind_that_the_rules_are_about() {
    let sets = [server()];
    let named = |kind: &str| Subject { kind: Some(kind.to_owned()), ..Subject::default() };
    for (subject, component, opening) in [
        (named("IPAddressPool"), "IPAddressPool", "An IPAddressPool that satisfies"),
        (named("my.Kind/v1 x"), "my.Kind_v1_x", "A my.Kind/v1 x that satisfies"),
        (Subject::default(), "object", "An object that satisfies"),
    ] {
        let request = Request { subject: &subject, ..Request::for_virtual_machines(&sets) };
        let emission = find_emitter("openapi").unwrap().emit_rule_sets(&request).unwrap();
        let document: serde_json::Value = serde_yaml::from_str(&emission.files[0].text).unwrap();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        assert_eq!(schemas.keys().collect::<Vec<_>>(), [component]);
        assert!(schemas[component]["description"].as_str().unwrap().starts_with(opening));
    }
}

#[test]
fn identifiers_are_below_the_base_that_was_chosen() {
    let base = |base: &str| {
        let emission = emit_with("json-schema", &[("id-base", base)], &[server()]);
        let document: serde_json::Value = serde_json::from_str(&emission.files[0].text).unwrap();
        document["$id"].as_str().unwrap().to_owned()
    };
    assert_eq!(base("https://example.org/rules"), "https://example.org/rules/server-large.json");
    assert_eq!(base("https://example.org/rules/"), "https://example.org/rules/server-large.json");
    assert_eq!(base("urn:example:"), "urn:example:server-large");
    let sets = [server()];
    for wrong in ["", "rules", "https://example.org/#rules", "https://example.org/a b", "1:x"] {
        let options = [(("json-schema".to_owned(), "id-base".to_owned()), wrong.to_owned())];
        let options: Options = options.into_iter().collect();
        let request = Request { options: &options, ..Request::for_virtual_machines(&sets) };
        let error = find_emitter("json-schema").unwrap().emit_rule_sets(&request).unwrap_err();
        assert_eq!(error.message, format!("`{wrong}` is not an absolute URI without a fragment"));
    }
}
