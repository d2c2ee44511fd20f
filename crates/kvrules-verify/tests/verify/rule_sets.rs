//! RuleSets that combine words: every claim of every target about them holds.

use std::env;
use std::sync::Arc;

use kvrules_diagnostics::{FileId, Level};
use kvrules_emit::{EMITTERS, Emission, Emitter, Request};
use kvrules_generate::PseudoRandom;
use kvrules_rule_set::{RuleSet, SubjectDefinitions, SubjectFile, WORDS, confirm_meaning, read_rule_set};
use kvrules_verify::{Report, verify_resources_with};
use serde_json::{Value, json};

/// Number of RuleSets in a short run.
const SETS: usize = 24;

fn pond() -> Value {
    let text = |most: u64| json!({"type": "string", "maxLength": most});
    let item = json!({"type": "object", "required": ["name"], "properties": {
        "name": text(20), "kind": {"type": "string", "nullable": true, "maxLength": 10},
        "weight": {"type": "integer"}, "min-age": {"type": "integer"}}});
    let spec = json!({"type": "object", "required": ["depth"], "properties": {
        "depth": {"type": "integer"},
        "ratio": {"type": "number"},
        "least": {"type": "integer", "nullable": true},
        "phase": {"type": "string", "enum": ["Draft", "Ready", "Retired"]},
        "name": text(40),
        "address": text(40),
        "size": text(20),
        "memory": {"x-kubernetes-int-or-string": true, "maxLength": 20},
        "isOpen": {"type": "boolean"},
        "git": {"type": "object", "properties": {"url": text(30)}},
        "http": {"type": "object", "nullable": true, "properties": {"url": text(30)}},
        "fish": {"type": "array", "maxItems": 8, "items": item},
        "friends": {"type": "array", "maxItems": 8, "items": text(20)},
        "tags": {"type": "object", "maxProperties": 8, "additionalProperties": text(10)},
    }});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ponds.example.com"},
        "spec": {"group": "example.com", "names": {"kind": "Pond", "plural": "ponds", "singular": "pond", "listKind": "PondList"},
            "scope": "Namespaced", "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]}})
}

/// Words with a value, each with a path that it fits.
const DEMANDS: &[(&str, &str)] = &[
    ("required", r#""path": "PATH", "required": true"#),
    ("forbidden", r#""path": "PATH", "forbidden": true"#),
    ("exactlyOneOf", r#""exactlyOneOf": ["spec.git", "spec.http", "spec.name"]"#),
    ("exactlyOneOf", r#""exactlyOneOf": ["spec.git", "spec.http"]"#),
    ("atMostOneOf", r#""atMostOneOf": ["spec.least", "spec.http.url", "spec.git.url"]"#),
    ("atMostOneOf", r#""atMostOneOf": ["spec.least", "spec.name"]"#),
    ("atLeastOneOf", r#""atLeastOneOf": ["spec.least", "spec.http", "spec.fish"]"#),
    ("allOrNone", r#""allOrNone": ["spec.git", "spec.http.url", "spec.name"]"#),
    ("integer", r#""path": "spec.depth", "integer": {"min": 2, "max": 9}"#),
    (
        "any",
        r#""any": [{"path": "spec.depth", "integer": {"min": 4}}, {"path": "spec.git.url", "required": true}]"#,
    ),
    (
        "all",
        r#""all": [{"path": "spec.depth", "integer": {"min": 4}}, {"not": {"path": "spec.name", "in": ["koi"]}}]"#,
    ),
    (
        "not",
        r#""not": {"all": [{"path": "spec.git", "required": true}, {"path": "spec.http", "required": true}]}"#,
    ),
    (
        "some",
        r#""some": "spec.fish[*]", "any": [{"path": "weight", "integer": {"max": 7}}, {"path": "kind", "required": true}]"#,
    ),
    (
        "count",
        r#""count": {"of": "spec.fish[*]", "min": 1, "max": 2}, "path": "weight", "integer": {"max": 7}"#,
    ),
    ("count", r#""count": {"of": "spec.fish[*]", "max": 1}, "path": "kind", "required": true"#),
    ("integer", r#""path": "spec.least", "integer": {"min": 3}"#),
    ("integer", r#""path": "spec.fish[*].weight", "integer": {"max": 7}"#),
    ("number", r#""path": "spec.ratio", "number": {"min": 0.5, "max": 2}"#),
    ("number", r#""path": "spec.ratio", "number": {"above": 0, "below": 1.5}"#),
    ("quantity", r#""path": "spec.size", "quantity": {"above": 0, "max": "1.5"}"#),
    ("quantity", r#""path": "spec.memory", "quantity": {"min": "100m", "below": "2Gi"}"#),
    ("quantity", r#""path": "spec.size", "quantity": {"min": "64Mi", "max": "2Gi"}"#),
    ("quantity", r#""path": "spec.memory", "quantity": {"min": "64Mi", "max": "2Gi"}"#),
    ("format", r#""path": "spec.memory", "format": "quantity""#),
    ("length", r#""path": "spec.name", "length": {"min": 2, "max": 8}"#),
    ("items", r#""path": "spec.fish", "items": {"min": 1, "max": 3}"#),
    ("items", r#""path": "spec.tags", "items": {"max": 2}"#),
    ("in", r#""path": "spec.phase", "in": ["Draft", "Ready"]"#),
    ("in", r#""path": "spec.fish[*].kind", "in": ["carp", "koi"]"#),
    ("in", r#""path": "spec.isOpen", "in": [true]"#),
    ("in", r#""path": "spec.depth", "in": [1, 4]"#),
    ("pattern", r#""path": "spec.name", "pattern": "^[a-z]+(-[a-z]+)?$""#),
    ("pattern", r#""path": "spec.tags[*]", "pattern": "^v""#),
    ("format", r#""path": "spec.name", "format": "dns-label""#),
    ("format", r#""path": "spec.name", "format": "dns-subdomain""#),
    ("format", r#""path": "spec.address", "format": "ip""#),
    ("format", r#""path": "spec.address", "format": "cidr""#),
    ("format", r#""path": "spec.size", "format": "quantity""#),
    ("uniqueBy", r#""path": "spec.fish", "uniqueBy": ["name"]"#),
    ("uniqueBy", r#""path": "spec.fish", "uniqueBy": ["name", "kind", "weight"]"#),
    ("uniqueBy", r#""path": "spec.friends", "uniqueBy": []"#),
    ("atLeast", r#""path": "spec.depth", "atLeast": "spec.least""#),
    ("atMost", r#""path": "spec.name", "atMost": "spec.address""#),
    ("equals", r#""path": "spec.least", "equals": "spec.depth""#),
    ("above", r#""path": "spec.depth", "above": "spec.least""#),
    ("below", r#""path": "spec.name", "below": "spec.address""#),
    ("above", r#""each": "spec.fish[*]", "path": "weight", "above": "min-age""#),
    ("notEquals", r#""path": "spec.name", "notEquals": "spec.address""#),
    ("notEquals", r#""path": "spec.least", "notEquals": "spec.depth""#),
    ("notIn", r#""path": "spec.phase", "notIn": ["Retired"]"#),
    ("notIn", r#""path": "spec.fish[*].weight", "notIn": [1, 2, 3]"#),
    ("notPattern", r#""path": "spec.name", "notPattern": "[0-9]$""#),
    ("startsWith", r#""path": "spec.name", "startsWith": ["pond-", "lake-"]"#),
    ("startsWith", r#""path": "spec.fish[*].kind", "startsWith": "k""#),
    ("endsWith", r#""path": "spec.address", "endsWith": ".example""#),
    ("contains", r#""path": "spec.name", "contains": "-""#),
    ("contains", r#""path": "spec.friends", "contains": "koi""#),
    ("notEmpty", r#""path": "spec.name", "notEmpty": true"#),
    ("notEmpty", r#""path": "spec.fish", "notEmpty": true"#),
    ("notEmpty", r#""path": "spec.tags", "notEmpty": true"#),
    ("refersTo", r#""path": "spec.friends[*]", "refersTo": "spec.fish[*].name""#),
    ("refersTo", r#""path": "spec.name", "refersTo": "spec.tags[*]""#),
    ("immutable", r#""path": "spec.git", "immutable": "always""#),
    ("immutable", r#""path": "spec.least", "immutable": "onceSet""#),
    ("immutable", r#""path": "spec.depth", "immutable": "always""#),
    ("immutable", r#""path": "spec.http", "immutable": "whileSet""#),
    ("immutable", r#""path": "spec.name", "immutable": "whileSet""#),
    ("immutable", r#""each": "spec.git", "path": "url", "immutable": "onceSet""#),
    ("transitions", r#""each": "spec.phase", "transitions": {"Draft": ["Ready"]}"#),
    ("required", r#""each": "spec.git", "path": "url", "required": true"#),
    ("length", r#""each": "spec.name", "length": {"min": 2}"#),
    ("cel", r#""each": "spec.name", "cel": "self != 'a'""#),
    ("noRemoval", r#""path": "spec.tags", "noRemoval": true"#),
    ("noRemoval", r#""path": "spec.friends", "noRemoval": true"#),
    ("transitions", r#""path": "spec.phase", "transitions": {"Draft": ["Ready"], "Ready": ["Retired"]}"#),
    ("cel", r#""cel": "!has(self.spec) || self.spec.depth % 2 == 0""#),
    ("cel", r#""each": "spec.fish[*]", "cel": "!has(self.weight) || self.weight < 5""#),
    ("required", r#""each": "spec.fish[*]", "path": "min-age", "required": true"#),
    ("atMost", r#""each": "spec.fish[*]", "path": "min-age", "atMost": "weight""#),
];

/// Conditions, some of which are true of absent values.
const CONDITIONS: &[&str] = &[
    r#"{"path": "spec.phase", "in": ["Ready"]}"#,
    r#"{"path": "spec.least", "integer": {"min": 4}}"#,
    r#"{"not": {"path": "spec.isOpen", "in": [true]}}"#,
    r#"{"path": "spec.fish[*].name", "in": ["carp"]}"#,
    r#"{"path": "spec.http", "required": true}"#,
    r#"{"path": "spec.tags[\"tier\"]", "pattern": "^g"}"#,
    r#"{"not": {"exactlyOneOf": ["spec.git", "spec.http"]}}"#,
    r#"{"path": "spec.depth", "atLeast": "spec.least"}"#,
    r#"{"path": "spec.phase", "notIn": ["Draft"]}"#,
    r#"{"path": "spec.friends", "contains": "koi"}"#,
    r#"{"not": {"path": "spec.name", "startsWith": "a"}}"#,
];

/// Messages with placeholders.
const MESSAGES: &[&str] =
    &["", r#", "message": "`{path}` is wrong""#, r#", "message": "{path} must not be {value} \\{here}""#];

/// Selections of requests; the first selects all.
const SELECTIONS: &[&str] = &[
    "",
    r#" "match": {"operations": ["CREATE"]},"#,
    r#" "match": {"operations": ["UPDATE"], "labels": {"a": "b"}},"#,
    r#" "match": {"users": ["alice", "bob"], "exceptGroups": ["system:masters"]},"#,
    r#" "match": {"groups": ["web"], "exceptUsers": ["admin"], "namespaces": {"labels": {"a": "b"}}},"#,
];

/// Limits of the demands with the parameters that can be in their place.
const LIMITS: &[(&str, &str)] = &[
    (r#"{"min": 2, "max": 9}"#, r#"{"min": "$(least)", "max": "$(most)"}"#),
    (r#"{"min": 4}"#, r#"{"min": "$(least)"}"#),
    (r#"{"min": 0.5, "max": 2}"#, r#"{"min": "$(ratio)", "max": 2}"#),
    (r#"{"min": "64Mi", "max": "2Gi"}"#, r#"{"min": "$(memory)", "max": "2Gi"}"#),
    (r#"["Draft", "Ready"]"#, r#"["Draft", "$(phase)"]"#),
    (r#""self != 'a'""#, r#""self != $(phase)""#),
    (r#"self.weight < 5""#, r#"self.weight < $(most)""#),
];

const PARAMETERS: &str = r#" "parameters": {"least": {"type": "integer", "default": 2}, "most": {"type": "integer", "default": 9},
    "ratio": {"type": "number", "default": 0.5}, "memory": {"type": "string", "default": "64Mi"}, "phase": {"type": "string", "default": "Ready"}},
    "parametersFrom": {"name": "limits", "namespace": "kube-system"},"#;

/// The rules with parameters in place of limits, which they all use once; as they are if they have no limits.
fn with_parameters(rules: Vec<String>) -> (Vec<String>, &'static str) {
    let replaced =
        |rule: &String| LIMITS.iter().fold(rule.clone(), |rule, (limit, own)| rule.replace(limit, own));
    let made: Vec<_> = rules.iter().map(replaced).collect();
    if made == rules {
        return (rules, "");
    }
    (made, PARAMETERS)
}

/// True if a message may have the value.
fn shows_value(demand: &str) -> bool {
    !["spec.http\"", "spec.git\""].iter().any(|object| demand.contains(object))
}

fn condition(chance: &mut PseudoRandom, level: usize) -> String {
    let kind = chance.number_below(if level == 0 { 7 } else { 4 });
    let one = |chance: &mut PseudoRandom| CONDITIONS[chance.number_below(CONDITIONS.len())].to_owned();
    match kind {
        4 => format!(r#"{{"all": [{}, {}]}}"#, condition(chance, 1), condition(chance, 1)),
        5 => format!(r#"{{"any": [{}, {}]}}"#, condition(chance, 1), condition(chance, 1)),
        6 => format!(r#"{{"not": {}}}"#, condition(chance, 1)),
        _ => one(chance),
    }
}

/// A document with one to four rules.
fn document(index: usize, chance: &mut PseudoRandom) -> String {
    let rules = (0..=chance.number_below(4)).map(|number| {
        // Each demand is in the first rule of some document.
        let choice = if number == 0 { index % DEMANDS.len() } else { chance.number_below(DEMANDS.len()) };
        let paths =
            ["spec.name", "spec.git.url", "spec.http", "spec.tags[\\\"tier\\\"]", "spec.fish[*].kind"];
        let demand = DEMANDS[choice].1.replace("PATH", paths[chance.number_below(paths.len())]);
        let is_each = demand.contains("\"each\"");
        let when = if is_each || chance.number_below(2) == 0 {
            String::new()
        } else {
            format!(r#", "when": {}"#, condition(chance, 0))
        };
        let severity = ["error", "error", "error", "error", "warn", "audit"][chance.number_below(6)];
        let message = MESSAGES[chance.number_below(MESSAGES.len())];
        let requires_conditions = ["any", "all", "not", "some", "count"].contains(&DEMANDS[choice].0);
        let has_path = demand.contains("\"path\"") && !requires_conditions;
        let message = if is_each || !has_path { "" } else { message };
        let has_one_value = !demand.contains("[*]") && !when.contains("[*]") && !when.contains("http");
        let message = if message.contains("{value}") && !(has_one_value && shows_value(&demand)) {
            ""
        } else {
            message
        };
        let reason = [r#", "reason": "FieldValueDuplicate""#, ""][chance.number_below(2)];
        format!(r#"{{"name": "rule-{number}", "severity": "{severity}", {demand}{when}{message}{reason}}}"#)
    });
    let rules: Vec<_> = rules.collect();
    let (rules, parameters) = if index.is_multiple_of(2) { with_parameters(rules) } else { (rules, "") };
    let has_updates = rules
        .iter()
        .any(|rule| ["immutable", "noRemoval", "transitions"].iter().any(|word| rule.contains(word)));
    let selection =
        SELECTIONS[if index.is_multiple_of(3) { chance.number_below(SELECTIONS.len()) } else { 0 }];
    let selection = if has_updates && selection.contains("CREATE") { "" } else { selection };
    format!(
        r#"{{"apiVersion": "kvrules.dev/v1alpha1", "kind": "RuleSet", "metadata": {{"name": "set-{index}"}},
            "spec": {{"subject": {{"apiVersion": "example.com/v1", "kind": "Pond"}},{selection}{parameters} "rules": [{}]}}}}"#,
        rules.join(", ")
    )
}

fn single_rule(rule: &str) -> String {
    format!(
        r#"{{"apiVersion": "kvrules.dev/v1alpha1", "kind": "RuleSet", "metadata": {{"name": "a"}}, "spec":
            {{"subject": {{"apiVersion": "example.com/v1", "kind": "Pond"}}, "rules": [{{"name": "a", {rule}}}]}}}}"#
    )
}

/// The schema of the ponds as a JSON Schema, with a reference and types in the forms of drafts.
fn pond_schema() -> Value {
    let mut schema = pond()["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone();
    restate_types(&mut schema);
    let fish = schema["properties"]["spec"]["properties"]["fish"]["items"].take();
    schema["properties"]["spec"]["properties"]["fish"]["items"] = json!({"$ref": "#/$defs/fish"});
    schema["$defs"] = json!({"fish": fish});
    schema["properties"]["spec"]["allOf"] = json!([{"properties": {"name": {"minLength": 1}}}]);
    schema
}

fn restate_types(schema: &mut Value) {
    if let Some(fields) = schema.as_object_mut() {
        if fields.remove("nullable").is_some() {
            let own = fields["type"].clone();
            fields.insert("type".to_owned(), json!([own, "null"]));
        }
        if fields.remove("x-kubernetes-int-or-string").is_some() {
            fields.insert("type".to_owned(), json!(["integer", "string"]));
        }
        fields.values_mut().for_each(restate_types);
    }
}

/// The same document about documents of the JSON Schema, which are not written by requests; `None` if no rule is left.
fn about_documents(text: &str) -> Option<String> {
    let mut document: Value = serde_json::from_str(text).unwrap();
    let spec = document["spec"].as_object_mut().unwrap();
    spec.insert("subject".to_owned(), json!({"schema": "pond.json"}));
    spec.remove("match");
    spec.remove("parametersFrom");
    let words = ["immutable", "noRemoval", "transitions"];
    let rules = spec["rules"].as_array_mut().unwrap();
    rules.retain(|rule| !words.iter().any(|word| rule.get(*word).is_some()));
    (!rules.is_empty()).then(|| document.to_string())
}

/// Rules about objects of any kind.
const COMMON: &[&str] = &[
    r#""path": "metadata.labels.owner", "required": true"#,
    r#""path": "metadata.annotations[\"example.com/note\"]", "forbidden": true"#,
    r#""path": "metadata.name", "pattern": "^[a-z]""#,
    r#""path": "metadata.name", "length": {"max": 9}"#,
    r#""path": "metadata.labels[*]", "length": {"min": 1}"#,
    r#""path": "metadata.labels", "items": {"min": 1, "max": 3}"#,
    r#""path": "kind", "in": ["Secret", "ConfigMap"]"#,
    r#""path": "metadata.labels.tier", "in": ["web", "db"]"#,
    r#""exactlyOneOf": ["metadata.labels.a", "metadata.labels.b"]"#,
    r#""allOrNone": ["metadata.labels.a", "metadata.annotations.b"]"#,
    r#""path": "metadata.labels.host", "format": "dns-label""#,
    r#""path": "metadata.labels.tier", "equals": "metadata.annotations.tier""#,
    r#""path": "metadata.labels.tier", "immutable": "onceSet""#,
    r#""path": "metadata.labels", "noRemoval": true"#,
    r#""cel": "!has(self.metadata.labels) || self.metadata.labels.size() < 4""#,
];

const COMMON_CONDITIONS: &[&str] = &[
    r#"{"path": "kind", "in": ["ConfigMap"]}"#,
    r#"{"not": {"path": "metadata.labels.tier", "in": ["web"]}}"#,
    r#"{"path": "metadata.annotations.tier", "required": true}"#,
];

const COMMON_SELECTIONS: &[&str] = &[
    "",
    r#" "match": {"resources": ["configmaps", "secrets"]},"#,
    r#" "match": {"resources": ["*.apps", "widgets.example.com"], "labels": {"a": "b"}},"#,
    r#" "match": {"operations": ["CREATE"]},"#,
];

/// A document about objects of any kind.
fn about_any_kind(index: usize, chance: &mut PseudoRandom) -> String {
    let rules = (0..=chance.number_below(3)).map(|number| {
        let choice = if number == 0 { index % COMMON.len() } else { chance.number_below(COMMON.len()) };
        let when = match chance.number_below(2) {
            0 => String::new(),
            _ => format!(r#", "when": {}"#, COMMON_CONDITIONS[chance.number_below(COMMON_CONDITIONS.len())]),
        };
        let severity = ["error", "error", "warn"][chance.number_below(3)];
        format!(r#"{{"name": "rule-{number}", "severity": "{severity}", {}{when}}}"#, COMMON[choice])
    });
    let rules: Vec<_> = rules.collect();
    let selection = COMMON_SELECTIONS[chance.number_below(COMMON_SELECTIONS.len())];
    let has_updates = rules.iter().any(|rule| rule.contains("immutable") || rule.contains("noRemoval"));
    let selection = if has_updates && selection.contains("CREATE") { "" } else { selection };
    format!(
        r#"{{"apiVersion": "kvrules.dev/v1alpha1", "kind": "RuleSet", "metadata": {{"name": "any-{index}"}},
            "spec": {{"subject": "any",{selection} "rules": [{}]}}}}"#,
        rules.join(", ")
    )
}

fn read_set(text: &str) -> RuleSet {
    let of_file = [("pond.json".to_owned(), Ok(SubjectFile::Schemas(Arc::new(pond_schema()))))].into();
    let definitions = SubjectDefinitions { of_run: vec![pond()], of_file, ..SubjectDefinitions::default() };
    let stream = kvrules_syntax::parse_stream(FileId(0), text);
    let mut findings = Vec::new();
    let set = read_rule_set(&stream.documents[0], &definitions, &mut findings).unwrap();
    // Rules that contradict each other are reported, and are rules all the same.
    let errors: Vec<_> = findings
        .iter()
        .filter(|it| {
            it.level == Level::Error && it.code != "KR105" && !it.message.starts_with("unused parameter")
        })
        .map(|it| &it.message)
        .collect();
    assert!(errors.is_empty(), "{text}: {errors:?}");
    set
}

fn verify_set(set: &RuleSet, emit: &(dyn Fn(&Emitter, &Request<'_>) -> Emission + Sync)) -> Report {
    let versions = set.versions();
    let request = Request {
        resources: &versions,
        authored: std::slice::from_ref(set),
        ..Request::for_virtual_machines(&[])
    };
    verify_resources_with(&|emitter, request| Ok(emit(emitter, request)), EMITTERS, &request)
}

fn emit(emitter: &Emitter, request: &Request<'_>) -> Emission {
    emitter.emit_versions(request).unwrap()
}

#[test]
fn every_claim_about_generated_rule_sets_holds() {
    let count = env::var("KVRULES_RULE_SETS").ok().and_then(|count| count.parse().ok()).unwrap_or(SETS);
    let mut chance = PseudoRandom::new();
    let (mut rules, mut objects, mut exact, mut unsupported) = (0, 0, 0, 0);
    let (mut subjects, mut inconclusive) = ([0; 3], 0);
    for index in 0..count {
        let own = document(index, &mut chance);
        let text = match index % 4 {
            1 => about_documents(&own).unwrap_or(own),
            3 => about_any_kind(index, &mut chance),
            _ => own,
        };
        let set = read_set(&text);
        subjects[set.subject.objects as usize] += 1;
        rules += set.rules.len();
        let report = verify_set(&set, &emit);
        assert!(report.all_claims_hold(), "{text}\n{report:?}");
        // Rules about any kind are wider by subresources that the kinds of their conditions may not have.
        if index % 4 == 3 {
            inconclusive += usize::from(report.is_inconclusive());
        } else {
            assert!(!report.is_inconclusive(), "{text}\n{report:?}");
        }
        objects += report.comparisons;
        for target in &report.targets {
            let (_, unsupported_here): (Vec<_>, Vec<_>) =
                target.rules.iter().partition(|rule| rule.claim.cause().is_none());
            unsupported += unsupported_here.len();
            exact += target.rules.len() - unsupported_here.len();
        }
    }
    println!(
        "{count} RuleSets with {rules} rules, {objects} comparisons: {exact} claims exact, {unsupported} with a cause"
    );
    println!(
        "about a kind, any kind, and documents: {subjects:?}; {inconclusive} about any kind are inconclusive"
    );
    assert!(inconclusive <= count / 20, "{inconclusive}");
    assert!(rules > count, "documents have several rules");
    assert!(subjects.iter().all(|number| *number > count / 8), "{subjects:?}");
}

#[test]
fn a_policy_that_ignores_its_parameters_is_found_out() {
    let text = single_rule(r#""path": "spec.depth", "integer": {"max": "$(most)"}"#);
    let text = text
        .replace(r#""rules":"#, &format!(r#"{PARAMETERS} "rules":"#))
        .replace(r#""default": 9"#, r#""default": 5"#);
    let set = read_set(&text);
    assert!(verify_set(&set, &emit).all_claims_hold());
    for (from, to) in [
        ("params.data['most']", "params.data['least']"),
        ("int(params.data['most'])", "9"),
        ("name: limits", "name: limit"),
    ] {
        let broken = |emitter: &Emitter, request: &Request<'_>| {
            let mut emission = emit(emitter, request);
            for file in &mut emission.files {
                file.text = file.text.replace(from, to);
            }
            emission
        };
        assert!(!verify_set(&set, &broken).all_claims_hold(), "{from}");
    }
}

#[test]
fn a_policy_that_selects_other_requests_is_found_out() {
    let text = single_rule(r#""path": "spec.depth", "integer": {"max": 5}"#);
    let selection =
        r#""match": {"operations": ["CREATE"], "users": ["alice"], "exceptGroups": ["web"]}, "rules":"#;
    let set = read_set(&text.replace(r#""rules":"#, selection));
    assert!(verify_set(&set, &emit).all_claims_hold());
    for (from, to) in [("- CREATE", "- UPDATE"), ("alice", "bob"), ("!(has", "(has"), ("'web'", "'wob'")] {
        let broken = |emitter: &Emitter, request: &Request<'_>| {
            let mut emission = emit(emitter, request);
            for file in &mut emission.files {
                file.text = file.text.replace(from, to);
            }
            emission
        };
        assert!(!verify_set(&set, &broken).all_claims_hold(), "{from}");
    }
}

#[test]
fn every_word_is_among_the_generated_ones() {
    for word in WORDS {
        assert!(DEMANDS.iter().any(|(name, _)| *name == word.name), "{}", word.name);
    }
}

#[test]
fn every_word_is_confirmed_on_values_of_both_verdicts() {
    for (name, demand) in DEMANDS {
        let rule = demand.replace("PATH", "spec.name");
        let text = single_rule(&rule);
        let confirmed = confirm_meaning(&read_set(&text), 400);
        assert!(confirmed[0].departure.is_none(), "{name}: {:?}", confirmed[0]);
        assert!(
            confirmed[0].violating > 0 && confirmed[0].violating < confirmed[0].values,
            "{rule}: {:?}",
            confirmed[0]
        );
    }
}

#[test]
fn another_expression_than_the_condition_is_found_out() {
    let mut set = read_set(&single_rule(r#""path": "spec.depth", "integer": {"min": 2, "max": 9}"#));
    let rule = &mut set.rules[0];
    assert_eq!(rule.expression.replace('9', "10").matches("10").count(), 1, "{}", rule.expression);
    rule.expression = rule.expression.replace('9', "10");
    let confirmed = confirm_meaning(&set, 400);
    assert!(confirmed.iter().any(|rule| rule.departure.is_some()), "{confirmed:?}");
    assert!(!verify_set(&set, &emit).all_claims_hold());
}

#[test]
fn a_file_without_a_rule_is_found_out() {
    let set = read_set(&single_rule(r#""path": "spec.depth", "integer": {"min": 2, "max": 9}"#));
    let broken = |emitter: &Emitter, request: &Request<'_>| {
        let mut emission = emit(emitter, request);
        for file in &mut emission.files {
            file.text = file
                .text
                .replace("<= 9", "<= 99")
                .replace("\"maximum\": 9", "\"maximum\": 99")
                .replace("maximum: 9", "maximum: 99")
                .replace("Maximum=9", "Maximum=99");
        }
        emission
    };
    let report = verify_set(&set, &broken);
    for target in &report.targets {
        let is_found = target.rules.iter().any(|rule| rule.finding.is_fault());
        assert!(is_found, "{}: {:?}", target.target, target.rules);
    }
}
