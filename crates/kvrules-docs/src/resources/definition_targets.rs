//! The fidelity of targets to the rules and keywords of definitions.

use std::collections::HashMap;

use kvrules_apiserver::crd::RuleSource;
use kvrules_apiserver::definition::ResourceVersion;
use kvrules_emit::resource_schema::KEYWORDS;
use kvrules_emit::{ClaimMemo, EMITTERS, Emitter, Request, RuleFidelity};
use kvrules_generate::place_text;
use kvrules_lift::{RulePlace, rule_name, rule_places};
use kvrules_pages::Text;
use kvrules_pages::document::TargetFidelity;
use kvrules_pages::fact::Piece;
use kvrules_pages::prose::{Prose, count_noun};
use kvrules_pages::resources::ResourceSection;
use rayon::prelude::*;

use super::costs::shorten_expression;
use super::names::PageNames;
use super::target_fidelity::{ClaimedRule, claim_lines, code_prose, fidelity_section};
use super::values::words_piece;

/// The most exact rules of which each has a line.
const FEW: usize = 10;

/// The keywords without a claim of their own.
const OTHER_KEYWORDS: &str = "other keywords of the schema";

/// The rules of a version and the claims of targets about them and about the keywords of its schema.
#[derive(Debug, Default)]
pub(super) struct VersionClaims {
    rules: Vec<ClaimedPlace>,
    targets: Vec<(&'static str, Vec<RuleFidelity>)>,
}

/// Returns the claims about versions, in their order. Versions without rules have none.
pub(super) fn claim_fidelities(versions: &[&ResourceVersion]) -> Vec<VersionClaims> {
    versions.par_iter().map(|version| VersionClaims::of_version(version)).collect()
}

/// A rule of a version.
#[derive(Debug)]
struct ClaimedPlace {
    /// Its name in claims.
    name: String,
    /// The path of its values.
    place: String,
    expression: String,
}

impl ClaimedPlace {
    /// The rules of a place.
    fn of_place(place: &RulePlace<'_>) -> Vec<Self> {
        let text = place_text(&place.steps);
        let rule = |(index, source): (usize, RuleSource)| Self {
            name: rule_name(&place.steps, index),
            place: text.clone(),
            expression: source.rule,
        };
        place.sources().into_iter().enumerate().map(rule).collect()
    }
}

impl VersionClaims {
    fn of_version(version: &ResourceVersion) -> Self {
        let rules: Vec<_> = rule_places(&version.schema).iter().flat_map(ClaimedPlace::of_place).collect();
        if rules.is_empty() {
            return Self::default();
        }
        // One after the other, since schemas in several dialects share what they have in common.
        let memo = ClaimMemo::default();
        let claims = EMITTERS.iter().map(|target| (target.name, target_claims(target, version, &memo)));
        Self { rules, targets: claims.filter(|(_, claims)| !claims.is_empty()).collect() }
    }

    /// Returns the section about the targets that express the rules; `None` if there are no rules.
    pub(super) fn targets_section(&self, names: &mut PageNames) -> Option<ResourceSection> {
        let (inexact, exact): (Vec<_>, Vec<_>) =
            self.claimed_rules().into_iter().partition(|rule| !rule.is_exact());
        let mut lines = claim_lines(&inexact);
        lines.extend(exact_lines(&exact));
        let targets: Vec<&str> = self.targets.iter().map(|(target, _)| *target).collect();
        // A picture has the first rows only.
        let all: Vec<ClaimedRule> = inexact.into_iter().chain(exact).collect();
        fidelity_section(lines, (&targets, &all), names)
    }

    /// The rules and keywords that targets have claims about, in the order of the claims, rules first.
    fn claimed_rules(&self) -> Vec<ClaimedRule> {
        let rules: HashMap<&str, &ClaimedPlace> =
            self.rules.iter().map(|rule| (rule.name.as_str(), rule)).collect();
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut found: Vec<(bool, ClaimedRule)> = Vec::new();
        for (target, claims) in &self.targets {
            for RuleFidelity { rule, fidelity, .. } in claims {
                let next = found.len();
                let place = *places.entry(rule).or_insert(next);
                if place == next {
                    found.push((!rules.contains_key(rule.as_str()), unclaimed_rule(rule, &rules)));
                }
                let claim = TargetFidelity {
                    target: (*target).to_owned(),
                    fidelity: fidelity.exactness(),
                    cause: fidelity.cause().map(Text::of_words),
                };
                if let Some((_, found)) = found.get_mut(place) {
                    found.claims.push(claim);
                }
            }
        }
        found.sort_by_key(|(is_keyword, _)| *is_keyword);
        found.into_iter().map(|(_, found)| found).collect()
    }
}

/// The claims of a target about a version, as its files have them without options.
fn target_claims(target: &Emitter, version: &ResourceVersion, memo: &ClaimMemo) -> Vec<RuleFidelity> {
    let request = Request {
        resources: std::slice::from_ref(version),
        only_claims: Some(memo),
        ..Request::for_virtual_machines(&[])
    };
    target.emit_versions(&request).map(|emission| emission.fidelity).unwrap_or_default()
}

/// A rule by its place and expression; keywords by the name of their claim.
fn unclaimed_rule(claim: &str, rules: &HashMap<&str, &ClaimedPlace>) -> ClaimedRule {
    let noun = if rules.contains_key(claim) { "rule" } else { "keyword" };
    let (label, name) = match rules.get(claim) {
        Some(rule) => {
            let place = page_place(&rule.place);
            let expression = shorten_expression(&rule.expression);
            let start = match place.as_str() {
                "" => Prose::default(),
                place => code_prose(place).text(": "),
            };
            let label = start.add_prose(&code_prose(&expression));
            let place = if place.is_empty() { "(object)" } else { &place };
            (label, format!("{place}: {expression}"))
        }
        None if claim == KEYWORDS => (Prose::from(OTHER_KEYWORDS), OTHER_KEYWORDS.to_owned()),
        None => (code_prose(&page_place(claim)), page_place(claim)),
    };
    ClaimedRule { label, name, noun, claims: Vec::new() }
}

/// A path as pages write it.
fn page_place(place: &str) -> String {
    place.replace("[*]", "[]")
}

/// Lines about rules that are expressed exactly: each by itself if they are few, else their number by their targets.
fn exact_lines(exact: &[ClaimedRule]) -> Vec<Vec<Piece>> {
    if exact.len() <= FEW {
        return claim_lines(exact);
    }
    let of_targets = |rule: &ClaimedRule| rule.claims.iter().map(|claim| claim.target.clone()).collect();
    let mut groups: Vec<(Vec<String>, usize)> = Vec::new();
    for targets in exact.iter().map(of_targets) {
        match groups.iter_mut().find(|(known, _)| *known == targets) {
            Some((_, count)) => *count += 1,
            None => groups.push((targets, 1)),
        }
    }
    let line = |(targets, count): &(Vec<String>, usize)| {
        let mut line = vec![Piece::of_text(count_noun(*count, "other rule")), words_piece(": exact in ")];
        line.extend(Piece::of_codes(targets));
        line
    };
    groups.iter().map(line).collect()
}
