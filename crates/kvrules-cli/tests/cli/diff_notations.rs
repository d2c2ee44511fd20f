//! `kvrules diff` between different notations: each ordered pair of notations, for three rules and a changed version of each.
//!
//! Every example is evaluated by what enforces each side: `kvrules eval`, and for JSON Schemas the validator of `--corpus`.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::place::Place;

/// A notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notation {
    Annotation,
    Definition,
    Policy,
    RuleSet,
    JsonSchema,
    OpenApi,
}

use Notation::{Annotation, Definition, JsonSchema, OpenApi, Policy, RuleSet};

const ALL: [Notation; 6] = [Annotation, Definition, Policy, RuleSet, JsonSchema, OpenApi];

/// Rules that each notation says in its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    /// A pond; annotations know nothing of it.
    Pond,
    /// A VirtualMachine.
    Machine,
}

/// A rule, with its parameter.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// A number from this one to 10, which is required.
    Depth(u32),
    /// If another field is there, or has a value, the number is required and at least this one.
    Guarded(u32),
    /// A field does not change, next to a number from 2 to 10; if `false`, only the number.
    Immutable(bool),
}

impl Subject {
    fn kind(self) -> [&'static str; 3] {
        match self {
            Self::Pond => ["example.com", "Pond", "ponds"],
            Self::Machine => ["kubevirt.io", "VirtualMachine", "virtualmachines"],
        }
    }

    /// The way to the number.
    fn number(self) -> &'static [&'static str] {
        match self {
            Self::Pond => &["spec", "depth"],
            Self::Machine => &["spec", "template", "spec", "domain", "cpu", "cores"],
        }
    }

    /// The way to the field that guards.
    fn guard(self) -> &'static [&'static str] {
        match self {
            Self::Pond => &["spec", "lining"],
            Self::Machine => &["spec", "template", "spec", "domain", "memory", "hugepages"],
        }
    }

    /// The way to the field that does not change.
    fn fixed(self) -> &'static [&'static str] {
        match self {
            Self::Pond => &["spec", "site"],
            Self::Machine => &["spec", "runStrategy"],
        }
    }

    /// Fields that every object has.
    fn required(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Pond => &[],
            Self::Machine => &[&["spec"], &["spec", "template"], &["spec", "template", "spec", "domain"]],
        }
    }

    /// The types of the fields.
    fn types(self) -> Value {
        let mut schema = json!({"type": "object"});
        *node(&mut schema, self.number()) = json!({"type": "integer"});
        *node(&mut schema, self.guard()) = match self {
            Self::Pond => json!({"type": "string"}),
            Self::Machine => json!({"type": "object", "properties": {"pageSize": {"type": "string"}}}),
        };
        *node(&mut schema, self.fixed()) = json!({"type": "string"});
        self.required().iter().for_each(|way| require(&mut schema, way));
        schema
    }
}

/// The schema of a field, with objects on the way.
fn node<'v>(schema: &'v mut Value, way: &[&str]) -> &'v mut Value {
    way.iter().fold(schema, |at, name| {
        let fields = at.as_object_mut().unwrap().entry("properties").or_insert_with(|| json!({}));
        fields.as_object_mut().unwrap().entry(*name).or_insert_with(|| json!({"type": "object"}))
    })
}

/// Requires a field where the object around it is.
fn require(schema: &mut Value, way: &[&str]) {
    let (name, around) = way.split_last().unwrap();
    let list = node(schema, around).as_object_mut().unwrap().entry("required").or_insert_with(|| json!([]));
    if !list.as_array().unwrap().contains(&json!(name)) {
        list.as_array_mut().unwrap().push(json!(name));
    }
}

/// Requires a field and all objects around it.
fn require_all(schema: &mut Value, way: &[&str]) {
    (1..=way.len()).for_each(|length| require(schema, &way[..length]));
}

/// The condition in CEL that a field is there.
fn has(root: &str, way: &[&str]) -> String {
    let steps = (1..=way.len()).map(|length| format!("has({root}.{})", way[..length].join(".")));
    steps.collect::<Vec<_>>().join(" && ")
}

/// What a rule requires, in CEL about the object.
fn expressions(subject: Subject, rule: Rule, root: &str, stored: &str) -> Vec<String> {
    let number = format!("{root}.{}", subject.number().join("."));
    let present = has(root, subject.number());
    let depth = |least: u32| format!("{present} && {number} >= {least} && {number} <= 10");
    match rule {
        Rule::Depth(least) => vec![depth(least)],
        Rule::Guarded(least) => {
            vec![format!("!({}) || {present} && {number} >= {least}", has(root, subject.guard()))]
        }
        Rule::Immutable(is_fixed) => {
            let fixed = subject.fixed();
            let own = format!("{root}.{}", fixed.join("."));
            let theirs = format!("{stored}.{}", fixed.join("."));
            let changes = format!(
                "{stored} == null || !({}) || !({}) || {own} == {theirs}",
                has(root, fixed),
                has(stored, fixed)
            );
            let changes = is_fixed.then_some(changes);
            std::iter::once(depth(2)).chain(changes).collect()
        }
    }
}

/// The keywords of a JSON Schema for a rule.
fn json_schema(subject: Subject, rule: Rule) -> Value {
    let mut schema = subject.types();
    schema["title"] = json!(subject.kind()[1]);
    match rule {
        Rule::Depth(least) => add_depth(&mut schema, subject, least),
        Rule::Immutable(_) => add_depth(&mut schema, subject, 2),
        Rule::Guarded(least) => {
            let (mut guard, mut needed) = (json!({}), json!({}));
            require_all(&mut guard, subject.guard());
            require_all(&mut needed, subject.number());
            *node(&mut needed, subject.number()) = json!({"minimum": least});
            // The objects on the way have their types.
            schema["if"] = without_types(&guard);
            schema["then"] = without_types(&needed);
        }
    }
    schema
}

fn without_types(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, value)| *name != "type" || !value.is_string());
            fields
                .map(|(name, value)| (name.clone(), without_types(value)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
        other => other.clone(),
    }
}

fn add_depth(schema: &mut Value, subject: Subject, least: u32) {
    *node(schema, subject.number()) = json!({"type": "integer", "minimum": least, "maximum": 10});
    require_all(schema, subject.number());
}

fn definition(subject: Subject, schema: &Value) -> String {
    let [group, kind, plural] = subject.kind();
    let version =
        json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    let names = json!({"kind": kind, "plural": plural, "singular": kind.to_lowercase(), "listKind": format!("{kind}List")});
    let whole = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [version]},
    });
    serde_json::to_string_pretty(&whole).unwrap()
}

/// A definition with a rule: by keywords, and in CEL what these do not say.
fn ruled_definition(subject: Subject, rule: Rule) -> String {
    let mut schema = subject.types();
    let entries = |texts: Vec<String>| -> Value {
        texts.into_iter().map(|text| json!({ "rule": text, "message": text })).collect::<Vec<_>>().into()
    };
    match rule {
        Rule::Depth(least) => add_depth(&mut schema, subject, least),
        Rule::Guarded(_) => {
            schema["x-kubernetes-validations"] = entries(expressions(subject, rule, "self", "oldSelf"));
        }
        Rule::Immutable(is_fixed) => {
            add_depth(&mut schema, subject, 2);
            if is_fixed {
                node(&mut schema, subject.fixed())["x-kubernetes-validations"] =
                    entries(vec!["self == oldSelf".to_owned()]);
            }
        }
    }
    definition(subject, &schema)
}

fn policy(subject: Subject, rule: Rule) -> String {
    let [group, _, plural] = subject.kind();
    let texts = expressions(subject, rule, "object", "oldObject").into_iter();
    let validations: Vec<Value> = texts.map(|text| json!({"expression": text, "message": text})).collect();
    let rules = json!([{"apiGroups": [group], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": [plural]}]);
    let whole = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "rules"},
        "spec": {"failurePolicy": "Fail", "matchConstraints": {"resourceRules": rules}, "validations": validations},
    });
    serde_json::to_string_pretty(&whole).unwrap()
}

fn rule_set(subject: Subject, rule: Rule) -> String {
    let number = subject.number().join(".");
    let rules = match rule {
        Rule::Depth(least) => vec![
            json!({"name": "depth", "path": number, "required": true, "integer": {"min": least, "max": 10}}),
        ],
        Rule::Guarded(least) => vec![json!({
            "name": "guarded", "path": number, "required": true, "integer": {"min": least},
            "when": {"path": subject.guard().join("."), "required": true},
        })],
        Rule::Immutable(is_fixed) => {
            let depth =
                json!({"name": "depth", "path": number, "required": true, "integer": {"min": 2, "max": 10}});
            let fixed = json!({"name": "fixed", "path": subject.fixed().join("."), "immutable": "whileSet"});
            std::iter::once(depth).chain(is_fixed.then_some(fixed)).collect()
        }
    };
    let whole = json!({
        "apiVersion": "kvrules.dev/v1alpha1", "kind": "RuleSet", "metadata": {"name": "rules"},
        "spec": {"subject": {"schema": "base.json"}, "rules": rules},
    });
    serde_json::to_string_pretty(&whole).unwrap()
}

fn annotation(rule: Rule) -> String {
    let path = "jsonpath::.spec.domain.cpu.cores";
    let rule = match rule {
        Rule::Depth(least) => {
            json!({"name": "depth", "rule": "integer", "message": "depth", "path": path, "min": least, "max": 10})
        }
        Rule::Immutable(_) => {
            json!({"name": "depth", "rule": "integer", "message": "depth", "path": path, "min": 2, "max": 10})
        }
        Rule::Guarded(least) => json!({
            "name": "guarded", "rule": "integer", "message": "guarded", "path": path, "min": least,
            "valid": "jsonpath::.spec.domain.memory.hugepages",
        }),
    };
    let mut text = String::from("vm.kubevirt.io/validations: |\n");
    let _ = writeln!(text, "  [{rule}]");
    text
}

/// The text of a rule in a notation.
fn write_rule(notation: Notation, subject: Subject, rule: Rule) -> String {
    match notation {
        Annotation => annotation(rule),
        Definition => ruled_definition(subject, rule),
        Policy => policy(subject, rule),
        RuleSet => rule_set(subject, rule),
        JsonSchema => serde_json::to_string_pretty(&json_schema(subject, rule)).unwrap(),
        OpenApi => {
            let schemas = json!({ subject.kind()[1]: json_schema(subject, rule) });
            let info = json!({"title": "a", "version": "1"});
            let api =
                json!({"openapi": "3.1.0", "info": info, "paths": {}, "components": {"schemas": schemas}});
            serde_json::to_string_pretty(&api).unwrap()
        }
    }
}

fn file_name(notation: Notation, side: &str) -> String {
    let end = match notation {
        Annotation | Definition | Policy | RuleSet => "yaml",
        JsonSchema | OpenApi => "json",
    };
    format!("{side}.{end}")
}

/// The report of a comparison.
fn compare(place: &Place, old: &str, new: &str) -> (Option<i32>, Value) {
    let run = place.run(&["diff", old, new, "--output-format", "json"]);
    let report = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{old} {new}: {run:?}"));
    (run.code, report)
}

fn changes(report: &Value) -> Vec<Value> {
    let pairs = report["pairs"].as_array().unwrap().iter();
    pairs.flat_map(|pair| pair["changes"].as_array().unwrap().clone()).collect()
}

/// If anything is newly rejected, and if anything is newly accepted.
fn effects(report: &Value) -> [&'static str; 2] {
    ["tightens", "loosens"].map(|key| {
        let answers: Vec<String> =
            changes(report).iter().map(|change| change[key].as_str().unwrap().to_owned()).collect();
        ["yes", "unknown"].into_iter().find(|answer| answers.iter().any(|it| it == answer)).unwrap_or("no")
    })
}

/// True if what enforces a side accepts an object, which is an update if there is a stored one.
fn accepts(place: &Place, notation: Notation, file: &str, witness: &Value) -> bool {
    let named = |object: &Value| {
        let mut object = object.clone();
        object["metadata"]["namespace"] = json!("default");
        serde_json::to_string(&object).unwrap()
    };
    place.write("object.yaml", named(&witness["object"]));
    if matches!(notation, JsonSchema | OpenApi) {
        let run = place.run(&["diff", file, file, "--corpus", "object.yaml", "--output-format", "json"]);
        let report: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(report["corpus"]["objects"], 1, "{run:?}");
        return report["corpus"]["refusedBefore"] == 0;
    }
    let mut args = match notation {
        Definition => vec!["eval", "--engine", "crd", "--schema", file],
        Policy => vec!["eval", "--rules", file, "--schema", "base.json", "--engine", "policy"],
        _ => vec!["eval", "--rules", file],
    };
    args.push("object.yaml");
    if witness.get("previous").is_some() && matches!(notation, Definition | Policy | RuleSet) {
        place.write("stored.yaml", named(&witness["previous"]));
        args.extend(["--old", "stored.yaml"]);
    }
    let run = place.run(&args);
    match run.code {
        Some(0) => true,
        Some(1) => false,
        // A request that no policy sees passes.
        _ if run.err.contains("no policy applies to any object") => true,
        _ => panic!("{args:?}: {run:?}"),
    }
}

/// The result of a pair: `equal`, or the effects with examples that both sides confirm.
fn resolve_pair(pair: [Notation; 2], rules: [Rule; 2]) -> String {
    let subject = if pair.contains(&Annotation) { Subject::Machine } else { Subject::Pond };
    let texts = [write_rule(pair[0], subject, rules[0]), write_rule(pair[1], subject, rules[1])];
    let files = [file_name(pair[0], "old"), file_name(pair[1], "new")];
    let place = Place::with(&[
        (files[0].as_str(), texts[0].as_str()),
        (files[1].as_str(), texts[1].as_str()),
        ("base.json", &definition(subject, &subject.types())),
    ]);
    let (code, report) = compare(&place, &files[0], &files[1]);
    assert_eq!(code, Some(0), "{pair:?} {rules:?}: {report}");
    for change in changes(&report) {
        for (key, is_accepted_by_old) in [("refused", true), ("accepted", false)] {
            let Some(witness) = change.get(key) else { continue };
            for (side, is_old) in [(0, true), (1, false)] {
                let accepted = accepts(&place, pair[side], &files[side], witness);
                assert_eq!(
                    accepted,
                    is_old == is_accepted_by_old,
                    "{pair:?} {rules:?}: {:?}\n{change:#}",
                    files[side]
                );
            }
        }
    }
    match effects(&report) {
        ["no", "no"] => "equal",
        ["yes", "no"] => "tightened",
        ["no", "yes"] => "loosened",
        ["yes", "yes"] => "incomparable",
        _ => "unknown",
    }
    .to_owned()
}

fn ordered_pairs() -> Vec<[Notation; 2]> {
    let pairs = ALL.into_iter().flat_map(|old| ALL.map(|new| [old, new]));
    pairs.filter(|[old, new]| old != new).collect()
}

/// The number of pairs by their results, and the pairs with each.
fn count_results(rules: impl Fn([Notation; 2]) -> [Rule; 2]) -> Vec<(String, Vec<[Notation; 2]>)> {
    let mut counts: Vec<(String, Vec<[Notation; 2]>)> = Vec::new();
    for pair in ordered_pairs() {
        let result = resolve_pair(pair, rules(pair));
        match counts.iter_mut().find(|(known, _)| *known == result) {
            Some((_, pairs)) => pairs.push(pair),
            None => counts.push((result, vec![pair])),
        }
    }
    counts.sort_by(|one, other| one.0.cmp(&other.0));
    counts
}

fn summary(counts: &[(String, Vec<[Notation; 2]>)]) -> Vec<(&str, usize)> {
    counts.iter().map(|(result, pairs)| (result.as_str(), pairs.len())).collect()
}

#[test]
fn a_bound_is_equal_in_each_pair_and_a_stricter_one_is_tightened() {
    let equal = count_results(|_| [Rule::Depth(2), Rule::Depth(2)]);
    assert_eq!(summary(&equal), [("equal", 30)], "{equal:?}");
    let stricter = count_results(|_| [Rule::Depth(2), Rule::Depth(3)]);
    assert_eq!(summary(&stricter), [("tightened", 30)], "{stricter:?}");
}

#[test]
fn a_guarded_rule_is_equal_in_each_pair_and_a_milder_one_is_loosened() {
    let equal = count_results(|_| [Rule::Guarded(2), Rule::Guarded(2)]);
    assert_eq!(summary(&equal), [("equal", 30)], "{equal:?}");
    let milder = count_results(|_| [Rule::Guarded(3), Rule::Guarded(2)]);
    assert_eq!(summary(&milder), [("loosened", 30)], "{milder:?}");
}

#[test]
fn a_rule_about_updates_is_equal_where_both_see_updates() {
    let sees_updates = |notation: Notation| matches!(notation, Definition | Policy | RuleSet);
    let found = count_results(|_| [Rule::Immutable(true), Rule::Immutable(true)]);
    for (result, pairs) in &found {
        for [old, new] in pairs {
            let expected = match (sees_updates(*old), sees_updates(*new)) {
                (true, false) => "loosened",
                (false, true) => "tightened",
                _ => "equal",
            };
            assert_eq!(result, expected, "{old:?} {new:?}");
        }
    }
    assert_eq!(summary(&found), [("equal", 12), ("loosened", 9), ("tightened", 9)]);
    let dropped = count_results(|_| [Rule::Immutable(true), Rule::Immutable(false)]);
    assert_eq!(summary(&dropped), [("equal", 15), ("loosened", 15)], "{dropped:?}");
}

/// The files of a comparison about ponds.
fn ponds(files: &[(&str, &str)]) -> Place {
    let base = definition(Subject::Pond, &Subject::Pond.types());
    let all: Vec<(&str, &str)> = files.iter().copied().chain([("base.json", base.as_str())]).collect();
    Place::with(&all)
}

fn directions(report: &Value) -> Vec<String> {
    changes(report).iter().map(|change| change["direction"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn rules_that_only_warn_reject_nothing() {
    let own = policy(Subject::Pond, Rule::Depth(2));
    let binding = |action: &str| {
        format!(
            "{own}\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\n\
             metadata: {{name: b}}\nspec: {{policyName: rules, validationActions: [{action}]}}\n"
        )
    };
    let place = ponds(&[
        ("warn.yaml", &binding("Warn")),
        ("deny.yaml", &binding("Deny")),
        ("none.yaml", &definition(Subject::Pond, &Subject::Pond.types())),
    ]);
    for (file, expected) in [("warn.yaml", "message-only"), ("deny.yaml", "tightened")] {
        let (code, report) = compare(&place, "none.yaml", file);
        assert_eq!((code, directions(&report)), (Some(0), vec![expected.to_owned()]), "{report:#}");
        assert_eq!(report["added"], json!([]), "the binding is a part of the policy");
    }
    let soft = annotation(Rule::Depth(2)).replace("\"rule\"", "\"justWarning\":true,\"rule\"");
    let place = Place::with(&[
        ("soft.yaml", soft.as_str()),
        ("none.yaml", &definition(Subject::Machine, &Subject::Machine.types())),
    ]);
    let (_, report) = compare(&place, "soft.yaml", "none.yaml");
    assert_eq!(directions(&report), ["message-only"], "{report:#}");
}

#[test]
fn a_policy_for_creations_alone_lets_updates_pass() {
    let created =
        policy(Subject::Pond, Rule::Depth(2)).replace("\"CREATE\",", "\"CREATE\"").replace("\"UPDATE\"", "");
    let place =
        ponds(&[("old.yaml", &ruled_definition(Subject::Pond, Rule::Depth(2))), ("new.yaml", &created)]);
    let (_, report) = compare(&place, "old.yaml", "new.yaml");
    assert_eq!(effects(&report), ["no", "yes"], "{report:#}");
    for change in changes(&report) {
        let notes = change["notes"].as_array();
        let is_update = notes.is_some_and(|notes| notes.contains(&json!("in updates")));
        assert_eq!(change["direction"] == "loosened", is_update, "{change:#}");
        if is_update {
            let witness = &change["accepted"];
            assert!(accepts(&place, Policy, "new.yaml", witness), "{witness}");
            assert!(!accepts(&place, Definition, "old.yaml", witness), "{witness}");
        }
    }
}

#[test]
fn a_policy_that_ignores_errors_accepts_what_has_no_number() {
    let plain = policy(Subject::Pond, Rule::Depth(2))
        .replace("has(object.spec) && has(object.spec.depth) && ", "")
        .replace("\"Fail\"", "\"Ignore\"");
    let place =
        ponds(&[("old.yaml", &ruled_definition(Subject::Pond, Rule::Depth(2))), ("new.yaml", &plain)]);
    let (_, report) = compare(&place, "old.yaml", "new.yaml");
    assert_eq!(effects(&report), ["no", "yes"], "{report:#}");
    let accepted: Vec<Value> =
        changes(&report).into_iter().filter(|change| change.get("accepted").is_some()).collect();
    assert!(
        accepted.iter().all(|change| change["accepted"]["object"].pointer("/spec/depth").is_none()),
        "{accepted:#?}"
    );
}

#[test]
fn what_has_no_rule_is_unknown_and_counts_for_fail_on() {
    let memory = r#"{"name": "memory", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.resources.requests.memory", "min": 1073741824}"#;
    let place = Place::with(&[
        ("old.yaml", format!("vm.kubevirt.io/validations: |\n  [{memory}]\n").as_str()),
        ("new.json", &serde_json::to_string(&Subject::Machine.types()).unwrap()),
    ]);
    let run = place.run(&["diff", "old.yaml", "new.json", "--fail-on", "tightened"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("accepts quantities with a fraction of a base unit"), "{run:?}");
    let multiple = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"depth": {"type": "integer", "multipleOf": 2}}}}});
    let place = ponds(&[
        ("old.yaml", &definition(Subject::Pond, &Subject::Pond.types())),
        ("new.json", &multiple.to_string()),
    ]);
    for (fails, code) in [("tightened", 3), ("loosened", 0), ("any", 3)] {
        let run = place.run(&["diff", "old.yaml", "new.json", "--fail-on", fails]);
        assert_eq!(run.code, Some(code), "{fails}: {run:?}");
    }
}

#[test]
fn sides_about_different_objects_are_refused_by_meaning() {
    let mutating = "apiVersion: admissionregistration.k8s.io/v1beta1\nkind: MutatingAdmissionPolicy\nmetadata: {name: m}\nspec: {}\n";
    let place = ponds(&[
        ("vm.yaml", &annotation(Rule::Depth(2))),
        ("pond.yaml", &ruled_definition(Subject::Pond, Rule::Depth(2))),
        ("mutating.yaml", mutating),
    ]);
    for (old, new, reason) in [
        (
            "vm.yaml",
            "pond.yaml",
            "the template `vm` is about `VirtualMachine` of `kubevirt.io/v1`, and the definition `ponds.example.com/v1` about \
             `Pond` of `example.com/v1`: no object is both",
        ),
        ("mutating.yaml", "pond.yaml", "it changes objects, and requires nothing of them"),
    ] {
        let run = place.run(&["diff", old, new]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains(reason), "{run:?}");
    }
}

#[test]
fn units_that_are_called_differently_are_paired_by_as() {
    let two = |first: &str, second: &str, least: u32| {
        let named = |name: &str| {
            policy(Subject::Pond, Rule::Depth(least)).replace("\"rules\"", &format!("\"{name}\""))
        };
        format!("{}\n---\n{}\n", named(first), named(second))
    };
    let place = ponds(&[
        ("old.yaml", &two("a", "b", 2)),
        ("new.yaml", &two("c", "d", 3)),
        (
            "lakes.yaml",
            &ruled_definition(Subject::Pond, Rule::Depth(3))
                .replace("ponds", "lakes")
                .replace("Pond", "Lake"),
        ),
    ]);
    let report = |args: &[&str]| -> Value {
        let all: Vec<&str> = ["diff"]
            .iter()
            .chain(args)
            .chain(&["--schema", "base.json", "--output-format", "json"])
            .copied()
            .collect();
        let run = place.run(&all);
        serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"))
    };
    assert_eq!(report(&["old.yaml", "new.yaml"])["pairs"], json!([]));
    let paired = report(&["old.yaml", "new.yaml", "--as", "a=d"]);
    assert_eq!((&paired["pairs"][0]["name"], &paired["pairs"][0]["renamed"]), (&json!("a"), &json!("d")));
    assert_eq!(directions(&paired), ["tightened"], "{paired:#}");
    let other = report(&["old.yaml", "lakes.yaml", "--as", "a=Lake"]);
    assert_eq!(effects(&other), ["yes", "no"], "{other:#}");
    let run = place.run(&["diff", "old.yaml", "new.yaml", "--as", "a=e"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("the new side has no `e`; it has `c`, `d`"), "{run:?}");
}

#[test]
fn existing_objects_are_evaluated_by_both_notations() {
    let pond = |name: &str, depth: u32| {
        format!(
            "apiVersion: example.com/v1\nkind: Pond\nmetadata: {{name: {name}}}\nspec: {{depth: {depth}}}\n"
        )
    };
    let place = ponds(&[
        ("old.yaml", &ruled_definition(Subject::Pond, Rule::Depth(2))),
        ("new.yaml", &policy(Subject::Pond, Rule::Depth(3))),
        ("ponds.yaml", &[pond("shallow", 2), pond("deep", 7), pond("dry", 1)].join("---\n")),
    ]);
    for (old, new, refused, updates) in
        [("old.yaml", "new.yaml", json!(["shallow"]), "refused"), ("new.yaml", "old.yaml", json!([]), "")]
    {
        let run = place.run(&["diff", old, new, "--corpus", "ponds.yaml", "--output-format", "json"]);
        let corpus = &serde_json::from_str::<Value>(&run.out).unwrap()["corpus"];
        assert_eq!(corpus["objects"], 3, "{corpus}");
        let found: Vec<&Value> = corpus["refused"].as_array().unwrap().iter().collect();
        assert_eq!(json!(found.iter().map(|it| it["name"].clone()).collect::<Vec<_>>()), refused, "{corpus}");
        assert!(found.iter().all(|it| it["updates"] == updates), "{corpus}");
    }
}

/// A RuleSet about Deployments: a bound, and the items of a list.
const WEB: &str = r"apiVersion: kvrules.dev/v1alpha1
kind: RuleSet
metadata: {name: web}
spec:
  subject: {apiVersion: apps/v1, kind: Deployment}
  rules:
  - {name: replicas, path: spec.replicas, integer: {min: 2, max: 10}}
  - {name: image, path: 'spec.template.spec.containers[*].image', pattern: ^r/}
  - {name: port, path: 'spec.template.spec.containers[*].ports[*].hostPort', forbidden: true}
";

#[test]
fn a_rule_set_and_its_own_policy_are_equal() {
    let place = Place::with(&[("rules.yaml", WEB)]);
    let compiled = place.run(&["compile", "-t", "admission-policy", "rules.yaml", "-o", "-"]);
    assert!(compiled.out.contains(".orValue([])"), "{compiled:?}");
    place.write("policy.yaml", compiled.out);
    for (old, new) in [("rules.yaml", "policy.yaml"), ("policy.yaml", "rules.yaml")] {
        let (_, report) = compare(&place, old, new);
        assert_eq!(effects(&report), ["no", "no"], "{old} {new}: {report:#}");
    }
}
