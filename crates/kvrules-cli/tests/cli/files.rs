//! Files that are written: whose they are, what becomes of them when writing fails, and that they are on the disk.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop at the first surprise")]

use std::fs;

use crate::place::{GOOD, Place};

const MANIFEST: &str = ".kvrules-manifest";
/// Commands that list what they write to a directory, and the directory.
const LISTED: [(&[&str], &str); 4] = [
    (&["compile", "a.yaml", "--target", "openapi", "--out-dir", "out"], "out/openapi"),
    (&["docs", "a.yaml", "--out-dir", "out"], "out"),
    (&["flavor", "compile", "--target", "json-schema", "--out-dir", "out"], "out"),
    (&["flavor", "compile", "--target", "glance-metadefs", "--out-dir", "out"], "out"),
];
/// A rule set with a bound that is no integer, which `--fix` repairs.
const FRACTION: &str = r#"vm.kubevirt.io/validations: |
  [{
    "name": "cores", "rule": "integer", "message": "at most 8 cores",
    "path": "jsonpath::.spec.domain.cpu.cores", "valid": "jsonpath::.spec.domain.cpu.cores", "max": 8.5
  }]
"#;

#[test]
fn files_that_no_manifest_names_are_overwritten_only_by_force() {
    for (command, file) in LISTED {
        let place = Place::with(&[("a.yaml", GOOD)]);
        assert_eq!(place.run(command).code, Some(0));
        let written = place.files(file).into_iter().find(|name| name != MANIFEST).unwrap();
        let (written, manifest) = (format!("{file}/{written}"), format!("{file}/{MANIFEST}"));
        let text = place.read(&written);
        // A file in the manifest may be overwritten. Without a manifest, a file with the expected content passes.
        place.write(&written, "edited");
        assert_eq!(place.run(command).code, Some(0));
        fs::remove_file(place.path(&manifest)).unwrap();
        assert_eq!(place.run(command).code, Some(0), "the file does not change");
        assert!(place.path(&manifest).exists());

        fs::remove_file(place.path(&manifest)).unwrap();
        place.write(&written, "mine");
        let run = place.run(command);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(
            run.err.contains(&format!("`{written}` was not written by kvrules; nothing was written")),
            "{run:?}"
        );
        assert!(run.err.contains("`--force`"), "{run:?}");
        assert_eq!(place.read(&written), "mine");
        assert!(!place.path(&manifest).exists(), "nothing was written");
        let forced: Vec<_> = command.iter().copied().chain(["--force"]).collect();
        assert_eq!(place.run(&forced).code, Some(0));
        assert_eq!(place.read(&written), text);
    }
}

#[test]
fn a_damaged_manifest_fails_a_check_and_is_not_written_over() {
    for (command, manifest) in LISTED {
        let place = Place::with(&[("a.yaml", GOOD)]);
        assert_eq!(place.run(command).code, Some(0));
        let manifest = format!("{manifest}/{MANIFEST}");
        let sound = place.read(&manifest);
        let with = |option| command.iter().copied().chain([option]).collect::<Vec<_>>();
        for damaged in
            ["", "{", "[]", "<<<<<<< ours\n", r#"{"files": {"markdown": ["../a.yaml"]}}"#, r#"{"files": 1}"#]
        {
            place.write(&manifest, damaged);
            let run = place.run(&with("--check"));
            assert_eq!(run.code, Some(1), "{damaged}: {run:?}");
            assert!(format!("{}{}", run.out, run.err).contains(&format!("damaged: {manifest}: ")), "{run:?}");
            let run = place.run(command);
            assert_eq!(run.code, Some(2), "{damaged}: {run:?}");
            assert_eq!(place.read(&manifest), damaged);
        }
        assert_eq!(place.run(&with("--force")).code, Some(0));
        assert_eq!(place.read(&manifest), sound);
        assert_eq!(place.run(&with("--check")).code, Some(0));
    }
}

#[test]
fn a_manifest_under_its_former_name_is_read_and_replaced() {
    for (command, directory) in LISTED {
        let place = Place::with(&[("a.yaml", GOOD)]);
        assert_eq!(place.run(command).code, Some(0));
        let (manifest, former) = (format!("{directory}/{MANIFEST}"), format!("{directory}/{MANIFEST}.json"));
        let listed = place.read(&manifest);
        let written = place.files(directory).into_iter().find(|name| name != MANIFEST).unwrap();
        place.write(&format!("{directory}/{written}"), "edited");
        fs::rename(place.path(&manifest), place.path(&former)).unwrap();
        assert_eq!(place.run(command).code, Some(0), "{written} is listed");
        assert_eq!(place.read(&manifest), listed);
        assert!(!place.path(&former).exists());
    }
}

#[test]
fn no_manifest_is_read_as_data_by_programs_that_load_a_directory() {
    // Glance loads `*.json`, `kubectl apply -f` also `*.yaml` and `*.yml`, and both load files with a leading dot.
    for (command, directory) in LISTED {
        let place = Place::with(&[("a.yaml", GOOD)]);
        assert_eq!(place.run(command).code, Some(0));
        let hidden: Vec<_> =
            place.files(directory).into_iter().filter(|name| name.starts_with('.')).collect();
        assert_eq!(hidden, [MANIFEST]);
        assert!(![".json", ".yaml", ".yml"].iter().any(|end| MANIFEST.ends_with(end)));
    }
}

#[test]
fn manual_pages_are_overwritten_only_by_force() {
    let place = Place::with(&[]);
    place.write("pages/kvrules-check.1", "mine");
    let run = place.run(&["man", "--out-dir", "pages"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("`pages/kvrules-check.1` already exists; nothing was written"), "{run:?}");
    assert!(run.err.contains("`--force`"), "{run:?}");
    assert_eq!(place.files("pages"), ["kvrules-check.1"]);
    assert_eq!(place.run(&["man", "--out-dir", "pages", "--force"]).code, Some(0));
    assert_ne!(place.read("pages/kvrules-check.1"), "mine");
    assert!(place.path("pages/kvrules.1").exists());
}

#[test]
fn an_out_dir_that_is_a_file_is_an_error() {
    let place = Place::with(&[("a.yaml", GOOD), ("out", "mine")]);
    for args in [
        &["compile", "a.yaml", "--target", "openapi", "--out-dir", "out"][..],
        &["compile", "a.yaml", "--target", "openapi", "--out-dir", "out", "--check"],
        &["docs", "a.yaml", "--out-dir", "out"],
    ] {
        let run = place.run(args);
        assert!(matches!(run.code, Some(1 | 2)) && !run.err.is_empty(), "{run:?}");
        assert_eq!(place.read("out"), "mine");
    }
}

#[cfg(unix)]
mod unix {
    use std::fs::{self, OpenOptions, Permissions};
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
    use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
    use std::process::{Command, Stdio};

    use super::{FRACTION, GOOD};
    use crate::place::{Place, Run};

    fn mode(place: &Place, name: &str, mode: u32) {
        fs::set_permissions(place.path(name), Permissions::from_mode(mode)).unwrap();
    }

    /// Every command that writes over what it reads, with a text that it changes.
    fn writers() -> [(&'static [&'static str], String); 4] {
        let old = GOOD.replace("jsonpath::.", "/").replace("vm.kubevirt.io/", "");
        let template = format!(
            "kind: Template\nmetadata:\n  annotations:\n    {}objects:\n- kind: VirtualMachine\n  spec: {{}}\n",
            old.replace('\n', "\n    ").trim_end_matches(' ')
        );
        let definition = include_str!("files/expensive.yaml").to_owned();
        [
            (&["check", "--fix", "a.yaml"], FRACTION.to_owned()),
            (&["fmt", "a.yaml"], GOOD.replace("\n    \"", " \"")),
            (&["migrate", "--write", "a.yaml"], template),
            (&["cost", "--fix", "a.yaml"], definition),
        ]
    }

    #[test]
    fn what_is_read_only_is_left_alone_by_every_command() {
        for (args, text) in writers() {
            let place = Place::with(&[("a.yaml", &text)]);
            mode(&place, "a.yaml", 0o444);
            let run = place.run(args);
            assert_eq!(run.code, Some(2), "{args:?}: {run:?}");
            assert!(run.err.contains("a.yaml: not written: the file is read-only"), "{args:?}: {run:?}");
            assert_eq!(place.read("a.yaml"), text, "{args:?}");
            mode(&place, "a.yaml", 0o644);
            place.run(args);
            assert_ne!(place.read("a.yaml"), text, "{args:?} changes it otherwise");
        }
    }

    #[test]
    fn a_link_is_left_alone_by_every_command() {
        for (args, text) in writers() {
            let place = Place::with(&[("d/b.yaml", &text)]);
            symlink("d/b.yaml", place.path("a.yaml")).unwrap();
            let run = place.run(args);
            assert_eq!(run.code, Some(2), "{args:?}: {run:?}");
            assert!(run.err.contains("this is a symbolic link to `d/b.yaml`"), "{args:?}: {run:?}");
            assert_eq!(place.read("d/b.yaml"), text, "{args:?}");
        }
    }

    #[test]
    fn what_belongs_to_another_user_is_left_alone_by_every_command() {
        const NOBODY: u32 = 65534;
        for (args, text) in writers() {
            let place = Place::with(&[("a.yaml", &text)]);
            if chown(place.path("a.yaml"), Some(NOBODY - 1), None).is_err() {
                println!("skipped: only an administrator can give files away");
                return;
            }
            mode(&place, "a.yaml", 0o666);
            mode(&place, ".", 0o777);
            let mut command = place.command(args);
            let run = Run::from(command.uid(NOBODY).stdin(Stdio::null()).output().unwrap());
            assert_eq!(run.code, Some(2), "{args:?}: {run:?}");
            assert!(run.err.contains("the file belongs to another user"), "{args:?}: {run:?}");
            assert_eq!(place.read("a.yaml"), text, "{args:?}");
            assert_eq!(place.files("."), ["a.yaml"]);
            // A user with the right to change owners keeps the owner of the file.
            place.run(args);
            assert_ne!(place.read("a.yaml"), text, "{args:?}");
            assert_eq!(fs::metadata(place.path("a.yaml")).unwrap().uid(), NOBODY - 1);
        }
    }

    #[test]
    fn one_file_that_cannot_be_repaired_does_not_keep_the_others_from_it() {
        let place = Place::with(&[("a.yaml", FRACTION), ("b.yaml", FRACTION)]);
        mode(&place, "a.yaml", 0o444);
        let run = place.run(&["check", "--fix", "--output-format", "concise", "a.yaml", "b.yaml"]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert_eq!((place.read("a.yaml"), place.read("b.yaml")), (FRACTION.to_owned(), GOOD.to_owned()));
        assert!(
            run.out.starts_with("a.yaml:4:") && run.out.contains("KV409"),
            "what is left is reported: {run:?}"
        );
        assert!(run.err.contains("fixed 1 finding in 1 file, 1 remaining"), "{run:?}");
    }

    #[test]
    fn a_pipe_where_a_file_goes_is_not_read() {
        let place = Place::with(&[("a.yaml", GOOD)]);
        assert_eq!(
            place.run(&["compile", "a.yaml", "--target", "openapi", "--out-dir", "out"]).code,
            Some(0)
        );
        let name = place.files("out/openapi").into_iter().find(|name| !name.starts_with('.')).unwrap();
        let path = place.path(&format!("out/openapi/{name}"));
        fs::remove_file(&path).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        // Reading the pipe would block forever.
        let run = place.run(&["compile", "a.yaml", "--target", "openapi", "--out-dir", "out", "--check"]);
        assert_eq!(run.code, Some(1), "{run:?}");
    }

    #[test]
    fn a_directory_that_may_not_be_written_to_is_an_error() {
        let place = Place::with(&[("a.yaml", GOOD), ("out/openapi/x", "")]);
        mode(&place, ".", 0o755);
        mode(&place, "out/openapi", 0o555);
        let mut command = place.command(&["compile", "a.yaml", "--target", "openapi", "--out-dir", "out"]);
        if fs::metadata(place.path(".")).unwrap().uid() == 0 {
            command.uid(65534);
        }
        let run = Run::from(command.stdin(Stdio::null()).output().unwrap());
        mode(&place, "out/openapi", 0o755);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains("cannot write `out/openapi/"), "{run:?}");
    }

    #[test]
    fn a_file_that_becomes_longer_than_it_may_is_an_error() {
        let place = Place::with(&[("a.yaml", GOOD), ("b.yaml", FRACTION)]);
        let program = env!("CARGO_BIN_EXE_kvrules");
        for args in [
            "compile a.yaml --out-dir out",
            "docs a.yaml --out-dir pages",
            "check --fix b.yaml",
            "check --output-file report.json --output-format json b.yaml",
            "check --baseline base.json --write-baseline b.yaml",
            "init fresh",
            "flavor compile --target json-schema --out-dir schemas",
            "rules > list",
            "--help > help",
            "man > page",
        ] {
            let script = format!("ulimit -f 0; {program} {args}");
            let output =
                Command::new("sh").args(["-c", &script]).current_dir(place.path(".")).output().unwrap();
            assert_eq!(output.status.signal(), None, "{args}");
            assert_eq!(output.status.code(), Some(2), "{args}: {output:?}");
            let text = String::from_utf8(output.stderr).unwrap();
            assert!(text.contains("file too large"), "{args}: {text}");
        }
        assert_eq!(place.read("b.yaml"), FRACTION);
        let left: Vec<_> = place.files(".").into_iter().filter(|name| name.contains(".tmp")).collect();
        assert_eq!(left, Vec::<String>::new());
    }

    #[test]
    fn a_full_device_is_an_error_for_everything_that_prints() {
        let place = Place::with(&[
            ("a.yaml", GOOD),
            ("b.yaml", FRACTION),
            ("files/crd.yaml", include_str!("files/expensive.yaml")),
        ]);
        for args in [
            &["--help"][..],
            &["-h"],
            &["--version"],
            &["help"],
            &["help", "check"],
            &["check", "--help"],
            &["flavor", "check", "--help"],
            &["check", "b.yaml"],
            &["check", "--output-format", "sarif", "a.yaml"],
            &["check", "--output-file", "/dev/full", "b.yaml"],
            &["check", "--diff", "b.yaml"],
            &["compile", "a.yaml", "--target", "openapi", "-o", "-"],
            &["compile", "a.yaml", "--target", "openapi", "-o", "/dev/full"],
            &["compile", "--list-targets"],
            &["compile", "a.yaml", "--out-dir", "out"],
            &["docs", "a.yaml", "--format", "json"],
            &["eval", "--output-format", "json", "a.yaml"],
            &["verify", "a.yaml"],
            &["diff", "a.yaml", "b.yaml", "--output-format", "json"],
            &["cost", "files/crd.yaml"],
            &["migrate", "--report", "/dev/full", "a.yaml"],
            &["lints"],
            &["explain", "KV102"],
            &["schema", "config"],
            &["completions", "bash"],
            &["man"],
            &["flavor", "definitions"],
            &["init", "fresh"],
        ] {
            let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
            let mut command = place.command(args);
            let output = command.stdin(Stdio::null()).stdout(full).output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{args:?}: {output:?}");
            assert!(!output.stderr.is_empty(), "{args:?}");
        }
    }

    #[test]
    fn a_closed_pipe_is_no_failure_also_of_help() {
        let place = Place::with(&[("a.yaml", GOOD)]);
        for args in [&["--help"][..], &["check", "--help"], &["lints"], &["man"], &["completions", "zsh"]] {
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            let output = place.command(args).stdin(Stdio::null()).stdout(writer).output().unwrap();
            assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()), "{args:?}");
        }
    }

    #[test]
    fn data_is_on_the_disk_before_a_name_leads_to_it() {
        let found = Command::new("strace").arg("-V").output();
        if !found.is_ok_and(|output| output.status.success()) {
            println!("skipped: watching the calls of a run: there is no strace");
            return;
        }
        for args in [
            &["compile", "a.yaml", "--target", "openapi", "--out-dir", "out"][..],
            &["check", "--fix", "b.yaml"],
            &["check", "--baseline", "base.json", "--write-baseline", "b.yaml"],
            &["init", "fresh"],
        ] {
            let place = Place::with(&[("a.yaml", GOOD), ("b.yaml", FRACTION)]);
            let traced = Command::new("strace")
                .args([
                    "-f",
                    "-o",
                    "trace",
                    "-e",
                    "trace=fsync,fdatasync,rename,renameat,renameat2,link,linkat",
                ])
                .arg(env!("CARGO_BIN_EXE_kvrules"))
                .args(args)
                .current_dir(place.path("."))
                .output()
                .unwrap();
            assert!(traced.status.success(), "{args:?}: {traced:?}");
            let trace = place.read("trace");
            let mut waiting = 0;
            let (mut names, mut ends_synced) = (0, false);
            for line in trace.lines() {
                if line.contains("sync(") {
                    waiting += 1;
                    ends_synced = true;
                } else if line.contains(".kvrules-") {
                    names += 1;
                    ends_synced = false;
                    assert!(waiting >= names, "{args:?}: {trace}");
                }
            }
            assert!(names > 0 && ends_synced, "{args:?}: the directory comes last: {trace}");
        }
    }
}
