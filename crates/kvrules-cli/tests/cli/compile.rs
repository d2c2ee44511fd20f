//! `kvrules compile`: what is written, and when nothing is.

use crate::place::{BAD, GOOD, ODD, Place};

const OPENAPI: [&str; 2] = ["--target", "openapi"];

#[test]
fn each_target_is_written_to_its_directory_and_the_table_printed() {
    let place = Place::with(&[("a.yaml", GOOD)]);
    let run = place.run(&["compile", "a.yaml", "--out-dir", "o", "--loss", "warn"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let lines: Vec<Vec<_>> = run.out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(run.out.lines().next(), Some("1 rule set with 1 rule, used by 1 template"));
    assert_eq!(lines[2][..2], ["target", "exact"]);
    let files = place.files("o");
    let of_rules = kvrules::all_targets().iter().filter(|target| target.rule_sets.is_some());
    assert_eq!(of_rules.clone().count(), lines[3..].iter().filter(|row| !row.is_empty()).count());
    for (target, row) in of_rules.zip(&lines[3..]) {
        assert_eq!(row[..], [target.name, "1"], "{run:?}");
        assert!(files.iter().any(|file| file.starts_with(&format!("{}/", target.name))), "{files:?}");
    }
    assert!(files.iter().all(|file| !file.contains(".tmp")));
    assert!(run.out.lines().all(|line| line.chars().count() <= 80), "{run:?}");
}

#[test]
fn a_second_run_touches_nothing() {
    let place = Place::with(&[("a.yaml", GOOD)]);
    let args = [&["compile", "a.yaml", "--out-dir", "o"], &OPENAPI[..]].concat();
    place.run(&args);
    let written = || place.path("o/openapi/a.yaml").metadata().unwrap().modified().unwrap();
    let before = written();
    let run = place.run(&args);
    assert!(run.err.contains("wrote 0 files to o, 1 unchanged"), "{run:?}");
    assert_eq!(written(), before);
}

#[test]
fn an_error_in_any_rule_is_1_and_leaves_everything_as_it_was() {
    let place = Place::with(&[("a.yaml", GOOD), ("b.yaml", BAD), ("o/openapi/a.yaml", "old")]);
    let run = place.run(&["compile", "a.yaml", "b.yaml", "--out-dir", "o"]);
    assert_eq!((run.code, run.out.as_str()), (Some(1), ""));
    assert!(run.err.contains("KV205") && run.err.contains("nothing was written"), "{run:?}");
    assert_eq!(place.files("o"), ["openapi/a.yaml"]);
    assert_eq!(place.read("o/openapi/a.yaml"), "old");
}

#[test]
fn a_file_that_cannot_be_read_is_2_and_nothing_is_written() {
    let place = Place::with(&[("a.yaml", GOOD)]);
    let run = place.run(&["compile", "a.yaml", "none.yaml", "--out-dir", "o"]);
    assert_eq!(run.code, Some(2));
    assert!(place.files("o").is_empty());
}

#[test]
fn warnings_are_counted_and_do_not_stop() {
    let place = Place::with(&[("a.yaml", ODD)]);
    let run = place.run(&["compile", "a.yaml", "--out-dir", "o"]);
    assert_eq!(run.code, Some(0));
    assert!(run.err.starts_with("note: `kvrules check` reports 1 warning about the rules\n"), "{run:?}");
}

#[test]
fn what_cannot_be_written_is_2_and_leaves_no_temporary_file() {
    let place = Place::with(&[("a.yaml", GOOD), ("file", "x"), ("o/openapi/a.yaml/child", "x")]);
    let run = place.run(&["compile", "a.yaml", "--out-dir", "file"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("error: cannot write `file/"), "{run:?}");
    assert_eq!(place.read("file"), "x");
    // A directory is in place of one of the files, so none of the others may be written.
    let run = place.run(&["compile", "a.yaml", "--out-dir", "o"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert_eq!(place.files("o"), ["openapi/a.yaml/child"]);
}

#[test]
fn check_names_what_would_change_and_writes_nothing() {
    let place = Place::with(&[("a.yaml", GOOD)]);
    let args = [&["compile", "a.yaml", "--out-dir", "o"], &OPENAPI[..]].concat();
    let check = [&args[..], &["--check"]].concat();
    let run = place.run(&check);
    assert_eq!((run.code, run.out.as_str()), (Some(1), "would be created: o/openapi/a.yaml\n"));
    assert!(place.files("o").is_empty());
    place.run(&args);
    let run = place.run(&check);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(0), "", "1 file up to date\n"));
    place.write("o/openapi/a.yaml", "old");
    let run = place.run(&check);
    assert_eq!((run.code, run.out.as_str()), (Some(1), "would change: o/openapi/a.yaml\n"));
    assert_eq!(place.read("o/openapi/a.yaml"), "old");
}

#[test]
fn diff_shows_what_would_change_and_writes_nothing() {
    let place = Place::with(&[("a.yaml", GOOD)]);
    let args = [&["compile", "a.yaml", "--out-dir", "o"], &OPENAPI[..]].concat();
    let diff = [&args[..], &["--diff"]].concat();
    let run = place.run(&diff);
    assert_eq!(run.code, Some(1));
    assert!(run.out.starts_with("--- /dev/null\n+++ b/o/openapi/a.yaml\n@@ "), "{run:?}");
    assert!(place.files("o").is_empty());
    place.run(&args);
    assert_eq!(place.run(&diff), crate::place::Run { code: Some(0), out: String::new(), err: String::new() });
    place.write("o/openapi/a.yaml", place.read("o/openapi/a.yaml").replace('8', "9"));
    let run = place.run(&diff);
    assert_eq!(run.code, Some(1));
    assert!(run.out.starts_with("--- a/o/openapi/a.yaml\n+++ b/o/openapi/a.yaml\n@@ "), "{run:?}");
}

#[test]
fn files_no_longer_produced_are_told_from_the_users_own() {
    let place =
        Place::with(&[("a.yaml", GOOD), ("b.yaml", &GOOD.replace('8', "4")), ("o/openapi/mine.txt", "x")]);
    let run = |args: &[&str]| place.run(&[&["compile", "--out-dir", "o"], &OPENAPI[..], args].concat());
    run(&["a.yaml", "b.yaml"]);
    let stale = "no longer generated: o/openapi/b.yaml\n";
    let checked = run(&["a.yaml", "--check"]);
    assert_eq!((checked.code, checked.out.as_str()), (Some(1), stale));
    let again = run(&["a.yaml"]);
    assert!(again.err.contains(stale), "{again:?}");
    assert!(again.err.contains("`--prune` removes"), "{again:?}");
    assert!(run(&["a.yaml"]).err.contains(stale), "it is told until it is gone");
    assert!(place.path("o/openapi/b.yaml").exists());
    run(&["a.yaml", "--prune"]);
    assert_eq!(place.files("o/openapi"), [".kvrules-manifest", "a.yaml", "mine.txt"]);
    assert_eq!(run(&["a.yaml", "--check"]).code, Some(0));
}

#[test]
fn one_file_can_go_to_a_place_of_its_own_or_to_standard_output() {
    let place = Place::with(&[("a.yaml", GOOD), ("b.yaml", &GOOD.replace('8', "4"))]);
    let run = |args: &[&str]| place.run(&[&["compile", "a.yaml"], args].concat());
    assert_eq!(run(&["--target", "openapi", "-o", "x/y.yaml"]).code, Some(0));
    let printed = run(&["--target", "openapi", "-o", "-"]);
    assert_eq!((printed.code, printed.out), (Some(0), place.read("x/y.yaml")));
    assert_eq!(place.files("x"), ["y.yaml"]);
    let many = run(&["b.yaml", "--target", "openapi", "-o", "-"]);
    assert_eq!((many.code, many.out.as_str()), (Some(2), ""));
    assert!(many.err.starts_with("error: `--output` accepts a single file, but there are 2\n"), "{many:?}");
    assert_eq!(run(&["--target", "openapi", "-o", "-", "--check"]).code, Some(2));
}

#[test]
fn equal_rule_sets_are_compiled_once() {
    let place = Place::with(&[("a.yaml", GOOD), ("b.yaml", GOOD)]);
    let run = place.run(&["compile", "a.yaml", "b.yaml", "--out-dir", "o", "--target", "openapi"]);
    assert_eq!(place.files("o/openapi"), [".kvrules-manifest", "a.yaml"]);
    assert!(run.out.starts_with("1 rule set with 1 rule, used by 2 templates\n"), "{run:?}");
}

#[test]
fn an_unknown_target_is_2_with_a_suggestion() {
    let run = Place::with(&[("a.yaml", GOOD)]).run(&["compile", "a.yaml", "--target", "opnapi"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("'openapi'"), "{run:?}");
}

#[test]
#[cfg(unix)]
fn files_have_usual_permissions_and_links_stay_links() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let place = Place::with(&[("a.yaml", GOOD), ("real/x.yaml", "old")]);
    let mode = |name: &str| place.path(name).metadata().unwrap().permissions().mode() & 0o777;
    place.run(&["compile", "a.yaml", "--target", "openapi", "-o", "new.yaml"]);
    assert_eq!(mode("new.yaml"), mode("a.yaml"));
    symlink("real/x.yaml", place.path("link.yaml")).unwrap();
    place.run(&["compile", "a.yaml", "--target", "openapi", "-o", "link.yaml"]);
    assert!(place.path("link.yaml").symlink_metadata().unwrap().is_symlink());
    assert_eq!(place.read("real/x.yaml"), place.read("new.yaml"));
}

#[test]
#[cfg(unix)]
fn a_device_is_written_to_and_not_replaced() {
    use std::os::unix::fs::FileTypeExt as _;
    let place = Place::with(&[("a.yaml", GOOD)]);
    let run = place.run(&["compile", "a.yaml", "--target", "openapi", "-o", "/dev/null"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}

#[test]
fn output_is_the_same_on_every_run_and_for_any_number_of_threads() {
    let place = Place::with(&[("d/a.yaml", GOOD), ("d/b.yaml", ODD), ("d/c.yaml", &GOOD.replace('8', "4"))]);
    let run = |out: &str, jobs: &str| {
        let run = place.run(&["compile", "d", "--out-dir", out, jobs]);
        assert_eq!(run.code, Some(0));
        let texts = place.files(out).into_iter().map(|file| (place.read(&format!("{out}/{file}")), file));
        (run.out, texts.collect::<Vec<_>>())
    };
    assert_eq!(run("one", "-j1"), run("two", "-j2"));
}

#[test]
fn document_templates_can_be_replaced_and_mistakes_in_them_are_2() {
    let place = Place::with(&[("a.yaml", GOOD), ("t/markdown/rule_set.md.j2", "my own\n")]);
    let args = ["compile", "a.yaml", "--target", "markdown", "--out-dir", "o", "--templates", "t"];
    assert_eq!(place.run(&args).code, Some(0));
    assert!(place.read("o/markdown/a.md").starts_with("my own"));
    place.write("t/markdown/rule_set.md.j2", "line\n{% if %}\n");
    let run = place.run(&args);
    assert_eq!(run.code, Some(2));
    assert!(run.err.starts_with("error: cannot generate the target `markdown`: "), "{run:?}");
    assert!(!run.err.contains("help: "), "it is the only target: {run:?}");
    assert!(run.err.contains("markdown/rule_set.md.j2"), "{run:?}");
    assert!(place.read("o/markdown/a.md").starts_with("my own"), "the old file stays");
    place.write("empty/x.j2", "");
    for directory in ["empty", "none"] {
        let run = place.run(&["compile", "a.yaml", "--out-dir", "p", "--templates", directory]);
        assert_eq!(run.code, Some(2));
        assert!(run.err.contains(directory) && place.files("p").is_empty(), "{run:?}");
    }
}

#[test]
fn a_broken_manifest_takes_nothing_for_ours() {
    let place = Place::with(&[("a.yaml", GOOD), ("o/openapi/mine.yaml", "x"), ("outside.yaml", "x")]);
    let manifest = "o/openapi/.kvrules-manifest";
    let args = [&["compile", "a.yaml", "--out-dir", "o", "--prune"], &OPENAPI[..]].concat();
    for text in ["not JSON", r#"{"files": {"openapi": ["../../outside.yaml", "/etc/passwd"]}}"#] {
        place.write(manifest, text);
        assert_eq!(place.run(&args).code, Some(2));
        assert_eq!(place.run(&[&args[..], &["--force"]].concat()).code, Some(0));
        assert!(place.path("o/openapi/mine.yaml").exists() && place.path("outside.yaml").exists());
    }
}

#[test]
fn of_many_files_no_longer_produced_a_few_are_named() {
    let files: Vec<_> =
        (1..=9).map(|number| (format!("d/{number}.yaml"), GOOD.replace('8', &number.to_string()))).collect();
    let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let place = Place::with(&files);
    let run = |path: &str| place.run(&[&["compile", path, "--out-dir", "o"], &OPENAPI[..]].concat());
    assert!(run("d").err.contains("wrote 9 files"));
    let run = run("d/1.yaml");
    assert_eq!(run.err.matches("note: no longer generated: o/openapi/").count(), 5, "{run:?}");
    assert!(run.err.contains("note: no longer generated: 3 more files\n"), "{run:?}");
}

#[test]
fn help_says_what_each_exit_status_means() {
    let help = Place::with(&[]).run(&["compile", "--help"]).out;
    let (_, statuses) = help.split_once("Exit status:\n").unwrap();
    for status in ["  0  ", "  1  ", "  2  "] {
        assert!(statuses.contains(status), "{statuses}");
    }
}
