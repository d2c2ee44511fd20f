//! `kvrules migrate`: what is shown, what is written, and what is left alone.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;

use crate::place::{GOOD, Place};

/// A template in the old form.
const OLD: &str = r#"kind: Template
metadata:
  name: pond # mine
  annotations:
    validations: |
      [{
        "name": "cores", "rule": "integer", "message": "at most 8 cores",
        "path": "/spec.domain.cpu.cores", "valid": "spec.domain.cpu.cores", "max": 8
      }]
    owner: me
objects:
- kind: VirtualMachine
  metadata:
    name: v
"#;

/// The same in the new one.
const NEW: &str = r#"kind: Template
metadata:
  name: pond # mine
  annotations:
    owner: me
objects:
- kind: VirtualMachine
  metadata:
    name: v
    annotations:
      vm.kubevirt.io/validations: |
        [{
          "name": "cores", "rule": "integer", "message": "at most 8 cores",
          "path": "jsonpath::.spec.domain.cpu.cores", "valid": "jsonpath::.spec.domain.cpu.cores", "max": 8
        }]
"#;

/// A template with nowhere to move the rules to.
const STUCK: &str = r#"kind: Template
metadata:
  annotations:
    validations: |
      [{"name": "a", "rule": "integer", "message": "m", "path": "/spec.domain.cpu.cores", "max": 8}]
objects:
- kind: Secret
"#;

/// A template whose rule looks at a field with a newer name.
fn memory() -> String {
    let path = "jsonpath::.spec.domain.resources.requests.memory";
    let machine = "\n  spec:\n    template:\n      spec:\n        domain:\n          resources:\n            requests:\n              memory: 2Gi\n";
    NEW.replace("jsonpath::.spec.domain.cpu.cores", path).trim_end().to_owned() + machine
}

#[test]
fn without_an_option_it_is_shown_and_nothing_is_written() {
    let place = Place::with(&[("a.yaml", OLD), ("b.yaml", GOOD)]);
    let run = place.run(&["migrate", "a.yaml", "b.yaml"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let lines: Vec<_> = run.out.lines().collect();
    assert_eq!(
        lines,
        [
            "a.yaml:8: would write `/spec.domain.cpu.cores` as `jsonpath::.spec.domain.cpu.cores`",
            "a.yaml:8: would write `spec.domain.cpu.cores` as `jsonpath::.spec.domain.cpu.cores`",
            "a.yaml:5: would move 1 rule in `validations` to its VirtualMachine",
            lines[3],
        ]
    );
    assert!(lines[3].starts_with("a.yaml: 1 rule would mean the same as before, compared on "), "{run:?}");
    assert_eq!(
        run.err,
        "1 file would be migrated, 1 already in the new form; nothing was written, use `--write`\n"
    );
    assert_eq!(place.read("a.yaml"), OLD);
}

#[test]
fn what_is_written_needs_nothing_more() {
    let place = Place::with(&[("d/a.yaml", OLD), ("d/b.yaml", GOOD)]);
    let run = place.run(&["migrate", "--write", "d"]);
    assert_eq!(
        (run.code, run.err.as_str()),
        (Some(0), "migrated 1 file, 1 already in the new form\n"),
        "{run:?}"
    );
    assert_eq!((place.read("d/a.yaml").as_str(), place.read("d/b.yaml").as_str()), (NEW, GOOD));
    assert_eq!(place.files("d"), ["a.yaml", "b.yaml"]);
    let again = place.run(&["migrate", "--check", "d"]);
    assert_eq!((again.code, again.out.as_str()), (Some(0), ""), "{again:?}");
    assert_eq!(place.run(&["check", "--select", "KV0,KV1", "d"]).code, Some(0));
}

#[test]
fn check_names_files_and_diff_shows_them() {
    let place = Place::with(&[("a.yaml", OLD), ("b.yaml", GOOD)]);
    let run = place.run(&["migrate", "--check", "a.yaml", "b.yaml"]);
    assert_eq!((run.code, run.out.as_str()), (Some(1), "a.yaml: 3 changes\n"), "{run:?}");
    let run = place.run(&["migrate", "--diff", "a.yaml", "b.yaml"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.out.starts_with("--- a/a.yaml\n+++ b/a.yaml\n@@") && !run.out.contains("b.yaml\n"),
        "{run:?}"
    );
    assert_eq!(place.read("a.yaml"), OLD);
    let run = place.run(&["migrate", "--diff", "b.yaml"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{run:?}");
}

#[test]
fn standard_input_goes_to_standard_output_whatever_becomes_of_it() {
    let place = Place::with(&[]);
    let run = place.run_with_input(&["migrate", "-"], OLD);
    assert_eq!((run.code, run.out.as_str()), (Some(0), NEW), "{run:?}");
    let run = place.run_with_input(&["migrate", "--write", "-"], OLD);
    assert_eq!((run.code, run.out.as_str()), (Some(0), NEW), "{run:?}");
    let run = place.run_with_input(&["migrate", "-"], STUCK);
    assert_eq!((run.code, run.out.as_str()), (Some(2), STUCK), "{run:?}");
    let run = place.run_with_input(&["migrate", "--check", "-"], OLD);
    assert_eq!((run.code, run.out.as_str()), (Some(1), "<stdin>: 3 changes\n"), "{run:?}");
    let run = place.run_with_input(&["migrate", "--report", "-", "-"], OLD);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
}

#[test]
fn a_file_that_is_refused_stays_and_the_others_go_on() {
    let bad = OLD.replace("\"path\": \"/spec.domain.cpu.cores\", ", "");
    let place = Place::with(&[("a.yaml", STUCK), ("b.yaml", OLD), ("c.yaml", &bad)]);
    place.write("d.yaml", [0xff, 0xfe, 0]);
    let run = place.run(&["migrate", "--write", "a.yaml", "b.yaml", "c.yaml", "d.yaml"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert_eq!((place.read("a.yaml").as_str(), place.read("b.yaml").as_str()), (STUCK, NEW));
    assert_eq!(place.read("c.yaml"), bad);
    assert!(run.err.contains("the template has no VirtualMachine that the rules could move to"), "{run:?}");
    assert!(run.err.contains("a.yaml:4:5") && run.err.contains("`cores` lacks `path`"), "{run:?}");
    assert!(run.err.ends_with("migrated 1 file, 2 cannot be migrated, 1 could not be read\n"), "{run:?}");
}

#[test]
fn verdicts_that_change_need_to_be_allowed() {
    let place = Place::with(&[("a.yaml", &memory())]);
    assert_eq!(place.run(&["migrate", "--check", "a.yaml"]).code, Some(0), "only `--paths` touches it");
    let run = place.run(&["migrate", "--write", "--paths", "a.yaml"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert_eq!(place.read("a.yaml"), memory());
    assert!(run.err.contains("left unchanged, because verdicts would change"), "{run:?}");
    assert!(run.err.contains("another verdict: `cores` was "), "{run:?}");
    let run = place.run(&["migrate", "--write", "--paths", "--allow-changes", "a.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(place.read("a.yaml"), memory().replace("resources.requests.memory", "memory.guest"));
    assert!(
        run.out.contains("this VirtualMachine has `.spec.domain.resources.requests.memory` and no `.spec.domain.memory.guest`"),
        "{run:?}"
    );
}

#[test]
fn the_report_is_as_its_schema_says_and_tells_of_every_file() {
    let place = Place::with(&[("a.yaml", OLD), ("b.yaml", GOOD), ("c.yaml", STUCK), ("d.yaml", &memory())]);
    place.write("e.yaml", [0xff, 0xfe, 0]);
    let files = ["a.yaml", "b.yaml", "c.yaml", "d.yaml", "e.yaml"];
    let run = place.run(&[&["migrate", "--write", "--paths", "--report", "r.json"][..], &files].concat());
    assert_eq!(run.code, Some(2), "{run:?}");
    let schema = serde_json::from_str(&place.run(&["schema", "migration"]).out).unwrap();
    let report: serde_json::Value = serde_json::from_str(&place.read("r.json")).unwrap();
    jsonschema::validate(&schema, &report).unwrap();
    let outcomes: Vec<_> =
        report["files"].as_array().unwrap().iter().map(|file| file["outcome"].clone()).collect();
    assert_eq!(outcomes, ["written", "current", "refused", "held-back"]);
    assert_eq!(report["files"][0]["proof"]["rules"], 1);
    assert_eq!(report["files"][3]["proof"]["departures"][0]["rule"], "cores");
    assert_eq!(report["unread"][0]["file"], "e.yaml");
    let printed = place.run(&["migrate", "--report", "-", "b.yaml"]);
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&printed.out).unwrap()["files"][0]["outcome"],
        "current"
    );
}

#[test]
fn inputs_come_from_the_configuration() {
    let place = Place::with(&[("kvrules.toml", "inputs = [\"d\"]\n"), ("d/a.yaml", OLD)]);
    assert_eq!(place.run(&["migrate", "--write"]).code, Some(0));
    assert_eq!(place.read("d/a.yaml"), NEW);
}

#[test]
fn many_files_are_migrated_alike_on_any_number_of_threads() {
    let names: Vec<_> = (0..40).map(|number| format!("d/{number}.yaml")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), OLD)).collect();
    let run = |jobs: &str| {
        let place = Place::with(&files);
        let run = place.run(&["migrate", "--write", "-j", jobs, "d"]);
        assert!(names.iter().all(|name| place.read(name) == NEW));
        run
    };
    assert_eq!(run("1"), run("4"));
}

#[test]
fn the_canonical_layout_is_written_when_asked_for() {
    let dense = OLD.replace("}, {", "},{").replace("\": ", "\":");
    assert_ne!(dense, OLD);
    let place = Place::with(&[("a.yaml", dense.as_str()), ("b.yaml", dense.as_str())]);
    assert_eq!(place.run(&["migrate", "--write", "a.yaml"]).code, Some(0));
    assert_eq!(place.run(&["migrate", "--write", "--format", "b.yaml"]).code, Some(0));
    assert_eq!(place.run(&["fmt", "--check", "a.yaml"]).code, Some(1), "the author's layout is kept");
    assert_eq!(place.run(&["fmt", "--check", "b.yaml"]).code, Some(0));
    assert_eq!(place.run(&["migrate", "--check", "a.yaml", "b.yaml"]).code, Some(0));
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use super::*;

    fn mode(place: &Place, name: &str) -> u32 {
        fs::metadata(place.path(name)).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn a_migrated_file_keeps_its_mode_and_its_owner() {
        let place = Place::with(&[("a.yaml", OLD)]);
        fs::set_permissions(place.path("a.yaml"), fs::Permissions::from_mode(0o640)).unwrap();
        let owner = |place: &Place| {
            let metadata = fs::metadata(place.path("a.yaml")).unwrap();
            (metadata.uid(), metadata.gid())
        };
        let before = owner(&place);
        place.run(&["migrate", "--write", "a.yaml"]);
        assert_eq!((mode(&place, "a.yaml"), owner(&place)), (0o640, before));
        assert_eq!(place.read("a.yaml"), NEW);
    }

    #[test]
    fn a_read_only_file_is_left_alone() {
        let place = Place::with(&[("a.yaml", OLD), ("b.yaml", OLD)]);
        fs::set_permissions(place.path("a.yaml"), fs::Permissions::from_mode(0o444)).unwrap();
        let run = place.run(&["migrate", "--write", "a.yaml", "b.yaml"]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains("error: a.yaml: not written: the file is read-only\n"), "{run:?}");
        assert!(run.err.ends_with("migrated 1 file, 1 could not be written\n"), "{run:?}");
        assert_eq!((place.read("a.yaml").as_str(), place.read("b.yaml").as_str()), (OLD, NEW));
    }

    #[test]
    fn a_symbolic_link_is_not_followed_and_its_target_named() {
        let place = Place::with(&[("d/a.yaml", OLD)]);
        symlink("d/a.yaml", place.path("link.yaml")).unwrap();
        let run = place.run(&["migrate", "--write", "link.yaml"]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains("this is a symbolic link to `d/a.yaml`"), "{run:?}");
        assert!(run.err.contains("name `d/a.yaml` instead"), "{run:?}");
        assert_eq!(place.read("d/a.yaml"), OLD);
        assert!(fs::symlink_metadata(place.path("link.yaml")).unwrap().is_symlink());
    }

    #[test]
    fn in_a_directory_a_link_gives_way_to_what_it_leads_to() {
        let place = Place::with(&[("d/z.yaml", OLD)]);
        symlink("z.yaml", place.path("d/a.yaml")).unwrap();
        let run = place.run(&["migrate", "--write", "d"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        assert_eq!(place.read("d/z.yaml"), NEW);
        assert!(fs::symlink_metadata(place.path("d/a.yaml")).unwrap().is_symlink());
    }

    #[test]
    fn other_names_of_a_file_are_told_of() {
        let place = Place::with(&[("a.yaml", OLD)]);
        fs::hard_link(place.path("a.yaml"), place.path("b.yaml")).unwrap();
        let run = place.run(&["migrate", "--write", "a.yaml"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(
            run.out.contains("a.yaml: the file had another hard link, which still refers to the old text"),
            "{run:?}"
        );
        assert_eq!((place.read("a.yaml").as_str(), place.read("b.yaml").as_str()), (NEW, OLD));
    }

    #[test]
    fn an_interruption_leaves_old_files_and_new_ones_and_nothing_else() {
        let names: Vec<_> = (0..400).map(|number| format!("d/{number}.yaml")).collect();
        let files: Vec<_> = names.iter().map(|name| (name.as_str(), OLD)).collect();
        for delay in [20, 60, 120, 250, 500] {
            let place = Place::with(&files);
            let mut child = place
                .command(&["migrate", "--write", "-q", "d"])
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(std::time::Duration::from_millis(delay));
            std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
            child.wait().unwrap();
            assert_eq!(place.files("d").len(), names.len(), "no file beside them after {delay} ms");
            assert!(names.iter().all(|name| [OLD, NEW].contains(&place.read(name).as_str())));
        }
    }
}
