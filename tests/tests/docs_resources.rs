//! Pages about definitions and policies: small ones in every format, all recorded definitions, and texts that try to break a page.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::collections::{BTreeMap, HashSet};

use kvrules::crd::{ResourceText, read_policies};
use kvrules::docs::resource_pages::{ResourcePage, ResourceRule};
use kvrules::docs::{
    AuthorNotation, ChangeEffect, ChangedResource, ChangedVersion, Document, FORMATS, Grouping, HTML,
    MARKDOWN, PagesInput, RESTRUCTUREDTEXT, ResourceChange, ResourcePagesInput, RuleLocations, add_changes,
    add_resource_pages, build_pages, render_document,
};
use kvrules::eval::Definitions;
use kvrules::{Request, Sources};
use kvrules_tests::docutils::read_restructuredtext;
use kvrules_tests::repository_root;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::{Value, json};

/// The pages of a file; an error if a server rejects its definitions.
fn try_document(name: &str, text: &str) -> Result<Document, String> {
    let mut sources = Sources::default();
    let id = sources.add_file(name, text);
    let source = sources.get(id).unwrap();
    let mut resources: Vec<ResourceText> = read_policies(source);
    if text.contains("kind: CustomResourceDefinition") {
        let definitions = Definitions::read_definitions(source).map_err(|found| found[0].message.clone())?;
        resources.extend(definitions.into_texts());
    }
    let places = RuleLocations { sources: &sources, link: None };
    let (notation, grouping) = (AuthorNotation::Plain, Grouping::Set);
    let request = Request::for_virtual_machines(&[]);
    let mut document = build_pages(&PagesInput { request, places, notation, grouping }).unwrap();
    let given = ResourcePagesInput { resources: &resources, rule_sets: &[], places, notation };
    add_resource_pages(&mut document, &given).map_err(|error| error.message)?;
    document.version = "0.0.0".to_owned();
    Ok(document)
}

fn document_of_value(value: &Value) -> Document {
    let text = format!("# kind: CustomResourceDefinition\n{}", serde_json::to_string(value).unwrap());
    try_document("crd.yaml", &text).unwrap()
}

fn case(name: &str) -> Document {
    let path = repository_root().join("tests/cases/docs").join(name);
    try_document(name, &std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn small_resources_have_these_pages() {
    for name in ["pond", "lock", "replica-limit"] {
        let document = case(&format!("{name}.yaml"));
        for format in FORMATS {
            let files = render_document(format, &document, &[]).unwrap();
            let text = files.iter().map(|file| format!("==> {}\n{}", file.path, file.text));
            let text = text.collect::<Vec<_>>().join("\n");
            let text = if format.name == "html" { without_parts(&text) } else { text };
            insta::assert_snapshot!(format!("{name}_{}", format.name), text);
        }
    }
}

/// The text without styles and scripts, which are the same on every page.
fn without_parts(text: &str) -> String {
    ["style", "script"].iter().fold(text.to_owned(), |text, tag| {
        let (start, end) =
            (text.find(&format!("<{tag}>")).unwrap(), text.find(&format!("</{tag}>")).unwrap());
        text.replace(&text[start + tag.len() + 2..end], "…")
    })
}

/// The fields that a schema names, and the CEL of its rules, by the keywords alone.
#[derive(Default)]
struct SchemaContents {
    fields: Vec<String>,
    /// Items and values of maps, without fields of their own, of which the schema says more than the type.
    inner: HashSet<String>,
    rules: Vec<String>,
}

impl SchemaContents {
    fn read(&mut self, node: &Value, path: &str) {
        for rule in node["x-kubernetes-validations"].as_array().into_iter().flatten() {
            self.rules.push(rule["rule"].as_str().unwrap().trim().to_owned());
        }
        for (name, field) in node["properties"].as_object().into_iter().flatten() {
            let is_plain = !name.is_empty() && !name.contains(['.', '[', ']', '/', '\'', ' ', '*']);
            let path = match path {
                "" if is_plain => name.clone(),
                path if is_plain => format!("{path}.{name}"),
                path => format!("{path}['{name}']"),
            };
            self.fields.push(path.clone());
            self.read(field, &path);
        }
        for (keyword, sign) in [("items", "[]"), ("additionalProperties", ".*")] {
            let Some(inner) = node.get(keyword).filter(|inner| inner.is_object()) else { continue };
            let path = format!("{path}{sign}");
            let tells = inner.get("description").or(inner.get("x-kubernetes-validations")).is_some();
            if tells && inner.get("properties").is_none() {
                self.inner.insert(path.clone());
            }
            self.read(inner, &path);
        }
    }
}

fn all_rules(page: &ResourcePage) -> impl Iterator<Item = &ResourceRule> {
    let sections = page.sections.iter();
    sections.flat_map(|section| section.rules.iter().chain(section.entries.iter().flat_map(|it| &it.rules)))
}

fn cel_of(rule: &ResourceRule) -> &str {
    let fact = rule.facts.iter().find(|fact| fact.kind == "cel").unwrap();
    match &fact.value {
        kvrules::docs::fact::FactValue::Code(code) => code,
        other => panic!("{other:?}"),
    }
}

/// Checks a page of a definition against its schema; returns the numbers of its fields and rules.
fn check_page(page: &ResourcePage, schema: &Value) -> (usize, usize) {
    let mut wanted = SchemaContents::default();
    wanted.read(schema, "");
    let entries = || page.sections.iter().flat_map(|section| &section.entries);
    let is_inner = |name: &&str| name.ends_with("[]") || name.ends_with(".*");
    let (inner, mut fields): (Vec<&str>, Vec<&str>) =
        entries().map(|entry| entry.name.as_str()).partition(is_inner);
    fields.sort_unstable();
    wanted.fields.sort();
    assert_eq!(fields, wanted.fields, "{}", page.title);
    let inner: HashSet<&str> = inner.into_iter().collect();
    assert!(
        wanted.inner.iter().all(|path| inner.contains(path.as_str())),
        "{}: {:?}",
        page.title,
        wanted.inner
    );
    let mut rules: Vec<&str> = all_rules(page).map(cel_of).collect();
    rules.sort_unstable();
    wanted.rules.sort();
    assert_eq!(rules, wanted.rules, "{}", page.title);
    for rule in all_rules(page) {
        assert!(rule.facts.iter().any(|fact| fact.kind == "source"), "{}: {rule:?}", page.title);
    }
    let mut anchors = HashSet::new();
    let own = page.sections.iter().map(|section| &section.anchor).chain(entries().map(|entry| &entry.anchor));
    for anchor in own.chain(all_rules(page).map(|rule| &rule.anchor)) {
        assert!(anchors.insert(anchor.to_lowercase()), "{}: {anchor}", page.title);
    }
    (fields.len(), rules.len())
}

/// The anchors of a page of Markdown with their numbers, and the addresses of links within it.
fn markdown_links(text: &str) -> (BTreeMap<String, usize>, Vec<String>) {
    let (mut anchors, mut links) = (BTreeMap::new(), Vec::new());
    let mut heading: Option<String> = None;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            // Processors make an anchor of every heading.
            Event::End(TagEnd::Heading(_)) => {
                let words = heading.take().unwrap_or_default().to_lowercase().replace(' ', "-");
                let slug = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect();
                *anchors.entry(slug).or_default() += 1;
            }
            Event::Text(words) | Event::Code(words) => {
                heading.as_mut().into_iter().for_each(|heading| heading.push_str(&words));
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                let anchor = html.split_once("<a id=\"").and_then(|(_, rest)| rest.split_once('"'));
                if let Some((anchor, _)) = anchor {
                    *anchors.entry(anchor.to_owned()).or_default() += 1;
                }
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                links.extend(dest_url.strip_prefix('#').map(str::to_owned));
            }
            _ => {}
        }
    }
    (anchors, links)
}

fn check_markdown(page: &ResourcePage, text: &str) {
    let (anchors, links) = markdown_links(text);
    for section in &page.sections {
        for anchor in section.entries.iter().map(|entry| &entry.anchor).chain([&section.anchor]) {
            assert_eq!(anchors.get(anchor), Some(&1), "{}: {anchor}", page.title);
        }
    }
    for rule in all_rules(page) {
        assert_eq!(anchors.get(&rule.anchor), Some(&1), "{}: {}", page.title, rule.anchor);
    }
    for link in links {
        assert!(anchors.contains_key(&link), "{}: {link}", page.title);
    }
}

/// Fails unless the body of a page of HTML is well-formed.
fn check_html(path: &str, text: &str) {
    let (start, end) = (text.find("<main>").unwrap(), text.rfind("</main>").unwrap());
    let body = &text[start..end + "</main>".len()];
    let read = roxmltree::Document::parse(body).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert!(read.descendants().filter(|node| node.has_tag_name("h1")).count() == 1, "{path}");
}

/// Fails unless the index of the search is a list of pages, which strict JSON is.
fn check_search_index(text: &str) {
    let list = text.strip_prefix("window.kvrulesPages=").and_then(|text| text.strip_suffix(";\n")).unwrap();
    let pages: Vec<(String, String, String, Vec<Value>)> = serde_json::from_str(list).unwrap();
    assert!(!pages.is_empty(), "{text}");
}

#[test]
fn every_field_and_every_rule_of_real_definitions_is_on_its_page_once() {
    let (mut definitions, mut rejected, mut pages, mut fields, mut rules) = (0, 0, 0, 0, 0);
    for folder in ["kubernetes/crds", "kubernetes/crds-2"] {
        for path in kvrules_testdata::list_files(folder, "yaml").unwrap_or_default() {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            let document = match try_document(&name, &text) {
                Ok(document) => document,
                Err(message) => {
                    assert!(
                        message.contains("rejects") || message.contains("servers accept"),
                        "{name}: {message}"
                    );
                    rejected += 1;
                    continue;
                }
            };
            definitions += 1;
            let value: Value = serde_yaml::from_str(&text).unwrap();
            let files = FORMATS.map(|format| render_document(format, &document, &[]).unwrap());
            for (index, page) in document.resources.iter().enumerate() {
                let version = value["spec"]["versions"].as_array().unwrap().iter().find(|version| {
                    page.title.ends_with(&format!("/{})", version["name"].as_str().unwrap()))
                });
                let found = check_page(page, &version.unwrap()["schema"]["openAPIV3Schema"]);
                (fields, rules, pages) = (fields + found.0, rules + found.1, pages + 1);
                for (format, files) in FORMATS.iter().zip(&files) {
                    let file = &files[index + 1];
                    assert!(file.path.starts_with(&page.anchor), "{}", file.path);
                    match format.name {
                        "markdown" => check_markdown(page, &file.text),
                        "html" => check_html(&file.path, &file.text),
                        _ => assert!(file.text.contains(&format!("\n.. _{}:\n", page.label))),
                    }
                }
            }
        }
    }
    println!(
        "docs: {definitions} definitions with {fields} fields and {rules} rules on {pages} pages; {rejected} are rejected by servers"
    );
    assert!(definitions == 0 || rules > 500 && rejected < 10, "{definitions} {rules} {rejected}");
}

fn definition_with(schema: Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ponds.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "ponds", "kind": "Pond"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    })
}

#[test]
fn pages_of_many_and_of_deeply_nested_fields_have_them_all() {
    let wide: serde_json::Map<String, Value> = (0..3_000)
        .map(|index| {
            (
                format!("f{index}"),
                json!({"type": "string", "maxLength": index, "description": "x".repeat(200)}),
            )
        })
        .collect();
    let wide = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": wide}}});
    let deep = (0..120)
        .fold(json!({"type": "string"}), |inner, _| json!({"type": "object", "properties": {"a": inner}}));
    let lists = (0..120)
        .fold(json!({"type": "string", "maxLength": 1}), |inner, _| json!({"type": "array", "items": inner}));
    let lists = json!({"type": "object", "properties": {"a": lists}});
    for (schema, fields) in [(&wide, 3_001), (&deep, 120), (&lists, 1)] {
        let document = document_of_value(&definition_with(schema.clone()));
        let page = &document.resources[0];
        assert_eq!(check_page(page, schema).0, fields);
        check_markdown(page, &render_document(&MARKDOWN, &document, &[]).unwrap()[1].text);
        check_html("page", &render_document(&HTML, &document, &[]).unwrap()[1].text);
    }
}

#[test]
fn a_definition_without_a_served_version_is_an_error_with_its_line() {
    let mut value = definition_with(json!({"type": "object"}));
    value["spec"]["versions"][0]["served"] = json!(false);
    let text = serde_yaml::to_string(&value).unwrap();
    let message = try_document("crd.yaml", &text).unwrap_err();
    assert_eq!(
        message,
        "crd.yaml:2: no version of the definition `ponds.example.com` is served and has a schema"
    );
}

/// Pieces of which hostile texts are made.
const PIECES: &[&str] = &[
    "`",
    "``",
    "|",
    "{{",
    "{{#include x}}",
    "{% raw %}",
    ".. note:: x",
    "::",
    "<script>alert(1)</script>",
    "<!-- ",
    "-->",
    "*",
    "**",
    "_",
    "x_",
    "`x`_",
    "[a](b)",
    "![",
    "]",
    "&amp;",
    "# h",
    "- ",
    "1. ",
    "=====",
    "~~~",
    "> ",
    "\\",
    "\n",
    "\n\n",
    "\t",
    "\u{85}",
    "\u{2028}",
    "שלום",
    "\u{202e}",
    "磁盘总线",
    "é",
    ":ref:`x`",
    "$x$",
    "\"",
    "'",
    "word",
    " ",
    "{#id}",
    ":",
    "{p}",
    "</details>",
    "\u{200b}",
    "\u{7}",
    "    code",
    "\n\n- item\n  more\n\n\tcode\n",
];

fn hostile() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(PIECES);
    proptest::collection::vec(piece, 1..6).prop_map(|pieces| pieces.concat())
}

/// A definition with a text wherever an author can write any.
fn hostile_definition(text: &str, other: &str) -> Value {
    let leaf = json!({
        "type": "string", "description": text, "default": other, "enum": [text, other], "example": other,
        "x-kubernetes-validations": [
            {"rule": "self != oldSelf", "message": format!("m{}", other.replace('\n', " "))},
            {"rule": format!("self != oldSelf /* {text} */"), "message": "m"},
        ],
    });
    let mut fields = serde_json::Map::new();
    fields.insert(text.to_owned(), leaf.clone());
    fields.insert(format!("x{other}"), leaf);
    fields.insert(
        "map".to_owned(),
        json!({"type": "object", "additionalProperties": {"type": "string", "description": other}}),
    );
    let mut value = definition_with(json!({"type": "object", "description": other, "properties": fields}));
    let version = &mut value["spec"]["versions"][0];
    version["additionalPrinterColumns"] =
        json!([{"name": text, "type": "string", "jsonPath": format!(".{text}"), "description": other}]);
    version["deprecated"] = json!(true);
    version["deprecationWarning"] = json!(text);
    value
}

fn hostile_policy(text: &str, other: &str) -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": text},
        "spec": {
            "failurePolicy": text,
            "paramKind": {"apiVersion": text, "kind": other},
            "matchConstraints": {
                "resourceRules": [{"apiGroups": [text], "apiVersions": [other], "operations": [text], "resources": [text, other], "resourceNames": [other]}],
                "objectSelector": {"matchLabels": {text: other}, "matchExpressions": [{"key": other, "operator": text, "values": [text]}]},
            },
            "variables": [{"name": text, "expression": other}],
            "matchConditions": [{"name": other, "expression": text}],
            "validations": [{"expression": text, "message": other, "messageExpression": text, "reason": other}],
            "auditAnnotations": [{"key": text, "valueExpression": other}],
        },
    })
}

/// Versions with texts in their names and changes.
fn hostile_versions(text: &str, other: &str) -> [ChangedVersion; 2] {
    let change =
        ResourceChange { effect: ChangeEffect::Tightened, place: other.to_owned(), text: text.to_owned() };
    let resources = [
        ChangedResource::Definition("ponds.example.com/v1".to_owned()),
        ChangedResource::Policy(text.to_owned()),
        ChangedResource::Template("linux".to_owned()),
    ];
    let changes = resources.into_iter().map(|resource| (resource, vec![change.clone()])).collect();
    let first = ChangedVersion { name: other.to_owned(), ..ChangedVersion::default() };
    [first, ChangedVersion { name: text.to_owned(), changes, added: Vec::new() }]
}

/// The documents of hostile texts, without what a server says of them.
fn hostile_documents(text: &str, other: &str) -> Vec<Document> {
    let mut sources = Sources::default();
    let id = sources.add_file("resources.yaml", "kind: CustomResourceDefinition\n");
    let stream = kvrules_syntax::parse_stream(id, "kind: CustomResourceDefinition\n");
    let node = stream.documents[0].root().unwrap();
    let kinds = [
        (kvrules_crd::ResourceKind::Definition, hostile_definition(text, other)),
        (kvrules_crd::ResourceKind::Policy, hostile_policy(text, other)),
    ];
    let page = |(kind, value)| {
        let resources = [ResourceText::new(kind, node, value)];
        let places = RuleLocations { sources: &sources, link: Some("https://x.example/{file}#L{line}") };
        let (notation, grouping) = (AuthorNotation::Plain, Grouping::Set);
        let request = Request::for_virtual_machines(&[]);
        let mut document = build_pages(&PagesInput { request, places, notation, grouping }).unwrap();
        let given = ResourcePagesInput { resources: &resources, rule_sets: &[], places, notation };
        add_resource_pages(&mut document, &given).unwrap();
        add_changes(&mut document, &hostile_versions(text, other));
        document
    };
    kinds.into_iter().map(page).chain([template_document(text, other)]).collect()
}

/// The document of a template with hostile changes.
fn template_document(text: &str, other: &str) -> Document {
    let rule = r#"{"name": "cores", "path": "jsonpath::.spec.domain.cpu.cores", "rule": "integer", "message": "m", "min": 1}"#;
    let template = format!(
        "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {{name: linux, annotations: {{validations: '[{rule}]'}}}}\nobjects: []\n"
    );
    let mut sources = Sources::default();
    let id = sources.add_file("linux.yaml", template);
    let sets = kvrules::merge_rule_sets(kvrules::read_rules(sources.get(id).unwrap()).sets);
    let places = RuleLocations { sources: &sources, link: None };
    let request = Request::for_virtual_machines(&sets);
    let (notation, grouping) = (AuthorNotation::Plain, Grouping::Set);
    let mut document = build_pages(&PagesInput { request, places, notation, grouping }).unwrap();
    add_changes(&mut document, &hostile_versions(text, other));
    assert!(document.sets[0].changes.is_some());
    document
}

/// The headings of a page of Markdown and the HTML in it.
fn read_markdown(markdown: &str) -> (Vec<String>, Vec<String>) {
    let options =
        Options::all() - Options::ENABLE_SMART_PUNCTUATION - Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let (mut headings, mut html, mut line) = (Vec::new(), Vec::new(), String::new());
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Start(Tag::Heading { .. }) => line.clear(),
            Event::End(TagEnd::Heading(_)) => headings.push(letters(&line)),
            Event::Text(wording) | Event::Code(wording) => line.push_str(&wording),
            Event::Html(wording) | Event::InlineHtml(wording) => html.push(wording.into_string()),
            _ => {}
        }
    }
    (headings, html)
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

fn is_our_html(tag: &str) -> bool {
    let ours = [
        "<!-- Generated by kvrules",
        "<!-- -->",
        "<a id=\"",
        "</a>",
        "<code>",
        "</code>",
        "<pre><code>",
        "</pre>",
    ];
    ours.iter().any(|own| tag.trim_start().starts_with(own))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: kvrules_testdata::case_count(60), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_breaks_a_page_about_a_resource(text in hostile(), other in hostile()) {
        for document in hostile_documents(&text, &other) {
            for file in render_document(&MARKDOWN, &document, &[]).unwrap() {
                let (headings, html) = read_markdown(&file.text);
                prop_assert!(html.iter().all(|tag| is_our_html(tag)), "{html:?}\n{}", file.text);
                let page = document.resources.iter().find(|page| format!("{}.md", page.anchor) == file.path);
                if let Some(page) = page {
                    let titles = page.sections.iter().map(|section| letters(&section.title));
                    let expected: Vec<String> = std::iter::once(letters(&page.title)).chain(titles).collect();
                    prop_assert_eq!(headings, expected, "{}", file.text);
                }
            }
            for file in render_document(&HTML, &document, &[]).unwrap() {
                if file.path.ends_with(".js") {
                    check_search_index(&file.text);
                    continue;
                }
                // The script of the page itself.
                prop_assert_eq!(file.text.matches("<script").count(), 1, "{}: {}", file.path, file.text);
                check_html(&file.path, &file.text);
            }
        }
    }
}

#[test]
fn docutils_takes_every_page_about_a_resource() {
    let next = |index: usize| PIECES[(index * 7 + 3) % PIECES.len()];
    let hostile = PIECES.iter().enumerate().flat_map(|(index, piece)| {
        hostile_documents(&format!("a{piece}b {piece}"), &format!("{piece}{}", next(index)))
    });
    let small = ["pond.yaml", "lock.yaml", "replica-limit.yaml"].map(case);
    let documents: Vec<Document> = hostile.chain(small).collect();
    let files =
        documents.iter().flat_map(|document| render_document(&RESTRUCTUREDTEXT, document, &[]).unwrap());
    let texts: Vec<String> = files.map(|file| file.text).collect();
    let Some(answers) = read_restructuredtext(&texts) else { return };
    for (text, page) in texts.iter().zip(&answers) {
        assert!(page.problems.is_empty() && !page.titles.is_empty(), "{:?}\n{text}", page.problems);
    }
    println!("docutils read {} pages about resources", answers.len());
}
