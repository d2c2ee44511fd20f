//! Hostile runs, a few of them: `cargo xtask hostile` does many.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use kvrules_syntax::edit::quote_json;
use kvrules_tests::hostile::{CaseGenerator, HostileCase, TestedProgram, find_broken_property};
use rayon::prelude::*;

const RUNS: usize = 300;
const SEED: u64 = 20;

#[test]
fn damaged_files_of_every_kind_are_survived_by_every_subcommand() {
    let program = TestedProgram::build().unwrap();
    let mut generator = CaseGenerator::new(SEED).unwrap();
    assert!(generator.file_kinds().len() >= 25, "{:?}", generator.file_kinds());
    let cases: Vec<_> = (0..RUNS).map(|_| generator.make_case()).collect();
    for command in [
        "check", "compile", "docs", "eval", "test", "verify", "diff", "migrate", "fmt", "cost", "flavor",
        "import", "minors",
    ] {
        assert!(cases.iter().any(|case| case.args[0] == command), "{command} is not called");
    }
    let broken = |case: &HostileCase| {
        let what = find_broken_property(case, &program.run_case(case).unwrap())?;
        Some(format!("{what}\n  {}\n{}", case.command_line(), case.to_text()))
    };
    let finds: Vec<_> = cases.par_iter().filter_map(broken).collect();
    assert!(finds.is_empty(), "{} finds:\n{}", finds.len(), finds.join("\n"));
}

#[test]
fn what_hostile_runs_found_breaks_no_property_any_more() {
    let program = TestedProgram::build().unwrap();
    let kept = HostileCase::load_kept().unwrap();
    assert!(!kept.is_empty());
    for (path, case) in kept {
        let broken = find_broken_property(&case, &program.run_case(&case).unwrap());
        assert_eq!(broken, None, "{}: {}", path.display(), case.command_line());
    }
}

/// Everything that a terminal or an editor acts upon without showing it, and what ends comments, strings and elements.
const MARKS: &str = "\u{1}\u{7}\u{1b}\u{7f}\u{85}\u{9b}\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\
                     \u{2066}\u{2067}\u{2068}\u{2069}\u{feff}";

/// A definition, a RuleSet, a policy and an object with the marks in every string that may be anything.
fn marked_files() -> [(&'static str, String); 5] {
    let text = quote_json(&format!("a{MARKS} */ `x` <b> --> ]]> \" ' \n# end"));
    let line =
        quote_json(&format!("a{} */ `x` <b> ' # end", MARKS.replace(['\u{85}', '\u{2028}', '\u{2029}'], "")));
    let cel = quote_json(&format!("!has(self.spec) || self.spec.a != 'y{MARKS}'"));
    let policy_cel = quote_json(&format!("object.metadata.name != 'y{MARKS}'"));
    let pattern = quote_json(&format!("^a{MARKS}*$"));
    let definition = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: ponds.example.com}}\nspec:\n  \
         group: example.com\n  scope: Namespaced\n  names: {{kind: Pond, listKind: PondList, plural: ponds, singular: pond}}\n  \
         versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        \
         description: {text}\n        x-kubernetes-validations: [{{rule: {cel}, message: {line}}}]\n        properties:\n          \
         spec:\n            type: object\n            required: [a]\n            properties:\n              \
         a: {{type: string, maxLength: 90, description: {text}, default: {text}, title: {text}}}\n              \
         m: {{type: object, maxProperties: 5, additionalProperties: {{type: string, maxLength: 9, enum: [{text}, x]}}}}\n"
    );
    let rules = format!(
        "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {{name: web}}\nspec:\n  subject: {{schema: crd.yaml}}\n  rules:\n  \
         - {{name: {line}, path: spec.a, in: [{text}, b], message: {text}}}\n  - {{name: p, path: spec.a, pattern: {pattern}}}\n  \
         - {{name: k, path: 'spec.m[\"k\"]', required: true, message: {text}}}\n  - {{name: c, cel: {cel}, message: {line}}}\n"
    );
    let policy = format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: ponds.example.com}}\nspec:\n  \
         matchConstraints: {{resourceRules: [{{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}}]}}\n  \
         validations: [{{expression: {policy_cel}, message: {text}}}]\n"
    );
    let object = format!(
        "apiVersion: example.com/v1\nkind: Pond\nmetadata: {{name: {text}}}\nspec: {{a: {text}, m: {{{text}: {text}}}}}\n"
    );
    let schema = format!(
        "{{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\", \"title\": {text}, \"properties\": {{\"a\": {{\"type\": \"string\", \
         \"description\": {text}, \"enum\": [{text}], \"default\": {text}, \"pattern\": {pattern}}}}}}}\n"
    );
    [
        ("crd.yaml", definition),
        ("rs.yaml", rules),
        ("pol.yaml", policy),
        ("obj.yaml", object),
        ("s.json", schema),
    ]
}

#[test]
fn no_output_has_characters_that_act_on_its_reader() {
    let program = TestedProgram::build().unwrap();
    let files = marked_files().map(|(name, text)| (name.to_owned(), text));
    let mut commands: Vec<String> = Vec::new();
    for file in ["crd.yaml", "rs.yaml", "pol.yaml", "s.json"] {
        for format in ["markdown", "restructuredtext", "html", "json"] {
            commands.push(format!("docs --format {format} --out-dir out {file}"));
        }
        for target in ["json-schema", "openapi", "crd", "cel", "admission-policy", "kubebuilder", "kube-rs"] {
            commands.push(format!("compile --loss allow --target {target} --out-dir out {file}"));
        }
        for format in ["human", "concise", "json", "sarif", "github", "gitlab", "junit"] {
            commands.push(format!("check --output-format {format} --level info {file}"));
        }
        commands.extend([format!("verify {file}"), format!("import ruleset {file}"), format!("cost {file}")]);
        commands.push(format!("diff {file} {file}"));
    }
    commands.extend(["import schema --kind Pond s.json".to_owned(), "minors crd.yaml".to_owned()]);
    for engine in ["spec", "policy"] {
        commands.push(format!("eval --engine {engine} --rules rs.yaml obj.yaml"));
    }
    commands.push("eval --engine crd --schema crd.yaml obj.yaml".to_owned());
    let broken = |command: &String| {
        let args = command.split(' ').map(str::to_owned).collect();
        let case = HostileCase { args, files: files.iter().cloned().collect() };
        let what = find_broken_property(&case, &program.run_case(&case).unwrap())?;
        Some(format!("{command}: {what}"))
    };
    let finds: Vec<_> = commands.par_iter().filter_map(broken).collect();
    assert!(finds.is_empty(), "{} finds:\n{}", finds.len(), finds.join("\n"));
}
