//! Links, pipes and devices among the inputs, and directories that kvrules writes to.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop at the first surprise")]

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;

use crate::place::{BAD, GOOD, Place};

fn fifo(place: &Place, name: &str) {
    assert!(Command::new("mkfifo").arg(place.path(name)).status().unwrap().success());
}

/// Arguments of every command that searches.
const SEARCHES: [&[&str]; 6] = [
    &["check", "d"],
    &["check", "d/**/*.yaml"],
    &["fmt", "--check", "d"],
    &["migrate", "d"],
    &["eval", "d"],
    &["verify", "d"],
];

#[test]
fn links_to_devices_and_pipes_are_passed_over() {
    let place = Place::with(&[("d/a.yaml", GOOD)]);
    let expected: Vec<_> = SEARCHES.iter().map(|args| place.run(args)).collect();
    fifo(&place, "pipe");
    fifo(&place, "d/own.yaml");
    let _socket = UnixListener::bind(place.path("d/socket.yaml")).unwrap();
    for (target, name) in [
        ("/dev/zero", "zero.yaml"),
        ("/dev/null", "null.yaml"),
        ("../pipe", "pipe.yaml"),
        ("socket.yaml", "link.yaml"),
        ("/dev/stdin", "stdin.yaml"),
    ] {
        symlink(target, place.path(&format!("d/{name}"))).unwrap();
    }
    for (args, expected) in SEARCHES.iter().zip(&expected) {
        assert_eq!(&place.run(args), expected, "{args:?}");
        let followed: Vec<_> = args.iter().copied().chain(["--follow-links"]).collect();
        assert_eq!(&place.run(&followed), expected, "{followed:?}");
    }
}

#[test]
fn a_directory_of_definitions_may_hold_pipes_and_devices() {
    let place = Place::with(&[("d/a.yaml", "kvrules-extra-specs: 1\ndefinitions: []\n")]);
    let expected = place.run(&["flavor", "definitions", "--definitions", "d"]);
    fifo(&place, "d/b.yaml");
    symlink("/dev/zero", place.path("d/c.yaml")).unwrap();
    assert_eq!(place.run(&["flavor", "definitions", "--definitions", "d"]), expected);
}

#[test]
fn a_device_that_is_named_is_refused_at_once() {
    let run = Place::with(&[]).run(&["check", "/dev/zero"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.starts_with("error: /dev/zero:1:1: unexpected zero byte\n"), "{run:?}");
}

#[test]
fn a_pipe_that_is_named_is_read() {
    let place = Place::with(&[("a.yaml", GOOD)]);
    fifo(&place, "pipe");
    let writer = Command::new("sh").args(["-c", "cat a.yaml > pipe"]).current_dir(place.path(".")).spawn();
    let run = place.run(&["check", "pipe"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.err.contains("1 rule in 1 rule set"), "{run:?}");
    assert!(writer.unwrap().wait().unwrap().success());
}

#[test]
fn links_out_of_the_tree_are_read_only_on_request() {
    let place = Place::with(&[("d/a.yaml", GOOD), ("store/bad.yaml", BAD), ("store/deep/bad.yaml", BAD)]);
    symlink("../store/bad.yaml", place.path("d/b.yaml")).unwrap();
    symlink("../store/deep", place.path("d/e")).unwrap();
    for args in [&["check", "d"][..], &["check", "d/*.yaml"]] {
        let run = place.run(args);
        assert_eq!(run.code, Some(0), "{run:?}");
        let note = "note: skipped 1 link out of the directory; `--follow-links` follows them\n";
        assert!(run.err.starts_with(note), "{run:?}");
    }
    let run = place.run(&["check", "--follow-links", "--output-format", "concise", "d"]);
    let files: Vec<_> = run.out.lines().filter_map(|line| line.split(':').next()).collect();
    assert_eq!((run.code, files), (Some(1), vec!["d/b.yaml", "d/e/bad.yaml"]), "{}", run.err);
    // A link that is named on the command line is always followed.
    assert_eq!(place.run(&["check", "d/b.yaml"]).code, Some(1));
}

#[test]
fn links_within_the_tree_are_read_as_before() {
    let place = Place::with(&[("d/x/a.yaml", BAD)]);
    symlink("x/a.yaml", place.path("d/b.yaml")).unwrap();
    let run = place.run(&["check", "--output-format", "concise", "d"]);
    assert!(run.out.starts_with("d/x/a.yaml:4:") && run.out.lines().count() == 1, "{run:?}");
    assert!(!run.err.contains("out of the directory"), "{run:?}");
    let kubernetes = Place::with(&[("d/..2026/a.yaml", GOOD)]);
    symlink("..2026", kubernetes.path("d/..data")).unwrap();
    symlink("..data/a.yaml", kubernetes.path("d/a.yaml")).unwrap();
    assert!(kubernetes.run(&["check", "d"]).err.starts_with("checked 1 file"));
}

#[test]
fn a_directory_that_is_named_through_a_link_is_read() {
    let place = Place::with(&[("store/a.yaml", BAD)]);
    symlink("store", place.path("d")).unwrap();
    let run = place.run(&["check", "--output-format", "concise", "d"]);
    assert!(run.out.starts_with("d/a.yaml:4:") && !run.err.contains("out of the directory"), "{run:?}");
}

#[test]
fn a_circle_of_links_is_read_once() {
    let place = Place::with(&[("d/a.yaml", GOOD)]);
    symlink("..", place.path("d/up")).unwrap();
    symlink(".", place.path("d/self")).unwrap();
    for args in [&["check", "d"][..], &["check", "--follow-links", "d"]] {
        let run = place.run(args);
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(run.err.starts_with("checked 1 file, 1 rule"), "{args:?}: {run:?}");
    }
}

#[test]
fn output_directories_are_no_inputs() {
    let place = Place::with(&[("a.yaml", GOOD)]);
    let first = place.run(&["check", "."]);
    assert_eq!(place.run(&["compile", ".", "--out-dir", "generated"]).code, Some(0));
    assert_eq!(place.run(&["docs", ".", "--out-dir", "pages"]).code, Some(0));
    assert!(!place.files("generated").is_empty() && !place.files("pages").is_empty());
    assert_eq!(place.run(&["check", "."]), first);
    assert_eq!(place.run(&["compile", ".", "--out-dir", "generated", "--check"]).code, Some(0));
    // A directory that is named on the command line is read.
    let run = place.run(&["check", "generated/crd"]);
    assert!(run.err.contains("definition"), "{run:?}");
}
