//! The formats of `check` that services for continuous integration read.

use serde_json::Value;

use crate::place::{BAD, GOOD, ODD, Place};

fn check(place: &Place, format: &str, args: &[&str]) -> crate::place::Run {
    place.run(&[&["check", ".", "--output-format", format], args].concat())
}

fn place() -> Place {
    Place::with(&[("bad.yaml", BAD), ("good.yaml", GOOD), ("odd/<&>.yaml", ODD)])
}

#[test]
fn junit_is_red_exactly_when_the_exit_status_is_1() {
    let place = place();
    let levels = ["error", "warning", "info", "never"].map(|level| ["--fail-on", level]);
    for args in levels.iter().map(|args| &args[..]).chain([&["--exit-zero"][..], &["--ignore", "KV205"]]) {
        let run = check(&place, "junit", args);
        let report = roxmltree::Document::parse(&run.out).unwrap();
        let red = report.descendants().any(|node| node.has_tag_name("failure"));
        assert_eq!(run.code, Some(i32::from(red)), "{args:?}: {}", run.out);
    }
}

#[test]
fn junit_has_a_suite_for_each_file_whatever_its_name() {
    let run = check(&place(), "junit", &[]);
    let report = roxmltree::Document::parse(&run.out).unwrap();
    let suites = report.descendants().filter(|node| node.has_tag_name("testsuite"));
    let suites: Vec<_> = suites.map(|suite| suite.attribute("name").unwrap()).collect();
    assert_eq!(suites, ["bad.yaml", "good.yaml", "odd/<&>.yaml"]);
    let clean = report.descendants().find(|node| node.attribute("classname") == Some("good.yaml")).unwrap();
    assert_eq!((clean.attribute("name"), clean.has_children()), (Some("no findings"), false));
}

#[test]
fn gitlab_knows_a_finding_again_when_lines_move() {
    let place = place();
    let issues = || -> Vec<Value> { serde_json::from_str(&check(&place, "gitlab", &[]).out).unwrap() };
    let old = issues();
    place.write("bad.yaml", format!("# a line more\n\n{BAD}"));
    let new = issues();
    assert_eq!(old.len(), 2);
    for (old, new) in old.iter().zip(&new) {
        assert_eq!(old["fingerprint"], new["fingerprint"]);
    }
    assert_eq!(
        (&new[0]["location"]["path"], &new[0]["location"]["lines"]["begin"]),
        (&"bad.yaml".into(), &6.into())
    );
}

#[test]
fn json_lines_are_the_items_of_the_array() {
    let place = place();
    let array: Vec<Value> = serde_json::from_str(&check(&place, "json", &[]).out).unwrap();
    let lines = check(&place, "jsonl", &[]).out;
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, array);
    assert_eq!(lines.len(), 2);
}

#[test]
fn sarif_describes_each_code_by_what_it_finds() {
    let log: Value = serde_json::from_str(&check(&place(), "sarif", &[]).out).unwrap();
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), 2);
    for rule in rules {
        let lint = kvrules::all_lints().iter().find(|lint| rule["id"] == lint.code).unwrap();
        assert_eq!(rule["shortDescription"]["text"], lint.summary);
        assert_eq!(rule["helpUri"], Value::Null);
    }
}

#[test]
fn sarif_links_to_the_pages_of_a_site() {
    let place = place();
    let uris = |args: &[&str]| -> Vec<String> {
        let log: Value = serde_json::from_str(&check(&place, "sarif", args).out).unwrap();
        let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
        rules.iter().map(|rule| rule["helpUri"].as_str().unwrap().to_owned()).collect()
    };
    place.write("kvrules.toml", "[lint]\npage-url = 'https://site.example/{code}'\n");
    let configured = uris(&[]);
    assert!(configured.iter().any(|uri| uri == "https://site.example/KV205"), "{configured:?}");
    let given = uris(&["--page-url", "https://rules.example/lints/"]);
    let pages = given.iter().map(|uri| uri.strip_prefix("https://rules.example/lints/").unwrap());
    for page in pages {
        let page = page.strip_suffix(".html").unwrap();
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../docs/lints")
            .join(format!("{page}.md"));
        assert!(path.is_file(), "{page}");
    }
    // A terminal is needed for links.
    assert!(!check(&place, "human", &["--color", "always"]).out.contains("]8;;"));
    place.write("kvrules.toml", "[lint]\npage-url = 'site.example'\n");
    let run = check(&place, "human", &[]);
    assert!(run.err.contains("address of pages must begin with `https://` or `http://`"), "{run:?}");
    assert!(run.err.contains("kvrules.toml:2:12"), "{run:?}");
}

#[test]
fn github_points_at_lines_and_columns() {
    let run = check(&place(), "github", &[]);
    assert!(
        run.out.starts_with("::error file=bad.yaml,line=4,endLine=4,col=41,endColumn=45,title=KV205::"),
        "{run:?}"
    );
}
