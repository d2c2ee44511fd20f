//! The documents that cases are about, and the expressions in them.

use std::sync::Arc;

use kvrules_diagnostics::Span;
use kvrules_generate::PlaceStep;
use kvrules_lift::DefinitionRule;
use kvrules_rule_set::AuthoredRule;
use kvrules_syntax::pointer::escape_step;
use serde_json::Value;

use crate::document::{field, list_items, metadata_text, text_field};
use crate::model::{TestCase, TestSuite};
use crate::subject::{
    DefinitionSubject, PolicySubject, RuleOrigin, RuleSetSubject, Subject, TemplateRule, TemplateSubject,
    definition_rule_name, rules_of,
};

/// A document with rules, and the cases about it.
#[derive(Debug)]
pub struct MeasuredRules<'s> {
    /// Its origin.
    pub origin: RuleOrigin,
    /// The document.
    pub document: Value,
    /// Its expressions.
    pub sites: Vec<RuleSite>,
    /// The cases, with their rules.
    pub cases: Vec<&'s TestCase>,
}

/// An expression of a document.
#[derive(Clone, Debug)]
pub struct RuleSite {
    /// JSON pointer to the entry that it is in.
    pub pointer: String,
    /// Name of its field in the entry.
    pub field: &'static str,
    /// Name of the rule.
    pub name: String,
    /// The expression.
    pub text: String,
    /// Kind of the entry.
    pub kind: SiteKind,
    /// The rule of a definition.
    pub(crate) rule: Option<Box<DefinitionRule<'static>>>,
    /// Location, if it is known without the pointer.
    pub(crate) span: Option<Span>,
    /// True if the rule of a template is skipped for some objects.
    pub(crate) has_guard: bool,
}

/// Kind of an entry with an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteKind {
    /// A rule of a schema.
    Rule,
    /// A validation of a policy.
    Validation,
    /// A match condition of a policy.
    Condition,
    /// A variable of a policy.
    Variable,
    /// A rule of a RuleSet.
    RuleSet,
    /// A rule of a template.
    Template,
}

impl MeasuredRules<'_> {
    /// True if the document is a RuleSet.
    pub(crate) fn is_rule_set(&self) -> bool {
        self.sites.iter().any(|site| site.kind == SiteKind::RuleSet)
    }

    /// True if the cases are about the schema of the definition and about nothing else.
    fn is_schema_alone(&self) -> bool {
        let is_definition = text_field(&self.document, "kind") == "CustomResourceDefinition";
        let has_others =
            |case: &&TestCase| case.subject.policies.is_some() || !case.subject.rule_sets.is_empty();
        is_definition && !self.cases.iter().any(has_others)
    }

    /// Returns the resources that the document matches, if it is a policy.
    pub fn matched_resources(&self) -> Vec<&str> {
        let rules = self.document.pointer("/spec/matchConstraints/resourceRules");
        let lists = list_items(rules.unwrap_or(&Value::Null)).map(|rule| field(rule, "resources"));
        lists.flat_map(list_items).filter_map(Value::as_str).collect()
    }

    /// True if the document is a policy.
    pub(crate) fn is_policy(&self) -> bool {
        let kinds = [SiteKind::Validation, SiteKind::Condition, SiteKind::Variable];
        self.sites.iter().any(|site| kinds.contains(&site.kind))
    }
}

impl RuleSite {
    /// Returns the pointer to the expression.
    pub fn expression_pointer(&self) -> String {
        if self.field.is_empty() { self.pointer.clone() } else { format!("{}/{}", self.pointer, self.field) }
    }
}

/// Collects the documents that the cases of suites are about, in their order. Cases that are not run do not count.
pub fn collect_rules<'s>(suites: impl IntoIterator<Item = &'s TestSuite>) -> Vec<MeasuredRules<'s>> {
    let mut found: Vec<MeasuredRules<'s>> = Vec::new();
    let cases = suites.into_iter().flat_map(|suite| &suite.cases).filter(|case| case.skipped.is_none());
    for case in cases {
        if let Some(template) = &case.subject.template {
            add_template(template, case, &mut found);
        }
        for (origin, document) in documents_of(case) {
            let known = found.iter_mut().find(|it| it.origin == *origin && it.document == *document);
            match known {
                Some(known) => known.cases.push(case),
                None => found.push(MeasuredRules {
                    origin: origin.clone(),
                    sites: find_sites(&case.subject, origin, document),
                    document: document.clone(),
                    cases: vec![case],
                }),
            }
        }
    }
    // The schema of a definition without rules is changed, too.
    found.retain(|rules| !rules.sites.is_empty() || rules.is_schema_alone());
    found
}

/// Adds a case about the rules of a template. Their document is the text that they are in.
fn add_template<'s>(template: &TemplateSubject, case: &'s TestCase, found: &mut Vec<MeasuredRules<'s>>) {
    let known =
        found.iter_mut().find(|it| it.origin == template.origin && it.document == template.text.as_str());
    if let Some(known) = known {
        known.cases.push(case);
        return;
    }
    let to_site = |rule: &TemplateRule| RuleSite {
        pointer: String::new(),
        field: "",
        name: rule.named.name.clone(),
        text: rule.named.aliases.first().cloned().unwrap_or_default(),
        kind: SiteKind::Template,
        rule: None,
        span: rule.span,
        has_guard: rule.has_guard,
    };
    found.push(MeasuredRules {
        origin: template.origin.clone(),
        document: template.text.as_str().into(),
        sites: template.rules().iter().map(to_site).collect(),
        cases: vec![case],
    });
}

/// Returns the documents that a case is about: the definition of its object, and every policy.
fn documents_of(case: &TestCase) -> Vec<(&RuleOrigin, &Value)> {
    let object = if case.input.object.is_null() { &case.input.old_object } else { &case.input.object };
    let subject: &Arc<Subject> = &case.subject;
    let definition = subject.find_definition(text_field(object, "apiVersion"), text_field(object, "kind"));
    let definition = definition.into_iter().map(|it| (&it.origin, &it.document));
    let (api_version, kind) = (text_field(object, "apiVersion"), text_field(object, "kind"));
    let sets = subject.rule_sets.iter().filter(|set| set.is_for(api_version, kind));
    let sets = sets.map(|it| (&it.origin, &it.document));
    definition.chain(sets).chain(subject.policies.iter().flat_map(PolicySubject::documents)).collect()
}

fn find_sites(subject: &Subject, origin: &RuleOrigin, document: &Value) -> Vec<RuleSite> {
    if let Some(set) = subject.find_rule_set(origin, document) {
        return rule_set_sites(set);
    }
    let definition = subject.definitions.iter().find(|it| it.origin == *origin && it.document == *document);
    if let Some(definition) = definition {
        return definition_sites(definition);
    }
    let is_restated = subject.policies.as_ref().is_some_and(PolicySubject::is_restated);
    let is_given = |site: &RuleSite| {
        let name = text_field(document.pointer(&site.pointer).unwrap_or(&Value::Null), "name");
        is_restated && site.kind == SiteKind::Variable && GIVEN_VARIABLES.contains(&name)
    };
    policy_sites(document).into_iter().filter(|site| !is_given(site)).collect()
}

/// Variables that the engine of a format adds, which are not the author's.
const GIVEN_VARIABLES: [&str; 2] = ["anyObject", "params"];

fn rule_set_sites(subject: &RuleSetSubject) -> Vec<RuleSite> {
    let to_site = |rule: &AuthoredRule| {
        let index = rules_of(&subject.document).position(|it| text_field(it, "name") == rule.name);
        RuleSite {
            // The rules of other files are covered here, and changed there.
            pointer: index.map_or_else(|| "/spec/include".to_owned(), |index| format!("/spec/rules/{index}")),
            field: "",
            name: rule.name.clone(),
            text: rule.requirement.clone(),
            kind: SiteKind::RuleSet,
            rule: subject.set.rule_at_scope(rule).map(Box::new),
            span: Some(rule.span),
            has_guard: false,
        }
    };
    subject.set.rules.iter().map(to_site).collect()
}

fn definition_sites(definition: &DefinitionSubject) -> Vec<RuleSite> {
    let to_site = |(version, rule): (usize, DefinitionRule<'static>)| RuleSite {
        pointer: rule_pointer(version, &rule, &definition.document),
        field: "rule",
        name: definition_rule_name(&rule),
        text: rule.source.rule.clone(),
        kind: SiteKind::Rule,
        rule: Some(Box::new(rule)),
        span: None,
        has_guard: false,
    };
    definition.rules().into_iter().map(to_site).collect()
}

/// Returns the pointer to a rule in a definition.
fn rule_pointer(version: usize, rule: &DefinitionRule, document: &Value) -> String {
    let mut pointer = format!("/spec/versions/{version}/schema/openAPIV3Schema");
    for step in &rule.place {
        let next = match step {
            PlaceStep::Field(name) => format!("properties/{}", escape_step(name)),
            PlaceStep::Any if document.pointer(&format!("{pointer}/items")).is_some() => "items".to_owned(),
            PlaceStep::Any => "additionalProperties".to_owned(),
        };
        pointer = format!("{pointer}/{next}");
    }
    format!("{pointer}/x-kubernetes-validations/{}", rule.index)
}

fn policy_sites(document: &Value) -> Vec<RuleSite> {
    let lists = [
        ("validations", SiteKind::Validation),
        ("matchConditions", SiteKind::Condition),
        ("variables", SiteKind::Variable),
    ];
    let policy = metadata_text(document, "name");
    let of_list = |(list, kind): (&str, SiteKind)| {
        let items = list_items(field(field(document, "spec"), list)).enumerate();
        let site = |(index, item): (usize, &Value)| RuleSite {
            pointer: format!("/spec/{list}/{index}"),
            field: "expression",
            name: format!("{policy}/spec.{list}[{index}]"),
            text: text_field(item, "expression").to_owned(),
            kind,
            rule: None,
            span: None,
            has_guard: false,
        };
        items.map(site).collect::<Vec<_>>()
    };
    lists.into_iter().flat_map(of_list).collect()
}
