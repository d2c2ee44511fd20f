//! Files that are read, and the reports about those that cannot be.

use crate::place::{BAD, GOOD, Place};

/// The files that a run has findings in, given files that all have one.
fn checked(place: &Place, args: &[&str]) -> Vec<String> {
    let run = place.run(&[&["check", "--output-format", "concise"], args].concat());
    run.out.lines().map(|line| line.split(':').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_directory_stands_for_the_files_below_it_that_may_hold_rules() {
    let place = Place::with(&[
        ("d/b.yml", BAD),
        ("d/a.yaml", BAD),
        ("d/e/c.YAML", BAD),
        ("d/no.txt", BAD),
        ("d/.git/x.yaml", BAD),
    ]);
    assert_eq!(checked(&place, &["d"]), ["d/a.yaml", "d/b.yml", "d/e/c.YAML"]);
    assert_eq!(checked(&place, &["."]), ["d/a.yaml", "d/b.yml", "d/e/c.YAML"]);
}

#[test]
fn what_git_ignores_is_read_only_when_named() {
    let place = Place::with(&[(".gitignore", "build/\n*.gen.yaml\n"), ("a.gen.yaml", BAD), ("b.yaml", BAD)]);
    place.write("build/c.yaml", BAD);
    assert_eq!(checked(&place, &["."]), ["b.yaml"]);
    assert_eq!(checked(&place, &["*.yaml"]), ["b.yaml"]);
    assert_eq!(checked(&place, &["a.gen.yaml"]), ["a.gen.yaml"]);
}

#[test]
fn a_named_file_is_read_whatever_its_extension() {
    let place = Place::with(&[("rules.txt", BAD)]);
    assert_eq!(checked(&place, &["rules.txt"]), ["rules.txt"]);
}

#[test]
fn each_file_is_read_once_in_the_order_in_which_it_was_named() {
    let place = Place::with(&[("d/b.yaml", BAD), ("d/a.yaml", BAD)]);
    assert_eq!(checked(&place, &["d/b.yaml", "./d/b.yaml", "d", "d/*.yaml"]), ["d/b.yaml", "d/a.yaml"]);
}

#[test]
fn quoted_globs_are_expanded() {
    let place = Place::with(&[("d/a.yaml", BAD), ("d/b.yml", BAD), ("d/e/f/c.yaml", BAD), ("x.yaml", BAD)]);
    assert_eq!(checked(&place, &["d/*.yaml"]), ["d/a.yaml"]);
    assert_eq!(checked(&place, &["d/*.{yaml,yml}"]), ["d/a.yaml", "d/b.yml"]);
    assert_eq!(checked(&place, &["**/*.yaml"]), ["d/a.yaml", "d/e/f/c.yaml", "x.yaml"]);
    assert_eq!(checked(&place, &["./?.yaml"]), ["x.yaml"]);
    assert_eq!(checked(&place, &["d/{a.yaml,e/f/c.yaml}"]), ["d/a.yaml", "d/e/f/c.yaml"]);
    let from_root = format!("{}/d/*.yaml", place.path("").canonicalize().unwrap().display());
    assert_eq!(checked(&place, &[&from_root]).len(), 1);
}

#[test]
fn a_file_whose_name_looks_like_a_glob_is_a_file() {
    let place = Place::with(&[("[a].yaml", BAD), ("a.yaml", BAD)]);
    assert_eq!(checked(&place, &["[a].yaml"]), ["[a].yaml"]);
}

#[test]
fn a_glob_that_matches_nothing_is_2_and_the_rest_is_checked() {
    let run = Place::with(&[("a.yaml", GOOD)]).run(&["check", "a.yaml", "*.json"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("error: *.json: no file matches\n"), "{run:?}");
    assert!(
        run.err.contains("checked 1 file, 1 rule in 1 rule set: no findings; 1 file could not be read\n")
    );
}

#[test]
fn a_missing_file_is_2_and_the_rest_is_checked() {
    let run = Place::with(&[("a.yaml", BAD)]).run(&["check", "none.yaml", "a.yaml"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.starts_with("error: none.yaml: no such file or directory\n"), "{run:?}");
    assert!(run.out.contains("KV205"));
}

#[test]
fn a_directory_without_files_is_2() {
    let run = Place::with(&[("d/readme.txt", "")]).run(&["check", "d"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.starts_with("error: no file to read was found\n"), "{run:?}");
}

#[test]
fn a_directory_of_generated_files_is_named_when_nothing_else_is_there() {
    let place = Place::with(&[("a.yaml", GOOD)]);
    assert_eq!(place.run(&["compile", "a.yaml", "-t", "json-schema", "--out-dir", "o"]).code, Some(0));
    let run = place.run(&["check", "o"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("files that kvrules wrote are left out of a search"), "{run:?}");
    assert!(run.err.contains("json-schema` to read them"), "{run:?}");
}

#[test]
#[cfg(unix)]
fn a_loop_of_links_is_told_and_does_not_hold_us_up() {
    use std::os::unix::fs::symlink;
    let place = Place::with(&[("d/a.yaml", GOOD)]);
    symlink("loop.yaml", place.path("d/loop.yaml")).unwrap();
    symlink("..", place.path("d/up")).unwrap();
    let run = place.run(&["check", "d"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("error: d/loop.yaml: too many levels of symbolic links\n"), "{run:?}");
    assert!(run.err.contains("checked 1 file"));
}

#[test]
fn standard_input_is_read_alone_and_has_a_name() {
    let place = Place::with(&[("a.yaml", GOOD)]);
    let run = place.run_with_input(&["check", "-", "--output-format", "concise"], BAD);
    assert_eq!(run.code, Some(1));
    assert!(run.out.starts_with("<stdin>:4:41: "), "{run:?}");
    let page = format!("# Rules\n\n```yaml\n{BAD}```\n");
    let named = ["check", "-", "--output-format", "concise", "--stdin-filename", "page.md"];
    let run = place.run_with_input(&named, &page);
    assert!(run.out.starts_with("page.md:7:41: "), "{run:?}");
    assert_eq!(place.run_with_input(&["check", "-", "a.yaml"], GOOD).code, Some(2));
    assert_eq!(place.run(&["check", "a.yaml", "--stdin-filename", "b.yaml"]).code, Some(2));
}

#[test]
fn bytes_that_are_no_text_are_2_with_line_and_column() {
    let place = Place::with(&[("good.yaml", GOOD)]);
    place.write("latin.yaml", b"a: 1\nname: caf\xe9\n");
    place.write("binary.yaml", b"a: 1\n\x00\x01\x02");
    let utf16: Vec<u8> = "\u{feff}a: 1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    place.write("utf16.yaml", utf16);
    let run = place.run(&["check", "latin.yaml", "binary.yaml", "utf16.yaml", "good.yaml"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(
        run.err,
        "error: latin.yaml:2:10: not UTF-8: unexpected byte 0xE9\n  help: save it as UTF-8\n\
         error: binary.yaml:2:1: unexpected zero byte\n  help: this looks like a binary file\n\
         error: utf16.yaml:1:1: this is UTF-16, not UTF-8\n  help: save it as UTF-8\n\
         checked 1 file, 1 rule in 1 rule set: no findings; 3 files could not be read\n"
    );
}

#[test]
fn a_text_broken_off_anywhere_is_answered() {
    let place = Place::with(&[]);
    let cuts: Vec<_> = (0..BAD.len()).step_by(7).filter(|cut| BAD.is_char_boundary(*cut)).collect();
    for cut in &cuts {
        place.write(&format!("d/{cut:04}.yaml"), BAD.get(..*cut).unwrap_or_default());
    }
    let run = place.run(&["check", "d", "--output-format", "concise"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(!run.err.contains("internal error"));
    // Errors inside the JSON have a location.
    let reported = cuts.iter().filter(|cut| run.out.contains(&format!("d/{cut:04}.yaml:")));
    assert!(reported.count() > cuts.len() / 2, "{run:?}");
}

#[test]
fn deep_and_large_texts_are_answered() {
    let place = Place::with(&[]);
    for (name, text) in [
        ("flow.yaml", "[".repeat(100_000)),
        ("block.yaml", (0..2_000).map(|depth| " ".repeat(depth) + "a:\n").collect()),
        ("json.json", format!("{}{}", "{\"a\":".repeat(50_000), "}".repeat(50_000))),
        ("inner.yaml", format!("validations: '{}'\n", "[".repeat(50_000))),
    ] {
        place.write(&format!("d/{name}"), text);
    }
    let run = place.run(&["check", "d", "--output-format", "concise"]);
    assert_eq!(run.code, Some(1));
    for name in ["flow.yaml", "block.yaml", "json.json", "inner.yaml"] {
        assert!(run.out.contains(&format!("d/{name}:")), "{name}");
    }
    place.write(
        "wide.yaml",
        (0..20_000).map(|n| ["k", &n.to_string(), ": ", &"x".repeat(100), "\n"].concat()).collect::<String>(),
    );
    assert_eq!(place.run(&["check", "--allow-empty", "wide.yaml"]).code, Some(0));
}
