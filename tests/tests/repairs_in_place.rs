//! Each repair in every notation that JSON can lie in: the repaired text is the one that its author would have written, to the
//! byte, whatever stands around it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeSet;

use kvrules::{Applicability, Catalog, FileId, FileReading, FixOptions, SourceFile, fix_file};

/// A code, the kind of its repair, the keys of a rule beside name and message, and the keys after it.
type Case = (&'static str, Applicability, &'static str, &'static str);

const SAFE: Applicability = Applicability::Safe;
const UNSAFE: Applicability = Applicability::Unsafe;

const CASES: &[Case] = &[
    ("KV010", SAFE, r#"rule= "integer", "min": 1"#, r#"rule: "integer", "min": 1"#),
    ("KV010", SAFE, r#"rule "integer", "min": 1"#, r#"rule: "integer", "min": 1"#),
    ("KV010", SAFE, "\"rule\":\u{a0}\"integer\", \"min\": 1", r#""rule": "integer", "min": 1"#),
    ("KV011", SAFE, "“rule”: “integer”, \"min\": 1", r#""rule": "integer", "min": 1"#),
    ("KV011", SAFE, r#"'rule': 'integer', "min": 1"#, r#""rule": "integer", "min": 1"#),
    ("KV011", SAFE, r#"rule: integer, min: 1"#, r#""rule": "integer", "min": 1"#),
    ("KV011", UNSAFE, r#""rule": "integer", "min": 1Gi"#, r#""rule": "integer", "min": 1073741824"#),
    ("KV012", SAFE, r#""rule": "integer" "min": 1"#, r#""rule": "integer", "min": 1"#),
    ("KV012", SAFE, r#""rule": "integer",, "min": 1,"#, r#""rule": "integer", "min": 1"#),
    ("KV012", SAFE, "\"rule\": \"integer\"\n    \"min\": 1", "\"rule\": \"integer\",\n    \"min\": 1"),
    (
        "KV015",
        SAFE,
        r#""rule": "integer", "justWarning": True, "min": +1"#,
        r#""rule": "integer", "justWarning": true, "min": 1"#,
    ),
    (
        "KV015",
        SAFE,
        r#""rule": "integer", "min": 0x10, "max": .5"#,
        r#""rule": "integer", "min": 16, "max": 0.5"#,
    ),
    ("KV016", SAFE, r#""rule": "regex", "regex": "^\d+\.$""#, r#""rule": "regex", "regex": "^\\d+\\.$""#),
    ("KV102", SAFE, r#""Rule": "integer", "min": 1"#, r#""rule": "integer", "min": 1"#),
    ("KV102", UNSAFE, r#""ruel": "integer", "min": 1"#, r#""rule": "integer", "min": 1"#),
    (
        "KV104",
        SAFE,
        r#""rule": "integer", "justWarning": "true", "min": "5""#,
        r#""rule": "integer", "justWarning": true, "min": 5"#,
    ),
    ("KV104", SAFE, r#""rule": "integer", "min": "1Gi""#, r#""rule": "integer", "min": 1073741824"#),
    ("KV104", SAFE, r#""rule": "enum", "values": "a'b""#, r#""rule": "enum", "values": ["a'b"]"#),
    ("KV104", SAFE, r#""rule": "regex", "regex": 5"#, r#""rule": "regex", "regex": "5""#),
    ("KV106", UNSAFE, r#""rule": "string", "minLenght": 1"#, r#""rule": "string", "minLength": 1"#),
    ("KV107", UNSAFE, r#""rule": "int", "min": 1"#, r#""rule": "integer", "min": 1"#),
    ("KV108", SAFE, r#""rule": "enum", "included": ["a"]"#, r#""rule": "enum", "values": ["a"]"#),
    (
        "KV201",
        SAFE,
        r#""rule": "integer", "valid": ".spec.domain.cpu", "min": 1"#,
        r#""rule": "integer", "valid": "jsonpath::.spec.domain.cpu", "min": 1"#,
    ),
    (
        "KV203",
        SAFE,
        r#""rule": "integer", "valid": "jsonpath::spec.domain.cpu", "min": 1"#,
        r#""rule": "integer", "valid": "jsonpath::.spec.domain.cpu", "min": 1"#,
    ),
    (
        "KV203",
        SAFE,
        r#""rule": "integer", "valid": "jsonpath::.spec.domain[\"cpu\"]", "min": 1"#,
        r#""rule": "integer", "valid": "jsonpath::.spec.domain['cpu']", "min": 1"#,
    ),
    (
        "KV205",
        UNSAFE,
        r#""rule": "integer", "valid": "jsonpath::.spec.domain.cpus", "min": 1"#,
        r#""rule": "integer", "valid": "jsonpath::.spec.domain.cpu", "min": 1"#,
    ),
    (
        "KV206",
        UNSAFE,
        r#""rule": "integer", "valid": "jsonpath::.spec.domain.cpu[*].cores", "min": 1"#,
        r#""rule": "integer", "valid": "jsonpath::.spec.domain.cpu.cores", "min": 1"#,
    ),
    (
        "KV207",
        UNSAFE,
        r#""rule": "integer", "valid": "jsonpath::.spec.domain.devices.disks.name", "min": 1"#,
        r#""rule": "integer", "valid": "jsonpath::.spec.domain.devices.disks[*].name", "min": 1"#,
    ),
    (
        "KV301",
        SAFE,
        r#""rule": "integer", "valid": "jsonpath::.spec.domain", "min": 1"#,
        r#""rule": "integer", "min": 1"#,
    ),
    ("KV401", SAFE, r#""rule": "integer", "min": 1, "values": ["a", "b"]"#, r#""rule": "integer", "min": 1"#),
    (
        "KV401",
        SAFE,
        "\"rule\": \"integer\",\n    \"regex\": \"a\",\n    \"min\": 1",
        "\"rule\": \"integer\",\n    \"min\": 1",
    ),
    ("KV401", UNSAFE, r#""rule": "integer", "minLength": 1"#, r#""rule": "integer", "min": 1"#),
    (
        "KV403",
        UNSAFE,
        r#""rule": "integer", "min": 10, "max": 9"#,
        r#""rule": "integer", "min": 9, "max": 10"#,
    ),
    (
        "KV404",
        SAFE,
        r#""rule": "string", "minLength": -1, "maxLength": 9"#,
        r#""rule": "string", "maxLength": 9"#,
    ),
    (
        "KV408",
        SAFE,
        r#""rule": "string", "maxLength": 9, "minLength": 0"#,
        r#""rule": "string", "maxLength": 9"#,
    ),
    (
        "KV409",
        SAFE,
        r#""rule": "integer", "min": 1.5, "max": 8.9"#,
        r#""rule": "integer", "min": 2, "max": 8"#,
    ),
];

/// Cases with a path of their own, in place of the usual one.
const WITH_PATH: &[Case] = &[
    (
        "KV205",
        UNSAFE,
        r#""path": "jsonpath::.spec.hostnam", "rule": "regex", "regex": "a""#,
        r#""path": "jsonpath::.spec.hostname", "rule": "regex", "regex": "a""#,
    ),
    (
        "KV301",
        UNSAFE,
        "\"path\": \"jsonpath::.spec.domain.cpu.cores\", \"valid\": \"jsonpath::.spec.domain\", \"rule\": \"integer\", \"max\": 8",
        "\"path\": \"jsonpath::.spec.domain.cpu.cores\", \"valid\": \"jsonpath::.spec.domain.cpu.cores\", \"rule\": \"integer\", \"max\": 8",
    ),
    (
        "KV302",
        UNSAFE,
        "\"path\": \"jsonpath::.spec.domain.devices.disks[*].disk.bus\", \"valid\": \"jsonpath::.spec.domain.devices.disks[*]\", \"rule\": \"enum\", \"values\": [\"sata\"]",
        "\"path\": \"jsonpath::.spec.domain.devices.disks[*].disk.bus\", \"valid\": \"jsonpath::.spec.domain.devices.disks[*].disk.bus\", \"rule\": \"enum\", \"values\": [\"sata\"]",
    ),
    (
        "KV303",
        UNSAFE,
        "\"path\": \"jsonpath::.spec.domain.cpu.cores\",\n    \"rule\": \"integer\", \"max\": 8",
        "\"path\": \"jsonpath::.spec.domain.cpu.cores\",\n    \"valid\": \"jsonpath::.spec.domain.cpu.cores\",\n    \"rule\": \"integer\", \"max\": 8",
    ),
    (
        "KV411",
        UNSAFE,
        "\"rule\": \"integer\", \"path\": \"jsonpath::.metadata.generation\", \"max\": \"jsonpath::.spec.domain.cpu.cores\"",
        "\"rule\": \"integer\", \"path\": \"jsonpath::.metadata.generation\", \"valid\": \"jsonpath::.spec.domain.cpu.cores\", \"max\": \"jsonpath::.spec.domain.cpu.cores\"",
    ),
    (
        "KV412",
        SAFE,
        r#""path": "jsonpath::.metadata.generation", "rule": "enum", "values": ["a", 1, "b", "c", 2, "d"]"#,
        r#""path": "jsonpath::.metadata.generation", "rule": "enum", "values": [1, 2]"#,
    ),
    (
        "KV412",
        UNSAFE,
        r#""path": "jsonpath::.spec.domain.devices.autoattachPodInterface", "valid": "jsonpath::.spec.domain.devices.autoattachPodInterface", "rule": "enum", "values": ["True", "false"]"#,
        r#""path": "jsonpath::.spec.domain.devices.autoattachPodInterface", "valid": "jsonpath::.spec.domain.devices.autoattachPodInterface", "rule": "enum", "values": ["true", "false"]"#,
    ),
];

/// Whole texts of the annotation.
const WHOLE: &[Case] = &[
    ("KV013", UNSAFE, "[\n  // for all\n  {\"name\": \"a\" /* b */}\n]", "[\n  {\"name\": \"a\" }\n]"),
    ("KV101", SAFE, r#"{"name": "a", "rule": "integer"}"#, r#"[{"name": "a", "rule": "integer"}]"#),
    (
        "KV105",
        UNSAFE,
        r#"[{"name": "a"}, {"name": "a"}, {"name": "a-2"}, {"name": "a"}]"#,
        r#"[{"name": "a"}, {"name": "a-3"}, {"name": "a-2"}, {"name": "a-4"}]"#,
    ),
];

/// The JSON of a rule list: every key on a line, or all in one.
fn rule(path: &str, keys: &str) -> [String; 2] {
    let path = if path.is_empty() { String::new() } else { format!("    \"path\": \"{path}\",\n") };
    let lines = format!(
        "[\n  {{\n    \"name\": \"a\",\n    \"message\": \"it must fit\",\n{path}    {keys}\n  }}\n]"
    );
    let one = lines.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    [lines, one]
}

const KEY: &str = "vm.kubevirt.io/validations";

fn indented(text: &str, with: &str) -> String {
    text.lines().map(|line| format!("{with}{line}\n")).collect()
}

fn escaped(json: &str) -> String {
    json.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Lines of a quoted scalar, which YAML folds into one.
fn folded(json: &str) -> String {
    json.lines().map(str::trim).collect::<Vec<_>>().join("\n    ")
}

/// A notation: its name, the name of the file, and the text of the file with JSON in it.
type Notation = (&'static str, &'static str, fn(&str) -> String);

const NOTATIONS: [Notation; 11] = [
    ("literal", "a.yaml", |json| format!("a: 1 # x\n{KEY}: |\n{}b: 2\n", indented(json, "  "))),
    ("literal, CR LF", "a.yaml", |json| {
        format!("a: 1\n{KEY}: |-\n{}b: 2\n", indented(json, "   ")).replace('\n', "\r\n")
    }),
    ("folded", "a.yaml", |json| format!("{KEY}: >-\n{}# end\n", indented(json, "  "))),
    ("double", "a.yaml", |json| format!("a: é\n{KEY}:  \"{}\"  # x\n", escaped(json))),
    ("double, folded", "a.yaml", |json| {
        format!("{KEY}:\n    \"{}\"\n", folded(json).replace('\\', "\\\\").replace('"', "\\\""))
    }),
    ("single", "a.yaml", |json| {
        format!(
            "{KEY}: '{}' # it's\n",
            json.lines().map(str::trim).collect::<Vec<_>>().join(" ").replace('\'', "''")
        )
    }),
    ("single, folded", "a.yaml", |json| format!("{KEY}: '{}'\n", folded(json).replace('\'', "''"))),
    ("anchor", "a.yaml", |json| format!("{KEY}: &rules |\n{}copy: *rules\n", indented(json, " "))),
    ("file of JSON", "a.json", |json| format!("{{\"a\": [1],\n\t\"{KEY}\": \"{}\"}}\n", escaped(json))),
    ("Markdown", "a.md", |json| {
        format!("# A\n\n* x\n\n  ```yaml\n  {KEY}: |\n{}  ```\n", indented(json, "    "))
    }),
    ("Markdown, quoted", "a.md", |json| {
        indented(&format!("text\n\n```yaml\n{KEY}: |\n{}```\n", indented(json, "  ")), "> ")
    }),
];

fn repaired(code: &str, kind: Applicability, file: &str, text: &str) -> (String, Vec<String>) {
    let accept = |_: &SourceFile, reading: &FileReading| {
        let mut found = reading.diagnostics.clone();
        found.retain(|found| {
            found.code == code && found.fix.as_ref().is_some_and(|fix| fix.applicability == kind)
        });
        found
    };
    let source = SourceFile::new(FileId(0), file, text);
    let options = FixOptions { unsafe_fixes: kind == Applicability::Unsafe, accept: &accept };
    let fixed = fix_file(&source, Catalog::kubevirt_vm(), &options);
    let text = fixed.source.text().to_owned();
    (text, fixed.refused.into_iter().chain(fixed.circle).map(|repair| repair.title).collect())
}

/// Repairs a text in every notation; a list of what came out otherwise.
fn wrong(case: &Case, before: &str, after: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, file, wrap) in NOTATIONS {
        let (got, refused) = repaired(case.0, case.1, file, &wrap(before));
        let wanted = wrap(after);
        if got != wanted || !refused.is_empty() {
            wrong
                .push(format!("{} {:?}, {name} {refused:?}\ngot:\n{got}\nwanted:\n{wanted}", case.0, case.1));
        }
    }
    wrong
}

#[test]
fn a_repair_writes_what_its_place_asks_for_and_moves_nothing_else() {
    let mut failures = Vec::new();
    let mut done = 0;
    let usual = CASES.iter().map(|case| (case, "jsonpath::.metadata.generation"));
    for (case, path) in usual.chain(WITH_PATH.iter().map(|case| (case, ""))) {
        // An `integer` rule on a path to a string is an error of its own, and so is the reverse.
        let string = case.2.contains("string") || case.2.contains("regex") || case.2.contains("enum");
        let path = if string && !path.is_empty() { "jsonpath::.spec.hostname" } else { path };
        for (before, after) in rule(path, case.2).iter().zip(&rule(path, case.3)) {
            failures.extend(wrong(case, before, after));
            done += NOTATIONS.len();
        }
    }
    for case in WHOLE {
        // A comment to the end of its line ends with the text where lines are folded.
        let (before, after) = (case.2, case.3);
        if case.0 == "KV013" {
            let (name, file, wrap) = NOTATIONS[0];
            assert_eq!(repaired(case.0, case.1, file, &wrap(before)).0, wrap(after), "{name}");
        } else {
            failures.extend(wrong(case, before, after));
        }
        done += NOTATIONS.len();
    }
    let kinds: BTreeSet<_> = failures.iter().map(|failure| failure.lines().next().unwrap()).collect();
    assert!(
        failures.is_empty(),
        "{} of {done} wrong: {kinds:#?}\n{}",
        failures.len(),
        failures[..failures.len().min(6)].join("\n")
    );
    println!("{done} repairs in place");
}
