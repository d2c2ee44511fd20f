//! Evaluating machines: how many rules a second one core evaluates by their meaning, on machines that are parsed already and
//! from JSON text, and the emulator of the deployed validator from text. Beside each figure stands what the same run
//! takes for work that no engine can do without: a bare parse of the same text, a walk over the same values, and a bare
//! look-up for each rule. No figure of the validator itself is recorded, so none is compared with.

use std::hint::black_box;
use std::time::Duration;

use kvrules_eval::Program;
use kvrules_ir::{PlaceStep, Selector};
use kvrules_template_validator::{Machine, Rules};
use kvrules_tests::{
    bench::{compare_times, duration_ratio},
    repository_root, spec, template_bundles,
};
use serde_json::Value;

const ROUNDS: usize = 25;

/// A machine and the rules that it carries, prepared once as a webhook would hold them.
struct Case {
    text: String,
    machine: Value,
    programs: Vec<Program>,
    /// For each rule, where a bare look-up would find its value or the first list on the way.
    names: Vec<Vec<String>>,
    deployed: Rules,
}

fn main() {
    for (name, text) in inputs() {
        let cases = cases(&text);
        let rules: usize = cases.iter().map(|case| case.programs.len()).sum();
        if rules == 0 {
            println!("eval {name}: no rules");
            continue;
        }
        let bytes: usize = cases.iter().map(|case| case.text.len()).sum();
        println!("eval {name}: {rules} rules on {} machines of {bytes} bytes of JSON", cases.len());
        parsed(&cases, rules);
        from_text(&cases, rules);
    }
}

/// The released bundles; without them our own example, many times over.
fn inputs() -> Vec<(String, String)> {
    let bundles = template_bundles();
    if !bundles.is_empty() {
        return bundles;
    }
    println!("an example stands in for the released bundles");
    let example = std::fs::read_to_string(repository_root().join("docs/examples/linux-server.yaml"))
        .unwrap_or_default();
    vec![("linux-server.yaml × 100".to_owned(), vec![example; 100].join("\n---\n"))]
}

fn cases(bundle: &str) -> Vec<Case> {
    let templates = bundle.split("\n---\n").filter_map(|text| serde_yaml::from_str::<Value>(text).ok());
    templates.filter_map(|template| case(&template)).collect()
}

fn case(template: &Value) -> Option<Case> {
    let machine = template["objects"].as_array()?.iter().find(|object| object["kind"] == "VirtualMachine")?;
    let annotation = machine["metadata"]["annotations"]["vm.kubevirt.io/validations"].as_str()?;
    let rules: Vec<_> = spec::read_rules(annotation).into_iter().filter_map(|rule| rule.rule.ok()).collect();
    Some(Case {
        text: machine.to_string(),
        machine: machine.clone(),
        programs: rules.iter().filter_map(|rule| Program::new(rule).ok()).collect(),
        names: rules.iter().map(|rule| names(&rule.requirement.subject)).collect(),
        deployed: Rules::decode_annotation(annotation).ok()?,
    })
}

/// The names on the way to a rule's values, or to the first list on it.
fn names(selector: &Selector) -> Vec<String> {
    let first = selector.lists.first().unwrap_or(&selector.leaf);
    let names = first.steps.iter().map_while(|step| match step {
        PlaceStep::Field { name, .. } | PlaceStep::Key(name) => Some(name.clone()),
        PlaceStep::Item(_) => None,
    });
    names.collect()
}

/// On machines that are parsed, against a bare look-up for each rule and a walk over each machine.
fn parsed(cases: &[Case], rules: usize) {
    let look = || cases.iter().for_each(look_up);
    let judge = || each(cases, |case| rejects(case, &case.machine));
    let walk = || each(cases, |case| size(&case.machine));
    let (looked, evaluated) = compare_times(ROUNDS * 4, look, judge);
    let (walked, _) = compare_times(ROUNDS * 4, walk, judge);
    println!("  parsed  {:.1} million rules a second (goal 1)", millions(rules, evaluated));
    println!(
        "          {:.2} × a bare look-up for each rule, {:.2} × a walk over each machine",
        duration_ratio(evaluated, looked),
        duration_ratio(evaluated, walked)
    );
}

/// From JSON text, against a bare parse of it.
fn from_text(cases: &[Case], rules: usize) {
    let bare = || each(cases, |case| decode(&case.text));
    let meaning = || each(cases, |case| rejects(case, &decode(&case.text)));
    let placed = || each(cases, |case| rejects(case, &spec::parse_machine(&case.text).unwrap_or_default()));
    let deployed = || each(cases, allows);
    for (name, work) in [
        ("spec    from text", &meaning as &dyn Fn()),
        ("spec    from text, by the parser that knows places", &placed),
        ("ssp     from text", &deployed),
    ] {
        let (parse, evaluated) = compare_times(ROUNDS, bare, work);
        println!(
            "  {name}: {:.2} × a bare serde_json parse; {:.0} thousand machines, {:.0} thousand rules a second",
            duration_ratio(evaluated, parse),
            millions(cases.len(), evaluated) * 1e3,
            millions(rules, evaluated) * 1e3
        );
    }
}

/// Does something with every case; what comes of it must not be left out by the compiler.
fn each<T>(cases: &[Case], work: impl Fn(&Case) -> T) {
    for case in cases {
        black_box(work(case));
    }
}

fn millions(count: usize, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64().max(f64::EPSILON) / 1e6
}

fn decode(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn rejects(case: &Case, machine: &Value) -> usize {
    case.programs.iter().filter(|program| program.evaluate_object(machine).rejects_object()).count()
}

fn allows(case: &Case) -> bool {
    Machine::decode_json(&case.text)
        .is_ok_and(|machine| case.deployed.evaluate_machine(&machine).is_allowed())
}

fn look_up(case: &Case) {
    for names in &case.names {
        black_box(names.iter().try_fold(&case.machine, |value, name| value.get(name)));
    }
}

/// Returns the number of values in a value.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum::<usize>(),
        Value::Object(members) => members.values().map(size).sum(),
        _ => 0,
    }
}
