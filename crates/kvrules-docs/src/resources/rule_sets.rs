//! The page of a RuleSet: the objects that it is about, what each rule requires in words, and objects that pass and that fail.

use kvrules_apiserver::definition::{AuthoredObjects, RequestSelection};
use kvrules_generate::{PlaceStep, values_below};
use kvrules_lift::{definition_rules, lift_rule};
use kvrules_pages::Text;
use kvrules_pages::fact::{Fact, Piece};
use kvrules_pages::prose::{Prose, count_noun};
use kvrules_pages::resources::{ResourcePage, ResourceRule, ResourceSection};
use kvrules_rule_set::{AuthoredRule, Condition, PathStep, RuleSet, RuleSeverity, StoredTest};
use serde_json::{Value as Json, json};

use crate::samples::{PlaceServer, RuleSample, TRIES, complete_items, object_head, rule_samples, with_parts};

use super::input::ResourcePagesInput;
use super::matching::match_facts;
use super::names::PageNames;
use super::rule_facts::{CONFIRMED_ON, source_fact, update_code};
use super::rule_set_targets::targets_section;
use super::states::states_fact;
use super::values::{code_fact, line_fact, word_fact, words_piece};

/// Returns the page of a RuleSet.
pub(super) fn rule_set_page(set: &RuleSet, stem: &str, given: &ResourcePagesInput<'_>) -> ResourcePage {
    let mut names = PageNames::of_page(stem);
    let source = given.places.of(set.span.into());
    let version = &set.subject.version;
    let mut facts = vec![match set.subject.objects {
        AuthoredObjects::OfVersion => {
            let kind = vec![
                Piece::of_code(&version.kind),
                words_piece(" in "),
                Piece::of_code(&version.api_version()),
            ];
            line_fact("subject", "Objects", kind)
        }
        AuthoredObjects::OfAnyKind => word_fact("subject", "Objects", "of any kind"),
        AuthoredObjects::Documents => {
            line_fact("subject", "Documents of", vec![Piece::of_code(&version.kind)])
        }
    }];
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
        sections: [Some(rules_section(set, &mut names, given)), targets_section(set, &mut names)]
            .into_iter()
            .flatten()
            .collect(),
    }
}

/// The facts about the operations and users of requests that are evaluated.
fn request_facts(selection: &RequestSelection) -> Vec<Fact> {
    let mut facts = Vec::new();
    if !selection.resources.is_empty() {
        let names = selection.resource_names().into_iter().map(|name| vec![Piece::of_code(&name)]);
        facts.push(line_fact("resources", "Resources", Piece::join_with(names, ", ")));
    }
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
    facts.extend(find_changes(&rule.condition).and_then(|changes| states_fact(&changes, true)));
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
    let place = set.place_of_rule(rule);
    if !place.is_empty() {
        facts.push(line_fact("place", "Evaluated at", vec![Piece::of_code(&place)]));
    }
    facts.extend(source_fact(given.places.of(rule.span.into()).as_ref()));
    facts.push(code_fact("cel", "CEL", rule.expression.trim()));
    facts
}

/// The changes from one value to another that a condition allows, if it lists them.
fn find_changes(condition: &Condition) -> Option<Vec<(String, String)>> {
    match condition {
        Condition::Stored(_, StoredTest::Transitions(allowed)) => {
            let of_value = |(from, to): &(String, Vec<String>)| {
                to.iter().map(|to| (from.clone(), to.clone())).collect::<Vec<_>>()
            };
            Some(allowed.iter().flat_map(of_value).collect())
        }
        Condition::All(all) | Condition::Any(all) => all.iter().find_map(find_changes),
        Condition::ForAll(_, inner) => find_changes(inner),
        _ => None,
    }
}

/// The requirement of a rule, with its scope.
fn demand_text(rule: &AuthoredRule) -> Text {
    let demand = rule.condition.describe_demand();
    let sentence = if rule.scope.0.is_empty() {
        demand
    } else {
        format!("in each item of `{}`, {demand}", rule.scope.to_string().trim_end_matches("[*]"))
    };
    Text::of_words(&sentence)
}

/// An object, and the stored one that it replaces if the rule is about updates.
type ExamplePair = (Json, Option<Json>);

/// An object that passes all rules and one that violates this one: the examples of the author, else generated ones.
fn object_facts(set: &RuleSet, rule: &AuthoredRule) -> Vec<Fact> {
    let violates = |(object, stored): &ExamplePair| {
        set.find_violations(object, stored.as_ref()).iter().any(|violated| violated.name == rule.name)
    };
    let own = |fails: bool| {
        let fitting = set.examples.iter().map(|example| {
            let is_named = example.violates.iter().any(|(name, _)| *name == rule.name);
            (example, (example.object.clone(), example.stored.clone()), is_named)
        });
        let mut fitting =
            fitting.filter(
                |(example, pair, is_named)| {
                    if fails { *is_named && violates(pair) } else { example.is_accepted }
                },
            );
        fitting.next().map(|(_, pair, _)| pair)
    };
    let generated =
        || changed_objects(set, rule).or_else(|| generated_objects(set, rule)).unwrap_or_default();
    let (passes, fails) = match own(true) {
        Some(fails) => (own(false), Some(fails)),
        None => generated(),
    };
    let version = &set.subject.version;
    let kind = (version.group.as_str(), version.version.as_str(), version.kind.as_str());
    let complete = |(object, stored): ExamplePair, keeps: &dyn Fn(&ExamplePair) -> bool| {
        let object = complete_items(object, kind, &|object| keeps(&(object.clone(), stored.clone())));
        (object, stored)
    };
    let passes = passes.filter(|pair| !violates(pair)).map(|pair| complete(pair, &|pair| !violates(pair)));
    let fails = fails.filter(violates).map(|pair| complete(pair, &violates));
    let yaml = |object: &Json| Some(kvrules_syntax::to_yaml(object).ok()?.trim_end().to_owned());
    let fact = |kind: &str, label: &str, pair: Option<ExamplePair>| {
        let (object, stored) = pair?;
        let object = yaml(&object)?;
        let code = match &stored {
            Some(stored) => update_code(&yaml(stored)?, &object),
            None => object,
        };
        Some(code_fact(kind, label, code))
    };
    fact("passes", "Passes", passes).into_iter().chain(fact("fails", "Fails", fails)).collect()
}

/// Updates around the first change that a rule allows: that change, and the way back or another value.
fn changed_objects(set: &RuleSet, rule: &AuthoredRule) -> Option<(Option<ExamplePair>, Option<ExamplePair>)> {
    let Condition::Stored(path, StoredTest::Transitions(_)) = &rule.condition else { return None };
    let changes = find_changes(&rule.condition).filter(|_| rule.scope.0.is_empty())?;
    let (from, to) = changes.iter().find(|(from, to)| from != to)?;
    let is_back_allowed = changes.iter().any(|(one, other)| (one, other) == (to, from));
    let violating = if is_back_allowed { "other" } else { from };
    let names: Option<Vec<&str>> = path
        .0
        .iter()
        .map(|step| match step {
            PathStep::Field(name) => Some(name.as_str()),
            PathStep::Each => None,
        })
        .collect();
    let version = &set.subject.version;
    let head = object_head(&version.api_version(), &version.kind, false);
    let names = names?;
    let whole = |value: &str| {
        with_parts(&head, &names.iter().rev().fold(json!(value), |inner, name| json!({ *name: inner })))
    };
    Some((Some((whole(to), Some(whole(from)))), Some((whole(violating), Some(whole(to))))))
}

/// Objects around values at the place of the rule.
fn generated_objects(
    set: &RuleSet,
    rule: &AuthoredRule,
) -> Option<(Option<ExamplePair>, Option<ExamplePair>)> {
    let version = set.version_with(rule.severity)?;
    let definition = definition_rules(&version.schema)
        .into_iter()
        .find(|found| found.place == rule.place && found.source.rule == rule.expression)?;
    let lifted = lift_rule(&definition, CONFIRMED_ON).ok()?;
    let name = rule.place.iter().rev().find_map(|step| match step {
        PlaceStep::Field(name) => Some(name.as_str()),
        PlaceStep::Any => None,
    });
    let server = PlaceServer::new(&definition.schema, rule.place.is_empty());
    let samples = rule_samples(&definition, &lifted.formulas, (name.unwrap_or_default(), TRIES), &server);
    let head = object_head(&version.api_version(), &version.kind, false);
    let whole = |value: Json| {
        let object = wrap_value(value, &rule.place, &version.schema)?;
        Some(match set.subject.objects {
            AuthoredObjects::Documents => set.subject.evaluated_object(object),
            _ => with_parts(&head, &object),
        })
    };
    let pair = |sample: Option<RuleSample>| {
        let sample = sample?;
        let stored = match sample.old {
            Some(old) => Some(whole(old)?),
            None => None,
        };
        Some((whole(sample.value)?, stored))
    };
    Some((pair(samples.passes), pair(samples.fails)))
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
