//! Every lint's page is its test: the findings it shows are those that kvrules prints, and no others.
//!
//! `KVRULES_BLESS=1` writes what kvrules prints into the pages.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test may stop at the first surprise"
)]

use std::{collections::BTreeSet, fs, ops::Range, path::PathBuf};

use kvrules::{Catalog, Diagnostic, FileId, ReadContext, SourceFile};
use kvrules_syntax::markdown::find_fenced_blocks;

/// A source in a page, and the findings that stand below it.
struct Example {
    language: String,
    source: String,
    /// The configuration that it is checked with, which stands before it.
    config: Option<String>,
    /// Range of the findings in the page, if there are any.
    findings: Option<Range<usize>>,
    /// The definition that it takes the place of: in a page about updates the first source.
    stored: Option<String>,
    /// Definitions of extra specs before a flavor.
    definitions: Vec<kvrules::extra_specs::Definition>,
}

/// The code of what is found in updates.
const OF_UPDATES: &str = "KC103";

/// The codes of what is found in flavors.
const OF_FLAVORS: std::ops::RangeInclusive<&str> = "KX201"..="KX208";

fn is_definitions(text: &str) -> bool {
    text.starts_with("kind: ExtraSpecDefinitions")
}

struct Page {
    code: &'static str,
    name: &'static str,
    path: PathBuf,
    text: String,
}

impl Page {
    fn examples(&self) -> Vec<Example> {
        let mut examples: Vec<Example> = Vec::new();
        let mut config = None;
        let mut definitions = Vec::new();
        let is_of_flavors = OF_FLAVORS.contains(&self.code);
        for block in find_fenced_blocks(&self.text) {
            match block.language {
                "toml" => config = Some(self.text[block.range].to_owned()),
                "yaml" | "yml" | "json"
                    if is_definitions(&self.text[block.range.clone()]) && is_of_flavors =>
                {
                    let text = &self.text[block.range];
                    let (document, problems) = kvrules::extra_specs::parse_definitions(FileId(0), text);
                    assert!(problems.is_empty(), "{}: {problems:?}", self.name);
                    definitions = document.expand_definitions();
                }
                "yaml" | "yml" | "json" => examples.push(Example {
                    language: block.language.to_owned(),
                    source: self.text[block.range].to_owned(),
                    config: config.take(),
                    findings: None,
                    definitions: std::mem::take(&mut definitions),
                    stored: examples.first().filter(|_| self.code == OF_UPDATES).map(|it| it.source.clone()),
                }),
                "findings" => {
                    let example = examples.last_mut().expect("findings follow a source");
                    assert!(example.findings.is_none(), "{}: two blocks of findings", self.name);
                    example.findings = Some(block.range);
                }
                _ => {}
            }
        }
        examples
    }

    /// The page with its findings replaced by those that there are.
    fn blessed(&self) -> String {
        let mut text = self.text.clone();
        for example in self.examples().into_iter().rev() {
            if let Some(range) = example.findings.clone() {
                text.replace_range(range, &example.report());
            }
        }
        text
    }
}

impl Example {
    fn file(&self) -> SourceFile {
        SourceFile::new(FileId(0), format!("example.{}", self.language), self.source.as_str())
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        let file = self.file();
        let versions = self.config.as_deref().map(parse_config).unwrap_or_default().kubernetes_versions();
        let run = kvrules::crd::RunResources::default().with_versions(versions);
        let context = ReadContext::new(Catalog::kubevirt_vm())
            .with_definitions(vec![self.definitions.clone()])
            .with_resources(&run);
        let mut reading = kvrules::read_file(&file, &context);
        if let Some(stored) = &self.stored {
            let mut resources = kvrules::crd::StoredResources::default();
            resources.add_file(&SourceFile::new(FileId(1), "stored.yaml", stored.as_str()));
            kvrules::crd::check_update(&file, &resources, &Default::default(), &mut reading.diagnostics);
        }
        if let Some(config) = &self.config {
            reading.diagnostics.extend(of_targets(config, std::mem::take(&mut reading.sets)));
            reading.diagnostics.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
        }
        kvrules::select::LintSelection::default().select_findings(&reading, &file, None).shown
    }

    /// One line a finding.
    fn report(&self) -> String {
        report(&self.file(), &self.diagnostics())
    }
}

fn parse_config(text: &str) -> kvrules::config::Config {
    let file = SourceFile::new(FileId(1), "kvrules.toml", text);
    kvrules::config::parse(&file, kvrules::all_targets()).unwrap().expect("a configuration")
}

/// Returns the findings of the targets of a configuration about rules.
fn of_targets(config: &str, sets: Vec<kvrules::ElaboratedSet>) -> Vec<Diagnostic> {
    let config = parse_config(config);
    let sets = kvrules::merge_rule_sets(sets);
    let options = kvrules::configured_options(&config);
    let request = kvrules::Request { options: &options, ..kvrules::Request::for_virtual_machines(&sets) };
    let policy = kvrules::configured_losses(&config);
    kvrules::lint_targets(&kvrules::configured_targets(&config), &request, &policy)
}

fn report(file: &SourceFile, diagnostics: &[Diagnostic]) -> String {
    let line = |found: &Diagnostic| {
        let at = file.position_at(found.primary.span.start);
        let level = found.level.as_str();
        format!("{}:{} {level}[{}] {}\n", at.line, at.column, found.code, found.message)
    };
    diagnostics.iter().map(line).collect()
}

fn pages() -> Vec<Page> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/lints");
    let page = |lint: &&'static kvrules::Lint| {
        let path = folder.join(format!("{}-{}.md", lint.code, lint.name.replace('_', "-")));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Page { code: lint.code, name: lint.name, path, text }
    };
    kvrules::all_lints().iter().map(page).collect()
}

#[test]
fn the_findings_of_each_example_are_those_that_its_page_shows() {
    let bless = std::env::var_os("KVRULES_BLESS").is_some();
    let (mut wrong, mut shown) = (Vec::new(), 0);
    for mut page in pages() {
        if bless {
            page.text = page.blessed();
            fs::write(&page.path, &page.text).unwrap();
        }
        for (number, example) in page.examples().iter().enumerate() {
            shown += 1;
            let expected = example.findings.clone().map_or("", |range| &page.text[range]);
            let found = example.report();
            if expected != found {
                let number = number + 1;
                wrong.push(format!("{} example {number}\nexpected:\n{expected}found:\n{found}", page.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{shown} examples in {} pages", kvrules::all_lints().len());
}

#[test]
fn each_page_shows_its_own_lint_and_how_to_do_without() {
    for page in pages() {
        let (code, name) = (page.code, page.name);
        assert!(page.text.starts_with(&format!("# {code} {name}\n")), "{name}: the title");
        let (before, instead) = page.text.split_once("\n## Instead\n").expect("a section `Instead`");
        assert!(before.contains("\n## Example\n"), "{name}: a section `Example`");
        assert!(!instead.contains("```findings"), "{name}: findings where there should be none");
        let examples = page.examples();
        let fires = |example: &Example| example.diagnostics().iter().any(|found| found.code == code);
        assert!(examples.iter().any(fires), "{name}: no example in which it fires");
        assert!(
            examples.last().is_some_and(|example| example.findings.is_none()),
            "{name}: no clean example"
        );
    }
}

/// A definition with an error in every part around its schemas, each marked at its line; kvrules-crd is held to it.
const EVERYTHING: &str = include_str!("../../crates/kvrules-crd/tests/envelope/everything.yaml");

#[test]
fn the_page_of_the_shape_shows_an_error_in_every_part_of_a_definition() {
    let page = pages().into_iter().find(|page| page.code == "KC101").unwrap();
    let examples = page.examples();
    let example = examples.iter().find(|example| example.source == EVERYTHING).expect("the file in the page");
    let found = example.report();
    for (index, line) in EVERYTHING.lines().enumerate() {
        for mark in line.split_once("# ").into_iter().flat_map(|(_, marks)| marks.split(" & ")) {
            let (level, message) = mark.split_once(' ').unwrap();
            let start = format!("{}:", index + 1);
            let is_shown = |line: &str| {
                line.starts_with(&start) && line.contains(&format!(" {level}[K")) && line.ends_with(message)
            };
            assert!(found.lines().any(is_shown), "{start} {mark}\n{found}");
        }
    }
}

/// The templates whose own VirtualMachine the deployed validator denies, by the facts beside a bundle.
fn denied(facts: &serde_json::Value) -> BTreeSet<String> {
    let denied = facts["perTemplate"].as_array().unwrap().iter().filter(|one| one["verdict"] == "fail");
    denied.map(|one| one["template"].as_str().unwrap().to_owned()).collect()
}

/// The name of the template around a place in a bundle.
fn template_at(text: &str, at: usize) -> String {
    let start = text[..at].rfind("\n---\n").map_or(0, |start| start + 5);
    let end = text[at..].find("\n---\n").map_or(text.len(), |end| at + end);
    let template: serde_json::Value = serde_yaml::from_str(&text[start..end]).unwrap();
    template["metadata"]["name"].as_str().unwrap().to_owned()
}

#[test]
fn in_released_templates_those_that_the_deployed_validator_denies_are_found_and_nothing_else() {
    let bundles = ["common-templates-v0.35.0", "common-templates-v0.25.0", "common-templates-s390x-v0.35.0"];
    for bundle in bundles {
        let name = format!("{bundle}.yaml");
        let Some(text) = kvrules_testdata::read_text(&format!("kubevirt/templates/{name}")) else { continue };
        let facts =
            kvrules_testdata::read_value(&format!("kubevirt/templates/{bundle}.facts.json")).expect("facts");
        let file = SourceFile::new(FileId(0), name, text);
        let reading = kvrules::read_rules(&file);
        let rules = reading.count_rules();
        assert!(rules > 40, "{bundle}: only {rules} rules");
        let (own, other): (Vec<_>, Vec<_>) =
            reading.diagnostics.into_iter().partition(|found| found.code == "KV911");
        assert_eq!(report(&file, &other), "", "{bundle}");
        let found = own.iter().map(|found| template_at(file.text(), found.primary.span.to_range().start));
        assert_eq!(found.collect::<BTreeSet<_>>(), denied(&facts), "{bundle}");
        for found in &own {
            assert!(found.message.contains("mismatching type"), "{}", found.message);
            assert!(found.help.as_ref().is_some_and(|help| help.starts_with("write `1536Mi`")));
        }
        println!("{bundle}: {} rules, {} templates denied, all found", rules, own.len());
    }
}

/// The examples that the texts call invalid, by what they are said to lack.
const LACKING: [(&str, &[&str]); 3] =
    [("“rule”", &["rule"]), ("“name”, “message”", &["name", "message"]), ("“path”", &["path"])];

#[test]
fn examples_called_invalid_lack_exactly_the_keys_that_their_text_says() {
    for version in ["201901", "201902"] {
        let name = format!("template-validation-{version}.md");
        let Some(text) = kvrules_testdata::read_text(&format!("specs/{name}")) else { continue };
        let file = SourceFile::new(FileId(0), name, text);
        let diagnostics = kvrules::read_rules(&file).diagnostics;
        println!("{version}:\n{}", report(&file, &diagnostics));
        let blocks = find_fenced_blocks(file.text());
        let mut invalid = 0;
        for (wording, keys) in LACKING {
            let at = file.text().find(&format!("Example: lacks {wording}\n")).expect("the example");
            let block = blocks.iter().find(|block| block.range.start > at).unwrap();
            let inside = |found: &&Diagnostic| block.range.contains(&found.primary.span.to_range().start);
            let missing = diagnostics.iter().filter(inside).filter(|found| found.code == "KV102");
            let missing: Vec<_> = missing.map(|found| found.message.as_str()).collect();
            assert_eq!(missing.len(), keys.len(), "{version} {wording}: {missing:?}");
            for key in keys {
                let words = format!("missing mandatory key `{key}` in ");
                assert!(missing.iter().any(|message| message.starts_with(&words)), "{version}: {missing:?}");
            }
            invalid += missing.len();
        }
        let all = diagnostics.iter().filter(|found| found.code == "KV102").count();
        assert_eq!(all, invalid, "{version}: a rule that is not called invalid lacks a key");
    }
}
