//! Temporary files: none is left by a run that is told to end, and the next run removes what a killed one left.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop at the first surprise")]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::place::{GOOD, Place};

/// The names of temporary files below a directory.
fn temporary(place: &Place) -> Vec<String> {
    place
        .files(".")
        .into_iter()
        .filter(|name| name.contains(".kvrules-") && !name.contains("manifest"))
        .collect()
}

/// A run that has temporary files under way and waits: it writes a report to a pipe that nobody reads.
struct Waiting {
    place: Place,
    child: Child,
}

/// Every command that writes several files at once, with a pipe among them.
const WRITERS: [&[&str]; 2] = [
    &["compile", "a.yaml", "--target", "openapi,cel", "--out-dir", "out"],
    &["docs", "a.yaml", "--out-dir", "out"],
];

impl Waiting {
    fn start(args: &[&str]) -> Self {
        let place = Place::with(&[("a.yaml", GOOD)]);
        assert_eq!(place.run(args).code, Some(0));
        let files: Vec<_> =
            place.files("out").into_iter().filter(|name| !name.contains("manifest")).collect();
        // One file is replaced by a pipe, and the others have to be written again.
        let (pipe, others) = files.split_first().unwrap();
        fs::remove_file(place.path(&format!("out/{pipe}"))).unwrap();
        assert!(Command::new("mkfifo").arg(place.path(&format!("out/{pipe}"))).status().unwrap().success());
        for other in others {
            place.write(&format!("out/{other}"), "old");
        }
        let child =
            place.command(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut waiting = Self { place, child: child.unwrap() };
        // The pipe has no reader, so a run that ends has not written everything.
        while temporary(&waiting.place).len() < others.len() {
            assert!(waiting.child.try_wait().unwrap().is_none(), "nothing was begun: {args:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
        waiting
    }

    fn signal(&mut self, name: &str) -> std::process::ExitStatus {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap().success());
        self.child.wait().unwrap()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_run_that_is_told_to_end_leaves_no_temporary_file() {
    for args in WRITERS {
        for signal in ["INT", "TERM", "HUP"] {
            let mut waiting = Waiting::start(args);
            assert_eq!(waiting.signal(signal).code(), Some(130), "{signal}");
            assert_eq!(temporary(&waiting.place), Vec::<String>::new(), "{args:?} after {signal}");
        }
    }
}

#[test]
fn what_a_killed_run_left_is_removed_by_the_next() {
    for args in WRITERS {
        let mut waiting = Waiting::start(args);
        waiting.signal("KILL");
        let left = temporary(&waiting.place);
        assert!(!left.is_empty());
        let pipe = |name: &String| !waiting.place.path(name).metadata().unwrap().is_file();
        let pipe = waiting.place.files(".").into_iter().find(pipe).unwrap();
        fs::remove_file(waiting.place.path(&pipe)).unwrap();
        // Files with other names stay, and so do those of other machines.
        for other in ["out/.kvrules-mine.tmp", "out/.kvrules-00000000-1-aaaaaaaa.tmp", "out/mine.tmp"] {
            waiting.place.write(other, "mine");
        }
        let run = waiting.place.run(args);
        assert_eq!(run.code, Some(0), "{run:?}");
        let mut kept = temporary(&waiting.place);
        kept.sort();
        assert_eq!(kept, ["out/.kvrules-00000000-1-aaaaaaaa.tmp", "out/.kvrules-mine.tmp"]);
    }
}

#[test]
fn the_next_run_removes_what_was_left_also_where_nothing_changes() {
    let place = Place::with(&[("a.yaml", GOOD), ("d/b.yaml", GOOD)]);
    assert_eq!(place.run(&["compile", "a.yaml", "--target", "cel", "--out-dir", "out"]).code, Some(0));
    let name = killed_name();
    for args in [
        &["compile", "a.yaml", "--target", "cel", "--out-dir", "out"][..],
        &["check", "--fix", "d"],
        &["fmt", "d"],
        &["migrate", "--write", "d"],
        &["cost", "--fix", "d"],
        &["init", "d/fresh"],
        &["flavor", "compile", "--target", "json-schema", "--out-dir", "d"],
        &["check", "d", "--output-file", "d/report.txt"],
        &["check", "d", "--baseline", "d/base.json", "--write-baseline"],
    ] {
        let directory = if args[0] == "compile" { "out/cel" } else { "d" };
        let left = if args[0] == "init" { format!("d/fresh/{name}") } else { format!("{directory}/{name}") };
        place.write(&left, "");
        place.run(args);
        assert!(!place.path(&left).exists(), "{args:?}");
    }
    // A run that writes nothing removes nothing.
    place.write(&format!("d/{name}"), "");
    for args in [&["check", "d"][..], &["check", "--diff", "d"], &["fmt", "--check", "d"], &["migrate", "d"]]
    {
        place.run(args);
        assert!(place.path(&format!("d/{name}")).exists(), "{args:?}");
    }
}

/// The name of a temporary file whose process is over: that of a run that was killed.
fn killed_name() -> String {
    let mut waiting = Waiting::start(WRITERS[0]);
    waiting.signal("KILL");
    let left = temporary(&waiting.place).swap_remove(0);
    Path::new(&left).file_name().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn two_runs_that_write_to_one_directory_do_not_disturb_each_other() {
    let place = Place::with(&[("a.yaml", GOOD)]);
    let args = ["compile", "a.yaml", "--target", "openapi,cel,markdown", "--out-dir", "out"];
    for round in 0..6 {
        place.write("a.yaml", GOOD.replace('8', &format!("{}", 9 + round)));
        let spawn = || place.command(&args).stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        let mut runs: Vec<_> = (0..4).map(|_| spawn()).collect();
        for run in &mut runs {
            assert_eq!(run.wait().unwrap().code(), Some(0));
        }
        assert_eq!(place.run(&[&args[..], &["--check"]].concat()).code, Some(0));
        assert_eq!(temporary(&place), Vec::<String>::new());
    }
}
