//! The reference of the words of RuleSets: written from the words, their examples and what targets make of them.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may stop at the first surprise")]

use std::fmt::Write as _;
use std::path::PathBuf;

use kvrules::rule_set::{ExampleObject, RuleSet, WORDS, Word};
use kvrules::{FileId, Request, SourceFile, all_targets, compile_targets};
use serde_json::{Value, json};

const DEFINITION: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.example.com}
spec:
  group: example.com
  names: {kind: Pond, plural: ponds, singular: pond, listKind: PondList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              depth: {type: integer}
              least: {type: integer}
              most: {type: integer}
              ratio: {type: number}
              memory: {type: string, maxLength: 20}
              name: {type: string, maxLength: 20}
              legacy: {type: string}
              address: {type: string, maxLength: 40}
              phase: {type: string, enum: [Draft, Ready, Retired]}
              git: {type: object, properties: {url: {type: string}}}
              http: {type: object, properties: {url: {type: string}}}
              fish:
                type: array
                maxItems: 10
                items: {type: object, required: [name], properties: {name: {type: string, maxLength: 20}}}
              friends: {type: array, maxItems: 10, items: {type: string, maxLength: 20}}
";

const HEAD: &str = "\
# Words of RuleSets

<!-- Written by the test `rule_set_words` from the words; do not edit. -->

Each word says what is required of the value at `path`, or of several paths. Words of one rule must all hold. In a rule a word about a
value passes if the path has none; in `when` it fails then. `null` counts as absent. `[*]` in a path stands for every item, and in
`when` for some item. [RuleSets](rule-sets.md) begins with an example.

The examples are about this definition:

";

fn page_path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/rule-set-words.md")
}

fn read_set(word: &Word) -> RuleSet {
    let rule = word.example.rule;
    let text = format!(
        "{DEFINITION}---\napiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {{name: pond}}\nspec:\n  \
         subject: {{apiVersion: example.com/v1, kind: Pond}}\n  rules:\n  - {{name: example, {rule}}}\n"
    );
    let mut reading = kvrules::read_rules(&SourceFile::new(FileId(0), "pond.yaml", text));
    assert!(reading.diagnostics.is_empty(), "{}: {:?}", word.name, reading.diagnostics);
    reading.rule_sets.remove(0)
}

fn object(spec: &str) -> Value {
    let spec: Value = serde_yaml::from_str(&format!("{{{spec}}}")).unwrap();
    json!({"apiVersion": "example.com/v1", "kind": "Pond", "metadata": {"name": "pond"}, "spec": spec})
}

fn violates(set: &RuleSet, example: ExampleObject) -> bool {
    let stored = example.stored.map(object);
    !set.find_violations(&object(example.spec), stored.as_ref()).is_empty()
}

/// The targets with their fidelity, and the cause of a difference.
fn fidelity_lines(set: &RuleSet) -> Vec<(&'static str, String)> {
    let versions = set.versions();
    let sets = std::slice::from_ref(set);
    let request = Request { resources: &versions, authored: sets, ..Request::for_virtual_machines(&[]) };
    let targets: Vec<_> = all_targets().iter().copied().filter(|target| target.authored.is_some()).collect();
    let outputs = compile_targets(&targets, &request).unwrap();
    let line = |output: &kvrules::TargetOutput| {
        let fidelity = &output.resources.fidelity[0].fidelity;
        let cause = fidelity.cause().map(|cause| format!(": {cause}")).unwrap_or_default();
        (output.target, format!("{}{cause}", fidelity.as_str()))
    };
    outputs.iter().map(line).collect()
}

fn describe_object(example: ExampleObject) -> String {
    match example.stored {
        Some(stored) => format!("`{}`, stored as `{stored}`", example.spec),
        None => format!("`{}`", example.spec),
    }
}

fn describe_word(word: &Word) -> String {
    let set = read_set(word);
    assert!(!violates(&set, word.example.passes), "{}: the passing example fails", word.name);
    assert!(violates(&set, word.example.fails), "{}: the failing example passes", word.name);
    let rule = &set.rules[0];
    let mut text = format!("## {}\n\nHolds if {}.", word.name, word.summary);
    if !word.is_of_conditions() {
        text.push_str(" Rules alone can use it, and `when` cannot.");
    }
    let place = set.place_of_rule(rule);
    let place = if place.is_empty() { "the object".to_owned() } else { format!("`{place}`") };
    let _ = write!(
        text,
        "\n\n```yaml\n- {{name: example, {}}}\n```\n\n- passes, as `spec`: {}\n- fails, as `spec`: {}\n- message: {}\n- CEL at {place}: `{}`\n",
        word.example.rule,
        describe_object(word.example.passes),
        describe_object(word.example.fails),
        rule.message,
        rule.expression
    );
    let mut fidelities: Vec<(String, Vec<&str>)> = Vec::new();
    for (target, fidelity) in fidelity_lines(&set) {
        match fidelities.iter_mut().find(|(known, _)| *known == fidelity) {
            Some((_, targets)) => targets.push(target),
            None => fidelities.push((fidelity, vec![target])),
        }
    }
    for (fidelity, targets) in fidelities {
        let targets: Vec<_> = targets.iter().map(|target| format!("`{target}`")).collect();
        let _ = writeln!(text, "- {}: {fidelity}", targets.join(", "));
    }
    text
}

#[test]
fn the_reference_of_words_is_current() {
    let words: Vec<_> = WORDS.iter().map(|word| describe_word(word)).collect();
    let page = format!("{HEAD}```yaml\n{DEFINITION}```\n\n{}", words.join("\n"));
    if std::env::var_os("KVRULES_BLESS").is_some() {
        std::fs::write(page_path(), &page).unwrap();
    }
    let known = std::fs::read_to_string(page_path()).unwrap_or_default();
    assert!(known == page, "docs/guide/rule-set-words.md is stale; KVRULES_BLESS=1 writes it");
}
