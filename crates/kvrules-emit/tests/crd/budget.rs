//! Rules that the server would find too dear.

use kvrules_emit::{Fidelity, Options};
use kvrules_ir::{Predicate, RegexPattern, ValueTest, ValueType};
use serde_json::Value;

use super::cases::{one_of, place, test};
use super::support::{Server, merged, merged_with, rule, schema, set, standalone, subject_of};

fn matches(pattern: &str) -> ValueTest {
    ValueTest::Matches(RegexPattern(pattern.to_owned()))
}

/// Each element of a list, where it has a field, has one that passes.
fn each(list: &str, field: &str, wanted: ValueTest) -> Predicate {
    let found = place(field, ValueType::String);
    let absent = Predicate::negation_of(Predicate::presence_of(found.clone()));
    Predicate::each_element(place(list, ValueType::List), Predicate::any_of([absent, test(found, wanted)]))
}

fn validation_rules(schema: &Value) -> Vec<String> {
    kvrules_apiserver::cost::review_rules(schema, "spec.validation")
        .rules
        .into_iter()
        .map(|rule| rule.rule)
        .collect()
}

#[test]
fn a_list_of_values_becomes_equations_where_it_is_too_dear() {
    let emission = standalone(&set(vec![rule("bus", each("disks?", "^bus?", one_of(&["sata", "scsi"])))]));
    let schema = schema(&emission.files[0].text);
    assert_eq!(validation_rules(&schema), ["self == 'sata' || self == 'scsi'"]);
    assert_eq!(emission.fidelity[0].fidelity, Fidelity::Exact);
    Server::new(&schema);
}

#[test]
fn a_field_and_its_value_are_asked_for_apart_where_both_together_are_too_dear() {
    for bus in ["^bus?", "^bus~"] {
        asked_for_apart(test(place(bus, ValueType::String), one_of(&["sata", "scsi", "virtio"])));
    }
}

fn asked_for_apart(wanted: Predicate) {
    let emission = standalone(&set(vec![rule(
        "bus",
        Predicate::each_element(place("disks?", ValueType::List), wanted),
    )]));
    let schema = schema(&emission.files[0].text);
    assert_eq!(
        validation_rules(&schema),
        ["has(self.bus)", "self == 'sata' || self == 'scsi' || self == 'virtio'"]
    );
    assert_eq!(emission.fidelity[0].fidelity, Fidelity::Exact);
    Server::new(&schema);
}

#[test]
fn a_keyword_says_what_no_rule_can_afford() {
    let many: Vec<String> = (0..20).map(|number| format!("bus{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let rules = vec![
        rule("one of many", each("disks?", "^bus?", one_of(&many))),
        rule("name", each("disks?", "^name?", matches("^[a-z]+$"))),
    ];
    let emission = standalone(&set(rules));
    let schema = schema(&emission.files[0].text);
    let fields = &schema["properties"]["disks"]["items"]["properties"];
    assert_eq!(fields["bus"]["enum"].as_array().unwrap().len(), 20);
    assert_eq!(fields["name"]["pattern"], "^[a-z]+$");
    assert!(
        emission.fidelity.iter().all(|entry| entry.fidelity == Fidelity::Exact),
        "{:?}",
        emission.fidelity
    );
    Server::new(&schema);
}

/// Two fields of each element of a list are equal texts: nothing but bounds makes this fit.
fn dear() -> Predicate {
    let text = |path: &str| kvrules_ir::Operand::Text(place(path, ValueType::String));
    let relation = kvrules_ir::OperandRelation::Equal;
    let compare = Predicate::Compare { left: text("^a"), relation, right: text("^b") };
    Predicate::each_element(place("l?", ValueType::List), compare)
}

const WITHOUT_BOUNDS: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          l:
            type: array
            items:
              type: object
              required: [a, b]
              properties:
                a: {type: string}
                b: {type: string}
";

#[test]
fn our_own_schema_is_bounded_and_says_so() {
    let emission = standalone(&set(vec![rule("equal", dear())]));
    let Fidelity::Narrower(cause) = &emission.fidelity[0].fidelity else { panic!("{:?}", emission.fidelity) };
    assert!(cause.contains("`maxItems: 31` at `.l`"), "{cause}");
    let schema = schema(&emission.files[0].text);
    assert_eq!(schema["properties"]["l"]["maxItems"], 31);
    Server::new(&schema);
}

#[test]
fn a_schema_of_somebody_else_is_not_bounded_unasked() {
    let (set, subject) = (set(vec![rule("equal", dear())]), subject_of("Thing"));
    let emission = merged(&set, &subject, WITHOUT_BOUNDS).unwrap();
    assert_eq!(emission.files[0].text, WITHOUT_BOUNDS);
    let Fidelity::Unsupported(cause) = &emission.fidelity[0].fidelity else {
        panic!("{:?}", emission.fidelity)
    };
    assert!(cause.contains("`maxItems: 31` at `.l` would reduce it enough"), "{cause}");

    let requested = Options::from([(("crd".to_owned(), "add-bounds".to_owned()), "true".to_owned())]);
    let emission = merged_with(&set, &subject, WITHOUT_BOUNDS, &requested).unwrap();
    assert!(matches!(emission.fidelity[0].fidelity, Fidelity::Narrower(_)), "{:?}", emission.fidelity);
    assert!(emission.files[0].text.contains("            type: array\n            maxItems: 31\n"));
    Server::new(&schema(&emission.files[0].text));
}

#[test]
fn the_rules_of_a_schema_share_a_budget() {
    let rule = |number: usize| {
        rule(&format!("rule {number}"), {
            let text = place("s?", ValueType::String);
            let pattern = format!("^[a-z0-9]([-a-z0-9]*[a-z0-9])?[{number}]$");
            Predicate::any_of([
                Predicate::negation_of(Predicate::presence_of(text.clone())),
                test(text, matches(&pattern)),
            ])
        })
    };
    let emission = standalone(&set((0..60).map(rule).collect()));
    let schema = schema(&emission.files[0].text);
    let report = kvrules_apiserver::cost::review_rules(&schema, "spec.validation");
    assert!(report.total_cost <= 100_000_000, "{}", report.total_cost);
    assert_eq!(report.errors, []);
    let count = |word: &str| emission.fidelity.iter().filter(|entry| entry.fidelity.as_str() == word).count();
    let (exact, narrower, unsupported) = (count("exact"), count("narrower"), count("unsupported"));
    println!(
        "{exact} exact, {narrower} narrower, {unsupported} unsupported, for {} in sum",
        report.total_cost
    );
    assert_eq!([exact, narrower, unsupported], [59, 1, 0]);
    assert!(emission.fidelity.iter().any(|entry| {
        entry.fidelity.cause().is_some_and(|cause| cause.contains("the other rules of the schema leave"))
    }));
}
