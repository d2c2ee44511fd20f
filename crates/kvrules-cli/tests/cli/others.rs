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
    for command in ["check", "compile", "eval", "verify", "lints", "explain", "schema", "completions", "man"]
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
    let human = place.run(&["lints"]).out;
    let markdown = place.run(&["lints", "--output-format", "markdown"]).out;
    let json = place.run(&["lints", "--output-format", "json"]).out;
    let json: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    assert_eq!(json.len(), kvrules::all_lints().len());
    for (lint, entry) in kvrules::all_lints().iter().zip(&json) {
        assert!(human.contains(lint.code) && markdown.contains(lint.summary));
        assert_eq!(entry["name"], lint.name);
        for name in [lint.code, lint.name, &lint.code.to_lowercase(), &lint.name.replace('_', "-")] {
            let run = place.run(&["explain", name]);
            assert_eq!(run.code, Some(0), "{name}");
            assert_eq!(Some(run.out.as_str()), kvrules::lint_page(lint.code));
        }
    }
}

#[test]
fn the_index_of_the_book_is_the_list_in_markdown() {
    let listed = Place::with(&[]).run(&["lints", "--output-format", "markdown"]).out;
    let index = of_repository("docs/lints/index.md");
    let (_, groups) = index.split_once("\n\n## ").unwrap();
    assert_eq!(listed, format!("## {groups}"));
}

#[test]
fn the_list_can_be_narrowed_by_prefixes_and_names() {
    let place = Place::with(&[]);
    let codes = |args: &[&str]| {
        let run = place.run(&[&["lints", "--output-format", "json"], args].concat());
        let entries: Vec<serde_json::Value> = serde_json::from_str(&run.out).unwrap();
        entries.iter().map(|entry| entry["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(codes(&["KV205", "missing-key", "kv20"])[..3], ["KV102", "KV201", "KV202"]);
    assert!(codes(&["KV2"]).iter().all(|code| code.starts_with("KV2")));
    assert_eq!(codes(&["KC", "KP", "KR", "KS", "KV", "KX"]).len(), kvrules::all_lints().len());
    let run = place.run(&["lints", "KV7x"]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""));
    assert!(run.err.starts_with("error: unknown lint `KV7x`\n"), "{run:?}");
}

#[test]
fn the_list_says_which_group_and_which_fix() {
    let place = Place::with(&[]);
    let listed: Vec<serde_json::Value> =
        serde_json::from_str(&place.run(&["lints", "--output-format", "json"]).out).unwrap();
    for (lint, entry) in kvrules::all_lints().iter().zip(&listed) {
        assert_eq!(entry["group"], kvrules::find_group(lint.code).unwrap().1);
        assert_eq!(entry["fix"].as_str(), lint.fix.map(kvrules::Applicability::as_str));
    }
    let human = place.run(&["lints", "KV2"]).out;
    assert!(human.contains("\nPaths\nKV201 "), "{human}");
}

#[test]
fn a_prefix_is_explained_by_its_list() {
    let place = Place::with(&[]);
    let run = place.run(&["explain", "kv5"]);
    assert_eq!(run, place.run(&["lints", "KV5"]));
    assert!(run.out.contains("KV501") && !run.out.contains("KV412"), "{run:?}");
    assert_eq!(place.run(&["explain", ""]).code, Some(2));
}

#[test]
fn an_unknown_finding_is_2_with_a_suggestion() {
    let run = Place::with(&[]).run(&["explain", "mising_key"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(
        run.err,
        "error: unknown lint or difference `mising_key`\n  help: did you mean `missing_key`?\n"
    );
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
    let run = place.run(&["man", "--out-dir", "pages"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let pages = place.files("pages");
    assert!(pages.len() > 20 && pages.contains(&"kvrules-flavor-check.1".to_owned()), "{pages:?}");
    assert_eq!(place.read("pages/kvrules-compile.1"), place.run(&["man", "compile"]).out);
    assert_eq!(place.run(&["man", "--out-dir", "pages"]).code, Some(2), "pages are not overwritten");
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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let listed = |folder: &str| {
        let found = std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().file_name());
        found.map(|name| format!("{folder}/{}", name.to_str().unwrap())).collect::<Vec<_>>()
    };
    let folders = ["docs", "docs/guide", "docs/tutorials", "docs/lints", "docs/differences"];
    let pages: Vec<_> = folders
        .into_iter()
        .flat_map(listed)
        .filter(|page| Path::new(page).extension().is_some_and(|it| it == "md"))
        .collect();
    for page in pages.iter().map(String::as_str).chain(["README.md"]) {
        for args in commands(&of_repository(page)) {
            let args: Vec<_> = args.iter().map(String::as_str).collect();
            // Would run forever.
            if args.iter().any(|arg| *arg == "--watch" || arg.starts_with("--serve")) {
                continue;
            }
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
    let start = readme.find("```text\n3 rule sets").unwrap() + "```text\n".len();
    let (_, shown) = readme.split_at(start);
    let (shown, _) = shown.split_once("```").unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim_end(), shown.trim_end());
}
