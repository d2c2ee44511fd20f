//! Pages about definitions and policies: small ones in every format, and all recorded definitions.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::collections::{BTreeMap, HashSet};

use kvrules::crd::{ResourceText, read_policies};
use kvrules::docs::fact::{FactValue, Piece};
use kvrules::docs::resource_pages::{ResourcePage, ResourceRule};
use kvrules::docs::{Document, FORMATS, HTML, MARKDOWN, RESTRUCTUREDTEXT, RuleLocations, render_document};
use kvrules::eval::Definitions;
use kvrules::loss::{LossPolicy, LossReport};
use kvrules::{Request, ResourceVersion, Sources};
use kvrules_pages::fact_picture::{FactPicture, PictureFidelityRow};
use kvrules_tests::docutils::read_restructuredtext;
use kvrules_tests::pages::{check_html, resource_document};
use kvrules_tests::repository_root;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
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
    let mut document = resource_document(places, &resources).map_err(|error| error.message)?;
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

#[test]
fn docutils_takes_every_small_page_about_a_resource() {
    let documents = ["pond.yaml", "lock.yaml", "replica-limit.yaml"].map(case);
    let files =
        documents.iter().flat_map(|document| render_document(&RESTRUCTUREDTEXT, document, &[]).unwrap());
    let texts: Vec<String> = files.map(|file| file.text).collect();
    let Some(answers) = read_restructuredtext(&texts) else { return };
    for (text, page) in texts.iter().zip(&answers) {
        assert!(page.problems.is_empty() && !page.titles.is_empty(), "{:?}\n{text}", page.problems);
    }
}

/// The fidelity of the targets to what a page has a row for.
type Rows = BTreeMap<String, BTreeMap<String, &'static str>>;

/// The rows of the table on a page.
fn page_rows(page: &ResourcePage) -> Rows {
    let section = page.sections.iter().find(|section| section.title == "Fidelity of targets").unwrap();
    assert!(section.is_folded);
    let fact = section.facts.iter().find(|fact| fact.kind == "fidelity-matrix").unwrap();
    let FactValue::Line(line) = &fact.value else { panic!("{fact:?}") };
    let [Piece::Picture(FactPicture::FidelityMatrix { targets, rules })] = line.as_slice() else {
        panic!("{line:?}")
    };
    let row = |rule: &PictureFidelityRow| {
        let cells = targets.iter().zip(&rule.fidelity);
        let cells = cells.filter_map(|(target, fidelity)| Some((target.clone(), (*fidelity)?.as_str())));
        (rule.name.clone(), cells.collect())
    };
    rules.iter().map(row).collect()
}

#[test]
fn the_fidelity_on_pages_is_that_of_compiled_files() {
    let text = std::fs::read_to_string(repository_root().join("tests/cases/docs/tank.yaml")).unwrap();
    let versions = ResourceVersion::of_definition(&serde_yaml::from_str(&text).unwrap());
    let request = Request { resources: &versions, ..Request::for_virtual_machines(&[]) };
    let outputs = kvrules::compile_targets(kvrules::all_targets(), &request).unwrap();
    let report = LossReport::new(&[], &outputs, &LossPolicy::default());
    let shown_name = |name: &str| match name {
        "schema" => "other keywords of the schema",
        "spec.x-kubernetes-validations[0]" => "spec: self.used <= self.size",
        "spec.x-kubernetes-validations[1]" => "spec: self.size >= oldSelf.size",
        "spec.size.x-kubernetes-validations[0]" => "spec.size: self <= 8",
        "spec.lids[*].x-kubernetes-validations[0]" => "spec.lids[]: self > 0",
        "spec.wait.x-kubernetes-validations[0]" => r#"spec.wait: self <= duration("1h")"#,
        "spec.wait.format" => "spec.wait.format",
        other => panic!("{other}"),
    };
    let document = case("tank.yaml");
    let markdown = &render_document(&MARKDOWN, &document, &[]).unwrap()[1].text;
    let mut wanted = Rows::new();
    for rule in &report.sets[0].rules {
        let targets = rule.targets.iter().map(|(target, claim)| (target.clone(), claim.fidelity));
        assert!(wanted.insert(shown_name(&rule.name).to_owned(), targets.collect()).is_none());
        for cause in rule.targets.values().filter_map(|claim| claim.cause.as_ref()) {
            assert!(markdown.contains(cause), "{cause}\n{markdown}");
        }
    }
    assert_eq!(page_rows(&document.resources[0]), wanted);
    let of_policy = |rule: &str| wanted[rule]["admission-policy"];
    assert_eq!(of_policy("spec.size: self <= 8"), "exact");
    assert_eq!(of_policy(r#"spec.wait: self <= duration("1h")"#), "narrower");
    assert_eq!(wanted["spec: self.used <= self.size"]["json-schema"], "unsupported");
    let line = "- `spec.wait`: `self <= duration(\"1h\")`: narrower in `admission-policy`: the policy fails for durations";
    assert!(markdown.contains(line), "{markdown}");
}

#[test]
fn many_exact_rules_are_counted_and_their_fidelity_is_in_the_data() {
    let field = |limit: usize| json!({"type": "integer", "x-kubernetes-validations": [{"rule": format!("self > {limit}")}]});
    let properties: serde_json::Map<String, Value> =
        (0..12).map(|limit| (format!("f{limit}"), field(limit))).collect();
    let document = document_of_value(&definition_with(json!({"type": "object", "properties": properties})));
    let markdown = &render_document(&MARKDOWN, &document, &[]).unwrap()[1].text;
    let line = "- 12 other rules: exact in `admission-policy`, `json-schema`, `openapi`\n";
    assert!(markdown.contains(line), "{markdown}");
    let keywords = "- other keywords of the schema: exact in `json-schema`, `openapi`; unsupported in `admission-policy`: ";
    assert!(markdown.contains(keywords), "{markdown}");
    let rows = page_rows(&document.resources[0]);
    assert_eq!(rows.len(), 13);
    assert_eq!(rows["f7: self > 7"].values().collect::<Vec<_>>(), [&"exact"; 3]);
}

#[test]
fn rules_with_the_same_fidelity_share_a_line() {
    let rule = |name: &str| json!({"rule": format!("self.{name} >= oldSelf.{name}")});
    let field = json!({"type": "integer"});
    let schema = json!({"type": "object", "properties": {"spec": {
        "type": "object", "required": ["a", "b"], "properties": {"a": field, "b": field},
        "x-kubernetes-validations": [rule("a"), rule("b")],
    }}});
    let document = document_of_value(&definition_with(schema));
    let markdown = &render_document(&MARKDOWN, &document, &[]).unwrap()[1].text;
    let lines = "\
  - 2 rules: exact in `admission-policy`; unsupported in `json-schema`, `openapi`: a schema does not know the stored object
    - `spec`: `self.a >= oldSelf.a`
    - `spec`: `self.b >= oldSelf.b`
";
    assert!(markdown.contains(lines), "{markdown}");
    let html = &render_document(&HTML, &document, &[]).unwrap()[1].text;
    check_html("page", html);
    assert!(html.contains("<li>2 rules: exact in <code>admission-policy</code>"), "{html}");
}

#[test]
fn a_field_that_is_compared_with_the_stored_one_is_immutable_only_if_both_objects_have_it() {
    let sentence = |required: Value| {
        let schema = json!({"type": "object", "properties": {"spec": {
            "type": "object", "required": required, "properties": {"a": {"type": "string", "maxLength": 9}},
            "x-kubernetes-validations": [{"rule": "self.a == oldSelf.a"}],
        }}});
        let document = document_of_value(&definition_with(schema));
        let fact = all_rules(&document.resources[0])
            .flat_map(|rule| rule.facts.clone())
            .find(|fact| fact.kind == "accepted")
            .unwrap();
        let FactValue::Line(pieces) = &fact.value else { panic!("{fact:?}") };
        pieces
            .iter()
            .map(|piece| match piece {
                Piece::Words(words) => words.as_str().to_owned(),
                Piece::Text(text) => text.plain.clone(),
                Piece::Code(code) => format!("`{code}`"),
                other => panic!("{other:?}"),
            })
            .collect::<String>()
    };
    assert_eq!(sentence(json!(["a"])), "`a` cannot be changed once set, only removed");
    // Without the field in both objects the rule ends in an error.
    assert_eq!(sentence(json!([])), "`a` equals `oldSelf.a`");
}
