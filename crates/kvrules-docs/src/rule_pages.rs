//! A document with everything in it that the stages know of the rules.

use std::collections::{HashMap, HashSet};

use kvrules_elaborate::catalog::{DeprecationState, FieldDeprecation, find_deprecation};
use kvrules_emit::{EmitError, Request};
use kvrules_ir::{ElaboratedRule, ElaboratedSet, Subject};
use kvrules_pages::document::{Deprecated, Document, Examples, Text};
use kvrules_pages::prose::Prose;
use kvrules_pages::{AuthorNotation, DocumentOptions, build_document};
use rayon::prelude::*;

use crate::enforcement::{CelCache, FidelityClaims, said_by};
use crate::examples::rule_examples;
use crate::group::Grouping;
use crate::places::RuleLocations;

/// Input of the pages.
#[derive(Clone, Copy, Debug)]
pub struct PagesInput<'a> {
    /// The rule sets, and what targets need to know to say how exactly they say them.
    pub request: Request<'a>,
    /// Locations of the rules.
    pub places: RuleLocations<'a>,
    /// Markup of messages by authors.
    pub notation: AuthorNotation,
    /// Grouping of sets on pages.
    pub grouping: Grouping,
}

/// The pages about rule sets. Fails if a target fails whose fidelity is requested.
pub fn build_pages(given: &PagesInput<'_>) -> Result<Document, EmitError> {
    let PagesInput { request, places, .. } = given;
    let groups = given.grouping.groups(request.sets, places.sources);
    let making = DocumentOptions { version: request.version, notation: given.notation, groups: &groups };
    let mut document = build_document(request.sets, request.subject, &making);
    let claims = FidelityClaims::of(request)?;
    let mut cel = CelCache::about(request.subject);
    let examples = all_examples(request.sets, request.subject.root_steps());
    let mut number = 0;
    for (page, set) in document.sets.iter_mut().zip(request.sets) {
        let written = set.used_by.first().map(|audience| audience.origin);
        page.source = written.and_then(|origin| places.of(origin));
        for (page, rule) in page.rules.iter_mut().zip(&set.rules) {
            page.page.source = places.of(rule.origin);
            page.page.examples = examples.get(rule).cloned().unwrap_or_default();
            page.page.fidelity = claims.rule(number);
            page.page.said_by = said_by(&page.page.fidelity);
            page.cel = cel.rule(rule);
            page.deprecation = rule_deprecation(rule, request.subject);
            number += 1;
        }
        for (page, rule) in page.left_out.iter_mut().zip(&set.left_out) {
            page.source = places.of(rule.origin);
        }
    }
    document.gather_facts(request.sets, request.subject);
    Ok(document)
}

/// Examples of each distinct rule.
fn all_examples<'a>(sets: &'a [ElaboratedSet], root: &[&str]) -> HashMap<&'a ElaboratedRule, Examples> {
    let rules: HashSet<&ElaboratedRule> = sets.iter().flat_map(|set| &set.rules).collect();
    let rules: Vec<&ElaboratedRule> = rules.into_iter().collect();
    rules.into_par_iter().map(|rule| (rule, rule_examples(rule, root))).collect()
}

/// Returns the deprecation of a rule's field.
fn rule_deprecation(rule: &ElaboratedRule, subject: &Subject) -> Option<Deprecated> {
    let written = rule.written.0.as_ref()?;
    let FieldDeprecation { path, state, instead } = find_deprecation(&written.path, subject)?;
    let wording = match state {
        DeprecationState::Removed(version) => Prose::default()
            .code(*path)
            .text(&format!(" is still in the API, but KubeVirt ignores it since {version}.")),
        DeprecationState::Moved => Prose::from("the field has moved."),
    };
    let wording = match instead {
        Some(instead) => wording.text(" Use ").code(*instead).text(" instead."),
        None => wording,
    };
    Some(Deprecated {
        text: Text::from_prose(&wording.to_capitalised()),
        replacement: instead.map(str::to_owned),
    })
}
