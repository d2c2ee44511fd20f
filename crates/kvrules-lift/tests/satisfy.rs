//! Values are changed until all rules of a schema hold, or all but one, and the emulation of the server says the same.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use kvrules_apiserver::object::ObjectSchema;
use kvrules_generate::ObjectGenerator;
use kvrules_lift::{
    DefinitionRule, FormulaGoal, FormulaSatisfier, LiftedExpression, definition_rules, lift_rule,
};
use serde_json::{Value as Json, json};

/// Number of times that a value is made.
const ATTEMPTS: usize = 8;

/// The rules of a schema, with their formulas.
fn lifted_rules(schema: &Json) -> Vec<(DefinitionRule<'static>, LiftedExpression)> {
    let lifted = |rule: DefinitionRule<'static>| lift_rule(&rule, 40).map(|lifted| (rule, lifted.formulas));
    definition_rules(schema).into_iter().map(lifted).collect::<Result<_, _>>().unwrap()
}

fn schema_of(spec: &Json, rules: &[&str]) -> Json {
    let rules: Vec<Json> = rules.iter().map(|rule| json!({ "rule": rule })).collect();
    let mut spec = spec.as_object().cloned().unwrap_or_default();
    spec.extend([
        ("type".to_owned(), json!("object")),
        ("x-kubernetes-validations".to_owned(), json!(rules)),
    ]);
    json!({"type": "object", "required": ["spec"], "properties": {"spec": spec}})
}

/// Returns a value that all rules accept, or that one alone rejects, without an error in its evaluation.
fn find_value(schema: &Json, rejecting: Option<usize>) -> Option<Json> {
    let server = ObjectSchema::new(schema).without_metadata_checks();
    let rules = lifted_rules(schema);
    let goals = rules.iter().enumerate().map(|(number, (rule, formulas))| {
        let is_rejecting = rejecting == Some(number);
        let formula = if is_rejecting { &formulas.fails } else { &formulas.holds };
        FormulaGoal { place: &rule.place, schema: &rule.schema, formula }
    });
    let mut satisfier = FormulaSatisfier::new(goals.collect());
    let start = server.decode_new_object(&ObjectGenerator::new(schema).generate_valid(0))?;
    let is_wanted = |value: &Json| {
        let admission = server.admit_object(value, None);
        let wanted = usize::from(rejecting.is_some());
        let is_evaluated = admission.errors.iter().all(|error| !error.detail.contains("evaluating rule"));
        is_evaluated && admission.errors.len() == wanted && admission.by_rules.len() == wanted
    };
    (0..ATTEMPTS).filter_map(|_| satisfier.change_value(&start, None)).find(is_wanted)
}

/// Finds a value that all rules accept, and for each rule one that it alone rejects.
fn assert_satisfiable(properties: &Json, rules: &[&str]) {
    let schema = schema_of(properties, rules);
    assert!(find_value(&schema, None).is_some(), "nothing passes {rules:#?}");
    for (number, rule) in rules.iter().enumerate() {
        assert!(find_value(&schema, Some(number)).is_some(), "nothing fails only {rule} of {rules:#?}");
    }
}

#[test]
fn rules_about_many_fields_are_satisfied_together() {
    let properties = json!({"required": ["schedule", "target"], "properties": {
        "schedule": {"type": "string", "maxLength": 100},
        "copies": {"type": "integer", "minimum": 0, "maximum": 9},
        "paused": {"type": "boolean", "default": false},
        "labels": {"type": "object", "maxProperties": 20, "additionalProperties": {"type": "string", "maxLength": 63}},
        "retention": {"type": "object", "properties": {"days": {"type": "integer"}, "count": {"type": "integer"}}},
        "window": {"type": "object", "required": ["start", "end"], "properties": {
            "start": {"type": "integer", "minimum": 0, "maximum": 23}, "end": {"type": "integer", "minimum": 0, "maximum": 23}}},
        "target": {"type": "object", "required": ["type"], "properties": {
            "type": {"type": "string", "enum": ["s3", "gcs", "nfs"]}, "bucket": {"type": "string", "maxLength": 63}}},
    }});
    assert_satisfiable(
        &properties,
        &[
            "has(self.retention) && (has(self.retention.days) || has(self.retention.count))",
            "!has(self.window) || self.window.start < self.window.end",
            "self.target.type != 's3' || has(self.target.bucket)",
            "has(self.copies) && self.copies <= 5",
            "self.schedule.matches('^(@daily|@weekly|@hourly)$') || self.schedule.split(' ').size() == 5",
            "!self.paused || self.copies == 0",
            "has(self.labels) && size(self.labels) >= 2 && self.labels.all(k, k.startsWith('x-'))",
        ],
    );
}

#[test]
fn lists_and_maps_get_the_entries_that_rules_ask_for() {
    let item = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "maxLength": 20}, "kind": {"type": "string", "enum": ["a", "b", "c"]},
        "port": {"type": "integer", "minimum": 1, "maximum": 65535}}});
    let properties = json!({"properties": {
        "items": {"type": "array", "maxItems": 10, "items": item},
        "names": {"type": "array", "maxItems": 10, "items": {"type": "string", "maxLength": 20}},
        "main": {"type": "string", "maxLength": 20},
        "limits": {"type": "object", "maxProperties": 9, "additionalProperties": {"type": "integer"}},
    }});
    assert_satisfiable(
        &properties,
        &[
            "has(self.items) && size(self.items) >= 2 && self.items.exists_one(i, has(i.kind) && i.kind == 'b')",
            "has(self.main) && self.items.exists(i, i.name == self.main)",
            "self.items.filter(i, has(i.port) && i.port > 1000).size() >= 1",
            "self.items.all(i, !has(i.kind) || i.kind != 'c' || has(i.port))",
            "has(self.limits) && 'cpu' in self.limits && self.limits['cpu'] > 2",
            "has(self.names) && self.items.map(i, i.name).all(n, n in self.names)",
        ],
    );
}

#[test]
fn values_are_read_as_functions_read_them() {
    let text = json!({"type": "string", "maxLength": 60});
    let names = [
        "wait", "limit", "request", "address", "range", "link", "version", "from", "to", "path", "period",
        "release",
    ];
    let fields: serde_json::Map<String, Json> =
        names.iter().map(|name| ((*name).to_owned(), text.clone())).collect();
    let properties = json!({"required": names, "properties": fields});
    assert_satisfiable(
        &properties,
        &[
            "duration(self.wait) > duration('1m')",
            "quantity(self.request).compareTo(quantity(self.limit)) <= 0",
            "isIP(self.address) && ip(self.address).family() == 4",
            "isCIDR(self.range)",
            "isURL(self.link) && url(self.link).getScheme() == 'https'",
            "self.path.startsWith('/') && !self.path.contains('..') && self.path.endsWith('/')",
            "timestamp(self.to) > timestamp('2030-01-01T00:00:00Z')",
            "self.version.matches('^v[0-9]+$') && self.version != 'v1'",
            "duration(self.period) > duration('48h') && duration(self.period) < duration('50h')",
            "isSemver(self.release) && semver(self.release).isGreaterThan(semver('7.1.0'))",
        ],
    );
}

#[test]
fn quantities_that_need_not_be_texts_are_made() {
    let quantity = json!({"x-kubernetes-int-or-string": true, "maxLength": 20});
    let properties = json!({"required": ["name"], "properties": {
        "name": {"type": "string", "maxLength": 63}, "port": {"type": "integer"}, "size": quantity, "limit": quantity}});
    assert_satisfiable(
        &properties,
        &["isQuantity(self.size) && quantity(self.size).isGreaterThan(quantity('1Gi'))"],
    );
    assert_satisfiable(
        &properties,
        &[
            "self.port > 0 && self.port <= 65535",
            "quantity(self.size).isGreaterThan(quantity('1Gi'))",
            "!has(self.limit) || quantity(self.size).compareTo(quantity(self.limit)) <= 0",
        ],
    );
}

#[test]
fn entries_are_counted_by_fields_that_they_may_lack() {
    let item = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "maxLength": 20}, "primary": {"type": "boolean"}, "weight": {"type": "integer"}}});
    let properties = json!({"required": ["targets"], "properties": {
        "targets": {"type": "array", "minItems": 2, "maxItems": 20, "items": item}}});
    assert_satisfiable(
        &properties,
        &[
            "self.targets.exists_one(t, t.primary)",
            "self.targets.filter(t, t.weight > 3).map(t, t.name).size() == 2",
            "self.targets.all(t, t.name.startsWith('x-'))",
            "self.targets.map(t, t.weight).max() < 1000",
        ],
    );
}

#[test]
fn exactly_one_of_several_and_equivalences() {
    let object = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let properties = json!({"properties": {
        "a": object, "b": object, "c": object, "mode": {"type": "string", "enum": ["A", "B", "C"]}, "least": {"type": "integer"},
        "most": {"type": "integer"}, "sum": {"type": "integer"}}});
    assert_satisfiable(
        &properties,
        &[
            "[has(self.a), has(self.b), has(self.c)].exists_one(x, x)",
            "has(self.mode) && (self.mode == 'A') == has(self.a)",
            "self.mode == 'B' ? has(self.b) : !has(self.b)",
            "has(self.least) && has(self.most) && has(self.sum) && self.least + 3 <= self.most",
            "self.sum == self.least + self.most",
            "self.most < 10 && self.least > 1",
        ],
    );
}

#[test]
fn rules_at_several_places_hold_together() {
    let mut schema = schema_of(
        &json!({"properties": {"ports": {"type": "array", "maxItems": 5, "items": {"type": "object", "required": ["port"],
            "properties": {"port": {"type": "integer"}, "name": {"type": "string", "maxLength": 10}},
            "x-kubernetes-validations": [{"rule": "self.port >= 8000"}, {"rule": "has(self.name) && self.name.startsWith('p-')"}]}}}}),
        &["has(self.ports) && size(self.ports) == 3"],
    );
    let found = find_value(&schema, None).expect("a value that passes");
    assert_eq!(found["spec"]["ports"].as_array().map(Vec::len), Some(3));
    // Nothing is found where nothing passes.
    schema["properties"]["spec"]["x-kubernetes-validations"] =
        json!([{"rule": "has(self.ports) && self.ports.exists(p, p.port < 8000)"}]);
    assert_eq!(find_value(&schema, None), None);
}

#[test]
fn an_update_is_made_from_the_old_value() {
    let schema = schema_of(
        &json!({"required": ["size"], "properties": {"size": {"type": "integer"}}}),
        &["self.size >= oldSelf.size + 2", "self.size < 100"],
    );
    let server = ObjectSchema::new(&schema).without_metadata_checks();
    let spec = &schema["properties"]["spec"];
    let rules = lifted_rules(&schema);
    let goals = |fails: usize| {
        let goal = move |(number, (_, formulas)): (
            usize,
            &'_ (DefinitionRule<'static>, LiftedExpression),
        )|
              -> kvrules_ir::Formula {
            if number == fails { formulas.fails.clone() } else { formulas.holds.clone() }
        };
        rules.iter().enumerate().map(goal).collect::<Vec<_>>()
    };
    let old = json!({"size": 50});
    for (fails, errors) in [(9, 0), (0, 1)] {
        let formulas = goals(fails);
        let goals = formulas.iter().map(|formula| FormulaGoal { place: &[], schema: spec, formula });
        let mut satisfier = FormulaSatisfier::new(goals.collect());
        let new = satisfier.change_value(&old, Some(&old)).expect("a value");
        let admission = server.admit_object(&json!({ "spec": new }), Some(&json!({ "spec": old })));
        assert_eq!(admission.by_rules.len(), errors, "{new}");
    }
}

#[test]
fn a_search_that_takes_all_steps_says_so() {
    let integer = json!({"type": "integer"});
    let schema = schema_of(
        &json!({"required": ["a", "b"], "properties": {"a": integer, "b": integer}}),
        &["self.a + self.b == 1 && self.a + self.b == 2", "self.a + self.b == 1"],
    );
    let rules = lifted_rules(&schema);
    let search = |rule: usize, count: usize| {
        let (rule, formulas) = &rules[rule];
        let goal = FormulaGoal { place: &[], schema: &rule.schema, formula: &formulas.holds };
        let mut satisfier = FormulaSatisfier::new(vec![goal; count]);
        let is_found = satisfier.change_value(&json!({"a": 5, "b": 7}), None).is_some();
        (is_found, satisfier.is_exhausted())
    };
    assert_eq!(search(1, 200), (true, false));
    assert_eq!((search(0, 1), search(0, 200)), ((false, false), (false, true)));
}
