//! Nothing of an input reaches a terminal that the terminal would act upon: control characters, and characters that turn the
//! reading direction.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop at the first surprise")]

use crate::place::{Place, Run};

/// A text as an input holds it: it clears the screen in two ways, hides what follows, turns the direction, and pretends to
/// be a line of its own.
const EVIL: &str = r"a\e[2J\e[8m\x9b2J\u202e\nFORGED\ttext";
/// The same in JSON.
const EVIL_JSON: &str = r"a\u001b[2J\u001b[8m\u009b2J\u202e\nFORGED\ttext";
/// The same as characters, for names of files.
const EVIL_NAME: &str = "a\u{1b}[2J\u{1b}[8m\u{9b}2J\u{202e}\nFORGED";

/// Objects with such a text wherever one can stand.
fn rules() -> String {
    with(EVIL_JSON, &format!("({EVIL_JSON}"))
}

/// The same with rules that can be read.
fn sound() -> String {
    with("", r"a\u001b\u202e\n")
}

fn with(path: &str, regex: &str) -> String {
    let rules = format!(
        r#"[{{"name": "{EVIL_JSON}", "rule": "integer", "message": "{EVIL_JSON}", "path": "jsonpath::.spec.domain.cpu.cores", "max": 8}},
           {{"name": "c{EVIL_JSON}", "rule": "regex", "message": "m", "path": "jsonpath::.spec.hostname{path}", "regex": "{regex}"}},
           {{"name": "b", "rule": "enum", "message": "{EVIL_JSON}", "path": "jsonpath::.spec.hostname", "values": ["{EVIL_JSON}"], "{EVIL_JSON}": 1}}]"#
    );
    let quoted = rules.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ");
    format!(
        "kind: Template\nmetadata: {{name: \"{EVIL}\", annotations: {{x: \"{EVIL}\", validations: \"{quoted}\"}}}}\n\
         objects:\n- kind: VirtualMachine\n  metadata: {{name: \"{EVIL}\"}}\n  spec: {{template: {{spec: {{domain: {{cpu: \
         {{cores: 9}}}}}}}}}}\n"
    )
}

fn definition(maximum: u32) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: \"{EVIL}\"}}\nspec:\n  group: \
         \"{EVIL}\"\n  scope: Namespaced\n  names: {{kind: \"{EVIL}\", plural: \"{EVIL}\"}}\n  versions:\n  - name: \
         \"{EVIL}\"\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        \
         properties:\n          \"{EVIL}\": {{type: object, maxProperties: {maximum}, x-kubernetes-validations: [{{rule: \"{EVIL}\", message: \
         \"{EVIL}\"}}]}}\n          b: {{type: array, items: {{type: array, items: {{type: string}}}}, x-kubernetes-validations: \
         [{{rule: \"self.all(x, x.all(y, y != '\\u202e'))\", message: \"{EVIL}\"}}]}}\n"
    )
}

fn schema(maximum: u32) -> String {
    format!(
        r#"{{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "{EVIL_JSON}", "type": "object", "properties": {{"{EVIL_JSON}": {{"type": "string", "maxLength": {maximum}, "pattern": "({EVIL_JSON}"}}, "b": {{"if": {{}}, "{EVIL_JSON}": 1}}}}}}"#
    )
}

/// A place with all of it; the names of the files are like their texts.
fn place() -> Place {
    let place = Place::with(&[]);
    for (name, text) in [
        ("rules.yaml", rules()),
        ("sound.yaml", sound()),
        ("old/crd.yaml", definition(3)),
        ("new/crd.yaml", definition(2)),
        ("old.json", schema(3)),
        ("new.json", schema(2)),
        ("flavor.yaml", format!("\"{EVIL}\": \"{EVIL}\"\nhw:cpu_policy: \"{EVIL}\"\n")),
        (
            "specs.yaml",
            format!(
                "kvrules-extra-specs: 1\ndefinitions:\n- name: \"{EVIL}\"\n  value: {{type: \"{EVIL}\"}}\n"
            ),
        ),
        ("kvrules.bad.toml", "inputs = [\"\\u001b[2J\\u202e\"]\n\"\\u001b[2J\" = 1\n".to_owned()),
        ("broken.json", format!("{{\"a\": {EVIL_NAME}}}\n")),
    ] {
        let (folder, base) = name.rsplit_once('/').unwrap_or((".", name));
        place.write(&format!("{folder}/{base}"), &text);
        place.write(&format!("evil/{folder}/{EVIL_NAME}{base}"), &text);
    }
    place
}

/// Returns a sequence that a terminal would act upon, or a forged line.
fn harm(text: &str) -> Option<String> {
    if let Some(line) = text.lines().find(|line| line.starts_with("FORGED")) {
        return Some(format!("a forged line: {line:?}"));
    }
    let mut rest = text;
    while let Some(at) = rest.find(|char: char| {
        matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            || (char.is_control() && !matches!(char, '\n' | '\t'))
    }) {
        let (before, found) = rest.split_at(at);
        let sequence = found.strip_prefix("\u{1b}[").and_then(|inside| inside.split_once('m'));
        match sequence {
            // A sequence for a colour: only numbers, but not the one that hides text.
            Some((code, after)) if code != "8" && code.bytes().all(|byte| byte.is_ascii_digit() || byte == b';') => {
                rest = after;
            }
            _ => return Some(format!("{:?} after {:?}", found.chars().next(), tail(before))),
        }
    }
    None
}

fn tail(text: &str) -> String {
    text.chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect()
}

fn harmless(args: &[&str], run: &Run) {
    for (stream, text) in [("standard output", &run.out), ("standard error", &run.err)] {
        if let Some(harm) = harm(text) {
            panic!("{args:?}: {stream}: {harm}\n{}{}", run.out, run.err);
        }
    }
    assert!(run.code.is_some_and(|code| code <= 3), "{args:?}: {run:?}");
}

/// Runs with and without colours.
fn try_all(place: &Place, all: &[&[&str]]) {
    for args in all {
        for color in ["never", "always"] {
            let args: Vec<&str> = args.iter().copied().chain(["--color", color]).collect();
            let run = place.run(&args);
            assert!(!(run.out.is_empty() && run.err.is_empty()), "{args:?} says nothing");
            harmless(&args, &run);
        }
    }
}

const FORMATS: [&str; 8] = ["human", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit"];

#[test]
fn findings_in_every_format_reach_a_terminal_harmless() {
    let place = place();
    for format in FORMATS {
        try_all(
            &place,
            &[
                &["check", "--output-format", format, "--level", "info", "."],
                &["flavor", "check", "--output-format", format, "flavor.yaml", "--level", "info"],
            ],
        );
    }
}

#[test]
fn differences_between_files_reach_a_terminal_harmless() {
    let place = place();
    place.write("fix.yaml", sound().replace("\\\"max\\\": 8", "\\\"max\\\": 8.5"));
    try_all(
        &place,
        &[
            &["check", "--diff", "--unsafe-fixes", "fix.yaml", "evil"],
            &["fmt", "--diff", "."],
            &["fmt", "--check", "."],
            &["migrate", "--diff", "."],
            &["migrate", "."],
            &["migrate", "--check", "."],
            &["migrate", "--report", "-", "."],
            &["cost", "--diff", "new", "evil/new"],
            &["compile", "--diff", "--loss", "allow", "sound.yaml"],
        ],
    );
}

#[test]
fn comparisons_reach_a_terminal_harmless() {
    let place = place();
    for format in ["human", "json", "markdown"] {
        try_all(
            &place,
            &[
                &["diff", "old.json", "new.json", "--output-format", format],
                &["diff", "old", "new", "--output-format", format],
                &["diff", "sound.yaml", "rules.yaml", "--output-format", format],
                &["diff", "evil/old", "evil/new", "--output-format", format],
                &["diff", "old/crd.yaml", "new/crd.yaml", "--corpus", "evil", "--output-format", format],
            ],
        );
    }
}

#[test]
fn costs_verdicts_and_proofs_reach_a_terminal_harmless() {
    let place = place();
    for format in ["human", "json"] {
        try_all(
            &place,
            &[
                &["cost", "--format", format, "new", "evil/new"],
                &["verify", "--output-format", format, "sound.yaml"],
                &[
                    "verify",
                    "--against",
                    "ssp",
                    "--output-format",
                    format,
                    "sound.yaml",
                    "rules.yaml",
                    "evil",
                ],
                &["eval", "--engine", "both", "--output-format", format, "sound.yaml"],
                &["eval", "--output-format", format, "evil"],
                &["eval", "--engine", "crd", "--schema", "new/crd.yaml", "--output-format", format, "evil"],
                &["docs", "--format", "json", "sound.yaml"],
                &["flavor", "compare", "--output-format", format, "specs.yaml", "builtin"],
            ],
        );
    }
    try_all(
        &place,
        &[
            &["eval", "--output-format", "junit", "sound.yaml"],
            &["eval", "--trace", "sound.yaml"],
            &["compile", "--check", "--loss", "allow", "sound.yaml"],
            &["compile", "--out-dir", EVIL_NAME, "--loss", "allow", "sound.yaml"],
            &["compile", "--loss-report", "-", "--loss", "allow", "sound.yaml"],
            &["import", "metadefs", "old.json"],
            &["docs", "sound.yaml", "--out-dir", EVIL_NAME, "--force"],
            &["docs", "sound.yaml", "--out-dir", EVIL_NAME, "--check"],
            &["init", EVIL_NAME],
        ],
    );
}

#[test]
fn names_and_arguments_reach_a_terminal_harmless() {
    let place = place();
    let other = format!("--{EVIL_NAME}");
    let missing = format!("{EVIL_NAME}.yaml");
    let hash = format!("old.json#{EVIL_NAME}");
    try_all(
        &place,
        &[
            &["check", &missing],
            &["check", &other],
            &[EVIL_NAME],
            &["explain", EVIL_NAME],
            &["rules", EVIL_NAME],
            &["man", EVIL_NAME],
            &["check", "--config", &missing, "."],
            &["check", "--config", "kvrules.bad.toml", "."],
            &["check", "--schema", &missing, "."],
            &["check", "--schema", &hash, "."],
            &["check", "--baseline", &missing, "."],
            &["check", "--select", EVIL_NAME, "."],
            &["compile", "sound.yaml", "--target", EVIL_NAME],
            &["compile", "sound.yaml", "--templates", &missing],
            &["diff", &missing, "new.json"],
            &["diff", &format!("git:{EVIL_NAME}:x"), "new.json"],
            &["eval", "--rules", &missing, "."],
            &["eval", "--param", EVIL_NAME, "."],
            &["flavor", "check", &format!("{EVIL_NAME}={EVIL_NAME}")],
            &["flavor", "check", &format!("hw:{EVIL_NAME}={EVIL_NAME}"), "--validation", "permissive"],
            &["import", "nova", "--python", &missing],
            &["check", "--stdin-filename", EVIL_NAME, "-"],
        ],
    );
}

#[test]
fn a_file_of_ours_keeps_its_bytes_on_standard_output() {
    let place = place();
    let text = "# \u{1b}[2J\u{202e}\nkind: X\n";
    for args in [&["fmt", "-"][..], &["check", "--fix", "-"], &["migrate", "-"]] {
        let run = place.run_with_input(args, text);
        assert_eq!(run.out, text, "{args:?}");
    }
}

#[test]
fn a_difference_of_files_with_other_line_ends_still_applies() {
    let place = Place::with(&[("a.yaml", &sound().replace('\n', "\r\n"))]);
    let run = place.run(&["migrate", "--diff", "a.yaml"]);
    assert!(run.out.contains("\r\n") && !run.out.contains("\\r"), "{run:?}");
}

#[test]
fn json_says_the_same_with_its_escapes() {
    let place = place();
    let run = place.run(&["check", "--output-format", "json", "sound.yaml", "rules.yaml"]);
    let findings: Vec<serde_json::Value> = serde_json::from_str(&run.out).unwrap();
    let has = |wanted: &str| findings.iter().any(|found| found["message"].as_str().unwrap().contains(wanted));
    assert!(has("\u{202e}"), "{}", run.out);
    assert!(run.out.contains("\\u202e"), "{}", run.out);
}
