//! The page of a RuleSet: the objects that it is about, what each rule requires in words, and objects that pass and that fail.

use kvrules_apiserver::definition::RequestSelection;
use kvrules_generate::{PlaceStep, values_below};
use kvrules_lift::{definition_rules, lift_rule};
use kvrules_pages::Text;
use kvrules_pages::fact::{Fact, Piece};
use kvrules_pages::prose::{Prose, count_noun};
use kvrules_pages::resources::{ResourcePage, ResourceRule, ResourceSection};
use kvrules_rule_set::{AuthoredRule, RuleSet, RuleSeverity, place_of_rule};
use serde_json::{Value as Json, json};

use crate::samples::{object_head, rule_samples};

use super::input::ResourcePagesInput;
use super::matching::match_facts;
use super::names::PageNames;
use super::rule_facts::{CONFIRMED_ON, source_fact};
use super::values::{code_fact, line_fact, word_fact, words_piece};

/// Returns the page of a RuleSet.
pub(super) fn rule_set_page(set: &RuleSet, stem: &str, given: &ResourcePagesInput<'_>) -> ResourcePage {
    let mut names = PageNames::of_page(stem);
    let source = given.places.of(set.span.into());
    let version = &set.subject.version;
    let subject =
        vec![Piece::of_code(&version.kind), words_piece(" in "), Piece::of_code(&version.api_version())];
    let mut facts = vec![line_fact("subject", "Objects", subject)];
    if let Some(selection) = &set.selection {
        facts.extend(match_facts(&json!({ "selection": selection.to_json() }), "/selection"));
        facts.extend(request_facts(selection));
    }
    facts.extend(source_fact(source.as_ref()));
    ResourcePage {
        group: "RuleSets".to_owned(),
        part: None,
        title: if set.name.is_empty() { "(no name)".to_owned() } else { set.name.clone() },
        name: set.name.clone(),
        label: names.page_label(),
        summary: Text::from_prose(&Prose::from(count_noun(set.rules.len(), "rule"))),
        description: None,
        badges: Vec::new(),
        facts,
        source,
        anchor: stem.to_owned(),
        sections: vec![rules_section(set, &mut names, given)],
    }
}

/// The facts about the operations and users of requests that are evaluated.
fn request_facts(selection: &RequestSelection) -> Vec<Fact> {
    let mut facts = Vec::new();
    if !selection.operations.is_empty() {
        let operations =
            selection.listed_operations().into_iter().map(Piece::of_code).map(|piece| vec![piece]);
        facts.push(line_fact("operations", "Operations", Piece::join_with(operations, ", ")));
    }
    for (kind, label, users) in
        [("users", "Users", &selection.users), ("except-users", "Except users", &selection.except)]
    {
        if !users.is_empty() {
            let names = users.names.iter().map(|name| vec![Piece::of_code(name)]);
            let groups =
                users.groups.iter().map(|group| vec![words_piece("members of "), Piece::of_code(group)]);
            facts.push(line_fact(kind, label, Piece::join_with(names.chain(groups), ", ")));
        }
    }
    facts
}

fn rules_section(set: &RuleSet, names: &mut PageNames, given: &ResourcePagesInput<'_>) -> ResourceSection {
    let (anchor, label) = names.add_name("rules");
    let rules = set.rules.iter().map(|rule| {
        let (anchor, label) = names.add_name(&format!("rule-{}", rule.name));
        let severity = Some(rule.severity.as_str().to_owned());
        ResourceRule {
            title: rule.name.clone(),
            anchor,
            label,
            severity,
            facts: authored_facts(set, rule, given),
        }
    });
    ResourceSection {
        title: "Rules".to_owned(),
        anchor,
        label,
        rules: rules.collect(),
        ..ResourceSection::default()
    }
}

/// The facts about a rule, the most important first.
fn authored_facts(set: &RuleSet, rule: &AuthoredRule, given: &ResourcePagesInput<'_>) -> Vec<Fact> {
    let mut facts = vec![line_fact("accepted", "Required", vec![Piece::Text(demand_text(rule))])];
    if !rule.message.trim().is_empty() && !rule.message.contains(&rule.condition.describe_demand()) {
        let message = Text::of_author(rule.message.trim(), given.notation);
        facts.push(line_fact("message", "Message", vec![Piece::Text(message)]));
    }
    facts.push(word_fact(
        "effect",
        "Violations",
        match rule.severity {
            RuleSeverity::Error => "are rejected",
            RuleSeverity::Warn => "are reported to the client as warnings",
            RuleSeverity::Audit => "are recorded in the audit log",
        },
    ));
    facts.extend(object_facts(set, rule));
    let place = place_of_rule(rule);
    if !place.is_empty() {
        facts.push(line_fact("place", "Evaluated at", vec![Piece::of_code(&place)]));
    }
    facts.extend(source_fact(given.places.of(rule.span.into()).as_ref()));
    facts.push(code_fact("cel", "CEL", rule.expression.trim()));
    facts
}

/// The requirement of a rule, with its scope.
fn demand_text(rule: &AuthoredRule) -> Text {
    let demand = rule.condition.describe_demand();
    let sentence = if rule.scope.0.is_empty() {
        demand
    } else {
        format!("in each item of `{}`, {demand}", rule.scope.to_string().trim_end_matches("[*]"))
    };
    // Every second part is between backticks.
    let parts = sentence.split('`').enumerate();
    let prose = parts.fold(Prose::default(), |prose, (index, part)| match index % 2 {
        0 => prose.text(part),
        _ => prose.code(part),
    });
    Text::from_prose(&prose)
}

/// An object that passes all rules and one that violates this one: the examples of the author, else generated ones.
fn object_facts(set: &RuleSet, rule: &AuthoredRule) -> Vec<Fact> {
    let violates = |object: &Json, stored: Option<&Json>| {
        set.find_violations(object, stored).iter().any(|violated| violated.name == rule.name)
    };
    let own = |fails: bool| {
        let fitting = set.examples.iter().filter(|example| example.stored.is_none());
        let fitting = fitting.filter(|example| {
            let is_named = example.violates.iter().any(|(name, _)| *name == rule.name);
            if fails { is_named && violates(&example.object, None) } else { example.is_accepted }
        });
        fitting.map(|example| example.object.clone()).next()
    };
    let generated = if own(true).is_some() { None } else { generated_objects(set, rule) };
    let (passes, fails) = match (own(true), generated) {
        (Some(fails), _) => (own(false), Some(fails)),
        (None, Some((passes, fails))) => (passes, fails),
        (None, None) => (None, None),
    };
    let passes = passes.filter(|object| !violates(object, None));
    let fails = fails.filter(|object| violates(object, None));
    let fact = |kind: &str, label: &str, object: Option<Json>| {
        Some(code_fact(kind, label, kvrules_syntax::to_yaml(&object?).ok()?.trim_end()))
    };
    fact("passes", "Passes", passes).into_iter().chain(fact("fails", "Fails", fails)).collect()
}

/// Objects around values at the place of the rule. Rules about updates have none, since one object does not show an update.
fn generated_objects(set: &RuleSet, rule: &AuthoredRule) -> Option<(Option<Json>, Option<Json>)> {
    let version = set.version_with(rule.severity)?;
    let definition = definition_rules(&version.schema)
        .into_iter()
        .find(|found| found.place == rule.place && found.source.rule == rule.expression)?;
    if definition.source.is_transition_rule() {
        return None;
    }
    let lifted = lift_rule(&definition, CONFIRMED_ON).ok()?;
    let name = rule.place.iter().rev().find_map(|step| match step {
        PlaceStep::Field(name) => Some(name.as_str()),
        PlaceStep::Any => None,
    });
    let samples = rule_samples(&definition, &lifted.formulas, name.unwrap_or_default());
    let whole = |value: Json| {
        let head = object_head(&version.api_version(), &version.kind, false);
        let mut object = head;
        let wrapped = wrap_value(value, &rule.place, &version.schema)?;
        for (name, value) in wrapped.as_object()? {
            let fields = object.as_object_mut()?;
            match (fields.get_mut(name), value) {
                (Some(Json::Object(own)), Json::Object(value)) => own.extend(value.clone()),
                _ => _ = fields.insert(name.clone(), value.clone()),
            }
        }
        Some(object)
    };
    let object = |sample: Option<crate::samples::RuleSample>| whole(sample?.value);
    Some((object(samples.passes), object(samples.fails)))
}

/// A value in the objects and lists that lead to a place.
fn wrap_value(value: Json, place: &[PlaceStep], schema: &Json) -> Option<Json> {
    let Some((step, rest)) = place.split_first() else { return Some(value) };
    Some(match step {
        PlaceStep::Field(name) => {
            let below = schema.get("properties")?.get(name)?;
            json!({ name: wrap_value(value, rest, below)? })
        }
        PlaceStep::Any => {
            let inner = wrap_value(value, rest, values_below(schema)?)?;
            if schema.get("items").is_some() { json!([inner]) } else { json!({ "example": inner }) }
        }
    })
}
