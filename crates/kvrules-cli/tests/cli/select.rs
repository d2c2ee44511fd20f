//! Selection of findings: `--select`, `--ignore`, `--severity`, ignores in files, baselines, statistics.

use serde_json::{Value, json};

use crate::place::{BAD, GOOD, ODD, Place, Run};

/// Two warnings: KV106 on its third line, KV303 on its fourth.
const TWO: &str = r#"vm.kubevirt.io/validations: |
  [{
    "name": "cores", "rule": "integer", "message": "at most 8 cores", "colour": "red",
    "path": "jsonpath::.spec.domain.cpu.cores", "max": 8
  }]
"#;

/// The codes of what a run shows, with their levels.
fn codes(run: &Run) -> Vec<&str> {
    run.out.lines().filter_map(|line| line.split(' ').nth(1)).collect()
}

fn check(place: &Place, args: &[&str]) -> Run {
    place.run(&[&["check", "--output-format", "concise"], args].concat())
}

#[test]
fn select_and_ignore_say_what_counts() {
    let place = Place::with(&[("a.yaml", TWO)]);
    let shown = |args: &[&str]| {
        let run = check(&place, &[&["a.yaml"], args].concat());
        codes(&run).join(" ")
    };
    let both = "warning[KV106] warning[KV303]";
    assert_eq!(shown(&[]), both);
    assert_eq!(shown(&["--select", "KV3"]), "warning[KV303]");
    assert_eq!(shown(&["--select", "KV3,unknown-key"]), both);
    assert_eq!(shown(&["--select", "KV3", "--select", "KV106"]), both);
    assert_eq!(shown(&["--ignore", "KV3"]), "warning[KV106]");
    assert_eq!(shown(&["--select", "ALL", "--ignore", "KV1"]), "warning[KV303]");
    assert_eq!(shown(&["--select", "KV106", "--ignore", "KV1"]), "warning[KV106]");
    let run = place.run(&["check", "a.yaml", "--ignore", "ALL"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""));
}

#[test]
fn what_is_no_lint_is_2_and_names_what_is_near() {
    let place = Place::with(&[("a.yaml", TWO)]);
    for option in ["--select", "--ignore"] {
        let run = place.run(&["check", "a.yaml", option, "unknown-kye"]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains("did you mean `unknown_key`?"), "{run:?}");
        let run = place.run(&["check", "a.yaml", option, "KV99x"]);
        assert!(
            run.err.contains("is not a code, prefix or name of a lint") && run.err.contains("`KV0`, `KV1`"),
            "{run:?}"
        );
    }
    for wrong in ["KV303", "KV303=bad", "none=error"] {
        assert_eq!(place.run(&["check", "a.yaml", "--severity", wrong]).code, Some(2), "{wrong}");
    }
}

#[test]
fn the_severity_of_a_lint_can_be_chosen() {
    let place = Place::with(&[("a.yaml", TWO)]);
    let run = check(&place, &["a.yaml", "--severity", "KV3=error,unknown_key=off"]);
    assert_eq!((run.code, codes(&run)), (Some(1), vec!["error[KV303]"]));
    assert_eq!(check(&place, &["a.yaml", "--severity", "ALL=info"]).out, "");
}

#[test]
fn exit_zero_is_0_unless_something_cannot_be_read() {
    let place = Place::with(&[("a.yaml", BAD)]);
    let run = check(&place, &["a.yaml", "--exit-zero"]);
    assert_eq!((run.code, codes(&run)), (Some(0), vec!["error[KV205]"]));
    assert_eq!(check(&place, &["a.yaml", "none.yaml", "--exit-zero"]).code, Some(2));
}

#[test]
fn the_configuration_chooses_and_the_command_line_wins() {
    let config = "inputs = ['rules']\n[lint]\nselect = ['KV1', 'unguarded_optional']\nignore = ['KV106']\n\
                  severity = { KV303 = 'error' }\n[lint.per-file-ignores]\n'old/**' = ['KV303']\n'c.yaml' = ['ALL']\n";
    let files = ["rules/a.yaml", "rules/sub/c.yaml", "old/b.yaml"].map(|name| (name, TWO));
    let place = Place::with(&files);
    place.write("kvrules.toml", config);
    let run = check(&place, &[]);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.out.lines().filter(|line| line.contains("rules/a.yaml:4:")).count(), 1);
    assert_eq!(codes(&run), ["error[KV303]"]);
    assert_eq!(codes(&check(&place, &["old"])), Vec::<&str>::new());
    // Patterns are relative to the configuration, not to the working directory.
    let run = place.run_in("rules/sub", &["check", "../../old", "--output-format", "concise"]);
    assert_eq!(run.out, "");
    let run = check(&place, &["--select", "KV106", "--severity", "KV1=info", "--level", "info"]);
    assert_eq!(codes(&run), ["info[KV106]"]);
}

#[test]
fn mistakes_in_the_configuration_of_lints_have_places() {
    let config = "[lint]\nselect = ['KV1', 'mising_key']\nseverity = { KV3 = 'fatal', KV899 = 'off' }\n";
    let place = Place::with(&[("a.yaml", GOOD), ("kvrules.toml", config)]);
    let run = place.run(&["check", "a.yaml"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.err.contains("kvrules.toml:3:20")
            && run.err.contains("invalid value `fatal` for `lint.severity.KV3`"),
        "{run:?}"
    );
    place.write(
        "kvrules.toml",
        config.replace("fatal", "error") + "[lint.per-file-ignores]\n'a[' = ['KV1']\n'b' = ['x']\n",
    );
    let run = place.run(&["check", "a.yaml"]);
    for part in [
        "kvrules.toml:2:18",
        "did you mean `missing_key`?",
        "`KV899` is not a code",
        "invalid glob `a[`",
        "`x` is not a code",
    ] {
        assert!(run.err.contains(part), "{part}: {run:?}");
    }
}

#[test]
fn ignores_in_files_are_heeded_and_counted() {
    let in_rule = TWO.replace("\"max\": 8", "\"max\": 8, \"x-kvrules-ignore\": [\"KV303\"]");
    let page = format!("# A page\n\n```yaml\n# kvrules: ignore[KV1, KV303] an example\n{TWO}```\n");
    let place = Place::with(&[("a.yaml", &in_rule), ("b.md", &page)]);
    let run = check(&place, &["a.yaml", "b.md"]);
    assert_eq!(codes(&run), ["warning[KV106]"]);
    assert_eq!(run.err, "checked 2 files, 2 rules in 2 rule sets: 1 warning; 3 ignored\n");
    place.write("c.yaml", format!("# kvrules: ignore[KV303]\n{GOOD}"));
    let run = check(&place, &["c.yaml", "--fail-on", "warning"]);
    assert_eq!((run.code, codes(&run)), (Some(1), vec!["warning[KV951]"]));
    let run = check(&place, &["c.yaml", "--ignore", "KV3"]);
    assert_eq!(run.out, "", "an ignore for what does not count is not unused");
}

#[test]
fn a_baseline_hides_what_was_there_and_nothing_else() {
    let place = Place::with(&[("rules/a.yaml", TWO), ("rules/b.yaml", ODD)]);
    let with = |args: &[&str]| check(&place, &[&["rules", "--baseline", "ci/known.json"], args].concat());
    let run = with(&[]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("`--write-baseline` creates it"), "{run:?}");
    let run = with(&["--write-baseline"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""));
    assert_eq!(run.err, "`ci/known.json` now accepts 3 findings (3 warnings) in 2 of 2 files\n");
    let written = place.read("ci/known.json");
    assert!(written.contains("\"file\": \"../rules/a.yaml\""), "{written}");
    let run = with(&["--fail-on", "warning"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{run:?}");
    assert!(run.err.ends_with(": no findings; 3 accepted by the baseline\n"), "{run:?}");

    // Lines move, and one finding comes: only that is new.
    let moved = TWO.replace("  [{\n", "  [\n\n   {\n").replace("\"max\"", "\"shape\": 1, \"max\"");
    place.write("rules/a.yaml", format!("# a comment\n\n{moved}"));
    let run = with(&["--fail-on", "warning"]);
    assert_eq!((run.code, codes(&run)), (Some(1), vec!["warning[KV106]"]));
    assert!(run.out.contains("`shape`"), "{run:?}");
    // From another directory the paths are the same.
    let run = place.run_in(
        "rules",
        &["check", "b.yaml", "--baseline", "../ci/known.json", "--output-format", "concise"],
    );
    assert_eq!(run.out, "");

    // Findings that are gone are reported, and dropped when the baseline is written again.
    place.write("rules/a.yaml", GOOD);
    let run = with(&[]);
    assert!(run.err.starts_with("note: 2 findings of the baseline are no longer found;"), "{run:?}");
    let run = check(&place, &["rules/a.yaml", "--baseline", "ci/known.json", "--write-baseline"]);
    assert!(run.err.contains("and keeps 1 finding of files that were not checked"), "{run:?}");
    assert!(!place.read("ci/known.json").contains("a.yaml"));
    std::fs::remove_file(place.path("rules/b.yaml")).unwrap();
    with(&["--write-baseline"]);
    assert_eq!(place.read("ci/known.json"), "{\n  \"version\": 1,\n  \"findings\": []\n}\n");
    assert_eq!(place.files("ci"), ["known.json"]);
}

#[test]
fn a_baseline_is_the_same_however_it_is_written() {
    let files: Vec<_> = (0..20).map(|number| format!("d/{number}.yaml")).collect();
    let files: Vec<_> = files.iter().map(|name| (name.as_str(), TWO)).collect();
    let place = Place::with(&files);
    let write = |args: &[&str]| {
        place.run(&[&["check", "--baseline", "k.json", "--write-baseline"], args].concat());
        place.read("k.json")
    };
    let one = write(&["d", "-j1"]);
    assert_eq!(one, write(&["d", "-j3"]));
    assert_eq!(one, write(&["d/9.yaml", "d"]));
    let schema = serde_json::from_str(&place.run(&["schema", "baseline"]).out).unwrap();
    jsonschema::validate(&schema, &serde_json::from_str(&one).unwrap()).unwrap();
}

#[test]
fn a_broken_baseline_is_2_and_has_a_place() {
    let place =
        Place::with(&[("a.yaml", TWO), ("k.json", "{\"version\": 1,\n \"findings\": [{\"file\": 3}]}")]);
    let run = place.run(&["check", "a.yaml", "--baseline", "k.json"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("k.json:2:24") && run.err.contains("a finding has no string `file`"), "{run:?}");
    // An invalid baseline is not overwritten either, because the user may want to correct it.
    let run = place.run(&["check", "a.yaml", "--baseline", "k.json", "--write-baseline"]);
    assert_eq!(run.code, Some(2));
    assert!(place.run(&["check", "a.yaml", "--write-baseline"]).err.contains("missing baseline file"));
}

#[test]
fn the_configuration_names_the_baseline() {
    let config = "inputs = ['a.yaml']\n[lint]\nbaseline = 'k.json'\n";
    let place = Place::with(&[("a.yaml", TWO), ("kvrules.toml", config), ("sub/x", "")]);
    let run = place.run(&["check"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("kvrules.toml:3:12"), "{run:?}");
    assert_eq!(place.run_in("sub", &["check", "--write-baseline"]).code, Some(0));
    assert_eq!(place.run(&["check"]).out, "");
    assert!(place.read("k.json").contains("\"file\": \"a.yaml\""));
}

#[test]
fn statistics_count_by_code_most_first() {
    let place = Place::with(&[("a.yaml", TWO), ("b.yaml", ODD), ("c.yaml", GOOD)]);
    let run = place.run(&["check", "a.yaml", "b.yaml", "--statistics"]);
    assert_eq!(
        run.out,
        "count  code   level    name\n    2  KV106  warning  unknown_key\n    1  KV303  warning  unguarded_optional\n\n"
    );
    let run = place.run(&["check", "a.yaml", "b.yaml", "--statistics", "--output-format", "json"]);
    let counts: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(counts[0], json!({"code": "KV106", "name": "unknown_key", "level": "warning", "count": 2}));
    assert_eq!(place.run(&["check", "c.yaml", "--statistics"]).out, "");
    assert_eq!(place.run(&["check", "a.yaml", "--statistics", "--output-format", "sarif"]).code, Some(2));
}
