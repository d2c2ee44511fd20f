//! Lints that ask what a rule means: of guards, kinds, bounds and values.

use super::in_rules;

/// The findings in a rule whose paths, here without prefix, replace `@`.
fn found(keys: &str) -> Vec<String> {
    let keys = keys.replace('@', "jsonpath::");
    in_rules(&format!(r#"[{{"name": "a", "message": "m", {keys}}}]"#))
}

fn each(cases: &[(&str, &[&str])]) {
    for (keys, expected) in cases {
        assert_eq!(found(keys), *expected, "{keys}");
    }
}

#[test]
fn a_rule_without_guard_is_found_where_machines_without_the_field_violate_it() {
    each(&[
        (r#""rule": "integer", "path": "@.spec.domain.cpu.cores", "max": 8"#, &["KV303 cpu"]),
        (r#""rule": "integer", "path": "@.spec.domain.cpu.cores", "min": 0, "max": 8"#, &["KV303 cpu"]),
        (r#""rule": "integer", "path": "@.spec.domain.cpu.cores", "min": 1"#, &[]),
        (r#""rule": "integer", "path": "@.spec.domain.resources.limits.cpu", "max": 8"#, &["KV303 cpu"]),
        (
            r#""rule": "integer", "path": "@.spec.domain.devices.disks[*].bootOrder", "min": 1"#,
            &["KV303 bootOrder"],
        ),
        (r#""rule": "enum", "path": "@.spec.domain.devices.disks[*].name", "values": ["a"]"#, &["KV303 [*]"]),
        (r#""rule": "enum", "path": "@.spec.domain.devices.disks[0].name", "values": ["a"]"#, &["KV303 [0]"]),
        (r#""rule": "enum", "path": "@.metadata.labels['app']", "values": ["a"]"#, &["KV303 ['app']"]),
        (r#""rule": "regex", "path": "@.spec.hostname", "regex": "a""#, &[]),
        (r#""rule": "regex", "path": "@.spec.domain.machine.type""#, &["KV402 \"regex\""]),
    ]);
}

#[test]
fn a_guard_must_grant_what_the_path_may_lack() {
    let bus =
        r#""rule": "enum", "path": "@.spec.domain.devices.disks[*].disk.bus", "values": ["a"], "valid""#;
    each(&[
        (&format!(r#"{bus}: "@.spec.domain.devices.disks[*].disk.bus""#), &[]),
        (&format!(r#"{bus}: "@.spec.domain.devices.disks[*].disk""#), &[]),
        (&format!(r#"{bus}: "@.spec.domain.devices.disks[0].disk""#), &[]),
        (&format!(r#"{bus}: "@.spec.domain.devices.disks[*]""#), &["KV302 .spec.domain.devices.disks[*]"]),
        (
            &format!(r#"{bus}: "@.spec.domain.devices.disks[*].cdrom""#),
            &["KV302 .spec.domain.devices.disks[*].cdrom"],
        ),
        (&format!(r#"{bus}: "@.spec.domain.devices.disks""#), &["KV301 .spec.domain.devices.disks"]),
        (&format!(r#"{bus}: "@""#), &["KV103 \"jsonpath::\""]),
    ]);
    let cores = r#""rule": "integer", "path": "@.spec.domain.cpu.cores", "max": 8, "valid""#;
    each(&[
        (&format!(r#"{cores}: "@.spec.domain.cpu""#), &[]),
        (&format!(r#"{cores}: "@.spec.domain.cpu.sockets""#), &[]),
        (&format!(r#"{cores}: "@.spec.domain.cpu.realtime""#), &[]),
        (&format!(r#"{cores}: "@.spec.domain.memory""#), &["KV302 .spec.domain.memory"]),
        (&format!(r#"{cores}: "@.spec.domain.memory", "min": 1"#), &[]),
    ]);
}

#[test]
fn an_argument_is_found_that_is_not_one_value_of_its_kind() {
    let cores =
        r#""rule": "integer", "path": "@.spec.domain.cpu.cores", "valid": "@.spec.domain.cpu", "max""#;
    let name = r#""rule": "enum", "path": "@.spec.hostname", "values""#;
    each(&[
        (&format!(r#"{cores}: "@.spec.domain.cpu.sockets""#), &[]),
        (&format!(r#"{cores}: "@.spec.domain.cpu.model""#), &["KV407 model"]),
        (
            &format!(r#"{cores}: "@.spec.domain.ioThreads.supplementalPoolThreadCount""#),
            &["KV411 supplementalPoolThreadCount"],
        ),
        (&format!(r#"{cores}: "@.spec.domain.devices.disks[*].bootOrder""#), &["KV406 [*]"]),
        (&format!(r#"{name}: ["a", "@.spec.subdomain"]"#), &[]),
        (&format!(r#"{name}: ["a", "@.spec.networks[*].name"]"#), &["KV406 [*]"]),
        (&format!(r#"{name}: ["a", "@.spec.networks[0].name"]"#), &["KV411 [0]"]),
        (&format!(r#"{name}: ["a", "@.spec.domain.devices.disks"]"#), &["KV407 disks"]),
        (&format!(r#"{name}: ["@.spec.networks[0].name"], "valid": "@.spec.networks[*]""#), &["KV411 [0]"]),
        (&format!(r#"{name}: ["@.spec.networks[0].name"], "valid": "@.spec.networks[0].pod""#), &[]),
    ]);
    let memory = r#""rule": "integer", "path": "@.spec.domain.memory.guest", "max": "@.spec.domain.memory.maxGuest", "valid""#;
    each(&[
        (&format!(r#"{memory}: "@.spec.domain.memory.guest""#), &["KV411 maxGuest"]),
        (&format!(r#"{memory}: "@.spec.domain.memory.maxGuest""#), &[]),
    ]);
}

#[test]
fn a_kind_must_fit_its_field() {
    let cases: [(&str, &str, &[&str]); 14] = [
        ("integer", ".metadata.generation", &[]),
        ("integer", ".spec.hostname", &["KV208 hostname"]),
        ("integer", ".metadata.creationTimestamp", &["KV208 creationTimestamp"]),
        ("integer", ".metadata.labels", &["KV208 labels"]),
        ("integer", ".spec.domain.resources.overcommitGuestOverhead", &["KV208 overcommitGuestOverhead"]),
        ("string", ".metadata.generation", &["KV209 \"string\""]),
        ("string", ".spec.domain.devices.disks", &["KV208 disks"]),
        ("string", ".spec.domain", &["KV208 domain"]),
        ("regex", ".metadata.generation", &["KV209 \"regex\""]),
        ("regex", ".spec.domain.resources.overcommitGuestOverhead", &["KV209 \"regex\""]),
        ("regex", ".metadata.labels", &["KV208 labels"]),
        ("enum", ".metadata.generation", &[]),
        ("enum", "$", &["KV208 $"]),
        ("enum", ".spec.domain.devices", &["KV208 devices"]),
    ];
    for (kind, path, expected) in cases {
        let argument = match kind {
            "integer" => r#""min": 1"#,
            "string" => r#""maxLength": 1"#,
            "regex" => r#""regex": "1""#,
            _ => r#""values": [1]"#,
        };
        assert_eq!(
            found(&format!(r#""rule": "{kind}", "path": "@{path}", {argument}"#)),
            expected,
            "{kind} {path}"
        );
    }
}

#[test]
fn bounds_that_say_nothing_or_too_much_are_found_once() {
    let generation = r#""rule": "integer", "path": "@.metadata.generation""#;
    let hostname = r#""rule": "string", "path": "@.spec.hostname""#;
    each(&[
        (&format!(r#"{generation}, "min": 1.5"#), &["KV409 1.5"]),
        (&format!(r#"{generation}, "min": 1.0, "max": 2e1"#), &[]),
        (&format!(r#"{generation}, "min": 1.2, "max": 1.8"#), &["KV410 1.2"]),
        (&format!(r#"{generation}, "min": 1.8, "max": 1.2"#), &["KV403 1.8"]),
        (&format!(r#"{generation}, "min": -9223372036854775808"#), &["KV408 -9223372036854775808"]),
        (&format!(r#"{generation}, "max": -9223372036854775809"#), &["KV410 -9223372036854775809"]),
        (&format!(r#"{generation}, "min": 1e20"#), &["KV410 1e20"]),
        (&format!(r#"{hostname}, "minLength": 0"#), &["KV408 0"]),
        (&format!(r#"{hostname}, "minLength": -0.5"#), &["KV404 -0.5"]),
        (&format!(r#"{hostname}, "maxLength": 15.5"#), &["KV409 15.5"]),
        (&format!(r#"{hostname}, "maxLength": -1"#), &["KV404 -1"]),
    ]);
}

#[test]
fn values_that_a_field_cannot_have_are_found() {
    let generation = r#""rule": "enum", "path": "@.metadata.generation", "values""#;
    let memory = "@.spec.domain.memory.guest";
    let memory = format!(r#""rule": "enum", "path": "{memory}", "valid": "{memory}", "values""#);
    let overcommit = r#""rule": "enum", "path": "@.spec.domain.resources.overcommitGuestOverhead", "values""#;
    each(&[
        (&format!(r#"{generation}: [1, "2", 3.0]"#), &[]),
        (&format!(r#"{generation}: [1, "02"]"#), &["KV412 \"02\""]),
        (&format!(r#"{generation}: [1.5, "x"]"#), &["KV410 [1.5, \"x\"]"]),
        (&format!(r"{overcommit}: [true]"), &[]),
        (&format!(r#"{overcommit}: ["True", "false"]"#), &["KV412 \"True\""]),
        (&format!(r#"{memory}: ["1Gi", "2048Mi"]"#), &[]),
        (&format!(r#"{memory}: ["1Gi", "2GB"]"#), &["KV412 \"2GB\""]),
    ]);
}
