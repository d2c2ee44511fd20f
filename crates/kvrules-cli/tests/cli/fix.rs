//! `kvrules check --fix`: what is repaired, what is left, and what is shown instead.

use crate::place::{GOOD, Place};

/// A rule set with a comma too many, a bound that is no whole number, and no `valid`.
const BROKEN: &str = r#"# mine
vm.kubevirt.io/validations: |
  [{
    "name": "cores", "rule": "integer", "message": "at most 8 cores",
    "path": "jsonpath::.spec.domain.cpu.cores", "max": 8.5,
  }]
"#;

/// The same after what is safe.
const SAFE: &str = r#"# mine
vm.kubevirt.io/validations: |
  [{
    "name": "cores", "rule": "integer", "message": "at most 8 cores",
    "path": "jsonpath::.spec.domain.cpu.cores", "max": 8
  }]
"#;

#[test]
fn what_is_safe_is_written_and_what_is_left_is_reported() {
    let place = Place::with(&[("a.yaml", BROKEN), ("b.yaml", GOOD)]);
    let run = place.run(&["check", "--fix", "--output-format", "concise", "a.yaml", "b.yaml"]);
    assert_eq!(place.read("a.yaml"), SAFE);
    assert_eq!(place.read("b.yaml"), GOOD);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        run.out.starts_with("a.yaml:5:") && run.out.contains("KV303") && run.out.lines().count() == 1,
        "{run:?}"
    );
    assert!(
        run.err.starts_with("fixed 2 findings in 1 file, 1 remaining; 1 more with `--unsafe-fixes`\n"),
        "{run:?}"
    );
    let again = place.run(&["check", "--fix", "a.yaml", "b.yaml"]);
    assert!(again.err.starts_with("fixed 0 findings in 0 files, 1 remaining"), "{again:?}");
    assert_eq!(place.read("a.yaml"), SAFE);
}

#[test]
fn unsafe_repairs_are_only_asked_for_where_something_is_repaired() {
    let place = Place::with(&[("a.yaml", "")]);
    let run = place.run(&["check", "--unsafe-fixes", "a.yaml"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("<--fix|--diff>"), "{run:?}");
}

#[test]
fn what_is_unsafe_is_written_when_asked_for() {
    let place = Place::with(&[("a.yaml", BROKEN)]);
    let run = place.run(&["check", "--fix", "--unsafe-fixes", "a.yaml"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{run:?}");
    assert!(place.read("a.yaml").contains(r#""valid": "jsonpath::.spec.domain.cpu.cores""#));
    assert!(run.err.starts_with("fixed 3 findings in 1 file, 0 remaining\n"), "{run:?}");
}

#[test]
fn what_is_not_selected_or_ignored_is_not_repaired() {
    let place = Place::with(&[("a.yaml", BROKEN)]);
    place.run(&["check", "--fix", "--select", "KV012", "a.yaml"]);
    assert!(place.read("a.yaml").contains("\"max\": 8.5\n"), "{}", place.read("a.yaml"));
    place.write("a.yaml", BROKEN.replace("[{", "[{ \"x-kvrules-ignore\": \"KV409\","));
    place.run(&["check", "--fix", "a.yaml"]);
    assert!(place.read("a.yaml").contains("\"max\": 8.5\n"), "{}", place.read("a.yaml"));
}

#[test]
fn a_difference_is_shown_and_nothing_written() {
    let place = Place::with(&[("a.yaml", BROKEN), ("b.yaml", GOOD)]);
    let run = place.run(&["check", "--diff", "a.yaml", "b.yaml"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.starts_with("--- a/a.yaml\n+++ b/a.yaml\n@@"), "{run:?}");
    assert!(run.out.contains("-    \"path\"") && run.out.contains("\"max\": 8\n"), "{run:?}");
    assert_eq!(run.err, "`--fix` would fix 2 findings in 1 file\n");
    assert_eq!(place.read("a.yaml"), BROKEN);
    let run = place.run(&["check", "--diff", "b.yaml"]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(0), "", "nothing would change\n"));
}

#[test]
fn standard_input_is_repaired_onto_standard_output() {
    let place = Place::with(&[]);
    let run = place.run_with_input(&["check", "--fix", "-"], BROKEN);
    assert_eq!((run.code, run.out.as_str()), (Some(0), SAFE), "{run:?}");
    assert!(run.err.contains("KV303") && run.err.contains("fixed 2 findings"), "{run:?}");
    let run = place.run_with_input(&["check", "--diff", "-"], BROKEN);
    assert_eq!(run.code, Some(1), "{run:?}");
}

#[test]
fn the_exit_status_is_that_of_what_is_left() {
    let place = Place::with(&[("a.yaml", BROKEN)]);
    assert_eq!(place.run(&["check", "a.yaml"]).code, Some(1));
    assert_eq!(place.run(&["check", "--fix", "--fail-on", "warning", "a.yaml"]).code, Some(1));
    assert_eq!(
        place.run(&["check", "--fix", "--fail-on", "warning", "--unsafe-fixes", "a.yaml"]).code,
        Some(0)
    );
    place.write("bad.yaml", [0xff, 0xfe, 0]);
    assert_eq!(place.run(&["check", "--fix", "bad.yaml", "a.yaml"]).code, Some(2));
}

#[test]
fn examples_in_markdown_are_repaired_inside_their_fences() {
    let page = |rules: &str| {
        format!(
            "# Rules\n\n> quoted:\n>\n> ```yaml\n{}> ```\n\n8.5, {{\n",
            rules.lines().flat_map(|line| ["> ", line, "\n"]).collect::<String>()
        )
    };
    let place = Place::with(&[("a.md", &page(BROKEN))]);
    place.run(&["check", "--fix", "a.md"]);
    assert_eq!(place.read("a.md"), page(SAFE));
}

#[test]
fn many_files_are_repaired_alike_on_any_number_of_threads() {
    let names: Vec<_> = (0..40).map(|number| format!("d/{number}.yaml")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), BROKEN)).collect();
    let run = |jobs: &str| {
        let place = Place::with(&files);
        let run = place.run(&["check", "--fix", "-j", jobs, "d"]);
        assert!(names.iter().all(|name| place.read(name) == SAFE));
        run
    };
    assert_eq!(run("1"), run("4"));
}

#[cfg(unix)]
#[test]
fn a_repaired_file_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::with(&[("a.yaml", BROKEN)]);
    std::fs::set_permissions(place.path("a.yaml"), std::fs::Permissions::from_mode(0o640)).unwrap();
    place.run(&["check", "--fix", "a.yaml"]);
    let mode = std::fs::metadata(place.path("a.yaml")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn kvrules_fix_does_what_check_fix_does() {
    let place = Place::with(&[("a.yaml", BROKEN), ("b.yaml", BROKEN)]);
    let run = place.run(&["fix", "--diff", "a.yaml"]);
    assert!(
        run.code == Some(1) && run.out.contains("+    \"path\"") && place.read("a.yaml") == BROKEN,
        "{run:?}"
    );
    let run = place.run(&["fix", "a.yaml"]);
    let checked = place.run(&["check", "--fix", "b.yaml"]);
    assert_eq!((run.code, &run.err), (checked.code, &checked.err));
    assert_eq!(run.out.replace("a.yaml", "b.yaml"), checked.out);
    assert!(place.read("a.yaml") == SAFE && place.read("b.yaml") == SAFE);
    let run = place.run(&["fix", "--unsafe-fixes", "a.yaml"]);
    assert!(run.err.starts_with("fixed 1 finding in 1 file, 0 remaining\n"), "{run:?}");
    for without in [&["fix", "--watch", "a.yaml"][..], &["fix", "--old", "b.yaml", "a.yaml"]] {
        let run = place.run(without);
        assert!(run.code == Some(2) && run.err.contains("cannot be used with `kvrules fix`"), "{run:?}");
    }
    let help = place.run(&["fix", "--help"]).out;
    assert!(help.contains("kvrules fix --diff") && !help.contains("--watch"), "{help}");
}
