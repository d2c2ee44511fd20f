//! `mdbook-kvrules` as mdBook runs it: with a book as JSON on standard input.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

const RULES: &str = r#"
vm.kubevirt.io/validations: |
  [{
    "name": "cores", "rule": "integer", "message": "at most 8 cores", "max": 8,
    "path": "jsonpath::.spec.domain.cpu.cores", "valid": "jsonpath::.spec.domain.cpu.cores"
  }, {
    "name": "bus", "rule": "enum", "message": "better `virtio` | \u007b{#include x}}", "values": ["virtio"], "justWarning": true,
    "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "valid": "jsonpath::.spec.domain.devices.disks[*].disk"
  }]
"#;

fn run(root: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mdbook-kvrules"));
    command.args(arguments).current_dir(root);
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    // A run that fails early may close its input before everything is written.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// A book of these chapters, with rules in the file `rules.yaml` beside `book.toml`.
fn built(list: &str, chapters: &[(&str, &str)]) -> Result<Vec<String>, String> {
    built_of(RULES, list, chapters)
}

fn built_of(rules: &str, list: &str, chapters: &[(&str, &str)]) -> Result<Vec<String>, String> {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("rules.yaml"), rules).unwrap();
    let chapter = |(path, content): &(&str, &str)| json!({"Chapter": {"name": path, "content": content, "path": path, "sub_items": []}});
    let items: Vec<Value> = chapters.iter().map(chapter).collect();
    let context = json!({
        "root": directory.path(), "renderer": "html", "mdbook_version": "0",
        "config": {"book": {"src": "src"}, "preprocessor": {"kvrules": {"path": "rules.yaml"}}}
    });
    let output = run(directory.path(), &[], &json!([context, {list: items}]).to_string());
    if !output.status.success() {
        return Err(String::from_utf8(output.stderr).unwrap());
    }
    let book: Value = serde_json::from_slice(&output.stdout).unwrap();
    let contents = book[list].as_array().unwrap().iter().map(|item| item["Chapter"]["content"].clone());
    Ok(contents.map(|content| content.as_str().unwrap().to_owned()).collect())
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_grow_is_an_error_and_no_death() {
    use std::os::unix::process::ExitStatusExt as _;
    let place = tempfile::tempdir().unwrap();
    let script = format!("ulimit -f 0; {} --help > help", env!("CARGO_BIN_EXE_mdbook-kvrules"));
    let output = Command::new("sh").args(["-c", &script]).current_dir(place.path()).output().unwrap();
    assert_eq!((output.status.signal(), output.status.code()), (None, Some(1)));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("File too large"), "{text}");
}

#[test]
fn every_renderer_is_supported() {
    assert!(run(Path::new("."), &["supports", "html"], "").status.success());
    assert_eq!(run(Path::new("."), &["html"], "").status.code(), Some(2));
}

#[test]
fn rules_and_links_to_them_stand_in_books_of_both_versions() {
    for list in ["sections", "items"] {
        let chapters = [
            ("README.md", "{{#kvrules rules}}\n"),
            ("a/b.md", "see [[rule:cores]]"),
            ("c.md", "[[rule:bus]]"),
        ];
        let found = built(list, &chapters).unwrap();
        assert!(found[0].contains("### `cores` {#kvrules-rules-cores}"), "{}", found[0]);
        assert!(found[0].contains("at most 8 cores"), "{}", found[0]);
        assert_eq!(found[1], "see [`cores`](<../index.md#kvrules-rules-cores>)");
        assert_eq!(found[2], "[`bus`](<index.md#kvrules-rules-bus>)");
    }
}

#[test]
fn a_summary_links_to_where_rules_are_described_and_only_there() {
    let found =
        built("items", &[("a.md", "{{#kvrules rules summary}}"), ("b.md", "{{#kvrules rule cores}}")])
            .unwrap();
    assert!(found[0].contains("| [`cores`](<b.md#kvrules-rules-cores>) |"), "{}", found[0]);
    assert!(found[0].contains("| `bus` (only warns) |"), "{}", found[0]);
}

#[test]
fn a_message_cannot_call_other_preprocessors() {
    let found = built("items", &[("a.md", "{{#kvrules rule bus}}")]).unwrap();
    assert!(!found[0].contains("{{"), "{}", found[0]);
}

#[test]
fn hostile_names_and_messages_are_read_back_as_text() {
    let hostile = [
        "a`b``c`",
        "a | b \\| c",
        "{#x} .. note:: y",
        "<script>1</script> &amp; &",
        "*s* **t** _u_ ~~v~~",
        "[a](b) ![c](d) [[rule:e]]",
        "שלום 日本語",
        "# head",
        "- item",
        "\\ end \\",
    ];
    let rule = |text: &&str| json!({"name": text, "rule": "enum", "path": "jsonpath::.spec.hostname", "message": text, "values": [text, "plain"]});
    let list = Value::from(hostile.iter().map(rule).collect::<Vec<_>>()).to_string();
    let rules = json!({"vm.kubevirt.io/validations": list}).to_string();
    let chapters = [("a.md", "{{#kvrules rules}}"), ("b.md", "{{#kvrules rules summary}}")];
    for chapter in built_of(&rules, "items", &chapters).unwrap() {
        let text = text_of(&chapter);
        for expected in hostile {
            assert!(text.contains(expected), "{expected}\n{chapter}");
        }
    }
}

/// Returns the text of Markdown as a reader sees it.
fn text_of(markdown: &str) -> String {
    use pulldown_cmark::{Event, Options, Parser};
    let events = Parser::new_ext(markdown, Options::all() - Options::ENABLE_SMART_PUNCTUATION);
    events.fold(String::new(), |mut out, event| {
        match event {
            Event::Text(text) | Event::Code(text) => out += &text,
            Event::End(_) => out.push('\n'),
            _ => {}
        }
        out
    })
}

#[test]
fn a_rule_that_one_chapter_describes_twice_has_its_anchor_once() {
    let found = built("items", &[("a.md", "{{#kvrules rule cores}}\n{{#kvrules rule cores}}")]).unwrap();
    assert_eq!(found[0].matches("{#kvrules-rules-cores}").count(), 1);
}

#[test]
fn all_that_is_wrong_is_told_with_chapter_and_line() {
    let chapters = [
        ("a.md", "# A\n\n{{#kvrules rule nothing}}\n\n{{#kvrules tables}}"),
        (
            "b/c.md",
            "x\n[[rule:nowhere]]\n\n{{#kvrules rules path=none.yaml}}\n\n{{#kvrules rules filter=none}}",
        ),
    ];
    let reported = built("items", &chapters).unwrap_err();
    for expected in [
        "error: a.md:3: unknown rule `nothing`",
        "error: a.md:5: unknown directive `tables`",
        "error: b/c.md:2: no chapter describes the rule `nowhere`",
        "error: b/c.md:4: ",
        "src/b/none.yaml",
        "error: b/c.md:6: no rule is selected",
    ] {
        assert!(reported.contains(expected), "{expected}\n{reported}");
    }
}

#[test]
fn extra_specs_and_links_to_them_stand_in_books() {
    let chapters = [
        ("a.md", "{{#kvrules extra-specs group=hw level=3}}"),
        ("b.md", "{{#kvrules extra-specs group=hw summary}}\n\nsee [[extra-spec:hw:cpu_policy]]"),
        ("c.md", "{{#kvrules extra-specs group=trait}}\n\n[[extra-spec:trait{group}:HW_CPU_X86_AVX2]]"),
    ];
    let found = built("items", &chapters).unwrap();
    assert!(found[0].contains("### `hw:cpu_policy` {#kvrules-extra-spec-hw-cpu_policy}\n"), "{}", found[0]);
    assert!(found[0].contains("\n- **Allowed values:** \n  - `dedicated`: Each "), "{}", found[0]);
    assert!(
        found[0].contains("- **Requires:** [`hw:cpu_policy`](#kvrules-extra-spec-hw-cpu_policy)\n"),
        "{}",
        found[0]
    );
    let link = "[`hw:cpu_policy`](<a.md#kvrules-extra-spec-hw-cpu_policy>)";
    assert!(found[1].contains(&format!("| {link} | Decides whether")), "{}", found[1]);
    assert!(found[1].ends_with(&format!("see {link}")), "{}", found[1]);
    assert!(found[2].ends_with("(#kvrules-extra-spec-trait-group-word)"), "{}", found[2]);
    let reported =
        built("items", &[("a.md", "{{#kvrules extra-specs group=hv}}\n[[extra-spec:hw:x]]")]).unwrap_err();
    assert!(reported.contains("a.md:1: unknown namespace `hv`; known namespaces: `accel`, "), "{reported}");
    assert!(reported.contains("a.md:2: no chapter describes the extra spec `hw:x`"), "{reported}");
}

#[test]
fn a_template_of_the_users_own_lays_descriptions_out() {
    let directory = tempfile::tempdir().unwrap();
    let templates = directory.path().join("my/markdown");
    std::fs::create_dir_all(&templates).unwrap();
    std::fs::write(directory.path().join("rules.yaml"), RULES).unwrap();
    std::fs::write(templates.join("_rule_body.md.j2"), "Just {{ rule.name }}.\n").unwrap();
    let context = json!({
        "root": directory.path(),
        "config": {"preprocessor": {"kvrules": {"path": "rules.yaml", "templates": "my"}}}
    });
    let chapter = json!({"Chapter": {"name": "a", "content": "{{#kvrules rule bus}}", "path": "a.md", "sub_items": []}});
    let output = run(directory.path(), &[], &json!([context, {"items": [chapter]}]).to_string());
    let book: Value = serde_json::from_slice(&output.stdout).unwrap();
    let wording = book["items"][0]["Chapter"]["content"].as_str().unwrap();
    assert_eq!(wording, "## `bus` {#kvrules-rules-bus}\n\nJust bus.");
}

#[test]
fn input_that_is_no_book_is_refused() {
    let output = run(Path::new("."), &[], "[]");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("not an mdBook book"));
}

#[test]
fn definitions_and_policies_stand_in_a_book() {
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ponds.a.b}\n\
        spec: {group: a.b, scope: Cluster, names: {plural: ponds, singular: pond, kind: Pond, listKind: PondList}, versions: [\n  \
        {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object,\n  \
        properties: {depth: {type: integer}}}}}}}]}\n";
    let chapters = [("a.md", "{{#kvrules rules level=3}}\n"), ("b.md", "{{#kvrules rules summary}}\n")];
    let found = built_of(definition, "items", &chapters).unwrap();
    assert!(found[0].starts_with("### `Pond (a.b/v1)` {#kvrules-ponds.a.b_v1}\n"), "{}", found[0]);
    assert!(found[0].contains("\n#### spec fields\n"), "{}", found[0]);
    let anchor = "kvrules-ponds.a.b_v1-spec-fields";
    assert!(found[0].contains(&format!("object; fields: [`spec`](#{anchor})\n")), "{}", found[0]);
    assert!(found[0].contains(&format!("<a id=\"{anchor}\"></a>\n")), "{}", found[0]);
    assert_eq!(
        found[1].trim(),
        "| resource | contents |\n|---|---|\n| `Pond (a.b/v1)` | 2 fields, 0 rules |"
    );
    let refused = built_of(definition, "items", &[("a.md", "{{#kvrules rules filter=severity:error}}\n")]);
    assert!(refused.unwrap_err().contains("a.md:1: no rule is selected"));
}
