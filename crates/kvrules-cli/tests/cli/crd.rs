//! CustomResourceDefinitions from the command line: `check` knows them, and `cost` prices their rules.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fmt::Write as _;
use std::path::Path;

use crate::place::Place;

/// A definition with a rule that is too dear, and one that does not compile.
const POND: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: ponds, kind: Pond}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          fish:
            type: array # all of them
            items: {type: string}
            x-kubernetes-validations:
            - rule: self.all(fish, fish.matches('^[a-z]+$'))
";

/// The same with a slip in the rule.
fn broken() -> String {
    POND.replace("fish.matches", "fsh.matches")
}

#[test]
fn a_definition_is_checked_beside_rules_in_every_format() {
    let place = Place::with(&[("crd.yaml", &broken()), ("rules.yaml", crate::place::GOOD)]);
    let run = place.run(&["check", "."]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("crd.yaml:20:36"), "{run:?}");
    assert!(run.err.contains("1 rule in 1 rule set, 1 definition with 1 rule: 1 error"), "{run:?}");
    for format in ["concise", "json", "sarif", "github", "gitlab", "junit"] {
        let run = place.run(&["check", "--output-format", format, "."]);
        assert!(run.out.contains("KC303"), "{format}: {run:?}");
    }
}

#[test]
fn findings_in_a_definition_are_selected_ignored_and_accepted_like_others() {
    let place = Place::with(&[("crd.yaml", &broken())]);
    assert_eq!(place.run(&["check", "--ignore", "KC303", "crd.yaml"]).code, Some(0));
    assert_eq!(place.run(&["check", "--select", "expression_type", "crd.yaml"]).code, Some(1));
    let commented = broken()
        .replace("            - rule:", "            # kvrules: ignore[KC303] a test\n            - rule:");
    place.write("crd.yaml", &commented);
    let run = place.run(&["check", "crd.yaml"]);
    assert_eq!((run.code, run.err.contains("1 ignored")), (Some(0), true), "{run:?}");
    place.write("crd.yaml", broken());
    assert_eq!(place.run(&["check", "--baseline", "b.json", "--write-baseline", "crd.yaml"]).code, Some(0));
    assert_eq!(place.run(&["check", "--baseline", "b.json", "crd.yaml"]).code, Some(0));
}

#[test]
fn the_cost_of_a_rule_about_items_names_one_evaluation_and_their_number() {
    let (before, _) = POND.split_once("            x-kubernetes-validations").unwrap();
    let rules = "x-kubernetes-validations: [{rule: \"self.matches('^[a-z]+$')\"}]";
    let at_items = before.replace("{type: string}", &format!("{{type: string, {rules}}}"));
    let run =
        Place::with(&[("crd.yaml", &at_items)]).run(&["check", "--output-format", "concise", "crd.yaml"]);
    let wanted =
        "rule cost 659,708,444,672 exceeds the limit of 10,000,000: 629,147 at each of 1,048,576 evaluations";
    assert!(run.out.contains(wanted), "{run:?}");
}

#[test]
fn bounds_are_written_by_cost_and_by_check_alike() {
    let place = Place::with(&[("a.yaml", POND), ("b.yaml", POND)]);
    assert_eq!(place.run(&["cost", "a.yaml"]).code, Some(1));
    let run = place.run(&["cost", "--diff", "a.yaml"]);
    assert_eq!((run.code, place.read("a.yaml").as_str()), (Some(1), POND), "{run:?}");
    assert_eq!(place.run(&["cost", "--fix", "a.yaml"]).code, Some(0));
    assert_eq!(place.run(&["check", "--fix", "b.yaml"]).code, Some(1), "a bound is no safe repair");
    assert_eq!(place.run(&["check", "--fix", "--unsafe-fixes", "b.yaml"]).code, Some(0));
    let bounded = place.read("a.yaml");
    assert_eq!(bounded, place.read("b.yaml"));
    assert!(bounded.contains("            type: array # all of them\n            maxItems: "), "{bounded}");
    assert!(bounded.contains("            items: {type: string, maxLength: "), "{bounded}");
    assert_eq!(place.run(&["cost", "a.yaml"]).code, Some(0));
    assert_eq!(place.run(&["cost", "--diff", "a.yaml"]).code, Some(0));
}

#[test]
fn costs_are_drawn_on_a_page() {
    let place =
        Place::with(&[("a<b>&.yaml", &POND.replace("fish.matches", "'<script>&' != fish && fish.matches"))]);
    for (args, wanted) in [
        (&["cost", "--output-format", "html", "."][..], ", over the budget of 10,000,000</text>"),
        (&["cost", "--matrix", "--output-format", "html", "."][..], " in 1.25..1.36 (over budget)"),
    ] {
        let run = place.run(args);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.out.starts_with("<!DOCTYPE html>\n") && run.out.contains(wanted), "{run:?}");
        assert!(run.out.contains("<h2>ponds.example.com v1</h2>\n<p>a&lt;b&gt;&amp;.yaml:2</p>"), "{run:?}");
        assert!(run.out.contains("&lt;script&gt;") && !run.out.contains("<script>"), "{run:?}");
    }
}

#[test]
fn pages_of_costs_and_changes_name_no_directory_of_the_machine() {
    let place = Place::with(&[
        ("crds/pond.yaml", POND),
        ("here/other.yaml", &POND.replace("type: string}", "type: string, maxLength: 8}")),
    ]);
    let (pond, other) = (place.path("crds/pond.yaml"), place.path("here/other.yaml"));
    let (pond, other) = (pond.to_str().unwrap(), other.to_str().unwrap());
    for (directory, shown) in [(".", "<p>crds/pond.yaml:2</p>"), ("here", "<p>pond.yaml:2</p>")] {
        for args in [
            &["cost", "--output-format", "html", pond][..],
            &["cost", "--matrix", "--output-format", "html", pond],
        ] {
            let run = place.run_in(directory, args);
            assert!(run.out.contains(shown) && !run.out.contains(pond), "{run:?}");
        }
        let run = place.run_in(directory, &["diff", pond, other, "--output-format", "html"]);
        assert!(run.out.starts_with("<!DOCTYPE html>") && run.out.contains("pond.yaml"), "{run:?}");
        assert!(!run.out.contains(pond) && !run.out.contains(other), "{run:?}");
    }
}

#[test]
fn costs_are_told_to_programs() {
    let place = Place::with(&[("crd.yaml", POND)]);
    let run = place.run(&["cost", "--format", "json", "crd.yaml"]);
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let version = &report["files"][0]["definitions"][0]["versions"][0];
    assert_eq!((&version["name"], &version["over"]), (&"v1".into(), &true.into()));
    let rule = &version["rules"][0];
    assert_eq!(rule["schemaPath"], "openAPIV3Schema.properties[fish]");
    assert_eq!((&rule["line"], &rule["evaluations"], &rule["over"]), (&20.into(), &1.into(), &true.into()));
    assert_eq!(rule["bounds"][0]["keyword"], "maxItems");
    assert_eq!(rule["bounds"][1]["name"], "fish[]");
}

#[test]
fn what_cannot_be_read_is_never_called_cheap() {
    let place = Place::with(&[
        ("half.yaml", "kind: CustomResourceDefinition\nspec: {a: [\n"),
        ("other.yaml", "a: 1\n"),
    ]);
    place.write("binary.yaml", b"kind: CustomResourceDefinition\n\x00\xff");
    for file in ["half.yaml", "other.yaml", "binary.yaml", "absent.yaml"] {
        let run = place.run(&["cost", file]);
        assert_eq!(run.code, Some(2), "{file}: {run:?}");
    }
    let chart = POND.replace("type: array # all of them", "type: {{ .Values.a }}: array");
    place.write("templates/chart.yaml", chart);
    let run = place.run(&["check", "templates/chart.yaml"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("the template cannot be read without rendering"), "{run:?}");
    assert_eq!(place.run(&["cost", "templates/chart.yaml"]).code, Some(2));
}

#[test]
fn a_definition_on_standard_input_is_priced_and_never_written() {
    let place = Place::with(&[]);
    let run = place.run_with_input(&["cost", "-"], POND);
    assert!(run.out.contains("<stdin>:2") && run.code == Some(1), "{run:?}");
    assert_eq!(place.run_with_input(&["cost", "--fix", "-"], POND).code, Some(2));
}

/// The guide with what each command prints below it, standard output and then standard error.
fn shown(page: &str) -> String {
    let example = |name: &str| {
        let (_, example) = page.split_once(&format!("```yaml\n# {name}\n")).unwrap();
        let (example, _) = example.split_once("```\n").unwrap();
        format!("# {name}\n{example}")
    };
    let place = Place::with(&[("pond.yaml", &example("pond.yaml")), ("lake.yaml", &example("lake.yaml"))]);
    let mut made = String::new();
    let mut parts = page.split("```console\n");
    made.push_str(parts.next().unwrap());
    for part in parts {
        let (block, rest) = part.split_once("```\n").unwrap();
        made.push_str("```console\n");
        for command in block.lines().filter_map(|line| line.strip_prefix("$ kvrules ")) {
            let args: Vec<&str> = command.split_whitespace().collect();
            let run = place.run(&args);
            let _ = write!(made, "$ kvrules {command}\n{}{}", run.out, run.err);
        }
        made.push_str("```\n");
        made.push_str(rest);
    }
    made
}

#[test]
fn the_guide_shows_what_the_commands_print() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/crds.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let made = shown(&page);
    if std::env::var_os("KVRULES_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    assert!(
        page == made || std::env::var_os("KVRULES_BLESS").is_some(),
        "run this with KVRULES_BLESS=1:\n{made}"
    );
}
