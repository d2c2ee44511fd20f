//! The fidelity of targets to the rules of a RuleSet.

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_emit::{EMITTERS, Emitter, Fidelity, Request, RuleFidelity};
use kvrules_pages::Text;
use kvrules_pages::document::TargetFidelity;
use kvrules_pages::fact::{Fact, Piece};
use kvrules_pages::fact_picture::{FactPicture, PictureFidelityRow};
use kvrules_pages::resources::ResourceSection;
use kvrules_rule_set::{AuthoredRule, RuleSet};

use crate::enforcement::said_by;

use super::names::PageNames;
use super::values::{line_fact, list_fact, words_piece};

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
    let claimed: Vec<Vec<TargetFidelity>> = set.rules.iter().map(|rule| rule_claims(rule, &claims)).collect();
    if claimed.iter().all(Vec::is_empty) {
        return None;
    }
    let (anchor, label) = names.add_name("targets");
    let items = set.rules.iter().zip(&claimed).map(|(rule, claims)| rule_line(&rule.name, claims));
    let list = list_fact("fidelity", "Rules", items.collect());
    let facts = vec![list, matrix_fact(set, &claims, &claimed)];
    let title = "Fidelity of targets".to_owned();
    Some(ResourceSection { title, anchor, label, is_folded: true, facts, ..ResourceSection::default() })
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

/// `replicas: exact in crd, cel; unsupported in json-schema: a schema does not know the stored object`
fn rule_line(name: &str, claims: &[TargetFidelity]) -> Vec<Piece> {
    let groups = said_by(claims).into_iter().map(|group| {
        let mut line = vec![Piece::of_text(group.label.to_lowercase()), words_piece(" ")];
        line.extend(Piece::of_codes(&group.targets));
        line.extend(Piece::explained_by(group.cause.as_ref()));
        line
    });
    let mut line = vec![Piece::of_code(name), words_piece(": ")];
    line.extend(Piece::join_with(groups, "; "));
    line
}

fn matrix_fact(set: &RuleSet, claims: &[TargetClaims], claimed: &[Vec<TargetFidelity>]) -> Fact {
    let row = |(rule, of_rule): (&AuthoredRule, &Vec<TargetFidelity>)| {
        let of_target = |(target, _): &TargetClaims| {
            of_rule.iter().find(|claim| claim.target == *target).map(|claim| claim.fidelity)
        };
        PictureFidelityRow { name: rule.name.clone(), fidelity: claims.iter().map(of_target).collect() }
    };
    let rules = set.rules.iter().zip(claimed).map(row).collect();
    let targets = claims.iter().map(|(target, _)| (*target).to_owned()).collect();
    let picture = FactPicture::FidelityMatrix { targets, rules };
    line_fact("fidelity-matrix", "Targets", vec![Piece::Picture(picture)])
}
