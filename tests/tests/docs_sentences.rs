//! Sentences about rules of real definitions, drawn by a fixed seed: printed with their expressions to be read, and held to plain words.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules::Sources;
use kvrules::docs::RuleLocations;
use kvrules::docs::fact::{Fact, FactValue, Piece};
use kvrules::eval::Definitions;
use kvrules_generate::PseudoRandom;
use kvrules_tests::pages::resource_document;

/// Number of sentences that are drawn.
const DRAWN: usize = 60;

/// The seed of the draw that docs/internals/sentences.md is about.
const SEED: u64 = 2026;

/// The sentence about a rule and its expression.
struct RuleSentence {
    sentence: String,
    expression: String,
}

fn plain_text(fact: &Fact) -> String {
    match &fact.value {
        FactValue::Line(pieces) => pieces.iter().map(piece_text).collect(),
        FactValue::Code(code) => code.clone(),
        FactValue::List(_) => panic!("{fact:?}"),
    }
}

fn piece_text(piece: &Piece) -> String {
    match piece {
        Piece::Words(words) => words.as_str().to_owned(),
        Piece::Text(text) => text.plain.clone(),
        Piece::Code(code) => format!("`{code}`"),
        other => panic!("{other:?}"),
    }
}

/// The sentences about the rules of a definition; none if a server rejects it.
fn sentences_of(name: &str, text: &str) -> Vec<RuleSentence> {
    let mut sources = Sources::default();
    let id = sources.add_file(name, text);
    let Ok(definitions) = Definitions::read_definitions(sources.get(id).unwrap()) else { return Vec::new() };
    let resources: Vec<_> = definitions.into_texts().into_iter().collect();
    let places = RuleLocations { sources: &sources, link: None };
    let document = resource_document(places, &resources).unwrap();
    let sections = document.resources.iter().flat_map(|page| &page.sections);
    let rules = sections.flat_map(|section| {
        section.rules.iter().chain(section.entries.iter().flat_map(|entry| &entry.rules))
    });
    let sentence = |rule: &kvrules::docs::resource_pages::ResourceRule| {
        let fact = |kind: &str| rule.facts.iter().find(|fact| fact.kind == kind);
        let accepted = fact("accepted")?;
        Some(RuleSentence {
            sentence: format!("{}: {}", accepted.label.plain, plain_text(accepted)),
            expression: plain_text(fact("cel")?),
        })
    };
    rules.filter_map(sentence).collect()
}

#[test]
fn sentences_of_real_rules_are_plain_words() {
    let mut all = Vec::new();
    for folder in ["kubernetes/crds", "kubernetes/crds-2"] {
        for path in kvrules_testdata::list_files(folder, "yaml").unwrap_or_default() {
            let text = std::fs::read_to_string(&path).unwrap();
            if text.contains("x-kubernetes-validations") {
                all.extend(sentences_of(path.file_name().unwrap().to_str().unwrap(), &text));
            }
        }
    }
    if all.is_empty() {
        return;
    }
    for told in &all {
        let words: String = told.sentence.split('`').step_by(2).collect();
        let signs = ["&&", "||", "==", "!=", "<", ">", "?", "{", "}"];
        assert!(!signs.iter().any(|sign| words.contains(sign)), "{} of {}", told.sentence, told.expression);
    }
    let mut chance = PseudoRandom::with_seed(SEED);
    let mut seen = std::collections::HashSet::new();
    let (mut drawn, mut list) = (0, String::new());
    while drawn < DRAWN {
        let told = &all[chance.number_below(all.len())];
        if seen.insert(&told.expression) {
            drawn += 1;
            let expression = told.expression.split_whitespace().collect::<Vec<_>>().join(" ");
            list.push_str(&format!("{drawn}. {}\n   {expression}\n", told.sentence));
        }
    }
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs_sentences.txt");
    std::fs::write(file, &list).unwrap();
    print!("{list}");
    println!("sentences: {DRAWN} drawn of {} with the seed {SEED}", all.len());
}

#[test]
fn sentences_use_the_words_of_readers() {
    let properties = "properties: {names: {type: array, maxItems: 9, items: {type: string, maxLength: 9}}, kind: {type: string, maxLength: 9}, \
                      ip: {type: string, maxLength: 99}, id: {type: string, maxLength: 99}}";
    for (rule, sentence) in [
        ("size(self.names) > 0", "`names` is not empty"),
        ("self.names.size() <= 0", "`names` is empty"),
        ("self.names.size() <= 2", "the size of `names` is at most `2`"),
        ("self.kind.lowerAscii() != 'x'", "`kind` in lower case is not `\"x\"`"),
        ("self.kind.upperAscii().startsWith('X')", "`kind` in upper case starts with `\"X\"`"),
        ("duration(self.kind) >= duration('1ms')", "the duration `kind` is at least `1ms`"),
        ("duration(self.kind) == duration('0s')", "the duration `kind` is `0s`"),
        ("duration(self.kind) < duration(self.ip)", "the duration `kind` is less than the duration `ip`"),
        ("isIP(self.ip)", "`ip` is an IP address"),
        ("!isCIDR(self.ip)", "`ip` is not an address block in CIDR notation"),
        ("!format.uuid().validate(self.id).hasValue()", "`id` is a valid `uuid`"),
        (
            "!(self.names.exists(a, a == 'x') && self.names.exists(b, b == 'y'))",
            "(for each `item` of `names`: `item` is not `\"x\"`), or (for each `item` of `names`: `item` is not `\"y\"`)",
        ),
    ] {
        let text = format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: ponds.example.com}}\nspec:\n  \
             group: example.com\n  scope: Namespaced\n  names: {{plural: ponds, singular: pond, kind: Pond, listKind: PondList}}\n  \
             versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        \
             type: object\n        properties:\n          spec:\n            type: object\n            {properties}\n            \
             x-kubernetes-validations: [{{rule: \"{rule}\"}}]\n"
        );
        let told = sentences_of("crd.yaml", &text);
        let found: Vec<&str> = told.iter().map(|told| told.sentence.as_str()).collect();
        assert_eq!(found, [format!("Accepted if: {sentence}")], "{rule}");
    }
}

#[test]
fn types_quantities_and_alternatives_have_words() {
    let text = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: ponds, singular: pond, kind: Pond, listKind: PondList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          depth:
            x-kubernetes-int-or-string: true
            x-kubernetes-validations: [{rule: "type(self) != int || self > 1"}]
          size: {type: string, maxLength: 9}
          least: {type: string, maxLength: 9}
          a: {type: integer}
          b: {type: integer}
          c: {type: integer}
        x-kubernetes-validations:
        - rule: "!has(self.size) || !has(self.least) || quantity(self.size).compareTo(quantity(self.least)) >= 0"
        - rule: "!has(self.size) || quantity(self.size).compareTo(quantity('1Gi')) < 0"
        - rule: "[has(self.a), has(self.b), has(self.c)].exists_one(it, it)"
"#;
    let found: Vec<String> = sentences_of("crd.yaml", text).into_iter().map(|it| it.sentence).collect();
    for wanted in [
        "the value is not an integer, or the value is greater than `1`",
        "the quantity `size` is at least the quantity `least`",
        "the quantity `size` is less than `1Gi`",
        "exactly one of `a`, `b` and `c` is present",
    ] {
        assert!(found.iter().any(|sentence| sentence.contains(wanted)), "{wanted}\n{found:#?}");
    }
}
