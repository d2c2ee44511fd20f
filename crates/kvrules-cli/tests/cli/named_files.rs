//! Files that other files name, and that are no regular files: reported where they are named, and never waited for.

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop at the first surprise")]

use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::place::{Place, Run};

/// No run of the test takes as long as this unless it waits for something.
const PATIENCE: Duration = Duration::from_secs(60);

/// Makes `x.yaml` what a case says, and returns a part of the reason not to read it.
const KINDS: [(&str, &str); 5] = [
    ("pipe", "named pipe"),
    ("directory", "is a directory"),
    ("device", "device"),
    ("loop", "too many levels of symbolic links"),
    ("absent", "no such file"),
];

fn make(place: &Place, kind: &str) {
    let path = place.path("x.yaml");
    match kind {
        "pipe" => assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
        "directory" => std::fs::create_dir(&path).unwrap(),
        "device" => symlink("/dev/zero", &path).unwrap(),
        "loop" => symlink("x.yaml", &path).unwrap(),
        _ => {}
    }
}

fn run(place: &Place, args: &[&str]) -> Run {
    let (out, err) = (place.path("stdout"), place.path("stderr"));
    let file = |path| std::fs::File::create(path).unwrap();
    let mut command = place.command(args);
    command.stdin(Stdio::null()).stdout(file(&out)).stderr(file(&err));
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("kvrules {} waits without end", args.join(" "));
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let text = |path| std::fs::read_to_string(path).unwrap();
    Run { code: status.code(), out: text(out), err: text(err) }
}

const HEAD: &str = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: web}\nspec:\n";

const RULE: &str = "  rules: [{name: a, path: spec.replicas, integer: {min: 1}}]\n";

fn including() -> String {
    format!(
        "{HEAD}  subject: {{apiVersion: apps/v1, kind: Deployment}}\n  include: [{{file: x.yaml}}]\n{RULE}"
    )
}

fn with_schema() -> String {
    format!("{HEAD}  subject: {{schema: x.yaml}}\n{RULE}")
}

#[test]
fn a_rule_set_names_a_file_that_is_none() {
    for (kind, reason) in KINDS {
        let place = Place::with(&[("include.yaml", &including()), ("schema.yaml", &with_schema())]);
        make(&place, kind);
        for (file, at) in [("include.yaml", "include.yaml:6:20"), ("schema.yaml", "schema.yaml:5:21")] {
            let found = run(&place, &["check", "--output-format", "concise", file]);
            let text = format!("{}{}", found.out, found.err).to_lowercase();
            assert!(found.code == Some(1) && text.contains(reason) && text.contains(at), "{kind}: {found:?}");
            for args in [
                &["compile", "--target", "admission-policy", "--out-dir", "out", file][..],
                &["docs", "--out-dir", "out", file],
                &["eval", "--rules", file, file],
                &["diff", file, "include.yaml"],
            ] {
                let found = run(&place, args);
                let text = format!("{}{}", found.out, found.err).to_lowercase();
                assert!(found.code != Some(0) && text.contains(reason), "{kind}: {args:?}: {found:?}");
            }
            // These leave the rest of the rules to `check`, and end.
            for args in [
                &["verify", file][..],
                &["test", file],
                &["cost", file],
                &["minors", file],
                &["new", "rule", "--for", file, "spec.replicas"],
                &["fmt", "--check", file],
            ] {
                run(&place, args);
            }
        }
    }
}

#[test]
fn a_suite_names_a_file_that_is_none() {
    let of_rules = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleTests\nrules: [x.yaml]\nbase: {kind: A}\n\
                    cases: [{name: a, expect: accept}]\n";
    let of_object = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleTests\nrules: [rules.yaml]\n\
                     cases: [{name: a, object: {file: x.yaml}, expect: accept}]\n";
    let of_kyverno = "apiVersion: cli.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: a}\npolicies: [x.yaml]\n\
                      resources: [x.yaml]\nresults: [{policy: a, kind: A, resources: [b], result: pass}]\n";
    let rules = format!("{HEAD}  subject: {{apiVersion: apps/v1, kind: Deployment}}\n{RULE}");
    for (kind, reason) in KINDS {
        for suite in [of_rules, of_object, of_kyverno] {
            // Kyverno reads the files of a folder.
            if kind == "directory" && suite == of_kyverno {
                continue;
            }
            let place = Place::with(&[("a.test.yaml", suite), ("rules.yaml", &rules)]);
            make(&place, kind);
            let found = run(&place, &["test", "a.test.yaml"]);
            let text = format!("{}{}", found.out, found.err).to_lowercase();
            assert!(
                found.code == Some(2) && text.contains(reason) && text.contains("a.test.yaml"),
                "{kind}: {found:?}"
            );
            // In a search the file is of no interest, unless a suite names it.
            let found = run(&place, &["test", "."]);
            assert_eq!(found.code, Some(2), "{kind}: {found:?}");
        }
    }
}

#[test]
fn a_configuration_names_a_file_that_is_none() {
    let rules = format!("{HEAD}  subject: {{apiVersion: apps/v1, kind: Deployment}}\n{RULE}");
    for (kind, reason) in KINDS.into_iter().filter(|(kind, _)| *kind != "directory") {
        for (config, args) in [
            ("schema = \"x.yaml\"\n", &["check", "rules.yaml"][..]),
            ("inputs = [\"x.yaml\"]\n", &["check"]),
            ("[lint]\nbaseline = \"x.yaml\"\n", &["check", "rules.yaml"]),
            ("[extra-specs]\ndefinitions = [\"x.yaml\"]\n", &["flavor", "definitions"]),
        ] {
            let place = Place::with(&[("kvrules.toml", config), ("rules.yaml", &rules)]);
            make(&place, kind);
            let found = run(&place, args);
            let text = format!("{}{}", found.out, found.err).to_lowercase();
            let is_named = text.contains("kvrules.toml:") || config.starts_with("inputs");
            let reason = if kind == "absent" && config.starts_with("inputs") { "not found" } else { reason };
            assert!(found.code == Some(2) && text.contains(reason) && is_named, "{kind}: {config} {found:?}");
        }
    }
}

/// What a shell makes of `<(…)` is named on the command line, and is read.
#[test]
fn a_pipe_on_the_command_line_is_read() {
    let rules = format!("{HEAD}  subject: {{apiVersion: apps/v1, kind: Deployment}}\n{RULE}");
    let place = Place::with(&[("rules.yaml", &rules)]);
    make(&place, "pipe");
    let (from, to) = (place.path("rules.yaml"), place.path("x.yaml"));
    let writer = std::thread::spawn(move || std::fs::write(to, std::fs::read(from).unwrap()).unwrap());
    let found = run(&place, &["check", "x.yaml"]);
    writer.join().unwrap();
    assert_eq!(found.code, Some(0), "{found:?}");
}

/// Files of the kernel say that they have no content, and some of them have no end.
#[cfg(target_os = "linux")]
#[test]
fn a_file_of_the_kernel_is_empty() {
    for file in ["/proc/kmsg", "/proc/self/status", "/proc/self/environ"] {
        let place = Place::with(&[("include.yaml", &including().replace("x.yaml", file))]);
        let found = run(&place, &["check", "include.yaml"]);
        assert!(
            found.code == Some(1) && found.out.contains("must have one RuleSet, not 0"),
            "{file}: {found:?}"
        );
    }
}
