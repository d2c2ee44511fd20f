//! Findings of the default mode about flavors.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at a surprise")]

use kvrules_diagnostics::{FileId, Level};
use kvrules_extra_specs::nova::NovaValidator;
use kvrules_extra_specs::{
    Checker, ConflictKind, Definition, DefinitionRegistry, Finding, ValidationMode, parse_definitions,
    shipped_document,
};

fn registry() -> DefinitionRegistry {
    DefinitionRegistry::new([shipped_document().expand_definitions()])
}

fn check(validation: ValidationMode, key: &str, value: &str) -> Vec<Finding> {
    let registry = registry();
    Checker::new(&registry, validation).check_one(key, value)
}

/// Code and help of the one finding.
fn strict(key: &str, value: &str) -> (&'static str, Option<String>) {
    let mut findings = check(ValidationMode::Strict, key, value);
    assert_eq!(findings.len(), 1, "{key}={value}: {findings:#?}");
    let finding = findings.remove(0);
    assert!(finding.message.contains(key) || finding.lint.code == "KX204", "{}", finding.message);
    (finding.lint.code, finding.help)
}

fn intended(text: &str) -> String {
    format!("did you mean `{text}`?")
}

#[test]
fn a_slip_in_a_key_is_told_with_the_key_that_was_meant() {
    for (key, wanted) in [
        ("hw:cpu_pollllicy", "hw:cpu_policy"),
        ("hw:cpu_polciy", "hw:cpu_policy"),
        ("hw:numa_cpu.0", "hw:numa_cpus.0"),
        ("hw:numa_cpus:0", "hw:numa_cpus.0"),
        ("trait_NET1:HW_CPU_X86_AVX22", "trait_NET1:HW_CPU_X86_AVX2"),
        ("quota:disk_read_iops_secs", "quota:disk_read_iops_sec"),
    ] {
        assert_eq!(strict(key, "0"), ("KX202", Some(intended(wanted))), "{key}");
    }
}

#[test]
fn a_slip_in_a_namespace_is_told_with_the_namespace_that_was_meant() {
    for (key, wanted) in [
        ("hww:cpu_policy", "hw:cpu_policy"),
        ("HW:cpu_policy", "hw:cpu_policy"),
        ("resource:VCPU", "resources:VCPU"),
        ("qouta:cpu_shares", "quota:cpu_shares"),
    ] {
        assert_eq!(strict(key, "0"), ("KX203", Some(intended(wanted))), "{key}");
    }
    assert_eq!(strict("acme:colour", "red"), ("KX203", None));
}

#[test]
fn keys_without_namespace_are_held_to_those_that_there_are() {
    assert_eq!(strict("hide_hypervisor_idd", "1"), ("KX203", Some(intended("hide_hypervisor_id"))));
    assert_eq!(strict("cpu_policy", "shared"), ("KX203", Some(intended("hw:cpu_policy"))));
    assert_eq!(strict("rack", "7"), ("KX203", None));
}

#[test]
fn literal_parts_of_a_name_are_literal() {
    for key in ["hw:numa_cpusX0", "hw:numa_cpus00"] {
        assert_eq!(strict(key, "0-3").0, "KX202");
        assert!(
            NovaValidator::from_definitions(&shipped_document().expand_definitions())
                .check_pair(key, "0-3")
                .is_accepted()
        );
    }
    assert_eq!(check(ValidationMode::Strict, "hw:numa_cpus.0", "0-3"), []);
    assert_eq!(strict("hw:numa_cpus.{num}", "0").0, "KX202");
    let template = &check(ValidationMode::Strict, "hw:numa_cpus.{num}", "0")[0];
    assert!(template.message.contains("is a template of a key"), "{}", template.message);
}

#[test]
fn a_key_that_a_group_makes_fit_by_accident_is_told() {
    let (code, help) = strict("traits:HW_CPU_X86_AVX2", "required");
    assert_eq!(code, "KX204");
    assert!(help.unwrap().starts_with("did you mean `trait:HW_CPU_X86_AVX2`?"));
    assert_eq!(strict("resourcesfoo:VCPU", "1").0, "KX204");
    for key in ["trait1:HW_CPU_X86_AVX2", "trait_NET-1:HW_CPU_X86_AVX2", "trait:CUSTOM_GOLD"] {
        assert_eq!(check(ValidationMode::Strict, key, "required"), []);
    }
}

#[test]
fn a_wrong_value_is_told_with_its_key_and_novas_words() {
    let findings = check(ValidationMode::Permissive, "hw:cpu_policy", "deddddicated");
    let [finding] = findings.as_slice() else { panic!("{findings:#?}") };
    assert_eq!((finding.lint.code, finding.level, finding.is_rejection()), ("KX201", Level::Error, true));
    assert_eq!(
        finding.message,
        "invalid value of `hw:cpu_policy`: 'deddddicated' is not one of: dedicated, shared, mixed"
    );
    let nova = "Validation failed; 'deddddicated' is not one of: dedicated, shared, mixed.";
    assert_eq!(finding.nova.as_deref(), Some(nova));
    assert_eq!(finding.help, Some(intended("dedicated")));
    for (key, value, help) in [
        ("hw:cpu_policy", "Dedicated ", "did you mean `dedicated`?"),
        ("hw:mem_page_size", "Large", "did you mean `large`?"),
        ("hw:boot_menu", "ture", "did you mean `true`?"),
        ("hw:boot_menu", "enabled", "write `true` or `false`"),
        ("hw:redirected_usb_ports", "16", "write an integer from 0 to 15"),
    ] {
        assert_eq!(strict(key, value), ("KX201", Some(help.to_owned())), "{key}={value}");
    }
}

#[test]
fn all_that_is_wrong_with_a_flavor_is_told() {
    let registry = registry();
    let checker = Checker::new(&registry, ValidationMode::Strict);
    let findings =
        checker.check_specs([("hw:cpu_policy", "x"), ("hw:nope_at_all", "1"), ("hide_hypervisor_id", "2")]);
    let codes: Vec<_> = findings.iter().map(|finding| finding.lint.code).collect();
    assert_eq!(codes, ["KX201", "KX202", "KX205", "KX201"]);
    assert_eq!(findings[2].help.as_deref(), Some("use `hw:hide_hypervisor_id`"));
    assert_eq!(findings[2].level, Level::Warning);
}

#[test]
fn permissive_tells_of_unknown_keys_and_off_tells_nothing() {
    for key in ["hw:nope", "acme:x", "rack"] {
        let findings = check(ValidationMode::Permissive, key, "1");
        assert_eq!(
            findings.iter().map(|finding| finding.level).collect::<Vec<_>>(),
            [Level::Warning],
            "{key}"
        );
        assert_eq!(check(ValidationMode::Off, key, "1"), []);
        assert!(check(ValidationMode::Strict, key, "1")[0].is_rejection());
    }
    assert_eq!(check(ValidationMode::Off, "hw:cpu_policy", "nonsense"), []);
}

#[test]
fn numbers_that_are_read_otherwise_than_they_look_are_told() {
    assert_eq!(strict("hw:numa_nodes", "1_0"), ("KX206", Some("write `10`".to_owned())));
    assert_eq!(check(ValidationMode::Strict, "hw:numa_nodes", "10"), []);
    assert_eq!(check(ValidationMode::Strict, "hw:boot_menu", "Yes"), []);
}

fn own(text: &str) -> Vec<Definition> {
    let head = "kind: ExtraSpecDefinitions\nversion: 1\ndefinitions:\n";
    let text = format!("{head}{text}");
    let (document, problems) = parse_definitions(FileId(1), &text);
    assert_eq!(problems, []);
    document.expand_definitions()
}

#[test]
fn an_operators_definitions_stand_behind_the_built_in_ones_and_conflicts_are_told() {
    let own = own("- {name: 'hw:cpu_policy', description: x, value: {type: boolean}}\n\
                   - {name: 'trait:CUSTOM_GOLD', description: x, value: {type: boolean}}\n\
                   - {name: 'acme:tier', description: x, value: {type: string, enum: [gold]}}\n\
                   - {name: 'hw:{any}', description: x, value: {type: string}, parameters: [{name: any, pattern: 'cpu_p.*'}]}\n");
    let registry = DefinitionRegistry::new([shipped_document().expand_definitions(), own]);
    let reported: Vec<_> =
        registry.conflicts().iter().map(|conflict| (conflict.kind, conflict.loses.as_str())).collect();
    assert_eq!(
        reported,
        [
            (ConflictKind::SameName, "hw:cpu_policy"),
            (ConflictKind::Shadowed, "trait:CUSTOM_GOLD"),
            (ConflictKind::Overlap, "hw:{any}"),
        ]
    );
    let checker = Checker::new(&registry, ValidationMode::Strict);
    assert_eq!(checker.check_one("hw:cpu_policy", "shared"), []);
    assert_eq!(checker.check_one("trait:CUSTOM_GOLD", "required"), []);
    assert_eq!(checker.check_one("acme:tier", "gold"), []);
    assert_eq!(checker.check_one("hw:cpu_plenty", "x"), []);
}
