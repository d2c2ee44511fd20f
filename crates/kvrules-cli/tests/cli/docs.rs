//! `docs`: pages for people, the same as data, and whether committed pages are stale.

use serde_json::Value;

use crate::place::Place;

const RULES: &str = r#"vm.kubevirt.io/validations: |
  [{
    "name": "memory", "rule": "integer", "message": "more **memory**",
    "path": "jsonpath::.spec.domain.memory.guest", "min": 1073741824
  }, {
    "name": "host", "rule": "regex", "message": "a short name", "valid": "jsonpath::.spec.hostname",
    "path": "jsonpath::.spec.hostname", "regex": "^[a-z0-9-]{1,63}$"
  }]
"#;

fn place() -> Place {
    Place::with(&[("rules.yaml", RULES)])
}

#[test]
fn pages_are_written_and_found_fresh_until_a_rule_changes() {
    let place = place();
    let make = ["docs", "rules.yaml", "--out-dir", "o"];
    let run = place.run(&make);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "wrote 2 pages to o\n"));
    assert_eq!(place.files("o"), [".kvrules-manifest", "index.md", "rules.md"]);
    assert!(place.read("o/rules.md").contains("- **Minimum:** 1 GiB (1073741824 bytes), written `1Gi`\n"));

    let check = [&make[..], &["--check"]].concat();
    let run = place.run(&check);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{run:?}");

    place.write("rules.yaml", RULES.replace("1073741824", "2147483648"));
    let run = place.run(&check);
    assert_eq!(run.code, Some(1));
    assert!(run.out.starts_with("--- a/o/rules.md\n+++ b/o/rules.md\n"), "{run:?}");
    assert!(run.out.contains("\n+- **Minimum:** 2 GiB (2147483648 bytes), written `2Gi`\n"), "{run:?}");
    assert!(run.err.contains("run `kvrules docs`"), "{run:?}");
    assert!(place.read("o/rules.md").contains("1 GiB"), "nothing is written");
}

#[test]
fn a_page_that_is_no_longer_made_is_stale_and_can_be_removed() {
    let place = Place::with(&[("one.yaml", RULES), ("two.yaml", &RULES.replace("1073741824", "1"))]);
    assert_eq!(place.run(&["docs", "one.yaml", "two.yaml", "--out-dir", "o"]).code, Some(0));
    let run = place.run(&["docs", "one.yaml", "--out-dir", "o", "--check"]);
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("no longer generated: o/two.md"), "{run:?}");
    assert_eq!(place.run(&["docs", "one.yaml", "--out-dir", "o", "--prune"]).code, Some(0));
    assert_eq!(place.files("o"), [".kvrules-manifest", "index.md", "one.md"]);
}

#[test]
fn the_configuration_says_where_pages_go_how_messages_are_written_and_where_lines_are_looked_at() {
    let place = place();
    let config = "inputs = ['rules.yaml']\n[docs]\nformat = 'restructuredtext'\nout-dir = 'pages'\ntext = \
                  'markdown'\nsource-link = 'https://git.example/{file}#L{line}'\n";
    place.write("kvrules.toml", config);
    assert_eq!(place.run(&["docs"]).code, Some(0));
    let page = place.read("pages/rules.rst");
    assert!(page.contains(":Message: more **memory**\n"), "{page}");
    assert!(page.contains("`rules.yaml, line 2 <https://git.example/rules.yaml#L2>`__"), "{page}");
    place.write("kvrules.toml", "[docs]\nformat = 'pdf'\n");
    let run = place.run(&["docs", "rules.yaml"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("kvrules.toml:2"), "{run:?}");
}

#[test]
fn data_is_what_its_schema_says() {
    let place = place();
    let run = place.run(&["docs", "rules.yaml", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let document: Value = serde_json::from_str(&run.out).unwrap();
    let schema: Value = serde_json::from_str(&place.run(&["schema", "pages"]).out).unwrap();
    jsonschema::validate(&schema, &document).unwrap();
    let rule = &document["sets"][0]["rules"][0];
    assert_eq!(rule["limits"][0]["machine"], "1073741824");
    assert_eq!(rule["limits"][0]["human"], "1 GiB");
    assert_eq!(rule["examples"]["fails"][0]["code"], "1073741823");
    assert_eq!(rule["source"]["line"], 2);
    assert_eq!(document["sets"][0]["rules"][1]["pattern"]["reading"]["plain"], "1 to 63 of a–z, 0–9, `-`");
}

#[test]
fn a_template_of_the_user_lays_pages_out_and_is_named_with_its_line_where_it_is_broken() {
    let place = place();
    place.write("mine/html/_rule.html.j2", "<p>{{ rule.name }}</p>\n");
    let run = place.run(&["docs", "rules.yaml", "--format", "html", "--out-dir", "o", "--templates", "mine"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(place.read("o/rules.html").contains("\n<p>memory</p>\n"));
    place.write("mine/html/_rule.html.j2", "one\n{{ rule.nmae }}\n");
    let run = place.run(&["docs", "rules.yaml", "--format", "html", "--out-dir", "o", "--templates", "mine"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("template `html/_rule.html.j2`, line 2: undefined value"), "{run:?}");
}

#[test]
fn rule_sets_can_share_a_page() {
    let two = RULES.replace("1073741824", "1");
    let place = Place::with(&[("win-a.yaml", RULES), ("win-b.yaml", two.as_str())]);
    let args = ["docs", "win-a.yaml", "win-b.yaml", "--out-dir", "o", "--group-by", "name"];
    assert_eq!(place.run(&args).code, Some(0));
    assert_eq!(place.files("o"), [".kvrules-manifest", "index.md", "win.md"]);
    let page = place.read("o/win.md");
    assert!(
        page.contains("\n# win\n") && page.contains("\n## win-a\n") && page.contains("\n## win-b\n"),
        "{page}"
    );
    assert!(page.contains("<a id=\"memory-2\"></a>\n\n### memory\n"), "anchors differ on one page: {page}");
    assert!(place.read("o/index.md").contains("- [win-b](win.md#win-b): 2 rules\n"));
}

#[test]
fn pages_need_a_place_and_rules_that_can_be_read() {
    let place = Place::with(&[("rules.yaml", RULES), ("bad.yaml", "vm.kubevirt.io/validations: '[{]'\n")]);
    let run = place.run(&["docs", "rules.yaml"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("missing output directory for pages"), "{run:?}");
    assert_eq!(place.run(&["docs", "bad.yaml", "--out-dir", "o"]).code, Some(1));
    assert!(!place.path("o").exists());
}
