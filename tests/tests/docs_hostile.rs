//! Texts that try to break a page about a resource, in every place where an author writes one.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules::crd::{ResourceText, read_policies};
use kvrules::docs::fact::{Fact, FactValue, Piece};
use kvrules::docs::{
    AuthorNotation, ChangeEffect, ChangedResource, ChangedVersion, Document, Grouping, HTML, MARKDOWN,
    PagesInput, RESTRUCTUREDTEXT, ResourceChange, ResourcePagesInput, RuleLocations, add_changes,
    build_pages, render_document,
};
use kvrules::eval::Definitions;
use kvrules::{Request, Sources};
use kvrules_tests::docutils::read_restructuredtext;
use kvrules_tests::pages::{
    HOSTILE_PIECES as PIECES, build_resource_document, check_html, check_search_index, resource_document,
};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::{Value, json};

fn definition_with(schema: Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ponds.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "ponds", "singular": "pond", "kind": "Pond", "listKind": "PondList"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    })
}

/// Texts that try to break a page.
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

/// A constant of CEL.
fn literal(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// A message on one line with letters, which servers demand.
fn message(text: &str) -> String {
    format!("m {}", text.replace(['\n', '\r'], " "))
}

/// A definition that servers accept, whose rules have formulas, samples, states and costs.
fn explained_definition(text: &str, other: &str) -> Value {
    let state = json!({
        "type": "string", "enum": [format!("{text}1"), format!("{other}2"), "last"],
        "x-kubernetes-validations": [{"rule": "self == oldSelf || self == 'last'", "message": message(other)}],
    });
    let rules = json!([
        {"rule": format!("self.word != {}", literal(text)), "message": message(text)},
        {"rule": format!("self.word.startsWith({})", literal(other)), "messageExpression": literal(text)},
        {"rule": format!("self.word in [{}, {}]", literal(text), literal(other)), "message": message(other)},
    ]);
    definition_with(json!({"type": "object", "properties": {"spec": {
        "type": "object", "required": ["word"], "x-kubernetes-validations": rules,
        "properties": {"state": state, "word": {"type": "string", "maxLength": 90}},
    }}}))
}

/// A policy about a known kind, whose expressions have samples.
fn explained_policy(text: &str, other: &str) -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "words"},
        "spec": {
            "matchConstraints": {"resourceRules": [{
                "apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["deployments"],
            }]},
            "validations": [
                {
                    "expression": format!("object.spec.template.spec.schedulerName != {}", literal(&format!("x{text}"))),
                    "message": message(other), "messageExpression": literal(text),
                },
                {"expression": format!("has(object.spec.paused) || object.spec.replicas == size({})", literal(other))},
            ],
        },
    })
}

/// A RuleSet with texts in its words, messages and examples.
fn explained_rule_set(text: &str, other: &str) -> Value {
    let account = "spec.template.spec.serviceAccountName";
    let object =
        |name: &str| json!({"object": {"spec": {"template": {"spec": {"serviceAccountName": name}}}}});
    let names = [format!("{text}1"), format!("{other}2")];
    json!({
        "apiVersion": "kvrules.dev/v1alpha1", "kind": "RuleSet", "metadata": {"name": "words"},
        "spec": {
            "subject": {"apiVersion": "apps/v1", "kind": "Deployment"},
            "rules": [
                {"name": "account", "path": account, "in": names, "message": message(text)},
                {
                    "name": "scheduler", "path": "spec.template.spec.schedulerName", "in": [other, "x"],
                    "when": {"path": account, "in": [names[0]]}, "message": message(other), "severity": "warn",
                },
            ],
            "examples": {"accept": [object(&names[0])], "reject": [object("none")]},
        },
    })
}

/// The document of texts in rules that are explained: with formulas, samples, pictures, costs and the fidelity of targets.
fn explained_document(text: &str, other: &str) -> Document {
    let mut sources = Sources::default();
    let mut add = |name: &str, value: Value| {
        // Tags of templates would make the file one of a chart; written as escapes they are text.
        let value = value.to_string().replace("{{", "{\\u007b").replace("{%", "{\\u0025");
        sources.add_file(name, format!("# kind: CustomResourceDefinition\n{value}\n"))
    };
    let definition = add("crd.yaml", explained_definition(text, other));
    let policy = add("policy.yaml", explained_policy(text, other));
    let set = add("set.yaml", explained_rule_set(text, other));
    let definitions = Definitions::read_definitions(sources.get(definition).unwrap());
    let mut resources = definitions.unwrap_or_else(|found| panic!("{found:?}")).into_texts();
    resources.extend(read_policies(sources.get(policy).unwrap()));
    let sets = kvrules::read_rules(sources.get(set).unwrap()).rule_sets;
    let sets: Vec<_> = sets.iter().collect();
    assert_eq!((resources.len(), sets.len()), (2, 1));
    let places = RuleLocations { sources: &sources, link: Some("https://x.example/{file}#L{line}") };
    let notation = AuthorNotation::Plain;
    let given =
        ResourcePagesInput { resources: &resources, rule_sets: &sets, places, notation, format: None };
    let mut document = build_resource_document(&given).unwrap();
    add_changes(&mut document, &hostile_versions(text, other));
    document
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
    let page = |(kind, value): (kvrules_crd::ResourceKind, Value)| {
        let resources = [ResourceText::new(kind, node, value.into())];
        let places = RuleLocations { sources: &sources, link: Some("https://x.example/{file}#L{line}") };
        let mut document = resource_document(places, &resources).unwrap();
        add_changes(&mut document, &hostile_versions(text, other));
        document
    };
    let others = [template_document(text, other), explained_document(text, other)];
    kinds.into_iter().map(page).chain(others).collect()
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

/// The kinds of the facts on the pages of a document, and of the pictures among them.
fn shown_kinds(document: &Document) -> Vec<String> {
    let sections = || document.resources.iter().flat_map(|page| &page.sections);
    let entries = || sections().flat_map(|section| &section.entries);
    let rules = sections().flat_map(|section| &section.rules).chain(entries().flat_map(|entry| &entry.rules));
    let facts = sections().flat_map(|section| &section.facts).chain(entries().flat_map(|entry| &entry.facts));
    let facts: Vec<&Fact> = facts.chain(rules.flat_map(|rule| &rule.facts)).collect();
    let pictures = facts.iter().filter_map(|fact| match &fact.value {
        FactValue::Line(line) => line.iter().find_map(|piece| match piece {
            Piece::Picture(picture) => Some(serde_json::to_value(picture).unwrap()),
            _ => None,
        }),
        _ => None,
    });
    let pictures = pictures.filter_map(|picture| Some(picture.as_object()?.keys().next()?.clone()));
    facts.iter().map(|fact| fact.kind.clone()).chain(pictures).collect()
}

#[test]
fn hostile_texts_are_in_every_kind_of_explanation() {
    let kinds = shown_kinds(&explained_document("a", "b"));
    for wanted in [
        "accepted",
        "passes",
        "fails",
        "minimal-object",
        "cel",
        "message-expression",
        "states",
        "cost-grid",
        "cost-bars",
        "fidelity-matrix",
        "timeline",
    ] {
        assert!(kinds.iter().any(|kind| kind == wanted), "{wanted}: {kinds:?}");
    }
}

#[test]
fn docutils_takes_every_page_about_a_resource() {
    let next = |index: usize| PIECES[(index * 7 + 3) % PIECES.len()];
    let hostile = PIECES.iter().enumerate().flat_map(|(index, piece)| {
        hostile_documents(&format!("a{piece}b {piece}"), &format!("{piece}{}", next(index)))
    });
    let documents: Vec<Document> = hostile.collect();
    let files =
        documents.iter().flat_map(|document| render_document(&RESTRUCTUREDTEXT, document, &[]).unwrap());
    let texts: Vec<String> = files.map(|file| file.text).collect();
    let Some(answers) = read_restructuredtext(&texts) else { return };
    for (text, page) in texts.iter().zip(&answers) {
        assert!(page.problems.is_empty() && !page.titles.is_empty(), "{:?}\n{text}", page.problems);
    }
    println!("docutils read {} pages about resources", answers.len());
}
