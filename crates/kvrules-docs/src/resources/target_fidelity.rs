//! The section about the fidelity of targets to rules, for maintainers.

use kvrules_pages::document::TargetFidelity;
use kvrules_pages::fact::{Fact, Piece};
use kvrules_pages::fact_picture::{FactPicture, PictureFidelityRow};
use kvrules_pages::resources::ResourceSection;

use crate::enforcement::said_by;

use super::names::PageNames;
use super::values::{line_fact, list_fact, words_piece};

/// A rule and the claims of targets about it.
pub(super) struct ClaimedRule {
    /// The rule in a list.
    pub(super) label: Vec<Piece>,
    /// The rule in a picture.
    pub(super) name: String,
    pub(super) claims: Vec<TargetFidelity>,
}

impl ClaimedRule {
    /// True if every target that has a claim is exact.
    pub(super) fn is_exact(&self) -> bool {
        self.claims.iter().all(|claim| claim.cause.is_none())
    }

    /// `replicas: exact in crd, cel; unsupported in json-schema: a schema does not know the stored object`
    pub(super) fn to_line(&self) -> Vec<Piece> {
        let groups = said_by(&self.claims).into_iter().map(|group| {
            let mut line = vec![Piece::of_text(group.label.to_lowercase()), words_piece(" ")];
            line.extend(Piece::of_codes(&group.targets));
            line.extend(Piece::explained_by(group.cause.as_ref()));
            line
        });
        let mut line = self.label.clone();
        line.push(words_piece(": "));
        line.extend(Piece::join_with(groups, "; "));
        line
    }
}

/// Returns the section with lines about rules, and the claims about all of them as a picture; `None` if there are no claims.
pub(super) fn fidelity_section(
    lines: Vec<Vec<Piece>>,
    (targets, rules): (&[&str], &[ClaimedRule]),
    names: &mut PageNames,
) -> Option<ResourceSection> {
    if rules.iter().all(|rule| rule.claims.is_empty()) {
        return None;
    }
    let (anchor, label) = names.add_name("targets");
    let facts = vec![list_fact("fidelity", "Rules", lines), matrix_fact(targets, rules)];
    let title = "Fidelity of targets".to_owned();
    Some(ResourceSection { title, anchor, label, is_folded: true, facts, ..ResourceSection::default() })
}

fn matrix_fact(targets: &[&str], rules: &[ClaimedRule]) -> Fact {
    let row = |rule: &ClaimedRule| {
        let of_target = |target: &&str| {
            rule.claims.iter().find(|claim| claim.target == *target).map(|claim| claim.fidelity)
        };
        PictureFidelityRow { name: rule.name.clone(), fidelity: targets.iter().map(of_target).collect() }
    };
    let rules = rules.iter().map(row).collect();
    let targets = targets.iter().map(|target| (*target).to_owned()).collect();
    let picture = FactPicture::FidelityMatrix { targets, rules };
    line_fact("fidelity-matrix", "Targets", vec![Piece::Picture(picture)])
}
