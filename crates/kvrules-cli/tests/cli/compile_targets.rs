//! `compile --list-targets` and `--option`: what there is to compile to, and what can be chosen about it.

use serde_json::Value;

use crate::place::{GOOD, Place, Run};

fn compile(args: &[&str]) -> Run {
    Place::with(&[("a.yaml", GOOD)]).run(&[&["compile", "a.yaml", "--out-dir", "o"], args].concat())
}

#[test]
fn every_target_and_option_is_listed() {
    let place = Place::with(&[]);
    let human = place.run(&["compile", "--list-targets"]);
    let json = place.run(&["compile", "--list-targets=json", "--no-config"]);
    assert_eq!((human.code, json.code), (Some(0), Some(0)));
    // Long lines are broken.
    let words = human.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let entries: Vec<Value> = serde_json::from_str(&json.out).unwrap();
    assert_eq!(entries.len(), kvrules::all_targets().len());
    assert!(entries.iter().any(|entry| entry["name"] == "glance-metadefs"));
    for (target, entry) in kvrules::all_targets().iter().zip(&entries) {
        assert!(human.out.contains(target.summary), "{}", target.name);
        assert_eq!(entry["name"], target.name);
        let options = entry["options"].as_array().unwrap();
        assert_eq!(options.len(), target.options.len(), "{}", target.name);
        for option in target.options {
            assert!(human.out.contains(&format!("\n  {} ", option.name)), "{}", option.name);
            assert!(words.contains(option.summary), "{}", option.name);
        }
    }
    assert!(human.out.lines().all(|line| line.chars().count() <= 100), "{}", human.out);
    assert_eq!(place.run(&["compile", "--list-targets", "a.yaml"]).code, Some(2));
}

#[test]
fn options_that_are_not_written_as_such_are_2() {
    for wrong in ["openapi", "openapi.version", "openapi=1", "=", "."] {
        let run = compile(&["--option", wrong]);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{wrong}: {run:?}");
        assert!(run.err.contains("expected `TARGET.NAME=VALUE`"), "{wrong}: {run:?}");
    }
}

#[test]
fn options_of_targets_that_there_are_not_are_2_with_a_suggestion() {
    let run = compile(&["--option", "opnapi.version=1"]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""));
    assert_eq!(run.err, "error: unknown target `opnapi`\n  help: did you mean `openapi`?\n");
    let run = compile(&["--target", "cel", "--option", "openapi.version=1"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.ends_with("  help: add `--target openapi`\n"), "{run:?}");
}

#[test]
fn options_that_a_target_does_not_have_are_2() {
    for target in kvrules::all_targets() {
        let run = compile(&["--target", target.name, "--option", &format!("{}.nothing=1", target.name)]);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
        let message = format!("error: unknown option `nothing` of the target `{}`\n  help: ", target.name);
        assert!(run.err.starts_with(&message), "{run:?}");
    }
    let place = Place::with(&[("a.yaml", GOOD)]);
    place.write("kvrules.toml", "[target.markdown]\noptions = { nothing = 'x' }\n");
    let run = place.run(&["compile", "a.yaml"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("unknown key `nothing` in `target.markdown.options`"), "{run:?}");
    assert!(run.err.contains("--> kvrules.toml:2:13"), "{run:?}");
}

#[test]
fn every_value_of_an_option_is_taken_and_no_other() {
    for target in kvrules::all_targets() {
        for option in target.options.iter().filter(|option| !option.values.is_empty()) {
            let key = format!("{}.{}", target.name, option.name);
            for value in option.values {
                let run = compile(&[
                    "--target",
                    target.name,
                    "--loss",
                    "allow",
                    "--option",
                    &format!("{key}={value}"),
                ]);
                assert!(!run.err.contains("invalid value"), "{key}={value}: {run:?}");
            }
            let run = compile(&["--target", target.name, "--option", &format!("{key}=\u{1}")]);
            assert_eq!(run.code, Some(2), "{run:?}");
            assert!(run.err.contains("error: invalid value `"), "{run:?}");
            assert!(run.err.contains(&format!("` for `{key}`\n")), "{run:?}");
            assert!(option.values.iter().any(|value| run.err.contains(&format!("`{value}`"))), "{run:?}");
            let place = Place::with(&[("a.yaml", GOOD)]);
            place.write(
                "kvrules.toml",
                format!("[target.{}.options]\n{} = 'no such'\n", target.name, option.name),
            );
            let run = place.run(&["compile", "a.yaml"]);
            assert_eq!(run.code, Some(2), "{run:?}");
            assert!(run.err.contains("invalid value `no such` for `target."), "{run:?}");
        }
    }
}
