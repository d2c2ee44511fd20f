//! Pages about rules: what stands on them for a person and for a machine, and the released bundles as pages.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules::docs::{
    AuthorNotation, Document, FORMATS, Grouping, MARKDOWN, PagesInput, RuleLocations, build_pages,
    render_document,
};
use kvrules::{FileId, Request, SourceFile, Sources};
use kvrules_tests::template_bundles;

/// The pages of a file of rules.
fn document(name: &str, text: &str, grouping: Grouping) -> Document {
    let mut sources = Sources::default();
    let id = sources.add_file(name, text);
    let sets = kvrules::merge_rule_sets(kvrules::read_rules(sources.get(id).unwrap()).sets);
    let places = RuleLocations { sources: &sources, link: None };
    build_pages(&PagesInput {
        request: Request::for_virtual_machines(&sets),
        places,
        notation: AuthorNotation::Plain,
        grouping,
    })
    .unwrap()
}

/// One rule, of what its author writes beside the name and the message.
fn page(rule: &str) -> (Document, String) {
    let text =
        format!("vm.kubevirt.io/validations: |\n  [{{\"name\": \"x\", \"message\": \"m\", {rule}}}]\n");
    let document = document("x.yaml", &text, Grouping::Set);
    let files = render_document(&MARKDOWN, &document, &[]).unwrap();
    (document, files[1].text.clone())
}

fn codes(examples: &[kvrules::docs::document::Example]) -> Vec<&str> {
    examples.iter().map(|example| example.code.as_str()).collect()
}

#[test]
fn a_number_without_a_unit_is_told_to_people_and_to_machines() {
    let rule = r#""rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "min": 1073741824"#;
    let (document, page) = page(rule);
    let rule = &document.sets[0].rules[0];
    assert_eq!(rule.page.limits[0].human.as_deref(), Some("1 GiB"));
    assert_eq!(rule.page.limits[0].machine.as_deref(), Some("1073741824"));
    assert!(page.contains("- **Minimum:** 1 GiB (1073741824 bytes), written `1Gi`\n"), "{page}");
    assert_eq!(codes(&rule.page.examples.passes)[0], "1Gi");
    assert_eq!(codes(&rule.page.examples.fails)[0], "1073741823");
}

#[test]
fn a_list_of_values_is_told_to_people_and_to_machines() {
    let path = "jsonpath::.spec.domain.devices.disks[*].disk.bus";
    let rule =
        format!(r#""rule": "enum", "path": "{path}", "valid": "{path}", "values": ["virtio", "scsi"]"#);
    let (document, page) = page(&rule);
    let sentence = "Every disk's bus must be `scsi` or `virtio`. Disks without `disk` are not checked.";
    assert!(page.contains(sentence), "{page}");
    assert_eq!(document.sets[0].rules[0].values, ["scsi", "virtio"]);
    assert!(page.contains("disk.disk.bus in ['scsi', 'virtio']"), "{page}");
    assert!(page.contains("- **Passes:** `scsi`, `virtio`\n"), "{page}");
}

#[test]
fn an_expression_is_told_to_people_and_to_machines() {
    let (document, page) =
        page(r#""rule": "regex", "path": "jsonpath::.spec.hostname", "regex": "^[a-z0-9-]{1,63}$""#);
    let pattern = document.sets[0].rules[0].page.pattern.as_ref().unwrap();
    assert_eq!(pattern.source, "^[a-z0-9-]{1,63}$");
    assert!(page.contains("- **Regular expression:** `^[a-z0-9-]{1,63}$`\n"), "{page}");
    assert!(page.contains("- **In words:** 1 to 63 of a–z, 0–9, `-`\n"), "{page}");
}

#[test]
fn an_expression_that_says_too_much_is_said_to_do_so() {
    let (_, page) =
        page(r#""rule": "regex", "path": "jsonpath::.spec.hostname", "regex": "^(((a+b)+c)+d)+\\pL+$""#);
    assert!(page.contains("- **In words:** too complex to describe in words\n"), "{page}");
}

#[test]
fn a_field_that_has_had_its_day_is_said_to_have() {
    let (document, _) =
        page(r#""rule": "integer", "path": "jsonpath::.spec.domain.resources.requests.memory", "min": 1"#);
    let deprecation = document.sets[0].rules[0].deprecation.as_ref().unwrap();
    assert_eq!(deprecation.replacement.as_deref(), Some(".spec.domain.memory.guest"));
}

/// Examples are held to the meaning once more: by a machine that is put together here and not by kvrules-verify.
#[test]
fn examples_pass_and_fail_as_they_say() {
    let rule = r#""rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "min": 2, "max": 8"#;
    let (document, _) = page(rule);
    let text =
        format!("vm.kubevirt.io/validations: |\n  [{{\"name\": \"x\", \"message\": \"m\", {rule}}}]\n");
    let sets = kvrules::read_rules(&SourceFile::new(FileId(0), "x.yaml", text)).sets;
    let examples = &document.sets[0].rules[0].page.examples;
    let evaluated = |value: &serde_json::Value| {
        let cpu = serde_json::json!({ "cpu": { "cores": value } });
        let machine = serde_json::json!({ "spec": { "template": { "spec": { "domain": cpu } } } });
        kvrules_eval::predicate_holds(&sets[0].rules[0].predicate, &machine)
    };
    assert!(!examples.passes.is_empty() && examples.passes.iter().all(|example| evaluated(&example.json)));
    assert!(!examples.fails.is_empty() && !examples.fails.iter().any(|example| evaluated(&example.json)));
}

#[test]
fn a_rule_that_compares_fields_is_shown_on_both_sides_of_where_they_are_equal() {
    let path = "jsonpath::.spec.domain.memory.guest";
    let rule = format!(
        r#""rule": "integer", "path": "{path}", "valid": "{path}", "max": "jsonpath::.spec.domain.memory.maxGuest""#
    );
    let (document, page) = page(&rule);
    let examples = &document.sets[0].rules[0].page.examples;
    let text =
        format!("vm.kubevirt.io/validations: |\n  [{{\"name\": \"x\", \"message\": \"m\", {rule}}}]\n");
    let sets = kvrules::read_rules(&SourceFile::new(FileId(0), "x.yaml", text)).sets;
    for (sort, passes) in [(&examples.passes, true), (&examples.fails, false)] {
        assert!(!sort.is_empty(), "{page}");
        for example in sort {
            let [other] = example.beside.as_slice() else { panic!("{example:?}") };
            assert_eq!(other.path, ".spec.domain.memory.maxGuest");
            let memory = serde_json::json!({ "guest": example.json, "maxGuest": other.json });
            let domain = serde_json::json!({ "domain": { "memory": memory } });
            let machine = serde_json::json!({ "spec": { "template": { "spec": domain } } });
            assert_eq!(
                kvrules_eval::predicate_holds(&sets[0].rules[0].predicate, &machine),
                passes,
                "{example:?}"
            );
        }
    }
    assert!(page.contains("` with `.spec.domain.memory.maxGuest` set to `"), "{page}");
}

#[test]
fn every_rule_of_the_bundles_has_a_section_with_examples_and_what_targets_claim() {
    let (mut rules, mut files) = (0, 0);
    for (name, text) in template_bundles() {
        for grouping in Grouping::ALL {
            let document = document(&name, &text, grouping);
            for rule in document.sets.iter().flat_map(|set| &set.rules) {
                assert!(rule.page.sentence.plain.ends_with('.'), "{name}: {rule:?}");
                assert!(
                    !rule.page.examples.passes.is_empty() && !rule.page.examples.fails.is_empty(),
                    "{name}: {rule:?}"
                );
                assert!(!rule.cel.is_empty() && rule.page.fidelity.len() >= 6, "{name}: {rule:?}");
                assert!(
                    rule.page.source.as_ref().is_some_and(|source| source.file == name),
                    "{name}: {rule:?}"
                );
                rules += 1;
            }
            for format in FORMATS {
                let made = render_document(format, &document, &[]).unwrap();
                let wanted = if grouping == Grouping::Set { document.sets.len() + 1 } else { 2 };
                assert!(made.len() >= wanted, "{name}: {}", format.name);
                files += made.len();
            }
        }
    }
    println!("docs: {rules} rules on {files} pages");
}

#[test]
fn docs_of_a_large_alternation_compile_it_once() {
    let branches: Vec<String> =
        (0..5_000).map(|index| format!("page-{:05}", index * 7919 % 99_991)).collect();
    let rule = format!(
        r#""rule": "regex", "path": "jsonpath::.spec.hostname", "regex": "^({})$""#,
        branches.join("|")
    );
    // Compilations are counted per thread, so use only one.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (document, compiled) = pool.install(|| {
        let before = kvrules_regex::Matcher::compilation_count();
        (page(&rule).0, kvrules_regex::Matcher::compilation_count() - before)
    });
    assert_eq!(document.sets[0].rules[0].page.examples.passes.len(), 4);
    assert!((1..=2).contains(&compiled), "{compiled}");
}
