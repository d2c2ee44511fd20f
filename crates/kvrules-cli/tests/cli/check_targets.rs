//! `kvrules check` beside targets: rules that one of them does not say exactly.

use crate::place::Place;

/// A rule that a schema cannot say, since it compares two fields.
const RULES: &str = r#"vm.kubevirt.io/validations: |
  [{
    "name": "threads", "rule": "integer", "message": "no more threads than cores",
    "path": "jsonpath::.spec.domain.cpu.threads", "valid": "jsonpath::.spec.domain.cpu",
    "max": "jsonpath::.spec.domain.cpu.cores"
  }]
"#;

/// Exit status and findings of `check` with this configuration and these arguments.
fn check(config: &str, args: &[&str]) -> (Option<i32>, String) {
    let place = Place::with(&[("a.yaml", RULES), ("kvrules.toml", config)]);
    let run = place.run(&[&["check", "a.yaml", "--output-format", "concise"], args].concat());
    (run.code, run.out)
}

#[test]
fn a_configured_target_that_cannot_say_a_rule_is_a_finding() {
    let (code, out) = check("targets = ['openapi']\n", &[]);
    assert!(
        out.starts_with("a.yaml:2:4: warning[KV920] the target `openapi` does not have rule `threads`"),
        "{out}"
    );
    assert_eq!((code, out.lines().count()), (Some(0), 1));
}

#[test]
fn nothing_is_said_where_no_target_is_named_or_the_loss_is_allowed() {
    assert_eq!(check("", &[]), (Some(0), String::new()));
    assert_eq!(check("targets = ['admission-policy', 'markdown']\n", &[]), (Some(0), String::new()));
    assert_eq!(check("targets = ['openapi']\nloss = 'allow'\n", &[]), (Some(0), String::new()));
    assert_eq!(check("targets = ['openapi']\n", &["--ignore", "KV920"]), (Some(0), String::new()));
}

#[test]
fn the_command_line_names_targets_and_the_configuration_says_how_bad_losses_are() {
    let (code, out) = check("loss = 'error'\n", &["--target", "json-schema,openapi"]);
    assert!(
        out.contains("error[KV920] the targets `json-schema` and `openapi` do not have rule `threads`"),
        "{out}"
    );
    assert_eq!(code, Some(1));
}

#[test]
fn an_option_may_follow_the_target_as_in_compile() {
    const MEMORY: &str = r#"vm.kubevirt.io/validations: |
  [{
    "name": "memory", "rule": "integer", "message": "more memory",
    "path": "jsonpath::.spec.domain.memory.guest", "valid": "jsonpath::.spec.domain.memory.guest", "min": 2147483648
  }]
"#;
    let place = Place::with(&[("a.yaml", MEMORY)]);
    let check = |target: &str| place.run(&["check", "a.yaml", "--output-format", "concise", "-t", target]);
    // By default the pattern takes common spellings alone and is narrower; with the option it takes every one.
    let plain = check("json-schema");
    assert!(plain.out.contains("`json-schema`") && plain.out.contains("`memory`"), "{plain:?}");
    assert_eq!(check("json-schema:quantities=plain").out, plain.out);
    let exact = check("json-schema:quantities=exact");
    assert!(exact.out.contains("accepts more than rule `memory`"), "{exact:?}");
    assert!(!plain.out.contains("accepts more than rule `memory`"), "{plain:?}");
    for (wrong, message) in [
        ("json-schema:quantity=exact", "unknown option `quantity`"),
        ("json-schema:quantities=most", "invalid value `most`"),
        ("json-schema:quantities", "expected `TARGET.NAME=VALUE`"),
        ("json-scheme:quantities=exact", "json-scheme"),
        ("all:quantities=exact", "unknown target `all`"),
    ] {
        let run = check(wrong);
        assert!(run.code == Some(2) && run.err.contains(message), "{wrong}: {run:?}");
    }
}
