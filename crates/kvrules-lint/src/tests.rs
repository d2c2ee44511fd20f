//! Tests of the lints as a whole, and that one error is one finding.

use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_elaborate::{annotation, catalog::Catalog};
use kvrules_syntax::{ProblemKind, source_stream};

use crate::{LintCheck, LintedAnnotation, LintedFile, lint_file, lints::CHECKS};

mod beside;
mod machines;
mod meaning;
mod parameters;

/// Every kind of problem. The match below stops compiling when one is added.
const KINDS: [ProblemKind; 22] = {
    use ProblemKind::*;
    [
        Yaml,
        YamlIndentation,
        DuplicateKey,
        TooDeep,
        AliasExpansion,
        JsonUnexpected,
        JsonCurlyQuote,
        JsonSingleQuote,
        JsonUnquoted,
        JsonInnerQuote,
        JsonMissingComma,
        JsonExtraComma,
        JsonMissingColon,
        JsonMissingValue,
        JsonComment,
        JsonUnclosed,
        JsonNumber,
        JsonWord,
        JsonEscape,
        JsonControl,
        JsonTrailing,
        JsonEmpty,
    ]
};

fn is_listed(kind: ProblemKind) -> bool {
    use ProblemKind::*;
    match kind {
        Yaml | YamlIndentation | DuplicateKey | TooDeep | AliasExpansion | JsonUnexpected
        | JsonCurlyQuote | JsonSingleQuote | JsonUnquoted | JsonInnerQuote | JsonMissingComma
        | JsonExtraComma | JsonMissingColon | JsonMissingValue | JsonComment | JsonUnclosed | JsonNumber
        | JsonWord | JsonEscape | JsonControl | JsonTrailing | JsonEmpty => KINDS.contains(&kind),
    }
}

#[test]
fn every_kind_of_problem_is_claimed_by_exactly_one_lint() {
    for kind in KINDS {
        assert!(is_listed(kind));
        let claims = CHECKS.iter().filter(|(_, check)| match check {
            LintCheck::Problem(kinds, _) | LintCheck::ProblemOrAnnotation(kinds, ..) => kinds.contains(&kind),
            _ => false,
        });
        let names: Vec<_> = claims.map(|(lint, _)| lint.name).collect();
        assert_eq!(names.len(), 1, "{kind:?}: {names:?}");
    }
}

/// The findings in a text: code, and the text under the finding. Those about the deployed validator are left out: one
/// mistake may well be one finding about the rule and another about what becomes of it.
fn found(text: &str) -> Vec<String> {
    let source = SourceFile::new(FileId(0), "rules.yaml", text);
    let stream = source_stream(&source);
    let annotations: Vec<_> = stream
        .documents
        .iter()
        .flat_map(annotation::find_annotations)
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
    let found = found.iter().filter(|found| !found.code.starts_with("KV9"));
    found.map(|found| format!("{} {}", found.code, source.span_text(found.primary.span))).collect()
}

/// The findings in an annotation of the 201902 form with this JSON.
fn in_rules(json: &str) -> Vec<String> {
    found(&format!("vm.kubevirt.io/validations: |\n  {}\n", json.replace('\n', "\n  ")))
}

/// The findings in a rule that has a name and a message, and these keys.
fn in_rule(keys: &str) -> Vec<String> {
    in_rules(&format!(r#"[{{"name": "a", "message": "m", {keys}}}]"#))
}

/// A path to what every machine has, of a type that the kind of the rule can evaluate.
fn path_for(keys: &str) -> &'static str {
    if keys.contains("integer") {
        r#""path": "jsonpath::.metadata.generation""#
    } else {
        r#""path": "jsonpath::.spec.hostname""#
    }
}

#[test]
fn one_mistake_is_one_finding() {
    let cases: [(&str, &[&str]); 24] = [
        (r#""rule": "integer", "min": 1"#, &[]),
        (r#""min": 1, "maxLength": 2"#, &["KV102 {"]),
        (r#""ruel": "integer", "min": 1"#, &["KV102 {"]),
        (r#""rule": "nope", "min": 1, "maxLength": 2"#, &["KV107 \"nope\""]),
        (r#""rule": null"#, &["KV103 null"]),
        (r#""rule": """#, &["KV103 \"\""]),
        (r#""rule": 3, "min": 1"#, &["KV104 3"]),
        (r#""rule": "string", "min": 1"#, &["KV401 \"min\""]),
        (r#""rule": "string", "min": "1""#, &["KV104 \"1\""]),
        (r#""rule": "string", "minLenght": 1"#, &["KV106 \"minLenght\""]),
        (r#""rule": "string", "minLength": "1""#, &["KV104 \"1\""]),
        (r#""rule": "string", "minLength": ,"maxLength": 2"#, &["KV010 :"]),
        (r#""rule": "integer", "min": 1Gi"#, &["KV011 1Gi"]),
        (r#""rule": "string", "minLength": null"#, &["KV402 \"string\""]),
        (r#""rule": "string", "minLength": 2, "maxLength": 1"#, &["KV403 2"]),
        (r#""rule": "string", "minLength": 2, "maxLength": -1"#, &["KV404 -1"]),
        (r#""rule": "enum", "values": []"#, &["KV405 []"]),
        (r#""rule": "enum", "values": ["a", null]"#, &["KV104 null"]),
        (r#""rule": "enum", "included": ["a"]"#, &["KV108 \"included\""]),
        (r#""rule": "enum", "values": ["jsonpath::.spec.x"]"#, &["KV205 x"]),
        (r#""rule": "regex", "regex": "\\d(?=a)""#, &["KV502 (?="]),
        (r#""rule": "regex", "regex": "\d""#, &["KV016 \\d"]),
        (
            r#""rule": "integer", "min": 9007199254740993, "max": 9007199254740992"#,
            &["KV403 9007199254740993"],
        ),
        (r#""x-mine": 1, "rule": "integer", "min": "jsonpath::.spec[""#, &["KV203 ["]),
    ];
    for (keys, expected) in cases {
        assert_eq!(in_rule(&format!("{}, {keys}", path_for(keys))), expected, "{keys}");
    }
}

#[test]
fn a_path_has_one_finding_at_the_step_that_is_wrong() {
    let cases: [(&str, &[&str]); 14] = [
        ("jsonpath::.spec.domain.cpu.cores", &[]),
        ("jsonpath::$.spec.domain.cpu.cores", &[]),
        ("jsonpath::.spec.template.cores", &["KV205 template"]),
        ("jsonpath::.spec.domain.cpu.core", &["KV205 core"]),
        ("jsonpath::.spec['domain'].cpu['core']", &["KV205 ['core']"]),
        ("jsonpath::.spec.domain.devices.disks.name", &["KV207 name"]),
        ("jsonpath::.spec.domain.cpu[*].cores", &["KV206 [*]"]),
        ("jsonpath::.spec.domain.devices.disks[1:2].name", &["KV204 [1:2]"]),
        ("jsonpath::.spec..cores", &["KV204 .."]),
        ("jsonpath::spec.domain.cpu.cores", &["KV203 spec.domain.cpu.cores"]),
        ("jsonpath::.spec.domain.[", &["KV203 ["]),
        ("jsonpath::", &["KV103 \"jsonpath::\""]),
        ("jsonpath:.spec.domain.cpu.core", &["KV201 \"jsonpath:.spec.domain.cpu.core\""]),
        ("", &["KV103 \"\""]),
    ];
    for (path, expected) in cases {
        let guard = r#""valid": "jsonpath::.spec.domain.cpu", "rule": "integer", "min": 1"#;
        let json = format!(r#""path": "{path}", {guard}"#);
        let on_vm = format!(
            "kind: VirtualMachine\nmetadata:\n  annotations:\n    vm.kubevirt.io/validations: |\n      \
             [{{\"name\": \"a\", \"message\": \"m\", {json}}}]\n"
        );
        assert_eq!(found(&on_vm), expected, "{path}");
    }
}

#[test]
fn what_follows_from_a_string_without_end_is_not_told() {
    let text = r#"[{"name": "a", "rule": "integer", "path": "jsonpath::.spec.hostname,
"message": "m", "min": 1}]"#;
    let found = in_rules(text);
    assert!(found.iter().all(|found| found.starts_with("KV014")), "{found:?}");
}

#[test]
fn names_are_unique_in_a_template_and_not_across_templates() {
    let rule = r#"[{"rule": "integer", "name": "a", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "min": 1}]"#;
    let machine = format!(
        "  - kind: VirtualMachine\n    metadata:\n      annotations:\n        vm.kubevirt.io/validations: '{rule}'\n"
    );
    let template = format!("kind: Template\nobjects:\n{machine}");
    assert_eq!(found(&format!("{template}{machine}")), ["KV105 \"a\""]);
    assert_eq!(found(&format!("{template}---\n{template}")), [""; 0]);
}

#[test]
fn a_repeated_rule_has_the_findings_of_the_first_unless_its_surroundings_decide() {
    let machine = |rule: &str| {
        format!(
            "kind: VirtualMachine\nmetadata:\n  annotations:\n    vm.kubevirt.io/validations: |\n      [{{\"name\": \"a\", {rule}}}]\n"
        )
    };
    for rule in [
        r#""rule": "integer", "path": "jsonpath::.spec.hostname", "min": 5, "message": "a""#,
        r#""rule": "regex", "path": "jsonpath::.spec.hostname", "regex": "a|b$", "message": """#,
        r#""rule": "enum", "path": "jsonpath::.spec.hostname", "values": [], "massage": "m""#,
        r#""rule": "string", "path": "jsonpath::.spec.hostnam", "minLength": 9, "maxLength": 2, "message": "m""#,
        r#""rule": "number", "path": "jsonpath::.spec.hostname", "message": "m""#,
    ] {
        let once = found(&machine(rule));
        assert!(!once.is_empty(), "{rule}");
        let mut twice = once.clone();
        twice.extend(once);
        assert_eq!(found(&format!("{0}---\n{0}", machine(rule))), twice, "{rule}");
    }
    let template = |kind: &str| {
        let rule = r#""rule": "${KIND}", "path": "jsonpath::.spec.hostname", "message": "m", "minLength": 1"#;
        let object = machine(rule).replace('\n', "\n  ");
        format!("kind: Template\nparameters: [{{name: KIND, value: {kind}}}]\nobjects:\n- {object}\n")
    };
    let unknown = |text: &str| found(text).iter().filter(|found| found.ends_with("\"${KIND}\"")).count();
    assert_eq!(unknown(&format!("{}---\n{}", template("string"), template("string"))), 0);
    assert_eq!(unknown(&format!("{}---\n{}", template("string"), template("word"))), 1);
}
