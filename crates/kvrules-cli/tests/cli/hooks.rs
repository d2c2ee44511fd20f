//! `check` as a hook calls it: many file names at once, most of them without rules.

use crate::place::{BAD, GOOD, Place};

#[test]
fn five_thousand_names_are_read_and_files_without_rules_are_no_fault() {
    let names: Vec<_> = (0..5000).map(|number| format!("{number:04}.yaml")).collect();
    let text = |index: usize| if index.is_multiple_of(100) { GOOD } else { "kind: Service\n" };
    let files: Vec<_> = names.iter().enumerate().map(|(index, name)| (name.as_str(), text(index))).collect();
    let place = Place::with(&files);
    let args: Vec<_> =
        ["check", "--allow-empty"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let run = place.run(&args);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""));
    assert_eq!(
        run.err,
        "checked 50 files, 50 rules in 50 rule sets: no findings; 4950 files of no known kind\n"
    );
}

#[test]
fn a_quiet_check_says_nothing_unless_something_is_wrong() {
    let place = Place::with(&[("a.json", "{}"), ("b.md", "# No rules\n"), ("c.yaml", BAD)]);
    let run = place.run(&["check", "--quiet", "--allow-empty", "a.json", "b.md"]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(0), "", ""));
    assert_eq!(place.run(&["check", "--quiet", "--allow-empty", "a.json", "b.md", "c.yaml"]).code, Some(1));
}

#[test]
fn the_hooks_of_the_repository_call_commands_that_kvrules_understands() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let hooks = std::fs::read_to_string(root.join(".pre-commit-hooks.yaml")).unwrap();
    let entries: Vec<_> =
        hooks.lines().filter_map(|line| line.trim().strip_prefix("entry: kvrules ")).collect();
    assert_eq!(entries.len(), 3);
    let place = Place::with(&[("c.yaml", BAD)]);
    for entry in entries {
        let args: Vec<_> = entry.split_whitespace().chain(["c.yaml"]).collect();
        assert_eq!(place.run(&args).code, Some(1), "{entry}");
    }
}
