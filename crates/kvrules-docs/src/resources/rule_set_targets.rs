//! The fidelity of targets to the rules of a RuleSet.

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_emit::{EMITTERS, Emitter, Fidelity, Request, RuleFidelity};
use kvrules_pages::Text;
use kvrules_pages::document::TargetFidelity;
use kvrules_pages::resources::ResourceSection;
use kvrules_rule_set::{AuthoredRule, RuleSet};

use super::names::PageNames;
use super::target_fidelity::{ClaimedRule, claim_lines, code_prose, fidelity_section};

/// A target and its claims about rules, by their names.
type TargetClaims = (&'static str, Vec<(String, Fidelity)>);

/// Returns the section about the targets that express the rules of a set; `None` if there are none.
pub(super) fn targets_section(set: &RuleSet, names: &mut PageNames) -> Option<ResourceSection> {
    let versions = set.versions();
    let of_rule_sets = EMITTERS.iter().filter(|target| target.authored.is_some());
    let claims = of_rule_sets.map(|target| {
        let of_versions = versions.iter().flat_map(|version| version_claims(target, set, version));
        (target.name, of_versions.collect())
    });
    let claims: Vec<TargetClaims> = claims.collect();
    let targets: Vec<&str> = claims.iter().map(|(target, _)| *target).collect();
    let claimed = set.rules.iter().map(|rule| ClaimedRule {
        label: code_prose(&rule.name),
        name: rule.name.clone(),
        noun: "rule",
        claims: rule_claims(rule, &claims),
    });
    let claimed: Vec<ClaimedRule> = claimed.collect();
    fidelity_section(claim_lines(&claimed), (&targets, &claimed), names)
}

/// The claims of a target about the rules of a severity. Emissions name rules by their places.
fn version_claims(target: &Emitter, set: &RuleSet, version: &ResourceVersion) -> Vec<(String, Fidelity)> {
    let request = Request {
        resources: std::slice::from_ref(version),
        authored: std::slice::from_ref(set),
        ..Request::for_virtual_machines(&[])
    };
    let claims = target.emit_versions(&request).map(|emission| emission.fidelity).unwrap_or_default();
    let named = |found: RuleFidelity| (version.shown_rule_name(&found.rule).to_owned(), found.fidelity);
    claims.into_iter().map(named).collect()
}

fn rule_claims(rule: &AuthoredRule, claims: &[TargetClaims]) -> Vec<TargetFidelity> {
    let claim = |(target, claims): &TargetClaims| {
        let (_, fidelity) = claims.iter().find(|(name, _)| *name == rule.name)?;
        Some(TargetFidelity {
            target: (*target).to_owned(),
            fidelity: fidelity.exactness(),
            cause: fidelity.cause().map(Text::of_words),
        })
    };
    claims.iter().filter_map(claim).collect()
}
