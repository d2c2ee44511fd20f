//! Every message that kvrules has for the author of a rule is in the house style, whatever the input.
//!
//! Messages are walked where they come from: the examples of each lint's page, whole and broken off; the specification
//! texts and the released bundles; rules with a word of the user's in every place where one can stand, spoilt in many
//! ways; configurations and schemas with errors. `docs/internals/style.md` says what the style is.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeSet;

use kvrules::loss::{Loss, LossPolicy};
use kvrules::{Diagnostic, FileId, Request, SourceFile};
use kvrules_syntax::markdown::find_fenced_blocks;
use kvrules_tests::template_bundles;

/// A word that stands for whatever a user writes. No message of ours has it, so that outside of backticks it is one
/// that slipped through.
const WORD: &str = "Zyx";

/// Names of types and of their parts, which mean nothing to the author of a rule.
const OF_RUST: [&str; 29] = [
    "::",
    "Option",
    "Some(",
    "None",
    "Ok(",
    "Err(",
    "Result",
    "Vec",
    "BTree",
    "HashMap",
    "String",
    "&str",
    "Box<",
    "usize",
    "isize",
    "u8",
    "u16",
    "u32",
    "u64",
    "i32",
    "i64",
    "f64",
    "BigInt",
    "ParseIntError",
    "ParseFloatError",
    "Utf8Error",
    "Kind",
    "Span",
    "serde",
];

/// Returns the style errors of a message, a label, or a help.
fn faults(text: &str) -> Vec<String> {
    let prose = text.split('`').step_by(2).collect::<Vec<_>>().join("…");
    let first = text.chars().next();
    let quotes = ['"', '“', '”', '„', '‘', '«', '»'];
    let checks = [
        (text.matches('`').count() % 2 == 1, "an odd backtick"),
        (
            !first.is_some_and(|c| c == '`' || c.is_lowercase() || c.is_ascii_digit())
                && !text.starts_with("Kubernetes "),
            "does not begin small",
        ),
        (text.ends_with(['.', '!', ':', ';', ',', ' ']), "ends with a stop"),
        (prose.contains(". ") || prose.contains("! "), "two sentences"),
        (prose.contains("  ") || text.contains(char::is_control), "blanks or control characters"),
        (prose.contains(quotes) || prose.contains(" '"), "quotation marks where backticks belong"),
        (prose.contains(WORD), "text of the user outside of backticks"),
        (prose.contains(['{', '}']), "a value as a program prints it"),
    ];
    let of_rust = OF_RUST.iter().filter(|word| prose.contains(**word)).map(|word| format!("`{word}`"));
    let reported = checks.into_iter().filter(|(wrong, _)| *wrong).map(|(_, fault)| fault.to_owned());
    reported.chain(of_rust).map(|fault| format!("{fault}: {text}")).collect()
}

/// Returns the style errors of the texts of a finding, and between them.
fn faults_of(found: &Diagnostic) -> Vec<String> {
    let labels = found.secondary.iter().chain([&found.primary]).map(|label| label.text.as_str());
    let fix = found.fix.as_ref().map(|fix| fix.title.as_str());
    let texts = [found.message.as_str()].into_iter().chain(found.help.as_deref()).chain(fix);
    let texts = texts.chain(labels.filter(|text| !text.is_empty()));
    let mut faults: Vec<_> = texts.flat_map(faults).collect();
    if let Some(help) = &found.help
        && (found.message.contains(help.as_str()) || help.contains(found.message.as_str()))
    {
        faults.push(format!("the help repeats the message: {help}"));
    }
    faults.into_iter().map(|fault| format!("{}: {fault}", found.code)).collect()
}

/// Lints that repeat sentences of Nova and of definitions.
const QUOTING: [&str; 1] = ["KX201"];

/// Fails with everything that is wrong with some findings, each fault once. The number of messages that differ.
fn all_in_style(found: impl IntoIterator<Item = Diagnostic>) -> usize {
    let (mut wrong, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for found in found.into_iter().filter(|found| !QUOTING.contains(&found.code)) {
        wrong.extend(faults_of(&found));
        seen.insert(found.message);
    }
    assert!(wrong.is_empty(), "{}", wrong.into_iter().collect::<Vec<_>>().join("\n"));
    seen.len()
}

fn read(name: &str, text: &str) -> Vec<Diagnostic> {
    kvrules::read_rules(&SourceFile::new(FileId(0), name, text)).diagnostics
}

/// The sources in the pages of all lints, as names of files and texts.
fn examples() -> Vec<(String, String)> {
    let pages = kvrules::all_lints().iter().filter_map(|lint| kvrules::lint_page(lint.code));
    let sources = pages.flat_map(|page| {
        let sources = find_fenced_blocks(page)
            .into_iter()
            .filter(|block| matches!(block.language, "yaml" | "yml" | "json"));
        sources.map(|block| (format!("example.{}", block.language), page[block.range].to_owned()))
    });
    sources.collect()
}

/// Rules with the user's word in every place where one can stand. Those of one kind stand together.
fn rules_of_words() -> Vec<String> {
    let path = "jsonpath::.spec.domain.cpu.cores";
    let memory = "jsonpath::.spec.domain.memory.guest";
    let bus = "jsonpath::.spec.domain.devices.disks[*].disk.bus";
    let named = |rest: &str| format!(r#""name": "Zyx", "message": "Zyx Zyx", {rest}"#);
    [
        named(&format!(r#""rule": "integer", "path": "{path}", "min": 1, "Zyx": 1"#)),
        named(&format!(r#""rule": "Zyx", "path": "{path}""#)),
        named(r#""rule": "integer", "path": "Zyx", "min": 1"#),
        named(r#""rule": "integer", "path": "jsonpath::.Zyx[", "min": 1"#),
        named(r#""rule": "integer", "path": "jsonpath::.spec.Zyx", "valid": "jsonpath::.Zyx", "min": 1"#),
        named(&format!(r#""rule": "integer", "path": "{path}", "min": "Zyx", "max": "jsonpath::.Zyx""#)),
        named(&format!(r#""rule": "integer", "path": "{path}", "min": "${{Zyx}}", "max": ${{{{Zyx}}}}"#)),
        named(&format!(r#""rule": "integer", "path": "{path}", "min": 9.5, "max": 1.5, "minLength": -1"#)),
        named(&format!(r#""rule": "integer", "path": "{path}", "min": 99999999999999999999, "max": [1]"#)),
        named(&format!(r#""rule": "integer", "path": "{path}", "justWarning": "Zyx", "values": ["Zyx"]"#)),
        named(&format!(r#""rule": "integer", "path": "{memory}", "min": 512, "max": 2000000000"#)),
        named(&format!(r#""rule": "string", "path": "{path}", "minLength": 9, "maxLength": 1"#)),
        named(&format!(r#""rule": "enum", "path": "{path}", "values": ["Zyx", null, {{}}, [], "jsonpath::.Zyx"]"#)),
        named(&format!(r#""rule": "enum", "path": "{bus}", "values": ["Zyx", "Zyx"], "included": "Zyx""#)),
        named(&format!(r#""rule": "enum", "path": "{memory}", "values": ["1G", "2 Gi"]"#)),
        named(&format!(r#""rule": "regex", "path": "{bus}", "regex": "(Zyx|(?=Zyx)""#)),
        named(&format!(r#""rule": "regex", "path": "{bus}", "regex": "^Zyx|Zyx$""#)),
        named(&format!(r#""rule": "regex", "path": "{bus}", "regex": "(Zyx*)*\\p{{Zyx}}""#)),
        format!(r#""name": "Zyx", "rule": "integer", "path": "{path}", "max": 8, "message": "jsonpath::.spec.Zyx\nZyx""#),
        format!(r#""name": "Zyx-Zyx", "rule": "integer", "path": "{path}", "max": 8, "message": "cpu.coresZyx""#),
        format!(r#""name": ["Zyx"], "rule": {{"Zyx": 1}}, "path": "{path}", "message": 7, "max": true"#),
        "“name”: “Zyx”, 'rule': Zyx, path: \"Zyx\\q\", \"message\": \"Zyx\" \"max\": 1".to_owned(),
        "\"name\": \"Zyx, \"rule\": NaN, /* Zyx */ \"path\": +1, \"Zyx\": \"a\"b\"".to_owned(),
    ]
    .into_iter()
    .map(|rule| format!("{{{rule}}}"))
    .collect()
}

/// Texts around these rules, in each form of the annotation, and errors of YAML.
fn files_of_words() -> Vec<String> {
    let mut files = Vec::new();
    for rule in rules_of_words() {
        let block = |indent: usize| format!("|\n{:indent$}[{rule},\n{:indent$}{rule}]\n", "", "");
        let bare = rule.replace("jsonpath::", "");
        let old = format!("|\n      [{bare}]\n");
        files.push(format!("vm.kubevirt.io/validations: {}", block(2)));
        files.push(format!("kind: Template\nmetadata:\n  name: Zyx\n  annotations:\n    validations: {old}"));
        files.push(format!(
            "kind: Template\nmetadata:\n  name: Zyx\n  annotations:\n    validations: {}",
            block(6)
        ));
        files.push(format!(
            "kind: VirtualMachine\nmetadata:\n  name: Zyx\n  annotations:\n    vm.kubevirt.io/validations: {}spec: \
             {{template: {{spec: {{domain: {{memory: {{guest: Zyx}}, cpu: {{cores: 9}}}}}}}}}}\n",
            block(6)
        ));
    }
    let whole = [
        "Zyx: [\n",
        "Zyx:\n\tZyx: 1\n",
        "kind: Zyx\n  Zyx: 1\n",
        "Zyx: 1\nZyx: 2\n",
        "a: *Zyx\n",
        "a: !Zyx 1\n--- 'Zyx\n",
        "vm.kubevirt.io/validations: Zyx\n",
        "vm.kubevirt.io/validations: '{}'\n",
        "vm.kubevirt.io/validations:\n",
        "vm.kubevirt.io/validations: '[\"Zyx\", 1, null]'\n",
        "vm.kubevirt.io/validations: ${Zyx}\n",
        "kind: VirtualMachine\nmetadata: {annotations: {validations: '[]', validation: '[]'}}\n",
        "kind: Pod\nmetadata: {annotations: {vm.kubevirt.io/validations: '[{}]'}}\n",
    ];
    files.extend(whole.map(str::to_owned));
    files
}

#[test]
fn the_check_itself_sees_each_fault() {
    let wrong = [
        "Large",
        "ends.",
        "two. Three",
        "an odd `tick",
        "a  gap",
        "says \"Zyx\"",
        "says Zyx",
        "is Some(1)",
        "the 'word'",
        "is Kind",
        "a\nbreak",
        "",
        "of {a: 1}",
    ];
    for text in wrong {
        assert!(!faults(text).is_empty(), "{text}");
    }
    for text in ["`Zyx` is no field", "did you mean `Zyx`?", "the author's text", "64 bits", "not `Some(`"] {
        assert_eq!(faults(text), [""; 0], "{text}");
    }
}

#[test]
fn what_is_said_of_the_examples_is_in_style_however_they_break_off() {
    let mut found = Vec::new();
    for (name, text) in examples() {
        found.extend(read(&name, &text));
        let cuts = (1..text.len()).step_by(29).filter(|at| text.is_char_boundary(*at));
        for at in cuts {
            let cut = read(&name, &text[..at]);
            let outside = cut.iter().find(|found| found.primary.span.to_range().end > at);
            assert!(outside.is_none(), "a place behind the end: {outside:?}");
            found.extend(cut);
        }
    }
    let codes: BTreeSet<_> = found.iter().map(|found| found.code).collect();
    println!("{} messages of {} lints", all_in_style(found), codes.len());
    assert!(codes.len() > 40, "{codes:?}");
}

#[test]
fn the_words_of_a_user_stand_in_backticks_wherever_they_come_from() {
    let mut found = Vec::new();
    for text in files_of_words() {
        found.extend(read("words.yaml", &text));
        // One character lost, and one that does not belong there.
        for at in (0..text.len()).step_by(31).filter(|at| text.is_char_boundary(*at)) {
            let rest = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
            found.extend(read("words.yaml", &format!("{}{}", &text[..at], &text[rest..])));
            found.extend(read("words.yaml", &format!("{}”{}", &text[..at], &text[at..])));
        }
    }
    let codes: BTreeSet<_> = found.iter().map(|found| found.code).collect();
    println!("{} messages of {} lints about texts of a user", all_in_style(found), codes.len());
    assert!(codes.len() > 30, "{codes:?}");
}

#[test]
fn what_is_said_of_texts_and_bundles_is_in_style() {
    let texts = ["template-validation-201901.md", "template-validation-201902.md"];
    let texts = texts
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), kvrules_testdata::read_text(&format!("specs/{name}"))?)));
    let found = texts.chain(template_bundles()).flat_map(|(name, text)| read(&name, &text));
    println!("{} messages", all_in_style(found));
}

#[test]
fn what_targets_cannot_say_is_told_in_style() {
    let sets: Vec<_> = examples()
        .iter()
        .chain(&[("words.yaml".to_owned(), files_of_words().join("---\n"))])
        .flat_map(|(name, text)| {
            kvrules::read_rules(&SourceFile::new(FileId(0), name.as_str(), text.as_str())).sets
        })
        .collect();
    let sets = kvrules::merge_rule_sets(sets);
    let policy = LossPolicy::for_all_targets(Loss::Error);
    let found = kvrules::lint_targets(kvrules::all_targets(), &Request::for_virtual_machines(&sets), &policy);
    assert!(found.iter().all(|found| found.code == "KV920"));
    let messages = all_in_style(found);
    println!("{messages} messages about targets");
    assert!(messages > 20, "only {messages}");
}

#[test]
fn what_is_wrong_with_a_configuration_is_told_in_style() {
    let texts = [
        "Zyx = 1\n",
        "inputs = 'Zyx'\n",
        "inputs = [1]\n",
        "targets = ['Zyx']\n",
        "targets = []\n",
        "loss = 'Zyx'\n",
        "loss = 1\n",
        "target.Zyx.loss = 'warn'\n",
        "target.openapi.Zyx = 1\n",
        "target.openapi.options.Zyx = 'a'\n",
        "target.openapi.options.version = 'Zyx'\n",
        "schema = true\n",
        "out-dir = 2020-01-01\n",
        "Zyx",
        "Zyx = [\n",
        "a = 1\na = 2\n",
        "Zyx = \"Zyx\n",
        "exclude = [['Zyx']]\n",
        "[Zyx\n",
        "inputs = ['\\Zyx', \"\\Zyx\"]\n",
        "= 1\n",
    ];
    let mut found = Vec::new();
    for text in texts {
        let file = SourceFile::new(FileId(0), "kvrules.toml", text);
        found.extend(kvrules::config::parse(&file, kvrules::all_targets()).expect_err(text));
    }
    println!("{} messages about configurations", all_in_style(found));
}

#[test]
fn what_is_wrong_with_a_schema_is_told_in_style() {
    let texts = [
        "",
        "Zyx",
        "[]",
        "kind: Zyx\n",
        "type: Zyx\n",
        "properties: Zyx\n",
        "properties: {Zyx: Zyx}\n",
        "type: string\n",
        "properties: {a: {$ref: Zyx}}\n",
        "properties: {a: {$ref: '#/Zyx'}}\n",
        "required: Zyx\n",
        "Zyx: [\n",
        "properties: {Zyx: {type: integer, default: Zyx}}\n",
        "openapi: 3.0.3\n",
        "openapi: Zyx\ncomponents: Zyx\n",
        "openapi: 3.0.3\ncomponents: {schemas: {Zyx: {type: object}, Zyy: {type: object}}}\n",
        "kind: CustomResourceDefinition\n",
        "kind: CustomResourceDefinition\nspec: {names: Zyx, versions: Zyx}\n",
        "kind: CustomResourceDefinition\nspec: {names: {kind: Zyx}, versions: [{name: Zyx, storage: true}]}\n",
    ];
    let mut found = Vec::new();
    for text in texts {
        for choice in [None, Some(WORD)] {
            let file = SourceFile::new(FileId(0), "schema.yaml", text);
            found.extend(kvrules::read_catalog(&file, choice).err().unwrap_or_default());
        }
    }
    let messages = all_in_style(found);
    println!("{messages} messages about schemas");
    assert!(messages > 8, "only {messages}");
}
