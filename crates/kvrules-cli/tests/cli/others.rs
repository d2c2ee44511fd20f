//! The commands that describe kvrules itself, and usage errors.

use crate::place::Place;

#[test]
fn usage_errors_are_2_and_help_is_0() {
    let place = Place::with(&[]);
    for args in [&[][..], &["chekc"], &["check", "--jobs", "0"], &["check", "--output-format", "xml"]] {
        let run = place.run(args);
        assert_eq!(run.code, Some(2), "{args:?}");
        assert!(!run.err.is_empty());
    }
    for command in ["check", "compile", "eval", "rules", "explain", "schema", "completions", "man"] {
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
    for name in ["config", "diagnostics"] {
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
