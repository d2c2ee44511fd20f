//! `docs --extra-specs`: pages about extra specs, the same as data, and whether committed pages are stale.

use serde_json::Value;

use crate::place::Place;

const OWN: &str = "\
kind: ExtraSpecDefinitions
version: 1
definitions:
  - name: acme:tier
    description: The service level. Support answers by it.
    value:
      type: string
      enum: [{value: gold, description: Answers **soon**.}, silver]
  - name: acme:disk.{num}
    description: The size of a disk.
    parameters:
      - {name: num, pattern: '[0-9]{1,2}', description: The number of the disk.}
    value: {type: integer, min: 1024, description: 'The size, in MiB.'}
    requires: [acme:tier, hw:cpu_policy]
  - name: acme:speed
    description: How fast it is.
    value: {type: boolean}
    status: {deprecated: {since: '2.0', reason: tiers say more., replacement: acme:tier}}
";

fn place() -> Place {
    Place::with(&[("own.yaml", OWN)])
}

const MAKE: [&str; 5] = ["docs", "--extra-specs", "own.yaml", "--out-dir", "o"];

#[test]
fn each_namespace_has_a_page_and_the_index_names_them_all() {
    let place = place();
    let run = place.run(&MAKE);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "wrote 15 pages to o\n"));
    let index = place.read("o/index.md");
    assert!(index.contains("\n528 extra specs in 13 namespaces.\n"), "{index}");
    assert!(index.contains("\n- [`acme:tier`](acme.md#acme-tier): The service level.\n"), "{index}");
    assert!(
        index.contains("\n- [`acme:speed`](acme.md#acme-speed) (deprecated): How fast it is.\n"),
        "{index}"
    );
    let page = place.read("o/acme.md");
    for line in [
        "<a id=\"acme-tier\"></a>\n\n## `acme:tier`\n\nThe service level. Support answers by it.\n",
        "The value must be `gold` or `silver`.\n",
        "- **Minimum:** 1 GiB, written `1024`\n",
        "  - `{num}` is `[0-9]{1,2}` (1 to 2 of 0–9): The number of the disk.\n",
        "- **Requires:** [`acme:tier`](acme.md#acme-tier), [`hw:cpu_policy`](hw.md#hw-cpu_policy)\n",
        "- **Support:** Deprecated since 2.0: tiers say more. Use [`acme:tier`](acme.md#acme-tier) instead.\n",
        "- **Valid keys:** `acme:disk.0`\n",
        "- **Passes:** `1024`, `1025`\n",
        "- **Exact in:** `glance-metadefs`, `json-schema`\n",
        "- **Defined in:** own.yaml, line 4\n",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
    let hw = place.read("o/hw.md");
    assert!(hw.contains("- **Virt drivers:** `libvirt`\n") && hw.contains("- **Since:** 13.0.0\n"), "{hw}");
}

#[test]
fn descriptions_are_laid_out_in_the_notation_that_the_configuration_names() {
    for (notation, expected) in [
        ("markdown", "  - `gold`: Answers **soon**.\n"),
        ("restructuredtext", "  - `gold`: Answers **soon**.\n"),
        ("plain", "  - `gold`: Answers \\*\\*soon\\*\\*.\n"),
    ] {
        let place = place();
        let config = format!(
            "[docs]\ntext = '{notation}'\nextra-specs-dir = 'pages'\n[extra-specs]\ndefinitions = ['own.yaml']\n"
        );
        place.write("kvrules.toml", config);
        let run = place.run(&["docs", "--extra-specs", "--own-only"]);
        assert_eq!((run.code, run.err.as_str()), (Some(0), "wrote 2 pages to pages\n"), "{notation}");
        let page = place.read("pages/acme.md");
        assert!(page.contains(expected), "{notation}\n{page}");
        assert!(page.contains("`acme:tier`](acme.md#acme-tier), `hw:cpu_policy`\n"), "not described: {page}");
    }
}

#[test]
fn stale_and_removed_pages_are_shown_as_a_diff() {
    let place = place();
    assert_eq!(place.run(&MAKE).code, Some(0));
    let check = [&MAKE[..], &["--check"]].concat();
    assert_eq!(place.run(&check).code, Some(0));
    place.write("own.yaml", OWN.replace("acme:", "bcme:"));
    let run = place.run(&check);
    assert_eq!(run.code, Some(1));
    assert!(run.out.contains("--- /dev/null\n+++ b/o/bcme.md\n"), "{run:?}");
    assert!(run.out.contains("--- a/o/acme.md\n+++ /dev/null\n"), "{run:?}");
    assert!(run.out.contains("\n-## `acme:tier`\n"), "{run:?}");
    assert!(run.err.contains("run `kvrules docs --extra-specs`"), "{run:?}");
}

#[test]
fn data_about_extra_specs_is_what_its_schema_says() {
    let place = place();
    let run = place.run(&["docs", "--extra-specs", "--format", "json", "own.yaml"]);
    let document: Value = serde_json::from_str(&run.out).unwrap();
    let schema: Value = serde_json::from_str(&place.run(&["schema", "extra-spec-pages"]).out).unwrap();
    jsonschema::validate(&schema, &document).unwrap();
    let group = document["groups"].as_array().unwrap().iter().find(|group| group["name"] == "trait").unwrap();
    assert!(group["specs"][1]["members"].as_array().unwrap().len() > 300);
}

#[test]
fn a_template_of_the_user_is_in_the_data_too() {
    let place = place();
    place.write("mine/markdown/_extra_spec_body.md.j2", "about {{ spec.name | code }}\n");
    let make = ["docs", "--extra-specs", "--own-only", "own.yaml", "--templates", "mine", "--format", "json"];
    let run = place.run(&make);
    let document: Value = serde_json::from_str(&run.out).unwrap();
    let body = &document["groups"][0]["specs"][2]["body"];
    assert_eq!(body["markdown"], "about `acme:tier`\n");
    assert_eq!(body["restructuredtext"], Value::Null);
}

#[test]
fn what_cannot_be_shown_is_said() {
    let place = Place::with(&[("own.yaml", OWN), ("bad.yaml", &OWN.replace("type: string", "type: strong"))]);
    let run = place.run(&["docs", "own.yaml", "--out-dir", "o"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("`kvrules docs --extra-specs` generates pages about extra specs"), "{run:?}");
    assert_eq!(place.run(&["docs", "--extra-specs", "bad.yaml", "--out-dir", "o"]).code, Some(1));
    let run = place.run(&["docs", "--extra-specs", "--own-only", "--out-dir", "o"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("no definitions of your own found"), "{run:?}");
    assert!(!place.path("o").exists());
}
