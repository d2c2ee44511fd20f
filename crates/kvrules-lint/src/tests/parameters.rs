//! Parameters of templates: which references, declarations and values are at fault, in both kinds.

use kvrules_diagnostics::Level;

use super::*;

/// The findings about templates in a text: code, and level and message.
fn findings(text: &str) -> Vec<String> {
    let source = SourceFile::new(FileId(0), "template.yaml", text);
    let stream = source_stream(&source);
    let all = stream.documents.iter().flat_map(annotation::find_annotations);
    let annotations: Vec<_> = all
        .map(|found| {
            LintedAnnotation::from(kvrules_elaborate::ElaboratedAnnotation::new(
                found,
                "rules",
                Catalog::kubevirt_vm(),
            ))
        })
        .collect();
    let documents: Vec<_> = stream.documents.iter().collect();
    let found = lint_file(&LintedFile::new(&source, &documents, &annotations));
    let ours = ["KV114", "KV115", "KV116", "KV117", "KV118", "KV119", "KV910"];
    let found = found.into_iter().filter(|found| ours.contains(&found.code));
    let level = |level| match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "note",
    };
    found.map(|found| format!("{} {}: {}", found.code, level(found.level), found.message)).collect()
}

/// A template of each kind with these parameters (a YAML list) and this VirtualMachine (a YAML map).
fn both(parameters: &str, machine: &str) -> [String; 2] {
    let rest = machine.strip_prefix('{').unwrap();
    [
        format!("{{kind: Template, parameters: {parameters}, objects: [{{kind: VirtualMachine, {rest}]}}"),
        format!(
            "{{apiVersion: template.kubevirt.io/v1beta1, kind: VirtualMachineTemplate, \
             spec: {{parameters: {parameters}, virtualMachine: {machine}}}}}"
        ),
    ]
}

/// The parts that the findings must have, in order; `=` for the same as OpenShift's.
fn assert_found(parameters: &str, machine: &str, openshift: &[&str], kubevirt: Option<&[&str]>) {
    let texts = both(parameters, machine);
    for (text, expected) in texts.iter().zip([openshift, kubevirt.unwrap_or(openshift)]) {
        let found = findings(text);
        let fits = found.len() == expected.len()
            && found.iter().zip(expected).all(|(found, part)| found.contains(part));
        assert!(fits, "{text}:\n{found:#?}\nexpected {expected:#?}");
    }
}

#[test]
fn references_and_declarations_are_held_together() {
    type Row = (&'static str, &'static str, &'static [&'static str], Option<&'static [&'static str]>);
    #[rustfmt::skip]
    let rows: &[Row] = &[
        ("[{name: A}]", "{metadata: {name: '${A}'}}", &[], None),
        ("[{name: A}]", "{metadata: {name: 'x${A}y${A}'}}", &[], None),
        ("[{name: A}]", "{metadata: {labels: {'${A}': x}}}", &[], None),
        ("[{name: A}]", "{metadata: {labels: {a: '${{A}}'}}}", &[], None),
        ("[{name: A}]", "{metadata: {labels: {a: 'x${{A}}'}}}", &["KV115 warning: unused parameter `A`"], None),
        ("[{name: A}]", "{metadata: {name: v}}", &["KV115 warning: unused parameter `A`"], None),
        ("[]", "{metadata: {name: '${A}'}}", &["KV114 warning: unknown parameter `A`: `${A}` is not replaced"], Some(&["KV114 error: unknown parameter `A`"])),
        ("[]", "{metadata: {labels: {a: '${{A}}'}}}", &["KV114 warning"], Some(&["KV114 error"])),
        ("[]", "{metadata: {labels: {a: 'x${{A}}'}}}", &[], None),
        ("[]", "{metadata: {labels: {a: '${A-B}', b: '$A', c: '${}', d: '${ A }'}}}", &[], None),
        ("[]", "{metadata: {labels: {a: '${A}', b: '${A}'}}}", &["KV114"], None),
        ("[{name: NAME}]", "{metadata: {name: '${NAM}', labels: {a: '${NAME}'}}}", &["KV114 warning"], Some(&["KV114 error"])),
        ("[{name: A}, {name: A}]", "{metadata: {name: '${A}'}}", &["KV118 warning: duplicate parameter `A`: only"], Some(&["KV118 error: duplicate parameter `A`"])),
        ("[{name: A-B}]", "{metadata: {name: v}}", &["KV118 error: invalid parameter name `A-B`"], Some(&["KV118 warning: invalid parameter name `A-B`"])),
        ("[{name: ''}]", "{metadata: {name: v}}", &["KV118 error: the name of a parameter is empty"], None),
        ("[{value: x}]", "{metadata: {name: v}}", &["KV118 error: parameter without a name"], None),
        ("[x]", "{metadata: {name: v}}", &["KV118 error: a parameter must be an object, not the string `x`"], None),
        ("{name: A}", "{metadata: {name: v}}", &["KV118 error: `parameters` must be a list, not an object"], Some(&["KV118 error: `spec.parameters` must be a list, not an object"])),
        ("[{name: A, value: 4}]", "{metadata: {name: '${A}'}}", &["KV118 error: `value` of a parameter must be a string, not the number `4`"], None),
        ("[{name: A, value: true}]", "{metadata: {name: '${A}'}}", &["KV118 error: `value` of a parameter"], None),
        ("[{name: A, required: 'true'}]", "{metadata: {name: '${A}'}}", &["KV118 error: `required` of a parameter must be a boolean"], None),
        ("[{name: A, defaut: x}]", "{metadata: {name: '${A}'}}", &["KV118 warning: unknown field `defaut`"], None),
        ("[{name: A, generate: uuid}]", "{metadata: {name: '${A}'}}", &["KV118 error: unknown generator `uuid`"], None),
        ("[{name: A, generate: uuid, value: x}]", "{metadata: {name: '${A}'}}", &[], Some(&["KV118 error: unknown generator `uuid`"])),
        ("[{name: A, generate: ''}]", "{metadata: {name: '${A}'}}", &[], Some(&["KV118 error: unknown generator ``"])),
        ("[{name: A, generate: expression}]", "{metadata: {name: '${A}'}}", &[], Some(&["KV118 error: `generate` without `from`"])),
        ("[{name: A, generate: expression, from: x}]", "{metadata: {name: '${A}'}}", &["KV118 warning: `from` generates nothing random: `x`"], Some(&["KV118 error: `from` has nothing to generate: `x`"])),
        ("[{name: A, from: x}]", "{metadata: {name: '${A}'}}", &[], Some(&["KV118 error: `from` has nothing to generate"])),
        ("[{name: A, generate: expression, from: '[abc]{3}'}]", "{metadata: {name: '${A}'}}", &["KV118 error: `from` has the class `[abc]`"], Some(&[])),
        ("[{name: A, generate: expression, from: '[a-z]{0}'}]", "{metadata: {name: '${A}'}}", &["KV118 error: `from` has the length `0`"], None),
        ("[{name: A, generate: expression, from: '[a-z]{0}', value: x}]", "{metadata: {name: '${A}'}}", &[], None),
    ];
    for (parameters, machine, openshift, kubevirt) in rows {
        assert_found(parameters, machine, openshift, *kubevirt);
    }
}

/// A VirtualMachine with this domain.
fn domain(domain: &str) -> String {
    format!("{{spec: {{template: {{spec: {{domain: {domain}}}}}}}}}")
}

#[test]
fn a_reference_makes_a_value_of_the_type_of_its_field() {
    #[rustfmt::skip]
    let rows: &[(&str, &str, &[&str])] = &[
        ("'2'", "{cpu: {cores: '${{A}}'}}", &[]),
        ("'2'", "{cpu: {cores: '${A}'}}", &["KV116 error: `${A}` makes a string, and `.spec.template.spec.domain.cpu.cores` must be an integer"]),
        ("'2'", "{cpu: {cores: '1${A}'}}", &["KV116 error: `1${A}` makes a string"]),
        ("'2.0'", "{cpu: {cores: '${{A}}'}}", &[]),
        ("'2.5'", "{cpu: {cores: '${{A}}'}}", &["KV116 error: the value of `A` is the number `2.5`, and"]),
        ("two", "{cpu: {cores: '${{A}}'}}", &["KV116 error: the value of `A` is the string `two`"]),
        ("'true'", "{cpu: {isolateEmulatorThread: '${{A}}'}}", &[]),
        ("'yes'", "{cpu: {isolateEmulatorThread: '${{A}}'}}", &["KV116 error: the value of `A` is the string `yes`"]),
        ("'true'", "{cpu: {isolateEmulatorThread: '${A}'}}", &["KV116 error"]),
        ("'{}'", "{cpu: '${{A}}'}", &[]),
        ("'[]'", "{cpu: '${{A}}'}", &["KV116 error: the value of `A` is a list, and `.spec.template.spec.domain.cpu` must be an object"]),
        ("'{}'", "{cpu: '${A}'}", &["KV116 error: `${A}` makes a string"]),
        ("host", "{cpu: {model: '${{A}}'}}", &[]),
        ("'486'", "{cpu: {model: '${{A}}'}}", &["KV116 error: the value of `A` is the number `486`, and `.spec.template.spec.domain.cpu.model` must be a string"]),
        ("'486'", "{cpu: {model: '${A}'}}", &[]),
        ("1Gi", "{memory: {guest: '${A}'}}", &[]),
        ("1Gi", "{memory: {guest: '${{A}}'}}", &[]),
        ("'1073741824'", "{memory: {guest: '${{A}}'}}", &[]),
        ("'[]'", "{memory: {guest: '${{A}}'}}", &["KV116 error: the value of `A` is a list"]),
    ];
    for (value, fields, expected) in rows {
        assert_found(&format!("[{{name: A, value: {value}}}]"), &domain(fields), expected, None);
    }
    let generated = "[{name: A, generate: expression, from: '[0-9]{4}'}]";
    assert_found(
        generated,
        &domain("{cpu: {model: '${{A}}'}}"),
        &["KV116 error: the value of `A` can be the number"],
        None,
    );
    let running = "{spec: {running: '${A}'}}";
    assert_found(
        "[{name: A, value: 'true'}]",
        running,
        &["KV116 error: `${A}` makes a string, and `.spec.running`"],
        None,
    );
}

/// Declaration of the parameter, a rule, the field, its written value, and the expected findings.
type ValueRow = (
    &'static str,
    String,
    &'static str,
    &'static str,
    &'static [&'static str],
    Option<&'static [&'static str]>,
);

#[test]
fn values_of_parameters_are_held_to_the_rules_beside_them() {
    let integer = |bounds: &str| {
        format!(r#""rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", {bounds}"#)
    };
    let host = |keys: &str| format!(r#""path": "jsonpath::.spec.hostname", {keys}"#);
    let regex = |pattern: &str| host(&format!(r#""rule": "regex", "regex": "{pattern}""#));
    #[rustfmt::skip]
    let rows: Vec<ValueRow> = vec![
        ("value: 1Gi", integer(r#""min": 2"#), "memory", "${A}", &[], None),
        ("value: 1Gi", integer(r#""min": 2147483648"#), "memory", "${A}", &["KV117 warning: the value `1Gi` of the parameter `A` violates rule `r`: `1Gi` is less than `2Gi`"], None),
        ("value: '1'", integer(r#""min": 2147483648"#), "memory", "${A}Gi", &["KV117 warning: the value `1`"], None),
        ("value: 1Gi, required: true", integer(r#""min": 2147483648"#), "memory", "${A}", &["KV117"], None),
        ("required: true", integer(r#""min": 2"#), "memory", "${A}", &[], None),
        ("description: d", host(r#""rule": "string", "minLength": 1"#), "host", "${A}", &["KV117 warning: the parameter `A` has no value, and an empty string violates rule `r`"], None),
        ("generate: expression, from: '[a-z]{8}'", regex("^[a-z]+$"), "host", "${A}", &[], None),
        ("generate: expression, from: '[a-z]{8}'", regex("^[0-9]+$"), "host", "${A}", &["KV117 warning: every generated value of `A` violates rule `r`"], None),
        ("generate: expression, from: '[a-z0-9]{8}'", regex("^[a-z]"), "host", "${A}", &["KV117 warning: some generated values of `A` violate rule `r`"], None),
        ("generate: expression, from: '[a-z0-9]{8}'", regex("^[a-z]"), "host", "x${A}", &[], None),
        // One in 3e12 has this: too rare to be drawn.
        ("generate: expression, from: '[a-z0-9]{8}'", regex("^([^q]|q[^q]|qq[^q]|qqq[^q]|qqqq)"), "host", "${A}", &[], None),
        ("generate: expression, from: '[a-z]{9}'", regex("^(.{0,8}|.{9}|.{10}.*)$"), "host", "${A}", &[], None),
        ("generate: expression, from: '[a-y]{8}'", host(r#""rule": "enum", "values": ["aaaaaaaa", "b"]"#), "host", "${A}", &["KV117 warning: some generated values"], None),
        ("generate: expression, from: '[a-y]{8}'", host(r#""rule": "enum", "values": ["jkljkljk", "b"]"#), "host", "${A}", &["KV117 warning: some generated values"], None),
        ("generate: expression, from: '[a-y]{8}'", host(r#""rule": "enum", "values": ["zzz", "b"]"#), "host", "${A}", &["KV117 warning: every generated value"], None),
        ("generate: expression, from: '[a-y]{8}'", host(r#""rule": "string", "maxLength": 7"#), "host", "${A}", &["KV117 warning: every generated value"], None),
        ("generate: expression, from: '[a-y]{8}'", host(r#""rule": "string", "maxLength": 8"#), "host", "${A}", &[], None),
        ("generate: expression, from: '[a-y]{8}'", host(r#""rule": "string", "maxLength": 8"#), "host", "${A}x", &["KV117 warning: every"], None),
        ("generate: expression, from: '[1-9]{1}'", integer(r#""min": 9"#), "memory", "${A}", &["KV117 warning: every generated value"], Some(&["KV117 warning: some generated values"])),
        ("generate: expression, from: '[1-9]{1}'", integer(r#""max": 8"#), "memory", "${A}", &[], Some(&["KV117 warning: some generated values"])),
        ("generate: expression, from: '[0-9]{4}'", integer(r#""max": 9999"#), "memory", "${A}", &[], None),
        ("generate: expression, from: '[0-9]{4}'", integer(r#""max": 9998"#), "memory", "${A}", &[], Some(&["KV117 warning: some"])),
        ("generate: expression, from: '[0-9]{4}'", integer(r#""min": 10000"#), "memory", "${A}", &["KV117 warning: every"], None),
        (r"generate: expression, from: '[\A]{12}'", regex("^.+$"), "host", "${A}", &["KV117 note: cannot decide if all generated values of `A` satisfy rule `r`"], None),
        ("generate: expression, from: '[a-z]{8}'", regex("^[0-9]+$") + r#", "justWarning": true"#, "host", "${A}", &[], None),
    ];
    for (parameter, rule, field, written, openshift, kubevirt) in &rows {
        let rules = format!(r#"[{{"name": "r", "message": "m", {rule}}}]"#).replace('\'', "''");
        let spec = if *field == "host" {
            format!("hostname: '{written}'")
        } else {
            format!("domain: {{memory: {{guest: '{written}'}}}}")
        };
        let machine = format!(
            "{{metadata: {{annotations: {{vm.kubevirt.io/validations: '{rules}'}}}}, spec: {{template: {{spec: {{{spec}}}}}}}}}"
        );
        assert_found(&format!("[{{name: A, {parameter}}}]"), &machine, openshift, *kubevirt);
    }
}

#[test]
fn a_template_of_kubevirt_is_held_to_its_definition_and_webhook() {
    #[rustfmt::skip]
    let rows: &[(&str, &[&str])] = &[
        ("apiVersion: template.kubevirt.io/v1alpha1\nspec: {virtualMachine: {}}", &[]),
        ("apiVersion: template.kubevirt.io/v1\nspec: {virtualMachine: {}}", &["unknown version `template.kubevirt.io/v1`"]),
        ("spec: {virtualMachine: {}}", &["missing `apiVersion`"]),
        ("apiVersion: template.kubevirt.io/v1beta1", &["missing `spec` of"]),
        ("apiVersion: template.kubevirt.io/v1beta1\nspec:", &["missing `spec` of"]),
        ("apiVersion: template.kubevirt.io/v1beta1\nspec: []", &["`spec` must be an object, not a list"]),
        ("apiVersion: template.kubevirt.io/v1beta1\nspec: {}", &["missing `spec.virtualMachine`"]),
        ("apiVersion: template.kubevirt.io/v1beta1\nspec: {virtualMachine: x}", &["`spec.virtualMachine` must be an object"]),
        ("apiVersion: template.kubevirt.io/v1beta1\nspec: {virtualMachine: {}, message: 1}", &["`spec.message` must be a string"]),
        ("apiVersion: template.kubevirt.io/v1beta1\nspec: {virtualMachin: {}}", &["missing `spec.virtualMachine`", "unknown field `spec.virtualMachin`"]),
        ("apiVersion: template.kubevirt.io/v1beta1\nobjects: []\nspec: {virtualMachine: {}}", &["unknown field `objects`"]),
        ("apiVersion: template.kubevirt.io/v1beta1\nspec: {virtualMachine: {kind: Other, apiVersion: a/b}}", &[]),
        ("apiVersion: template.kubevirt.io/v1beta1\nspec: {virtualMachine: {spec: {template: {spec: {domein: {}}}}}}", &["KV119 warning: unknown field `.spec.template.spec.domein`"]),
        ("apiVersion: template.kubevirt.io/v1beta1\nspec: {virtualMachine: {spec: {template: {spec: {domain: {cpu: {cores: x}}}}}}}", &["must be an integer, not the string `x`"]),
        ("apiVersion: template.kubevirt.io/v1beta1\nspec: {virtualMachine: {spec: {template: {spec: {domain: {cpu: {model: 4}}}}}}}", &["must be a string, not the number `4`"]),
        ("apiVersion: template.kubevirt.io/v1beta1\nspec: {virtualMachine: {spec: {running: x}}}", &["`.spec.running` must be a boolean"]),
        ("apiVersion: example.org/v1\nspec: []", &[]),
    ];
    for (rest, expected) in rows {
        let found = findings(&format!("kind: VirtualMachineTemplate\n{rest}\n"));
        let fits = found.len() == expected.len()
            && found.iter().zip(*expected).all(|(found, part)| found.contains(part));
        assert!(fits, "{rest}:\n{found:#?}\nexpected {expected:#?}");
    }
}
