//! The commands that describe kvrules itself, and usage errors.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::Path;

use crate::place::Place;

#[test]
fn usage_errors_are_2_and_help_is_0() {
    let place = Place::with(&[]);
    for args in [&[][..], &["chekc"], &["check", "--jobs", "0"], &["check", "--output-format", "xml"]] {
        let run = place.run(args);
        assert_eq!(run.code, Some(2), "{args:?}");
        assert!(!run.err.is_empty());
    }
    for command in ["check", "compile", "eval", "verify", "rules", "explain", "schema", "completions", "man"]
    {
        let run = place.run(&[command, "--help"]);
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
        assert!(run.out.contains("Examples:"), "{command}");
    }
    assert_eq!(place.run(&["--version"]).out, format!("kvrules {}\n", kvrules::VERSION));
}

#[test]
fn every_lint_is_listed_in_every_format_and_explained() {
    let place = Place::with(&[]);
    let human = place.run(&["rules"]).out;
    let markdown = place.run(&["rules", "--output-format", "markdown"]).out;
    let json = place.run(&["rules", "--output-format", "json"]).out;
    let json: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    assert_eq!(json.len(), kvrules::lints().len());
    for (lint, entry) in kvrules::lints().iter().zip(&json) {
        assert!(human.contains(lint.code) && markdown.contains(lint.summary));
        assert_eq!(entry["name"], lint.name);
        for name in [lint.code, lint.name, &lint.code.to_lowercase(), &lint.name.replace('_', "-")] {
            let run = place.run(&["explain", name]);
            assert_eq!(run.code, Some(0), "{name}");
            assert_eq!(Some(run.out.as_str()), kvrules::page(lint.code));
        }
    }
}

#[test]
fn an_unknown_finding_is_2_with_a_suggestion() {
    let run = Place::with(&[]).run(&["explain", "mising_key"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(run.err, "error: there is no finding `mising_key`\n  help: did you mean `missing_key`?\n");
}

#[test]
fn schemas_are_schemas() {
    let place = Place::with(&[]);
    for name in ["config", "diagnostics", "loss-report"] {
        let schema: serde_json::Value = serde_json::from_str(&place.run(&["schema", name]).out).unwrap();
        assert!(jsonschema::meta::is_valid(&schema), "{name}");
    }
}

#[test]
fn completions_and_manual_pages_name_the_commands() {
    let place = Place::with(&[]);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(place.run(&["completions", shell]).out.contains("compile"), "{shell}");
    }
    assert!(place.run(&["man"]).out.contains("kvrules"));
    assert!(place.run(&["man", "compile"]).out.contains("out\\-dir"));
    assert_eq!(place.run(&["man", "bake"]).code, Some(2));
}

/// A file of the repository.
fn of_repository(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(name)).unwrap()
}

/// The arguments of each `$ kvrules …` in a page, without comments. What a shell would do beyond quotes is not done.
fn commands(page: &str) -> Vec<Vec<String>> {
    let lines = page.lines().filter_map(|line| line.strip_prefix("$ kvrules "));
    let bare = lines.map(|line| line.split(" #").next().unwrap().split([';', '|', '>']).next().unwrap());
    bare.map(|line| line.split_whitespace().map(|word| word.trim_matches('\'').to_owned()).collect())
        .collect()
}

#[test]
fn every_command_in_the_guide_is_one_that_kvrules_understands() {
    let place = Place::with(&[]);
    let mut tried = 0;
    for page in ["README.md", "docs/guide/check.md", "docs/guide/compile.md", "docs/guide/configuration.md"] {
        for args in commands(&of_repository(page)) {
            let args: Vec<_> = args.iter().map(String::as_str).collect();
            let run = place.run(&args);
            assert!(!run.err.contains("Usage: kvrules"), "{page}: {args:?}: {run:?}");
            tried += 1;
        }
    }
    assert!(tried >= 15, "{tried}");
}

#[test]
fn the_examples_of_the_repository_compile_as_the_readme_says() {
    let place = Place::with(&[]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let out = place.path("o");
    let mut command = place.command(&["compile", "--out-dir", out.to_str().unwrap()]);
    let output = command.current_dir(root).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let readme = of_repository("README.md");
    let (_, shown) = readme.split_once("```text\n").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim_end(), shown.trim_end());
}
