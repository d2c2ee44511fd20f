//! The page of a RuleSet: the objects that it is about, what each rule requires in words, and objects that pass and that fail.

use kvrules_apiserver::definition::{AuthoredObjects, RequestSelection};
use kvrules_pages::Text;
use kvrules_pages::fact::{Fact, Piece};
use kvrules_pages::prose::{Prose, count_noun};
use kvrules_pages::resources::{ResourcePage, ResourceRule, ResourceSection};
use kvrules_rule_set::{AuthoredRule, RuleSet, RuleSeverity};
use serde_json::json;

use super::input::ResourcePagesInput;
use super::matching::match_facts;
use super::names::PageNames;
use super::rule_facts::source_fact;
use super::rule_set_samples::{SetSamples, find_changes};
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
    let versions = set.versions();
    let samples = SetSamples::new(set, &versions);
    let rules = set.rules.iter().map(|rule| {
        let (anchor, label) = names.add_name(&format!("rule-{}", rule.name));
        let severity = Some(rule.severity.as_str().to_owned());
        ResourceRule {
            title: rule.name.clone(),
            anchor,
            label,
            severity,
            facts: authored_facts(&samples, rule, given),
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
fn authored_facts(
    samples: &SetSamples<'_>,
    rule: &AuthoredRule,
    given: &ResourcePagesInput<'_>,
) -> Vec<Fact> {
    let mut facts = vec![line_fact("accepted", "Required", vec![Piece::Text(demand_text(rule))])];
    facts.extend(find_changes(&rule.condition).and_then(|changes| states_fact(&changes, true)));
    if !rule.message.trim().is_empty() && rule.has_own_message() {
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
    facts.extend(samples.object_facts(rule));
    let place = samples.set.place_of_rule(rule);
    if !place.is_empty() {
        facts.push(line_fact("place", "Evaluated at", vec![Piece::of_code(&place)]));
    }
    facts.extend(source_fact(given.places.of(rule.span.into()).as_ref()));
    facts.push(code_fact("cel", "CEL", rule.expression.trim()));
    facts
}

/// The requirement of a rule, with its scope.
fn demand_text(rule: &AuthoredRule) -> Text {
    Text::of_words(&rule.requirement)
}
