//! Equivalent rules that cost less: the forms that are found, and the server's answers to both.

use kvrules_apiserver::cost::RuleSite;
use kvrules_apiserver::object::ObjectSchema;
use kvrules_cel::kubernetes::KubernetesVersions;
use kvrules_generate::ObjectGenerator;
use kvrules_lift::rewrite::{find_form_for_servers, says_same};
use kvrules_lift::{DefinitionRule, definition_rules};
use serde_json::{Value, json};

fn schema_with(rule: &str) -> Value {
    json!({"type": "object", "properties": {"spec": {
        "type": "object",
        "required": ["name", "tags"],
        "properties": {
            "name": {"type": "string", "maxLength": 20, "pattern": "a"},
            "other": {"type": "string", "maxLength": 200},
            "tags": {"type": "array", "maxItems": 10, "items": {"type": "string", "maxLength": 10, "enum": ["a", "b", "c"]}},
            "count": {"type": "integer"}
        },
        "x-kubernetes-validations": [{"rule": rule}]
    }}})
}

fn only_rule(schema: &Value) -> DefinitionRule<'static> {
    definition_rules(schema).remove(0)
}

/// The cheaper form, after the server has answered alike for generated objects.
fn cheaper(rule: &str) -> Option<String> {
    let schema = schema_with(rule);
    let found = find_form_for_servers(&schema, &only_rule(&schema), KubernetesVersions::default())?;
    let with_form = schema_with(&found.text);
    let [one, other] =
        [&schema, &with_form].map(|schema| ObjectSchema::new(schema).without_metadata_checks());
    let mut generator = ObjectGenerator::new(&schema);
    for index in 0..200 {
        let mut object = generator.generate_object(index);
        let Some(fields) = object.as_object_mut() else { continue };
        fields.insert("metadata".to_owned(), json!({"name": "a"}));
        let accepted = one.admit_object(&object, None).is_accepted();
        assert_eq!(accepted, other.admit_object(&object, None).is_accepted(), "{rule}: {object}");
    }
    Some(found.text)
}

#[test]
fn patterns_that_spell_texts_out_become_tests_of_texts() {
    for (rule, form) in [
        ("self.name.matches('^ab')", "self.name.startsWith('ab')"),
        ("self.name.matches('ab$')", "self.name.endsWith('ab')"),
        ("self.name.matches('^ab$')", "self.name == 'ab'"),
        (r"self.name.matches('a\\.b')", "self.name.contains('a.b')"),
        (
            "self.name.matches('^(a|ba)$') && self.tags.size() > 1",
            "(self.name in ['a', 'ba']) && self.tags.size() > 1",
        ),
        (
            "!has(self.other) || !self.other.matches('^x-')",
            "!has(self.other) || !self.other.startsWith('x-')",
        ),
    ] {
        assert_eq!(cheaper(rule).as_deref(), Some(form), "{rule}");
    }
}

#[test]
fn searches_for_a_value_become_memberships() {
    assert_eq!(cheaper("self.tags.exists(it, it == 'a')").as_deref(), Some("'a' in self.tags"));
    assert_eq!(cheaper("self.tags.all(it, it != 'a')").as_deref(), Some("!('a' in self.tags)"));
    assert_eq!(
        cheaper("self.tags.exists(it, it == 'a') && self.name.matches('^ab')").as_deref(),
        Some("('a' in self.tags) && self.name.startsWith('ab')")
    );
}

#[test]
fn other_rules_stay_as_they_are() {
    for rule in [
        "self.name.matches('^a+')",
        "self.name.matches('^a|b$')",
        "self.name.matches('(?i)^ab')",
        "self.tags.exists(it, it == it)",
        "self.tags.all(it, it.size() > 1)",
        "self.name.startsWith('a')",
        "self.count > 1",
    ] {
        assert_eq!(cheaper(rule), None, "{rule}");
    }
}

#[test]
fn older_servers_get_forms_that_they_take() {
    let form = |rule: &str, servers: &str| {
        let schema = schema_with(rule);
        let servers = servers.parse().unwrap();
        let found = find_form_for_servers(&schema, &only_rule(&schema), servers)?;
        let site = RuleSite::on_servers(&schema, "openAPIV3Schema.properties[spec]", servers).unwrap();
        assert!(site.rule_cost(&found.text).unwrap().is_accepted(), "{rule}");
        Some((found.text, found.is_needed))
    };
    let needed = |text: &str| Some((text.to_owned(), true));
    assert_eq!(
        form("self.?other.orValue('a') != 'b'", "1.25..1.36"),
        needed("(has(self.other) ? self.other : 'a') != 'b'")
    );
    assert_eq!(
        form("!self.?other.hasValue() || self.count > 1", "1.28..1.36"),
        needed("has(self.other) ? self.count > 1 : true")
    );
    assert_eq!(
        form("quantity(self.name) != quantity('1')", "1.29..1.36"),
        needed("quantity(self.name).compareTo(quantity('1')) != 0")
    );
    // The newest server takes them as they are.
    assert_eq!(form("self.?other.orValue('a') != 'b'", "1.36"), None);
    // Nothing older says the same.
    assert_eq!(form("self.tags.sort() == self.tags", "1.30..1.36"), None);
}

#[test]
fn a_form_that_loses_the_stored_value_runs_in_creates_too() {
    let schema = schema_with("self.name == 'a' && (oldSelf.name == 'b' || oldSelf.name != 'b')");
    let rule = only_rule(&schema);
    assert!(says_same(&rule, "(oldSelf.name == 'b' || oldSelf.name != 'b') && self.name == 'a'"));
    assert!(!says_same(&rule, "self.name == 'a'"));
    let schema = schema_with("self.name == 'a'");
    assert!(!says_same(
        &only_rule(&schema),
        "self.name == 'a' && (oldSelf.name == 'b' || oldSelf.name != 'b')"
    ));
}
