//! Names and messages of rules: what is not known in them stays as it is written, and never costs the rule.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop")]

use kvrules_diagnostics::FileId;
use kvrules_elaborate::annotation::{find_annotations, read_rule_set};
use kvrules_ir::RuleSet;
use kvrules_syntax::{parse_stream, templated::Template};

/// A template whose annotation has this one rule.
fn template(rule: &str) -> String {
    format!(
        "kind: Template\nmetadata: {{name: t}}\nobjects:\n- kind: VirtualMachine\n  metadata:\n    annotations:\n      \
         vm.kubevirt.io/validations: |\n        [{rule}]\nparameters:\n- {{name: KNOWN, value: main}}\n- {{name: ASKED}}\n"
    )
}

fn set(text: &str) -> RuleSet {
    let template = Template::from_source(text);
    let stream =
        template.as_ref().map_or_else(|| parse_stream(FileId(0), text), |found| found.parse(FileId(0)));
    let found = find_annotations(&stream.documents[0]);
    read_rule_set(&found[0], "rules")
}

const REST: &str = r#""rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "max": 8"#;

#[test]
fn what_is_not_known_in_a_name_or_message_stays_as_it_is_written() {
    for (name, message, read) in [
        (r#""a-${KNOWN}""#, r#""m""#, ("a-main", "m")),
        (r#""a-${ASKED}""#, r#""m ${ASKED}""#, ("a-${ASKED}", "m ${ASKED}")),
        (r#""${ASKED}-${KNOWN}""#, r#""${NOWHERE}""#, ("${ASKED}-main", "${NOWHERE}")),
        (r#""${{KNOWN}}""#, r#""$KNOWN""#, ("${{KNOWN}}", "$KNOWN")),
        ("${ASKED}", r#""m""#, ("${ASKED}", "m")),
        (
            r#""a-{{ .Values.a }}""#,
            r#""{{ .b }} and {{ .c }}""#,
            ("a-{{ .Values.a }}", "{{ .b }} and {{ .c }}"),
        ),
        (
            r"{{ .Values.name | quote }}",
            r#""{% if a %}x{% endif %}""#,
            ("{{ .Values.name | quote }}", "{% if a %}x{% endif %}"),
        ),
        (r#""{{ .a }} ${KNOWN} ${ASKED}""#, r#""m""#, ("{{ .a }} main ${ASKED}", "m")),
    ] {
        let set = set(&template(&format!(r#"{{"name": {name}, "message": {message}, {REST}}}"#)));
        assert_eq!(set.unread, [], "{name} {message}");
        let rule = &set.rules[0];
        assert_eq!((rule.name.as_str(), rule.message.as_str()), read);
    }
}

#[test]
fn what_decides_about_a_rule_is_still_left_out_by_name() {
    for rest in [
        r#""rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "max": {{ .most }}"#,
        r#""rule": "integer", "path": "jsonpath::.spec.{{ .field }}", "max": 8"#,
        r#""rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "max": ${ASKED}"#,
        r#""rule": "{{ .rule }}", "path": "jsonpath::.spec.domain.cpu.cores", "max": 8"#,
        r#""rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "{{ .key }}": 8"#,
    ] {
        let set = set(&template(&format!(r#"{{"name": "a-{{{{ .x }}}}", "message": "m", {rest}}}"#)));
        assert!(set.rules.is_empty(), "{rest}");
        assert_eq!(set.unread[0].name, "a-{{ .x }}", "{rest}");
    }
    // A rule under a condition may be absent.
    let text = template(&format!(
        "\n        {{% if a %}}\n        {{\"name\": \"a\", {REST}}}\n        {{% endif %}}\n        "
    ));
    assert!(set(&text).rules.is_empty());
}
