//! Pages about extra specs: every definition of Nova's, and texts that try to break a page.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::collections::HashSet;

use kvrules::Sources;
use kvrules::docs::{
    AuthorNotation, HTML, MARKDOWN, RESTRUCTUREDTEXT, RuleLocations, SpecLayer, SpecPagesInput,
    SpecsDocument, extra_spec_pages, render_extra_specs,
};
use kvrules::extra_specs::{
    Checker, Definition, DefinitionRegistry, Document, Entry, EnumMember, Parameter, Status, ValidationMode,
    Value, ValueType, shipped_document,
};
use kvrules_tests::docutils::{DocutilsPage, read_restructuredtext};
use kvrules_tests::pages::HOSTILE_PIECES as PIECES;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

fn pages(document: &Document, notation: AuthorNotation) -> SpecsDocument {
    let places = RuleLocations { sources: &Sources::default(), link: None };
    extra_spec_pages(&SpecPagesInput {
        layers: &[SpecLayer { document, notation }],
        places,
        version: "0.0.0",
    })
}

#[test]
fn every_definition_of_nova_is_described_once_with_examples_and_claims() {
    let document = pages(shipped_document(), AuthorNotation::Markdown);
    let mut names = HashSet::new();
    let mut labels = HashSet::new();
    let (mut passing, mut failing) = (0, 0);
    for group in &document.groups {
        let mut anchors = HashSet::new();
        for spec in &group.specs {
            let members: Vec<&String> = spec.members.iter().map(|member| &member.name).collect();
            names.extend(if members.is_empty() {
                vec![spec.page.name.clone()]
            } else {
                members.into_iter().cloned().collect()
            });
            assert!(labels.insert(spec.page.label.clone()), "{}", spec.page.label);
            let own = spec.members.iter().map(|member| &member.anchor).chain([&spec.page.anchor]);
            own.for_each(|anchor| assert!(anchors.insert(anchor.clone()), "{anchor}"));
            assert!(spec.page.sentence.plain.ends_with('.') && spec.summary.plain != "(none)", "{spec:?}");
            let targets: HashSet<&str> =
                spec.page.fidelity.iter().map(|claim| claim.target.as_str()).collect();
            assert_eq!(targets.len(), 2, "{spec:?}");
            passing += usize::from(!spec.page.examples.passes.is_empty());
            failing += usize::from(!spec.page.examples.fails.is_empty());
        }
    }
    let wanted: HashSet<String> =
        shipped_document().expand_definitions().into_iter().map(|definition| definition.name).collect();
    assert_eq!(names, wanted);
    let shown: usize = document.groups.iter().map(|group| group.specs.len()).sum();
    println!(
        "docs: {} extra specs in {shown} descriptions, {passing} with values that pass, {failing} with values that fail",
        names.len()
    );
    let is_any_text = |definition: &Definition| {
        matches!(definition.value.r#type, ValueType::String { members: None, pattern: None })
    };
    let open = shipped_document().definitions.iter().filter(|entry| {
        let made = Document::new(vec![(*entry).clone()]).expand_definitions();
        made.first().is_some_and(is_any_text)
    });
    assert_eq!(failing, shown - open.count(), "whatever can be wrong is shown wrong");
}

/// Held to the registry of all definitions, under real keys, and not as they were made.
#[test]
fn examples_of_values_and_keys_are_what_the_checker_says() {
    let registry = DefinitionRegistry::new([shipped_document().expand_definitions()]);
    let checker = Checker::new(&registry, ValidationMode::Strict);
    let mut evaluated = 0;
    for spec in
        pages(shipped_document(), AuthorNotation::Markdown).groups.iter().flat_map(|group| &group.specs)
    {
        for key in &spec.keys.passes {
            assert!(
                registry.find_definition(key.json.as_str().unwrap()).is_some(),
                "{}: {}",
                spec.page.name,
                key.code
            );
        }
        if spec.page.name.contains('{') {
            continue;
        }
        for (examples, passes) in [(&spec.page.examples.passes, true), (&spec.page.examples.fails, false)] {
            for example in examples {
                let findings = checker.check_one(&spec.page.name, example.json.as_str().unwrap());
                let rejected = findings.iter().any(kvrules::extra_specs::Finding::is_rejection);
                assert_eq!(!rejected, passes, "{}: {}", spec.page.name, example.code);
                evaluated += 1;
            }
        }
    }
    println!("docs: {evaluated} examples of values judged again");
}

#[test]
fn a_number_an_enum_and_a_pattern_are_told_to_people_and_to_machines() {
    let files =
        render_extra_specs(&MARKDOWN, &pages(shipped_document(), AuthorNotation::Markdown), &[]).unwrap();
    let page = |name: &str| files.iter().find(|file| file.path == name).unwrap().text.clone();
    let hw = page("hw.md");
    for line in [
        "- **Minimum:** 1 MiB, written `1`\n",
        "  - `dedicated`: Each virtual CPU is pinned to a host CPU that nobody else uses.\n",
        "- **Regular expression:** `([a-zA-Z0-9_]+(,)?)+`\n- **In words:** 1 or more times (1 or more of a–z, A–Z, \
         0–9, `_`, then optionally `,`)\n",
        "  - `{num}` is `\\d+` (1 or more of 0–9; characters of other scripts also match): The number",
    ] {
        assert!(hw.contains(line), "{line}\n{hw}");
    }
}

fn hostile() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(PIECES);
    proptest::collection::vec(piece, 1..6).prop_map(|pieces| pieces.concat())
}

/// A document with a text wherever an author can write one.
fn document(text: &str, other: &str) -> Document {
    let entry = |name: &str, value: ValueType| Entry {
        name: name.to_owned(),
        description: text.to_owned(),
        for_each: Default::default(),
        parameters: vec![Parameter {
            name: "p".into(),
            pattern: "[a|`]+".into(),
            description: text.to_owned(),
        }],
        value: Value { r#type: value, description: other.to_owned() },
        status: Status::Deprecated {
            since: Some(text.to_owned()),
            reason: Some(other.to_owned()),
            replacement: Some(text.to_owned()),
        },
        virt_drivers: vec![text.to_owned()],
        requires: vec![other.to_owned(), "nowhere".into()],
        since: Some(text.to_owned()),
        image_property: Some(other.to_owned()),
        origin: Default::default(),
    };
    let member = |value: &str| EnumMember::Described { value: value.into(), description: other.into() };
    let members = Some(vec![member(text), EnumMember::Plain(other.into())]);
    Document::new(vec![
        entry(text, ValueType::String { members, pattern: None }),
        entry(other, ValueType::String { members: None, pattern: Some(text.to_owned()) }),
    ])
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The headings of a page of Markdown, the HTML in it, and its words.
fn read(markdown: &str) -> (Vec<String>, Vec<String>, String) {
    let options =
        Options::all() - Options::ENABLE_SMART_PUNCTUATION - Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let (mut headings, mut html, mut words, mut line) =
        (Vec::new(), Vec::new(), String::new(), String::new());
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Start(Tag::Heading { .. }) => line.clear(),
            Event::End(TagEnd::Heading(_)) => headings.push(letters(&line)),
            Event::Text(wording) | Event::Code(wording) => {
                line.push_str(&wording);
                words.push_str(&wording);
            }
            Event::Html(wording) | Event::InlineHtml(wording) => html.push(wording.into_string()),
            _ => {}
        }
    }
    (headings, html, letters(&words))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: kvrules_testdata::case_count(60), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_breaks_a_page_about_extra_specs(text in hostile(), other in hostile()) {
        let made = pages(&document(&text, &other), AuthorNotation::Plain);
        for file in render_extra_specs(&MARKDOWN, &made, &[]).unwrap() {
            let (headings, html, words) = read(&file.text);
            let ours = ["<!-- Generated by kvrules", "<a id=\"", "</a>", "<code>", "</code>"];
            let is_ours = |tag: &String| ours.iter().any(|own| tag.trim_start().starts_with(own));
            prop_assert!(html.iter().all(is_ours), "{html:?}\n{}", file.text);
            if file.path != "index.md" {
                prop_assert!(words.contains(&letters(&text)) || words.contains(&letters(&other)), "{}", file.text);
                let of_page = made.groups.iter().find(|group| format!("{}.md", group.anchor) == file.path).unwrap();
                let titles = of_page.specs.iter().map(|spec| code_letters(&spec.page.title));
                let expected: Vec<String> =
                    std::iter::once(letters(&format!("Extra specs: {}", of_page.title))).chain(titles).collect();
                prop_assert_eq!(headings, expected, "{}", file.text);
            }
        }
        for file in render_extra_specs(&HTML, &made, &[]).unwrap() {
            // A page has a script of its own; the index of the search is one.
            let scripts = usize::from(!file.path.ends_with(".js"));
            prop_assert_eq!(file.text.matches("<script").count(), scripts, "{}: {}", file.path, file.text);
        }
    }
}

/// Returns the letters of a name that is shown as code: invisible characters are spelled out there.
fn code_letters(title: &str) -> String {
    letters(&kvrules_pages::prose::text_code(title))
}

#[test]
fn docutils_takes_every_page_about_extra_specs() {
    let next = |index: usize| PIECES[(index * 7 + 3) % PIECES.len()];
    let hostile = PIECES
        .iter()
        .enumerate()
        .map(|(index, piece)| document(&format!("a{piece}b {piece}"), &format!("{piece}{}", next(index))));
    let documents: Vec<SpecsDocument> = hostile
        .map(|document| pages(&document, AuthorNotation::Plain))
        .chain([pages(shipped_document(), AuthorNotation::Markdown)])
        .collect();
    let files = |document| render_extra_specs(&RESTRUCTUREDTEXT, document, &[]).unwrap();
    let texts: Vec<String> = documents.iter().flat_map(files).map(|file| file.text).collect();
    let Some(answers) = read_restructuredtext(&texts) else { return };
    for (text, DocutilsPage { problems, titles }) in texts.iter().zip(&answers) {
        assert!(problems.is_empty() && !titles.is_empty(), "{problems:?}\n{text}");
    }
    println!("docutils read {} pages about extra specs", answers.len());
}
