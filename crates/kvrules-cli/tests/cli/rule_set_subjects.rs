//! RuleSets about documents of a JSON Schema or an OpenAPI file, and about objects of any kind, in every command.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use serde_json::{Value, json};

use crate::place::Place;

const SCHEMA: &str = r##"{
  "$schema": "http://json-schema.org/draft-07/schema#",
  "type": "object",
  "properties": {
    "listen": {"$ref": "#/definitions/listen"},
    "log-level": {"enum": ["debug", "info", "warn"]},
    "tls": {"type": ["object", "null"], "properties": {"cert": {"type": "string"}, "key": {"type": "string"}}},
    "routes": {"type": "array", "items": {"$ref": "#/definitions/route"}},
    "upstreams": {"type": "object", "additionalProperties": {"properties": {"weight": {"type": "number"}}}},
    "metadata": {"type": "string"},
    "extra": {"$ref": "other.json#/x"},
    "loop": {"$ref": "#/definitions/loop"},
    "never": false,
    "always": true
  },
  "definitions": {
    "listen": {"properties": {"host": {"type": "string"}, "port": {"type": "integer"}}},
    "route": {"properties": {"path": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/definitions/route"}}}},
    "loop": {"$ref": "#/definitions/loop"}
  }
}"##;

fn rule_set(subject: &str, rules: &str) -> String {
    format!(
        "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {{name: server}}\nspec:\n  subject: {subject}\n  rules:\n{rules}"
    )
}

const RULES: &str =
    "  - {name: port, path: listen.port, integer: {min: 1024}, message: \"{value} is not {limit}\"}
  - {name: tls, allOrNone: [tls.cert, tls.key]}
  - {name: level, path: listen.host, required: true, when: {path: log-level, in: [info]}}
  - {name: children, path: \"routes[*].children[*].path\", pattern: \"^/\"}
  - {name: weights, path: \"upstreams[*].weight\", number: {min: 0, max: 1}}
  - {name: title, path: metadata, length: {max: 5}}
  - {name: paths, path: routes, uniqueBy: [path], severity: warn}
  - {name: cel, each: listen, cel: \"!has(self.host) || self.host != 'localhost'\"}
  examples:
    accept:
    - {listen: {port: 8080}, metadata: short}
    reject:
    - {object: {listen: {port: 80}}, violates: [port], messages: [80 is not at least 1024]}
    - {object: {metadata: longer}, violates: [title]}
";

fn place() -> Place {
    let rules = rule_set("{schema: schemas/server.json}", RULES);
    Place::with(&[("schemas/server.json", SCHEMA), ("rules.yaml", &rules)])
}

#[test]
fn documents_of_a_json_schema_are_checked_and_evaluated() {
    let place = place();
    let checked = place.run(&["check", "rules.yaml"]);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    let tested = place.run(&["test", "rules.yaml"]);
    assert!(tested.code == Some(0) && tested.err.contains("3 cases passed"), "{tested:?}");
    place.write(
        "bad.json",
        r#"{"listen": {"port": 80}, "tls": {"key": "a"}, "routes": [{"children": [{"path": "b"}]}], "upstreams": {"x": {"weight": 3}}}"#,
    );
    place.write("lines.ndjson", "{\"metadata\": \"a\"}\n{\"metadata\": \"longer\"}\n");
    let answer = place.run(&["eval", "--rules", "rules.yaml", "bad.json"]);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    for text in [
        "rule `port` violated: 80 is not at least 1024",
        "rule `tls` violated",
        "routes[0].children[0].path = \"b\"",
        "upstreams.x.weight = 3",
    ] {
        assert!(answer.out.contains(text), "{text}: {answer:?}");
    }
    let lines = place.run(&["eval", "--rules", "rules.yaml", "lines.ndjson", "--output-format", "json"]);
    let verdicts: Vec<Value> = lines.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let verdict = |index: usize| verdicts[index]["spec"]["verdict"].clone();
    assert_eq!((verdict(0), verdict(1)), (json!("satisfied"), json!("rejected")), "{lines:?}");
    let by_policy = place.run(&["eval", "--engine", "policy", "--rules", "rules.yaml", "bad.json"]);
    assert!(by_policy.code == Some(2) && by_policy.err.contains("no server receives"), "{by_policy:?}");
}

#[test]
fn schemas_of_rules_about_documents_say_what_the_rules_mean() {
    let place = place();
    let targets = "json-schema,openapi,admission-policy,crd,cel,kubebuilder,kube-rs";
    let verified = place.run(&["verify", "rules.yaml", "--target", targets]);
    assert!(verified.code == Some(0) && verified.err.contains("every claim holds"), "{verified:?}");
    let made = place.run(&["compile", "rules.yaml", "--target", targets, "--out-dir", "build"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(!place.files("build").iter().any(|file| file.contains("warn")), "{made:?}");
    assert!(made.err.contains("unsupported in admission-policy: the subject is a JSON Schema"), "{made:?}");
    let schema: Value = serde_json::from_str(&place.read("build/json-schema/server.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let cases = [
        (json!({"listen": {"port": 1024}, "metadata": "a"}), true),
        (json!({"listen": {"port": 1023}}), false),
        (json!({"metadata": "longer"}), false),
        (json!({"tls": null}), true),
        (json!({"tls": {"key": "a"}}), false),
        (json!({"log-level": "info"}), false),
        (json!({"log-level": "debug"}), true),
        (json!({"listen": {"host": "localhost"}}), false),
        (json!({"routes": [{"children": [{"path": "/a"}, {"path": "b"}]}]}), false),
        (json!({"unknown": 1}), true),
    ];
    for (document, is_valid) in cases {
        assert_eq!(validator.is_valid(&document), is_valid, "{document}");
        place.write("case.json", document.to_string());
        let answer = place.run(&["eval", "--rules", "rules.yaml", "case.json"]);
        assert_eq!(answer.code == Some(0), is_valid, "{document}: {answer:?}");
    }
    let alone = place.run(&["compile", "rules.yaml", "--target", "crd", "--out-dir", "other"]);
    assert!(
        alone.code == Some(2) && alone.err.contains("the target expresses none of the rules"),
        "{alone:?}"
    );
}

#[test]
fn other_commands_show_documents_as_their_author_does() {
    let place = place();
    let changed = RULES.replace("1024", "2048");
    place.write("new.yaml", rule_set("{schema: schemas/server.json}", &changed));
    let compared = place.run(&["diff", "rules.yaml", "new.yaml"]);
    assert!(compared.out.contains("listen.port (rule `port`)\n"), "{compared:?}");
    assert!(
        compared.out.contains(
            "tightened: rule `listen.port` must be at least 1024 → `listen.port` must be at least 2048"
        ),
        "{compared:?}"
    );
    assert!(compared.out.contains("rejected now: {\"listen\":{\"port\":"), "{compared:?}");
    assert!(compared.out.contains("because the rule `port` of the new RuleSet implies it"), "{compared:?}");
    assert!(!compared.out.contains("document"), "{compared:?}");
    assert_eq!(place.run(&["docs", "rules.yaml", "--out-dir", "pages"]).code, Some(0));
    let page = place.read("pages/server.md");
    assert!(page.contains("**Documents of:** `server`") && !page.contains("apiVersion"), "{page}");
    let explained = place.run(&["explain", "--lift", "rules.yaml"]);
    assert!(explained.out.starts_with("RuleSet server, for server\n"), "{explained:?}");
    let priced = place.run(&["cost", "rules.yaml"]);
    assert!(
        priced.code == Some(2) && priced.err.contains("no server evaluates the rules of `server`"),
        "{priced:?}"
    );
    assert_eq!(place.run(&["fmt", "rules.yaml"]).code, Some(0));
    let offered = place.run(&["new", "rule", "--for", "rules.yaml", "listen.port"]);
    assert!(offered.out.contains("integer: {min: 1, max: 10}"), "{offered:?}");
    assert!(!offered.out.contains("immutable"), "{offered:?}");
    place.write("any.yaml", rule_set("any", ANY));
    let compared = place.run(&["diff", "rules.yaml", "any.yaml"]);
    assert!(compared.out.contains("incomparable: subject documents of server → any"), "{compared:?}");
}

/// The first finding of a RuleSet with this subject and one rule.
fn finding(subject: &str, rule: &str) -> String {
    let api = "openapi: 3.0.3\ncomponents:\n  schemas:\n    Pond: {type: object, properties: {depth: {type: integer, nullable: true}}}\n    Lake: {$ref: '#/components/schemas/Pond'}\n";
    let place = Place::with(&[
        ("server.json", SCHEMA),
        ("api.yaml", api),
        ("true.json", "true"),
        ("empty.json", ""),
        ("list.json", "[1, 2]"),
        ("broken.json", "{\"type\": "),
        ("rules.yaml", &rule_set(subject, &format!("  - {{name: a, {rule}}}\n"))),
    ]);
    let run = place.run(&["check", "rules.yaml"]);
    assert_ne!(run.code, Some(101), "{run:?}");
    if run.out.is_empty() {
        return "none".to_owned();
    }
    let lines: Vec<&str> = run.out.lines().collect();
    let help = lines.iter().find_map(|line| line.trim().strip_prefix("= help: ")).unwrap_or_default();
    format!("{} | {help}", lines[0].split_once(": ").unwrap().1)
}

/// Subjects and words of a rule with the first finding and its help.
const WRONG: &[(&str, &str, &str)] = &[
    (
        "{schema: server.json}",
        "path: listen.prt, required: true",
        "unknown field `prt` in `listen` | did you mean `port`?",
    ),
    (
        "{schema: server.json}",
        "path: lisen.port, required: true",
        "unknown field `lisen` in `server` | did you mean `listen`?",
    ),
    (
        "{schema: server.json}",
        "path: routes.path, required: true",
        "`routes` is a list | write `[*]` for its items",
    ),
    (
        "{schema: server.json}",
        "path: listen.port, length: {min: 1}",
        "`length` is for a string, but `listen.port` is an integer | words for an integer: `integer`",
    ),
    (
        "{schema: server.json}",
        "path: listen.host, integer: {min: 1}",
        "`integer` is for an integer, but `listen.host` is a string | words for a string: `length`, `in`, `pattern`, `startsWith`, `endsWith`, `contains`, `format`",
    ),
    (
        "{definition: server.json}",
        "path: listen.port, integer: {min: 1}",
        "unknown key `definition` in `subject` | `schema` names the file with the definition or the JSON Schema",
    ),
    (
        "{schema: server.json}",
        "path: listen.port, integer: {min: 1}, message: 'at least {{ .Values.port }}'",
        "the message has a template tag, which nothing renders | render the file first, or write `\\{` for a brace",
    ),
    (
        "{schema: server.json}",
        "path: log-level, in: [wrn, info]",
        "`wrn` is not a value of the enumeration in the schema | did you mean `warn`?",
    ),
    (
        "{schema: server.json}",
        "path: extra.x, required: true",
        "the type of `extra` is unknown | the reference `other.json#/x` points to another document; bundle the schemas into one file",
    ),
    (
        "{schema: server.json}",
        "path: loop.x, required: true",
        "the type of `loop` is unknown | the reference `#/definitions/loop` leads back to itself",
    ),
    (
        "{schema: server.json}",
        "path: never, required: true",
        "unknown field `never` in `server` | its fields are `listen`, `log-level`, `tls`, `routes`, `upstreams`, `metadata`, `extra`, `loop`, `always`",
    ),
    (
        "{schema: server.json}",
        "path: listen.port, immutable: always",
        "the rule `a` is about updates, and a document has no stored form | ",
    ),
    (
        "{schema: server.json, apiVersion: v1, kind: A}",
        PORT,
        "`server.json` has no CustomResourceDefinition | leave out `apiVersion` and `kind` if it is a JSON Schema",
    ),
    (
        "{schema: server.json, component: listn}",
        PORT,
        "`server.json` has no schema `listn` | did you mean `listen`?",
    ),
    (
        "{schema: server.json, component: /properties/none}",
        PORT,
        "`server.json` has no schema at `/properties/none` | its schemas are `listen`, `route`, `loop`",
    ),
    ("{schema: server.json, component: '#/definitions/listen'}", "path: port, integer: {min: 1}", "none"),
    (
        "{schema: server.json, component: [a]}",
        PORT,
        "`component` must be the name of a schema, or a JSON pointer | ",
    ),
    (
        "{schema: api.yaml}",
        DEPTH,
        "`api.yaml` has several schemas | name one with `component: NAME`; there are `Pond`, `Lake`",
    ),
    ("{schema: api.yaml, component: Lake}", DEPTH, "none"),
    ("{schema: none.json}", DEPTH, "cannot read `none.json`: no such file or directory | "),
    ("{schema: empty.json}", DEPTH, "`empty.json` is empty | "),
    (
        "{schema: true.json}",
        DEPTH,
        "`true.json` has neither a CustomResourceDefinition nor a JSON Schema | name a file with a definition, a JSON Schema or an OpenAPI document",
    ),
    (
        "{schema: list.json}",
        DEPTH,
        "`list.json` has neither a CustomResourceDefinition nor a JSON Schema | name a file with a definition, a JSON Schema or an OpenAPI document",
    ),
    (
        "{schema: broken.json}",
        DEPTH,
        "`broken.json` cannot be read; `kvrules check broken.json` reports why | ",
    ),
    ("{schema: 5}", DEPTH, "`schema` must name a file | "),
    ("{component: Pond}", DEPTH, "`component` names a schema of a file; add the file as `schema` | "),
    ("anny", DEPTH, "unknown subject `anny` | did you mean `any`?"),
    (
        "any",
        "path: spec.replicas, required: true",
        "unknown field `spec` in an object of any kind | objects of any kind have `apiVersion`, `kind` and `metadata`; for other fields name a kind as the subject",
    ),
    (
        "any",
        "path: metadata.lables.a, required: true",
        "unknown field `lables` in `metadata` | did you mean `labels`?",
    ),
];

const PORT: &str = "path: listen.port, required: true";
const DEPTH: &str = "path: depth, integer: {min: 1}";

#[test]
fn a_wrong_subject_or_path_is_reported_at_its_place() {
    for (subject, rule, expected) in WRONG {
        assert_eq!(finding(subject, rule), *expected, "{subject} {rule}");
    }
}

#[test]
fn schemas_of_all_drafts_give_types() {
    let drafts = [
        r#"{"$schema": "http://json-schema.org/draft-04/schema#", "id": "http://e.com/a.json", "definitions": {"a": {"type": "integer"}}, "properties": {"a": {"$ref": "http://e.com/a.json#/definitions/a"}}}"#,
        r##"{"$schema": "http://json-schema.org/draft-06/schema#", "definitions": {"a": {"$id": "#x", "type": "integer"}}, "properties": {"a": {"$ref": "#x"}}}"##,
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "if": {"properties": {"b": {"const": 1}}}, "then": {"properties": {"a": {"type": "integer"}}}}"#,
        r##"{"$schema": "https://json-schema.org/draft/2019-09/schema", "$defs": {"a": {"$anchor": "x", "type": "integer"}}, "properties": {"a": {"$ref": "#x"}}}"##,
        r##"{"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {"a%20b": {"type": ["integer", "null"]}}, "properties": {"a": {"$ref": "#/$defs/a%2520b"}}}"##,
        r#"{"oneOf": [{"properties": {"a": {"type": "integer"}}}, {"properties": {"a": {"type": "null"}}}]}"#,
        r#"{"allOf": [{"properties": {"a": {"type": "integer"}}}, {"required": ["a"]}]}"#,
        r#"{"dependentSchemas": {"b": {"properties": {"a": {"enum": [1, 2]}}}}, "type": "object"}"#,
    ];
    for draft in drafts {
        let rules = rule_set("{schema: a.json}", "  - {name: a, path: a, integer: {min: 1}}\n");
        let place = Place::with(&[("a.json", draft), ("rules.yaml", &rules)]);
        let checked = place.run(&["check", "rules.yaml"]);
        assert_eq!(checked.code, Some(0), "{draft}: {checked:?}");
        let verified = place.run(&["verify", "rules.yaml", "--target", "json-schema"]);
        assert_eq!(verified.code, Some(0), "{draft}: {verified:?}");
    }
}

const ANY: &str = "  - {name: owner, path: metadata.labels.owner, required: true}
  - {name: team, path: metadata.labels.team, in: [a, b], when: {path: kind, in: [Service]}}
";

#[test]
fn policies_about_objects_of_any_kind_match_resources() {
    let selected = rule_set("any\n  match: {resources: [services, deployments.apps, \"*.batch\"]}", ANY);
    let place = Place::with(&[("all.yaml", &rule_set("any", ANY)), ("some.yaml", &selected)]);
    for (file, claims) in [("all.yaml", "0 unsupported"), ("some.yaml", "")] {
        let verified = place.run(&["verify", file]);
        assert!(
            verified.code == Some(0) && verified.err.contains("every claim holds"),
            "{claims}{verified:?}"
        );
    }
    let made =
        place.run(&["compile", "some.yaml", "--target", "admission-policy,json-schema", "--out-dir", "b"]);
    assert!(made.err.contains("a schema cannot select the `resources` of `match`"), "{made:?}");
    let object = |kind: &str, version: &str, labels: &str| {
        format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a, labels: {{{labels}}}}}\n")
    };
    for (kind, version, labels, all, some) in [
        ("Service", "v1", "owner: a, team: a", 0, 0),
        ("Service", "v1", "owner: a, team: c", 1, 1),
        ("Secret", "v1", "team: c", 1, 2),
        ("Deployment", "apps/v1", "team: c", 1, 1),
        ("CronJob", "batch/v1", "owner: a", 0, 0),
        ("CronJob", "batch/v1", "a: b", 1, 1),
        ("Namespace", "v1", "a: b", 1, 2),
    ] {
        place.write("object.yaml", object(kind, version, labels));
        for (file, code) in [("all.yaml", all), ("some.yaml", some)] {
            let answer = place.run(&["eval", "--rules", file, "object.yaml"]);
            assert_eq!(answer.code, Some(code), "{file} {kind} {labels}: {answer:?}");
            let meaning = place.run(&["eval", "--engine", "spec", "--rules", file, "object.yaml"]);
            assert_eq!(meaning.code, Some(code), "{file} {kind} {labels}: {meaning:?}");
        }
    }
    place.write("object.yaml", object("Service", "v1", "team: c"));
    let schema: Value = {
        assert_eq!(place.run(&["compile", "all.yaml", "-t", "json-schema", "--out-dir", "s"]).code, Some(0));
        serde_json::from_str(&place.read("s/json-schema/server.json")).unwrap()
    };
    let validator = jsonschema::validator_for(&schema).unwrap();
    let object =
        |kind: &str, labels: Value| json!({"apiVersion": "v1", "kind": kind, "metadata": {"labels": labels}});
    assert!(validator.is_valid(&object("Pond", json!({"owner": "a", "team": "c"}))));
    assert!(!validator.is_valid(&object("Service", json!({"owner": "a", "team": "c"}))));
    assert!(!validator.is_valid(&object("Pond", json!({}))));
    for (resources, expected) in [
        ("[deploymnts.apps]", "Kubernetes serves no resource `deploymnts` in `apps`"),
        ("[deployments]", "did you mean `deployments.apps`?"),
        ("[Deployments.apps]", "a resource is its plural name"),
        ("services", "`resources` must be a list of strings"),
    ] {
        place.write("wrong.yaml", rule_set(&format!("any\n  match: {{resources: {resources}}}"), ANY));
        let run = place.run(&["check", "wrong.yaml"]);
        assert!(run.code == Some(1) && run.out.contains(expected), "{resources}: {run:?}");
    }
}

#[test]
fn the_schema_of_rule_sets_has_the_subjects() {
    let place = place();
    let schema: Value = serde_json::from_str(&place.run(&["schema", "rule-set"]).out).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let is_valid = |subject: Value, selection: Value| {
        let rule = json!({"name": "a", "path": "metadata.name", "required": true});
        let mut spec = json!({"subject": subject, "rules": [rule]});
        if !selection.is_null() {
            spec["match"] = selection;
        }
        validator.is_valid(
            &json!({"apiVersion": "kvrules.dev/v1alpha1", "kind": "RuleSet", "metadata": {"name": "a"}, "spec": spec}),
        )
    };
    for subject in [
        json!("any"),
        json!({"schema": "a.json"}),
        json!({"schema": "a.json", "component": "Pond"}),
        json!({"apiVersion": "v1", "kind": "Pod"}),
        json!({"apiVersion": "a.io/v1", "kind": "A", "schema": "a.yaml"}),
    ] {
        assert!(is_valid(subject.clone(), Value::Null), "{subject}");
    }
    for subject in [
        json!("anny"),
        json!({"component": "Pond"}),
        json!({"schema": 5}),
        json!({"schema": "a.json", "component": ""}),
        json!({"kind": "Pod"}),
        json!({"schema": "a.json", "kind": "A"}),
        json!(["any"]),
        json!({}),
    ] {
        assert!(!is_valid(subject.clone(), Value::Null), "{subject}");
    }
    assert!(is_valid(json!("any"), json!({"resources": ["pods", "deployments.apps"]})));
    assert!(!is_valid(json!("any"), json!({"resources": "pods"})));
    assert!(is_valid(json!("any"), json!({"namespaces": ["a"], "exceptNamespaces": ["b"]})));
    assert!(is_valid(json!("any"), json!({"namespaces": {"labels": {"a": ["b"], "c": {"exists": true}}}})));
    assert!(!is_valid(json!("any"), json!({"namespaces": "a"})));
    assert!(!is_valid(json!("any"), json!({"labels": {"a": {"in": ["b"]}}})));
}

#[test]
fn objects_that_match_does_not_select_are_not_evaluated() {
    let place = Place::with(&[(
        "object.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {tier: b}}\n",
    )]);
    for (selection, code) in [
        ("labels: {tier: b}", 1),
        ("labels: {tier: c}", 2),
        ("labels: {other: b}", 2),
        ("labels: {tier: [a, b]}", 1),
        ("labels: {tier: [a, c]}", 2),
        ("labels: {tier: {notIn: [b]}}", 2),
        ("labels: {other: {notIn: [b]}}", 1),
        ("labels: {tier: {exists: true}}", 1),
        ("labels: {tier: {exists: false}}", 2),
        ("operations: [CREATE]", 1),
        ("operations: [UPDATE]", 2),
        ("resources: [pods]", 1),
        ("resources: [\"*.apps\"]", 2),
    ] {
        let subject = format!("any\n  match: {{{selection}}}");
        place.write("rules.yaml", rule_set(&subject, ANY));
        let answer = place.run(&["eval", "--engine", "spec", "--rules", "rules.yaml", "object.yaml"]);
        assert_eq!(answer.code, Some(code), "{selection}: {answer:?}");
        let says =
            answer.err.contains("`match` of the RuleSets about the object does not select its creation");
        assert_eq!(says, code == 2, "{selection}: {answer:?}");
    }
}

#[test]
fn policies_select_namespaces_and_labels() {
    let rules = "  - {name: replicas, path: spec.replicas, integer: {min: 2}}\n";
    let set = |selection: &str| {
        rule_set(&format!("{{apiVersion: apps/v1, kind: Deployment}}\n  match: {{{selection}}}"), rules)
    };
    let object = |namespace: &str, labels: Value| {
        let metadata = json!({"name": "a", "namespace": namespace, "labels": labels});
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": {"replicas": 1}})
            .to_string()
    };
    let cases = [
        (
            "namespaces: [shop, web]",
            "key: kubernetes.io/metadata.name",
            object("web", json!({})),
            object("db", json!({})),
        ),
        (
            "exceptNamespaces: [kube-system]",
            "operator: NotIn",
            object("web", json!({})),
            object("kube-system", json!({})),
        ),
        (
            "namespaces: {names: [web, db]}, exceptNamespaces: [db]",
            "operator: NotIn",
            object("web", json!({})),
            object("db", json!({})),
        ),
        (
            "labels: {tier: [a, b], old: {exists: false}}",
            "operator: DoesNotExist",
            object("web", json!({"tier": "b"})),
            object("web", json!({"tier": "b", "old": "1"})),
        ),
        (
            "labels: {tier: {notIn: [a]}, owner: {exists: true}}",
            "operator: Exists",
            object("web", json!({"owner": "b"})),
            object("web", json!({"owner": "b", "tier": "a"})),
        ),
    ];
    for (selection, text, selected, other) in cases {
        let place = Place::with(&[
            ("rules.yaml", &set(selection)),
            ("selected.json", &selected),
            ("other.json", &other),
        ]);
        let checked = place.run(&["check", "rules.yaml"]);
        assert_eq!(checked.code, Some(0), "{selection}: {checked:?}");
        let verified = place.run(&["verify", "rules.yaml", "--target", "admission-policy"]);
        assert!(verified.err.contains("every claim holds"), "{selection}: {verified:?}");
        let made =
            place.run(&["compile", "rules.yaml", "--target", "admission-policy", "--out-dir", "build"]);
        assert_eq!(made.code, Some(0), "{selection}: {made:?}");
        let policy = "build/admission-policy/server.yaml";
        assert!(place.read(policy).contains(text), "{selection}: {made:?}");
        let eval = |file: &str| place.run(&["eval", "--engine", "policy", "--rules", policy, file]);
        assert_eq!(eval("selected.json").code, Some(1), "{selection}: {:?}", eval("selected.json"));
        assert_eq!(eval("other.json").code, Some(2), "{selection}: {:?}", eval("other.json"));
        let back = place.run(&["import", "ruleset", policy, "-o", "back.yaml"]);
        assert_eq!(back.code, Some(0), "{selection}: {back:?}");
        let compared =
            place.run(&["diff", "rules.yaml", "back.yaml", "--as", "server=deployments.apps-v1.rules"]);
        assert!(!compared.out.contains("match"), "{selection}: {compared:?}");
    }
    for (selection, expected) in [
        ("namespaces: {}", "`namespaces` selects nothing"),
        ("namespaces: [\"kube-*\"]", "`kube-*` is not the name of a namespace"),
        ("exceptNamespaces: kube-system", "`exceptNamespaces` must be a list of strings"),
        ("labels: {}", "`labels` must map names of labels to values"),
        ("labels: {tier: true}", "write `\"true\"`"),
        ("labels: {tier: {in: [a]}}", "unknown key `in` in the label `tier`"),
        ("labels: {tier: {exists: yes please}}", "`exists` is `true` or `false`"),
        ("labels: {tier: {exists: true, notIn: [a]}}", "the label `tier` has one requirement"),
        ("labels: {tier: a b}", "`a b` is not a value of a label"),
        ("labels: {-tier: a}", "`-tier` is not the name of a label"),
    ] {
        let place = Place::with(&[("wrong.yaml", &set(selection))]);
        let run = place.run(&["check", "wrong.yaml"]);
        assert!(run.code == Some(1) && run.out.contains(expected), "{selection}: {run:?}");
    }
    let nodes = "{apiVersion: v1, kind: Node}\n  match: {exceptNamespaces: [a]}";
    let place = Place::with(&[(
        "wrong.yaml",
        &rule_set(nodes, "  - {name: a, path: spec.podCIDR, required: true}\n"),
    )]);
    let run = place.run(&["check", "wrong.yaml"]);
    assert!(run.out.contains("objects of the kind `Node` have no namespace"), "{run:?}");
}

#[test]
fn rules_about_the_kind_and_the_version_reach_the_schema() {
    let rules = "  - {name: kind, path: kind, in: [Other]}\n  - {name: version, path: apiVersion, length: {max: 3}}\n";
    let place = Place::with(&[("rules.yaml", &rule_set("{apiVersion: apps/v1, kind: Deployment}", rules))]);
    let verified = place.run(&["verify", "rules.yaml", "--target", "json-schema,openapi"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert!(
        verified.out.contains("json-schema      2      2           0            0      0             0"),
        "{verified:?}"
    );
}
